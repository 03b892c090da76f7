"""`toysearch agree`: how far two people agree who judged the same documents."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.cli.options import examples
from toysearch.cli.output import count, emit, output_options, remark
from toysearch.reports.tables import Column

_TEXTS = (
    ("agreement", "same grade"),
    ("by_chance", "same by chance"),
    ("kappa", "kappa"),
    ("linear", "kappa, linear weights"),
    ("quadratic", "kappa, quadratic weights"),
)


@click.command(
    epilog=examples(
        "toysearch agree ada.csv ben.csv",
        "toysearch agree ada.csv ben.csv --threshold 2",
        "toysearch agree ada.csv ben.csv --differences --format csv",
    )
)
@click.argument("first", metavar="QRELS")
@click.argument("second", metavar="QRELS")
@click.option("--threshold", type=float, help="Compare relevant with not relevant only, relevant from this grade on.")
@click.option("--differences", is_flag=True, help="List the pairs with different grades, to talk about them.")
@output_options
def command(first: str, second: str, threshold: float | None, differences: bool, form: str) -> None:
    """How far two sets of judgments agree: Cohen's kappa.

    On the pairs of query and document that both have. Kappa is 1 where every grade is the same, and 0 where no more
    are than by chance; with weights, a small difference of grades costs less than a large one.
    """
    if first == "-" == second:
        raise click.UsageError("standard input (-) can be read once; give the other as a file")
    found = toysearch.kappa(toysearch.read_qrels(first), toysearch.read_qrels(second), threshold=threshold)
    if differences:
        emit(_DIFFERENCES, found.disagreements, form)
    elif form == "table":
        _print(found)
    else:
        columns = [Column(name, text, "right", ".4f") for name, text in _TEXTS]
        emit(columns, [[getattr(found, name) for name, _ in _TEXTS]], form, data=_data(found))
    alone = [f"{number:,} only in {file}" for number, file in ((found.only_first, first), (found.only_second, second))]
    remark(" · ".join([f"{count(found.n, 'pair')} judged in both", *alone]))


_DIFFERENCES = [
    Column("query_id", "query"),
    Column("doc_id", "document"),
    Column("first", "", "right", "g"),
    Column("second", "", "right", "g"),
]


def _print(found: Any) -> None:
    """The figures, and below them the table of grades."""
    weighted = len(found.grades) > 2
    rows = [(text, getattr(found, name)) for name, text in _TEXTS if weighted or "weights" not in text]
    emit([Column("text", " "), Column("value", " ", "right", ".4f")], rows, "table")
    click.echo("\npairs, by the first's grade (row) and the second's (column)")
    columns = [Column("grade", "", "right"), *(Column(f"{grade:g}", "", "right", ",") for grade in found.grades)]
    counts = found.table.tolist()
    emit(columns, [[f"{grade:g}", *row] for grade, row in zip(found.grades, counts, strict=True)], "table")


def _data(found: Any) -> dict[str, Any]:
    """All that was found out, for JSON."""
    data: dict[str, Any] = {name: getattr(found, name) for name, _ in _TEXTS}
    data |= {name: getattr(found, name) for name in ("n", "only_first", "only_second", "grades")}
    data["table"] = found.table.tolist()
    data["disagreements"] = [pair._asdict() for pair in found.disagreements]
    return data
