"""A run in a file as a ranker: as the file is evaluated, as `fuse` fuses it, and every fault with its sentence."""

import json
from itertools import pairwise

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch import Collection, Document, Index, Qrels, Query, Searcher
from toysearch.base.errors import ArgumentError, DataError
from toysearch.retrieval import brought_scorers
from toysearch.study.explain.order_explanation import standing

MEASURES = ["AP", "nDCG@5", "RR", "P@3", "R@7", "Bpref"]
DOCS = [f"d{number}" for number in range(30)]
QUERIES = [str(number) for number in range(1, 13)]


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(3)
    grades = {query_id: {doc: int(rng.integers(0, 3)) for doc in rng.choice(DOCS, 12)} for query_id in QUERIES}
    words = ["cat", "dog", "cow", "hen"]
    documents = [Document(doc_id, " ".join(rng.choice(words, 6))) for doc_id in DOCS]
    queries = [Query(query_id, " ".join(rng.choice(words, 2))) for query_id in QUERIES]
    return Collection("judged", documents, queries, Qrels.from_dict(grades))


def lines_of(seed, queries=QUERIES, docs=DOCS):
    """Rows in no order, with many ties, some of them only as 32-bit floats."""
    rng = np.random.default_rng(seed)
    rows = []
    for query_id in queries:
        for doc in rng.choice(docs, 15, replace=False):
            score = int(rng.integers(1, 6)) + float(rng.choice([0, 1e-9, 1e-3]))
            rows.append(f"{query_id} Q0 {doc} 0 {score!r} mine\n")
    return "".join(rng.permutation(rows))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate("ab"):
        (tmp_path / f"{name}.run").write_text(lines_of(seed))
    return tmp_path


@pytest.mark.parametrize(
    "ranker",
    [
        *(f"mmr(run:c.run, lambda=1, depth={n})" for n in (3, 100)),
        "overlap >> run:c.run",
        "run:c.run >> mmr(run:c.run, lambda=1)",
    ],
)
def test_a_selection_by_scores_alone_and_a_stage_keep_the_order_of_a_run(judged, files, ranker):
    documents = [document._replace(fields={"year": "1999"}) for document in judged.documents]
    rows = [row.split() for row in lines_of(5).splitlines()]  # of 64 bits: no scores that are only tied in 32
    whole = (f"{query_id} Q0 {doc_id} 0 {round(float(score))} m\n" for query_id, _, doc_id, _, score, _ in rows)
    (files / "c.run").write_text("".join(whole))
    index = Index.build(documents, values=["year"])
    run, selected = Searcher(index, "run:c.run"), Searcher(index, ranker)
    for query in judged.queries:
        found = selected.search(query, None).doc_ids
        ranked = [doc_id for doc_id in run.search(query, None).doc_ids if doc_id in found]
        ranked += [doc_id for doc_id in found if doc_id not in ranked]
        assert selected.search(query, None).doc_ids == selected.search(query, None, where="year:1999").doc_ids == ranked
        assert [standing(selected, query, doc_id).rank for doc_id in ranked] == [*range(1, len(ranked) + 1)]


def scored(run):
    return {query_id: dict(run[query_id].items()) for query_id in run.query_ids}


def test_tied_documents_keep_their_ranks_in_filters_and_explanations(judged, files):
    documents = [document._replace(fields={"year": "1999"}) for document in judged.documents]
    searcher = Searcher(Index.build(documents, values=["year"]), "run:a.run")
    for query in judged.queries:
        ranked = searcher.search(query, None).doc_ids
        assert searcher.search(query, None, where="year:1999").doc_ids == ranked
        assert [standing(searcher, query, doc_id).rank for doc_id in ranked] == [*range(1, len(ranked) + 1)]
        for first, second in pairwise(ranked):
            why = toysearch.explain_order(searcher, query, second, first)
            assert (why.above.doc_id, why.below.doc_id) == (first, second)
            assert why.ahead > 0 or f"{first} comes first in the run" in " ".join(str(why).split())
            assert toysearch.turning_points(searcher, query, first, second) == []


