"""Parts of a query: its tree node by node, with the analysed words and the number of documents that match."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.analysis.left_out_words import NO_TOKEN, reasons
from toysearch.analysis.tokenizer import UNICODE
from toysearch.base import Column, ResultTable, Sentences, cut, expect, note, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.index.inverted_index import Index
from toysearch.query.parser import parse
from toysearch.query.syntax import (
    And,
    AtLeast,
    Boost,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Phrase,
    Range,
    Synonyms,
    Term,
    Wildcard,
    parts,
)
from toysearch.retrieval.matching import Matcher, known_fields, unkept, unrequired_filters, with_joined_words
from toysearch.rings import ring

__all__ = ["PATTERNS", "QueryPart", "condition", "query_outline", "read_query"]

PATTERNS = (Wildcard, Fuzzy)
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
        node = self.node
        if isinstance(node, Field):
            return str(Field(node.name, Term("x"))).removesuffix("x")
        if isinstance(node, Boost):
            return str(Boost(Term("x"), node.weight)).removeprefix("x")
        if isinstance(node, AtLeast):
            return f"at least {node.n}"
        return _OPERATORS.get(type(node)) or str(node)


_OPERATORS: dict[type, str] = {And: "AND", Or: "OR", Not: "NOT", Optional: "optional", Synonyms: "#syn"}


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
        The words of a phrase are analysed together. The `terms` of a wildcard and a fuzzy word are all terms of the
        index that fit, sorted; without an index, the pattern that terms are compared with. A word of several terms
        matches a document with any of them; where it is required or prohibited, only a document with all of them.

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
    expect(Node, tree=tree)
    expect(Analyzer, analyzer=analyzer)
    matcher = None if index is None else Matcher(index)
    outline = []
    # Depth of each node, the node, its field, and true if all of its terms have to occur.
    waiting: list[tuple[int, Node, str | None, bool]] = [(0, with_joined_words(tree, analyzer), None, False)]
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
    if isinstance(node, Wildcard | Fuzzy):
        return [analyzer.tokenizer.prepared(node.pattern if isinstance(node, Wildcard) else node.word)], {}
    return [], {}


def left_out(analyzer: Analyzer, text: str) -> dict[str, str]:
    """Find the words of a text from which an analyzer makes no term, each with the reason."""
    words = {word: reason.short for word, reason in reasons(text, analyzer)}
    return words or ({} if analyzer.tokenizer(text) else {text: NO_TOKEN[UNICODE].short})


def condition(node: Range) -> str:
    """Write the numbers of a range: ``1990 ≤ year < 2000``."""
    expect(Range, node=node)
    low, high = node.low_text or f"{node.low:.10g}", node.high_text or f"{node.high:.10g}"
    before = "" if node.low == -math.inf else f"{low} {'<' if node.above_low else '≤'} "
    after = "" if node.high == math.inf else f" {'<' if node.below_high else '≤'} {high}"
    return f"{before}{node.field}{after}"


_WIDEST = 40  # characters of a word or a phrase, in the outline
_SOME = 4  # terms of a pattern


def read_query(
    text: str,
    *,
    index: Index | None = None,
    analyzer: AnalyzerLike = "plain",
    mode: str = "lenient",
    textbook: bool = False,
) -> Page:
    """Show how a query is read, and the terms of its words.

    With an index, its fields may stand before a colon, and the documents that each part matches are counted.

    Parameters
    ----------
    text : str
        The text of the query.
    index : Index, optional
        The index whose documents are counted; its analyzer is used.
    analyzer : Analyzer, str or function, default "plain"
        The analysis of the words without an index.
    mode : str, default "lenient"
        How the text is read.
    textbook : bool, default False
        Work out merges and words with edits step by step.

    Examples
    --------
    >>> [part["terms"] for part in read_query("cats AND dogs", analyzer="english").data()["tree"]["parts"]]
    [['cat'], ['dog']]
    """
    expect(str, text=text)
    if index is None:
        (tree, remarks), analyzer = parse(text, mode), Analyzer.of(analyzer)
    else:
        tree, remarks = parse(text, mode, known_fields(index), "" if index.folder is None else unkept())
        remarks, analyzer = remarks + unrequired_filters(index, tree), index.analyzer
    for sentence in remarks:
        note(sentence)
    outline = [] if tree is None else query_outline(tree, analyzer, index)
    columns = table_columns("node", Column("terms", wrap=True), number_columns(",", n_documents="documents"))
    rows = [("  " * part.depth + cut(part.label, _WIDEST), _terms(part), part.n_documents) for part in outline]
    n_columns = 2 if index is None else 3
    table = ResultTable(columns[:n_columns], [row[:n_columns] for row in rows])
    data: dict[str, Any] = {
        "analyzer": str(analyzer),
        "query": None if tree is None else str(tree),
        "remarks": remarks,
        "tree": _nested(outline, index),
    }
    head = Sentences([f"analyzer: {analyzer}", f"query: {data['query'] or 'no words'}"], "", "")
    texts = []
    if textbook and tree is not None:
        steps = ring("worked queries").textbook_query(tree, index)
        data["textbook"] = [{"kind": type(step).__name__, **step._asdict()} for step in steps]
        texts = [str(step) for step in steps]
    nothing = "the query has no operator, phrase or pattern to work out"
    return Page([head, table, *texts], table, data, cautions=[nothing] if textbook and not texts else [])


def _terms(part: QueryPart) -> str:
    """Return the terms of a node, then its words without one."""
    if isinstance(part.node, Range):
        return condition(part.node)
    if part.n_documents is not None and isinstance(part.node, PATTERNS):
        first = " ".join(part.terms[:_SOME])
        return f"{first} … ({len(part.terms):,} terms)" if len(part.terms) > _SOME else first or "no term fits"
    reasons = dict.fromkeys(part.left_out.values())
    if len(part.left_out) == 1 and not part.terms:
        return f"left out: {next(iter(reasons))}"
    omitted = "; ".join(
        f"{', '.join(word for word, why in part.left_out.items() if why == reason)}: {reason}" for reason in reasons
    )
    return " ".join(filter(None, [" ".join(part.terms), omitted and f"(left out: {omitted})"]))


def _nested(outline: list[QueryPart], index: Any) -> dict[str, Any] | None:
    """Return the outline as objects in objects."""
    path: list[dict[str, Any]] = []
    for part in outline:
        nested = {
            "node": type(part.node).__name__,
            "text": str(part.node),
            "terms": part.terms,
            "left_out": part.left_out,
            **({} if index is None else {"n_documents": part.n_documents}),
            "parts": [],
        }
        del path[part.depth :]
        if path:
            path[-1]["parts"].append(nested)
        path.append(nested)
    return path[0] if path else None
