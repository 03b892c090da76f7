"""Words of a query that no searched text has, found in the fields of documents that are not searched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple

from toysearch.base import Remedy, ToysearchError, without_notes
from toysearch.index import Index
from toysearch.index.inverted_index import once_per_index
from toysearch.retrieval.field_values import field_in_query, folding_of, in_quotes

_MOST_DOCUMENTS = 50_000  # that are read again for the words of a query
_FIRST = 200  # documents that show the fields
_OF_LOAD = ("--", "load(")  # how the remedy begins where it can be followed


class _Place(NamedTuple):
    field: str
    is_value: bool  # whether the word is a whole value of the field


@once_per_index
def fields_with(index: Index, words: tuple[str, ...]) -> dict[str, _Place]:
    """Return word → a field that is not searched and has it, preferably as a whole value."""
    found: dict[str, _Place] = {}
    fold, tokens_of = folding_of(index), index.analyzer.tokenizer
    for field, value in _values(index):
        whole = fold(value)
        for word in words:
            if fold(word) == whole:
                found[word] = found[word] if word in found and found[word].is_value else _Place(field, True)
            elif word not in found and word in whole and word in tokens_of(value):
                found[word] = _Place(field, False)
    return found


def field_of_values(index: Index, values: Container[str]) -> tuple[str, bool]:
    """Return the field, not searched, of which the most documents have one of some values, and whether one repeats."""
    counts = Counter(pair for pair in _values(index) if pair[1] in values)
    of_fields = Counter(field for field, _ in counts.elements())
    field = next((field for field, _ in of_fields.most_common(1)), "")
    return field, any(pair[0] == field and n > 1 for pair, n in counts.items())


def _values(index: Index) -> Iterator[tuple[str, str]]:
    """Yield values of the fields that are not searched: those that the index keeps, and those of its source."""
    searched = index.fields.names if index.source is None else index.source.searched_fields
    for field, values in index.values.items():
        if field not in searched:
            yield from ((field, text) for text in values.texts[:_MOST_DOCUMENTS])
    if index.source is None or index.word_counts or len(index) > _MOST_DOCUMENTS:
        return
    known = {*searched, *index.values}
    with without_notes():
        for document in index.source.stream():
            yield from ((field, text) for field, text in document.fields.items() if field not in known)


def ways_to_find(index: Index, word: str, place: _Place) -> tuple[str, str]:
    """Say in which field a word is; and return the ways to find it, each tried on the index.

    >>> from toysearch import Document
    >>> documents = [Document(number, "a vacuum", "", {"brand": "Dyson"}) for number in "12"]
    >>> index = Index.build(documents, values=["brand"])
    >>> ways_to_find(index, "dyson", fields_with(index, ("dyson",))["dyson"])
    ('dyson is a value of brand', '+brand:dyson')
    """
    ways = filter(None, [_as_filter(index, word, place), _as_field(index, place.field)])
    where = f"{word} is {'a value of' if place.is_value else 'in'} {place.field}"
    return where, ", or ".join(ways) or "it is not searched"


def _as_filter(index: Index, word: str, place: _Place) -> str:
    """Write the part of a query that finds a value; "" if it finds nothing, or the index has to be built for it."""
    from toysearch.query.parser import parse  # few queries have such a word
    from toysearch.retrieval.matching import Matcher

    field, is_kept = place.field, place.field in index.values
    in_shell = str(Remedy("load", fields=...)).startswith("--")  # where each search keeps the fields that it names
    if not (is_kept or (place.is_value and in_shell and index.folder is None)):
        return ""
    name = field_in_query(index, field)
    if "\\" in name and not is_kept:
        return ""
    value = word if re.fullmatch(r"\w+", word) else in_quotes(word)
    text = f"+{name}:{value if place.is_value else f'*{word}*'}"
    try:
        tree, remarks = parse(text, "strict", [field])
        matches = tree is not None and (not is_kept or len(Matcher(index, False).matches(tree)) > 0)
    except ToysearchError:
        return ""
    return text if matches and not remarks else ""


def _as_field(index: Index, field: str) -> str:
    """Return the option that searches a field too; "" without a source that can be read with it."""
    if index.source is None or index.folder is not None:
        return ""
    with without_notes():
        present = dict.fromkeys(name for each in islice(index.source.stream(), _FIRST) for name in each.fields)
    names = [name for name in index.source.searched_fields if name in present]
    advice = str(Remedy("load", fields=",".join([*names, field])))
    return advice if advice.startswith(_OF_LOAD) and "," not in field else ""
