"""Rankers: models under the calls of the grammar, as one tree: ``0.7*bm25 + 0.3*lsa:100``, ``rm3(bm25, docs=5)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from toysearch.base import ArgumentError, has_no, shortest
from toysearch.models.calls import (
    CALLS,
    DEPTH,
    LEARNED,
    LSA,
    ORDER,
    PIPE,
    PRODUCT,
    QUERY,
    RUN,
    SEARCH,
    SUM,
    WEIGHT,
    Call,
    Setting,
    of_kind,
)
from toysearch.models.model import Model, Range, Value, public_name, value_text
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.prior import Prior

__all__ = ["Ranker"]

ADDED = of_kind(QUERY)
"""Calls that change the terms of a query."""

STAGES = of_kind(ORDER)
"""Calls that re-rank the documents of the ranker inside."""

VECTORS_OF_FILES = ("dense", "impact")
"""Calls for vectors that the user brings in files."""

Part: TypeAlias = "Model | Prior | Ranker"
"""Part of a ranker: a model of term weights, a number of documents, or another ranker."""


@dataclass(frozen=True)
class Ranker:
    """Call around rankers: a sum, a product, a pipeline, a normalisation, feedback, or vectors.

    Parameters
    ----------
    call : str
        The name of the call, such as ``rm3``; ``+``, ``*`` and ``>>`` for what is written between rankers.
    inside : tuple of Model, Prior or Ranker
        Parts in its brackets or beside its operator, in this order; empty for vectors.
    values : tuple
        The values of its settings, in the order of their declaration. A sum has the weights of its parts; a pipeline
        the depths of its stages but the last (None: all documents); vectors of files their file first.
    label : str
        A name of its own in tables: ``new=rm3(bm25)``; "" for none.
    """

    call: str
    inside: tuple[Part, ...] = ()
    values: tuple[Any, ...] = ()
    label: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Write the text that reads back as this tree, or a name of its own."""
        return self.label or _TEXTS.get(self.call, _called)(self)

    __repr__ = __str__

    @property
    def name(self) -> str:
        """Name in messages."""
        return str(self)

    summary = name

    @property
    def is_learned(self) -> bool:
        """True if a function fits the models in it as they are."""
        return self.call == LEARNED

    @property
    def training(self) -> Mapping[str, Any]:
        """Record of the training of a learned ranker; empty for any other."""
        recorded: Mapping[str, Any] = self.values[1].training if self.is_learned else {}
        return recorded

    @property
    def changes_query(self) -> bool:
        """True if it changes the terms of a query."""
        return self.call in ADDED

    @property
    def expands(self) -> bool:
        """True if it adds terms of documents to a query."""
        return "docs" in self.declared

    @property
    def single(self) -> None:
        """None: only a single model has a weight function."""
        return None

    @property
    def models(self) -> tuple[Model, ...]:
        """Models in it, in their order."""
        return tuple(part for part in parts_of(self) if isinstance(part, Model))

    @property
    def fields_of_priors(self) -> tuple[str, ...]:
        """Fields whose numbers it takes, in their order."""
        leaves = (part for part in parts_of(self) if not isinstance(part, Ranker))
        return tuple(name for leaf in leaves for name in leaf.fields_of_priors)

    @property
    def needs_terms(self) -> bool:
        """True if it ranks nothing for a query without a known word: no vectors of files, no ``every(prior:…)``."""
        without_terms = (*VECTORS_OF_FILES, SEARCH, RUN)
        return not self.ranks_every and not any(part.call in without_terms for part in parts_of(self))

    @property
    def ranks_every(self) -> bool:
        """True if a prior in it ranks all documents, also for a query without a known word."""
        return any(isinstance(part, Prior) and part.ranks_every for part in parts_of(self))

    @property
    def products(self) -> tuple[Product, ...]:
        """Products whose sum it is, each a weight times factors."""
        weighed = zip(self.values, self.inside, strict=True) if self.call == SUM else [(1.0, replace(self, label=""))]
        products = ((weight, part.inside if part.call == PRODUCT else (part,)) for weight, part in weighed)
        return tuple(Product(weight, tuple(map(factor_of, factors))) for weight, factors in products)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Stages of a pipeline, in their order."""
        return tuple(Stage(part, depth) for part, depth in zip(self.inside, (*self.values, None), strict=True))

    @cached_property
    def declared(self) -> Mapping[str, Setting]:
        """Own settings: those of its call; the weights of a sum of several, or the depths of a pipeline."""
        if self.call == SUM:
            return {f"weight{n}": WEIGHT for n in range(1, len(self.inside) + 1)}
        if self.call == PIPE:
            return {f"depth{n}": DEPTH for n, depth in enumerate(self.values, 1) if depth is not None}
        if self.call == SEARCH:
            return dict(self.values[0].settings)
        return CALLS[self.call].settings if self.call in CALLS else {}

    @property
    def settings(self) -> dict[str, Any]:
        """Own settings by name, with their values."""
        values = [value for value in self.values if self.call != PIPE or value is not None]
        named = zip(self.declared.items(), values[len(values) - len(self.declared) :], strict=True)
        return {name: setting.default if value is None else value for (name, setting), value in named}

    @cached_property
    def own(self) -> dict[str, Value]:
        """Own settings that are numbers and change a ranking: not the weight of a single part."""
        alone = self.call == SUM and len(self.inside) == 1
        return {} if alone else {name: value for name, value in self.settings.items() if not self.declared[name].words}

    @cached_property
    def parameters(self) -> dict[str, Value]:
        """Own settings, and the parameters inside whose name has one meaning there."""
        return {**self.own, **{name: part.parameters[name] for name, part in self._shared.items()}}

    @property
    def tuned(self) -> dict[str, Value]:
        """Parameters that are tried where none are named: of a sum and of a pipeline only its own."""
        return self.own if self.call in (SUM, PIPE) and self.own else self.parameters

    @cached_property
    def ranges(self) -> Mapping[str, Range]:
        """Range of each parameter; a weight is tried from 0 to 1."""
        own: dict[str, Range] = {
            name: (0.0, 1.0) if setting is WEIGHT else setting.span for name, setting in self.declared.items()
        }
        return {**{name: part.ranges[name] for name, part in self._shared.items() if name in part.ranges}, **own}

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """Part inside that has a parameter, for each name that no other part and no own setting shares."""
        parts = [] if self.call == LEARNED else [part for part in self.inside if part.parameters]
        names = [name for part in parts for name in dict.fromkeys(map(public_name, part.parameters))]
        return {
            name: part
            for part in parts
            for name in part.parameters
            if names.count(public_name(name)) == 1 and public_name(name) not in self.own
        }

    def setting(self, name: str) -> Setting | None:
        """Return the setting of a call that a parameter is; None for a parameter of a model."""
        inside = self._shared.get(name)
        return self.declared.get(name) or (inside.setting(name) if inside else None)

    def bind(self, *places: Any, **values: Any) -> Ranker:
        """Return the ranker with other values of its parameters.

        Parameters
        ----------
        *places
            None: the parameters need names.
        **values
            Its own settings, and the parameters inside that no other part has. In a sum ``weight1``, ``weight2`` …, in
            a pipeline ``depth1`` …, and for ``lsa`` alone ``dimensions``.

        Raises
        ------
        ArgumentError
            If there is no such parameter, or the value is outside its range.

        Examples
        --------
        >>> from toysearch.models.registry import model
        >>> model("rm3(bm25)").bind(docs=5, b=0.4)
        rm3(bm25:b=0.4, docs=5)
        >>> model("0.7*min-max(bm25) + 0.3*min-max(lsa:100)").bind(weight2=0.5)
        0.7*min-max(bm25) + 0.5*min-max(lsa:100)
        >>> model("bm25@100 >> lsa:50").bind(depth1=20), model("mmr(bm25)").bind(b=0.4, lambda_=0.7)
        (bm25@20 >> lsa:50, mmr(bm25:b=0.4, lambda=0.7))
        """
        if not places and not values:
            return self
        names = {public_name(name): name for name in self.parameters}
        if places or not names:
            raise ArgumentError(f"the parameters of '{self}' need names: {', '.join(names) or 'it has none'}")
        own, others = self.settings, dict[int, dict[str, Any]]()
        for typed, value in values.items():
            name = public_name(typed)
            if name not in names:
                raise has_no(str(self), "parameter", typed, names)
            if name in self.own:
                owner = self.call if self.changes_query else self
                own[name] = self.declared[name].value(f"{name} of {owner}", value)
            else:
                others.setdefault(id(self._shared[names[name]]), {})[name] = value
        inside: list[Any] = [*self.inside]
        for place, part in enumerate(inside):
            inside[place] = part.bind(**others[id(part)]) if id(part) in others else part
        return replace(self, inside=tuple(inside), values=self._with(own), label="")

    def _with(self, settings: Mapping[str, Any]) -> tuple[Any, ...]:
        """Change settings among the values; a depth that is not given and a source that is no setting stay."""
        changed = iter(settings.values())
        if self.call == PIPE:
            return tuple(None if depth is None else int(next(changed)) for depth in self.values)
        return (*self.values[: len(self.values) - len(settings)], *changed)


class Stage(NamedTuple):
    """Ranker of a pipeline, and the number of its first documents that the next stage re-ranks; None for all."""

    ranker: Part
    depth: int | None = None

    def __str__(self) -> str:
        return f"{self.ranker}@{self.depth}" if self.depth else str(self.ranker)


class Factor(NamedTuple):
    """Factor in a part of a sum: the scores of a ranker or a prior, normalised, for a changed query."""

    part: Part
    normalisation: str  # "" for none
    inside: Part  # the part without its normalisation
    wrappers: tuple[Ranker, ...]  # they change the terms of the query, outermost first
    scorer: Part  # it scores the changed query

    def __str__(self) -> str:
        return str(self.part)

    @property
    def prior(self) -> Prior | None:
        """Prior of the factor; None if it scores by anything else."""
        return self.scorer if isinstance(self.scorer, Prior) else None


class Product(NamedTuple):
    """Product of a number and factors."""

    weight: float
    factors: tuple[Factor, ...]


def factor_of(part: Part) -> Factor:
    """Take apart a part of a sum.

    >>> from toysearch.models.registry import model
    >>> factor_of(model("min-max(rm3(bm25))"))[1:]
    ('min-max', rm3(bm25), (rm3(bm25),), bm25)
    """
    normalisation, inside, wrappers = "", part, list[Ranker]()
    if part.call in FACTOR_NORMALISATIONS:
        normalisation, [inside] = part.call, part.inside
    scorer = inside
    while scorer.call in ADDED:
        assert isinstance(scorer, Ranker)
        wrappers.append(scorer)
        [scorer] = scorer.inside
    return Factor(part, normalisation, inside, tuple(wrappers), scorer)


def parts_of(ranker: Part) -> Iterator[Part]:
    """Yield a ranker and all that is inside it, from the outside in."""
    yield ranker
    for part in ranker.inside:
        yield from parts_of(part)


def rebuilt(ranker: Part, change: Callable[[Any], Any]) -> Any:
    """Replace each part of a ranker by the result of `change`, the innermost first; a learned one stays as it is.

    >>> from toysearch.models.registry import MODELS, model
    >>> rebuilt(model("0.7*rm3(bm25) + 0.3*dph"), lambda part: MODELS["pl2"] if part == MODELS["bm25"] else part)
    0.7*rm3(pl2) + 0.3*dph
    """
    if ranker.call != LEARNED and isinstance(ranker, Ranker) and ranker.inside:
        ranker = replace(ranker, inside=tuple(rebuilt(part, change) for part in ranker.inside))
    return change(ranker)


ModelLike: TypeAlias = str | Callable[..., Any] | Model | Ranker
"""Ways to give a model: its name or text, a function, a model, a ranker."""


def _sum_text(ranker: Ranker) -> str:
    first, *others = zip(ranker.values, ranker.inside, strict=True)
    signed = (
        f" - {_weighed(-weight, part)}" if weight < 0 else f" + {_weighed(weight, part)}" for weight, part in others
    )
    return "".join([_weighed(*first), *signed])


def _weighed(weight: float, part: Part) -> str:
    return str(part) if weight == 1 else f"{shortest(weight)}*{part}"


def _source_text(ranker: Ranker) -> str:
    """Write ``dense:vectors.npy,queries=queries.npy``, ``lsa:100``, ``learned:FOLDER``, ``mine.py:search:k=2``."""
    source, changed = ranker.values[0], _changed_settings(ranker)
    if ranker.call == SEARCH:
        return ":".join(filter(None, [str(source), ",".join(changed)]))
    if ranker.call == LSA:
        return LSA if source is None else f"{LSA}:{value_text(source)}"
    return ",".join([f"{ranker.call}:{source}", *changed])


def _called(ranker: Ranker) -> str:
    """Write ``rm3(bm25, docs=5)``, with brackets around a ranker whose last parameters are named like settings."""
    text = str(ranker.inside[0])
    if settings_behind(text, ranker.declared)[1]:
        text = f"({text})"
    return f"{ranker.call}({', '.join([text, *_changed_settings(ranker)])})"


def _changed_settings(ranker: Ranker) -> list[str]:
    settings, declared = ranker.settings.items(), ranker.declared
    return [f"{name}={value_text(value)}" for name, value in settings if value != declared[name].default]


_TEXTS: Mapping[str, Callable[[Ranker], str]] = {
    SUM: _sum_text,
    PRODUCT: lambda ranker: PRODUCT.join(map(str, ranker.inside)),
    PIPE: lambda ranker: f" {PIPE} ".join(map(str, ranker.stages)),
    **dict.fromkeys((LSA, *VECTORS_OF_FILES, LEARNED, SEARCH, RUN), _source_text),
}
"""Forms of the calls that are written without brackets."""

_OPERATOR = re.compile(r"(?<![0-9.][eE])[+*]|[,»]|(?<=\s)-(?=\s)")  # not the + of 1e+5, nor the - of a name


def pieces(text: str, operators: str) -> list[str]:
    """Split a text at operators outside brackets into pieces without surrounding blanks.

    >>> pieces("0.5*rm3(bm25, docs=5) + lm-jm:1e+0", "+-")
    ['0.5*rm3(bm25, docs=5)', 'lm-jm:1e+0']
    """
    depth, start, between = 0, 0, []
    places = {match.start() for match in _OPERATOR.finditer(text)}
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign in operators and depth == 0 and place in places:
            between.append(text[start:place].strip())
            start = place + 1
    return [*between, text[start:].strip()]


def settings_behind(text: str, declared: Mapping[str, Setting]) -> tuple[str, dict[str, str]]:
    """Split the text in the brackets of a call into its ranker and the settings behind it, by name.

    >>> settings_behind("bm25:k1=0.9,b=0.4, docs=5", CALLS["rm3"].settings)
    ('bm25:k1=0.9,b=0.4', {'docs': '5'})
    """
    inside, settings = pieces(text, ","), dict[str, str]()
    while len(inside) > 1:
        name, equals, value = (part.strip() for part in inside[-1].partition("="))
        if not equals or name not in declared or name in settings:
            break
        settings[name] = value
        inside.pop()
    return ",".join(inside), dict(reversed(settings.items()))


_WHAT = {
    SUM: "Sum of weighted scores.",
    PRODUCT: "Product of scores.",
    "prior": "Number of a document, not of the query.",
    **{name: (function.__doc__ or "").partition(";")[0] for name, function in FACTOR_NORMALISATIONS.items()},
    **{name: call.summary for name, call in CALLS.items()},
}

COMBINED: dict[str, str] = {
    "W*MODEL + W*MODEL": _WHAT[SUM],
    "MODEL * MODEL": _WHAT[PRODUCT],
    **{f"{name}(MODEL)": _WHAT[name] for name in FACTOR_NORMALISATIONS},
    "rrf(MODEL, MODEL)": "Reciprocal rank fusion, a hybrid: rrf(MODEL) + rrf(MODEL).",
    "prior:FIELD": _WHAT["prior"],
}
"""How models are combined: what is typed → its effect, beside the calls."""


def tree_rows(part: Part, weight: float = 1.0, depth: int = 0) -> Iterator[tuple[int, str, str, str]]:
    """Yield a row for a ranker and each part inside it.

    >>> from toysearch.models.registry import model
    >>> [row[:3] for row in tree_rows(model("2*rm3(dph) + pl2"))][1:3]
    [(1, '  2*rm3(dph)', 'docs=10, terms=30, lambda=0.5, df=0.1'), (2, '    dph', '')]
    """
    own = getattr(part, "settings", part.parameters)
    shown = ", ".join(f"{public_name(name)}={value_text(value)}" for name, value in own.items())
    text = str(part) if weight == 1 else f"{weight:g}*{part}"
    what = part.summary if isinstance(part, Model) else _WHAT[part.call]
    yield depth, "  " * depth + text, shown, what
    weights = part.values if isinstance(part, Ranker) and part.call == SUM else [1.0] * len(part.inside)
    for inside, weight_inside in zip(part.inside, weights, strict=True):
        yield from tree_rows(inside, weight_inside, depth + 1)


def calls_in(ranker: Part) -> list[tuple[Call, dict[str, Any]]]:
    """List the calls in a ranker that have a page, each once, with their settings."""
    called = {part.call: part.settings for part in parts_of(ranker) if isinstance(part, Ranker)}
    return [(CALLS[name], settings) for name, settings in called.items() if name in CALLS]
