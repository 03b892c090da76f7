"""`toysearch show`: the contents of an index."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.base import ArgumentError, Column, byte_size, counted, note
from toysearch.cli import Command, emit, examples, first_words, option, output_options, paragraph, remark, shared
from toysearch.laboratory.results.index_text import law_data, laws_text, textbook_text

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index

_COUNTS = [Column("df", justify="right", format=","), Column("cf", justify="right", format=",")]

_BEGINNING = 70  # characters


def _ranks(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """The first and the last rank of --ranks."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise ArgumentError(f"ranks are given as the first and the last one, such as 1-1000, not '{text}'")
    return int(match[1]), int(match[2])


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch index cat-dog-parrot -o pets.idx",
        "toysearch show pets.idx",
        "toysearch show pets.idx --term train",
        "toysearch show pets.idx --term train --textbook",
        "toysearch show pets.idx --doc 3",
    ),
)
@click.argument("folder", metavar="DIR")
@option("--term", metavar="T", help="Show a term: its document frequency and its postings.")
@option("--textbook", is_flag=True, help="With --term: show dictionary entry, postings, skips, gaps and their codes.")
@option("--doc", "doc_id", metavar="ID", help="Show a document: its title, text and terms.")
@option("--ranks", metavar="A-B", callback=_ranks, help="Ranks to fit Zipf's law to.  [default: all]")
@shared("k", default=10, heading="Options", help="Maximum number of rows.")
@output_options
def command(
    folder: str, term: str | None, textbook: bool, doc_id: str | None, ranks: tuple[int, int] | None, k: int, form: str
) -> None:
    """Show what is in an index: counts and laws, a term, a document.

    The laws are those of Zipf (frequency of the term at each rank) and Heaps (growth of the vocabulary with the text),
    each fitted as a least-squares line to the logarithms.
    """
    if term is not None and doc_id is not None:
        raise click.UsageError("choose --term or --doc, not both")
    if textbook and term is None:
        raise click.UsageError("--textbook shows a term; name it with --term")
    if ranks is not None and (term is not None or doc_id is not None):
        raise click.UsageError("--ranks is for the whole index, not for a term or a document")
    index = toysearch.Index.open(folder)
    if term is not None and textbook:
        _show_textbook(index, term, k, form)
    elif term is not None:
        _show_term(index, term, k, form)
    elif doc_id is not None:
        _show_document(index, doc_id, k, form)
    else:
        _show_index(index, folder, ranks, k, form)


def _show_index(index: Index, folder: str, ranks: tuple[int, int] | None, k: int, form: str) -> None:
    """The counts of the whole index, its most frequent terms, and the laws of its vocabulary."""
    from toysearch.index.opened_files import index_files
    from toysearch.laboratory.explain.vocabulary_laws import heaps, zipf

    stats = index.stats
    zipf_law, heaps_law = zipf(index, ranks), heaps(index)
    laws = {"zipf": law_data(zipf_law), "heaps": law_data(heaps_law)}
    sizes = index_files(folder)
    counts = {
        "collection": index.collection or None,
        "analyzer": str(index.analyzer),
        "documents": stats.N,
        "empty_documents": stats.n_empty,
        "tokens": stats.T,
        "tokens_per_document": stats.avgdl,
        "distinct_terms_per_document": stats.avg_distinct,
        "terms": stats.n_terms,
        "postings": stats.n_postings,
        "text_stored": index.texts is not None,
        "positions_stored": index.position_blocks is not None,
        "bytes": sum(sizes.values()),
    }
    if field_names := {*index.values, *index.keywords}:
        counts["values_kept"] = ", ".join(sorted(field_names))
    if index.fields.names:
        counts["separate_fields"] = ", ".join(index.fields.names)
    if index.shards:
        counts["shards"] = len(index.shards)
    terms = index.frequent_terms(k)
    if form == "json":
        emit(
            [], [], form, data={**counts, **laws, "files": sizes, "frequent_terms": [term._asdict() for term in terms]}
        )
        return
    fitted = [(f"{law}_{name}", value) for law, values in laws.items() for name, value in values.items()]
    rows = (
        [*counts.items(), *fitted]
        if form != "table"
        else [_for_people(*item) for item in counts.items() if item[1] is not None]
    )
    emit([Column("property", " "), Column("value", " ", wrap=True)], rows, form)
    click.echo()
    title = "" if form != "table" else "the most frequent terms\n"
    emit([Column("term"), *_COUNTS], terms, form, title=title)
    if form == "table":
        click.echo(f"\n{laws_text(zipf_law, heaps_law)}")


