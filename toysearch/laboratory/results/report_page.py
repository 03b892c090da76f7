"""The report as a page: one HTML text with its styles, its charts and the script that draws them."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base.optional_packages import of_charts
from toysearch.base.result_tables import ResultTable
from toysearch.base.wording import counted
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES, Robustness
from toysearch.laboratory.explain.failure_analysis import RankedDocument
from toysearch.laboratory.results.charts import (
    Chart,
    drawing_script,
    judged_by_rank,
    precision_recall,
    query_differences,
    robustness_changes,
    value_boxes,
)
from toysearch.laboratory.results.comparison_report import (
    caveat_lines,
    differences_table,
    headline,
    legend,
    means_legend,
    means_table,
    true_minus,
    unjudged_sentence,
    verdicts,
)
from toysearch.laboratory.results.robustness_text import excerpts, robustness_text, rounded
from toysearch.laboratory.results.tables import Column, html_cells

if TYPE_CHECKING:
    from toysearch.laboratory.results.system_report import Answered, PoorlyAnswered, Report


_PAIRS = 6  # pairs whose differences are drawn
_WANTED = 10  # relevant documents shown for a poorly answered query
_EXAMPLE = 90  # characters of an altered text
_CARD = 100  # characters per line of the whole scorecard
_LINES = 3  # losses shown above the robustness cards
_NUMBERS = ["original", "altered", "change", "from", "to"]


class Figure(NamedTuple):
    """A chart with its name and its caption."""

    name: str
    chart: Chart
    caption: str


class GradedDocument(NamedTuple):
    """A document of a ranking, with a word for its grade."""

    doc_id: str
    rank: str
    grade: str
    kind: str
    title: str


def report_page(report: Report) -> str:
    """The page of a report."""
    comparison = report.comparison
    figures = _figures(report)
    caveats = [
        caveat for caveat in report.caveats if caveat.kind != "bounds"
    ]  # the sentence on unjudged documents says it
    return page_of(
        "report.html",
        title=report.title,
        figures=figures,
        measure=str(comparison.measures[0]),
        lead=_lead(report),
        several=len(comparison.systems) > 1,
        headline=headline(comparison),
        verdicts=verdicts(comparison),
        means=table_of(means_table(comparison)),
        means_legend=means_legend(comparison),
        differences=table_of(differences_table(comparison)) if comparison.pairs else None,
        legend=legend(comparison, terminal=True),
        caveats=[true_minus(line) for line in caveat_lines(caveats)],
        unjudged=unjudged_sentence(report.by_rank),
        pairs=[figure for figure in figures if figure.name.startswith("queries")],
        by_name={figure.name: figure for figure in figures},
        losses=losses(report.robustness, _LINES) if report.robustness else [],
        cards=_cards(report.robustness) if report.robustness else [],
        whole_card=robustness_text(report.robustness, _CARD) if report.robustness else "",
        cases=[_case(case, report) for case in report.poorest],
        left_out=report.left_out,
        provenance=report.provenance,
    )


def chart_page(chart: Chart, title: str) -> str:
    """A page with a single chart."""
    return page_of("chart.html", title=title, figures=[Figure("chart", chart, chart["description"])])


def page_of(template: str, figures: Sequence[Figure], **values: Any) -> str:
    """A rendered template: everything is escaped except our own scripts and styles."""
    jinja2, Markup = of_charts("jinja2"), of_charts("markupsafe").Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("toysearch.laboratory.results", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    scripts = [_library(), _own("page.js")]
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    page: str = environment.get_template(template).render(
        scripts=[Markup(script) for script in scripts],
        policy=f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:",
        style=Markup(_own("page.css")),
        charts={figure.name: Markup(_inline(figure.chart | {"background": "transparent"})) for figure in figures},
        figures=figures,
        **values,
    )
    return page


def _own(name: str) -> str:
    """A file beside the templates."""
    return files("toysearch.laboratory.results").joinpath(f"templates/{name}").read_text(encoding="utf-8")


@functools.cache
def _library() -> str:
    """The drawing library, escaped for a script element."""
    return drawing_script().replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(script: str) -> str:
    """The checksum of a script; the browser runs only scripts whose checksums are listed."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _inline(chart: Chart) -> str:
    """A chart as JSON in which no text can close the script element."""
    text = json.dumps(chart, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    escapes: dict[str, str | int | None] = {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
    return text.translate(str.maketrans(escapes))


def _figures(report: Report) -> list[Figure]:
    comparison = report.comparison
    measure = str(comparison.measures[0])
    levels = len(next(iter(report.curves.values())).at)
    levelled = f"Interpolated precision at {levels} levels of recall. Choose a query in the list below the chart."
    if comparison.options.get("ties") == "average":
        levelled += " Tied documents keep the order of the rankings: a curve cannot average over all orders."
    figures = [Figure("pr", precision_recall(report.curves, report.texts, choose=True), levelled)]
    pairs = [pair for pair in comparison.pairs if pair.measure == measure]
    for place, pair in enumerate(pairs[:_PAIRS], 1):
        caption = (
            f"{measure} of {pair.system} minus {measure} of {pair.other}: one bar per query; point at a bar to read it."
        )
        rest = f" {counted(len(pairs) - _PAIRS, 'more pair')} left out here; the report as JSON has all."
        caption += rest if place == _PAIRS < len(pairs) else ""
        figures.append(Figure(f"queries-{place}", query_differences(comparison, pair, report.texts), caption))
    boxes = "Values over the queries: the box is the middle half, the line the median, the diamond the mean; "
    boxes += "whiskers reach the last value within 1.5 box widths, and points lie beyond."
    figures.append(Figure("box", value_boxes(comparison), boxes))
    ranks = (
        "Judgments at each rank. Where many documents are unjudged, measures that count them as not relevant mislead."
    )
    figures.append(Figure("unjudged", judged_by_rank(report.by_rank), ranks))
    if report.robustness and report.robustness.rows:
        card = report.robustness
        caption = (
            f"The change of {card.measures[0]} with each altered input, over the queries that it changes, with its "
        )
        caption += "95 % interval; largest loss first."
        figures.append(Figure("robustness", robustness_changes(card, card.measures[0]), caption))
    return figures


def _lead(report: Report) -> str:
    comparison = report.comparison
    first = next(iter(comparison.evaluations.values()))
    about = report.provenance
    parts = [
        about.get("collection", {}).get("title", about.get("collection", {}).get("name", "")),
        f"{about['index']['documents']} documents" if "index" in about else "",
        counted(first.n_queries, "query", "queries"),
        f"relevant from grade {first.threshold:g}",
        about.get("index", {}).get("analyzer", ""),
        f"toysearch {about['versions']['toysearch']}",
    ]
    return " · ".join(part for part in parts if part)


def table_of(table: ResultTable, *, row_header: int = 0, ruled: Collection[int] = ()) -> dict[str, Any]:
    """A table for a template: its cells are HTML already, with true minus signs before numbers."""
    Markup = of_charts("markupsafe").Markup

    sides = [column.justify for column in table.columns]
    heads = [(column.header or column.name, column.justify) for column in table.columns]
    rows = [
        [Markup(true_minus(cell) if side == "right" else cell) for side, cell in zip(sides, row, strict=True)]
        for row in html_cells(table.columns, table.rows)
    ]
    return {"title": table.title, "heads": heads, "rows": rows, "row_header": row_header, "ruled": ruled}


def losses(found: Robustness, most: int) -> list[str]:
    """The altered inputs that cost most, one sentence each."""
    measure = found.measures[0]
    rows = {altered.name: [row for row in altered.rows if row.measure == measure] for altered in found.inputs}
    titles = {altered.name: PROPERTIES[altered.property] for altered in found.inputs}
    worst = sorted(filter(rows.get, rows), key=lambda name: sum(row.difference for row in rows[name]) / len(rows[name]))
    return [
        f"{name[0].upper()}{name[1:]} ({titles[name]}): {measure} falls "
        + ", ".join(f"from {row.before:.4f} to {row.after:.4f} for {row.system}" for row in rows[name])
        + "."
        for name in worst[:most]
        if all(row.difference < 0 for row in rows[name])
    ]


def _cards(robustness: Robustness) -> list[dict[str, Any]]:
    """A table and examples for each property."""
    several = len(robustness.measures) > 1
    columns = [Column("altered input"), Column("system"), *[Column("measure")] * several]
    columns += [Column(name, "", "right", ".4f" if name in _NUMBERS[:2] else "+.4f") for name in _NUMBERS]
    columns += [Column("queries", "", "right")]
    cards = []
    for number, (name, title) in enumerate(PROPERTIES.items(), 1):
        inputs = [altered for altered in robustness.inputs if altered.property == name]
        rows = [
            [
                altered.name,
                row.system,
                *([row.measure] if several else []),
                *map(rounded, (row.before, row.after, row.difference, row.low, row.high)),
                row.queries,
            ]
            for altered in inputs
            for row in altered.rows
        ]
        if rows:
            examples = [
                (altered.name, altered.what, altered.example.where, *excerpts(*altered.example[1:], _EXAMPLE))
                for altered in inputs
            ]
            table = table_of(
                ResultTable(columns, rows, f"{', '.join(robustness.measures)} on the original and on the altered input")
            )
            cards.append({"title": f"{number}. {title[0].upper()}{title[1:]}", "table": table, "examples": examples})
    return cards


def _case(case: PoorlyAnswered, report: Report) -> dict[str, Any]:
    """A poorly answered query for the template."""
    threshold = next(iter(report.comparison.evaluations.values())).threshold
    answers = [
        {
            "system": answer.system,
            "value": f"{answer.value:.4f}",
            "came": [_marked(placed, threshold, report.titles) for placed in answer.came],
        }
        for answer in case.answers
    ]
    relevant = case.answers[0].wanted
    return {
        "query_id": case.query_id,
        "text": report.texts.get(case.query_id, ""),
        "best": f"{case.best:.4f}",
        "answers": answers,
        "systems": [answer.system for answer in case.answers],
        "wanted": [
            (_marked(placed, threshold, report.titles), [_rank_in(answer, placed) for answer in case.answers])
            for placed in relevant[:_WANTED]
        ],
        "more": max(0, len(relevant) - _WANTED),
    }


def _marked(placed: RankedDocument, threshold: float, titles: Mapping[str, str]) -> GradedDocument:
    if placed.grade is None:
        grade, kind = "unjudged", "unjudged"
    elif placed.grade > 0 and placed.grade >= threshold:
        grade, kind = f"relevant ({placed.grade:g})", "relevant"
    else:
        grade, kind = f"not relevant ({placed.grade:g})", "not-relevant"
    return GradedDocument(placed.doc_id, str(placed.rank or "–"), grade, kind, titles.get(placed.doc_id, ""))


def _rank_in(answer: Answered, document: RankedDocument) -> str:
    rank = next(place.rank for place in answer.wanted if place.doc_id == document.doc_id)
    return "–" if rank is None else str(rank)
