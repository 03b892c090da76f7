"""A robustness scorecard as text for people, and as rows for programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toysearch.base import Column, ResultTable, byte_size, counted, listed, number_columns, one_line
from toysearch.evaluation import Measure
from toysearch.laboratory.effects import Effect, p_text
from toysearch.laboratory.experiments.robustness.cures import ALL, CuredSystem
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES, AlteredInput, Robustness
from toysearch.laboratory.results.tables import flowed, render

_MOST_LOSSES = 3  # altered inputs in the conclusion
_LEAD = 24  # characters that are shown before the alteration
_SHOWN = 78  # the default width of an example in characters
_ALPHA = 0.05  # the level at which the change by a cure is called significant
_SLOWER = 1.5  # times the time of the system as it is: below, the difference may be that of the machine
_NUMBERS = [
    *number_columns(".4f", before="original", after="altered"),
    *number_columns("+.4f", difference="change", low="from", high="to"),
]


def robustness_rows(found: Robustness) -> ResultTable:
    """All altered inputs, with all their numbers; those of cures, if there are any."""
    if found.cures:
        return _cure_rows(found)
    columns = [*map(Column, ("property", "input", "system", "measure")), *number_columns("", "queries"), *_NUMBERS]
    columns += [
        *number_columns(".4g", "p"),
        *number_columns(".4f", "corrected"),
        *map(Column, ("where", "text_before", "text_after")),
    ]
    rows: list[list[Any]] = []
    for altered, row in found.rows:
        # A single query has no interval.
        numbers = (row.before, row.after, row.difference, row.low, row.high, row.p, row.corrected)
        example = [altered.example.where, *excerpts(*altered.example[1:], _SHOWN)]
        names = [altered.property, altered.name, row.system, row.measure, row.queries]
        rows.append([*names, *map(_finite, numbers), *example])
    return ResultTable(columns, rows)


def _finite(value: float | None) -> float | None:
    """A number; None if it is not finite."""
    return value if value is not None and math.isfinite(value) else None


def _cure_rows(robustness: Robustness) -> ResultTable:
    """The columns and rows of each effect of each cure, with the cost of the cure."""
    columns = [*map(Column, ("system", "cure_for", "cure", "number")), *number_columns("", "queries")]
    columns += [*number_columns(".4f", "before", "after"), *number_columns("+.4f", "difference", "low", "high")]
    columns += [
        *number_columns(".4g", "p"),
        *number_columns(".3f", "milliseconds"),
        *number_columns(",", "index_bytes"),
    ]
    rows: list[list[Any]] = []
    for cured in robustness.cures:
        for number, effect in cured.effects.items():
            values = effect.before, effect.after, effect.difference, effect.low, effect.high, effect.p
            names = [cured.system, cured.property, cured.cure, number, effect.queries]
            rows.append([*names, *map(_finite, values), cured.milliseconds, cured.index_bytes])
    return ResultTable(columns, rows)


def robustness_about(found: Robustness) -> list[str]:
    """The setup and the settings."""
    how = [f"relevant from grade {found.threshold:g}", f"k {found.k}", f"seed {found.seed}"]
    how += [] if found.cures else ["95 % intervals, each for its row alone"]
    return [" · ".join([found.collection, found.analyzer, counted(found.queries, "query", "queries"), *how])]


def robustness_text(
    found: Robustness, width: int | None = None, wrap: int | None = None, *, details: bool = True
) -> str:
    """The scorecard for people: the conclusion, and for each property a table; then its examples and other findings."""
    if found.cures:
        return _cures_text(found, width, wrap)
    blocks = ["\n".join(flowed(sentence, wrap or width) for sentence in conclusions(found))]
    for number, (name, title) in enumerate(PROPERTIES.items(), 1):
        inputs = [altered for altered in found.inputs if altered.property == name]
        skipped = [missing for missing in found.skipped if missing.property == name]
        if not inputs and not skipped:
            continue
        for measure in found.measures if inputs else ():
            heading = f"{number}. {title}: {measure}"
            blocks.append(f"{heading}\n\n{_inputs_table(found, inputs, measure, width)}")
        if details:
            blocks.append("\n".join(_examples(inputs, width)))
            blocks += _MORE[name](found, width) if name in _MORE else []
        blocks += [flowed(f"not measured: {missing.name} ({missing.reason})", width) for missing in skipped]
    return "\n\n".join(block for block in blocks if block)


def conclusions(found: Robustness) -> list[str]:
    """The inputs that cost each system most beyond chance, and those that cost it nothing; wrong indexes."""
    sentences = []
    for system, measure in itertools.product(found.systems, found.measures):
        rows = [(altered.name, row) for altered, row in found.rows if (row.system, row.measure) == (system, measure)]
        side = -1 if Measure.parse(measure).definition.better == "lower" else 1
        losses = [(name, row) for name, row in rows if max(side * row.low, side * row.high) < 0]
        losses.sort(key=lambda pair: side * pair[1].difference)
        costs = [f"{name} ({row.before:.4f} → {row.after:.4f})" for name, row in losses[:_MOST_LOSSES]]
        most = f"loses most {measure} with {listed(costs)}" if costs else f"loses no {measure} beyond chance"
        harmless = [name for name, row in rows if row.difference == 0]
        nothing = f"; {listed(harmless)} {'changes' if len(harmless) == 1 else 'change'} nothing" if harmless else ""
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


def _inputs_table(robustness: Robustness, inputs: Sequence[AlteredInput], measure: str, width: int | None) -> str:
    """The rows of one property; for several systems, the input has its own row above theirs."""
    columns = [Column("input"), *_NUMBERS, *number_columns("", "queries")]
    correctable = any(row.corrected is not None for altered in inputs for row in altered.rows)
    columns += number_columns(".4f", "corrected") if correctable else []
    rows: list[list[Any]] = []
    for altered in inputs:
        effects = [row for row in altered.rows if row.measure == measure]
        cells = [
            [
                *map(rounded, (row.before, row.after, row.difference, row.low, row.high)),
                row.queries,
                *[row.corrected] * correctable,
            ]
            for row in effects
        ]
        rows += _grouped(altered.name, [row.system for row in effects], cells, len(robustness.systems))
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
    example = None
    for altered in inputs:
        repeated = altered.example == example
        example = altered.example
        yield flowed(f"{altered.name}: {altered.what}{'' if repeated else f' ({example.where})'}", width)
        for sign, text in zip("-+", excerpts(example.before, example.after, (width or _SHOWN) - 5), strict=True):
            if text and not repeated:
                yield f"   {sign} {text}"


def _semantic(robustness: Robustness, width: int | None) -> list[str]:
    """The relevant documents that contain the query terms, and the value that is left without them."""
    exact = robustness.exact
    if exact is None or not exact.relevant:
        return []
    shares = (
        f"{exact.all_terms:.1%} contain all terms of their query, {exact.some_terms:.1%} some, {exact.no_term:.1%} none"
    )
    sentences = [f"Of {exact.relevant:,} relevant documents, {shares}."]
    for altered, row in robustness.rows:
        if altered.name == "related words only" and row.before > 0:
            share = row.after / row.before
            sentences.append(f"With other words, {row.system} keeps {share:.0%} of its {row.measure}.")
    return ["\n".join(flowed(sentence, width) for sentence in sentences)]


def _rare(robustness: Robustness, width: int | None) -> list[str]:
    """Values by the rarity of the query words."""
    blocks = []
    groups = dict.fromkeys((row.group, f"{row.held_low:.1%}", f"{row.held_high:.1%}") for row in robustness.rarity)
    columns = [Column("words"), *number_columns(".4f", "value", low="from", high="to"), *number_columns("", "queries")]
    several = len({group[1:] for group in groups}) > 1  # else the words of all queries are equally rare
    for measure in robustness.measures if several else ():
        rows: list[list[Any]] = []
        for group, low, high in groups:
            values = [row for row in robustness.rarity if row.measure == measure and row.group == group]
            cells = [[row.value, rounded(row.low), rounded(row.high), row.queries] for row in values]
            name = f"{group} (in {low})" if low == high else f"{group} (in {low} to {high})"
            rows += _grouped(name, [row.system for row in values], cells, len(robustness.systems))
        title = f"{measure} by the rarity of the query words (the share of documents that contain them):"
        blocks += _titled(title, columns, rows, width)
    return blocks


def _titled(title: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], width: int | None) -> list[str]:
    """A sentence and the table below it; nothing if the table has no row."""
    return [flowed(title, width), render(columns, rows, width=width)] if rows else []


def _corpus(robustness: Robustness, width: int | None) -> list[str]:
    """The drift of the statistics, and whether the changed indexes are right."""
    columns = [Column("collection"), *number_columns(",", "documents", "terms"), *number_columns(".2f", "avgdl")]
    columns += [*number_columns(".1%", df_change="change of df/N"), *number_columns(",", lost="query terms lost")]
    blocks = [render(columns, robustness.drift, width=width)] if robustness.drift else []
    if robustness.checks and all(check.holds for check in robustness.checks):
        right = (
            f"All {len(robustness.checks)} changed indexes, and the values measured on them, equal those of an index "
            "built anew; adding the documents again in their order restores the original."
        )
        blocks.append(flowed(right, width))
    return blocks


def _length(robustness: Robustness, width: int | None) -> list[str]:
    """A long and a short document, and the lengths of the retrieved documents."""
    pairs = [Column("system"), *number_columns(".4f", long="10 of 5,000", short="5 of 100"), Column("first")]
    bias = [Column("system"), *number_columns(".1f", "relevant", "retrieved")]
    bias += [*number_columns("+.1f", "difference", low="from", high="to"), *number_columns("", "queries")]
    fifths = [Column("tokens"), *number_columns(".1%", "relevant", *robustness.systems)]
    return [
        *_titled("A word 10 times among 5,000 words, or 5 times among 100:", pairs, robustness.long_and_short, width),
        *_titled(
            "Tokens of the relevant documents, and of equally many top-ranked ones:",
            bias,
            [[row.system, *map(rounded, row[2:]), row.queries] for row in robustness.bias],
            width,
        ),
        *_titled(
            "Their shares in each fifth of the documents by length:",
            fifths,
            [
                [f"{row.shortest} to {row.longest}", row.relevant, *map(row.retrieved.get, robustness.systems)]
                for row in robustness.fifths
            ],
            width,
        ),
    ]


_MORE = {"semantic": _semantic, "rare": _rare, "corpus": _corpus, "length": _length}


def rounded(value: float) -> float | None:
    """A number rounded for people, without a negative zero; None if it is not finite."""
    return round(value, 4) + 0.0 if math.isfinite(value) else None


def _cures_text(robustness: Robustness, width: int | None, wrap: int | None) -> str:
    """What is measured for each property; for each system its values, the changes by each cure, and the best cures."""
    lines = [flowed(f"as they are: {robustness.measures[0]} over all queries as they are", wrap, "", "  ")]
    lines += [
        flowed(f"{altered.property}: {altered.rows[0].measure}, {altered.name}: {altered.what}", wrap, "", "  ")
        for altered in robustness.inputs
    ]
    blocks = ["\n".join(lines)]
    names = [ALL, *(altered.property for altered in robustness.inputs)]
    columns = [Column("cure"), *(Column("as they are" if name == ALL else name, justify="right") for name in names)]
    columns += [Column("ms", justify="right"), Column("index", justify="right")]
    for system in robustness.systems:
        plain, *cures = (cured for cured in robustness.cures if cured.system == system)
        blocks.append(f"{system}\n\n{render(columns, list(_cure_lines(plain, cures, names)), width=width)}")
        sentences = [f"{PROPERTIES[name]}: {best_cure(plain, cures, name)}" for name in names[1:]]
        blocks.append("\n".join(flowed(sentence, wrap, "- ", "  ") for sentence in sentences))
    legend = (
        "A row of a cure has the change of each number. *: p is at most 0.05 by the paired t test, corrected by "
        "Holm over the cures of a system. ms: per query, in one thread. index: its size on disk, without texts."
    )
    blocks.append(flowed(legend, wrap))
    skipped = (f"not measured: {missing.name} ({missing.reason})" for missing in robustness.skipped)
    blocks.append("\n".join(flowed(line, wrap, "", "  ") for line in skipped))
    return "\n\n".join(filter(None, blocks))


def _cure_lines(plain: CuredSystem, cures: Sequence[CuredSystem], names: Sequence[str]) -> Iterator[list[str]]:
    """The values of a system, then the changes by its cures under the name of their property."""
    yield ["no cure", *(f"{plain.effects[name].after:.4f} " for name in names), *_cost(plain)]
    for of_property, group in itertools.groupby(cures, lambda cured: cured.property):
        yield [f"for {PROPERTIES[of_property]}:", *[""] * (len(names) + 2)]
        for cured in group:
            effects = [cured.effects[name] for name in names]
            changes = [f"{rounded(row.difference):+.4f}{'*' if _is_significant(row) else ' '}" for row in effects]
            yield [f"  {cured.cure}", *changes, *_cost(cured)]


def _cost(cured: CuredSystem) -> list[str]:
    """The milliseconds per query and the size of the index."""
    return [f"{cured.milliseconds:.2f}", byte_size(cured.index_bytes)]


def _is_significant(row: Effect) -> bool:
    """Whether the change by a cure is significant."""
    return row.difference != 0 and row.p <= _ALPHA


def best_cure(plain: CuredSystem, cures: Iterable[CuredSystem], name: str) -> str:
    """The best cure of a property and its costs, as sentences."""
    candidates = [cured for cured in cures if cured.property == name]
    best = max(candidates, key=lambda cured: cured.effects[name].difference, default=None)
    if best is None or best.effects[name].difference <= 0:
        return "no cure raises the number." if best else "the system has no cure for it."
    gain = best.effects[name]
    p = p_text(gain.p) if math.isfinite(gain.p) else "–"
    chance = "." if _is_significant(gain) else ", which may be chance."
    losses = [
        f"{row.difference:+.4f} {'over all queries as they are' if other == ALL else f'for {PROPERTIES[other]}'}"
        for other, row in best.effects.items()
        if other != name and _is_significant(row) and row.difference < 0
    ]
    parts = [
        f"most is gained by {best.cure}: {gain.difference:+.4f} (p {'' if p.startswith('<') else '= '}{p}){chance}",
        f"It costs {', '.join(losses)}." if losses else "No other number falls significantly.",
    ]
    if best.milliseconds > _SLOWER * plain.milliseconds:
        parts.append(f"A query takes {best.milliseconds:.2f} ms instead of {plain.milliseconds:.2f} ms.")
    if best.index_bytes != plain.index_bytes:
        parts.append(f"The index takes {byte_size(best.index_bytes)} instead of {byte_size(plain.index_bytes)}.")
    return " ".join(parts)
