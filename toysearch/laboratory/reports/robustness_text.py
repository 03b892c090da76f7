"""A robustness scorecard as text for people, and as rows for programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toysearch.formats.text_files import counted
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES, Robustness
from toysearch.laboratory.experiments.robustness.tested_system import AlteredInput
from toysearch.laboratory.reports.experiment_text import about
from toysearch.laboratory.reports.tables import Column, flowed, render
from toysearch.wording import one_line

_LEAD = 24  # characters of a text that are shown before what was altered
_SHOWN = 78  # columns of an example where nothing else says how many there are
_NUMBERS = [
    Column("original", justify="right", format=".4f"),
    Column("altered", justify="right", format=".4f"),
    Column("difference", "change", "right", "+.4f"),
    Column("low", "from", "right", "+.4f"),
    Column("high", "to", "right", "+.4f"),
]


def robustness_rows(found: Robustness, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """The columns and rows of all altered inputs, each row with all that it says."""
    before = [Column("property"), Column("input"), Column("system"), Column("measure"), Column("queries", "", "right")]
    columns = [*before, *_NUMBERS, Column("p", "", "right", ".4g")]
    columns += [Column("where"), Column("before"), Column("after")]
    rows = []
    for altered, row in found.rows:
        numbers = [_finite(value) for value in row[3:]]
        cells = [altered.property, altered.name, row.system, row.measure, row.queries, *numbers]
        rows.append([*cells, altered.example.where, *excerpts(altered.example.before, altered.example.after, _SHOWN)])
    return columns, rows


def robustness_about(found: Robustness) -> list[str]:
    """What was measured, and with which settings."""
    how = f"relevant from grade {found.threshold:g}", f"k {found.k}", f"seed {found.seed}"
    return [about(found, counted(found.queries, "query", "queries"), *how, "95 % intervals, each for its row alone")]


def robustness_text(found: Robustness, width: int | None = None, wrap: int | None = None) -> str:
    """The scorecard for people: a table for each property, with what was done, an example, and what else was found."""
    blocks = []
    for number, (name, title) in enumerate(PROPERTIES.items(), 1):
        inputs = [altered for altered in found.inputs if altered.property == name]
        skipped = [each for each in found.skipped if each.property == name]
        if not inputs and not skipped:
            continue
        for measure in found.measures if inputs else ():
            heading = f"{number}. {title}: {measure}"
            blocks.append(f"{heading}\n\n{_inputs_table(found, inputs, measure, width)}")
        blocks.append("\n".join(_examples(inputs, width)))
        blocks += _MORE[name](found, width)
        blocks += [flowed(f"not measured: {each.name} ({each.reason})", width) for each in skipped]
    return "\n\n".join(block for block in blocks if block)


def excerpts(before: str, after: str, width: int) -> tuple[str, str]:
    """The places where a text and the altered one differ, each in at most so many characters.

    >>> excerpts("a long text about the boundary layer", "a long text about the boundray layer", 24)
    ('… the boundary layer', '… the boundray layer')
    >>> excerpts("", "a new text", 24)
    ('', 'a new text')
    """
    before, after = one_line(before), one_line(after)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    same = sum(1 for _ in alike)
    start = max(0, same - min(_LEAD, width // 2))
    blank = before.find(" ", start, same)  # no word is shown without its beginning
    if start and blank >= 0:
        start = blank
    return _cut(before, start, width), _cut(after, start, width)


def _cut(text: str, start: int, width: int) -> str:
    """A text from a place on, with dots for what is left out."""
    rest = f"…{text[start:]}" if start else text
    return rest if len(rest) <= width else f"{rest[: width - 1]}…"


def _inputs_table(found: Robustness, inputs: Sequence[AlteredInput], measure: str, width: int | None) -> str:
    """The rows of one property; under several systems the input stands in a row of its own above theirs."""
    columns = [Column("input"), *_NUMBERS, Column("queries", "", "right")]
    rows: list[list[Any]] = []
    for altered in inputs:
        own = [row for row in altered.rows if row.measure == measure]
        cells = [[*map(_rounded, row[3:8]), row.queries] for row in own]
        rows += _grouped(altered.name, [row.system for row in own], cells, len(found.systems))
    return render(columns, rows, width=width)


def _grouped(name: str, systems: Sequence[str], cells: Sequence[list[Any]], of: int) -> Iterator[list[Any]]:
    """One row; for several systems a name, and below it one row per system."""
    if of == 1:
        yield from ([name, *row] for row in cells)
    elif cells:
        yield [name, *[None] * len(cells[0])]
        yield from ([f"  {system}", *row] for system, row in zip(systems, cells, strict=True))


def _examples(inputs: Iterable[AlteredInput], width: int | None) -> Iterator[str]:
    """What was done, and an example of it; inputs that share an example show it once."""
    shown = None
    for altered in inputs:
        repeated = altered.example == shown
        shown = altered.example
        yield flowed(f"{altered.name}: {altered.what}{'' if repeated else f' ({shown.where})'}", width)
        for sign, text in zip("-+", excerpts(shown.before, shown.after, (width or _SHOWN) - 5), strict=True):
            if text and not repeated:
                yield f"   {sign} {text}"


def _semantic(found: Robustness, width: int | None) -> list[str]:
    """How many relevant documents hold the very words, and how much is left without them."""
    exact = found.exact
    if exact is None or not exact.relevant:
        return []
    held = f"{exact.all_terms:.1%} hold all terms of their query, {exact.some_terms:.1%} some, {exact.no_term:.1%} none"
    sentences = [f"Of {exact.relevant:,} relevant documents {held}."]
    for altered, row in found.rows:
        if altered.name == "synonyms of all words" and row.original > 0:
            kept = row.altered / row.original
            sentences.append(f"With other words {row.system} keeps {kept:.0%} of its {row.measure}.")
    return ["\n".join(flowed(sentence, width) for sentence in sentences)]


def _rare(found: Robustness, width: int | None) -> list[str]:
    """Values by the rarity of the query's words."""
    blocks = []
    ranges = {(f"{each.held_low:.1%}", f"{each.held_high:.1%}") for each in found.rarity}
    for measure in found.measures if len(ranges) > 1 else ():  # else the words of all queries are equally rare
        rows: list[list[Any]] = []
        groups = dict.fromkeys((each.group, each.held_low, each.held_high) for each in found.rarity)
        for group, low, high in groups:
            own = [each for each in found.rarity if each.measure == measure and each.group == group]
            cells = [[each.value, _rounded(each.low), _rounded(each.high), each.queries] for each in own]
            name = (
                f"{group} (in {low:.1%})" if f"{low:.1%}" == f"{high:.1%}" else f"{group} (in {low:.1%} to {high:.1%})"
            )
            rows += _grouped(name, [each.system for each in own], cells, len(found.systems))
        numbers = [
            Column("value", "", "right", ".4f"),
            Column("low", "from", "right", ".4f"),
            Column("high", "to", "right", ".4f"),
            Column("queries", "", "right"),
        ]
        title = f"{measure} by how rare the words of the queries are (in what part of the documents they are):"
        blocks.append(
            f"{flowed(title, width)}\n\n{render([Column('words'), *numbers], rows, width=width)}" if rows else ""
        )
    return blocks


