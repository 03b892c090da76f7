"""The robustness scorecard: five properties of a good system, measured when words, documents or spelling change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import display
from toysearch.base.argument_checks import checked
from toysearch.base.errors import unknown, without_notes
from toysearch.laboratory.experiments.robustness.changed_documents import Drift, RebuildCheck, changes
from toysearch.laboratory.experiments.robustness.document_length import Fifth, LengthBias, LongAndShort, lengths
from toysearch.laboratory.experiments.robustness.query_alterations import (
    QUERY_ALTERATIONS,
    Others,
    synonyms_in,
)
from toysearch.laboratory.experiments.robustness.tested_system import (
    AlteredInput,
    RobustnessRow,
    Skipped,
    SystemsUnderTest,
)
from toysearch.laboratory.experiments.robustness.word_rarity import (
    ExactMatches,
    RarityValue,
    exact_matches,
    rarity_values,
)
from toysearch.laboratory.judged_collection import JudgedLike, judged
from toysearch.models.mixture import ModelLike

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection
    from toysearch.laboratory.experiments.distributed_experiments import CollectionSource

__all__ = ["Robustness", "robustness"]

PROPERTIES = {
    "semantic": "semantic understanding",
    "rare": "rare inputs",
    "corpus": "a changing corpus",
    "length": "length",
    "spelling": "input errors",
}
"""The properties measured, by the names that `only` takes."""


@dataclass(frozen=True, repr=False)
class Robustness:
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
    checks : tuple of Check
        Whether changed indexes are identical to new builds.
    long_and_short : tuple of LongAndShort
        A long document and a short one under each model.
    bias : tuple of LengthBias
        The lengths of retrieved and of relevant documents.
    fifths : tuple of Fifth
        The same for fifths of the documents by length.
    skipped : tuple of Skipped
        Alterations that could not be done, and why.
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
    skipped: tuple[Skipped, ...] = ()

    __str__ = display.text
    _repr_html_ = display.html
    frame = display.frame

    def __repr__(self) -> str:
        return f"<Robustness of {', '.join(self.systems)} on {self.collection}: {len(self.inputs)} altered inputs>"

    def __getitem__(self, name: str) -> AlteredInput:
        """The altered input with a name, such as ``upper case``; an unknown name is refused with the nearest one."""
        named = {altered.name: altered for altered in self.inputs}
        if name not in named:
            raise unknown("altered input", name, named)
        return named[name]

    @property
    def rows(self) -> list[tuple[AlteredInput, RobustnessRow]]:
        """Every row with the input that it belongs to."""
        return [(altered, row) for altered in self.inputs for row in altered.rows]

    def as_dict(self) -> dict[str, Any]:
        """The scorecard as plain values, for JSON."""
        return {name: display.plain(value) for name, value in vars(self).items()}


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
    client: Any = None,
    progress: Callable[[int], object] | None = None,
) -> Robustness:
    """Measure how the values of systems hold up when words, documents or spelling change.

    A good system has five properties: it understands synonyms; rare words do not disturb it; it tolerates changes of
    the collection; document length does not mislead it; it tolerates typing errors. Each alteration is measured on
    the queries that it changes: the mean of altered − original with its 95 % interval (Student's, paired by query).

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
        The seed of the alterations; those of a query do not depend on other queries.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    client : distributed.Client, optional
        Dask workers, each of which measures some of the properties. They must be able to read the collection or the
        folder of the index; the result does not depend on them.
    progress : callable, optional
        Called with the number of inputs measured so far.

    Returns
    -------
    Robustness
        The altered inputs with their rows, and a table for each further property.

    Raises
    ------
    ArgumentError
        If a model, a measure or a property is unknown.
    DataError
        If the collection has no judged query, or the thesaurus cannot be read.

    Examples
    --------
    >>> found = robustness("cat-dog-parrot", "bm25", only="spelling")
    >>> row = found["a letter dropped"].rows[0]
    >>> row.original, round(row.altered, 4), found["a letter dropped"].example.after
    (1.0, 0.4444, 'tran cat')
    """
    chosen = chosen_properties(only)
    others = None if thesaurus is None else synonyms_in(thesaurus)
    if isinstance(models, str) or not isinstance(models, Iterable):
        models = [models]
    found = judged(collection)
    tested = found.collection
    if analyzer is None and found.index is not None:
        analyzer = found.index.analyzer
    if client is not None:
        if isinstance(thesaurus, str | Path):
            thesaurus = Path(thesaurus).absolute()
        settings: dict[str, Any] = {
            "models": [*models],
            "measures": measures,
            "thesaurus": thesaurus,
            "analyzer": analyzer,
        }
        settings |= {"k": k, "seed": seed, "threshold": threshold}
        return _by_workers(client, tested, chosen, settings, progress)
    bench = SystemsUnderTest(tested, models, measures, analyzer, k, seed, threshold, progress)
    tables: dict[str, Any] = {}
    for bench.property in chosen:
        with without_notes():
            tables |= _PROBES[bench.property](bench, others)
    tables = {name: tuple(value) if isinstance(value, list) else value for name, value in tables.items()}
    return Robustness(
        collection=tested.name,
        analyzer=str(bench.analyzer),
        systems=tuple(bench.models),
        measures=tuple(map(str, bench.measures)),
        queries=len(bench.queries),
        threshold=bench.threshold,
        k=k,
        seed=seed,
        means={name: evaluation.means for name, evaluation in bench.original.items()},
        inputs=tuple(bench.inputs),
        skipped=tuple(bench.skipped),
        **tables,
    )


def _by_workers(
    client: Any,
    collection: Collection,
    properties: Sequence[str],
    settings: Mapping[str, Any],
    progress: Callable[[int], object] | None,
) -> Robustness:
    """The scorecard, each property measured by a worker of a client; settings: the other arguments of `robustness`."""
    from toysearch.base.tasks import all_done
    from toysearch.laboratory.experiments.distributed_experiments import CollectionSource

    source = CollectionSource.of(collection)
    return _joined(all_done(client, _measured, [(source, each, settings) for each in properties], progress))


def _measured(source: CollectionSource, only: str, settings: Mapping[str, Any]) -> Robustness:
    """One property, in a worker."""
    from toysearch.base.tasks import report

    return robustness(source.load(), only=only, progress=report, **settings)


def _joined(parts: Sequence[Robustness]) -> Robustness:
    """The scorecard of several properties, given that of each."""
    tables = {
        name: next(filter(None, (getattr(part, name) for part in parts)), default)
        for name, default in vars(parts[0]).items()
        if name in _TABLES
    }
    inputs = tuple(altered for part in parts for altered in part.inputs)
    skipped = tuple(each for part in parts for each in part.skipped)
    return replace(parts[0], inputs=inputs, skipped=skipped, **tables)


_TABLES = ("exact", "rarity", "drift", "checks", "long_and_short", "bias", "fifths")


def chosen_properties(only: str | Iterable[str] | None) -> list[str]:
    """The properties to measure, in the order of `PROPERTIES`."""
    if only is None:
        return list(PROPERTIES)
    asked = only.replace(",", " ").split() if isinstance(only, str) else list(only)
    for name in asked or [""]:
        if name not in PROPERTIES:
            raise unknown("property", name, PROPERTIES, "properties")
    return [name for name in PROPERTIES if name in asked]


def _queries(bench: SystemsUnderTest, others: Others | None) -> dict[str, Any]:
    """Measure the alterations of queries that test a property."""
    bench.alter_queries(QUERY_ALTERATIONS[bench.property](bench.vocabulary, bench.language, others))
    return {}


def _semantic(bench: SystemsUnderTest, others: Others | None) -> dict[str, Any]:
    """Measure synonyms and other word forms, and the share of documents with the words themselves."""
    return _queries(bench, others) | {"exact": exact_matches(bench.index, bench.terms, bench.relevant)}


def _rare(bench: SystemsUnderTest, others: Others | None) -> dict[str, Any]:
    """Measure words in no document or only one, and the values by the rarity of the query terms."""
    return _queries(bench, others) | {"rarity": rarity_values(bench)}


_PROBES: Mapping[str, Callable[[SystemsUnderTest, Others | None], dict[str, Any]]] = {
    "semantic": _semantic,
    "rare": _rare,
    "corpus": lambda bench, _: changes(bench),
    "length": lambda bench, _: lengths(bench),
    "spelling": _queries,
}
"""Property → the function that records its altered inputs and returns its tables of the scorecard."""
