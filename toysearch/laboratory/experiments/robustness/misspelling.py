"""Errors of input: misspelt words, missing function words, another case, accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from itertools import combinations, pairwise
from random import Random

from toysearch.analysis.html_and_accents import folded
from toysearch.laboratory.experiments.robustness.alteration import Alteration
from toysearch.laboratory.experiments.robustness.query_words import Vocabulary, rewritten, words_of

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")  # each row half a key to the right of the one above
_ACUTE = "\u0301"
_VOWELS = "aeiou"
_APART = 2  # two errors stand further apart than this: a swap takes two letters
_LEAST = 4  # letters of a word that gets an error


def _neighbours() -> dict[str, str]:
    """Each letter of the keyboard → those of the keys that touch its own."""
    places = {letter: (row, 2 * column + row) for row, keys in enumerate(_ROWS) for column, letter in enumerate(keys)}
    return {
        letter: "".join(
            other
            for other, (above, left) in places.items()
            if other != letter and abs(above - row) <= 1 and abs(left - column) <= 2
        )
        for letter, (row, column) in places.items()
    }


NEIGHBOURS = _neighbours()
"""Letters whose keys touch on a QWERTY keyboard."""

Edit = Callable[[str, int, Random], str]


def neighbouring_key(word: str, place: int, random: Random) -> str:
    """A word with a letter replaced by one whose key touches its own; "" where the letter is on no key."""
    letter = word[place]
    keys = NEIGHBOURS.get(letter.lower(), "")
    if not keys:
        return ""
    key = random.choice(keys)
    return word[:place] + (key.upper() if letter.isupper() else key) + word[place + 1 :]


def swapped(word: str, place: int, random: Random) -> str:
    """A word with a letter and the next one in each other's place; "" where there is none or they are equal."""
    if place + 1 >= len(word) or word[place] == word[place + 1]:
        return ""
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def dropped(word: str, place: int, random: Random) -> str:
    """A word without one of its letters."""
    return word[:place] + word[place + 1 :]


def misspelt(word: str, edits: Collection[Edit], count: int, random: Random) -> str:
    """A word with one error or two, never in its first letter, where they are rare (Yannakoudakis & Fawthrop 1983).

    Two errors stand so far apart that they cannot make one together, or undo each other.
    """
    if not word.isalpha() or len(word) < _LEAST:
        return word
    single = [(place, edit) for place in range(1, len(word)) for edit in edits if edit(word, place, random)]
    fitting = [
        chosen
        for chosen in combinations(single, count)
        if all(later - place > _APART for (place, _), (later, _) in pairwise(chosen))
    ]
    if not fitting:
        return word
    for place, edit in reversed(random.choice(fitting)):  # from the right: a drop moves what is behind it
        word = edit(word, place, random)
    return word


def spelling_alterations(vocabulary: Vocabulary, function_words: Collection[str]) -> list[Alteration]:
    """The errors of input."""

    def one_word(name: str, what: str, change: Callable[[str, Random], str]) -> Alteration:
        """An alteration of one word: of the same one, as far as it goes, whatever is done to it."""
        return Alteration(name, what, lambda text, random: in_one_word(text, vocabulary, change, random), "one word")

    def error(edit: Edit, count: int) -> Callable[[str, Random], str]:
        return lambda word, random: misspelt(word, [edit], count, random)

    kinds: list[tuple[Edit, str, str]] = [
        (neighbouring_key, "a neighbouring key", "two neighbouring keys"),
        (swapped, "two letters swapped", "two pairs swapped"),
        (dropped, "a letter dropped", "two letters dropped"),
    ]
    made = [
        one_word(name, "one word of the query has one error of this kind", error(edit, 1)) for edit, name, _ in kinds
    ]
    made += [
        one_word(name, "one word of the query has two errors of this kind", error(edit, 2)) for edit, _, name in kinds
    ]
    edits = [edit for edit, *_ in kinds]

    def every_word(text: str, random: Random) -> str:
        return rewritten(text, lambda _, word: misspelt(word, edits, 1, random) if vocabulary.knows(word) else word)

    return [
        *made,
        Alteration("every word misspelt", "each word has one error, of any of these kinds", every_word),
        Alteration(
            "no function words",
            "words such as 'the' and 'a' are missing",
            lambda text, _: without(text, function_words),
        ),
        Alteration("upper case", "the query is in capitals", lambda text, _: text.upper()),
        one_word("an accent added", "a vowel of one word has an acute accent", accented),
        Alteration("accents dropped", "letters have no accents", lambda text, _: folded(text)),
    ]


def in_one_word(text: str, vocabulary: Vocabulary, change: Callable[[str, Random], str], random: Random) -> str:
    """A text with one of its words changed: the first, in a random order, that the index knows and that can be."""
    words = words_of(text)
    order = [place for place, word in enumerate(words) if vocabulary.knows(word)]
    random.shuffle(order)
    for chosen in order:
        after = change(words[chosen], random)
        if after != words[chosen]:
            return rewritten(text, lambda place, word: after if place == chosen else word)  # noqa: B023
    return text


def without(text: str, words: Collection[str]) -> str:
    """A text without some words; as it was where nothing else is in it."""
    made = rewritten(text, lambda _, word: "" if word.lower() in words else word)
    return made if words_of(made) else text


def accented(word: str, random: Random) -> str:
    """A word with an acute accent on one of its vowels; as it was where it has none."""
    places = [place for place, letter in enumerate(word) if letter.lower() in _VOWELS]
    if not places:
        return word
    place = random.choice(places)
    return word[:place] + unicodedata.normalize("NFC", word[place] + _ACUTE) + word[place + 1 :]
