"""Expansion by hand and the figures of lab 11 that come from a collection, by other ways."""

from statistics import fmean

import numpy as np
import pytest
from lengths import exhaustive, thinned

import toysearch
from toysearch.base.errors import without_notes
from toysearch.course.answers import observe
from toysearch.course.exercise import Given, exercise
from toysearch.course.exercises import lab11
from toysearch.course.lab_collection import collection, index
from toysearch.models.composed_models import Wrapper
from toysearch.search.expanded_queries import expanded_by
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


@pytest.mark.system
@pytest.mark.parametrize("student", thinned(STUDENTS[:2], 2))
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


@exhaustive
def test_strangers_share_no_term_and_nothing_nearer_does_not():
    held = {doc.doc_id: set(lab11._index().analyzer(doc.text)) for doc in collection().documents}
    assert "anim" not in set().union(*held.values())
    for document in lab11._lonely()[::20]:
        rank, stranger, _ = lab11._strangers(document)[0]
        assert not held[document] & held[stranger]
        with without_notes():
            nearer = toysearch.similar(lab11._searcher(20), document, k=rank).doc_ids[:-1]
        assert all(held[document] & held[each] for each in nearer)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_sums_of_two_rankings_are_those_of_the_library(student):
    given = exercise("11.9").case(student).given
    rankings = (toysearch.Ranking("1", ids, [*range(len(ids), 0, -1)]) for ids in (given.by_words, given.by_vectors))
    runs = [toysearch.Run.from_rankings([ranking]) for ranking in rankings]
    fused = toysearch.fuse(runs, rrf_k=given.k)
    assert {hit.doc_id: hit.score for hit in fused} == pytest.approx(exercise("11.9").expected(given))
    assert len(given.by_words) == len(given.by_vectors) == 5


def test_rocchio_moves_the_query_of_a_textbook():
    """Manning, Raghavan & Schütze 2008, chapter 9, with beta 0.75 and gamma 0.25."""
    given = Given(
        query={"cheap": 3, "CDs": 2, "DVDs": 1, "extremely": 1},
        relevant=[{"CDs": 2, "cheap": 2, "software": 1}],
        not_relevant=[{"cheap": 1, "thrills": 1, "DVDs": 1}],
        beta=0.75,
        gamma=0.25,
    )
    moved = {"cheap": 4.25, "CDs": 3.5, "DVDs": 0.75, "extremely": 1, "software": 0.75}
    assert exercise("11.1").expected(given) == moved


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.8, 1.0])
def test_the_relevance_model_and_its_mixture_are_those_of_the_library(student, lambda_):
    given = exercise("11.2").case(student).given
    index = toysearch.Index.build(given.documents, toysearch.Analyzer.for_language("none"))
    query = list(given.documents["d1"].split()[:1] * 2) + given.documents["d2"].split()[:1]
    searcher = toysearch.Searcher(index, "bm25")
    wrapper = Wrapper("rm3", (3, given.terms, lambda_, 1.0))
    scores = np.array([*given.scores.values()])
    found = expanded_by(searcher.scorer, searcher.terms(" ".join(query)), wrapper, np.arange(3), scores).query
    weights = {
        index.terms[term]: weight for term, weight in zip(found.numbers.tolist(), found.qtf.tolist(), strict=True)
    }
    shares = exercise("11.2").expected(given)
    counts = {word: query.count(word) for word in query}
    mixed = exercise("11.3").expected(given)(counts, shares, lambda_)
    assert {word: weight * len(query) for word, weight in mixed.items()} == pytest.approx(weights)
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("student", STUDENTS)
def test_a_function_is_asked_for_a_plain_query_and_for_an_expansion_alone(student):
    case = exercise("11.3").case(student, "a grader's")
    mixed = exercise("11.3").expected(case.given)
    (plain,) = [mixed(*each) for each in case.inputs if each[2] == 1]
    assert len(plain) == 2
    (alone,) = [mixed(*each) for each in case.inputs if each[2] == 0]
    assert len(alone) == 4


@pytest.mark.parametrize("student", STUDENTS)
def test_rocchio_adds_means_and_not_sums(student):
    given = exercise("11.1").case(student).given
    words = sorted(
        {word for part in ([given.query], given.relevant, given.not_relevant) for each in part for word in each}
    )
    query, good, bad = (
        np.array([[each.get(word, 0) for word in words] for each in part]).mean(axis=0)
        for part in ([given.query], given.relevant, given.not_relevant)
    )
    moved = dict(zip(words, query + given.beta * good - given.gamma * bad, strict=True))
    assert exercise("11.1").expected(given) == pytest.approx({word: by for word, by in moved.items() if by > 0})
    assert min(moved.values()) < 0


@pytest.mark.system
@pytest.mark.parametrize("student", thinned(STUDENTS, 3))
def test_a_query_is_worth_its_ap_and_nothing_that_is_written_of_the_need_reaches_the_bar(student):
    asked = exercise("11.10")
    given = asked.case(student).given
    languages = toysearch.load("languages")
    searcher = toysearch.Searcher(toysearch.Index.build(languages), "bm25")
    relevant = {doc_id for doc_id, grade in languages.qrels[given.query_id].items() if grade >= 1}
    written = dict(zip(languages.queries.query_ids, languages.queries.fields, strict=True))[given.query_id]
    with without_notes():
        values = {
            name: average_precision(searcher.search(text, k=None).doc_ids, relevant)
            for name, text in written.items()
            if name in ("text", "wording_2", "wording_3", "description", "narrative", "synonyms")
        }
    assert asked.expected(given) == written["synonyms"]
    assert values.pop("synonyms") > given.bar > max(values.values())
    assert lab11._said(given.text, given) == pytest.approx(values["text"])


@pytest.mark.parametrize(
    ("answer", "found"), [(["lazy"], "an object of type list"), ("lazy " * 26, "26 words, more than 25")]
)
def test_a_query_is_a_text_of_few_words(answer, found):
    case = exercise("11.10").case("anyone")
    assert observe(exercise("11.10"), answer, case) == {"state": "refused", "found": found}