def _corpus(found: Robustness, width: int | None) -> list[str]:
    """The drift of the statistics, and whether the changed indexes are right."""
    columns = [
        Column("collection"),
        Column("documents", "", "right", ","),
        Column("terms", "", "right", ","),
        Column("avgdl", "", "right", ".2f"),
        Column("df_change", "df/N moved by", "right", ".1%"),
        Column("lost", "query terms lost", "right", ","),
    ]
    blocks = [render(columns, found.drift, width=width)] if found.drift else []
    wrong = [check for check in found.checks if not check.holds]
    if found.checks and not wrong:
        blocks.append(
            flowed(
                f"All {len(found.checks)} changed indexes, and the values measured on them, are equal to what building "
                "anew gives; documents that are added again in their order give the original.",
                width,
            )
        )
    blocks += [flowed(f"WRONG: {check.name} is not the same {check.what}", width) for check in wrong]
    return blocks


def _length(found: Robustness, width: int | None) -> list[str]:
    """A long and a short document, and the lengths of what is retrieved."""
    blocks = []
    if found.long_and_short:
        columns = [
            Column("system"),
            Column("long", "10 of 5,000", "right", ".4f"),
            Column("short", "5 of 100", "right", ".4f"),
            Column("first"),
        ]
        title = "A word 10 times among 5,000 words, or 5 times among 100:"
        blocks.append(f"{flowed(title, width)}\n\n{render(columns, found.long_and_short, width=width)}")
    if found.bias:
        numbers = [Column(name, "", "right", ".1f") for name in ("relevant", "retrieved")]
        numbers += [
            Column(name, header, "right", "+.1f")
            for name, header in (("difference", ""), ("low", "from"), ("high", "to"))
        ]
        rows = [[each.system, *map(_rounded, each[2:]), each.queries] for each in found.bias]
        columns = [Column("system"), *numbers, Column("queries", "", "right")]
        title = "Tokens of the relevant documents, and of as many that are ranked first:"
        blocks.append(f"{flowed(title, width)}\n\n{render(columns, rows, width=width)}")
    if found.fifths:
        columns = [Column("tokens"), Column("relevant", "", "right", ".1%")]
        columns += [Column(name, "", "right", ".1%") for name in found.systems]
        rows = [
            [f"{fifth.shortest} to {fifth.longest}", fifth.relevant, *(fifth.retrieved[name] for name in found.systems)]
            for fifth in found.fifths
        ]
        title = "Where they come from, by fifths of the documents:"
        blocks.append(f"{flowed(title, width)}\n\n{render(columns, rows, width=width)}")
    return blocks


def _spelling(found: Robustness, width: int | None) -> list[str]:
    return []


_MORE = {"semantic": _semantic, "rare": _rare, "corpus": _corpus, "length": _length, "spelling": _spelling}


def _finite(value: float) -> float | None:
    """A number, or nothing where one query alone allows no interval."""
    return value if math.isfinite(value) else None


def _rounded(value: float) -> float | None:
    """The same to the places that people are shown, so that nothing rounds to a negative zero."""
    return round(value, 4) + 0.0 if math.isfinite(value) else None
