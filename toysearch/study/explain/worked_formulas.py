"""Expressions of the weight of a term: the lines of the model's code, with numbers in place of names.

The source of the model's function is read, and its assignments are run one by one on one posting. A line of arithmetic
is shown in full, any other line by its value. If the result differs from the weight in the score, nothing is shown.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import EQUAL, PRODUCT, Explanation, Expression, expect, groups_of
from toysearch.base.explanation import bracketed, sum_of_texts
from toysearch.models import Model, public_name
from toysearch.models.formula import FUNCTIONS
from toysearch.retrieval import Asked, SearcherLike, in_turn, searcher_of, term_counts, term_text
from toysearch.retrieval.scoring import document_part
from toysearch.study.explain.score_explanation import ScoreExplanation
from toysearch.study.explain.term_shares import TermShare

__all__ = ["HookExpressions", "expressions", "hook_expressions"]

WEIGHT = "weight"
"""Name of the value that a model's function returns."""

_CALLS: Mapping[Any, str] = {
    np.log: "ln",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "ln",  # its argument in the code, plus 1
    np.exp: "exp",
    np.sqrt: "sqrt",
    np.abs: "abs",
    np.minimum: "min",
    np.maximum: "max",
    np.where: "where",
    math.log: "ln",
    math.exp: "exp",
    math.sqrt: "sqrt",
    abs: "abs",
    min: "min",
    max: "max",
}
_SIGNS = {" * ": " · ", " - ": " − ", " ** ": "^", " // ": " div ", " % ": " mod "}
_NEGLIGIBLE = 1e-9  # of a sum: at most the rounding error
_DEEPEST = 5  # calls of helpers within helpers


def expressions(model: Model, share: TermShare, statistics: Mapping[str, float]) -> list[Expression]:
    """Write the weight of a term in a document as the lines of the model's code, with numbers in place of names.

    Parameters
    ----------
    model : Model
        The model that scored.
    share : TermShare
        The term, from the result of `explain`.
    statistics : mapping of str to float
        The collection statistics, from the result of `explain`.

    Returns
    -------
    list of Expression
        In the order of the code, the weight last. Empty if the code cannot be read or is not a sequence of
        assignments; in this case only ``share.parts`` is known.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = toysearch.explain(toysearch.Searcher(index, "bm25"), "cat", "2")
    >>> for line in expressions(toysearch.model("bm25"), why.terms[0], why.collection):
    ...     print(line.name, "=", line.numbers, "=", round(line.value, 4))
    idf = ln(1 + (3 − 2 + 0.5) / (2 + 0.5)) = 0.47
    length = 1 − 0.75 + 0.75 · 4 / 3 = 1.25
    weight = 0.470004 · 2 / (2 + 1.2 · 1.25) = 0.2686
    >>> line.formula
    'idf · tf / (tf + k1 · length)'
    """
    expect(Model, model=model)
    expect(TermShare, share=share)
    expect(Mapping, statistics=statistics)
    of_term = {name: np.array([value]) for name, value in share.statistics.items()}
    return code_expressions(model.function, {**model.parameters, **statistics, **of_term}, share.weight)


def code_expressions(
    function: Callable[..., Any], given: Mapping[str, Any], value: float, name: str = WEIGHT
) -> list[Expression]:
    """Write the lines of a function's code, with numbers in place of names."""
    values = dict(given)
    lines = []
    try:
        text = getattr(function, "text", None)
        if isinstance(text, str):  # a formula
            calls = {name: call for name, (_, call) in FUNCTIONS.items()}
            assignments: Iterable[_Line] = [([WEIGHT], ast.parse(text, mode="eval").body, calls)]
        else:
            assignments = _run(_definition(function).body, _scope(function), values)
        with np.errstate(all="ignore"):
            for names, tree, scope in assignments:
                lines += _line(names, tree, scope, values)
    except Exception:  # user code run line by line may raise anything; it is then not a sequence of assignments
        return []
    if not lines or lines[-1].name != WEIGHT or not math.isclose(lines[-1].value, value, rel_tol=1e-12):
        return []
    *others, last = _returned(lines)
    return [*others, last._replace(name=name)]


