"""The options of the analysis, one by one."""

from __future__ import annotations

import re
from typing import Any

import click

_POSITIVE = click.IntRange(min=1)
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


ANALYSIS_SETTINGS: dict[str, dict[str, Any]] = {
    "--language": {"metavar": "NAME", "help": "Language of stop words and stemmer.  [default: the collection's]"},
    "--tokens": {
        "metavar": "NAME",
        "help": "Tokenizer: word1, word2, unicode, whitespace, a pattern, FILE.py:NAME.  [default: the collection's]",
    },
    "--stop": {"metavar": "LIST", "help": "Stop words: none, sklearn, snowball, iso, or a file."},
    "--stem": {"metavar": "NAME", "help": "Snowball stemmer: a language, or none."},
    "--html": {"is_flag": True, "default": None, "help": "Remove HTML tags and resolve entities."},
    "--fold-accents": {"is_flag": True, "default": None, "help": "Remove accents: é becomes e."},
    "--cjk": {"is_flag": True, "default": None, "help": "Split Chinese, Japanese, Korean into character pairs."},
    "--synonyms": {"metavar": "FILE", "help": "Lines such as 'budgie, parakeet' or 'colour => color'."},
    "--protect": {"metavar": "FILE|A,B", "help": "Words that are neither removed nor stemmed."},
    "--numbers": {"type": click.Choice(["keep", "drop", "mark"]), "help": "Numbers; mark makes each <num>."},
    "--min-length": {"metavar": "N", "type": _POSITIVE, "help": "Drop shorter tokens."},
    "--max-length": {"metavar": "N", "type": _POSITIVE, "help": "Drop longer tokens."},
    "--ngrams": {"metavar": "N-M", "callback": _lengths, "help": "Runs of N to M neighbouring terms as terms."},
    "--char-ngrams": {"metavar": "N-M", "callback": _lengths, "help": "Runs of N to M characters of each term."},
}
"""Each option with its settings, in the order of the help."""
