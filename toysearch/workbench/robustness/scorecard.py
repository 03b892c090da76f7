"""Robustness: five properties of a good system, measured when words, documents or spelling change."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import (
    ArgumentError,
    Part,
    Result,
    ResultTable,
    Sentences,
    Tell,
    TextNeeds,
    ToysearchError,
    counted,
    expect,
    expect_list,
    expect_name,
    expect_seed,
    listed,
    number_columns,
    one_line,
    plain,
    table_columns,
    without_notes,
)
from toysearch.base.rendering import flowed
from toysearch.evaluation import SIZE, Measure, mean_measures, out_of_reach
from toysearch.evaluation.intervals import interval_name
from toysearch.models import Model, ModelLike, Ranker, index_needs
from toysearch.study.compare.comparison import compared
from toysearch.study.compare.significance import Procedure, TestResult
from toysearch.study.compare.tested_differences import difference_data
from toysearch.study.study import (
    JudgedLike,
    Study,
    StudySource,
    is_system,
    model_in,
    refuse_documents_first,
    stored_collection,
)
from toysearch.workbench.effects import Example, Variation
from toysearch.workbench.robustness.alterations import (
    Others,
    Vocabulary,
    changed_collections,
    correction,
    longer_documents,
    query_changes,
    query_variation,
    synonyms_in,
)
from toysearch.workbench.tune.study_evaluation import study_evaluation

__all__ = ["Robustness", "robustness"]


PROPERTIES = {
    "semantic": "semantic understanding",
    "rare": "rare inputs",
    "corpus": "a changing corpus",
    "length": "length",
    "spelling": "input errors",
}
"""Properties measured, by the names that `only` takes."""


class Effect(NamedTuple):
    """Effect of an altered input on a measure of a system, over the queries that it changes."""

    system: str
    measure: str
    queries: int
    # the means on the original and on the altered input, and after misspelt queries are corrected
    before: float
    after: float
    corrected: float | None
    test: TestResult  # of after − before; its interval is no wider than the range of the measure

    @property
    def difference(self) -> float:
        """Mean of after − before."""
        return self.test.mean

    def data(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        means = {name: getattr(self, name) for name in ("system", "measure", "queries", "before", "after")}
        return means | difference_data(self.test, self.test.p) | {"corrected": self.corrected}


class AlteredInput(NamedTuple):
    """Altered input and its effect on the systems."""

    property: str  # the property that it tests; a key of `PROPERTIES`
    # name, what: a short name of the alteration, and a sentence
    name: str
    what: str
    example: Example  # the first input changed
    rows: list[Effect]  # one per system and measure


class Skipped(NamedTuple):
    """Alteration that was not possible, and the reason."""

    property: str
    name: str
    reason: str


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """Values of systems when words, documents or spelling change.

    Attributes
    ----------
    collection, analyzer : str
        The collection searched, and the analysis of its texts.
    systems, measures : tuple of str
        The systems and the measures.
    queries : int
        The number of queries with a text and judgments.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    threshold : float
        The lowest grade of a relevant document.
    k, seed : int
        The maximum number of documents retrieved per query; the seed of the alterations.
    means : dict of str to dict of str to float
        System → measure → mean on the original input.
    inputs : tuple of AlteredInput
        Each with an example and one row per system and measure.
    skipped : tuple of Skipped
        Alterations that could not be done, and why.
    """

    collection: str
    analyzer: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int
    needs: TextNeeds
    threshold: float
    k: int
    seed: int
    means: dict[str, dict[str, float]]
    inputs: tuple[AlteredInput, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def __repr__(self) -> str:
        return f"<Robustness of {', '.join(self.systems)} on {self.collection}: {len(self.inputs)} altered inputs>"

    def __getitem__(self, name: str) -> AlteredInput:
        """Return the altered input with a name, such as ``no function words``; refuse an unknown one."""
        inputs = {altered.name: altered for altered in self.inputs}
        expect_name("altered input", name, inputs)
        return inputs[name]

    @property
    def rows(self) -> list[tuple[AlteredInput, Effect]]:
        """Return every row with the input that it belongs to."""
        return [(altered, row) for altered in self.inputs for row in altered.rows]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return all altered inputs, with all their numbers."""
        columns = table_columns(
            ["property", "input", "system", "measure"],
            number_columns("", queries=self.needs.kind[1]),
            number_columns(".4f", before="original", after="altered"),
            number_columns("+.4f", difference="change", low="from", high="to"),
            number_columns(".4g", "p"),
            number_columns(".4f", "corrected"),
            ["where", "text_before", "text_after"],
        )
        rows = []
        for altered, row in self.rows:
            test = row.test
            numbers = [row.before, row.after, test.mean, *(test.interval or (None, None)), test.p, row.corrected]
            if form == "table":
                numbers = [number and round(number, 4) + 0.0 for number in numbers]  # no -0.0000
            finite = [number if number is not None and math.isfinite(number) else None for number in numbers]
            rows.append([altered.property, altered.name, *row[:3], *finite, *map(one_line, altered.example)])
        return [ResultTable(columns, rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterator[Part]:
        """Yield the conclusions, and for each property a table and what could not be measured."""
        yield Sentences(conclusions(self), "", "")
        [table] = self.tables()
        for number, (name, title) in enumerate(PROPERTIES.items(), 1):
            if rows := [row for row in table.rows if row[0] == name]:
                # input, system and measure where there are several, the numbers but p, queries, and what is corrected
                shown = [1, *[2] * (len(self.systems) > 1), *[3] * (len(self.measures) > 1), *range(5, 10), 4]
                shown += [11] * any(row[11] is not None for row in rows)
                columns = [table.columns[place] for place in shown]
                yield f"{number}. {title}: {', '.join(self.measures)}"
                yield ResultTable(columns, [[row[place] for place in shown] for row in rows])
            for missing in self.skipped:
                if missing.property == name:
                    yield flowed(f"not measured: {missing.name} ({missing.reason})", width)

    def about(self) -> list[str]:
        """Describe the setup and the settings."""
        how = [f"relevant from grade {self.threshold:g}", f"k {self.k}", f"seed {self.seed}"]
        size = self.needs.size(self.needs) if self.needs else counted(self.queries, "query", "queries")
        setup = [self.collection, self.analyzer, size]
        return [" · ".join([*setup, *how, f"{interval_name(0.05)}s, each for its row alone"])]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        inputs = [{**altered._asdict(), "rows": [row.data() for row in altered.rows]} for altered in self.inputs]
        texts = {"texts": len(self.needs)} if self.needs else {}
        data = {**vars(self), **texts, "inputs": inputs}
        return {name: plain(value) for name, value in data.items() if name != "needs"}


def robustness(
    models: ModelLike | Iterable[ModelLike],
    collection: JudgedLike,
    measures: str | Iterable[object] = "AP",
    *,
    only: str | Iterable[str] | None = None,
    thesaurus: str | Path | Mapping[str, str] | None = None,
    analyzer: AnalyzerLike | None = None,
    k: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
    progress: Tell | None = None,
) -> Robustness:
    """Measure the loss when words, documents or spelling change.

    Five properties of a good system are tested by altering the input: synonyms, rare words, a changing collection,
    document length, typing errors. A row shows the mean of a measure on the original and on the altered input, over the
    queries that the alteration changes; 'from' and 'to' are the 95% interval of the change (Student's, paired by
    query), and 'corrected' is the mean after misspelt queries are corrected. The first sentences name what costs most.

    The same seed gives the same alterations and numbers.

    Parameters
    ----------
    models : str, function, Model or Ranker, or several
        The systems.
    collection : Collection, str or path
        A collection with judged queries, or an argument for `load`.
    measures : str or iterable, default "AP"
        Measures (`toysearch measures`), or a set: official, beir, seeds. As `evaluate` takes them.
    only : str or iterable, optional
        Some of "semantic", "rare", "corpus", "length" and "spelling", such as ``"length,spelling"``; by default all.
    thesaurus : str, Path or mapping of str to str, optional
        Synonyms, as `Analyzer` takes them; without them, no word is replaced by a related one.
    analyzer : Analyzer, str or function, optional
        By default that of the collection's language.
    k : int, default 1000
        The number of documents to rank per query.
    seed : int, default 0
        The seed of the alterations. Those of a query do not depend on other queries.
    threshold : float, optional
        The lowest relevant grade; by default the collection's, or 1.
    progress : callable, optional
        Called with the number of inputs measured so far.

    Returns
    -------
    Robustness
        The altered inputs with their rows.

    Raises
    ------
    ArgumentError
        If a model, a measure or a property is unknown.
    DataError
        If the collection has no judged query, or the thesaurus cannot be read.

    Examples
    --------
    >>> scorecard = robustness("bm25", "cat-dog-parrot", only="spelling")
    >>> row = scorecard["a letter dropped"].rows[0]
    >>> row.before, round(row.after, 4)
    (1.0, 0.4444)
    """
    expect_seed(seed)
    refuse_documents_first(models, [collection], "robustness(['bm25', 'dph'], collection)")
    expect(int, k=k)
    chosen = chosen_properties(only)
    others = None if thesaurus is None else synonyms_in(thesaurus)
    models = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    if not models:
        raise ArgumentError("robustness is that of at least one model, such as 'bm25'")
    measured = mean_measures(measures, SIZE)
    study = of_stored_documents(Study.of(collection).with_index(analyzer=analyzer).with_models(models))
    study = study.with_scoring(k=k, threshold=threshold)
    if system := next(filter(is_system, study.models), None):
        raise ArgumentError(f"'{system}' is a system with an index of its own, and robustness takes models alone")
    if unreachable := out_of_reach(study.qrels(), measured, threshold):
        raise ArgumentError(unreachable)
    study, measured = study.ready(), study.sized(measured)
    systems = {str(model): model for model in map(model_in, study.models)}
    means = {name: study_evaluation(study, model, measured).means for name, model in systems.items()}
    needs, query_ids = study.qrels().needs, [query.query_id for query in study.queries()]
    inputs, skipped = list[AlteredInput](), dict[Skipped, None]()
    tell, done = progress or (lambda _: None), itertools.count(1)
    with without_notes():
        tell(next(done))
        for name, variation in variations(study, chosen, others, seed):
            rows = []
            for title, model in systems.items():
                try:
                    rows += effects(title, model, study, variation, measured)
                except ToysearchError as reason:
                    skipped[Skipped(name, variation.name, str(reason))] = None
            if rows:
                example = variation.example or Example("", "", "")
                inputs.append(AlteredInput(name, variation.name, variation.what, example, rows))
            tell(next(done))
    return Robustness(
        collection=study.judged().name,
        analyzer=str(study.analyzer()),
        systems=tuple(systems),
        measures=tuple(map(str, measured)),
        queries=len(needs.texts(query_ids)),
        needs=needs.among(query_ids),
        threshold=study.threshold(),
        k=k,
        seed=seed,
        means=means,
        inputs=tuple(inputs),
        skipped=tuple(skipped),
    )


_ALONE = Procedure("t", "none", 0.05, 0)


def effects(
    system: str, model: Model | Ranker, study: Study, variation: Variation, measures: Sequence[Measure]
) -> list[Effect]:
    """Compare the values of a model on the original input, on the altered one, and after its cure, if there is one."""
    sides = {"original": (study, model), "altered": variation.apply(study, model)}
    if variation.cure is not None:
        sides["corrected"] = variation.cure.apply(*sides["altered"])
    # what finds nothing has the value 0
    evaluations = {side: replace(study_evaluation(*of, measures), missing=()) for side, of in sides.items()}
    found = compared(evaluations, "original", _ALONE, study.qrels(), {}, {})
    rows = []
    for measure, name in zip(measures, found.means, strict=True):
        test, means = found.pair(name, "altered").result, found.means[name]
        least, most = measure.definition.range
        if most is not None and math.isfinite(test.low) and math.isfinite(test.high):
            test = test._replace(low=max(test.low, least - most), high=min(test.high, most - least))
        rows.append(Effect(system, name, test.n, means["original"], means["altered"], means.get("corrected"), test))
    return rows


def of_stored_documents(study: Study) -> Study:
    """Return the study over documents whose texts can be changed: for a given index, those stored in it."""
    index = study.opened()
    if index is None:
        return study
    if index.texts is not None and index_needs(*map(model_in, study.models)).apart:
        source = study.given.source
        name = f"'{source}'" if isinstance(source, str | os.PathLike) else "this"
        raise ArgumentError(f"{name} is an index; name its collection, whose fields are known")
    judged = study.judged()
    stored = stored_collection(index, judged.name).with_topics(judged.queries, judged.qrels, judged.threshold)
    altered = Study.of(StudySource(stored, analysis=study.analyzer()))
    return replace(altered, models=study.models, scoring=study.scoring, fixed_runs=study.fixed_runs, told=study.told)


def variations(
    study: Study, properties: Sequence[str], others: Others | None, seed: int
) -> Iterator[tuple[str, Variation]]:
    """Yield the alterations that test some properties, each with its property."""
    language = study.analyzer().language
    language = language if language != "none" else study.judged().language
    vocabulary, cure = None, correction()
    for name in properties:
        if name == "corpus":
            yield from ((name, variation) for variation in changed_collections(study, seed))
        elif name == "length":
            yield from ((name, variation) for variation in longer_documents(study, seed))
        else:
            vocabulary = vocabulary or Vocabulary(study.index(), (document[1] for document in study.documents()))
            for change in query_changes(name, vocabulary, language, others):
                yield name, query_variation(change, study, seed, cure)


def chosen_properties(only: str | Iterable[str] | None) -> list[str]:
    """Return the properties to measure, in the order of `PROPERTIES`."""
    names = only.replace(",", " ").split() if isinstance(only, str) else PROPERTIES if only is None else only
    expect_list(str, ordered=False, only=names)
    for name in names or [""]:
        expect_name("property", name, PROPERTIES, "properties")
    return [name for name in PROPERTIES if name in names]


def conclusions(found: Robustness) -> list[str]:
    """Name the inputs that cost each system most beyond chance."""
    sentences = []
    for system, measure in itertools.product(found.systems, found.measures):
        rows = [(altered.name, row) for altered, row in found.rows if (row.system, row.measure) == (system, measure)]
        if not rows:
            continue
        side = Measure.parse(measure).sign
        losses = [(name, row) for name, row in rows if max(side * row.test.low, side * row.test.high) < 0]
        losses.sort(key=lambda pair: side * pair[1].test.mean)
        costs = [f"{name} ({row.before:.4f} → {row.after:.4f})" for name, row in losses[:3]]
        most, none = (measure, f"no {measure}") if side > 0 else (f"by {measure}", f"nothing by {measure}")
        loses = f"loses most {most} with {listed(costs)}" if costs else f"loses {none} beyond chance"
        sentences.append(f"{system} {loses}.")
    return sentences
