"""Robustness: five properties of a good system, measured when words, documents or spelling change; their cures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import ArgumentError, Part, Result, ResultTable, checked, plain, unknown, without_notes
from toysearch.evaluation import SIZE, mean_measures
from toysearch.evaluation.evaluate import out_of_reach
from toysearch.laboratory.effects import Effect, Example, NotPossible, Variation, effects
from toysearch.laboratory.experiments.robustness.alterations import (
    QUERY_ALTERATIONS,
    Drift,
    Others,
    RebuildCheck,
    StudiedSystems,
    changed_collections,
    correction,
    query_variation,
    synonyms_in,
)
from toysearch.laboratory.experiments.robustness.cures import CuredSystem, cured_systems, removal
from toysearch.laboratory.experiments.robustness.length_and_rarity import (
    OWN_TEXT,
    ExactMatches,
    Fifth,
    LengthBias,
    LongAndShort,
    RarityValue,
    exact_matches,
    length_bias,
    long_and_short,
    padded_collections,
    rarity_values,
)
from toysearch.laboratory.study import JudgedLike, Study
from toysearch.models import ModelLike

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection
    from toysearch.laboratory.experiments.fast_evaluator import CollectionSource

__all__ = ["Robustness", "robustness"]

PROPERTIES = {
    "semantic": "semantic understanding",
    "rare": "rare inputs",
    "corpus": "a changing corpus",
    "length": "length",
    "spelling": "input errors",
}
"""The properties measured, by the names that `only` takes."""


class AlteredInput(NamedTuple):
    """An altered input and its effect on the systems."""

    property: str  # the property that it tests; a key of `PROPERTIES`
    # name, what: a short name of the alteration, and a sentence
    name: str
    what: str
    example: Example  # the first input changed
    rows: list[Effect]  # one per system and measure

    @classmethod
    def of(cls, name: str, rows: list[Effect]) -> AlteredInput:
        """The input with some effects."""
        return cls(name, rows[0].variation, rows[0].what, rows[0].example or Example("", "", ""), rows)


class Skipped(NamedTuple):
    """An alteration or a cure that was not possible, and the reason."""

    property: str
    name: str
    reason: str


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """The values of systems when words, documents or spelling change.

    Attributes
    ----------
    collection, analyzer : str
        The collection searched, and the analysis of its texts.
    systems, measures : tuple of str
        The systems and the measures.
    queries : int
        The number of queries with a text and judgments.
    threshold : float
        The lowest grade of a relevant document.
    k, seed : int
        The maximum number of documents retrieved per query; the seed of the alterations.
    means : dict of str to dict of str to float
        System → measure → mean on the original input.
    inputs : tuple of AlteredInput
        Each with an example and one row per system and measure.
    exact : ExactMatches or None
        The number of relevant documents that contain the exact query terms.
    rarity : tuple of RarityValue
        Values by the rarity of the query terms.
    drift : tuple of Drift
        The statistics of the changed collections.
    checks : tuple of RebuildCheck
        Whether changed indexes are identical to new builds.
    long_and_short : tuple of LongAndShort
        A long document and a short one under each model.
    bias : tuple of LengthBias
        The lengths of retrieved and of relevant documents.
    fifths : tuple of Fifth
        The same for fifths of the documents by length.
    cures : tuple of CuredSystem
        For each system itself, then its cures in the order of the properties, if asked for; then `inputs` has one
        alteration for each property, and there are no other tables.
    skipped : tuple of Skipped
        Alterations that could not be done, cures that a system cannot have, and why.
    """

    collection: str
    analyzer: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int
    threshold: float
    k: int
    seed: int
    means: dict[str, dict[str, float]]
    inputs: tuple[AlteredInput, ...] = ()
    exact: ExactMatches | None = None
    rarity: tuple[RarityValue, ...] = ()
    drift: tuple[Drift, ...] = ()
    checks: tuple[RebuildCheck, ...] = ()
    long_and_short: tuple[LongAndShort, ...] = ()
    bias: tuple[LengthBias, ...] = ()
    fifths: tuple[Fifth, ...] = ()
    cures: tuple[CuredSystem, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def __repr__(self) -> str:
        return f"<Robustness of {', '.join(self.systems)} on {self.collection}: {len(self.inputs)} altered inputs>"

    def __getitem__(self, name: str) -> AlteredInput:
        """The altered input with a name, such as ``upper case``; an unknown name is refused with the nearest one."""
        inputs = {altered.name: altered for altered in self.inputs}
        if name not in inputs:
            raise unknown("altered input", name, inputs)
        return inputs[name]

    @property
    def rows(self) -> list[tuple[AlteredInput, Effect]]:
        """Every row with the input that it belongs to."""
        return [(altered, row) for altered in self.inputs for row in altered.rows]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """All altered inputs, with all their numbers; those of cures, if there are any."""
        from toysearch.laboratory.results import robustness_text

        return [robustness_text.robustness_rows(self)]

    def text_parts(self, width: int | None = None, wrap: int | None = None, details: bool = True) -> list[Part]:
        """The properties, one after the other, and the conclusions."""
        from toysearch.laboratory.results import robustness_text

        return [robustness_text.robustness_text(self, width, wrap, details=details)]

    def about(self) -> list[str]:
        """The setup and the settings."""
        from toysearch.laboratory.results import robustness_text

        return robustness_text.robustness_about(self)

    def data(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        data: dict[str, Any] = {**vars(self)}
        data["inputs"] = [
            {**altered._asdict(), "rows": list(map(_effect_data, altered.rows))} for altered in self.inputs
        ]
        data["cures"] = [
            {**cured._asdict(), "effects": {name: _effect_data(row) for name, row in cured.effects.items()}}
            for cured in self.cures
        ]
        return {name: plain(value) for name, value in data.items() if name != "cures" or value}


def _effect_data(row: Effect) -> dict[str, Any]:
    """An effect for JSON."""
    return {"system": row.system, "measure": row.measure} | row.data() | {"corrected": row.corrected}


@checked
def robustness(
    collection: JudgedLike,
    models: ModelLike | Iterable[ModelLike] = "bm25",
    measures: str | Iterable[object] = "AP",
    *,
    only: str | Iterable[str] | None = None,
    thesaurus: str | Path | Mapping[str, str] | None = None,
    analyzer: Analyzer | None = None,
    k: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
    cures: bool = False,
    client: Any = None,
    progress: Callable[[int], object] | None = None,
) -> Robustness:
    """Measure the loss when words, documents or spelling change.

    Five properties of a good system are tested by altering the input: synonyms, rare words, a changing collection,
    document length, typing errors. A row shows the mean of a measure on the original and on the altered input, over the
    queries that the alteration changes; 'from' and 'to' are the 95 % interval of the change (Student's, paired by
    query), and 'corrected' is the mean after misspelt queries are corrected. The first sentences name what costs most.

    With cures each property is one alteration, and each model is measured on all of them as it is and with cures that
    are switched on one by one: the gain of each, its cost on the other properties, in time and in index size. Times
    differ from run to run.

    The same seed gives the same alterations and numbers.

    Parameters
    ----------
    collection : Collection, str or path
        A collection with judged queries, or an argument for `load`.
    models : str, function, Model or Mixture, or several
        The systems.
    measures : str or iterable, default "AP"
        As `evaluate` takes them.
    only : str or iterable, optional
        Some of "semantic", "rare", "corpus", "length" and "spelling", such as ``"length,spelling"``; by default all.
    thesaurus : str, Path or mapping of str to str, optional
        Synonyms, as `Analyzer` takes them. By default a word is replaced by the one that shares most documents with it.
    analyzer : Analyzer, optional
        By default that of the collection's language.
    k : int, default 1000
        The maximum number of documents retrieved per query.
    seed : int, default 0
        The seed of the alterations. Those of a query do not depend on other queries.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    cures : bool, default False
        Measure one alteration per property, then cures of each model, one by one, and costs: what each gains on its
        property, and loses on the others, over all queries.
    client : distributed.Client, optional
        Dask workers, each of which measures some of the properties. They must be able to read the collection or the
        folder of the index; the result does not depend on them.
    progress : callable, optional
        Called with the number of inputs measured so far, or of systems with cures.

    Returns
    -------
    Robustness
        The altered inputs with their rows, and a table for each further property.

    Raises
    ------
    ArgumentError
        If a model, a measure or a property is unknown, or there are several measures for cures.
    DataError
        If the collection has no judged query, or the thesaurus cannot be read.

    Examples
    --------
    >>> scorecard = robustness("cat-dog-parrot", "bm25", only="spelling")
    >>> row = scorecard["a letter dropped"].rows[0]
    >>> row.before, round(row.after, 4), row.example.after
    (1.0, 0.4444, 'tran cat')
    >>> cures = robustness("cat-dog-parrot", "bm25", only="spelling", cures=True).cures
    >>> [(cured.cure, round(cured.effects["spelling"].after, 4)) for cured in cures]
    [('', 0.3333), ('spelling correction', 1.0), ('character 4-grams', 1.0)]
    """
    chosen = chosen_properties(only)
    others = None if thesaurus is None else synonyms_in(thesaurus)
    models = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    study = Study.of(collection, analyzer=analyzer, models=models).of_stored_documents()
    if client is not None:
        if cures:
            raise ArgumentError("cures are measured without workers")
        if isinstance(thesaurus, str | Path):
            thesaurus = Path(thesaurus).absolute()
        settings: dict[str, Any] = {"models": models, "measures": measures, "thesaurus": thesaurus}
        settings |= {"analyzer": study.analyzer, "k": k, "seed": seed, "threshold": threshold}
        return _robustness_by_workers(client, study.judged, chosen, settings, progress)
    studied = studied_systems(study, models, measures, k, seed, threshold)
    if cures and len(studied.measures) > 1:
        raise ArgumentError(f"cures are measured by one measure, found {', '.join(map(str, studied.measures))}")
    means = {name: studied.study.evaluation(model, studied.measures).means for name, model in studied.models.items()}
    tables: dict[str, Any] = {}
    skipped: list[Skipped] = []
    with without_notes():
        if cures:
            inputs, tables["cures"] = _cured(studied, chosen, others, skipped, progress)
        else:
            inputs = _scored(studied, chosen, others, tables, skipped, progress)
    tables = {name: tuple(table) if isinstance(table, list) else table for name, table in tables.items()}
    return Robustness(
        collection=study.judged.name,
        analyzer=str(studied.study.analyzer),
        systems=tuple(studied.models),
        measures=tuple(map(str, studied.measures)),
        queries=len(studied.study.queries),
        threshold=studied.study.threshold,
        k=k,
        seed=seed,
        means=means,
        inputs=tuple(inputs),
        skipped=tuple(dict.fromkeys(skipped)),
        **tables,
    )


def studied_systems(
    collection: JudgedLike,
    models: Iterable[ModelLike],
    measures: str | Iterable[object],
    k: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
) -> StudiedSystems:
    """The models on a study of the collection."""
    parsed = mean_measures(measures, SIZE)
    study = Study.of(collection, models=models, k=k, threshold=threshold)
    rankers = {str(model): model for model in study.models}
    if unreachable := out_of_reach(study.qrels, parsed, threshold):
        raise ArgumentError(unreachable)
    return StudiedSystems(study.ready(), rankers, study.sized(parsed), seed)


def _scored(
    studied: StudiedSystems,
    properties: Sequence[str],
    others: Others | None,
    tables: dict[str, Any],
    skipped: list[Skipped],
    progress: Callable[[int], object] | None,
) -> list[AlteredInput]:
    """All altered inputs of the properties; what else is measured is added to the tables."""
    inputs: list[AlteredInput] = []
    count = itertools.count(1)
    tell = None if progress is None else lambda _: progress(next(count))
    if tell:
        tell(0)
    for name in properties:
        rows = effects(
            studied.study, studied.models, _variations(name, studied, others, tables), studied.quantities, progress=tell
        ).rows
        skipped += [Skipped(name, row.variation, row.problem) for row in rows if row.problem]
        groups = itertools.groupby((row for row in rows if not row.problem), lambda row: row.variation)
        inputs += [AlteredInput.of(name, list(group)) for _, group in groups]
        if name == "semantic":
            tables["exact"] = exact_matches(studied.study.index, studied.terms, studied.relevant)
        elif name == "rare":
            tables["rarity"] = rarity_values(studied)
        elif name == "length":
            tables["long_and_short"], reasons = long_and_short(studied)
            skipped += [Skipped(name, what, why) for what, why in reasons]
            if any(studied.relevant.values()):
                tables["bias"], tables["fifths"] = length_bias(studied)
            else:
                skipped.append(Skipped(name, "bias", "no query has a relevant document"))
    return inputs


def _variations(
    name: str, studied: StudiedSystems, others: Others | None, tables: dict[str, Any]
) -> Iterator[Variation]:
    """The variations that test a property."""
    if name == "corpus":
        tables["drift"], tables["checks"] = [], []
        yield from changed_collections(studied, tables["drift"], tables["checks"])
    elif name == "length":
        yield from padded_collections(studied)
    else:
        cure = correction()
        for change in QUERY_ALTERATIONS[name](studied.vocabulary, studied.language, others):
            yield query_variation(change, studied.study, studied.seed, cure)


_CURED = {
    "semantic": "related words only",
    "rare": "three common words",
    "length": OWN_TEXT,
    "spelling": "every word misspelt",
}
"""Property → the alteration under which cures are measured; of a changing corpus, half of the documents are removed."""


def _cured(
    studied: StudiedSystems,
    properties: Sequence[str],
    others: Others | None,
    skipped: list[Skipped],
    progress: Callable[[int], object] | None,
) -> tuple[list[AlteredInput], list[CuredSystem]]:
    """One altered input for each property, and the systems with and without cures."""
    alterations: dict[str, Variation] = {}
    for name in properties:
        if name == "corpus":
            alteration = removal(studied)
        else:
            alteration = next(
                variation for variation in _variations(name, studied, others, {}) if variation.name == _CURED[name]
            )
        try:
            alteration.apply(studied.study, next(iter(studied.models.values())))
            alterations[name] = alteration
        except NotPossible as reason:
            skipped.append(Skipped(name, alteration.name, str(reason)))
    rows, missing = cured_systems(studied, alterations, progress)
    skipped += itertools.starmap(Skipped, missing)
    plain = [row for row in rows if not row.cure]
    inputs = [AlteredInput.of(name, [row.effects[name] for row in plain]) for name in alterations]
    return inputs, rows


def _robustness_by_workers(
    client: Any,
    collection: Collection,
    properties: Sequence[str],
    settings: Mapping[str, Any],
    progress: Callable[[int], object] | None,
) -> Robustness:
    """The scorecard, each property measured by a worker of a client; settings: the other arguments of `robustness`."""
    from toysearch.base.annexes import all_done
    from toysearch.laboratory.experiments.fast_evaluator import CollectionSource

    source = CollectionSource.of(collection)
    parts: list[Robustness] = all_done(client, _measured, [(source, name, settings) for name in properties], progress)
    tables = {
        name: next(filter(None, (getattr(part, name) for part in parts)), default)
        for name, default in vars(parts[0]).items()
        if name in _TABLES
    }
    inputs = tuple(itertools.chain.from_iterable(part.inputs for part in parts))
    skipped = tuple(itertools.chain.from_iterable(part.skipped for part in parts))
    return replace(parts[0], inputs=inputs, skipped=skipped, **tables)


def _measured(source: CollectionSource, only: str, settings: Mapping[str, Any]) -> Robustness:
    """One property, in a worker."""
    from toysearch.base.annexes import report

    return robustness(source.load(), only=only, progress=report, **settings)


_TABLES = ("exact", "rarity", "drift", "checks", "long_and_short", "bias", "fifths")


def chosen_properties(only: str | Iterable[str] | None) -> list[str]:
    """The properties to measure, in the order of `PROPERTIES`."""
    if only is None:
        return list(PROPERTIES)
    names = only.replace(",", " ").split() if isinstance(only, str) else list(only)
    for name in names or [""]:
        if name not in PROPERTIES:
            raise unknown("property", name, PROPERTIES, "properties")
    return [name for name in PROPERTIES if name in names]
