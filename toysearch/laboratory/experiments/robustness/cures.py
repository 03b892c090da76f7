"""Cures: variations of a system, each for one property, with their gain, their cost elsewhere, time and size."""

from __future__ import annotations

import functools
import math
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import variant
from toysearch.analysis.token_filters import stemmers
from toysearch.base import ToysearchError
from toysearch.index.inverted_index import Index
from toysearch.laboratory.effects import (
    Effect,
    Example,
    NotPossible,
    PerQuery,
    Quantity,
    Variation,
    effect,
    effects,
    model_variation,
    refused,
    study_variation,
)
from toysearch.laboratory.experiments.ablation import IDF, LENGTH, B, with_idf
from toysearch.laboratory.experiments.robustness.alterations import (
    CORRECTION,
    StudiedSystems,
    corrected_queries,
    correction,
    documents_removed,
)
from toysearch.laboratory.experiments.stats.significance import Procedure
from toysearch.laboratory.study import Study
from toysearch.models import Mixture, Model
from toysearch.models.registry import model as find_model
from toysearch.search import Searcher

TOPICS = 100
"""The number of latent topics in the mixture with them."""

FIRST = 10
"""The number of first documents that are compared before and after a change of the collection."""

REMOVED = 50
"""The share of the documents that are removed, in per cent."""

KEPT = f"share of the first {FIRST} kept"
"""The name of what is measured of a changing collection."""

ALL = "all"
"""The name of the effect over all queries as they are."""

LATENT = "latent topics"
_PIVOTED = "smart:weights=Lnu.ltn,slope=0.2"
_ALREADY = "the system has it already"
_REPEATS = 3  # timings, of which the fastest counts
_LONG = 2.0  # seconds after which a timing is not repeated

HOLM = Procedure("t", "holm", 0.05, 0)
"""Student's paired t test, corrected by Holm over the cures of a system."""

AS_IT_IS = Variation("", "", lambda study, model: (study, model))
"""The system as it is."""


class CuredSystem(NamedTuple):
    """A system as it is or with one cure: what it has on each property, and its cost."""

    system: str  # the model
    property: str  # the property that the cure is for; "" for the system as it is
    cure: str  # the name of the cure; "" for the system as it is
    what: str  # the change, as a sentence
    # "all" (the queries as they are) or a property → the effect of the cure on the system there; p is corrected by Holm
    # over the cures of the system
    effects: dict[str, Effect]
    milliseconds: float  # per query, in one thread, the fastest of three passes over all queries
    index_bytes: int  # the size of the saved index, without stored texts


def cures_of(study: Study, language: str, frozen: Study) -> list[tuple[str, Variation]]:
    """Each cure with the property that it is for."""
    idf_off, idf_on = IDF
    iso = "the stop list stopwords-iso is applied"
    feedback = "terms of the first documents are added to the query (relevance feedback, rm3)"
    latent = f"mixed with {TOPICS} latent topics, which join words of the same documents"
    keeps = "N, df, cf and avgdl of the whole collection are kept when documents are removed"
    grams = "words are split into overlapping groups of four letters, without stemming (McNamee & Mayfield 2004)"
    pivoted = "another model: pivoted normalisation by distinct terms (Singhal et al. 1996)"
    no_stems = f"no stemmer is known (language: {language})"
    analyzer = study.analyzer
    return [
        ("semantic", _composed("relevance feedback", feedback, "rm3({})", "rm3(")),
        ("semantic", _composed(LATENT, latent, f"0.7*min-max({{}}) + 0.3*min-max(lsa:{TOPICS})", "lsa:")),
        ("rare", _switch("idf on", "weights are multiplied by ln(1 + N/df)", idf_on)),
        ("rare", model_variation("idf squared", "weights are multiplied by ln(1 + N/df) once more", _squared)),
        (
            "rare",
            _analysis("more stop words", iso, analyzer.stop_name == "iso", stop="iso"),
        ),
        ("corpus", study_variation("statistics frozen", keeps, lambda _: frozen)),
        ("corpus", _switch("idf off", "every term has the mean df and cf, so that no change moves them", idf_off)),
        ("length", _switch("length normalisation on", f"tf / (1 − b + b · dl/avgdl), b = {B}", LENGTH[1])),
        ("length", model_variation("b = 1", "twice the length halves tf: the normalisation is complete", _full_length)),
        ("length", model_variation("pivoted normalisation", pivoted, _pivoted)),
        ("spelling", correction()),
        (
            "spelling",
            _analysis("stems", "words are reduced to their stems", analyzer.stem, stem=language)
            if analyzer.stem or language in stemmers()
            else refused("stems", no_stems),
        ),
        (
            "spelling",
            _analysis("character 4-grams", grams, analyzer.char_ngrams, stem="none", char_ngrams="4"),
        ),
    ]


