"""Every command refuses the same mistakes alike: a sentence that names what is wrong, exit code 2, no output."""

from collections.abc import Iterator

import click
import pytest
from shell import COLLECTIONS, every_command, example, run
from test_help_examples import folder  # noqa: F401  (a fixture)
from tiers import thinned

NO_FILE = "nowhere.txt: there is no such file"
NO_COLUMNS = "expected columns such as id=docno,text=body, found 'text'"
MISTAKES = {
    "--model": ("bm52", "unknown model 'bm52'; did you mean 'bm25'?"),
    "--measure": ("nDGC@10", "unknown measure 'nDGC'; did you mean 'nDCG'?"),
    "--measures": ("nDGC@10", "unknown measure 'nDGC'; did you mean 'nDCG'?"),
    "--baseline": ("bm52", "'bm52'; did you mean 'bm25'?"),
    "-k": ("0", "0 is not in the range x>=1."),
    "--alpha": ("2", "alpha must be a number between 0 and 1, not 2"),
    "--seed": ("-1", "-1 is not in the range x>=0."),
    "--threads": ("0", "0 is not in the range x>=1."),
    "--threshold": ("high", "'high' is not a number."),
    "--test": ("z", "'z' is not one of 't', "),
    "--correction": ("z", "'z' is not one of 'holm', "),
    "--ties": ("z", "'z' is not one of 'rank', 'trec_eval'"),
    "--undefined": ("z", "'z' is not one of 'zero', 'nan'."),
    "--query-mode": ("z", "'z' is not one of 'lenient', 'strict', 'plain'."),
    "--format": ("pdf", "'pdf' is not one of 'table', 'tsv', "),
    "--analyzer": ("klingon", "unknown language 'klingon'. Languages: none, "),
    "--language": ("klingon", "unknown language 'klingon'. Languages: none, "),
    "--formula": ("log(tf", "'log(tf' is not a formula: '(' was never closed at character 4"),
    "--set": ("k", "--set 'k' is not of the form NAME=VALUE; an example: --set k=1.2"),
    "--queries": ("nowhere.txt", NO_FILE),
    "--qrels": ("nowhere.txt", NO_FILE),
    "--columns": ("text", NO_COLUMNS),
    "--query-columns": ("text", NO_COLUMNS),
    "--qrels-columns": ("relevance", "expected columns such as doc_id=artikel,relevance=note, found 'relevance'"),
    "--fields": ("nothing", "unknown field 'nothing'. Fields: "),
    "--query-fields": ("nothing", "unknown query field 'nothing'. Query fields: "),
    "--ids": ("z", "'z' is not one of 'refuse', 'first', 'last', 'number'."),
    "--on-error": ("z", "'z' is not one of 'refuse', 'skip'."),
    "--encoding": ("utf-7000", "unknown encoding 'utf-7000'; usual ones are utf-8, "),
    "--input-format": ("pdf", "unknown input format 'pdf'. Input formats: beir, "),
    "--grades": ("z", "'z'"),
    "--split": ("z", "split 'z'"),
}
"""An option, a value that no command takes, and what the sentence says."""
BEFORE = {
    ("clicks model", "--columns"): "expected columns such as doc_id=artikel,clicked=note, found 'text'",
    ("check", "--qrels"): "--qrels: only with a run; leave it out to check 'cat-dog-parrot'",
}
"""A command whose first example takes an option with no value."""

OF_NAMES = ("corpora show", "corpora get", "check", "convert", "index", "add", "eval")
"""Commands that take the name of a collection, and an index otherwise or not at all."""
SOURCE = {
    "query": ["query", "cat* AND (train OR leash~1)^2", "companions"],
    "search": ["search", "companions", "--query-id", "12"],
    "explain": ["explain", "companions", "p271", "--query-id", "12"],
}
"""Arguments with a source and its queries, where the first example has none."""


def without(arguments: list[str], names: set[str], command: click.Command) -> list[str]:
    """The arguments without an option, in all its spellings, and its value."""
    flags = {name for option in command.params if getattr(option, "is_flag", False) for name in option.opts}
    rest, skipped = [], False
    for argument in arguments:
        if skipped:
            skipped = False
        elif argument in names:
            skipped = argument not in flags
        else:
            rest.append(argument)
    return rest


def cases() -> Iterator[tuple[str, list[str], str]]:
    """Every command with every mistake that its options allow."""
    for name, command in every_command():
        arguments = SOURCE.get(name) or example(name)
        for option in command.params:
            known = next((spelling for spelling in option.opts if spelling in MISTAKES), None)
            if known is None or (known == "--seed" and option.type is click.STRING):
                continue  # the seed of a class is a text
            same = {*option.opts, *({"--formula"} if known == "--model" else set())}
            value, sentence = MISTAKES[known]
            sentence = BEFORE.get((name, known), sentence)
            yield f"{name} {known} {value}", [*without(arguments, same, command), known, value], sentence
        place = next((place for place, word in enumerate(arguments) if word in COLLECTIONS), None)
        if place is None or name.startswith("labs"):
            continue
        misspelt = [*arguments[:place], "cat-dog-parot", *arguments[place + 1 :]]
        yield f"{name} of no collection", misspelt, "unknown collection, file or folder 'cat-dog-parot'; did you mean"
        if any("--analyzer" in option.opts for option in command.params) and name not in OF_NAMES:
            changed = [*arguments[:place], "pets.idx", *arguments[place + 1 :], "--analyzer", "english"]
            yield f"{name} of an index", changed, "'pets.idx' is an index, which stores its own analysis: --analyzer"


CASES = [pytest.param(*case, id=title) for title, *case in cases()]
assert len(CASES) >= 480, "commands or options dropped out of the walk"


@pytest.mark.parametrize(("arguments", "sentence"), thinned(CASES, 5))
def test_a_mistake_is_refused(folder, monkeypatch, arguments, sentence):  # noqa: F811
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert sentence in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before
