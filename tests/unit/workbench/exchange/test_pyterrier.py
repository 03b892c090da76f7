"""The transformer for PyTerrier, alone and in its pipelines."""

import pytest

from toysearch import Index, Searcher, evaluate, load
from toysearch.workbench.exchange.pyterrier import Retriever

pytestmark = [pytest.mark.system, pytest.mark.waits]


@pytest.fixture(scope="module")
def pt():
    return pytest.importorskip("pyterrier")


COLLECTION = load("companions")
INDEX = Index.build(COLLECTION)


def frame(*rows: tuple[str, str], **columns: list[str]):
    import pandas as pd

    return pd.DataFrame(rows, columns=["qid", "query"]).assign(**columns)


def rows(found, *columns: str) -> list[tuple]:
    return list(found[[*(columns or ("qid", "docno", "rank", "score"))]].itertuples(index=False, name=None))


QUERIES = [(query_id, text) for query_id, text in COLLECTION.queries]


def expected(run) -> list[tuple]:
    return [
        (query_id, hit.doc_id, rank, hit.score)
        for query_id in run.query_ids
        for rank, hit in enumerate(run.ranking(query_id))
    ]


def test_results_are_those_of_a_searcher(pt) -> None:
    found = Retriever(INDEX, "bm25", k=7, k1=0.9)(frame(*QUERIES, query_0=["before"] * len(QUERIES), stray=0))
    assert list(found.columns) == ["qid", "query", "query_0", "docno", "rank", "score"]
    assert rows(found) == expected(Searcher(INDEX, "bm25", k1=0.9).run(QUERIES, 7))
    assert set(rows(found, "qid", "query")) <= set(QUERIES)
    assert set(found["query_0"]) == {"before"}


def test_it_is_composed_with_other_transformers(pt) -> None:
    bm25, cosine = Retriever(INDEX), Retriever(INDEX, "cosine")
    query = frame(("1", "removing a tick"))
    first, second = (rows(each(query)) for each in (bm25, cosine))
    assert rows((bm25 % 3)(query)) == first[:3]
    added = {(docno, score) for _, docno, _, score in rows((bm25 + cosine)(query))}
    theirs = {docno: score for _, docno, _, score in second}
    assert added == {(docno, score + theirs[docno]) for _, docno, _, score in first}
    rewrite = pt.apply.query(lambda row: "train a cat")
    assert rows((rewrite >> bm25)(query)) == rows(bm25(frame(("1", "train a cat"))))
    assert rows(bm25.search("removing a tick")) == first


def test_documents_of_a_first_ranking_are_ranked_again(pt) -> None:
    query = frame(("1", "removing a tick"), ("2", "train a cat"))
    bm25, cosine = Retriever(INDEX) % 5, Retriever(INDEX, "cosine")
    again = rows((bm25 >> cosine)(query))
    among = {(qid, docno) for qid, docno, *_ in rows(bm25(query))}
    whole = [row for row in rows(cosine(query)) if row[:2] in among]
    assert [(qid, docno, score) for qid, docno, _, score in again] == [row[:2] + row[3:] for row in whole]
    assert [rank for _, _, rank, _ in again] == [*range(5), *range(5)]
    assert rows((bm25 >> Retriever(INDEX, "cosine", k=2))(query)) == [row for row in again if row[2] < 2]


def test_an_experiment_has_the_values_of_evaluate(pt) -> None:
    qrels = COLLECTION.qrels.frame("pandas").rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    systems = [Retriever(INDEX), Retriever(INDEX, "cosine")]
    found = pt.Experiment(systems, frame(*QUERIES), qrels.astype({"label": int}), ["map"], names=["bm25", "cosine"])
    runs = [Searcher(INDEX, model).run(QUERIES) for model in ("bm25", "cosine")]
    ours = [evaluate(run, COLLECTION.qrels, "AP", threshold=1, ties="trec_eval")["AP"] for run in runs]
    assert list(found["map"]) == pytest.approx(ours)


def test_queries_without_documents_have_no_row(pt) -> None:
    assert rows(Retriever(INDEX)(frame(("1", "zzzz"), ("2", "tick")))) == rows(Retriever(INDEX)(frame(("2", "tick"))))
    nothing = Retriever(INDEX)(frame())
    assert (len(nothing), list(nothing.columns)) == (0, ["qid", "query", "docno", "rank", "score"])
