"""Pages of the documentation that the registries write: commands, Python names, models, measures, messages."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toysearch

if TYPE_CHECKING:
    from toysearch.models.calls import Call
    from toysearch.models.model import Model

FOLDER = Path(toysearch.__file__).parent

COMMANDS = """# Commands

What each command says of itself with `--help`.
"""
PYTHON = """# Python names

What a program imports. `help(toysearch)` shows the names in front, `help(toysearch.tune)` one of them with its
arguments and an example.

## In front

These are attributes of `toysearch`. Importing it loads nothing else; each name loads its module at its first use.
"""
IN_MODULES = """
## In their modules

Everything else is imported from its module: `from toysearch.retrieval.fusion import fuse`. A name that is not listed
here is internal and may change.
"""
MODELS = """# Models

Each ranking model with its formula, its parameters and its sources. `toysearch models` lists the models, and `toysearch
models NAME` adds the code of one. `toysearch docs write-a-model` defines the statistics (tf, df, dl, N, …) and explains
how to add a model; `toysearch docs conventions` compares these formulas with those of other tools.

A ranking has the documents with at least one query term, whatever their score, which can be 0 or negative. Models of
vectors rank all documents. Equal scores keep the order of the collection. Terms are added by rising document frequency,
and equal ones by term, so the same query always gives the same bits.
"""
COMPOSED = """
## Wrappers, stages and vectors

A wrapper changes the terms of a query and leaves the weights to the model inside: `rm3(bm25)`, with parameters
`rm3(bm25:k1=0.9, docs=5)`; `rm3` alone is `rm3(bm25)` (`toysearch docs expand-queries`). A
stage re-ranks the first documents of a model (`toysearch docs combine-models`). With vectors, all documents are ranked,
whether or not they share a word with the query (`toysearch docs search-by-topic`).
"""
MEASURES = """# Measures

Each measure that an evaluation knows. `toysearch measures` lists them, and `toysearch measures NAME` shows one.
`toysearch docs evaluation` explains their conventions, and how names are written.

In the formulas, r(i) is 1 where the document at rank i is relevant, else 0; R is the number of relevant documents in
the judgments, retrieved or not; gain(i) is what the document at rank i is worth; sums run over the ranks i = 1, 2, …
(to k, where there is a cutoff); S is the number of sub-topics to which a document is relevant.
TP, FP, FN and TN are the cells of the table of retrieved × relevant:

| | relevant | not relevant |
| --- | --- | --- |
| retrieved | TP | FP |
| not retrieved | FN | TN |

`[@k]` means that a cutoff can follow. A *perfect ranking* has all judged documents by falling grade at its top.

## A measure of your own

A function in a Python file is a measure too: `-m "AP mine.py:useful@10"` (`toysearch docs write-a-measure`).

## Several at once

A name for several measures can stand wherever measures are listed, as in `-m "official ERR@20"`.

"""


def commands(command: click.Command) -> str:
    """Return the page of each command."""
    parts = (f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in helps(command, "toysearch"))
    return COMMANDS + "".join(parts)


def helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Return the names and helps of a command and, where it is a group, of its commands."""
    context = click.Context(
        command, info_name=name.split()[-1], parent=parent, max_content_width=100, **command.context_settings
    )
    context.terminal_width = 100
    yield name, command.get_help(context).strip()
    if not isinstance(command, click.Group):
        return
    for part in command.list_commands(context):
        if subcommand := command.get_command(context, part):
            yield from helps(subcommand, f"{name} {part}", context)


def python_names() -> str:
    """Return the public names: a table for each group of those in front, and one for each folder of the others."""
    parts = [PYTHON]
    for heading, lines in re.findall(r"^(\w[^\n]*)\n((?: {4}\S.*\n)+)", toysearch.__doc__ or "", re.MULTILINE):
        names = (line.split(maxsplit=1) for line in lines.splitlines())
        parts.append(f"\n### {heading}\n\n" + table(("name", ""), ((f"`{name}`", meaning) for name, meaning in names)))
    parts.append(IN_MODULES)
    folders: dict[str, list[tuple[str, str]]] = {}
    for module, all_names in modules():
        front = vars(toysearch)["_HOMES"].get(module.removeprefix("toysearch."), "").split()
        if others := [f"`{name}`" for name in all_names if name not in front]:
            folders.setdefault(module.split(".")[1], []).append((f"`{module}`", ", ".join(others)))
    return "".join(
        [*parts, *(f"\n### {folder}\n\n{table(('module', 'names'), rows)}" for folder, rows in folders.items())]
    )


