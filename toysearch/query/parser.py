"""Parser of the query language: a text → the tree of its meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from toysearch.base import ArgumentError, expect, expect_name
from toysearch.query.lexer import MOST_WORDS, Lexeme, Lexer, QueryError, applied, quoted
from toysearch.query.modes import MODES, is_words
from toysearch.query.syntax import (
    OPERATORS,
    And,
    AtLeast,
    Boost,
    Field,
    Node,
    Not,
    Optional,
    Phrase,
    Term,
    all_of,
    one_of,
    parts,
)

__all__ = ["Parsed", "parse", "tree_of"]

MOST_NESTED = 100
_FOLLOW = "a word, a phrase or a parenthesis must follow"


class Parsed(NamedTuple):
    """Tree of a query, None if it has no words; and remarks on parts that may look like something else."""

    tree: Node | None
    remarks: list[str]


def parse(
    text: str,
    mode: str = "lenient",
    known_fields: Collection[str] | None = None,
    advice: str = "",
) -> Parsed:
    """Parse a text in the query language to a tree.

    Parameters
    ----------
    text : str
        The query.
    mode : {'lenient', 'strict', 'plain'}
        ``strict`` refuses whatever is not of the query language. ``lenient`` takes it as text, and says so in a remark.
        ``plain`` has no operators.
    known_fields : collection of str or None
        The names that may stand before a colon; None: any.
    advice : str
        The end of a remark on any other name, with {0} instead of the name.

    Returns
    -------
    Parsed
        The tree, and the remarks. In a tree, no `Or` is a part of an `Or`, only an `And` with optional parts is one of
        an `And`, and only the `And` of a single required part (``+cat``) has one part; ``parse(str(tree), "strict")``
        gives the tree again.

    Raises
    ------
    QueryError
        If a strict query is not of the query language; or if any but a plain query has more than 10,000 words or is
        nested more than 100 deep.

    Examples
    --------
    >>> parse('tick removal -dog').tree
    And(nodes=(Or(nodes=(Term(word='tick'), Term(word='removal'))), Not(node=Term(word='dog'))))
    >>> print(parse('"tick removal" AND (dog OR cat)^2').tree)
    "tick removal" AND (dog OR cat)^2
    >>> parse('C++ "tick').remarks
    ['the quotation mark has no partner and is left out']
    >>> parse('cat AND (dog', 'strict')
    Traceback (most recent call last):
    toysearch.query.lexer.QueryError: '(' has no partner:
      cat AND (dog
              ^
    """
    expect(str, text=text)
    return read(text, mode, known_fields, advice)


def read(text: str, mode: str, known_fields: Collection[str] | None, advice: str) -> Parsed:
    """Parse like `parse`, for arguments that need no check."""
    expect_name("mode", mode, MODES)
    if mode == "plain":
        words = [Term(word) for word in text.split()]
        return Parsed(one_of(words), [])
    if tree := simple_tree(text):
        return Parsed(tree, [])
    lexer = Lexer(text, mode == "strict", known_fields, advice)
    tree, remarks = _Parser(lexer).tree(), lexer.remarks
    if not lexer.strict:
        remarks += _elsewhere(text, known_fields or ())
    return Parsed(tree, remarks)


_NEAR = (
    r"\bNEAR\((?P<words>[^(),]+)(?:,\s*(?P<n>\d{1,4}))?\)"
    r"|\b(?P<first>\w+) NEAR/(?P<distance>\d{1,4}) (?P<last>\w+)"
)
_USUAL_NEAR = "10"  # words between, in SQLite
_OTHERS = {
    r'(?s)\A\s*\{.*:\s*"([^"]+)".*': r"\1",  # a body of Elasticsearch
    r"(?s)\A\s*\{(?!.*:\s*\").*\}\s*\Z": "QUERY",
    r"(?is)\A\s*(?:SELECT\s.*\s|\w+\s+)?MATCH\s+'([^']+)'.*": r"\1",
    r"\b_search\?q=([^&\s]+)": r"\1",
    r"\b_exists_:(\w+)": r"the filter \1:*",
    r"(?<!\S)\*:\*(?=\s+(?:AND\s+)?(?:-|!|NOT\s+)(\w+))": r"NOT \1",
    r"\A\s*\*:\*\s*\Z": "NOT and a word, for all documents without it",
    r"(?<!\S)(\w+) ANDMAYBE (\w+)": r"+\1 \2",
    r"(?<!\S)(\w+) REQUIRE (\w+)": r"\1 AND \2",
    r"(?<!\S)(\w+) \+ (\w+)(?!\S)": r'"\1 \2"',
    r"(?<!\S)(?=\S*\w)([^\s/\":.*+]*)\.[*+]([^\s/\":.*+]*)(?!\S)": r"\1*\2",
}
"""Pattern of what other programs read → how it is written here."""
_USUAL_FIELDS = ("title", "text")  # known before an index has fields
_SPACED = r"(?<!\S)(\w+) ?: (\w+)"


def _elsewhere(text: str, known_fields: Collection[str]) -> Iterator[str]:
    """Say how to write what other programs read: a request, SQL, NEAR, a blank beside the colon of a field."""
    for pattern, here in _OTHERS.items():
        if match := re.search(pattern, text):
            yield f"{quoted(match[0])} is text: write {match.expand(here)}"
    for near in re.finditer(_NEAR, text):
        words = re.findall(r"\w+", near["words"] or f"{near['first']} {near['last']}")
        window = int(near["n"] or near["distance"] or _USUAL_NEAR) + len(words)
        yield f"{quoted(near[0])} is text: write #uw{window}({' '.join(words)})"
    for spaced in re.finditer(_SPACED, text):
        if spaced[1] in {*known_fields, *_USUAL_FIELDS}:
            yield f"{quoted(spaced[0])} is text: write {spaced[1]}:{spaced[2]} to search in a field"


def tree_of(text: str, query_mode: str) -> Node | None:
    """Return the tree of a query, whatever fields an index has; None if it is only words.

    >>> str(tree_of("cat -dog", "lenient")), tree_of("cat dog", "lenient")
    ('cat AND NOT dog', None)
    """
    expect(str, text=text, query_mode=query_mode)
    if is_words(text, query_mode):
        return None
    return read(text, query_mode, None, "").tree


def simple_tree(text: str) -> Node | None:
    """Return the tree of a text that is only a phrase, or only words joined by AND; None for any other."""
    # Most structured queries are of these forms, and need no lexer.
    if len(text) > MOST_WORDS:
        return None
    if text[:1] == text[-1:] == '"':
        words = text[1:-1].split(" ")
        return Phrase(*words) if all(map(str.isalnum, words)) else None
    words = text.split(" AND ")
    if len(words) > 1 and all(map(str.isalnum, words)) and OPERATORS.isdisjoint(words):
        return And(*map(Term, words))
    return None


class _Part(NamedTuple):
    """Part of a group: its node, the operator before it, its sign (``-`` also for NOT), and its first character."""

    node: Node
    operator: str
    sign: str
    start: int


@dataclass
class _Group:
    opening: Lexeme
    parts: list[_Part] = field(default_factory=list)
    operator: Lexeme | None = None  # AND or OR, before the next part
    prefixes: list[Lexeme] = field(default_factory=list)  # + - NOT and fields, before the next part


class _Parser:
    """Builds the tree of the lexemes; a stack of open groups takes the place of recursion."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer
        self._groups = [_Group(Lexeme("(", 0, 0, ""))]

    def tree(self) -> Node | None:
        for lexeme in self._lexer:
            self._take(lexeme)
        while len(self._groups) > 1:
            place = self._groups[-1].opening.start
            self._lexer.odd(place, "'(' has no partner", "'(' has no partner; it is closed at the end")
            self._close(Lexeme(")", len(self._lexer.text), len(self._lexer.text)))
        self._finish(self._groups[0])
        tree = self._joined(self._groups[0], outermost=True)
        waiting = [] if tree is None else [(tree, 0)]
        while waiting:  # functions that call themselves cannot go deeper
            node, depth = waiting.pop()
            if depth > MOST_NESTED:
                raise self._too_deep(0)
            waiting += [(part, depth + 1) for part in parts(node)]
        return tree

    def _take(self, lexeme: Lexeme) -> None:
        group = self._groups[-1]
        if lexeme.kind == "node":
            self._add(lexeme, lexeme.value)
        elif lexeme.kind == "(":
            self._refuse_nesting(lexeme)
            self._groups.append(_Group(lexeme))
        elif lexeme.kind == ")" and len(self._groups) > 1:
            self._close(lexeme)
        elif lexeme.kind == ")":
            self._lexer.odd(lexeme.start, "')' has no partner", "')' has no partner and is left out")
        elif lexeme.kind in ("AND", "OR"):
            self._join(lexeme, group)
        elif lexeme.kind == "left out":
            group.operator, group.prefixes = None, []
        elif lexeme.kind != "skipped":
            self._refuse_nesting(lexeme)
            group.prefixes.append(lexeme)

    def _refuse_nesting(self, lexeme: Lexeme) -> None:
        if max(len(self._groups), len(self._groups[-1].prefixes)) > MOST_NESTED:
            raise self._too_deep(lexeme.start)

    def _too_deep(self, place: int) -> QueryError:
        return QueryError(f"the query is nested more than {MOST_NESTED} deep", self._lexer.text, place)

    def _join(self, lexeme: Lexeme, group: _Group) -> None:
        before = group.prefixes[-1] if group.prefixes else group.operator
        if before is not None and (before.kind == "field" or not group.prefixes):
            problem = f"{_FOLLOW} {self._typed(before)}"
            self._lexer.odd(lexeme.start, problem, f"'{lexeme.kind}' after {self._typed(before)} is left out")
        elif before is not None:
            self._lexer.odd(lexeme.start, f"{_FOLLOW} {self._typed(before)}", f"'{lexeme.kind}' is text after a sign")
            self._add(lexeme, Term(lexeme.kind))
        elif not group.parts:
            problem = f"a word, a phrase or a parenthesis must stand before {lexeme.kind}"
            self._lexer.odd(lexeme.start, problem, f"'{lexeme.kind}' at the beginning is text")
            self._add(lexeme, Term(lexeme.kind))
        else:
            group.operator = lexeme

    def _typed(self, lexeme: Lexeme) -> str:
        return quoted(self._lexer.text[lexeme.start : lexeme.end])

    def _close(self, lexeme: Lexeme) -> None:
        group = self._groups.pop()
        self._finish(group)
        opening, required = group.opening, None
        if lexeme.value is not None:
            n, nodes = lexeme.value, [all_of([part.node for part in run]) for run in _runs(group.parts)]
            is_plain = not opening.value and not any(part.sign for part in group.parts)
            if is_plain and 1 <= n <= len(nodes):
                required = AtLeast(n, *nodes)
            else:
                problem = f"'@{n}' follows {max(n, 2)} or more parts without signs, such as (cat dog tick)@2"
                self._lexer.odd(lexeme.start, problem, f"'@{n}' is left out: it {problem.partition(' ')[2]}")
        node = required or (self._applied(group) if opening.value else self._joined(group))
        if node is None:
            self._lexer.odd(opening.start, "the parentheses enclose no word", "empty parentheses are left out")
            self._take(lexeme._replace(kind="left out"))
        else:
            self._add(lexeme._replace(start=opening.start), node)

    def _finish(self, group: _Group) -> None:
        """Take operators at the end of a group without a part after them as text."""
        waiting = ([group.operator] if group.operator else []) + group.prefixes
        if not waiting:
            return
        problem = f"{_FOLLOW} {self._typed(waiting[-1])}"
        group.operator, group.prefixes = None, []
        for lexeme in waiting:
            word = self._lexer.text[lexeme.start : lexeme.end]
            self._lexer.odd(lexeme.start, problem, f"'{word}' at the end is text")
            group.parts.append(_Part(Term(word), "", "", lexeme.start))

    def _add(self, lexeme: Lexeme, node: Node) -> None:
        group = self._groups[-1]
        if lexeme.weight is not None:
            node = Boost(node, lexeme.weight)
        sign = ""
        for prefix in reversed(group.prefixes):
            sign = ""
            if prefix.kind == "field":
                node = Field(prefix.value, node)
            elif prefix.kind == "+":
                sign = "+"
            else:
                node, sign = Not(node), "-"
        start = group.prefixes[0].start if group.prefixes else lexeme.start
        group.parts.append(_Part(node, group.operator.kind if group.operator else "", sign, start))
        group.operator, group.prefixes = None, []

    # Nodes of a group

    def _joined(self, group: _Group, outermost: bool = False) -> Node | None:
        if len(group.parts) == 1 and not group.parts[0].sign:
            return group.parts[0].node
        runs = [*_runs(group.parts)]
        free = [
            run[0].operator != "OR" and (at + 1 == len(runs) or runs[at + 1][0].operator != "OR")
            for at, run in enumerate(runs)
        ]
        signs = [self._sign(run, alone) for run, alone in zip(runs, free, strict=True)]
        if outermost and not self._lexer.strict and runs and all(sign == "-" for sign in signs):
            return self._as_words(group.parts)
        nodes = [all_of([part.node for part in run]) for run in runs]
        for run, sign in zip(runs, signs, strict=True):  # before a number, a sign may be meant as a part of it
            node = run[0].node.node if isinstance(run[0].node, Not) else run[0].node
            if sign and len(run) == 1 and isinstance(node, Term) and node.word[0].isdigit():
                typed = f"{sign}{node.word}"
                if not self._lexer.strict and self._lexer.text.startswith(typed[:20], run[0].start):
                    does = "leaves out documents with" if sign == "-" else "requires"
                    self._lexer.remark(f"'{typed:.40}' {does} {node.word:.40}; \\{typed:.40} is the number")
        if outermost and signs == ["+"] and not isinstance(nodes[0], Not):
            return And(nodes[0])
        if "+" in signs:
            return all_of([node if sign else Optional(node) for node, sign in zip(nodes, signs, strict=True)])
        positive = one_of([node for node, sign in zip(nodes, signs, strict=True) if not sign])
        prohibited = [node for node, sign in zip(nodes, signs, strict=True) if sign]
        return all_of(prohibited if positive is None else [positive, *prohibited]) if prohibited else positive

    def _sign(self, run: list[_Part], alone: bool) -> str:
        """Return the sign of parts joined by AND: + if required, - if prohibited, "" if one of several."""
        required = next((part for part in run if part.sign == "+"), None)
        if required is not None and not alone:
            self._lexer.odd(
                required.start,
                "a part is either required (+) or one of several (OR)",
                "'+' beside OR is left out",
            )
        if not alone:
            return ""
        return "+" if required is not None else run[0].sign if len(run) == 1 else ""

    def _as_words(self, parts: list[_Part]) -> Node | None:
        """Take the parts of a lenient query that would only leave out documents as text, if the sign is -, as in -9."""
        words = []
        for part in parts:
            typed = self._lexer.text[part.start]
            assert isinstance(part.node, Not)
            inner = part.node.node
            if typed == "-":
                self._lexer.remark("'-' is text: there are no other words to search for")
                words.append(Term(f"-{inner.word}") if isinstance(inner, Term) else inner)
            else:
                words.append(part.node)
        return one_of(words)

    def _applied(self, group: _Group) -> Node | None:
        name, place = group.opening.value, group.opening.start
        parts = []
        for part in group.parts:
            sign = self._lexer.text[part.start]
            if part.sign and sign in "+-":
                problem = f"'{sign}' has no meaning inside #{name}(…)"
                self._lexer.odd(part.start, problem, f"{problem} and is left out")
                node = part.node.node if part.sign == "-" and isinstance(part.node, Not) else part.node
                part = part._replace(node=node, sign="")
            parts.append(part)
        nodes = [all_of([part.node for part in run]) for run in _runs(parts)]
        if not nodes:
            return None
        try:
            return applied(name, nodes)
        except ArgumentError as error:
            self._lexer.odd(place, str(error), f"#{name} is left out: {error}")
            return one_of(nodes)


def _runs(parts: list[_Part]) -> Iterator[list[_Part]]:
    run: list[_Part] = []
    for part in parts:
        if run and part.operator != "AND":
            yield run
            run = []
        run.append(part)
    if run:
        yield run
