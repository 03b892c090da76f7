"""What Elasticsearch answers to a `_rank_eval` request.

Keys and names are those of its classes `RankEvalResponse` and `EvalQueryQuality`, and of the details of each metric;
no server was asked. Its page shows the response inside an object `rank_eval`, which these classes do not write.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toysearch import Qrels, Run, evaluate
from toysearch.base import groups_of, ordered
from toysearch.evaluation import Evaluation


def rank_eval_response(
    run: Run, evaluation: Evaluation, qrels: Qrels, collection: str, aggregate: str | None = None
) -> dict[str, Any]:
    """The response for the run of one system and one measure; the name of the collection is that of the index."""
    [measure], (ranking, _) = evaluation.measures, ordered(run, evaluation.ties)
    details, totals = {}, dict[str, list[float]]()
    if measure.name == "nDCG":
        parameters = tuple(pair for pair in measure.parameters if pair[0] not in ("ideal", "max_rel"))
        gain, best = (
            replace(measure, name="DCG", parameters=parameters),
            Run({query_id: qrels[query_id] for query_id in qrels.query_ids}),
        )
        both = (evaluate(one, qrels, str(gain), ties=evaluation.ties).per_query for one in (run, best))
        totals = groups_of((query_id, row[str(gain)]) for rows in both for query_id, row in rows.items())
    for query_id, row in evaluation.per_query.items():
        grades = {doc_id: int(grade) if grade.is_integer() else grade for doc_id, grade in qrels[query_id].items()}
        hits = list(ranking.ranking(query_id))[: None if measure.cutoff is None else int(measure.cutoff)]
        relevant = [rank for rank, hit in enumerate(hits, 1) if grades.get(hit.doc_id, 0) >= evaluation.threshold]
        unrated = [{"_index": collection, "_id": hit.doc_id} for hit in hits if hit.doc_id not in grades]
        dcg, ideal = totals.get(query_id, (row[str(measure)], 0.0))
        normalized = {"ideal_dcg": ideal, "normalized_dcg": dcg / ideal} if ideal else {}
        n_relevant = sum(grade >= evaluation.threshold for grade in grades.values())
        of_metric = {
            "P": ("precision", {"relevant_docs_retrieved": len(relevant), "docs_retrieved": len(hits)}),
            "R": ("recall", {"relevant_docs_retrieved": len(relevant), "relevant_docs": n_relevant}),
            "RR": ("mean_reciprocal_rank", {"first_relevant": relevant[0] if relevant else -1}),
            "DCG": ("dcg", {"dcg": dcg, "unrated_docs": len(unrated)}),
            "nDCG": ("dcg", {"dcg": dcg, **normalized, "unrated_docs": len(unrated)}),
            "ERR": ("expected_reciprocal_rank", {"unrated_docs": len(unrated)}),
        }.get(measure.name, (measure.name, {}))
        details[query_id] = {
            "metric_score": row[str(measure)],
            "unrated_docs": unrated,
            "hits": [
                {
                    "hit": {"_index": collection, "_id": hit.doc_id, "_score": hit.score},
                    "rating": grades.get(hit.doc_id),
                }
                for hit in hits
            ],
            "metric_details": dict([of_metric]),
        }
    return {"metric_score": evaluation.aggregates(aggregate)[str(measure)], "details": details, "failures": {}}
