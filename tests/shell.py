"""The command line in this process, by arguments or by a line as it is typed: to start Python takes longer."""

import contextlib
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

from toysearch.base import ToysearchError, platform
from toysearch.cli.main import command


def every_command(group: click.Group = command, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command, those of groups among them, with its name as it is typed."""
    context = click.Context(group)
    for name in group.list_commands(context):
        with contextlib.suppress(ToysearchError):  # the command of a ring that is not here
            each = group.get_command(context, name)
            of_group = isinstance(each, click.Group)
            yield from every_command(each, f"{before}{name} ") if of_group else [(f"{before}{name}", each)]


def derived_commands() -> dict[str, tuple[click.Command, Any]]:
    """The commands that `command_of` makes, each with its function."""
    callbacks = {name: (each, each.callback) for name, each in every_command()}
    return {
        name: (each, callback.__wrapped__)
        for name, (each, callback) in callbacks.items()
        if hasattr(callback, "__wrapped__") and not callback.__name__.endswith("_command")
    }


COLLECTIONS = ("cat-dog-parrot", "companions", "cranfield", "cisi")
"""The names of collections in examples."""


def example(name: str) -> list[str]:
    """The words of the first example in the help of a command, or of its group, that needs no shell; with arguments."""
    told = [dict(every_command())[name], command.get_command(click.Context(command), name.split()[0])]
    lines = "\n".join((each.epilog or "").partition("Examples:\n")[2] for each in told if each)
    pieces = [piece.strip() for piece in re.split(r"\n|; | \| ", lines)]
    own = [piece for piece in pieces if f"{piece} ".startswith(f"toysearch {name} ") and alone(piece)]
    assert own, f"{name}: its help needs an example in `command` or `command_of`, a line such as toysearch {name} …"
    return shlex.split(max(own, key=lambda piece: piece != f"toysearch {name}"))[1:]


def example_on(source: str, name: str) -> list[str]:
    """The words of the example after the name of the command, with another source for the collection in it."""
    return [source if word in COLLECTIONS else word for word in example(name)[len(name.split()) :]]


def json_of(text: str) -> Any:
    """The JSON that a command printed, without what made it."""
    data = json.loads(text)
    if isinstance(data, dict):
        data.pop("repeat", None)
    return data


def run(*arguments: object, stdin: str | None = None, **options: Any) -> Result:
    """What the command line answers to these arguments."""
    return CliRunner().invoke(command, [*map(str, arguments)], input=stdin, **options)


def done(*arguments: object) -> Result:
    """The same of a command that has to succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


def refused(*arguments: object) -> str:
    """What is said of wrong use: exit code 2, and nothing on standard output."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def refusal(*arguments: object) -> str:
    """The sentence of it, without the line on how the command is used."""
    return refused(*arguments).splitlines()[-1]


def words_of(line: str) -> list[str]:
    """The words of a command that toysearch has printed, by the rules of the system that it was printed for."""
    return _words_of_windows(line) if platform.SYSTEM == "Windows" else shlex.split(line)


def _words_of_windows(line: str) -> list[str]:
    """The words of a command line, as programs of Windows read them: by the rules of its C library."""
    words, word, quoted, backslashes = [], None, False, 0
    for char in line + " ":
        if char == "\\":
            backslashes += 1
            continue
        if char == '"':
            word = (word or "") + "\\" * (backslashes // 2)
            if backslashes % 2:
                word += '"'
            else:
                quoted = not quoted
        else:
            if backslashes:
                word = (word or "") + "\\" * backslashes
            if char in " \t" and not quoted:
                if word is not None:
                    words.append(word)
                word = None
            else:
                word = (word or "") + char
        backslashes = 0
    return words


def alone(line: str) -> bool:
    """Whether a line is toysearch by itself, without anything that only a shell can do."""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    return line.split()[0] == "toysearch" and not set(outside) & set("|<>;&$`*?#~")


def typed(line: str, folder: Path, stdin: str | None = None) -> Result:
    """What a line prints that is typed in a folder; the terminal is a pipe, 80 columns wide."""
    with contextlib.chdir(folder):
        return CliRunner().invoke(
            command, shlex.split(line)[1:], stdin, {"COLUMNS": "80"}, prog_name="toysearch", catch_exceptions=False
        )
