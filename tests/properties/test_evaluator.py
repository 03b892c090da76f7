"""An `Evaluator` gives for every model what `evaluate` gives for the run of a `Searcher`: the very same values."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from captured_notes import noted
from chosen_way import way
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiers import often, thinned

import toysearch
from toysearch import Evaluator, Index, Searcher, evaluate
from toysearch.compiled import judged_ranks
from toysearch.evaluation import joined_run
from toysearch.retrieval.mixture_scorer import MixtureScorer
from toysearch.workbench.tune import prepared_postings
from toysearch.workbench.tune.prepared_postings import PreparedPostings

WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "x" * 500, "a"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=12).filter(any)
QUERY = st.lists(st.sampled_from([*WORDS, "unheard", "unseen"]), max_size=6).map(" ".join)
QUERIES = st.dictionaries(st.sampled_from("12345"), QUERY, min_size=1)
DOC_IDS = st.sampled_from([str(number) for number in range(1, 16)])
GRADES = st.integers(-1, 3) | st.just(0.5)
QRELS = st.dictionaries(st.sampled_from("12346"), st.dictionaries(DOC_IDS, GRADES, min_size=1), min_size=1)
MODELS = [
    *toysearch.MODELS,
    *("bm25:k3=1.2", "cosine:weights=tf", "dice:weights=tfidf", "tfidf:tf=augmented,idf=prob"),
    *("smart:ltc.ltn", "smart:Lnu.ltn", "smart:nnn.bpn", "lm-jm:lambda=0.7", "lm-dirichlet:mu=1"),
]
MIXTURES = [
    "0.7*bm25 + 0.3*tfidf",
    "bm25 + 2*tfidf",  # of the same parts as the first
    "0.7*min-max(bm25:b=0.4) + 0.3*tfidf",
    "z-score(cosine)*sum(bm25) + 3*overlap",
    "rrf(bm25) + rrf(jaccard)",
    "0.5*rm3(bm25, df=1) + dph",
    "rm3(bm25, df=1)",
    "bo1(lm-dirichlet, terms=2)",
    "kl(dph, docs=2)",
]
MEASURES = "AP nDCG@3 P@2 RR Bpref Judged@5 NumRet NumRelRet nDCG(ideal='max')"


def check(
    index: Index, queries: dict[str, str], qrels: dict[str, Any], k: int | None, models: list[str], **options: Any
) -> None:
    with way("plain"):
        plain = [
            evaluate(Searcher(index, model).run(queries, k), qrels, MEASURES, threshold=1, **options)
            for model in models
        ]
    with way("compiled"):
        evaluator = Evaluator(index, queries, qrels, MEASURES, k, threshold=1, **options)
        for model, expected in zip(models, plain, strict=True):
            for _ in range(2):  # what is prepared is not used up
                found = evaluator(model)
                assert dataclasses.replace(found, per_query={}) == dataclasses.replace(expected, per_query={}), model
                assert str(found.per_query) == str(expected.per_query), model  # as texts, in which NaN is NaN
                first = [row[str(found.measures[0])] for row in expected.per_query.values()]
                assert str(evaluator.values(model).tolist()) == str(first), model


@pytest.mark.system
@settings(max_examples=often(60))
@given(
    texts=TEXTS,
    queries=QUERIES,
    qrels=QRELS,
    k=st.sampled_from([None, 1000, 1, 3]),
    cells=st.sampled_from([joined_run.CELLS, 1]),
    postings=st.sampled_from([prepared_postings.POSTINGS, 1, 20]),
    models=st.lists(st.sampled_from([*MODELS, *MIXTURES]), min_size=1, max_size=4),
)
@example(
    texts=["train"],
    queries={"1": "train"},
    qrels={"1": {"1": 0}, "2": {"1": 0.5}},
    k=None,
    cells=1,
    postings=1 << 22,
    models=["rm3(bm25, df=1)"],
)
def test_all_models(
    texts: list[str],
    queries: dict[str, str],
    qrels: dict[str, Any],
    k: int | None,
    cells: int,
    postings: int,
    models: list[str],
) -> None:
    if not queries.keys() & qrels.keys():
        return
    index = Index.build(texts, fields=("title", "text"))
    with mock.patch.object(joined_run, "CELLS", cells), mock.patch.object(prepared_postings, "POSTINGS", postings):
        check(index, queries, qrels, k, models)


@pytest.mark.system
@settings(max_examples=often(30))
@given(texts=TEXTS, queries=QUERIES, qrels=QRELS, undefined=st.sampled_from(["zero", "nan"]), only=st.booleans())
def test_options(texts: list[str], queries: dict[str, str], qrels: dict[str, Any], undefined: str, only: bool) -> None:
    if not queries.keys() & qrels.keys():
        return
    index = Index.build(texts)
    for convention in ("textbook", "sklearn"):
        if only and not any(Searcher(index).run({q: t for q, t in queries.items() if q in qrels}).doc_ids):
            continue
        options = {"undefined": undefined, "only_retrieved": only, "convention": convention, "gains": GAINS}
        if convention == "sklearn":
            options |= {"only_retrieved": False}
        check(index, queries, qrels, 3, ["bm25", "cosine"], **options)


GAINS = {-1: 0, 0: 0, 0.5: 1, 1: 1, 2: 3, 3: 7}


@pytest.mark.system
@pytest.mark.parametrize("depth", thinned([10, 1000, None], 3))
def test_a_larger_collection_of_few_different_texts(depth: int | None) -> None:
    """2,000 documents, so that terms are long, scores tie by the hundred and some queries have many judgments."""
    rng = np.random.default_rng(7)
    words = [f"w{number}" for number in range(60)]
    chances = 1 / np.arange(1, 61)
    texts = [" ".join(rng.choice(words, rng.integers(0, 30), p=chances / chances.sum())) for _ in range(400)] * 5
    queries = {str(number): " ".join(rng.choice(words, rng.integers(1, 7))) for number in range(25)}
    qrels = {
        query_id: {str(doc): int(rng.integers(0, 3)) for doc in rng.choice(2100, rng.integers(1, 80), replace=False)}
        for query_id in queries
    }
    check(Index.build(texts, fields=("title", "text")), queries, qrels, depth, [*MODELS, *MIXTURES])


def test_the_fast_way_is_taken() -> None:
    """Otherwise the tests above would compare the slow way with itself."""
    index = Index.build(["the cat", "a dog", "cat and dog"])
    with (
        way("compiled"),
        mock.patch.object(PreparedPostings, "judged", side_effect=PreparedPostings.judged, autospec=True) as fast,
    ):
        evaluator = Evaluator(index, {"1": "cat"}, {"1": {"1": 1}})
        for model in MODELS:
            if model != "bm25f":
                with mock.patch.object(Evaluator, "_by_run", side_effect=AssertionError):
                    evaluator(model)
        assert fast.call_count == len(MODELS) - 1
        with mock.patch.object(Evaluator, "_by_run", side_effect=AssertionError):
            for model in MIXTURES:
                evaluator(model)


def test_the_parts_of_a_mixture_are_scored_once() -> None:
    index = Index.build(["the cat", "a dog", "cat and dog"])
    scoring = mock.patch.object(MixtureScorer, "products", side_effect=MixtureScorer.products, autospec=True)
    with way("compiled"), scoring as products, mock.patch.object(Evaluator, "_by_run", side_effect=AssertionError):
        evaluator = Evaluator(index, {"1": "cat", "2": "dog"}, {"1": {"1": 1}, "2": {"3": 1}})
        for model in ("bm25 + tfidf", "0.2*bm25 + tfidf", "0.2*bm25 + 0.8*tfidf"):
            evaluator(model)
        assert products.call_count == 2
        evaluator("bm25 + cosine")
        assert products.call_count == 4


def test_notes_of_a_mixture_are_given_for_each_weighting(tmp_path: Path) -> None:
    """Also where its parts are known: a page keeps the notes of each setting."""
    file = tmp_path / "years.csv"
    file.write_text("1,2000\n")
    with way("compiled"), noted() as told:
        evaluator = Evaluator(Index.build(["the cat", "a dog cat"]), {"1": "cat"}, {"1": {"1": 1}})
        for weight in (0.1, 0.2):
            evaluator(f"bm25 + {weight}*prior:{file}")
    assert [each.partition(": ")[2][:20] for each in told] == ["1 document of 2 with"] * 2


@pytest.mark.parametrize("postings", [prepared_postings.POSTINGS, 10])
@pytest.mark.waits
def test_models_can_be_scored_by_several_threads_at_once(postings: int) -> None:
    index = Index.build([f"cat {'dog ' * (number % 5)} w{number % 7}" for number in range(500)])
    queries = {str(number): f"cat dog w{number}" for number in range(30)}
    qrels = {query_id: {str(1 + int(query_id) * 3): 1, "9": 2} for query_id in queries}
    models = [f"bm25:b={number / 20}" for number in range(20)]
    with way("compiled"), mock.patch.object(prepared_postings, "POSTINGS", postings):
        one, other = (Evaluator(index, queries, qrels) for _ in range(2))
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(one, models)) == [other(model) for model in models]
        assert one._prepared is not None
        assert bool(one._prepared._placed) == (postings > 10)  # what would be too much is not kept


@given(
    scores=st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=60),
    data=st.data(),
    depth=st.integers(1, 70),
)
def test_ranks_by_counting_are_ranks_by_sorting(scores: list[float], data: st.DataObject, depth: int) -> None:
    docs = np.array(data.draw(st.permutations(range(len(scores)))), dtype=np.int32)
    chosen = data.draw(st.lists(st.integers(-1, len(scores) - 1), max_size=60, unique=True))
    ranks, grades = np.full((1, len(chosen)), np.inf), np.full((1, len(chosen)), np.nan)
    width = judged_ranks.rank(
        np.array([len(scores)]),
        docs,
        np.array(scores),
        np.array([0, len(chosen)]),
        np.array(chosen, dtype=np.int64),
        np.array(chosen, dtype=np.float64),
        depth,
        ranks,
        grades,
    )
    order = np.lexsort((docs, -np.array(scores))).tolist()
    expected = [(rank, place) for rank, place in enumerate(order, 1) if place in chosen and rank <= depth]
    assert width == len(expected)
    assert list(zip(ranks[0, :width].tolist(), grades[0, :width].tolist(), strict=True)) == expected
