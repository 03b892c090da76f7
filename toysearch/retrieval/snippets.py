"""Snippets: the passage of a document that best shows why it was retrieved."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import expect, expect_list, opening

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index

__all__ = ["Snippet", "snippet"]


class Snippet(NamedTuple):
    """Passage and the positions of its matched words, as (start, end) pairs."""

    text: str
    spans: list[tuple[int, int]]


_LONGEST = 1 << 18  # characters of a text that are searched for a passage
_BEFORE = 1 << 10


def snippet(text: str, terms: Collection[str], analyzer: Analyzer, width: int = 160) -> Snippet:
    """Find the window of a text with the most query terms.

    Parameters
    ----------
    text : str
        The text of the document; white space is collapsed, and HTML is removed if the analyzer removes it.
    terms : collection of str
        The query terms, after analysis. The terms of a phrase are one more, with blanks between them: the window is
        then where the phrase is.
    analyzer : Analyzer
        The analyzer that produced the terms.
    width : int
        The length of the window in characters; it is cut at blanks, and … marks omitted text.

    Returns
    -------
    Snippet
        The passage; the start of the text if no word matches.

    Examples
    --------
    >>> snippet("How to train a parrot", {"parrot"}, Analyzer())
    Snippet(text='How to train a parrot', spans=[(15, 21)])
    """
    expect(str, text=text)
    expect_list(str, ordered=False, terms=terms)
    expect(Analyzer, analyzer=analyzer)
    expect(int, width=width)
    # Long texts are searched from the first query term on. Most terms are prefixes of words.
    first = 0
    if len(text) > _LONGEST:
        lowered = analyzer.tokenizer.prepared(text)
        places = [place for place in map(lowered.find, terms) if place >= 0] if len(lowered) == len(text) else []
        first = max(0, min(places, default=0) - _BEFORE)
        first = text.find(" ", first, first + _BEFORE) + 1 if first else 0
    cut = first > 0
    text = analyzer.tokenizer.visible(text[first : first + _LONGEST])
    if analyzer.fold_accents or analyzer.marks:  # a separate accent would end the word, or be half of a pair
        text = unicodedata.normalize("NFC", text)
    text = " ".join(text.split())
    matches = _matches(text, terms, analyzer)
    start, stop = _window(text, _of_phrase(text, terms, matches, analyzer) or matches, width)
    before = "… " if start or cut else ""
    passage = text[start:stop].rstrip()
    shift = len(before) - start
    spans: list[tuple[int, int]] = []
    for first, last, _ in matches:
        if start <= first and last <= stop:
            # Pairs of characters may share a character.
            begin = spans.pop()[0] if spans and first + shift < spans[-1][1] else first + shift
            spans.append((begin, last + shift))
    return Snippet(before + passage + (" …" if stop < len(text) else ""), spans)


def without_title(text: str, title: str) -> str:
    r"""Remove the title from the head of a text that stands below it; a sentence that begins with it stays whole.

    >>> without_title("On cats On\ncats\nA cat purrs.", "On cats")
    'A cat purrs.'
    >>> without_title("Cats purr.", "Cats")
    'Cats purr.'
    """
    words, start = title.split(), 0
    if not words or not text.startswith(words[0]):
        return text
    end_of_heading = re.compile(r"(?!\w)[.:]?(\s*)")
    while (place := _after(words, text, start)) and (heading := end_of_heading.match(text, place)):
        goes_on = text[heading.end() : heading.end() + 1].islower() and "\n" not in heading[1]
        if goes_on and title.rstrip()[-1].isalnum():
            break
        start = heading.end()
    return text[start:]


def _after(words: Sequence[str], text: str, start: int) -> int:
    """Return the place after words that a text repeats, with any white space between them; 0 if it does not."""
    for number, word in enumerate(words):
        blank = re.compile(r"\s+" if number else "").match(text, start)
        if blank is None or not text.startswith(word, blank.end()):
            return 0
        start = blank.end() + len(word)
    return start


def _matches(text: str, terms: Collection[str], analyzer: Analyzer) -> list[tuple[int, int, str]]:
    """Find the words that become a query term or belong to an n-gram that is a query term: (start, end, term)."""
    words, terms_of = [], _terms_of(analyzer)
    for start, end in analyzer.tokenizer.places(text):
        # Each word is analysed by itself: lower-casing may change the length of a text and so shift positions.
        words += [(start, end, term) for term in terms_of(text[start:end])]
    if analyzer.char_ngrams:
        # More than half of the n-grams of a word, because some occur in almost every text.
        grams = [analyzer.grams([term]) for _, _, term in words]
        pairs = zip(words, grams, strict=True)
        return [word for word, some in pairs if 2 * sum(gram in terms for gram in some) > len(some)]
    if not analyzer.ngrams:
        if not analyzer.cjk:
            return [word for word in words if word[2] in terms]
        matches = []
        for start, end, term in words:  # a word if it is a query term, or the characters of a pair that are
            if term in terms:
                matches.append((start, end, term))
            elif len(term) == 2:
                matches += [(at, at + 1, text[at]) for at in range(start, end) if text[at] in terms]
        return matches
    shortest, longest = analyzer.ngrams
    matching: dict[int, tuple[int, int, str]] = {}
    for n in range(shortest, min(longest, len(words)) + 1):
        for first in range(len(words) - n + 1):
            gram = " ".join(term for _, _, term in words[first : first + n])
            if gram in terms:
                matching |= {at: words[at] for at in range(first, first + n)}
    return [matching[at] for at in sorted(matching)]


@lru_cache(maxsize=8)
def _terms_of(analyzer: Analyzer) -> Callable[[str], list[str]]:
    """Return what analyses a word by itself; most words occur in several results."""

    @lru_cache(maxsize=1 << 12)
    def terms_of(word: str) -> list[str]:
        return [term for term in map(analyzer.term, analyzer.tokenizer.part(word)) if term is not None]

    return terms_of


def title_or_passage(title: Snippet | None, passage: Any, terms: Collection[str], analyzer: Analyzer) -> Any:
    """Return the title of a document, or a passage if that alone has a phrase of the query, or else a word of it."""
    if not title or not passage:
        return passage or title
    if not any(" " in term for term in terms):
        return passage if passage.spans and not title.spans else title

    def told(part: Snippet) -> tuple[bool, bool]:
        matches = _matches(part.text, terms, analyzer) if part.spans else []  # none in a title that is not searched
        return bool(_of_phrase(part.text, terms, matches, analyzer)), bool(part.spans)

    return passage if told(passage) > told(title) else title


def _of_phrase(
    text: str, terms: Collection[str], matches: list[tuple[int, int, str]], analyzer: Analyzer
) -> list[tuple[int, int, str]]:
    """Return the matches of the first phrase: its terms in their order, with nothing between them but dropped words."""
    phrases = [] if analyzer.makes_grams else [term.split() for term in terms if " " in term]
    for place in range(len(matches) if phrases else 0):
        for phrase in phrases:
            words = matches[place : place + len(phrase)]
            if [word[2] for word in words] != phrase:
                continue
            gaps = (text[before[1] : after[0]] for before, after in pairwise(words))
            if not any(gap.strip() and analyzer(gap) for gap in gaps):
                return words
    return []


def _window(text: str, matches: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """Return start and end of the window with the most different terms, then the most matches, then the earliest."""
    if len(text) <= width:
        return 0, len(text)
    most, first, last = (0, 0), 0, 0
    counts: Counter[str] = Counter()  # the terms of the matches from the current one up to `end`
    end = 0
    for place, (match_start, match_end, term) in enumerate(matches):
        end = max(end, place)
        while end < len(matches) and matches[end][1] <= match_start + width:
            counts[matches[end][2]] += 1
            end += 1
        richness = len(counts), end - place
        if richness > most:
            most, first, last = richness, match_start, matches[end - 1][1]
        if match_end <= match_start + width:  # a word longer than the window was never counted
            counts[term] -= 1
            if not counts[term]:
                del counts[term]
    start = max(0, min(first - (width - (last - first)) // 2, len(text) - width))
    if start:  # begin at a word, but not after the first match
        start = text.find(" ", start, first) + 1 or first
    stop = min(len(text), start + width)
    if stop < len(text):  # end at a word; without a blank, anywhere
        blank = text.rfind(" ", last, stop + 1)
        stop = blank if blank > start else stop
    return start, stop


_OPENING = 50  # characters of a title or of the beginning of a text


def title_of(index: Index, doc_id: str) -> str | None:
    """Return the title of a document, or the beginning of its text; None in an index without texts."""
    number = index.doc_number(doc_id)
    text = index.title(number) or index.text(number)
    return text and opening(text, _OPENING)
