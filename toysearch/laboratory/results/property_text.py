"""A property card as text for people, and as rows for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from toysearch.base.wording import byte_size, counted
from toysearch.laboratory.experiments.robustness.property_card import CuredSystem, PropertyCard, PropertyValue
from toysearch.laboratory.experiments.robustness.property_inputs import ALL
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES
from toysearch.laboratory.results.differences import p_text
from toysearch.laboratory.results.experiment_text import about
from toysearch.laboratory.results.tables import Column, flowed, number_columns, render

ALPHA = 0.05
"""The level at which a change is called significant."""

_SLOWER = 1.5  # times the time of the system as it is: below, the difference may be that of the machine
_SHORT = {ALL: "as they are", "semantic": "semantic", "rare": "rare", "corpus": "corpus", "length": "length"}
_SHORT |= {"spelling": "spelling"}


def property_rows(found: PropertyCard, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """The columns and rows of every number of every system and cure."""
    columns = [*map(Column, ("system", "cure_for", "cure", "number")), *number_columns("", "queries")]
    columns += [*number_columns(".4f", "unaltered", "value"), *number_columns("+.4f", "difference", "low", "high")]
    columns += [
        *number_columns(".4g", "p"),
        *number_columns(".3f", "milliseconds"),
        *number_columns(",", "index_bytes"),
    ]
    rows: list[list[Any]] = []
    for row in found.rows:
        for name, effect in row.effects.items():
            finite = [value if math.isfinite(value) else None for value in effect]
            cost = [row.milliseconds, row.index_bytes]
            rows.append([row.system, row.property, row.cure, name, *finite, *cost])
    return columns, rows


def property_about(found: PropertyCard) -> list[str]:
    """The setup and the settings."""
    how = f"relevant from grade {found.threshold:g}", f"k {found.k}", f"seed {found.seed}"
    return [about(found, counted(found.queries, "query", "queries"), *how)]


def property_text(found: PropertyCard, width: int | None = None, wrap: int | None = None) -> str:
    """The definitions of the numbers, and for each system its numbers and the changes by each cure."""
    lines = [flowed(f"{_SHORT[ALL]}: {found.measure} over all queries as they are", wrap, "", "  ")]
    lines += [flowed(f"{each.property}: {each.definition}", wrap, "", "  ") for each in found.properties]
    blocks = ["\n".join(lines)]
    for system in found.systems:
        blocks.append(f"{system}\n\n{_matrix(found, system, width)}")
    legend = (
        "A row of a cure has the change of each number. *: p is at most 0.05 by the paired t test, corrected by "
        f"Holm over the cures of a system. ms: per query, in one thread. {_SPELT}"
    )
    blocks.append(flowed(legend, wrap))
    skipped = (f"not measured: {each.name} ({each.reason})" for each in found.skipped)
    blocks.append("\n".join(flowed(line, wrap, "", "  ") for line in skipped))
    return "\n\n".join(filter(None, blocks))


_SPELT = "index: its size on disk, without texts."


def _matrix(found: PropertyCard, system: str, width: int | None) -> str:
    """One row for the system and for each cure, one column per number; a line above the cures of each property."""
    names = [ALL, *(each.property for each in found.properties)]
    columns = [Column("cure"), *(Column(_SHORT[name], justify="right") for name in names)]
    columns += [Column("ms", justify="right"), Column("index", justify="right")]
    return render(columns, list(_lines(found, system, names)), width=width)


def _lines(found: PropertyCard, system: str, names: list[str]) -> Iterator[list[str]]:
    title = ""
    for row in found.of(system):
        if row.property != title:
            title = row.property
            yield [f"for {PROPERTIES[title]}:", *[""] * (len(names) + 2)]
        yield [f"  {row.cure}" if row.cure else "no cure", *(cell(row, name) for name in names), *cost(row)]


def cell(row: CuredSystem, name: str) -> str:
    """A number of the system as it is, or its change by a cure, with a star if it is significant."""
    effect = row.effects[name]
    if not row.cure:
        return f"{effect.value:.4f} "
    return f"{signed(effect.difference)}{'*' if is_significant(effect) else ' '}"


def signed(value: float) -> str:
    """A change with its sign; one that rounds to 0 is positive."""
    return f"{round(value, 4) + 0.0:+.4f}"


def cost(row: CuredSystem) -> list[str]:
    """The milliseconds per query and the size of the index."""
    return [f"{row.milliseconds:.2f}", byte_size(row.index_bytes)]


def is_significant(effect: PropertyValue) -> bool:
    """Whether a change is significant."""
    return effect.difference != 0 and effect.p <= ALPHA


def verdict(found: PropertyCard, system: str, name: str) -> str:
    """The best cure of a property and its costs, as sentences; "" if the system has no cure for it."""
    cures = [row for row in found.of(system) if row.property == name]
    if not cures:
        return ""
    best = max(cures, key=lambda row: row.effects[name].difference)
    gain = best.effects[name]
    if gain.difference <= 0:
        return "No cure raises the number."
    sure = is_significant(gain)
    first = f"Most is gained by {best.cure}: {gain.difference:+.4f} ({p_words(gain)})"
    first += "." if sure else ", which may be chance."
    return f"{first} {_elsewhere(found, best)}"


def p_words(effect: PropertyValue) -> str:
    """The p of a change in words."""
    text = p_text(effect.p) if math.isfinite(effect.p) else "–"
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _elsewhere(found: PropertyCard, row: CuredSystem) -> str:
    """The significant losses of a cure on the other numbers, and its cost in time and in the index."""
    others = {name: effect for name, effect in row.effects.items() if name != row.property}
    lost = [
        f"{effect.difference:+.4f} {number_words(name)}"
        for name, effect in others.items()
        if is_significant(effect) and effect.difference < 0
    ]
    plain = found.of(row.system)[0]
    parts = [f"It costs {', '.join(lost)}." if lost else "No other number falls significantly."]
    if row.milliseconds > _SLOWER * plain.milliseconds:
        parts.append(f"A query takes {row.milliseconds:.2f} ms instead of {plain.milliseconds:.2f} ms.")
    if row.index_bytes != plain.index_bytes:
        sizes = byte_size(row.index_bytes), byte_size(plain.index_bytes)
        parts.append(f"The index takes {sizes[0]} instead of {sizes[1]}.")
    return " ".join(parts)


def number_words(name: str) -> str:
    """The place of a number in a sentence: over all queries, or for a property."""
    return "over all queries as they are" if name == ALL else f"for {PROPERTIES[name]}"
