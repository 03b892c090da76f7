"""scikit-learn's counts in a sparse matrix; BM25 and the three measures in numpy of our own, without sorting."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from tweaking import DEPTH, Judgments, Texts, Tweak, main


def prepare(documents: Texts, queries: Texts, qrels: Judgments) -> Tweak:
    vectorizer = CountVectorizer(dtype=np.float64)
    counts = vectorizer.fit_transform(documents.values()).tocsr()
    asked = (vectorizer.transform(queries.values())).tocsr()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1 + (len(documents) - df + 0.5) / (df + 0.5))[counts.indices]
    relative = np.repeat(lengths / lengths.mean(), np.diff(counts.indptr))
    judged = np.array([query_id in qrels for query_id in queries])
    weights = counts.copy()
    places = {doc_id: number for number, doc_id in enumerate(documents)}
    found = [
        (row, places[doc_id], grade)
        for row, query_id in enumerate(queries)
        for doc_id, grade in qrels.get(query_id, {}).items()
        if grade >= 1
    ]
    rows, columns, grades = np.array(sorted(found)).T
    relevant = np.bincount(rows, minlength=len(queries))
    discounts = 1 / np.log2(np.arange(2, 12))
    ideal = np.array([-np.sort(-grades[rows == row])[:10] @ discounts[: relevant[row]] for row in range(len(queries))])
    earlier = np.arange(len(documents)) < columns[:, None]

    def tweak(k1: float, b: float) -> dict[str, float]:
        weights.data = idf * counts.data / (counts.data + k1 * (1 - b + b * relative))
        scores = (asked @ weights.T).toarray()
        # The rank of a relevant document is a count: nothing has to be sorted.
        own, all_scores = scores[rows, columns][:, None], scores[rows]
        ranks = (all_scores > own).sum(axis=1) + ((all_scores == own) & earlier).sum(axis=1)
        kept = (ranks < DEPTH) & (own[:, 0] > 0)
        row, rank, grade = rows[kept], ranks[kept], grades[kept]
        order = np.lexsort((rank, row))
        number = np.arange(len(order)) - np.searchsorted(row, row)  # of the relevant ones, within the query
        top = rank < 10
        precision = np.bincount(row, (number + 1) / (rank[order] + 1), len(queries))
        gain = np.bincount(row[top], grade[top] * discounts[rank[top]], len(queries))
        values = {
            "AP": precision / np.maximum(relevant, 1),
            "nDCG@10": gain / np.where(ideal > 0, ideal, 1),
            "P@10": np.bincount(row[top], minlength=len(queries)) / 10,
        }
        return {name: float(value[judged].mean()) for name, value in values.items()}

    return tweak


if __name__ == "__main__":
    settings = "CountVectorizer; weights by numpy, queries × documents as one product, ranks counted"
    main(prepare, ("scikit-learn", "numpy"), settings)
