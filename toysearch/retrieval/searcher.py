"""Searcher = Index + Model: a query → a Ranking, queries → a Run.

Start with `Searcher.search` and `Searcher.run`: both look up the terms of a query (`Searcher.terms`), and a scorer
ranks the documents (`scorers.py` says which).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from toysearch import files
from toysearch.base import (
    ArgumentError,
    Query,
    Ranking,
    Remedy,
    StorageError,
    ToysearchError,
    a,
    expect_count,
    expect_finite,
    expect_list,
)
from toysearch.base.errors import go_on
from toysearch.index.file_layout import is_index_folder
from toysearch.index.inverted_index import Index
from toysearch.index.postings import NO_NUMBERS
from toysearch.index.strings import Picked
from toysearch.models import index_needs
from toysearch.models.registry import model as find_model
from toysearch.query.modes import is_words, mode_of
from toysearch.retrieval.model_scorer import note_left_out_fields
from toysearch.retrieval.query_terms import (
    CONTENT_WORDS,
    QueryTerms,
    analyzed,
    query_terms,
    structure_matched,
    with_matched,
)
from toysearch.retrieval.scorers import scorer_of
from toysearch.retrieval.scoring import MEMORY, Plan, Ranked, Weights, plan
from toysearch.retrieval.typed_query import IndexTexts, TypedQuery

if TYPE_CHECKING:
    from toysearch.base import Run
    from toysearch.collection.collection import Collection, QueriesInMemory, Source
    from toysearch.models import Model, ModelLike, Ranker
    from toysearch.query.syntax import Node
    from toysearch.retrieval.filters_and_facets import Facets

__all__ = ["Searcher", "search"]

TIES = ("rank", "trec_eval")
IndexLike: TypeAlias = "Index | Searcher | Source"
SearcherLike = IndexLike
Asked: TypeAlias = "str | Node | TypedQuery | Query | QueryTerms"
"""Query: a text, a tree, both, a text with its id, or the result of `Searcher.terms` for one of these."""


class Searcher:
    """Answers queries with ranked documents, and caches term weights.

    The ranking contains every document with at least one query term, even if its score is 0 or negative.
    Equal scores keep the order of the collection.

    Parameters
    ----------
    index : Index, its folder, or documents
        What to search. The folder of an index is opened; of documents, of any kind that `Index.build` takes, an index
        is built: a collection, its name, folder or file, texts, a data frame.
    model : str, function, Model or Ranker
        The ranking model: a name (``"bm25:b=0.4"``), a function in a file (``"mine.py:rank"``), a mixture
        (``"0.7*bm25 + 0.3*tfidf"``), or a model.
    memory : int
        Limit in bytes for the term weights that are kept, of which the least recently used are dropped, and the same
        again for those of the compiled search. Default 1 GB.
    **parameters
        Parameters of the model: ``Searcher(index, "bm25", k1=0.9)``.

    Raises
    ------
    ArgumentError
        If the model or a parameter is unknown.
    ModelError
        If the model breaks its contract.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> Searcher(index, "bm25").search("cat")
    <Ranking of 2 documents: 2 0.2686, 1 0.2136>
    """

    def __init__(
        self,
        index: IndexLike,
        model: ModelLike = "bm25",
        *,
        memory: int = MEMORY,
        **parameters: Any,
    ) -> None:
        if model is None:
            raise ArgumentError("model must be a text, a function, a Model or a Ranker, not None")
        if "analyzer" in parameters:
            raise ArgumentError("an analyzer belongs to an index: Searcher(Index.build(documents, analyzer=…), model)")
        ranker = find_model(model)
        self.model = ranker = ranker.bind(**parameters) if parameters else ranker
        self.index = index = index_of(index, ranker)
        self.scorer = scorer_of(index, ranker, memory)
        self._memory = memory
        if index.fields.names:
            note_left_out_fields(index, ranker)

    def __reduce__(self) -> tuple[Callable[..., Searcher], tuple[Index, Model | Ranker]]:
        """Send a searcher to another process as its index, which must be saved, and its model; nothing of its cache."""
        return partial(Searcher, memory=self._memory), (self.index, self.model)

    def __repr__(self) -> str:
        return f"<Searcher: {self.model} over {self.index.stats.N} documents>"

    def __call__(self, text: Asked, k: int | None = 10) -> Ranking:
        """Search, as the method does."""
        return self.search(text, k)

    def search(
        self,
        text: Asked,
        k: int | None = 10,
        *,
        query_mode: str | None = None,
        ties: str = "rank",
        query_id: str = "",
        where: str | Node | None = None,
        sort: str = "",
        group_by: str = "",
        offset: int = 0,
        above: float | None = None,
    ) -> Ranking:
        """Find the best documents for a text.

        Parameters
        ----------
        text : str, Node, Query or QueryTerms
            The query: a text, a tree such as ``Phrase("tick", "removal") & ~Term("dog")``, a query with its id, or what
            `terms` made of one.
        k : int or None
            The maximum number of documents; None means all that match.
        query_mode : {'lenient', 'strict', 'plain'}, optional
            How a text is read: in the query language, where anything else is read as plain words (lenient) or refused
            (strict); or without operators (plain). By default a text is read leniently, and a query with an id, such as
            a topic of a collection, plain.
        ties : {'rank', 'trec_eval'}
            Order of equal scores: as in the collection; or as in trec_eval (scores rounded to 32 bits, then
            doc_id descending), applied to all matched documents before the cut at k.
        query_id : str
            The id of the ranking.
        where : str or Node, optional
            A filter of documents by their fields, which changes no score: ``"price < 50 and brand = dyson"``, or a
            part of the query language. With an empty text, all documents that it keeps match, with a score of 0.
        sort : str
            The field to sort the matching documents by; with a minus sign, from high to low. Documents without it come
            last. By default they stay in the order of their scores.
        group_by : str
            The field of whose values only the best document each is kept. A document without it is kept.
        offset : int
            The number of documents to leave out at the top. Default 0.
        above : float, optional
            Leave out documents whose score is not above this number.

        Raises
        ------
        ArgumentError
            If k is not a positive whole number, `offset` is below 0, `query_mode` or `ties` is unknown, the index keeps
            no values of a field, or it cannot answer the query: a phrase needs positions or texts; or if `above` is
            given for a language model, whose scores are log-probabilities.

        Examples
        --------
        >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
        >>> Searcher(index).search('"another cat" OR dog')
        <Ranking of 2 documents: 3 0.5162, 2 0.3923>
        """
        check_request(k, ties)
        arrangement, has_text = None, True
        if where is not None or sort or group_by or offset:
            from toysearch.retrieval.filters_and_facets import Arrangement, filter_on  # most searches have none

            arrangement = Arrangement.checked(self.index, sort, group_by, offset)
            if where is not None and isinstance(text, str) and not text.strip():
                text, where, has_text = filter_on(self.index, where), None, False
        terms = self._looked_up(text, query_mode, query_id)
        terms = terms if has_text else terms._replace(is_whole=False)
        depth = k
        if arrangement is not None:
            terms, depth = self._filtered(terms, where), arrangement.depth(k)
        [(docs, scores)] = self._best([terms], depth, ties, above=above)
        if arrangement is not None:
            docs, scores = arrangement.of(self.index, docs, scores, k)
        query, mode = asked(text), mode_of(query_mode, terms.query_id)
        texts = IndexTexts(self.index, query, mode)
        ranking = Ranking.of_index(terms.query_id, Picked(self.index.doc_ids, docs), scores, texts)
        ranking.offset = offset
        if terms.unknown or terms.dropped or not len(terms.numbers):
            from toysearch.retrieval.remarks import remarks_on_answer  # most answers need none

            for remark in remarks_on_answer(self.index, self.model, terms, query, mode, where):
                remark.tell()
        return ranking

    def facets(
        self,
        text: Asked,
        fields: Sequence[str],
        *,
        query_mode: str | None = None,
        query_id: str = "",
        where: str | Node | None = None,
    ) -> Facets:
        """Count the documents that match a text by the values of fields.

        Parameters
        ----------
        text : str, Node, Query or QueryTerms
            The query; if it is empty, all documents match.
        fields : sequence of str
            The fields: each value is counted, and numbers and dates of more than ten values in ranges.
        query_mode, query_id, where
            See `search`.

        Raises
        ------
        ArgumentError
            If the index keeps no values of a field, or cannot answer the query.

        Examples
        --------
        >>> from toysearch import Document
        >>> cats = [("1", "a cat", "black"), ("2", "one cat", "white"), ("3", "my cat", "black"), ("4", "dog", "brown")]
        >>> documents = [Document(doc_id, text, "", {"colour": colour}) for doc_id, text, colour in cats]
        >>> facets = Searcher(Index.build(documents, values=["colour"])).facets("cat", ["colour"])
        >>> [(row.value, row.documents, row.filter) for row in facets.facets[0].values]
        [('black', 2, 'colour:black'), ('white', 1, 'colour:white')]
        """
        from toysearch.retrieval.filters_and_facets import facets_of, filtered

        if isinstance(text, str) and not text.strip():
            docs = np.arange(len(self.index))
            return facets_of(self.index, docs if where is None else docs[filtered(self.index, where) > 0], fields)
        terms = self._filtered(self._looked_up(text, query_mode, query_id), where)
        [(docs, _)] = self._best([terms], None)
        return facets_of(self.index, docs, fields)

    def _filtered(self, terms: QueryTerms, where: str | Node | None) -> QueryTerms:
        if where is None:
            return terms
        from toysearch.retrieval.filters_and_facets import filtered

        return terms._replace(allowed=filtered(self.index, where))

    def search_terms(self, terms: Iterable[str], k: int | None = 10, *, query_id: str = "") -> Ranking:
        """Find the best documents for terms that have already been analysed.

        Parameters
        ----------
        terms : iterable of str
            Terms in the form of the analyzer of the index; unknown terms are ignored.
        k : int or None
            The maximum number of documents; None means all that match.
        query_id : str
            The id of the ranking.

        Raises
        ------
        ArgumentError
            If k is not a positive whole number, or the terms are not a list of str.

        Examples
        --------
        >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
        >>> Searcher(index).search_terms(["cat", "sat"], k=1)
        <Ranking of 1 document: 1 0.6595>
        """
        expect_list(str, ordered=False, terms=terms)
        check_request(k)
        terms = list(terms)
        if not all(isinstance(term, str) for term in terms):
            raise ArgumentError(f"terms must be a list of str, not {a(terms)}; Searcher.search takes one text")
        [(docs, scores)] = self._best([query_terms(self.index, terms)], k)
        doc_ids = Picked(self.index.doc_ids, docs)
        return Ranking.of_index(query_id, doc_ids, scores, IndexTexts(self.index, " ".join(terms), "plain"))

    def run(
        self,
        queries: Collection | QueriesInMemory | str | os.PathLike[str],
        k: int | None = 1000,
        *,
        query_mode: str | None = None,
        ties: str = "rank",
        name: str | None = None,
        threads: int | None = None,
        above: float | None = None,
    ) -> Run:
        """Rank many queries.

        Parameters
        ----------
        queries : dict of query_id to text, list of Query, pairs or dicts, data frame, path or collection
            The queries; their order is kept.
        k : int or None
            The maximum number of documents per query; None means all that match.
        query_mode : {'lenient', 'strict', 'plain'}, optional
            See `search`: queries with ids are plain by default.
        ties : {'rank', 'trec_eval'}
            See `search`.
        name : str, optional
            The name of the run; by default that of the model.
        threads : int, optional
            Number of threads for compiled search; by default one per core. Results do not depend on it.
        above : float, optional
            See `search`.

        Raises
        ------
        ArgumentError
            If k or `threads` is not a positive whole number, `query_mode` or `ties` is unknown, or the index cannot
            answer a query.

        Examples
        --------
        >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
        >>> run = Searcher(index).run({"1": "cat", "2": "dog"})
        >>> [(hit.query_id, hit.doc_id) for hit in run]
        [('1', '2'), ('1', '1'), ('2', '3')]
        """
        from toysearch.base import Run  # most searches are of one query

        check_request(k, ties, threads)
        pairs = _pairs(queries)
        looked_up = [self._looked_up(text, query_mode, query_id) for query_id, text in pairs]
        if self.model.needs_terms and not all(len(terms.numbers) or terms.matched is not None for terms in looked_up):
            from toysearch.retrieval.remarks import tell_unmatched  # most runs have no such query

            tell_unmatched(pairs, looked_up)
        ranked = self._best(looked_up, k, ties, threads, above)
        nothing = NO_NUMBERS, np.empty(0)
        docs, scores = (np.concatenate(columns) for columns in zip(nothing, *ranked, strict=True))
        ends = np.cumsum([0, *(len(docs_of_query) for docs_of_query, _ in ranked)])
        doc_ids = Picked(self.index.doc_ids, docs)
        name = str(self.model) if name is None else name
        return Run([query_id for query_id, _ in pairs], ends, doc_ids, scores, name, ranked=True)

    def terms(self, text: Asked, query_mode: str | None = None, query_id: str = "") -> QueryTerms:
        """Analyze a query like the index and look its terms up there; see `search`."""
        return self._restricted(self._looked_up(text, query_mode, query_id))

    def _restricted(self, terms: QueryTerms) -> QueryTerms:
        by_terms = self.scorer.weights is not None  # the others rank more than the documents of these terms
        return with_matched(self.index, terms) if by_terms else structure_matched(self.index, terms)

    def _looked_up(self, text: Asked, query_mode: str | None, query_id: str) -> QueryTerms:
        """Look up the terms of a query; documents with all of them may still have to be found."""
        go_on()
        if isinstance(text, QueryTerms):
            return text if text.query_id or not query_id else text._replace(query_id=query_id)
        if isinstance(text, Query):
            query_id = text.query_id or query_id
        query = asked(text)
        mode = mode_of(query_mode if isinstance(query, str) else query_mode or "strict", query_id)
        if isinstance(query, str) and is_words(query, mode):
            tokens, kept = analyzed(self.index, query)
            left_out = [word for word in tokens if word in CONTENT_WORDS and self.index.analyzer.term(word) is None]
            return query_terms(self.index, kept, query, query_id, left_out)
        from toysearch.retrieval.matching import read_query

        written = text.text if isinstance(text, TypedQuery) else str(query)
        return read_query(self.index, query, mode, query_id)._replace(text=written, is_whole=True, query_id=query_id)

    @property
    def weights(self) -> Weights:
        """Term weights of the model.

        Raises
        ------
        ArgumentError
            If it is a mixture, which has several.
        """
        if self.scorer.weights is None:
            raise ArgumentError(f"'{self.model}' is a mixture; name a single model here")
        return self.scorer.weights

    def plan(self, text: Asked, query_mode: str | None = None) -> Plan:
        """Plan the scores for a query, for explanations."""
        return plan(self.weights, self.terms(text, query_mode))

    def scores(self, terms: QueryTerms) -> Ranked:
        """Score the documents that contain one of the terms, by ascending number."""
        return self.scorer.score(terms)

    def _best(
        self,
        queries: Sequence[QueryTerms],
        k: int | None,
        ties: str = "rank",
        threads: int | None = 1,
        above: float | None = None,
    ) -> Sequence[Ranked]:
        try:
            if self.scorer.weights is None:
                queries = [self._restricted(terms) for terms in queries]
            if len(queries) > 1:
                n_terms = self.index.stats.n_terms  # higher numbers belong to derived terms
                whole = [terms for terms in queries if terms.matched is None and not terms.required]
                numbers = (number for terms in whole for number in terms.numbers.tolist())
                self.scorer.prepare(number for number in numbers if number < n_terms)
            of_all = self.scorer.weights is None and any(terms.allowed is not None for terms in queries)
            if ties == "rank" and not of_all:
                ranked = self.scorer.best(queries, k, threads)
            else:
                ranked = [self._of_all(terms, k, ties) for terms in queries]
        except (ArithmeticError, LookupError, ValueError) as error:
            if not isinstance(error, ToysearchError) and (damage := self.index.damage()):
                raise StorageError(damage) from error
            raise
        if above is None:
            return ranked
        expect_finite(above, "above")
        if self.model.single is not None and "document" in self.model.single.hooks:
            raise ArgumentError(
                f"{Remedy('', above=above)}: the scores of {self.model} are log-probabilities, so no number separates "
                "matches from the rest"
            )
        return [(docs[scores > above], scores[scores > above]) for docs, scores in ranked]

    def _of_all(self, terms: QueryTerms, k: int | None, ties: str) -> Ranked:
        """Find the k best of the documents that pass a filter, by the scores and the order that all documents have."""
        every = terms._replace(allowed=None)
        docs, scores = self.scorer.best([every], None)[0] if ties == "rank" else self.scorer.score(every)
        if terms.allowed is not None:
            keeps = terms.allowed[docs] > 0
            docs, scores = docs[keeps], scores[keeps]
        order: Any = slice(k)
        if ties != "rank":
            order = np.lexsort((self._doc_id_order[docs], -scores.astype(np.float32)))[:k]
        return docs[order], scores[order]

    @cached_property
    def _doc_id_order(self) -> np.ndarray:
        """Position of each document when sorted by doc_id, descending."""
        places = np.empty(len(self.index), np.int64)
        places[self.index.doc_ids_order] = np.arange(len(places))[::-1]
        return places


def search(documents: SearcherLike, query: Asked, model: ModelLike = "bm25", k: int | None = 10) -> Ranking:
    """Find the best documents for a query, among documents of any kind.

    Of documents, an index is built for this search alone; a `Searcher` keeps it for the next ones.

    Parameters
    ----------
    documents : Index, its folder, documents or Searcher
        What to search; of documents, any kind that `Index.build` takes: a collection, its name, folder or file, texts,
        a data frame. Of a searcher, its index.
    query : str, Node, Query or QueryTerms
        The query, as for `Searcher.search`.
    model : str, function, Model or Ranker
        The ranking model; see `Searcher`. Default "bm25".
    k : int or None
        The maximum number of documents; None means all that match.

    Returns
    -------
    Ranking
        The documents, best first.

    Raises
    ------
    ArgumentError
        If there are no such documents, the model is unknown, or k is not a positive whole number.
    DataError
        If a file of documents is malformed.

    Examples
    --------
    >>> search(["the cat sat", "a cat and another cat", "the dog"], "cat")
    <Ranking of 2 documents: 2 0.2686, 1 0.2136>
    """
    check_request(k)  # before an index is built
    return Searcher(documents, model).search(query, k)


def index_of(source: IndexLike, *models: Model | Ranker) -> Index:
    """Return the index of a source, or build one from it."""
    if isinstance(source, Index):
        return source
    if isinstance(source, Searcher):
        return source.index
    if isinstance(source, str | os.PathLike) and is_index_folder(source):
        return Index.open(os.fspath(source))
    from toysearch.collection.collection import Collection  # most indexes are opened
    from toysearch.collection.document_sources import documents_given

    documents = documents_given(source)
    needed = index_needs(*models)
    fields = documents.separate_fields(needed.apart) if isinstance(documents, Collection) else None
    return Index.build(documents, fields=fields, values=needed.values or None)


def searcher_of(source: SearcherLike) -> Searcher:
    """Return the given searcher, or a BM25 searcher for any other source."""
    return source if isinstance(source, Searcher) else Searcher(source)


def _pairs(queries: Collection | QueriesInMemory | str | os.PathLike[str]) -> Sequence[tuple[str, str]]:
    from toysearch.collection.collection import Collection, Queries  # a search takes one text

    if isinstance(queries, Queries):
        return queries
    if isinstance(queries, os.PathLike | Collection) or (isinstance(queries, str) and os.path.isfile(queries)):
        from toysearch.collection.queries import read_queries  # queries in memory need no readers

        return read_queries(queries)
    return files.queries_in_memory(queries)


def asked(query: Asked) -> str | Node:
    """Return the text or the tree of a query."""
    if isinstance(query, TypedQuery):
        return query.asked
    return query.text if isinstance(query, Query | QueryTerms) else query


def check_request(k: int | None, ties: str = "rank", threads: int | None = None) -> None:
    """Refuse a number of documents or of threads, or an order of ties, that a search cannot have."""
    for name, number, every in (("k", k, "all"), ("threads", threads, "all cores")):
        if number is not None:
            expect_count(1, f" (or None for {every})", **{name: number})
    if ties not in TIES:
        raise ArgumentError(f"ties must be one of {', '.join(TIES)}, not {ties!r}")
