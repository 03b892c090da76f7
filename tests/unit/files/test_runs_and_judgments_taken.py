"""A run, then judgments: every form of the one with every form of the other, in every function."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiers import thinned

import toysearch
from tests.unit.files.test_triples import Frame
from toysearch import Qrels, Run
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.convention_effects import side_by_side
from toysearch.evaluation.lint import lint
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.workbench.report.measure_curve import curve

SCORES = {"1": {"a": 0.5, "b": 2.0, "c": 1.0}, "2": {"c": 1.0}}
RANKED = {"1": ["b", "c", "a"], "2": ["c"]}
GRADES = {"1": {"a": 2, "c": 1}, "2": {"c": 0, "b": 1}}

RUNS: dict[str, Callable[[Path], Any]] = {
    "Run": lambda folder: Run.from_dict(SCORES),
    "lists": lambda folder: RANKED,
    "arrays": lambda folder: {query_id: np.array(doc_ids) for query_id, doc_ids in RANKED.items()},
    "pairs": lambda folder: {query_id: [*scores.items()] for query_id, scores in SCORES.items()},
    "series": lambda folder: {query_id: Series(scores) for query_id, scores in SCORES.items()},
    "frame": lambda folder: Frame(qid=["1", "1", "1", "2"], docno=["a", "b", "c", "c"], score=[0.5, 2.0, 1.0, 1.0]),
    "trec": lambda folder: written(folder / "r.run", "1 Q0 b 1 2 x\n1 Q0 c 2 1 x\n1 Q0 a 3 0.5 x\n2 Q0 c 1 1 x\n"),
    "csv": lambda folder: written(folder / "r.csv", "query_id,doc_id,score\n1,a,0.5\n1,b,2\n1,c,1\n2,c,1\n"),
    "JSON lists": lambda folder: written(folder / "lists.json", json.dumps(RANKED)),
    "dict": lambda folder: SCORES,
    "JSON": lambda folder: written(folder / "r.json", json.dumps(SCORES)),
}
JUDGED: dict[str, Callable[[Path], Any]] = {
    "Qrels": lambda folder: Qrels.from_dict(GRADES),
    "frame": lambda folder: Frame(qid=["1", "1", "2", "2"], docno=["a", "c", "c", "b"], label=[2, 1, 0, 1]),
    "trec": lambda folder: written(folder / "q.txt", "1 0 a 2\n1 0 c 1\n2 0 c 0\n2 0 b 1\n"),
    "csv": lambda folder: written(folder / "q.csv", "query_id,doc_id,relevance\n1,a,2\n1,c,1\n2,c,0\n2,b,1\n"),
    "JSON Lines": lambda folder: written(
        folder / "q.jsonl",
        "".join(
            json.dumps({"query_id": query_id, "doc_id": doc_id, "relevance": grade}) + "\n"
            for query_id, grades in GRADES.items()
            for doc_id, grade in grades.items()
        ),
    ),
    "dict": lambda folder: GRADES,
    "JSON": lambda folder: written(folder / "q.json", json.dumps(GRADES)),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda *given, **named: toysearch.evaluate(*given, **named, measures="RR").per_query,
    "curve": lambda *given, **named: curve(*given, **named, measure="R").points,
    "lint": lambda *given, **named: lint(*given, **named) and None,
    "side_by_side": lambda *given, **named: side_by_side(*given, **named, measures="RR").values,
    "unjudged_bounds": lambda *given, **named: unjudged_bounds(*given, **named, measures="RR").means,
}


class Series:
    """A series of pandas, as far as it is read: labels and values."""

    def __init__(self, values: dict[str, float]) -> None:
        self.items = values.items


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("run", "qrels"), thinned(product(RUNS, JUDGED), 9))
def test_the_run_comes_first_and_then_the_judgments(tmp_path: Path, function: str, run: str, qrels: str) -> None:
    call, given, judged = FUNCTIONS[function], RUNS[run](tmp_path), JUDGED[qrels](tmp_path)
    assert call(given, judged) == call(given, qrels=judged) == call(qrels=judged, run=given)


def test_several_runs_and_their_judgments(tmp_path: Path) -> None:
    runs = {"one": SCORES, "two": RANKED}
    assert toysearch.compare(runs, GRADES, "RR").means == toysearch.compare(runs, Qrels.from_dict(GRADES), "RR").means
    listed = [Run.from_dict(SCORES, "one"), Run.from_rankings([], "none")]
    assert toysearch.fuse([listed[0], RANKED])["1"] == toysearch.fuse({"a": SCORES, "b": RANKED})["1"]
    assert len(toysearch.pool({"one": SCORES, "two": RANKED})) == 2


def test_forms_of_a_run_are_the_same_run(tmp_path: Path) -> None:
    found = {name: toysearch.evaluate(form(tmp_path), GRADES, "RR nDCG").per_query for name, form in RUNS.items()}
    assert [name for name, values in found.items() if values != found["Run"]] == []
    mixed = {"1": [("a", 1.0)], "2": []}
    assert toysearch.evaluate(mixed, GRADES, "RR").per_query == {"1": {"RR": 1.0}, "2": {"RR": 0.0}}


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"1": [("a", 2), ("a", 1)]}, "query '1' has document 'a' twice in the run; each pair may occur once"),
        (
            {"1": ["a"], "2": [("a", 1)]},
            "ids must be strings, but query '2' has the doc_id ('a', 1); give each query doc_ids, or each of them "
            "scores by doc_id",
        ),
        ({"1": [(1, 0.5), ("a", 0.4)]}, "ids must be strings, but query '1' has the doc_id 1; write '1'"),
        (
            {"1": [(["a"], 0.5)]},
            "ids must be strings, but query '1' has the doc_id (['a'], 0.5); give each query doc_ids, or each of them "
            "scores by doc_id",
        ),
    ],
)
def test_pairs_that_are_no_run_are_refused(run: Any, said: str) -> None:
    with pytest.raises(toysearch.ToysearchError) as refused:
        toysearch.evaluate(run, GRADES)
    assert str(refused.value) == said


_A_RUN, _JUDGED = Run.from_dict(SCORES), Qrels.from_dict(GRADES)


@pytest.mark.parametrize(
    "wrong", [(_A_RUN, _A_RUN), (_JUDGED, _JUDGED), (_JUDGED, _A_RUN), (toysearch.load("cat-dog-parrot"), RANKED)]
)
def test_judgments_before_a_run_are_refused_with_the_order(wrong: tuple[Any, Any]) -> None:
    said = r"^(a run is|judgments are) .*, not (a Run|a Qrels|a Collection); runs come first, "
    said += r"then the judgments, as in evaluate\(run, qrels\)$"
    with pytest.raises(ArgumentError, match=said):
        toysearch.evaluate(*wrong)


def test_the_name_of_a_collection_stands_for_its_judgments_and_its_threshold() -> None:
    collection = toysearch.load("cat-dog-parrot")
    run = {query.query_id: ["1", "2", "3"] for query in collection.queries}
    expected = toysearch.evaluate(run, collection.qrels, "AP P@2", threshold=collection.threshold)
    for judged in ("cat-dog-parrot", collection, collection.folder):
        assert toysearch.evaluate(run, judged, "AP P@2") == expected
    assert toysearch.evaluate(run, "cat-dog-parrot", "AP", threshold=1).threshold == 1
    assert unjudged_bounds(run, "cat-dog-parrot", "P@2").evaluation.threshold == collection.threshold
    assert toysearch.diff(run, run, "cat-dog-parrot").threshold == collection.threshold
    assert toysearch.kappa("cat-dog-parrot", collection.qrels).kappa == 1
    with pytest.raises(ArgumentError, match="unknown collection, file or folder 'cat-dog-parot'; did you mean"):
        toysearch.evaluate(run, "cat-dog-parot")


FORMS = ["trec", "tsv", "csv", "json"]


@pytest.mark.parametrize("run", RUNS)
def test_what_can_be_scored_can_be_written(tmp_path: Path, run: str) -> None:
    for form in FORMS:
        toysearch.write_run(RUNS[run](tmp_path), tmp_path / "out", form)
        assert [hit.doc_id for hit in toysearch.read_run(tmp_path / "out")][:3] == ["b", "c", "a"], form


@pytest.mark.parametrize("qrels", JUDGED)
def test_judgments_that_can_be_scored_by_can_be_written(tmp_path: Path, qrels: str) -> None:
    for form in FORMS:
        toysearch.write_qrels(JUDGED[qrels](tmp_path), tmp_path / "judged", form)
        assert dict(toysearch.read_qrels(tmp_path / "judged")["1"]) == GRADES["1"], form


@pytest.mark.parametrize("key", ["corpus_id", "doc_id", "id"])
def test_hits_in_memory_are_ranked_by_their_scores(key):
    hits = [{key: "d1", "score": 0.5}, {key: "d2", "score": 0.7}]
    assert toysearch.evaluate({"q1": hits, "q2": []}, {"q1": {"d1"}}, "RR")["RR"] == 0.5
    for bad in ({key: "d1", "distance": 0.5}, object()):
        with pytest.raises(ArgumentError, match=r"; give each query doc_ids, or each of them scores by doc_id$"):
            toysearch.evaluate({"q1": [bad]}, {"q1": {"d1"}}, "RR")
