"""Systems to compare: the runs of models, also on altered queries, and again after judged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base.wording import counted
from toysearch.cli.output import progress, remark, remark_later

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection
    from toysearch.evaluation.measures.measure import Measure
    from toysearch.index.inverted_index import Index
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model

_EXAMPLE = 60  # characters of an altered query
_ENOUGH_TO_WONDER = 10  # queries; on fewer, systems often agree by chance


class Systems(NamedTuple):
    """Runs of the same queries, and the judgments to score them against."""

    runs: list[Any]
    qrels: Any
    threshold: float | None
    collection: Any = None
    index: Any = None
    k: int | None = None
    alteration: str | None = None  # of the queries
    predicting: tuple[Any, ...] = ()  # the searchers that made the runs, if they predict difficulties

    def sized(self, measures: Sequence[Measure]) -> list[Measure]:
        """The measures, with N where they lack it and the documents are known: not only runs and judgments."""
        from toysearch.evaluation.measures.measure import with_size

        if not any("N" in measure.definition.needs for measure in measures):
            return list(measures)  # the documents of a collection may not be read yet
        documents = self.index if self.index is not None else self.collection and self.collection.documents
        return with_size(measures, None if documents is None else len(documents))


def systems_altered(
    collection: Collection,
    index: Index,
    models: Sequence[Model | Mixture],
    alter: tuple[str, int],
    k: int,
    threads: int | None,
    ties: str | None,
) -> Systems:
    """Rank queries as they are, altered, and corrected; the alteration is shown by an example."""
    from toysearch.laboratory.experiments.robustness.altered_systems import altered_systems
    from toysearch.laboratory.results.robustness_text import excerpts

    name, seed = alter
    with progress("ranking", "runs done") as tell:
        found = altered_systems(
            collection, index, models, name, k=k, seed=seed, ties=ties, threads=threads, progress=tell
        )
    query_id, text = found.altered[0]
    before, after = excerpts(found.collection.query(query_id).text, text, _EXAMPLE)
    remark(
        f"{name}: {found.alteration.what} (query {query_id}: {before} → {after}); "
        f"{len(found.altered)} of {counted(len(collection.judged_queries), 'query', 'queries')} changed"
    )
    return Systems(found.runs, found.collection.qrels, None, collection, index, k, name)


def systems_judged(
    collection: Collection, index: Index, models: Sequence[Model | Mixture], feedback: int, k: int, threshold: float
) -> Systems:
    """Rank queries again with the judgments of their first documents, which are then left out."""
    from toysearch.laboratory.experiments.judged_feedback import judged_feedback

    with progress("ranking", "runs done") as tell:
        found = judged_feedback(collection, index, models, feedback, k=k, threshold=threshold, progress=tell)
    remark(
        f"residual collection: the first {feedback} documents of each query are left out of rankings and judgments; "
        f"{len(found.qrels.query_ids)} of {counted(len(collection.judged_queries), 'query', 'queries')} have another "
        "relevant document"
    )
    return Systems(found.runs, found.qrels, threshold, collection, index, k)


def tell_remarks(evaluations: Sequence[Any], systems: Any) -> None:
    """Print what evaluations remark on queries, each once, with its systems if it is not true of all."""
    # Of rankings made here, the search has told which queries have no known term, and the rest can wait. A collection
    # declares what is known of its queries.
    ranked_here = systems.k is not None
    remarks: dict[str, list[str]] = {}
    for evaluation in evaluations:
        missing, barren = evaluation.missing, evaluation.without_relevant
        if ranked_here and not evaluation.only_retrieved:
            missing = tuple(query_id for query_id in missing if _has_known_term(query_id, systems))
        if systems.collection is not None and systems.collection.without_relevant.issuperset(barren):
            barren = ()
        for sentence in replace(evaluation, missing=missing, without_relevant=barren).remarks:
            remarks.setdefault(sentence, []).append(evaluation.name)
    for sentence, names in remarks.items():
        remarked = sentence if len(names) == len(evaluations) else f"{', '.join(names)}: {sentence}"
        if ranked_here:
            remark_later(remarked)
        else:
            remark(f"note: {remarked}")


def _has_known_term(query_id: str, systems: Any) -> bool:
    """Whether a term of a query is in the index, or nothing is known of the query."""
    query = systems.collection.queries.get(query_id)
    return query is None or any(systems.index.term_number(term) >= 0 for term in systems.index.analyzer(query.text))


def alike(runs: Sequence[Any]) -> list[str]:
    """The systems that rank all of several queries alike: their equal figures are not a coincidence."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for run in runs if len(runs) > 1 else ():
        if len(run.query_ids) >= _ENOUGH_TO_WONDER:
            groups.setdefault((tuple(run.query_ids), tuple(run.doc_ids), tuple(run.offsets)), []).append(run.name)
    return [f"{' and '.join(names)} rank all queries alike" for names in groups.values() if len(names) > 1]
