"""`toysearch show`, `analyze` and `query`: what is in an index, in a text and in a query."""

from __future__ import annotations

import math
import re
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.analysis.worked_analysis import worked_analysis
from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    ResultTable,
    byte_size,
    counted,
    note,
    number_columns,
    table_columns,
)
from toysearch.base.result import Page
from toysearch.cli.commands import command
from toysearch.cli.options import (
    Read,
    SourceOptions,
    analysis_options,
    analyzer_for,
    description,
    documented,
    option,
    output_options,
    query_mode_option,
    refuse_if,
    shared,
    source_options,
    typed_text,
)
from toysearch.cli.output import emit, first_words, paragraph, remark, show
from toysearch.cli.source_kinds import NO_SOURCE, refuse_idle
from toysearch.cli.sources import fields_named, study_of
from toysearch.query.parser import parse
from toysearch.retrieval import completions
from toysearch.study.explain.query_explanation import read_query
from toysearch.study.vocabulary_laws import laws_parts

_COUNTS = number_columns(",", "df", "cf")

_BEGINNING = 70  # characters


def _ranks(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise ArgumentError(f"ranks are given as the first and the last one, such as 1-1000, not '{text}'")
    return int(match[1]), int(match[2])


@command(
    "toysearch index cat-dog-parrot -o pets.idx",
    "toysearch show pets.idx",
    "toysearch show pets.idx --term train",
    "toysearch show pets.idx 3",
    'toysearch show pets.idx --complete "how to tra"',
)
@click.argument("source")
@click.argument("by_place", metavar="[DOC_ID]", required=False)
@option("--term", metavar="T", help="Show a term: its document frequency and its postings.")
@option("--doc", "doc_id", metavar="ID", help="Another way to give DOC_ID: its title, text and terms.")
@option("--complete", metavar="TEXT", help="Complete the last word of a query by the words of the documents.")
@option("--ranks", metavar="A-B", type=Read(_ranks), help="Ranks to fit Zipf's law to.  [default: all]")
@shared("k", default=10, heading="Options", help="Maximum number of rows.")
@output_options
def show_command(
    source: str,
    by_place: str | None,
    term: str | None,
    doc_id: str | None,
    complete: str | None,
    ranks: tuple[int, int] | None,
    k: int,
    form: str,
) -> None:
    """Show what is in an index: counts and laws, a term, a document.

    SOURCE is a folder made by `toysearch index`, or a collection, which is then indexed in memory.
    The laws are those of Zipf (frequency of the term at each rank) and Heaps (growth of the vocabulary with the text),
    each fitted as a least-squares line to the logarithms.
    """
    refuse_if([term, doc_id, complete, by_place].count(None) < 3, "choose one of --term, --doc and --complete")
    doc_id = by_place if doc_id is None else doc_id
    refuse_if(
        ranks is not None and [term, doc_id, complete].count(None) < 3,
        "--ranks is for the whole index, not for a term or a document",
    )
    index = toysearch.study.Study.of(source).index()
    if complete is not None:
        rows = completions(index, complete, k)
        columns = table_columns(Column("text", "query"), "term", _COUNTS[0])
        emit(columns, rows, form, data={"completions": rows})
    elif term is not None:
        _show_term(index, term, k, form)
    elif doc_id is not None:
        _show_document(index, doc_id, k, form)
    else:
        _show_index(index, ranks, k, form)


def _show_index(index: toysearch.Index, ranks: tuple[int, int] | None, k: int, form: str) -> None:
    from toysearch.index.listed_files import index_files

    stats, sizes = index.stats, {} if index.folder is None else index_files(index.folder)
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
        "bytes": sum(sizes.values()) or None,
    }
    if_any: dict[str, Any] = {
        "word_counts": index.word_counts,
        "values_kept": ", ".join(sorted(index.values)),
        "separate_fields": ", ".join(index.fields.names),
        "shards": len(index.shards),
    }
    counts |= {name: value for name, value in if_any.items() if value}
    fitted = [(f"{law}_{name}", value) for law, values in laws.items() for name, value in values.items()]
    columns = [Column("property", " "), Column("value", " ", wrap=True)]
    for_people = [_for_people(name, value) for name, value in counts.items() if value is not None]
    terms = ResultTable(table_columns("term", _COUNTS), index.frequent_terms(k), "the most frequent terms\n")
    parts: list[Part] = [ResultTable(columns, for_people), terms, *laws_parts(zipf_law, heaps_law)]
    data = {**counts, **laws, "files": sizes, "frequent_terms": terms.rows}
    show(Page(parts, ResultTable(columns, [*counts.items(), *fitted]), data), form)
    if form not in ("table", "json"):
        click.echo()
        emit(terms.columns, terms.rows, form)


def _for_people(name: str, value: Any) -> tuple[str, Any]:
    """Format a count for a table."""
    if name == "bytes":
        return "size", byte_size(value)
    digits = {int: ",", float: ",.2f"}.get(type(value))
    return name.replace("_", " "), format(value, digits) if digits else value


def _show_term(index: toysearch.Index, text: str, k: int, form: str) -> None:
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
    columns = table_columns(
        Column("doc_id", "document"),
        number_columns(",", "tf"),
        Column("title", "title or beginning", wrap=True),
        ["positions"] if positional else [],
    )
    title = paragraph(
        f"'{term}' is in {counted(df, 'document')} of {index.stats.N:,} (df), {counted(cf, 'time')} in all (cf); "
        f"idf = ln(N/df) = {idf:.4f}"
    )
    data = {"term": term, "df": df, "cf": cf, "idf": idf, "postings": listed}
    emit(columns, rows, form, data=data, title=f"{title}\n")
    _tell_rest(df, k, "postings")


