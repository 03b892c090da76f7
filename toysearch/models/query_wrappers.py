"""Wrappers of models: ``sdm(lm-dirichlet)`` scores a query with more terms than its text has, by the model inside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toysearch.base.errors import ArgumentError, has_no
from toysearch.base.spec import parse_spec
from toysearch.formats.text_files import finite_number
from toysearch.models.model import public_name
from toysearch.models.parameter_ranges import Range, Value, value_text


class WrapperParameter(NamedTuple):
    """A parameter of a wrapper: its default, its range and whether it is a whole number."""

    default: float
    low: float = 0.0
    high: float | None = None
    whole: bool = False

    def value(self, label: str, given: Any) -> float:
        """A given value as a number, refused outside the range."""
        number = finite_number(str(given))
        if number is None or number < self.low or (self.high is not None and number > self.high):
            number = None
        if number is None or (self.whole and number != int(number)):
            span = f"of at least {self.low:g}" if self.high is None else f"from {self.low:g} to {self.high:g}"
            raise ArgumentError(f"{label} must be a {'whole ' if self.whole else ''}number {span}")
        return number


_DIVERGENCE = {
    "docs": WrapperParameter(3, whole=True),
    "terms": WrapperParameter(10, whole=True),
    "beta": WrapperParameter(1.0),
}
WRAPPERS: Mapping[str, Mapping[str, WrapperParameter]] = {
    "sdm": {
        "terms": WrapperParameter(0.85),
        "ordered": WrapperParameter(0.1),
        "unordered": WrapperParameter(0.05),
        "window": WrapperParameter(8.0, 2, whole=True),
    },
    "rm3": {
        "docs": WrapperParameter(10, whole=True),
        "terms": WrapperParameter(30, whole=True),
        "lambda": WrapperParameter(0.5, 0, 1),
        "df": WrapperParameter(0.1, 0, 1),
    },
    "rm3-anserini": {
        "docs": WrapperParameter(10, whole=True),
        "terms": WrapperParameter(10, whole=True),
        "lambda": WrapperParameter(0.5, 0, 1),
    },
    "rm3-terrier": {
        "docs": WrapperParameter(3, whole=True),
        "terms": WrapperParameter(10, whole=True),
        "lambda": WrapperParameter(0.6, 0, 1),
    },
    "rocchio": {
        "docs": WrapperParameter(10, whole=True),
        "terms": WrapperParameter(50, whole=True),
        "beta": WrapperParameter(0.75),
        "gamma": WrapperParameter(0.15),
        "df": WrapperParameter(0.1, 0, 1),
    },
    "bo1": _DIVERGENCE,
    "bo1-terrier": _DIVERGENCE,
    "kl": _DIVERGENCE,
    "kl-terrier": _DIVERGENCE,
    "axiomatic": {
        "docs": WrapperParameter(20, whole=True),
        "terms": WrapperParameter(20, whole=True),
        "pool": WrapperParameter(30.0, 1, whole=True),
        "beta": WrapperParameter(0.4),
    },
}
"""The wrappers by name, with their parameters.

