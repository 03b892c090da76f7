"""Judgments and runs: columns of (query, document, value) rows, grouped by query.

Start with `Qrels` and `Run`; what they share is in `_Grouped`. The documents of one query by rank are a `Ranking`. How
tied documents are ordered is decided in `run_order.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from toysearch.base.argument_checks import expect, expect_list, numbers
from toysearch.base.encoded_texts import DictKeys, Listed, Texts
from toysearch.base.errors import ArgumentError, DataError, a
from toysearch.base.groups import groups_of
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.ranking import Ranking, ScoredDoc
from toysearch.base.result import Rows, number_columns
from toysearch.base.result_tables import Column, ResultTable
from toysearch.base.wording import counted, cut

if TYPE_CHECKING:
    from toysearch.base.run_order import Order
    from toysearch.base.subtopics import Subtopics

__all__ = ["Qrel", "Qrels", "Run"]

_SHOWN = 40  # characters of a record in an error


class Qrel(NamedTuple):
    """Judgment: larger is better, fractions are allowed, a grade of 0 or less is never relevant."""

    query_id: str
    doc_id: str
    relevance: float


class _Grouped(Rows):
    """Columns of (query, document, value) rows, grouped by query.

    offsets: (len(query_ids) + 1,) int64; the rows of query i are ``offsets[i]:offsets[i + 1]``. The values are
    read-only: what is computed of them once, such as the order of a run, holds for as long as the object lives.
    """

    def __init__(
        self,
        query_ids: Sequence[str] | Mapping[str, Any],
        offsets: Sequence[int] | np.ndarray | None = None,
        doc_ids: Sequence[str] | Texts = (),
        values: Sequence[float] | np.ndarray = (),
    ) -> None:
        if offsets is None:
            query_ids, offsets, doc_ids, values = columns_of(query_ids)
        expect_list(str, query_ids=query_ids)
        self.query_ids = list(query_ids)
        self.offsets = np.asarray(offsets, dtype=np.int64)
        self.ids = doc_ids if isinstance(doc_ids, Texts) else Listed(doc_ids)
        array = np.asarray(values, dtype=np.float64)
        is_short = self.offsets.size != len(self.query_ids) + 1
        if is_short or self.offsets[[0, -1]].tolist() != [0, array.size] or (np.diff(self.offsets) < 0).any():
            raise ArgumentError(
                "offsets: expected where the rows of each query begin, and their end: "
                f"{len(self.query_ids) + 1} rising numbers from 0 to {array.size}"
            )
        self.values = array.copy() if array.flags.writeable else array
        self.values.flags.writeable = False
        self._positions = {query_id: position for position, query_id in enumerate(self.query_ids)}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle or copy the columns alone, nothing that is computed of them."""
        cached = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        columns = {name: value for name, value in vars(self).items() if name not in cached}
        return columns | {"ids": Listed(self.doc_ids)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the columns; the values are read-only again."""
        vars(self).update(state)
        self.values.flags.writeable = False

    @cached_property
    def doc_ids(self) -> list[str]:
        """Documents, one per row."""
        return self.ids.at(slice(0, len(self)))

    def lasting(self) -> Self:
        """Copy ids out of the caller's dicts, which may change."""
        if isinstance(self.ids, DictKeys):
            self.ids = Listed(self.doc_ids)
        return self

    def doc_ids_of(self, query_id: str) -> list[str]:
        """Return the documents of a query, in the order of its rows; other ids are not decoded."""
        return self.ids.at(self.rows(query_id))

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, query_id: object) -> bool:
        return query_id in self._positions

    def positions(self, query_ids: Sequence[str]) -> np.ndarray:
        """Return the position of each query among the queries, int64; −1 if it is absent."""
        return np.array([self._positions.get(query_id, -1) for query_id in query_ids], dtype=np.int64)

    def rows(self, query_id: str) -> slice:
        """Return the slice of the rows of a query (empty for a query without rows)."""
        try:
            position = self._positions.get(query_id)
        except TypeError:  # a list is never the key of a dict
            raise ArgumentError(f"a query_id is a text, not {a(query_id)}") from None
        if position is None:
            given: object = query_id
            if isinstance(given, tuple):
                raise ArgumentError(f"iterating gives rows, such as {given!r}; .keys() lists the query_ids")
            if not isinstance(given, str):
                raise ArgumentError(f"ids are texts: write {str(given)!r}, not {given!r}")
            return slice(0, 0)
        return slice(int(self.offsets[position]), int(self.offsets[position + 1]))

    def places(self, query_id: str) -> dict[str, int]:
        """Return each document's position among the rows of a query, from 0 (the last one, if there are several)."""
        return {doc_id: place for place, doc_id in enumerate(self.doc_ids_of(query_id))}

    def query_of(self, row: int) -> str:
        """Return the query to which a row belongs."""
        expect(int, row=row)
        return self.query_ids[int(np.searchsorted(self.offsets, row, side="right")) - 1]

    def __getitem__(self, query_id: str) -> dict[str, float]:
        rows = self.rows(query_id)
        return dict(zip(self.doc_ids_of(query_id), self.values[rows].tolist(), strict=True))

    def keys(self) -> list[str]:
        """Return the query_ids."""
        return [*self.query_ids]

    def items(self) -> list[tuple[str, dict[str, float]]]:
        """Return each query_id with its documents and their values."""
        return [(query_id, self[query_id]) for query_id in self.query_ids]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return everything as a dict of query_id → doc_id → value."""
        return dict(self.items())


_TOO_LARGE = "a score or a grade is too large: a float holds at most 1.8e308"


def _group(rows: Iterable[tuple[str, str, float]], what: str) -> tuple[list[str], np.ndarray, list[str], np.ndarray]:
    """Group rows in any order: queries in the order of their first row, rows in the order given."""
    expect_list(object, ordered=False, records=rows)
    groups: dict[str, dict[str, float]] = {}
    for row in rows:
        try:
            query_id, doc_id, value = row
            group = groups.setdefault(query_id, {})
            is_twice = doc_id in group
        except (TypeError, ValueError):
            raise ArgumentError(
                f"expected records of a {what}, such as ('q1', 'd1', 1), not {cut(repr(row), _SHOWN)}"
            ) from None
        if is_twice:
            raise DataError(f"query '{query_id}' has document '{doc_id}' twice in the {what}; each pair may occur once")
        group[doc_id] = value
    return columns_of(groups)


def columns_of(groups: Any) -> tuple[list[str], np.ndarray, list[str], np.ndarray]:
    """Return the columns of a dict of dicts, which cannot hold a pair twice."""
    try:
        offsets = np.cumsum([0, *map(len, groups.values())])
        doc_ids = list(chain.from_iterable(groups.values()))
        values = np.fromiter(chain.from_iterable(group.values() for group in groups.values()), np.float64, len(doc_ids))
    except (AttributeError, TypeError, ValueError):
        raise ArgumentError(
            "expected a dict of query_id to a dict of doc_id to number, such as {'q1': {'d1': 1}}; from_records takes "
            "tuples, and read_run, read_qrels and evaluate take other forms"
        ) from None
    except OverflowError:
        raise ArgumentError(_TOO_LARGE) from None
    values.flags.writeable = False
    return list(groups), offsets, doc_ids, values


def without_zeros(query_id: str) -> str:
    """Return a number without leading zeros, and any other id as it is.

    >>> without_zeros("007"), without_zeros("0"), without_zeros("07b")
    ('7', '0', '07b')
    """
    return query_id.lstrip("0") or "0" if query_id.isdecimal() else query_id


def count_from_0(judged: Collection[str], ids: Sequence[str]) -> bool:
    """True if judgments count from 0 what counts from 1 by its own ids, so that each would be taken for the next.

    >>> count_from_0(["0", "2"], ["1", "2", "3"]), count_from_0(["0", "3"], ["1", "2", "3"])
    (True, False)
    """
    if "0" not in judged:
        return False
    places = [str(place) for place in range(1, len(ids) + 1)]
    return list(ids) == places and {"0", *places[:-1]}.issuperset(judged)


class TextNeeds(dict[str, str]):
    """Text → the information need that it puts into words. A query without a need stands for itself.

    It is empty if no need has several texts.

    >>> needs = TextNeeds({"1a": "1", "1b": "1"})
    >>> needs["1b"], needs["2"], needs.texts(["1a", "1b", "2"])
    ('1', '2', {'1': ['1a', '1b'], '2': ['2']})
    """

    def __missing__(self, query_id: str) -> str:
        return query_id

    def among(self, query_ids: Iterable[str]) -> TextNeeds:
        """Return the need of each of these queries; none if no need has several texts."""
        return TextNeeds({query_id: self[query_id] for query_id in query_ids} if self else {})

    def texts(self, query_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return need → those of the queries that are its texts, in their order."""
        return groups_of((self[query_id], query_id) for query_id in query_ids)

    @classmethod
    def several(cls, needs: Mapping[str, str]) -> TextNeeds:
        """Return the needs of some texts; none if each is the only text of its need."""
        return cls(needs if len({*needs.values()}) < len(needs) else {})

    def weights(self, query_ids: Iterable[str]) -> dict[str, float]:
        """Return text → its part of its need, so that each need counts once: 1 / the number of its texts.

        >>> TextNeeds({"1a": "1", "1b": "1"}).weights(["1a", "1b", "2"])
        {'1a': 0.5, '1b': 0.5, '2': 1.0}
        """
        query_ids = [*query_ids]
        texts = self.texts(query_ids)
        return {query_id: 1 / len(texts[self[query_id]]) for query_id in query_ids}

    @property
    def kind(self) -> tuple[str, str]:
        """Name of what counts once in a mean, for one and for several."""
        return ("need", "needs") if self else ("query", "queries")

    def size(self, query_ids: Iterable[str]) -> str:
        """Say how many queries there are, or how many needs with how many texts.

        >>> TextNeeds({"1-1": "1", "1-2": "1"}).size(["1-1", "1-2", "2"]), TextNeeds().size(["1", "2"])
        ('2 needs in 3 texts', '2 queries')
        """
        n, *texts = self.counts(query_ids).values()
        return " in ".join([counted(n, *self.kind), *(counted(n_texts, "text") for n_texts in texts)])

    def counts(self, query_ids: Iterable[str]) -> dict[str, int]:
        """Return the number of queries for JSON: of needs with several texts, the numbers of needs and of texts in all.

        >>> TextNeeds({"1-1": "1", "1-2": "1"}).counts(["1-1", "1-2", "2"]), TextNeeds().counts(["1", "2"])
        ({'queries': 2, 'texts': 3}, {'queries': 2})
        """
        texts = [*query_ids]
        return {"queries": len({self[text] for text in texts})} | ({"texts": len(texts)} if self else {})


