"""`toysearch examples`: published worked examples, recomputed, with their slips explained."""

from __future__ import annotations

import math
from typing import Any

import click

import toysearch
from toysearch.base import Column, counted
from toysearch.cli import Command, emit, examples, output_options, paragraph

MARKS = {True: "", False: "*", None: ""}


@click.command(
    cls=Command, epilog=examples("toysearch examples", "toysearch examples A", "toysearch examples B --json")
)
@click.argument("letter", required=False)
@output_options
@click.pass_context
def command(ctx: click.Context, letter: str | None, form: str) -> None:
    """Recompute published worked examples and explain their slips.

    The printed number, the value by the usual definition and the value of toysearch, side by side. LETTER chooses a
    source. A star marks a printed number that differs from the standard value; its cause is explained below. Exit code
    1 if a value of toysearch differs from the standard one.
    """
    worked = toysearch.worked_examples(letter)
    columns = [
        Column("example_id", "id"),
        Column("measure"),
        Column("case", "of", wrap=True),
        Column("printed", justify="right"),
        Column("slip", " "),
        Column("standard", justify="right"),
        Column("ours", justify="right"),
    ]
    sources = list(dict.fromkeys(example.source for example in worked))
    for number, source in enumerate(sources):
        of_source = [example for example in worked if example.source == source]
        rows = [
            (example.example_id, *row[:3], MARKS[row.as_printed], _number(row.standard), _number(row.ours))
            for example in of_source
            for row in example.rows
        ]
        if form == "table":
            click.echo("\n" * bool(number) + f"{of_source[0].example_id[0]}. {source}\n")
            emit(columns, rows, form)
            _explain(of_source)
    if form != "table":
        _for_programs(worked, form)
    wrong = [(example, row) for example in worked for row in example.rows if not row.right]
    if form == "table":
        total = sum(len(example.rows) for example in worked)
        slips = sum(row.as_printed is False for example in worked for row in example.rows)
        click.echo(
            f"\n{counted(total, 'number')} computed, {total - len(wrong)} equal to the standard value; "
            f"{slips} printed otherwise"
        )
    for example, row in wrong:
        click.echo(
            f"toysearch: {example.example_id} {row.measure}: ours is {_number(row.ours)}, "
            f"the standard value {_number(row.standard)}",
            err=True,
        )
    if wrong:
        ctx.exit(1)


def _explain(found: list[Any]) -> None:
    """The examples with a slip or a remark, and one line per slip."""
    for example in found:
        slips = [row for row in example.rows if row.as_printed is False]
        if not slips and not example.remark:
            continue
        what = f"{example.example_id}: {example.what}" + ("" if example.what.endswith('"') else ".")
        click.echo("\n" + paragraph(f"{what} {example.remark}".strip()))
        for row in dict.fromkeys(slips):
            gives = "" if row.by_slip is None else f" gives {_number(row.by_slip, 'NaN')}"
            case = f" ({row.case})" if row.case else ""
            standard = f"standard: {_number(row.standard)}"
            slip = f"{row.measure}{case} {row.printed}: {row.slip}{gives and ', which' + gives}; {standard}"
            click.echo(paragraph(slip, indent="    ", first="  "))


def _for_programs(found: list[Any], form: str) -> None:
    names = ("example_id", "what", "measure", "case", "printed", "standard", "ours", "right", "slip")
    columns = [Column(name) for name in names]
    rows = [
        (example.example_id, example.what, *row[:5], row.right, row.slip) for example in found for row in example.rows
    ]
    emit(columns, rows, form, data=[e._asdict() | {"rows": [row._asdict() for row in e.rows]} for e in found])


def _number(value: float, nothing: str = "unknown") -> str:
    return nothing if math.isnan(value) else f"{value:.6f}".rstrip("0").rstrip(".")
