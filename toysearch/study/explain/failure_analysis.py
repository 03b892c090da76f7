"""Failure analysis: the worst queries of a system, and rules that name the causes, each with its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from toysearch.base import (
    ArgumentError,
    Qrels,
    Run,
    agreeing,
    counted,
    expect,
    expect_list,
    ordered,
    some,
)
from toysearch.evaluation import Evaluation
from toysearch.index.inverted_index import Index

__all__ = ["Cause", "HardQuery", "PoorQuery", "causes", "hardest", "poorest"]


_Row = TypeVar("_Row", bound=tuple[Any, ...])


class RankedDocument(NamedTuple):
    """Document of a query with its rank (None: not retrieved) and its grade (None: not judged)."""

    doc_id: str
    rank: int | None
    grade: float | None


class PoorQuery(NamedTuple):
    """Query among the worst of a system.

    Attributes
    ----------
    query_id : str
        The query.
    value : float
        Its value of the measure.
    came : list of RankedDocument
        The documents at the first ranks.
    wanted : list of RankedDocument
        All relevant documents, highest grade first, then by rank.
    """

    query_id: str
    value: float
    came: list[RankedDocument]
    wanted: list[RankedDocument]


class HardQuery(NamedTuple):
    """Query with its best value over several runs, and the first run with this value."""

    query_id: str
    value: float
    run: str


def poorest(run: Run, qrels: Qrels, evaluation: Evaluation, n: int = 10, depth: int = 3) -> list[PoorQuery]:
    """List the worst queries by the first measure of an evaluation, worst first; of a need, only its worst text.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        The evaluation of the run.
    n : int
        The largest number of queries.
    depth : int
        The number of top documents to list for each query.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 2, "b": 1}}), Qrels.from_dict({"1": {"b": 1, "c": 1}})
    >>> poorest(run, qrels, evaluate(run, qrels))[0].wanted
    [RankedDocument(doc_id='b', rank=2, grade=1.0), RankedDocument(doc_id='c', rank=None, grade=1.0)]
    """
    expect(Run, run=run)
    expect(Qrels, qrels=qrels)
    expect(Evaluation, evaluation=evaluation)
    expect(int, n=n, depth=depth)
    run, _ = ordered(run, evaluation.ties)
    queries = []
    for query_id, value in _once(evaluation.worst(), evaluation)[:n]:
        grades, doc_ids = qrels[query_id], run.doc_ids_of(query_id)
        ranks = {doc_id: rank for rank, doc_id in enumerate(doc_ids, 1)}
        first = [RankedDocument(doc_id, rank, grades.get(doc_id)) for rank, doc_id in enumerate(doc_ids[:depth], 1)]
        relevant = [doc_id for doc_id, grade in grades.items() if grade >= evaluation.threshold and grade > 0]
        relevant.sort(key=lambda doc_id: (-grades[doc_id], ranks.get(doc_id, len(doc_ids) + 1)))
        documents = [RankedDocument(doc_id, ranks.get(doc_id), grades[doc_id]) for doc_id in relevant]
        queries.append(PoorQuery(query_id, value, first, documents))
    return queries


def ranking_of(run: Run, evaluation: Evaluation, query_id: str) -> list[str]:
    """List the documents of a query as the evaluation orders them."""
    hits = [(query_id, hit.doc_id, hit.score) for hit in run.ranking(query_id)]
    return ordered(Run.from_records(hits, ranked=run.ranked), evaluation.ties)[0].doc_ids


def hardest(evaluations: Sequence[Evaluation], n: int = 10) -> list[HardQuery]:
    """List the queries that no run answers well: those with the worst best value over all runs, hardest first.

    Of a need with several texts, only the hardest is listed.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        The evaluations of several runs, with the same judgments and the same first measure, which is compared.
    n : int
        The largest number of queries.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> qrels = {"1": {"a": 1}, "2": {"a": 1}}
    >>> first = evaluate({"1": ["a"], "2": ["b"]}, qrels, "RR")
    >>> second = evaluate({"1": ["b", "a"], "2": ["c", "b", "a"]}, qrels, "RR")
    >>> [(query.query_id, round(query.value, 4)) for query in hardest([first, second])]
    [('2', 0.3333), ('1', 1.0)]
    """
    expect_list(Evaluation, evaluations=evaluations)
    expect(int, n=n)
    if not evaluations:
        raise ArgumentError("expected at least one evaluation, found none")
    sign = evaluations[0].measures[0].sign
    best: dict[str, HardQuery] = {}
    for evaluation in evaluations:
        for query_id, value in evaluation.worst():
            easiest = best.get(query_id)
            if easiest is None or sign * value > sign * easiest.value:
                best[query_id] = HardQuery(query_id, value, evaluation.name)
    return _once(sorted(best.values(), key=lambda query: sign * query.value), evaluations[0])[:n]


def _once(rows: Iterable[_Row], evaluation: Evaluation) -> list[_Row]:
    """Keep the first row of each need; each begins with the query."""
    first: dict[str, _Row] = {}
    for row in rows:
        first.setdefault(evaluation.needs[row[0]], row)
    return [*first.values()]


FIRST, FAR, LONG = 10, 10, 3
ALIKE, FREQUENT = 0.9, 0.05
_COMPARED = 3  # relevant documents that the first one is compared with
_WORD = re.compile(r"\w")


class Cause(NamedTuple):
    """Reason for a low value.

    Attributes
    ----------
    name : str
        The rule that holds.
    sentence : str
        Finding, with the numbers.
    numbers : dict of str to float
        The numbers by name.
    """

    name: str
    sentence: str
    numbers: dict[str, float]


@dataclass(frozen=True)
class _Case:
    ranking: list[str]
    grades: dict[str, float]
    relevant: list[str]
    threshold: float
    complete: bool  # true if every relevant document is judged
    index: Index | None
    text: str | None

    @cached_property
    def terms(self) -> list[str]:
        """Terms of the query, each once; none without an index."""
        if self.index is None or self.text is None:
            return []
        return list(dict.fromkeys(self.index.analyzer(self.text)))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Relevant documents with their numbers in the index, -1 if it lacks one; empty without index and text."""
        if self.index is None or self.text is None:
            return {}
        return {doc_id: self.index.find_document(doc_id) for doc_id in self.relevant}

    @property
    def absent(self) -> list[str]:
        return [doc_id for doc_id, number in self.numbers.items() if number < 0]

    @cached_property
    def apart(self) -> list[str]:
        docs = [self.index.postings(term).docs for term in self.terms if self.index is not None]
        holders = {number for of_term in docs for number in of_term.tolist()}
        return [doc_id for doc_id, number in self.numbers.items() if number >= 0 and number not in holders]

    @cached_property
    def first_relevant(self) -> int | None:
        relevant = set(self.relevant)
        return next((rank for rank, doc_id in enumerate(self.ranking, 1) if doc_id in relevant), None)


