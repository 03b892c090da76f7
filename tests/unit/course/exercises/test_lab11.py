"""The figures of lab 11 that come from a collection, by another way."""

from __future__ import annotations

from statistics import fmean

import pytest

import toysearch
from toysearch.base.errors import without_notes
from toysearch.course.exercises import lab11, lab11_topics
from toysearch.course.lab_collection import collection, index
from toysearch.course.lessons import exercise
from toysearch.search.relevance_feedback import search_again

STUDENTS = ["anyone", "ada", "student 3"]


def average_precision(ranking, relevant):
    found = [rank for rank, doc_id in enumerate(ranking, 1) if doc_id in relevant]
    return sum(hits / rank for hits, rank in enumerate(found, 1)) / len(relevant)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_residual_value_is_that_of_what_nobody_has_seen(student):
    given = exercise("11.4").case(student).given
    new = [doc_id for doc_id in given.after if doc_id in given.before[given.seen :]]
    relevant = set(given.relevant) - set(given.before[: given.seen])
    assert len(relevant) == 3
    assert exercise("11.4").expected(given) == pytest.approx(average_precision(new, relevant))


@pytest.mark.parametrize("student", STUDENTS[:2])
def test_the_gain_of_a_user_who_marks_is_the_same_one_query_at_a_time(student):
    given = exercise("11.5").case(student).given
    searcher, of = toysearch.Searcher(index(), "bm25"), collection()
    differences = []
    for query_id in given.queries:
        text, grades = of.query(query_id).text, of.qrels[query_id]
        with without_notes():
            before = [hit.doc_id for hit in searcher.search(text, k=None)]
        seen = set(before[: given.docs])
        relevant = {doc_id for doc_id, grade in grades.items() if grade >= of.threshold}
        if not relevant - seen:
            continue
        with without_notes():
            after = search_again(searcher, text, seen & relevant, seen - relevant, k=None)
        rankings = [before, [hit.doc_id for hit in after]]
        old, new = ([doc_id for doc_id in ranking if doc_id not in seen] for ranking in rankings)
        differences.append(average_precision(new, relevant - seen) - average_precision(old, relevant - seen))
    assert len(differences) < len(given.queries)
    assert exercise("11.5").expected(given) == pytest.approx(fmean(differences))


def test_every_need_is_one_that_gains_loses_or_stays():
    changes = lab11._changes("rm3(bm25)")
    for student in STUDENTS:
        given = exercise("11.6").case(student).given
        lost = exercise("11.6").expected(given)
        assert all(changes[query_id] < 0 for query_id in lost)
        assert 3 <= len(lost) < len(given.queries) - 3


def test_strangers_share_no_term_and_nothing_nearer_does_not():
    held = {doc.doc_id: set(lab11_topics._index().analyzer(doc.text)) for doc in collection().documents}
    assert "anim" not in set().union(*held.values())
    for document in lab11_topics._lonely()[::20]:
        rank, stranger, _ = lab11_topics._strangers(document)[0]
        assert not held[document] & held[stranger]
        with without_notes():
            nearer = toysearch.similar(lab11_topics._searcher(20), document, k=rank).doc_ids[:-1]
        assert all(held[document] & held[each] for each in nearer)
