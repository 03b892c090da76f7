"""A collection in memory: columns, streams, and what does not fit together."""

from collections.abc import Iterator

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document, Qrels, Query
from toysearch.base.errors import ArgumentError, DataError
from toysearch.collection.collection import UNDECLARED, Collection, Documents, Queries
from toysearch.collection.grades import GradeMapping, GradeOption, apply_gains, choose_grades
from toysearch.collection.judged_queries import by_text

DOCUMENTS = [
    Document("1", "cats", "Cats", {"T": "Cats", "W": "cats"}),
    Document("2", ""),
    Document("3", "dogs", "", {"W": "dogs", "K": "pets"}),
]


def test_documents_and_queries_are_given_back_as_they_came() -> None:
    documents = Documents(iter(DOCUMENTS))
    assert len(documents) == 3
    assert list(documents) == list(documents) == DOCUMENTS
    assert (documents[-1], documents[1:]) == (DOCUMENTS[2], DOCUMENTS[1:])
    assert documents.doc_ids == ["1", "2", "3"]
    assert documents.texts == ["cats", "", "dogs"]
    assert documents.titles == ["Cats", "", ""]
    assert documents.field_names == ["T", "W", "K"]
    assert documents.get("3") == DOCUMENTS[2]
    assert documents.get("4") is None
    with pytest.raises(IndexError):
        documents[3]
    queries = Queries([Query("b", "cat"), Query("a", "dog")])
    assert (queries[-1], queries[:1], queries.get("b")) == (("a", "dog"), [("b", "cat")], ("b", "cat"))
    assert (repr(documents), repr(queries)) == ("<Documents: 3>", "<Queries: 2>")


def test_ids_given_twice() -> None:
    with raising(DataError, "doc_id 'a' is given twice, by documents 1 and 3; each id may occur once"):
        Collection("pets", [Document("a", ""), Document("b", ""), Document("a", "")])
    with raising(DataError, "query_id 'q' is given twice, by queries 1 and 2; each id may occur once"):
        Collection("pets", DOCUMENTS, [Query("q", ""), Query("q", "")])


def test_a_collection_without_documents() -> None:
    with raising(DataError, "collection 'pets' has no documents; an index needs at least one"):
        Collection("pets", [])
    with pytest.raises(DataError, match="has no documents"):
        list(Collection("pets", lambda: []).stream())


def test_a_function_is_read_when_the_documents_are_wanted_and_streams_keep_nothing() -> None:
    reads = []

    def read() -> Iterator[Document]:
        reads.append(1)
        yield from DOCUMENTS

    collection = Collection("pets", read)
    assert repr(collection) == "<Collection pets: documents not read yet, 0 queries, 0 judgments>"
    assert not reads
    assert list(collection.stream()) == DOCUMENTS
    assert list(collection.stream()) == DOCUMENTS
    assert len(reads) == 2
    assert list(collection.documents) == DOCUMENTS
    assert collection.documents is collection.documents
    assert list(collection.stream()) == DOCUMENTS
    assert len(reads) == 3
    assert repr(collection) == "<Collection pets: 3 documents, 0 queries, 0 judgments>"


def test_judgments_of_unknown_documents_are_kept_and_counted_once() -> None:
    qrels = Qrels.from_dict({"q": {"1": 1, "99": 1, "98": 0}, "r": {"99": 1}})
    collection = Collection("pets", lambda: DOCUMENTS, [Query("q", "cat"), Query("r", "dog")], qrels)
    with noted() as notes:
        assert [*collection.stream(), *collection.stream()] == DOCUMENTS * 2
    message = "2 judged documents are not in collection 'pets' (the first: '98'); if relevant, they count as not found"
    assert notes == collection.notes == [message]
    assert len(collection.qrels) == 4


def test_a_query_by_its_id() -> None:
    collection = Collection("pets", DOCUMENTS, [Query("1", "cat"), Query("7", "dog")])
    assert collection.query("7") == ("7", "dog")
    with raising(ArgumentError, "collection 'pets' has no query '2'; its 2 queries run from '1' to '7'"):
        collection.query("2")
    with raising(ArgumentError, "collection 'pets' has no queries, so it has no query '2'"):
        Collection("pets", DOCUMENTS).query("2")


def test_defaults() -> None:
    collection = Collection("pets", DOCUMENTS)
    assert (collection.title, collection.language, collection.grades) == ("pets", "none", "as given")
    assert (collection.threshold, collection.notes) == (1.0, [])
    with raising(ArgumentError, "collection 'pets' comes without a published run"):
        collection.published_run()


# Grade mappings: codes become gains, chosen by name and options.


MINUS1 = GradeOption("", "nonrelevant", {"nonrelevant": {-1: 0.0}, "removed": {-1: None}, "relevant": {-1: 4.0}})
MAPPINGS = {
    "graded": GradeMapping("graded", "", {1: 4.0, 2: 3.0}, {"minus1": MINUS1}),
    "binary": GradeMapping("binary", "", {1: 1.0, 2: 1.0}, {}),
}