def causes(
    run: Run,
    qrels: Qrels,
    evaluation: Evaluation,
    query_id: str,
    *,
    index: Index | None = None,
    text: str | None = None,
) -> list[Cause]:
    """Apply the rules of this module to a query, in their order; an empty list if no rule holds.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        The evaluation of the run.
    query_id : str
        The query.
    index : Index, optional
        The index of the collection; without it, the rules that need an index are skipped.
    text : str, optional
        The text of the query; the rules about query terms need it and the index.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 2, "b": 1}}), Qrels.from_dict({"1": {"c": 1}})
    >>> [cause.sentence for cause in causes(run, qrels, evaluate(run, qrels), "1")]
    ['2 of the first 2 documents are unjudged', 'the only relevant document was not retrieved']
    """
    expect(Run, run=run)
    expect(Qrels, qrels=qrels)
    expect(Evaluation, evaluation=evaluation)
    grades = qrels[query_id]
    relevant = [doc_id for doc_id, grade in grades.items() if grade >= evaluation.threshold and grade > 0]
    ranking = ranking_of(run, evaluation, query_id)
    case = _Case(ranking, grades, relevant, evaluation.threshold, qrels.complete, index, text)
    return [cause for rule in _RULES for cause in rule(case)]


def _nothing(case: _Case) -> Iterator[Cause]:
    if not case.ranking:
        yield Cause("nothing retrieved", "nothing was retrieved", {"retrieved": 0})
    if not case.relevant:
        sentence = f"none of {counted(len(case.grades), 'judged document')} reaches grade {case.threshold:g}"
        yield Cause("nothing relevant", sentence, {"judged": len(case.grades), "relevant": 0})


