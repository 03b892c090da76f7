import json
from pathlib import Path

import numpy as np
import pytest
from error_messages import raising
from scipy.sparse import csr_array
from shell import done

import toysearch
from toysearch import Analyzer, Index, Searcher
from toysearch.base import Query
from toysearch.base.errors import ToysearchError, ToysearchNote

VECTORS = {
    "d1": {"running": 0.1, "dog": 1e-9, "cat": 1.75},
    "d2": {"dog": 2, "horse": 0.30000000000000004},
    "d3": {"cat": 0.1, "dogs": 0.5, "void": 0},
}


KINDS = ("term", "unknown")


def write(name, vectors, key="id"):
    Path(name).write_text("".join(f"{json.dumps({key: each, 'vector': vectors[each]})}\n" for each in vectors))


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("w.jsonl", {name: VECTORS[name] for name in ("d2", "d3", "d1")})
    write("q.jsonl", {"q1": {"dog": 0.5, "cat": 3}}, key="query_id")
    return Index.build({"d1": "a running dog", "d2": "dogs", "d3": "dog and cat"}, Analyzer.for_language("english"))


def scores(index, text, model="impact:w.jsonl", **options):
    ranking = Searcher(index, model).search(text, None, **options)
    return dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))


def test_each_word_as_written_weighs_one(index):
    assert scores(index, "Running dogs") == {"d3": 0.5, "d1": 0.1}
    assert scores(index, "the dog dog horse") == {"d2": 2 * 2 + 0.30000000000000004, "d1": 2e-9}
    assert scores(index, "dog^3") == {"d2": 6.0, "d1": 3 * 1e-9}
    assert scores(index, "dog dogs") == {"d2": 2.0, "d3": 0.5, "d1": 1e-9}  # two words of one stem
    assert scores(index, "zebra void") == {}


def test_vectors_of_queries_are_a_file_or_a_function(index):
    expected = {"d1": 0.5e-9 + 3 * 1.75, "d2": 1.0, "d3": pytest.approx(0.3)}
    assert scores(index, "", "impact:w.jsonl,queries=q.jsonl", query_id="q1") == pytest.approx(expected)
    Path("mine.py").write_text("def weigh(text):\n    return {'dog': 0.5, 'cat': 3, text: 7}\n")
    assert scores(index, "zebra", "impact:w.jsonl,queries=mine.py:weigh") == pytest.approx(expected)
    with raising(ToysearchError, "q.jsonl has no vector of query 'q2'"):
        scores(index, "dog", "impact:w.jsonl,queries=q.jsonl", query_id="q2")


def test_the_structure_of_a_query_restricts_it(index):
    assert scores(index, "+cat dog") == {"d3": 0.1}
    assert scores(index, "cat -running") == {"d3": 0.1}  # d1 holds "cat" only in its vector
    assert scores(index, '+"running dog" dogs') == {"d1": 0.1 + 1e-9}


def test_scores_are_those_of_a_sparse_product(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(1)
    dense = chance.random((40, 30)) * (chance.random((40, 30)) < 0.2)
    words = [f"w{number}" for number in range(30)]
    named = {f"d{row}": {words[c]: dense[row, c] for c in np.flatnonzero(dense[row])} for row in range(40)}
    write("w.jsonl", named)
    query = {word: float(weight) for word, weight in zip(words[:9], chance.random(9), strict=True)}
    write("q.jsonl", {"1": query})
    index = Index.build({name: " ".join(vector) or "empty" for name, vector in named.items()})
    expected = csr_array(dense[:, :9]) @ np.array([*query.values()])
    found = scores(index, "", "impact:w.jsonl,queries=q.jsonl", query_id="1")
    assert found == {f"d{row}": pytest.approx(expected[row], rel=1e-14) for row in np.flatnonzero(expected)}
    assert [*found] == [f"d{row}" for row in np.argsort(-expected, kind="stable")[: len(found)]]
    for k in (1, 7):
        best = Searcher(index, "impact:w.jsonl,queries=q.jsonl").search("", k, query_id="1")
        assert [*zip(best.doc_ids, best.scores.tolist(), strict=True)] == [*found.items()][:k]


def test_the_shares_of_terms_add_up_to_the_last_bit(index):
    searcher = Searcher(index, "impact:w.jsonl")
    why = toysearch.explain(searcher, Query("q", "cat dog running zebra"), "d1").tree
    assert (why.value, why.combined) == (scores(index, "cat dog running zebra")["d1"],) * 2
    parts = {part.label: (part.value, part.combined, part.kind) for part in why.walk() if part.kind in KINDS}
    assert parts.pop("zebra")[2] == "unknown"
    assert parts == {word: (weight, weight, "term") for word, weight in VECTORS["d1"].items()}
    assert toysearch.explain(searcher, Query("q", "horse"), "d1").score is None


def test_a_document_is_a_query_with_its_own_vector(index):
    similar = toysearch.similar(index, "d1", "impact:w.jsonl")
    assert dict(zip(similar.doc_ids, similar.scores, strict=True)) == {"d3": 1.75 * 0.1, "d2": 2 * 1e-9}


def test_a_file_of_vectors_is_a_collection(index):
    printed = done("search", "w.jsonl", "dogs", "--model", "impact:w.jsonl", "--json").stdout
    assert [(hit["doc_id"], hit["score"]) for hit in json.loads(printed)["hits"]] == [("d3", 0.5)]
    Path("c.jsonl").write_text('{"id": "1", "vector": {"dog": 1.5}, "contents": "a hound"}\n')
    [document] = toysearch.load("c.jsonl").documents
    assert document.text == "a hound"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "d1", "vector": {"cat": "x"}}', "w.jsonl:1: vector: expected a finite number as the weight of 'cat'"),
        ('{"id": "d1", "vector": {"cat": NaN}}', "w.jsonl:1: vector: expected a finite number as the weight of 'cat'"),
        ('{"id": "d1", "vector": {"cat": true}}', "w.jsonl:1: vector: expected a finite number as the weight of 'cat'"),
        ('{"id": "d1", "vector": [1, 2]}', "w.jsonl:1: vector: expected an object of terms and their weights"),
        ('{"id": "d1"}', "w.jsonl:1: expected an object with _id and vector, found"),
        ('{"id": "d1", "vector": {}}\n{"id": "d1", "vector": {}}', "w.jsonl:2: the id 'd1' is that of line 1 too"),
        ('{"id": "d1", "vector": {"cat": 1}}', "w.jsonl has no vector of document 'd2' and 1 other; each document "),
    ],
)
def test_a_wrong_file_is_a_sentence(index, line, message):
    Path("w.jsonl").write_text(line)
    with pytest.raises(ToysearchError) as error:
        Searcher(index, "impact:w.jsonl")
    assert str(error.value).startswith(message)


def test_other_documents_are_left_out_with_a_note(index):
    expected = scores(index, "dog cat")
    write("w.jsonl", {"x": {"cat": 9}, **VECTORS})
    with pytest.warns(ToysearchNote, match=r"^w\.jsonl: 1 vector of documents that the index does not have$"):
        assert scores(index, "dog cat") == expected
