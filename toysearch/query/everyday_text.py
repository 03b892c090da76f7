"""What people type: texts in which signs of the query language have no meaning."""

from __future__ import annotations

import re

_EMOTICON_OR_ADDRESS = re.compile(
    r"""[:;=]['^o-]?[()\[\]{}DPpO|/\\3*<>]++(?=\s|\Z)|[A-Za-z][A-Za-z0-9+.-]*+://[^\s()"]++|[A-Za-z]:\\[^\s()"]++"""
)
_QUOTATION = re.compile(r"“([^“”]++)”|„([^„“”]++)[“”]|«([^«»]++)»")  # as editors and telephones set the marks
_END_OF_SENTENCE = re.compile(r"[?!.,;]++\Z")
_IN_NO_WORD = re.compile(r"""[!-)+-/:->@\[-^`{-~]|\*\*|[0-9][*?][0-9]""")
_WILD = re.compile(r"(?s)(?:\\.|[^*?\\])*+[*?]")  # a * or ? without a backslash before it


def usual_text_at(text: str, at: int) -> str | None:
    """An emoticon, a web address or a path of Windows at a place of a text; None without one.

    >>> usual_text_at("see :) there", 4), usual_text_at("http://x.org/?q=a b", 0), usual_text_at("title:cat", 0)
    (':)', 'http://x.org/?q=a', None)
    """
    match = _EMOTICON_OR_ADDRESS.match(text, at)
    return None if match is None else match[0]


def quotation_at(text: str, at: int) -> tuple[list[str], int] | None:
    """The words between typographic quotation marks at a place of a text, and the place after them; None without any.

    >>> quotation_at("“tick removal” dog", 0)
    (['tick', 'removal'], 14)
    """
    match = _QUOTATION.match(text, at)
    words = (match[1] or match[2] or match[3]).split() if match else []
    return (words, match.end()) if match and words else None


def is_wild(word: str) -> bool:
    """Whether a word contains * or ? without a backslash before it."""
    return ("*" in word or "?" in word) and _WILD.match(word) is not None


def without_punctuation(word: str) -> str:
    """A word without the signs of the end of a sentence.

    >>> without_punctuation("comp*,"), without_punctuation("who?!")
    ('comp*', 'who')
    """
    return word if word.endswith("\\?") else _END_OF_SENTENCE.sub("", word)


def may_be_a_pattern(word: str) -> bool:
    """Whether * and ? in a word can stand for letters of a term: not in ``5*3``, ``**bold**`` or ``x?y=1``."""
    return is_wild(word) and any(map(str.isalnum, word)) and not _IN_NO_WORD.search(word)
