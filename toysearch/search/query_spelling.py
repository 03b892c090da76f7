"""A better spelling of a query tree: its plain words are corrected where they stand, joined and split too."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from toysearch.base import checked
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import And, Boost, Field, Node, Not, Optional, Or, Phrase, Synonyms, Term
from toysearch.search.matching import filter_fields
from toysearch.search.spelling import suggest

__all__ = ["suggest_tree"]

_BETWEEN = "\n\n"  # words with more than one character between them are not joined
_Change: TypeAlias = Callable[[Sequence[str]], Sequence[str]]


@checked
def suggest_tree(index: Index, tree: Node, text: str) -> Node | None:
    """A query tree with its words in a better spelling, as `suggest` finds it.

    Neighbouring words are joined if nothing but a blank is between them: words of a phrase, and words without an
    operator. A word that is split becomes two words of its phrase, or one of two words; where it is required or
    prohibited, both words; in a group of synonyms, a phrase.

    Parameters
    ----------
    index : Index
        The index searched.
    tree : Node
        The query.
    text : str
        The text from which it was read.

    Returns
    -------
    Node or None
        None if no word is better spelt in another way. Patterns and ranges stay as they are.

    Examples
    --------
    >>> from toysearch.query.parser import parse
    >>> index = Index.build(["tick removal for dogs", "a password"])
    >>> for text in ("tickremoval AND dogs", "pass word -dgos", "pass AND word"):
    ...     print(suggest_tree(index, parse(text).tree, text))
    tick AND removal AND dogs
    password AND NOT dogs
    None
    """
    blank = " ".join(text.split())
    runs: list[str] = []

    def kept(words: Sequence[str]) -> Sequence[str]:
        runs.append(" ".join(" ".join(words).split()))
        return words

    filters = filter_fields(index)
    _Respelling(kept, blank, filters).node(tree, _any)
    better = suggest(index, _BETWEEN.join(runs))
    if better is None:
        return None
    pairs = iter(zip(runs, better.text.split(_BETWEEN), strict=True))

    def corrected(words: Sequence[str]) -> Sequence[str]:
        before, after = next(pairs)
        return words if before == after else after.split()

    return _Respelling(corrected, blank, filters).node(tree, _any)


_Several: TypeAlias = Callable[[Sequence[str]], Node]


class _Respelling(NamedTuple):
    """A change of each run of plain words in a tree; the values of fields that filter stay as they are."""

    change: _Change
    text: str
    filters: Collection[str]

    def node(self, node: Node, several: _Several) -> Node:
        """A tree with its words changed; `several` joins the words into which a word alone is split."""
        if isinstance(node, Term):
            words = self.change([node.word])
            return Term(words[0]) if len(words) == 1 else several(words)
        if isinstance(node, Phrase):
            words = self.change(node.words)
            return Term(words[0]) if len(words) == 1 < len(node.words) else Phrase(*words, slop=node.slop, gap=node.gap)
        if isinstance(node, Synonyms):
            return Synonyms(*(self.node(part, _in_order) for part in node.nodes))
        if isinstance(node, And | Or):
            required = isinstance(node, And) and sum(not isinstance(part, Not) for part in node.nodes) > 1
            several = _all if required else _any
            nodes = [part for run in _runs(node.nodes, self.text) for part in self.run(run, several)]
            return nodes[0] if len(nodes) == 1 else type(node)(*nodes)
        if isinstance(node, Not | Optional):
            return type(node)(self.node(node.node, _all if isinstance(node, Not) else _any))
        if isinstance(node, Boost) or (isinstance(node, Field) and node.name not in self.filters):
            return replace(node, node=self.node(node.node, several))
        return node

    def run(self, run: Sequence[Node], several: _Several) -> list[Node]:
        """The parts that take the place of one part of an `And` or `Or`, or of neighbouring plain words."""
        words, optional = [_plain_word(part) for part in run], isinstance(run[0], Optional)
        if len(run) == 1 and not (words[0] and optional):
            return [self.node(run[0], several)]
        return [Optional(Term(word)) if optional else Term(word) for word in self.change(words)]


def _runs(nodes: Sequence[Node], text: str) -> Iterator[list[Node]]:
    """The parts of an `And` or `Or`; plain words with a blank between them in the text are together."""
    run: list[Node] = []
    for node in nodes:
        if run:
            words = _plain_word(run[-1]), _plain_word(node)
            together = all(words) and re.search(rf"(?<!\w){' '.join(map(re.escape, words))}(?!\w)", text)
            if not together or type(node) is not type(run[-1]):
                yield run
                run = []
        run.append(node)
    yield run


def _plain_word(node: Node) -> str:
    """The word of a part that is a required, an optional or a free word; empty for any other."""
    word = node.node if isinstance(node, Optional) else node
    return word.word if isinstance(word, Term) else ""


def _all(words: Sequence[str]) -> Node:
    return And(*map(Term, words))


def _any(words: Sequence[str]) -> Node:
    return Or(*map(Term, words))


def _in_order(words: Sequence[str]) -> Node:
    return Phrase(*words)
