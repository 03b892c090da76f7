"""toysearch."""

from __future__ import annotations

from pathlib import Path

from searching import main

import toysearch


class Toysearch:
    """Through the public names, as anyone would use them, with no setting changed."""

    packages = ("toysearch", "numpy")
    settings = (
        "default analyzer, bm25 (k1 = 1.2, b = 0.75); a search ends with the list of doc_ids and 64-bit scores, "
        "a call with a Run; compiled loops where it chooses them"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder
        self.threads = threads

    def build(self, corpus: Path) -> None:
        toysearch.Index.build(toysearch.load(str(corpus)), store_text=False, folder=self.folder, threads=self.threads)

    def open(self) -> None:
        self.searcher = toysearch.Searcher(toysearch.Index.open(self.folder), "bm25")

    def search(self, text: str, k: int) -> toysearch.Ranking:
        found = self.searcher.search(text, k, query_mode="plain")
        found.doc_ids  # noqa: B018 - they are looked up when they are asked for
        return found

    def batch(self, texts: list[str], k: int) -> toysearch.Run:
        return self.searcher.run([(str(number), text) for number, text in enumerate(texts)], k, threads=self.threads)

    def documents(self, hits: toysearch.Ranking) -> list[str]:
        return hits.doc_ids


if __name__ == "__main__":
    main(Toysearch)
