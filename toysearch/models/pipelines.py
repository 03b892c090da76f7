"""Pipelines: rankers that re-rank the first documents of others: ``bm25@1000 >> lsa:200``, ``mmr(bm25)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, has_no
from toysearch.models import (
    CALL,
    OPERATORS,
    STAGES,
    Mixture,
    Model,
    Range,
    Value,
    WrapperParameter,
    products_of,
    public_name,
    split,
    value_text,
)

PIPE = ">>"
_SIGN = "»"  # the pipe as one character
_DEPTH = r"(?s)(?P<model>.+?)\s*@\s*(?P<depth>[^@/\\()]*)\Z"
_SHORT = re.compile(
    rf"(?P<name>{'|'.join(STAGES)})(?P<inside>\(.*\))?(?:\s*:(?P<settings>[^()]*))?", re.DOTALL | re.IGNORECASE
)
_DEPTHS = WrapperParameter(0, 1, whole=True)


class Stage(NamedTuple):
    """A ranker, and how many of its first documents the next stage re-ranks; None for all."""

    ranker: Model | Mixture
    depth: int | None = None

    def __str__(self) -> str:
        return f"{self.ranker}@{self.depth}" if self.depth else str(self.ranker)


@dataclass(frozen=True)
class Pipeline(Mixture):
    """Rankers in stages, or one of them changed by what `STAGES` names: ``mmr(bm25)``; ``products``: of all of them."""

    stages: tuple[Stage, ...] = ()
    kind: str = PIPE
    values: tuple[float, ...] = ()  # of the parameters that STAGES declares, in their order

    def __str__(self) -> str:
        if self.label or self.kind == PIPE:
            return self.label or f" {PIPE} ".join(map(str, self.stages))
        changed = [
            f", {name}={value_text(value)}"
            for (name, declared), value in zip(self.declared.items(), self.values, strict=True)
            if value != declared.default
        ]
        return f"{self.kind}({self.stages[0].ranker}{''.join(changed)})"

    __repr__ = __str__

    @property
    def declared(self) -> Mapping[str, WrapperParameter]:
        """Its own parameters: the depths of its stages, or those of its kind."""
        depths = {f"depth{n}": _DEPTHS for n, stage in enumerate(self.stages, 1) if stage.depth}
        return depths if self.kind == PIPE else STAGES[self.kind]

    @property
    def only(self) -> None:
        """None: no factor is all there is."""
        return

    @property
    def latent(self) -> None:
        """None: topics are not all there is."""
        return

    @property
    def parameters(self) -> Mapping[str, Value]:
        """Its own parameters, and those of the ranker inside brackets."""
        depths = tuple(float(stage.depth) for stage in self.stages if stage.depth)
        own = dict(zip(self.declared, depths if self.kind == PIPE else self.values, strict=True))
        inside = {} if self.kind == PIPE else self.stages[0].ranker.parameters
        return {**own, **{name: value for name, value in inside.items() if public_name(name) not in own}}

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The range of each parameter."""
        own: dict[str, Range] = {name: (parameter.low, parameter.high) for name, parameter in self.declared.items()}
        return {**({} if self.kind == PIPE else self.stages[0].ranker.ranges), **own}

    def takes_whole(self, name: str) -> bool:
        """Whether a parameter takes whole numbers only."""
        if name in self.declared:
            return self.declared[name].whole
        inside = self.stages[0].ranker
        return isinstance(inside, Mixture) and inside.takes_whole(name)

    def bind(self, *places: Any, **values: Any) -> Pipeline:
        """The pipeline with other values of its parameters: depth1, depth2 …; in brackets also those of the model.

        >>> from toysearch.models.registry import model
        >>> model("bm25@100 >> lsa:50").bind(depth1=20), model("mmr(bm25)").bind(b=0.4, lambda_=0.7)
        (bm25@20 >> lsa:50, mmr(bm25:b=0.4, lambda=0.7))
        """
        if places:
            raise ArgumentError(f"the parameters of '{self}' need names: {', '.join(self.parameters)}")
        names = {public_name(name) for name in self.parameters}
        own, inside = {**self.parameters}, {}
        for name, value in values.items():
            if public_name(name) not in names:
                raise has_no(str(self), "parameter", public_name(name), sorted(names))
            if parameter := self.declared.get(public_name(name)):
                own[public_name(name)] = parameter.value(f"{public_name(name)} of {self}", value)
            else:
                inside[public_name(name)] = value
        if self.kind != PIPE:
            numbers: Any = tuple(own[name] for name in self.declared)
            return piped([Stage(self.stages[0].ranker.bind(**inside))], self.kind, numbers)
        depths: Any = own
        stages = enumerate(self.stages, 1)
        return piped([stage._replace(depth=stage.depth and int(depths[f"depth{n}"])) for n, stage in stages])

    def mapped(self, change: Callable[[Model | Mixture], Model | Mixture]) -> Pipeline:
        """The pipeline with its rankers changed."""
        stages = [stage._replace(ranker=change(stage.ranker)) for stage in self.stages]
        return replace(piped(stages, self.kind, self.values), label=self.label)

    def without_wrapper(self, name: str) -> Pipeline:
        """The pipeline with the wrappers of a name taken off its rankers."""
        return self.mapped(lambda ranker: ranker.without_wrapper(name) if isinstance(ranker, Mixture) else ranker)

    def replaced(self, changes: Mapping[Any, Model]) -> Pipeline:
        """The pipeline with some models replaced."""
        return self.mapped(lambda ranker: ranker.replaced(changes))


