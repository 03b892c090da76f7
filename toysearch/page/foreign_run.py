"""Run of another engine, shown beside the models of the page: its rankings, and what the texts say of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toysearch
from toysearch.base import ArgumentError, DataError, Ranking, Run, counted, note
from toysearch.base.run_order import of_one_table, ordered
from toysearch.study import DEPTH

if TYPE_CHECKING:
    from toysearch.page.served_source import ServedSource
    from toysearch.retrieval import QueryTerms


@dataclasses.dataclass(frozen=True, eq=False)
class ForeignRun:
    """Run from a file, to the depth at which systems are measured, by the name of its file."""

    name: str
    file: str
    run: Run

    def __str__(self) -> str:
        return self.name

    @functools.cached_property
    def in_order(self) -> Run:
        """Return the run by rank: as trec_eval ranks it, unless the file has ranks and no scores."""
        return ordered(self.run)[0]

    def ranking(self, query_id: str) -> Ranking:
        """Return the ranking of a query; empty for one that the run does not answer."""
        return self.in_order.ranking(query_id) if query_id in self.run else Ranking(query_id, [], [])


def foreign_runs(source: ServedSource, files: Iterable[str], models: Iterable[str]) -> dict[str, ForeignRun]:
    """Read the runs of some files by their names; refuse one that answers no query of the source."""
    runs = {}
    for file in files:
        name, [run] = Path(file).name, of_one_table([toysearch.read_run(file)], k=DEPTH)
        if name in runs or name in models:
            raise ArgumentError(f"two systems of the page are called '{name}'; rename the file of the run")
        query_ids = [query.query_id for query in source.judged_queries]
        if not query_ids:
            raise ArgumentError(f"{source.typed} has no judged queries, so there is nothing to show {file} beside")
        if not any(query_id in run for query_id in query_ids):
            raise DataError(
                f"{file} answers none of the judged queries of {source.typed}: its ids are such as "
                f"'{run.query_ids[0]}', those of the judgments such as '{query_ids[0]}'"
            )
        doc_ids = {*run.doc_ids}
        strange = sum(not source.has(doc_id) for doc_id in doc_ids)
        if strange:
            note(f"{file}: {source.typed} lacks {counted(strange, 'document')} of its {len(doc_ids):,}")
        runs[name] = ForeignRun(name, file, run)
    return runs


def told_by_text(source: ServedSource, run: ForeignRun, terms: QueryTerms, doc_id: str, rank: int | None) -> str:
    """Say what can be said of the rank of a document in a run, which has no reasons: the words that its text has."""
    ranked = f"{run} ranks it {rank:,}" if rank else f"{run} does not rank it"
    if not source.has(doc_id):
        return f"{ranked}. It is not a document of {source.typed}, so its text is not known."
    counts: Mapping[str, Any] = source.index.vector(doc_id)
    numbers = [int(number) for number in terms.numbers if number < len(source.index.terms)]
    query_words = dict.fromkeys([*(str(source.index.terms[number]) for number in numbers), *terms.unknown])
    present = [f"{term} {counts[term]} ×" for term in query_words if counts.get(term)]
    absent = [term for term in query_words if not counts.get(term)]
    if not present:
        why = "has no term of the query, so the run knows it by something else, such as other words or vectors"
    else:
        why = f"has {', '.join(present)}" + (f" and not {', '.join(absent)}" if absent else "")
    length, mean = int(source.index.dl[source.index.doc_number(doc_id)]), float(source.index.dl.mean())
    return f"{ranked}. A run gives no reasons; the text, of {length:,} terms (the mean is {mean:,.0f}), {why}."