def modules() -> Iterator[tuple[str, list[str]]]:
    """Yield each module that lists its public names in ``__all__``, with the names."""
    for file in sorted(FOLDER.rglob("*.py")):
        if listed := re.search(r"^__all__ = (\[.*?\])$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            module = ".".join(file.relative_to(FOLDER.parent).with_suffix("").parts)
            yield module, ast.literal_eval(listed[1])


def models() -> str:
    """Return the page of each model, by families, and each wrapper, stage and model of vectors."""
    from toysearch.models.calls import CALLS

    parts = [MODELS]
    families: dict[str, list[Model]] = {}
    for model in toysearch.MODELS.values():
        families.setdefault(model.function.__module__, []).append(model)
    for module, members in families.items():
        headline = (sys.modules[module].__doc__ or "").partition("\n")[0]
        title, _, more = headline.partition(": ")
        parts.append(f"\n## {title}\n\n{more[:1].upper()}{more[1:]}\n" if more else f"\n## {title.rstrip('.')}\n")
        parts += map(_model, members)
    return "".join([*parts, COMPOSED, *map(_call, CALLS.values())])


def _model(model: Model) -> str:
    text = inspect.getdoc(model) or ""
    head = re.split(r"\n\n(?=Parameters\n-|References\n-)", text)[0]
    head = re.sub(r"``([^`]*)``", r"`\1`", head).replace("|", "\\|").replace("*", "\\*")
    references = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL)
    sources = " ".join(references[1].split()) if references else ""
    settings = [(name, _default(value), span) for _, name, value, span in model.describe_parameters()]
    notes_on = _notes("models", model.name, OF_WEIGHTS)
    return f"\n### {model.name}\n\n{head}\n{_settings(settings)}\n{notes_on}- source: {sources}\n"


def _default(value: float | str | None) -> str:
    return "none" if value is None else value if isinstance(value, str) else f"{value:g}"


def _call(model: Call) -> str:
    settings = [(row["name"], row["default"], row["range"]) for row in model.parameters({})]
    last = f"- example: `{model.example}`\n{_notes('models', model.name, OF_TERMS)}- source: {model.source}\n"
    return f"\n### {model.name}\n\n`{model.form}`: {model.summary} {model.formula}\n{_settings(settings)}\n{last}"


OF_WEIGHTS = "above 0 for each matching term, without an upper end; scores compare within one query only"
OF_TERMS = "that of the model inside, times the weights of the query's terms"
"""Ranges of a sum of weights, and of one for other terms, unless a note has another."""


@cache
def notes() -> dict[str, dict[str, dict[str, Any]]]:
    """Return what the pages of measures and models say beyond the registries."""
    return tomllib.loads(Path(__file__).with_name("reference_notes.toml").read_text(encoding="utf-8"))


def _notes(kind: str, name: str, usual: str = "") -> str:
    """List the range of a model, when its number misleads, and its letters in SMART."""
    note = notes()[kind].get(name, {})
    lines = {"range": note.get("range", usual), "misleads": note.get("misleads"), "SMART": note.get("smart")}
    return "".join(f"- {label}: {text}\n" for label, text in lines.items() if text)


def _settings(settings: list[tuple[str, str, str]]) -> str:
    if not settings:
        return ""
    rows = ((f"`{name}`", default or "–", span or "–") for name, default, span in settings)
    return "\n" + table(("parameter", "default", "range"), rows)


def measures() -> str:
    """Return the page of each measure, by families, with its formula, range, conventions and sources."""
    from toysearch.evaluation.measures.measure import FAMILIES, PRESETS

    parts = [MEASURES + table(("name", "measures"), ((f"`{name}`", f"`{text}`") for name, text in PRESETS.items()))]
    for family, title in FAMILIES.items():
        members = [name for name, definition in toysearch.MEASURES.items() if definition.family == family]
        parts.append(f"\n## {title}\n")
        parts += map(_measure, members)
    return "".join(parts)


def _measure(name: str) -> str:
    from toysearch.evaluation.measures.measure import measure_facts, measure_form

    definition = toysearch.MEASURES[name]
    facts = "".join(f"- {label}: {sentence}\n" for label, sentence in measure_facts(name).items())
    rows = [
        (f"`{key}`", parameter.shown_default, parameter.takes, parameter.description)
        for key, parameter in definition.parameters.items()
    ]
    parameters = "\n" + table(("parameter", "default", "takes", "what it is"), rows) if rows else ""
    facts += _notes("measures", name)
    return f"\n### {name}\n\n`{measure_form(name)}`: {definition.description}.\n\n{facts}{parameters}"


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Write a table in Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def written_pages(command: click.Command) -> dict[str, tuple[str, Callable[[], str]]]:
    """Name → title and writer of each page; all are in the folder look-up. command: with all commands below it."""
    return {
        "commands": ("Commands", partial(commands, command)),
        "measures": ("Measures", measures),
        "models": ("Models", models),
        "python": ("Python names", python_names),
    }
