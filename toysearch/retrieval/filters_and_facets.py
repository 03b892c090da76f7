"""Fields of documents beside a ranking: filters, facets, sorting and grouping, none of which changes a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    CountedWords,
    Result,
    ResultTable,
    count_each,
    counted,
    number_columns,
)
from toysearch.files.numbers import finite_number
from toysearch.index import Index, holds_dates, number_in
from toysearch.index.document_columns import day_of, has_times, is_facet, time_of
from toysearch.index.inverted_index import once_per_index
from toysearch.retrieval.field_values import (
    any_of,
    field_in_query,
    groups_of,
    holds_numbers,
    in_quotes,
    kept_field,
    numbers_of,
)

if TYPE_CHECKING:
    from toysearch.query.syntax import Node

__all__ = ["Facet", "FacetValue", "Facets"]

MOST_VALUES = 10
"""Most values of a facet that a table shows, and most ranges into which the numbers of a field are divided."""

MOST_FILTERS = 8
"""Filters of an index whose documents are kept: one byte per document for each."""

_NAME = r"""(?:(?<![\w.-])[\w.-]+|"[^"\\]+"|`[^`]+`)"""  # SQL quotes a name of several words
_COMPARISON = re.compile(
    r"(?:"
    rf"(?P<field>{_NAME})\s*(?P<sign><=|>=|!=|<>|==|=|<|>)"
    r"""\s*(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s()"]+)"""
    rf"|(?P<one_of>{_NAME})\s+in\s*\((?P<values>[^()]+)\)"
    rf"|(?P<between>{_NAME})\s+between\s+(?P<low>[^\s()]+)\s+and\s+(?P<high>[^\s()]+)"
    rf"|(?P<alike>{_NAME})\s+(?P<unlike>not\s+)?(?:like|(?P<glob>glob))\s+(?P<pattern>'[^']+'|\"[^\"]+\"|[^\s()'\"]+)"
    rf"|(?P<known>{_NAME})\s+is\s+(?P<there>not\s+)?null\b"
    r")"
    r"""|(?P<quoted>"(?:[^"\\]|\\.)*")"""
    r"|(?P<word>\b(?:and|or|not)\b)",
    re.IGNORECASE,
)


_WORDS = ("and", "or", "not")
_BY_SCORE = ("score", "_score", "relevance", "rank", "bm25")
"""What other programs call the usual order."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")


class FacetValue(NamedTuple):
    """Value of a field, or range of its numbers.

    Attributes
    ----------
    value : str
        The value, or the range, for people.
    documents : int
        The number of documents with it.
    filter : str
        The filter that keeps just these documents.
    """

    value: str
    documents: int
    filter: str


class Facet(NamedTuple):
    """Values of a field among some documents.

    Attributes
    ----------
    field : str
        The name of the field.
    values : tuple of FacetValue
        The values, the most frequent first; ranges of numbers and dates in their order.
    missing : int
        The number of documents without a value.
    """

    field: str
    values: tuple[FacetValue, ...]
    missing: int


@dataclass(frozen=True, repr=False)
class Facets(Result):
    """Documents that match a query, counted by the values of fields.

    Attributes
    ----------
    matched : int
        The number of documents that match.
    facets : tuple of Facet
        The values of each field.
    """

    matched: int
    facets: tuple[Facet, ...]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Make one table per field; in the other forms, one table of all fields."""
        counts = number_columns(",", "documents")
        if form != "table":
            columns = [Column("field"), Column("value"), *counts, Column("filter")]
            return [ResultTable(columns, [[facet.field, *row] for facet in self.facets for row in facet.values])]
        tables = []
        for facet in self.facets:
            rows = [[value, documents] for value, documents, _ in facet.values[:MOST_VALUES]]
            more = [f"… and {len(facet.values) - MOST_VALUES:,} more"] if len(facet.values) > MOST_VALUES else []
            without = [f"without it: {counted(facet.missing, 'document')}"] if facet.missing else []
            tables.append(
                ResultTable([Column("value", facet.field), *counts], rows, caption=" · ".join(more + without))
            )
        return tables

    def __repr__(self) -> str:
        return f"<Facets of {counted(self.matched, 'document')}: {', '.join(facet.field for facet in self.facets)}>"


