"""`toysearch search`: a ranked list for one query, with explanations."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.base import ArgumentError, NoMatchNote, Query, ScoredDoc, collected_notes, note
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    judged_options,
    model_option,
    option,
    output_options,
    query_mode_option,
)
from toysearch.cli.output import emit, paragraph, remark
from toysearch.cli.sources import fields_named, study_of
from toysearch.cli.workers import partial_option
from toysearch.laboratory.results.tables import Column, Marked
from toysearch.query.modes import is_words, mode_of, tree_of


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch search cat-dog-parrot "train cat"',
        "toysearch search companions --query-id 12 --model bm25:b=0.4 -k 5",
        "toysearch search companions '\"tick removal\" OR leash* -dog' --explain",
        'toysearch search cat-dog-parrot "train cat" --formula "tf/(tf+k) * log(N/df)" --set k=1.2',
    ),
)
@click.argument("source")
@click.argument("query", nargs=-1)
@option("-k", default=10, type=POSITIVE, help="Maximum number of documents.")
@model_option
@option("--query-id", metavar="ID", help="Search with a query of the collection and show its grades.")
@query_mode_option("lenient; plain with --query-id")
@option("--correct", is_flag=True, help="Search with the better spelling that is suggested, if there is one.")
@option("--explain", is_flag=True, help="Show how each score is computed, term by term.")
@option("--relevant", metavar="ID,…", help="Search with terms of these documents (`toysearch docs expand-queries`).")
@option("--not", "not_relevant", metavar="ID,…", help="Weigh down the terms of these documents.")
@option(
    "--difficulty", is_flag=True, help="Predict whether the query is hard, by comparison with those of the collection."
)
@partial_option
@judged_options
@output_options
def command(
    source: str,
    query: tuple[str, ...],
    k: int,
    model: Any,
    query_id: str | None,
    correct: bool,
    explain: bool,
    relevant: str | None,
    not_relevant: str | None,
    difficulty: bool,
    options: SourceOptions,
    form: str,
) -> None:
    """Search an index or a collection for a query.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or a collection's folder or file.
    Documents with at least one query term are ranked (all documents by lsa and dense); equal scores keep the order of
    the collection.

    A query may have phrases, operators and patterns: `toysearch query --help` lists them. --query-mode plain
    switches them off, as it is with --query-id.
    """
    if explain and form not in ("table", "json"):
        raise click.UsageError("--explain needs a table or JSON; other formats cannot hold it")
    text = " ".join(query)
    mode = mode_of(options.query_mode, query_id or "")
    tree = tree_of(text, mode) if query_id is None else None
    try:
        judged = query_id is not None or difficulty
        study = study_of(source, options, models=[model], topics=judged, named_fields=fields_named(tree))
        index, collection = study.index, study.collection if judged else None
    except ArgumentError:
        _refuse_source_at_the_end(source, query)
        raise
    asked = _asked(text, query_id, collection, source)
    asked = _spelt(index, _read(index, asked, mode), correct)
    searcher = toysearch.Searcher(index, model)
    with collected_notes() as notes:
        if relevant or not_relevant:
            asked = asked._replace(known=tuple(_ids(given or "") for given in (relevant, not_relevant)))
            ranking = _search_again(searcher, asked, k)
        else:
            ranking = searcher.search(asked.tree or asked.text, k, query_mode=asked.mode, query_id=asked.query_id)
    for each in notes:
        note(each)
    terms = _marked(index, asked)
    explained = searcher.terms(asked.tree or asked.text, asked.mode, asked.query_id) if explain else None
    hits = [_hit(searcher, asked, terms, rank, hit, explained) for rank, hit in enumerate(ranking, 1)]
    expansions = _expansions(searcher, asked) if explain else []
    predicted = _difficulty(searcher, asked, collection, source) if difficulty else None
    if form == "table":
        without = "" if any(isinstance(each, NoMatchNote) for each in notes) else "no document matches"
        _print_table(asked, hits, collection, explain, expansions, without)
        if predicted is not None and collection is not None:
            click.echo(paragraph(predicted.sentence(collection.name)))
        elif difficulty and hits:
            remark("the difficulty of this query cannot be predicted: its documents have no score for a term")
        return
    if explain:
        from toysearch.laboratory.results.explanation_text import explanation_data

        hits = [hit | {"explanation": explanation_data(hit["explanation"])} for hit in hits]
    columns = [Column(column) for column in ("rank", "doc_id", "score", "grade", "title", "snippet")]
    rows = [[hit[column.name] for column in columns] for hit in hits]
    data = {
        "query": str(asked.tree or asked.text),
        "query_id": asked.query_id or None,
        "model": str(model),
        **({"expansions": expansions} if expansions else {}),
        **({"difficulty": {**predicted._asdict(), "hard": predicted.hard}} if predicted is not None else {}),
        **({"partial": index.left_out.lstrip("-")} if index.left_out else {}),
        "hits": hits,
    }
    emit(columns, rows, form, data=data)


def _refuse_source_at_the_end(source: str, query: tuple[str, ...]) -> None:
    """Refuse a query before its collection, with the line to type."""
    named = toysearch.collections()
    if query and query[-1] in named and source not in named and not Path(source).exists():
        words = shlex.quote(" ".join([source, *query[:-1]]))
        raise click.UsageError(f"'{query[-1]}' is a collection: toysearch search {query[-1]} {words}")


def _ids(listed: str) -> list[str]:
    """The ids in a list with commas."""
    return [each.strip() for each in listed.split(",") if each.strip()]


def _search_again(searcher: Any, asked: _Asked, k: int) -> Any:
    """The best documents for a query and for known documents."""
    from toysearch.search.relevance_feedback import search_again

    text = asked.tree or asked.text
    return search_again(searcher, text, *asked.known, k=k, query_mode=asked.mode, query_id=asked.query_id)


_FREQUENT = 100  # a word in more than one of this many documents is not looked at


def _is_usual(index: Any, text: str) -> bool:
    """Whether all words of a query are frequent, and no two neighbours are one word."""
    tokens = index.analyzer.tokenizer(text)
    terms = {index.analyzer.term(token) for token in tokens} - {None}
    joined = {index.analyzer.term(first + second) for first, second in pairwise(tokens)} - {None}
    numbers = [index.term_numbers[term] for term in terms]
    frequent = min(numbers, default=0) >= 0 and (index.df_by_term[numbers] * _FREQUENT > len(index)).all()
    return frequent and not any(index.term_numbers[term] >= 0 for term in joined)


def _read(index: Any, asked: _Asked, mode: str) -> _Asked:
    """The query with its tree, unless it is only words."""
    if mode == "plain" or is_words(asked.text):
        return asked
    from toysearch.search.matching import unrequired_filters
    from toysearch.search.typed_query import read_typed

    typed, remarks = read_typed(index, asked.text, mode, saved=index.folder is not None)
    for taken in remarks:
        note(f"{taken} (--query-mode plain reads all as words)")
    for remark_on_filter in unrequired_filters(index, typed.tree):
        note(remark_on_filter)
    return asked._replace(tree=typed.tree, mode=typed.mode)


def _spelt(index: Any, asked: _Asked, correct: bool) -> _Asked:
    """The query, corrected if that is wanted; unknown words are noted."""
    if _is_usual(index, _words(asked)):
        return asked
    from toysearch.search.typed_query import tell_spelling

    typed = tell_spelling(index, _typed(asked), correct)
    return asked._replace(text=typed.text, tree=typed.tree)


def _words(asked: _Asked) -> str:
    """The words of a query."""
    return asked.text if asked.tree is None else _typed(asked).words


def _typed(asked: _Asked) -> Any:
    from toysearch.search.typed_query import TypedQuery  # most searches do not need it

    return TypedQuery(asked.text, asked.tree, asked.mode)


class _Asked(NamedTuple):
    """A query, the grades of its documents if it is from the collection, its tree if it is not only words."""

    text: str
    query_id: str
    grades: dict[str, float] | None
    tree: Any = None
    mode: str = "plain"
    known: tuple[list[str], ...] = ()  # the ids of relevant documents and of others, if any are known

    @property
    def record(self) -> Any:
        """The query with its id if it has one; else its tree or its text."""
        return Query(self.query_id, self.text) if self.query_id else self.tree or self.text


def _asked(text: str, query_id: str | None, collection: Any, source: str) -> _Asked:
    """The query, given by its text or its id."""
    if query_id is None:
        if not text.strip():
            raise click.UsageError("give a query, or --query-id with the id of a query of the collection")
        return _Asked(text, "", None)
    if text:
        raise click.UsageError("give a query or --query-id, not both")
    if collection is None:
        raise ArgumentError(f"{source} is an index and holds no queries; give --queries FILE with --query-id")
    return _Asked(collection.query(query_id).text, query_id, collection.qrels[query_id])


def _marked(index: Any, asked: _Asked) -> set[str]:
    """The terms to mark in titles and passages."""
    return set(index.analyzer(asked.text) if asked.tree is None else _typed(asked).marked_terms(index))


def _hit(searcher: Any, asked: _Asked, terms: set[str], rank: int, hit: ScoredDoc, explained: Any) -> dict[str, Any]:
    """A ranked document, for all forms of the output; explained: the terms by which its score is explained, or None."""
    from toysearch.laboratory.explain.snippet import snippet

    index = searcher.index
    number = index.doc_number(hit.doc_id)
    title, text = index.title(number), index.text(number)
    marked_title = snippet(title or "", terms, index.analyzer, width=200)
    passage = snippet(text or "", terms, index.analyzer)
    shown: dict[str, Any] = {
        "rank": rank,
        "doc_id": hit.doc_id,
        "score": hit.score,
        "grade": None if asked.grades is None else asked.grades.get(hit.doc_id),
        "title": title and Marked(marked_title.text, marked_title.spans),
        "snippet": text and Marked(passage.text, passage.spans),
    }
    if explained is not None:
        shown["explanation"] = _explained(searcher, asked, hit.doc_id, explained)
    return shown


def _explained(searcher: Any, asked: _Asked, doc_id: str, terms: Any) -> Any:
    """The explanation of a score for the terms of a query, or for these and known documents."""
    if not asked.known:
        return toysearch.explain(searcher, terms, doc_id)
    from toysearch.laboratory.explain.query_expansion import explain_again

    return explain_again(searcher, asked.tree or asked.text, doc_id, *asked.known, query_mode=asked.mode)


def _expansions(searcher: Any, asked: _Asked) -> list[dict[str, Any]]:
    """The terms that feedback adds to the query."""
    if searcher.model.single is not None and not asked.known:
        return []
    from toysearch.laboratory.results.expansion_text import expansions_of

    return expansions_of(searcher, asked.tree or asked.text, asked.mode, asked.known)


def _difficulty(searcher: Any, asked: _Asked, collection: Any, source: str) -> Any:
    """The predicted difficulty of the query among those of the collection."""
    if collection is None or not len(collection.queries):
        raise ArgumentError(f"{source} has no queries to compare this one with; give some with --queries")
    from toysearch.laboratory.experiments.prediction.query_difficulty import query_difficulty

    return query_difficulty(searcher, collection.queries, asked.record, query_mode=asked.mode)


def _shown(hit: dict[str, Any]) -> Any:
    """The title, or the best passage if the text matches a word of the query and the title does not."""
    title, passage = hit["title"], hit["snippet"]
    better = not title or (not title.spans and passage and passage.spans)
    return (passage if better else title) or title or "(the index holds no text)"


def _print_table(
    asked: _Asked,
    hits: list[dict[str, Any]],
    collection: Any,
    explain: bool,
    expansions: list[dict[str, Any]],
    without: str,
) -> None:
    """The ranking for people, or what is said without a document."""
    if asked.query_id:
        click.echo(f"query {asked.query_id}: {' '.join(asked.text.split())}\n")
    columns = [Column("rank", "", "right"), Column("doc_id", "document"), Column("score", "", "right", ".4f")]
    if asked.grades is not None:
        columns.append(Column("grade", "", "right", "g"))
    columns.append(Column("text", "title or best passage", wrap=True))
    rows = []
    for hit in hits:
        cells = [hit["rank"], hit["doc_id"], hit["score"]]
        if asked.grades is not None:
            cells.append(hit["grade"])
        rows.append([*cells, _shown(hit)])
    if rows:
        emit(columns, rows, "table")
    elif without:
        click.echo(without)
    if asked.grades is not None:
        remark(f"grades: {collection.grades}; no grade: not judged")
    for data in expansions:
        from toysearch.laboratory.results.expansion_text import expansion_text

        click.echo("\n" + expansion_text(data))
    for hit in hits if explain else ():
        from toysearch.laboratory.results.explanation_text import explanation_text

        click.echo("\n" + explanation_text(hit["rank"], hit["explanation"]))
