"""`toysearch texts`: Dice, Jaccard and cosine of two texts, worked out on the screen."""

from __future__ import annotations

import math
from collections import Counter

import click

from toysearch.cli import (
    Command,
    SourceOptions,
    analysis_options,
    analyzer_for,
    emit,
    examples,
    option,
    output_options,
    study_of,
)
from toysearch.laboratory.results.tables import Column
from toysearch.models.similarity import VectorPair

FORMULAS = {
    "dice": ("2 · {xy} / ({xx} + {yy})", "2 · {xy} / (√{xx} + √{yy})"),
    "jaccard": ("{xy} / ({xx} + {yy} − {xy})", "{xy} / (√{xx} + √{yy} − {xy})"),
    "cosine": ("{xy} / √({xx} · {yy})", "{xy} / (√{xx} · √{yy})"),
}


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch texts "train cat" "How to train a cat"',
        'toysearch texts "train cat" "How to train a cat" --weights tfidf --collection cat-dog-parrot',
    ),
)
@click.argument("first")
@click.argument("second")
@option(
    "--weights",
    type=click.Choice(["tf", "binary", "tfidf"]),
    default="tf",
    help="Weights of the vector form; tfidf takes its idf, ln(N/df), from --collection.",
)
@option("--collection", "source", metavar="SOURCE", help="Collection or index for the idf.")
@analysis_options
@output_options
def command(first: str, second: str, weights: str, source: str | None, options: SourceOptions, form: str) -> None:
    """Compare two texts by Dice, Jaccard and cosine, with the arithmetic.

    The set form counts the distinct terms: |X∩Y|, |X|, |Y|. The vector form adds up weights: x·y, Σx², Σy²; with
    weights of 1 it equals the set form. Some lecture notes use Euclidean lengths √Σx², √Σy² in the vector form: the
    result of that reading is shown beside it, and can exceed 1.
    """
    from toysearch.models.similarity import similarity

    if weights == "tfidf" and source is None:
        raise click.UsageError("--weights tfidf needs --collection, the source of the idf")
    if weights != "tfidf" and source is not None:
        raise click.UsageError("--collection is only for --weights tfidf")
    idf = None
    if source is not None:
        index = study_of(source, options, topics=False).index
        df = index.df.tolist()
        analyzer = index.analyzer
        idf = {term: math.log(index.stats.N / df[number]) for number, term in enumerate(index.terms)}
    else:
        analyzer = analyzer_for(options)
    x, y = (Counter(analyzer(text)) for text in (first, second))
    sets = similarity(set(x), set(y))
    vectors = similarity(_weighed(x, weights, idf), _weighed(y, weights, idf))
    _show_terms(x, y, weights, idf, form)
    rows = [row for name in FORMULAS for row in _rows(name, sets, vectors, weights)]
    columns = [
        Column("similarity"),
        Column("form"),
        Column("arithmetic"),
        Column("value", justify="right", format=".6f"),
    ]
    data = {
        "terms": [dict(x), dict(y)],
        "weights": weights,
        "sums": {"set": sets._asdict(), "vector": vectors._asdict()},
        "similarities": [dict(zip(("similarity", "form", "arithmetic", "value"), row, strict=True)) for row in rows],
    }
    emit(columns, rows, form, data=data)


def _weighed(counts: Counter[str], weights: str, idf: dict[str, float] | None) -> dict[str, float]:
    """A text as a vector; a term that the collection does not know has no idf and is left out."""
    if weights == "binary":
        return dict.fromkeys(counts, 1.0)
    if idf is None:
        return {term: float(tf) for term, tf in counts.items()}
    return {term: tf * idf[term] for term, tf in counts.items() if term in idf}


def _show_terms(x: Counter[str], y: Counter[str], weights: str, idf: dict[str, float] | None, form: str) -> None:
    """A row for each term: its counts in both texts, and the weights that the vector form takes."""
    if form != "table":
        return
    first, second = _weighed(x, weights, idf), _weighed(y, weights, idf)
    columns = [
        Column("term"),
        Column("tf in X", justify="right"),
        Column("tf in Y", justify="right"),
        Column("x", justify="right", format=".4g"),
        Column("y", justify="right", format=".4g"),
        Column("x·y", justify="right", format=".4g"),
    ]
    rows = [
        (term, x[term], y[term], first.get(term, 0.0), second.get(term, 0.0), first.get(term, 0) * second.get(term, 0))
        for term in dict.fromkeys([*x, *y])
    ]
    emit(columns, rows, form)
    click.echo()


def _rows(name: str, sets: VectorPair, vectors: VectorPair, weights: str) -> list[tuple[str, str, str, float]]:
    """The set form, the vector form and the Euclidean reading of one similarity."""
    squared, euclidean = FORMULAS[name]
    rows = [
        (name, "sets", _with_numbers(squared, sets), getattr(sets, name)),
        (name, f"vectors ({weights})", _with_numbers(squared, vectors), getattr(vectors, name)),
    ]
    if name != "cosine":  # its lengths are Euclidean in both readings
        value = getattr(vectors, f"{name}_euclidean")
        rows.append((name, "vectors, Euclidean lengths", _with_numbers(euclidean, vectors), value))
    return rows


def _with_numbers(formula: str, pair: VectorPair) -> str:
    return formula.format(**{name: f"{value:.4g}" for name, value in pair._asdict().items()})
