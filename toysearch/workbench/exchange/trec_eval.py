"""Output of trec_eval for a run and judgments: its official measures, in its names, columns and digits."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from functools import reduce

import numpy as np

from toysearch import evaluate
from toysearch.base import DataError, Qrels, Run, note
from toysearch.evaluation.measures.measure import CUTOFFS, LEVELS, each_cutoff, parse_measures

_OFFICIAL = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "map": "AP",
    "gm_map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    **{f"iprec_at_recall_{float(text[6:]):.2f}": text for text in each_cutoff(f"IPrec@{LEVELS}")},
    **{text.replace("@", "_"): text for text in each_cutoff(f"P@{CUTOFFS}")},
}
"""Measure of trec_eval 9 → ours, in the order in which it prints them after runid and num_q."""

_FLOOR = 1e-5  # the least value in a geometric mean, so that one 0 does not make the mean 0


def trec_eval_lines(
    run: Run,
    qrels: Qrels,
    *,
    threshold: float = 1.0,
    only_retrieved: bool = False,
    per_query: bool = False,
) -> Iterator[str]:
    """Yield the lines that trec_eval prints for a run and judgments: with its -c, or without if `only_retrieved`.

    >>> run = Run.from_dict({"1": {"a": 2, "b": 1}}, name="mine")
    >>> for line in [*trec_eval_lines(run, Qrels.from_dict({"1": {"b": 1}}))][:6]:
    ...     print(line.expandtabs(8))
    runid                   all     mine
    num_q                   all     1
    num_ret                 all     2
    num_rel                 all     1
    num_rel_ret             all     1
    map                     all     0.5000
    """
    judged = _whole(qrels)
    query_ids = sorted(filter(run.doc_ids_of, judged.query_ids))
    n_queries = len(query_ids if only_retrieved else judged.query_ids)
    if not n_queries:
        raise DataError("the run has no document for any judged query, so there is no mean over those it answers")
    measured = evaluate(run, judged, [*_OFFICIAL.values()], threshold=threshold).per_query
    columns = {
        name: [measured[query][str(measure)] for query in query_ids]
        for name, text in _OFFICIAL.items()
        for measure in parse_measures(text)
    }
    for place, query in enumerate(query_ids if per_query else ()):
        yield from (_line(name, query, column[place]) for name, column in columns.items() if name != "gm_map")
    yield f"{'runid':<22}\tall\t{run.name}"
    yield _line("num_q", "all", n_queries)
    for name, column in columns.items():
        if name == "gm_map":
            logs = [math.log(max(value, _FLOOR)) for value in column]
            missing = (n_queries - len(column)) * math.log(_FLOOR)
            mean = math.exp((_sum(logs) + missing) / n_queries)
        elif name == "num_rel" and not only_retrieved:  # over all judged queries, whatever the level
            mean = float((judged.relevance > 0).sum())
        else:
            mean = _sum(column) / (1 if name.startswith("num_") else n_queries)
        yield _line(name, "all", mean)


def _sum(column: list[float]) -> float:
    return reduce(operator.add, column, 0.0)  # one after the other as in trec_eval; `sum` would be more exact


def _whole(qrels: Qrels) -> Qrels:
    whole = np.trunc(qrels.relevance)
    fractions = qrels.relevance[whole != qrels.relevance]
    if not fractions.size:
        return qrels
    note(
        f"{fractions.size} of {len(qrels)} grades are fractions, such as {fractions[0]:g}, which trec_eval truncates "
        f"to {np.trunc(fractions[0]):g}, as is done here; the other forms of the output take them as they are"
    )
    return qrels.with_grades(whole)


def _line(name: str, query_id: str, value: float) -> str:
    digits = f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}"
    return f"{name:<22}\t{query_id}\t{digits}"
