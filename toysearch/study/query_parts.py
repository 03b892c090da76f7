"""Parts of a query: its tree node by node, with the analysed words and the number of documents that match."""

from __future__ import annotations

import math
from typing import NamedTuple

from toysearch.analysis.analyzer import NO_TOKEN, Analyzer, reasons
from toysearch.analysis.tokenizer import UNICODE
from toysearch.base import checked
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import (
    And,
    Boost,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Phrase,
    Range,
    Regex,
    Synonyms,
    Term,
    Wildcard,
    parts,
)
from toysearch.search.matching import Matcher

__all__ = ["PATTERNS", "QueryPart", "condition", "query_outline"]

PATTERNS = (Wildcard, Fuzzy, Regex)
"""Nodes that stand for several terms."""


class QueryPart(NamedTuple):
    """Node of a query tree.

    depth: 0 for the whole query; terms: its analysed words; left_out: each word without a term, with the
    reason; n_documents: the number of documents that match, None without an index and for a node without a term.
    """

    depth: int
    node: Node
    terms: list[str]
    left_out: dict[str, str]
    n_documents: int | None = None

    @property
    def label(self) -> str:
        """Operator of the node, or its text if it has no parts."""
        if isinstance(self.node, Field):
            return str(Field(self.node.name, Term("x"))).removesuffix("x")
        if isinstance(self.node, Boost):
            return str(Boost(Term("x"), self.node.weight)).removeprefix("x")
        return _OPERATORS.get(type(self.node)) or str(self.node)


_OPERATORS: dict[type, str] = {And: "AND", Or: "OR", Not: "NOT", Optional: "optional", Synonyms: "#syn"}


@checked
def query_outline(tree: Node, analyzer: Analyzer, index: Index | None = None) -> list[QueryPart]:
    """List the nodes of a query tree, each before its parts.

    Parameters
    ----------
    tree : Node
        The tree, such as `toysearch.query.parser.parse` makes it.
    analyzer : Analyzer
        The analyzer of the index that is searched.
    index : Index or None
        Count the documents of this index that match each node.

    Returns
    -------
    list of QueryPart
        The words of a phrase are analysed together. The `terms` of a wildcard, a fuzzy word and a regular expression
        are all terms of the index that fit, sorted; without an index, the pattern that terms are compared with. A word
        of several terms matches a document with any of them; where it is required or prohibited, only a document with
        all of them.

    Raises
    ------
    ArgumentError
        If the index lacks a field of the query, or the positions or texts that a phrase needs.

    Examples
    --------
    >>> tree = Or(Term("Training"), Not(Term("the")))
    >>> for part in query_outline(tree, Analyzer.for_language("english")):
    ...     print("  " * part.depth + part.label, part.terms, part.left_out)
    OR [] {}
      Training ['train'] {}
      NOT [] {}
        the [] {'the': 'stop word'}
    """
    matcher = None if index is None else Matcher(index)
    outline = []
    # Depth of each node, the node, its field, and true if all of its terms have to occur.
    waiting: list[tuple[int, Node, str | None, bool]] = [(0, tree, None, False)]
    while waiting:
        depth, node, field, every = waiting.pop()
        meant = And(node) if every and isinstance(node, Term) else node
        meant = meant if field is None else Field(field, meant)  # it matches what the node matches at its place
        compared = matcher is not None and isinstance(meant, Field) and matcher.is_filter(meant.name)
        terms, reasons = ([], {}) if compared else _analysed(node, analyzer)
        if matcher is not None and isinstance(node, PATTERNS):
            terms = sorted(matcher.marked_terms(meant))
        counted = bool(terms) or not reasons
        outline.append(
            QueryPart(
                depth, node, terms, reasons, len(matcher.matches(meant)) if matcher is not None and counted else None
            )
        )
        field = node.name if isinstance(node, Field) else field
        every = isinstance(node, And | Not) or (every and isinstance(node, Field | Boost))
        waiting += [(depth + 1, part, field, every) for part in reversed(parts(node))]
    return outline


def _analysed(node: Node, analyzer: Analyzer) -> tuple[list[str], dict[str, str]]:
    if isinstance(node, Term | Phrase):
        text = node.word if isinstance(node, Term) else " ".join(node.words)
        return analyzer(text), left_out(analyzer, text)
    if isinstance(node, Wildcard):
        return [analyzer.tokenizer.prepared(node.pattern)], {}
    if isinstance(node, Fuzzy):
        return [analyzer.tokenizer.prepared(node.word)], {}
    return [node.pattern] if isinstance(node, Regex) else [], {}


def left_out(analyzer: Analyzer, text: str) -> dict[str, str]:
    """Find the words of a text from which an analyzer makes no term, each with the reason."""
    words = {word: reason.short for word, reason in reasons(text, analyzer)}
    return words or ({} if analyzer.tokenizer(text) else {text: NO_TOKEN[UNICODE].short})


@checked
def condition(node: Range) -> str:
    """Write the numbers of a range: ``1990 ≤ year < 2000``."""
    low, high = node.low_text or f"{node.low:.10g}", node.high_text or f"{node.high:.10g}"
    before = "" if node.low == -math.inf else f"{low} {'<' if node.above_low else '≤'} "
    after = "" if node.high == math.inf else f" {'<' if node.below_high else '≤'} {high}"
    return f"{before}{node.field}{after}"
