"""Data frames: a stand-in that has what pandas and polars have in common, and pandas itself where it is installed."""

import sys
from typing import Any

import numpy as np
import pytest
from error_messages import raising

from toysearch import Index, Run, Searcher, ablate, compare, diff, evaluate, kappa, load, pool, read_run, tune
from toysearch.base.errors import DataError
from toysearch.classroom.three_means import means
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.files.rows_in_memory import is_frame
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.files.triples import qrels_of_frame, runs_of_frame
from toysearch.study.vocabulary_laws import zipf


class Column:
    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def to_list(self) -> list[Any]:
        return list(self._values)


class Frame:
    """A data frame as far as this project is concerned."""

    def __init__(self, **columns: list[Any]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Column:
        return Column(self._columns[name])


RUN = Frame(qid=["1", "1", "2"], docno=["b", "a", "a"], score=[0.5, 2, -1.0], rank=[1, 2, 1], tag=["mine"] * 3)
QRELS = Frame(qid=["1", "1", "2"], docno=["a", "b", "c"], label=[1, 0, 2])


def test_a_run_and_judgments_are_scored() -> None:
    assert is_frame(RUN)
    assert not is_frame({"1": {"a": 1}})
    result = evaluate(RUN, QRELS, "RR")
    assert (result.name, result.per_query) == ("mine", {"1": {"RR": 1.0}, "2": {"RR": 0.0}})


def test_ranks_alone_give_a_ranked_run() -> None:
    [run], several = runs_of_frame(Frame(query_id=["1", "1"], doc_id=["b", "a"], rank=[2, 1]))
    assert several == ""
    assert ([hit.doc_id for hit in run], run.ranked, run.name) == (["a", "b"], True, "run")


def test_whole_numbers_as_ids_are_read_as_their_digits() -> None:
    numbers = Frame(query_id=[1, np.int64(1)], doc_id=[np.int64(7), 8], relevance=[np.float64(0.5), True])
    assert qrels_of_frame(numbers)["1"] == {"7": 0.5, "8": 1.0}


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (
            Frame(qid=["1"], score=[1]),
            "the data frame of a run has no column doc_id; its columns: qid, score; rename one",
        ),
        (
            Frame(qid=["1"], docno=["a"], label=[1]),
            "the data frame of a run has no column score or rank; its columns: qid, docno, label; rename one",
        ),
        (Frame(), "the data frame of a run has no column query_id; its columns: none"),
        (
            Frame(qid=["1", 2.0], docno=["a", "b"], score=[1, 1]),
            "row 2 of the data frame: ids must be strings, but the qid is 2.0; read that column as strings (dtype=str)",
        ),
        (
            Frame(qid=["1"], docno=[None], score=[1]),
            "row 1 of the data frame: ids must be strings, but the docno is nothing; read that "
            "column as strings (dtype=str)",
        ),
        (
            Frame(qid=["1"], docno=["a"], score=[float("nan")]),
            "row 1 of the data frame: expected a number as score, found NaN",
        ),
        (Frame(qid=["1"], docno=["a"], score=["x"]), "row 1 of the data frame: expected a number as score, found 'x'"),
        (
            Frame(qid=["1", "1"], docno=["a", "a"], score=[1, 2]),
            "row 2 of the data frame: query '1' has document 'a' twice, first on row 1; keep one of the two rows",
        ),
    ],
)
def test_bad_frames(frame: Frame, problem: str) -> None:
    with raising(DataError, problem):
        runs_of_frame(frame)


def test_an_infinite_grade_is_refused_and_an_infinite_score_is_not() -> None:
    with raising(DataError, "row 1 of the data frame: expected a number as relevance, found Infinity"):
        qrels_of_frame(Frame(qid=["1"], docno=["a"], label=[float("inf")]))
    assert runs_of_frame(Frame(qid=["1"], docno=["a"], score=[float("inf")]))[0][0]["1"] == {"a": np.inf}


