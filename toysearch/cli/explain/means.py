"""`toysearch means`: the arithmetic, geometric and harmonic mean, and why F takes the harmonic."""

from __future__ import annotations

import string
from typing import Any

import click

from toysearch.cli import Command, emit, examples, output_options, paragraph
from toysearch.laboratory.results.tables import Column

_EXTREME = (1.0, 0.001)  # recall and precision of a system that returns a collection of which one in 1000 is relevant
_HIGHEST = string.ascii_uppercase


@click.command(
    cls=Command,
    context_settings={"ignore_unknown_options": True},  # a negative number is not an option
    epilog=examples("toysearch means 60 20", "toysearch means 1 0.001", "toysearch means 1,1000 10,100 20,20"),
)
@click.argument("numbers", nargs=-1, required=True, metavar="NUMBER... | A,B A,B...")
@output_options
def command(numbers: tuple[str, ...], form: str) -> None:
    """Compute the three means, and show why F takes the harmonic.

    With lists instead of numbers (systems, each with its values on the same tasks): the mean of each system relative
    to each other system. The order by arithmetic mean depends on the system that counts as 1; the order by geometric
    mean does not. That is why GMAP, and ratios in general, use it.
    """
    from toysearch.evaluation.result import means

    if any("," in text for text in numbers):
        _compare(numbers, form)
        return
    values = [_number(text) for text in numbers]
    result = means(values)
    columns = [Column("mean"), Column("arithmetic"), Column("value", "", "right", ".6f")]
    written = [f"{value:g}" for value in values]
    n = len(values)
    ways = {
        "arithmetic": f"({' + '.join(written)}) / {n}",
        "geometric": f"({' · '.join(written)})^(1/{n})",
        "harmonic": f"{n} / ({' + '.join(f'1/{value}' for value in written)})"
        if all(values)
        else "0 where a number is 0",
    }
    emit(columns, [[name, ways[name], value] for name, value in result._asdict().items()], form)
    if form == "table":
        click.echo()
        for sentence in _why():
            click.echo(paragraph(sentence))


def _why() -> list[str]:
    """Why F takes the harmonic mean, with the numbers of a system that returns everything."""
    from toysearch.evaluation.result import means

    recall, precision = _EXTREME
    extreme = means(_EXTREME)
    return [
        f"Why F takes the harmonic mean: a system that returns the whole collection has recall {recall:g} and, where "
        f"one document in 1000 is relevant, precision {precision:g}.",
        f"The arithmetic mean of the two is {extreme.arithmetic:.4f}, and never below 0.5 however large the collection "
        f"is; the geometric is {extreme.geometric:.4f}; the harmonic, {extreme.harmonic:.4f}, is at most twice the "
        "lower of the two: neither can make up for the other.",
    ]


def _compare(texts: tuple[str, ...], form: str) -> None:
    """The means of the values of each system relative to those of each other system."""
    from toysearch.evaluation.result import means

    systems = [[_number(part) for part in text.split(",")] for text in texts]
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
    emit(columns, rows, form)
    if form == "table":
        click.echo()
        click.echo(
            paragraph(
                "The geometric mean of ratios is the ratio of the geometric means, so the systems keep their order, "
                "and their distances, whichever of them counts as 1. The other two means do not."
            )
        )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"'{text}' is not a number; an example: toysearch means 60 20") from None
