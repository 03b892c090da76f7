"""Methods paragraph of a paper: what was ranked, scored and tested, each formula with its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toysearch.base import counted, groups_of, listed
from toysearch.evaluation.measures.measure import measure_facts
from toysearch.models.rankers import tree_rows
from toysearch.study.provenance import versions
from toysearch.study.study import model_in

if TYPE_CHECKING:
    from toysearch.evaluation import Evaluation
    from toysearch.study.study import Study

_SOFTWARE = ("toysearch", "Python", "numpy")
_WEIGHT = re.compile(r"^[\d.]+\*")
_TIES = {
    "rank": "as the documents of the collection",
    "trec_eval": "by falling document id, as in trec_eval",
    "average": "in every way, and the values averaged",
}
"""Rule for equal scores → how they are ordered."""


def methods_paragraph(study: Study, values: Evaluation, tests: str = "") -> str:
    """Write how the systems of a study were ranked and scored.

    values : those of one system, for the measures and their conventions
    tests : how differences were tested, in a sentence without its end

    >>> import toysearch
    >>> study = toysearch.study.Study.of("cat-dog-parrot").with_models(["jaccard"])
    >>> values = toysearch.evaluate(study.run("jaccard"), study.qrels(), "RR", threshold=0.5)
    >>> print(methods_paragraph(study, values).partition(" jaccard")[0])
    We used cat-dog-parrot: 4 documents, 3 queries, 12 judgments; a document is relevant from grade 0.5.
    """
    return " ".join(f"{sentence}." for sentence in _sentences(study, values, tests))


def _sentences(study: Study, values: Evaluation, tests: str) -> Iterator[str]:
    collection = study.collection()
    name = collection.name if collection else "judgments of our own"
    documents = [counted(len(study.index()), "document")] if study.models else []
    counts = ", ".join([*documents, values.size, counted(len(study.qrels()), "judgment")])
    yield f"We used {name}: {counts}; a document is relevant from grade {values.threshold:g}"
    given = [run.name for run in study.fixed_runs if run.name not in map(str, study.models)]
    if given:
        yield f"{listed(given)} {'is a run' if len(given) == 1 else 'are runs'} made elsewhere"
    if study.models:
        yield from _ranking(study)
    yield f"Equal scores are ordered {_TIES.get(values.ties, f'by the rule {values.ties}')}"
    for measure in values.measures:
        facts = measure_facts(measure.name)
        source = f"; {facts['source']}" if "source" in facts else ""
        told = f"{measure.definition.description} ({facts['formula']}"
        cutoff = f", k = {measure.cutoff}" if measure.cutoff and re.search(r"\bk\b", told) else ""
        yield f"{measure} is {told}{cutoff}{source})"
    if tests:
        yield tests
    numbers = versions()
    yield f"All figures were computed with {listed([f'{name} {numbers[name]}' for name in _SOFTWARE])}"


def _ranking(study: Study) -> Iterator[str]:
    """Name the systems with their analyses, and the formula of each part of their models once."""
    of_analysis = groups_of((str(study.of_system(one).index().analyzer), str(one)) for one in study.models)
    for analyzer, systems in of_analysis.items():
        yield f"{listed(systems)} read{'s' if len(systems) == 1 else ''} texts by the analyzer {analyzer}"
    parts = {}
    for system in study.models:
        for depth, part, parameters, what in tree_rows(model_in(system)):
            name = _WEIGHT.sub("", part.strip()) if depth else part
            parts[name] = f"{name}{f' ({parameters})' if parameters else ''}: {what.rstrip('.')}"
    yield from parts.values()
    n_systems, k = len(study.models), study.scoring.k
    documents = f"at most {k:,} documents" if k else "all documents that match"
    yield f"{'It' if n_systems == 1 else 'Each system'} ranks {documents} per query"
