"""The options that say how a text becomes terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from toysearch.cli.options import SourceOptions

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


def analysis_decorators(language: str) -> list[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """The options that make an analyzer, in the order of its steps after --language, --stop and --stem."""
    length = click.IntRange(min=1)
    return [
        click.option("--language", metavar="NAME", help=language),
        click.option(
            "--stop", metavar="LIST", help="Stop words: none, sklearn, snowball, iso, or a file with one a line."
        ),
        click.option("--stem", metavar="NAME", help="Snowball stemmer: a language, or none."),
        click.option(
            "--html", is_flag=True, default=None, help="Take HTML tags out, and turn entities into characters."
        ),
        click.option("--fold-accents", is_flag=True, default=None, help="Take accents off: é becomes e."),
        click.option("--cjk", is_flag=True, default=None, help="Pairs of characters for Chinese, Japanese, Korean."),
        click.option("--synonyms", metavar="FILE", help="Lines such as 'budgie, parakeet' or 'colour => color'."),
        click.option("--protect", metavar="FILE|A,B", help="Words that are neither left out nor stemmed."),
        click.option("--numbers", type=click.Choice(["keep", "drop", "mark"]), help="Numbers: mark makes each <num>."),
        click.option(
            "--min-length",
            metavar="N",
            type=length,
            help="Leave out tokens with fewer characters; 1 keeps single ones.",
        ),
        click.option("--max-length", metavar="N", type=length, help="Leave out tokens with more characters."),
        click.option("--ngrams", metavar="N-M", callback=_lengths, help="Runs of N to M neighbouring terms as terms."),
        click.option("--char-ngrams", metavar="N-M", callback=_lengths, help="Runs of N to M characters of each term."),
    ]


def analyzer_values(options: SourceOptions) -> dict[str, Any]:
    """What the options say, as `toysearch.Analyzer.for_language` takes it; only what the user gave."""
    names = ("stop", "stem", "html", "fold_accents", "cjk", "synonyms", "numbers", "min_length", "max_length")
    values = {name: getattr(options, name) for name in (*names, "ngrams", "char_ngrams")}
    values["protected"] = None if options.protect is None else _file_or_words(options.protect)
    return {name: value for name, value in values.items() if value is not None}


def _file_or_words(text: str) -> Path | list[str]:
    """A file, or words separated by commas; what looks like neither is taken for a file that is not there."""
    words = [word.strip() for word in text.split(",")]
    if Path(text).exists() or not (len(words) > 1 or text.isalnum()):
        return Path(text)
    return [word for word in words if word]
