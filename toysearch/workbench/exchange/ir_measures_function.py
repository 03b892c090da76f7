"""Measures made by ``define`` or ``define_byquery`` of ir_measures, computed by their functions of data frames."""

from __future__ import annotations

import importlib
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, listed, loading
from toysearch.evaluation import Definition, JoinedRun, Piece, Terms
from toysearch.evaluation.measures.declaration import DECLARED
from toysearch.evaluation.measures.user_function import calling, of_queries


def of_ir_measures(theirs: Any) -> str:
    """Return the text form of a measure made by ``define`` or ``define_byquery`` of ir_measures, and declare it.

    Its function gets data frames, as in ir_measures. A measure depends on ranks and grades alone, so documents are
    named by them: ``rank 1``, ``not retrieved 1``; and the score of rank i is -i.
    """
    name, whole = str(theirs.NAME), type(theirs)()
    if not name.isidentifier():
        raise ArgumentError(f"a measure of ir_measures needs a name that is one word, not '{name}': define(…, name=…)")
    columns = {*theirs.RUN_INPUTS, *theirs.QREL_INPUTS} - {"query_id", "doc_id", "score", "relevance"}
    if columns:
        raise ArgumentError(f"{name}: a measure takes ranks and grades, not the columns {listed(sorted(columns))}")

    def compute(joined: JoinedRun, cutoff: int | None = None) -> Terms:
        values = dict.fromkeys(joined.query_ids, np.nan)
        listing = partial(lambda *both: list(whole.runtime_impl(*both)))  # the function has no file of its own
        for metric in calling(partial(listing, *frames_of_ranks(joined, cutoff)), name)():
            values[metric.query_id] = metric.value
        return Terms(Piece(name, of_queries(name, [*values.values()], joined)))

    DECLARED[name] = Definition(
        compute,
        "optional" if "cutoff" in theirs.SUPPORTED_PARAMS else "none",
        {},
        theirs.SHORT_DESC or "a measure defined with ir_measures",
        family="own",
        formula=f"{name}(qrels, run)",
        source="a function of the user",
        undefined="the function gives no value, or NaN",
        range=(0.0, None),
        by_worth="never",
    )
    cutoff = theirs.params.get("cutoff")
    return name if cutoff is None else f"{name}@{cutoff}"


def frames_of_ranks(joined: JoinedRun, cutoff: int | None) -> tuple[Any, Any]:
    """Return the judgments and the run of a join as data frames, as the functions of ir_measures take them."""
    with loading("a measure of ir_measures needs the package {}", "which is not installed with toysearch"):
        data_frame = importlib.import_module("pandas").DataFrame

    judged = []
    ranked = []
    for query_id, n, ranks, grades, ideal in zip(
        joined.query_ids, joined.retrieved.tolist(), joined.ranks, joined.grades, joined.ideal, strict=True
    ):
        depth = n if cutoff is None else min(n, cutoff)
        ranked += [(query_id, f"rank {rank}", -float(rank)) for rank in range(1, depth + 1)]
        graded = np.isfinite(ranks)
        pairs = zip(ranks[graded].tolist(), grades[graded].tolist(), strict=True)
        judged += [(query_id, f"rank {rank:.0f}", grade) for rank, grade in pairs]
        missed = Counter(ideal[~np.isnan(ideal)].tolist()) - Counter(grades[graded].tolist())
        judged += [(query_id, f"not retrieved {place}", grade) for place, grade in enumerate(missed.elements(), 1)]
    qrels = data_frame(judged, columns=["query_id", "doc_id", "relevance"])
    if (qrels["relevance"] % 1 == 0).all():
        qrels["relevance"] = qrels["relevance"].astype(int)
    return qrels, data_frame(ranked, columns=["query_id", "doc_id", "score"])
