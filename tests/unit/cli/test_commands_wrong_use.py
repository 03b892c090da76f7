"""A walk over every command: paths of nothing and of the wrong kind, numbers, missing extras, sources that clash.

Each is refused alike: exit code 2, nothing on standard output, and no traceback.
"""

import importlib.abc
import re
import sys
from collections.abc import Iterator

import click
import pytest
from river_collection import write_rivers
from shell import COLLECTIONS, done, every_command, example, run
from tiers import thinned

from toysearch.base.optional_packages import present

COMMANDS = dict(every_command())
SOUND = {
    "documents": "documents.csv",
    "collection": "own",
    "index": "own.idx",
    "run": "one.run",
    "second": "two.run",
    "qrels": "qrels.csv",
    "votes": "votes.jsonl",
    "clicks": "clicks.csv",
    "gate": "gate.toml",
    "links": "links.txt",
    "labs": "labs",
    "board": "board",
}
"""What a place of a command is for, and a file or folder that is right there."""
LINES = """
search {documents} rivers
index {documents} -o new.idx
run {collection} -o new.run
explain {collection} d1 --query rivers
similar {documents} d1
fuse {run} {second}
serve {documents}
eval {run} {qrels}
compare {run} {second} {qrels}
diff {run} {second} {qrels}
tune {collection} --grid k1=1,2
score R
report {run} {second} {qrels} --json
add {index} {documents}
delete {index} d1
show {index}
analyze rivers
query rivers {documents}
ablate {collection}
robustness {collection} --only rare
gate {gate}
learn {collection} --learner logistic --features bm25
verify {collection}
judge pool {run} {second}
judge agree {qrels} {qrels}
judge merge {qrels}
judge rejudge {run} {second} {qrels} --by {qrels}
judge votes {votes}
clicks interleave {run} {second}
clicks model {clicks}
models bm25
measures AP
docs queries
demo
corpora show {collection}
corpora get cranfield
convert {collection} --to beir -o new
check {collection}
labs start 1
labs grade {labs}
textbook links {links}
textbook relevance {documents} rivers --relevant d1
textbook means 1 2
textbook examples A
"""
FORMS = {
    name: line.split()
    for line in LINES.strip().splitlines()
    for name in sorted(COMMANDS, key=len)
    if line.split()[: len(name.split())] == name.split()
}
PLACES = {**dict.fromkeys(COLLECTIONS, "collection"), "mine.run": "run", "theirs.run": "second", "qrels.txt": "qrels"}
UNLISTED = {
    name: [f"{{{PLACES[word]}}}" if word in PLACES else word for word in example(name)]
    for name in {*COMMANDS} - {*FORMS}
}
FORMS |= UNLISTED
"""Of any other command its example, with the files that are here."""
WRONG = ("nowhere.txt", "hollow", "image.png", "empty.txt", "one.run", "qrels.csv", "gate.toml", "own.idx")
"""Nothing, an empty folder, and files of other kinds."""
RIGHT = {
    *((name, "own.idx") for name in ("search", "explain", "similar", "query", "serve")),
    ("textbook relevance", "own.idx"),
    *((name, "one.run") for name in ("fuse", "diff", "judge pool", "judge rejudge")),  # twice the same run
    ("gate", "empty.txt"),  # no expectation at all: exit code 1
    *(("check", wrong) for wrong in WRONG[1:]),  # it says what is wrong with anything: exit code 1
}
"""What is no mistake."""


def placed(name: str, **others: str) -> list[str]:
    """The words of a command with its files, or with others in some places."""
    files = SOUND | others
    return [files[word[1:-1]] if word.startswith("{") else word for word in FORMS[name]]


def of_paths(name: str) -> Iterator[list[str]]:
    """A command with the wrong path in one place."""
    for place in dict.fromkeys(word[1:-1] for word in FORMS[name] if word.startswith("{")):
        for wrong in WRONG:
            is_right = (name, wrong) in RIGHT or (name in UNLISTED and wrong == "own.idx")
            if not is_right and wrong != SOUND[place]:
                yield placed(name, **{place: wrong})


