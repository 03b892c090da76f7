"""Grammar of rankers: a text such as ``0.7*rm3(bm25, docs=5) + 0.3*lsa:100`` → its tree.

A ranker is one stage, or several between ``>>``, with a depth behind ``@``. A stage is a sum of products of numbers and
factors. A factor is a call with a ranker in its brackets, vectors, a prior, or a model. The parameters of a model
follow a colon; the settings of a call follow a comma behind the ranker inside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, repeat
from typing import Any, TypeAlias

from toysearch.base import ArgumentError, expect_name, has_no, parse_spec, unknown
from toysearch.files.numbers import finite_number
from toysearch.models.calls import (
    CALLS,
    DENSE,
    DEPTH,
    DIMENSIONS,
    LEARNED,
    LSA,
    PIPE,
    PRODUCT,
    RUN,
    SEARCH,
    SUM,
    Setting,
)
from toysearch.models.formula import FUNCTIONS
from toysearch.models.formula import PREFIX as FORMULA
from toysearch.models.model import Model, public_name
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.prior import EVERY, PREFIX, Prior
from toysearch.models.rankers import (
    ADDED,
    STAGES,
    VECTORS_OF_FILES,
    Part,
    Ranker,
    factor_of,
    parts_of,
    pieces,
    rebuilt,
    settings_behind,
)

Leaf: TypeAlias = Callable[[str], Any]
"""Function that makes the model of a text without operators, brackets and vectors, such as a name with parameters."""

_LONGEST = 20_000  # characters
_DEEPEST = 20  # brackets inside each other
_MOST_STAGES = 3  # re-ranking calls inside each other: xquad asks the ranker inside for each term of a query
_PIPE_SIGN = "»"  # the pipe as one character
_CALL = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*)\((?P<inside>.*)\)\Z", re.DOTALL)
_BARE = re.compile(
    rf"(?P<name>{'|'.join((*ADDED, *STAGES))})(?P<inside>\(.*\))?\s*(?::(?P<settings>[^()]*))?", re.I | re.S
)
_DEPTH = re.compile(r"(?P<model>.+?)\s*@\s*(?P<depth>[^@/\\()]*)\Z", re.DOTALL)
_BEHIND = re.compile(r"(?P<ranker>.*\))\s*:(?P<settings>[^()]*)", re.DOTALL)
_HEAD = re.compile(r".+?\.py:[A-Za-z_]\w*|[^:,]*")  # a model without its parameters
_MODEL = re.compile(r"[A-Za-z][^=:]*(:|\(|\Z)")  # the beginning of a model, not of its parameter b=0.4
_IN_FILE = re.compile(r"\.py:")
_USUAL = "bm25"  # the ranker inside a call that names none


def read(text: str, leaf: Leaf, *, prior: bool = False) -> Any:
    """Read the ranker of a text, in which `leaf` makes the models; `prior`: true if it may be a prior alone.

    >>> from toysearch.models.registry import model
    >>> read("0.7*rm3(bm25, docs=5) + 0.3*lsa:100", model).inside
    (rm3(bm25, docs=5), lsa:100)
    """
    if not text.strip():
        raise ArgumentError(f"'{text}' names no model; an example: bm25:b=0.4")
    depths = [*accumulate((sign == "(") - (sign == ")") for sign in text)]
    if len(text) > _LONGEST:
        raise ArgumentError(f"a model has at most {_LONGEST:,} characters, not {len(text):,}")
    if max(depths, default=0) > _DEEPEST:
        raise ArgumentError(f"a model has at most {_DEEPEST} brackets inside each other, not {max(depths)}")
    if depths and (depths[-1] or min(depths) < 0):
        what = "is not closed" if depths[-1] > 0 else "closes nothing"
        raise ArgumentError(f"'{text}': a bracket {what}; an example: rm3(bm25)")
    reader = _Reader(text, leaf)
    ranker = reader.ranker(text, prior=prior)
    if reader.misplaced:
        right = rebuilt(ranker, lambda part: replace(part, label=reader.typed[part]) if part in reader.typed else part)
        raise ArgumentError(f"'{text}': settings of a model follow a colon, those of a call a comma; write {right}")
    return ranker


@dataclass
class _Reader:
    text: str
    leaf: Leaf
    misplaced: bool = False  # true if settings stand where they were not looked for
    typed: dict[Any, str] = field(default_factory=dict)  # the texts of models in files, whose names do not say where

    def ranker(self, text: str, *, prior: bool = False) -> Part:
        stages = pieces(text.replace(PIPE, _PIPE_SIGN), _PIPE_SIGN)
        if len(stages) == 1:
            return self.sum(text.strip(), prior=prior)
        if not all(stages):
            raise ArgumentError(f"'{text}': a stage is missing beside {PIPE}; an example: bm25@100 {PIPE} lsa:100")
        if _DEPTH.match(stages[-1]):
            raise ArgumentError(
                f"'{text}': @ says how many documents the next stage re-ranks, and no stage follows {stages[-1]}"
            )
        typed = [_DEPTH.match(stage) for stage in stages[:-1]]
        depths = [stage and int(DEPTH.value(f"'{stage[0]}': the number after @", stage["depth"])) for stage in typed]
        texts = [stage["model"] if stage else whole for stage, whole in zip(typed, stages, strict=False)]
        return Ranker(PIPE, tuple(self.sum(stage) for stage in (*texts, stages[-1])), tuple(depths))

    def sum(self, text: str, *, prior: bool = False) -> Part:
        """Read products with weights; a formula to the end, and ``rrf(a, b)``, which is rrf(a) + rrf(b)."""
        if text.startswith(FORMULA):
            model: Part = self.leaf(text)
            return model
        weights, parts = list[float](), list[Part]()
        signed = chain.from_iterable(
            zip(chain([1.0], repeat(-1.0)), pieces(added, "-"), strict=False) for added in pieces(text, "+")
        )
        for sign, piece in signed:
            for product in _products(piece):
                weight, part = self.product(text, product, sign)
                weights.append(weight)
                parts.append(part)
        alone = weights == [1.0] and (prior or not isinstance(parts[0], Prior))
        ranker = parts[0] if alone else Ranker(SUM, tuple(parts), tuple(weights))
        leaves = [leaf for leaf in parts_of(ranker) if not leaf.inside]
        if not prior and all(isinstance(leaf, Prior) and not leaf.ranks_every for leaf in leaves):
            raise ArgumentError(
                f"'{text}' has no model, only a prior; an example: bm25 + 0.1*{PREFIX}year, or {EVERY}({PREFIX}year) "
                "to rank all documents by it"
            )
        return ranker

    def product(self, text: str, piece: str, weight: float) -> tuple[float, Part]:
        factors = []
        for each in pieces(piece, "*"):
            number = finite_number(each)
            if number is not None:
                weight *= number
            elif each:
                factors.append(self.factor(each))
            else:
                raise ArgumentError(f"'{text}': a part is missing beside +, - or *; an example: 0.7*bm25 + 0.3*tfidf")
        if not factors:
            raise ArgumentError(f"'{text}': {piece.strip()} is a number without a model, which would change no ranking")
        if not math.isfinite(weight):
            raise ArgumentError(f"'{text}': the weight {weight} is not finite")
        return weight, Ranker(PRODUCT, tuple(factors)) if factors[1:] else factors[0]

    def factor(self, text: str) -> Part:
        if bare := _BARE.fullmatch(text):
            self.misplaced |= bare["settings"] is not None
            return self.call(bare["name"].lower(), (bare["inside"] or f"({_USUAL})")[1:-1], bare["settings"] or "")
        if called := _CALL.match(text):
            return self._bracketed(text, called["name"].lower(), called["inside"].strip(), called["name"])
        if text.startswith("("):
            raise ArgumentError(
                f"'{text}': brackets stand around what a call takes, as in min-max(bm25), and nowhere else; give each "
                "model its own weight"
            )
        if text.startswith(PREFIX):
            if text == PREFIX:
                raise ArgumentError(f"'{text}' names no field and no file; an example: {PREFIX}year")
            return Prior(text.removeprefix(PREFIX))
        model: Part = _vectors(text) or self.leaf(text)
        if _IN_FILE.search(text):
            self.typed[model] = text
        return model

    def _bracketed(self, text: str, name: str, inside: str, typed: str) -> Part:
        """Read a normalisation, a function of priors, or every(prior:…)."""
        if name in FACTOR_NORMALISATIONS:
            ranker = self.ranker(inside, prior=True)
            if ranker.call in FACTOR_NORMALISATIONS:
                raise ArgumentError(f"'{text}': {name} takes a model that is not normalised, as in min-max(bm25)")
            return Ranker(name, (ranker,))
        if name == EVERY:
            if not isinstance(prior := self.ranker(inside, prior=True), Prior):
                raise ArgumentError(f"'{text}': {EVERY} takes a prior, as in {EVERY}({PREFIX}year)")
            return replace(prior, ranks_every=True)
        if name not in FUNCTIONS:
            names = [EVERY, *FUNCTIONS, *FACTOR_NORMALISATIONS, *(ADDED + STAGES)]
            try:
                self.leaf(typed)
            except ArgumentError:
                raise unknown("function or wrapper", typed, names, "functions and wrappers") from None
            raise ArgumentError(f"'{text}': parameters of a model follow a colon: {name}:{inside}")
        if not (prior := Prior(text)).sources:
            raise ArgumentError(f"'{text}': {name} takes a prior, as in {name}({PREFIX}year)")
        return prior

    def call(self, name: str, text: str, behind: str) -> Ranker:
        declared, shown = CALLS[name].settings, f"{name}({text.strip()})"
        inside, typed = settings_behind(text, declared)
        inside, moved = self._moved(name, inside, declared)
        later = dict(_setting(name, piece, declared) for piece in pieces(behind, ",")) if behind else {}
        if twice := typed.keys() & moved | (typed.keys() | moved) & later.keys():
            raise ArgumentError(f"'{shown}' gives {min(twice)} twice")
        if not inside:
            raise ArgumentError(f"'{shown}': expected a model in the brackets, as in {name}(bm25)")
        given = typed | moved | later
        values = tuple(
            setting.value(f"'{shown}': {key}", given[key]) if key in given else setting.default
            for key, setting in declared.items()
        )
        whole = inside.startswith("(") and inside.endswith(")")
        ranker = self.ranker(inside[1:-1] if whole else inside)
        if name in ADDED:
            _check_terms(shown, name, ranker)
        elif _nested(ranker) >= _MOST_STAGES:
            listed = ", ".join(STAGES)
            raise ArgumentError(f"'{shown}': at most {_MOST_STAGES} of {listed} stand inside each other")
        return Ranker(name, (ranker,), values)

    def _moved(self, call: str, text: str, declared: Mapping[str, Setting]) -> tuple[str, dict[str, str]]:
        """Take misplaced settings of the call out of the text of the ranker inside; return that text and them."""
        if text.startswith((FORMULA, PREFIX)):
            return text, {}
        if behind := _BEHIND.fullmatch(text):  # rm3(sdm(bm25):docs=5)
            self.misplaced = True
            return behind["ranker"], dict(_setting(call, piece, declared) for piece in pieces(behind["settings"], ","))
        head = str(_HEAD.match(text)[0])  # type: ignore[index]
        if "(" in text or not text[len(head) :] or head in CALLS:
            return text, {}
        if len(pieces(text.replace(PIPE, _PIPE_SIGN), f"+*-{_PIPE_SIGN}")) > 1:
            return text, {}
        model = self.leaf(head)
        known = [*map(public_name, model.parameters)] if text[len(head)] == ":" else []
        rest, moved, kept = pieces(text[len(head) + 1 :], ","), dict[str, str](), list[str]()
        for piece in rest:
            name, equals, value = _named_value(piece)
            if equals and name in declared and name not in known:  # rm3(bm25:docs=5)
                moved[name] = value
                self.misplaced = True
            else:
                kept.append(piece)
        if text[len(head)] == "," and kept:  # rm3(bm25, b=0.4)
            name = kept[0].partition("=")[0].strip()
            if name not in map(public_name, model.parameters):
                raise has_no(call, "parameter", name, declared)
            self.misplaced = True
        return f"{head}:{','.join(kept)}" if kept else head, moved


def _named_value(piece: str) -> list[str]:
    return [*map(str.strip, piece.partition("="))]


def _setting(call: str, piece: str, declared: Mapping[str, Setting]) -> tuple[str, str]:
    name, _, value = _named_value(piece)
    if name not in declared:
        raise has_no(call, "parameter", name, declared)
    return name, value


def _check_terms(shown: str, name: str, ranker: Part) -> None:
    """Refuse a ranker without terms that a query could be given, and an expansion of an expansion."""
    factor = factor_of(ranker)
    if factor.normalisation or ranker.call in (SUM, PRODUCT) or isinstance(ranker, Prior):
        raise ArgumentError(f"'{shown}': {name} takes one model, as in {name}(bm25)")
    if any(other.call == name for other in factor.wrappers):
        raise ArgumentError(f"'{shown}': {name} inside {name} would do the same twice; write it once")
    expanding = [other.call for other in factor.wrappers if "docs" in other.declared]
    if expanding and "docs" in CALLS[name].settings:
        raise ArgumentError(f"'{shown}': a query is expanded once; take {name} or {expanding[0]}")
    if isinstance(factor.scorer, Model):
        return
    reason = _NO_TERMS.get(factor.scorer.call, "has no terms of its own; put it around a model inside")
    raise ArgumentError(f"'{shown}': {name} changes the terms of a query, and {factor.scorer} {reason}")


_NO_TERMS = {
    **dict.fromkeys((LSA, *VECTORS_OF_FILES), "ranks by vectors"),
    LEARNED: "fits its models as they are",
    SEARCH: "gets the text of a query",
    RUN: "ranks as its file does",
}


def _nested(ranker: Part) -> int:
    return (ranker.call in STAGES) + max(map(_nested, ranker.inside), default=0)


def _products(piece: str) -> list[str]:
    """Return a product, or one for each model of its ``rrf(a, b)``."""
    factors = pieces(piece, "*")
    for place, factor in enumerate(factors):
        called = _CALL.match(factor)
        models = _models_in(called["inside"]) if called and called["name"].lower() == "rrf" else []
        if models[1:]:
            before, behind = factors[:place], factors[place + 1 :]
            return [product for model in models for product in _products("*".join([*before, f"rrf({model})", *behind]))]
    return [piece]


def _models_in(text: str) -> list[str]:
    """Split a list of models; the parameters of a model follow it after commas too."""
    models: list[str] = []
    for piece in pieces(text, ","):
        if models and not _MODEL.match(piece):
            models[-1] += f",{piece}"
        else:
            models.append(piece)
    return models


def _vectors(text: str) -> Ranker | None:
    """Read vectors, ``lsa:100`` or ``dense:FILE,queries=FILE``, or ``run:FILE``; None if the text names a model.

    >>> _vectors("lsa:100"), _vectors("dense:a.npy,queries=b.npy"), _vectors("run:a.run"), _vectors("bm25")
    (lsa:100, dense:a.npy,queries=b.npy, run:a.run, None)
    """
    name, _, rest = text.strip().partition(":")
    if name == LSA:
        return Ranker(LSA, (), (_topics(text, rest),))
    return Ranker(name, (), _of_files(text, name, rest)) if name in (*VECTORS_OF_FILES, RUN) else None


def _topics(text: str, rest: str) -> float | None:
    if not rest:
        return None
    spec, [(name, setting)] = parse_spec(text), CALLS[LSA].settings.items()
    if other := next((key for key in spec.parameters if key != name), None):
        raise ArgumentError(f"{LSA} has no parameter '{other}', only {name}, as in {LSA}:{DIMENSIONS}")
    values = [*spec.values, *spec.parameters.values()]
    if len(values) > 1:
        raise ArgumentError(f"'{text}' has too many values; an example: {LSA}:{DIMENSIONS}")
    digits = values[0] if values[0].isdecimal() else ""
    return float(setting.value(f"'{text}': {name}", digits, f", as in {LSA}:{DIMENSIONS}"))


def _of_files(text: str, kind: str, rest: str) -> tuple[str, ...]:
    declared, example = CALLS[kind].settings, CALLS[kind].example
    source, *options = (part.strip() for part in rest.split(","))
    if not source:
        what = "file" if kind == RUN else "file of vectors"
        raise ArgumentError(f"'{text}' names no {what}; an example: {example}")
    values: dict[str, str] = {}
    for option in options:
        name, equals, value = _named_value(option)
        if not (equals and value):
            raise ArgumentError(f"'{text}': '{option}' is not of the form key=value; an example: {example}")
        if name not in declared:
            raise has_no(kind, "option", name, declared)
        if name in values:
            raise ArgumentError(f"'{text}' gives {name} twice")
        values[name] = value
    if kind == DENSE:
        expect_name("similarity", values.get("similarity", "cosine"), ("cosine", "dot"), "similarities")
    return (source, *(values.get(name, str(setting.default)) for name, setting in declared.items()))