`sdm` adds pairs of words (`toysearch.search.dependence`), the others terms of documents (`toysearch.search.feedback`).
"""

_BRACKET = re.compile(r"[a-z0-9-]*\(")
_BEHIND = re.compile(r"(?P<name>[A-Za-z][\w-]*)\((?P<inside>.*)\)\s*:(?P<settings>[^()]*)", re.DOTALL)
_HEAD = re.compile(r".+?\.py:[A-Za-z_]\w*|[^:,]*")  # a model without its parameters
_USUAL = "bm25"  # the model inside a wrapper that names none


class Wrapper(NamedTuple):
    """A wrapper and the values of its parameters."""

    name: str
    values: tuple[float, ...]  # in the order of WRAPPERS

    @property
    def parameters(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(WRAPPERS[self.name], self.values, strict=True))

    def around(self, inside: str, names: Sequence[str] = ()) -> str:
        """The text of the wrapper around the text of another one, or of a model with parameters of these names."""
        declared = WRAPPERS[self.name]
        values = self.parameters.items()
        changed = [f"{name}={value_text(value)}" for name, value in values if value != declared[name].default]
        if {*names} & {*declared}:
            inside = f"({inside})"
        separator = "," if ":" in inside and not inside.endswith(")") else ":"
        return f"{self.name}({inside}{separator + ','.join(changed) if changed else ''})"


def in_full(text: str) -> str:
    """A wrapper as it is written in full; any other text unchanged.

    >>> in_full("rm3"), in_full("rm3:docs=5"), in_full("rm3(bm25:k1=2):docs=5"), in_full("bm25")
    ('rm3(bm25)', 'rm3(bm25:docs=5)', 'rm3((bm25:k1=2):docs=5)', 'bm25')
    """
    name, colon, settings = text.strip().partition(":")
    if name.lower() in WRAPPERS:
        return f"{name.lower()}({_USUAL}{colon}{settings})"
    behind = _BEHIND.fullmatch(text.strip())
    if behind and behind["name"].lower() in WRAPPERS:
        return f"{behind['name'].lower()}(({behind['inside']}):{behind['settings']})"
    return text


def unwrapped(name: str, inside: str) -> tuple[Wrapper, str, tuple[str, ...]]:
    """The wrapper, the text inside, and the parameters that stand in one list with those of the model.

    >>> unwrapped("sdm", "lm-dirichlet:mu=1000,window=4")
    (Wrapper(name='sdm', values=(0.85, 0.1, 0.05, 4.0)), 'lm-dirichlet:mu=1000', ('window',))
    >>> unwrapped("sdm", "(lm-dirichlet:mu=1000):window=4")
    (Wrapper(name='sdm', values=(0.85, 0.1, 0.05, 4.0)), 'lm-dirichlet:mu=1000', ())
    """
    declared, inside = WRAPPERS[name], inside.strip()
    joint: tuple[str, ...] = ()
    if _BRACKET.match(inside):
        text, behind = _bracketed(inside)
        if behind and behind[0] not in ":,":
            raise ArgumentError(
                f"'{name}({inside})': expected a colon and parameters after the bracket, not '{behind}'"
            )
        own = _settings(name, behind[1:], declared)
        text = text[1:-1].strip() if text.startswith("(") else text
    else:
        head = str(_HEAD.match(inside)[0])  # type: ignore[index]
        settings = inside[len(head) :]
        settings = f":{settings[1:]}" if settings else ""  # rm3(bm25,docs=5) has one meaning too
        spec = parse_spec(("model" if ":" in head else head) + settings, f"{name}({{}})")._replace(name=head)
        own = {parameter: spec.parameters.pop(parameter) for parameter in declared if parameter in spec.parameters}
        text, joint = str(spec), tuple(own)
    values = [
        declared[each].value(f"'{name}({inside})': {each}", own[each]) if each in own else declared[each].default
        for each in declared
    ]
    return Wrapper(name, tuple(values)), text, joint


def _settings(name: str, text: str, declared: Mapping[str, WrapperParameter]) -> dict[str, str]:
    """The settings behind a bracket, all of them those of the wrapper."""
    spec = parse_spec(f"{name}:{text}" if text else name)
    for parameter in (*spec.values, *spec.parameters):
        if parameter not in declared:
            raise has_no(name, "parameter", parameter, declared)
    return spec.parameters


def _bracketed(text: str) -> tuple[str, str]:
    """A text up to the end of its first bracket, and the rest."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            return text[: place + 1], text[place + 1 :].strip()
    raise ArgumentError(f"'{text}': a bracket is not closed")


def parameters_of(wrappers: Sequence[Wrapper], scorer: Any) -> dict[str, Value]:
    """The values of the parameters of wrappers and of the model inside; a name of several is the outermost one's."""
    own: dict[str, Value] = {}
    for wrapper in wrappers:
        own |= {name: value for name, value in wrapper.parameters.items() if name not in own}
    inside = getattr(scorer, "parameters", {}).items()
    return own | {name: value for name, value in inside if public_name(name) not in own}


def ranges_of(wrappers: Sequence[Wrapper]) -> dict[str, Range]:
    """The ranges of the parameters of wrappers."""
    declared = [(name, each) for wrapper in reversed(wrappers) for name, each in WRAPPERS[wrapper.name].items()]
    return {name: (each.low, each.high) for name, each in declared}


def is_whole(wrappers: Sequence[Wrapper], name: str) -> bool:
    """Whether a parameter of wrappers takes whole numbers only."""
    return next((WRAPPERS[each.name][name].whole for each in wrappers if name in WRAPPERS[each.name]), False)


def bound(wrappers: Sequence[Wrapper], values: Mapping[str, Any]) -> tuple[tuple[Wrapper, ...], dict[str, Any]]:
    """The wrappers with other values, and the values that belong to the model inside."""
    left, made = dict(values), []
    for wrapper in wrappers:
        declared, own = WRAPPERS[wrapper.name], wrapper.parameters
        for name in [name for name in declared if name in left]:
            own[name] = declared[name].value(f"{name} of {wrapper.name}", left.pop(name))
        made.append(Wrapper(wrapper.name, tuple(own.values())))
    return tuple(made), left
