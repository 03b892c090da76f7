"""`toysearch show`, `analyze` and `query`: what is in an index, in a text and in a query."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.analysis.analyzer import NO_TOKEN, Analyzer
from toysearch.analysis.languages import misfit
from toysearch.base import ArgumentError, Column, Part, ResultTable, byte_size, counted, cut, note, records
from toysearch.base.shown_results import Page
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    SourceOptions,
    analysis_options,
    analyzer_for,
    option,
    output_options,
    query_mode_option,
    shared,
    source_options,
)
from toysearch.cli.output import emit, first_words, paragraph, remark, show
from toysearch.cli.source_kinds import NO_SOURCE, refuse_idle
from toysearch.cli.sources import fields_named, study_of
from toysearch.query.parser import parse
from toysearch.query.syntax import Range
from toysearch.rings import ring
from toysearch.search import completions, unrequired_filters
from toysearch.search.matching import known_fields
from toysearch.search.typed_query import unkept
from toysearch.study.query_parts import PATTERNS, QueryPart, condition, query_outline
from toysearch.study.vocabulary_laws import laws_parts

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
        'toysearch show pets.idx --complete "how to tra"',
    ),
)
@click.argument("folder", metavar="DIR")
@option("--term", metavar="T", help="Show a term: its document frequency and its postings.")
@option("--textbook", is_flag=True, help="With --term: show dictionary entry, postings, skips, gaps and their codes.")
@option("--doc", "doc_id", metavar="ID", help="Show a document: its title, text and terms.")
@option("--complete", metavar="TEXT", help="Complete the last word of a query by the words of the documents.")
@option("--ranks", metavar="A-B", callback=_ranks, help="Ranks to fit Zipf's law to.  [default: all]")
@shared("k", default=10, heading="Options", help="Maximum number of rows.")
@output_options
def show_command(
    folder: str,
    term: str | None,
    textbook: bool,
    doc_id: str | None,
    complete: str | None,
    ranks: tuple[int, int] | None,
    k: int,
    form: str,
) -> None:
    """Show what is in an index: counts and laws, a term, a document.

    The laws are those of Zipf (frequency of the term at each rank) and Heaps (growth of the vocabulary with the text),
    each fitted as a least-squares line to the logarithms.
    """
    if [term, doc_id, complete].count(None) < 2:
        raise click.UsageError("choose one of --term, --doc and --complete")
    if textbook and term is None:
        raise click.UsageError("--textbook shows a term; name it with --term")
    if ranks is not None and [term, doc_id, complete].count(None) < 3:
        raise click.UsageError("--ranks is for the whole index, not for a term or a document")
    index = toysearch.Index.open(folder)
    if complete is not None:
        rows = completions(index, complete, k)
        columns = [Column("text", "query"), Column("term"), _COUNTS[0]]
        emit(columns, rows, form, data={"completions": rows})
    elif term is not None and textbook:
        view = ring("textbook view").textbook_view(index, _term_of(index, term), k)
        show(view, form)
        _tell_rest(view.df, k, "postings")
    elif term is not None:
        _show_term(index, term, k, form)
    elif doc_id is not None:
        _show_document(index, doc_id, k, form)
    else:
        _show_index(index, folder, ranks, k, form)


def _show_index(index: toysearch.Index, folder: str, ranks: tuple[int, int] | None, k: int, form: str) -> None:
    """The counts of the whole index, its most frequent terms, and the laws of its vocabulary."""
    from toysearch.index.opened_files import index_files

    stats, sizes = index.stats, index_files(folder)
    zipf_law, heaps_law = toysearch.study.zipf(index, ranks), toysearch.study.heaps(index)
    laws = {"zipf": zipf_law.data(), "heaps": heaps_law.data()}
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
    if_any: dict[str, Any] = {
        "word_counts": index.word_counts,
        "values_kept": ", ".join(sorted({*index.values, *index.keywords})),
        "separate_fields": ", ".join(index.fields.names),
        "shards": len(index.shards),
    }
    counts |= {name: value for name, value in if_any.items() if value}
    fitted = [(f"{law}_{name}", value) for law, values in laws.items() for name, value in values.items()]
    columns = [Column("property", " "), Column("value", " ", wrap=True)]
    for_people = [_for_people(name, value) for name, value in counts.items() if value is not None]
    terms = ResultTable([Column("term"), *_COUNTS], index.frequent_terms(k), "the most frequent terms\n")
    parts: list[Part] = [ResultTable(columns, for_people), terms, *laws_parts(zipf_law, heaps_law)]
    data = {**counts, **laws, "files": sizes, "frequent_terms": terms.rows}
    show(Page(parts, ResultTable(columns, [*counts.items(), *fitted]), data), form)
    if form not in ("table", "json"):
        click.echo()
        emit(terms.columns, terms.rows, form)


def _for_people(name: str, value: Any) -> tuple[str, Any]:
    """A count as a table shows it."""
    if name == "bytes":
        return "size", byte_size(value)
    digits = {int: ",", float: ",.2f"}.get(type(value))
    return name.replace("_", " "), format(value, digits) if digits else value


def _show_term(index: toysearch.Index, text: str, k: int, form: str) -> None:
    """The statistics of a term and its first postings."""
    term, positional = _term_of(index, text), index.position_blocks is not None
    postings = index.postings(term)
    df, cf = len(postings.docs), int(postings.tf.sum())
    idf = math.log(index.stats.N / df)
    rows, listed = list[list[Any]](), list[dict[str, Any]]()
    for number, tf in zip(postings.docs[:k].tolist(), postings.tf[:k].tolist(), strict=True):
        doc_id, title = index.doc_ids[number], index.title(number)
        places = index.positions(term, doc_id).tolist() if positional else []
        listed.append({"doc_id": doc_id, "tf": tf, "title": title, **({"positions": places} if positional else {})})
        positions = " ".join(map(str, places))
        if form == "table":
            title = title or first_words(index.text(number), _BEGINNING)
            positions = first_words(positions, _BEGINNING // 2) or ""
        rows.append([doc_id, tf, title, *([positions] if positional else [])])
    columns = [
        Column("doc_id", "document"),
        Column("tf", justify="right", format=","),
        Column("title", "title or beginning", wrap=True),
        *([Column("positions")] if positional else []),
    ]
    title = paragraph(
        f"'{term}' is in {counted(df, 'document')} of {index.stats.N:,} (df), {counted(cf, 'time')} in all (cf); "
        f"idf = ln(N/df) = {idf:.4f}"
    )
    data = {"term": term, "df": df, "cf": cf, "idf": idf, "postings": listed}
    emit(columns, rows, form, data=data, title=f"{title}\n")
    _tell_rest(df, k, "postings")


def _term_of(index: toysearch.Index, text: str) -> str:
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


def _show_document(index: toysearch.Index, doc_id: str, k: int, form: str) -> None:
    """A document's title and text, and its most frequent terms."""
    number, vector = index.doc_number(doc_id), index.vector(doc_id)
    texts, n_tokens = {"title": index.title(number), "text": index.text(number)}, int(index.dl[number])
    terms = sorted(vector.items(), key=lambda item: (-item[1], item[0]))
    numbers = [index.term_number(term) for term, _ in terms[:k]]
    rows = [(*item, int(index.df[row]), int(index.cf[row])) for item, row in zip(terms, numbers, strict=False)]
    data = {"doc_id": doc_id, **texts, "tokens": n_tokens, "distinct_terms": len(vector), "terms": vector}
    head = f"document {doc_id}: {counted(n_tokens, 'token')}, {counted(len(vector), 'distinct term')}"
    paragraphs = [paragraph(f"{part}: {text}") for part, text in texts.items() if text]
    table = ResultTable([Column("term"), Column("tf", justify="right", format=","), *_COUNTS], rows)
    show(Page([head, *paragraphs, table], table, data), form)
    if form != "json":
        _tell_rest(len(vector), k, "terms")


