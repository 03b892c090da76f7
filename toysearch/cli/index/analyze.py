"""`toysearch analyze`: how a text becomes terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.analyzer_text import NO_TOKEN
from toysearch.analysis.languages import misfit
from toysearch.base import Column, note
from toysearch.cli import (
    Command,
    SourceOptions,
    analysis_options,
    analyzer_for,
    emit,
    examples,
    output_options,
    paragraph,
)

_COLUMNS = {  # a step of the analyzer → the column with its effect
    "tokens": Column("size"),
    "synonyms": Column("synonym"),
    "numbers": Column("number"),
    "lengths": Column("length"),
    "stop words": Column("stop_word", "stop word"),
}
_LEFT_OUT = "left out"


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch analyze "How to train a cat"',
        'toysearch analyze "How to train a cat" --analyzer english',
        'toysearch analyze "flying planes" --analyzer plain:stem=english --json',
        'toysearch analyze "C++ isn\'t R 3.14" --analyzer english:tokens=unicode',
        'toysearch analyze "<b>Caf&eacute;</b> No. 42" --analyzer plain:html,fold_accents,numbers=mark',
        'toysearch analyze "東京都の天気" --analyzer ja',
        'toysearch analyze "train the cat" --analyzer plain:stop=sklearn,ngrams=1-2',
    ),
)
@click.argument("text")
@analysis_options
@output_options
def command(text: str, options: SourceOptions, form: str) -> None:
    """Show step by step how a text becomes terms.

    The text is lower-cased and split into tokens of at least two word characters. --analyzer names a language, with its
    stop words and stemmer, or plain; then, after a colon, changes:

    \b
      tokens=NAME       word2; word1: single characters too; unicode: don't, 3.14;
                        whitespace: C++; a regular expression; or FILE.py:NAME
      html  fold_accents  cjk  marks       turn on, or off with =no
      stop=LIST         none, sklearn, snowball, iso, or a file
      stem=NAME         a Snowball stemmer, or none
      synonyms=FILE     lines such as 'budgie, parakeet' or 'colour => color'
      protected=FILE    words that are neither removed nor stemmed, or one+two
      numbers=KIND      keep, drop, or mark: each becomes <num>
      min_length=N      drop shorter tokens
      max_length=N      drop longer tokens
      ngrams=N-M        runs of N to M neighbouring terms as terms
      char_ngrams=N-M   runs of N to M characters of each term

    The steps always come in this order: HTML, lower case, accents, tokens; for each token synonyms, numbers, lengths,
    stop words, stems (a protected word passes these four); n-grams.
    """  # noqa: D301 - \b is for click
    analyzer = analyzer_for(options)
    steps = analyzer.steps(text)
    names = [step.name for step in steps]
    first = names.index("words" if "words" in names else "tokens")
    grams = steps.pop().tokens if names[-1] == "n-grams" else None
    before = {step.name: step.tokens[0] for step in steps[:first]}
    cells = _cells(analyzer, [(step.name, step.tokens) for step in steps[first:]])
    columns = [Column("token"), *(column for column in _COLUMNS.values() if column.name in cells), Column("term")]
    rows = list(zip(*(cells[column.name] for column in columns), strict=True))
    terms = [term for term in cells["term"] if term is not None] if grams is None else grams
    tokens = [dict(zip((column.name for column in columns), row, strict=True)) for row in rows]
    data: dict[str, Any] = {
        "analyzer": str(analyzer),
        **({"text": before} if before else {}),
        "tokens": [token | {"stop_word": token["stop_word"] is not None} for token in tokens],
        "terms": terms,
    }
    above = [paragraph(f"{name}: {value}") for name, value in {"analyzer": analyzer, **before}.items()]
    quoted = ", ".join(f"'{gram}'" for gram in grams or ())
    words = analyzer.left_out(text)
    notes = [f"n-grams: {quoted}"] * (grams is not None) + [f"left out: {words}"] * bool(words)
    below = "".join("\n" + paragraph(line) for line in notes)
    emit(columns, rows, form, data=data, title="\n".join([*above, ""]), caption=below)
    if problem := misfit(text, analyzer, alone=True):
        note(problem)


def _cells(analyzer: Analyzer, steps: Sequence[tuple[str, Sequence[str | None]]]) -> dict[str, Sequence[str | None]]:
    """The columns of the table by their names: the effect of each step on a token, empty if it is unchanged."""
    tokens = now = steps[0][1]  # or words, where some of them are too short to be tokens
    cells: dict[str, Sequence[str | None]] = {"token": tokens, "stop_word": [None] * len(tokens)}
    for name, after in steps[1:]:
        if name in _COLUMNS:
            cells[_COLUMNS[name].name] = [
                None if old == new else new or (NO_TOKEN[analyzer.tokens].short if name == "tokens" else _LEFT_OUT)
                for old, new in zip(now, after, strict=True)
            ]
        now = after
    return cells | {"term": now}
