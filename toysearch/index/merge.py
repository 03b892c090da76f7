"""Adding and deleting documents: arrays are merged or cut, and no old document is analysed again.

The result equals, byte for byte, an index built from all the documents in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.base import ArgumentError, DataError, Remedy, a, counted, repeat_each
from toysearch.collection.collection import Collection, Source, reading_of
from toysearch.collection.document_batches import Batch, batches_in_memory
from toysearch.collection.document_sources import documents_given
from toysearch.files import NamedCells
from toysearch.index.builder import build_arrays, refuse_texts_needed
from toysearch.index.changed_postings import Change, changed_postings, in_rows, spliced
from toysearch.index.document_columns import RepeatedIdError, field_texts, in_memory, name_lines
from toysearch.index.file_layout import IN_PARTS, LATENT, LAYOUT, Arrays, Starts, lengths_of
from toysearch.index.latent_topics import latent_arrays
from toysearch.index.plain_postings import with_more
from toysearch.index.postings import NO_NUMBERS, numbers_in, offsets_of, places_of, read_only
from toysearch.index.stored_values import joined_values, values_in
from toysearch.index.strings import Places, Strings, order_of, pieces_of, places, strings_of

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index


def arrays_to_add(index: Index, source: Source, progress: Callable[[int], object] | None = None) -> Arrays:
    """Analyse documents to add to an index, and return their arrays, stored like its own."""
    first = len(index.doc_ids) + 1
    source = documents_given(source, first)
    refuse_counts(index, source)
    cells = NamedCells(records=source if isinstance(source, list) else (), counted=index.fields.names)
    batches = source.batches() if isinstance(source, Collection) else batches_in_memory(source, first, known=cells)
    try:
        return _analysed(index, batches, progress)
    except RepeatedIdError:
        name_lines(source)
        raise


def _analysed(index: Index, batches: Iterable[Batch], progress: Callable[[int], object] | None) -> Arrays:
    return build_arrays(
        batches,
        index.analyzer,
        store=None if index.texts is None else in_memory,
        fields=index.fields.names,
        values=list(index.values),
        positions=index.position_blocks is not None,
        progress=progress,
    )


_COMPARED = 8  # batches at once


def synced(index: Index, source: Collection, progress: Callable[[int], object] | None) -> tuple[Index, str]:
    """Return the index of a source, of which only what differs is analysed, and the sentence on the differences."""
    refuse_counts(index, source)
    stays = np.zeros(len(index.doc_ids), bool)
    at: list[int] = []
    differing, old = _differing(index, source.batches(), stays, at), index.arrays
    try:
        some = next(differing, None)
        given = differing if some is None else chain([some], differing)
        new = _nothing_like(old) if some is None and stays.any() else _analysed(index, given, progress)
        twice = bool(stays[shared(old, new)].any())
    except RepeatedIdError:
        twice = True
    if twice:
        arrays_to_add(index, source)  # says in which lines
    own = type(index)(index.analyzer, new, index.collection, index.word_counts)
    if kept := int(stays.sum()):
        new = changed_arrays(old, new, np.flatnonzero(~stays), np.array(at, np.int64))
    return made_like(index, new, source), differences(index, own, kept)


def _differing(index: Index, batches: Iterable[Batch], stays: np.ndarray, at: list[int]) -> Iterator[Batch]:
    """Yield the documents that the index lacks, or has otherwise or elsewhere; mark the others, and collect the places.

    stays: (N,) bool, for each document of the index; at: the document before which each of the yielded ones comes
    """
    if index.texts is None or index.fields.names:  # the text of separate fields does not always say where one begins
        yield from batches
        return
    last, rest = -1, iter(batches)
    while some := list(islice(rest, _COMPARED)):
        batch = Batch(*(list(chain.from_iterable(columns)) for columns in zip(*some, strict=True)))
        numbers = np.arange(last + 1, min(last + 1 + len(batch.doc_ids), stays.size))  # if nothing has changed before
        if index.doc_ids.take(numbers) != batch.doc_ids:
            numbers = index.document_numbers(batch.doc_ids)
        highest = np.maximum.accumulate(np.append(last, np.where(_same(index, batch, numbers), numbers, -1)))
        before, last = highest[:-1], int(highest[-1])
        stay = highest[1:] > before
        stays[numbers[stay]] = True
        if rows := np.flatnonzero(~stay).tolist():
            at += (before[rows] + 1).tolist()
            columns: Any = ([column[row] for row in rows] for column in batch)
            yield Batch(*columns)


def _same(index: Index, batch: Batch, numbers: np.ndarray) -> np.ndarray:
    """Tell for each document whether the old one with its number, if at least 0, has the same texts and values."""
    numbers, same = np.maximum(numbers, 0), numbers >= 0
    for name, given in (("texts", batch.texts), ("titles", batch.titles)):
        strings = strings_of(index.arrays, name)
        if strings.blob.size or any(given):  # most documents have no titles
            same &= strings.equal(numbers, given)
    for name, values in index.values.items():
        texts_of_each = [values.texts_of(number) for number in numbers.tolist()]
        same &= [texts == values_in(text) for texts, text in zip(texts_of_each, field_texts(batch, name), strict=True)]
    return same


def made_like(index: Index, new: Arrays, source: Source) -> Index:
    """Return an index of a source, whose arrays are of the same kind, as if it were built instead of the other."""
    old = index.arrays
    if "latent" in old and "latent" not in new:
        new = with_more(new, latent_arrays(new, int(old["latent"][0])))
    rebuilt = type(index)(index.analyzer, new, index.collection, index.word_counts)
    rebuilt.reading = reading_of(source)
    return rebuilt


def differences(old: Index, new: Index, kept: int = 0) -> str:
    """Return the sentence on the documents that one index has and the other lacks, or has with another text.

    kept : the number of documents that are the same, and not in the other index
    """
    numbers = old.document_numbers(new.doc_ids)
    now = np.flatnonzero(numbers >= 0)
    both = [*zip(numbers[now].tolist(), now.tolist(), strict=True)]
    if old.texts is not None and new.texts is not None and old.titles is not None and new.titles is not None:
        pairs = (old.titles, new.titles), (old.texts, new.texts)
        changed = sum(
            any(ours.raw(i) != theirs.raw(j) for ours, theirs in pairs) or _values(old, i) != _values(new, j)
            for i, j in both
        )
    else:
        changed = sum(old.vector(old.doc_ids[i]) != new.vector(new.doc_ids[j]) for i, j in both)
    return f"{len(new.doc_ids) - len(both)} added, {changed} changed, {len(old.doc_ids) - kept - len(both)} gone"


def _values(index: Index, number: int) -> dict[str, list[str]]:
    return {name: values.texts_of(number) for name, values in index.values.items()}


def refuse_counts(index: Index, source: object) -> None:
    """Refuse word counts for an index with titles and texts, or with an analyzer that needs texts."""
    if not isinstance(source, Collection) or not source.word_counts:
        return
    if index.texts is not None:
        from toysearch.collection.catalog import without_texts  # most documents are texts

        raise without_texts("the index stores titles and texts", source.catalog_name)
    refuse_texts_needed(source, index.analyzer, index.position_blocks is not None)


def named_documents(doc_ids: Strings, order: np.ndarray, named: Iterable[str]) -> np.ndarray:
    """Return the numbers of the documents to delete, each once; int64.

    >>> named_documents(Strings.of(["d7", "d1"]), np.array([1, 0]), ["d1", "d1"]).tolist()
    [1]
    """
    # order: (N,) int32, the document numbers in the order of the UTF-8 bytes of their doc_ids.
    if isinstance(named, str):
        raise ArgumentError(f"expected a list of doc_ids, found the single string {named!r:.60}")
    if not isinstance(named, Iterable):
        raise ArgumentError(f"expected a list of doc_ids, found {a(named)}")
    numbers = {}
    for doc_id in named:
        if not isinstance(doc_id, str):
            raise ArgumentError(f"a doc_id must be a str, not {doc_id!r:.60} ({type(doc_id).__name__})")
        numbers[doc_id] = doc_ids.find(doc_id, order)
    missing = [doc_id for doc_id, number in numbers.items() if number < 0]
    if missing:
        others = f" and {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise ArgumentError(f"the index has no document '{missing[0]}'{others}; nothing is deleted")
    if len(numbers) == len(doc_ids):
        raise ArgumentError(
            f"that would delete {counted(len(numbers), 'document')}, all of the index; an index needs at least "
            "one: remove its folder, or build another index in its place"
        )
    return np.array(list(numbers.values()), np.int64)


BY_DOCUMENT = ("dl", "distinct", "max_tf", "holes", "bytes")
STRINGS_BY_DOCUMENT = ("doc_ids", "titles", "texts")
ROWS_BY_DOCUMENT = {"field_dl": "fields"}

Made = dict[str, Any]


def merged(first: Arrays, second: Arrays) -> Arrays:
    """Return the arrays of an index of all documents, those of the second after those of the first."""
    return changed_arrays(first, second, NO_NUMBERS, np.full(second["dl"].size, first["dl"].size))


def without(arrays: Arrays, doc_numbers: np.ndarray) -> Arrays:
    """Return the arrays of an index of the other documents, without terms that none of them contains."""
    return changed_arrays(arrays, _nothing_like(arrays), _each_once(doc_numbers, arrays["dl"].size), NO_NUMBERS)


def _nothing_like(arrays: Arrays) -> Arrays:
    starts, words = {name for name in arrays if name.endswith("offsets")}, {"postings", "positions"}
    return {name: np.zeros((name in starts) + 2 * (name in words), LAYOUT[name].dtype) for name in arrays}


def changed_arrays(first: Arrays, second: Arrays, gone: np.ndarray, at: np.ndarray) -> Arrays:
    """Return the arrays of an index without some documents, and with those of the second, each before one of the first.

    gone: their numbers, rising; at: (second,) int64, rising, the document before which each comes, N after the last.
    """
    columns: dict[str, Any] = dict.fromkeys(first)
    change = Change.of(first["dl"].size, gone, at)
    ids, order, old_order = _known_ids(first, second), order_of(second), order_of(first)
    known = old_order[ids.before[ids.found]]
    if (taken := np.flatnonzero(change.stays[known])).size:
        number = int(np.flatnonzero(ids.found)[taken[0]])
        raise already_there(strings_of(second, "doc_ids")[number], int(known[taken[0]]))
    places_gone, new_order = np.flatnonzero(~change.stays[old_order]), change.new_numbers[order]
    columns["doc_ids_order"] = spliced(change.numbers[old_order], places_gone, ids.before[order], new_order)

    for name in BY_DOCUMENT:
        if name in first:
            columns[name] = spliced(first[name], gone, at, second[name])
    terms = places(strings_of(first, "terms"), np.arange(first["cf"].size), strings_of(second, "terms"))
    dl, holes = np.asarray(columns["dl"], np.int32), np.asarray(columns.get("holes", 0))
    columns |= changed_postings(first, second, terms, change, dl, holes)
    columns |= _changed_terms(first, second, terms, columns.pop("lost_terms"), columns.pop("lost_tf"))

    for name, names in ROWS_BY_DOCUMENT.items():
        if name in first:
            n, N = first[f"{names}_offsets"].size - 1, first["dl"].size
            columns[name] = spliced(first[name], in_rows(gone, n, N), in_rows(at, n, N), second[name])
            columns |= {names: first[names], f"{names}_offsets": first[f"{names}_offsets"]}
    columns |= _changed_strings("doc_ids", first, second, gone, at, np.arange(at.size))
    for name in IN_PARTS:
        if name in first:
            columns |= _changed_texts(name, first, second, gone, at)
    if "value_names" in first:
        each = [(first, change.numbers_that_stay), (second, change.new_numbers)]
        columns |= joined_values(*each[: 1 + bool(at.size)])

    if "latent" in first:
        columns |= {name: first[name] for name in LATENT}
        columns |= latent_arrays(columns, int(first["latent"][0]))
    return read_only(columns)


def _each_once(places: np.ndarray, size: int) -> np.ndarray:
    """Sort places below a size, without repeated ones; numpy.unique would import numpy.ma, which takes longer."""
    marked = np.zeros(size, bool)
    marked[places] = True
    return np.flatnonzero(marked)


def _changed_terms(first: Arrays, second: Arrays, known: Places, lost: np.ndarray, lost_tf: np.ndarray) -> Made:
    """Join the terms, their collection frequencies, and their first postings; lost: terms of postings that leave."""
    new, found = np.flatnonzero(~known.found), known.before[known.found]
    differing = _each_once(np.append(found, lost), first["cf"].size)
    counts = []
    for old, added, taken in (
        (lengths_of(first, "offsets"), lengths_of(second, "offsets"), 1),
        (first["cf"], second["cf"], lost_tf),
    ):
        some, added = numbers_in(old, differing), np.asarray(added, np.int64)
        np.subtract.at(some, np.searchsorted(differing, lost), taken)
        some[np.searchsorted(differing, found)] += added[known.found]
        counts.append((old, some, added[new]))
    stay = counts[0][1] > 0
    at = np.append(known.before[new], differing[stay])
    order = np.argsort(at, kind="stable")  # a new term comes before the old one at its place
    df, cf = (spliced(old, differing, at[order], np.append(added, some[stay])[order]) for old, some, added in counts)
    strings = _changed_strings("terms", first, second, differing[~stay], known.before[new], new)
    return {**strings, "offsets": Starts(df), "cf": cf}


def _changed_strings(
    name: str, first: Arrays, second: Arrays, gone: np.ndarray, at: np.ndarray, new: np.ndarray
) -> Made:
    """Leave some strings out, and insert some of the second."""
    lengths, new_lengths = lengths_of(first, f"{name}_offsets"), lengths_of(second, f"{name}_offsets")
    starts, new_starts, new_lengths = offsets_of(lengths), offsets_of(new_lengths), np.asarray(new_lengths, np.int64)
    bytes_gone = places_of(starts[gone], starts[gone + 1] - starts[gone])
    bytes_at = repeat_each(starts[at], new_lengths[new])
    added = np.asarray(second[name])[places_of(new_starts[new], new_lengths[new])]
    left = Starts(spliced(lengths, gone, at, new_lengths[new]))
    return {name: spliced(first[name], bytes_gone, bytes_at, added), f"{name}_offsets": left}


def _changed_texts(name: str, first: Arrays, second: Arrays, gone: np.ndarray, at: np.ndarray) -> Made:
    """Do the same with large texts, which are not copied."""
    lengths, new_lengths = lengths_of(first, f"{name}_offsets"), lengths_of(second, f"{name}_offsets")
    starts, new_starts = offsets_of(lengths), offsets_of(new_lengths)
    old, new, pieces = pieces_of(first[name]), pieces_of(second[name]), []
    cuts = _each_once(np.concatenate([[0], gone, gone + 1, at, [lengths.size]]), lengths.size + 1)
    new_edges = new_starts[[np.searchsorted(at, cuts), np.searchsorted(at, cuts, side="right")]].tolist()
    edges, leaves = starts[[cuts, np.append(cuts[1:], cuts[-1])]].tolist(), np.isin(cuts, gone).tolist()
    for start, stop, new_start, new_stop, left in zip(*edges, *new_edges, leaves, strict=True):
        if new_start < new_stop:
            pieces.append(new.within(new_start, new_stop))
        if start < stop and not left:
            pieces.append(old.within(start, stop))
    return {name: pieces_of(*pieces), f"{name}_offsets": Starts(spliced(lengths, gone, at, new_lengths))}


def already_there(doc_id: str, number: int) -> DataError:
    """Return the error for a document to add whose id another document of the index has, given by its number."""
    return DataError(
        f"doc_id '{doc_id}' is already in the index, as document {number + 1}, and each id may occur once; "
        f"replace the old document ({Remedy('Index.add', replace=True)}), or omit the new one"
    )


def shared(first: Arrays, second: Arrays) -> np.ndarray:
    """Return the numbers of the documents of the first index whose ids the second index shares; int, unordered."""
    shared_ids = _known_ids(first, second)
    numbers: np.ndarray = order_of(first)[shared_ids.before[shared_ids.found]]
    return numbers


def _known_ids(first: Arrays, second: Arrays) -> Places:
    return places(strings_of(first, "doc_ids"), order_of(first), strings_of(second, "doc_ids"))
