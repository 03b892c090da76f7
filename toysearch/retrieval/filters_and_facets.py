"""Fields of documents beside a ranking: filters, facets, sorting and grouping, none of which changes a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    CountedWords,
    Result,
    ResultTable,
    a,
    count_each,
    counted,
    expect,
    expect_count,
    expect_list,
    number_columns,
    shortest,
)
from toysearch.files.numbers import finite_number, whole_or_fraction
from toysearch.index import Index, number_in
from toysearch.index.inverted_index import once_per_index
from toysearch.index.stored_values import FEW, FieldValues, is_facet, values_in
from toysearch.index.typed_values import (
    DATES,
    EXAMPLES_OF_DATES,
    LONG,
    NUMBERS,
    WORDS,
    as_iso,
    day_of,
    has_times,
    have_unclear_order,
    is_date,
    time_of,
)
from toysearch.retrieval.field_values import (
    any_of,
    field_in_query,
    groups_of,
    in_quotes,
    kept_field,
    numbers_of,
    values_with_numbers,
)

if TYPE_CHECKING:
    from toysearch.query.syntax import Node

__all__ = ["Facet", "FacetValue", "Facets"]

MOST_VALUES = 10
"""Most values of a facet that a table shows, and most ranges into which the numbers of a field are divided."""

MOST_FILTERS = 8
"""Filters of an index whose documents are kept: one byte per document for each."""

_NAME = r"""(?:(?<![\w.-])[\w.-]+|"[^"\\]+"|'[^'\\]+'|`[^`]+`)"""  # SQL quotes a name of several words
_COMPARISON = re.compile(
    r"(?:"
    rf"(?P<field>{_NAME})\s*(?P<sign><=|>=|!=|<>|==|=|<|>)"
    r"""\s*(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s()"]+)"""
    rf"|(?P<one_of>{_NAME})\s+in\s*[(\[](?P<values>[^()\[\]]+)[)\]]"
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
        field, falls = sort_order(sort)
        by_score = field.casefold() in _BY_SCORE and field not in index.values
        sort = "-" * falls + _ordered_field(index, field) if field and not by_score else ""
        group_by = group_by and kept_field(index, group_by)
        expect_count(0, offset=offset)
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


def sort_order(sort: str) -> tuple[str, bool]:
    """Return the field to sort by, and whether its values fall, as in SQL and Elasticsearch too.

    >>> sort_order("-price"), sort_order("price desc"), sort_order("price:asc")
    (('price', True), ('price', True), ('price', False))
    """
    expect(str, sort=sort)
    if ordered := re.fullmatch(r"(?i)-?(.+)[ :](asc|desc)", sort):
        return ordered[1], ordered[2].lower() == "desc"
    return sort.removeprefix("-"), sort.startswith("-")


def _ordered_field(index: Index, name: str) -> str:
    """Return a field to sort by; refuse one of amounts or dates that cannot be read, which letters would order."""
    field = kept_field(index, name)
    values = index.values[field]
    if values.kind == WORDS and have_unclear_order(values.counts()):
        forms = f"numbers are written as 3.7 or, all in one unit, as 3.7 GB; dates are {EXAMPLES_OF_DATES}"
        raise ArgumentError(
            f"the field '{field}' holds words such as '{values.texts[0]}', which have no order ({forms})"
        )
    return field


def sort_keys(index: Index, field: str) -> np.ndarray:
    """Number the documents in the order of the values of a field, of several by the least; NaN without a value."""
    values = index.values[field]
    if values.kind in (NUMBERS, DATES) and (numbers := numbers_of(index, field)) is not None:
        return numbers
    places = groups_of(index, field).places.astype(np.float64)
    places[places < 0] = np.nan
    return values.least(places)


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
        return escaped(name[1:-1]) if name[0] in "\"'`" else name

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
            value = _in_one_word(value.strip("'\""))  # SQL quotes dates
        elif value[0] == value[-1] == "'" != value:
            value = in_quotes(value[1:-1])
        if sign[0] not in "<>" and (value.lower() in _WORDS or value[0] in "+-" or _TIME.match(value)):
            value = f'"{value}"'
        return f"{'NOT ' if sign == '!=' else ''}{field}:{sign if sign[0] in '<>' else ''}{value}"

    return _COMPARISON.sub(written, text)


def _in_one_word(value: str) -> str:
    """Write a limit without blanks: those of a time, of a day with the name of its month, before a unit."""
    day = as_iso(value)
    return day.replace(" ", "T", 1) if is_date(day) else "".join(value.split())


def filter_tree(where: str | Node) -> Node:
    """Parse a filter into a tree whose every part names a field, whatever fields an index has."""
    from toysearch.query.syntax import Node  # most searches have no filter

    tree = _parsed(where) if isinstance(where, str) else where
    example = "a filter compares fields with values, as in 'price < 50 and brand = dyson'"
    if not isinstance(tree, Node):
        raise ArgumentError(f"{example}; {where!r} compares none")
    if part := _without_field(tree):
        advice = "quote a name or a value of several words, as in 'brand = \"New Look\"'"
        raise ArgumentError(f"{example}; '{part}' is compared with nothing; {advice}")
    return tree


def _parsed(where: str) -> Node | None:
    """Parse a filter; an error shows it as it was typed."""
    from toysearch.query.lexer import QueryError
    from toysearch.query.parser import parse

    written = filter_text(where)
    try:
        return parse(written, "strict", None).tree
    except QueryError as error:
        raise error if written == where else ArgumentError(f"{error.problem}:", (where,)) from None


def _without_field(node: Node) -> Node | None:
    from toysearch.query.syntax import Field, Range, parts

    if isinstance(node, Field | Range):
        return None
    if not parts(node):
        return node
    return next(filter(None, map(_without_field, parts(node))), None)


def filter_on(index: Index, where: str | Node) -> Node:
    """Return the tree of a filter, its fields as the index spells them; refuse a field that it does not keep."""
    from toysearch.retrieval.matching import known_fields, named_fields, with_spelt_fields

    tree = with_spelt_fields(filter_tree(where), index)
    for field in sorted(named_fields(tree).difference(known_fields(index))):
        kept_field(index, field)
    return tree


def filtered(index: Index, where: str | Node) -> np.ndarray:
    """Mark the documents that a filter keeps: 1 for each, 0 for all others; uint8."""
    if isinstance(where, Mapping | list | tuple):
        raise ArgumentError(f"where must be a text such as 'price < 20 and brand = dyson', not {a(where)}")
    filters: dict[str | Node, np.ndarray] = index.memo.setdefault("filters", {})
    keeps = filters.pop(where, None)
    if keeps is None:
        from toysearch.retrieval.matching import Matcher

        keeps = np.zeros(len(index), np.uint8)
        keeps[Matcher(index, by_values=True).matches(filter_on(index, where))] = 1
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
    for name, values in index.values.items():
        groups = groups_of(index, name)
        n = len(groups.spellings)
        is_few = n > 1 if values.kind != WORDS else n <= FEW and is_facet([*map(groups.text, range(n))], len(index))
        fields += [name] if is_few else []
    return fields


def facets_of(index: Index, docs: np.ndarray, fields: Sequence[str]) -> Facets:
    """Count documents by the values of fields."""
    expect_list(str, fields=fields)
    return Facets(len(docs), tuple(_facet(index, docs, field) for field in fields))


def _facet(index: Index, docs: np.ndarray, field: str) -> Facet:
    field = kept_field(index, field)
    name, values, groups = field_in_query(index, field), index.values[field], groups_of(index, field)
    matched = np.zeros(len(index), bool)
    matched[docs] = True
    is_counted = matched[values.docs] & (groups.places[values.codes] >= 0)
    of_docs, places = values.docs[is_counted], groups.places[values.codes[is_counted]]
    missing = len(docs) - int(np.count_nonzero(np.diff(of_docs, prepend=-1)))
    present, of_present = np.unique(places, return_inverse=True)
    limits: list[str] = []
    if values.kind in (NUMBERS, DATES):
        text_of, numbers = text_of_numbers(index, field), numbers_of_groups(index, field)[present]
        if len(present) > MOST_VALUES:
            starts, labels, limits = _ranges(values, numbers, text_of)
            of_present = (np.searchsorted(starts, numbers, side="right") - 1)[of_present]
        else:
            labels = [*map(text_of, numbers.tolist())]
    else:
        labels = [*map(groups.text, present.tolist())]
    counts = count_each(_once(of_docs, of_present, len(labels)), minlength=len(labels)).tolist()
    rows = [
        FacetValue(label, documents, f"{name}:{limit}")
        for label, documents, limit in zip(labels, counts, limits or map(_quoted, labels), strict=True)
    ]
    if values.kind in (WORDS, LONG):
        rows.sort(key=lambda row: -row.documents)
    return Facet(field, tuple(rows), missing)


def _once(docs: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
    """Return the places of the values of documents, given by rising number, each once for a document.

    n : the number of places
    """
    if not (docs[1:] == docs[:-1]).any():
        return places
    return np.unique(docs.astype(np.int64) * n + places) % n


def _ranges(
    values: FieldValues, numbers: np.ndarray, text_of: Callable[[float], str]
) -> tuple[np.ndarray, list[str], list[str]]:
    """Divide rising numbers into months or ranges; return where each begins, and how people and queries write it."""
    if values.kind == DATES and numbers[-1] - numbers[0] < 1:
        months = sorted({text_of(number)[:7] for number in numbers.tolist()})
        return np.array([*map(number_in, months)]), months, months
    step = _step(float(numbers[0]), float(numbers[-1]), whole=values.kind == DATES)

    def edge(place: float) -> str:
        """Return the digits that are exact."""
        return f"{place * step:.{15 if step < 1 else 17}g}"

    floors = np.floor(numbers / step) + 0.0
    near = np.unique([floors - 1, floors, floors + 1])  # a quotient may be rounded to the next place
    starts = np.array([*map(float, map(edge, near.tolist()))])
    held = np.unique(np.searchsorted(starts, numbers, side="right") - 1)
    edges = [(edge(place), edge(place + 1)) for place in near[held].tolist()]
    labels = [f"{low} up to {high} {values.unit}".rstrip() for low, high in edges]
    limits = [f"[{low} TO {high}}}" for low, high in edges]
    return starts[held], labels, limits


def _step(low: float, high: float, *, whole: bool) -> float:
    """Width of at most `MOST_VALUES` ranges, from 1, 2 and 5 times powers of ten, for dates at least a year."""
    exponent = math.floor(math.log10((high - low) / MOST_VALUES)) - 1
    while True:
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent if exponent >= 0 else digit / 10.0**-exponent
            if math.floor(high / step) - math.floor(low / step) < MOST_VALUES and (step >= 1 or not whole):
                return step
        exponent += 1


@once_per_index
def numbers_of_groups(index: Index, field: str) -> np.ndarray:
    """Return the number of each group of equal numbers of a field, by size."""
    values = index.values[field]
    values_with_numbers(index, field)  # the others are told
    return np.unique(values.numbers[~np.isnan(values.numbers)])


@once_per_index
def text_of_numbers(index: Index, field: str) -> Callable[[float], str]:
    """Choose how the numbers of a field are written, so that they can be typed: as days, as times, with their unit."""
    values = index.values[field]
    if values.kind == DATES:
        return time_of if has_times(values.numbers) else day_of
    after = {"": "", "%": "%"}.get(values.unit, f" {values.unit}")
    return lambda number: f"{shortest(number)}{after}"


def value_texts(index: Index, field: str) -> Callable[[int], str]:
    """Return the function from a document to its value of a field, of several to the least; "" without one."""
    values, groups, keys = index.values[field], groups_of(index, field), sort_keys(index, field)
    if values.kind in (NUMBERS, DATES):
        text_of = text_of_numbers(index, field)
        return lambda document: "" if math.isnan(keys[document]) else text_of(float(keys[document]))
    return lambda document: "" if math.isnan(keys[document]) else groups.text(int(keys[document]))


def _quoted(value: str) -> str:
    """Quote a value as a filter names it: bare only if it is one word or a number."""
    bare = re.fullmatch(r"\w+(?:[.-]\d+)*", value) and value.lower() not in _WORDS
    return value if bare else in_quotes(value)


def fields_of(index: Index, number: int) -> dict[str, Any]:
    """Values of the fields of a document that are not searched, or that the index keeps: numbers, texts, or lists."""
    if (source := index.source) is not None:
        document = source[index.doc_ids[number]]
        others = [(name, text) for name, text in document.fields.items() if name not in source.searched_fields]
        texts = {name: text for name, text in others if not isinstance(text, CountedWords)}
        each = {name: [*map(_number_or_text, values_in(text))] for name, text in texts.items()}
    else:
        each = {}
        for name, values in index.values.items():
            text_of = text_of_numbers(index, name)
            each[name] = [_typed(values, text_of, code) for code in values.codes_of(number)]
    return {name: values[0] if len(values) == 1 else values for name, values in each.items() if values}


def _number_or_text(text: str) -> str | int | float:
    number = finite_number(text)
    if number is None:
        return text
    return int(text) if re.fullmatch(r"(?a)[+-]?\d{1,4000}", text) else number


def _typed(values: FieldValues, text_of: Callable[[float], str], code: int) -> str | int | float:
    """Return a value as JSON writes it: a number, a day or a time, or its text."""
    number = values.exact[code]
    if values.kind == WORDS or np.isnan(number) or values.unit:
        return values.texts[code]
    if values.kind == LONG:
        return int(number)
    return text_of(float(number)) if values.kind == DATES else whole_or_fraction(float(number))