class Arrangement(NamedTuple):
    """Order, grouping and offset that a search applies to the ranked documents before the first k are shown."""

    sort: str = ""  # the field to sort by; with a minus sign, from high to low
    group_by: str = ""  # the field of whose values only the best document is kept
    offset: int = 0  # number of documents to leave out at the top

    @classmethod
    def checked(cls, index: Index, sort: str, group_by: str, offset: int) -> Arrangement:
        """Return the arrangement, or refuse it if the index does not keep its fields."""
        if sort:
            if ordered := re.fullmatch(r"(?i)-?(.+)[ :](asc|desc)", sort):  # as SQL and Elasticsearch write it
                sort = "-" * (ordered[2].lower() == "desc") + ordered[1]
            field = sort.removeprefix("-")
            by_score = field.casefold() in _BY_SCORE and field not in index.values and field not in index.keywords
            sort = "" if by_score else "-" * sort.startswith("-") + kept_field(index, field)
        group_by = group_by and kept_field(index, group_by)
        if isinstance(offset, bool) or not isinstance(offset, int) or offset < 0:
            raise ArgumentError(f"offset must be a whole number of at least 0, not {offset!r}")
        return cls(sort, group_by, offset)

    def depth(self, k: int | None) -> int | None:
        """Number of best documents needed to show k of them; None for all."""
        return None if k is None or self.sort or self.group_by else k + self.offset

    def of(self, index: Index, docs: np.ndarray, scores: np.ndarray, k: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Arrange documents, best first, for showing; those without a value of the field to sort by come last."""
        if self.sort:
            keys = sort_keys(index, self.sort.removeprefix("-"))[docs]
            order = np.argsort(-keys if self.sort.startswith("-") else keys, kind="stable")  # NaN is last
            docs, scores = docs[order], scores[order]
        if self.group_by:
            keys = sort_keys(index, self.group_by)[docs]
            first = np.isnan(keys)  # a document without a value is a group of its own
            first[np.unique(keys, return_index=True)[1]] = True
            docs, scores = docs[first], scores[first]
        end = None if k is None else self.offset + k
        return docs[self.offset : end], scores[self.offset : end]


def sort_keys(index: Index, field: str) -> np.ndarray:
    """Number the documents in the order of the values of a field, equal for equal values; NaN without a value."""
    field = kept_field(index, field)
    if holds_numbers(index, field) and (numbers := numbers_of(index, field)) is not None:
        return numbers
    codes = groups_of(index, field).codes.astype(np.float64)
    codes[codes == 0] = np.nan
    return codes


def filter_text(text: str) -> str:
    r"""Write a filter in the query language: comparisons become fields with values, ``and``, ``or``, ``not`` operators.

    >>> filter_text("price < 50 and not brand = dyson or date:2012")
    'price:<50 AND NOT brand:dyson OR date:2012'
    >>> filter_text("state = or and change = -3")
    'state:"or" AND change:"-3"'
    >>> filter_text("brand in (dyson, LG)")
    'brand:(dyson OR LG)'
    >>> print(filter_text('"Release Date" < 2012'))
    Release\ Date:<2012
    """
    from toysearch.query.syntax import escaped  # most searches have no filter

    def named(name: str) -> str:
        return escaped(name[1:-1]) if name[0] in '"`' else name

    def written(match: re.Match[str]) -> str:
        if match["word"]:
            return match["word"].upper()
        if match["quoted"]:
            return match["quoted"]
        if match["one_of"]:
            return f"{named(match['one_of'])}:{any_of(match['values'])}"
        if match["between"]:
            name = named(match["between"])
            low, high = (match[end].strip("'\"") for end in ("low", "high"))
            return f"({name}:>={low} AND {name}:<={high})"
        if match["alike"]:  # of SQL
            pattern = re.sub(r"[^%_*?]+", lambda plain: escaped(plain[0]), match["pattern"].strip("'\""))
            pattern = pattern if match["glob"] else pattern.replace("%", "*").replace("_", "?")
            return f"{'NOT ' if match['unlike'] else ''}{named(match['alike'])}:{pattern}"
        if match["known"]:
            return f"{'' if match['there'] else 'NOT '}{named(match['known'])}:*"
        field, sign, value = named(match["field"]), match["sign"].replace("<>", "!="), match["value"]
        if sign[0] in "<>":
            value = value.strip("'\"")  # SQL quotes dates
        elif value[0] == value[-1] == "'" != value:
            value = in_quotes(value[1:-1])
        if sign[0] not in "<>" and (value.lower() in _WORDS or value[0] in "+-" or _TIME.match(value)):
            value = f'"{value}"'
        return f"{'NOT ' if sign == '!=' else ''}{field}:{sign if sign[0] in '<>' else ''}{value}"

    return _COMPARISON.sub(written, text)


def filter_tree(where: str | Node) -> Node:
    """Parse a filter into a tree whose every part names a field, whatever fields an index has."""
    from toysearch.query.parser import parse  # most searches have no filter
    from toysearch.query.syntax import Node

    tree = parse(filter_text(where), "strict", None).tree if isinstance(where, str) else where
    example = "a filter compares fields with values, as in 'price < 50 and brand = dyson'"
    if not isinstance(tree, Node):
        raise ArgumentError(f"{example}; {where!r} compares none")
    if part := _without_field(tree):
        advice = "quote a name or a value of several words, as in 'brand = \"New Look\"'"
        raise ArgumentError(f"{example}; '{part}' is compared with nothing; {advice}")
    return tree


def _without_field(node: Node) -> Node | None:
    from toysearch.query.syntax import Field, Range, parts

    if isinstance(node, Field | Range):
        return None
    if not parts(node):
        return node
    return next(filter(None, map(_without_field, parts(node))), None)


def filtered(index: Index, where: str | Node) -> np.ndarray:
    """Mark the documents that a filter keeps: 1 for each, 0 for all others; uint8."""
    filters: dict[str | Node, np.ndarray] = index.memo.setdefault("filters", {})
    keeps = filters.pop(where, None)
    if keeps is None:
        from toysearch.retrieval.matching import Matcher, known_fields, named_fields, with_spelt_fields

        tree = with_spelt_fields(filter_tree(where), index)
        for field in sorted(set().union(*named_fields(tree)).difference(known_fields(index))):
            kept_field(index, field)
        keeps = np.zeros(len(index), dtype=np.uint8)
        keeps[Matcher(index).matches(tree)] = 1
    filters[where] = keeps  # one filter often serves many queries; the one used last comes last
    if len(filters) > MOST_FILTERS:
        del filters[next(iter(filters))]
    return keeps


def facet_fields(index: Index) -> list[str]:
    """List the fields worth counting by: those of few words, of numbers and of dates.

    >>> facet_fields(Index.build({"1": "a cat", "2": "a dog"}))
    []
    """
    fields = []
    for name in dict.fromkeys([*index.keywords, *index.values]):
        if holds_numbers(index, name):
            numbers = np.asarray(index.values[name] if name in index.values else numbers_of(index, name), np.float64)
            varies = len(np.unique(numbers[~np.isnan(numbers)])) > 1
        else:
            varies = is_facet(groups_of(index, name).values, len(index))
        fields += [name] if varies else []
    return fields


def facets_of(index: Index, docs: np.ndarray, fields: Sequence[str]) -> Facets:
    """Count documents by the values of fields."""
    return Facets(len(docs), tuple(_facet(index, docs, field) for field in fields))


def _facet(index: Index, docs: np.ndarray, field: str) -> Facet:
    field = kept_field(index, field)
    name = field_in_query(index, field)
    numbers_of_all = numbers_of(index, field) if holds_numbers(index, field) else None
    if numbers_of_all is None:
        keywords = groups_of(index, field)
        counts = count_each(keywords.codes[docs], minlength=len(keywords.values) + 1)
        missing, *numbers = counts.tolist()
        rows = [
            FacetValue(value, number, f"{name}:{_quoted(value)}")
            for value, number in zip(keywords.values, numbers, strict=True)
            if number
        ]
        return Facet(field, tuple(sorted(rows, key=lambda row: -row.documents)), missing)
    text_of = text_of_numbers(index, field)
    numbers = numbers_of_all[docs]
    distinct, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    missing = len(docs) - int(counts.sum())
    if len(distinct) <= MOST_VALUES:
        starts, labels = distinct, [text_of(number) for number in distinct.tolist()]
        filters = [*map(_quoted, labels)]
    elif text_of is not number_text and distinct[-1] - distinct[0] < 1:
        labels = filters = sorted({day_of(number)[:7] for number in distinct.tolist()})
        starts = np.array([number_in(month) for month in labels])
    else:
        step = _step(float(distinct[0]), float(distinct[-1]), whole=text_of is not number_text)
        places = np.unique(np.floor(distinct / step)).tolist()
        starts = np.array([place * step for place in places])
        edges = [(number_text(place * step), number_text((place + 1) * step)) for place in places]
        labels, filters = [f"{low} up to {high}" for low, high in edges], [f"[{low} TO {high}}}" for low, high in edges]
    sums = count_each(np.searchsorted(starts, distinct, side="right") - 1, counts, len(starts)).astype(int).tolist()
    rows = [
        FacetValue(label, documents, f"{name}:{limit}")
        for label, documents, limit in zip(labels, sums, filters, strict=True)
    ]
    return Facet(field, tuple(rows), missing)


def _step(low: float, high: float, *, whole: bool) -> float:
    """Width of at most `MOST_VALUES` ranges, from 1, 2 and 5 times powers of ten, for dates at least a year."""
    exponent = math.floor(math.log10((high - low) / MOST_VALUES)) - 1
    while True:
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent if exponent >= 0 else digit / 10.0**-exponent
            if math.floor(high / step) - math.floor(low / step) < MOST_VALUES and (step >= 1 or not whole):
                return step
        exponent += 1


def number_text(number: float) -> str:
    """Write a number in its shortest form."""
    return f"{number:.12g}"


@once_per_index
def text_of_numbers(index: Index, field: str) -> Callable[[float], str]:
    """Choose how the numbers of a field are written: as days or times if all can be dates, else as numbers or years."""
    values = np.asarray(index.values[field] if field in index.values else numbers_of(index, field), dtype=np.float64)
    if holds_dates(values) and (np.floor(values) != values)[~np.isnan(values)].any():
        return time_of if has_times(values) else day_of
    return number_text


def value_texts(index: Index, field: str) -> Callable[[int], str]:
    """Return the function from a document to its value of a field, as facets write it; "" without one."""
    if not holds_numbers(index, field):
        return index.keywords[field].text
    numbers, text_of = sort_keys(index, field), text_of_numbers(index, field)
    return lambda document: "" if math.isnan(numbers[document]) else text_of(float(numbers[document]))


def _quoted(value: str) -> str:
    """Quote a value as a filter names it: bare only if it is one word or a number."""
    bare = re.fullmatch(r"\w+(?:[.-]\d+)*", value) and value.lower() not in _WORDS
    return value if bare else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def fields_of(index: Index, number: int) -> dict[str, Any]:
    """Values of the fields of a document that are not searched, or that the index keeps: numbers and texts."""
    fields: dict[str, Any]
    if (source := index.source) is not None:
        document = source[index.doc_ids[number]]
        others = ((name, value) for name, value in document.fields.items() if name not in source.searched_fields)
        fields = {name: value for name, value in others if not isinstance(value, CountedWords)}
        numbers = {name: finite_number(str(value)) for name, value in fields.items()}
        return {name: value if (one := numbers[name]) is None else one for name, value in fields.items() if value != ""}
    fields = {name: keywords.text(number) for name, keywords in index.keywords.items()}
    for name, values in index.values.items():
        value, text_of = float(values[number]), text_of_numbers(index, name)
        if not math.isnan(value):
            fields[name] = value if text_of is number_text else text_of(value)
    return {name: value for name, value in fields.items() if value != ""}
