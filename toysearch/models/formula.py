"""Formula typed as a ranking model: ``log(1+tf)*log(N/df)``."""

from __future__ import annotations

import ast
import inspect
import math
import operator
import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, Remedy, expect, expect_name, near_name, parse_spec
from toysearch.base.elsewhere import here
from toysearch.models.model import PRIOR, STATISTICS, Array, Model, field_statistic, model, prior_statistic

__all__ = ["formula"]

PREFIX = "formula:"
EARTH_RADIUS = 6371.0088
"""Mean radius of the Earth in kilometres (Moritz, Geodetic Reference System 1980)."""


def distance(lat: Array, lon: Array, lat_from: Array, lon_from: Array) -> Array:
    """Return the kilometres between two places in degrees, along a great circle; NaN for a latitude beyond a pole.

    2 · R · arcsin √(sin²(Δlat/2) + cos lat · cos lat_from · sin²(Δlon/2)), R = 6371.0088; Sinnott, Virtues of the
    haversine, Sky and Telescope 68, 1984.

    >>> round(float(distance(52.52, 13.405, 48.1372, 11.5755)), 1)  # Berlin, Munich
    504.3
    """
    beyond = np.maximum(np.abs(lat), np.abs(lat_from)) > 90
    lat, lon, lat_from, lon_from = (np.radians(angle) for angle in (lat, lon, lat_from, lon_from))
    squared = np.sin((lat - lat_from) / 2) ** 2 + np.cos(lat) * np.cos(lat_from) * np.sin((lon - lon_from) / 2) ** 2
    return np.where(beyond, np.nan, 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(squared, 1))))


FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "log": (1, np.log),
    "log2": (1, np.log2),
    "log10": (1, np.log10),
    "log1p": (1, np.log1p),
    "exp": (1, np.exp),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "where": (3, np.where),
    "distance": (4, distance),
}
"""Functions of formulas, each with the number of its arguments and its implementation."""

_CONSTANTS = {"pi": math.pi, "e": math.e}
_OPERATORS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_LONGEST, _DEEPEST, _LARGEST = 1000, 50, 1e300
_FIELD = r"\bprior:(\w+)"
_SOURCE = r"(?i)\bprior:([^\s()*+,]+\.[ct]sv(?:\.gz)?|\w(?:[\w-]*\w)?)"
_COLON = r"(?<!\bprior):"
_ALLOWED = f"numbers, statistics, + - * / **, < <= > >= == !=, and {', '.join(FUNCTIONS)}"


def formula(text: str, /, **parameters: float | str) -> Model:
    """Make the ranking model that a formula describes: the weight of a query term in a document.

    Parameters
    ----------
    text : str
        Arithmetic on statistics (tf, df, cf, dl, distinct, max_tf, bytes, N, avgdl, avg_distinct, T; ``tf_title``
        and the like if fields are counted separately; ``prior:year``, a number of the document), numbers, pi, e, and
        log (natural), log2, log10, log1p, exp, sqrt, abs, min, max, where(condition, a, b), and distance(lat, lon,
        lat, lon) in kilometres. Everything is computed in 64-bit floats; a comparison is 1 or 0.
    **parameters : float
        Custom names and their values; they can be tuned like the parameters of any model.

    Returns
    -------
    Model
        Its name is ``formula:`` and the text. An explanation shows the factors or the terms of the formula.

    Raises
    ------
    ArgumentError
        If the text is not a formula, uses an unknown name, or is too long or too deeply nested.

    Examples
    --------
    >>> made = formula("tf / (tf + k) * log(N / df)", k=1.2)
    >>> made
    formula:tf / (tf + k) * log(N / df):k=1.2
    >>> round(made.weight(tf=2, df=10, N=1000), 6)
    2.878231
    >>> made.bind(k=0.5)
    formula:tf / (tf + k) * log(N / df):k=0.5
    """
    expect(str, text=text)
    for name, value in parameters.items():
        is_field = field_statistic(name) or prior_statistic(name)
        if name in STATISTICS or name in _CONSTANTS or name in FUNCTIONS or is_field:
            raise ArgumentError(f"{name} already has a meaning in formulas; choose another name for {value}")
        if not name.isidentifier() or name.endswith("_"):
            raise ArgumentError(f"'{name}' cannot be a custom name in a formula; use letters and digits, such as k1")
    names = tuple(sorted(parameters))  # their order does not matter
    # Such a parameter has no default (NaN), so the text of the model always has its value.
    unbound = model(_Weight(text.strip(), names), name=PREFIX + text.strip())
    return unbound.bind(*(parameters[name] for name in names))


