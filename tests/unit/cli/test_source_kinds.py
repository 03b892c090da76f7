"""An option has an effect or is refused: commands × options × kinds of source."""

import functools
from pathlib import Path

import pytest
from river_collection import FILES, JUDGMENTS, QUERIES, ranked_lines
from shell import done, every_command, example_on, run
from tiers import EVERYTHING

from toysearch.cli.options import SourceOptions
from toysearch.cli.source_kinds import CHECKED, EFFECTS, INDEX_ALONE, NO_SOURCE, SourceKinds, has_effect
from toysearch.files.reading import Reading

REPEATED = {"documents.csv": "d1,Otters,Otters again\n", "queries.csv": "1,cold\n"}
BROKEN = {"documents.csv": "d5,Eels\n", "queries.csv": "4\n", "qrels/test.csv": "3,d4,good\n"}
LENIENT = "the rivers -cold"

VALUES: dict[str, list[str]] = {
    "model": ["--model", "tfidf"],
    "models": ["--model", "tfidf"],
    "formulas": ["--formula", "tf"],
    "settings": ["--set", "w=2"],
    "k": ["-k", "1"],
    "threads": ["--threads", "1"],
    "analyzer": ["--analyzer", "english:stem=porter"],
    "language": ["--language", "english"],
    "stop": ["--stop", "sklearn"],
    "fields": ["--fields", "nothing"],
    "columns": ["--columns", "text=nothing"],
    "records": ["--records", "nothing"],
    "input_format": ["--input-format", "smart"],
    "query_fields": ["--query-fields", "nothing"],
    "query_columns": ["--query-columns", "text=nothing"],
    "qrels_columns": ["--qrels-columns", "relevance=nothing"],
    "grades": ["--grades", "nothing"],
    "split": ["--split", "nothing"],
    "ids": ["--ids", "first"],
    "on_error": ["--on-error", "skip"],
    "rejected": ["--on-error", "skip", "--rejected", "kept.txt"],
    "encoding": ["--encoding", "cp037"],
    "get": ["--get"],
    "queries": ["--queries", "other.csv"],
    "qrels": ["--qrels", "sparse.csv"],
    "query_mode": ["--query-mode", "lenient"],
    "known_items": ["--known-items", "sentence"],
    "run_columns": ["--run-columns", "score=nothing"],
}
"""Each option with a value that is seen if it is used: another result, or a value that these files do not have."""

SEEN_ELSEWHERE = ("threads", "get")
"""Options with which the results are the same: how fast they come, and whether missing files are fetched."""

FAULTY = {"ids": "repeated", "on_error": "broken", "rejected": "broken"}
"""Option → the folder of which the files have the faults that it is for."""


