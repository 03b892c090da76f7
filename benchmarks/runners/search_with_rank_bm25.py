"""rank-bm25, in Python and numpy: a dictionary a document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi
from searching import main

WORDS = re.compile(r"(?u)\b\w\w+\b")


class RankBm25:
    """It has no file format, no threads and no function for many queries."""

    packages = ("rank-bm25", "numpy")
    settings = "BM25Okapi, k1 = 1.2, b = 0.75; texts cut by a regular expression; best k by numpy's argpartition"

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder

    def take(self, documents: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return list(documents)

    def build(self, documents: list[tuple[str, str]]) -> None:
        self.names = [doc_id for doc_id, _ in documents]
        self.ranker = BM25Okapi([self.analyse(text) for _, text in documents], k1=1.2, b=0.75)

    def save(self) -> None:
        return None

    def analyse(self, text: str) -> list[str]:
        return WORDS.findall(text.lower())

    def search(self, text: str, k: int) -> np.ndarray:
        scores = self.ranker.get_scores(self.analyse(text))
        best = np.argpartition(scores, -k)[-k:] if k < len(scores) else np.arange(len(scores))
        return best[np.argsort(-scores[best], kind="stable")]

    def batch(self, texts: list[str], k: int) -> list[np.ndarray]:
        return [self.search(text, k) for text in texts]

    def doc_ids(self, hits: np.ndarray) -> list[str]:
        return [self.names[number] for number in hits.tolist()]


if __name__ == "__main__":
    main(RankBm25)
