"""Cures: changes to a system, each for one property, which can be switched on one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.analyzer_text import variant
from toysearch.analysis.token_filters import stemmers
from toysearch.base.errors import ToysearchError
from toysearch.base.remedies import Remedy
from toysearch.laboratory.experiments.ablation_parts import INGREDIENTS, B, Ingredient, has_ingredient
from toysearch.laboratory.experiments.robustness.tested_system import SystemsUnderTest
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.models.registry import model as find_model

TOPICS = 100
"""The number of latent topics in the mixture with them."""

_IDF, _LENGTH = INGREDIENTS[:2]
_PIVOTED = "smart:weights=Lnu.ltn,slope=0.2"
_ALREADY = "the system has it already"


class Cure(NamedTuple):
    """A change to a system."""

    property: str  # the property that it is for; a key of `PROPERTIES`; "" for the system as it is
    name: str  # a few words
    what: str  # the change, as a sentence
    model: Model | Mixture  # the model of the changed system
    analyzer: Analyzer  # the analysis of the changed system
    corrects: bool = False  # whether queries are corrected before they are searched
    frozen: bool = False  # whether the statistics stay as they were when documents are removed


class NoCure(Exception):
    """A cure that a system cannot have, with the reason; without one if another cure takes its place."""


def cures_of(system: Model | Mixture, bench: SystemsUnderTest, told: Callable[[str, str, str], None]) -> Iterator[Cure]:
    """The cures of a system in the order of the properties; the reason for each missing one goes to `told`."""
    for name, of_property, make in _CURES:
        try:
            what, changed = make(system, bench)
            yield Cure(of_property, name, what, **{"model": system, "analyzer": bench.analyzer, **changed})
        except (NoCure, ToysearchError) as reason:
            if str(reason):
                told(of_property, name, str(reason))


_Made = tuple[str, dict[str, Any]]
_Maker = Callable[["Model | Mixture", SystemsUnderTest], _Made]


def _feedback(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    if str(system).startswith("rm3("):
        raise NoCure(_ALREADY)
    found = find_model(f"rm3({system})")
    return "terms of the first documents are added to the query (relevance feedback, rm3)", {"model": found}


def _latent(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    if "lsa:" in str(system):
        raise NoCure(_ALREADY)
    found = find_model(f"0.7*min-max({system}) + 0.3*min-max(lsa:{TOPICS})")
    return f"mixed with {TOPICS} latent topics, which join words of the same documents", {"model": found}


def _single(system: Model | Mixture) -> Model:
    """The model, if its functions can be changed."""
    if system.single is None:
        raise NoCure("it is for a single model of term weights")
    return system.single


def _switched(ingredient: Ingredient, on: bool, what: str) -> _Maker:
    """A cure that switches a part of a model, which must have it or lack it."""

    def make(system: Model | Mixture, bench: SystemsUnderTest) -> _Made:
        model = _single(system)
        if has_ingredient(ingredient, model, bench.index) is on:
            raise NoCure("" if on else f"the system has no {ingredient.name}")
        assert ingredient.on is not None
        return what, {"model": (ingredient.on if on else ingredient.off)(model, bench.index)}

    return make


def _squared(system: Model | Mixture, bench: SystemsUnderTest) -> _Made:
    model = _single(system)
    if not has_ingredient(_IDF, model, bench.index):
        raise NoCure
    assert _IDF.on is not None
    return "weights are multiplied by ln(1 + N/df) once more", {"model": _IDF.on(model, bench.index)}


def _fewer_words(system: Model | Mixture, bench: SystemsUnderTest) -> _Made:
    if bench.analyzer.stop_name == "iso":
        raise NoCure(_ALREADY)
    return "the stop list stopwords-iso is applied", {"analyzer": variant(bench.analyzer, {"stop": "iso"})}


def _frozen(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    return "N, df, cf and avgdl of the whole collection are kept when documents are removed", {"frozen": True}


def _full_length(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    model = _single(system)
    b = model.parameters.get("b")
    if not b:
        raise NoCure("the model has no parameter b" if b is None else "")
    if b == 1:
        raise NoCure(_ALREADY)
    return "twice the length halves tf: the normalisation is complete", {"model": model.bind(b=1)}


def _pivoted(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    found = find_model(_PIVOTED)
    if str(found) == str(system):
        raise NoCure(_ALREADY)
    return "another model: pivoted normalisation by distinct terms (Singhal et al. 1996)", {"model": found}


def _corrected(system: Model | Mixture, _: SystemsUnderTest) -> _Made:
    remedy = Remedy("toysearch.search.typed_query.tell_spelling", correct=True)
    return f"each query is searched in the spelling that is suggested for it ({remedy})", {"corrects": True}


def _stems(system: Model | Mixture, bench: SystemsUnderTest) -> _Made:
    if bench.analyzer.stem:
        raise NoCure(_ALREADY)
    if bench.language not in stemmers():
        raise NoCure(f"no stemmer is known (language: {bench.language})")
    return "words are reduced to their stems", {"analyzer": variant(bench.analyzer, {"stem": bench.language})}


def _grams(system: Model | Mixture, bench: SystemsUnderTest) -> _Made:
    if bench.analyzer.char_ngrams:
        raise NoCure(_ALREADY)
    what = "words are split into overlapping groups of four letters, without stemming (McNamee & Mayfield 2004)"
    return what, {"analyzer": variant(bench.analyzer, {"stem": "none", "char_ngrams": "4"})}


_CURES: tuple[tuple[str, str, _Maker], ...] = (
    ("relevance feedback", "semantic", _feedback),
    ("latent topics", "semantic", _latent),
    ("idf on", "rare", _switched(_IDF, True, "weights are multiplied by ln(1 + N/df)")),
    ("idf squared", "rare", _squared),
    ("more stop words", "rare", _fewer_words),
    ("statistics frozen", "corpus", _frozen),
    ("idf off", "corpus", _switched(_IDF, False, "every term has the mean df and cf, so that no change moves them")),
    ("length normalisation on", "length", _switched(_LENGTH, True, f"tf / (1 − b + b · dl/avgdl), b = {B}")),
    ("b = 1", "length", _full_length),
    ("pivoted normalisation", "length", _pivoted),
    ("spelling correction", "spelling", _corrected),
    ("stems", "spelling", _stems),
    ("character 4-grams", "spelling", _grams),
)
"""Each cure, the property that it is for, and the function that returns its sentence and its changes to a system."""
