"""Languages: names, codes, letters, stop words, and warnings about analyzers that do not fit the script of a text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.analysis.token_filters import stemmers, uncommented
from toysearch.analysis.tokenizer import WORD1, WORD2, has_characters, runs, spelling
from toysearch.base import ArgumentError, Remedy, expect, malformed, note, unknown

__all__ = ["misfit"]

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

_LANGUAGES = """
arabic       ar  العربية
armenian     hy  հայերեն
basque       eu  euskara
catalan      ca  català
czech        cs  čeština
danish       da  dansk
dutch        nl  nederlands
dutch_porter nl
english      en
esperanto    eo
estonian     et  eesti
finnish      fi  suomi
french       fr  français, francais
german       de  deutsch
greek        el  ελληνικά
hindi        hi  हिन्दी, हिंदी
hungarian    hu  magyar
indonesian   id  bahasa indonesia
irish        ga  gaeilge
italian      it  italiano
lithuanian   lt  lietuvių
nepali       ne  नेपाली
norwegian    no  norsk
persian      fa  فارسی, farsi
polish       pl  polski
porter       en
portuguese   pt  português, portugues
romanian     ro  română
russian      ru  русский
serbian      sr  српски, srpski
sesotho      st
spanish      es  español, espanol, castellano
swedish      sv  svenska
tamil        ta  தமிழ்
turkish      tr  türkçe, turkce
yiddish      yi  ייִדיש

afrikaans    af
bengali      bn  বাংলা
breton       br
bulgarian    bg  български
croatian     hr  hrvatski
galician     gl  galego
gujarati     gu  ગુજરાતી
hebrew       he  עברית
latin        la
latvian      lv  latviešu
malay        ms
marathi      mr  मराठी
slovak       sk  slovenčina
slovenian    sl  slovenščina
swahili      sw  kiswahili
tagalog      tl
thai         th  ไทย
ukrainian    uk  українська
urdu         ur  اردو
vietnamese   vi  tiếng việt
zulu         zu

chinese      zh  中文, 汉语, 漢語
japanese     ja  日本語
korean       ko  한국어
"""
"""Languages: those with a Snowball stemmer, those with a list of stop words alone, and those whose tokens are pairs of
characters; each with its ISO 639-1 code, which stands for its first name, and its own names."""

_ROWS = [[row.split(maxsplit=2) for row in part.splitlines()] for part in _LANGUAGES.strip().split("\n\n")]
STEMMED, UNSTEMMED, _IN_PAIRS = ({name: code for name, code, *_ in rows} for rows in _ROWS)
CJK = {**_IN_PAIRS, "cjk": ""}
CODES = STEMMED | UNSTEMMED | CJK
"""ISO 639-1 code of each language."""

NAMES: dict[str, str] = {}
"""Code or native name → English name."""
for _name, _code, *_own in chain.from_iterable(_ROWS):
    NAMES.setdefault(_code, _name)
    NAMES |= {other: _name for others in _own for other in others.split(", ")}

_ARABIC_POINTS = "\u0640\u0670" + "".join(
    map(chr, [*range(0x0610, 0x061B), *range(0x064B, 0x0653), *range(0x06D6, 0x06DD)])
)
_HEBREW_POINTS = [chr(at) for at in (*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7)]
_ZWNJ = "\u200c"
LETTERS = {
    "arabic": dict.fromkeys(_ARABIC_POINTS, ""),
    "urdu": dict.fromkeys(_ARABIC_POINTS, ""),
    "persian": dict.fromkeys(_ARABIC_POINTS, "")
    | {_ZWNJ: _ZWNJ},  # it separates prefixes and suffixes: the stemmer needs it
    "hebrew": dict.fromkeys(_HEBREW_POINTS, ""),
    "french": {"œ": "oe", "æ": "ae"},
    "turkish": {"I": "ı", "İ": "i"},
}
"""Letters of a language → their replacements, which give each word one spelling: optional vowel points are removed, and
so is the Arabic stroke that merely lengthens a word; the small I of Turkish has no dot (SpecialCasing.txt)."""


def language_named(name: str) -> str:
    """Return the language of a name, its own name or an ISO 639-1 code; ``none`` for ``none`` and ``plain``.

    >>> language_named("de"), language_named("English"), language_named("deutsch"), language_named("plain")
    ('german', 'english', 'german', 'none')
    """
    import unicodedata

    language = unicodedata.normalize("NFC", str(name).strip().lower())
    if language in ("none", "plain"):
        return "none"
    language = NAMES.get(language, language)
    if language not in (names := sorted([*stemmers(), *UNSTEMMED, *CJK])):
        raise unknown("language", str(name), ["none", *names])
    return language


def stemmer_named(name: str | None) -> str | None:
    """Return the stemmer of a name (or an ISO 639-1 code), None for None and ``none``."""
    stemmer = "none" if name is None else str(name).strip().lower()
    if stemmer == "none":
        return None
    stemmer = "english" if stemmer == "porter2" else NAMES.get(stemmer, stemmer)
    if stemmer not in stemmers():
        raise unknown("stemmer", str(name), ["none", *stemmers()])
    return stemmer


def word_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the words of a file with one word per line, with their line numbers."""
    from toysearch.files.source import SAVE_AS_UTF8, numbered_lines  # most lists come with toysearch

    for number, line in numbered_lines(path, SAVE_AS_UTF8):
        words = uncommented(line).split()
        if len(words) > 1:
            raise malformed(path, number, f"expected one word per line, found {len(words)}: '{line.strip()}'")
        yield from ((number, word) for word in words)


