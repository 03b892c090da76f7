"""Five properties of a system, each by one number, with cures switched on one by one and what they cost elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import display
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.evaluation.measures.measure import Measure, parse_measures
from toysearch.laboratory.experiments.robustness.cures import Cure, cures_of
from toysearch.laboratory.experiments.robustness.property_inputs import (
    ALL,
    AlteredInputs,
    AnalysedInputs,
    MeasuredProperty,
    PerQuery,
)
from toysearch.laboratory.experiments.robustness.tested_system import Skipped, SystemsUnderTest
from toysearch.laboratory.experiments.stats.multiple_comparisons import corrected
from toysearch.laboratory.experiments.stats.significance import paired_test, within_range
from toysearch.laboratory.judged_collection import JudgedLike, judged
from toysearch.models.mixture import Mixture, ModelLike
from toysearch.models.model import Model

__all__ = ["PropertyCard", "property_card"]


class PropertyValue(NamedTuple):
    """A number of a changed system, compared with that of the system as it is."""

    queries: int  # the number of queries
    unaltered: float  # the mean of the same system over these queries as they are; for a changing corpus 1
    value: float  # the mean over the altered input
    # difference, low, high: the mean of changed − as it is, and its 95 % interval (Student's)
    difference: float
    low: float
    high: float
    p: float  # two-sided, of the paired t test, corrected by Holm over the cures of the system


class CuredSystem(NamedTuple):
    """A system as it is or with one cure: its five numbers, and its cost."""

    system: str  # the model
    property: str  # the property that the cure is for; "" for the system as it is
    cure: str  # the name of the cure; "" for the system as it is
    what: str  # the change, as a sentence
    effects: dict[str, PropertyValue]  # "all" (the queries as they are) or a property → its number
    milliseconds: float  # per query, in one thread, the fastest of three passes over all queries
    index_bytes: int  # the size of the saved index, without stored texts


@dataclass(frozen=True, repr=False)
class PropertyCard:
    """Five properties of systems, and the effects of cures.

    Attributes
    ----------
    collection, analyzer : str
        The collection searched, and the analysis of its texts.
    systems : tuple of str
        The systems.
    measure : str
        The measure of rankings.
    queries : int
        The number of queries with a text and judgments.
    threshold : float
        The lowest grade of a relevant document.
    k, seed : int
        The maximum number of documents retrieved per query; the seed of the alterations.
    properties : tuple of MeasuredProperty
        The properties that could be measured, with their definitions.
    rows : tuple of CuredSystem
        For each system itself, then its cures in the order of the properties.
    skipped : tuple of Skipped
        Properties that could not be measured, cures that a system cannot have, and why.
    """

    collection: str
    analyzer: str
    systems: tuple[str, ...]
    measure: str
    queries: int
    threshold: float
    k: int
    seed: int
    properties: tuple[MeasuredProperty, ...]
    rows: tuple[CuredSystem, ...]
    skipped: tuple[Skipped, ...] = ()

    __str__ = display.text
    _repr_html_ = display.html
    frame = display.frame

    def __repr__(self) -> str:
        return f"<PropertyCard of {', '.join(self.systems)} on {self.collection}: {len(self.rows)} systems and cures>"

    def of(self, system: str) -> list[CuredSystem]:
        """The rows of a system: itself first, then its cures."""
        return [row for row in self.rows if row.system == system]

    def as_dict(self) -> dict[str, Any]:
        """The card as plain values, for JSON."""
        return {name: display.plain(value) for name, value in vars(self).items()}


@checked
def property_card(
    collection: JudgedLike,
    models: ModelLike | Iterable[ModelLike] = "bm25",
    measure: object = "AP",
    *,
    analyzer: Analyzer | None = None,
    k: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> PropertyCard:
    """Measure five properties of systems, then switch on cures one by one.

    The altered inputs are those of `robustness`. Each cure makes a changed system, which is measured on all of them, so
    that its gain on one property stands beside its cost on the others, over all queries, in time and in index size.

    Parameters
    ----------
    collection : Collection, str or path
        A collection with judged queries, or an argument for `load`.
    models : str, function, Model or Mixture, or several
        The systems.
    measure : str or Measure, default "AP"
        A single measure, as `evaluate` takes it.
    analyzer : Analyzer, optional
        By default that of the collection's language.
    k : int, default 1000
        The maximum number of documents retrieved per query.
    seed : int, default 0
        The seed of the alterations.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    progress : callable, optional
        Called with the number of systems measured so far.

    Returns
    -------
    PropertyCard
        The numbers with their definitions, and one row for each system and for each of its cures.

    Raises
    ------
    ArgumentError
        If a model or the measure is unknown, or several measures are given.
    DataError
        If the collection has no judged query.

    Examples
    --------
    >>> found = property_card("cat-dog-parrot", "bm25")
    >>> corrected = next(row for row in found.rows if row.cure == "spelling correction")
    >>> round(found.rows[0].effects["spelling"].value, 4), corrected.effects["spelling"].value
    (0.3333, 1.0)
    """
    if isinstance(models, str) or not isinstance(models, Iterable):
        models = [models]
    if len(given := parse_measures(measure if isinstance(measure, str) else [measure])) != 1:
        raise ArgumentError(f"a property card has one measure, found {', '.join(map(str, given))}")
    found = judged(collection)
    if analyzer is None and found.index is not None:
        analyzer = found.index.analyzer
    bench = SystemsUnderTest(found.collection, models, given, analyzer, k, seed, threshold)
    with without_notes():
        inputs = AlteredInputs(bench)
        rows: list[CuredSystem] = []
        for system in bench.models:
            rows += _cured_systems(system, inputs, len(rows), progress)
    return PropertyCard(
        collection=found.collection.name,
        analyzer=str(bench.analyzer),
        systems=tuple(bench.models),
        measure=str(bench.measures[0]),
        queries=len(bench.queries),
        threshold=bench.threshold,
        k=k,
        seed=seed,
        properties=tuple(inputs.properties),
        rows=tuple(rows),
        skipped=tuple(dict.fromkeys(bench.skipped)),
    )


def _cured_systems(
    system: str, inputs: AlteredInputs, done: int, progress: Callable[[int], object] | None
) -> list[CuredSystem]:
    """The system itself, and with each of its cures."""
    bench = inputs.bench
    model: Model | Mixture = bench.models[system]
    measured = [each.property for each in inputs.properties]
    several = f", {system}" if len(bench.models) > 1 else ""

    def skipped(of_property: str, name: str, reason: str) -> None:
        bench.skipped.append(Skipped(of_property, f"{name}{several}", reason))

    cures = [Cure("", "", "", model, bench.analyzer), *cures_of(model, bench, skipped)]
    values: list[tuple[Cure, dict[str, PerQuery]]] = []
    for cure in cures:
        if cure.property and cure.property not in measured:
            continue
        analysed = inputs.of(cure.analyzer)
        values.append((cure, {name: analysed.values(name, cure) for name in (ALL, *measured)}))
        if progress:
            progress(done + len(values))
    effects = _effects([own for _, own in values], inputs.measure)
    return [
        CuredSystem(
            system,
            cure.property,
            cure.name,
            cure.what,
            own,
            inputs.of(cure.analyzer).milliseconds(cure),
            _bytes(inputs.of(cure.analyzer), cure),
        )
        for (cure, _), own in zip(values, effects, strict=True)
    ]


def _bytes(analysed: AnalysedInputs, cure: Cure) -> int:
    return analysed.topic_bytes if cure.name == "latent topics" else analysed.index_bytes


def _effects(values: Sequence[Mapping[str, PerQuery]], measure: Measure) -> list[dict[str, PropertyValue]]:
    """The effects of changed systems against the first; p is corrected over the systems, for each number."""
    made: list[dict[str, PropertyValue]] = [{} for _ in values]
    for name in values[0]:
        own = [_effect(name, changed, values[0], measure) for changed in values]
        p = corrected([effect.p for effect in own[1:]], "holm").tolist() if len(own) > 1 else []
        for place, (effect, adjusted) in enumerate(zip(own, [math.nan, *p], strict=True)):
            made[place][name] = effect._replace(p=adjusted)
    return made


def _effect(
    name: str, changed: Mapping[str, PerQuery], first: Mapping[str, PerQuery], measure: Measure
) -> PropertyValue:
    """One number of a changed system against that of the system as it is, with the p of the single test."""
    stays = name == "corpus"
    rows = [
        (value, first[name][query_id], 1.0 if stays else changed[ALL][query_id])
        for query_id, value in changed[name].items()
    ]
    rows = [row for row in rows if all(map(math.isfinite, row))]
    if not rows:
        return PropertyValue(0, *[math.nan] * 6)
    test = paired_test([value - before for value, before, _ in rows])
    low, high = (
        (max(test.low, -1.0), min(test.high, 1.0)) if stays else within_range(measure, test.low, test.high, change=True)
    )
    value, _, unaltered = (math.fsum(column) / len(rows) for column in zip(*rows, strict=True))
    return PropertyValue(len(rows), unaltered, value, test.mean, low, high, test.p)
