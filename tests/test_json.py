"""One vocabulary of JSON: every key that a command prints is in docs/look-up/json.md, with its type."""

import json
import re

import pytest
from conftest import ROOT
from shell import every_command, example_on, run

from toysearch.cli.commands import by_name

pytestmark = pytest.mark.system

PAGE = ROOT / "docs" / "look-up" / "json.md"
PETS = "cat-dog-parrot"
TWO = ("--model", "bm25", "--model", "tfidf")
COMMANDS = [
    ("search", PETS, "train cat"),
    ("search", PETS, "train cat", "--explain"),
    ("search", "companions", "old dog", "--where", "topic = health", "--facets", "topic,date"),
    ("search", PETS, "train cat", "--model", "rm3(bm25)", "--explain"),
    ("similar", PETS, "1"),
    ("similar", PETS, "--matrix", "1,2"),
    ("fuse",),
    ("index", PETS, "-o", "other"),
    ("show", "pets"),
    ("show", "pets", "--term", "cat"),
    ("show", "pets", "--doc", "1"),
    ("show", "pets", "--complete", "old ca"),
    ("analyze", "The cats' toys"),
    ("query", '+cat "train dog"', "pets"),
    ("query", "cat dog"),
    ("eval", PETS, *TWO),
    ("eval", PETS, "--per-query"),
    ("eval", PETS, "--explain", "AP", "--query-id", "1"),
    ("eval", PETS, "--time"),
    ("eval", PETS, "--methods"),
    ("eval", PETS, *TWO, "--hardest", "2"),
    ("eval", "languages", "--query-fields", "text|wording_2"),
    ("compare", "languages", "--query-fields", "text|wording_2", *TWO),
    ("score", "R I R"),
    ("eval", PETS, "--convention", "all"),
    ("compare", PETS, *TWO),
    ("compare", PETS, *TWO, "--power", "--agreement"),
    ("compare", PETS, *TWO, "--per-query"),
    ("diff", PETS, *TWO),
    ("diff", PETS, *TWO, "--query-id", "3"),
    ("diff", "companions", "--analyzer", "plain", "--analyzer", "english", "--query-id", "41"),
    ("report", PETS, *TWO),
    ("tune", PETS, "--grid", "b=0,1"),
    ("ablate", PETS),
    ("robustness", PETS),
    ("gate", "relevance.toml"),
    ("verify", PETS),
    ("learn", PETS, "--learner", "lambdamart:rows=1"),
    ("judge", "pool", "a.run", "b.run"),
    ("eval", "a.run", PETS, "--bounds"),
    ("judge", "agree", "ada.csv", "ben.csv"),
    ("judge", "agree", "ada.csv", "ben.csv", "eva.csv"),
    ("judge", "agree", "ada.csv", "ben.csv", "eva.csv", "--per-query"),
    ("judge", "rejudge", PETS, *TWO, "--by", "ada.csv", "-m", "RR", "--test", "t"),
    ("compare", PETS, *TWO, "--by", "length"),
    ("clicks", "interleave", "a.run", "b.run"),
    ("clicks", "model", "clicks.csv"),
    ("explain", PETS, "--query", "train cat", "--doc", "1"),
    ("explain", PETS, "--query", "train cat", "--doc", "1", "--doc", "2"),
    ("explain", PETS, "--query", "train cat", "--doc", "1", "--model", "0.5*bm25 + 0.5*tfidf"),
    ("models",),
    ("models", "bm25"),
    ("models", "bm25", "--curve", "tf"),
    ("measures",),
    ("measures", "AP"),
    ("similar", "--texts", "a cat", "a dog"),
    ("textbook", "means", "2", "8"),
    ("textbook", "examples"),
    ("corpora",),
    ("corpora", "show", PETS),
    ("corpora", "show", "languages"),
    ("docs",),
    ("docs", "first-search"),
    ("docs", "query", "latency"),
    ("check", PETS),
    ("check", "a.run"),
    ("textbook", "links", "links.txt"),
    ("textbook", "links", "links.txt", "--method", "hits"),
    ("textbook", "relevance", PETS, "train cat", "--relevant", "1"),
]
NAMES = {name for name, command in every_command() if "--json" in by_name(command)}


