r"""What a formula in TeX says, as a number: enough of TeX for docs/site/formulas.toml, and nothing else.

`value(tex, names)` computes a formula. The names are pieces of TeX such as ``\mathit{tf}`` or ``p(t|C)``; each stands
for a number, for an array with one number per ``t``, for a function, which is applied to what follows or to ``i``, or
for the cases of a sum, each with names of its own. Definitions after ``\quad`` are names too, computed where they are
used. What is not understood is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

Names = Mapping[str, Any]
Value = Callable[[Names], Any]
"""A part of a formula: its value under the names that are bound there."""

TOKEN = re.compile(
    r"\\(?:mathit|mathrm|text|tilde)\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|\\[{}|,]|\d+(?:\.\d+)?|[a-zA-Z]|\S"
)
SPACE = {"\\,", "\\left", "\\right"}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "\\log": math.log,
    "\\ln": math.log,
    "\\log_2": math.log2,
    "\\exp": math.exp,
}
ENDS = {"+", "-", ")", "}", "\\}", ",", "=", "|", ":", "\\le", "\\ge", "<", ">"}
COMPARED: dict[str, Callable[[float, float], bool]] = {
    "\\le": lambda a, b: a <= b,
    "\\ge": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=": lambda a, b: a == b,
}


def value(tex: str, names: Names) -> float:
    """The value of the right side of the first equation, or of a term."""
    first, *definitions = re.split(r",?\s*\\quad\s*", tex)
    bound = dict(names)
    for definition in definitions:
        left, _, right = definition.partition(" = ")
        bound[left] = Defined(parsed(right, frozenset(bound)))
    pieces = sides(first)
    values = [float(parsed(piece, frozenset(bound))(bound)) for piece in pieces[1:] or pieces]
    assert all(math.isclose(one, values[0], abs_tol=1e-12) for one in values), f"{tex!r}: {values}"
    return values[0]


def sides(tex: str) -> list[str]:
    """The sides of an equation; an equals sign in braces is that of a condition."""
    pieces, depth = [""], 0
    for character in tex:
        depth += (character == "{") - (character == "}")
        if character == "=" and not depth:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


class Defined:
    """A definition: computed where its name stands, for the rank in brackets if one follows."""

    def __init__(self, part: Value):
        self.part = part


@cache
def parsed(tex: str, names: frozenset[str]) -> Value:
    """A term as a function of the names."""
    parser = Parser(tex, sorted(names, key=len, reverse=True))
    part = parser.sum()
    assert not parser.tokens, f"left of {tex!r}: {parser.tokens}"
    return part


class Parser:
    """Recursive descent: sums of products of powers; a product goes on by juxtaposition."""

    def __init__(self, tex: str, names: list[str]):
        self.tokens: list[str] = []
        self.names = set(names)
        position = 0
        while position < len(tex):
            name = next((name for name in names if self.begins(tex, name, position)), None)
            match = TOKEN.match(tex, position)
            text = name or (match[0] if match else "")
            if text and text not in SPACE:
                self.tokens.append(text)
            position += len(text) or 1
        joined: list[str] = []
        for token in self.tokens:  # \log _ 2
            if len(joined) > 1 and joined[-2:] == ["\\log", "_"]:
                joined[-2:] = ["\\log_2"]
            else:
                joined.append(token)
        self.tokens = joined

    @staticmethod
    def begins(tex: str, name: str, position: int) -> bool:
        following = tex[position + len(name) : position + len(name) + 1]
        before = tex[position - 1 : position]
        in_word = name[-1].isalpha() and following.isalpha() and name.startswith("\\")
        return tex.startswith(name, position) and not in_word and not (name[0].isalpha() and before == "\\")

    def ahead(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, *expected: str) -> str:
        token = self.tokens.pop(0) if self.tokens else ""
        assert token in expected or not expected, (token, expected, self.tokens[:8])
        return token

    def taken(self, token: str) -> bool:
        if self.ahead() != token:
            return False
        self.tokens.pop(0)
        return True

    def sum(self) -> Value:
        total = self.product()
        while self.ahead() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total = self.added(total, self.product(), sign)
        return total

    @staticmethod
    def added(first: Value, second: Value, sign: int) -> Value:
        return lambda names: first(names) + sign * second(names)

    def product(self) -> Value:
        negative = self.taken("-")
        result = self.power()
        while self.tokens and self.ahead() not in ENDS:
            if self.taken("/"):
                result = self.quotient(result, self.power())
            else:
                self.taken("\\cdot")
                result = self.times(result, self.power())
        return (lambda names: -result(names)) if negative else result

    @staticmethod
    def times(first: Value, second: Value) -> Value:
        return lambda names: first(names) * second(names)

    @staticmethod
    def quotient(first: Value, second: Value) -> Value:
        return lambda names: first(names) / second(names)

    def power(self) -> Value:
        base = self.atom()
        if not self.taken("^"):
            return base
        exponent = self.group() if self.ahead() == "{" else self.atom()
        return lambda names: base(names) ** exponent(names)

    def group(self) -> Value:
        self.take("{")
        inside = self.sum()
        self.take("}")
        return inside

    def atom(self) -> Value:
        token = self.take()
        if token in self.names:
            return self.named(token)
        if re.fullmatch(r"\d+(?:\.\d+)?", token):
            return lambda names: float(token)
        if token == "\\frac":
            return self.quotient(self.group(), self.group())
        if token == "\\sqrt":
            root = self.group()
            return lambda names: math.sqrt(root(names))
        if token in ("\\min", "\\max"):
            return self.extreme(min if token == "\\min" else max)
        if token in FUNCTIONS:
            argument = self.power()
            return lambda names: FUNCTIONS[token](argument(names))
        if token in ("\\sum", "\\prod"):
            return self.over_ranks(np.sum if token == "\\sum" else np.prod)
        closing = {"(": ")", "|": "|"}
        assert token in closing, (token, self.tokens[:8])
        inside = self.sum()
        self.take(closing[token])
        return inside if token == "(" else lambda names: abs(inside(names))

    def named(self, name: str) -> Value:
        """A number, the entry of an array for this ``t``, or a function of the atom that follows."""
        of_rank = self.tokens[:1] == ["("] and self.tokens[1] in "ij" and self.tokens[2] == ")"
        argument = self.atom() if of_rank or name.endswith("@}") else None

        def read(names: Names) -> Any:
            found = names[name]
            if isinstance(found, Defined):
                return found.part({**names, "i": argument(names)} if argument else names)
            if isinstance(found, np.ndarray):
                return found[names["t"]]
            if callable(found):
                return found(argument(names) if argument else names["i"])
            return found if argument is None else found * argument(names)

        return read

    def over_ranks(self, whole: Callable[[list[float]], float]) -> Value:
        """A sum or product over the index under it: t, or a rank with its condition."""
        if not self.taken("_"):
            name = self.take()
            return lambda names: float(whole([names[name](rank) for rank in names["ranks"]]))
        if (
            self.tokens[0] == "{"
            and self.tokens[1] in self.names
            and self.tokens[2] == "}"
            and self.tokens[1] not in "ijt"
        ):
            self.take("{")
            cases = self.take()
            self.take("}")
            body = self.product()
            return lambda names: float(whole([body({**names, **case}) for case in names[cases]]))
        index, condition, last = self.condition()
        body = self.product()

        def added(names: Names) -> float:
            if index == "t":
                return float(whole([body({**names, "t": t}) for t in range(names["size"])]))
            ranks = range(int(condition["from"]), int(last(names)) + 1) if last else names["ranks"]
            chosen = [{**names, index: rank} for rank in ranks]
            return float(whole([body(bound) for bound in chosen if condition["holds"](bound)] or [whole([])]))

        return added

    def condition(self) -> tuple[str, dict[str, Any], Value | None]:
        """Of ``_{j \\le i}``: the index, whether a rank is meant, and the last of ``_{l = 0}^{10}``."""
        if not self.taken("{"):
            return self.take(), {"holds": lambda names: True}, None
        index = self.take()
        tests: list[tuple[Value, str, Value]] = []
        if self.taken("="):
            start = self.take()
            self.take("}")
            self.take("^")
            return index, {"from": start, "holds": lambda names: True}, self.group()
        if self.ahead() in COMPARED:
            tests.append((lambda names: names[index], self.take(), self.sum()))
        if self.taken(":"):
            tests.append((self.sum(), self.take(), self.sum()))
        while self.ahead() != "}":  # t \in q
            self.take("\\in", "q")
        self.take("}")

        def holds(names: Names) -> bool:
            return all(COMPARED[sign](left(names), right(names)) for left, sign, right in tests)

        return index, {"holds": holds}, None

    def extreme(self, chosen: Callable[..., float]) -> Value:
        r"""``\max(a, b)``, ``\max_{i \le k} r(i)`` or ``\max \{ what : condition \}``."""
        if self.ahead() == "_":
            return self.over_ranks(lambda values: chosen([*values] or [0.0]))
        if self.taken("\\{"):
            body = self.sum()
            self.take(":")
            left, sign, right = self.sum(), self.take(), self.sum()
            self.take("\\}")

            def best(names: Names) -> float:
                ranks = [{**names, "i": rank} for rank in names["ranks"]]
                return chosen([body(one) for one in ranks if COMPARED[sign](left(one), right(one))])

            return best
        self.take("(")
        parts = [self.sum()]
        while self.taken(","):
            parts.append(self.sum())
        self.take(")")
        return lambda names: chosen(part(names) for part in parts)
