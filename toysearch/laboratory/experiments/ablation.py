"""The contribution of each part of a search system, switched off (or on) one at a time and tested."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.analyzer_text import choice_of
from toysearch.analysis.languages import default_list
from toysearch.base import display
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ModelError
from toysearch.base.records import Document
from toysearch.evaluation.measures.measure import SIZE, Measure, mean_measures
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.ablation_parts import INGREDIENTS, has_ingredient
from toysearch.laboratory.experiments.fast_evaluator import Evaluator, Workbench
from toysearch.laboratory.experiments.stats.multiple_comparisons import corrected
from toysearch.laboratory.experiments.stats.significance import TestResult, finite_differences, paired_test
from toysearch.laboratory.experiments.tuning import Objective
from toysearch.laboratory.judged_collection import JudgedLike, QrelsLike, QueriesLike
from toysearch.models.mixture import Mixture, ModelLike
from toysearch.models.model import Model
from toysearch.models.ranker import LearnedModel
from toysearch.models.registry import model as find_model

__all__ = ["Ablation", "Switched", "ablate"]


class Switched(NamedTuple):
    """A system that differs from the full one in one ingredient.

    Attributes
    ----------
    ingredient : str
        The ingredient switched.
    to : {"off", "on"}
        Off if the full system has it, on if it lacks it.
    how : str
        A description of the change.
    value : float
        The measure for all queries; NaN if undefined.
    per_query : ndarray of float64
        The measure for each query.
    test : TestResult or None
        The paired test against the full system: this variant minus the full system.
    p : float
        Its p, corrected for the number of switches; NaN without a test.
    problem : str
        The reason why the model fails, "" if it works.
    """

    ingredient: str
    to: str
    how: str
    value: float
    per_query: np.ndarray
    test: TestResult | None
    p: float
    problem: str = ""


@dataclass(frozen=True, repr=False)
class Ablation:
    """The result of `ablate`.

    Attributes
    ----------
    collection, model, analyzer, measure : str
        The full system, its collection and the measure.
    query_ids : tuple of str
        The judged queries.
    value : float
        The measure of the full system for all queries.
    per_query : ndarray of float64
        The same for each query.
    switches : tuple of Switched
        One variant per ingredient.
    test, correction : str
        The paired test, and the correction of its p-values.
    alpha : float
        The level of tests and intervals.
    """

    collection: str
    model: str
    analyzer: str
    measure: str
    query_ids: tuple[str, ...]
    value: float
    per_query: np.ndarray
    switches: tuple[Switched, ...]
    test: str
    correction: str
    alpha: float

    __str__ = display.text
    _repr_html_ = display.html
    frame = display.frame

    def __repr__(self) -> str:
        return (
            f"<Ablation of {self.model} on {len(self.query_ids)} queries: {self.measure} {self.value:.4f}, "
            f"{len(self.switches)} switches>"
        )


class _Switch(NamedTuple):
    """An ingredient, the direction and description of its change, and the variant: an evaluator and a model."""

    ingredient: str
    to: str
    how: str
    system: Callable[[], tuple[Evaluator, Model | Mixture]]


@checked
def ablate(
    collection: JudgedLike,
    model: ModelLike = "bm25",
    measure: str | Measure = "AP",
    *,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: Analyzer | None = None,
    index: Index | None = None,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Ablation:
    """Test a search system against variants with one ingredient switched off, or on if it lacks it.

    The ingredients are stop words, stemming and the title (in the analysis, each with its own index); idf, length
    normalisation, tf and the saturation of tf (in the statistics passed to the functions of any model); and the
    repetition of query terms. The result describes each change.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents with judged queries. An index of a named collection has those of the collection; for any other, give
        `queries` and `qrels`.
    model : str, function, Model or Mixture, default "bm25"
        The model of the full system, as `Searcher` takes it. In a mixture all models are switched at once.
    measure : str or Measure, default "AP"
        One measure.
    test : str, default "t"
        The paired test: one of `toysearch.laboratory.experiments.stats.significance.TESTS`.
    correction : str, default "holm"
        For the number of switches: one of `toysearch.laboratory.experiments.stats.multiple_comparisons.CORRECTIONS`.
    alpha : float, default 0.05
        The intervals have the level 1 − alpha.
    seed : int, default 0
        The seed of randomised tests.
    k : int or None, default 1000
        The maximum number of documents retrieved per query.
    threshold : float, optional
        The lowest relevant grade; by default that of the collection.
    analyzer : Analyzer, optional
        The analyzer of the full system; by default that of the language of the collection.
    index : Index, optional
        An existing index of the collection; the analysis is then not switched.
    queries, qrels : optional
        Other queries and judgments, as `read_queries` and `evaluate` take them.
    progress : callable, optional
        Called with the number of systems evaluated, and their total.

    Returns
    -------
    Ablation

    Raises
    ------
    ArgumentError
        If a name or a value is unknown or out of range, or there are no judgments.
    ModelError
        If the model breaks its contract.

    Examples
    --------
    >>> found = ablate("cat-dog-parrot")
    >>> found
    <Ablation of bm25 on 3 queries: AP 1.0000, 7 switches>
    >>> [(each.ingredient, each.to, round(each.value, 4)) for each in found.switches[2:4]]
    [('idf', 'off', 1.0), ('length normalisation', 'off', 1.0)]
    """
    full, objective = find_model(model), Objective.of(measure)
    paired_test([0.0], test, alpha=alpha)  # refuses a bad test or alpha before the work
    corrected([], correction)
    mean_measures([objective.measure], SIZE)
    bench = Workbench(collection, full, objective.measure, k, threshold, analyzer, index, queries, qrels)
    objective = Objective(bench.measure)
    evaluator = bench.evaluator()
    per_query = evaluator.values(full)
    objective.check(per_query)
    planned = [
        *_of_texts(bench, full, is_given=bench.is_given),
        *_of_model(bench, full, evaluator),
        *_of_wrappers(full, evaluator),
    ]
    found = []
    for done, switch in enumerate(planned):
        if progress is not None:
            progress(done, len(planned))
        found.append(_switched(switch, objective, per_query, test, alpha, seed))
    p_values = corrected([each.p for each in found], correction)
    return Ablation(
        collection=bench.collection.name,
        model=str(full),
        analyzer=str(bench.analyzer),
        measure=str(objective.measure),
        query_ids=bench.query_ids,
        value=objective.value(per_query),
        per_query=per_query,
        switches=tuple(each._replace(p=float(p)) for each, p in zip(found, p_values, strict=True)),
        test=test,
        correction=correction,
        alpha=alpha,
    )


def _switched(switch: _Switch, objective: Objective, full: np.ndarray, test: str, alpha: float, seed: int) -> Switched:
    """The values under a switch, or the reason why it fails."""
    try:
        evaluator, model = switch.system()
        row = evaluator.values(model)
    except ModelError as error:
        return Switched(*switch[:3], np.nan, np.full(len(full), np.nan), None, np.nan, str(error))
    found = paired_test(finite_differences(row, full), test, alpha=alpha, seed=seed)
    return Switched(*switch[:3], objective.value(row), row, found, found.p)


def _of_model(bench: Workbench, model: Model | Mixture, evaluator: Evaluator) -> Iterator[_Switch]:
    """The switches of the model, or of the models of a mixture; a learned ranker fits its models as they are."""
    if isinstance(model, LearnedModel):
        return
    for each in INGREDIENTS:
        having = [one for one in model.models if has_ingredient(each, one, bench.index)]
        lacking = [one for one in model.models if each.has(one) or not each.needs]
        if having:
            changes = {one: each.off(one, bench.index) for one in having}
            yield _Switch(each.name, "off", each.without, functools.partial(_with, evaluator, model, changes))
        elif each.on is not None and lacking:
            changes = {one: each.on(one, bench.index) for one in lacking}
            yield _Switch(each.name, "on", each.plainest, functools.partial(_with, evaluator, model, changes))


def _of_wrappers(model: Model | Mixture, evaluator: Evaluator) -> Iterator[_Switch]:
    """The switches of the wrappers of models, each of which changes the query."""
    if isinstance(model, Mixture):
        every = (each.name for product in model.products for factor in product.factors for each in factor.wrappers)
        for name in dict.fromkeys(every):
            system = functools.partial(_with_model, evaluator, model.without_wrapper(name))
            yield _Switch(name, "off", "without what it adds to a query", system)


def _with_model(evaluator: Evaluator, model: Mixture) -> tuple[Evaluator, Model | Mixture]:
    return evaluator, model


def _with(
    evaluator: Evaluator, model: Model | Mixture, changes: Mapping[Model, Model]
) -> tuple[Evaluator, Model | Mixture]:
    return evaluator, model.replaced(changes)


def _of_texts(bench: Workbench, model: Model | Mixture, is_given: bool) -> Iterator[_Switch]:
    """The switches of the analysis and of the searched fields."""
    if is_given:
        return
    analyzer, language = bench.analyzer, bench.collection.language
    language = language if language != "none" else "english"
    words = default_list(language)
    if analyzer.stop:
        yield _of_analysis(bench, model, "stop words", "off", "none left out", stop="none")
    elif words != "none":
        # The list is named by its language, because there may be one list per language; everything else stays.
        others = {name: choice_of(analyzer, name) for name in ("stem", "cjk")}
        how = f"the list {words} left out"
        yield _of_analysis(bench, model, "stop words", "on", how, language=language, **others)
    if analyzer.stem:
        yield _of_analysis(bench, model, "stemming", "off", "tokens as they stand", stem="none")
    else:
        yield _of_analysis(bench, model, "stemming", "on", f"{language} stems", stem=language)
    yield from _of_title(bench, model)


def _of_analysis(
    bench: Workbench, model: Model | Mixture, ingredient: str, to: str, how: str, **choices: str
) -> _Switch:
    return _Switch(ingredient, to, how, lambda: (bench.evaluator(choices), model))


def _of_title(bench: Workbench, model: Model | Mixture) -> Iterator[_Switch]:
    """The switch of the title field, if documents have one and other fields are searched too."""
    collection = bench.collection
    title = collection.reading.title if collection.reading else "title"
    documents = collection.documents
    searched = [name for name in collection.searched_fields if any(name in each.fields for each in documents)]
    others = [name for name in searched if name != title]
    if title in searched and others:
        without = functools.partial(_untitled, title=title, others=others)
        how = f"the field {title} left out"
        yield _Switch("title", "off", how, lambda: (bench.evaluator_over(list(map(without, documents))), model))
    elif title not in searched and any(documents.titles):
        how = "the title added to the text"
        yield _Switch("title", "on", how, lambda: (bench.evaluator_over(list(map(_titled, documents))), model))


def _titled(document: Document) -> Document:
    return document._replace(text=f"{document.title} {document.text}")


def _untitled(document: Document, title: str, others: list[str]) -> Document:
    """The document with the texts of its other fields as its text, and no title in its fields."""
    text = " ".join(filter(None, (document.fields.get(name, "") for name in others)))
    return document._replace(text=text, fields={**document.fields, title: ""})
