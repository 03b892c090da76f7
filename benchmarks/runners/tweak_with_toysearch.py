"""toysearch: an Evaluator, which ranks no more than the measures need."""

from __future__ import annotations

from tweaking import DEPTH, Judgments, Texts, Tweak, main

import toysearch

MEASURES = ["AP", "nDCG@10", "P@10"]


def prepare(documents: Texts, queries: Texts, qrels: Judgments) -> Tweak:
    index = toysearch.Index.build(documents, store_text=False)
    evaluator = toysearch.Evaluator(index, queries, qrels, MEASURES, k=DEPTH)
    return lambda k1, b: dict(evaluator(f"bm25:k1={k1},b={b}").means)


if __name__ == "__main__":
    main(prepare, ("toysearch", "numpy"), "Evaluator(index, queries, qrels, measures, k=1000)(model)")
