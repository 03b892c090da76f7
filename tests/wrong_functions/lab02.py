"""Wrong functions that students write in lab 2: indexes, merges and phrases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toysearch.base import groups_of
from toysearch.classroom.exercises.lab02 import (
    Merged,
    Posting,
    _altered,
    _inverted,
    _merged,
    _miscounted,
    _with_phrase,
)


def _of_changed(change: Callable[[list[str]], list[str]]) -> Callable[..., dict[str, list[Posting]]]:
    return lambda documents: _inverted([change(list(tokens)) for tokens in documents])


def _by_place(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    """Number documents by the place of the first equal one."""
    index: dict[str, dict[int, int]] = {}
    for tokens in documents:
        for term in tokens:
            index.setdefault(term, {})[documents.index(tokens) + 1] = tokens.count(term)
    return {term: list(postings.items()) for term, postings in index.items()}


def _sorted_by(key: Callable[[Posting], Any]) -> Callable[..., dict[str, list[Posting]]]:
    return lambda documents: {term: sorted(postings, key=key) for term, postings in _inverted(documents).items()}


def _with_totals(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    index = _inverted(documents)
    return {term: [(number, sum(tf for _, tf in index[term])) for number, _ in index[term]] for term in index}


def _in_order(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    """Count only tokens that follow each other."""
    return groups_of(
        (term, (number, len(list(run))))
        for number, tokens in enumerate(documents, 1)
        for term, run in itertools.groupby(tokens)
    )


def _with_zeros(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    return {
        term: [(number, list(tokens).count(term)) for number, tokens in enumerate(documents, 1)]
        for term in _inverted(documents)
    }


def _few_documents(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    return {term: postings for term, postings in _inverted(documents).items() if len(postings) < len(documents)}


_WRONG_INDEXES = (
    (_in_order, "you count a term anew where another word stands between; its tf is its number in the document."),
    (_sorted_by(lambda posting: (-posting[1], posting[0])), "your postings are ordered by tf; order them by document."),
    (_sorted_by(lambda posting: str(posting[0])), "you sort document numbers as texts, where 10 stands before 2."),
    (
        _altered(lambda number, tf, tokens, term: [(number, len(tokens))]),
        "your number is the length of the document; tf is asked for.",
    ),
    (
        _altered(lambda number, tf, tokens, term: [(number, tokens.index(term))]),
        "your number is the term's position; tf is asked for.",
    ),
    (_with_totals, "your number is the frequency in all documents; tf is the one in this document."),
    (_by_place, "documents.index finds the first of two equal documents; number them with enumerate."),
    (_with_zeros, "documents that lack the term are in your postings, with a tf of 0."),
    (_few_documents, "a term that is in all documents is missing; it has a postings list as well."),
    (lambda documents: _inverted(documents[:-1]), "you leave out the last document."),
    (lambda documents: _inverted(documents[:100]), "you leave out documents after the first 100."),
    (lambda documents: _inverted([tokens for tokens in documents if tokens]), "an empty document has a number too."),
    (_of_changed(lambda tokens: [token.lower() for token in tokens]), "you changed the case; take tokens as they are."),
    (
        _of_changed(lambda tokens: [token for token in tokens if token not in ("a", "the", "and")]),
        "you leave out stop words; every token is a term here.",
    ),
    (
        _of_changed(lambda tokens: [token for token in tokens if token.isalpha()]),
        "you leave out tokens that are not words; every token is a term here.",
    ),
    (_of_changed(lambda tokens: [token for token in tokens if len(token) > 1]), "you leave out single letters."),
)


def _found_by(operator: str, find: Callable[[Sequence[int], Sequence[int]], Iterable[int]]) -> Callable[..., Merged]:
    """Find other documents for one of the operators."""

    def merge(a: Sequence[int], b: Sequence[int], asked: str) -> Merged:
        right, comparisons = _merged(a, b, asked)
        return list(find(a, b)) if asked == operator else right, comparisons

    return merge


def _tails(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return what stands in both lists after the end of the other one."""
    end_a, end_b = (each[-1] if each else 0 for each in (a, b))
    return [document for document in a if document > end_b], [document for document in b if document > end_a]


