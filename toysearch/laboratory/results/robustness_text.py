"""A robustness scorecard as text for people, and as rows for programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toysearch.base.wording import counted, listed, one_line
from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES, Robustness
from toysearch.laboratory.experiments.robustness.tested_system import AlteredInput
from toysearch.laboratory.results.experiment_text import about
from toysearch.laboratory.results.tables import Column, flowed, number_columns, render

_MOST_LOSSES = 3  # altered inputs in the conclusion
_LEAD = 24  # characters that are shown before the alteration
_SHOWN = 78  # the default width of an example in characters
_NUMBERS = [
    *number_columns(".4f", "original", "altered"),
    *number_columns("+.4f", difference="change", low="from", high="to"),
]


def robustness_rows(found: Robustness, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """The columns and rows of all altered inputs, with all their numbers."""
    columns = [*map(Column, ("property", "input", "system", "measure")), *number_columns("", "queries"), *_NUMBERS]
    columns += [
        *number_columns(".4g", "p"),
        *number_columns(".4f", "corrected"),
        *map(Column, ("where", "before", "after")),
    ]
    rows: list[list[Any]] = []
    for altered, row in found.rows:
        # A single query has no interval.
        finite = [value if value is not None and math.isfinite(value) else None for value in row[3:]]
        example = [altered.example.where, *excerpts(*altered.example[1:], _SHOWN)]
        rows.append([altered.property, altered.name, *row[:3], *finite, *example])
    return columns, rows


def robustness_about(found: Robustness) -> list[str]:
    """The setup and the settings."""
    how = f"relevant from grade {found.threshold:g}", f"k {found.k}", f"seed {found.seed}"
    return [about(found, counted(found.queries, "query", "queries"), *how, "95 % intervals, each for its row alone")]


def robustness_text(
    found: Robustness, width: int | None = None, wrap: int | None = None, *, details: bool = True
) -> str:
    """The scorecard for people: the conclusion, and for each property a table; then its examples and other findings."""
    blocks = ["\n".join(flowed(sentence, wrap or width) for sentence in conclusions(found))]
    for number, (name, title) in enumerate(PROPERTIES.items(), 1):
        inputs = [altered for altered in found.inputs if altered.property == name]
        skipped = [each for each in found.skipped if each.property == name]
        if not inputs and not skipped:
            continue
        for measure in found.measures if inputs else ():
            heading = f"{number}. {title}: {measure}"
            blocks.append(f"{heading}\n\n{_inputs_table(found, inputs, measure, width)}")
        if details:
            blocks.append("\n".join(_examples(inputs, width)))
            blocks += _MORE[name](found, width) if name in _MORE else []
        blocks += [flowed(f"not measured: {each.name} ({each.reason})", width) for each in skipped]
    return "\n\n".join(block for block in blocks if block)


def conclusions(found: Robustness) -> list[str]:
    """The inputs that cost each system most beyond chance, and those that cost it nothing; wrong indexes."""
    sentences = []
    for system, measure in itertools.product(found.systems, found.measures):
        rows = [(altered.name, row) for altered, row in found.rows if (row.system, row.measure) == (system, measure)]
        side = -1 if Measure.parse(measure).definition.better == "lower" else 1
        losses = [(name, row) for name, row in rows if max(side * row.low, side * row.high) < 0]
        losses.sort(key=lambda pair: side * pair[1].difference)
        costs = [f"{name} ({row.original:.4f} → {row.altered:.4f})" for name, row in losses[:_MOST_LOSSES]]
        most = f"loses most {measure} with {listed(costs)}" if costs else f"loses no {measure} beyond chance"
        kept = [name for name, row in rows if row.difference == 0]
        nothing = f"; {listed(kept)} {'changes' if len(kept) == 1 else 'change'} nothing" if kept else ""
        sentences.append(f"{system} {most}{nothing}.")
    return sentences + [
        f"WRONG: {check.name} is not the same {check.what}" for check in found.checks if not check.holds
    ]


def excerpts(before: str, after: str, width: int) -> tuple[str, str]:
    """The places where a text and the altered one differ, each in at most `width` characters.

    >>> excerpts("a long text about the boundary layer", "a long text about the boundray layer", 24)
    ('… the boundary layer', '… the boundray layer')
    >>> excerpts("", "a new text", 24)
    ('', 'a new text')
    """
    before, after = one_line(before), one_line(after)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    same = sum(1 for _ in alike)
    start = max(0, same - min(_LEAD, width // 2))
    blank = before.find(" ", start, same)  # a word is shown from its beginning
    if start and blank >= 0:
        start = blank
    return _cut(before, start, width), _cut(after, start, width)


def _cut(text: str, start: int, width: int) -> str:
    """A text from a position on, with dots for omitted parts."""
    rest = f"…{text[start:]}" if start else text
    return rest if len(rest) <= width else f"{rest[: width - 1]}…"


def _inputs_table(found: Robustness, inputs: Sequence[AlteredInput], measure: str, width: int | None) -> str:
    """The rows of one property; for several systems, the input has its own row above theirs."""
    columns = [Column("input"), *_NUMBERS, *number_columns("", "queries")]
    correctable = any(row.corrected is not None for altered in inputs for row in altered.rows)
    columns += number_columns(".4f", "corrected") if correctable else []
    rows: list[list[Any]] = []
    for altered in inputs:
        own = [row for row in altered.rows if row.measure == measure]
        cells = [[*map(rounded, row[3:8]), row.queries, *[row.corrected] * correctable] for row in own]
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
    """Each alteration with an example; inputs that share an example show it once."""
    shown = None
    for altered in inputs:
        repeated = altered.example == shown
        shown = altered.example
        yield flowed(f"{altered.name}: {altered.what}{'' if repeated else f' ({shown.where})'}", width)
        for sign, text in zip("-+", excerpts(shown.before, shown.after, (width or _SHOWN) - 5), strict=True):
            if text and not repeated:
                yield f"   {sign} {text}"


def _semantic(found: Robustness, width: int | None) -> list[str]:
    """The relevant documents that contain the query terms, and the value that is left without them."""
    exact = found.exact
    if exact is None or not exact.relevant:
        return []
    held = (
        f"{exact.all_terms:.1%} contain all terms of their query, {exact.some_terms:.1%} some, {exact.no_term:.1%} none"
    )
    sentences = [f"Of {exact.relevant:,} relevant documents, {held}."]
    for altered, row in found.rows:
        if altered.name == "related words only" and row.original > 0:
            kept = row.altered / row.original
            sentences.append(f"With other words, {row.system} keeps {kept:.0%} of its {row.measure}.")
    return ["\n".join(flowed(sentence, width) for sentence in sentences)]


def _rare(found: Robustness, width: int | None) -> list[str]:
    """Values by the rarity of the query words."""
    blocks = []
    groups = dict.fromkeys((each.group, f"{each.held_low:.1%}", f"{each.held_high:.1%}") for each in found.rarity)
    columns = [Column("words"), *number_columns(".4f", "value", low="from", high="to"), *number_columns("", "queries")]
    several = len({group[1:] for group in groups}) > 1  # else the words of all queries are equally rare
    for measure in found.measures if several else ():
        rows: list[list[Any]] = []
        for group, low, high in groups:
            own = [each for each in found.rarity if each.measure == measure and each.group == group]
            cells = [[each.value, rounded(each.low), rounded(each.high), each.queries] for each in own]
            name = f"{group} (in {low})" if low == high else f"{group} (in {low} to {high})"
            rows += _grouped(name, [each.system for each in own], cells, len(found.systems))
        title = f"{measure} by the rarity of the query words (the share of documents that contain them):"
        blocks += _titled(title, columns, rows, width)
    return blocks


def _titled(title: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], width: int | None) -> list[str]:
    """A sentence and the table below it; nothing if the table has no row."""
    return [flowed(title, width), render(columns, rows, width=width)] if rows else []


def _corpus(found: Robustness, width: int | None) -> list[str]:
    """The drift of the statistics, and whether the changed indexes are right."""
    columns = [Column("collection"), *number_columns(",", "documents", "terms"), *number_columns(".2f", "avgdl")]
    columns += [*number_columns(".1%", df_change="change of df/N"), *number_columns(",", lost="query terms lost")]
    blocks = [render(columns, found.drift, width=width)] if found.drift else []
    if found.checks and all(check.holds for check in found.checks):
        right = (
            f"All {len(found.checks)} changed indexes, and the values measured on them, equal those of an index built "
            "anew; adding the documents again in their order restores the original."
        )
        blocks.append(flowed(right, width))
    return blocks


def _length(found: Robustness, width: int | None) -> list[str]:
    """A long and a short document, and the lengths of the retrieved documents."""
    pairs = [Column("system"), *number_columns(".4f", long="10 of 5,000", short="5 of 100"), Column("first")]
    bias = [Column("system"), *number_columns(".1f", "relevant", "retrieved")]
    bias += [*number_columns("+.1f", "difference", low="from", high="to"), *number_columns("", "queries")]
    fifths = [Column("tokens"), *number_columns(".1%", "relevant", *found.systems)]
    return [
        *_titled("A word 10 times among 5,000 words, or 5 times among 100:", pairs, found.long_and_short, width),
        *_titled(
            "Tokens of the relevant documents, and of equally many top-ranked ones:",
            bias,
            [[each.system, *map(rounded, each[2:]), each.queries] for each in found.bias],
            width,
        ),
        *_titled(
            "Their shares in each fifth of the documents by length:",
            fifths,
            [
                [f"{each.shortest} to {each.longest}", each.relevant, *map(each.retrieved.get, found.systems)]
                for each in found.fifths
            ],
            width,
        ),
    ]


_MORE = {"semantic": _semantic, "rare": _rare, "corpus": _corpus, "length": _length}


def rounded(value: float) -> float | None:
    """A number rounded for people, without a negative zero; None if it is not finite."""
    return round(value, 4) + 0.0 if math.isfinite(value) else None