class Qrels(_Grouped):
    """Relevance judgments. Iterating gives `Qrel` records, ``qrels[query_id]`` a dict of document → grade.

    A document that is absent is *unjudged*, which differs from judged 0.

    Attributes
    ----------
    votes : ndarray of int64, or None
        The number of users who voted, one per row, if the grades are shares of positive votes.
    complete : bool
        Whether every relevant document is judged, so that an unjudged one is not relevant. A collection says so
        (``Collection(…, complete=True)``).
    subtopics : Subtopics, or None
        The grades for each sub-topic of a query, if the judgments name several. The grade of a document is then the
        highest that it has for any of them.
    needs : TextNeeds
        Query → the information need that it puts into words; empty if no need has several texts.
    texts : mapping of str to str
        Query → its text, where the judgments hold it, as the log of a page does.
    id_columns : mapping of str to str
        query_id and doc_id → the columns of a file that hold them, where it names columns.
    whole_top : float
        The highest grade of the judgments of which these are a part; 0 if they are the whole.
    from_log : bool
        Whether a log of judging holds them, whose judges saw the scale.

    Examples
    --------
    >>> qrels = Qrels({"1": {"a": 1, "b": 0}})
    >>> len(qrels), qrels["1"]
    (2, {'a': 1.0, 'b': 0.0})
    >>> qrels = Qrels.from_subtopics({"1": {"a": {"food": 1, "care": 2}, "b": {"care": 1}}})
    >>> qrels["1"], qrels.subtopics.names
    ({'a': 2.0, 'b': 1.0}, (('food', 'care'),))
    """

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Tabulate the judgments."""
        columns = [Column("query_id"), Column("doc_id"), *number_columns("g", "relevance")]
        return [ResultTable(columns, self, n=len(self))]

    votes: np.ndarray | None = None
    complete: bool = False
    subtopics: Subtopics | None = None
    needs: TextNeeds = TextNeeds()
    texts: Mapping[str, str] = MappingProxyType({})
    id_columns: Mapping[str, str] = MappingProxyType({})
    whole_top: float = 0.0
    from_log: bool = False

    @classmethod
    def from_subtopics(
        cls,
        judgments: Mapping[str, Mapping[str, Mapping[str, float]]],
        weights: Mapping[tuple[str, str], float] | None = None,
    ) -> Qrels:
        """Make judgments from a dict of query_id → doc_id → sub-topic → grade.

        Parameters
        ----------
        judgments : mapping
            Each document has a grade for at least one sub-topic.
        weights : mapping of (query_id, sub-topic) to float, optional
            How much a sub-topic matters; 1 by default.
        """
        expect(Mapping, judgments=judgments)
        expect_list(Mapping, judgments=[*judgments.values()])
        expect_list(Mapping, judgments=[grades for documents in judgments.values() for grades in documents.values()])
        highest = {
            query_id: {doc_id: max(grades.values()) for doc_id, grades in documents.items()}
            for query_id, documents in judgments.items()
        }
        qrels = cls.from_dict(highest)
        from toysearch.base.subtopics import Subtopics  # most judgments have none

        of_subtopics = Subtopics.of(judgments, weights)
        qrels.subtopics = of_subtopics if of_subtopics.grades.shape[1] > 1 else None
        return qrels

    @classmethod
    def from_records(cls, records: Iterable[tuple[str, str, float]]) -> Qrels:
        """Make judgments from (query_id, doc_id, relevance) records in any order; a pair given twice is an error."""
        return cls(*_group(records, "judgments"))

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Make judgments from a dict of query_id → doc_id → relevance."""
        return cls(grades)

    @classmethod
    def of_usual(cls, grades: Mapping[str, Mapping[str, float]]) -> Qrels | None:
        """Do the same as `from_dict` by a compiled loop; return None unless ids and numbers are of the usual types."""
        # It looks ids up in the dicts until `lasting` is called.
        usual = _read_dicts(grades, NO_JUDGMENTS)
        if usual is None:
            return None
        return cls([*grades], usual.offsets, DictKeys([*grades.values()], usual.offsets), usual.values)

    @property
    def relevance(self) -> np.ndarray:
        """Grades, one per row, as float64."""
        return self.values

    @property
    def top(self) -> float:
        """Top of the scale: the highest grade, also of the judgments of which these are a part; at least 0."""
        return float(self.values.max(initial=self.whole_top))

    @property
    def need_ids(self) -> list[str]:
        """Ids of the judged needs; a query without a need stands for itself."""
        return list(self.needs.texts(self.query_ids))

    def with_grades(self, grades: np.ndarray) -> Qrels:
        """Return the same judgments with other grades, one per row."""
        return self._declared(Qrels(self.query_ids, self.offsets, self.doc_ids, numbers(grades, "grades")))

    def of_queries(self, query_ids: Iterable[str]) -> Qrels:
        """Return the judgments of some queries."""
        expect_list(str, ordered=False, query_ids=query_ids)
        return self._under({query_id: query_id for query_id in query_ids})

    def for_texts(self, needs: Mapping[str, str]) -> Qrels:
        """Return the judgments of each text of a need: its own, or else those of the need.

        The judgments of an id that is both a text of one need and another need are those of the need.

        Parameters
        ----------
        needs : mapping of str to str
            The query_id of a text → the id of its need, by which judgments may name it, with other leading zeros too.

        Examples
        --------
        >>> qrels = Qrels({"1": {"a": 1}, "2": {"b": 1}}).for_texts({"1-1": "1", "1-2": "1"})
        >>> qrels.to_dict(), qrels.needs
        ({'1-1': {'a': 1.0}, '1-2': {'a': 1.0}, '2': {'b': 1.0}}, {'1-1': '1', '1-2': '1'})
        """
        expect(Mapping, needs=needs)
        expect_list(str, needs=[*needs.values()])
        need_ids = {*needs.values()}
        # Where the id of a text is that of another need, texts and needs are numbered apart: 2 is not judged as need 2.
        apart = any(text != need and text in need_ids for text, need in needs.items())
        of_need = {need: text for text, need in self.needs.items()}
        of_need |= {query_id: query_id for query_id in self.query_ids if query_id not in self.needs}
        numbers = {without_zeros(name): query_id for name, query_id in of_need.items() if name not in need_ids}

        def judged_as(text: str, need: str) -> str:
            if text in self.needs or (text in self and not (apart and need in of_need)):
                return text
            return of_need.get(need) or numbers.get(without_zeros(need), "")

        judged = ((judged_as(*pair), pair[0]) for pair in needs.items())
        texts_of = groups_of((query_id, text) for query_id, text in judged if query_id)
        ids = {
            text: query_id
            for query_id in self.query_ids
            for text in texts_of.get(query_id, [query_id] * (query_id not in need_ids and query_id not in needs))
        }
        other = self if ids == dict(zip(self.query_ids, self.query_ids, strict=True)) else self._under(ids)
        all_needs = {**self.needs, **needs}
        of_texts = TextNeeds.several({text: all_needs[text] for text in ids if text in all_needs})
        if of_texts:
            other = copy(other)
            other.needs = of_texts
        return other

    def _under(self, ids: Mapping[str, str]) -> Qrels:
        """Return the judgments of some queries under new ids: new → old."""
        other = self._declared(Qrels.from_dict({new: self[old] for new, old in ids.items()}), self.top)
        if self.subtopics is not None:
            places = self.positions([*ids.values()])
            rows = chain.from_iterable(range(*self.rows(old).indices(len(self))) for old in ids.values())
            other.subtopics = self.subtopics.of_queries([place for place in places.tolist() if place >= 0], rows)
        return other

    def with_gains(self, grades: np.ndarray, gains: Mapping[float, float]) -> Qrels:
        """Do the same as `with_grades`, and replace the grades for sub-topics by their gains."""
        expect(Mapping, gains=gains)
        other = self.with_grades(grades)
        other.subtopics = self.subtopics and self.subtopics.replaced(gains)
        return other

    def of_rows(self, rows: Sequence[int], doc_ids: Sequence[str] | None = None) -> Qrels:
        """Return the judgments in some rows, which do not fall; doc_ids: the documents instead, one per row."""
        expect_list(int, rows=rows)
        queries = self._queries_of(rows)
        documents = [self.doc_ids[row] for row in rows] if doc_ids is None else doc_ids
        query_ids = [self.query_ids[query] for query in queries]
        grades = self.values[list(rows)].tolist()
        other = self._declared(Qrels.from_records(zip(query_ids, documents, grades, strict=True)), self.top)
        if self.subtopics is not None:
            other.subtopics = self.subtopics.of_queries([*dict.fromkeys(queries)], rows)
        return other

    def _queries_of(self, rows: Sequence[int]) -> list[int]:
        queries: list[int] = (np.searchsorted(self.offsets, rows, side="right") - 1).tolist()
        return queries

    def renamed(self, query_ids: Mapping[str, str], doc_ids: Mapping[str, str]) -> Qrels:
        """Return the judgments under other ids, old → new; others are kept."""
        expect(Mapping, query_ids=query_ids, doc_ids=doc_ids)
        pairs = [(query_ids.get(query_id, query_id), doc_ids.get(doc_id, doc_id)) for query_id, doc_id, _ in self]
        if self.subtopics is None:
            grades = self.values.tolist()
            renamed = Qrels.from_records((*pair, grade) for pair, grade in zip(pairs, grades, strict=True))
            renamed.id_columns, renamed.from_log = {**self.id_columns}, self.from_log
            return renamed
        judgments: dict[str, dict[str, dict[str, float]]] = {}
        weights: dict[tuple[str, str], float] = {}
        queries = self._queries_of(range(len(self)))
        for row, (query, (query_id, doc_id)) in enumerate(zip(queries, pairs, strict=True)):
            for name, grade, weight in self.subtopics.named(query, row):
                judgments.setdefault(query_id, {}).setdefault(doc_id, {})[name] = grade
                weights[query_id, name] = weight
        return Qrels.from_subtopics(judgments, weights)

    def _declared(self, other: Qrels, top: float = 0.0) -> Qrels:
        other.complete, other.needs, other.whole_top = self.complete, self.needs, top
        other.id_columns, other.from_log = {**self.id_columns}, self.from_log
        return other

    def __repr__(self) -> str:
        return f"<Qrels of {counted(len(self.query_ids), 'query', 'queries')}: {counted(len(self), 'judgment')}>"

    def __iter__(self) -> Iterator[Qrel]:
        for query_id in self.query_ids:
            yield from map(Qrel, repeat(query_id), self.doc_ids_of(query_id), self.values[self.rows(query_id)].tolist())


