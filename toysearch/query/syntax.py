"""Syntax tree of a query: what must, may and must not occur in a document.

Nodes are made in Python, or read from a text by `toysearch.query.parser`. `str` gives the text of a tree in the query
language, and reading that text gives the tree again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute

from toysearch.base import ArgumentError, expect_count, shortest

__all__ = [
    "And",
    "AtLeast",
    "Boost",
    "Field",
    "Fuzzy",
    "Node",
    "Not",
    "Optional",
    "Or",
    "Phrase",
    "Range",
    "Synonyms",
    "Term",
    "Wildcard",
]

OPERATORS = {"AND", "OR", "NOT"}
OF_PROGRAMS = {"&&": "AND", "||": "OR", "ANDNOT": "NOT"}  # refused, because they look like operators
MOST_EDITS = 2
_SPECIAL = re.compile(r"""[\s\\"()\[\]{}:^~*?]|^[-+!/#<>]""")  # anywhere in a word, or at its beginning
_OF_PATTERN = re.compile(r"(?s:(\\.)|(.))")  # an escaped character, or a plain one
_WILD = "*?"


class Node:
    """Part of a query. ``a & b``, ``a | b`` and ``~a`` join parts.

    Examples
    --------
    >>> print(Phrase("tick", "removal") & ~Term("dog"))
    "tick removal" AND NOT dog
    """

    def __and__(self, other: Node) -> And:
        return And(self, other)

    def __or__(self, other: Node) -> Or:
        return Or(self, other)

    def __invert__(self) -> Not:
        return Not(self)


@dataclass(frozen=True)
class Term(Node):
    """Word; the analyzer may make several terms of it, or none.

    Examples
    --------
    >>> print((Term("cat") | Term("dog")) & ~Term("parrot"))
    (cat OR dog) AND NOT parrot
    """

    word: str

    def __post_init__(self) -> None:
        _refuse_empty(self.word, "a word")

    def __str__(self) -> str:
        return escaped(self.word)


@dataclass(frozen=True, init=False)
class Phrase(Node):
    """Words near each other.

    By default each word follows the one before. With ``gap=n`` it comes at most n positions after the one before. With
    ``slop=n`` all words occur in any order within n positions. A text with blanks is several words.

    Examples
    --------
    >>> print(Phrase("tick", "removal"), Phrase("tick removal", slop=5))
    "tick removal" "tick removal"~5
    """

    words: tuple[str, ...]
    slop: int
    gap: int

    def __init__(self, *words: str, slop: int = 0, gap: int = 1) -> None:
        if not all(isinstance(word, str) for word in words) or not " ".join(words).strip():
            raise ArgumentError(f"a phrase takes words, such as Phrase('tick', 'removal'), not {words!r:.60}")
        expect_count(0, slop=slop)
        expect_count(gap=gap)
        if slop and gap > 1:
            raise ArgumentError("a phrase takes slop (any order) or gap (in order), not both")
        _set(self, words=tuple(word for text in words for word in text.split()), slop=slop, gap=gap)

    def __str__(self) -> str:
        words = " ".join(word.replace("\\", "\\\\").replace('"', '\\"') for word in self.words)
        if self.gap > 1:
            return f"#od{self.gap}({' '.join(map(escaped, self.words))})"
        return f'"{words}"' + (f"~{self.slop}" if self.slop else "")


@dataclass(frozen=True)
class Wildcard(Node):
    """Terms of a form: ``*`` stands for any characters, ``?`` for one, and a backslash makes the next one plain."""

    pattern: str

    def __post_init__(self) -> None:
        _refuse_empty(self.pattern, "pattern")
        pieces = _OF_PATTERN.findall(self.pattern)
        if not any(plain and plain in _WILD for _, plain in pieces):
            raise ArgumentError(f"a wildcard takes a pattern with * or ?, such as comp*, not {self.pattern!r:.60}")
        unescaped = (plain or (pair if pair[1] in "*?\\" else pair[1]) for pair, plain in pieces)
        _set(self, pattern="".join("\\\\" if piece == "\\" else piece for piece in unescaped))

    def __str__(self) -> str:
        pieces = (
            pair or (plain if plain in _WILD else escaped(plain)) for pair, plain in _OF_PATTERN.findall(self.pattern)
        )
        return "".join(pieces)


@dataclass(frozen=True)
class Fuzzy(Node):
    """Terms within 1 or 2 edits of a word: a letter inserted, deleted or replaced, or two neighbours exchanged."""

    word: str
    edits: int = 1

    def __post_init__(self) -> None:
        _refuse_empty(self.word, "a word")
        if self.edits not in range(1, MOST_EDITS + 1):
            raise ArgumentError(f"edits must be 1 or {MOST_EDITS}, not {self.edits!r}")

    def __str__(self) -> str:
        return f"{escaped(self.word)}~{self.edits}"


