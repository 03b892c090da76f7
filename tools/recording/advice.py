"""Follows the advice of a message: the options and commands in it are typed on the same files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

MOST = 3
"""Pieces of advice that are followed of one message."""


@cache
def options() -> dict[str, bool]:
    """Each option of toysearch, and whether it takes a value."""
    import click

    from toysearch.cli.main import command

    found: dict[str, bool] = {}

    def walk(group: click.Group) -> None:
        context = click.Context(group)
        for name in group.list_commands(context):
            each = group.get_command(context, name)
            if isinstance(each, click.Group):
                walk(each)
            for parameter in each.params if each else []:
                for option in parameter.opts if isinstance(parameter, click.Option) else []:
                    found[option] = found.get(option, False) or not parameter.is_flag

    walk(command)
    return found


def advised(words: list[str], message: str) -> Iterator[list[str]]:
    """The commands that a message on a command advises."""
    found: list[list[str]] = []
    for line in message.splitlines():
        found += [typed for told in re.findall(r"`toysearch ([^`]+)`", line) if (typed := _split(told))]
        if told := re.match(r" *(?:\$ )?toysearch (?!eval \[)(\w[^:]*)$", line):
            found += [typed] if (typed := _split(told[1])) else []
        found += [[*_without(words, added), *added] for added in _added(line)]
        if "name them with --qrels" in line and len(words) > 2:
            found.append([*words[:2], "--qrels", *words[2:]])
    yield from [each for place, each in enumerate(found) if each not in found[:place] and each != words][:MOST]


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _without(words: list[str], added: list[str]) -> list[str]:
    """A command without an option that is added with another value."""
    if added[0] in words and options().get(added[0]):
        place = words.index(added[0])
        return words[:place] + words[place + 2 :]
    return words


def _added(line: str) -> Iterator[list[str]]:
    """The options in a line that have their values; several without a word between them belong together."""
    words = re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", line)
    place = 0
    while place < len(words):
        added: list[str] = []
        while place < len(words) and (option := words[place].strip("`(,;.:)")) in options():
            ended = words[place].rstrip("`")[-1:] in ",;.:)"
            if options()[option]:
                if ended or place + 1 == len(words) or not _is_value(option, words[place + 1]):
                    break
                place += 1
                ended = words[place][-1] in ",;.:)`"
                value = words[place].rstrip(",;.:)`")
                added += [option, *_split(value)[:1]]
            else:
                added.append(option)
            place += 1
            if ended:
                break
        if added:
            yield added
        else:
            place += 1


def _is_value(option: str, word: str) -> bool:
    """Whether a word is a value to copy, not the next word of a sentence or a placeholder."""
    word = word.rstrip(",;.:)`")
    if re.fullmatch(r"[A-Z][A-Z_=,…]*", word) or not word:
        return False
    if option in ("--on-error", "--ids", "--split", "--input-format", "--encoding", "--fields", "--records"):
        return word not in ("or", "and", "is", "to", "names", "of", "which", "with", "reads", "for", "takes")
    return "=" in word or word[0] in "'\"" or option in ("-m", "--grades", "--analyzer", "--model", "--threshold")


def question(facts: dict[str, Any]) -> bool:
    """Whether an answer is a question or a refusal."""
    return facts["exit"] != 0