class _Weight:
    """Weight function of a formula; two with the same text are equal."""

    def __init__(self, text: str, parameters: tuple[str, ...]) -> None:
        self.text, self._tree = text, _parsed(re.sub(_FIELD, rf"{PRIOR}\1", text))
        names = _checked(self._tree, text, parameters)
        for name in parameters:
            if name not in names:
                raise ArgumentError(f"the formula '{_shown(text)}' does not use {name}")
        kind = inspect.Parameter
        statistics = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in names if name not in parameters]
        tuned = [kind(name, kind.KEYWORD_ONLY, default=math.nan) for name in parameters]
        self.__signature__ = inspect.Signature([*statistics, *tuned])
        self.__doc__ = f"A formula typed by hand: {text}."

    def __call__(self, /, **given: Any) -> Any:
        return _value(self._tree, given)

    def parts(self, /, **given: Any) -> dict[str, Any]:
        tree, pieces = self._tree, list[ast.expr]()
        for operators in ((ast.Add, ast.Sub), (ast.Mult, ast.Div)):
            if isinstance(tree, ast.BinOp) and isinstance(tree.op, operators):
                node: ast.expr = tree
                while isinstance(node, ast.BinOp) and isinstance(node.op, operators):
                    pieces.append(node.right)
                    node = node.left
                pieces.append(node)
                break
        plain = (ast.Name, ast.Constant)  # mere names and numbers
        return {ast.unparse(piece): _value(piece, given) for piece in reversed(pieces) if not isinstance(piece, plain)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Weight) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class PriorFormula:
    """Number of each document, computed from others: ``log(1 + prior:price)``.

    >>> made = PriorFormula("log(prior:a) - prior:b.csv")
    >>> made.sources, made([np.array([1.0]), np.array([0.5])]).tolist()
    (('a', 'b.csv'), [-0.5])
    """

    def __init__(self, text: str) -> None:
        self.sources = tuple(dict.fromkeys(re.findall(_SOURCE, text)))
        self._names = [f"{PRIOR}{place}" for place in range(1, len(self.sources) + 1)]
        names = dict(zip(self.sources, self._names, strict=True))
        self._tree = _parsed(re.sub(_SOURCE, lambda match: names[match[1]], text))
        if others := [name for name in _checked(self._tree, text, self._names) if name not in self._names]:
            raise ArgumentError(f"'{_shown(text)}' has one value for each document; {others[0]} belongs to a term")

    def __call__(self, columns: Sequence[Array]) -> Array:
        """Compute the value of each document from the numbers of its sources, each (N,) float64."""
        with np.errstate(all="ignore"):
            values = _value(self._tree, dict(zip(self._names, columns, strict=True)))
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=np.float64), columns[0].shape))


