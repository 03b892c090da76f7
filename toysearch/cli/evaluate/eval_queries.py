"""What `toysearch eval` tells about single queries: the worst, the best, the hardest, why a value is what it is."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.cli.output import count, emit, opening, paragraph, terminal_width
from toysearch.laboratory.reports.evaluation_text import measure_data, measure_text
from toysearch.laboratory.reports.tables import Column
from toysearch.laboratory.reports.text_charts import binned, histogram

_QUERY = 48  # characters of a query in a table


class Asked(NamedTuple):
    """Which queries to tell about: how many of each kind, and the measure to explain for one."""

    worst: int | None = None
    best: int | None = None
    hardest: int | None = None
    histogram: bool = False
    explain: str | None = None
    query_id: str | None = None

    def check(self) -> None:
        """Refuse one of --explain and --query-id without the other."""
        if self.explain is not None and self.query_id is None:
            raise click.UsageError("--explain needs --query-id: the query whose value is to be explained")
        if self.query_id is not None and self.explain is None:
            raise click.UsageError("--query-id needs --explain: the measure whose value is to be explained")


class Scored(NamedTuple):
    """What was scored: runs with their evaluations, the judgments, and what is known of the collection."""

    systems: list[tuple[Any, Any]]
    qrels: Any
    collection: Any
    index: Any


def data_of(scored: Scored, asked: Asked, run: Any, evaluation: Any) -> dict[str, Any]:
    """What is told about a system's queries, for JSON."""
    data: dict[str, Any] = {}
    if asked.worst:
        data["worst"] = _listed(scored, run, evaluation, asked.worst, best=False)
    if asked.best:
        data["best"] = _listed(scored, run, evaluation, asked.best, best=True)
    if asked.histogram:
        data["histogram"] = [one._asdict() for one in _bins(evaluation)]
    if asked.explain is not None:
        data["explanation"] = measure_data(_explained(scored, asked, run, evaluation))
    return data


def hardest_of(scored: Scored, n: int) -> list[dict[str, Any]]:
    """The queries that no system answers well, for JSON."""
    hard = toysearch.hardest([evaluation for _, evaluation in scored.systems], n)
    return [query._asdict() | {"text": _text(scored, query.query_id)} for query in hard]


def tell(scored: Scored, asked: Asked, data: dict[str, Any]) -> None:
    """Print what was asked, for people."""
    measure = str(scored.systems[0][1].measures[0])
    for (run, evaluation), system in zip(scored.systems, data["systems"], strict=True):
        if asked.histogram:
            queries = count(evaluation.n_queries, "query", "queries")
            click.echo(f"\n{measure} of {system['system']}, {queries}\n")
            click.echo(histogram(_bins(evaluation)))
        if asked.worst:
            _print(f"The worst queries of {system['system']}", measure, system["worst"])
        if asked.best:
            _print(f"The best queries of {system['system']}", measure, system["best"])
        if asked.explain is not None:
            why = _explained(scored, asked, run, evaluation)
            subject = f"query {why.query_id}, {system['system']}"
            click.echo("\n" + measure_text(why, terminal_width(sys.stdout), subject))
    if asked.hardest:
        click.echo("\nThe queries that no system answers well\n")
        columns = [
            Column("query_id", "query"),
            Column("value", f"best {measure}", "right", ".4f"),
            Column("run", "by"),
            Column("text", wrap=True),
        ]
        rows = [[hard["query_id"], hard["value"], hard["run"], _line(hard["text"])] for hard in data["hardest"]]
        emit(columns, rows, "table")


def _explained(scored: Scored, asked: Asked, run: Any, evaluation: Any) -> Any:
    return toysearch.explain_measure(run, scored.qrels, evaluation, asked.explain or "", asked.query_id or "")


def _bins(evaluation: Any) -> Any:
    """Ten bins over the range of the first measure, which its definition states."""
    measure = evaluation.measures[0]
    low, high = measure.definition.range
    values = [row[str(measure)] for row in evaluation.per_query.values()]
    highest = max(filter(math.isfinite, values), default=1.0)
    return binned(values, low, highest if high is None else high)


def _listed(scored: Scored, run: Any, evaluation: Any, n: int, *, best: bool) -> list[dict[str, Any]]:
    """The queries that stand out, with their texts; the poor ones with the causes that were found."""
    listed = []
    for query in toysearch.poorest(run, scored.qrels, evaluation, n, best=best):
        text = _text(scored, query.query_id)
        row = query._asdict() | {"text": text}
        row |= {part: [placed._asdict() for placed in row[part]] for part in ("came", "wanted")}
        if not best:
            found = toysearch.causes(
                run, scored.qrels, evaluation, query.query_id, index=scored.index if text else None, text=text
            )
            row["causes"] = [cause._asdict() for cause in found]
        listed.append(row)
    return listed


def _text(scored: Scored, query_id: str) -> str | None:
    known = scored.collection.queries.get(query_id) if scored.collection else None
    return known.text if known else None


def _print(title: str, measure: str, queries: list[dict[str, Any]]) -> None:
    """Queries for people: text, what came first, what was wanted and where it is; under each its causes."""
    columns = [
        Column("query_id", "query"),
        Column("value", measure, "right", ".4f"),
        Column("text", "text", wrap=True),
        Column("came", "came first (grade)", wrap=True),
        Column("wanted", "wanted (rank)", wrap=True),
    ]
    rows = []
    for query in queries:
        came = ", ".join(f"{hit['doc_id']} ({_grade(hit['grade'])})" for hit in query["came"])
        wanted = [f"{hit['doc_id']} ({hit['rank'] or 'not found'})" for hit in query["wanted"]]
        more = [f"and {len(wanted) - 3} more"] if len(wanted) > 3 else []
        rows.append(
            [query["query_id"], query["value"], _line(query["text"]), came or "nothing", ", ".join(wanted[:3] + more)]
        )
    click.echo(f"\n{title}\n")
    emit(columns, rows, "table")
    with_causes = [query for query in queries if query.get("causes")]
    if with_causes:
        click.echo("\nWhy\n")
        for query in with_causes:
            sentences = "; ".join(cause["sentence"] for cause in query["causes"])
            click.echo(paragraph(f"{query['query_id']}: {sentences}", indent="  "))


def _grade(grade: float | None) -> str:
    return "unjudged" if grade is None else f"{grade:g}"


def _line(text: str | None) -> str:
    """The beginning of a query; all of it is in the JSON."""
    return opening(text, _QUERY) or ""