def _tell_rest(total: int, k: int, what: str) -> None:
    """Note the number of rows not shown."""
    if total > k:
        remark(f"{k:,} of {total:,} {what}; -k {total} shows all")


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
def analyze_command(text: str, options: SourceOptions, form: str) -> None:
    """Show step by step how a text becomes terms.

    The text is lower-cased and split into tokens of at least two word characters. --analyzer names a language, with its
    stop words and stemmer, or plain (with a SOURCE also nothing: what the source has); then, after a colon, changes:

    \b
      tokens=NAME       word2; word1: single characters too; unicode: don't, 3.14;
                        whitespace: C++; a regular expression; or FILE.py:NAME
      html  fold_accents  cjk  marks       turn on, or off with =no
      stop=LIST         none, sklearn, lucene, snowball, iso, or a file
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
    table = ResultTable(columns, list(zip(*(cells[column.name] for column in columns), strict=True)))
    data: dict[str, Any] = {
        "analyzer": str(analyzer),
        **({"text": before} if before else {}),
        "tokens": [token | {"stop_word": token["stop_word"] is not None} for token in records(table)],
        "terms": [term for term in cells["term"] if term is not None] if grams is None else grams,
    }
    above = [paragraph(f"{name}: {value}") for name, value in {"analyzer": analyzer, **before}.items()]
    quoted = ", ".join(f"'{gram}'" for gram in grams or ())
    words = analyzer.left_out(text)
    notes = [f"n-grams: {quoted}"] * (grams is not None) + [f"left out: {words}"] * bool(words)
    show(Page(["\n".join(above), table, "\n".join(map(paragraph, notes))], table, data), form)
    if problem := misfit(text, analyzer, alone=True):
        note(problem)


def _cells(analyzer: Analyzer, steps: Sequence[tuple[str, Sequence[str | None]]]) -> dict[str, Sequence[str | None]]:
    """The columns of the table by their names: the effect of each step on a token, empty if it is unchanged."""
    tokens = now = steps[0][1]  # or words, where some of them are too short to be tokens
    cells: dict[str, Sequence[str | None]] = {"token": tokens, "stop_word": [None] * len(tokens)}
    for name, after in steps[1:]:
        if name in _COLUMNS:
            cells[_COLUMNS[name].name] = [
                None if old == new else new or (NO_TOKEN[str(analyzer.tokens)].short if name == "tokens" else _LEFT_OUT)
                for old, new in zip(now, after, strict=True)
            ]
        now = after
    return cells | {"term": now}


_WIDEST = 40  # characters of a word or a phrase, in the outline
_SOME = 4  # terms of a pattern


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch query '\"tick removal\" -dog' --analyzer english",
        "toysearch query 'cat* AND (train OR leash~1)^2' companions",
        "toysearch query --json -- '-dog +tick removal' my-index",
        "toysearch query 'C++ \"unclosed'",
        "toysearch query 'c*t NOT guinae~' companions --textbook",
    ),
)
@click.argument("text")
@click.argument("source", required=False)
@query_mode_option("lenient")
@option("--textbook", is_flag=True, help="Work out merges, phrases, patterns and ranges step by step.")
@source_options
@output_options
def query_command(text: str, source: str | None, textbook: bool, options: SourceOptions, form: str) -> None:
    """Show how a query is read, and the terms of its words.

    SOURCE is an index or a collection: its analyzer is used, its fields may stand before a colon, and the documents
    that each part matches are counted. Without one, --analyzer is used, by default plain. Write -- before a query that
    begins with -.

    \b
      a b  "a b"  "a b"~8                  one of the words, a phrase, near
      a AND b  a OR b  NOT a  +a  -a  ( )  required, prohibited, grouped
      title:a  title:(a b)  year:[1990 TO 2000]  year:>=1990
      a*  a?b  a~1  /a+b/                  patterns
      a^2                                  weight
      #1(a b) #od4(a b) #uw8(a b) #syn(a b) #weight(0.8 a 0.2 b)

    The page `toysearch docs queries` explains each.
    """  # noqa: D301 - \b is for click
    if textbook and source is None:
        raise click.UsageError("--textbook reads postings and terms; give an index or a collection after the query")
    if textbook and form not in ("table", "json"):
        raise click.UsageError("--textbook has no rows; it is shown with --format table or json")
    mode = options.query_mode or "lenient"
    tree, remarks = parse(text, mode)
    index = None
    if source is None:
        refuse_idle(NO_SOURCE, options)
    else:
        index = study_of(source, options, topics=False, named_fields=fields_named(tree)).engine.index
        tree, remarks = parse(text, mode, known_fields(index), "" if index.folder is None else unkept())
        remarks += unrequired_filters(index, tree)
    analyzer = analyzer_for(options) if index is None else index.analyzer
    for sentence in remarks:
        note(sentence)
    outline = [] if tree is None else query_outline(tree, analyzer, index)
    columns = [Column("node"), Column("terms", wrap=True), Column("n_documents", "documents", "right", ",")]
    rows = [("  " * part.depth + cut(part.label, _WIDEST), _terms(part), part.n_documents) for part in outline]
    n_columns = 2 if index is None else 3
    table = ResultTable(columns[:n_columns], [row[:n_columns] for row in rows])
    data: dict[str, Any] = {
        "analyzer": str(analyzer),
        "query": None if tree is None else str(tree),
        "remarks": remarks,
        "tree": _nested(outline, index),
    }
    head = "\n".join([paragraph(f"analyzer: {analyzer}"), paragraph(f"query: {data['query'] or 'no words'}")])
    texts: list[str] = []
    if textbook and tree is not None:
        steps = ring("worked queries").textbook_query(tree, index)
        data["textbook"] = [{"kind": type(step).__name__, **step._asdict()} for step in steps]
        texts = [ring("worked queries").textbook_step_text(step) for step in steps]
    show(Page([head, table, *texts], table, data), form)
    if textbook and not texts and form == "table":
        note("the query has no operator, phrase or pattern to work out")


def _terms(part: QueryPart) -> str:
    """The terms of a node, then its words without one."""
    if isinstance(part.node, Range):
        return condition(part.node)
    if part.n_documents is not None and isinstance(part.node, PATTERNS):
        first = " ".join(part.terms[:_SOME])
        return f"{first} … ({len(part.terms):,} terms)" if len(part.terms) > _SOME else first or "no term fits"
    reasons = dict.fromkeys(part.left_out.values())
    if len(part.left_out) == 1 and not part.terms:
        return f"left out: {next(iter(reasons))}"
    omitted = "; ".join(
        f"{', '.join(word for word, why in part.left_out.items() if why == reason)}: {reason}" for reason in reasons
    )
    return " ".join(filter(None, [" ".join(part.terms), omitted and f"(left out: {omitted})"]))


def _nested(outline: list[QueryPart], index: Any) -> dict[str, Any] | None:
    """The outline as objects in objects."""
    path: list[dict[str, Any]] = []
    for part in outline:
        nested = {
            "node": type(part.node).__name__,
            "text": str(part.node),
            "terms": part.terms,
            "left_out": part.left_out,
            **({} if index is None else {"n_documents": part.n_documents}),
            "parts": [],
        }
        del path[part.depth :]
        if path:
            path[-1]["parts"].append(nested)
        path.append(nested)
    return path[0] if path else None
