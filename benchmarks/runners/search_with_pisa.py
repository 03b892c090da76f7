"""PISA, an engine in C++ with compressed postings, through pyterrier-pisa."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

import numpy as np
from measuring import records
from pyterrier_pisa import PisaIndex, _pisathon
from searching import main


class Pisa:
    """Its retrieving function is called without the data frame around it, into arrays that are made once."""

    packages = ("pyterrier-pisa",)
    settings = (
        "own tokenizer (which cuts at letters beyond ASCII), no stemmer, no stop words, block_simdbp, "
        "BM25 (k1 = 1.2, b = 0.75) in 32 bits; called below the data frames; hits are doc_ids"
    )

    def __init__(self, folder: Path, threads: int, algorithm: str = "block_max_wand") -> None:
        logging.disable(logging.INFO)
        self.folder = folder / "pisa"
        self.threads = threads
        self.algorithm = algorithm
        self.results: dict[tuple[int, int], dict[str, np.ndarray]] = {}

    def build(self, corpus: Path) -> None:
        index = PisaIndex(str(self.folder), text_field="text", stemmer="none", stops="none", threads=self.threads)
        index.index({"docno": doc_id, "text": text} for doc_id, text in records(corpus))
        # Making the retriever compresses the postings: without, there is nothing to search.
        index.bm25(k1=1.2, b=0.75, query_algorithm=self.algorithm)
        for path in self.folder.iterdir():
            if path.name in ("fwd", "inv.docs", "inv.freqs"):  # what the compressed postings were made from
                path.unlink()

    def open(self) -> None:
        index = PisaIndex(str(self.folder), text_field="text", stemmer="none", stops="none", threads=self.threads)
        self.retriever = index.bm25(k1=1.2, b=0.75, query_algorithm=self.algorithm)

    def search(self, text: str, k: int) -> np.ndarray:
        size, found = self._retrieve([(0, text)], k, 1)
        return found["docnos"][:size]

    def batch(self, texts: list[str], k: int) -> tuple[int, dict[str, np.ndarray]]:
        return self._retrieve(list(enumerate(texts)), k, self.threads)

    def documents(self, hits: np.ndarray) -> list[str]:
        return hits.tolist()

    def _retrieve(self, queries: list[tuple[int, str]], k: int, threads: int) -> tuple[int, dict[str, np.ndarray]]:
        shape = (len(queries), k)
        if shape not in self.results:
            kinds = {"qidxs": np.int32, "docnos": object, "ranks": np.int32, "scores": np.float32}
            self.results[shape] = {name: np.empty(len(queries) * k, dtype) for name, dtype in kinds.items()}
        found = self.results[shape]
        arrays = {f"result_{name}": array for name, array in found.items()}
        context = self.retriever._ctxt
        return _pisathon.retrieve(
            context, self.algorithm, queries, k=k, threads=threads, pretokenised=False, **arrays
        ), found


if __name__ == "__main__":
    maxscore = partial(Pisa, algorithm="block_max_maxscore")
    maxscore.packages, maxscore.settings = Pisa.packages, Pisa.settings  # type: ignore[attr-defined]
    main(Pisa, maxscore=maxscore)
