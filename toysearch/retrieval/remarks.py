"""Remarks on an answer: a better spelling, words that are nowhere or left out, why no document matches.

Start with `remarks_on_answer`, which lists all of them, from the index, the query and its terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from toysearch.analysis.analyzer_text import variant
from toysearch.analysis.languages import misfit, shipped_lists
from toysearch.analysis.token_filters import stem
from toysearch.base import NoMatchNote, QueryNote, Remedy, ToysearchNote, UnmatchedQuery, counted, expect, note
from toysearch.index.inverted_index import Index, once_per_index
from toysearch.retrieval.query_terms import QueryTerms, analyzed
from toysearch.retrieval.typed_query import TypedQuery, read_typed

if TYPE_CHECKING:
    from toysearch.models import Model, Ranker
    from toysearch.query.syntax import Node, Phrase

__all__ = ["SpellingNote", "tell_spelling"]

_LISTED = 5  # terms of a query in a remark
_FORMS = 3  # words of a query whose other forms are named
_SHARED = 3  # letters at the beginning that the forms of a word share at least


class SpellingNote(ToysearchNote):
    """Note of a better spelling, or of words that no document contains."""


class Remark(NamedTuple):
    """What was found, and where; the remedy, tried on the index, if there is one; and the kind of its note."""

    what: str
    remedy: str = ""
    kind: type[ToysearchNote] = ToysearchNote

    def tell(self) -> None:
        """Issue the remark as a note."""
        note(f"{self.what}: {self.remedy}" if self.remedy else self.what, self.kind)


def remarks_on_answer(
    index: Index, model: Model | Ranker, terms: QueryTerms, query: str | Node, mode: str, where: str | Node | None
) -> list[Remark]:
    """List what is worth saying of the answer of a model to a query."""
    remarks = []
    if terms.unknown:
        typed = read_typed(index, query, mode)[0] if isinstance(query, str) else TypedQuery(str(query), query)
        remarks += remarks_on_spelling(index, typed, where=where)[1]
    if terms.dropped and (terms.unknown or len(terms.numbers)):
        remarks.append(Remark(_words_left_out(index, terms.dropped)))
    if not len(terms.numbers) and terms.matched is None and (model.ranks_every or model.needs_terms):
        beside = "; a prior ranks all documents" if model.ranks_every else ""
        remarks.append(Remark(_unmatched(index, terms) + beside, "", NoMatchNote))
        remarks.append(Remark(misfit(terms.text, index.analyzer)))  # the same sentence as for documents
    elif terms.unknown and terms.matched is not None and not len(terms.matched):
        remarks.append(Remark(_phrases_apart(index, terms), "", NoMatchNote))
    return [remark for remark in remarks if remark.what]


def tell_spelling(
    index: Index, typed: TypedQuery, correct: bool = False, where: str | Node | None = None
) -> TypedQuery:
    """Note a better spelling and words that no document contains; return the query, corrected if wanted.

    Parameters
    ----------
    index : Index
        The index that is searched.
    typed : TypedQuery
        The query.
    correct : bool
        Whether the better spelling takes the place of the query. Default False.
    where : str, Node or None
        The filter of documents, as for `Searcher.search`.

    Examples
    --------
    >>> import warnings
    >>> index = Index.build(["the boundary layer", "boundary conditions", "a layer of paint"])
    >>> with warnings.catch_warnings(record=True, action="always") as notes:
    ...     tell_spelling(index, TypedQuery("boundery layer"), correct=True).text
    'boundary layer'
    >>> print(notes[0].message)
    searched for: boundary layer
    """
    expect(Index, index=index)
    expect(TypedQuery, typed=typed)
    typed, remarks = remarks_on_spelling(index, typed, correct, where)
    for remark in remarks:
        remark.tell()
    return typed


def remarks_on_spelling(
    index: Index, typed: TypedQuery, correct: bool = False, where: str | Node | None = None
) -> tuple[TypedQuery, list[Remark]]:
    """Return a query, corrected if wanted, and the remarks on its spelling and on words that no document contains."""
    remarks = []
    forms = {} if correct else other_forms(index, typed)
    if forms:
        remarks.append(
            Remark(_apart(index, forms), f"{Remedy('Index.build', analyzer=likely_language(index))} joins both")
        )
    if typed.is_usual(index):
        return typed, remarks
    unknown = typed.unknown(index)
    if (correct or not forms or not {*unknown} <= {*forms}) and (respelt := typed.better(index, where)):
        better, documents = respelt
        if correct:
            remarks.append(Remark(f"searched for: {better.asked}", "", SpellingNote))
            typed, unknown = better, better.unknown(index)
        else:
            how_many = f" ({counted(documents, 'document')})" if documents else ""
            remarks.append(Remark(f"did you mean {better.asked}?{how_many}", "", SpellingNote))
    nowhere = [word for word in unknown if word not in forms]
    if nowhere:
        from toysearch.retrieval.unsearched_fields import fields_with, ways_to_find  # most words are in a searched text

        elsewhere = fields_with(index, tuple(nowhere))
        found = [word for word in nowhere if word in elsewhere]
        remarks += [Remark(*ways_to_find(index, word, elsewhere[word]), SpellingNote) for word in found]
        nowhere = [word for word in nowhere if word not in elsewhere]
    n_terms = len({*analyzed(index, typed.searched_words(index)).terms})
    if nowhere and len(nowhere) < n_terms:  # of a query without any other term, `_unmatched` says so
        holder = "searched text" if index.folder is not None and index.source is None else "document"
        remarks.append(Remark(f"in no {holder}", ", ".join(nowhere), SpellingNote))
    return typed, remarks


@once_per_index
def likely_language(index: Index) -> str:
    """Name the language whose stop words are in most documents of an index; "" if there are none of any."""
    most, likely = 0, ""
    for language, words in shipped_lists("snowball").items():
        numbers = [number for number in index.term_numbers.of_each(sorted(words)) if number >= 0]
        frequency = int(index.df_by_term[numbers].sum()) if numbers else 0
        if frequency > most:
            most, likely = frequency, language
    return likely


def other_forms(index: Index, typed: TypedQuery) -> dict[str, str]:
    """Return each word of a query with the most frequent of its other forms in the index; none if stems are indexed."""
    analyzer = index.analyzer
    if analyzer.stem or analyzer.makes_grams:
        return {}
    words = [word for word in analyzed(index, typed.searched_words(index)).tokens if len(word) >= _SHARED]
    language = likely_language(index) if words else ""
    of_each = {word: _other_form(index, word, language) for word in words} if language else {}
    return {word: form for word, form in of_each.items() if form and form not in words}


def _other_form(index: Index, word: str, language: str) -> str:
    """Return the term with the stem of a word, but another one, that is in most documents; "" without one."""
    root = stem(word, language)
    n_shared = max(_SHARED, len(root) - 1)
    beginnings = {root[:n_shared], word[:n_shared]}
    near = sorted({number for beginning in beginnings for number in index.terms.starting_with(beginning)})
    forms = [number for number in near if index.term(number) != word and stem(index.term(number), language) == root]
    return index.term(forms[int(index.df_by_term[forms].argmax())]) if forms else ""


def _apart(index: Index, forms: dict[str, str]) -> str:
    """Say in how many documents some words are, and in how many their other forms are."""

    def documents(word: str) -> int:
        number = index.term_number(word)
        return int(index.df_by_term[[number]][0]) if number >= 0 else 0

    sentences = []
    for word, form in islice(forms.items(), _FORMS):
        holders = counted(n, "document") if (n := documents(word)) else "no document"
        sentences.append(f"{word} is in {holders}, {form} in {documents(form):,}")
    return "; ".join(sentences)


def _words_left_out(index: Index, words: Sequence[str]) -> str:
    """Say that words of a query are no terms, and which analyzer keeps those that are stop words."""
    analyzer, kept = index.analyzer, ""
    if stopped := analyzer.stop.intersection(map(analyzer.tokenizer.prepared, words)):
        lists = ["snowball"] * (analyzer.language in shipped_lists("snowball")) + ["none"]
        others = (variant(analyzer, {"stop": name}) for name in lists)
        other = str(next(other for other in others if other.stop.isdisjoint(stopped)))
        if "<" not in other:
            kept = f"; {Remedy('Index.build', analyzer=other)} keeps {', '.join(sorted(stopped))}"
    return f"left out of the query: {analyzer.left_out(' '.join(words))}{kept}"


def _unmatched(index: Index, query: QueryTerms) -> str:
    """Say why a query has no term in an index: it is empty, an id, or its terms or phrases are in no document."""
    text = query.text.strip()
    if not query.unknown:
        left_out = index.analyzer.left_out(query.text) or "there is no word in it"
        return f"the analyzer leaves no term of the query: {left_out}" if text else "the query is empty"
    if index.find_document(text) >= 0:
        return f"'{text}' is in no text; it is the id of a document: {Remedy('Index.vector', text)} shows it"
    if problem := _phrases_apart(index, query):
        return problem
    from toysearch.retrieval.unsearched_fields import fields_with  # most queries have a term

    unknown = TypedQuery(query.text).unknown(index)
    holder = "searched text" if fields_with(index, tuple(unknown)) else "document"
    n_phrases = sum(_phrase_of(term) is not None for term in query.unknown)
    part = "term or phrase" if 0 < n_phrases < len(query.unknown) else "phrase" if n_phrases else "term"
    return f"no {holder} contains a {part} of the query ({', '.join([*query.unknown][:_LISTED])})"


def _phrases_apart(index: Index, query: QueryTerms) -> str:
    """Say that no document has the phrases of a query, if documents have all their words; "" otherwise."""
    phrases = [_phrase_of(term) for term in query.unknown]
    words = [analyzed(index, " ".join(phrase.words)).terms for phrase in phrases if phrase is not None]
    if not words or len(words) < len(phrases) or any(index.term_number(term) < 0 for terms in words for term in terms):
        return ""
    which, its = ("phrase", "its") if len(words) == 1 else ("phrases", "their")
    return f"no document has the {which} {', '.join([*query.unknown][:_LISTED])}; {its} words occur apart"


def _phrase_of(term: str) -> Phrase | None:
    """Return the phrase that a term of a query was made of, also in a field; None for any other term."""
    from toysearch.query.parser import read  # most queries have a term
    from toysearch.query.syntax import Field, Phrase

    tree = read(term, "lenient", None, "").tree
    while isinstance(tree, Field):
        tree = tree.node
    return tree if isinstance(tree, Phrase) else None


def tell_unmatched(queries: Sequence[tuple[str, str]], looked_up: Sequence[QueryTerms]) -> None:
    """Note how many of several queries have no term in an index, unless their collection says so itself."""
    pairs = zip(queries, looked_up, strict=True)
    unmatched = [query for query, terms in pairs if not len(terms.numbers) and terms.matched is None]
    if all(isinstance(query, UnmatchedQuery) for query in unmatched):
        return
    have, get = ("has", "gets") if len(unmatched) == 1 else ("have", "get")
    note(
        f"{len(unmatched)} of {counted(len(queries), 'query', 'queries')} {have} no term in the index and {get} no "
        f"documents (the first: '{unmatched[0][0]}')",
        QueryNote,
    )
