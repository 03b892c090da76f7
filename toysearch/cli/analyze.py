"""`toysearch analyze`: how a text becomes terms."""

from __future__ import annotations

import click

from toysearch.cli.options import SourceOptions, analysis_options, analyzer_for, examples
from toysearch.cli.output import emit, output_options
from toysearch.reports.tables import Column


@click.command(
    epilog=examples(
        'toysearch analyze "How to train a cat"',
        'toysearch analyze "How to train a cat" --language english',
        'toysearch analyze "flying planes" --stem english --json',
    )
)
@click.argument("text")
@analysis_options
@output_options
def command(text: str, options: SourceOptions, form: str) -> None:
    """Show step by step how a text becomes terms.

    The text is lower-cased and split into tokens: two word characters or more. Stop words are left out and
    the rest is stemmed, if a language or a list is given. What an index stores and what a query is turned
    into are the terms.
    """
    analyzer = analyzer_for(options)
    steps = analyzer.steps(text)
    tokens, terms = steps[0].tokens, steps[-1].tokens
    columns = [Column("token"), Column("stop_word", "stop word"), Column("term")]
    rows = [(token, "left out" if term is None else None, term) for token, term in zip(tokens, terms, strict=True)]
    data = {
        "analyzer": str(analyzer),
        "tokens": [
            {"token": token, "stop_word": term is None, "term": term} for token, term in zip(tokens, terms, strict=True)
        ],
        "terms": [term for term in terms if term is not None],
    }
    emit(columns, rows, form, data=data, title=f"analyzer: {analyzer}\n")
