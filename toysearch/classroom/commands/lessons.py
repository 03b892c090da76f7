"""`toysearch textbook means` and `examples`: small numbers worked out on the screen."""

from __future__ import annotations

import math
import string
from typing import Any

import click

import toysearch
from toysearch.base import Column, Part, ResultTable, Sentences, counted, groups_of, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.classroom.three_means import means
from toysearch.cli.commands import command
from toysearch.cli.options import output_options
from toysearch.cli.output import paragraph, show

_EXTREME = (1.0, 0.001)  # recall and precision of a system that returns a collection of which one in 1000 is relevant
_HIGHEST = string.ascii_uppercase


@command(
    "toysearch textbook means 60 20",
    "toysearch textbook means 1 0.001",
    "toysearch textbook means 1,1000 10,100 20,20",
    context_settings={"ignore_unknown_options": True},  # a negative number is not an option
)
@click.argument("numbers", nargs=-1, required=True, metavar="NUMBER... | A,B A,B...")
@output_options
def means_command(numbers: tuple[str, ...], form: str) -> None:
    """Compute the three means, and show why F takes the harmonic.

    With lists instead of numbers (systems, each with its values on the same tasks): the mean of each system relative
    to each other system. The order by arithmetic mean depends on the system that counts as 1; the order by geometric
    mean does not. That is why GMAP, and ratios in general, use it.
    """
    if any("," in text for text in numbers):
        _compare(numbers, form)
        return
    values = [_typed_number(text) for text in numbers]
    result = means(values)
    columns = table_columns(["mean", "arithmetic"], number_columns(".6f", "value"))
    written = [f"{value:g}" for value in values]
    n = len(values)
    ways = {
        "arithmetic": f"({' + '.join(written)}) / {n}",
        "geometric": f"({' · '.join(written)})^(1/{n})",
        "harmonic": f"{n} / ({' + '.join(f'1/{value}' for value in written)})"
        if all(values)
        else "0 where a number is 0",
    }
    recall, precision = _EXTREME
    extreme = means(_EXTREME)
    why = (
        f"Why F takes the harmonic mean: a system that returns the whole collection has recall {recall:g} and, "
        f"where one document in 1000 is relevant, precision {precision:g}."
    )
    proof = (
        f"The arithmetic mean of the two is {extreme.arithmetic:.4f}, and never below 0.5 however large the "
        f"collection is; the geometric is {extreme.geometric:.4f}; the harmonic, {extreme.harmonic:.4f}, is at "
        "most twice the lower of the two: neither can make up for the other."
    )
    table = ResultTable(columns, [[name, ways[name], value] for name, value in result._asdict().items()])
    show(Page([table, Sentences([why, proof], "", "")], table), form)


def _compare(texts: tuple[str, ...], form: str) -> None:
    systems = [[_typed_number(part) for part in text.split(",")] for text in texts]
    if len({len(values) for values in systems}) > 1 or len(systems) > len(_HIGHEST):
        raise click.UsageError(
            f"expected 2 to {len(_HIGHEST)} lists of one length, such as 1,1000 10,100; found {' '.join(texts)}"
        )
    if len(systems) < 2 or any(value <= 0 for values in systems for value in values):
        raise click.UsageError(f"expected lists of numbers above 0, two or more of them; found {' '.join(texts)}")
    names = _HIGHEST[: len(systems)]
    columns = [Column("mean"), Column("relative_to", "relative to")]
    columns += [Column(f"{name} ({text})", "", "right", ".4f") for name, text in zip(names, texts, strict=True)]
    rows: list[list[Any]] = []
    for kind in ("arithmetic", "geometric", "harmonic"):
        for name, base in zip(names, systems, strict=True):
            ratios = [[x / one for x, one in zip(values, base, strict=True)] for values in systems]
            rows.append([kind, name, *(getattr(means(row), kind) for row in ratios)])
    why = (
        "The geometric mean of ratios is the ratio of the geometric means, so the systems keep their order, "
        "and their distances, whichever of them counts as 1. The other two means do not."
    )
    table = ResultTable(columns, rows)
    show(Page([table, paragraph(why)], table), form)