def _analysis(name: str, what: str, has: object, **choices: str) -> Variation:
    """The cure by another analysis, of a system that lacks it."""
    if has:
        return refused(name, _ALREADY)
    return study_variation(name, what, lambda study: study.with_(analyzer=variant(study.analyzer, choices)))


def _composed(name: str, what: str, form: str, part: str) -> Variation:
    """The cure by a model that contains the model of the system, if it lacks the part already."""

    def changed(study: Study, model: Model | Mixture) -> Model | Mixture:
        if str(model).startswith(part) if form.startswith(part) else part in str(model):
            raise NotPossible(_ALREADY)
        return find_model(form.format(model))

    return model_variation(name, what, changed)


def _single(model: Model | Mixture) -> Model:
    """The model, if its functions can be changed."""
    if model.single is None:
        raise NotPossible("it is for a single model of term weights")
    return model.single


def _switch(name: str, what: str, switch: Variation) -> Variation:
    """The cure that switches a part of a model, which must have it or lack it."""
    return Variation(name, what, lambda study, model: switch.apply(study, _single(model)))


def _squared(study: Study, model: Model | Mixture) -> Model | Mixture:
    model = _single(model)
    IDF[0].apply(study, model)  # refuses a system without idf, for which idf can be switched on instead
    return with_idf(model, study.index)


def _full_length(study: Study, model: Model | Mixture) -> Model | Mixture:
    b = _single(model).parameters.get("b")
    if not b or b == 1:
        raise NotPossible("the model has no parameter b" if b is None else _ALREADY if b else "")
    return model.bind(b=1)


def _pivoted(study: Study, model: Model | Mixture) -> Model | Mixture:
    pivoted = find_model(_PIVOTED)
    if str(pivoted) == str(model):
        raise NotPossible(_ALREADY)
    return pivoted


def cured_systems(
    studied: StudiedSystems, alterations: Mapping[str, Variation], progress: Callable[[int], object] | None = None
) -> tuple[list[CuredSystem], list[tuple[str, str, str]]]:
    """Each system as it is and with its cures, under an alteration for each property; and the cures it cannot have.

    alterations: property → the alteration of the input; the documents of a changing corpus are removed here
    """
    [quantity] = studied.quantities
    frozen = studied.study.with_()
    quantities = {ALL: quantity} | dict.fromkeys(alterations, quantity) | {"corpus": stability(studied, frozen)}
    cures = [cure for cure in cures_of(studied.study, studied.language, frozen) if cure[0] in alterations]
    rows: list[CuredSystem] = []
    missing = []
    sizes: dict[tuple[Index, bool], int] = {}
    for system, model in studied.models.items():
        possible = [("", AS_IT_IS)]
        for of_property, cure in cures:
            try:
                cure.apply(studied.study, model)
                possible.append((of_property, cure))
            except ToysearchError as reason:
                several = f", {system}" if len(studied.models) > 1 else ""
                missing += [(of_property, f"{cure.name}{several}", str(reason))] if str(reason) else []
        measured: dict[str, dict[str, Effect]] = {}
        for name, alteration in {ALL: AS_IT_IS, **alterations}.items():
            variations = [_cure_of_altered(alteration, cure) for _, cure in possible[1:]]
            effects_here = effects(studied.study, {system: model}, variations, [quantities[name]], HOLM)
            values = quantities[name].values(*alteration.apply(studied.study, model))
            if quantities[name].name == KEPT:  # documents that are removed leave a share of 1
                before: Mapping[str, float] = dict.fromkeys(values, 1.0)
            else:
                before = quantities[name].values(studied.study, model)
            without = effect(system, alteration, quantities[name], [before, values])
            plain = without[0] if without else Effect(system, alteration.name, quantities[name].name)
            measured[name] = {"": plain} | {row.variation: row for row in effects_here}
        for of_property, cure in possible:
            study, cured = cure.apply(studied.study, model)
            is_latent = cure.name == LATENT
            if (study.index, is_latent) not in sizes:
                sizes[study.index, is_latent] = _index_bytes(study, **{"lsa": TOPICS} if is_latent else {})
            here = {name: by_cure[cure.name] for name, by_cure in measured.items()}
            corrects = cure.name == CORRECTION
            milliseconds = _milliseconds(studied.study if corrects else study, cured, corrects)
            size = sizes[study.index, is_latent]
            rows.append(CuredSystem(system, of_property, cure.name, cure.what, here, milliseconds, size))
            if progress:
                progress(len(rows))
    return rows, missing