def test_an_empty_frame_is_an_empty_run() -> None:
    with raising(DataError, "the run is empty; expected at least one query with its ranking"):
        evaluate(Frame(qid=[], docno=[], score=[]), QRELS)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_results_are_frames_of_the_libraries_themselves(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = pytest.importorskip(library)
    monkeypatch.setitem(sys.modules, "polars" if library == "pandas" else "pandas", None)
    collection = load("cat-dog-parrot")
    index = Index.build(collection)
    run, other = (Searcher(index, model).run(collection.queries) for model in ("bm25", "tfidf"))
    turned = Run.from_dict({each: {doc_id: -score for doc_id, score in run[each].items()} for each in run.query_ids})
    evaluation = evaluate(run, collection, "AP RR")
    results = [run, run.ranking("1"), collection, collection.qrels, index, evaluation, ablate("bm25", collection)]
    results += [compare({"a": run, "b": other}, collection, "AP"), diff(run, turned, collection, "AP")]
    results += [tune("bm25", collection, {"k1": [0.5, 1.2]}, folds=2), kappa(collection.qrels, collection.qrels)]
    results += [pool([run, other], depth=2), unjudged_bounds(run, collection.qrels, "AP"), means([2, 8]), zipf(index)]
    for found in results:
        frame = found.frame()
        assert isinstance(frame, frames.DataFrame)
        assert len(frame) > 0
    again = evaluate(run.frame(), collection.qrels.frame(), "AP RR", threshold=collection.threshold)
    assert again.per_query == evaluate(run, collection, "AP RR", ties="trec_eval").per_query  # as scores alone order it
    assert list(evaluation.frame()["AP"]) == [values["AP"] for values in evaluation.per_query.values()]


RATED = (
    '{"metric": {"precision": {"k": 5}},\n "requests": [\n{"id": "q1", "request": {"query": {}}, "ratings": [%s]}%s]}'
)


def test_the_body_of_rank_eval_is_judgments(tmp_path):
    path = tmp_path / "rank_eval.json"
    one, two = '{"_index": "a", "_id": "d1", "rating": 3}', '{"_index": "a", "_id": "d2", "rating": 0}'
    path.write_text(RATED % (f"{one}, {two}", ', {"id": 2, "ratings": []}'))
    assert [tuple(row) for row in read_qrels(path)] == [("q1", "d1", 3.0), ("q1", "d2", 0.0)]
    for ratings, sentence in (
        (
            f"{one}, {one.replace('3', '2')}",
            "3: query 'q1' and document 'd1' have grade 2 here and 3 on line 3; keep one of the two lines",
        ),
        (
            f'{one}, {{"rating": 1}}',
            "3: query 'q1': expected a document, as an id or with its score, found {\"rating\": 1}",
        ),
        (
            f'{two}, {{"_id": "d1", "rating": "high"}}',
            "3: query 'q1', document 'd1': expected a number as relevance, found 'high'; if that is a grade, give each "
            "such word its number: read_qrels(…, grades='high=1,…')",
        ),
    ):
        path.write_text(RATED % (ratings, ""))
        with pytest.raises(DataError) as error:
            read_qrels(path)
        assert str(error.value).removesuffix("; on_error='skip' leaves it out") == f"{path}:{sentence}"


@pytest.mark.parametrize("between", ["\t", " "])
def test_a_tag_ends_at_a_blank_and_what_follows_makes_no_systems(between, tmp_path):
    rows = ["1 Q0 b 1 2.0 std more", "1 Q0 a 2 1.0 std", "2 Q0 c 1 2.0 std", "2 Q0 d 2 1.0 std end of lines"]
    path, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    path.write_text("".join(between.join(row.split(" ", 5)) + "\n" for row in rows))
    qrels.write_text("1 0 a 1\n2 0 c 1\n")
    assert evaluate(path, qrels, "RR").means["RR"] == 0.75
    assert read_run(path).name == "std"