@pytest.mark.parametrize("model", ["mmr(run:a.run, lambda=1, depth={})", "run:a.run@{} >> 0*run:a.run"])
def test_its_first_documents_are_re_ranked(judged, files, model):
    for query in judged.queries:
        ranked = Searcher(judged, "run:a.run").search(query, None).doc_ids
        for depth in (1, 2, 5):
            found = Searcher(judged, model.format(depth)).search(query, None).doc_ids
            assert {*found[:depth]} == {*ranked[:depth]}
            assert found[depth:] == ranked[depth:]


def test_alone_it_is_evaluated_as_its_file_ties_included(judged, files):
    run = Searcher(judged, "run:a.run").run(judged.queries)
    of_file = toysearch.evaluate("a.run", judged.qrels, MEASURES)
    found = toysearch.evaluate(run, judged.qrels, MEASURES)
    for query_id in QUERIES:
        assert found.per_query[query_id] == of_file.per_query[query_id]
    expected, _ = toysearch.base.ordered(toysearch.read_run("a.run"))
    by_query = [[[*ranked.ranking(query_id)] for query_id in QUERIES] for ranked in (run, expected)]
    assert by_query[0] == by_query[1]
    by_number = {query_id: sorted(run[query_id], key=lambda doc: int(doc[1:])) for query_id in QUERIES}
    in_order = {query_id: sorted(docs, key=run[query_id].get, reverse=True) for query_id, docs in by_number.items()}
    assert toysearch.evaluate(in_order, judged.qrels, MEASURES).means["AP"] != of_file.means["AP"]  # ties matter here


@pytest.mark.parametrize(
    ("model", "method", "options"),
    [
        ("rrf(run:a.run, run:b.run)", "rrf", {}),
        ("0.5*rrf(run:a.run) + 2*rrf(run:b.run)", "rrf", {"weights": [0.5, 2]}),
        ("0.7*min-max(run:a.run) + 0.3*min-max(run:b.run)", "combsum", {"weights": [0.7, 0.3]}),
        ("0.7*run:a.run + 0.3*run:b.run", "combsum", {"weights": [0.7, 0.3], "normalise": "none"}),
        ("0.5*sum(run:a.run) + 0.5*sum(run:b.run)", "combsum", {"weights": [0.5, 0.5], "normalise": "sum"}),
    ],
)
def test_a_sum_has_the_scores_of_fuse(judged, files, model, method, options):
    fused = toysearch.fuse(["a.run", "b.run"], method, k=None, **options)
    assert scored(Searcher(judged, model).run(judged.queries, k=None)) == scored(fused)


def test_stages_filters_and_the_answer_to_one_query(judged, files):
    (files / "c.run").write_text("1 Q0 d3 1 5 m\n1 Q0 d7 2 4 m\n1 Q0 d5 3 4 m\n1 Q0 d9 4 1 m\n")
    index = Index.build(
        [Document(f"d{n}", "cat " * n, "", {"year": str(2000 + n)}) for n in range(3, 10)], values=["year"]
    )
    ranked = [(hit.doc_id, hit.score) for hit in Searcher(index, "run:c.run").search("cat", query_id="1")]
    assert ranked == [("d3", 5.0), ("d7", 4.0), ("d5", 4.0), ("d9", 1.0)]
    kept = Searcher(index, "run:c.run").search("cat", query_id="1", where="year > 2004")
    assert [hit.doc_id for hit in kept] in (["d7", "d5", "d9"], ["d5", "d7", "d9"])
    staged = Searcher(index, "run:c.run@2 >> bm25").search("cat", query_id="1")
    by_bm25 = {hit.doc_id: hit.score for hit in Searcher(index, "bm25").search("cat")}
    first = sorted(["d3", "d7"], key=by_bm25.get, reverse=True)
    assert [hit.doc_id for hit in staged] == [*first, "d5", "d9"]
    why = toysearch.explain(Searcher(index, "run:c.run"), Searcher(index).terms("cat", query_id="1"), "d4")
    assert why.score is None
    assert str(why).startswith("document d4 is not ranked under run:c.run: the run lacks it")


