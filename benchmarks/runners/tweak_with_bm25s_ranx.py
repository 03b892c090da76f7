"""bm25s ranks, ranx evaluates: bm25s has the parameters in its index, so each tweak indexes the tokens anew."""

from __future__ import annotations

import re

import bm25s
import ranx
from tweaking import DEPTH, Judgments, Texts, Tweak, main

WORDS = re.compile(r"(?u)\b\w\w+\b")
NAMES = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10"}


def prepare(documents: Texts, queries: Texts, qrels: Judgments) -> Tweak:
    tokens = bm25s.tokenize(list(documents.values()), stopwords=None, show_progress=False)
    asked = [WORDS.findall(text.lower()) for text in queries.values()]
    names, query_ids, depth = list(documents), list(queries), min(DEPTH, len(documents))
    judged = ranx.Qrels(
        {query_id: {d: max(0, grade) for d, grade in found.items()} for query_id, found in qrels.items()}
    )

    def tweak(k1: float, b: float) -> dict[str, float]:
        retriever = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numba")
        retriever.index(tokens, show_progress=False)
        found, scores = retriever.retrieve(asked, k=depth, show_progress=False)
        run = ranx.Run(
            {
                query_id: {names[number]: score for number, score in zip(row, values, strict=True) if score > 0}
                for query_id, row, values in zip(query_ids, found.tolist(), scores.tolist(), strict=True)
            }
        )
        means = ranx.evaluate(judged, run, list(NAMES.values()), make_comparable=True)
        return {ours: float(means[theirs]) for ours, theirs in NAMES.items()}

    return tweak


if __name__ == "__main__":
    main(prepare, ("bm25s", "ranx", "numba"), "tokens kept; index, retrieve and evaluate anew for each setting; numba")