def _typed_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"'{text}' is not a number; an example: toysearch textbook means 60 20") from None


MARKS = {True: "", False: "*", None: ""}


@command("toysearch textbook examples", "toysearch textbook examples A", "toysearch textbook examples B --json")
@click.argument("letter", required=False)
@output_options
def examples_command(letter: str | None, form: str) -> None:
    """Recompute published worked examples and explain their slips.

    The printed number, the value by the usual definition and the value of toysearch, side by side. LETTER chooses a
    source. Where a source prints a formula and no number, its number is the one by its formula. A star marks a number
    that differs from the standard value; its cause is explained below. Exit code 1 if a value of toysearch differs from
    the standard one.
    """
    worked = toysearch.worked_examples(letter)
    numbers = [(example, row) for example in worked for row in example.rows]
    wrong = [(example, row) for example, row in numbers if not row.right]
    parts: list[Part] = []
    for source, of_source in groups_of((example.source, example) for example in worked).items():
        parts += [_numbers_of(source, of_source), *_slips(of_source)]
    parts.append(_summary([row for _, row in numbers], len(wrong)))
    names = ("example_id", "what", "measure", "case", "printed", "standard", "ours", "right", "slip", "by_formula")
    every = [(example.example_id, example.what, *row[:6], row.slip, row.by_formula) for example, row in numbers]
    show(Page(parts, ResultTable([Column(name) for name in names], every), worked), form)
    for example, row in wrong:
        click.echo(
            f"toysearch: {example.example_id} {row.measure}: ours is {_number(row.ours)}, "
            f"the standard value {_number(row.standard)}",
            err=True,
        )
    if wrong:
        click.get_current_context().exit(1)


def _numbers_of(source: str, worked: list[Any]) -> ResultTable:
    columns = table_columns(
        Column("example_id", "id"),
        ["measure", Column("case", "of", wrap=True)],
        number_columns("", "printed"),
        Column("slip", " "),
        number_columns("", "standard", "ours"),
    )
    rows = [
        (example.example_id, *row[:2], row.shown, MARKS[row.as_printed], _number(row.standard), _number(row.ours))
        for example in worked
        for row in example.rows
    ]
    return ResultTable(columns, rows, f"{worked[0].example_id[0]}. {source}\n")


def _summary(rows: list[Any], n_wrong: int) -> str:
    otherwise = [row.by_formula for row in rows if row.as_printed is False]
    printed, by_formula = otherwise.count(False), otherwise.count(True)
    slips = f"{printed} printed otherwise" + (f", {by_formula} otherwise by its formula" if by_formula else "")
    return f"{counted(len(rows), 'number')} computed, {len(rows) - n_wrong} equal to the standard value; {slips}"


def _slips(worked: list[Any]) -> list[str]:
    texts = []
    for example in worked:
        slips = [row for row in example.rows if row.as_printed is False]
        if not slips and not example.remark:
            continue
        what = f"{example.example_id}: {example.what}" + ("" if example.what.endswith('"') else ".")
        lines = [paragraph(f"{what} {example.remark}".strip())]
        for row in dict.fromkeys(slips):
            gives = "" if row.by_slip is None else f" gives {_number(row.by_slip, 'NaN')}"
            case = f" ({row.case})" if row.case else ""
            standard = f"standard: {_number(row.standard)}"
            slip = f"{row.measure}{case} {row.shown}: {row.slip}{gives and ', which' + gives}; {standard}"
            lines.append(paragraph(slip, indent="    ", first="  "))
        texts.append("\n".join(lines))
    return texts


def _number(value: float, nothing: str = "unknown") -> str:
    return nothing if math.isnan(value) else f"{value:.6f}".rstrip("0").rstrip(".")
