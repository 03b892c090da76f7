"""The collection that ships, and Cranfield, CISI and SciFact: counts, records, and each trap by name."""

import re
import statistics
from collections import Counter
from pathlib import Path

import pytest
from captured_notes import noted
from small_collections import sizes

from toysearch.collection import catalog
from toysearch.collection.collection import Collection

TOKEN = re.compile(r"(?u)\b\w\w+\b")

silent = pytest.mark.filterwarnings("error")


def shapes(collection: Collection) -> list[tuple[str, str, int]]:
    """The id, the title and the length of the text of the first, the tenth and the last document."""
    return [(d.doc_id, d.title[:40], len(d.text)) for d in (collection.documents[n] for n in (0, 9, -1))]


def query_shapes(collection: Collection) -> list[tuple[str, str, int]]:
    """The id, the beginning and the length of the first, the tenth and the last query."""
    return [(q.query_id, q.text[:20], len(q.text)) for q in (collection.queries[n] for n in (0, 9, -1))]


def judgment_rows(collection: Collection) -> list[tuple[str, str, float]]:
    """The first, the tenth and the last judgment."""
    rows = list(collection.qrels)
    return [tuple(rows[n]) for n in (0, 9, -1)]


def vocabulary(collection: Collection) -> tuple[float, int]:
    """The mean number of tokens of a document, and the number of distinct ones."""
    tokens = [TOKEN.findall(text.lower()) for text in collection.documents.texts]
    return round(statistics.mean(map(len, tokens)), 2), len(set().union(*tokens))


# The collection that comes with toysearch


# Cranfield


@pytest.fixture(scope="module")
def cranfield(corpora: Path) -> Collection:
    """Cranfield by name."""
    return catalog.load("cranfield")


@pytest.mark.system
@silent
@pytest.mark.usefixtures("corpora")
def test_cranfield_has_what_it_should() -> None:
    cranfield = catalog.load("cranfield")
    assert sizes(cranfield) == (1400, 225, 1837, 225)
    assert shapes(cranfield) == [
        ("1", "experimental investigation of the aerody", 910),
        ("10", "the theory of the impact tube at low pre", 331),
        ("1400", "the buckling shear stress of simply-supp", 666),
    ]
    assert query_shapes(cranfield) == [
        ("1", "what similarity laws", 104),
        ("10", "are real-gas transpo", 99),
        ("225", "what design factors ", 85),
    ]
    assert judgment_rows(cranfield) == [("1", "184", 3), ("1", "57", 3), ("225", "1188", 0)]
    assert (cranfield.grades, cranfield.threshold) == ("graded:minus1=nonrelevant", 1.0)
    assert vocabulary(cranfield) == (155.12, 7436)
    assert not [d for d in cranfield.documents if d.text != d.fields["W"]]  # the title is not counted twice
    assert cranfield.documents.doc_ids == [str(n) for n in range(1, 1401)]


def test_cranfield_stray_markers_are_dropped_and_the_text_goes_on(cranfield: Collection) -> None:
    text = {doc_id: cranfield.documents.get(doc_id).text for doc_id in ("240", "576", "578")}
    assert "without injection .\nall calculations are" in text["240"]
    assert cranfield.documents.get("240").fields["A"] == "dean r. chapman"
    assert "for\nbenser, w.a.\nlimit characteristics" in text["576"]
    assert text["578"].startswith("dissociation scaling for nonequilibrium")
    assert "chapter xiii\ncompressor operation" in text["578"]
    assert not any(line in (".T", ".A", ".B", ".W") for t in cranfield.documents.texts for line in t.split("\n"))


