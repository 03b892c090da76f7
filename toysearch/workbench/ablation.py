"""Ablation: each part of a search system switched off (or on), one at a time, and its effect tested.

The parts of a model are switched in the statistics passed to its functions, so that this works for any model: a
built-in one, a formula, a custom function. If every document has the mean length, length normalisation has no effect;
if every term has the mean frequency in the collection, idf has none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy import log

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.analysis.analyzer_text import choice_of, variant
from toysearch.analysis.languages import default_list
from toysearch.base import (
    CountedWords,
    Document,
    JoinedText,
    ModelError,
    ResultTable,
    TextNeeds,
    expect,
    expect_seed,
    number_columns,
    plain,
    table_columns,
)
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import SIZE, Measure, mean_measures
from toysearch.evaluation.intervals import interval_name
from toysearch.files import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.models import Array, Model, ModelLike, Ranker, call, dot, field_statistic, names_of
from toysearch.models.rankers import parts_of, rebuilt
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Weights
from toysearch.retrieval.query_terms import counts_of
from toysearch.study.compare.significance import Procedure, corrected, paired_test
from toysearch.study.compare.tested_differences import difference_cells, difference_columns
from toysearch.study.study import JudgedLike, Study, refuse_documents_first
from toysearch.workbench.effects import (
    Effect,
    ExperimentResult,
    NotPossible,
    Variation,
    effects,
    model_variation,
    quantities,
    study_variation,
)
from toysearch.workbench.tune.study_evaluation import study_evaluation
from toysearch.workbench.tune.tuning import Objective

__all__ = ["Ablation", "ablate"]

B = 0.75
"""Value of b in the length normalisation that is added to a model without any."""

_LENGTHS = {"dl", "distinct", "max_tf", "bytes"}
SATURATION = "tf saturation"
_SAMPLE = 1 << 16  # postings on which a model is probed


@dataclass(frozen=True, repr=False)
class Ablation(ExperimentResult):
    """Result of `ablate`.

    Attributes
    ----------
    collection, model, analyzer, measure : str
        The full system, its collection and the measure.
    query_ids : tuple of str
        The judged queries; the needs, if some have several texts.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    value : float
        The measure of the full system for all queries.
    per_query : ndarray of float64
        The same for each query.
    switches : tuple of Effect
        The effect of each part switched, such as ``idf off``; `problem` is the reason why the model fails without it.
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
    needs: TextNeeds
    value: float
    per_query: np.ndarray
    switches: tuple[Effect, ...]
    test: str
    correction: str
    alpha: float

    def __repr__(self) -> str:
        return (
            f"<Ablation of {self.model} on {self.size}: {self.measure} {self.value:.4f}, {len(self.switches)} switches>"
        )

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the full system and then each switched part, one row each."""
        value = number_columns(".4f", value=self.measure)
        columns = table_columns("system", value, difference_columns(self.alpha, form))
        rows = [[f"full system ({self.model})", self.value, *difference_cells(None, 1.0, form)]]
        for switch in self.switches:
            after = switch.test and switch.after
            rows.append([switch.variation, after, *difference_cells(switch.test, switch.p, form)])
        return [ResultTable(columns, rows)]

    def sentences(self) -> list[str]:
        """Say how each switch was made."""
        return [
            f"{switch.variation}: {f'not possible: {switch.problem}' if switch.problem else switch.what}"
            for switch in self.switches
        ]

    def about(self) -> list[str]:
        """Describe the setup and the tests."""
        setup = [self.collection, self.analyzer, self.size, f"{self.test} test"]
        return [" · ".join([*setup, f"p and {interval_name(self.alpha)} corrected: {self.correction}"])]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        switches = []
        for switch in self.switches:
            ingredient, to = switch.variation.rsplit(" ", 1)
            how = {"ingredient": ingredient, "to": to, "how": switch.what, "problem": switch.problem or None}
            values = {query_id: after for query_id, (_, after) in switch.values.items()}
            switches.append(how | switch.data() | {"per_query": values or None})
        data = {
            **self._setup("collection", "analyzer", "model", "measure"),
            **{name: getattr(self, name) for name in ("test", "correction", "alpha", "value")},
            "per_query": self._by_query(self.per_query),
            "switches": switches,
        }
        return plain(data)  # type: ignore[no-any-return]


def ablate(
    model: ModelLike,
    collection: JudgedLike,
    measure: str | Measure = "AP",
    *,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: AnalyzerLike | None = None,
    index: Index | None = None,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Ablation:
    """Measure what each part of a search system contributes.

    Stop words, stemming, the title, idf, length normalisation, tf, its saturation and repeated query terms are switched
    off one at a time, or on if the system lacks them (synonyms only off), and each variant is tested against the full
    system. This works for any model, because the switches change the input of its function; those of the analysis have
    their own index.

    Parameters
    ----------
    model : str, function, Model or Ranker
        The model of the full system, as `Searcher` takes it. In a mixture all models are switched at once.
    collection : Collection, Index, Searcher, name or path
        Documents with judged queries. An index of a named collection has those of the collection; for any other, give
        `queries` and `qrels`.
    measure : str or Measure, default "AP"
        The measure to compare by.
    test : str, default "t"
        The paired test of each difference. One of `toysearch.study.compare.significance.TESTS`.
    correction : str, default "holm"
        The correction of p for the number of comparisons. One of
        `toysearch.study.compare.significance.CORRECTIONS`.
    alpha : float, default 0.05
        The intervals have the level 1 − alpha.
    seed : int, default 0
        The seed of randomised tests.
    k : int or None, default 1000
        The number of documents to rank per query.
    threshold : float, optional
        The lowest relevant grade; by default the collection's, or 1.
    analyzer : Analyzer, str or function, optional
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
    >>> result = ablate("bm25", "cat-dog-parrot")
    >>> result
    <Ablation of bm25 on 3 queries: AP 1.0000, 7 switches>
    >>> [(switch.variation, round(switch.after, 4)) for switch in result.switches[2:4]]
    [('idf off', 1.0), ('length normalisation off', 1.0)]
    """
    expect_seed(seed)
    refuse_documents_first(model, [collection], "ablate('bm25', collection)")
    full, objective = find_model(model), Objective.of(measure)
    paired_test([0.0], test, alpha=alpha)  # refuses a bad test or alpha before the work
    corrected([], correction)
    mean_measures([objective.measure], SIZE)
    if index is not None:
        expect(Index, index=index)
    study = (
        Study.of(collection, queries, qrels)
        .with_index(index, analyzer)
        .with_models([full])
        .with_scoring(k=k, threshold=threshold)
    )
    study, objective = objective.on(study)
    judgments, [quantity] = study.qrels(), quantities([objective.measure])
    rows_of = study_evaluation(study, full, [objective.measure]).by_need
    values = {query_id: row[quantity.name] for query_id, row in rows_of.items()}
    per_query = np.array([*values.values()])
    objective.check(per_query)
    planned = list(switches(study, full))
    tell = None if progress is None else lambda done: progress(done, len(planned))
    unbounded = [quantity._replace(width=None)]
    rows = effects(study, {str(full): full}, planned, unbounded, Procedure(test, correction, alpha, seed), tell)
    return Ablation(
        collection=study.judged().name,
        model=str(full),
        analyzer=str(study.analyzer()),
        measure=str(objective.measure),
        query_ids=tuple(values),
        needs=judgments.needs.among(judgments.query_ids),
        value=objective.value(per_query),
        per_query=per_query,
        switches=rows,
        test=test,
        correction=correction,
        alpha=alpha,
    )


def switches(study: Study, model: Model | Ranker) -> Iterator[Variation]:
    """Yield the switches that a system can have, of its analysis (unless its index was given), model and wrappers."""
    if study.opened() is None:
        yield from _analysis_switches(study)
        yield from _title_switches(study)
    for variation in (switch for part in PARTS for switch in part):
        with suppress(NotPossible):
            variation.apply(study, model)
            yield variation
    for name in dict.fromkeys(part.call for part in parts_of(model) if part.changes_query and not model.is_learned):
        yield model_variation(f"{name} off", "without what it adds to a query", partial(_without, name))


def _without(name: str, study: Study, model: Model | Ranker) -> Model | Ranker:
    return rebuilt(model, lambda part: part.inside[0] if part.call == name else part)  # type: ignore[no-any-return]


def _analysis_switches(study: Study) -> Iterator[Variation]:
    def switch(name: str, what: str, **choices: Any) -> Variation:
        switched = variant(analyzer, choices)
        return study_variation(name, what, lambda study: study.with_index(analyzer=switched))

    language, analyzer = study.judged().language, study.analyzer()
    language = language if language != "none" else "english"
    words = default_list(language)
    if analyzer.synonyms:
        yield switch("synonyms off", "each word stands for itself", synonyms=None)
    if analyzer.stop:
        yield switch("stop words off", "none left out", stop="none")
    elif words != "none":
        # The list is named by its language, because there may be one list per language; everything else stays.
        others = {"stem": analyzer.stem or "none", "cjk": choice_of(analyzer, "cjk")}
        yield switch("stop words on", f"the list {words} left out", language=language, **others)
    if analyzer.stem:
        yield switch("stemming off", "tokens as they stand", stem="none")
    else:
        yield switch("stemming on", f"{language} stems", stem=language)


def _title_switches(study: Study) -> Iterator[Variation]:
    collection = study.judged()
    title = collection.reading.title if collection.reading else "title"
    searched = [name for name in collection.searched_fields if name in collection.documents.field_names]
    others = [name for name in searched if name != title]
    join: Callable[[Iterable[str]], str] = CountedWords.joined if collection.word_counts else JoinedText.joined

    def title_of(document: Document) -> str:
        return document.fields.get(title, "") if collection.word_counts else document.title

    def untitled(document: Document) -> Document:
        """Return the document with its other fields as its text and an empty title."""
        text = join(filter(None, (document.fields.get(name, "") for name in others)))
        return document._replace(text=text, title="", fields={**document.fields, title: ""})

    def titled(document: Document) -> Document:
        return document._replace(text=join(filter(None, [title_of(document), document[1]])))

    def switch(name: str, what: str, change: Callable[[Document], Document]) -> Variation:
        return study_variation(name, what, lambda study: study.with_index(documents=[*map(change, study.documents())]))

    if title in searched and others:
        yield switch("title off", f"the field {title} left out", untitled)
    elif title not in searched and any(map(title_of, collection.documents)):
        yield switch("title on", "the title added to the text", titled)


Function = Callable[..., Any]
"""Function of a model."""

Change = Callable[[Model, Index], Model]
"""Returns the model with a part switched, for the statistics of an index."""

Statistics = Mapping[str, Any]
"""Statistics passed to the function of a model, by name."""

ChangeOf = Callable[[str], Callable[[Any], Any] | None]
"""Returns how the statistic with a name is changed; None for one that stays."""


def part(
    name: str, has: Callable[[Model], bool], off: Change, without: str, on: Change | None = None, plainest: str = ""
) -> tuple[Variation, ...]:
    """Return the variations that switch a part of a model off and on.

    In a mixture, they switch the part in all models that have it, or in all models.

    has: whether the functions of a model name the statistics of the part.
    """

    def having(study: Study, model: Model | Ranker) -> list[Model]:
        """Return the models that name the part and have some weight that changes without it."""
        if model.is_learned:
            raise NotPossible("a learned ranker fits the scores of its own models")
        # If switching it off or on changes no weight of the index, the statistics that the model names decide.
        return [
            one
            for one in filter(has, model.models)
            if on is None
            or is_changed(one, off(one, study.index()), study.index())
            or not is_changed(one, on(one, study.index()), study.index())
        ]

    def switched_off(study: Study, model: Model | Ranker) -> Model | Ranker:
        if not (models := having(study, model)):
            raise NotPossible(f"the system has no {name}")
        return _replaced(model, {one: off(one, study.index()) for one in models})

    def switched_on(study: Study, model: Model | Ranker) -> Model | Ranker:
        assert on is not None
        models = [one for one in model.models if has(one) or name != SATURATION]
        if having(study, model) or not models:
            raise NotPossible("")
        return _replaced(model, {one: on(one, study.index()) for one in models})

    switch_off = model_variation(f"{name} off", without, switched_off)
    return (switch_off,) if on is None else (switch_off, model_variation(f"{name} on", plainest, switched_on))


def _replaced(model: Model | Ranker, changes: Mapping[Any, Model]) -> Model | Ranker:
    return rebuilt(model, lambda part: changes.get(part, part))  # type: ignore[no-any-return]


class ChangedFunction:
    """Function of a model with changed statistics or a changed result."""

    def __init__(
        self,
        function: Function,
        before: Callable[[Statistics], Statistics] = dict,
        after: Callable[[Any, Statistics], Any] | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        self._function, self._before, self._after = function, before, after
        signature = inspect.signature(function)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        more = [inspect.Parameter(name, kind) for name in names if name not in signature.parameters]
        self.__signature__ = signature.replace(parameters=[*more, *signature.parameters.values()])
        self.__doc__, self.__module__ = function.__doc__, getattr(function, "__module__", "")

    def __call__(self, /, **statistics: Any) -> Any:
        """Return the result of the original function for the changed statistics."""
        result = call(self._function, self._before(statistics), {})
        return result if self._after is None else self._after(result, statistics)


def is_changed(model: Model, other: Model, index: Index) -> bool:
    """True if two models that differ by a part give any posting of an index different weights, or if one of them fails.

    >>> from toysearch.models.bm25 import bm25
    >>> index = Index.build(["a cat", "a cat and a dog"])
    >>> is_changed(bm25, bm25.bind(k1=1.2), index), is_changed(bm25, bm25.bind(k1=1.3), index)
    (False, True)
    """
    if other.similarity != model.similarity:
        return True
    try:
        pairs = zip(_weights(model, index), _weights(other, index), strict=True)
        return not all(np.allclose(one, two, rtol=1e-9, atol=0) for one, two in pairs)
    except ModelError:
        return True


def _weights(model: Model, index: Index) -> Iterator[Array]:
    """Yield the weights of the postings of the most frequent terms, then the values of the hooks of the model."""
    weights, order = Weights(index, model), np.argsort(-index.df, kind="stable")
    enough = int(np.searchsorted(np.cumsum(index.df[order]), _SAMPLE, side="right")) + 1
    terms = order[:enough]
    yield weights.weigh(terms)[1]
    of_query = {"ql": 2.0, "max_qtf": 2.0, "distinct_q": 1.0}
    for name, function in model.hooks.items():
        if name == "document":
            docs = np.arange(index.stats.N)
            yield weights.apply(name, {**of_query, **weights.document_statistics(docs, names_of(function))}, len(docs))
        elif name != "collection_constants":  # its constants show in the weights
            statistics = {**of_query, "qtf": np.full(len(terms), 2.0), **counts_of(weights.index, terms, ("df", "cf"))}
            yield weights.apply(name, statistics, len(terms))


def _statistics(model: Model) -> set[str]:
    """Return the statistics that the functions of a model name; field statistics lose their field."""
    names = {name for function in (model.function, *model.hooks.values()) for name in names_of(function)}
    fields = {name: field_statistic(name) for name in names if name not in model.parameters}
    return {field[0] if field else name for name, field in fields.items()}


def _with_statistics(model: Model, change_of: ChangeOf) -> Model:
    """Change the statistics passed to the functions of a model."""

    def changing(name: str) -> Callable[[Any], Any] | None:
        return None if name in model.parameters else change_of(name)

    def before(statistics: Statistics) -> Statistics:
        return {name: change(value) if (change := changing(name)) else value for name, value in statistics.items()}

    def wrapped(function: Function) -> Function:
        return ChangedFunction(function, before) if any(map(changing, names_of(function))) else function

    hooks = {name: wrapped(function) for name, function in model.hooks.items()}
    return replace(model, function=wrapped(model.function), hooks=hooks)


def _constants(means: Mapping[str, np.ndarray]) -> ChangeOf:
    numbers = {name: float(np.mean(counts)) for name, counts in means.items()}
    return lambda name: (lambda values: np.full_like(values, numbers[name])) if name in numbers else None


def _changed(model: Model, **how: Any) -> Model:
    return replace(model, function=ChangedFunction(model.function, **how))


def with_idf(model: Model, index: Index) -> Model:
    def after(weight: Any, statistics: Statistics) -> Any:
        return weight * log(1 + statistics["N"] / statistics["df"])

    return _changed(model, after=after, names=("df", "N"))


def _without_idf(model: Model, index: Index) -> Model:
    return _with_statistics(model, _constants({"df": index.df, "df_all": index.df, "cf": index.cf, "cf_all": index.cf}))


def _without_length(model: Model, index: Index) -> Model:
    lengths = {name: getattr(index, name) for name in _LENGTHS}
    lengths |= {f"dl_{name}": index.fields.dl(name) for name in index.fields.names}
    even = _with_statistics(model, _constants(lengths))
    if _is_normed(model):
        even = replace(even, similarity=model.similarity._replace(function=dot), similarity_of=None)
    return even


def _is_normed(model: Model) -> bool:
    return "dd" in names_of(model.similarity.function)


def _with_length(model: Model, index: Index) -> Model:
    def length(statistics: Statistics) -> Any:
        return 1 - B + B * statistics["dl"] / statistics["avgdl"]

    def shorter(statistics: Statistics) -> Statistics:
        return {**statistics, "tf": statistics["tf"] / length(statistics)}

    names = ("dl", "avgdl")
    if "tf" in names_of(model.function):
        return _changed(model, before=shorter, names=names)
    return _changed(model, after=lambda weight, statistics: weight / length(statistics), names=names)


def _without_tf(model: Model, index: Index) -> Model:
    def change_of(name: str) -> Callable[[Any], Any] | None:
        is_tf = name == "max_tf" or (field_statistic(name) or (name,))[0] == "tf"
        return (lambda counts: np.minimum(counts, 1.0)) if is_tf else None

    return _with_statistics(model, change_of)


def _without_saturation(model: Model, index: Index) -> Model:
    def once(statistics: Statistics) -> Statistics:
        return {**statistics, "tf": np.ones_like(statistics["tf"])}

    return _changed(model, before=once, after=_times_tf)


def _times_tf(weight: Any, statistics: Statistics) -> Any:
    return weight * statistics["tf"]


def _with_tf(model: Model, index: Index) -> Model:
    return _changed(model, after=_times_tf, names=("tf",))


def _with_saturation(model: Model, index: Index) -> Model:
    return _changed(model, before=lambda statistics: {**statistics, "tf": 1 + log(statistics["tf"])})


def _without_repetition(model: Model, index: Index) -> Model:
    def before(statistics: Statistics) -> Statistics:
        changed = {**statistics, "max_qtf": 1.0, "ql": statistics.get("distinct_q")}
        if "qtf" in statistics:
            changed["qtf"] = np.ones_like(statistics["qtf"])
        return changed

    def wrapped(function: Function) -> Function:
        names = set(names_of(function)) & {"qtf", "max_qtf", "ql"}
        return ChangedFunction(function, before, names=("distinct_q",) if "ql" in names else ()) if names else function

    hooks = {name: wrapped(function) for name, function in model.hooks.items()}
    return replace(model, hooks={"query": lambda qtf: np.ones_like(qtf), **hooks})


IDF = part(
    "idf",
    lambda model: bool(_statistics(model) & {"df", "cf", "df_all", "cf_all"}),
    _without_idf,
    "every term has the mean df and cf of all terms",
    with_idf,
    "weights times ln(1 + N/df)",
)
LENGTH = part(
    "length normalisation",
    lambda model: bool(_statistics(model) & _LENGTHS) or _is_normed(model),
    _without_length,
    "every document has the mean length, and its vector no norm",
    _with_length,
    f"tf, or a weight without tf, over 1 − b + b · dl/avgdl, b = {B}",
)
PARTS = (
    IDF,
    LENGTH,
    part(
        "tf",
        lambda model: "tf" in _statistics(model),
        _without_tf,
        "a term occurs once or not at all",
        _with_tf,
        "weights times tf",
    ),
    part(
        SATURATION,
        lambda model: "tf" in names_of(model.function),  # as one number, not field by field
        _without_saturation,
        "each occurrence of a term counts like the first",
        _with_saturation,
        "1 + ln tf instead of tf",
    ),
    part("repeated query terms", lambda model: True, _without_repetition, "each term of a query counts once"),
)
"""Parts of a model, each with the variations that switch it off and on."""