def of_numbers(name: str) -> Iterator[list[str]]:
    """A command with no number, and a number out of its range, for each option that takes one."""
    for option in COMMANDS[name].params:
        kind = option.type
        if isinstance(option, click.Option) and isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
            low, high = getattr(kind, "min", None), getattr(kind, "max", None)
            bad = ["many"] if isinstance(kind, click.types.IntParamType) else ["many", "nan"]
            bad += [str(low if kind.min_open else low - 1)] if low is not None else []
            bad += [str(high if kind.max_open else high + 1)] if high is not None else []
            yield from ([*placed(name), max(option.opts, key=len), each] for each in bad)


def of_standard_input(name: str) -> Iterator[list[str]]:
    """A command that would read standard input twice."""
    places = [at for at, word in enumerate(FORMS[name]) if word[1:-1] in {*SOUND} - {"index", "board", "labs"}]
    options = [option.opts[0] for option in COMMANDS[name].params if option.name in ("qrels", "queries", "judged")]
    if len(places) > 1:
        yield ["-" if at in places[:2] else word for at, word in enumerate(placed(name))]
    for option in options if places else []:
        yield [*("-" if at == places[0] else word for at, word in enumerate(placed(name))), option, "-"]
    if len(options) > 1:
        yield [*placed(name), options[0], "-", options[1], "-"]


def of_two_sources(name: str) -> Iterator[list[str]]:
    """A command of one source that is given an index too."""
    for at, word in enumerate(FORMS[name]):
        one = word[1:-1] in ("documents", "collection", "index", "gate", "votes", "clicks", "links", "board")
        if one and name not in (
            "search",
            "check",
            "serve",
            *UNLISTED,
        ):  # words of the query, more to check, more to serve
            yield [*placed(name)[: at + 1], "own.idx", *placed(name)[at + 1 :]]


KINDS = {
    "path": (of_paths, 337, ""),
    "number": (of_numbers, 171, ""),
    "standard input": (of_standard_input, 50, "standard input (-) can be read only once; give the others as files"),
    "two sources": (of_two_sources, 21, ""),
}
"""What is wrong, the commands with it, how many there are at least, and what all of them say."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = write_rivers(tmp_path_factory.mktemp("wrong"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done("index", "own", "-o", "own.idx")
    return folder


def faults(words: list[str], said: str) -> list[str]:
    """A command that is not refused as it should be."""
    result = run(*words, stdin="")
    sentence = re.search(r"^(Error|toysearch): (.|\n  )+\Z", result.stderr.rstrip(), flags=re.MULTILINE)
    sound = (result.exit_code, result.stdout) == (2, "") and isinstance(result.exception, SystemExit)
    return [] if sound and sentence and said in sentence[0] else [" ".join(words)]


def test_the_walk_has_all_commands_and_all_mistakes():
    for walk, number, _ in KINDS.values():
        assert sum(len([*walk(name)]) for name in FORMS) >= number


@pytest.mark.parametrize("name", thinned(FORMS, 3))
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_refused(folder, monkeypatch, kind, name):
    monkeypatch.chdir(folder)
    walk, _, said = KINDS[kind]
    assert [fault for words in walk(name) for fault in faults(words, said)] == []


class Missing(importlib.abc.MetaPathFinder):
    """A package that is not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


@pytest.fixture
def hidden(monkeypatch):
    """A function after which a package is missing."""

    def hide(package: str) -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Missing(package), *sys.meta_path])
        present.cache_clear()

    yield hide
    monkeypatch.undo()
    present.cache_clear()


TWO = "report own --model bm25 --model dice"
SPREAD = [name for name in FORMS if any("--workers" in option.opts for option in COMMANDS[name].params)]
EXTRAS = [
    ("page", "starlette", "serve own"),
    ("page", "uvicorn", "serve own"),
    ("page", "jinja2", "serve own"),
    ("charts", "altair", f"{TWO} -o new.html"),
    ("charts", "jinja2", f"{TWO} -o new.html"),
    ("charts", "vl_convert", f"{TWO} --chart pr -o new.svg"),
    ("datasets", "ir_datasets", "search ir_datasets:vaswani cat"),
    *(("cluster", "distributed", " ".join(placed(name))) for name in SPREAD),
]
"""An extra, a package of it, and a command that needs it."""


@pytest.mark.parametrize(("extra", "package", "line"), EXTRAS)
def test_a_missing_extra_is_named(folder, monkeypatch, hidden, extra, package, line):
    monkeypatch.chdir(folder)
    hidden(package)
    words = [*line.split(), *(["--workers", "1"] if extra == "cluster" else [])]
    assert faults(words, f"pip install 'toysearch[{extra}]'") == []
