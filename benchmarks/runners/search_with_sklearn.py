"""scikit-learn: TF-IDF vectors in a sparse matrix, turned so that a query reads only the postings of its terms."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import scipy.sparse
from searching import main
from sklearn.feature_extraction.text import TfidfVectorizer

ROWS = 50
"""So many queries are multiplied at once: the scores of a thousand would not fit."""


class Sklearn:
    """Cosine of TF-IDF vectors, another formula than the others': its documents are not compared."""

    packages = ("scikit-learn", "scipy", "numpy")
    settings = (
        "TfidfVectorizer with its defaults, in 32 bits; matrix of terms × documents in CSR; query vector times matrix, "
        "best k of the matched by argpartition; hits are document numbers"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder

    def take(self, documents: Iterable[tuple[str, str]]) -> list[str]:
        return [text for _, text in documents]

    def build(self, documents: list[str]) -> None:
        self.vectorizer = TfidfVectorizer(dtype=np.float32)
        self.matrix = self.vectorizer.fit_transform(documents).T.tocsr()

    def save(self) -> Path:
        scipy.sparse.save_npz(self.folder / "matrix.npz", self.matrix, compressed=False)
        (self.folder / "terms.txt").write_text("\n".join(self.vectorizer.get_feature_names_out()), encoding="utf-8")
        return self.folder

    def analyse(self, text: str) -> scipy.sparse.csr_matrix:
        return self.vectorizer.transform([text])

    def search(self, text: str, k: int) -> np.ndarray:
        scores = self.analyse(text) @ self.matrix
        return best(scores.indices, scores.data, k)

    def batch(self, texts: list[str], k: int) -> list[np.ndarray]:
        found = []
        for start in range(0, len(texts), ROWS):
            scores = self.vectorizer.transform(texts[start : start + ROWS]) @ self.matrix
            bounds = scores.indptr.tolist()
            for begin, end in itertools.pairwise(bounds):
                found.append(best(scores.indices[begin:end], scores.data[begin:end], k))
        return found

    def doc_ids(self, hits: np.ndarray) -> list[str]:
        return []


def best(documents: np.ndarray, scores: np.ndarray, k: int) -> np.ndarray:
    """The k documents of the highest scores."""
    if k < len(scores):
        chosen = np.argpartition(scores, -k)[-k:]
        documents, scores = documents[chosen], scores[chosen]
    return documents[np.argsort(-scores, kind="stable")]


if __name__ == "__main__":
    main(Sklearn)
