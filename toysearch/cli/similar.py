"""`toysearch similar`: nearest documents, a few compared with each other, near duplicates, two texts."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from itertools import chain
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch import retrieval
from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Ranking,
    ResultTable,
    counted,
    number_columns,
    records,
    table_columns,
)
from toysearch.base.rendering import render, rounded_together
from toysearch.base.result import Page
from toysearch.cli.commands import command, refuse_given
from toysearch.cli.options import (
    SourceOptions,
    analyzer_for,
    option,
    optional_model,
    output_options,
    refuse_if,
    shared,
    source_options,
    typed_text,
)
from toysearch.cli.output import paragraph, remark, show
from toysearch.cli.source_kinds import NO_SOURCE, refuse_idle
from toysearch.cli.sources import study_of
from toysearch.models.similarity import VectorPair, similarity
from toysearch.retrieval import title_of
from toysearch.rings import ring

_OF_SETS = ("dice", "jaccard", "cosine")
_IN_A_TABLE = 10  # documents of a matrix in 80 columns
_TERMS = 10  # of an explanation


_OF_DOCUMENTS = (
    *("doc_id", "doc", "term", "matrix", "above", "groups"),
    *("model", "formulas", "settings", "explain", "k"),
)
"""The arguments and options that have no effect beside --texts, by the names of their parameters."""


def _show_neighbours(found: Ranking, searcher: Any, explain: bool, form: str) -> None:
    index, doc_id, is_mixture = searcher.index, found.query_id, searcher.model.single is None
    hits: list[dict[str, Any]] = [
        {"rank": rank, "doc_id": hit.doc_id, "score": hit.score, "title": title_of(index, hit.doc_id)}
        for rank, hit in enumerate(found, 1)
    ]
    columns = table_columns(
        number_columns("", "rank"),
        Column("doc_id", "document"),
        number_columns(".4f", "score"),
        Column("title", "title or beginning", wrap=True),
    )
    title = paragraph(
        f"nearest to {doc_id}, {title_of(index, doc_id) or 'a document without text'}, by {searcher.model}"
    )
    table = ResultTable(columns, [list(hit.values()) for hit in hits], f"{title}\n")
    explained: list[Any] = []
    if explain:
        reason = toysearch.study.explain_similar if is_mixture else toysearch.study.shared_terms
        explained = [(hit, reason(searcher, doc_id, hit["doc_id"])) for hit in hits]
    texts = (
        toysearch.study.explanation_text(hit["rank"], why, _TERMS) if is_mixture else _shared_text(hit, why)
        for hit, why in explained
    )

    def data() -> dict[str, Any]:
        for hit, why in explained:
            hit["explanation" if is_mixture else "shared"] = why.data() if is_mixture else why
        return {"doc_id": doc_id, "model": str(searcher.model), "hits": hits}

    show(Page(chain([table if hits else "no document shares a term with it"], texts), table, data), form)


def _shared_text(hit: dict[str, Any], shared: Any) -> str:
    shares = rounded_together([term.share for term in shared], hit["score"])
    columns = table_columns(
        "term",
        number_columns(",", "df", "tf", other_tf="tf there"),
        number_columns(".6f", "share"),
    )
    rows = [term._replace(share=share) for term, share in zip(shared, shares, strict=True)]
    rest = shares[_TERMS:]
    more = f"\n… {counted(len(rest), 'more term')}: {sum(rest):.6f}" if rest else ""
    table = render(columns, rows[:_TERMS])
    return f"{hit['rank']}. document {hit['doc_id']}: {hit['score']:.6f}\n{table}{more}"


def _show_matrix(index: toysearch.Index, doc_ids: list[str], model: Any, form: str) -> None:
    if len(doc_ids) > _IN_A_TABLE and form not in ("json", "tsv", "csv"):
        raise ArgumentError(
            f"a table has room for {_IN_A_TABLE} documents, not for {len(doc_ids)}; use --json, --tsv or --format csv"
        )
    models = {str(model): model} if model else {kind: f"{kind}:weights=binary" for kind in _OF_SETS}
    matrices = {kind: retrieval.similarity_matrix(index, doc_ids, model).tolist() for kind, model in models.items()}
    documents = [Column(doc_id, justify="right", format=".3f" if form == "table" else "") for doc_id in doc_ids]
    parts: list[Part] = [] if model else ["of the documents' sets of terms"]
    lines = []
    for kind, matrix in matrices.items():
        rows = [[doc_id, *row] for doc_id, row in zip(doc_ids, matrix, strict=True)]
        parts.append(ResultTable(table_columns(Column("doc_id", kind), documents), rows))
        lines += [[kind, *row] for row in rows]
    table = ResultTable(table_columns("similarity", "doc_id", documents), lines)
    show(Page(parts, table, {"doc_ids": doc_ids, "similarities": matrices}), form)


def _show_alike(index: toysearch.Index, pairs: Any, in_groups: bool, k: int, form: str) -> None:
    total, rows = 0, list[Any]()

    def counted_pairs() -> Any:
        nonlocal total
        for pair in pairs:
            total += 1
            yield pair

    if in_groups:
        groups = retrieval.duplicate_groups(pairs)
        total = len(groups)
        columns = table_columns(number_columns(",", "documents"), Column("doc_ids", "", wrap=True))
        rows = [(len(group), group if form == "json" else " ".join(group)) for group in groups[:k]]
    else:
        columns = [
            *number_columns(".4f", "similarity"),
            Column("first", "document"),
            Column("second", "and"),
            Column("title", "title or beginning of the first", wrap=True),
        ]
        # Similarities that differ only by rounding are equal, and keep the order of the collection.
        best = heapq.nlargest(k, counted_pairs(), key=lambda pair: round(pair.similarity, 12))
        rows = [(pair.similarity, pair.first, pair.second, title_of(index, pair.first)) for pair in best]
    table = ResultTable(columns, rows)
    show(Page([table if rows else "no two documents are so similar"], table), form)
    if total > k:
        remark(f"{k:,} of {total:,} {'groups' if in_groups else 'pairs'}; -k {total} shows all")


FORMULAS = {
    "dice": ("2 · {xy} / ({xx} + {yy})", "2 · {xy} / (√{xx} + √{yy})"),
    "jaccard": ("{xy} / ({xx} + {yy} − {xy})", "{xy} / (√{xx} + √{yy} − {xy})"),
    "cosine": ("{xy} / √({xx} · {yy})", "{xy} / (√{xx} · √{yy})"),
}


def _show_texts(first: str, second: str, weights: str, source: str | None, options: SourceOptions, form: str) -> None:
    """Return the similarities of two texts, in the set form and in the vector form, with the arithmetic.

    Some lecture notes use Euclidean lengths √Σx², √Σy² in the vector form of Dice and Jaccard: that reading is shown
    too, and can exceed 1.
    """
    refuse_if(
        (weights == "tfidf") != (source is not None),
        "the idf of --weights tfidf is that of a SOURCE, which only these weights need: "
        "toysearch similar SOURCE --texts A B --weights tfidf",
    )
    idf = None
    if source is not None:
        index = study_of(source, options, topics=False).index()
        df = index.df.tolist()
        analyzer = index.analyzer
        idf = {term: math.log(index.stats.N / df[number]) for number, term in enumerate(index.terms)}
    else:
        refuse_idle(NO_SOURCE, options)
        analyzer = analyzer_for(options)
    x, y = (Counter(analyzer(text)) for text in (typed_text(each, options) for each in (first, second)))
    first_vector, second_vector = _weighed(x, weights, idf), _weighed(y, weights, idf)
    sets, vectors = similarity(set(x), set(y)), similarity(first_vector, second_vector)
    rows = []
    for name, (squared, euclidean) in FORMULAS.items():
        rows.append((name, "sets", _with_numbers(squared, sets), getattr(sets, name)))
        rows.append((name, f"vectors ({weights})", _with_numbers(squared, vectors), getattr(vectors, name)))
        if name != "cosine":  # its lengths are Euclidean in both readings
            value = getattr(vectors, f"{name}_euclidean")
            rows.append((name, "vectors, Euclidean lengths", _with_numbers(euclidean, vectors), value))
    columns = table_columns(
        "similarity",
        "form",
        "arithmetic",
        number_columns(".6f", "value"),
    )
    table = ResultTable(columns, rows)
    data = {
        "terms": [x, y],
        "weights": weights,
        "sums": {"set": sets, "vector": vectors},
        "similarities": records(table),
    }
    show(Page([_terms_table(x, y, first_vector, second_vector), table], table, data), form)


def _weighed(counts: Counter[str], weights: str, idf: dict[str, float] | None) -> dict[str, float]:
    if weights == "binary":
        return dict.fromkeys(counts, 1.0)
    if idf is None:
        return {term: float(tf) for term, tf in counts.items()}
    return {term: tf * idf[term] for term, tf in counts.items() if term in idf}


def _terms_table(x: Counter[str], y: Counter[str], first: dict[str, float], second: dict[str, float]) -> ResultTable:
    columns = table_columns(
        "term",
        number_columns("", "tf in X", "tf in Y"),
        number_columns(".4g", "x", "y", "x·y"),
    )
    rows = [
        (term, x[term], y[term], first.get(term, 0.0), second.get(term, 0.0), first.get(term, 0) * second.get(term, 0))
        for term in dict.fromkeys([*x, *y])
    ]
    return ResultTable(columns, rows)


def _with_numbers(formula: str, pair: VectorPair) -> str:
    return formula.format(**{name: f"{value:.4g}" for name, value in pair._asdict().items()})


@command(
    "toysearch similar cat-dog-parrot 1 --model jaccard --explain",
    "toysearch similar cat-dog-parrot --matrix 1,2,3",
    "toysearch similar cat-dog-parrot --above 0.6",
    "toysearch similar companions p182 -k 5",
    "toysearch similar companions --term tortoise --model lsa:100 -k 5",
    "toysearch similar companions --above 0.8 --model cosine",
    'toysearch similar --texts "train cat" "How to train a cat"',
    'toysearch similar cat-dog-parrot --texts "train cat" "How to train a cat" --weights tfidf',
)
@click.argument("source", required=False)
@click.argument("doc_id", metavar="[DOC_ID]", required=False)
@option("--doc", metavar="ID", help="Another way to give DOC_ID.")
@option("--term", metavar="WORD", help="The terms nearest to a word by latent topics (--model lsa:100).")
@optional_model
@shared("k", default=10, heading="Options", help="Maximum number of rows.")
@option("--explain", is_flag=True, help="With DOC_ID: the shared terms and their shares of each similarity.")
@option("--matrix", metavar="ID,ID,…", help="Compare these documents with each other.")
@option("--above", type=float, metavar="S", help="All pairs of documents with at least this similarity.")
@option("--groups", is_flag=True, help="With --above: the documents joined by pairs, in groups.")
@option("--texts", nargs=2, metavar="A B", help="Compare two texts by Dice, Jaccard and cosine, by hand.")
@option(
    "--weights",
    type=click.Choice(["tf", "binary", "tfidf"]),
    help="With --texts: weights of the vector form; tfidf takes its idf, ln(N/df), from SOURCE.  [default: tf]",
)
@source_options
@output_options
def similar_command(
    source: str | None,
    doc_id: str | None,
    doc: str | None,
    term: str | None,
    model: Any,
    k: int,
    explain: bool,
    matrix: str | None,
    above: float | None,
    groups: bool,
    texts: tuple[str, str] | None,
    weights: str | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Find similar documents, near-duplicates, or compare two texts.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. With DOC_ID, the
    terms of that document are the query, and the model (default: cosine) ranks the others as in a search: documents
    that share no term with it are not ranked, and equal scores keep the order of the collection. --above compares by
    Jaccard, --matrix by Dice, Jaccard and cosine of the sets of terms, unless a model is given.

    --texts compares two texts, or two text files, without a SOURCE. The set form counts the distinct terms: |X∩Y|, |X|,
    |Y|. The vector form adds up weights: x·y, Σx², Σy²; with weights of 1 it equals the set form.
    """
    if texts is not None:
        refuse_given(_OF_DOCUMENTS, "--texts compares two texts alone: leave out {}")
        _show_texts(texts[0], texts[1], weights or "tf", source, options, form)
        return
    if source is None:
        raise click.UsageError("Missing argument 'SOURCE'; --texts A B compares two texts without one.")
    refuse_if(weights is not None, "--weights goes with --texts")
    refuse_if(doc_id is not None and doc is not None, "give one document, as DOC_ID or by --doc")
    doc_id = doc_id if doc is None else doc
    refuse_if(
        (doc_id, matrix, above, term).count(None) != 3,
        "give exactly one of DOC_ID, --matrix with several ids, --above with a similarity, or --term with a word",
    )
    refuse_if(
        explain and (doc_id is None or form not in ("table", "json")),
        "--explain goes with a DOC_ID, in a table or in JSON",
    )
    refuse_if(groups and above is None, "--groups goes with --above")
    index = study_of(source, options, models=[model] if model else [], topics=False).index()
    if doc_id is not None:
        searcher = toysearch.Searcher(index, model or "cosine")
        _show_neighbours(toysearch.similar(searcher, doc_id, k=k), searcher, explain, form)
    elif term is not None:
        terms = index.analyzer(term)
        if len(terms) != 1:
            made = f"the analyzer makes {counted(len(terms), 'term')} of it"
            raise ArgumentError(f"--term {term}: expected one word, and {made}")
        columns = table_columns("term", number_columns(",", "df"), number_columns(".4f", "similarity"))
        table = ResultTable(columns, ring("similar terms").similar_terms(index, terms[0], model or "lsa", k))
        show(Page([table if table.rows else "no topic has a share of it"], table), form)
    elif matrix is not None:
        _show_matrix(index, [part.strip() for part in matrix.split(",")], model, form)
    elif above is not None:
        _show_alike(index, retrieval.near_duplicates(index, above, model or "jaccard"), groups, k, form)