def written(folder: Path, faults: dict[str, str]) -> None:
    """A collection of the catalog, the same files in a folder, indexes, runs and judgments."""
    for place in ("catalog/rivers", "catalog/lakes", "own"):
        for name, text in FILES.items():
            (folder / place / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / place / name).write_text(text + ("" if "lakes" in place else faults.get(name, "")))
    for place in ("rivers", "lakes"):
        (folder / "catalog" / place / "collection.toml").write_text(f'title = "{place}"\n')
    (folder / "queries.csv").write_text(QUERIES)
    (folder / "qrels.csv").write_text(JUDGMENTS + faults.get("qrels/test.csv", ""))
    (folder / "other.csv").write_text("query_id,text\n1,beavers\n")
    (folder / "sparse.csv").write_text("query_id,doc_id,relevance\n1,d3,1\n")
    (folder / "ids.txt").write_text("1\n2\n")
    for name in ("one", "two"):
        (folder / f"{name}.run").write_text(ranked_lines(name))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same files without faults, with repeated records, and with broken ones; the indexes have none."""
    folder = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        for name, faults in {"sound": {}, "repeated": REPEATED, "broken": BROKEN}.items():
            written(folder / name, {})
            patch.chdir(folder / name)
            patch.setenv("TOYSEARCH_CORPORA", str(folder / name / "catalog"))
            done("index", "rivers", "-o", "rivers.idx")
            done("index", "own/documents.csv", "-o", "bare.idx")
            written(folder / name, faults)
        yield folder


OWN = SourceKinds("files", "files", "files")
NAMED = SourceKinds("collection", "collection", "collection")
FROM_FILES = ["--queries", "queries.csv", "--qrels", "qrels.csv"]
SOURCES: dict[str, tuple[list[str], SourceKinds]] = {
    "a collection": (["rivers"], NAMED),
    "a folder": (["./own"], OWN),
    "a folder, some of its queries": (["./own", "--queries", "ids.txt"], OWN),
    "a folder, other topics": (["./own", *FROM_FILES], SourceKinds("files", "file", "file")),
    "a folder, topics of a collection": (
        ["./own", "--queries", "lakes", "--qrels", "lakes"],
        SourceKinds("files", "other", "other"),
    ),
    "an index": (["rivers.idx"], SourceKinds("index", "collection", "collection")),
    "an index, other topics": (["bare.idx", *FROM_FILES], SourceKinds("index", "file", "file")),
    "runs": (["one.run", "qrels.csv"], SourceKinds("runs", "runs", "file", "runs")),
    "runs, some queries": (
        ["one.run", "qrels.csv", "--queries", "queries.csv"],
        SourceKinds("runs", "ids", "file", "runs"),
    ),
    "runs of a collection": (["one.run", "rivers"], SourceKinds("runs", "runs", "collection", "runs")),
    "runs of a folder": (["one.run", "./own"], SourceKinds("runs", "runs", "files", "runs")),
}
"""What is named on the command line, and the kinds of source that it is."""
READ = [*SOURCES][:7]
UNREAD = ["a collection", "a folder", "an index"]

DOORS: dict[str, tuple[list[str], list[str]]] = {
    "eval": (["eval", "SOURCE", "-m", "AP", "--tsv"], [*SOURCES]),
    "search": (["search", "SOURCE", LENIENT], UNREAD),
    "search --query-id": (["search", "SOURCE", "--query-id", "2"], READ),
    "similar": (["similar", "SOURCE", "d1"], UNREAD),
    "check": (["check", "SOURCE"], [*UNREAD, "runs", "runs of a collection"]),
    "corpora show": (["corpora", "show", "SOURCE"], UNREAD[:2]),
    "query": (["query", LENIENT], ["no source"]),
}
"""A command for each way to read a source, with its kinds."""


def kinds_at(door: str, named: str, option: str) -> SourceKinds:
    """The kinds of a source as a command reads it with an option."""
    kinds = NO_SOURCE if named == "no source" else SOURCES[named][1]
    if door == "check":
        return CHECKED if "runs" in named else INDEX_ALONE if kinds.documents == "index" else kinds
    if door in ("search", "similar"):
        return SourceKinds(kinds.documents, "unread", "unread")
    if option == "known_items" and "--queries" in SOURCES[named][0]:
        return kinds._replace(queries="ids")
    return kinds._replace(**{option: "file"}) if option == "queries" else kinds


def options_of(command: str) -> list[str]:
    """The options of a command that the table has."""
    return [str(each.name) for each in dict(every_command())[command].params if each.name in EFFECTS]


def cells():
    """The door, the name of the source, and the option."""
    for door, (words, named) in DOORS.items():
        command = next(name for name in (" ".join(words[:2]), words[0]) if name in dict(every_command()))
        for name in named:
            given = [] if name == "no source" else SOURCES[name][0]
            yield from (
                (door, name, option)
                for option in options_of(command)
                if f"--{option}" not in given and (door, option) != ("check", "qrels")
            )


CELLS = [*cells()]


def some(cells, sides):
    """All cells, or of `make test` those with a side that no cell before has."""
    seen = set()
    for cell in cells:
        if EVERYTHING or {*sides(cell)} - seen:
            yield cell
        seen |= {*sides(cell)}


def place(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.chdir(folder)
    patch.setenv("TOYSEARCH_CORPORA", str(folder / "catalog"))


@functools.cache
def without(folder: Path, words: tuple[str, ...]) -> tuple[int, str, str]:
    """What a command answers without the option."""
    result = run(*words)
    return result.exit_code, result.stdout, result.stderr


def test_there_is_a_value_for_each_option_and_a_row_for_each_source_option():
    options = {*vars(Reading()), *SourceOptions._fields} - {"reading", "report", "texts_only", "several"}
    assert {*EFFECTS} - {*VALUES} <= options
    assert options <= {*EFFECTS}
    assert len(CELLS) > 640


@pytest.mark.parametrize("door", DOORS)
def test_an_option_has_an_effect_or_is_refused(folders, monkeypatch, door):
    wrong = []
    of_door = [cell for cell in CELLS if cell[0] == door]
    for _, named, option in some(of_door, lambda cell: cell[1:]):
        folder = folders / FAULTY.get(option, "sound")
        place(monkeypatch, folder)
        given = [] if named == "no source" else SOURCES[named][0]
        words = tuple(word for each in DOORS[door][0] for word in (given if each == "SOURCE" else [each]))
        value = ["--query-mode", "plain"] if option == "query_mode" and LENIENT in words else VALUES[option]
        if not is_as_the_table_says(words, value, has_effect(option, kinds_at(door, named, option)), option):
            wrong.append(" ".join([*words, *value]))
    assert not wrong, "\n" + "\n".join(wrong)


def is_as_the_table_says(words: tuple[str, ...], value: list[str], effective: bool, option: str) -> bool:
    """Whether an option with a value is refused by its name, or changes the answer or writes its file."""
    name = value[-2:][0]
    for kept in ("kept.jsonl", "kept.txt"):
        Path(kept).unlink(missing_ok=True)
    if effective and option in SEEN_ELSEWHERE:
        return True
    result = run(*words, *value)
    last = (result.stderr.splitlines() or [""])[-1]
    refused = name in last and (": only with" in last or "cannot be chosen here" in last)
    if not effective:
        return result.exit_code == 2 and name in last and result.stdout == ""
    before = without(Path.cwd(), (*words, *value[:-2]))
    is_other = (value[-1].startswith("kept") and Path(value[-1]).exists()) or (
        result.exit_code,
        result.stdout,
        result.stderr,
    ) != before
    return is_other and not refused and result.exit_code in (0, 1, 2)


TWO = ["--model", "bm25", "--model", "tfidf"]
COMMANDS: dict[str, list[str]] = {
    "search": ["search", "SOURCE", "--query-id", "1"],
    "run": ["run", "SOURCE", "-o", "made.run"],
    "explain": ["explain", "SOURCE", "d1", "--query-id", "1"],
    "similar": ["similar", "SOURCE", "d1"],
    "eval": ["eval", "SOURCE"],
    "compare": ["compare", "SOURCE"],
    "diff": ["diff", "SOURCE"],
    "tune": ["tune", "SOURCE", "--grid", "k1=1,2"],
    "report": ["report", "SOURCE", "-o", "made.html"],
    "query": ["query", "rivers", "SOURCE"],
    "ablate": ["ablate", "SOURCE"],
    "robustness": ["robustness", "SOURCE"],
    "learn": ["learn", "SOURCE", "--learner", "logistic"],
    "verify": ["verify", "SOURCE"],
    "judge rejudge": ["judge", "rejudge", "SOURCE", "--by", "sparse.csv"],
    "check": ["check", "SOURCE"],
    "textbook relevance": ["textbook", "relevance", "SOURCE", "rivers", "--relevant", "d1"],
}
"""Each command that takes an index, or runs instead of it."""
WAITING = "serve"  # for requests
NO_INDEX = ("index", "add", "convert", "corpora show")
"""Commands that take documents alone, of which an index is none."""
MODELS = ("compare", "diff", "report", "judge rejudge")
RUNS = {"eval": ["one.run"], **{name: ["one.run", "two.run"] for name in MODELS}}
TAKEN: dict[str, tuple[list[str], SourceKinds]] = {
    "an index": SOURCES["an index"],
    "an index without topics": (["bare.idx"], SourceKinds("index", "bare index", "bare index")),
    "an index, other topics": SOURCES["an index, other topics"],
    "runs": SOURCES["runs"],
}


def refusals():
    """The words of a command, and an option that has no effect on its source."""
    reading = {name for name, command in every_command() if any(option.name == "ids" for option in command.params)}
    unlisted = {
        name: [*name.split(), *example_on("SOURCE", name)] for name in reading - {*COMMANDS, *NO_INDEX, WAITING}
    }
    for command, words in {
        **COMMANDS,
        **{name: words for name, words in unlisted.items() if takes_index(words)},
    }.items():
        for named, (given, kinds) in TAKEN.items():
            if (named == "runs" and command not in RUNS) or not {*given[1::2]} <= {"qrels.csv", *flags(command)}:
                continue
            source = [*RUNS[command], "qrels.csv"] if named == "runs" else [*given, *(TWO * (command in MODELS))]
            if command in ("similar", "query", "textbook relevance"):
                asked = kinds.queries if "--queries" in given else "unread"
                kinds = SourceKinds(kinds.documents, asked, asked)
            kinds = INDEX_ALONE if command == "check" else kinds
            for option in options_of(command):
                if f"--{option}" not in given and option not in ("queries", "qrels", "settings"):
                    typed = [word for each in words for word in (source if each == "SOURCE" else [each])]
                    if not has_effect(option, kinds):
                        yield [*typed, *VALUES[option]], VALUES[option][-2:][0]


def takes_index(words: list[str]) -> bool:
    assert "SOURCE" in words, f"{' '.join(words)}: the first example in the help of a command names a collection"
    return "is an index" not in run(*("rivers.idx" if word == "SOURCE" else word for word in words)).stderr


def flags(command: str) -> list[str]:
    return [name for option in dict(every_command())[command].params for name in option.opts]


def test_every_command_refuses_what_has_no_effect(folders, monkeypatch):
    place(monkeypatch, folders / "sound")
    wrong, every = [], [*refusals()]
    for words, name in some(every, lambda cell: (cell[0][0], cell[1])):
        result = run(*words)
        if (result.exit_code, result.stdout) != (2, "") or name not in (result.stderr.splitlines() or [""])[-1]:
            wrong.append(f"{' '.join(words)}: {result.stderr}")
    assert not wrong, "\n" + "\n".join(wrong)
    assert len(every) > 580
