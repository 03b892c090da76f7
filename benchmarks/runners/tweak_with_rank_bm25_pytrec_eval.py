"""rank-bm25 ranks, pytrec_eval evaluates: the two that are found in most course work."""

from __future__ import annotations

import re

import numpy as np
import pytrec_eval
from rank_bm25 import BM25Okapi
from tweaking import DEPTH, Judgments, Texts, Tweak, main

WORDS = re.compile(r"(?u)\b\w\w+\b")
NAMES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10"}


def prepare(documents: Texts, queries: Texts, qrels: Judgments) -> Tweak:
    ranker = BM25Okapi([WORDS.findall(text.lower()) for text in documents.values()])
    asked = {query_id: WORDS.findall(text.lower()) for query_id, text in queries.items()}
    names = list(documents)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))

    def tweak(k1: float, b: float) -> dict[str, float]:
        ranker.k1, ranker.b = k1, b
        run = {}
        for query_id, tokens in asked.items():
            scores = ranker.get_scores(tokens)
            best = np.argsort(-scores, kind="stable")[:DEPTH]
            run[query_id] = {
                names[number]: score for number, score in zip(best.tolist(), scores[best].tolist(), strict=True)
            }
        values = evaluator.evaluate(run)
        return {ours: sum(query[theirs] for query in values.values()) / len(qrels) for ours, theirs in NAMES.items()}

    return tweak


if __name__ == "__main__":
    main(
        prepare,
        ("rank-bm25", "pytrec_eval-terrier", "numpy"),
        "BM25Okapi made once, k1 and b set; best 1000 by argsort",
    )
