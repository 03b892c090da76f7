"""The languages that an analyzer knows: their names, their codes, and how their letters are made one."""

from __future__ import annotations

from toysearch.errors import unknown

STEMMED = {  # ISO 639-1; the first name of a code is what the code stands for
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs", "danish": "da", "dutch": "nl",
    "dutch_porter": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it",
    "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "porter": "en",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip
"""The languages for which there is a Snowball stemmer, and their codes."""

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
    | {_ZWNJ: _ZWNJ},  # it parts prefixes and suffixes: the stemmer needs it
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
    """All languages: those that the stemmer's library may have besides, too."""
    from toysearch.analysis.stemming import languages

    return sorted([*languages(), *UNSTEMMED, *CJK])


def known_as(name: str) -> str:
    """The English name behind a code or a language's own name; any other text as it is."""
    return _NAMES.get(name, name)


def language_code(language: str) -> str:
    """The ISO 639-1 code of a language, "" where none is known (a stemmer that came with a later PyStemmer).

    >>> language_code("german")
    'de'
    """
    return (STEMMED | UNSTEMMED | CJK).get(language, "")


def letters_of(language: str) -> dict[str, str]:
    """What letters of a language are replaced by, so that a word has one spelling.

    Vowel points that people write or leave out are taken off in Arabic, Persian, Urdu and Hebrew, and the Arabic stroke
    that only makes a word longer; French œ and æ become two letters each.

    >>> letters_of("french"), letters_of("english"), letters_of("arabic")["\u064e"]
    ({'œ': 'oe', 'æ': 'ae'}, {}, '')
    """
    return dict(_LETTERS.get(language, {}))
