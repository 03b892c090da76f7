from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from raising import raising
from shell import run

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ToysearchError
from toysearch.search import vector_scorer
from toysearch.search.learned_scorer import QueryFeatures
from toysearch.search.vector_scorer import Recall, RecallNote

N, D, Q = 400, 16, 30
IDS = [f"d{number}" for number in range(N)]
MATRIX = np.random.default_rng(3).normal(size=(N, D)).astype(np.float32)
QUERIES = np.random.default_rng(4).normal(size=(Q, D))
TEXTS = {f"q{number}": "text" for number in range(Q)}
MODEL = "dense:v.npy,queries=q.npy,approximate=4"


@pytest.fixture(scope="module")
def index():
    return Index.build({doc_id: "text" if place % 7 else "text other" for place, doc_id in enumerate(IDS)})


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """A folder with vectors, which is the current one; documents 5 and 6 are equal."""
    monkeypatch.chdir(tmp_path)
    matrix = MATRIX.copy()
    matrix[6] = matrix[5]
    for name, ids, vectors in (("v", IDS, matrix), ("q", [*TEXTS], QUERIES)):
        np.save(f"{name}.npy", vectors)
        Path(f"{name}.ids").write_text("\n".join(ids))
    return matrix


def ran(index, model=MODEL, k=10, **how):
    """The rankings of all queries, and the recalls that are told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = Searcher(index, model).run(TEXTS, k, **how)
    rankings = {query_id: [] for query_id in TEXTS}
    for query_id, doc_id, score in made:
        rankings[query_id].append((doc_id, score))
    return rankings, [each.message.recall for each in told]


def cosine(first, second):
    """The cosine, number by number."""
    dot = sum(float(a) * float(b) for a, b in zip(first, second, strict=True))
    return dot / (sum(float(a) ** 2 for a in first) * sum(float(b) ** 2 for b in second)) ** 0.5


@pytest.mark.parametrize("k", [1, 10, 50])
def test_scores_are_exact_and_the_recall_is_the_share_of_the_exact_ranking(index, files, k):
    rankings, [recall] = ran(index, k=k)
    shares = []
    for place, ranking in enumerate(rankings.values()):
        scores = [cosine(QUERIES[place], row) for row in files]
        for doc_id, score in ranking:
            assert score == pytest.approx(scores[IDS.index(doc_id)], abs=1e-12)
        assert ranking == sorted(ranking, key=lambda pair: (-pair[1], IDS.index(pair[0])))
        assert len(ranking) == k
        best = sorted(range(N), key=lambda number: (-scores[number], number))[:k]
        found = sum(scores[IDS.index(doc_id)] >= scores[best[-1]] - 1e-12 for doc_id, _ in ranking)
        shares.append(found / k)
    assert recall == Recall(MODEL, k, pytest.approx(sum(shares) / Q), pytest.approx(min(shares)), Q, Q)
    assert k == 50 or 0.3 < recall.mean < 1  # so few candidates miss some


def test_two_searchers_rank_alike(index):
    assert ran(index) == ran(index)


def test_all_documents_are_asked_for_or_as_many_candidates(index):
    exact, _ = ran(index, "dense:v.npy,queries=q.npy", N)
    rankings, [recall] = ran(index, k=N)
    assert rankings == exact
    assert (recall.k, recall.mean) == (N, 1.0)
    rankings, [recall] = ran(index, k=None)
    assert {len(ranking) for ranking in rankings.values()} == {4}
    assert recall.k == 4


def test_the_order_of_trec_eval_has_the_candidates(index):
    rankings, [recall] = ran(index, k=10, ties="trec_eval")
    assert {len(ranking) for ranking in rankings.values()} == {4}
    assert (recall.k, recall.asked) == (4, Q)


def test_a_mixture_takes_the_candidates(index):
    rankings, [recall] = ran(index, f"bm25 + 0*{MODEL}", None)
    assert {len(ranking) for ranking in rankings.values()} == {N}
    assert recall.k == 4
    found, _ = ran(index, f"rrf({MODEL})", None)
    assert [len(ranking) for ranking in found.values()] == [4] * Q


def test_a_query_with_operators_is_ranked_exactly(index):
    ranking = Searcher(index, MODEL).search("+text +other", 20, query_mode="strict", query_id="q1")
    assert len(ranking) == 20
    assert {int(doc_id[1:]) % 7 for doc_id in ranking.doc_ids} == {0}
    best = max(cosine(QUERIES[1], MATRIX[place]) for place in range(0, N, 7))
    assert ranking.scores[0] == pytest.approx(best, abs=1e-12)


def test_the_first_queries_are_measured_each_once(index, monkeypatch):
    monkeypatch.setattr(vector_scorer, "_MEASURED", 3)
    _, [recall] = ran(index)
    assert (recall.measured, recall.asked) == (3, Q)
    assert f"averaged over the first 3 of {Q} queries" in str(recall)
    searcher = Searcher(index, MODEL)
    for asked, query_id in ((1, "q0"), (1, "q0"), (2, "q1"), (3, "q2"), (4, "q3")):
        with pytest.warns(RecallNote) as told:
            searcher.search("", query_id=query_id)
        assert [each.message.recall[-2:] for each in told] == [(min(asked, 3), asked)]


def test_a_query_without_a_direction_finds_nothing_and_is_not_measured(index):
    np.save("q.npy", np.zeros((Q, D)))
    rankings, recalls = ran(index)
    assert (set(map(len, rankings.values())), recalls) == ({0}, [])


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5", "1234567890"])
def test_the_number_of_candidates_is_a_whole_number(index, value):
    model = f"dense:v.npy,queries=q.npy,approximate={value}"
    with raising(ToysearchError, f"'{model}': approximate must be a whole number of candidates, as in approximate=100"):
        Searcher(index, model)


def test_the_name_of_the_model_is_read_again():
    assert str(toysearch.model(MODEL)) == MODEL


def test_without_the_package_a_sentence_names_the_extra(index, monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    monkeypatch.setitem(sys.modules, "usearch", None)
    with pytest.raises(ToysearchError) as error:
        Searcher(index, MODEL)
    assert str(error.value) == (
        "an approximate search needs the package usearch, an extra: pip install 'toysearch[approximate]'; without "
        "approximate= the search is exact"
    )


def test_a_ranker_is_not_learned_from_an_approximate_search(index):
    with pytest.raises(ToysearchError, match=r"a ranker is learned from exact scores; leave approximate out$"):
        QueryFeatures(index, [MODEL])


@pytest.fixture
def judged():
    """A collection of the documents, as a folder."""
    lines = [json.dumps({"_id": doc_id, "text": "text"}) for doc_id in IDS]
    Path("c").mkdir()
    Path("c/corpus.jsonl").write_text("\n".join(lines))
    Path("c/queries.jsonl").write_text("\n".join(json.dumps({"_id": each, "text": "text"}) for each in TEXTS))
    Path("c/qrels").mkdir()
    judgments = [f"{query_id}\td{place}\t1" for place, query_id in enumerate(TEXTS)]
    Path("c/qrels/test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judgments]))
    return "c"


@pytest.mark.parametrize(
    ("command", "k", "asked"),
    [
        (["search", "--query-id", "q3", "--model", MODEL], 10, 1),
        (["eval", "--model", MODEL, "-k", "20"], 20, Q),
        (["compare", "--model", MODEL, "--model", "bm25", "-k", "20"], 20, Q),
        (["diff", "--model", MODEL, "--model", "bm25", "-k", "20"], 20, Q),
        (["tune", "--model", f"bm25 + 0.5*{MODEL}", "--grid", "weight2=0.1,0.2", "--folds", "2"], 4, Q),
    ],
)
def test_each_command_shows_the_recall_on_stderr_and_in_json(judged, command, k, asked):
    shown = run(command[0], judged, *command[1:], "--json")
    assert shown.exit_code == 0, shown.stderr
    [recall] = json.loads(shown.stdout)["recall"]
    assert (recall["model"], recall["k"], recall["asked"]) == (MODEL, k, asked)
    told = [line for line in shown.stderr.splitlines() if "recall@" in line]
    assert len(told) == 1
    assert told[0].startswith(f"note: recall@{k} of {MODEL} against the exact ranking: {recall['mean']:.4f}")
    exact = [part.replace(",approximate=4", "") for part in command[1:]]
    assert "recall" not in json.loads(run(command[0], judged, *exact, "--json").stdout)


def test_a_run_shows_the_recall(judged):
    shown = run("run", judged, "--model", MODEL, "-o", "a.run", "-k", "5")
    assert f"note: recall@5 of {MODEL} against the exact ranking: " in shown.stderr


def test_a_document_that_is_missed_is_not_said_to_lack_a_term(judged):
    worst = IDS[int(np.argmin([cosine(QUERIES[3], row) for row in MATRIX]))]
    shown = run("explain", judged, worst, "--query-id", "q3", "--model", MODEL)
    assert shown.exit_code != 2, shown.stderr
    reason = "is not ranked: it is not among the candidates of the approximate search"
    assert f"document {worst} {reason}" in " ".join(shown.stdout.split())
