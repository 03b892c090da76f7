"""Exercises that ask for a function: every wrong one fails for everybody, and right ones pass, however they are written.

The solutions of the labs are changed piece by piece, and each change is either wrong for all students or for none.
"""

import ast
import copy
import itertools
import math
import re
from types import SimpleNamespace

import numpy as np
from conftest import ROOT
from lengths import EVERYTHING

from toysearch.classroom.answers import judge, observe
from toysearch.classroom.exercise import LESSONS

FUNCTIONS = {
    each.number: each
    for lesson in LESSONS
    for each in lesson.exercises
    if each.answer.expects.startswith("a function ")
}
NUMBERS = sorted(set(FUNCTIONS) - {"1.10"}, key=lambda number: [*map(int, number.split("."))])  # has a bar instead
STUDENTS = [(f"student {n}", salt) for n, salt in itertools.product(range(30 if EVERYTHING else 4), ("", "winter"))]


def cell(number):
    """The cell of a lab that answers an exercise, without its last line, which checks the answer."""
    lab = next((ROOT / "labs").glob(f"{int(number.partition('.')[0]):02}-*.py")).read_text(encoding="utf-8")
    [found] = [part for part in lab.split("# %%") if f'labs.check("{number}"' in part]
    return found.partition("\n")[2].partition("labs.check(")[0]


def made(tree, given):
    """The function that a cell defines last."""
    names = {"math": math, "np": np, "re": re, "itertools": itertools, "log2": math.log2}
    names["labs"] = SimpleNamespace(given=lambda number: given)
    exec(compile(ast.fix_missing_locations(tree), "lab", "exec"), names)
    return names[tree.body[-1].name]


class Pieces(ast.NodeTransformer):
    """Changes a tree at one place, in one of the ways that its piece has."""

    def __init__(self, wanted):
        self.wanted, self.seen = wanted, -1

    def visit(self, node):
        for change in changes(node):
            self.seen += 1
            if self.seen == self.wanted:
                return change
        return self.generic_visit(node)


SWAPPED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.In: (ast.NotIn,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
}


def copied(node, **fields):
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def without_one(nodes):
    return [[*nodes[:at], *nodes[at + 1 :]] for at in range(len(nodes))]


def changes(node):
    """Small changes of one node: other constants, operators and branches, and parts left out."""
    match node:
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield from (ast.Constant(other) for other in (node.value + 1, node.value - 1, 2 * node.value + 10))
        case ast.Constant(value=str()) if len(node.value) > 1:
            yield from (ast.Constant(other) for other in (node.value[1:], node.value[:-1]))
        case ast.Compare(ops=[operator]):
            yield from (copied(node, ops=[other()]) for other in SWAPPED.get(type(operator), ()))
        case ast.BinOp():
            yield from (copied(node, op=other()) for other in SWAPPED.get(type(node.op), ()))
            yield from (node.left, node.right)
        case ast.BoolOp():
            yield from node.values
        case ast.UnaryOp():
            yield node.operand
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.If():
            yield from (copied(node, test=ast.Constant(known)) for known in (True, False))
        case ast.Subscript(slice=ast.Slice()):
            yield node.value
        case ast.Call():
            yield from node.args
            yield from (copied(node, keywords=rest) for rest in without_one(node.keywords))
            yield from (copied(node, args=rest) for rest in without_one(node.args))
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
        case ast.comprehension(ifs=[_, *_]):
            yield copied(node, ifs=[])
        case ast.Tuple(ctx=ast.Load(), elts=[first, second]):
            yield copied(node, elts=[second, first])
        case ast.For() | ast.While() if len(node.body) > 1:
            yield from (copied(node, body=rest) for rest in without_one(node.body))
        case ast.For():
            yield copied(
                node, iter=ast.Subscript(ast.Call(ast.Name("list", ast.Load()), [node.iter], []), HEAD, ast.Load())
            )


HEAD = ast.Slice(None, ast.Constant(10))
"""What stands before the eleventh of a list."""


def mutants(number):
    """The solution of an exercise with one piece changed, each as source."""
    tree = ast.parse(cell(number))
    found = {}
    for wanted in itertools.count():
        pieces = Pieces(wanted)
        changed = pieces.visit(copy.deepcopy(tree))
        if pieces.seen < wanted:
            return list(found)
        found[ast.unparse(ast.fix_missing_locations(changed))] = None


def passes(number, function, student, salt):
    task = FUNCTIONS[number]
    case = task.case(student, salt)
    try:
        return judge(task, observe(task, function(case.given), case), case).passed
    except SyntaxError:
        return False


def verdicts(number, function):
    """Whether a function passes, for each student and secret."""
    return {passes(number, function, *each) for each in STUDENTS}
