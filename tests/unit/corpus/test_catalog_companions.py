"""The bundled collections companions and companions-2: whole, judged, and with what their READMEs promise."""

from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT, loaded

import toysearch
from toysearch.search.similar_documents import near_duplicates

making = loaded(ROOT / "docs" / "make_companions.py")

FIRST, SECOND = making.NAMES
ENGLISH = toysearch.Analyzer.for_language("english")


@pytest.fixture(scope="module", params=making.NAMES)
def collection(request):
    return toysearch.load(request.param)


@pytest.fixture(scope="module")
def first():
    return toysearch.load(FIRST)


def needs(name: str = FIRST) -> dict[str, dict]:
    lines = (making.CORPORA / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {need["_id"]: need for need in map(json.loads, lines)}


def of_phenomenon(name: str) -> list[str]:
    return [query_id for query_id, need in needs().items() if name in need["phenomena"]]


def stems(text: str) -> set[str]:
    return set(ENGLISH(text))


def relevant(collection, query_id: str, grade: float) -> list[str]:
    return [doc_id for doc_id, given in collection.qrels[query_id].items() if given >= grade]


def test_counts(collection):
    assert len(collection.documents) == 400
    assert len(collection.queries) == len(collection.judged_queries) == 58
    lengths = [len(document.fields["text"].split()) for document in collection.documents]
    assert min(lengths) >= 8
    assert sum(length <= 18 for length in lengths) >= 20
    assert sum(length >= 600 for length in lengths) >= 9
    assert {judgment.relevance for judgment in collection.qrels} == {0, 1, 2, 3}


def test_records(first):
    documents = first.documents
    assert [documents[place].doc_id for place in (0, 9, 399)] == ["p001", "p010", "p400"]
    assert documents[0].title == "Going away? Your aquarium will cope"
    assert documents[0].fields["date"] == "2002-06-14"
    assert first.query("18").text == "seperation anxiety"


def test_every_document_of_the_pool_is_judged_and_no_other(collection):
    judged = {(judgment.query_id, judgment.doc_id) for judgment in collection.qrels}
    pooled = set(making.pooled(collection.name).pairs)
    assert pooled <= judged
    if collection.name == FIRST:
        assert judged == pooled


def test_the_statistics_in_the_readme_are_those_of_the_files(collection):
    readme = (making.CORPORA / collection.name / "README.md").read_text(encoding="utf-8")
    assert making.statistics_of(collection.name) in readme


def test_there_is_a_reason_for_each_grade_above_0(first):
    lines = (making.CORPORA / FIRST / "reasons.tsv").read_text(encoding="utf-8").splitlines()[1:]
    given = {tuple(line.split("\t")[:2]) for line in lines}
    assert given >= {(row.query_id, row.doc_id) for row in first.qrels if row.relevance > 0}
    assert all(line.split("\t")[2].strip() for line in lines)


@pytest.mark.parametrize("query_id", of_phenomenon("misspelt"))
def test_a_misspelt_word_is_in_no_document(first, query_id):
    known = set().union(*(stems(document.text) for document in first.documents))
    assert stems(needs()[query_id]["text"]) - known
    assert relevant(first, query_id, 2)


@pytest.mark.parametrize("query_id", of_phenomenon("unreached"))
def test_no_word_of_the_need_reaches_what_answers_it(first, query_id):
    texts = {document.doc_id: document.text for document in first.documents}
    good = relevant(first, query_id, 2)
    assert good
    assert not any(stems(first.query(query_id).text) & stems(texts[doc_id]) for doc_id in good)


@pytest.mark.parametrize("query_id", of_phenomenon("nothing-relevant"))
def test_nothing_is_relevant_though_words_match(first, query_id):
    assert relevant(first, query_id, 1) == []
    assert len(toysearch.Searcher(toysearch.Index.build(first), "bm25").search(first.query(query_id).text)) == 10


def test_a_word_is_in_every_document(collection):
    assert all("anim" in stems(document.text) for document in collection.documents)


def test_sixteen_pairs_are_near_duplicates(first):
    pairs = near_duplicates(toysearch.Index.build(first), 0.5)
    assert len(list(pairs)) == 16


def test_the_ids_that_the_readme_names_are_documents(first):
    readme = (making.CORPORA / FIRST / "README.md").read_text(encoding="utf-8")
    ids = {document.doc_id for document in first.documents}
    assert set(re.findall(r"\bp\d{3}\b", readme)) <= ids


def test_the_second_release_has_forty_other_documents(first):
    second = toysearch.load(SECOND)
    before = {document.doc_id: document.text for document in first.documents}
    after = {document.doc_id: document.text for document in second.documents}
    assert len(before.keys() - after.keys()) == len(after.keys() - before.keys()) == 20
    assert sum(before[doc_id] != after[doc_id] for doc_id in before.keys() & after.keys()) == 20
    assert list(first.queries) == list(second.queries)


def test_a_judgment_stays_where_the_document_did(first):
    second = toysearch.load(SECOND)
    before = {document.doc_id: document.text for document in first.documents}
    after = {document.doc_id: document.text for document in second.documents}
    for judgment in first.qrels:
        if after.get(judgment.doc_id) == before[judgment.doc_id]:
            assert second.qrels[judgment.query_id][judgment.doc_id] == judgment.relevance


def test_ten_needs_were_judged_twice(first):
    again = toysearch.load(FIRST, split="second").qrels
    assert len(again.query_ids) == 10
    for query_id in again.query_ids:
        assert set(again[query_id]) == set(first.qrels[query_id])
    found = toysearch.kappa(first.qrels, again)
    readme = (making.CORPORA / FIRST / "README.md").read_text(encoding="utf-8")
    assert f"κ is {found.kappa:.2f} on the four grades, {found.quadratic:.2f} with quadratic weights" in readme
    two = toysearch.kappa(first.qrels, again, threshold=1)
    assert f"and {two.kappa:.2f} on relevant or not" in readme
