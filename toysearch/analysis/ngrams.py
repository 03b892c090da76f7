"""n-grams: of neighbouring terms, and of neighbouring characters within a term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toysearch.errors import ArgumentError

Range = tuple[int, int]
"""The shortest and the longest n."""


def word_ngrams(terms: Sequence[str], lengths: Range) -> list[str]:
    """All runs of n neighbouring terms, joined by a blank: for each n from the shortest, in the order of the text.

    What scikit-learn's ``CountVectorizer(ngram_range=(shortest, longest))`` makes of the same terms.
    """
    shortest, longest = lengths
    return [
        " ".join(terms[start : start + n])
        for n in range(shortest, min(longest, len(terms)) + 1)
        for start in range(len(terms) - n + 1)
    ]


def char_ngrams(term: str, lengths: Range) -> list[str]:
    """All runs of n neighbouring characters of a term with a blank before and after it, for each n from the shortest.

    What scikit-learn's ``CountVectorizer(analyzer="char_wb", ngram_range=(shortest, longest))`` makes of a word: one
    that is shorter than n, blanks and all, is taken whole, once.
    """
    padded = f" {term} "
    shortest, longest = lengths
    if len(padded) < shortest:
        return [padded]
    return [
        padded[start : start + n]
        for n in range(shortest, min(longest, len(padded)) + 1)
        for start in range(len(padded) - n + 1)
    ]


def lengths_of(name: str, value: Iterable[int] | None) -> Range | None:
    """A pair of lengths, checked; None for None, and for words one by one."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 1 <= pair[0] <= pair[1]:
        raise ArgumentError(
            f"{name} takes the shortest and the longest length, whole numbers such as (1, 2), not {value!r}"
        )
    return None if name == "ngrams" and pair == (1, 1) else (pair[0], pair[1])
