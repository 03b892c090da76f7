"""Ablation: a comparison whose systems differ from the full one in one part each.

A part that the full system has is switched off, one that it lacks is switched on: stop words, stems, synonyms and title
in the study, the parts of a model in the statistics passed to its functions, so that this works for a formula or a
custom function too. Each system is tested against the full one, with the tables, the data and the caveats of `compare`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

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
    Part,
    Run,
    Sentences,
    ToysearchError,
    expect,
    expect_seed,
    plain,
    without_notes,
)
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import SIZE, Measure, mean_measures
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.files import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.models import SIMILARITIES, Model, ModelLike, Ranker, call, field_statistic, index_needs, names_of
from toysearch.models.rankers import parts_of, rebuilt
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Searcher
from toysearch.study.compare.comparison import Comparison, compared
from toysearch.study.compare.comparison_tables import pair_data
from toysearch.study.compare.significance import Procedure, corrected, paired_test
from toysearch.study.study import JudgedLike, Study, refuse_documents_first
from toysearch.study.system import System
from toysearch.workbench.effects import Variation, study_variation
from toysearch.workbench.tune.tuning import Objective

__all__ = ["Ablation", "ablate"]

B = 0.75
"""Value of b in the length normalisation that is added to a model without any."""

_LENGTHS = {"dl", "distinct", "max_tf", "bytes"}
_FREQUENCIES = {"df", "cf", "df_all", "cf_all"}
_SAMPLE = 1 << 16  # postings on which a model is probed


class Switch(NamedTuple):
    """Part switched: the name of the system with it, such as ``idf off``, how, and why that is not possible."""

    variation: str
    what: str
    problem: str = ""


@dataclass(frozen=True, repr=False)
class Ablation(Comparison):
    """Result of `ablate`: a comparison of the full system, which is the baseline, with each switched one.

    Attributes
    ----------
    collection, model, analyzer : str
        The collection and the full system.
    switches : tuple of Switch
        What was switched; the systems are named by `Switch.variation`.
    """

    collection: str
    model: str
    analyzer: str
    switches: tuple[Switch, ...]

    @property
    def value(self) -> float:
        """Mean of the measure under the full system."""
        return self.means[str(self.measures[0])][self.systems[0]]

    def __repr__(self) -> str:
        measured = f"{self.measures[0]} {self.value:.4f}"
        return f"<Ablation of {self.model} on {self.first.size}: {measured}, {len(self.switches)} switches>"

    def sentences(self) -> list[str]:
        """Say how each switch was made, and conclude."""
        return [*self._made(), *super().sentences()]

    def _made(self) -> list[str]:
        return [f"{name}: {f'not possible: {problem}' if problem else what}" for name, what, problem in self.switches]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterator[Part]:
        """Yield the comparison, and how each switch was made."""
        yield from super().text_parts(width, wrap)
        yield Sentences(self._made())

    def about(self) -> list[str]:
        """Describe the setup and the tests."""
        corrected = f"p and {self.how.interval} corrected: {self.how.correction}"
        return [" · ".join([self.collection, self.analyzer, self.first.size, f"{self.how.test} test", corrected])]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON: the comparison, and each switch with its numbers."""
        measure, full = str(self.measures[0]), self.systems[0]
        query_ids, columns = self.query_ids[measure], self.values[measure].T.tolist()
        values = {
            name: dict(zip(query_ids, column, strict=True)) for name, column in zip(self.systems, columns, strict=True)
        }
        rows = []
        for name, what, problem in self.switches:
            ingredient, to = name.rsplit(" ", 1)
            row: dict[str, Any] = {"ingredient": ingredient, "to": to, "how": what, "problem": problem or None}
            if not problem:
                row |= {"queries": len(query_ids), "before": self.value, "after": self.means[measure][name]}
                row |= pair_data(self.pair(measure, name)) | {"per_query": values[name]}
            rows.append(row)
        setup = {"collection": self.collection, "analyzer": self.analyzer, "model": self.model, "measure": measure}
        counts = self.needs.counts(self.needs or query_ids)
        whole = {"value": self.value, "per_query": values[full], "switches": rows}
        return plain({**setup, **counts, **super().data(), **whole})  # type: ignore[no-any-return]


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
    >>> {name: round(mean, 4) for name, mean in result.means["AP"].items() if name.endswith(("idf off", "on off"))}
    {'idf off': 1.0, 'length normalisation off': 1.0, 'tf saturation off': 1.0}
    """
    expect_seed(seed)
    refuse_documents_first(model, [collection], "ablate('bm25', collection)")
    full, objective = find_model(model), Objective.of(measure)
    paired_test([0.0], test, alpha=alpha)  # refuses a bad test or alpha before the work
    corrected([], correction)
    mean_measures([objective.measure], SIZE)
    if index is not None:
        expect(Index, index=index)
    study = Study.of(collection, queries, qrels).with_index(index, analyzer).with_models([full])
    study, objective = objective.on(study.with_scoring(k=k, threshold=threshold))
    options: dict[str, Any] = {"threshold": study.stated_threshold()}
    judgments, name = study.qrels(), f"full system ({full})"
    runs, evaluations, made = dict[str, Run](), dict[str, Evaluation](), list[Switch]()

    def add(name: str, study: Study, model: Model | Ranker) -> None:
        run = study.with_models([model]).run(model)
        found = evaluate(run, judgments, [objective.measure], **options)
        runs[name], evaluations[name] = run, replace(found, name=name, missing=())  # that finds nothing has 0

    add(name, study, full)
    objective.check(np.array([row[str(objective.measure)] for row in evaluations[name].by_need.values()]))
    planned = [*switches(study, full)]
    for done, switch in enumerate(planned, 1):
        problem = ""
        try:
            with without_notes():
                add(switch.name, *switch.apply(study, full))
        except ToysearchError as reason:
            problem = str(reason)
        made.append(Switch(switch.name, switch.what, problem))
        if progress is not None:
            progress(done, len(planned))
    found = compared(evaluations, name, Procedure(test, correction, alpha, seed), judgments, runs, options)
    of_comparison = {field.name: getattr(found, field.name) for field in fields(found)}
    return Ablation(
        **of_comparison,
        collection=study.judged().name,
        model=str(full),
        analyzer=str(study.analyzer()),
        switches=tuple(made),
    )


def switches(study: Study, model: Model | Ranker) -> Iterator[Variation]:
    """Yield the switches of a system: of its analysis and title, unless its index was given, its model and wrappers."""
    if study.opened() is None:
        yield from _analysis_switches(study)
        yield from _title_switches(study, model)
    if model.is_learned:  # it fits the scores of its own models
        return
    for part in PARTS:
        yield from _part_switch(part, model, study.index())
    for name in dict.fromkeys(part.call for part in parts_of(model) if part.changes_query):
        yield _of_model(f"{name} off", "without what it adds to a query", rebuilt(model, partial(_bare, name)))


def _bare(name: str, part: Any) -> Any:
    return part.inside[0] if part.call == name else part


def _of_model(name: str, what: str, switched: Model | Ranker) -> Variation:
    return Variation(name, what, lambda study, _: (study, switched))


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


def _title_switches(study: Study, model: Model | Ranker) -> Iterator[Variation]:
    def searching(*fields: str) -> Study:
        return study.of_system(System(model, fields=fields))

    def untitled(study: Study) -> Study:
        if not index_needs(model).apart:
            return searching(*others)
        documents = []  # a model that reads the fields one by one needs that of the title, empty
        for document in study.documents():
            text = join(filter(None, map(document.fields.get, others)))
            documents.append(Document(document.doc_id, text, "", {**document.fields, title: ""}))
        return study.with_index(documents=documents)

    collection = study.judged()
    join: Callable[[Iterable[str]], str] = CountedWords.joined if collection.word_counts else JoinedText.joined
    title = collection.reading.title if collection.reading else "title"
    others = [name for name in collection.searched_fields if name != title]
    is_searched = title in collection.searched_fields and title in collection.documents.field_names
    if is_searched and not {*others}.isdisjoint(collection.documents.field_names):
        yield study_variation("title off", f"the field {title} left out", untitled)
    elif not is_searched and any(document.title or document.fields.get(title) for document in collection.documents):
        yield study_variation("title on", "the title added to the text", lambda _: searching(title, *others))


Statistics: TypeAlias = Mapping[str, Any]
"""Statistics passed to the function of a model, by name."""

Change: TypeAlias = Callable[[Model, Index], Model]
"""Returns the model with a part switched, for the statistics of an index."""


class ModelPart(NamedTuple):
    """Part of a model, and how it is switched off, or on."""

    name: str
    is_named: Callable[[Model], bool]  # whether the functions of a model name the statistics of the part
    off: Change
    without: str
    on: Change | None = None  # None: every model has it
    added: str = ""


def _part_switch(part: ModelPart, model: Model | Ranker, index: Index) -> Iterator[Variation]:
    """Switch a part off in all models that have it, or else on in all that can take it."""
    # Some weight changes without it; if none changes either way, the statistics that the model names decide.
    having = [
        one
        for one in filter(part.is_named, model.models)
        if part.on is None or _differ(one, part.off(one, index), index) or not _differ(one, part.on(one, index), index)
    ]
    lacking = [one for one in model.models if part.is_named(one) or part.name != SATURATION]
    change, way, what = (part.off, "off", part.without) if having else (part.on, "on", part.added)
    changed = {one: change(one, index) for one in having or lacking} if change else {}
    if changed:
        yield _of_model(f"{part.name} {way}", what, rebuilt(model, lambda part: changed.get(part, part)))


def _differ(model: Model, other: Model, index: Index) -> bool:
    """True if two models that differ by a part score the documents of the most frequent terms differently, or fail.

    >>> from toysearch.models.bm25 import bm25
    >>> index = Index.build(["a cat", "a cat and a dog"])
    >>> _differ(bm25, bm25.bind(k1=1.2), index), _differ(bm25, bm25.bind(k1=1.3), index)
    (False, True)
    """
    order = np.argsort(-index.df, kind="stable")
    enough = int(np.searchsorted(np.cumsum(index.df[order]), _SAMPLE, side="right")) + 1
    terms = [index.term(number) for number in order[:enough].tolist()]
    try:
        one, two = (
            {hit.doc_id: hit.score for hit in Searcher(index, each).search_terms(terms, None)}
            for each in (model, other)
        )
    except ModelError:
        return True
    return one.keys() != two.keys() or not all(
        math.isclose(score, two[doc_id], rel_tol=1e-9) for doc_id, score in one.items()
    )


class ChangedFunction:
    """Function of a model that gets changed statistics, or whose result is changed."""

    def __init__(
        self,
        function: Callable[..., Any],
        before: Callable[[Statistics], Statistics],
        after: Callable[[Any, Statistics], Any] | None = None,
        names: Iterable[str] = (),
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


def _by_name(model: Model, change: Callable[[str, Any, Statistics], Any]) -> Model:
    """Change the statistics passed to all functions of a model, each by its name and value."""

    def before(statistics: Statistics) -> Statistics:
        own = model.parameters
        return {name: value if name in own else change(name, value, statistics) for name, value in statistics.items()}

    def changed(function: Callable[..., Any]) -> Callable[..., Any]:
        return ChangedFunction(function, before, names=["distinct_q"] if "ql" in names_of(function) else [])

    hooks = {name: changed(function) for name, function in model.hooks.items()}
    return replace(model, function=changed(model.function), hooks=hooks)


def _changed(
    model: Model,
    names: Iterable[str] = (),
    tf: Callable[[Statistics], Any] | None = None,
    weight: Callable[[Any, Statistics], Any] | None = None,
) -> Model:
    """Change the tf that the weight function of a model gets, or its weight; names: the statistics that this takes."""

    def before(statistics: Statistics) -> Statistics:
        return {**statistics, "tf": tf(statistics)} if tf else statistics

    return replace(model, function=ChangedFunction(model.function, before, weight, names))


def _alike(model: Model, index: Index, names: Container[str]) -> Model:
    """Give every term, or every document, the mean of some statistics."""

    def change(name: str, value: Any, _: Statistics) -> Any:
        statistic, field = field_statistic(name) or (name, "")
        if statistic not in names:
            return value
        counts = index.fields.dl(field) if field else getattr(index, statistic.removesuffix("_all"))
        return np.full_like(value, np.mean(counts))

    return _by_name(model, change)


def _names(model: Model, names: Container[str]) -> bool:
    """True if a function of a model names one of some statistics, of a document or of a field."""
    named = {name for function in (model.function, *model.hooks.values()) for name in names_of(function)}
    return any((field_statistic(name) or (name,))[0] in names for name in named - {*model.parameters})


def _is_normed(model: Model) -> bool:
    return "dd" in names_of(model.similarity.function)


def _with_idf(model: Model, index: Index) -> Model:
    return _changed(model, ("df", "N"), weight=lambda weight, of: weight * log(1 + of["N"] / of["df"]))


def _without_length(model: Model, index: Index) -> Model:
    even = _alike(model, index, _LENGTHS)
    if not _is_normed(model):
        return even
    return replace(even, similarity=SIMILARITIES["dot"], similarity_of=None)


def _with_length(model: Model, index: Index) -> Model:
    def length(of: Statistics) -> Any:
        return 1 - B + B * of["dl"] / of["avgdl"]

    if "tf" in names_of(model.function):
        return _changed(model, ("dl", "avgdl"), tf=lambda of: of["tf"] / length(of))
    return _changed(model, ("dl", "avgdl"), weight=lambda weight, of: weight / length(of))


def _without_tf(model: Model, index: Index) -> Model:
    def change(name: str, value: Any, _: Statistics) -> Any:
        is_tf = name == "max_tf" or (field_statistic(name) or (name,))[0] == "tf"
        return np.minimum(value, 1.0) if is_tf else value

    return _by_name(model, change)


def _times_tf(weight: Any, of: Statistics) -> Any:
    return weight * of["tf"]


def _each_once(model: Model, index: Index) -> Model:
    def change(name: str, value: Any, of: Statistics) -> Any:
        if name == "ql":
            return of["distinct_q"]
        return np.ones_like(value) if name in ("qtf", "max_qtf") else value

    once = _by_name(model, change)
    return replace(once, hooks={"query": lambda qtf: np.ones_like(qtf), **once.hooks})


SATURATION = "tf saturation"
PARTS = (
    ModelPart(
        "idf",
        lambda model: _names(model, _FREQUENCIES),
        lambda model, index: _alike(model, index, _FREQUENCIES),
        "every term has the mean df and cf of all terms",
        _with_idf,
        "weights times ln(1 + N/df)",
    ),
    ModelPart(
        "length normalisation",
        lambda model: _names(model, _LENGTHS) or _is_normed(model),
        _without_length,
        "every document has the mean length, and its vector no norm",
        _with_length,
        f"tf, or a weight without tf, over 1 − b + b · dl/avgdl, b = {B}",
    ),
    ModelPart(
        "tf",
        lambda model: _names(model, {"tf"}),
        _without_tf,
        "a term occurs once or not at all",
        lambda model, _: _changed(model, ("tf",), weight=_times_tf),
        "weights times tf",
    ),
    ModelPart(
        SATURATION,
        lambda model: "tf" in names_of(model.function),  # as one number, not field by field
        lambda model, _: _changed(model, tf=lambda of: np.ones_like(of["tf"]), weight=_times_tf),
        "each occurrence of a term counts like the first",
        lambda model, _: _changed(model, tf=lambda of: 1 + log(of["tf"])),
        "1 + ln tf instead of tf",
    ),
    ModelPart("repeated query terms", lambda model: True, _each_once, "each term of a query counts once"),
)
"""Parts of a model, in the order in which they are switched."""
