"""toysearch."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from searching import main

import toysearch

os.environ["TOYSEARCH_PATH"] = "compiled"  # as for who asks much


class Toysearch:
    """Through the public names, as anyone would use them."""

    packages = ("toysearch", "numpy", "numba")
    settings = (
        "compiled loops (TOYSEARCH_PATH=compiled), default analyzer; bm25 (k1 = 1.2, b = 0.75); text not stored; "
        "hits are doc_ids with 64-bit scores"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder / "toysearch"
        self.threads = threads

    def take(self, documents: Iterable[tuple[str, str]]) -> dict[str, str]:
        return dict(documents)

    def build(self, documents: dict[str, str]) -> None:
        self.index = toysearch.Index.build(documents, store_text=False, **self._threads(toysearch.Index.build))
        self.searcher = toysearch.Searcher(self.index, "bm25")

    def save(self) -> Path:
        self.index.save(self.folder)
        return self.folder

    def analyse(self, text: str) -> Any:
        return self.searcher.terms(text)

    def search(self, text: str, k: int) -> toysearch.Ranking:
        return self.searcher.search(text, k)

    def batch(self, texts: list[str], k: int) -> toysearch.Run:
        numbered = [(str(number), text) for number, text in enumerate(texts)]
        return self.searcher.run(numbered, k, **self._threads(self.searcher.run))

    def doc_ids(self, hits: toysearch.Ranking) -> list[str]:
        return list(hits.doc_ids)

    def _threads(self, function: Any) -> dict[str, int]:
        return {"threads": self.threads} if "threads" in inspect.signature(function).parameters else {}


if __name__ == "__main__":
    main(Toysearch)
