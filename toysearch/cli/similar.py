"""`toysearch similar`: the nearest documents of a document, a few compared with each other, and near duplicates."""

from __future__ import annotations

import heapq
from itertools import chain
from typing import Any

import click

import toysearch
from toysearch import laboratory, search
from toysearch.base import ArgumentError, Column, Part, ResultTable, counted
from toysearch.cli import (
    Page,
    SourceOptions,
    command_of,
    option,
    optional_model,
    paragraph,
    remark,
    show,
    source_options,
    study_of,
    title_of,
    together,
)

_OF_SETS = ("dice", "jaccard", "cosine")
_IN_A_TABLE = 10  # documents of a matrix in 80 columns
_TERMS = 10  # of an explanation


def _similar(
    source: str,
    doc_id: str | None,
    k: int,
    model: Any,
    explain: bool,
    options: SourceOptions,
    form: str,
    **other: Any,
) -> None:
    """Find similar documents: to one, among a few, in all.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. With DOC_ID, the
    terms of that document are the query, and the model (default: cosine) ranks the others as in a search. --above
    compares by Jaccard, --matrix by Dice, Jaccard and cosine of the sets of terms, unless a model is given.
    """
    doc, term, matrix, above, groups = (other[name] for name in ("doc", "term", "matrix", "above", "groups"))
    if doc_id is not None and doc is not None:
        raise click.UsageError("give one document, as DOC_ID or by --doc")
    doc_id = doc_id if doc is None else doc
    if sum(choice is not None for choice in (doc_id, matrix, above, term)) != 1:
        raise click.UsageError(
            "give exactly one of DOC_ID, --matrix with several ids, --above with a similarity, or --term with a word"
        )
    if explain and (doc_id is None or form not in ("table", "json")):
        raise click.UsageError("--explain goes with a DOC_ID, in a table or in JSON")
    if groups and above is None:
        raise click.UsageError("--groups goes with --above")
    index = study_of(source, options, models=[model] if model else [], topics=False).index
    if term is not None:
        _show_terms(index, term, model or "lsa", k, form)
    elif doc_id is not None:
        _show_neighbours(toysearch.Searcher(index, model or "cosine"), doc_id, k, explain, form)
    elif matrix is not None:
        _show_matrix(index, [part.strip() for part in matrix.split(",")], model, form)
    elif above is not None:
        pairs = search.near_duplicates(index, above, model or "jaccard")
        _show_alike(index, pairs, groups, k, form)


def _show_terms(index: toysearch.Index, word: str, model: Any, k: int, form: str) -> None:
    """The terms nearest to a word."""
    terms = index.analyzer(word)
    if len(terms) != 1:
        raise ArgumentError(
            f"--term {word}: expected one word, and the analyzer makes {counted(len(terms), 'term')} of it"
        )
    columns = [Column("term"), Column("df", justify="right", format=","), Column("similarity", "", "right", ".4f")]
    table = ResultTable(columns, search.similar_terms(index, terms[0], model, k))
    show(Page([table if table.rows else "no topic has a share of it"], table), form)


def _show_neighbours(searcher: Any, doc_id: str, k: int, explain: bool, form: str) -> None:
    """The nearest documents, and the terms that they share with the given one."""
    index, is_mixture = searcher.index, searcher.model.single is None
    hits: list[dict[str, Any]] = [
        {"rank": rank, "doc_id": hit.doc_id, "score": hit.score, "title": title_of(index, hit.doc_id)}
        for rank, hit in enumerate(toysearch.similar(searcher, doc_id, k=k), 1)
    ]
    columns = [
        Column("rank", "", "right"),
        Column("doc_id", "document"),
        Column("score", "", "right", ".4f"),
        Column("title", "title or beginning", wrap=True),
    ]
    title = paragraph(
        f"nearest to {doc_id}, {title_of(index, doc_id) or 'a document without text'}, by {searcher.model}"
    )
    table = ResultTable(columns, [list(hit.values()) for hit in hits], f"{title}\n")
    explained: list[Any] = []
    if explain:
        reason = laboratory.explain_similar if is_mixture else laboratory.shared_terms
        explained = [(hit, reason(searcher, doc_id, hit["doc_id"])) for hit in hits]
    texts = (
        laboratory.explanation_text(hit["rank"], why, _TERMS) if is_mixture else _shared_text(hit, why)
        for hit, why in explained
    )

    def data() -> dict[str, Any]:
        for hit, why in explained:
            hit["explanation" if is_mixture else "shared"] = why.data() if is_mixture else why
        return {"doc_id": doc_id, "model": str(searcher.model), "hits": hits}

    show(Page(chain([table if hits else "no document shares a term with it"], texts), table, data), form)