def piped(stages: list[Stage], kind: str = PIPE, values: tuple[float, ...] = ()) -> Pipeline:
    """The pipeline of some stages."""
    return Pipeline(products_of(stage.ranker for stage in stages), "", tuple(stages), kind, values)


def is_pipeline(text: str) -> bool:
    """Whether a text describes a pipeline: it has >> outside brackets, or brackets after a name of `STAGES`.

    >>> is_pipeline("bm25 >> lsa"), is_pipeline("mmr(bm25)"), is_pipeline("0.5*mmr(bm25) + dph")
    (True, True, False)
    """
    called = CALL.match(_bracketed(text))
    is_called = called is not None and called["name"].lower() in STAGES and len(split(text, OPERATORS)) == 1
    return is_called or len(_stages(text)) > 1


def _bracketed(text: str) -> str:
    """A text as it is written in full: mmr is mmr(bm25), and mmr(dph):lambda=0.7 is mmr(dph, lambda=0.7)."""
    match = _SHORT.fullmatch(text.strip())
    if match is None:
        return text.strip()
    settings = f", {match['settings']}" if match["settings"] else ""
    return f"{match['name']}({(match['inside'] or '(bm25)')[1:-1]}{settings})"


def _stages(text: str) -> list[str]:
    return [*split(text.replace(PIPE, _SIGN), _SIGN)]


def parse_pipeline(text: str, model: Callable[[str], Model | Mixture]) -> Pipeline:
    """The pipeline that a text describes."""
    stages = _stages(text)
    if len(stages) > 1:
        if not all(stages):
            raise ArgumentError(f"'{text}': a stage is missing beside {PIPE}; an example: bm25@100 {PIPE} lsa:100")
        if re.match(_DEPTH, stages[-1]):
            raise ArgumentError(
                f"'{text}': @ says how many documents the next stage re-ranks, and no stage follows {stages[-1]}"
            )
        return piped([_stage(stage.replace(_SIGN, PIPE), model) for stage in stages])
    called = CALL.match(_bracketed(text))
    assert called is not None
    kind, pieces = called["name"].lower(), [*split(called["inside"], ",")]
    declared, values = STAGES[kind], {name: parameter.default for name, parameter in STAGES[kind].items()}
    named: set[str] = set()
    while len(pieces) > 1:
        name, equals, value = (part.strip() for part in pieces[-1].partition("="))
        if name not in declared or name in named:
            if equals and ":" not in pieces[0] and "(" not in name:
                raise has_no(kind, "parameter", name, declared)
            break
        values[name] = declared[name].value(f"'{text}': {name}", value)
        named.add(name)
        pieces.pop()
    if not pieces[0]:
        raise ArgumentError(f"'{text}': expected a model in the brackets, as in {kind}(bm25)")
    return piped([Stage(model(",".join(pieces)))], kind, tuple(values.values()))


def _stage(text: str, model: Callable[[str], Model | Mixture]) -> Stage:
    depth = re.match(_DEPTH, text)
    if depth is None:
        return Stage(model(text))
    return Stage(model(depth["model"]), int(_DEPTHS.value(f"'{text}': the number after @", depth["depth"])))
