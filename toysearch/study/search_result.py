"""Search results as they are shown: the ranking with marked passages and grades, why, facets, and query difficulty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import toysearch
import toysearch.study
from toysearch import retrieval
from toysearch.base import (
    BORDER,
    ArgumentError,
    Column,
    Marked,
    NoMatchNote,
    Part,
    Remedy,
    Result,
    ResultTable,
    bordered,
    collected_notes,
    counted,
    note,
    number_columns,
    plain,
    spreadsheet_text,
    table_columns,
)
from toysearch.base.errors import go_on
from toysearch.index import Picked
from toysearch.query.modes import is_words, mode_of
from toysearch.retrieval.snippets import title_or_passage, without_title
from toysearch.study.study import Study, model_in

if TYPE_CHECKING:
    from toysearch.base import Explanation, Ranking
    from toysearch.collection.collection import Collection
    from toysearch.models import ModelLike
    from toysearch.retrieval import Searcher, TypedQuery
    from toysearch.study.study import JudgedLike

__all__ = ["SearchResult", "find"]

_TITLE = 200  # characters of a title


@dataclass(eq=False, repr=False)
class SearchResult(Result):
    """Result of `find`.

    Attributes
    ----------
    searcher : Searcher
        The index with the model.
    query : TypedQuery
        The query as it was read.
    query_id : str
        Its id in the collection; "" if it was typed.
    ranking : Ranking
        The documents.
    collection : Collection or None
        The collection of the query, whose grades are shown, or with whose queries it is compared.
    known : tuple of list of str
        The ids of documents known to be relevant, and not to be, if any are.
    explained : bool
        Whether the scores are explained.
    expansions : list of Explanation
        The terms that feedback added to the query, if the scores are explained.
    facets : Facets or None
        All matching documents counted by the values of fields.
    difficulty : QueryDifficulty or None
        Difficulty of the query among those of the collection.
    without : str
        Sentence shown if no document matches.
    group_by : str
        Field whose value the tables show of each document; "" for none.
    grades : function of a query_id, or None
        Its grades by doc_id, if not those of the collection.
    passages : function of terms and a doc_id, or None
        Title and best passage of a document, if not those of `passages`.
    """

    searcher: Searcher
    query: TypedQuery
    query_id: str
    ranking: Ranking
    collection: Collection | None = None
    known: tuple[list[str], ...] = ()
    explained: bool = False
    expansions: tuple[Explanation, ...] = ()
    facets: Any = None
    without: str = ""
    group_by: str = ""
    grades: Callable[[str], Mapping[str, float]] | None = None
    passages: Callable[[frozenset[str], str], Sequence[Any]] | None = None

    @property
    def judged(self) -> Collection | None:
        """Collection whose grades are shown; None for a typed query."""
        return self.collection if self.query_id else None

    @cached_property
    def hits(self) -> list[dict[str, Any]]:
        """Documents with the words of the query marked in title and best passage, and with their grades."""
        return [*self._read_hits()]

    def _read_hits(self, if_better: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the hits one by one: those of many documents take much memory; `if_better`: see `passages`."""
        index = self.searcher.index
        grades = {} if self.judged is None else (self.grades or self.judged.qrels.__getitem__)(self.query_id)
        marked = self.query.marked_terms(index)
        for place, hit in enumerate(self.ranking):
            if self.passages is None:
                title, passage = passages(index, marked, self._numbers[place], if_better=if_better)
            else:
                title, passage = self.passages(marked, hit.doc_id)
            yield {
                "rank": hit.rank,
                "doc_id": hit.doc_id,
                "score": hit.score,
                "grade": grades.get(hit.doc_id),
                "title": title,
                "title_marks": title.spans if title else [],
                "snippet": passage,
                "snippet_marks": passage.spans if passage else [],
            }

    @cached_property
    def _numbers(self) -> list[int]:
        """Number of each document in the index, which the ranking of a search has."""
        ids, index = self.ranking.ids, self.searcher.index
        return ids.numbers.tolist() if isinstance(ids, Picked) else [*map(index.doc_number, self.ranking.doc_ids)]

    @cached_property
    def explanations(self) -> list[Any]:
        """Explanation of each score, if the scores are explained."""
        if not self.explained:
            return []
        mode, doc_ids, searcher = self.query.mode, self.ranking.doc_ids, self.searcher
        if self.known:
            again = partial(toysearch.study.explain_again, searcher, self.query.asked, query_mode=mode)
            return [again(doc_id, *self.known) for doc_id in doc_ids]
        terms = searcher.terms(self.query.searched, mode, self.query_id)
        explained = []
        for doc_id in doc_ids:
            go_on()  # an explanation of thousands of terms takes long
            explained.append(toysearch.explain(searcher, terms, doc_id))
        return explained

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show the ranking; for programs with the places of the marks."""
        columns = table_columns("rank", "doc_id", "score", "grade", "title", "snippet")
        marks = table_columns("title_marks", "snippet_marks") if form in ("tsv", "csv") else []
        of_groups, groups = self._grouped

        rows = (
            [hit[column.name] for column in columns] + [_places(hit, mark.name, form) for mark in marks] + group
            for hit, group in zip(self._read_hits(), groups, strict=True)
        )
        return [ResultTable([*columns, *marks, *of_groups], rows, n=len(self.ranking))]

    @property
    def _grouped(self) -> tuple[list[Column], list[list[str]]]:
        """Column of the field to group by, and its cell for each document; no column and no cells without a field."""
        if not self.group_by:
            return [], [[]] * len(self.ranking)
        value_of = retrieval.value_texts(self.searcher.index, self.group_by)
        return [Column(self.group_by)], [[value_of(number)] for number in self._numbers]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Yield the ranking for people, or a sentence if it is empty; then the explanations, and the facets."""
        has_texts, judged = not self.searcher.index.word_counts, self.judged is not None
        yield f"query {self.query_id}: {' '.join(self.query.text.split())}" if self.query_id else ""
        of_groups, groups = self._grouped
        columns = table_columns(
            number_columns("", "rank"),
            Column("doc_id", "document"),
            number_columns(".4f", "score"),
            number_columns("g", "grade") if judged else [],
            of_groups,
            [Column("text", "title or best passage", wrap=True)] if has_texts else [],
        )
        rows = self._rows(has_texts, judged, groups)
        yield ResultTable(columns, rows, n=len(self.ranking)) if len(self.ranking) else self.without
        yield from (toysearch.study.expansion_text(expansion) for expansion in self.expansions)
        for ranked, why in zip(self.ranking, self.explanations, strict=False):
            yield toysearch.study.explanation_text(ranked.rank, why)
        if self.facets is not None:
            yield from (counted(self.facets.matched, "matching document"), str(self.facets))

    def _rows(self, has_texts: bool, judged: bool, groups: list[list[str]]) -> Iterator[list[Any]]:
        """Yield the rows for people, with the best passage if it has a phrase or a word that the title has not."""
        index = self.searcher.index
        marked = self.query.marked_terms(index)
        for hit, group in zip(self._read_hits(if_better=True), groups, strict=True):
            text = title_or_passage(hit["title"], hit["snippet"], marked, index.analyzer) or "(the index holds no text)"
            row = [hit["rank"], hit["doc_id"], hit["score"], *([hit["grade"]] if judged else []), *group]
            yield [*row, text] if has_texts else row

    def about(self) -> list[str]:
        """Explain the grades."""
        return [] if self.judged is None else [f"grades: {self.judged.grades}; no grade: not judged"]

    def data(self) -> dict[str, Any]:
        """Return the hits with their fields, and the requested additions."""
        index = self.searcher.index
        pairs = zip(self._read_hits(), self._numbers, strict=True)
        hits = [plain({**hit, "fields": retrieval.fields_of(index, number)}) for hit, number in pairs]
        if self.explained:
            hits = [hit | {"explanation": why.data()} for hit, why in zip(hits, self.explanations, strict=True)]
        expansions = [expansion.data() for expansion in self.expansions]
        return {
            "query": str(self.query.asked),
            "query_id": self.query_id or None,
            "model": str(self.searcher.model),
            **({"expansions": expansions} if expansions else {}),
            **({} if self.facets is None else plain(self.facets.data())),
            "hits": hits,
        }


