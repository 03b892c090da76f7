"""Robustness: five properties of a good system, measured when words, documents or spelling change."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import (
    ArgumentError,
    Part,
    Result,
    ResultTable,
    Sentences,
    Tell,
    TextNeeds,
    count_each,
    counted,
    expect,
    expect_list,
    expect_name,
    expect_seed,
    groups_of,
    listed,
    number_columns,
    plain,
    table_columns,
    without_notes,
)
from toysearch.base.rendering import flowed
from toysearch.evaluation import SIZE, Measure, mean_measures, out_of_reach
from toysearch.evaluation.intervals import interval_name
from toysearch.index import Index
from toysearch.models import ModelLike
from toysearch.retrieval import QueryTerms
from toysearch.study.study import JudgedLike, Study, is_system, model_in, refuse_documents_first
from toysearch.workbench.effects import Effect, Example, Variation, effects, excerpts, quantities
from toysearch.workbench.robustness.alterations import (
    QUERY_ALTERATIONS,
    Others,
    StudiedSystems,
    changed_collections,
    correction,
    padded_collections,
    query_variation,
    synonyms_in,
)
from toysearch.workbench.robustness.stored_documents import of_stored_documents
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


class ExactMatches(NamedTuple):
    """Number of relevant documents that contain the exact terms of their query."""

    relevant: int  # the number of pairs of a query and a relevant document
    # all_terms, some_terms, no_term: the shares of these pairs whose document contains all terms of its query, some,
    # none. A model that sums the weights of query terms cannot find the last
    all_terms: float
    some_terms: float
    no_term: float


def exact_matches(
    index: Index, terms: Mapping[str, QueryTerms], relevant: Mapping[str, Iterable[int]], needs: TextNeeds
) -> ExactMatches:
    """Count the relevant documents that contain the terms of their queries; over the texts of a need, their mean."""
    pairs, weights = [0.0, 0.0, 0.0], needs.weights(relevant)
    for query_id, docs in relevant.items():
        query = terms[query_id]
        counts = count_each(index.blocks.of_terms(query.numbers).docs, minlength=index.stats.N)
        all_terms = len(query.numbers) + len(query.unknown)
        for doc in docs:
            pairs[0 if counts[doc] == all_terms and all_terms else 1 if counts[doc] else 2] += weights[query_id]
    total = sum(pairs)
    return ExactMatches(round(total), *(count / total if total else np.nan for count in pairs))


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
    exact : ExactMatches or None
        The number of relevant documents that contain the exact query terms.
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
    exact: ExactMatches | None = None
    skipped: tuple[Skipped, ...] = ()

    def __repr__(self) -> str:
        return f"<Robustness of {', '.join(self.systems)} on {self.collection}: {len(self.inputs)} altered inputs>"

    def __getitem__(self, name: str) -> AlteredInput:
        """Return the altered input with a name, such as ``upper case``; refuse an unknown one."""
        inputs = {altered.name: altered for altered in self.inputs}
        expect_name("altered input", name, inputs)
        return inputs[name]

    @property
    def rows(self) -> list[tuple[AlteredInput, Effect]]:
        """Return every row with the input that it belongs to."""
        return [(altered, row) for altered in self.inputs for row in altered.rows]

    def by_loss(self, measure: str) -> list[tuple[AlteredInput, list[Effect]]]:
        """Return the altered inputs with their rows of a measure; first the one that costs the systems most.

        Parameters
        ----------
        measure : str
            The measure.
        """
        sign = Measure.parse(measure).sign
        rows = [(altered, [row for row in altered.rows if row.measure == measure]) for altered in self.inputs]
        measured = [pair for pair in rows if pair[1]]
        return sorted(measured, key=lambda pair: sign * sum(row.difference for row in pair[1]) / len(pair[1]))

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return all altered inputs, with all their numbers."""
        columns = table_columns(
            ["property", "input", "system", "measure"],
            number_columns("", "queries"),
            NUMBERS,
            number_columns(".4g", "p"),
            number_columns(".4f", "corrected"),
            ["where", "text_before", "text_after"],
        )
        rows = []
        for altered, row in self.rows:
            head = [altered.property, altered.name, row.system, row.measure, row.queries]
            texts = excerpts(*altered.example[1:], _SHOWN)
            numbers = [*_numbers(row), _finite(row.p), _finite(row.corrected)]
            rows.append([*head, *numbers, altered.example.where, *texts])
        return [ResultTable(columns, rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None, details: bool = True) -> Iterator[Part]:
        """Yield the conclusions, and for each property a table, its examples and other findings."""
        yield Sentences(conclusions(self), "", "")
        for number, (name, title) in enumerate(PROPERTIES.items(), 1):
            inputs = [altered for altered in self.inputs if altered.property == name]
            skipped = [missing for missing in self.skipped if missing.property == name]
            for measure in self.measures if inputs else ():
                yield f"{number}. {title}: {measure}"
                yield _inputs_table(self, inputs, measure)
            if details:
                yield "\n".join(_examples(inputs, width))
                if name == "semantic" and (inputs or skipped):
                    yield from _kept_words(self, width)
            yield from (flowed(f"not measured: {missing.name} ({missing.reason})", width) for missing in skipped)

    def about(self) -> list[str]:
        """Describe the setup and the settings."""
        how = [f"relevant from grade {self.threshold:g}", f"k {self.k}", f"seed {self.seed}"]
        size = self.needs.size(self.needs) if self.needs else counted(self.queries, "query", "queries")
        setup = [self.collection, self.analyzer, size]
        return [" · ".join([*setup, *how, f"{interval_name(0.05)}s, each for its row alone"])]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        inputs = [
            {
                **altered._asdict(),
                "rows": [
                    {"system": row.system, "measure": row.measure, **row.data(), "corrected": row.corrected}
                    for row in altered.rows
                ],
            }
            for altered in self.inputs
        ]
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
        Synonyms, as `Analyzer` takes them. By default a word is replaced by the one that shares most documents with it.
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
    >>> row.before, round(row.after, 4), row.example.after
    (1.0, 0.4444, 'tran cat')
    """
    expect_seed(seed)
    refuse_documents_first(models, [collection], "robustness(['bm25', 'dph'], collection)")
    expect(int, k=k)
    chosen = chosen_properties(only)
    others = None if thesaurus is None else synonyms_in(thesaurus)
    models = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    if not models:
        raise ArgumentError("robustness is that of at least one model, such as 'bm25'")
    study = of_stored_documents(Study.of(collection).with_index(analyzer=analyzer).with_models(models))
    studied = studied_systems(study, models, measures, k, seed, threshold)
    study = studied.study
    means = {name: study_evaluation(study, model, studied.measures).means for name, model in studied.models.items()}
    needs, query_ids = study.qrels().needs, [query.query_id for query in study.queries()]
    skipped: list[Skipped] = []
    with without_notes():
        inputs = _scored(studied, chosen, others, skipped, progress)
        exact = exact_matches(study.index(), studied.terms, studied.relevant, needs) if "semantic" in chosen else None
    return Robustness(
        collection=study.judged().name,
        analyzer=str(study.analyzer()),
        systems=tuple(studied.models),
        measures=tuple(map(str, studied.measures)),
        queries=len(needs.texts(query_ids)),
        needs=needs.among(query_ids),
        threshold=study.threshold(),
        k=k,
        seed=seed,
        means=means,
        inputs=tuple(inputs),
        exact=exact,
        skipped=tuple(dict.fromkeys(skipped)),
    )


def studied_systems(
    collection: JudgedLike,
    models: Iterable[ModelLike],
    measures: str | Iterable[object],
    k: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
) -> StudiedSystems:
    """Return the models on a study of the collection."""
    parsed = mean_measures(measures, SIZE)
    study = Study.of(collection).with_models(models).with_scoring(k=k, threshold=threshold)
    if system := next(filter(is_system, study.models), None):
        raise ArgumentError(f"'{system}' is a system with an index of its own, and robustness takes models alone")
    rankers = {str(model): model for model in map(model_in, study.models)}
    if unreachable := out_of_reach(study.qrels(), parsed, threshold):
        raise ArgumentError(unreachable)
    return StudiedSystems(study.ready(), rankers, study.sized(parsed), seed)


def _scored(
    studied: StudiedSystems,
    properties: Sequence[str],
    others: Others | None,
    skipped: list[Skipped],
    progress: Tell | None,
) -> list[AlteredInput]:
    inputs = []
    count = itertools.count(1)
    tell = None if progress is None else lambda _: progress(next(count))
    if tell:
        tell(0)
    for name in properties:
        rows = effects(
            studied.study,
            studied.models,
            _variations(name, studied, others),
            quantities(studied.measures),
            progress=tell,
        )
        skipped += [Skipped(name, row.variation, row.problem) for row in rows if row.problem]
        for variation, group in groups_of((row.variation, row) for row in rows if not row.problem).items():
            first = group[0]
            inputs.append(AlteredInput(name, variation, first.what, first.example or Example("", "", ""), group))
    return inputs


def _variations(name: str, studied: StudiedSystems, others: Others | None) -> Iterator[Variation]:
    if name == "corpus":
        yield from changed_collections(studied)
    elif name == "length":
        yield from padded_collections(studied)
    else:
        cure = correction()
        for change in QUERY_ALTERATIONS[name](studied.vocabulary, studied.language, others):
            yield query_variation(change, studied.study, studied.seed, cure)


def chosen_properties(only: str | Iterable[str] | None) -> list[str]:
    """Return the properties to measure, in the order of `PROPERTIES`."""
    if only is None:
        return list(PROPERTIES)
    names = only.replace(",", " ").split() if isinstance(only, str) else only
    expect_list(str, ordered=False, only=names)
    for name in names or [""]:
        expect_name("property", name, PROPERTIES, "properties")
    return [name for name in PROPERTIES if name in names]


_SHOWN = 78  # the default width of an example in characters
NUMBERS = table_columns(
    number_columns(".4f", before="original", after="altered"),
    number_columns("+.4f", difference="change", low="from", high="to"),
)
"""Columns of the numbers of an altered input."""


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _numbers(row: Effect) -> list[float | None]:
    return list(map(_finite, (row.before, row.after, row.difference, row.low, row.high)))


def rounded_numbers(row: Effect) -> list[float | None]:
    """Round the numbers of a row for people, without a negative zero; None for one that is not finite."""
    return [None if number is None else round(number, 4) + 0.0 for number in _numbers(row)]


def conclusions(found: Robustness) -> list[str]:
    """Name the inputs that cost each system most beyond chance, and those that cost it nothing."""
    sentences = []
    for system, measure in itertools.product(found.systems, found.measures):
        rows = [(altered.name, row) for altered, row in found.rows if (row.system, row.measure) == (system, measure)]
        if not rows:
            continue
        side = Measure.parse(measure).sign
        losses = [(name, row) for name, row in rows if max(side * row.low, side * row.high) < 0]
        losses.sort(key=lambda pair: side * pair[1].difference)
        costs = [f"{name} ({row.before:.4f} → {row.after:.4f})" for name, row in losses[:3]]
        most, none = (measure, f"no {measure}") if side > 0 else (f"by {measure}", f"nothing by {measure}")
        loses = f"loses most {most} with {listed(costs)}" if costs else f"loses {none} beyond chance"
        harmless = [name for name, row in rows if not row.changes]
        nothing = f"; {listed(harmless)} {'changes' if len(harmless) == 1 else 'change'} nothing" if harmless else ""
        sentences.append(f"{system} {loses}{nothing}.")
    return sentences


def _inputs_table(robustness: Robustness, inputs: Sequence[AlteredInput], measure: str) -> ResultTable:
    """Return the rows of one property; for several systems, the input has its own row above theirs."""
    correctable = any(row.corrected is not None for altered in inputs for row in altered.rows)
    corrected = number_columns(".4f", "corrected") if correctable else []
    columns = table_columns("input", NUMBERS, number_columns("", queries=robustness.needs.kind[1]), corrected)
    rows: list[list[Any]] = []
    for altered in inputs:
        effects = [row for row in altered.rows if row.measure == measure]
        cells = [[*rounded_numbers(row), row.queries, *[row.corrected] * correctable] for row in effects]
        if len(robustness.systems) == 1:
            rows += [[altered.name, *row] for row in cells]
        elif cells:
            rows.append([altered.name, *[None] * len(cells[0])])
            rows += [[f"  {row.system}", *of_row] for row, of_row in zip(effects, cells, strict=True)]
    return ResultTable(columns, rows)


def _examples(inputs: Iterable[AlteredInput], width: int | None) -> Iterator[str]:
    """Yield each alteration with an example; inputs that share an example show it once."""
    example = None
    for altered in inputs:
        repeated = altered.example == example
        example = altered.example
        yield flowed(f"{altered.name}: {altered.what}{'' if repeated else f' ({example.where})'}", width)
        for sign, text in zip("-+", excerpts(example.before, example.after, (width or _SHOWN) - 5), strict=True):
            if text and not repeated:
                yield f"   {sign} {text}"


def _kept_words(robustness: Robustness, width: int | None) -> list[Part]:
    exact = robustness.exact
    if exact is None or not exact.relevant:
        return []
    shares = (
        f"{exact.all_terms:.1%} contain all terms of their query, {exact.some_terms:.1%} some, {exact.no_term:.1%} none"
    )
    sentences = [
        f"Of {exact.relevant:,} relevant documents, {shares}.",
        *(
            f"With other words, {row.system} keeps {row.after / row.before:.0%} of its {row.measure}."
            for altered, row in robustness.rows
            if altered.name == "related words only" and row.before > 0
        ),
    ]
    return ["\n".join(flowed(sentence, width) for sentence in sentences)]
