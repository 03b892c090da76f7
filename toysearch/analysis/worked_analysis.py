"""How a text becomes terms, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.analysis.languages import misfit
from toysearch.analysis.left_out_words import NO_TOKEN
from toysearch.base import Column, ResultTable, Sentences, expect, note, records
from toysearch.base.result import Page

__all__ = ["worked_analysis"]

_COLUMNS = {  # a step of the analyzer → the column with its effect
    "tokens": Column("size"),
    "synonyms": Column("synonym"),
    "numbers": Column("number"),
    "lengths": Column("length"),
    "stop words": Column("stop_word", "stop word"),
}
_LEFT_OUT = "left out"


def worked_analysis(text: str, analyzer: AnalyzerLike = "plain") -> Page:
    """Show step by step how a text becomes terms.

    Parameters
    ----------
    text : str
        The text.
    analyzer : Analyzer, str or function, default "plain"
        The analysis.

    Examples
    --------
    >>> worked_analysis("Training the cats", "plain:stop=sklearn,stem=english").data()["terms"]
    ['train', 'cat']
    """
    expect(str, text=text)
    analyzer = Analyzer.of(analyzer)
    steps = analyzer.steps(text)
    names = [step.name for step in steps]
    first = names.index("words" if "words" in names else "tokens")
    grams = steps.pop().tokens if names[-1] == "n-grams" else None
    before = {step.name: step.tokens[0] for step in steps[:first]}
    cells = _cells(analyzer, [(step.name, step.tokens) for step in steps[first:]])
    columns = [Column("token"), *(column for column in _COLUMNS.values() if column.name in cells), Column("term")]
    table = ResultTable(columns, list(zip(*(cells[column.name] for column in columns), strict=True)))
    data: dict[str, Any] = {"analyzer": str(analyzer)}
    if before:
        data["text"] = before
    data["tokens"] = [token | {"stop_word": token["stop_word"] is not None} for token in records(table)]
    data["terms"] = [term for term in cells["term"] if term is not None] if grams is None else grams
    above = Sentences([f"{name}: {value}" for name, value in {"analyzer": analyzer, **before}.items()], "", "")
    quoted = ", ".join(f"'{gram}'" for gram in grams or ())
    words = analyzer.left_out(text)
    notes = [f"n-grams: {quoted}"] * (grams is not None) + [f"left out: {words}"] * bool(words)
    if problem := misfit(text, analyzer, alone=True):
        note(problem)
    return Page([above, table, Sentences(notes, "", "")], table, data)


def _cells(analyzer: Analyzer, steps: Sequence[tuple[str, Sequence[str | None]]]) -> dict[str, Sequence[str | None]]:
    """Return the columns of the table by their names: the effect of each step on a token, empty if it is unchanged."""
    tokens = now = steps[0][1]  # or words, where some of them are too short to be tokens
    cells: dict[str, Sequence[str | None]] = {"token": tokens, "stop_word": [None] * len(tokens)}
    for name, after in steps[1:]:
        if name in _COLUMNS:
            none = NO_TOKEN[str(analyzer.tokens)].short if name == "tokens" else _LEFT_OUT
            pairs = zip(now, after, strict=True)
            cells[_COLUMNS[name].name] = [None if old == new else new or none for old, new in pairs]
        now = after
    return cells | {"term": now}
