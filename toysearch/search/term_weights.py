"""The weights of a model for the postings of an index, computed per term on first use and cached."""

from __future__ import annotations

import builtins
import functools
import itertools
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from toysearch.base import ModelError, ToysearchError, near_name, repeat_each
from toysearch.index.inverted_index import Index
from toysearch.models.model import COLLECTION, Array, Model, call, field_statistic, names_of

if TYPE_CHECKING:
    from toysearch.search.derived_terms import DerivedTerm

BLOCK = 1 << 20  # postings weighed at a time, more for a single long term: limits memory, changes no result
_OF_ARRAYS = (
    "read-only",
    "ambiguous",
    "scalar",
    "shape",
    "size-1",
    "ufunc",
    "ndarray",
    "array",
)  # words in numpy's errors about arrays
MEMORY = 1 << 30
"""The default limit in bytes for the cached weights of a model: about 80 million postings."""


Made = TypeVar("Made", bound=tuple[Any, ...])
FieldTf = Callable[[str], np.ndarray]
"""The term frequencies of postings in a separate field, by its name."""


class TermWeights(NamedTuple):
    """A term's weights, aligned with its postings."""

    docs: np.ndarray
    weights: Array


class Recent(Generic[Made]):
    """A cache of values by term, each two arrays first: above its limit, it drops the least recently used ones."""

    def __init__(self, memory: int) -> None:
        self._memory = memory  # in bytes
        self._kept: dict[int, Made] = {}  # in the order of their last use
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, terms: Sequence[int], make: Callable[[Sequence[int]], Iterable[Made]]) -> list[Made]:
        """The values of the terms with these numbers; the missing ones are made in one call."""
        with self._lock:
            values = self._kept
            missing = [term for term in dict.fromkeys(terms) if term not in values]
            if missing:
                for term, value in zip(missing, make(missing), strict=True):
                    values[term] = value
                    self._bytes += value[0].nbytes + value[1].nbytes
            chosen = [values[term] for term in terms]
            if self._bytes > self._memory // 2:  # the order of use matters only if something may be dropped
                recent = dict.fromkeys(terms)
                values.update([(term, values.pop(term)) for term in recent])
                for term in list(values)[: -len(recent)] if self._bytes > self._memory else ():
                    if self._bytes <= self._memory:
                        break
                    value = values.pop(term)
                    self._bytes -= value[0].nbytes + value[1].nbytes
            return chosen