def _cure_of_altered(alteration: Variation, cure: Variation) -> Variation:
    """A cure of an altered system. Queries are corrected as they are altered; all else is cured first."""
    first, then = (alteration, cure) if cure.name == CORRECTION else (cure, alteration)
    return cure._replace(apply=lambda study, model: then.apply(*first.apply(study, model)), against=alteration)


def removal(studied: StudiedSystems) -> Variation:
    """The removal of documents from a changing corpus, which `stability` does."""
    documents, gone = studied.study.documents, documents_removed(studied, REMOVED)
    if len(documents) < 2:
        return refused("documents removed", "there is only one document")
    first = next(document for document in documents if document.doc_id in gone)
    what = f"{len(gone):,} of {len(documents):,} documents are removed"
    return Variation("documents removed", what, AS_IT_IS.apply, Example(f"document {first.doc_id}", first.text, ""))


def stability(studied: StudiedSystems, frozen: Study) -> Quantity:
    """The share of the first remaining documents that are first after a removal too; nan if there are none.

    frozen : the study whose statistics stay as they are when documents are removed
    """
    gone = documents_removed(studied, REMOVED)
    without_gone = functools.cache(lambda index: index.delete(gone))

    def values(study: Study, model: Model | Mixture) -> PerQuery:
        run = Searcher(study.index, model).run(study.queries, FIRST + len(gone))
        after = run if study is frozen else Searcher(without_gone(study.index), model).run(study.queries, FIRST)
        shares = {}
        for query_id, _ in study.queries:
            first, now = (
                [doc_id for doc_id in ranked.doc_ids_of(query_id) if doc_id not in gone][:FIRST]
                for ranked in (run, after)
            )
            shares[query_id] = len({*first} & {*now}) / len(first) if first else math.nan
        return shares

    return Quantity(KEPT, values)


def _index_bytes(study: Study, **more: Any) -> int:
    """The size of the saved index in bytes, without texts."""
    settings: Any = {"fields": study.fields, "values": study.needs.values, "store_text": False}
    index = Index.build(study.documents, study.analyzer, **settings, **more)
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        return sum(file.stat().st_size for file in (Path(folder) / "index").rglob("*") if file.is_file())


def _milliseconds(study: Study, model: Model | Mixture, corrects: bool) -> float:
    """The time per query; the queries are corrected within it if the cure does so."""
    best = math.inf
    for _ in range(_REPEATS):
        study.index.memo.clear()  # a query is corrected once
        started = perf_counter()
        queries = corrected_queries(study.index, study.queries) if corrects else study.queries
        Searcher(study.index, model).run(queries, study.k, threads=1)
        best = min(best, perf_counter() - started)
        if best > _LONG:
            break
    return 1000 * best / len(study.queries)