def _term_of(index: toysearch.Index, text: str) -> str:
    """Find the term for a text: the text itself, or its form after the analyzer of the index."""
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
    number, vector = index.doc_number(doc_id), index.vector(doc_id)
    texts, n_tokens = {"title": index.title(number), "text": index.text(number)}, int(index.dl[number])
    terms = sorted(vector.items(), key=lambda item: (-item[1], item[0]))
    numbers = [index.term_number(term) for term, _ in terms[:k]]
    rows = [(*item, int(index.df[row]), int(index.cf[row])) for item, row in zip(terms, numbers, strict=False)]
    data = {"doc_id": doc_id, **texts, "tokens": n_tokens, "distinct_terms": len(vector), "terms": vector}
    head = f"document {doc_id}: {counted(n_tokens, 'token')}, {counted(len(vector), 'distinct term')}"
    paragraphs = [paragraph(f"{part}: {text}") for part, text in texts.items() if text]
    table = ResultTable(table_columns("term", number_columns(",", "tf"), _COUNTS), rows)
    show(Page([head, *paragraphs, table], table, data), form)
    if form != "json":
        _tell_rest(len(vector), k, "terms")


def _tell_rest(total: int, k: int, what: str) -> None:
    """Note the number of rows not shown."""
    if total > k:
        remark(f"{k:,} of {total:,} {what}; -k {total} shows all")


_STEPS = """The text is lower-cased and split into tokens of at least two word characters. --analyzer names a language,
with its stop words and stemmer, or plain (with a SOURCE also nothing: what the source has); then, after a colon,
changes:

\b
  tokens=NAME       word2; word1: single characters too; unicode: don't, 3.14;
                    whitespace: C++; a regular expression; or FILE.py:NAME
  html  fold_accents  cjk  marks       turn on, or off with =no
  stop=LIST         none, sklearn, lucene, snowball, iso, or a file
  stem=NAME         a Snowball stemmer, or none
  synonyms=FILE     lines such as 'kettle, water boiler' or 'colour => color'
  protected=FILE    words that are neither removed nor stemmed, or one+two
  numbers=KIND      keep, drop, or mark: each becomes <num>
  min_length=N      drop shorter tokens
  max_length=N      drop longer tokens
  ngrams=N-M        runs of N to M neighbouring terms as terms
  char_ngrams=N-M   runs of N to M characters of each term

The steps always come in this order: HTML, lower case, accents, tokens; for each token synonyms, numbers, lengths,
stop words, stems (a protected word passes these four); n-grams."""


@command(
    'toysearch analyze "How to train a cat"',
    'toysearch analyze "How to train a cat" --analyzer english',
    'toysearch analyze "flying planes" --analyzer plain:stem=english --json',
    'toysearch analyze "C++ isn\'t R 3.14" --analyzer english:tokens=unicode',
    'toysearch analyze "<b>Caf&eacute;</b> No. 42" --analyzer plain:html,fold_accents,numbers=mark',
    'toysearch analyze "東京都の天気" --analyzer ja',
    'toysearch analyze "train the cat" --analyzer plain:stop=sklearn,ngrams=1-2',
    text=description(worked_analysis, _STEPS),
)
@click.argument("text")
@analysis_options
@output_options
def analyze_command(text: str, options: SourceOptions, form: str) -> None:
    """Show the steps by which the analyzer of the options makes terms of the text."""
    show(worked_analysis(typed_text(text, options), analyzer_for(options)), form)


_SYNTAX = """\b
  a b  "a b"  "a b"~8                  one of the words, a phrase, near
  a AND b  a OR b  NOT a  +a  -a  ( )  required, prohibited, grouped
  (a b c)@2                            at least two of the words
  title:a  title:(a b)  year:[1990 TO 2000]  year:>=1990
  a*  a?b  a~1                         patterns
  a^2                                  weight
  #1(a b) #od4(a b) #uw8(a b) #syn(a b) #weight(0.8 a 0.2 b)

The page `toysearch docs queries` explains each."""
_QUERY = f"""Show how a query is read, and the terms of its words.

SOURCE is an index or a collection: its analyzer is used, its fields may stand before a colon, and the documents
that each part matches are counted. Without one, --analyzer is used, by default plain. Write -- before a query that
begins with -.

{_SYNTAX}"""


@command(
    "toysearch query '\"tick removal\" -dog' --analyzer english",
    "toysearch query 'cat* AND (train OR leash~1)^2' companions",
    "toysearch query --json -- '-dog +tick removal' my-index",
    "toysearch query 'C++ \"unclosed'",
    "toysearch query 'cat NOT guinae~' companions --textbook",
    text=_QUERY,
)
@click.argument("text")
@click.argument("source", required=False)
@documented(read_query)("textbook")
@query_mode_option("lenient")
@source_options
@output_options
def query_command(text: str, source: str | None, textbook: bool, options: SourceOptions, form: str) -> None:
    """Read the query for the source, or for the analyzer of the options, and show its parts."""
    refuse_if(
        textbook and source is None,
        "--textbook reads postings and terms; give an index or a collection after the query",
    )
    refuse_if(
        textbook and form not in ("table", "json"), "--textbook has no rows; it is shown with --format table or json"
    )
    mode = options.query_mode or "lenient"
    if source is None:
        refuse_idle(NO_SOURCE, options)
        reading: dict[str, Any] = {"analyzer": analyzer_for(options)}
    else:
        fields = fields_named(parse(text, mode)[0])
        reading = {"index": study_of(source, options, topics=False, named_fields=fields).index()}
    show(read_query(text, mode=mode, textbook=textbook, **reading), form)
