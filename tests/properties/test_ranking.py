"""What must hold for any collection: saturation, independence of unknown terms, the same run after a round trip."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

import toysearch
from toysearch import Index, Searcher

pytrec_eval = pytest.importorskip("pytrec_eval")

WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "emoji😀", "e\u0301te\u0301", "x" * 500, "\ud800", "a"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=10)
QUERIES = st.lists(st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=6).map(" ".join), min_size=1, max_size=4)
MODELS = [*toysearch.MODELS, "bm25:k3=1.2", "cosine:weights=tf", "dice:weights=tfidf", "tfidf:tf=augmented,idf=prob"]
BM25 = [name for name in toysearch.MODELS if name.startswith("bm25") and name != "bm25f"]  # that has a test of its own
ADDITIVE = ["overlap", "tfidf", "pl2", "inl2", "ll", "spl", "dph", "f2exp", "lm-dirichlet", "lm-jm"]
ADDITIVE += ["smart:Lnu.ltu", "smart:dpb.anu", "smart:lnc.ltc"]


def run_of(index: Index, model: str, queries: list[str], **options) -> toysearch.Run:
    return Searcher(index, model).run({str(i): text for i, text in enumerate(queries)}, **options)


@pytest.mark.system
@settings(max_examples=often(40))
@given(texts=TEXTS, queries=QUERIES)
def test_a_saved_index_gives_the_same_run(texts, queries):
    index = Index.build(texts, fields=("title", "text"))
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")  # once for all models: having a file on the disk takes its time
        opened = Index.open(Path(folder) / "index")
        for model in MODELS:
            saved, fresh = run_of(opened, model, queries), run_of(index, model, queries)
            assert (saved.query_ids, saved.doc_ids) == (fresh.query_ids, fresh.doc_ids), model
            assert np.array_equal(saved.scores, fresh.scores), model


@pytest.mark.system
@pytest.mark.parametrize("model", ["overlap", "bm25-okapi", "bm25-robertson", "cosine", "tfidf", "bm25"])
@given(texts=TEXTS, queries=QUERIES, data=st.data())
def test_trec_eval_reads_back_the_very_order_that_was_ranked(model, texts, queries, data):
    """Small vocabularies make runs full of ties, of zeros (a term in every document) and of negative scores."""
    run = run_of(Index.build(texts), model, queries)
    grades = st.dictionaries(st.sampled_from([str(i + 1) for i in range(len(texts))]), st.integers(0, 3), min_size=1)
    qrels = {query_id: data.draw(grades) for query_id in run.query_ids if run.rows(query_id) != slice(0, 0)}
    qrels = {query_id: group for query_id, group in qrels.items() if len(run.ranking(query_id))}
    if not qrels:
        return
    written = io.StringIO()
    toysearch.write_run(run, written)
    with_trec_eval = pytrec_eval.parse_run(io.StringIO(written.getvalue()))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "recip_rank", "P_5"}).evaluate(with_trec_eval)
    in_memory = toysearch.evaluate(run, qrels=qrels, measures="AP nDCG RR P@5")
    assert in_memory.ties == "rank"
    for query_id, row in theirs.items():
        ours = in_memory.per_query[query_id]
        for name, trec_name in [("AP", "map"), ("nDCG", "ndcg"), ("RR", "recip_rank"), ("P@5", "P_5")]:
            assert ours[name] == pytest.approx(row[trec_name], abs=1e-9)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        toysearch.write_run(run, path)
        from_file = toysearch.evaluate(path, qrels=qrels, measures="AP nDCG RR P@5")
        assert from_file.ties == "trec_eval"
        for query_id, row in from_file.per_query.items():
            assert row == pytest.approx(in_memory.per_query[query_id], abs=1e-12)


@pytest.mark.parametrize("name", BM25)
@given(
    tf=st.integers(1, 50),
    more=st.integers(1, 50),
    dl=st.integers(100, 500),
    df=st.integers(1, 49),
    k1=st.floats(0, 10),
    b=st.floats(0, 1),
)
def test_more_occurrences_at_fixed_length_never_lower_a_bm25_weight(name, tf, more, dl, df, k1, b):
    model = toysearch.model(name).bind(k1=k1, b=b)
    given_values = {"df": df, "dl": dl, "N": 100, "avgdl": 120.0, "average_idf": 1.0}
    statistics = {key: value for key, value in given_values.items() if key in model.statistics}
    low, high = model.weight(tf=tf, **statistics), model.weight(tf=tf + more, **statistics)
    assert high >= low - 1e-12 * abs(low)


@pytest.mark.system
@pytest.mark.parametrize("name", [*BM25, *ADDITIVE])
@given(texts=TEXTS, queries=QUERIES)
def test_an_unknown_term_changes_nothing_where_it_has_no_norm(name, texts, queries):
    index = Index.build(texts)
    with_unknown = run_of(index, name, [f"neverseen {text} neverseen" for text in queries])
    without = run_of(index, name, queries)
    assert with_unknown.doc_ids == without.doc_ids
    assert np.array_equal(with_unknown.scores, without.scores)


@pytest.mark.system
@given(texts=TEXTS, queries=QUERIES, k=st.integers(1, 12))
def test_the_first_k_are_the_start_of_the_whole_ranking(texts, queries, k):
    index = Index.build(texts)
    for model in ("bm25", "overlap"):
        for ties in ("rank", "trec_eval"):
            whole, cut = run_of(index, model, queries, k=None, ties=ties), run_of(index, model, queries, k=k, ties=ties)
            for query_id in whole.query_ids:
                assert cut.ranking(query_id).doc_ids == whole.ranking(query_id).doc_ids[:k]
