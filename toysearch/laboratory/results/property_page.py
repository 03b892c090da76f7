"""A property card as a page: the numbers of each system, and for each property its cures and their costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toysearch.base.display import ResultTable
from toysearch.base.wording import byte_size, counted, listed
from toysearch.laboratory.experiments.robustness.property_card import CuredSystem, PropertyCard
from toysearch.laboratory.experiments.robustness.property_inputs import ALL
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES
from toysearch.laboratory.results.comparison_report import true_minus
from toysearch.laboratory.results.differences import p_text
from toysearch.laboratory.results.property_charts import cure_effects, property_numbers
from toysearch.laboratory.results.property_text import cell, cost, signed, verdict
from toysearch.laboratory.results.report_page import Figure, page_of, table_of
from toysearch.laboratory.results.robustness_text import excerpts
from toysearch.laboratory.results.tables import Column

_EXAMPLE = 90  # characters of an altered text
_RIGHT = ("value", "change", "from", "to", "p", "all queries", "p of that", "ms", "index")


def property_page(found: PropertyCard, provenance: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """The page of a property card."""
    places = list(enumerate(found.systems, 1))
    overview = "Each number before (diamond) and after (dot) the change of the input, without any cure: "
    overview += f"{found.measure}; for a changing corpus, the share of the first documents that stay."
    figures = [Figure("numbers", property_numbers(found), overview)] if found.properties else []
    parts = [_system(found, place, system) for place, system in places]
    figures += [each["figure"] for part in parts for each in part["properties"] if each["figure"]]
    title = f"Properties of {listed(found.systems)} on {found.collection}"
    lead = [found.collection, counted(found.queries, "query", "queries"), f"relevant from grade {found.threshold:g}"]
    return page_of(
        "properties.html",
        title=title,
        figures=figures,
        lead=" · ".join([*lead, found.analyzer, f"seed {found.seed}"]),
        overview=figures[0] if figures else None,
        numbers=table_of(_numbers(found)),
        definitions=[_definition(found, each) for each in found.properties],
        systems=parts,
        several=len(parts) > 1,
        skipped=[f"{PROPERTIES[each.property]}: {each.name} ({each.reason})" for each in found.skipped],
        provenance=provenance or {},
    )


def _definition(found: PropertyCard, each: Any) -> dict[str, str]:
    before, after = excerpts(each.example.before, each.example.after, _EXAMPLE)
    title = PROPERTIES[each.property]
    shown = {"title": title[0].upper() + title[1:], "where": each.example.where, "before": before, "after": after}
    return shown | {"question": each.question, "definition": each.definition}


def _numbers(found: PropertyCard) -> ResultTable:
    """The numbers of the systems without cures, before and after the change of the input."""
    columns = [Column("property"), Column("system")]
    columns += [Column(name, justify="right") for name in ("before", "after", "change", "queries")]
    rows = []
    for each in found.properties:
        for system in found.systems:
            effect = found.of(system)[0].effects[each.property]
            change = signed(effect.value - effect.unaltered)
            values = f"{effect.unaltered:.4f}", f"{effect.value:.4f}", change, str(effect.queries)
            rows.append([PROPERTIES[each.property], system, *values])
    return ResultTable(columns, rows)


def _system(found: PropertyCard, place: int, system: str) -> dict[str, Any]:
    """A system for the template: its cost, its cures property by property, and all cures on all numbers."""
    plain, *cured = found.of(system)
    mean = plain.effects[ALL].value
    return {
        "place": place,
        "name": system,
        "lead": f"{found.measure} {mean:.4f} over all queries, {plain.milliseconds:.2f} ms per query, index of "
        f"{byte_size(plain.index_bytes)} without texts.",
        "properties": [_property(found, place, system, each) for each in found.properties],
        "matrix": table_of(_matrix(found, system), ruled=_ruled([plain, *cured])) if cured else None,
    }


def _property(found: PropertyCard, place: int, system: str, each: Any) -> dict[str, Any]:
    """A property of a system: its number, the conclusion, and its cures in a chart and in a table."""
    name, title = each.property, PROPERTIES[each.property]
    plain, *cured = found.of(system)
    cures = [row for row in cured if row.property == name]
    effect = plain.effects[name]
    fall = f"{effect.unaltered:.4f} before the change of the input, {effect.value:.4f} after it"
    caption = "The gain of each cure, its cost over all queries as they are, and the 95 % intervals."
    chart = Figure(f"cures-{place}-{name}", cure_effects(found, system, name), caption) if cures else None
    return {
        "title": title[0].upper() + title[1:],
        "question": each.question,
        "number": f"{each.number}: {fall}.",
        "verdict": true_minus(verdict(found, system, name)),
        "figure": chart,
        "table": table_of(_cures(found, plain, cures, name)) if cures else None,
        "cures": [(row.cure, row.what) for row in cures],
    }


def _cures(found: PropertyCard, plain: CuredSystem, cures: list[CuredSystem], name: str) -> ResultTable:
    """The cures of a property: the gain with its interval and p, the change over all queries, and the cost."""
    columns = [Column("cure"), *(Column(header, justify="right") for header in _RIGHT)]
    columns[6] = Column("all queries", f"{found.measure}, all queries", "right")
    columns[7] = Column("p of that", "p", "right")
    first = [f"{plain.effects[name].value:.4f}", "", "", "", "", f"{plain.effects[ALL].value:.4f}", "", *cost(plain)]
    rows = [["no cure", *first]]
    for row in cures:
        gain, elsewhere = row.effects[name], row.effects[ALL]
        limits = [signed(value) if math.isfinite(value) else "" for value in (gain.low, gain.high)]
        change = signed(gain.difference)
        everywhere = [signed(elsewhere.difference), _p(elsewhere.p)]
        rows.append([row.cure, f"{gain.value:.4f}", change, *limits, _p(gain.p), *everywhere, *cost(row)])
    return ResultTable(columns, rows)


def _p(p: float) -> str:
    return p_text(p) if math.isfinite(p) else ""


def _matrix(found: PropertyCard, system: str) -> ResultTable:
    """Every cure on every number."""
    names = [ALL, *(each.property for each in found.properties)]
    columns = [Column("cure"), Column("for")]
    columns += [Column(name, "all queries" if name == ALL else PROPERTIES[name], "right") for name in names]
    columns += [Column("ms", justify="right"), Column("index", justify="right")]
    rows = [
        [
            row.cure or "no cure",
            PROPERTIES.get(row.property, ""),
            *(cell(row, name).strip() for name in names),
            *cost(row),
        ]
        for row in found.of(system)
    ]
    return ResultTable(columns, rows, "The numbers without a cure, and the change of each by each cure")


def _ruled(rows: list[CuredSystem]) -> list[int]:
    """The rows that begin the cures of another property."""
    return [place for place in range(1, len(rows)) if rows[place].property != rows[place - 1].property]