def protected_words(source: str | os.PathLike[str] | Iterable[str], token: Callable[[str], str]) -> frozenset[str]:
    """Return the protected words, as tokens."""
    if not isinstance(source, Iterable | os.PathLike):
        raise ArgumentError(f"protected words are a file, or the words, not {source!r}")
    if not isinstance(source, str | os.PathLike):
        return frozenset(map(token, source))
    words = set()
    for number, word in word_lines(source):
        try:
            words.add(token(word))
        except ArgumentError as error:
            raise malformed(source, number, str(error)) from None
    return frozenset(words)


LISTS = ("none", "sklearn", "lucene", "snowball", "iso")


class StopWords(NamedTuple):
    """Stop words, and the name to show for them: ``own`` or one of `LISTS`."""

    name: str
    words: frozenset[str]


NO_STOP_WORDS = StopWords("none", frozenset())


def stop_words(source: StopWords | str | os.PathLike[str] | Iterable[str] | None, language: str = "none") -> StopWords:
    """Return the stop words from the name of a list, a file or an iterable."""
    if isinstance(source, StopWords):
        return source
    if source is None or source == "none":
        return NO_STOP_WORDS
    if source in ("sklearn", "lucene"):
        return StopWords(str(source), shipped_lists(str(source))["english"])
    if source in ("snowball", "iso"):
        if language == "none":
            raise ArgumentError(f"the stop words '{source}' are one list per language; name the language too")
        if not (words := _words(str(source), language)):
            raise ArgumentError(f"the stop words '{source}' have no list for {language}; give your own file, or none")
        return StopWords(str(source), words)
    if isinstance(source, str | os.PathLike):
        if isinstance(source, str) and source != "-" and not os.path.exists(source):
            if NAMES.get(source.lower(), source.lower()) in {*STEMMED, *UNSTEMMED}:
                remedy = Remedy("Index.build", analyzer=source)
                raise ArgumentError(
                    f"'{source}' is a language, not a list of stop words: {remedy} uses its list; "
                    f"the lists are {', '.join(LISTS)}"
                )
            raise unknown("stop word list or file", source, LISTS, plural="stop word lists")
        return StopWords("own", frozenset(word for _, word in word_lines(source)))
    if not isinstance(source, Iterable):
        raise ArgumentError(f"stop words are the name of a list, a file, or the words, not {source!r}")
    words = frozenset(source)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise ArgumentError(f"stop words must be strings, not {type(strange[0]).__name__}: {strange[0]!r}")
    return StopWords("own" if words else "none", words)


def default_list(language: str) -> str:
    """Name the default list of a language; a note if there is none."""
    # English has the scikit-learn list: docs/look-up/analyzers.md compares it with the much longer list of
    # stopwords-iso, which includes words that carry meaning (information, computer, research). Other languages have the
    # Snowball list if there is one, for the same reason, else that of stopwords-iso. Chinese, Japanese and Korean have
    # none: a pair of characters may equal a word of the list without being that word in the text.
    if language == "none" or language in CJK:
        return "none"
    if CODES.get(language) == "en":
        return "sklearn"
    if _words("snowball", language):
        return "snowball"
    if _words("iso", language):
        return "iso"
    note(f"no list of stop words is known for {language}: its words are stemmed and none is left out")
    return "none"