class Unstated(float):
    """Lowest relevant grade where neither a collection nor its user states one."""


UNSTATED = Unstated(1)

NO_JUDGMENTS = Qrels.from_dict({})
"""Judgments of a collection that has none."""


class Run(_Grouped):
    """Documents returned by a system for many queries. Iterating gives `ScoredDoc` records, query by query.

    Parameters
    ----------
    query_ids, offsets, doc_ids, scores
        The columns: the rows of query i are ``offsets[i]:offsets[i + 1]``. A dict alone is taken as by `from_dict`.
    name : str
        The name of the system, the last column of a TREC run.
    ranked : bool
        True if the rows of a query are in the order of the ranking (a run made by a `Searcher`); False if only the
        scores give the order (a run from a file or a dict), which an evaluation then sorts as trec_eval does.

    Examples
    --------
    >>> run = Run.from_dict({"1": {"a": 0.5, "b": 2.0}}, name="mine")
    >>> [hit.doc_id for hit in run]
    ['a', 'b']
    >>> run.ranked
    False
    """

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Tabulate the ranked documents."""
        columns = [Column("query_id"), *number_columns("", "rank"), Column("doc_id"), *number_columns(".4f", "score")]
        rows = (
            (query_id, rank, hit.doc_id, hit.score)
            for query_id in self.query_ids
            for rank, hit in enumerate(self.ranking(query_id), 1)
        )
        return [ResultTable(columns, rows, n=len(self))]

    def __init__(
        self,
        query_ids: Sequence[str] | Mapping[str, Any],
        offsets: Sequence[int] | np.ndarray | None = None,
        doc_ids: Sequence[str] | Texts = (),
        scores: Sequence[float] | np.ndarray = (),
        name: str = "run",
        ranked: bool = False,
    ) -> None:
        super().__init__(query_ids, offsets, doc_ids, scores)
        self.name = name
        self.ranked = ranked
        self.groups: Mapping[str, Mapping[str, float]] | None = None  # see `of_groups`
        self.orders: dict[str, Order] = {}  # what `toysearch.base.run_order.order_of` has found
        self._judged_ranks: tuple[object, np.ndarray] | None = None  # the ids of judged documents, their ranks in dicts

    @classmethod
    def of_groups(
        cls,
        scores: Mapping[str, Mapping[str, float]],
        check: Callable[[], object] = lambda: None,
        judged: Qrels | None = None,
    ) -> Run:
        """Do the same as `from_dict`, but look ids up in the dicts themselves, which must not change meanwhile."""
        # The check of ids and numbers is called unless all are of the usual types; then judged documents are ranked in
        # passing.
        judged = NO_JUDGMENTS if judged is None else judged
        usual = _read_dicts(scores, judged) if compiled() else None
        if usual is None:
            check()
            _, offsets, _, values = columns_of(scores)
        else:
            offsets, values, ranks = usual
        run = cls([*scores], offsets, DictKeys([*scores.values()], offsets), values)
        run.groups = scores
        run._judged_ranks = None if usual is None else (judged.ids, ranks)
        return run

    def ranks_in_dicts(self, qrels: Qrels) -> np.ndarray | None:
        """Return the rank of each judged document by trec_eval, 0 if not retrieved; None unless of usual dicts."""
        if self._judged_ranks is None or self._judged_ranks[0] is not qrels.ids:
            usual = _read_dicts(self.groups or {}, qrels)
            if usual is None or not np.array_equal(usual.offsets, self.offsets):
                return None
            self._judged_ranks = qrels.ids, usual.ranks
        return self._judged_ranks[1]

    @classmethod
    def from_records(cls, records: Iterable[tuple[str, str, float]], name: str = "run", ranked: bool = False) -> Run:
        """Make a run from (query_id, doc_id, score) records; refuse a document given twice for a query."""
        return cls(*_group(records, "run"), name=name, ranked=ranked)

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], name: str = "run") -> Run:
        """Make a run from a dict of query_id → doc_id → score; the scores alone decide the order."""
        return cls(scores, name=name)

    @classmethod
    def from_rankings(cls, rankings: Iterable[Ranking], name: str = "run") -> Run:
        """Make a run from rankings, whose order is kept."""
        expect_list(Ranking, ordered=False, rankings=rankings)
        rows = list(rankings)
        if wrong := [each for each in rows if not isinstance(each, Ranking)]:
            raise ArgumentError(f"rankings must be a list of Ranking, not with {a(wrong[0])}")
        offsets = np.cumsum([0, *map(len, rows)])
        scores = np.concatenate([ranking.scores for ranking in rows]) if rows else np.empty(0)
        doc_ids = [doc_id for ranking in rows for doc_id in ranking.doc_ids]
        return cls([ranking.query_id for ranking in rows], offsets, doc_ids, scores, name, ranked=True)

    @property
    def scores(self) -> np.ndarray:
        """Scores, one per row, as float64."""
        return self.values

    def ranking(self, query_id: str) -> Ranking:
        """Return the rows of one query (none for a query that the run lacks)."""
        rows = self.rows(query_id)
        return Ranking(query_id, self.doc_ids_of(query_id), self.values[rows])

    def __repr__(self) -> str:
        queries = counted(len(self.query_ids), "query", "queries")
        return f"<Run '{self.name}' of {queries}: {counted(len(self), 'ranked document')}>"

    def __iter__(self) -> Iterator[ScoredDoc]:
        for query_id in self.query_ids:
            values = self.values[self.rows(query_id)].tolist()
            yield from map(ScoredDoc, repeat(query_id), self.doc_ids_of(query_id), values)


class _Dicts(NamedTuple):
    offsets: np.ndarray
    values: np.ndarray
    ranks: np.ndarray  # (len(judged),) int64


def _read_dicts(groups: Mapping[str, Mapping[str, float]], judged: Qrels) -> _Dicts | None:
    """Read dicts and rank the judged documents by a compiled loop; None unless of the usual types."""
    pairs = list(groups.items())
    if not all(isinstance(query_id, str) and type(group) is dict for query_id, group in pairs):
        return None
    from toysearch.compiled.run_ranks import read_dicts

    offsets = np.cumsum([0, *(len(group) for _, group in pairs)])  # another thread may change the dicts from here on
    queries = judged.positions([query_id for query_id, _ in pairs])
    rows = np.where(queries < 0, 0, [judged.offsets[queries], judged.offsets[queries + 1]]).T.copy()
    ids, values, ranks = judged.ids, np.empty(offsets[-1]), np.zeros(len(judged), dtype=np.int64)
    judged_ids: list[Collection[str]]
    if isinstance(ids, DictKeys):
        judged_ids = [ids.groups[query] if query >= 0 else () for query in queries.tolist()]
    else:
        judged_ids = [judged.doc_ids[start:stop] for start, stop in rows.tolist()]
    try:
        usual = read_dicts([group for _, group in pairs], offsets, values, judged_ids, rows, ranks)
    except OverflowError:
        raise ArgumentError(_TOO_LARGE) from None
    values.flags.writeable = False
    return _Dicts(offsets, values, ranks) if usual else None
