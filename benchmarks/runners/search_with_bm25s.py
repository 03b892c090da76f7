"""bm25s, eager scores in a sparse matrix: with numpy alone and with its numba loops."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import bm25s
from searching import main

WORDS = re.compile(r"(?u)\b\w\w+\b")


class Bm25s:
    """Its own tokenizer, which cuts at the same places."""

    packages = ("bm25s", "numpy", "numba", "scipy")
    settings = (
        "own tokenizer without stop words; method lucene, k1 = 1.2, b = 0.75; scores in 32 bits; queries cut by its "
        "regular expression; sorted hits as document numbers"
    )

    def __init__(self, folder: Path, threads: int, backend: str = "numpy") -> None:
        self.folder = folder
        self.threads = threads if threads > 1 else 0
        self.backend = backend

    def take(self, documents: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
        pairs = list(documents)
        return [doc_id for doc_id, _ in pairs], [text for _, text in pairs]

    def build(self, documents: tuple[list[str], list[str]]) -> None:
        self.names, texts = documents
        tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False)
        self.retriever = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend=self.backend)
        self.retriever.index(tokens, show_progress=False)

    def save(self) -> Path:
        self.retriever.save(str(self.folder))
        return self.folder

    def analyse(self, text: str) -> list[str]:
        return WORDS.findall(text.lower())

    def search(self, text: str, k: int) -> Any:
        return self._retrieve([self.analyse(text)], k, threads=0)

    def batch(self, texts: list[str], k: int) -> Any:
        return self._retrieve([self.analyse(text) for text in texts], k, threads=self.threads)

    def doc_ids(self, hits: Any) -> list[str]:
        return [self.names[int(number)] for number, score in zip(hits[0][0], hits[1][0], strict=True) if score > 0]

    def _retrieve(self, tokens: list[list[str]], k: int, threads: int) -> Any:
        k = min(k, len(self.names))
        return self.retriever.retrieve(tokens, k=k, show_progress=False, n_threads=threads)


if __name__ == "__main__":
    numba = partial(Bm25s, backend="numba")
    numba.packages, numba.settings = Bm25s.packages, Bm25s.settings  # type: ignore[attr-defined]
    main(Bm25s, numpy=Bm25s, numba=numba)