def name_of(arguments):
    """The command of some arguments, with its group."""
    return " ".join(arguments[:2]) if " ".join(arguments[:2]) in NAMES else arguments[0]


ASKED = {name_of(arguments) for arguments in COMMANDS}
UNLISTED = sorted(name for name in NAMES - ASKED if not name.startswith("labs "))
COMMANDS += [(*name.split(), *example_on(PETS, name)) for name in UNLISTED]
"""Of any other command its example."""


KINDS = {str: "text", bool: "truth", int: "number", float: "number", list: "list", dict: "object"}
MAPS = ("map", "maps")
ROW = re.compile(
    r"^\| `(?P<key>[^`]+)` \| (?P<kind>\w+( or \w+)?) \| (\*(?P<places>[^*|]+)\*: )?(?P<meaning>[^|]+) \|$",
    re.MULTILINE,
)


def vocabulary():
    """(key, place or "") → type."""
    rows = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    return {(row["key"], place.strip()): row["kind"] for row in rows for place in (row["places"] or "").split(",")}


WORDS = vocabulary()


def unknown_keys(value, place, words=WORDS):
    """The keys of a value that the vocabulary lacks, or has with another type."""
    if isinstance(value, list):
        for item in value:
            yield from unknown_keys(item, place)
    if isinstance(value, dict):
        for key, part in value.items():
            kinds = (words.get((key, place)) or words.get((key, "")) or "").split(" or ")
            if kinds == ["maps"] and isinstance(part, list):
                part = dict(enumerate(part))
            is_map = isinstance(part, dict) and any(kind in MAPS for kind in kinds)
            if not is_map and part is not None and KINDS[type(part)] not in kinds and kinds != ["any"]:
                yield f"{key} in {place}: {KINDS[type(part)]}, the vocabulary has {' or '.join(kinds) or 'no such key'}"
            elif is_map:
                inner = [value for value in part.values() if not (kinds == ["maps"] and isinstance(value, dict))]
                yield from unknown_keys(inner, key)
            else:
                yield from unknown_keys(part, key)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    run("run", PETS, "-o", folder / "a.run")
    run("run", PETS, "--model", "tfidf", "-o", folder / "b.run")
    run("index", PETS, "-o", folder / "pets", "--positions")
    for name, grades in {"ada": "101", "ben": "001", "eva": "011"}.items():
        rows = "".join(f"1,{number},{grade}\n" for number, grade in enumerate(grades, 1))
        (folder / f"{name}.csv").write_text(f"query_id,doc_id,grade\n{rows}")
    (folder / "clicks.csv").write_text("session,query,rank,doc,clicked,system\n1,1,1,1,1,bm25\n1,1,2,2,0,tfidf\n")
    (folder / "links.txt").write_text("a b\nb a\nb c\n")
    (folder / "relevance.toml").write_text(
        f'collection = "{PETS}"\nmodel = "bm25"\n[[expect]]\ntext = "train a parrot"\ndocument = 3\nin_first = 1\n'
        '[[expect]]\nmeasure = "P@1"\nat_least = 1\n'
    )
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_keys_of_a_command_are_those_of_the_vocabulary(arguments, files, monkeypatch):
    monkeypatch.chdir(files)
    result = run(*arguments, "--json")
    assert result.stdout, result.stderr
    data = json.loads(result.stdout)
    assert sorted(set(unknown_keys(data, f"toysearch {name_of(arguments)}"))) == [], (
        "a row for each key in docs/look-up/json.md"
    )


def test_a_word_stands_once_and_in_order():
    keys = [match["key"].lower() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    assert keys == sorted(keys)
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(lines) == len(keys)
    assert len(set(lines)) == len(lines)


def test_what_differs_from_the_vocabulary_is_named():
    assert list(unknown_keys({"mistaken": 1}, "toysearch eval")) == [
        "mistaken in toysearch eval: number, the vocabulary has no such key"
    ]
    assert list(unknown_keys({"wins": "1"}, "pairs")) == ["wins in pairs: text, the vocabulary has number"]
    assert list(unknown_keys({"setting": {"k1": 1.2}, "alpha": None}, "toysearch tune")) == []
