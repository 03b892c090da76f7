"""Problems of a command line that would follow the first one: its advice is taken, and the files are read again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import click

from toysearch.base import ToysearchError, typed_line, without_notes
from toysearch.cli.commands import TYPED, by_name
from toysearch.cli.sources import ONLY_READ, FilesAreRead

_MOST = 6
_ADVICE = re.compile(r"--[a-z][\w-]* (?:'[^']*'|\"[^\"]*\"|[^\s;)]*[^\s;),.])")
_OPEN = re.compile(r"…|\b[A-Z]{3,}\b")  # a value that only the user knows


def with_remaining(message: str, main: click.Group, ctx: click.Context) -> str:
    """Return a message with those that would follow it, and the line that solves all; as it is without such a line.

    main : the command with all others below it
    ctx : its context, which keeps what was typed
    """
    command = main.get_command(ctx, ctx.invoked_subcommand or "")
    if command is None or not {"--qrels-columns", "-m"} <= {*by_name(command)}:
        return message
    typed, sentences, solved = [*ctx.meta[TYPED]], [message], False
    while not solved and len(sentences) < _MOST and (advice := _advised(command, sentences[-1], typed)):
        if advice[-1].startswith("PART="):  # names that no file shows
            return "\n  then ".join(sentences)
        typed += advice
        following = "" if _OPEN.search(advice[-1]) else _problem_of(main, ctx, typed)
        solved = following == ""
        if following:
            sentences.append(following)
    if not (solved and sentences[1:]):
        return message
    return "\n  then ".join(sentences) + f"\n  all at once: {typed_line('toysearch', *typed)}"


def _advised(command: click.Command, message: str, typed: Sequence[str]) -> list[str]:
    """Return the first option with its value in a message that the command has, and that was not typed."""
    for advice in _ADVICE.findall(message):
        option, value = shlex.split(advice)
        if option in by_name(command) and not any(word.partition("=")[0] == option for word in typed):
            return [option, value]
    return []


def _problem_of(main: click.Group, ctx: click.Context, typed: Sequence[str]) -> str | None:
    """Return what is wrong with the files of a command line, "" if they can be read; None if the line is wrong."""
    try:
        with without_notes(), main.make_context(ctx.info_name, [*typed]) as again:
            again.meta[ONLY_READ] = True
            click.Group.invoke(main, again)
    except FilesAreRead:
        return ""
    except ToysearchError as error:
        return str(error)
    except click.ClickException:
        return None
    return None
