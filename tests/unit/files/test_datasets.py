"""Collections of ir_datasets: which fields result, and what is refused; a module in its place stands in for it."""

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from captured_notes import noted
from error_messages import raising
from shell import done

from toysearch import evaluate
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.datasets import read_dataset_qrels
from toysearch.files.document_formats import DATASET, read_records


class Page(NamedTuple):
    doc_id: str
    url: str
    headline: str
    body: str
    year: int
    links: tuple[str, ...]
    raw: bytes
    missing: None = None

    def default_text(self) -> str:
        return f"{self.headline} {self.body}"


class Plain(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class Trial(NamedTuple):
    doc_id: str
    title: str
    condition: str
    summary: str


class Topic(NamedTuple):
    query_id: str
    title: str
    description: str

    def default_text(self) -> str:
        return self.title


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str = "0"


class Dataset:
    """What ir_datasets.load gives, of lists."""

    def __init__(self, **parts: Iterable[Any]) -> None:
        for part in ("docs", "queries", "qrels"):
            setattr(self, f"has_{part}", lambda part=part: part in parts)
            setattr(self, f"{part}_iter", lambda part=part: iter(parts[part]))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """A function that puts a module with data sets in the place of ir_datasets."""

    def install(**datasets: Dataset) -> None:
        module = SimpleNamespace(registry=datasets, load=lambda name: datasets[name])
        monkeypatch.setitem(sys.modules, "ir_datasets", module)

    return install


def test_documents_of_any_kind(installed) -> None:
    page = Page("d1", "u", "Cats", "a cat", 2011, ("x", "y"), b"raw")
    trial = Trial("d3", "A trial", "cats", "how it went")
    installed(pets=Dataset(docs=[page, Plain("d2", "Dogs", "a dog"), trial]))
    assert list(read_records(DATASET, "documents", "pets")) == [
        (1, "d1", {"url": "u", "title": "Cats", "text": "a cat", "body": "a cat", "year": "2011", "links": "x y"}),
        (2, "d2", {"title": "Dogs", "text": "a dog"}),
        (3, "d3", {"title": "A trial", "condition": "cats", "summary": "how it went", "text": "cats how it went"}),
    ]


@pytest.mark.parametrize("prefix", ["irds", "ir_datasets"])
def test_a_name_with_slashes_stands_for_judgments(installed, prefix: str, tmp_path: Path) -> None:
    parts = {"queries": [Topic("1", "cat", "")], "qrels": [Judgment("1", "b", 1)], "docs": [Plain("b", "", "a cat")]}
    installed(**{"pets/dogs/test": Dataset(**parts)})
    name, run = f"{prefix}:pets/dogs/test", tmp_path / "mine.run"
    assert evaluate({"1": ["a", "b"]}, name, "RR")["RR"] == 0.5
    run.write_text("1 Q0 a 1 2 mine\n1 Q0 b 2 1 mine\n")
    for arguments in ([run, name], [run, "--qrels", name]):
        assert done("eval", *arguments, "-m", "RR", "--tsv").stdout == "system\tRR\nmine\t0.5\n"
    assert done("eval", name, "--model", "bm25", "-m", "RR", "--tsv").stdout == "system\tRR\nbm25\t1.0\n"


def test_a_pair_judged_twice_is_refused(installed) -> None:
    installed(pets=Dataset(qrels=[Judgment("1", "b", 2, "1"), Judgment("1", "b", 0, "2")]))
    columns = "its judgments have query_id, doc_id, relevance, subtopic_id"
    twice = f"ir_datasets:pets judges query '1' and document 'b' twice ({columns}); each pair may occur once"
    with raising(DataError, twice):
        read_dataset_qrels("pets")


def test_lone_surrogates_are_replaced(installed) -> None:
    installed(pets=Dataset(docs=[Plain("a\ud800", "", "b\udfff")]))
    with noted() as notes:
        assert list(read_records(DATASET, "documents", "pets")) == [(1, "a\ufffd", {"title": "", "text": "b\ufffd"})]
    assert notes == ["ir_datasets:pets: 2 lone surrogates read as U+FFFD"]


READERS = {
    "documents": partial(read_records, DATASET, "documents"),
    "queries": partial(read_records, DATASET, "queries"),
    "judgments": read_dataset_qrels,
}


@pytest.mark.parametrize("part", READERS)
def test_a_part_that_is_not_there(installed, part: str) -> None:
    installed(pets=Dataset())
    with raising(DataError, f"ir_datasets:pets has no {part}; name a collection that has some"):
        list(READERS[part]("pets"))


@pytest.mark.parametrize("part", READERS)
def test_an_unknown_name(installed, part: str) -> None:
    installed(cranfield=Dataset(), antique=Dataset())
    with raising(ArgumentError, "unknown data set 'cranfeld'; did you mean 'cranfield'? Data sets: cranfield, antique"):
        list(READERS[part]("cranfeld"))


@pytest.mark.parametrize("part", READERS)
def test_a_failure_of_the_package_is_told(installed, part: str) -> None:
    def failing() -> Iterable[Any]:
        raise RuntimeError("All download sources failed" + "!" * 500)
        yield

    installed(pets=Dataset(docs=failing(), queries=failing(), qrels=failing()))
    said = f"ir_datasets says: RuntimeError: All download sources failed{'!' * 159}…"
    with raising(DataError, f"ir_datasets:pets: its {part} could not be read; {said}"):
        list(READERS[part]("pets"))