def from_text(text: str) -> Model:
    """Make the model with the name of a formula: ``formula:tf/(tf+k):k=1.2``."""
    typed, *settings = re.split(_COLON, text.strip().removeprefix(PREFIX), maxsplit=1)
    spec = parse_spec(":".join(["formula", *settings]))
    if spec.values:
        raise ArgumentError(f"'{settings[0]}' is not of the form name=value; an example: formula:tf/(tf+k):k=1.2")
    return formula(typed, **spec.parameters)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ArgumentError(f"the formula has {len(text)} characters; at most {_LONGEST} are read")
    if not text.isprintable() or "#" in text:  # one line without comments: its text is its name
        raise ArgumentError(f"{_shown(text)!a} is not a formula: it has a line end, a control character or a #")
    if unicodedata.normalize("NFKC", text) != text:  # Python would read them as the letters they resemble
        raise ArgumentError(
            f"'{_shown(text)}' is not a formula: it has letters or digits that only resemble ASCII ones"
        )
    nested = max(accumulate((sign in "([{") - (sign in ")]}") for sign in text), default=0)
    if nested > _DEEPEST:
        raise ArgumentError(f"the formula is nested {nested} brackets deep; at most {_DEEPEST} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # texts that are refused anyway
            return ast.parse(text, "formula", "eval").body
    except SyntaxError as error:
        where = f" at character {error.offset}" if error.offset else ""
        raise ArgumentError(
            f"'{_shown(text)}' is not a formula: {error.msg}{where}; an example: log(1+tf)*log(N/df)"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ArgumentError(f"'{_shown(text)}' is not a formula: {error or type(error).__name__}") from None


def _checked(tree: ast.expr, text: str, parameters: Collection[str]) -> list[str]:
    """Return the names of statistics and parameters in a formula, each once; refuse anything not allowed."""
    names: dict[str, None] = {}
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ArgumentError(f"the formula '{_shown(text)}' is nested too deeply; at most {_DEEPEST} steps are read")
        waiting += [(child, depth + 1) for child in reversed(_children(node, text))]
        if not isinstance(node, ast.Name) or node.id in _CONSTANTS:
            continue
        is_field = field_statistic(node.id) or prior_statistic(node.id)
        if node.id not in parameters and node.id not in STATISTICS and not is_field:
            listing = [*STATISTICS, *parameters]
            if ours := here("statistic").get(node.id):
                raise ArgumentError(f"the formula uses an unknown name, '{node.id}'; write {ours}")
            raise ArgumentError(
                f"the formula uses an unknown name, '{node.id}'{near_name(node.id, listing) or '.'} Names: "
                f"{', '.join(listing)}; give a name of your own its value: {Remedy('formula', **{node.id: 1.2})}"
            )
        names[node.id] = None
    return list(names)


def _operation(node: ast.expr) -> tuple[Callable[..., Any] | None, list[ast.expr]]:
    """Return the operator of a piece, None if it has none that is allowed, and what it is applied to."""
    if isinstance(node, ast.BinOp):
        return _OPERATORS.get(type(node.op)), [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS.get(type(node.op)), [node.operand]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _OPERATORS.get(type(node.ops[0])), [node.left, *node.comparators]
    return None, []


def _children(node: ast.expr, text: str) -> list[ast.expr]:
    operator_of_node, operands = _operation(node)
    if operator_of_node:
        return operands
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id
        if ours := here("statistic").get(name):
            raise ArgumentError(f"unknown function '{name}'; write {ours}")
        expect_name("function", name, FUNCTIONS)
        number, n_args = FUNCTIONS[name][0], len(node.args)
        if n_args != number:
            values = f"{number} value{'s' if number > 1 else ''}"
            raise ArgumentError(f"{name} takes {values} in a formula, found {n_args}")
        return node.args
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        if not abs(node.value) <= _LARGEST:  # type: ignore[arg-type]
            raise ArgumentError(f"the formula '{_shown(text)}' has a number beyond {_LARGEST:g}")
        return []
    if isinstance(node, ast.Name):
        return []
    piece = ast.get_source_segment(text, node) or type(node).__name__
    raise ArgumentError(f"'{_shown(piece)}' is not allowed in a formula{_instead(node)}")


def _instead(node: ast.expr) -> str:
    """End a sentence about a piece that is not allowed: how it is written here, or what is allowed."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        return "; a power is written **"
    called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    if called in FUNCTIONS:  # math.log, np.log
        return f"; write {called} alone"
    return f", which may have {_ALLOWED}"


def _value(node: ast.expr, given: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return np.float64(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        # Single numbers are numpy numbers too: N / (T - T) is infinite instead of a ZeroDivisionError.
        return np.asarray(_CONSTANTS[node.id] if node.id in _CONSTANTS else given[node.id], dtype=np.float64)
    function, arguments = _operation(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function, arguments = FUNCTIONS[node.func.id][1], node.args
    assert function is not None
    value = function(*(_value(argument, given) for argument in arguments))
    return np.asarray(value, np.float64) if isinstance(node, ast.Compare) else value
