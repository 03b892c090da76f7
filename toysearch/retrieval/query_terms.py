"""Terms of a query, looked up in an index: their numbers, counts and texts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, count_each
from toysearch.index import Index, Postings, common_postings, offsets_of, ranges_of
from toysearch.models.model import Array

if TYPE_CHECKING:
    from toysearch.retrieval.derived_terms import DerivedTerm

BLOCK = 1 << 20  # postings weighed at a time, more for a single long term: limits memory, changes no result


class AnalyzedText(NamedTuple):
    """Tokens and terms of a query, or of a part of one."""

    tokens: list[str]
    terms: list[str]


_CONTENT_WORDS = (
    "amount back bill bottom call cry detail eight eleven empty fifteen fifty fill fire first five forty four front "
    "full hundred interest mill mine move name nine part serious show side sincere six sixty system ten thick thin "
    "third three top twelve twenty two"
)
CONTENT_WORDS = frozenset(_CONTENT_WORDS.split())
"""Words of the scikit-learn list that carry meaning in a query; the Snowball list lacks them."""


_MOST_TEXTS = 64  # that are kept for an index: a query and its words, for search, notes and marks


def analyzed(index: Index, text: str) -> AnalyzedText:
    """Analyze the text of a query once, and keep the result until other queries follow."""
    kept: dict[str, AnalyzedText] = index.memo.setdefault(analyzed, {})
    result = kept.get(text)
    if result is None:
        if len(kept) >= _MOST_TEXTS:
            kept.clear()
        tokens = index.analyzer.tokenizer(text)
        result = kept[text] = AnalyzedText(tokens, index.analyzer.terms(tokens))
    return result


class QueryTerms(NamedTuple):
    """Terms of a query: those that the index knows, by number, and those it does not."""

    numbers: np.ndarray  # (n,) int64; the known terms, each once, in the order of the query
    qtf: Array  # (n,) float64; the counts of these terms in the query
    unknown: Mapping[str, float]  # the terms that no document contains, with their counts
    derived: tuple[DerivedTerm, ...] = ()  # the last terms; their numbers follow those of the index
    sequence: tuple[int, ...] = ()  # the number of each word's term as written; -1 for no or several terms
    matched: np.ndarray | None = None  # the documents to rank, by rising number; None: all with one of the terms
    postings: Mapping[int, Postings] = MappingProxyType({})  # of terms, those in the documents to rank at least
    required: bool = False  # true if only documents with all terms are ranked; `matched` is then found when needed
    structured: bool = False  # true if only documents with one of its terms match, also where all could be ranked
    dropped: tuple[str, ...] = ()  # words that the analyzer leaves out of phrases, or that carry meaning
    text: str = ""  # as written, for a ranker that reads it
    is_whole: bool = False  # true if the terms are all those of the text
    query_id: str = ""  # for a file with its vector
    document: int = -1  # the document whose terms these are, for its own vector
    allowed: np.ndarray | None = None  # (N,) uint8; 1 for each document that a filter keeps; None: no filter
    pool: np.ndarray | None = None  # the documents to re-rank, by rising number, for a ranker that compares them

    @property
    def is_filter(self) -> bool:
        """True if it is a filter alone: the documents that it keeps match with a score of 0."""
        return self.matched is not None and not (self.is_whole or len(self.numbers))

    @property
    def statistics(self) -> dict[str, Any]:
        """Statistics qtf, ql, max_qtf and distinct_q, which count known terms only."""
        return {
            "qtf": self.qtf,
            "ql": float(self.qtf.sum()),
            "max_qtf": float(self.qtf.max()) if len(self.qtf) else 0.0,
            "distinct_q": float(len(self.qtf)),
        }


def whole_text(query: QueryTerms, reader: object) -> str:
    """Return the text of a query for what reads texts, not terms; refuse terms that are not those of the text."""
    if not query.is_whole:
        raise ArgumentError(
            f"{reader} takes the whole text of a query, and here it would get terms alone; give it a query as a text, "
            "or take a ranker of terms, such as bm25"
        )
    return query.text


def query_terms(
    index: Index,
    terms: Iterable[str],
    text: str | None = None,
    query_id: str = "",
    dropped: Iterable[str] = (),
) -> QueryTerms:
    """Look up the analysed terms of a query in an index; keep its text, if they are those of a text, and its id."""
    # If the terms of the index are pairs of characters, a single character means all pairs that contain it.
    counts: dict[int, float] = {}
    unknown: dict[str, float] = {}
    sequence, listed = [], [*terms]
    places = index.term_numbers.of_each(listed)
    in_pairs = index.analyzer.cjk and not index.analyzer.makes_grams
    for term, number in zip(listed, places, strict=True):
        numbers = [number] if number >= 0 else []
        if in_pairs and not term.isascii():
            from toysearch.analysis.tokenizer import is_character

            if is_character(term):
                numbers = index.terms.holding(term).tolist()
        sequence.append(numbers[0] if len(numbers) == 1 else -1)
        for number in numbers:
            counts[number] = counts.get(number, 0.0) + 1.0
        if not numbers:
            unknown[term] = unknown.get(term, 0) + 1
    numbers_of_terms, qtf = np.array([*counts], np.int64), np.array([*counts.values()], np.float64)
    return QueryTerms(
        numbers_of_terms,
        qtf,
        unknown,
        sequence=tuple(sequence),
        dropped=tuple(dropped),
        text=text or "",
        is_whole=text is not None,
        query_id=query_id,
    )


def with_matched(index: Index, query: QueryTerms) -> QueryTerms:
    """Add the documents to rank to a query, if these are the ones with all its terms."""
    if not query.required:
        return query
    docs, postings = common_postings(index.blocks, query.numbers)
    return query._replace(matched=docs.astype(np.int64), postings=postings, required=False)


def structure_matched(index: Index, query: QueryTerms) -> QueryTerms:
    """Add the documents to rank to a query with phrases, patterns or the like, for rankers that could rank others."""
    query = with_matched(index, query)
    if not query.structured or query.matched is not None:
        return query
    of_index = query.numbers[query.numbers < index.stats.n_terms]
    docs = [index.blocks.of_terms(of_index).docs, *(term.docs for term in query.derived)]
    return query._replace(matched=np.unique(np.concatenate(docs)).astype(np.int64))


def term_counts(index: Index, query: QueryTerms, names: Container[str] = ("df", "cf")) -> dict[str, Array]:
    """Return the named statistics among df and cf of the terms of a query, derived ones included, as float64."""
    if not query.derived:
        return counts_of(index, query.numbers, names)
    terms = [derived_term(index, query, number) for number in query.numbers.tolist()]
    is_plain = np.array([term is None for term in terms], bool)
    counts = {}
    for name, plain in counts_of(index, query.numbers[is_plain], names).items():
        counts[name] = np.empty(len(terms))
        counts[name][is_plain] = plain
        counts[name][~is_plain] = [getattr(term, name) for term in terms if term is not None]
    return counts


def counts_of(index: Index, terms: np.ndarray, names: Container[str]) -> dict[str, Array]:
    """Return the named statistics among df and cf of the terms with these numbers, as float64."""
    counts = {"df": column_of(index.df_by_term[terms])} if "df" in names else {}
    return counts | {"cf": column_of(index.numbers_at("cf", terms))} if "cf" in names else counts


def column_of(values: np.ndarray) -> Array:
    """Return numbers as a model gets them."""
    return np.ascontiguousarray(values, np.float64)


def derived_term(index: Index, query: QueryTerms, number: int) -> DerivedTerm | None:
    """Return the derived term of a number in a query; None for a term of the index."""
    n_terms = index.stats.n_terms
    return query.derived[number - n_terms] if number >= n_terms else None


def term_text(index: Index, query: QueryTerms, number: int) -> str:
    """Show a query term as text: a term of the index, or a derived one in the query language."""
    derived = derived_term(index, query, number)
    return index.term(number) if derived is None else derived.text


def word_counts(index: Index, query: QueryTerms) -> tuple[np.ndarray, Array]:
    """Count the terms of a query by rising number; words of phrases and patterns count too."""
    n_terms = index.stats.n_terms
    of_index = query.numbers < n_terms
    numbers, counts = [query.numbers[of_index]], [query.qtf[of_index]]
    for number, qtf in zip(query.numbers[~of_index].tolist(), query.qtf[~of_index].tolist(), strict=True):
        term = query.derived[number - n_terms]
        words = np.concatenate([term.terms, *(np.array(phrase.terms, np.int64) for phrase in term.phrases)])
        numbers.append(words)
        counts.append(np.full(len(words), qtf))
    terms, places = np.unique(np.concatenate(numbers), return_inverse=True)
    return terms, count_each(places, np.concatenate(counts), len(terms))


def in_blocks(index: Index, terms: Sequence[int] | np.ndarray) -> Iterator[np.ndarray]:
    """Yield terms in blocks of about `BLOCK` postings and at least one term."""
    numbers = np.asarray(terms, np.int64)
    counts = index.posting_counts[numbers]
    if len(numbers) and int(counts.sum()) <= BLOCK:  # as usual
        yield numbers
        return
    for first, last in ranges_of(offsets_of(counts), BLOCK):
        yield numbers[first:last]