def test_any_form_of_a_run_and_ranks_without_scores(judged, files):
    (files / "list.json").write_text(json.dumps({"1": ["d5", "d2", "d9"]}))
    found = Searcher(judged, "run:list.json").search("cat", query_id="1")
    assert [hit.doc_id for hit in found] == ["d5", "d2", "d9"]


def test_weights_are_tuned(judged, files):
    tuned = toysearch.tune("0.5*min-max(run:a.run) + 0.5*min-max(bm25)", judged, {"weight1": [0, 0.4, 1]}, "AP")
    values = {}
    for weight in (0, 0.4, 1):
        run = Searcher(judged, f"{weight}*min-max(run:a.run) + 0.5*min-max(bm25)").run(judged.queries)
        values[weight] = toysearch.evaluate(run, judged.qrels, "AP").means["AP"]
    assert {trial.setting["weight1"]: trial.value for trial in tuned.trials} == values


def test_what_the_index_lacks_is_left_out_and_noted_once(judged, files):
    docs = ["d1", "x1", "d2", "x2"]
    (files / "c.run").write_text("".join(f"1 Q0 {doc} 0 {9 - at} m\n" for at, doc in enumerate(docs)))
    index = Index.build(judged)
    with noted() as notes:
        for _ in range(2):
            found = Searcher(index, "rrf(run:c.run)").search("cat", query_id="1")
    assert [(hit.doc_id, hit.score) for hit in found] == [("d1", 1 / 61), ("d2", 1 / 62)]
    assert notes == ["c.run: 2 documents that the index does not have, such as 'x1'"]
    (files / "none.run").write_text("1 Q0 x1 0 1 m\n")
    with raising(DataError, "none.run: the index has no document of this run, such as 'x1'"):
        Searcher(judged, "run:none.run")


def test_a_query_that_the_run_lacks_has_no_documents(judged, files):
    (files / "c.run").write_text(lines_of(5, ["1", "2"]))
    with noted() as notes:
        run = Searcher(judged, "run:c.run").run(judged.queries)
    assert [len(run[query_id]) for query_id in ("1", "2", "3", "4")] == [15, 15, 0, 0]
    assert notes == ["run:c.run has no ranking of query '3'; it has those of 2 queries"]
    problem = (
        "run:c.run has rankings of 2 queries by their ids, and none of typed texts; give the id of a query, such as "
    )
    with pytest.raises(ArgumentError) as caught:
        Searcher(judged, "rrf(bm25, run:c.run)").search("cat")
    assert str(caught.value)[:-1] == problem
    assert str(caught.value)[-1] in "12"


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("run:absent.run", "absent.run: there is no such file"),
        ("run:prose.txt", "prose.txt"),
        ("run:", "'run:' names no file; an example: run:theirs.run"),
        ("run", "'run' names no file; an example: "),
        ("run:a.run,k=3", "run has no options; leave out k"),
        ("rm3(run:a.run)", "'rm3(run:a.run)': rm3 changes the terms of a query, and run:a.run ranks as its file does"),
    ],
)
def test_what_is_no_run_is_refused_in_one_sentence(judged, files, model, problem):
    (files / "prose.txt").write_text("A cat sat on the mat, and a dog did not.\nNothing else happened.\n")
    with pytest.raises(toysearch.ToysearchError) as caught:
        Searcher(judged, model)
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_a_file_is_read_again_only_if_it_changed(judged, files, monkeypatch):
    index, reads = Index.build(judged), []
    find = brought_scorers.ordered
    monkeypatch.setattr(brought_scorers, "ordered", lambda run: reads.append(run) or find(run))
    for model in ("run:a.run", "rrf(run:a.run, bm25)", "0.3*run:a.run"):
        Searcher(index, model)
    assert len(reads) == 1
    (files / "a.run").write_text("1 Q0 d3 1 5 m\n")
    assert [hit.doc_id for hit in Searcher(index, "run:a.run").search("cat", query_id="1")] == ["d3"]
    assert len(reads) == 2


def test_its_text_reads_back_and_stays_in_a_label(files):
    for text in ("run:a.run", "rrf(run:a.run) + rrf(bm25)", "run:a.run@100 >> bm25", "mmr(run:sub/a.run, depth=5)"):
        assert str(toysearch.model(text)) == text
