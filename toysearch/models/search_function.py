"""Ranker made from a function that gets the text of a query and returns documents with their scores."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toysearch.base import ArgumentError
from toysearch.models.calls import SEARCH, Setting
from toysearch.models.rankers import Ranker

__all__ = ["own_search"]

TEXTS = ("text", "query")
"""Names of the argument by which a function asks for the text of a query; any other name is a statistic."""


class SearchFunction(NamedTuple):
    """Function of a query's text, with the numbers among its keyword parameters as settings."""

    name: str
    function: Callable[..., Any]
    settings: tuple[tuple[str, Setting], ...]

    def __str__(self) -> str:
        return self.name


def takes_text(function: Any) -> bool:
    """True if a function gets the text of a query: its only argument without a default is `text` or `query`.

    >>> takes_text(lambda text, *, k=3: {}), takes_text(lambda tf, df: tf / df), takes_text("bm25")
    (True, False, False)
    """
    needed = _needed(function)
    return len(needed) == 1 and needed[0] in TEXTS


def _needed(function: Any) -> list[str]:
    """Name the arguments of a function that have no default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in parameters if each.default is each.empty]


def own_search(
    what: Any,
    doc_ids: Sequence[str] | None = None,
    *,
    matrix: Any = None,
    tokenize: Callable[[str], Any] = str.split,
    name: str = "",
) -> Ranker:
    """Make a ranker from a function of a query's text, from rank-bm25, or from a vectorizer of scikit-learn.

    Parameters
    ----------
    what : callable, rank_bm25 model or vectorizer
        A function such as ``def search(text, *, k=3): …``. It returns ``{doc_id: score}``, pairs of both, or doc_ids
        from the best on; its numeric keyword parameters can be tuned. Or an object with ``get_scores``
        (`rank_bm25.BM25Okapi`), or with ``transform`` (`TfidfVectorizer`), which need `doc_ids`.
    doc_ids : sequence of str, optional
        The ids of the documents in the order of the scores of `what`. Documents with the score 0 are not ranked.
    matrix : array or sparse matrix, optional
        The vectors of the documents, (n_docs, n_features), beside a vectorizer.
    tokenize : callable
        Function that makes the tokens that ``get_scores`` takes. Default ``str.split``.
    name : str
        The name in tables; by default that of the function or the class.

    Returns
    -------
    Ranker
        Accepted wherever the name of a model is.

    Raises
    ------
    ArgumentError
        If `what` is none of these, or `doc_ids` or `matrix` is missing.

    Examples
    --------
    >>> import toysearch
    >>> def search(text, *, weight=1.0):
    ...     return {"1": weight * text.count("cat")}
    >>> index = toysearch.Index.build(["a cat", "a dog"])
    >>> toysearch.Searcher(index, own_search(search)).search("cat and cat")
    <Ranking of 1 document: 1 2.0000>
    >>> own_search(search).bind(weight=0.5)
    search:weight=0.5
    """
    called = name or getattr(what, "__name__", type(what).__name__)
    scores: Callable[[str], Any] | None = None
    if hasattr(what, "get_scores"):
        scores = lambda text: what.get_scores(tokenize(text))  # noqa: E731
    elif hasattr(what, "transform") and matrix is not None:
        scores = lambda text: (matrix @ what.transform([text]).T).toarray().ravel()  # noqa: E731
    if scores is None and callable(what) and len(_needed(what)) == 1:
        parameters = [each for each in inspect.signature(what).parameters.values() if each.default is not each.empty]
        return _ranker(called, what, {each.name: each.default for each in parameters if _is_number(each.default)})
    if scores is None or doc_ids is None:
        raise ArgumentError(
            f"{called}: expected a function of the text of a query, such as def search(text); or rank-bm25 with "
            "doc_ids=…, or a vectorizer with doc_ids=… and matrix=…"
        )
    ids = list(doc_ids)
    return _ranker(called, lambda text: [pair for pair in zip(ids, scores(text), strict=True) if pair[1]], {})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ranker(name: str, function: Callable[..., Any], defaults: dict[str, Any]) -> Ranker:
    settings = tuple((key, Setting(value, None, whole=isinstance(value, int))) for key, value in defaults.items())
    return Ranker(SEARCH, (), (SearchFunction(name, function, settings), *defaults.values()))


UNORDERED: tuple[type, ...] = (set, frozenset, type(iter(set())))
"""Kinds of answers without an order."""


def ranked(answer: Any) -> list[tuple[str, float]] | None:
    """Return the pairs of an answer: a mapping, pairs, or ids from the best on; None if it is none of these.

    A document can have several pairs, and a score that no float holds is infinite.

    >>> ranked({"a": 2.0}), ranked([("a", 10**400)]), ranked(["a", "b", "a"]), ranked([0.5, 0.2]), ranked({"a", "b"})
    ([('a', 2.0)], [('a', inf)], [('a', 2.0), ('b', 1.0), ('a', 2.0)], None, None)
    """
    if isinstance(answer, str):
        return None
    try:
        listed = [*(answer.items() if hasattr(answer, "items") else answer)]
        ids = [each for each in listed if isinstance(each, str)]
        if ids and (len(ids) < len(listed) or isinstance(answer, UNORDERED)):
            return None
        scores = dict(zip(reversed(dict.fromkeys(ids)), itertools.count(1), strict=False))
        pairs = [(doc_id, scores[doc_id]) for doc_id in ids] if ids else listed
        return [(str(doc_id), _as_float(score)) for doc_id, score in pairs]
    except (TypeError, ValueError):
        return None


def _as_float(score: Any) -> float:
    try:
        return float(score)
    except OverflowError:
        return math.inf
