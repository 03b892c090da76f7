"""Remedies of messages as the user of a shell types them: an option of the running command, or another command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from toysearch.base import Remedy, typed_line
from toysearch.cli.commands import by_name, flag
from toysearch.files import SETTINGS
from toysearch.index.file_layout import is_index_folder


class ShellOption(NamedTuple):
    """Option for an argument of a function."""

    command: str  # the command that has it, with its arguments; "" for the one that is running
    option: str = "--"  # "--" for that with the name of the argument; "" if the command itself is the remedy
    anywhere: bool = False  # whether it means the same in each command that has it
    also: tuple[str, ...] = ()  # other commands in which it means the same
    or_else: str = ""  # another option of the command that solves it


def _of_build(option: str = "--", anywhere: bool = False) -> ShellOption:
    return ShellOption("index SOURCE -o DIR", option, anywhere)


def _of_judges(option: str = "--") -> ShellOption:
    return ShellOption("judge merge FILE", option, also=("judge agree",))


OPTIONS: dict[tuple[str, str], ShellOption] = {
    ("", "above"): ShellOption("run SOURCE -o FILE", anywhere=True),
    ("", "qrels"): ShellOption("eval SOURCE", anywhere=True),
    ("", "queries"): ShellOption("eval SOURCE", anywhere=True),
    ("", "query_id"): ShellOption("search SOURCE", anywhere=True),
    ("", "query_mode"): ShellOption("search SOURCE QUERY", anywhere=True),
    ("", "trust_code"): ShellOption("labs grade", anywhere=True),
    ("Analyzer.parse", ""): ShellOption("analyze TEXT", "--analyzer"),
    ("Index.add", "replace"): ShellOption("add INDEX SOURCE", or_else="--sync"),
    ("Index.build", "analyzer"): _of_build(anywhere=True),
    ("Index.build", "fields"): _of_build("--apart"),
    ("Index.build", "lsa"): _of_build(),
    ("Index.build", "positions"): _of_build(),
    ("Index.build", "store_text"): _of_build(""),
    ("Index.build", "values"): _of_build(),
    ("Index.vector", ""): ShellOption("show INDEX", "--doc"),
    ("evaluate", "threshold"): ShellOption("eval SOURCE", anywhere=True),
    ("evaluate", "undefined"): ShellOption("score RANKING", anywhere=True),
    ("formula", "parameters"): ShellOption("search SOURCE QUERY", "--set", anywhere=True),
    ("known_items", "kind"): ShellOption("eval SOURCE", "--known-items", anywhere=True),
    ("load", "on_error"): ShellOption("index SOURCE -o DIR", anywhere=True),
    ("read_qrels", "columns"): ShellOption("eval SOURCE", "--qrels-columns", anywhere=True),
    ("read_run", "columns"): ShellOption("eval RUN QRELS", "--run-columns", anywhere=True),
    ("toysearch.workbench.clicks.click_log.read_clicks", "columns"): ShellOption(
        "clicks model LOG", "--columns", anywhere=True
    ),
    ("fetch", ""): ShellOption("corpora get", ""),
    ("fetch", "address"): ShellOption("corpora get NAME", "--from"),
    ("toysearch.workbench.judging.judge_sheets.read_judges", "columns"): _of_judges("--qrels-columns"),
    ("toysearch.workbench.judging.judge_sheets.read_judges", "judges"): _of_judges(),
    ("toysearch.models.weight_curve.weight_curve", "at"): ShellOption("models MODEL --curve tf"),
    ("toysearch.study.explain.typed_ranking_measures.score_ranking", "judged"): ShellOption("score RANKING"),
    ("toysearch.study.explain.typed_ranking_measures.score_ranking", "relevant"): ShellOption("score RANKING"),
    ("toysearch.retrieval.remarks.tell_spelling", "correct"): ShellOption("search SOURCE QUERY"),
    ("typed_ranking", "judged"): ShellOption("score RANKING"),
}
"""The function and its argument → the option; the argument is "" if it is given by place."""


def shell_option(function: str, argument: str) -> ShellOption:
    """Return the option for an argument of a function."""
    place = OPTIONS.get((function, argument))
    if place is None and function in ("", "load", "read_qrels") and argument in SETTINGS:
        of_documents = function and "documents" in SETTINGS[argument].effects
        place = ShellOption("check SOURCE" if of_documents else "eval SOURCE", anywhere=True)
    place = place or OPTIONS[function, "parameters"]
    return place._replace(option=flag(argument)) if place.option == "--" else place


_OF_SHELL = frozenset(" ()|&;<>$\\`\"'*?[")  # what a shell would not take as it is, but not the … of a form


def in_shell(remedy: Remedy) -> str:
    """Return a remedy as an option of the running command, or as a command with it."""
    context = click.get_current_context(silent=True)
    running = context.command_path.split()[1:] if context else []
    source = str(context.params.get("source", "")) if context else ""
    parts, commands = [], []
    for name, value in [*(("", value) for value in remedy.first), *remedy.settings.items()]:
        place = shell_option(remedy.function, name)
        words = [word for word in place.command.split(" -")[0].split() if word.islower()]
        is_this = bool(running) and (running == words[: len(running)] or " ".join(running) in place.also)
        anywhere = place.anywhere and context is not None and place.option in by_name(context.command)
        if name == "analyzer" and is_index_folder(source):  # an index keeps its own
            anywhere = False
        if not (place.option and (is_this or anywhere)):  # the running command has no option with this meaning
            commands.append(place.command)
        written = _written(place.option, name, value, context)
        parts.append(f"{written}, or {place.or_else}" if place.or_else else written)
    command = next((f"toysearch {command} " for command in commands if command), "")
    if source and "INDEX" in command:
        command = command.replace("INDEX", typed_line(source))
    return (command + " ".join(parts)).strip()


def _written(option: str, name: str, value: Any, context: click.Context | None) -> str:
    if value is True or option == "--apart":
        return option
    if value is ...:
        parameter = by_name(context.command).get(option) if context else None
        placeholder = (parameter.metavar if parameter else None) or name.upper()
        return f"{option} {placeholder}"
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={part}" for key, part in value.items())
    elif isinstance(value, list | tuple):
        value = ",".join(f'"{part}"' if "," in part else part for part in value)
    elif option == "--set":
        value = f"{name}={value}"
    text = str(value)
    written = typed_line(text) if _OF_SHELL & {*text} else text
    return f"{option}{written}" if option.endswith(":") else f"{option} {written}".strip()