@dataclass(frozen=True)
class Range(Node):
    """Documents whose field holds a number from low to high; -inf and inf leave an end open."""

    field: str
    low: float = -math.inf
    high: float = math.inf
    above_low: bool = False  # true if low itself is excluded
    below_high: bool = False  # true if high itself is excluded
    low_text: str = attribute(default="", compare=False, repr=False)  # the ends as they were typed, such as 2012-06
    high_text: str = attribute(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        _refuse_empty(self.field, "a field")
        if math.isnan(self.low) or math.isnan(self.high) or self.low == math.inf or self.high == -math.inf:
            raise ArgumentError(f"a range goes from one number to another, not from {self.low} to {self.high}")
        # An open end has no number to exclude.
        _set(self, above_low=self.above_low and self.low > -math.inf)
        _set(self, below_high=self.below_high and self.high < math.inf)

    @property
    def ends(self) -> tuple[str, str]:
        """Ends as they are written; ``*`` if one is open."""
        both = (self.low, self.low_text), (self.high, self.high_text)
        low, high = ("*" if math.isinf(end) else text or shortest(end) for end, text in both)
        return low, high

    def __str__(self) -> str:
        low, high = self.ends
        return f"{escaped(self.field)}:{'[{'[self.above_low]}{low} TO {high}{']}'[self.below_high]}"


@dataclass(frozen=True)
class Field(Node):
    """Part of a query that applies to one field of the documents."""

    name: str
    node: Node

    def __post_init__(self) -> None:
        _refuse_empty(self.name, "a field")
        _refuse_other(self)

    def __str__(self) -> str:
        return f"{escaped(self.name)}:{self.node if isinstance(self.node, Boost | Field) else _tight(self.node)}"


@dataclass(frozen=True)
class _OfOne(Node):
    node: Node

    def __post_init__(self) -> None:
        _refuse_other(self)


@dataclass(frozen=True)
class Boost(_OfOne):
    """Part whose words count as if each occurred this many times in the query."""

    weight: float

    def __post_init__(self) -> None:
        _refuse_other(self)
        if isinstance(self.weight, bool) or not isinstance(self.weight, int | float) or not 0 < self.weight < math.inf:
            raise ArgumentError(f"weight must be a number above 0, not {self.weight!r}")

    def __str__(self) -> str:
        return f"{_tight(self.node)}^{shortest(self.weight)}"


@dataclass(frozen=True)
class Not(_OfOne):
    """Documents that a part does not match."""

    def __str__(self) -> str:
        return f"NOT {_joined(self.node)}"


@dataclass(frozen=True)
class Optional(_OfOne):
    """Part of an `And` that adds to the score and is not required."""

    def __str__(self) -> str:
        return str(self.node)


@dataclass(frozen=True, init=False)
class _Several(Node):
    nodes: tuple[Node, ...]

    def __init__(self, *nodes: Node) -> None:
        if not nodes or not all(isinstance(node, Node) for node in nodes):
            raise ArgumentError(f"{type(self).__name__} takes parts of a query, such as Term('dog'), not {nodes!r:.60}")
        _set(self, nodes=nodes)

    def with_nodes(self, nodes: Sequence[Node]) -> Node:
        """Return a node of this kind with other parts."""
        return type(self)(*nodes)

    def _flatten(self) -> None:
        nodes = list[Node]()
        for node in self.nodes:
            is_like_this = type(node) is type(self) and not any(isinstance(part, Optional) for part in parts(node))
            nodes += parts(node) if is_like_this else [node]
        _set(self, nodes=tuple(nodes))


@dataclass(frozen=True, init=False)
class And(_Several):
    """Documents that all parts match, but for those in `Optional`; ``And(And(a, b), c)`` is ``And(a, b, c)``.

    An `And` of one part is that part required (+): also models that rank every document rank only those that match it.
    One with an `Optional` part stays a part of another: without terms for its required parts, one is required.
    """

    def __init__(self, *nodes: Node) -> None:
        super().__init__(*nodes)
        self._flatten()
        if all(isinstance(node, Optional) for node in self.nodes):
            raise ArgumentError(
                "And takes at least one part that is not Optional; Or joins parts of which none is required"
            )

    def __str__(self) -> str:
        if len(self.nodes) > 1 and not any(isinstance(node, Optional) for node in self.nodes):
            return " AND ".join(map(_joined, self.nodes))
        required = any(not isinstance(node, Optional | Not) for node in self.nodes)
        return " ".join(_signed(node, required) for node in self.nodes)


@dataclass(frozen=True, init=False)
class Or(_Several):
    """Documents that at least one part matches. Words without operators are joined so."""

    def __init__(self, *nodes: Node) -> None:
        super().__init__(*nodes)
        self._flatten()

    def __str__(self) -> str:
        return " OR ".join(map(_joined, self.nodes))


@dataclass(frozen=True, init=False)
class AtLeast(_Several):
    """Documents that at least n parts match; the words of all parts add to the score.

    Examples
    --------
    >>> print(AtLeast(2, Term("cat"), Term("dog"), Term("tick")))
    (cat OR dog OR tick)@2
    """

    n: int

    def __init__(self, n: int, *nodes: Node) -> None:
        super().__init__(*nodes)
        if any(isinstance(node, Not | Optional) for node in nodes):
            raise ArgumentError("AtLeast takes parts that may match, neither Not nor Optional")
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(nodes):
            raise ArgumentError(f"n must be a whole number from 1 to the number of parts, {len(nodes)}, not {n!r}")
        _set(self, n=n)

    def with_nodes(self, nodes: Sequence[Node]) -> Node:
        """Require as many of other parts, or all if there are fewer."""
        return AtLeast(min(self.n, len(nodes)), *nodes)

    def __str__(self) -> str:
        return f"({' OR '.join(map(_joined, self.nodes))})@{self.n}"


@dataclass(frozen=True, init=False)
class Synonyms(_Several):
    """Words that count as one term; phrases and patterns too, but not parts that are joined or weighted."""

    def __init__(self, *nodes: Node) -> None:
        super().__init__(*nodes)
        if any((parts(node) and not isinstance(node, Synonyms)) or isinstance(node, Range) for node in nodes):
            raise ArgumentError('#syn takes words, phrases and patterns, such as #syn(cat "house cat" kitt*)')

    def __str__(self) -> str:
        return f"#syn({' '.join(map(_tight, self.nodes))})"


def escaped(word: str) -> str:
    r"""Write a word as in a query: with a backslash before each character that has a meaning there.

    >>> print(escaped("C++"), escaped("what?"), escaped("AND"))
    C++ what\? \AND
    """
    return "\\" + word if word in OPERATORS or word in OF_PROGRAMS else _SPECIAL.sub(r"\\\g<0>", word)


def one_of(nodes: Sequence[Node]) -> Node | None:
    """Return the node itself, or the `Or` of several; None without any."""
    return None if not nodes else nodes[0] if len(nodes) == 1 else Or(*nodes)


def all_of(nodes: Sequence[Node]) -> Node:
    """Return the node itself, or the `And` of several."""
    return nodes[0] if len(nodes) == 1 else And(*nodes)


def parts(node: Node) -> tuple[Node, ...]:
    """List the nodes directly below a node."""
    return node.nodes if isinstance(node, _Several) else (node.node,) if isinstance(node, Field | _OfOne) else ()


def with_parts(node: Node, nodes: Sequence[Node]) -> Node:
    """Return a node with other nodes directly below it; a leaf as it is."""
    if isinstance(node, _Several):
        return node.with_nodes(nodes)
    return replace(node, node=nodes[0]) if isinstance(node, Field | _OfOne) else node


def words_of(node: Node, filters: Collection[str] = ()) -> list[str]:
    """List the words and the words of phrases in a tree, in its order, without the values of fields that filter.

    >>> words_of(Phrase("tick", "removal") & ~Term("dog"))
    ['tick', 'removal', 'dog']
    """
    if isinstance(node, Term | Phrase):
        return [node.word] if isinstance(node, Term) else [*node.words]
    if isinstance(node, Field) and node.name in filters:
        return []
    return [word for part in parts(node) for word in words_of(part, filters)]


def _joined(node: Node) -> str:
    """Write a node that others join by AND or OR, in parentheses if it joins some itself."""
    return f"({node})" if isinstance(node, And | Or) else str(node)


def _tight(node: Node) -> str:
    """Write a node after or before a sign such as - or ^, in parentheses if it has several parts."""
    return f"({node})" if isinstance(node, And | Or | Not | Field | Boost) else str(node)


def _signed(node: Node, required: bool) -> str:
    """Write a part of an `And` with optional parts; required: true if another part has to match."""
    if isinstance(node, Not) and required:
        return f"-{_tight(node.node)}"
    return _tight(node.node) if isinstance(node, Optional) else f"+{_tight(node)}"


def _refuse_other(holder: Field | _OfOne) -> None:
    node: object = holder.node
    if not isinstance(node, Node):
        name = type(holder).__name__
        raise ArgumentError(f"{name} takes a part of a query, such as Term('dog'), not {node!r:.60}")


def _refuse_empty(text: object, what: str) -> None:
    if not isinstance(text, str) or not text:
        raise ArgumentError(f"{what} must be a text that is not empty, not {text!r:.60}")


def _set(node: Node, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(node, name, value)