def _shared_text(hit: dict[str, Any], shared: Any) -> str:
    """Why a document is near: the shared terms with the largest shares."""
    shares = laboratory.rounded_together([term.share for term in shared], hit["score"])
    columns = [
        Column("term"),
        Column("df", justify="right", format=","),
        Column("tf", justify="right", format=","),
        Column("other_tf", "tf there", "right", ","),
        Column("share", justify="right", format=".6f"),
    ]
    rows = [term._replace(share=share) for term, share in zip(shared, shares, strict=True)]
    rest = shares[_TERMS:]
    more = f"\n… {counted(len(rest), 'more term')}: {sum(rest):.6f}" if rest else ""
    table = laboratory.render(columns, rows[:_TERMS])
    return f"{hit['rank']}. document {hit['doc_id']}: {hit['score']:.6f}\n{table}{more}"


def _show_matrix(index: toysearch.Index, doc_ids: list[str], model: Any, form: str) -> None:
    """The similarities of some documents to each other, by one model or by the three of sets."""
    if len(doc_ids) > _IN_A_TABLE and form not in ("json", "tsv", "csv"):
        raise ArgumentError(
            f"a table has room for {_IN_A_TABLE} documents, not for {len(doc_ids)}; use --json, --tsv or --format csv"
        )
    models = {str(model): model} if model else {kind: f"{kind}:weights=binary" for kind in _OF_SETS}
    matrices = {kind: search.similarity_matrix(index, doc_ids, model).tolist() for kind, model in models.items()}
    documents = [Column(doc_id, justify="right", format=".3f" if form == "table" else "") for doc_id in doc_ids]
    parts: list[Part] = [] if model else ["of the documents' sets of terms"]
    lines = []
    for kind, matrix in matrices.items():
        rows = [[doc_id, *row] for doc_id, row in zip(doc_ids, matrix, strict=True)]
        parts.append(ResultTable([Column("doc_id", kind), *documents], rows))
        lines += [[kind, *row] for row in rows]
    table = ResultTable([Column("similarity"), Column("doc_id"), *documents], lines)
    show(Page(parts, table, {"doc_ids": doc_ids, "similarities": matrices}), form)


def _show_alike(index: toysearch.Index, pairs: Any, in_groups: bool, k: int, form: str) -> None:
    """The most similar pairs, or the groups that the pairs join, the largest first."""
    total, rows = 0, list[Any]()

    def counted_pairs() -> Any:
        nonlocal total
        for pair in pairs:
            total += 1
            yield pair

    if in_groups:
        groups = search.duplicate_groups(pairs)
        total = len(groups)
        columns = [Column("documents", justify="right", format=","), Column("doc_ids", "", wrap=True)]
        rows = [(len(group), group if form == "json" else " ".join(group)) for group in groups[:k]]
    else:
        columns = [
            Column("similarity", justify="right", format=".4f"),
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


similar_command = command_of(
    "toysearch.similar",
    "toysearch similar cat-dog-parrot 1 --model jaccard --explain",
    "toysearch similar cat-dog-parrot --matrix 1,2,3",
    "toysearch similar cat-dog-parrot --above 0.6",
    "toysearch similar companions p182 -k 5",
    "toysearch similar companions --term tortoise --model lsa:100 -k 5",
    "toysearch similar companions --above 0.8 --model cosine",
    call=_similar,
    argument=together(click.argument("source"), click.argument("doc_id", metavar="[DOC_ID]", required=False)),
    reads=source_options,
    doc_id=together(
        option("--doc", metavar="ID", help="Another way to give DOC_ID."),
        option("--term", metavar="WORD", help="The terms nearest to a word by latent topics (--model lsa:100)."),
    ),
    model=optional_model,
    k={"heading": "Options", "help": "Maximum number of rows."},
    explain=option(
        "--explain", is_flag=True, help="With DOC_ID: the shared terms and their shares of each similarity."
    ),
    matrix=option("--matrix", metavar="ID,ID,…", help="Compare these documents with each other."),
    above=option("--above", type=float, metavar="S", help="All pairs of documents with at least this similarity."),
    groups=option("--groups", is_flag=True, help="With --above: the documents joined by pairs, in groups."),
)
