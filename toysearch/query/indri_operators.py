"""The operators of Indri: ``#1 #od4 #uw8 #weight #syn #combine #band``, with their parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toysearch.base.errors import ArgumentError
from toysearch.query.syntax import Boost, Node, Phrase, Synonyms, Term, all_of, one_of

OPERATORS = "#1(…), #od4(…), #uw8(…), #weight(…), #syn(…), #combine(…) or #band(…)"

_NAMED = ("combine", "band", "syn", "weight")
_WINDOWS = ("", "od", "uw")
_OPENING = re.compile(r"#([A-Za-z]*)([0-9]*+)\(")


def operator_at(text: str, at: int) -> str | None:
    """The name of the operator whose parenthesis opens at a place of a text, such as ``uw8``; None without one.

    >>> operator_at("#uw8(a b)", 0), operator_at("#syn (a b)", 0), operator_at("#uw(a b)", 0)
    ('uw8', None, None)
    """
    match = _OPENING.match(text, at)
    if match is None:
        return None
    name, distance = match[1], match[2]
    is_window = name in _WINDOWS and 0 < len(distance) <= 6 and int(distance) > 0
    return name + distance if is_window or (name in _NAMED and not distance) else None


def applied(name: str, nodes: Sequence[Node]) -> Node | None:
    """The node of an operator and its parts.

    >>> print(applied("weight", [Term("0.8"), Term("cat"), Term("0.2"), Phrase("house", "cat")]))
    cat^0.8 OR "house cat"^0.2
    """
    if name == "combine":
        return one_of(nodes)
    if name == "band":
        return all_of(nodes)
    if name == "syn":
        return Synonyms(*nodes)
    return _weighted(nodes) if name == "weight" else _window(name, nodes)


def _weighted(nodes: Sequence[Node]) -> Node | None:
    """The node of ``#weight(0.8 a 0.2 b)``."""
    weights = [_number(node) for node in nodes[::2]]
    if len(nodes) % 2 or None in weights:
        raise ArgumentError("#weight takes pairs of a number above 0 and a part, such as #weight(0.8 cat 0.2 dog)")
    return one_of([Boost(node, weight or 0.0) for weight, node in zip(weights, nodes[1::2], strict=True)])


def _number(node: Node) -> float | None:
    """The number that a word is."""
    try:
        return float(node.word) if isinstance(node, Term) else None
    except ValueError:
        return None


def _window(name: str, nodes: Sequence[Node]) -> Phrase:
    """The node of ``#1(a b)``, ``#od4(a b)`` or ``#uw8(a b)``."""
    words = [node.word for node in nodes if isinstance(node, Term)]
    if len(words) < len(nodes):
        raise ArgumentError(f"#{name} takes words only, such as #{name}(tick removal)")
    distance = int(name.lstrip("oduw"))
    return Phrase(*words, slop=distance) if name.startswith("uw") else Phrase(*words, gap=distance)
