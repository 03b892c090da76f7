"""PyTerrier: a searcher as a transformer of its pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

from toysearch import Searcher
from toysearch.base import ArgumentError, repeat_each
from toysearch.models import ModelLike
from toysearch.retrieval import IndexLike

try:
    import pyterrier as pt
except ModuleNotFoundError as error:
    if error.name != "pyterrier":
        raise
    pt = None

__all__ = ["Retriever"]

_Transformer: Any = object if pt is None else pt.Transformer


class Retriever(_Transformer):  # type: ignore[misc]  # PyTerrier is an extra
    """Transformer of PyTerrier that ranks the documents of an index: queries → results.

    The input has the columns ``qid`` and ``query``; the output has them too, other columns that begin with ``query``,
    and ``docno``, ``rank`` (from 0) and ``score``. If the input has a column ``docno``, only these documents are
    ranked, and those without a query term are left out. Queries without documents have no row.

    Parameters
    ----------
    index : Index, Collection, name or path
        The documents to search, as for `Searcher`; a `Searcher` stands for its index.
    model : str, function, Model or Ranker
        The ranking model.
    k : int or None
        The maximum number of documents per query; None means all that match.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a query is read, as in `Searcher.run`; by default as plain words.
    **parameters
        Parameters of the model: ``Retriever(index, "bm25", k1=0.9)``.

    Raises
    ------
    ArgumentError
        If PyTerrier is not installed, or the model or a parameter is unknown.
    """

    def __init__(
        self,
        index: IndexLike,
        model: ModelLike = "bm25",
        *,
        k: int | None = 1000,
        query_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        if pt is None:
            raise ArgumentError(
                "a Retriever needs the package pyterrier, a part of an extra: pip install 'toysearch[peers]'"
            )
        super().__init__()
        self.searcher = Searcher(index, model, **parameters)
        self.k, self.query_mode = k, query_mode

    def __repr__(self) -> str:
        return f"Retriever({self.searcher!r}, k={self.k}, query_mode={self.query_mode!r})"

    def transform_inputs(self) -> list[list[str]]:
        """Return the columns that an input needs."""
        return [["qid", "query"]]

    def transform(self, inp: Any) -> Any:
        """Return the results for a data frame of queries, or of results to rank again."""
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = inp[pt.model.query_columns(inp)].drop_duplicates("qid")
        among = inp[["qid", "docno"]].drop_duplicates() if "docno" in inp.columns else None
        texts = zip(queries["qid"].astype(str), queries["query"], strict=True)
        run = self.searcher.run(texts, self.k if among is None else None, query_mode=self.query_mode)
        counts = np.diff(run.offsets)
        results = queries.iloc[repeat_each(np.arange(len(queries)), counts)].reset_index(drop=True)
        results["docno"], results["score"] = np.array([*run.doc_ids], dtype=object), run.values
        if among is not None:
            results = results.merge(among, on=["qid", "docno"])  # in the order of the ranking
        results.insert(len(results.columns) - 1, "rank", results.groupby("qid", sort=False).cumcount())
        return results if self.k is None else results[results["rank"] < self.k].reset_index(drop=True)
