"""Remedies in the words of the command line: the option that stands for an argument of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from toysearch.base import typed_line
from toysearch.base.errors import Remedy


class ShellOption(NamedTuple):
    """The option for an argument of a function."""

    command: str  # the command that has it, with its arguments; "" for the one that is running
    option: str = ""  # without one, the command itself is the remedy
    anywhere: bool = False  # whether it means the same in each command that has it


def _of_build(option: str, anywhere: bool = False) -> ShellOption:
    return ShellOption("index SOURCE -o DIR", option, anywhere)


def _of_reading(option: str) -> ShellOption:
    return ShellOption("check SOURCE", option, anywhere=True)


OPTIONS: dict[tuple[str, str], ShellOption] = {
    ("", "qrels"): ShellOption("eval SOURCE", "--qrels", anywhere=True),
    ("", "queries"): ShellOption("eval SOURCE", "--queries", anywhere=True),
    ("", "trust_code"): ShellOption("labs grade", "--trust-code", anywhere=True),
    ("Analyzer.parse", ""): ShellOption("analyze TEXT", "--analyzer"),
    ("Index.add", "replace"): ShellOption("add INDEX SOURCE", "--replace"),
    ("Index.build", "analyzer"): _of_build("--analyzer", anywhere=True),
    ("Index.build", "fields"): _of_build("--apart"),
    ("Index.build", "lsa"): _of_build("--lsa"),
    ("Index.build", "positions"): _of_build("--positions"),
    ("Index.build", "store_text"): _of_build(""),
    ("Index.build", "values"): _of_build("--values"),
    ("Index.build", "keywords"): _of_build("--values"),
    ("evaluate", "threshold"): ShellOption("eval SOURCE", "--threshold", anywhere=True),
    ("evaluate", "undefined"): ShellOption("score RANKING", "--undefined"),
    ("formula", "parameters"): ShellOption("search SOURCE QUERY", "--set", anywhere=True),
    ("load", "columns"): _of_reading("--columns"),
    ("load", "encoding"): _of_reading("--encoding"),
    ("load", "fields"): _of_reading("--fields"),
    ("load", "ids"): _of_reading("--ids"),
    ("load", "input_format"): _of_reading("--input-format"),
    ("load", "on_error"): ShellOption("index SOURCE -o DIR", "--on-error", anywhere=True),
    ("load", "split"): ShellOption("eval SOURCE", "--split", anywhere=True),
    ("read_qrels", "columns"): ShellOption("eval SOURCE", "--qrels-columns", anywhere=True),
    ("toysearch.corpus.download.fetch", ""): ShellOption("corpora get"),
    ("toysearch.corpus.download.fetch", "address"): ShellOption("corpora get NAME", "--from"),
    ("toysearch.index.shard_folder.open_shards", "partial"): ShellOption("search INDEX QUERY", "--partial", True),
    ("toysearch.laboratory.experiments.counterfactual.counterfactual", "propensities"): ShellOption(
        "counterfactual LOG RUN", "--propensities"
    ),
    ("toysearch.laboratory.experiments.tuning.tune", "ascent"): ShellOption("tune COLLECTION", "--ascent"),
    ("toysearch.laboratory.experiments.tuning.tune", "random"): ShellOption("tune COLLECTION", "--random"),
    ("toysearch.models.weight_curve.weight_curve", "at"): ShellOption("models MODEL --curve tf", "--at"),
    ("toysearch.search.typed_query.tell_spelling", "correct"): ShellOption("search SOURCE QUERY", "--correct"),
    ("typed_ranking", "judged"): ShellOption("score RANKING", "--judged"),
}
"""The function and its argument → the option; the argument is "" if it is given by place."""


_OF_SHELL = frozenset(" ()|&;<>$\\`\"'*?[")  # what a shell would not take as it is, but not the … of a form


def in_shell(remedy: Remedy) -> str:
    """A remedy as an option of the running command, or as a command with it."""
    context = click.get_current_context(silent=True)
    running = context.command_path.split()[1:] if context else []
    parts, commands = [], []
    for name, value in [*(("", value) for value in remedy.first), *remedy.settings.items()]:
        place = OPTIONS.get((remedy.function, name)) or OPTIONS[remedy.function, "parameters"]
        words = [word for word in place.command.split(" -")[0].split() if word.islower()]
        is_this = bool(running) and running == words[: len(running)]
        anywhere = place.anywhere and context is not None and option_of(context.command, place.option) is not None
        if not (place.option and (is_this or anywhere)):  # the running command has no option with this meaning
            commands.append(place.command)
        parts.append(_written(place.option, name, value, context))
    command = next((f"toysearch {command} " for command in commands if command), "")
    return (command + " ".join(parts)).strip()


def option_of(command: click.Command, option: str) -> click.Parameter | None:
    """The option of a command that has a name."""
    return next((parameter for parameter in command.params if option in parameter.opts), None)


def _written(option: str, name: str, value: Any, context: click.Context | None) -> str:
    """An option with its value."""
    if value is True or option == "--apart":
        return option
    if value is ...:
        parameter = option_of(context.command, option) if context else None
        placeholder = (parameter.metavar if parameter else None) or name.upper()
        return f"{option} {placeholder}"
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={part}" for key, part in value.items())
    elif isinstance(value, list | tuple):
        value = ",".join(value)
    elif option == "--set":
        value = f"{name}={value}"
    text = str(value)
    return f"{option} {typed_line(text) if _OF_SHELL & {*text} else text}".strip()
