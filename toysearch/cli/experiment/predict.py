"""`toysearch predict`: how well the difficulty of queries can be predicted without judgments."""

from __future__ import annotations

from toysearch.cli import command_of, emit, shared, show
from toysearch.laboratory.experiments.prediction.query_prediction import Prediction, predict


def show_prediction(prediction: Prediction, form: str, per_query: bool) -> None:
    """Print the predictors, the queries too, or in a form for programs the queries alone."""
    if form == "table":
        show(prediction, form, queries=per_query)
    elif per_query and form != "json":
        emit(*prediction.queries_table()[:2], form)
    else:
        show(prediction, form)


command = command_of(
    predict,
    "toysearch predict companions",
    'toysearch predict companions --predictors "wig wig:k=10 clarity:docs=10" --measure nDCG@10',
    "toysearch predict companions --predictors wig --per-query --tsv",
    doing="predicting",
    counted="queries",
    after=show_prediction,
    per_query=shared("per_query", help="List the queries too, worst first; --tsv prints only them."),
)