def passages(
    index: toysearch.Index, terms: frozenset[str], document: int | str, width: int = 160, *, if_better: bool = False
) -> tuple[Any, ...]:
    """Mark terms in the title of a document, given by number or id, and in the best passage below it; None without one.

    Nothing is marked in a title that is not searched, such as the name of a file. `if_better`: the passage is also None
    where it cannot tell more than the title: there is a word in that, and no phrase to look for.
    """
    title, text = index.title(document), index.text(document)
    below = text and without_title(text, title or "")
    searched = (
        text is None or below != text or title in [" ".join(part.split()) for part in bordered(text).split(BORDER)]
    )
    cut = partial(retrieval.snippet, analyzer=index.analyzer)
    head = title and Marked(*cut(title, terms if searched else frozenset(), width=_TITLE))
    if if_better and head and head.spans and not any(" " in term for term in terms):
        return head, None
    return head, below and Marked(*cut(below, terms, width=width))


def find(
    source: JudgedLike,
    query: str = "",
    model: ModelLike = "bm25",
    *,
    k: int | None = 10,
    query_id: str | None = None,
    query_mode: str | None = None,
    correct: bool = False,
    explain: bool = False,
    relevant: str | Iterable[str] = "",
    not_relevant: str | Iterable[str] = "",
    where: str | None = None,
    sort: str = "",
    group_by: str = "",
    facets: str | Iterable[str] = "",
    offset: int = 0,
    above: float | None = None,
) -> SearchResult:
    """Search an index or a collection for a query.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or a collection's folder or file.
    Documents with at least one query term are ranked (all documents by lsa and dense); equal scores keep the order of
    the collection.

    A query may have phrases, operators and patterns: `toysearch query --help` lists them. --query-mode plain
    switches them off, as it is with --query-id. A filter, and an order by a field, change no score; with --where the
    query may be left out.

    The words of the query are marked in a table. JSON has their places in title and snippet beside these, as
    title_marks and snippet_marks: [[4, 9]] is from the fifth character to the ninth. CSV and TSV have 4:9.

    Parameters
    ----------
    source : Collection, Index, Searcher, Study, name or path
        The documents.
    query : str, default ""
        The text of the query.
    model : str, function, Model or Ranker, default "bm25"
        The ranking model.
    k : int or None, default 10
        Maximum number of documents.
    query_id : str, optional
        Search with a query of the collection and show its grades.
    query_mode : {"lenient", "strict", "plain"}, optional
        How the text is read, as `Searcher.search` takes it; by default lenient, and plain with `query_id`.
    correct : bool, default False
        Search with the better spelling that is suggested, if there is one.
    explain : bool, default False
        Show how each score is computed, term by term.
    relevant : str or iterable of str, optional
        Search with terms of these documents (`toysearch docs expand-queries`).
    not_relevant : str or iterable of str, optional
        Weigh down the terms of these documents.
    where : str, optional
        Rank only documents that pass this filter, such as 'price < 50 and brand = dyson'.
    sort : str, default ""
        Sort by a field; -FIELD sorts from high to low.
    group_by : str, default ""
        Show the best document of each value of a field.
    facets : str or iterable of str, optional
        Count all matching documents by the values of these fields.
    offset : int, default 0
        Leave out this many documents at the top.
    above : float, optional
        Leave out documents whose score is not above this number.

    Returns
    -------
    SearchResult

    Raises
    ------
    ArgumentError
        If there is nothing to search for, a name is unknown, or some arguments exclude each other.

    Examples
    --------
    >>> found = find("cat-dog-parrot", "train cat", k=1)
    >>> found.hits[0]["snippet"].text, found.hits[0]["snippet_marks"]
    ('How to train a cat', [(7, 12), (15, 18)])
    >>> find("cat-dog-parrot", query_id="1", k=1).hits[0]["grade"]
    1.0
    """
    *known, fields = map(_listed, (relevant, not_relevant, facets))
    study = Study.of(source)
    mode = mode_of(query_mode or study.scoring.query_mode, query_id or "")
    trees = [None if where is None else retrieval.filter_tree(where)]
    if query_id is None and not is_words(query):
        from toysearch.query.parser import tree_of  # a query of words needs none

        trees.append(tree_of(query, mode))
    names = set[str]().union(*(retrieval.named_fields(tree) for tree in trees if tree is not None))
    valued = {*fields, *filter(None, [group_by, sort and retrieval.sort_order(sort)[0]])}
    study = replace(study, named_fields=names, valued_fields=valued).with_models([model])
    index, collection = study.index(), None
    if query_id is not None:
        collection = study.collection()
        if collection is None:
            give, asked = Remedy("", queries=...), Remedy("", query_id=query_id)
            raise ArgumentError(f"{study.given.name} is an index and holds no queries; give {give} with {asked}")
        query = collection.query(query_id).text
    searcher = toysearch.Searcher(index, model_in(study.models[0]))
    typed = _typed(index, query, mode)
    if not (typed.is_usual(index) and index.analyzer.stem):
        typed = retrieval.tell_spelling(index, typed, correct, where)
    how = {"query_mode": typed.mode, "query_id": query_id or ""}
    feedback = known if any(known) else []
    with collected_notes() as notes:
        if feedback:
            ranking = retrieval.search_again(searcher, typed.asked, *feedback, k=k, **how)
        else:
            ranking = searcher.search(
                typed.searched, k, where=where, sort=sort, group_by=group_by, offset=offset, above=above, **how
            )
    for message in notes:
        note(message)
    expansions = tuple[Any, ...]()
    if explain and (feedback or searcher.model.single is None):
        expansions = tuple(toysearch.study.explain_expansion(searcher, typed.asked, *feedback, query_mode=typed.mode))
    counts = searcher.facets(typed.searched, fields, where=where, **how) if fields else None
    beyond = f" beyond the first {offset:,}" if offset else ""
    is_told = any(isinstance(message, NoMatchNote) for message in notes)
    return SearchResult(
        searcher,
        typed,
        query_id or "",
        ranking,
        collection,
        tuple(feedback),
        explain and bool(typed.text.strip()),  # a filter alone gives no scores
        expansions,
        counts,
        "" if is_told else f"no document matches{beyond}",
        group_by and retrieval.kept_field(index, group_by),
    )


def _listed(names: str | Iterable[str]) -> list[str]:
    return [*filter(None, map(str.strip, names.split(",") if isinstance(names, str) else names))]


def _typed(index: toysearch.Index, text: str, mode: str) -> TypedQuery:
    if is_words(text, mode):
        return retrieval.TypedQuery(text)
    typed, remarks = retrieval.read_typed(index, text, mode, saved=bool(index.path))
    for taken_as_text in remarks:
        plain = Remedy("", query_mode="plain")
        note(f"{taken_as_text} ({plain} reads all as words)")
    for idle_filter in retrieval.unrequired_filters(index, typed.tree):
        note(idle_filter)
    return typed


def _places(hit: Mapping[str, Any], name: str, form: str) -> str:
    """Write the places of the marks in a cell, which may begin with an apostrophe in CSV."""
    text = str(hit[name.removesuffix("_marks")] or "")
    before = len(spreadsheet_text(text)) - len(text) if form == "csv" else 0
    return " ".join(f"{start + before}:{end + before}" for start, end in hit[name])