def _returned(lines: list[Expression]) -> list[Expression]:
    """Replace a last line that only names an earlier one (``gain = tf * idf; return gain``) by that one."""
    *others, last = lines
    for place in range(len(others) - 1, -1, -1):
        if others[place].name == last.formula:
            return [*others[:place], *others[place + 1 :], others[place]._replace(name=WEIGHT)]
    return lines


def _line(names: list[str], tree: ast.expr, scope: Mapping[str, Any], variables: dict[str, Any]) -> list[Expression]:
    while isinstance(tree, ast.IfExp):
        tree = tree.body if _evaluated(tree.test, scope, variables) else tree.orelse
    value = _evaluated(tree, scope, variables)
    values = [value] if len(names) == 1 else list(value)
    texts, plain = ("", ""), None
    if len(names) == 1:
        with suppress(ValueError, OSError, TypeError):  # more than arithmetic, of which the value alone is known
            plain = _Inline(scope, _DEEPEST).visit(_copied(tree))
    if plain is not None:
        texts = _text(_Put(scope, {}).visit(_copied(plain))), _text(_Put(scope, variables).visit(_copied(plain)))
    variables |= dict(zip(names, values, strict=True))
    return [
        Expression(public_name(name), *texts, float(np.ravel(value)[0]))
        for name, value in zip(names, values, strict=True)
        if isinstance(value, (int, float, np.ndarray, np.generic)) and np.size(value) == 1
    ]


_Line = tuple[list[str], ast.expr, Mapping[str, Any]]