def _query_terms(case: _Case) -> Iterator[Cause]:
    index, terms, n = case.index, case.terms, len(case.terms)
    if index is None or case.text is None:
        return
    analyzer = index.analyzer
    if not terms and _WORD.search(case.text):
        sentence = f"every word of the query is removed by {analyzer}"
        yield Cause("all stopped", sentence, {"words": len(case.text.split())})
    is_first = case.first_relevant == 1
    words = [word for word in dict.fromkeys(case.text.split()) if _WORD.search(word)]
    dropped = [word for word in words if not analyzer(word)]
    if terms and not is_first and 2 * len(dropped) >= len(words):
        sentence = f"{analyzer} drops {len(dropped)} of {counted(len(words), 'word')} of the query: {some(dropped, 5)}"
        yield Cause("dropped words", sentence, {"dropped": len(dropped), "words": len(words)})
    unknown = [term for term in terms if index.term_number(term) < 0]
    if unknown:
        subject = f"{len(unknown)} of {counted(n, 'term')}" if n > 1 else "the only term"
        sentence = f"{subject} {agreeing(len(unknown), '[is|are]')} in no document: {some(unknown, 3)}"
        yield Cause("unknown terms", sentence, {"unknown": len(unknown), "terms": n})
    dfs = {term: len(index.postings(term).docs) for term in terms}
    rarest, N = min(terms, key=dfs.__getitem__, default=""), index.stats.N
    if terms and not is_first and dfs[rarest] > FIRST and dfs[rarest] >= FREQUENT * N:
        sentence = f"no rare term: even '{rarest}' is in {dfs[rarest]:,} of {N:,} documents"
        yield Cause("no rare term", sentence, {"df": dfs[rarest], "N": N})


def _out_of_reach(case: _Case) -> Iterator[Cause]:
    apart, absent, n = len(case.apart), len(case.absent), len(case.relevant)
    if apart:
        sentence = f"{_relevant(apart, n, '[shares|share] no term with the query')}: {some(case.apart, 3)}"
        yield Cause("no shared term", sentence, {"apart": apart, "relevant": n})
    if absent:
        sentence = f"{_relevant(absent, n, '[is|are] not in the collection')}: {some(case.absent, 3)}"
        yield Cause("not in the collection", sentence, {"absent": absent, "relevant": n})


def _at_the_top(case: _Case) -> Iterator[Cause]:
    ranked, relevant_at, index = case.ranking[:FIRST], case.first_relevant, case.index
    unjudged = sum(doc_id not in case.grades for doc_id in ranked)
    if not case.complete and ranked and 2 * unjudged >= len(ranked):
        which = f"{unjudged} of the first {len(ranked)} documents" if len(ranked) > 1 else "the only document retrieved"
        sentence = f"{which} {agreeing(unjudged, '[is|are]')} unjudged"
        yield Cause("unjudged on top", sentence, {"unjudged": unjudged, "first": len(ranked)})
    if index is None or not ranked or relevant_at == 1:
        return
    first, average = ranked[0], index.stats.avgdl
    known = [doc_id for doc_id in (first, *case.relevant[:_COMPARED]) if index.find_document(doc_id) >= 0]
    terms = {doc_id: index.vector(doc_id).keys() for doc_id in known}
    for doc_id in known[1:] if first in terms else ():
        either = terms[first] | terms[doc_id]
        likeness = len(terms[first] & terms[doc_id]) / len(either) if either else 0.0
        if likeness >= ALIKE:
            sentence = f"{first} at rank 1 is nearly {doc_id}: they share {likeness:.0%} of their terms"
            yield Cause("near duplicate", sentence, {"jaccard": likeness})
            break
    for rank, doc_id in enumerate(ranked[: relevant_at and relevant_at - 1], 1):
        number = index.find_document(doc_id)
        if number >= 0 and index.dl[number] >= LONG * average > 0:
            length = int(index.dl[number])
            sentence = (
                f"{doc_id} at rank {rank} is {length / average:.1f} times as long as the average document "
                f"({length} and {average:.1f} terms)"
            )
            yield Cause("long document in the way", sentence, {"rank": rank, "dl": length, "avgdl": average})
            break


def _missed(case: _Case) -> Iterator[Cause]:
    reachable = [doc_id for doc_id in case.relevant if doc_id not in {*case.absent, *case.apart}]
    retrieved = set(case.ranking)
    missed = sum(doc_id not in retrieved for doc_id in reachable)
    if missed and 2 * missed >= len(reachable) and case.ranking:
        which = " with a query term" if len(reachable) < len(case.relevant) else ""
        sentence = _relevant(missed, len(reachable), "[was|were] not retrieved", which)
        yield Cause("not retrieved", sentence, {"missed": missed, "relevant": len(reachable)})
    first = case.first_relevant
    if first is not None and first > FAR:
        yield Cause("far down", f"the first relevant document is at rank {first}", {"rank": first})


_RULES: tuple[Callable[[_Case], Iterator[Cause]], ...] = (
    _nothing,
    _query_terms,
    _out_of_reach,
    _at_the_top,
    _missed,
)


def _relevant(part: int, whole: int, verb: str, which: str = "") -> str:
    subject = f"{part} of {whole} relevant documents" if whole > 1 else "the only relevant document"
    return f"{subject}{which} {agreeing(part, verb)}"