@pytest.mark.parametrize(
    ("grades", "full", "gains"),
    [
        ("graded", "graded:minus1=nonrelevant", {4: 128, 3: 387, 2: 734, 1: 363, 0: 225}),
        ("graded:minus1=removed", "graded:minus1=removed", {4: 128, 3: 387, 2: 734, 1: 363}),
        ("graded:minus1=relevant", "graded:minus1=relevant", {4: 353, 3: 387, 2: 734, 1: 363}),
        ("binary", "binary:minus1=nonrelevant", {1: 1612, 0: 225}),
        ("binary:minus1=removed", "binary:minus1=removed", {1: 1612}),
        ("binary:minus1=relevant", "binary:minus1=relevant", {1: 1837}),
        ("raw", "raw:minus1=nonrelevant", {1: 128, 2: 387, 3: 734, 4: 363, -1: 225}),
        ("raw:minus1=removed", "raw:minus1=removed", {1: 128, 2: 387, 3: 734, 4: 363}),
        ("raw:minus1=relevant", "raw:minus1=relevant", {1: 353, 2: 387, 3: 734, 4: 363}),
    ],
)
@pytest.mark.usefixtures("corpora")
def test_cranfield_grades(grades: str, full: str, gains: dict[float, int]) -> None:
    collection = catalog.load("cranfield", grades=grades)
    assert collection.grades == full
    assert Counter(collection.qrels.relevance.tolist()) == gains


def test_cranfield_raw_files_by_path(corpora: Path) -> None:
    with noted() as notes:
        collection = catalog.load(corpora / "cranfield")
    assert notes == [
        "the queries of collection 'cranfield' are numbered by their place in the file: the judgments fit 1 to 225, "
        'and 73 of their 225 query numbers are not an .I number; if that is wrong, set number = "id" in a '
        "collection.toml"
    ]
    assert sizes(collection) == (1400, 225, 1837, 225)
    assert (collection.grades, collection.language, collection.in_catalog) == ("as given", "none", False)
    assert Counter(collection.qrels.relevance.tolist()) == {1: 128, 2: 387, 3: 734, 4: 363, -1: 225}
    assert collection.documents[0].text.count("wing in a slipstream .") == 2  # .T, and .W's copy of it


# CISI


@pytest.mark.system
@silent
def test_cisi_has_what_it_should(corpora: Path) -> None:
    cisi = catalog.load("cisi")
    assert sizes(cisi) == (1460, 112, 3114, 76)
    assert shapes(cisi) == [
        ("1", "18 Editions of the Dewey Decimal Classif", 587),
        ("10", "Access to Periodical Resources", 1218),
        ("1460", "Modern Integral Information Systems for ", 619),
    ]
    assert query_shapes(cisi) == [
        ("1", "What problems and co", 234),
        ("10", "The use of abstract ", 76),
        ("112", "    A fast algorithm", 436),
    ]
    assert judgment_rows(cisi) == [("1", "28", 1), ("1", "150", 1), ("111", "509", 1)]
    assert (cisi.grades, cisi.threshold) == ("binary", 1.0)
    assert vocabulary(cisi) == (124.34, 9986)
    assert list(cisi.documents.get("321").fields) == ["T", "A", "W", "X", "K", "C"]  # markers with a blank
    assert not any(re.search(r"^\d+\t\d+\t\d+$", text, re.MULTILINE) for text in cisi.documents.texts)  # .X
    assert list(catalog.load(str(corpora / "cisi")).documents) == list(cisi.documents)


# SciFact


@pytest.mark.system
@silent
@pytest.mark.usefixtures("corpora")
def test_scifact_has_what_it_should() -> None:
    scifact = catalog.load("scifact")
    assert sizes(scifact) == (5183, 1109, 339, 300)
    assert shapes(scifact) == [
        ("4983", "Microstructural development of human new", 1941),
        ("70490", "Simplifying likelihood ratios", 516),
        ("198309074", "Adhesion molecules and chemokines: relat", 1796),
    ]
    assert query_shapes(scifact) == [
        ("0", "0-dimensional biomat", 53),
        ("15", "50% of patients expo", 86),
        ("1395", "p16INK4A accumulatio", 151),
    ]
    assert judgment_rows(scifact) == [("1", "31715818", 1), ("50", "12580014", 1), ("1395", "17717391", 1)]
    assert (scifact.grades, scifact.split) == ("binary", "test")
    assert vocabulary(scifact) == (214.4, 35899)
    assert scifact.documents.field_names == ["title", "text"]  # no metadata: they hold the answers
    assert all(d.text == f"{d.fields['title']} {d.fields['text']}" for d in scifact.documents)
    assert sum(not d.text.isascii() for d in scifact.documents) == 1189
    doc_ids = scifact.documents.doc_ids
    assert doc_ids == sorted(doc_ids, key=int) != sorted(doc_ids)
