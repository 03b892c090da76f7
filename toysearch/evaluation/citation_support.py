"""How far the documents that answers cite support their sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Result,
    ResultTable,
    checked,
    counted,
    note,
    number_columns,
)
from toysearch.evaluation.result import arithmetic, harmonic
from toysearch.formats.cited_answers import CitedAnswer, CitedSentence, read_cited_answers, unanswered

__all__ = ["AnswerSupport", "CitationSupport", "citation_support"]

_MEASURES = ("citation_recall", "citation_precision", "citation_f1", "weighted_recall", "weighted_precision")
_COUNTS = ("sentences", "citations")


class AnswerSupport(NamedTuple):
    """The support of an answer, or the means over the answers of a system, whose ``query_id`` is "all".

    Attributes
    ----------
    system, query_id : str
        Who answers what.
    citation_recall : float
        The share of sentences that their citations support fully.
    citation_precision : float
        The share of citations that are needed, in sentences that are supported fully; 0 without citations.
    citation_f1 : float
        The harmonic mean of both.
    weighted_recall : float
        The support of the sentences, over their number.
    weighted_precision : float
        The support of the citations, over their number; 0 without citations.
    sentences, citations : int
        How many there are.
    """

    system: str
    query_id: str
    citation_recall: float = 0.0
    citation_precision: float = 0.0
    citation_f1: float = 0.0
    weighted_recall: float = 0.0
    weighted_precision: float = 0.0
    sentences: int = 0
    citations: int = 0


@dataclass(frozen=True)
class CitationSupport(Result):
    """The support of the citations of one or more systems.

    Attributes
    ----------
    systems : list of AnswerSupport
        For each system, the means over all queries and its numbers of sentences and of citations.
    answers : list of AnswerSupport
        Each answer; one that a system lacks has the value 0.
    """

    systems: list[AnswerSupport]
    answers: list[AnswerSupport]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The means of the systems, and the values of their answers."""
        columns = [
            Column("system"),
            Column("query_id", "query"),
            *number_columns(".4f", **{name: name.replace("_", " ") for name in _MEASURES}),
            *number_columns(",", *_COUNTS),
        ]
        means = ResultTable([columns[0], *columns[2:]], [(row.system, *row[2:]) for row in self.systems])
        return [means, ResultTable(columns, self.answers)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """The means alone."""
        return self.tables()[:1]

    def about(self) -> list[str]:
        """Over how many queries, and what support weighs."""
        n = len(self.answers) // len(self.systems)
        return [f"{counted(n, 'query', 'queries')} · full support 1, partial 0.5, none 0"]


@checked
def citation_support(
    answers: str | Path | Iterable[str | Path | CitedAnswer], *, first: bool = False
) -> CitationSupport:
    """Measure how far citations support the sentences of answers.

    Citation recall, precision and F1 count full support only: a sentence counts if its citations together support it,
    and a citation if its sentence counts and it is needed: it supports the sentence alone, or the others do not.
    Weighted recall and precision count partial support as a half. Support is read from the files; nothing is judged
    here. The means are over all queries; an answer that a system lacks counts as 0.

    Parameters
    ----------
    answers : path, list of paths, or list of CitedAnswer
        The answers with their judged support: JSON Lines, as `read_cited_answers` reads them.
    first : bool, default False
        Count only the first judged citation of each sentence, as the TREC 2024 RAG track did.

    Returns
    -------
    CitationSupport

    Raises
    ------
    DataError
        If a file cannot be read, or a system answers a query twice.
    ArgumentError
        If there is no answer.

    References
    ----------
    Gao, Yen, Yu & Chen 2023, Enabling large language models to generate text with citations, EMNLP (ALCE): recall and
    precision, there of at most three citations per sentence. Thakur et al. 2025, Support evaluation for the TREC 2024
    RAG track (arXiv 2504.15205): weighted recall and precision, there of the first citation of each sentence.

    Examples
    --------
    Three sentences: one is supported by the first of two citations, one in part, and one cites nothing.

    >>> from toysearch.formats.cited_answers import CitedAnswer, CitedSentence
    >>> sentences = CitedSentence((1.0, 0.0)), CitedSentence((0.5,)), CitedSentence(())
    >>> [row] = citation_support([CitedAnswer("mine", "1", sentences)]).answers
    >>> [round(value, 4) for value in row[2:7]]
    [0.3333, 0.3333, 0.3333, 0.5, 0.5]
    >>> [row] = citation_support([CitedAnswer("mine", "1", sentences)], first=True).answers
    >>> [round(value, 4) for value in row[2:7]]         # 1/3, 1/2, and 1.5 over 3 sentences and over 2 citations
    [0.3333, 0.5, 0.4, 0.5, 0.75]
    """
    values: dict[tuple[str, str], AnswerSupport] = {}
    for source in [answers] if isinstance(answers, str | Path) else answers:
        for answer in [source] if isinstance(source, CitedAnswer) else read_cited_answers(source):
            if first:
                answer = answer._replace(sentences=tuple(CitedSentence(one.support[:1]) for one in answer.sentences))
            values[unanswered(answer, values)] = _support_of(answer)
    if not values:
        raise ArgumentError("citation support needs at least one answer")
    systems, query_ids = (dict.fromkeys(names) for names in zip(*values, strict=True))
    means, rows = [], list[AnswerSupport]()
    for system in systems:
        of_system = [values.get((system, one)) or AnswerSupport(system, one) for one in query_ids]
        if missing := sum((system, query_id) not in values for query_id in query_ids):
            note(f"{system} lacks an answer to {counted(missing, 'query', 'queries')}, which counts as 0")
        numbers = {name: [getattr(row, name) for row in of_system] for name in (*_MEASURES, *_COUNTS)}
        totals: dict[str, Any] = {name: (sum if name in _COUNTS else arithmetic)(numbers[name]) for name in numbers}
        means.append(AnswerSupport(system, "all", **totals))
        rows += of_system
    return CitationSupport(means, rows)


def _support_of(answer: CitedAnswer) -> AnswerSupport:
    """The values of an answer."""
    n_sentences, n_citations = len(answer.sentences), sum(len(one.support) for one in answer.sentences)
    wholes = [max(one.support, default=0.0) if one.together is None else one.together for one in answer.sentences]
    recall = wholes.count(1.0) / (n_sentences or 1)
    pairs = zip(answer.sentences, wholes, strict=True)
    precision = sum(_n_needed(sentence) for sentence, whole in pairs if whole == 1) / (n_citations or 1)
    total = sum(sum(sentence.support) for sentence in answer.sentences)
    weighted = sum(wholes) / (n_sentences or 1), total / (n_citations or 1)
    f1 = harmonic([recall, precision])
    return AnswerSupport(*answer[:2], recall, precision, f1, *weighted, n_sentences, n_citations)


def _n_needed(sentence: CitedSentence) -> int:
    """How many citations support a sentence alone, or are such that the others do not support it without them."""
    n = 0
    for place, alone in enumerate(sentence.support):
        rest = sentence.without[place] if sentence.without else None
        if rest is None:
            rest = max(sentence.support[:place] + sentence.support[place + 1 :], default=0.0)
        n += alone == 1 or rest < 1
    return n