def _run(body: list[ast.stmt], scope: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[_Line]:
    """Yield the assignments of a function in the order of execution, then its return value, each with its scope."""
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # the docstring
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield [WEIGHT], statement.value, scope
            return
        if isinstance(statement, ast.If):
            chosen = statement.body if _evaluated(statement.test, scope, named) else statement.orelse
            yield from _run(chosen, scope, named)
            if chosen and isinstance(chosen[-1], ast.Return):
                return
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield [ast.unparse(statement.target)], statement.value, scope
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            targets = [name.id for name in names if isinstance(name, ast.Name)]
            if len(targets) < len(names):
                raise ValueError("not assigned to names")
            yield targets, statement.value, scope
        else:
            raise ValueError(f"{type(statement).__name__} is not an assignment")


def _evaluated(tree: ast.expr, scope: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    return eval(compile(ast.Expression(tree), "<model>", "eval"), {**scope, **named})


@lru_cache(maxsize=1024)
def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    if not isinstance(tree, ast.FunctionDef):
        raise ValueError("no def")
    return tree


def _scope(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Names that the code of a function can use besides its parameters and local variables."""
    variables = inspect.getclosurevars(function)
    return {**vars(builtins), **variables.globals, **variables.nonlocals}


def _copied(tree: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(tree), mode="eval").body


class _Inline(ast.NodeTransformer):
    """Writes the calls of an expression in mathematical notation: log as ln, log1p as ln(1 + …), helpers written out.

    Raises a ValueError if a part of it is not arithmetic.
    """

    def __init__(self, scope: Mapping[str, Any], depth: int) -> None:
        self.scope, self.depth = scope, depth

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = _resolved(node.func, self.scope)
        arguments = [self.visit(argument) for argument in node.args]
        if node.keywords:
            raise ValueError("named arguments")
        if function in _CALLS:
            if function is np.log1p:
                arguments = [ast.BinOp(ast.Constant(1), ast.Add(), arguments[0])]
            return ast.Call(ast.Name(_CALLS[function], ast.Load()), arguments, [])
        if self.depth == 0 or not inspect.isfunction(function):
            raise ValueError("more than arithmetic")
        names = list(inspect.signature(function).parameters)
        body = [line for line in _definition(function).body if not isinstance(line, ast.Expr)]
        if len(names) != len(arguments) or len(body) != 1 or not isinstance(body[0], ast.Return):
            raise ValueError("more than one line")
        scope = _scope(function)
        returned = _Inline(scope, self.depth - 1).visit(_copied(body[0].value or ast.Constant(0)))
        put = _Put(scope, dict(zip(names, arguments, strict=True)), only_constants=True)
        written: ast.expr = put.visit(returned)
        return written

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        raise ValueError("more than arithmetic")

    visit_Subscript = visit_ListComp = visit_GeneratorExp = visit_Lambda = visit_IfExp = visit_Attribute  # type: ignore[assignment]


class _Put(ast.NodeTransformer):
    """Replaces given names and the constants of the code by numbers or expressions; others lose their underscore."""

    def __init__(self, scope: Mapping[str, Any], given: Mapping[str, Any], *, only_constants: bool = False) -> None:
        self.scope, self.given, self.only_constants = scope, given, only_constants

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Call(node.func, [self.visit(argument) for argument in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.given:
            value = self.given[node.id]
            return value if isinstance(value, ast.expr) else _number(float(np.ravel(value)[0]))
        constant = self.scope.get(node.id)
        if self.only_constants:
            return _number(float(constant)) if isinstance(constant, (int, float)) else node
        if isinstance(constant, (int, float)) and self.given:
            return _number(float(constant))
        return ast.Name(public_name(node.id), ast.Load())


def _number(value: float) -> ast.expr:
    """Number of up to six digits; a negative one as a unary minus, so that it gets brackets where it needs them."""
    written = ast.Name(f"{abs(value):.6g}", ast.Load())
    return ast.UnaryOp(ast.USub(), written) if value < 0 else written


def _resolved(tree: ast.expr, scope: Mapping[str, Any]) -> Any:
    if isinstance(tree, ast.Name):
        return scope.get(tree.id)
    if isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
        return getattr(scope.get(tree.value.id), tree.attr, None)
    return None


def _text(tree: ast.expr) -> str:
    text = re.sub(r"(?<= [-+*/] )(-[0-9.]+(e[-+][0-9]+)?)", r"(\1)", ast.unparse(tree))
    for sign, written in _SIGNS.items():
        text = text.replace(sign, written)
    return text


class HookExpressions(NamedTuple):
    """Values that the hooks of a model compute for a query and a document.

    Attributes
    ----------
    query : dict of str to list of Expression
        Term → its query weight ``q``, if it differs from the count of the term.
    per_matched_document : list of Expression
        The part added to each ranked document: one line, with one summand per query term.
    document : list of Expression
        The part of the document itself.
    """

    query: dict[str, list[Expression]]
    per_matched_document: list[Expression]
    document: list[Expression]


def hook_expressions(searcher: SearcherLike, text: Asked, doc_id: str) -> HookExpressions:
    """Write the values of the hooks of a model for a query and a document, with numbers in place of names.

    The list of a hook is empty if the model lacks it or it is more than arithmetic.

    Parameters
    ----------
    searcher : Searcher
        The index and a single model.
    text : str
        The query.
    doc_id : str
        The document.

    Raises
    ------
    ArgumentError
        If the model is a mixture, or the index has no such document.

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> from toysearch.index.inverted_index import Index
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> found = hook_expressions(Searcher(index, "lm-dirichlet:10"), "cat dog", "2")
    >>> found.document[0].numbers, found.per_matched_document[0].numbers
    ('-2 · ln(1 + 4 / 10)', '1 · ln(1 / 9) + 1 · ln(3 / 9)')
    """
    searcher = searcher_of(searcher)
    weights, planned = searcher.weights, searcher.plan(text)
    model, number = weights.model, searcher.index.doc_number(doc_id)
    constants = {**model.parameters, **weights.constants}
    of_query = {**planned.query.statistics, **term_counts(searcher.index, planned.query)}
    query, summands = {}, []
    for place, term in enumerate(planned.query.numbers.tolist()):
        inputs = {
            **constants,
            **{
                name: (value[place : place + 1] if isinstance(value, np.ndarray) else value)
                for name, value in of_query.items()
            },
        }
        if "query" in model.hooks and planned.query_weights[place] != planned.query.qtf[place]:
            lines = code_expressions(model.hooks["query"], inputs, float(planned.query_weights[place]), "q")
            if shown := [line for line in lines if line.numbers]:
                query[term_text(searcher.index, planned.query, term)] = shown
        if "per_matched_document" in model.hooks:
            summands += code_expressions(
                model.hooks["per_matched_document"], inputs, float(planned.every[place]), "per_matched_document"
            )[-1:]
    every = []
    if summands and all(line.numbers for line in summands):
        numbers = sum_of_texts([line.numbers for line in summands])
        every = [Expression("per_matched_document", f"Σ {summands[0].formula}", numbers, in_turn(planned.every))]
    document = []
    if "document" in model.hooks and len(planned.terms):
        docs = np.array([number])
        statistics = weights.document_statistics(docs, ("dl", "distinct", "max_tf", "bytes"))
        inputs = {**constants, **planned.query.statistics, **statistics}
        part = float(document_part(weights, planned, docs)[0])
        document = [
            line for line in code_expressions(model.hooks["document"], inputs, part, "document") if line.numbers
        ]
    return HookExpressions(query, every, document)


_SUMS = {"term": "Σ weight · q", "feature": "Σ share"}
"""Symbol for all summands of a kind."""


def score_expressions(why: ScoreExplanation, model: Model | None = None) -> list[Expression]:
    """Write the score as the sum of its parts; under a similarity, the sum s over the terms and the score made from it.

    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = toysearch.explain(toysearch.Searcher(index, "dice"), "cat sat", "1")
    >>> for line in score_expressions(why):
    ...     print(line.name, "=", line.formula, "=", line.numbers, "=", line.value)
    s = Σ weight · q = 1 + 1 = 2.0
    score = 2s / (dd + qq) = 2 · 2 / (3 + 2) = 0.8
    """
    if why.score is None:
        return []
    score = why.tree
    while score.kind == "pipeline":  # its score is that of its last stage
        score = score.parts[0]
    if score.kind in ("function", "run"):  # it comes from elsewhere
        return []
    if score.is_below:
        lowest, below = score.parts[0].parts
        return [Expression("score", "lowest − places", f"{lowest.value:.6g} − {below.value}", score.value)]
    if score.formula == EQUAL and score.kind == "model":
        return _similarity_expressions(score, model)
    summands = [part for part in score.summands if part.kind not in ("absent", "unknown")]
    names = [
        name
        for kind, parts in groups_of((part.kind, part) for part in summands).items()
        for name in ([_SUMS[kind]] if kind in _SUMS else map(_name, parts))
    ]
    formula = " + ".join(score.quantities.get("passages") or names or [_SUMS["term"]])
    numbers = [_numbers(part) for part in summands if not part.is_idle]
    return [Expression("score", formula, sum_of_texts(numbers), score.value)]


def _factors(product: Explanation) -> list[Explanation]:
    """Return the numbers that are multiplied, without a weight of 1, and without the scale of a similarity."""
    return [part for part in product.parts if part.kind or part.parts or (part.value != 1 and part.label != "scale")]


def _name(part: Explanation) -> str:
    if part.formula != PRODUCT:
        return part.label or part.kind
    return " · ".join(factor.label if factor.kind else f"{factor.value:g}" for factor in _factors(part))


def _numbers(part: Explanation) -> str:
    if part.formula != PRODUCT:
        return f"{part.value:.6g}"
    first, *others = _factors(part)
    return " · ".join([_numbers(first), *(bracketed(factor.value) for factor in others)])


def _similarity_expressions(score: Explanation, model: Model | None) -> list[Expression]:
    similarity, terms = score.parts[1], score.of_kind("term")
    s, numbers = similarity.parts[0], [_numbers(term) for term in terms]
    products = sum(math.prod(factor.value for factor in term.parts if factor.label != "scale") for term in terms)
    rest, formula = s.value - products, s.formula
    if abs(rest) > _NEGLIGIBLE * max(abs(products), 1.0):
        formula += " + per_matched_document + document"
        numbers.append(f"{rest:.6g}")
    values = {"s": s.value, **similarity.quantities}
    if model is not None:
        values |= {public_name(name): v for name, v in model.parameters.items() if isinstance(v, float)}

    def number(match: re.Match[str]) -> str:
        if match[2] not in values:
            return match[0]
        return f"{match[1]} · {bracketed(values[match[2]])}" if match[1] else bracketed(values[match[2]])

    put_in = re.sub(r"(?<![A-Za-z])(\d*)([A-Za-z][A-Za-z0-9]*)", number, similarity.formula)
    lines = [Expression("s", formula, sum_of_texts(numbers), s.value)]
    return [*lines, Expression("score", similarity.formula, put_in, score.value)]
