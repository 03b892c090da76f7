"""The runs that a command scores: of models that rank now, also on altered queries or after judged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toysearch.base.wording import counted
from toysearch.cli.output import progress, remark, remark_later
from toysearch.cli.workers import on_line_of_models, ranked_elsewhere, spread_work

if TYPE_CHECKING:
    from toysearch.base.records import Run
    from toysearch.laboratory.study import Study
    from toysearch.search.searcher import Searcher

_EXAMPLE = 60  # characters of an altered query
_ENOUGH_TO_WONDER = 10  # queries; on fewer, systems often agree by chance


def ranked(study: Study, searchers: Sequence[Searcher] = ()) -> list[Run]:
    """The runs of a study, whose models rank now, by workers if there are any, or by these searchers."""
    if not study.models:
        return [*study.runs()]
    name, runs = study.ready().name, list[Any]()
    if searchers:
        spread_work(study.index, name)
    with progress("ranking", "models done") as tell:
        elsewhere = None
        if not searchers:
            n_models = len(study.models)
            spread_work(study.index, name, whole_systems=True, tell=on_line_of_models(tell, runs, n_models))
            elsewhere = ranked_elsewhere(study, tell)
        for run in map(study.run, searchers) if searchers else study.runs(elsewhere):
            runs.append(run)
            if tell and not elsewhere:
                tell(len(runs))
    return runs


def study_data(study: Study) -> dict[str, str | None]:
    """The collection, the analysis and the grades of a study, for JSON."""
    return {
        "collection": study.collection.name if study.collection else None,
        "analyzer": str(study.analyzer) if study.models else None,
        "grades": study.collection.grades if study.collection else None,
    }


def altered_study(study: Study, alteration: str, seed: int) -> Study:
    """The runs of queries as they are, altered, and corrected; the alteration is shown by an example."""
    from toysearch.laboratory.experiments.robustness.altered_runs import altered_runs
    from toysearch.laboratory.results.robustness_text import excerpts

    spread_work(study.ready().index, study.name)
    how: dict[str, Any] = {"k": study.k, "seed": seed, "ties": study.ties, "threads": study.settings.get("threads")}
    with progress("ranking", "runs done") as tell:
        altered = altered_runs(study.judged, study.index, study.models, alteration, progress=tell, **how)
    before, after = excerpts(altered.example.before, altered.example.after, _EXAMPLE)
    remark(
        f"{alteration}: {altered.what} ({altered.example.where}: {before} → {after}); "
        f"{len(altered.collection.queries)} of {counted(len(study.queries), 'query', 'queries')} changed"
    )
    return study.with_(runs=altered.runs, scored=altered.collection.qrels)


def residual_study(study: Study, n_seen: int) -> Study:
    """The runs of queries searched again with the judgments of their first documents, which are then left out."""
    from toysearch.laboratory.experiments.judged_feedback import judged_feedback

    spread_work(study.ready().index, study.name)
    with progress("ranking", "runs done") as tell:
        feedback = judged_feedback(
            study.judged, study.index, study.models, n_seen, k=study.k or 1000, threshold=study.threshold, progress=tell
        )
    remark(
        f"residual collection: the first {n_seen} documents of each query are left out of rankings and judgments; "
        f"{len(feedback.qrels.query_ids)} of {counted(len(study.queries), 'query', 'queries')} have another "
        "relevant document"
    )
    return study.with_(runs=feedback.runs, scored=feedback.qrels)


def tell_remarks(evaluations: Sequence[Any], study: Study) -> None:
    """Print what evaluations remark on queries, each once, with its systems if it is not true of all."""
    # Of rankings made here, the search has told which queries have no known term, and the rest can wait. A collection
    # declares what is known of its queries.
    remarks: dict[str, list[str]] = {}
    for evaluation in evaluations:
        missing, barren = evaluation.missing, evaluation.without_relevant
        if study.models and not evaluation.only_retrieved:
            missing = tuple(query_id for query_id in missing if _has_known_term(query_id, study))
        if study.collection is not None and study.collection.without_relevant.issuperset(barren):
            barren = ()
        for sentence in replace(evaluation, missing=missing, without_relevant=barren).remarks:
            remarks.setdefault(sentence, []).append(evaluation.name)
    for sentence, names in remarks.items():
        remarked = sentence if len(names) == len(evaluations) else f"{', '.join(names)}: {sentence}"
        if study.models:
            remark_later(remarked)
        else:
            remark(f"note: {remarked}")


def _has_known_term(query_id: str, study: Study) -> bool:
    """Whether a term of a query is in the index, or nothing is known of the query."""
    query = study.judged.queries.get(query_id)
    return query is None or any(study.index.term_number(term) >= 0 for term in study.analyzer(query.text))


def alike(runs: Sequence[Any]) -> list[str]:
    """The systems that rank all of several queries alike: their equal figures are not a coincidence."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for run in runs if len(runs) > 1 else ():
        if len(run.query_ids) >= _ENOUGH_TO_WONDER:
            groups.setdefault((tuple(run.query_ids), tuple(run.doc_ids), tuple(run.offsets)), []).append(run.name)
    return [f"{' and '.join(names)} rank all queries alike" for names in groups.values() if len(names) > 1]
