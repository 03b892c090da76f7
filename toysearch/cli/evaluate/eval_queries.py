"""Single queries in `toysearch eval`: the worst, the best, the hardest, and explanations of values."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.base import Column, counted
from toysearch.cli import emit, first_words, paragraph, terminal_width
from toysearch.laboratory import measure_text
from toysearch.laboratory.results.text_charts import binned, histogram

if TYPE_CHECKING:
    from toysearch.cli.evaluate.eval import Asked, ScoredStudy

_QUERY = 48  # characters of a query in a table


def data_of(scored: ScoredStudy, asked: Asked, run: Any, evaluation: Any) -> dict[str, Any]:
    """The selected queries of a system, for JSON."""
    data: dict[str, Any] = {}
    if asked.worst:
        data["worst"] = _listed(scored, run, evaluation, asked.worst, best=False)
    if asked.best:
        data["best"] = _listed(scored, run, evaluation, asked.best, best=True)
    if asked.histogram:
        data["histogram"] = [one._asdict() for one in _bins(evaluation)]
    if asked.explain is not None:
        data["explanation"] = _explained(scored, asked, run, evaluation).data()
    return data


def hardest_of(scored: ScoredStudy, n: int) -> list[dict[str, Any]]:
    """The queries that no system answers well, for JSON."""
    from toysearch.laboratory.explain.failure_analysis import hardest

    hard = hardest([evaluation for _, evaluation in scored.systems], n)
    return [query._asdict() | {"text": _text(scored, query.query_id)} for query in hard]


def tell(scored: ScoredStudy, asked: Asked, data: dict[str, Any]) -> None:
    """Print the requested queries, for people."""
    measure = str(scored.systems[0][1].measures[0])
    for (_, evaluation), system in zip(scored.systems, data["systems"], strict=True):
        if asked.histogram:
            queries = counted(evaluation.n_queries, "query", "queries")
            click.echo(f"\n{measure} of {system['system']}, {queries}\n")
            click.echo(histogram(_bins(evaluation)))
        if asked.worst:
            _print(f"The worst queries of {system['system']}", measure, system["worst"])
        if asked.best:
            _print(f"The best queries of {system['system']}", measure, system["best"])
    for text in explain_values(scored, asked) if asked.explain is not None else ():
        click.echo(f"\n{text}")
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


def explain_values(scored: ScoredStudy, asked: Asked) -> list[str]:
    """The explanation of the value of a query for each system, for people."""
    whys = [(_explained(scored, asked, *system), system[1].name) for system in scored.systems]
    width = terminal_width(sys.stdout)
    return [measure_text(why, width, f"query {why.query_id}, {name}") for why, name in whys]


def _explained(scored: ScoredStudy, asked: Asked, run: Any, evaluation: Any) -> Any:
    return toysearch.explain_measure(run, scored.study.qrels, evaluation, asked.explain or "", asked.query_id or "")


def _bins(evaluation: Any) -> Any:
    """Ten bins over the range of the first measure, which its definition states."""
    measure = evaluation.measures[0]
    low, high = measure.definition.range
    values = [row[str(measure)] for row in evaluation.per_query.values()]
    highest = max(filter(math.isfinite, values), default=1.0)
    return binned(values, low, highest if high is None else high)


def _listed(scored: ScoredStudy, run: Any, evaluation: Any, n: int, *, best: bool) -> list[dict[str, Any]]:
    """The queries that stand out, with their texts, and the causes found for bad ones."""
    from toysearch.laboratory.explain.failure_analysis import causes, poorest

    listed, predicted = [], {} if best else _predicted(scored, run, evaluation)
    for query in poorest(run, scored.study.qrels, evaluation, n, best=best):
        text = _text(scored, query.query_id)
        row = query._asdict() | {"text": text}
        row |= {part: [placed._asdict() for placed in row[part]] for part in ("came", "wanted")}
        if not best:
            index = scored.study.index if text else None
            reasons = causes(run, scored.study.qrels, evaluation, query.query_id, index=index, text=text)
            row["causes"] = [cause._asdict() for cause in reasons]
            if query.query_id in predicted:
                row["difficulty"] = predicted[query.query_id]._asdict()
        listed.append(row)
    return listed


def _predicted(scored: ScoredStudy, run: Any, evaluation: Any) -> dict[str, Any]:
    """The predicted difficulty of each query under a model; nothing for a run from a file, or for a few queries."""
    searcher = next((candidate for candidate in scored.searchers if str(candidate.model) == run.name), None)
    if searcher is None:
        return {}
    from toysearch.laboratory.experiments.prediction.predictors import FEWEST

    queries = [query for query, _ in scored.study.queries if query in evaluation.per_query]
    return searcher.difficulties(queries) if len(queries) >= FEWEST else {}


def _text(scored: ScoredStudy, query_id: str) -> str | None:
    collection = scored.study.collection
    query = collection.queries.get(query_id) if collection else None
    return query.text if query else None


def _print(title: str, measure: str, queries: list[dict[str, Any]]) -> None:
    """Queries for people: text, first documents, relevant documents with their ranks, and the causes below."""
    of = next((query["difficulty"]["n"] for query in queries if "difficulty" in query), 0)
    columns = [
        Column("query_id", "query"),
        Column("value", measure, "right", ".4f"),
        *([Column("wig", "predicted difficulty")] if of else []),
        Column("text", "text", wrap=True),
        Column("came", "came first (grade)", wrap=True),
        Column("wanted", "relevant (rank)", wrap=True),
    ]
    rows = []
    for query in queries:
        grades = [(hit["doc_id"], "unjudged" if hit["grade"] is None else f"{hit['grade']:g}") for hit in query["came"]]
        came = ", ".join(f"{doc_id} ({grade})" for doc_id, grade in grades)
        relevant = [f"{hit['doc_id']} ({hit['rank'] or 'not found'})" for hit in query["wanted"]]
        more = [f"and {len(relevant) - 3} more"] if len(relevant) > 3 else []
        difficulty = query.get("difficulty")
        place = [f"{difficulty['place']} of {of}" if difficulty else ""] if of else []
        listed = ", ".join(relevant[:3] + more)
        rows.append([query["query_id"], query["value"], *place, _line(query["text"]), came or "nothing", listed])
    click.echo(f"\n{title}\n")
    emit(columns, rows, "table")
    with_causes = [query for query in queries if query.get("causes")]
    if with_causes:
        click.echo("\nWhy\n")
        for query in with_causes:
            sentences = "; ".join(cause["sentence"] for cause in query["causes"])
            click.echo(paragraph(f"{query['query_id']}: {sentences}", indent="  "))


def _line(text: str | None) -> str:
    """The beginning of a query; all of it is in the JSON."""
    return first_words(text, _QUERY) or ""
