"""The parts of the analysis as single options, for the command that stores an index."""

from __future__ import annotations

import re
from typing import Any

import click

from toysearch.cli.options import INTO, POSITIVE, analyzer_option, option, reading, together

_LENGTHS = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)


def _lengths(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """The shortest and the longest n of n-grams: 1-2, or one number for both."""
    if value is None:
        return None
    match = _LENGTHS.fullmatch(value)
    shortest, longest = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= shortest <= longest:
        raise click.BadParameter(f"expected a length or a range of lengths such as 1-2, found '{value}'")
    return shortest, longest


_ANALYSIS: list[tuple[str, dict[str, Any]]] = [
    ("--language", {"metavar": "NAME", "help": "Language of stop words and stemmer.  [default: the collection's]"}),
    ("--stop", {"metavar": "LIST", "help": "Stop words: none, sklearn, snowball, iso, or a file."}),
    ("--stem", {"metavar": "NAME", "help": "Snowball stemmer: a language, or none."}),
    ("--html", {"is_flag": True, "default": None, "help": "Remove HTML tags and resolve entities."}),
    ("--fold-accents", {"is_flag": True, "default": None, "help": "Remove accents: é becomes e."}),
    ("--cjk", {"is_flag": True, "default": None, "help": "Split Chinese, Japanese, Korean into character pairs."}),
    ("--synonyms", {"metavar": "FILE", "help": "Lines such as 'budgie, parakeet' or 'colour => color'."}),
    ("--protect", {"metavar": "FILE|A,B", "help": "Words that are neither removed nor stemmed."}),
    ("--numbers", {"type": click.Choice(["keep", "drop", "mark"]), "help": "Numbers; mark makes each <num>."}),
    ("--min-length", {"metavar": "N", "type": POSITIVE, "help": "Drop shorter tokens; 1 keeps single characters."}),
    ("--max-length", {"metavar": "N", "type": POSITIVE, "help": "Drop longer tokens."}),
    ("--ngrams", {"metavar": "N-M", "callback": _lengths, "help": "Runs of N to M neighbouring terms as terms."}),
    ("--char-ngrams", {"metavar": "N-M", "callback": _lengths, "help": "Runs of N to M characters of each term."}),
]

index_options = together(
    analyzer_option("the collection's language"),
    *(option(name, into=INTO, heading="Analysis", **settings) for name, settings in _ANALYSIS),
    *reading(),
)
"""How a SOURCE is read, and every option of the analysis by itself, for the command that stores both."""
language_options = together(*(option(name, into=INTO, hidden=True, **settings) for name, settings in _ANALYSIS[:2]))
"""--language and --stop, short for --analyzer LANGUAGE:stop=LIST."""
