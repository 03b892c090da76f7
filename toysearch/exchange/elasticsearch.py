"""What Elasticsearch answers to a `_rank_eval` request."""

from __future__ import annotations

from typing import Any

from toysearch import Qrels, Run
from toysearch.base import ordered
from toysearch.evaluation import Evaluation


def rank_eval_response(
    run: Run, evaluation: Evaluation, qrels: Qrels, collection: str, aggregate: str | None = None
) -> dict[str, Any]:
    """The response for the run of one system and one measure; the name of the collection is that of the index."""
    [measure], (ranking, _) = evaluation.measures, ordered(run, evaluation.ties)
    details = {}
    for query_id, row in evaluation.per_query.items():
        grades = {doc_id: int(grade) if grade.is_integer() else grade for doc_id, grade in qrels[query_id].items()}
        hits = list(ranking.ranking(query_id))[: None if measure.cutoff is None else int(measure.cutoff)]
        relevant = [rank for rank, hit in enumerate(hits, 1) if grades.get(hit.doc_id, 0) >= evaluation.threshold]
        unrated = [{"_index": collection, "_id": hit.doc_id} for hit in hits if hit.doc_id not in grades]
        n_relevant = sum(grade >= evaluation.threshold for grade in grades.values())
        of_metric = {
            "P": ("precision", {"relevant_docs_retrieved": len(relevant), "docs_retrieved": len(hits)}),
            "R": ("recall", {"relevant_docs_retrieved": len(relevant), "relevant_docs": n_relevant}),
            "RR": ("mean_reciprocal_rank", {"first_relevant": relevant[0] if relevant else -1}),
            "DCG": ("dcg", {"dcg": row[str(measure)], "unrated_docs": len(unrated)}),
            "nDCG": ("dcg", {"normalized_dcg": row[str(measure)], "unrated_docs": len(unrated)}),
            "ERR": ("err", {"unrated_docs": len(unrated)}),
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
