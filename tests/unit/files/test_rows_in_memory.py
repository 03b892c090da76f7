"""Queries, runs and judgments in memory: every kind of them at every function that takes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising
from stand_in_frames import Column, Frame, Series

from toysearch import Collection, Qrels, Query, Run, Searcher, evaluate, search
from toysearch.base import ArgumentError, DataError
from toysearch.base.ranking import ScoredDoc
from toysearch.collection.queries import read_queries
from toysearch.evaluation.lint import lint

PETS = {"a": "a cat", "b": "a dog", "c": "a horse"}
ASKED = [("1", "cat"), ("2", "dog")]
NO_QUERIES = (
    "queries are a dict of query_id to text, a data frame, or a list of Query, (query_id, text) or dicts, not {}"
)
A_QUERY = "a query is a query_id and a text, both of them str, not {}"

QUERIES: dict[str, tuple[Callable[[], Any], str | None]] = {
    # kind: (how one is made, the error or None)
    "a dict": (lambda: dict(ASKED), None),
    "a dict of dicts": (lambda: {query_id: {"query": text, "kind": "x"} for query_id, text in ASKED}, None),
    "a dict of columns": (lambda: {"qid": ["1", "2"], "query": Series(["cat", "dog"])}, None),
    "a list of Query": (lambda: [Query(*pair) for pair in ASKED], None),
    "a list of pairs": (lambda: ASKED, None),
    "a generator of pairs": (lambda: iter(ASKED), None),
    "a list of dicts": (lambda: [{"query_id": int(query_id), "text": text} for query_id, text in ASKED], None),
    "a generator of dicts": (lambda: ({"qid": query_id, "query": text} for query_id, text in ASKED), None),
    "a frame": (lambda: Frame(qid=[1, 2], query=["cat", "dog"]), None),
    "a list of texts": (lambda: ["cat"], A_QUERY.format("'cat', as in {'1': 'cat'}")),
    "a number as id": (lambda: [(1, "cat")], A_QUERY.format("(1, 'cat'): write '1'")),
    "a number as text": (lambda: {"1": 5}, A_QUERY.format("('1', 5)")),
    "an array": (lambda: np.array(["cat"]), A_QUERY.format("np.str_('cat'), as in {'1': np.str_('cat')}")),
    "one dict": (
        lambda: {"qid": "1", "query": "cat"},
        "a dict with the keys qid, query is one record; put it into a list: [{…}]",
    ),
    "a Query": (lambda: Query("1", "cat"), NO_QUERIES.format("a Query")),
    "bytes": (lambda: b"cat", NO_QUERIES.format("a bytes")),
    "a set": (lambda: {"cat"}, NO_QUERIES.format("a set")),
    "None": (lambda: None, NO_QUERIES.format("None")),
    "an int": (lambda: 3, NO_QUERIES.format("an int")),
    "a dict without an id": (
        lambda: [{"query": "cat"}],
        "query 1: expected an id, such as query_id, found the keys query",
    ),
    "a frame without ids": (
        lambda: Frame(query=["cat"]),
        "the data frame: expected a column with the ids of the queries, such as query_id",
    ),
}
ASKING: dict[str, Callable[[Any], list[str]]] = {
    "Searcher.run": lambda queries: [hit.doc_id for hit in Searcher(PETS).run(queries)],
    "read_queries": lambda queries: [*map({"cat": "a", "dog": "b"}.get, read_queries(queries).texts)],
    "Collection": lambda queries: [hit.doc_id for hit in Searcher(PETS).run(Collection("pets", PETS, queries).queries)],
}


@pytest.mark.parametrize("door", ASKING)
@pytest.mark.parametrize("kind", QUERIES)
def test_every_kind_of_queries_at_every_door(kind: str, door: str) -> None:
    made, message = QUERIES[kind]
    if message is None:
        assert ASKING[door](made()) == ["a", "b"]
        return
    with raising(DataError if "without" in kind else ArgumentError, message):
        ASKING[door](made())


def test_run_takes_a_file_and_a_collection(tmp_path: Path) -> None:
    path = tmp_path / "asked.csv"
    path.write_text("query_id,text\n1,cat\n2,dog\n", encoding="utf-8")
    for source in (path, str(path), Collection("pets", PETS, ASKED)):
        assert ASKING["Searcher.run"](source) == ["a", "b"]
    with raising(
        ArgumentError,
        "queries have ids, such as {'1': 'a cat'}, not 'cat'; "
        "for a file: from toysearch.collection.queries import read_queries",
    ):
        Searcher(PETS).run("cat")


ROWS = [("1", "a", 3.0), ("1", "b", 1.0), ("2", "c", 2.0)]
TRIPLES: dict[str, Callable[[str], Any]] = {
    # kind: how one is made whose third column has a name
    "a list of tuples": lambda _: ROWS,
    "a generator of tuples": lambda _: iter(ROWS),
    "a list of dicts": lambda name: [dict(zip(("qid", "docno", name), row, strict=True)) for row in ROWS],
    "a generator of dicts": lambda name: (dict(zip(("qid", "docno", name), row, strict=True)) for row in ROWS),
    "a dict of columns": lambda name: dict(
        zip(("query_id", "doc_id", name), map(list, zip(*ROWS, strict=True)), strict=True)
    ),
    "a frame": lambda name: Frame(
        **dict(zip(("query_id", "doc_id", name), map(list, zip(*ROWS, strict=True)), strict=True))
    ),
    "a dict of dicts": lambda _: {"1": {"a": 3, "b": 1.0}, "2": {"c": np.float64(2)}},
    "records": lambda name: [*(Run if name == "score" else Qrels).from_records(ROWS)],
    "the object": lambda name: (Run if name == "score" else Qrels).from_records(ROWS),
}
REFUSED: dict[str, Any] = {
    "a list of int": [3],
    "a list of pairs": [("1", "a")],
    "a list of list": [["1", "a", 1.0]],
    "a list": [],
    "a set": {("1", "a", 1.0)},
    "an int": 3,
    "a bytes": b"1 a 1",
    "None": None,
}
VALUES = {
    "score": (
        {
            "evaluate": lambda run: evaluate(run, Qrels({"1": {"b": 1}}), "RR")["RR"],
            "lint": lambda run: 0.5 + len(lint(run)),
        },
        0.5,
        "a run is a Run, a dict, a data frame, rows or the path of a file, not ",
    ),
    "relevance": (
        {
            "evaluate": lambda qrels: evaluate({"1": {"x": 2, "a": 1}}, qrels, "RR", only_retrieved=True)["RR"],
            "Collection": lambda qrels: (
                len(Collection("pets", PETS, ASKED, qrels).qrels) / 6 if qrels is not None else evaluate({}, None)  # type: ignore[arg-type]
            ),
        },
        0.5,
        "judgments are Qrels, a dict, a data frame, rows, the path of a file or a collection, not ",
    ),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", TRIPLES)
def test_every_kind_of_runs_and_judgments_at_every_door(kind: str, name: str) -> None:
    doors, expected, _ = VALUES[name]
    assert {door: take(TRIPLES[kind](name)) for door, take in doors.items()} == dict.fromkeys(doors, expected)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_holds_no_rows_is_refused_by_its_type(kind: str, name: str) -> None:
    doors, _, message = VALUES[name]
    found = kind.split(" of ")[0]
    for door in doors:
        if kind == "None" and door != "evaluate":
            continue  # no judgments, or none to look at
        with raising(ArgumentError, message + found):
            doors[door](REFUSED[kind])


def test_records_of_the_other_kind_lack_a_column() -> None:
    with raising(
        DataError,
        "the data frame of judgments has no column relevance or score; its columns: doc_id, query_id, by; rename one",
    ):
        evaluate({"1": ["a"]}, [{"doc_id": "a", "query_id": "1", "by": "Ann"}], "RR")
    with raising(
        DataError,
        "the data frame of a run has no column score or rank; its columns: query_id, doc_id, relevance; rename one",
    ):
        evaluate([*Qrels.from_records(ROWS)], {"1": {"a": 1}}, "RR")
    assert evaluate({"1": ["a"]}, [ScoredDoc("1", "a", 1.0)], "RR")["RR"] == 1.0


RECORDS = {
    # the labels, two rows, what the note on them says is searched, a word of the second one
    "a question and its answer": (
        ("id", "question", "answer"),
        [("1", "Lost?", "Look at the map."), ("2", "Late?", "Run.")],
        "question, answer",
        "run",
    ),
    "no known name": (
        ("song", "year", "lyrics"),
        [("Oak", 1999, "red oaks fall"), ("Elm", 2001, "an elm in rain")],
        "song, lyrics; not searched: year (values)",
        "rain",
    ),
    "a longer text": (
        ("id", "title", "text", "plot"),
        [("1", "Alien", "Space", "A crew meets a creature on board"), ("2", "Heat", "Thieves", "A hunt for a crew")],
        "title, text, plot",
        "thieves",
    ),
}


@pytest.mark.parametrize("kind", RECORDS)
def test_documents_in_memory_are_read_as_those_of_a_file(kind, tmp_path):
    labels, rows, searched, word = RECORDS[kind]
    records, path = [dict(zip(labels, row, strict=True)) for row in rows], tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with noted() as of_file:
        expected = [*search(path, word)]
    frame = Frame(**dict(zip(labels, zip(*rows, strict=True), strict=True)))
    for given, name in ((records, "the list"), (frame, "the data frame")):
        with noted() as told:
            assert [*search(given, word)] == expected
        assert [line.partition("searched: ")[2] for line in told] == [searched]
        assert told[0].startswith(f"{name}: 2 documents; ")
        assert told[0].partition(": ")[2] == of_file[0].partition(": ")[2]
    assert [hit.doc_id for hit in expected] == ["2"]


GOLD = [
    {"question": "q1", "retrieved": ["d1", "d2", "d3"], "relevant": ["d1", "d3"]},
    {"question": "q2", "retrieved": ["d2", "d1"], "relevant": ["d1"]},
]
RANKED = {record["question"]: record["retrieved"] for record in GOLD}
SCORED = {of: [{"_id": one, "_score": 1 / at} for at, one in enumerate(found, 1)] for of, found in RANKED.items()}
HITS = {of: {"hits": {"hits": hits}} for of, hits in SCORED.items()}


class Indexed(Frame):
    """A frame whose index is the query."""

    class index:
        names = ("query",)

        @staticmethod
        def get_level_values(_: int) -> Column:
            return Column([of for of, found in RANKED.items() for _ in found])


def ranked_frame() -> Frame:
    doc_ids = [one for found in RANKED.values() for one in found]
    return Indexed(doc_id=doc_ids, rank=[at for found in RANKED.values() for at in range(1, len(found) + 1)])


@pytest.mark.parametrize("kind", ["records", "frame of lists", "answers", "indexed frame"])
def test_runs_in_memory_are_read_as_their_files_are(kind: str) -> None:
    columns = Frame(**{label: [record[label] for record in GOLD] for label in GOLD[0]})
    run = {"records": GOLD, "frame of lists": columns, "answers": HITS, "indexed frame": ranked_frame()}[kind]
    judged = {record["question"]: record["relevant"] for record in GOLD}
    assert evaluate(run, judged, "AP")["AP"] == pytest.approx((5 / 6 + 1 / 2) / 2)


def test_judgments_in_a_frame_of_lists_are_read_as_their_file_is() -> None:
    columns = Frame(**{label: [record[label] for record in GOLD] for label in GOLD[0]})
    assert evaluate(RANKED, columns, "AP")["AP"] == pytest.approx((5 / 6 + 1 / 2) / 2)


FOUND = {"red lamp": ["the lamp", "sofa", "red desk"], "chair": ["sofa", "a chair"]}
GRADED = [("red lamp", "the lamp", 0), ("red lamp", "sofa", 1), ("chair", "a chair", 2)]


def columns_of(rows, *labels: str) -> dict[str, list[Any]]:
    return dict(zip(labels, map(list, zip(*rows, strict=True)), strict=False))


def dicts_of(rows, *labels: str) -> list[dict[str, Any]]:
    return [dict(zip(labels, row, strict=False)) for row in rows]


RELEVANT = [row for row in GRADED if row[2]]
BY_QUERY = {query: [doc_id] for query, doc_id, _ in RELEVANT}
JUDGED: dict[str, Callable[[], Any]] = {
    "dicts of one document each": lambda: dicts_of(RELEVANT, "query", "expected_doc"),
    "dicts with a grade": lambda: dicts_of(GRADED, "query", "expected_doc", "relevance"),
    "dicts of other names": lambda: dicts_of(GRADED, "Anfrage", "Dokument", "Relevanz"),
    "a frame of other names": lambda: Frame(**columns_of(GRADED, "Query", "Article", "Grade")),
    "a frame without a grade": lambda: Frame(**columns_of(RELEVANT, "query", "doc_id")),
    "a frame of other names without a grade": lambda: Frame(**columns_of(RELEVANT, "Query", "Article")),
    "a known frame with a missing grade": lambda: Frame(
        **columns_of([*GRADED, ("chair", "sofa", float("nan"))], "query_id", "doc_id", "relevance")
    ),
    "a frame with a missing grade": lambda: Frame(
        **columns_of([*GRADED, ("chair", "sofa", float("nan"))], "Query", "Article", "Grade")
    ),
    "a matrix": lambda: Frame(
        **{"query": ["red lamp", "chair"], "the lamp": [0, None], "sofa": [1, float("nan")], "a chair": [None, 2]}
    ),
    "an object with the queries": lambda: {"queries": {of: of for of in BY_QUERY}, "relevant_docs": BY_QUERY},
}


def ranked_rows() -> list[tuple[str, str, int]]:
    return [(of, doc_id, at) for of, doc_ids in FOUND.items() for at, doc_id in enumerate(doc_ids, 1)]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (GRADED, "the data frame of judgments has no column query_id; its columns: a, b, c; rename one"),
        ([("x", *row[1:]) for row in GRADED], "the data frame of judgments has no column query_id"),
    ],
)
def test_other_names_without_the_ids_of_a_run_are_refused(rows, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        evaluate({"q1": ["d1"]}, Frame(**columns_of(rows, "a", "b", "c")), "AP")


def test_lists_of_the_same_records_by_keys_are_the_documents() -> None:
    numbered = {year: [f"{year}-{number}" for number in (1, 2)] for year in ("2021", "2022")}
    years = {
        year: [{"id": one, "title": f"Tree {one}", "text": f"It grows in {one}."} for one in ids]
        for year, ids in numbered.items()
    }
    assert {*search(years, "tree").doc_ids} == {*numbered["2021"], *numbered["2022"]}


@pytest.mark.parametrize("around", [{}, {"numFound": 2, "start": 0}, {"page": {"next": 2}}])
def test_the_records_in_an_answer_are_the_documents(around):
    records = [{"key": "OL1W", "title": "The oak"}, {"key": "OL2W", "title": "Emma"}]
    assert search({**around, "docs": records}, "oak").doc_ids == ["OL1W"]