@pytest.mark.parametrize(
    ("text", "full", "gains"),
    [
        (None, "graded:minus1=nonrelevant", {1: 4, 2: 3, -1: 0}),
        ("graded", "graded:minus1=nonrelevant", {1: 4, 2: 3, -1: 0}),
        ("graded:minus1=removed", "graded:minus1=removed", {1: 4, 2: 3, -1: None}),
        ("graded:minus1=relevant", "graded:minus1=relevant", {1: 4, 2: 3, -1: 4}),
        ("binary", "binary", {1: 1, 2: 1}),
    ],
)
def test_a_choice_names_all_its_options(text: str | None, full: str, gains: dict[float, float]) -> None:
    assert choose_grades(MAPPINGS, "graded", text) == (full, gains)


NO_VALUE = "unknown value of minus1 'irrelevant'; did you mean 'relevant'? Values: nonrelevant, removed, relevant"
NO_MAPPINGS = "grades 'graded' cannot be chosen: this collection has no grade mappings and uses its grades as given; "
NO_MAPPINGS += "leave grades out"


@pytest.mark.parametrize(
    ("mappings", "text", "message"),
    [
        (MAPPINGS, "gradde", "unknown grade mapping 'gradde'; did you mean 'graded'? Grade mappings: graded, binary"),
        (
            MAPPINGS,
            "graded:minus=removed",
            "unknown grade option 'minus'; did you mean 'minus1'? Grade options: minus1",
        ),
        (MAPPINGS, "graded:minus1=irrelevant", NO_VALUE),
        (MAPPINGS, "binary:minus1=removed", "grade mapping 'binary' has no options, found 'minus1'"),
        (MAPPINGS, "graded:", "'graded:' is not of the form name or name:key=value,key=value"),
        ({}, "graded", NO_MAPPINGS),
    ],
)
def test_choices_that_are_refused(mappings: dict[str, GradeMapping], text: str, message: str) -> None:
    with raising(ArgumentError, message):
        choose_grades(mappings, "graded", text)


def test_gains_keep_the_rows_in_order_and_some_are_removed() -> None:
    assert choose_grades({}, "", None) == ("as given", None)
    qrels = Qrels.from_dict({"2": {"a": 1, "b": -1}, "1": {"a": 2}, "3": {"a": -1}})
    graded = apply_gains(qrels, {1: 4, 2: 3, -1: 0}, "graded")
    assert [tuple(row) for row in graded] == [("2", "a", 4), ("2", "b", 0), ("1", "a", 3), ("3", "a", 0)]
    left = apply_gains(qrels, {1: 4, 2: 3, -1: None}, "graded")
    assert ([tuple(row) for row in left], left.query_ids) == ([("2", "a", 4), ("1", "a", 3)], ["2", "1"])


def test_gains_and_names_by_text_keep_subtopics() -> None:
    judged = {"red fox": {"a": {"x": 1, "y": 2}, "b": {"x": 0}}, "8": {"a": {"y": 1, "x": 2}}}
    qrels = Qrels.from_subtopics(judged)
    named, _ = by_text(qrels, ["7", "8"], ["Red  fox", "sky"])
    assert named.to_dict() == {"7": {"a": 2, "b": 0}, "8": {"a": 2}}
    assert named.subtopics is not None
    assert named.subtopics.names == (("x", "y"), ("y", "x"))
    np.testing.assert_array_equal(named.subtopics.grades, [[1, 2], [0, np.nan], [1, 2]])
    for gains, rows in (
        ({2: 5, 1: 3, 0: 0}, [[3, 5], [0, np.nan], [3, 5]]),
        ({2: 5, 1: None, 0: None}, [[np.nan, 5]] * 2),
    ):
        graded = apply_gains(named, gains, "graded")
        assert graded.subtopics is not None
        np.testing.assert_array_equal(graded.subtopics.grades, rows)


def test_a_code_that_the_mapping_does_not_know() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1, "c": 5}})
    with pytest.raises(DataError) as error:
        apply_gains(qrels, {1: 4, 2: 3, -1: 0}, "graded:minus1=nonrelevant")
    assert str(error.value) == (
        "query '2' has the code 5 for document 'c', which grade mapping "
        "'graded:minus1=nonrelevant' does not define; it defines 1, 2, -1"
    )


def test_a_collection_that_declares_no_analysis_has_the_usual_one() -> None:
    assert Collection("pets", ["a cat"]).analysis == UNDECLARED
    assert Analyzer.for_language(**UNDECLARED) == Analyzer()


def test_batches_of_kept_documents_are_those_of_their_records() -> None:
    documents = Documents(
        [Document(str(number), f"cat {number}", "Cats", {"n": "1"} if number % 2 else {}) for number in range(230)]
    )
    batched = [*documents.batches()]
    assert [len(batch.doc_ids) for batch in batched] == [100, 100, 30]
    assert [document for batch in batched for document in batch.documents()] == [*documents]


def test_a_field_of_its_own_for_each_document_takes_no_room_in_the_others():
    documents = Documents(Document(f"d{n}", "a cat", fields={f"k{n}": "v"}) for n in range(500))
    assert sum(map(len, documents._cells)) == 500
    assert documents.field_names[:2] == ["k0", "k1"]
    assert documents[7].fields == {"k7": "v"}