class Weights:
    """A model over an index.

    The functions of a model get statistics of postings, terms and documents as one-dimensional read-only float64 arrays
    of one length, and all others as floats. So a weight does not depend on the postings that it is computed with.
    """

    def __init__(self, index: Index, model: Model, memory: int = MEMORY) -> None:
        self.index = index
        self.model = model
        parts = {name: field_statistic(name) for name in model.statistics}
        self._of_fields = {name: part for name, part in parts.items() if part is not None}
        self.constants = self._constants()
        self.memory = memory
        self.posting_counts = index.posting_counts
        self._kept = Recent[TermWeights](memory)
        self._check_elementwise()

    def of_terms(self, terms: Sequence[int]) -> list[TermWeights]:
        """The weights of the terms with these numbers; those not yet known are computed together."""
        return self._kept.of(terms, self._made)

    def _made(self, terms: Sequence[int]) -> Iterator[TermWeights]:
        """The weights of terms, computed in blocks of postings."""
        for own_terms in in_blocks(self.index, terms):
            docs, weights = self.weigh(own_terms)
            for start, stop in pairwise([0, *itertools.accumulate(self.posting_counts[own_terms].tolist())]):
                # Copies: a view would keep the whole block in memory.
                yield TermWeights(docs[start:stop].copy(), weights[start:stop].copy())

    @functools.cached_property
    def squared_norms(self) -> Array:
        """Σ d² of every document, over all its terms, added in term order; shape (N,)."""
        return self._sums(np.square)

    @functools.cached_property
    def absolute_norms(self) -> Array:
        """Σ |d| of every document, over all its terms, added in term order; shape (N,)."""
        return self._sums(np.abs)

    def _sums(self, of: Callable[[Array], Array]) -> Array:
        """For each document, the sum of a function of its weights."""
        norms = np.zeros(len(self.index))
        for terms in in_blocks(self.index, self.index.held_terms):
            docs, weights = self.weigh(terms)
            np.add.at(norms, docs, of(weights))
        return norms

    def term_statistics(self, terms: np.ndarray, names: Container[str] = ("df", "cf")) -> dict[str, Array]:
        """The named statistics among df and cf, for the terms with these numbers."""
        index = self.index
        counts = {"df": _column(index.df_by_term[terms])} if "df" in names else {}
        return counts | {"cf": _column(index.numbers_at("cf", terms))} if "cf" in names else counts

    def document_statistics(self, docs: np.ndarray, names: Sequence[str]) -> dict[str, Array]:
        """The named statistics among dl, distinct, max_tf and bytes, for the documents with these numbers."""
        columns = ("dl", "distinct", "max_tf", "bytes")
        return {name: _column(self.index.numbers_at(name, docs)) for name in columns if name in names}

    def posting_statistics(self, terms: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """The documents of the postings of terms, and the arguments of the weight function for them."""
        index = self.index
        docs, tf = index.blocks.of_terms(terms)
        counts, columns = self.posting_counts[terms], self.term_statistics(terms, self.model.statistics)
        of_terms = {name: repeat_each(column, counts) for name, column in columns.items()}
        return docs, self.statistics(docs, tf, of_terms, lambda field: index.field_tf(field, terms))

    def statistics(
        self, docs: np.ndarray, tf: np.ndarray, of_terms: Mapping[str, Any], field_tf: FieldTf
    ) -> dict[str, Any]:
        """The arguments of the weight function for postings, from their documents, frequencies, df and cf."""
        names, index = self.model.statistics, self.index
        columns: dict[str, Array] = {"tf": _column(tf)} if "tf" in names else {}
        columns |= {name: column for name, column in of_terms.items() if name in names}
        columns |= self.document_statistics(docs, names)
        for name, (statistic, field) in self._of_fields.items():
            if statistic == "tf":
                columns[name] = _column(field_tf(field))
            elif statistic == "dl":
                columns[name] = _column(index.fields.dl(field)[docs])
        return {**self.constants, **columns}

    def weigh(self, terms: np.ndarray) -> tuple[np.ndarray, Array]:
        """The documents and the weights of the postings of terms, computed."""
        docs, statistics = self.posting_statistics(terms)
        if not len(docs):  # models need not handle empty arrays
            return docs, np.zeros(0)

        def name(position: int) -> str:
            ends = np.cumsum(self.posting_counts[terms])
            return self.index.term(int(terms[int(np.searchsorted(ends, position, side="right"))]))

        return docs, self._finite(docs, statistics, name)

    def of_postings(
        self, texts: Sequence[str], terms: Sequence[DerivedTerm], counts: Mapping[str, Array]
    ) -> list[TermWeights]:
        """The weights of given postings of terms, from the df and cf of each; the texts are for messages."""
        sizes = [len(term.docs) for term in terms]
        ends = np.cumsum([0, *sizes])
        if not ends[-1]:
            return [TermWeights(term.docs, np.empty(0)) for term in terms]
        docs, tf = (_joined(column) for column in zip(*((term.docs, term.tf) for term in terms), strict=True))
        of_terms = {name: repeat_each(column, sizes) for name, column in counts.items()}
        statistics = self.statistics(
            docs, tf, of_terms, lambda field: _joined(term.field_tf[self.index.fields.name(field)] for term in terms)
        )
        weights = self._finite(
            docs, statistics, lambda position: texts[int(np.searchsorted(ends, position, side="right")) - 1]
        )
        parts = (weights[start:stop] for start, stop in pairwise(ends.tolist()))
        return [TermWeights(term.docs, part) for term, part in zip(terms, parts, strict=True)]

    def _finite(self, docs: np.ndarray, statistics: Mapping[str, Any], name: Callable[[int], str]) -> Array:
        """The weights of postings, refused if one is not a finite number; `name` gives the term of a posting."""
        weights = self.apply("weight", statistics, len(docs))
        if not np.isfinite(weights).all():
            position = int(np.flatnonzero(~np.isfinite(weights))[0])
            values = [(statistic, statistics[statistic]) for statistic in self.model.statistics]
            listing = ", ".join(
                f"{statistic}={np.broadcast_to(value, len(docs))[position]:g}" for statistic, value in values
            )
            raise ModelError(
                f"model '{self.model}' gives {weights[position]} for the term '{name(position)}' in document "
                f"'{self.index.doc_ids[int(docs[position])]}' ({listing}); every weight must be a finite number"
            )
        return weights

    def apply(self, part: str, statistics: Mapping[str, Any], n: int, kind: str = "") -> Array:
        """The result of the weight function or a hook: n float64 numbers; a single number applies to all."""
        function = self.model.function if part == "weight" else self.model.hooks[part]
        what = f"model '{self.model.name}'" if part == "weight" else f"{part} of model '{self.model.name}'"
        statistics = {**self.constants, **statistics}
        for value in statistics.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        try:
            with np.errstate(all="ignore"):
                parameters = self.model.parameters
                arguments = {
                    name: statistics[name] if name in statistics else parameters[name] for name in names_of(function)
                }
                returned = function(**arguments)
                result = np.asarray(returned)
        except ToysearchError:
            raise
        except Exception as error:
            raise _failure(what, function, error) from error
        if result.dtype.kind not in "fiub":
            raise ModelError(f"{what} returned {_kind(result, returned)}")
        if result.shape not in ((), (n,)):
            raise ModelError(
                f"{what} returned an array of shape {result.shape} for {n} {kind}postings; "
                "a model works elementwise and returns one weight for each posting"
            )
        return np.full(n, result, dtype=np.float64) if result.shape == () else result.astype(np.float64)

    def _constants(self) -> dict[str, float]:
        stats = self.index.stats
        constants = {name: float(getattr(stats, name)) for name in COLLECTION}
        for name, (statistic, field) in self._of_fields.items():
            tokens = self.index.field_tokens(field)
            if statistic == "avgdl":
                constants[name] = float(tokens / stats.N)
        if "collection_constants" in self.model.hooks:
            columns = {"df_all": _column(self.index.df), "cf_all": _column(self.index.cf)}
            function = self.model.hooks["collection_constants"]
            try:
                with np.errstate(all="ignore"):
                    own_constants = call(function, {**constants, **columns}, self.model.parameters)
                constants |= {name: float(value) for name, value in own_constants.items()}
            except Exception as error:
                raise _failure(f"collection_constants of model '{self.model.name}'", function, error) from error
        available = {*constants, *self._of_fields, "tf", "df", "cf", "dl", "distinct", "max_tf", "bytes"}
        for name in self.model.statistics:
            if name not in available:
                raise ModelError(
                    f"model '{self.model.name}' names {name}, which is neither a statistic nor one of its "
                    "collection_constants"
                )
        return constants

    def _check_elementwise(self) -> None:
        """Weigh artificial postings together and separately, which exposes a model that reduces over its arguments."""
        if not self.index.stats.n_postings:
            return
        N, avgdl = self.constants["N"], max(1.0, self.constants["avgdl"])
        tf = np.array([1.0, 2.0, 3.0, 1.0, 5.0, 2.0, 1.0])
        df = np.clip(np.array([1.0, 2.0, N / 3, N / 2, N / 5, N - 1, N]).round(), 1.0, N)
        dl = np.round(avgdl * np.array([1.0, 0.5, 2.0, 1.5, 1.0, 0.7, 3.0])) + tf
        sample = {
            "tf": tf,
            "df": df,
            "cf": df * tf,
            "dl": dl,
            "distinct": np.maximum(1.0, np.round(dl * 0.7)),
            "max_tf": tf + np.array([0.0, 1.0, 2.0, 0.0, 1.0, 4.0, 0.0]),
            "bytes": dl * 6,
        }
        of_fields = {"tf": tf, "dl": dl}
        sample |= {name: of_fields[part] for name, (part, _) in self._of_fields.items() if part in of_fields}

        def weigh(rows: Any) -> Array:
            picked = {name: np.ascontiguousarray(column[rows]) for name, column in sample.items()}
            return self.apply("weight", picked, len(picked["tf"]), kind="made-up ")

        together = weigh(slice(None))
        apart = np.concatenate([weigh(slice(0, 1)), weigh(slice(1, 4)), weigh(slice(4, None))])
        turned = weigh(slice(None, None, -1))[::-1]
        for other in (apart, turned):
            if not np.allclose(together, other, rtol=1e-9, atol=0.0, equal_nan=True):
                raise ModelError(
                    f"model '{self.model.name}' is not elementwise: a posting's weight depends on the postings it "
                    "is weighed with; use the named statistics (avgdl, max_tf, …) or a "
                    "collection_constants hook instead of reducing arrays"
                )


def in_blocks(index: Index, terms: Sequence[int] | np.ndarray) -> Iterator[np.ndarray]:
    """Terms, in blocks of about `BLOCK` postings and at least one term."""
    numbers = np.asarray(terms, dtype=np.int64)
    counts = index.posting_counts[numbers]
    if len(numbers) and int(counts.sum()) <= BLOCK:  # as usual
        yield numbers
        return
    bounds, first = np.append(0, np.cumsum(counts)), 0
    while first < len(numbers):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + BLOCK, side="right")) - 1)
        yield numbers[first:last]
        first = last


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    joined: np.ndarray = np.concatenate(list(parts))
    return joined


