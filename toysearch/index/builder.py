"""Documents → the arrays of an index.

Start with `build_arrays`. `_ReadTerms` defines what it makes: a number for each token, then one sort of (term,
document) pairs. Compiled loops give the same arrays (`threaded_builder.py`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.languages import SAMPLE, misfit, settings_for_script
from toysearch.base import (
    GAP,
    ArgumentError,
    CountedWords,
    DataError,
    JoinedText,
    Remedy,
    Utf8,
    bordered,
    count_each,
    expect_count,
    gather_at,
    note,
    repeat_each,
    unknown,
)
from toysearch.base.plain_or_compiled import compiled
from toysearch.collection.collection import UNDECLARED, Collection, Source
from toysearch.collection.document_batches import Batch, batches_in_memory
from toysearch.index.document_columns import (
    Columns,
    RepeatedIdError,
    Store,
    field_texts,
    in_memory,
    name_lines,
    of_fields,
)
from toysearch.index.file_layout import Arrays
from toysearch.index.latent_topics import check_size, latent_arrays
from toysearch.index.plain_postings import PACKED, PACKED_POSITIONS, with_more, with_postings
from toysearch.index.postings import Counts, refuse_positions
from toysearch.index.stored_values import kept_fields, note_left_out, values_of
from toysearch.index.strings import Strings
from toysearch.index.term_numbers import GramNumbers, TermNumbers

if TYPE_CHECKING:
    from toysearch.index.threaded_builder import Blocks, ScannedTerms


def build_arrays(
    batches: Iterable[Batch],
    analyzer: Analyzer,
    *,
    store: Store | None = in_memory,
    fields: Sequence[str] = (),
    values: Sequence[str] = (),
    positions: bool = False,
    threads: int | None = None,
    spooled: Callable[[], Blocks] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Arrays:
    """Return the arrays of an index, as docs/look-up/index-format.md describes them."""
    if positions and analyzer.makes_grams:
        raise ArgumentError(
            f"positions are places of words, and the analyzer {analyzer} makes n-grams; build the index without "
            "positions, or with an analyzer without n-grams"
        )
    columns = Columns(values, store)
    terms: _ReadTerms | ScannedTerms | None = None
    if compiled() and not fields:
        from toysearch.analysis.scanner import scannable  # with the compiled loops alone
        from toysearch.index.threaded_builder import ScannedTerms

        if scannable(analyzer):
            terms = ScannedTerms(analyzer, threads, positions=positions, spooled=spooled)
    if terms is None:
        terms = _ReadTerms(analyzer, fields, columns, positions)
    sample, texts = b"", None
    for batch in map(partial(of_fields, fields), batches) if fields else batches:
        texts = columns.add(batch)
        terms.add(batch, texts)
        if len(sample) < SAMPLE:
            sample += texts.blob[: SAMPLE - len(sample)].tobytes()
        if progress:
            progress(len(columns))
    if texts is None:
        raise DataError("there is no document to index; an index needs at least one")
    of_terms = terms.finish()
    if "docs" in of_terms:
        of_terms |= PACKED | (PACKED_POSITIONS if positions else {})
    arrays = with_postings(of_terms | columns.finish())
    if not sample.isascii() and (problem := misfit(sample.decode(errors="ignore"), analyzer)):
        note(problem)
    return arrays


def build_parts(
    source: Source,
    analyzer: Analyzer | None,
    *,
    store: Store | None,
    fields: Sequence[str] | None,
    values: Sequence[str] | None,
    positions: bool,
    topics: int | None,
    threads: int | None,
    spooled: Callable[[], Blocks] | None,
    progress: Callable[[int], object] | None,
) -> tuple[Analyzer, Arrays, str, bool]:
    """Return the arguments of `Index` for documents as given, with the defaults of `Index.build`."""
    if threads is not None:
        expect_count(threads=threads)
    if topics is not None:
        check_size(topics)
    collection = source if isinstance(source, Collection) else None
    declared = collection.analysis if collection else UNDECLARED
    is_open = analyzer is None and declared == UNDECLARED
    if analyzer is None:
        analyzer = Analyzer() if is_open else Analyzer.for_language(**declared)
    if fields is None:
        fields = collection.separate_fields() if collection else ()
    reading = collection.reading if collection else None
    is_named = values is not None
    values = kept_fields(collection, values)
    word_counts = reading is not None and reading.counts
    if collection and word_counts:
        refuse_texts_needed(collection, analyzer, positions, values)
        store = None
    batches = collection.batches() if collection else batches_in_memory(source)
    if collection and is_open and reading and reading.batches and not word_counts:
        first = [*islice(batches, 1)]
        batches = chain(first, batches)
        if not all(map(str.isascii, first[0].texts)):
            analyzer = analyzer_for_script(collection, first)
    usual = collection.searched_fields if collection else ("title", "text")
    counted_alone = () if isinstance(source, list) else fields  # a list of documents may lack one
    if expected := [*values, *(name for name in counted_alone if name not in usual)]:
        batches = _with_fields(batches, expected, reading.seen_fields if reading else None)
    try:
        arrays = build_arrays(
            batches,
            analyzer,
            store=store,
            fields=fields,
            values=values,
            positions=positions,
            threads=threads,
            spooled=spooled,
            progress=progress,
        )
    except RepeatedIdError:
        name_lines(source)
        raise
    if values and not is_named:
        for name, kept in values_of(arrays).items():
            note_left_out(name, kept)
    if topics is not None:
        arrays = with_more(arrays, latent_arrays(arrays, topics))
    return analyzer, arrays, collection.catalog_name if collection else "", word_counts


def analyzer_for_script(collection: Collection, first: Iterable[Batch]) -> Analyzer:
    """Return the plain analyzer, fitted to the script of the first documents of files, which a note then names."""
    plain = Analyzer()
    settings = settings_for_script(" ".join(text for batch in first for text in batch.texts), plain)
    if not settings:
        return plain
    analyzer: Analyzer = Analyzer.for_language("none", **settings)
    how = "in pairs of characters" if analyzer.cjk else "with combining marks as part of their words"
    collection.tell(
        f"the texts of {collection.name} are analysed {how} ({analyzer}); otherwise: "
        f"{Remedy('Index.build', analyzer='plain')}"
    )
    return analyzer


def refuse_texts_needed(
    collection: Collection, analyzer: Analyzer, positions: bool, values: Sequence[str] = ()
) -> None:
    """Refuse an index of word counts if something needs the texts themselves."""
    from toysearch.collection.catalog import without_texts  # most documents are texts

    if positions:
        raise without_texts("positions are places of words in a text", collection.catalog_name)
    if reason := analyzer.needs_texts:
        raise without_texts(reason, collection.catalog_name)
    for name in values:
        if any(isinstance(document.fields.get(name), CountedWords) for document in collection.documents):
            raise without_texts(f"the values of field '{name}' are texts", collection.catalog_name)


def _with_fields(batches: Iterable[Batch], names: Sequence[str], seen: dict[str, None] | None) -> Iterator[Batch]:
    """Yield the batches, then refuse a field that no document has; with `seen`, only note the fields."""
    missing, field_names = set(names), {} if seen is None else seen
    for batch in batches:
        if missing:
            for fields in batch.fields:
                field_names |= dict.fromkeys(fields or ("title", "text"))
            missing -= field_names.keys()
        yield batch
    if seen is None:
        refuse_missing(names, field_names)


def refuse_missing(names: Iterable[str], known: Mapping[str, None]) -> None:
    """Refuse a field that no document has, given the fields that they have."""
    missing = {*names} - known.keys()
    if missing and known:
        field, sign, subtracted = min(missing).partition("-")
        if sign and field in known:
            problem = f"no document has a field '{min(missing)}'"
            raise ArgumentError(f"{problem}; a difference has blanks around its sign: {field} - {subtracted}")
        raise unknown("field of the documents", min(missing), known, "fields of the documents")


class _ReadTerms:
    def __init__(self, analyzer: Analyzer, fields: Sequence[str], columns: Columns, positions: bool) -> None:
        self._numbers = GramNumbers(analyzer) if analyzer.makes_grams else TermNumbers(analyzer)
        self._tokens = array("i")
        self._ends = array("q")
        self._borders = array("q")  # the first token after each
        self._borders_before = array("q")  # those of earlier documents
        self._fields = fields
        self._field_ends = array("q")
        self._columns = columns
        self._positions = positions

    def add(self, batch: Batch, texts: Utf8) -> None:
        for parts in zip(*self._parts(batch, texts), strict=True):
            self._borders_before.append(len(self._borders))
            begins = True
            for part in parts:
                for numbers in self._of_parts(part):
                    if part and not begins:
                        self._borders.append(len(self._tokens))
                    self._tokens.extend(numbers)
                    begins = begins and not part
                self._field_ends.append(len(self._tokens))
            self._ends.append(len(self._tokens))

    def _of_parts(self, text: str) -> Iterable[Iterable[int]]:
        numbers = self._numbers
        return numbers.of_parts(text) if self._positions and isinstance(numbers, TermNumbers) else [numbers.of(text)]

    def _parts(self, batch: Batch, texts: Utf8) -> list[Sequence[str]]:
        if not self._fields:
            return [[*map(JoinedText.of, texts.texts())]]
        clean, first = self._columns.clean, len(self._ends)
        return [
            [
                JoinedText.of(clean(bordered(text), number, name))
                for number, text in enumerate(field_texts(batch, name), first)
            ]
            for name in self._fields
        ]

    def finish(self) -> dict[str, Any]:
        N, names = len(self._ends), sorted(self._numbers.terms)
        rank = np.empty(len(names), np.int64)
        rank[[*map(self._numbers.terms.__getitem__, names)]] = np.arange(len(names))
        tokens = np.frombuffer(self._tokens, np.int32)
        is_term = tokens >= 0
        terms = rank[tokens[is_term]]
        docs = repeat_each(np.arange(N, dtype=np.int32), np.diff(self._ends, prepend=0))[is_term]
        dl = count_each(docs, minlength=N)
        cf = count_each(terms, minlength=len(names))
        pairs = terms * N
        pairs += docs
        placed = self._places(pairs, docs, dl, is_term) if self._positions else {}
        keys = pairs.copy() if self._fields else pairs
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        tf = np.diff(first, append=pairs.size)
        apart = {}
        if self._fields:
            n_fields = len(self._fields)
            numbers = np.arange(n_fields, dtype=np.int16 if n_fields <= 1 << 15 else np.int32)
            labels = repeat_each(np.tile(numbers, N), np.diff(self._field_ends, prepend=0))[is_term]
            apart = field_arrays(self._fields, labels, docs, keys, pairs[first], N)
        terms, docs = np.divmod(pairs[first], N)
        max_tf = np.zeros(N, np.int64)
        gather_at(np.maximum, max_tf, docs, tf)
        return {
            **Strings.of(names).arrays("terms"),
            "offsets": np.searchsorted(terms, np.arange(len(names) + 1)).astype(np.int64),
            "cf": cf.astype(np.int64),
            "docs": docs.astype(np.int32),
            "tf": tf,
            "dl": dl.astype(np.int32),
            "distinct": count_each(docs, minlength=N).astype(np.int32),
            "max_tf": max_tf.astype(np.int32),
            **apart,
            **placed,
        }

    def _places(
        self, pairs: np.ndarray, docs: np.ndarray, dl: np.ndarray, is_term: np.ndarray
    ) -> dict[str, np.ndarray]:
        lengths = np.diff(self._ends, prepend=0)
        places = np.flatnonzero(is_term)
        before = np.searchsorted(np.frombuffer(self._borders, np.int64), places, side="right")
        places += GAP * (before - np.frombuffer(self._borders_before, np.int64)[docs])
        places -= (np.cumsum(lengths) - lengths)[docs]
        refuse_positions(int(places.max(initial=0)))
        last = np.full(dl.size, -1)
        last[docs] = places  # the last assignment to each document remains
        return {
            "places": places[np.argsort(pairs, kind="stable")].astype(np.int32),
            "holes": (last + 1 - dl).astype(np.int32),
        }


_MOST_CELLS = 1 << 30  # a byte each
_FEW_FIELDS, _CELLS_OF_MANY = 64, 1 << 26  # a small file may have many fields, and each costs a byte per posting


def field_arrays(
    fields: Sequence[str], labels: np.ndarray, docs: np.ndarray, keys: np.ndarray, postings: np.ndarray, N: int
) -> dict[str, Any]:
    """Return the arrays of separately counted fields, as docs/look-up/index-format.md describes them."""
    # labels, docs, keys: (T,) int; postings: (n_postings,) int64.
    if len(fields) * max(postings.size, N) > (_MOST_CELLS if len(fields) <= _FEW_FIELDS else _CELLS_OF_MANY):
        raise DataError(
            f"{len(fields):,} separate fields are too many for {postings.size:,} postings and {N:,} documents; "
            f"name only those that matter, as in {Remedy('load', fields='title,text')}"
        )
    rows = labels.astype(np.int64)
    cells, tf = np.unique(rows * postings.size + np.searchsorted(postings, keys), return_counts=True)
    counts, small = Counts.of(tf), np.zeros(len(fields) * postings.size, np.uint8)
    small[cells] = counts.small
    names, dl = Strings.of(fields), count_each(rows * N + docs, minlength=len(fields) * N)
    return {
        "fields": names.blob,
        "fields_offsets": names.offsets,
        "field_tf": Counts(small, counts.large),
        "field_dl": dl.astype(np.int32),
    }
