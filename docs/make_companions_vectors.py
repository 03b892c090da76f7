"""Make corpora/companions/made-up/vectors.npy and vectors.ids: small vectors of documents, for hybrid search offline.

No neural network was called. A vector is the place of a document among the 64 strongest latent topics of the collection
(`toysearch.index.latent_topics`), as embeddings of a network would be: each number as a whole one from -127 to 127, the
largest of each document being 127. The cosine hardly differs. corpora/companions/made-up/embed.py makes the vector of a
text from them: the mean of the documents that hold its words, each counted by the rarity of the word.

    python docs/make_companions_vectors.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import toysearch

FOLDER = Path(__file__).parents[1] / "corpora" / "companions" / "made-up"
TOPICS = 64


def vectors() -> tuple[list[str], np.ndarray]:
    """The ids of the documents, and one row for each: (400, 64) int8."""
    index = toysearch.Searcher(toysearch.load("companions")).index
    places = np.asarray(index.topics(TOPICS).documents, dtype=np.float64)
    largest = np.abs(places).max(axis=1, keepdims=True)
    return [*index.doc_ids], np.rint(127 * places / np.where(largest > 0, largest, 1)).astype(np.int8)


if __name__ == "__main__":
    doc_ids, matrix = vectors()
    np.save(FOLDER / "vectors.npy", matrix)
    (FOLDER / "vectors.ids").write_text("".join(f"{doc_id}\n" for doc_id in doc_ids), encoding="utf-8", newline="\n")