def _for_people(name: str, value: Any) -> tuple[str, str]:
    """A count as a table shows it."""
    if name == "bytes":
        return "size", byte_size(value)
    if isinstance(value, float):
        text = f"{value:,.2f}"
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = f"{value:,}" if isinstance(value, int) else value
    return name.replace("_", " "), text


def _show_term(index: Index, text: str, k: int, form: str) -> None:
    """The statistics of a term and its first postings."""
    term = _term_of(index, text)
    postings = index.postings(term)
    df, cf = len(postings.docs), int(postings.tf.sum())
    idf = math.log(index.stats.N / df)
    numbers = postings.docs[:k].tolist()
    tf = postings.tf[:k].tolist()
    rows: list[tuple[Any, ...]] = list(zip(index.doc_ids.take(numbers), tf, map(index.title, numbers), strict=True))
    listed: list[dict[str, Any]] = [dict(zip(("doc_id", "tf", "title"), row, strict=True)) for row in rows]
    if form == "table":
        rows = [
            (doc_id, tf, title or first_words(index.text(index.doc_number(doc_id)), _BEGINNING))
            for doc_id, tf, title in rows
        ]
    columns = [
        Column("doc_id", "document"),
        Column("tf", justify="right", format=","),
        Column("title", "title or beginning", wrap=True),
    ]
    if index.position_blocks is not None:
        columns.append(Column("positions"))
        for number, row in enumerate(listed):
            row["positions"] = index.positions(term, row["doc_id"]).tolist()
            positions = " ".join(map(str, row["positions"]))
            rows[number] += (first_words(positions, _BEGINNING // 2) if form == "table" else positions,)
    title = paragraph(
        f"'{term}' is in {counted(df, 'document')} of {index.stats.N:,} (df), {counted(cf, 'time')} in all (cf); "
        f"idf = ln(N/df) = {idf:.4f}"
    )
    data = {"term": term, "df": df, "cf": cf, "idf": idf, "postings": listed}
    emit(columns, rows, form, data=data, title=f"{title}\n")
    _tell_rest(df, k, "postings")


def _show_textbook(index: Index, text: str, k: int, form: str) -> None:
    """A term as textbooks draw it."""
    from toysearch.laboratory.explain.compression import textbook_view

    view = textbook_view(index, _term_of(index, text), k)
    if form == "table":
        click.echo(textbook_text(view))
    else:
        emit(*view.tables()[0][:2], form, data=view)
    _tell_rest(view.df, k, "postings")


def _term_of(index: Index, text: str) -> str:
    """The term for a text: itself, or its form after the analyzer of the index."""
    terms = index.analyzer(text)
    if index.term_number(text) >= 0:
        if len(terms) == 1 and terms[0] != text:
            note(f"a search for '{text}' uses '{terms[0]}'")
        return text
    if len(terms) == 1 and index.term_number(terms[0]) >= 0:
        note(f"'{text}' is indexed as '{terms[0]}'")
        return terms[0]
    if len(terms) > 1:
        raise ArgumentError(f"'{text}' is {len(terms)} terms in this index ({', '.join(terms)}); show one at a time")
    if not terms:
        raise ArgumentError(f"'{text}' is not a term of this index: its analyzer removes it")
    raise ArgumentError(f"no document of the index contains the term '{terms[0]}'")


def _show_document(index: Index, doc_id: str, k: int, form: str) -> None:
    """A document's title and text, and its most frequent terms."""
    number = index.doc_number(doc_id)
    vector = index.vector(doc_id)
    terms = sorted(vector.items(), key=lambda item: (-item[1], item[0]))
    df, cf = index.df, index.cf
    rows = [(term, tf, int(df[row]), int(cf[row])) for term, tf in terms[:k] for row in [index.term_number(term)]]
    data = {
        "doc_id": doc_id,
        "title": index.title(number),
        "text": index.text(number),
        "tokens": int(index.dl[number]),
        "distinct_terms": len(vector),
        "terms": vector,
    }
    if form == "table":
        click.echo(
            f"document {doc_id}: {counted(int(index.dl[number]), 'token')}, {counted(len(vector), 'distinct term')}\n"
        )
        for part, text in (("title", index.title(number)), ("text", index.text(number))):
            if text:
                click.echo(paragraph(f"{part}: {text}") + "\n")
    emit([Column("term"), Column("tf", justify="right", format=","), *_COUNTS], rows, form, data=data)
    if form != "json":
        _tell_rest(len(vector), k, "terms")


def _tell_rest(total: int, k: int, what: str) -> None:
    """Note the number of rows not shown."""
    if total > k:
        remark(f"{k:,} of {total:,} {what}; -k {total} shows all")