@cache
def shipped_lists(name: str) -> dict[str, frozenset[str]]:
    """Return the stop words of a list that comes with the package, by language."""
    with open(os.path.join(os.path.dirname(__file__), "stop_words.txt"), encoding="utf-8") as file:
        _, *paragraphs = file.read().split("\n\n")
    lists = map(str.split, paragraphs)
    return {language: frozenset(words) for list_of, language, *words in lists if list_of == name}


def _words(name: str, language: str) -> frozenset[str]:
    if name == "snowball":
        same = {"porter": "english", "dutch_porter": "dutch"}.get(language, language)
        return shipped_lists(name).get(same, frozenset())
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(CODES.get(language, "")))


SAMPLE = 1 << 16
"""Number of bytes of texts that shows their script."""

_FEW = 0.02  # share of words that may be broken, or written without blanks, without a note
_MOST = 0.5  # share that shows the script of the texts
_WITHOUT_BLANKS = "[\u0e01-\u0e30\u0e32\u0e40-\u0e46\u0e81-\u0eb0\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3]"
_OTHER_SCRIPTS = "[\u0300-\u036f\u0483-\u0489\u0590-\u1fff]|[^\x00-\u2e7f]"  # to compile one set takes 10 ms
"""Scripts with marks, or without blanks: most Latin, Greek and Cyrillic texts need no check."""


def _is_of_other_script(text: str) -> bool:
    """True if a text has a character of a script that plain analysis may break."""
    return not text.isascii() and re.search(_OTHER_SCRIPTS, text) is not None


def settings_for_script(text: str, plain: Analyzer) -> dict[str, Any]:
    """Return the settings without which plain analysis breaks most words of a text, or runs them together; {} if none.

    >>> from toysearch import Analyzer
    >>> [settings_for_script(text, Analyzer()) for text in ("東京都の天気", "हिन्दी में", "naïve cats")]
    [{'cjk': True}, {'marks': True}, {}]
    """
    if not _is_of_other_script(text):
        return {}
    text = plain.tokenizer.prepared(text)
    most = _MOST * len(re.findall(r"\w+", text))
    return {"marks": True} if _n_marks(text) > most else {"cjk": True} if _n_characters(text) > most else {}


def _n_marks(text: str) -> int:
    """Return the number of combining marks behind a letter."""
    return len(re.findall(rf"\w[{spelling().marks}]", text))


def _n_characters(text: str) -> int:
    """Return the number of Chinese, Japanese and Korean characters."""
    return sum(map(len, runs(text))) if has_characters(text) else 0


def misfit(text: str, analyzer: Analyzer, *, alone: bool = False) -> str:
    """Name the damage that the analyzer does to a text, with the remedy, in a sentence; "" if there is none.

    Parameters
    ----------
    text : str
        A sample of the texts.
    analyzer : Analyzer
        Their analyzer.
    alone : bool
        Whether the text is all there is, so that a single word counts. Default False.
    """
    expect(str, text=text)
    # It looks for marks that end words (Hindi, Tamil, vowelled Arabic, decomposed accents) and for scripts without
    # blanks between words. Other tokenizers are not checked.
    if not _is_of_other_script(text) or analyzer.tokens not in (WORD1, WORD2):
        return ""
    text = analyzer.tokenizer.prepared(text)
    few = _FEW * len(re.findall(r"\w+", text))
    if not analyzer.marks and _n_marks(text) > (not alone) + few:
        return (
            "plain analysis ends a word at each combining mark, like CountVectorizer in scikit-learn, and here "
            f"words have such marks: name the language, as in {Remedy('Index.build', analyzer='hindi')}"
        )
    if not analyzer.cjk and _n_characters(text) > few:
        return (
            "Chinese, Japanese and Korean are written in runs of characters, and each run is one word here; pairs of "
            f"characters are better (zh, ja, ko): {Remedy('Index.build', analyzer='zh')}"
        )
    if not analyzer.char_ngrams and len(re.findall(_WITHOUT_BLANKS, text)) > few:
        return (
            "Thai, Lao, Burmese and Khmer are written without blanks between words, and a whole phrase is one word "
            f"here; to find parts of it: {Remedy('Index.build', analyzer='thai:char_ngrams=3-4')}"
        )
    return ""
