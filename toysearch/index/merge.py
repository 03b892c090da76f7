"""Adding and deleting documents: arrays are merged or cut, and no old document is analysed again.

The result equals, byte for byte, an index built from all the documents in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.base import ArgumentError, DataError, Remedy, StorageError, a, counted, gather_at, repeat_each
from toysearch.collection.collection import Collection, Source
from toysearch.collection.document_sources import batches_of, documents_given, reading_of
from toysearch.index.builder import build_arrays, refuse_texts_needed
from toysearch.index.document_columns import (
    in_memory,
    lines_of_repeats,
)
from toysearch.index.file_layout import Arrays, widened
from toysearch.index.latent_topics import latent_arrays
from toysearch.index.plain_postings import PACKED, PACKED_POSITIONS, PlainArrays, with_more, with_postings
from toysearch.index.position_blocks import PositionBlocks
from toysearch.index.posting_blocks import PostingBlocks
from toysearch.index.postings import Counts, places_of
from toysearch.index.stored_values import joined_values, values_left
from toysearch.index.strings import Places, Strings, order_of, pieces_of, places, strings_of

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index


def arrays_to_add(index: Index, source: Source, progress: Callable[[int], object] | None) -> Arrays:
    """Analyse documents to add to an index, and return their arrays, stored like its own."""
    first = len(index.doc_ids) + 1
    source = documents_given(source, first)
    refuse_counts(index, source)
    with lines_of_repeats(source):
        return build_arrays(
            batches_of(source, first),
            index.analyzer,
            store=None if index.texts is None else in_memory,
            fields=index.fields.names,
            values=list(index.values),
            positions=index.position_blocks is not None,
            progress=progress,
        )


def made_like(index: Index, new: Arrays, source: Source) -> Index:
    """Return an index of a source, whose arrays are of the same kind, as if it were built instead of the other."""
    old = index._arrays
    if "latent" in old:
        new = with_more(new, latent_arrays(new, int(old["latent"][0])))
    rebuilt = type(index)(index.analyzer, new, index.collection, index.word_counts)
    rebuilt.reading = reading_of(source)
    return rebuilt


def differences(old: Index, new: Index) -> str:
    """Return the sentence on the documents that one index has and the other lacks, or has with another text."""
    places = [(old.find_document(doc_id), number) for number, doc_id in enumerate(new.doc_ids)]
    both = [(before, now) for before, now in places if before >= 0]
    if old.texts is not None and new.texts is not None:
        changed = sum((old.title(i), old.text(i)) != (new.title(j), new.text(j)) for i, j in both)
    else:
        changed = sum(old.vector(old.doc_ids[i]) != new.vector(new.doc_ids[j]) for i, j in both)
    return f"{len(places) - len(both)} added, {changed} changed, {len(old.doc_ids) - len(both)} gone"


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
    numbers: dict[str, int] = {}
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
    return np.array(list(numbers.values()), dtype=np.int64)


BY_DOCUMENT = ("dl", "distinct", "max_tf", "holes", "bytes")
STRINGS_BY_DOCUMENT = ("doc_ids", "titles", "texts")
ROWS_BY_DOCUMENT = {"field_dl": "fields"}

Made = dict[str, Any]


def merged(first: Arrays, second: Arrays) -> Arrays:
    """Return the arrays of an index of all documents, those of the second after those of the first."""
    N, every_name = first["dl"].size, list(first)
    first, second = unpacked(first), unpacked(second)
    shared_terms = places(strings_of(first, "terms"), np.arange(first["cf"].size), strings_of(second, "terms"))
    # The postings of a term follow its postings in the first index; those of a new term precede those of the next term.
    at = repeat_each(first["offsets"][shared_terms.before + shared_terms.found], np.diff(second["offsets"]))
    columns = terms_of_both(first, second, shared_terms)
    columns["docs"] = np.insert(first["docs"], at, second["docs"] + np.int32(N))
    columns["tf"] = np.insert(first["tf"], at, second["tf"])
    if "field_tf" in first:
        rows = range(first["fields_offsets"].size - 1)
        every = np.concatenate([at + row * first["docs"].size for row in rows])
        columns["field_tf"] = np.insert(first["field_tf"], every, second["field_tf"])
    if "places" in first:
        every = repeat_each(offsets_of(first["tf"])[at], second["tf"])
        columns["places"] = np.insert(first["places"], every, second["places"])
    for name in BY_DOCUMENT:
        if name in first:
            columns[name] = np.concatenate([first[name], second[name]])
    for name, names in ROWS_BY_DOCUMENT.items():
        if name in first:
            shape = (first[f"{names}_offsets"].size - 1, -1)
            columns[name] = np.hstack([first[name].reshape(shape), second[name].reshape(shape)]).ravel()
    columns |= joined_values([first, second])
    for name in STRINGS_BY_DOCUMENT:
        if name in first:
            pieces, offsets = pieces_of(first[name], second[name]), f"{name}_offsets"  # large texts are not copied
            columns[name] = pieces.span(0, pieces.size) if name == "doc_ids" else pieces
            columns[offsets] = np.concatenate([first[offsets], second[offsets][1:] + first[offsets][-1]])
    shared_ids, order = _known_ids(first, second), second["doc_ids_order"]
    if shared_ids.found.any():
        number = int(np.argmax(shared_ids.found))
        raise already_there(
            strings_of(second, "doc_ids")[number], int(first["doc_ids_order"][shared_ids.before[number]])
        )
    columns["doc_ids_order"] = np.insert(first["doc_ids_order"], shared_ids.before[order], order + np.int32(N))
    return finished(columns, first, every_name)


def terms_of_both(first: Arrays, second: Arrays, known: Places) -> Made:
    """Join the terms, their collection frequencies, and their first postings."""
    new = np.flatnonzero(~known.found)
    new_at = known.before[new]
    lengths = np.diff(second["terms_offsets"])[new]
    of_new = places_of(second["terms_offsets"][new], lengths)
    blob = np.insert(first["terms"], repeat_each(first["terms_offsets"][new_at], lengths), second["terms"][of_new])

    def added(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        total = ours.copy()
        total[known.before[known.found]] += theirs[known.found]
        return np.insert(total, new_at, theirs[new])

    return {
        "terms": blob,
        "terms_offsets": offsets_of(np.insert(np.diff(first["terms_offsets"]), new_at, lengths)),
        "offsets": offsets_of(added(np.diff(first["offsets"]), np.diff(second["offsets"]))),
        "cf": added(first["cf"], second["cf"]),
    }


def already_there(doc_id: str, number: int) -> DataError:
    """Return the error for a document to add whose id another document of the index has, given by its number."""
    return DataError(
        f"doc_id '{doc_id}' is already in the index, as document {number + 1}, and each id may occur once; "
        f"replace the old document ({Remedy('Index.add', replace=True)}), or omit the new one"
    )


def shared(first: Arrays, second: Arrays) -> np.ndarray:
    """Return the numbers of the documents of the first index whose ids the second index shares; int, unordered."""
    shared_ids = _known_ids(first, second)
    numbers: np.ndarray = first["doc_ids_order"][shared_ids.before[shared_ids.found]]
    return numbers


def _known_ids(first: Arrays, second: Arrays) -> Places:
    return places(strings_of(first, "doc_ids"), order_of(first), strings_of(second, "doc_ids"))


def without(arrays: Arrays, doc_numbers: np.ndarray) -> Arrays:
    """Return the arrays of an index of the other documents, without terms that none of them contains."""
    every_name, arrays = list(arrays), unpacked(arrays)
    stays = np.ones(arrays["dl"].size, dtype=bool)
    stays[doc_numbers] = False
    number = np.cumsum(stays, dtype=np.int32) - np.int32(1)
    posting_stays = stays[arrays["docs"]]
    gone = np.flatnonzero(~posting_stays)
    before = np.searchsorted(gone, arrays["offsets"])  # deleted postings before those of each term
    df = np.diff(arrays["offsets"] - before)
    occurrences = offsets_of(arrays["tf"][gone])
    cf = arrays["cf"] - np.diff(occurrences[before])
    has_postings = df > 0
    columns = _left("terms", arrays, has_postings) | {"offsets": offsets_of(df[has_postings]), "cf": cf[has_postings]}
    columns["docs"], columns["tf"] = number[arrays["docs"][posting_stays]], arrays["tf"][posting_stays]
    if "field_tf" in arrays:
        columns["field_tf"] = (
            arrays["field_tf"].reshape(arrays["fields_offsets"].size - 1, -1)[:, posting_stays].ravel()
        )
    if "places" in arrays:
        columns["places"] = arrays["places"][repeat_each(posting_stays, arrays["tf"])]
    for name in BY_DOCUMENT:
        if name in arrays:
            columns[name] = arrays[name][stays]
    for name, names in ROWS_BY_DOCUMENT.items():
        if name in arrays:
            columns[name] = arrays[name].reshape(arrays[f"{names}_offsets"].size - 1, -1)[:, stays].ravel()
    columns |= values_left(arrays, stays)
    for name in STRINGS_BY_DOCUMENT:
        if name in arrays:
            columns |= _left(name, arrays, stays)
    order = order_of(arrays)
    columns["doc_ids_order"] = number[order[stays[order]]]
    return finished(columns, arrays, every_name)


def _left(name: str, arrays: Arrays, stays: np.ndarray) -> Made:
    blob, offsets = arrays[name], arrays[f"{name}_offsets"]
    edges = np.flatnonzero(np.diff(stays, prepend=False, append=False))
    pieces = pieces_of(blob)
    stretches = [pieces.span(start, stop) for start, stop in offsets[edges].reshape(-1, 2).tolist()]
    bytes_left = np.concatenate([np.empty(0, dtype=np.uint8), *stretches])
    return {name: bytes_left, f"{name}_offsets": offsets_of(np.diff(offsets)[stays])}


def finished(new: Made, others: Arrays, names: Iterable[str]) -> Arrays:
    """Join the new arrays and those that others keep unchanged, in the order of the names, with their postings."""
    columns: dict[str, Any] = dict.fromkeys(names)  # the packed ones are filled last
    for name in {*columns}.difference(PACKED, PACKED_POSITIONS):
        columns[name] = new[name] if name in new else others[name]
    if "field_tf" in columns:
        columns["field_tf"] = Counts.of(columns["field_tf"])
    arrays = with_postings(columns | {name: new[name] for name in ("docs", "tf", "places") if name in new})
    return with_more(arrays, latent_arrays(arrays, int(others["latent"][0]))) if "latent" in columns else arrays


def unpacked(arrays: Arrays) -> dict[str, Any]:
    """Return the arrays for calculation, with documents and frequencies of all postings, and positions if kept."""
    wide = widened({name: arrays[name] for name in arrays if name not in PACKED and name not in PACKED_POSITIONS})
    if isinstance(arrays, PlainArrays):
        return {**wide, **arrays.plain}
    blocks = PostingBlocks(arrays, wide["offsets"])
    if "positions" not in arrays:
        docs, tf = blocks.span()
        return wide | {"docs": docs, "tf": tf}
    (docs, tf), places = PositionBlocks(arrays, blocks).decoded()
    dl = np.zeros_like(wide["dl"])
    gather_at(np.add, dl, docs, tf)
    if not np.array_equal(dl, wide["dl"]):  # it says how many bits positions take when they are packed again
        raise StorageError("the index is damaged: its dl do not fit its postings; build it again")
    return wide | {"docs": docs, "tf": tf, "places": places}


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Return the starts of stretches of these lengths, and the end of the last."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
