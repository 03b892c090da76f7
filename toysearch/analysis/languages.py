"""Languages: names, codes, letters, and warnings about analyzers that do not fit the script of a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toysearch.analysis.tokenizer import EVERY_WORD, TOKEN_PATTERN
from toysearch.errors import unknown

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

STEMMED = {  # ISO 639-1; a code stands for its first name
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs", "danish": "da", "dutch": "nl",
    "dutch_porter": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it",
    "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "porter": "en",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip
"""The languages with a Snowball stemmer, and their codes."""

UNSTEMMED = {
    "afrikaans": "af", "bengali": "bn", "breton": "br", "bulgarian": "bg", "croatian": "hr", "galician": "gl",
    "gujarati": "gu", "hebrew": "he", "latin": "la", "latvian": "lv", "malay": "ms", "marathi": "mr", "slovak": "sk",
    "slovenian": "sl", "swahili": "sw", "tagalog": "tl", "thai": "th", "ukrainian": "uk", "urdu": "ur",
    "vietnamese": "vi", "zulu": "zu",
}  # fmt: skip
"""Languages with a list of stop words and without a stemmer."""

CJK = {"chinese": "zh", "cjk": "", "japanese": "ja", "korean": "ko"}
"""The languages whose tokens are pairs of characters, which need no stemmer."""

_OWN_NAMES = {
    "العربية": "arabic", "հայերեն": "armenian", "euskara": "basque", "català": "catalan", "čeština": "czech",
    "dansk": "danish", "nederlands": "dutch", "eesti": "estonian", "suomi": "finnish", "français": "french",
    "francais": "french", "deutsch": "german", "ελληνικά": "greek", "हिन्दी": "hindi", "हिंदी": "hindi",
    "magyar": "hungarian", "gaeilge": "irish", "italiano": "italian", "lietuvių": "lithuanian", "नेपाली": "nepali",
    "norsk": "norwegian", "فارسی": "persian", "farsi": "persian", "polski": "polish", "português": "portuguese",
    "portugues": "portuguese", "română": "romanian", "русский": "russian", "српски": "serbian", "srpski": "serbian",
    "español": "spanish", "espanol": "spanish", "castellano": "spanish", "svenska": "swedish", "தமிழ்": "tamil",
    "türkçe": "turkish", "turkce": "turkish", "ייִדיש": "yiddish", "bahasa indonesia": "indonesian",
    "বাংলা": "bengali", "български": "bulgarian", "hrvatski": "croatian", "galego": "galician", "ગુજરાતી": "gujarati",
    "עברית": "hebrew", "latviešu": "latvian", "मराठी": "marathi", "slovenčina": "slovak", "slovenščina": "slovenian",
    "kiswahili": "swahili", "ไทย": "thai", "українська": "ukrainian", "اردو": "urdu", "tiếng việt": "vietnamese",
    "中文": "chinese", "汉语": "chinese", "漢語": "chinese", "日本語": "japanese", "한국어": "korean",
}  # fmt: skip
_NAMES = _OWN_NAMES | {
    code: name for name, code in reversed([*STEMMED.items(), *UNSTEMMED.items(), *CJK.items()]) if code
}

_ARABIC_POINTS = "\u0640\u0670" + "".join(
    map(chr, [*range(0x0610, 0x061B), *range(0x064B, 0x0653), *range(0x06D6, 0x06DD)])
)
_HEBREW_POINTS = [chr(at) for at in (*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7)]
_ZWNJ = "\u200c"
_LETTERS = {
    "arabic": dict.fromkeys(_ARABIC_POINTS, ""),
    "urdu": dict.fromkeys(_ARABIC_POINTS, ""),
    "persian": dict.fromkeys(_ARABIC_POINTS, "")
    | {_ZWNJ: _ZWNJ},  # it separates prefixes and suffixes: the stemmer needs it
    "hebrew": dict.fromkeys(_HEBREW_POINTS, ""),
    "french": {"œ": "oe", "æ": "ae"},
}


def language_named(name: str) -> str:
    """The language of a name, its own name or an ISO 639-1 code; ``none`` for ``none`` and ``plain``.

    >>> language_named("de"), language_named("English"), language_named("deutsch"), language_named("plain")
    ('german', 'english', 'german', 'none')
    """
    import unicodedata

    known = unicodedata.normalize("NFC", str(name).strip().lower())
    if known in ("none", "plain"):
        return "none"
    known = known_as(known)
    if known not in (names := _names()):
        raise unknown("language", str(name), ["none", *names])
    return known


def _names() -> list[str]:
    """All languages, including further ones of the stemmer library."""
    from toysearch.analysis.stemming import languages

    return sorted([*languages(), *UNSTEMMED, *CJK])


def known_as(name: str) -> str:
    """The English name for a code or a native name; any other text unchanged."""
    return _NAMES.get(name, name)


def language_code(language: str) -> str:
    """The ISO 639-1 code of a language, "" if unknown (for a stemmer of a later PyStemmer).

    >>> language_code("german")
    'de'
    """
    return (STEMMED | UNSTEMMED | CJK).get(language, "")


def letters_of(language: str) -> dict[str, str]:
    """The letter replacements of a language that give each word one spelling.

    >>> letters_of("french"), letters_of("english"), letters_of("arabic")["\u064e"]
    ({'œ': 'oe', 'æ': 'ae'}, {}, '')
    """
    # Optional vowel points are removed in Arabic, Persian, Urdu and Hebrew, and so is the Arabic stroke that merely
    # lengthens a word; French œ and æ become two letters each.
    return dict(_LETTERS.get(language, {}))


SAMPLE = 1 << 16
"""The number of bytes of texts that shows their script."""

_FEW = 0.02  # share of words that may be broken, or written without blanks, without a note
_WITHOUT_BLANKS = re.compile("[\u0e01-\u0e30\u0e32\u0e40-\u0e46\u0e81-\u0eb0\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3]")
_OTHER_SCRIPTS = re.compile("[\u0300-\u036f\u0483-\u0489\u0590-\u1fff\u2e80-\U0010ffff]")
"""Scripts with marks, or without blanks: most Latin, Greek and Cyrillic texts need no check."""
_MOST_NAMED = 5


def misfit(text: str, analyzer: Analyzer) -> str:
    """A sentence on the damage that the analyzer does to a text, with the remedy; "" if there is none."""
    # It looks for marks that end words (Hindi, Tamil, vowelled Arabic, decomposed accents) and for scripts without
    # blanks between words. A custom pattern is not checked.
    if not _OTHER_SCRIPTS.search(text) or analyzer.pattern not in (TOKEN_PATTERN, EVERY_WORD):
        return ""
    from toysearch.analysis.tokenizer import has_characters, runs

    text = analyzer.tokenizer.prepared(text)
    few = _FEW * len(re.findall(r"\w+", text))
    if not analyzer.marks:
        from toysearch.analysis.unicode_forms import spelling

        if len(re.findall(rf"\w[{spelling().marks}]", text)) > 1 + few:
            return (
                "plain analysis ends a word at each combining mark, like CountVectorizer in scikit-learn, and here "
                "many words have such marks: name the language (--analyzer hindi, de, …)"
            )
    if not analyzer.cjk and has_characters(text) and sum(map(len, runs(text))) > few:
        return (
            "Chinese, Japanese and Korean are written in runs of characters, and each run is one word here: --analyzer "
            "zh, ja or ko makes pairs of characters"
        )
    if not analyzer.char_ngrams and len(_WITHOUT_BLANKS.findall(text)) > few:
        return (
            "Thai, Lao, Burmese and Khmer are written without blanks between words, and a whole phrase is one word "
            "here: --analyzer thai:char_ngrams=3-4 finds parts of it"
        )
    return ""


def left_out(text: str, analyzer: Analyzer) -> str:
    """The words of a text that are not terms, with the reasons.

    >>> from toysearch.analysis.analyzer import Analyzer
    >>> left_out("The R", Analyzer.for_language("english"))
    "'the' is on the list of stop words (sklearn), 'r' is too short (min_length=1 keeps single characters)"
    >>> left_out("?!", Analyzer())
    'there is no word in it'
    """
    names = ("words", "synonyms", *_REASONS)
    columns = [step for step in analyzer.steps(text) if step.name in names]
    reasons: dict[str, list[str]] = {}
    for word, *after in zip(*(step.tokens for step in columns), strict=True):
        removed = next((columns[at].name for at, token in enumerate(after, 1) if token is None), "")
        if word is not None and removed:
            reasons.setdefault(removed, []).append(f"'{word}'")
    if not reasons:
        return "there is no word in it"
    return ", ".join(f"{_named(words)} {_REASONS[name].format(analyzer)}" for name, words in reasons.items())


def _named(words: list[str]) -> str:
    """The first few distinct words, with the verb that follows."""
    words = list(dict.fromkeys(words))
    listed = ", ".join([*words[:_MOST_NAMED], *(["…"] if len(words) > _MOST_NAMED else [])])
    return f"{listed} {'is' if len(words) == 1 else 'are'}"


_REASONS = {
    "tokens": "too short (min_length=1 keeps single characters)",
    "numbers": "left out as numbers (numbers=keep)",
    "lengths": "too short or too long (min_length, max_length)",
    "stop words": "on the list of stop words ({0.stop_name})",
}