def _column(values: np.ndarray) -> Array:
    return np.ascontiguousarray(values, dtype=np.float64)


def _failure(what: str, function: Callable[..., Any], error: Exception) -> ModelError:
    """The error for a model function that raised: the place, the exception and the most common cause."""
    code = getattr(function, "__code__", None)
    line, frame = (code.co_firstlineno if code else 0), error.__traceback__
    while code and frame is not None:
        if frame.tb_frame.f_code is code:
            line = frame.tb_lineno
        frame = frame.tb_next
    where = f" ({code.co_filename}:{line})" if code else ""
    return ModelError(f"{what}{where} failed: {type(error).__name__}: {error}{_way_out(function, error)}")


def _way_out(function: Callable[..., Any], error: Exception) -> str:
    """The advice for an exception of a model function, if its kind suggests one."""
    if isinstance(error, NameError):
        return near_name(error.name or "", [*getattr(function, "__globals__", {}), *dir(np), *dir(builtins)])
    about_arrays = isinstance(error, TypeError | ValueError) and any(word in str(error) for word in _OF_ARRAYS)
    if not about_arrays:
        return ""
    return (
        f"; its arguments ({', '.join(names_of(function))}) are read-only numpy arrays: use numpy functions "
        "(np.log, np.where) instead of math functions and if"
    )


def _kind(result: np.ndarray, given: object) -> str:
    """The error for a return value that is not numeric."""
    kinds = {type(None): "None (is a return missing?)", str: "a text", complex: "a complex number"}
    kind = kinds.get(
        type(given), "texts" if result.dtype.kind in "US" else f"values that are not real numbers ({result.dtype})"
    )
    return f"{kind}; expected one number for each posting it was given"
