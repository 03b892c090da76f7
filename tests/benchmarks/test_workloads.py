"""The workloads of benchmarks/: seeded, of the promised kind, and the same whatever is made beside them."""

import itertools
from collections import Counter

import numpy as np
import pytest

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def workloads(benchmark_module):
    workloads = benchmark_module("workloads")
    yield workloads
    workloads.vocabulary.cache_clear()
    workloads._forms.cache_clear()


@pytest.fixture(scope="module")
def few(workloads):
    return list(workloads.documents(3_000))


def test_words_are_all_different_and_have_two_characters_at_least(workloads):
    words = workloads.vocabulary()
    assert len(words) == workloads.VOCABULARY == len(set(words.tolist()))
    assert min(map(len, words[:1000].tolist())) >= 2
    assert np.mean(np.char.str_len(words[:100])) < np.mean(np.char.str_len(words[-100:]))


def test_the_first_documents_of_a_larger_collection_are_a_smaller_one(workloads, monkeypatch):
    monkeypatch.setattr(workloads, "BLOCK", 50)
    assert list(workloads.documents(10)) == list(itertools.islice(workloads.documents(40), 10))
    assert list(workloads.documents(70)) == list(itertools.islice(workloads.documents(101), 70))


def test_doc_ids_go_on_across_blocks(workloads, monkeypatch):
    monkeypatch.setattr(workloads, "BLOCK", 5)
    assert [doc_id for doc_id, _ in workloads.documents(12)] == [f"d{number:07}" for number in range(1, 13)]


def test_words_follow_zipf_and_mandelbrot(workloads, few):
    counts = Counter(word.strip(".").lower() for _, text in few for word in text.split())
    share = np.array([counts[word] for word in workloads.vocabulary()[:50].tolist()]) / sum(counts.values())
    assert share == pytest.approx(workloads.probabilities()[:50], rel=0.25)
    assert workloads.probabilities()[0] / workloads.probabilities()[37] == pytest.approx(40.7 / 3.7)


def test_queries_are_as_the_documentation_says(workloads):
    words = workloads.vocabulary()
    held = -np.expm1(-55 * workloads.probabilities())
    rank = {word: number for number, word in enumerate(words.tolist())}
    for kind in ("rare", "mix"):
        queries = list(workloads.queries(kind, words, held))
        assert len(queries) == len({query_id for query_id, _ in queries}) == 1_000
        assert {len(text.split()) for _, text in queries} == set(range(3, 9))
        assert all(len(set(text.split())) == len(text.split()) and text.isascii() for _, text in queries)
        for _, text in queries:
            found = sorted(rank[word] for word in text.split())
            frequent = len(found) // 2 if kind == "mix" else 0
            assert all(number < workloads.FREQUENT for number in found[:frequent])
            assert all(0.00009 < held[number] < 0.0301 for number in found[frequent:])
        assert queries == list(workloads.queries(kind, words, held))


def test_a_workload_is_a_collection_that_toysearch_reads(workloads, tmp_path):
    import toysearch

    collection = toysearch.load(str(workloads.synthetic(tmp_path, 20) / "corpus.jsonl"))
    assert list(zip(collection.documents.doc_ids, collection.documents.texts, strict=True)) == list(
        workloads.documents(20)
    )


def test_the_run_and_the_judgments_are_valid_and_have_ties(workloads, tmp_path):
    import toysearch

    folder = workloads.evaluation(tmp_path, 3)
    run, qrels = toysearch.read_run(folder / "run"), toysearch.read_qrels(folder / "qrels")
    rows = list(run)
    assert len(rows) == 3_000
    assert len({row.score for row in rows if row.query_id == "1"}) < 1_000
    judged = list(qrels)
    assert len(judged) == 600
    assert 20 < sum(qrel.relevance for qrel in judged) < 100
    assert {(qrel.query_id, qrel.doc_id) for qrel in judged} <= {(row.query_id, row.doc_id) for row in rows}
