"""bm25s, eager scores in a sparse matrix: with numpy alone and with its numba loops."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import bm25s
from measuring import records
from searching import main

WORDS = re.compile(r"(?u)\b\w\w+\b")


class Bm25s:
    """Its own tokenizer, which cuts at the same places."""

    packages = ("bm25s", "numpy", "scipy")
    settings = (
        "own tokenizer without stop words; method lucene, k1 = 1.2, b = 0.75; scores in 32 bits; queries cut by its "
        "regular expression; sorted hits as document numbers; its numba loops are compiled anew in each process"
    )

    def __init__(self, folder: Path, threads: int, backend: str = "numpy") -> None:
        self.folder = folder
        self.threads = threads if threads > 1 else 0
        self.backend = backend

    def build(self, corpus: Path) -> None:
        tokens = bm25s.tokenize([text for _, text in records(corpus)], stopwords=None, show_progress=False)
        retriever = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
        retriever.index(tokens, show_progress=False)
        retriever.save(str(self.folder), show_progress=False)

    def open(self) -> None:
        self.retriever = bm25s.BM25.load(str(self.folder), backend=self.backend, show_progress=False)

    def search(self, text: str, k: int) -> Any:
        return self._retrieve([text], k, threads=0)

    def batch(self, texts: list[str], k: int) -> Any:
        return self._retrieve(texts, k, threads=self.threads)

    def documents(self, hits: Any) -> list[int]:
        return [int(number) for number, score in zip(hits[0][0], hits[1][0], strict=True) if score > 0]

    def _retrieve(self, texts: list[str], k: int, threads: int) -> Any:
        tokens = [WORDS.findall(text.lower()) for text in texts]
        return self.retriever.retrieve(tokens, k=k, show_progress=False, n_threads=threads)


if __name__ == "__main__":
    numba = partial(Bm25s, backend="numba")
    numba.packages, numba.settings = (*Bm25s.packages, "numba"), Bm25s.settings  # type: ignore[attr-defined]
    main(Bm25s, numpy=Bm25s, numba=numba)
