"""Every command refuses the same mistakes alike: a sentence that names what is wrong, exit code 2, no output."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest
from lengths import thinned
from shell import alone, run
from test_help_examples import folder  # noqa: F401  (a fixture)

from toysearch.cli import main

MISTAKES = {
    "--model": ("bm52", "bm25"),
    "--baseline": ("bm52", "bm52"),
    "--measure": ("nDGC@10", "nDCG"),
    "--measures": ("nDGC@10", "nDCG"),
    "-k": ("0", "0"),
    "--alpha": ("2", "2"),
    "--seed": ("-1", "-1"),
    "--threads": ("0", "0"),
    "--threshold": ("high", "high"),
    "--test": ("z", "z"),
    "--correction": ("z", "z"),
    "--ties": ("z", "z"),
    "--undefined": ("z", "z"),
    "--query-mode": ("z", "z"),
    "--format": ("pdf", "pdf"),
    "--analyzer": ("klingon", "klingon"),
    "--language": ("klingon", "klingon"),
    "--formula": ("log(tf", "log(tf"),
    "--set": ("k", "--set"),
    "--queries": ("nowhere.txt", "nowhere.txt"),
    "--qrels": ("nowhere.txt", "nowhere.txt"),
    "--columns": ("text", "text"),
    "--query-columns": ("text", "text"),
    "--qrels-columns": ("relevance", "relevance"),
    "--fields": ("nothing", "nothing"),
    "--query-fields": ("nothing", "nothing"),
    "--ids": ("z", "z"),
    "--on-error": ("z", "z"),
    "--encoding": ("utf-7000", "utf-7000"),
    "--input-format": ("pdf", "pdf"),
    "--grades": ("z", "z"),
    "--split": ("z", "z"),
}
"""An option, a value that no command takes, and what the sentence names."""


OF_THEIR_OWN = {("trec_eval", "--measure"), ("watch", "--model")}
"""Names that are not those of toysearch: measures of trec_eval, functions in a file."""
SOURCE = {"query": ["query", "cat* AND (train OR leash~1)^2", "companions"]}
"""Arguments with a source, where the first example has none."""


def leaves() -> Iterator[tuple[str, click.Command]]:
    """Every command, with its name as it is typed."""
    for name in main.COMMANDS:
        command = main.command.get_command(click.Context(main.command), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", below) for inner, below in command.commands.items())
        else:
            yield name, command


def example(name: str, command: click.Command) -> list[str] | None:
    """The arguments of the first example that a shell is not needed for."""
    if name in SOURCE:
        return SOURCE[name]
    parent = name.split()[0]
    listed = [command, main.command.get_command(click.Context(main.command), parent)]
    for told in listed:
        for line in (told.epilog or "").partition("Examples:\n")[2].splitlines():
            if line.strip().startswith(f"toysearch {name} ") and alone(line.strip()):
                return shlex.split(line)[1:]
    return None


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
    for name, command in leaves():
        arguments = example(name, command)
        for option in command.params:
            known = next((spelling for spelling in option.opts if spelling in MISTAKES), None)
            if arguments is None or known is None or (known == "--seed" and option.type is click.STRING):
                continue  # the seed of a class or of a competition is a text
            same = {*option.opts, *({"--formula"} if known == "--model" else set())}
            value, names = (wrong := MISTAKES[known])[0], wrong[(name, known) not in OF_THEIR_OWN]
            yield f"{name} {known} {value}", [*without(arguments, same, command), known, value], names


CASES = [pytest.param(*case, id=title) for title, *case in cases()]


@pytest.mark.parametrize(("arguments", "names"), thinned(CASES, 7))
def test_a_mistake_is_refused(folder, monkeypatch, arguments, names):  # noqa: F811
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert names in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before
