"""`toysearch search`, `run` and `fuse`: rankings of one query, of all queries, and of several runs together."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

import toysearch
from toysearch import base, laboratory, search
from toysearch.base import (
    ArgumentError,
    Column,
    Marked,
    NoMatchNote,
    Part,
    Query,
    ResultTable,
    collected_notes,
    counted,
    note,
    typed_line,
)
from toysearch.base.result_forms import as_text
from toysearch.cli import (
    Command,
    Page,
    SourceOptions,
    Workers,
    command_of,
    depth_option,
    examples,
    fields_named,
    force_option,
    judged_options,
    keeping,
    method_of,
    model_option,
    option,
    output_options,
    paragraph,
    progress,
    queries_options,
    query_mode_option,
    remark,
    shared,
    show,
    spread_work,
    study_of,
    threads_option,
    worker_option,
)
from toysearch.query.modes import is_words, mode_of
from toysearch.rings import ring


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch search cat-dog-parrot "train cat"',
        "toysearch search companions --query-id 12 --model bm25:b=0.4 -k 5",
        "toysearch search companions '\"tick removal\" OR leash* -dog' --explain",
        'toysearch search companions "old dog" --where "topic = health and date > 2010" --facets topic,date',
        'toysearch search cat-dog-parrot "train cat" --formula "tf/(tf+k) * log(N/df)" --set k=1.2',
    ),
)
@click.argument("source")
@click.argument("query", nargs=-1)
@shared("k", default=10, heading="Options", help="Maximum number of documents.")
@model_option
@shared("query_id", help="Search with a query of the collection and show its grades.")
@query_mode_option("lenient; plain with --query-id")
@option("--correct", is_flag=True, help="Search with the better spelling that is suggested, if there is one.")
@option("--explain", is_flag=True, help="Show how each score is computed, term by term.")
@option("--relevant", metavar="ID,…", help="Search with terms of these documents (`toysearch docs expand-queries`).")
@option("--not", "not_relevant", metavar="ID,…", help="Weigh down the terms of these documents.")
@option(
    "--difficulty", is_flag=True, help="Predict whether the query is hard, by comparison with those of the collection."
)
@option(
    "--where", metavar="FILTER", heading="Ranking",
    help="Rank only documents that pass it, such as 'price < 50 and brand = dyson'.",
)  # fmt: skip
@option(
    "--sort", default="", metavar="FIELD", heading="Ranking", help="Sort by a field; -FIELD sorts from high to low."
)
@option(
    "--group-by",
    default="",
    metavar="FIELD",
    heading="Ranking",
    help="Show the best document of each value of a field.",
)
@option(
    "--facets",
    default="",
    metavar="FIELD,…",
    heading="Ranking",
    help="Count all matching documents by the values of these fields.",
)
@option("--offset", type=int, default=0, heading="Ranking", help="Leave out this many documents at the top.")
@judged_options
@output_options
def search_command(
    source: str,
    query: tuple[str, ...],
    k: int,
    model: Any,
    query_id: str | None,
    correct: bool,
    explain: bool,
    difficulty: bool,
    options: SourceOptions,
    form: str,
    **restrictions: Any,
) -> None:
    """Search an index or a collection for a query.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or a collection's folder or file.
    Documents with at least one query term are ranked (all documents by lsa and dense); equal scores keep the order of
    the collection.

    A query may have phrases, operators and patterns: `toysearch query --help` lists them. --query-mode plain
    switches them off, as it is with --query-id. A filter, and an order by a field, change no score; with --where the
    query may be left out.

    The words of the query are marked in a table. JSON has their places in title and snippet beside these, as
    title_marks and snippet_marks: [[4, 9]] is from the fifth character to the ninth. CSV and TSV have 4:9.
    """
    if explain and form not in ("table", "json"):
        raise click.UsageError("--explain needs a table or JSON; other formats cannot hold it")
    text = " ".join(query)
    feedback = {name: restrictions.pop(name) for name in ("relevant", "not_relevant")}
    faceted = [field.strip() for field in restrictions.pop("facets").split(",") if field.strip()]
    arranged = _Arranged(**restrictions)
    if faceted and form not in ("table", "json"):
        raise click.UsageError("--facets needs a table or JSON; other formats cannot hold them")
    if any(feedback.values()) and (faceted or arranged != _Arranged()):
        raise click.UsageError("--relevant and --not take no filter, order or facets; leave these out")
    mode = mode_of(options.query_mode, query_id or "")
    tree = None
    if query_id is None and not is_words(text):
        from toysearch.query.parser import tree_of  # a query of words needs none

        tree = tree_of(text, mode)
    try:
        judged = query_id is not None or difficulty
        study = study_of(
            source,
            options,
            models=[model],
            topics=judged,
            named_fields=fields_named(tree) | arranged.fields() | {*faceted},
        )
        index, collection = study.index, study.collection if judged else None
    except ArgumentError:
        names = toysearch.collections()  # a query before its collection is refused with the line to type
        if query and query[-1] in names and source not in names and not Path(source).exists():
            words = typed_line(" ".join([source, *query[:-1]]))
            raise click.UsageError(f"'{query[-1]}' is a collection: toysearch search {query[-1]} {words}") from None
        raise
    if query_id is None and not text.strip() and arranged.where is None:
        raise click.UsageError("give a query, or --query-id with the id of a query of the collection")
    if query_id is not None and text:
        raise click.UsageError("give a query or --query-id, not both")
    if query_id is not None and collection is None:
        raise ArgumentError(f"{source} is an index and holds no queries; give --queries FILE with --query-id")
    listings = (feedback["relevant"] or "", feedback["not_relevant"] or "")
    judged_ids = tuple([doc_id.strip() for doc_id in listing.split(",") if doc_id.strip()] for listing in listings)
    topic = collection.query(query_id) if collection is not None and query_id is not None else Query("", text)
    typed = (
        search.TypedQuery(topic.text) if mode == "plain" or is_words(topic.text) else _typed(index, topic.text, mode)
    )
    typed = search.tell_spelling(index, typed, correct)
    grades = collection.qrels[query_id] if collection is not None and query_id is not None else None
    request = _Request(
        toysearch.Searcher(index, model),
        typed,
        query_id or "",
        grades,
        judged_ids if any(feedback.values()) else (),
        arranged,
    )
    with collected_notes() as notes:
        ranking = request.ranking(k)
    for message in notes:
        note(message)
    hits = request.hits(ranking, explain, fields=form == "json")
    expansions = request.expansions() if explain else []
    counts = request.facets(faceted) if faceted else None
    predicted = None
    if difficulty:
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries to compare this one with; give some with --queries")
        alone = Query(query_id, typed.text) if query_id else typed.asked
        predicted = ring("difficulty").query_difficulty(
            request.searcher, collection.queries, alone, query_mode=typed.mode
        )
    beyond = f" beyond the first {arranged.offset:,}" if arranged.offset else ""
    without = "" if any(isinstance(message, NoMatchNote) for message in notes) else f"no document matches{beyond}"
    parts = _parts(request, hits, expansions, counts, without)
    if explain:
        hits = [hit | {"explanation": hit["explanation"].data()} for hit in hits]
    columns = [Column(column) for column in ("rank", "doc_id", "score", "grade", "title", "snippet")]
    if form in ("tsv", "csv"):
        columns += [Column("title_marks"), Column("snippet_marks")]
        hits = [
            hit | {marks.name: " ".join(f"{start}:{end}" for start, end in hit[marks.name]) for marks in columns[-2:]}
            for hit in hits
        ]
    rows = [[hit[column.name] for column in columns] for hit in hits]

    def data() -> dict[str, Any]:
        return {
            "query": str(typed.asked),
            "query_id": query_id or None,
            "model": str(model),
            **({"expansions": [expansion.data() for expansion in expansions]} if expansions else {}),
            **({"difficulty": {**predicted._asdict(), "hard": predicted.hard}} if predicted is not None else {}),
            **(counts.data() if counts is not None else {}),
            "hits": hits,
        }

    settings = (
        [f"grades: {collection.grades}; no grade: not judged"] if grades is not None and collection is not None else []
    )
    show(Page(parts, ResultTable(columns, rows), data, settings), form)
    if form != "table":
        return
    if predicted is not None and collection is not None:
        click.echo(paragraph(predicted.sentence(collection.name)))
    elif difficulty and hits:
        remark("the difficulty of this query cannot be predicted: its documents have no score for a term")


def _typed(index: toysearch.Index, text: str, mode: str) -> search.TypedQuery:
    """The query of a text with signs; what is not taken for a part of the query language is noted."""
    typed, remarks = search.read_typed(index, text, mode, saved=index.folder is not None)
    for taken_as_text in remarks:
        note(f"{taken_as_text} (--query-mode plain reads all as words)")
    for idle_filter in search.unrequired_filters(index, typed.tree):
        note(idle_filter)
    return typed


class _Arranged(NamedTuple):
    """What --where, --sort, --group-by and --offset say."""

    where: str | None = None
    sort: str = ""
    group_by: str = ""
    offset: int = 0

    def fields(self) -> set[str]:
        """The fields that they name."""
        compared = fields_named(search.filter_tree(self.where)) if self.where is not None else set()
        return compared | {self.sort.removeprefix("-"), self.group_by} - {""}


class _Request(NamedTuple):
    """What is searched for: a query, the grades of its documents if it is from the collection, known documents."""

    searcher: toysearch.Searcher
    typed: search.TypedQuery
    query_id: str
    grades: dict[str, float] | None
    feedback: tuple[list[str], ...]  # the ids of relevant documents and of others, if any are known
    arranged: _Arranged

    def ranking(self, k: int) -> toysearch.Ranking:
        """The best documents."""
        how: dict[str, Any] = {"k": k, "query_mode": self.typed.mode, "query_id": self.query_id}
        if not self.feedback:
            return self.searcher.search(self.typed.asked, **how, **self.arranged._asdict())
        return search.search_again(self.searcher, self.typed.asked, *self.feedback, **how)

    def facets(self, fields: list[str]) -> Any:
        """All matching documents counted by the values of fields."""
        where = self.arranged.where
        return self.searcher.facets(
            self.typed.asked, fields, query_mode=self.typed.mode, query_id=self.query_id, where=where
        )

    def hits(self, ranking: toysearch.Ranking, explain: bool, *, fields: bool) -> list[dict[str, Any]]:
        """The ranked documents, for all forms of the output."""
        index, hits = self.searcher.index, list[dict[str, Any]]()
        marked = self.typed.marked_terms(index)
        terms = self.searcher.terms(self.typed.asked, self.typed.mode, self.query_id) if explain else None
        for hit in ranking:
            number = index.doc_number(hit.doc_id)
            title, text = index.title(number), index.text(number)
            marked_title = search.snippet(title or "", marked, index.analyzer, width=200)
            passage = search.snippet(text or "", marked, index.analyzer)
            data: dict[str, Any] = {
                "rank": hit.rank,
                "doc_id": hit.doc_id,
                "score": hit.score,
                "grade": None if self.grades is None else self.grades.get(hit.doc_id),
                "title": title and Marked(marked_title.text, marked_title.spans),
                "title_marks": marked_title.spans,
                "snippet": text and Marked(passage.text, passage.spans),
                "snippet_marks": passage.spans,
                "fields": search.fields_of(index, number) if fields else {},
            }
            hits.append(data if terms is None else data | {"explanation": self._explanation(hit.doc_id, terms)})
        return hits

    def _explanation(self, doc_id: str, terms: Any) -> Any:
        """The explanation of a score for the terms of a query, or for these and known documents."""
        if not self.feedback:
            return toysearch.explain(self.searcher, terms, doc_id)
        return laboratory.explain_again(
            self.searcher, self.typed.asked, doc_id, *self.feedback, query_mode=self.typed.mode
        )

    def expansions(self) -> list[base.Explanation]:
        """The terms that feedback adds to the query."""
        if self.searcher.model.single is not None and not self.feedback:
            return []
        return laboratory.explain_expansion(self.searcher, self.typed.asked, *self.feedback, query_mode=self.typed.mode)


def _parts(
    request: _Request, hits: list[dict[str, Any]], expansions: list[base.Explanation], counts: Any, without: str
) -> Iterator[Part]:
    """The ranking for people, or what is said without a document; then the explanations, and the counts of facets."""
    has_texts = not request.searcher.index.word_counts
    yield f"query {request.query_id}: {' '.join(request.typed.text.split())}" if request.query_id else ""
    judged = request.grades is not None
    columns = [
        Column("rank", "", "right"),
        Column("doc_id", "document"),
        Column("score", "", "right", ".4f"),
        *([Column("grade", "", "right", "g")] if judged else []),
        *([Column("text", "title or best passage", wrap=True)] if has_texts else []),
    ]
    rows = []
    for hit in hits:  # with its best passage if the text matches a word of the query and the title does not
        title, passage = hit["title"], hit["snippet"]
        better = not title or (not title.spans and passage and passage.spans)
        text = (passage if better else title) or title or "(the index holds no text)"
        row = [hit["rank"], hit["doc_id"], hit["score"], *([hit["grade"]] if judged else [])]
        rows.append([*row, text] if has_texts else row)
    yield ResultTable(columns, rows) if rows else without
    yield from (laboratory.expansion_text(expansion) for expansion in expansions)
    yield from (laboratory.explanation_text(hit["rank"], hit["explanation"]) for hit in hits if "explanation" in hit)
    if counts is not None:
        yield from (counted(counts.matched, "matching document"), as_text(counts))


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch run companions --model bm25 -o bm25.run",
        "toysearch run companions --model cosine -o - | toysearch eval - companions",
        "toysearch run my-index --queries topics.txt -o bm25.run",
        "toysearch run companions --model bm25 --fingerprint -o bm25.run",
    ),
)
@click.argument("source")
@model_option
@shared("output", required=True, stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@depth_option
@option("--tag", help="Name of the run, its last column.  [default: the model's]")
@option("--fingerprint", is_flag=True, help="End the name with a checksum of documents, queries, model and settings.")
@query_mode_option("plain", "Ranking")
@threads_option
@worker_option
@queries_options
def run_command(
    source: str,
    model: Any,
    output: str,
    k: int,
    tag: str | None,
    fingerprint: bool,
    threads: int | None,
    workers: Workers,
    options: SourceOptions,
) -> None:
    """Rank every query of a collection and write a TREC run.

    SOURCE is the name of a collection, a folder, a file or an index; its own queries are ranked, or those of --queries.
    Each line is `query Q0 document rank score tag`. The scores are written so that trec_eval, which sorts a run again,
    keeps the ranked order: if necessary, a score is lowered to the next 32-bit number.
    """
    with workers.connected():
        study = study_of(source, options, models=[model])
        index, collection = study.index, study.collection
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries to rank; give some with --queries FILE")
        if len(collection.qrels):
            laboratory.tell_own_queries(collection, [model])
        searcher = toysearch.Searcher(index, model)
        with progress("ranking", "queries") as tell:
            spread_work(index, source, tell=tell)
            run = searcher.run(collection.queries, k, query_mode=options.query_mode, name=tag, threads=threads)
        if fingerprint:
            texts = {query.query_id: query.text for query in collection.queries}
            run.name += f"-{laboratory.run_fingerprint(searcher, texts, k, options.query_mode)}"
    toysearch.write_run(run, sys.stdout if output == "-" else output)
    remark(f"{counted(len(run.query_ids), 'query', 'queries')}, {counted(len(run), 'ranked document')}, {model}")


def _numbers(_: click.Context, __: click.Parameter, weights: str | None) -> list[float] | None:
    """The numbers of ``0.7,0.3``."""
    if weights is None:
        return None
    try:
        return [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights takes a number for each run, such as 0.7,0.3; found '{weights}'") from None


def _fuse(
    runs: tuple[str, ...],
    method: str,
    output: str,
    k: int,
    weights: list[float] | None,
    name: str | None,
    form: str,
) -> None:
    """Fuse several runs into one TREC run.

    Each RUN is a file in any known format (`toysearch docs runs-and-judgments`); one of them may be - for standard
    input. A query that some run lacks is fused from the others. Equal fused scores keep the order of the first run; the
    scores are written so that every reader keeps the order.

    Methods of ranks are rrf, with its constant as rrf:k=60, isr, logisr and borda. Those of scores, such as combsum,
    take a normalisation too: combsum:normalise=min-max, sum, z-score, rank or none. Without a RUN the methods are
    listed with their formulas, in a --format.
    """
    if not runs and output == "-":
        columns = [Column("method"), Column("formula"), Column("of"), Column("source", wrap=True)]
        rows = [
            [name, method.formula, "scores" if method.by_score else "ranks", method.source]
            for name, method in search.FUSION_METHODS.items()
        ]
        legend = (
            "w weight of a run · n number of runs that have the document · c number of\n"
            "documents that any run has · s normalised score"
        )
        table = ResultTable(columns, rows)
        show(Page([table, legend], table), form)
        return
    if form != "table":
        raise click.UsageError(
            f"--format {form} is for the list of methods; for -o, the ending .json, .csv or .tsv chooses the format"
        )
    for run in runs:
        if output != "-" and Path(output).exists() and Path(run).exists() and Path(output).samefile(run):
            raise click.UsageError(f"'{output}' is one of the runs that are fused; write to another file")
    methods = search.FUSION_METHODS
    settings = {one: {"normalise": str} if methods[one].by_score else {} for one in methods} | {"rrf": {"k": float}}
    chosen, how = method_of(method, settings)
    if "k" in how:
        how["rrf_k"] = how.pop("k")
    fused = toysearch.fuse(runs, chosen, k=k, weights=weights, name=name, **how)
    toysearch.write_run(fused, sys.stdout if output == "-" else output)
    ranked = counted(len(fused), "ranked document")
    remark(f"{counted(len(runs), 'run')}, {counted(len(fused.query_ids), 'query', 'queries')}, {ranked}, {method}")


fuse_command = command_of(
    "toysearch.fuse",
    "toysearch fuse mine.run theirs.run -o fused.run",
    "toysearch fuse mine.run theirs.run --method combsum --weights 0.7,0.3 | toysearch eval - cat-dog-parrot",
    "toysearch fuse mine.run theirs.run --method rrf:k=20 -o fused.run",
    "toysearch fuse",
    call=_fuse,
    runs={"metavar": "[RUN]...", "nargs": -1, "required": False},
    method={"metavar": "NAME", "help": "Fusion method, with its setting."},
    rrf_k=None,
    normalise=None,
    weights=option(
        "--weights", metavar="A,B,…", callback=_numbers, help="Weight of each run, such as 0.7,0.3.  [default: equal]"
    ),
    name={"names": ["--tag"]},
    output=shared(
        "output", default="-", stream=True, callback=keeping("run"), help="File to write; - is standard output."
    ),
    force=force_option,
)
