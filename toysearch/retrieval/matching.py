"""Matching of a query tree in an index: it finds the documents that match, and the terms that the model scores.

The structure decides which documents match. The model scores all words, phrases and groups that stand positively, so
not below an odd number of `Not`. A part whose words the analyzer drops is left out of the tree. If it makes several
terms of a word, the word matches documents with all of them where it is required or forbidden, and with any elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.base import ArgumentError, Remedy, a, expect, listed, note
from toysearch.index import NO_NUMBERS, Index, Postings, Strings, contained, holds_dates, rows_of
from toysearch.index.field_names import field_spelt
from toysearch.index.stored_values import FieldValues
from toysearch.index.typed_values import EXAMPLES_OF_DATES, WORDS, after_period, beyond_floats, is_date, number_and_unit
from toysearch.query.syntax import (
    And,
    AtLeast,
    Boost,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Phrase,
    Range,
    Synonyms,
    Term,
    Wildcard,
    escaped,
    parts,
    with_parts,
    words_of,
)
from toysearch.retrieval.derived_terms import DerivedTerm, Words, in_field, of_terms, phrase, united, without_positions
from toysearch.retrieval.field_values import (
    any_of,
    example_of,
    field_in_query,
    folded_values,
    folding_of,
    values_with_numbers,
)
from toysearch.retrieval.fuzzy_and_wildcard_terms import fitting, terms_within, wildcard
from toysearch.retrieval.query_terms import CONTENT_WORDS, QueryTerms, analyzed, query_terms

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

__all__ = ["Matcher", "filter_fields", "known_fields", "named_fields", "unrequired_filters"]

_FIRST_LETTERS = 3  # of a wildcard, at least, for another one that only has these
_ENDING = 4  # letters that a stem may lack: running, run
_ANY_WORD = "over"  # before an ending, as in overseeing
_MOST_STEMS = 1000  # that are compared with words that fit a pattern
MOST_PATTERNS = 20  # different ones in a query


class Matcher:
    """Finds the documents of an index that match a query tree, and the terms that a model scores.

    Parameters
    ----------
    index : Index
        The documents. Phrases need its positions, or its texts; fields need separate fields or values.
    lenient : bool
        Whether a comparison that makes no sense, such as a range of numbers in a field of words, is left out with a
        note. Default False: it is refused.
    by_values : bool
        Whether a field whose values are kept is compared by them, as in a filter, even if its words can be searched.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another dog", "the dog sat"])
    >>> Matcher(index).matches(Term("cat") & ~Term("dog"))
    array([0])
    """

    def __init__(self, index: Index, lenient: bool = False, by_values: bool = False) -> None:
        self.index = index
        self._lenient = lenient
        self._filters = {*index.values} if by_values else filter_fields(index)
        self._derived: dict[tuple[Node, str | None], DerivedTerm | None] = {}
        self._required: tuple[Node, ...] = ()  # the parts of a whole query that is an `And`
        self._patterns: set[Node] = set()
        self._postings: dict[int, Postings] = {}  # of terms, at least in the documents that match the whole query

    def matches(self, node: Node) -> np.ndarray:
        """Find the documents that match, by rising number; int64.

        Raises
        ------
        ArgumentError
            If the index lacks a field, or the positions or texts that a phrase needs.
        """
        with_terms = self._with_terms(with_joined_words(node, self.index.analyzer), None)
        docs = None if with_terms is None else self._matched(with_terms, None)
        return NO_NUMBERS if docs is None else docs

    def terms(self, word: str) -> list[str]:
        """Analyze a word into terms."""
        return analyzed(self.index, word).terms

    def query_terms(self, node: Node) -> QueryTerms:
        """Return the terms to score, and the documents to rank if these are not all that contain one of the terms."""
        if words := plain_words(node):
            return query_terms(self.index, self.terms(" ".join(words)))
        node = with_joined_words(node, self.index.analyzer)
        with_terms = self._with_terms(node, None)
        if with_terms is None:
            return query_terms(self.index, [])
        if with_terms is not node and (
            dropped := [word for part in self._without_effect(node, None) for word in words_of(part)]
        ):
            reasons = self.index.analyzer.left_out(" ".join(dropped)) or f"there is no word in it: {' '.join(dropped)}"
            note(f"a part without a term neither requires nor excludes documents: {reasons}")
        node = with_terms
        if isinstance(node, And) and (words := _only_words(node.nodes)):
            looked_up = query_terms(self.index, [term for word in words for term in self.terms(word)])
            if looked_up.sequence and min(looked_up.sequence) >= 0:  # each word has one term that documents contain
                return looked_up._replace(sequence=(), required=True)
        n_terms = self.index.stats.n_terms
        if isinstance(node, Phrase) and (alone := self._term(node, None)) and alone.df:  # as usual
            return QueryTerms(np.array([n_terms], np.int64), np.ones(1), {}, (alone,), structured=True)
        counts_of_terms: dict[int, float] = {}
        derived: dict[str, float] = {}
        terms = {}
        absent: dict[str, float] = {}

        def add(counts: dict[Any, float], key: object, weight: float) -> None:
            counts[key] = counts.get(key, 0.0) + weight

        structured = False
        for leaf, weight, field in self._positive(node):
            if isinstance(leaf, Term) and field is None:
                looked_up = query_terms(self.index, self.terms(leaf.word))
                for number, qtf in zip(looked_up.numbers.tolist(), looked_up.qtf.tolist(), strict=True):
                    add(counts_of_terms, number, qtf * weight)
                for term, count in looked_up.unknown.items():
                    add(absent, term, count * weight)
                continue
            structured = True
            if derived_term := self._term(leaf, field):
                add(derived if derived_term.df else absent, derived_term.text, weight)
                terms[derived_term.text] = derived_term
                if isinstance(leaf, Wildcard | Fuzzy):
                    self._tell_stems(leaf, derived_term.df)
        matched = None
        if not self._ranks_all(node, None):
            self._required = node.nodes if isinstance(node, And) else ()  # whose postings are kept for scoring
            matched = self.matches(node)
        numbers = [*counts_of_terms, *range(n_terms, n_terms + len(derived))]
        counts = [*counts_of_terms.values(), *derived.values()]
        return QueryTerms(
            np.array(numbers, np.int64),
            np.array(counts, np.float64),
            absent,
            tuple(terms[text] for text in derived),
            matched=matched,
            postings=self._postings,
            structured=structured,
        )

    def _tell_stems(self, node: Wildcard | Fuzzy, df: int) -> None:
        """Note that a pattern of whole words fits no stems, or not all."""
        if not df and (other := self._of_stem(node)):
            note(f"terms are stems: no term fits {node}, and {other} would fit")
        elif df and (other := self._fitting_more(node)):
            note(f"terms are stems: {node} does not fit all of its words, and {other} would")

    def marked_terms(self, node: Node) -> set[str]:
        """Terms of a document to mark: all terms of the words, phrases and patterns that stand positively.

        A phrase of several terms is one more, with blanks between them.
        """
        marked = set()
        node = with_joined_words(node, self.index.analyzer)
        for leaf, _, field in self._positive(node):
            if isinstance(leaf, Phrase) and len(terms := self.terms(" ".join(leaf.words))) > 1:
                marked.add(" ".join(terms))
            if isinstance(leaf, Term):
                marked.update(self.terms(leaf.word))
            elif term := self._term(leaf, field):
                numbers = {*term.terms.tolist(), *(number for words in term.phrases for number in words.terms)}
                marked.update(self.index.terms.take(numbers))
        return marked

    def _with_terms(self, node: Node, field: str | None) -> Node | None:
        """Leave out the parts of a tree without a term; None if nothing is left.

        If nothing is left of the required parts of an `And`, one of the optional ones is required.
        """
        field = node.name if isinstance(node, Field) else field
        if not parts(node):
            without_term = isinstance(node, Phrase) and self._words_of(node) is None
            without_term |= isinstance(node, Term) and not self.terms(node.word)
            return None if without_term and not self.is_filter(field) else node
        remaining = [part for part in (self._with_terms(part, field) for part in parts(node)) if part is not None]
        if [*map(id, remaining)] == [*map(id, parts(node))]:
            return node
        if not remaining:
            return None
        if isinstance(node, Field | Boost | Not | Optional | AtLeast):
            return with_parts(node, remaining)
        if isinstance(node, Synonyms):
            word = remaining[0] if len(remaining) == 1 else None
            one_term = isinstance(word, Term) and len(self.terms(word.word)) == 1
            return word if one_term else Synonyms(*remaining)  # of several terms, one is enough in a group
        if isinstance(node, And):
            optional = [part.node for part in remaining if isinstance(part, Optional)]
            others = [part for part in remaining if not isinstance(part, Optional)]
            required = any(not isinstance(part, Not | Optional) for part in node.nodes)
            if optional and all(isinstance(part, Not) for part in others) and (required or not others):
                remaining = [Or(*optional) if len(optional) > 1 else optional[0], *others]
            elif sum(not isinstance(part, Not) for part in node.nodes) > 1:
                return And(*remaining)  # also of one part, which is required
        return remaining[0] if len(remaining) == 1 else type(node)(*remaining)

    def _without_effect(self, node: Node, field: str | None) -> Iterator[Node]:
        """Yield the parts that are to require or exclude documents, and have no term."""
        field = node.name if isinstance(node, Field) else field
        for part in parts(node):
            restricts = isinstance(node, Not) or (isinstance(node, And) and not isinstance(part, Not | Optional))
            if restricts and self._with_terms(part, field) is None:
                yield part
            else:
                yield from self._without_effect(part, field)

    def dropped(self, node: Node) -> tuple[str, ...]:
        """List the words that the analyzer leaves out of phrases, and of other parts those that carry meaning."""
        told = {*map(id, self._without_effect(node, None))}  # of which another note tells
        return () if self.index.analyzer.makes_grams else tuple(dict.fromkeys(self._dropped(node, None, told)))

    def _dropped(self, node: Node, field: str | None, told: set[int]) -> Iterator[str]:
        field = node.name if isinstance(node, Field) else field
        if id(node) in told or self.is_filter(field):
            return
        in_phrase = isinstance(node, Phrase)
        for word in words_of(node) if isinstance(node, Phrase | Term) else ():
            left_out = [token for token in analyzed(self.index, word).tokens if self.index.analyzer.term(token) is None]
            if in_phrase and any(map(str.isalnum, word)) and not self.terms(word):
                yield word
            else:
                yield from (token for token in left_out if in_phrase or token in CONTENT_WORDS)
        for part in parts(node):
            yield from self._dropped(part, field, told)

    def _positive(
        self, node: Node, weight: float = 1.0, field: str | None = None, positive: bool = True
    ) -> Iterator[tuple[Node, float, str | None]]:
        """Yield the leaves that stand positively, each with its weight and its field."""
        if isinstance(node, Not):
            positive = not positive
        elif isinstance(node, Boost):
            weight *= node.weight
        elif isinstance(node, Field):
            field = node.name
        if isinstance(node, Synonyms) or not parts(node):
            if positive and not isinstance(node, Range) and not self.is_filter(field):
                yield node, weight, field
            return
        for part in parts(node):
            yield from self._positive(part, weight, field, positive)

    def _ranks_all(self, node: Node, field: str | None) -> bool:
        """True if a tree matches every document that contains one of its terms to score."""
        if isinstance(node, Field):
            field = node.name
        if isinstance(node, And | AtLeast | Not | Range) or self.is_filter(field):
            return False
        return isinstance(node, Synonyms) or all(self._ranks_all(part, field) for part in parts(node))

    def _matched(
        self, node: Node, field: str | None, every: bool = False, within: np.ndarray | None = None
    ) -> np.ndarray | None:
        if isinstance(node, Term) and not self.is_filter(field):
            return self._with_word(node, field, every, within)
        if isinstance(node, Range):
            return self._in_range(node)
        if self.is_filter(field) and (isinstance(node, Synonyms) or not parts(node)):
            return self._with_value(node, str(field))
        if isinstance(node, Field):
            return self._matched(node.node, node.name, every, within)
        if isinstance(node, Boost | Optional):
            return self._matched(node.node, field, every, within)
        if isinstance(node, And):
            return self._with_all(node.nodes, field)
        if isinstance(node, Or):
            docs_of_parts = [self._matched(part, field) for part in node.nodes]
            docs = [part for part in docs_of_parts if part is not None]
            return _union(docs) if docs else None
        if isinstance(node, AtLeast):
            matched = [self._matched(part, field) for part in node.nodes]
            every_part = np.concatenate([docs for docs in matched if docs is not None])
            found, n_parts = np.unique(every_part, return_counts=True)
            return found[n_parts >= node.n]
        if isinstance(node, Not):
            return self._with_all([node], field)
        term = self._term(node, field)
        return None if term is None else term.docs.astype(np.int64)

    def _with_word(
        self, node: Term, field: str | None, every: bool, within: np.ndarray | None, required: bool = False
    ) -> np.ndarray | None:
        """Find the documents with a word, where the postings of a term are read `within` some documents only if given.

        Its postings are kept for scoring if no other documents can be ranked.
        """
        docs_of_terms, blocks = [], self.index.blocks
        for term in self.terms(node.word):
            numbers = query_terms(self.index, [term]).numbers
            if field is not None:
                derived = self._term(Term(term), field)
                docs = NO_NUMBERS if derived is None else derived.docs
            elif len(numbers) == 1:
                [number] = numbers.tolist()
                postings = blocks.of_terms(numbers) if within is None else blocks.in_documents(number, within)
                if within is None or required:
                    self._postings[number] = postings
                docs = postings.docs
            else:
                docs = np.unique(blocks.of_terms(numbers).docs)
            docs_of_terms.append(docs.astype(np.int64))
        if not docs_of_terms:
            return None
        return reduce(_common, docs_of_terms) if every else _union(docs_of_terms)

    def _with_all(self, nodes: Sequence[Node], field: str | None) -> np.ndarray | None:
        """Match all nodes but the optional ones: the rarest first, forbidden ones taken out last.

        What is required or forbidden is refused if it cannot be read: without it, other documents would match.
        """
        docs: np.ndarray | None = None
        required = [node for node in nodes if not isinstance(node, Optional)]
        lenient, self._lenient = self._lenient, self._lenient and not required
        for node in sorted(required or nodes, key=self._most):
            if isinstance(node, Not):
                docs_of_node = self._matched(node.node, field, True)
                if docs_of_node is not None:
                    docs = np.arange(len(self.index)) if docs is None else docs
                    docs = docs[~contained(docs, docs_of_node)]
            else:
                if isinstance(node, Term) and not self.is_filter(field):
                    docs_of_node = self._with_word(node, field, True, docs, nodes is self._required)
                else:
                    docs_of_node = self._matched(node, field, True, docs)
                if docs_of_node is not None:
                    docs = docs_of_node if docs is None else _common(docs, docs_of_node)
        self._lenient = lenient
        return docs

    def _most(self, node: Node) -> float:
        """Estimate the largest number of documents that a node can match, for the order of evaluation."""
        if isinstance(node, Not):
            return np.inf
        words = [node.word] if isinstance(node, Term) else node.words if isinstance(node, Phrase) else []
        numbers = [self.index.term_number(term) for word in words for term in self.terms(word)]
        in_index = [number for number in numbers if number >= 0]
        return float(self.index.df_by_term[in_index].min()) if in_index else self.index.stats.N

    def _with_value(self, node: Node, field: str) -> np.ndarray | None:
        if isinstance(node, Synonyms):
            docs_of_parts = [self._with_value(part, field) for part in node.nodes]
            return _union([docs for docs in docs_of_parts if docs is not None] or [NO_NUMBERS])
        text = node.word if isinstance(node, Term) else " ".join(node.words) if isinstance(node, Phrase) else ""
        values, fold = self.index.values[field], folding_of(self.index)
        if isinstance(node, Wildcard) and {*node.pattern} == {"*"}:
            return np.unique(values.docs).astype(np.int64)
        if isinstance(node, Wildcard):
            self._count_pattern(node)
            texts = Strings.of(folded_values(self.index, field))
            return values.docs_with(fitting(texts, np.arange(len(texts)), wildcard(node.pattern, fold)[1]))
        number = values.number(text) if values.kind != WORDS else np.nan
        if not np.isnan(number):
            return self._in_range(Range(field, number, number, low_text=text, high_text=text))
        if text:
            docs = values.docs_with([value == fold(text) for value in folded_values(self.index, field)])
            if not len(docs):
                self._tell_other_values(node, field, text)
            if len(docs) or values.kind == WORDS:
                return docs
        holds, forms = "whole values", ""
        if values.kind != WORDS:
            low, high = (values.texts[int(place(values.numbers))] for place in (np.nanargmin, np.nanargmax))
            named = field_in_query(self.index, field)
            holds, forms = "numbers", f"; a range is written {named}:[{low} TO {high}], a bound {named}:>={low}"
        self._refuse(f"the field '{field}' holds {holds}, and '{text or node}' is none{forms}")
        return None

    def _tell_other_values(self, node: Node, field: str, text: str) -> None:
        """Note that no value equals a text, if it lists values, or if some values hold it."""
        if "," in text:
            note(f"no '{field}' is '{text}'; for one of several values: {field}:{any_of(text)}")
        elif isinstance(node, Term) and self.index.values[field].kind == WORDS and len(self._patterns) < MOST_PATTERNS:
            pattern = Wildcard(f"*{escaped(text)}*")
            holding = self._with_value(pattern, field)
            if holding is not None and len(holding):
                named = field_in_query(self.index, field)
                note(f"no '{field}' is '{text}' as a whole; for values that hold it: {named}:{pattern}")

    def _count_pattern(self, node: Node) -> None:
        self._patterns.add(node)
        if len(self._patterns) > MOST_PATTERNS:
            raise ArgumentError(
                f"a query may hold {MOST_PATTERNS} different patterns, such as comp* and colour~; this one holds more"
            )

    def _refuse(self, problem: str) -> None:
        if not self._lenient:
            raise ArgumentError(problem)
        note(f"{problem}; that part of the query is left out")

    def _in_range(self, node: Range) -> np.ndarray | None:
        kept = self.index.values.get(node.field)
        if kept is not None and not len(kept.texts):
            return NO_NUMBERS
        values = values_with_numbers(self.index, node.field)
        compares = "dates" if any(map(is_date, node.ends)) else "numbers"
        units = {number_and_unit(end)[1].casefold() for end in node.ends} - {""}
        if values is not None and units - {values.unit.casefold()}:
            unit, compared = f"in {values.unit}" if values.unit else "without a unit", listed(sorted(units))
            self._refuse(f"the field '{node.field}' holds numbers {unit}, and '{node}' compares {compared}")
            return None
        if values is not None and (compares == "numbers" or holds_dates(values.numbers)):
            return values.docs_with(in_range(node, values))
        is_filter = self.is_filter(node.field)
        if values is None and not is_filter and node.field not in self.index.fields.names:
            raise ArgumentError(
                f"the index keeps no numbers of a field '{node.field}'; build it with "
                f"{Remedy('Index.build', values=[node.field])}"
            )
        holds, forms = "words" if values is None else "numbers", ""
        if is_filter:
            example = example_of(self.index, node.field)
            example = f"'{example}'" if values is None else example
            usual = {
                "dates": f"dates are {EXAMPLES_OF_DATES}",
                "numbers": "numbers are written as 3.7, dates as 2021-06-15",
            }
            long = beyond_floats(self.index.values[node.field].counts()) if values is None else ""
            cause = f"{long} is exact only among whole numbers of 64 bits"
            holds, forms = f"{holds} such as {example}", f" ({cause if long else usual[compares]})"
        self._refuse(f"the field '{node.field}' holds {holds}, and '{node}' compares {compares}{forms}")
        return None

    def is_filter(self, field: str | None) -> bool:
        """True if the values of a field are compared, rather than its words searched."""
        return field in self._filters

    def _term(self, node: Node, field: str | None) -> DerivedTerm | None:
        key = node, field
        if key not in self._derived:
            self._derived[key] = self._made(node, field)
        return self._derived[key]

    def _made(self, node: Node, field: str | None) -> DerivedTerm | None:
        index, text = self.index, str(node if field is None else Field(field, node))
        if isinstance(node, Synonyms):
            members = [term for term in (self._term(part, field) for part in node.nodes) if term is not None]
            return united(index, text, members) if members else None
        if isinstance(node, Phrase) and not index.analyzer.makes_grams:
            words = self._words_of(node)
            if words is None:
                return None
            if min(words.terms) < 0:
                return of_terms(index, text, NO_NUMBERS)
            if len(words.terms) > 1:
                return phrase(index, text, words, None if field is None else index.fields.name(field))
            numbers = np.array(words.terms)
        elif isinstance(node, Phrase | Term):
            terms = self._grams_of(node) if isinstance(node, Phrase) else self.terms(node.word)
            if not terms:
                return None
            numbers = query_terms(index, terms).numbers
        else:
            self._count_pattern(node)
            numbers = self._vocabulary(node)
        term = of_terms(index, text, numbers)
        return term if field is None else in_field(text, term, index.fields.name(field))

    def _of_stem(self, node: Wildcard | Fuzzy) -> Node | None:
        """Return a similar pattern that fits terms, if these are stems: its last letters or its first as a stem."""
        if self.index.analyzer.stem is None or "\\" in str(node):
            return None
        if isinstance(node, Fuzzy):
            words = (replace(node, word=stem) for stem in self.terms(node.word))
            return next((word for word in words if len(self._vocabulary(word))), None)
        pieces, last = _pieces(node)
        if last is None:
            return None
        stems, before, after = self.terms(pieces[last]), "".join(pieces[:last]), "".join(pieces[last + 1 :])
        others = [f"{before}{stems[0]}{after}"] if len(stems) == 1 else []
        others += [f"{stem}*" for stem in self.terms(pieces[0]) if len(stem) >= _FIRST_LETTERS]
        fewest = _FIRST_LETTERS if last == 0 else 1
        shorter = [pieces[last][:-cut] for cut in range(1, _ENDING + 1) if len(pieces[last]) - cut >= fewest]
        others += [f"{before}{letters}{after or '*'}" for letters in shorter]
        return next((other for other in map(Wildcard, others) if len(self._vocabulary(other))), None)

    def _fitting_more(self, node: Wildcard | Fuzzy) -> Wildcard | None:
        """Return a shorter wildcard that also fits stems, if words of these fit the given one; None without any."""
        if self.index.analyzer.stem is None or not isinstance(node, Wildcard) or "\\" in node.pattern:
            return None
        pieces, last = _pieces(node)
        if last is None:
            return None
        word = pieces[last] if last == 0 else _ANY_WORD + pieces[last]
        stem = next(iter(self.terms(word)), "")
        n_cut = len(word) - len(stem)
        if not 0 < n_cut < len(pieces[last]) or not word.startswith(stem):
            return None
        start, ending = "".join(pieces[:last]) + pieces[last][:-n_cut], pieces[last][-n_cut:]
        numbers = self._vocabulary(Wildcard(start)) if last else query_terms(self.index, [start]).numbers
        fit = any(self.terms(stem + ending) == [stem] for stem in self.index.terms.take(numbers[:_MOST_STEMS]))
        return Wildcard("".join([start, *(pieces[last + 1 :] or "*")])) if fit else None

    def _words_of(self, node: Phrase) -> Words | None:
        analyzer = self.index.analyzer
        terms = [analyzer.term(token) for token in analyzed(self.index, " ".join(node.words)).tokens]
        places = [place for place, term in enumerate(terms) if term is not None]
        if not places:
            return None
        numbers = tuple(self.index.term_numbers.of_each([term for term in terms if term is not None]))
        return Words(numbers, tuple(place - places[0] for place in places), node.slop, node.gap)

    def _grams_of(self, node: Phrase) -> list[str]:
        """Return the n-gram that the words of a phrase make up, or those of its only word."""
        words, lengths = self._words_of(node), self.index.analyzer.ngrams
        grams = self.terms(" ".join(node.words))
        if words is None or len(words.terms) == 1:
            return grams
        n = len(words.terms)
        near = words.slop or words.gap > 1 or words.offsets != (*range(n),)
        if lengths is None or near or not lengths[0] <= n <= lengths[1]:
            raise without_positions(self.index)
        return grams[-1:]

    def _vocabulary(self, node: Node) -> np.ndarray:
        prepared = self.index.analyzer.tokenizer.prepared
        if isinstance(node, Fuzzy):
            return terms_within(self.index, prepared(node.word), node.edits).numbers
        if not isinstance(node, Wildcard):
            raise ArgumentError(f"{type(node).__name__} cannot stand here")
        texts, pattern = wildcard(node.pattern, prepared)
        numbers = np.array(self.index.terms.starting_with(texts[0]), np.int64)
        if texts[1:] == [""] and node.pattern.endswith("*"):
            return numbers
        return fitting(self.index.terms, numbers, pattern)


def named_fields(tree: Node) -> set[str]:
    """Name the fields that a query asks about."""
    name = {tree.field} if isinstance(tree, Range) else {tree.name} if isinstance(tree, Field) else set()
    return name.union(*map(named_fields, parts(tree)))


def known_fields(index: Index) -> list[str]:
    """Name the fields that a query of an index can use: those searched separately, and those whose values are kept."""
    expect(Index, index=index)
    return [*dict.fromkeys([*index.fields.names, *index.values])]


def filter_fields(index: Index) -> set[str]:
    """Name the fields of an index whose values are compared, not searched for words: queries filter by them.

    >>> from toysearch import Document
    >>> filter_fields(Index.build([Document("1", "a cat", "", {"colour": "black"})], values=["colour"]))
    {'colour'}
    """
    expect(Index, index=index)
    return {*index.values}.difference(index.fields.names)


def unrequired_filters(index: Index, node: Node | None) -> list[str]:
    """Return a remark on each filter that filters nothing, because it stands beside words without a sign."""
    filters = filter_fields(index)

    def filters_by(part: Node) -> bool:
        if isinstance(part, Boost | Optional):
            return filters_by(part.node)
        return isinstance(part, Range | Field) and (part.field if isinstance(part, Range) else part.name) in filters

    optional = node.nodes if isinstance(node, Or) else ()
    if isinstance(node, And):
        optional = tuple(part.node for part in node.nodes if isinstance(part, Optional))
        optional += tuple(inner for part in node.nodes if isinstance(part, Or) for inner in part.nodes)
    if isinstance(node, Or) and all(map(filters_by, optional)):
        return []
    return [f"'{part}' filters nothing beside words: +{part} requires it" for part in optional if filters_by(part)]


def in_range(node: Range, values: FieldValues) -> np.ndarray:
    """Mark the texts of a field whose number is in a range; a year, month or day as an end is the whole of it."""
    low, high = map(after_period, node.ends)
    if not np.isnan([low, high]).all() and holds_dates(values.numbers):
        if node.above_low and not np.isnan(low):
            node = replace(node, low=low, above_low=False, low_text="")
        if not node.below_high and not np.isnan(high):
            node = replace(node, high=high, below_high=True, high_text="")
    # An end that was typed as a whole number stays one, of which a float may lack digits.
    ends = zip((node.low, node.high), node.ends, strict=True)
    low, high = (int(text) if re.fullmatch(r"(?a)[+-]?\d+", text) else end for end, text in ends)
    above = values.exact > low if node.above_low else values.exact >= low
    below = values.exact < high if node.below_high else values.exact <= high
    marked: np.ndarray = above & below & ~np.isnan(values.numbers)
    return marked


def with_spelt_fields(node: Node, index: Index) -> Node:
    """Return a tree with its fields, named in any case, as the index spells them."""
    names = known_fields(index)

    def spelt(node: Node) -> Node:
        node = with_parts(node, [*map(spelt, parts(node))])
        if isinstance(node, Range):
            return replace(node, field=field_spelt(node.field, names))
        return replace(node, name=field_spelt(node.name, names)) if isinstance(node, Field) else node

    return spelt(node)


def read_query(index: Index, text: str | Node, query_mode: str, query_id: str = "") -> QueryTerms:
    """Return the terms to score and the documents to rank for a text in the query language, or for a tree."""
    matcher = Matcher(index, query_mode == "lenient")
    if isinstance(text, Node):
        spelt = with_spelt_fields(text, index)
        return matcher.query_terms(spelt)._replace(dropped=matcher.dropped(spelt))
    if not isinstance(text, str):
        raise ArgumentError(
            f"a query is one text, or terms such as Term('cat') & Phrase('red', 'lamp'), not {a(text)}; Searcher.run "
            "takes several, as in {'1': 'a cat', '2': 'a dog'}"
        )
    from toysearch.query.lexer import QueryError
    from toysearch.query.parser import read

    of_query = f"query '{query_id}': " if query_id else ""
    names = []
    with_fields, keep = ":" in text, ""
    if with_fields:
        names, keep = known_fields(index), unkept()
    try:
        tree, remarks = read(text, query_mode, names, keep)
    except QueryError as error:
        raise QueryError(f"{of_query}{error.problem}", error.query, error.place) from None
    for remark in [*remarks, *(unrequired_filters(index, tree) if with_fields else [])]:
        note(f"{of_query}{remark}")
    if tree is None:
        return query_terms(index, [])
    return matcher.query_terms(tree)._replace(dropped=matcher.dropped(tree))


def with_joined_words(node: Node, analyzer: Analyzer) -> Node:
    """Return a tree in which neighbouring words without a sign stand as one where the analyzer joins their tokens."""
    tokenizer = analyzer.tokenizer
    if tokenizer.joiner is None:
        return node
    if not isinstance(node, And | Or):
        inside = parts(node) if isinstance(node, Field | Boost | Not | Optional) else ()
        return with_parts(node, [with_joined_words(part, analyzer) for part in inside]) if inside else node
    nodes = []
    for is_word, group in groupby(parts(node), partial(_is_free_word, isinstance(node, And))):
        if not is_word:
            nodes += [with_joined_words(part, analyzer) for part in group]
            continue
        text = " ".join(word for part in group for word in words_of(part))
        within = {at for start, end in tokenizer.places(text) for at in range(start, end)}
        blanks = [at for at, letter in enumerate(text) if letter == " " and at not in within]
        edges = pairwise([-1, *blanks, len(text)])
        words = [Term(text[before + 1 : after]) for before, after in edges]
        nodes += map(Optional, words) if isinstance(node, And) else words
    return nodes[0] if isinstance(node, Or) and len(nodes) == 1 else node.with_nodes(nodes)


def _is_free_word(in_and: bool, node: Node) -> bool:
    """True for a word without a sign, which is optional beside parts with one."""
    if in_and:
        return isinstance(node, Optional) and isinstance(node.node, Term)
    return isinstance(node, Term)


def unkept() -> str:
    """Return the advice for a field that a saved index does not keep; {0} stands for the field.

    >>> unkept()
    "to ask for it: Index.build(…, values=['{0}'])"
    """
    return f"to ask for it: {Remedy('Index.build', values=['{0}'])}"


def plain_words(node: Node) -> list[str]:
    """List the words of a tree that joins only words, by `Or`; empty for any other tree."""
    expect(Node, node=node)
    return _only_words(node.nodes if isinstance(node, Or) else (node,))


def _only_words(nodes: Sequence[Node]) -> list[str]:
    words = [node.word for node in nodes if isinstance(node, Term)]
    return words if len(words) == len(nodes) else []


def _pieces(node: Wildcard) -> tuple[list[str], int | None]:
    """Split a wildcard into letters and wild signs; return the place of its last letters too, None without any."""
    pieces = re.split(r"([*?]+)", node.pattern)  # letters and signs take turns
    return pieces, max((at for at, piece in enumerate(pieces) if piece and at % 2 == 0), default=None)


def _union(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate(parts))


def _common(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    common: np.ndarray = second[rows_of(first, second)]
    return common