def _less(a: Sequence[int], b: Sequence[int], side: int) -> list[int]:
    return sorted({*a, *b} - {*_tails(a, b)[side]})


def _comparisons(a: Sequence[int], b: Sequence[int]) -> int:
    return _merged(a, b, "AND")[1]


def _matches(a: Sequence[int], b: Sequence[int]) -> int:
    return len({*a} & {*b})


def _one_early(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    """Stop before the last place of both lists, and lose it."""
    return _merged(a[:-1], b[:-1], operator)


_MATCHES_COUNT = "each iteration compares two documents once, whether they are equal or not."


_WRONG_MERGES = (
    (
        _miscounted(lambda a, b: max(0, len(a) + len(b) - 1)),
        "the sum of the two lengths is the maximum for a merge; count the comparisons that it actually makes.",
    ),
    (_miscounted(lambda a, b: min(len(a), len(b))), "count the comparisons that the merge actually makes."),
    (_miscounted(lambda a, b: max(len(a), len(b))), "count the comparisons that the merge actually makes."),
    (_miscounted(_matches), _MATCHES_COUNT),
    (_miscounted(lambda a, b: _comparisons(a, b) - _matches(a, b)), _MATCHES_COUNT),
    (_miscounted(lambda a, b: 2 * _comparisons(a, b)), _MATCHES_COUNT),
    (_miscounted(lambda a, b: 2 * _comparisons(a, b) - _matches(a, b)), _MATCHES_COUNT),
    (_miscounted(lambda a, b: _comparisons(a, b) + 1), "you count one comparison too many."),
    (_miscounted(lambda a, b: max(0, _comparisons(a, b) - 1)), "you count one comparison too few."),
    (_miscounted(lambda a, b: 0), "you do not count the comparisons."),
    (_found_by("OR", lambda a, b: _less(a, b, 0)), "OR keeps the rest of both lists; you lose that of a."),
    (_found_by("OR", lambda a, b: _less(a, b, 1)), "OR keeps the rest of both lists; you lose that of b."),
    (_found_by("NOT", lambda a, b: sorted({*a} - {*b} - {*_tails(a, b)[0]})), "NOT keeps the rest of a."),
    (_found_by("NOT", lambda a, b: sorted({*a} - {*b} | {*_tails(a, b)[1]})), "NOT does not keep the rest of b."),
    (_found_by("AND", lambda a, b: sorted({*a} & {*b} | {*_tails(a, b)[0]})), "AND keeps no rest of a list."),
    (_found_by("AND", lambda a, b: sorted({*a} & {*b} | {*_tails(a, b)[1]})), "AND keeps no rest of a list."),
    (_found_by("OR", lambda a, b: [*a, *(each for each in b if each not in a)]), "your documents are not in order."),
    (_found_by("OR", lambda a, b: sorted({*a} ^ {*b})), "OR keeps a document that is in both lists."),
    (_found_by("OR", lambda a, b: sorted({*a} & {*b})), "OR keeps a document that is in one of the lists."),
    (_found_by("NOT", lambda a, b: sorted({*a} ^ {*b})), "NOT keeps documents of a only, not those of b."),
    (_found_by("NOT", lambda a, b: list(a)), "NOT leaves out the documents of b."),
    (
        lambda a, b, operator: _merged(sorted(a, key=str), sorted(b, key=str), operator),
        "you compare documents as texts, where 10 stands before 2.",
    ),
    (
        lambda a, b, operator: (sorted(_merged(a, b, operator)[0], key=str), _comparisons(a, b)),
        "you compare documents as texts, where 10 stands before 2.",
    ),
    (_one_early, "your loop ends one place too early."),
    (lambda a, b, operator: _merged(a, b, "AND"), "your function ignores the operator."),
    (lambda a, b, operator: _merged(a, b, "OR"), "your function ignores the operator."),
    (lambda a, b, operator: _merged(a, b, "NOT"), "your function ignores the operator."),
)


def _spread(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    """Find documents in which the words follow each other, with others between them."""
    found = []
    for number, tokens in enumerate(documents, 1):
        rest = iter(tokens)
        if all(word in rest for word in phrase):
            found.append(number)
    return found


def _ends_only(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    """Look at the first and the last word only."""
    last = len(phrase) - 1
    return [
        number
        for number, tokens in enumerate(documents, 1)
        if any(tokens[at] == phrase[0] and tokens[at + last] == phrase[-1] for at in range(len(tokens) - last))
    ]


def _within(places: Callable[[int, int], Iterable[int]]) -> Callable[..., list[int]]:
    """Look for the phrase at some of the places, from the lengths of the document and of the phrase."""
    return lambda phrase, documents: [
        number
        for number, tokens in enumerate(documents, 1)
        if any(list(tokens[at : at + len(phrase)]) == list(phrase) for at in places(len(tokens), len(phrase)))
    ]


def _never_back(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    """Begin anew behind the word that does not fit."""
    found = []
    for number, tokens in enumerate(documents, 1):
        matched = 0
        for token in tokens:
            if matched < len(phrase):
                matched = matched + 1 if token == phrase[matched] else 0
        if matched == len(phrase):
            found.append(number)
    return found


def _across(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    """Find a phrase that begins in one document and ends in the next one."""
    padded = [[*tokens, *more[: len(phrase) - 1]] for tokens, more in zip(documents, [*documents[1:], []], strict=True)]
    return _with_phrase(phrase, padded)


def _each_time(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    length = len(phrase)
    return [
        number
        for number, tokens in enumerate(documents, 1)
        for at in range(len(tokens))
        if list(tokens[at : at + length]) == list(phrase)
    ]


def _first_equal(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return sorted({documents.index(documents[number - 1]) + 1 for number in _with_phrase(phrase, documents)})


_WRONG_PHRASES = (
    (_spread, "your documents have the words in the right order, but not always next to each other."),
    (lambda phrase, documents: _with_phrase(phrase[::-1], documents), "you find the phrase backwards."),
    (_ends_only, "you compare only the first and the last word of the phrase."),
    (lambda phrase, documents: _with_phrase(phrase[:2], documents), "you compare only the first two words."),
    (lambda phrase, documents: _with_phrase(phrase[-2:], documents), "you compare only the last two words."),
    (lambda phrase, documents: _with_phrase(phrase[:3], documents), "you compare only the first three words."),
    (_within(lambda size, length: range(size - length)), "you miss a phrase at the end of a document."),
    (_within(lambda size, length: range(1, size)), "you miss a phrase at the beginning of a document."),
    (_within(lambda size, length: range(1)), "you look only at the beginning of a document."),
    (_never_back, "after a word that does not fit, the phrase may have begun in the meantime."),
    (_across, "a phrase cannot begin in one document and end in the next."),
    (_each_time, "you return a document once for each occurrence; return it once."),
    (_first_equal, "documents.index finds the first of two equal documents; number them with enumerate."),
    (
        lambda phrase, documents: _with_phrase(
            [word.lower() for word in phrase], [[token.lower() for token in tokens] for tokens in documents]
        ),
        "you changed the case; take tokens as they are.",
    ),
    (lambda phrase, documents: _with_phrase(phrase, documents[:100]), "you leave out documents after the first 100."),
    (lambda phrase, documents: sorted(_with_phrase(phrase, documents), key=str), "your documents are not in order."),
    (lambda phrase, documents: _with_phrase(phrase, documents)[::-1], "your documents are not in order."),
    (lambda phrase, documents: _with_phrase(phrase, documents)[:1], "you stop at the first document."),
)


WRONG = {"2.2": _WRONG_INDEXES, "2.4": _WRONG_MERGES, "2.9": _WRONG_PHRASES}
