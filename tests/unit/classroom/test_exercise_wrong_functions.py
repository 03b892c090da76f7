"""Exercises that ask for a function: a wrong one fails for everybody, a right one passes, however it is written.

The solutions of the labs are changed piece by piece, and each change is either wrong for all students or for none.
"""

import ast
import copy
import functools
import itertools
import json
import math
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from tiers import EVERYTHING
from wrong_functions import WRONG

from toysearch.classroom.answers import judge, observe
from toysearch.classroom.exercise import LESSONS

FUNCTIONS = {
    each.number: each
    for lesson in LESSONS
    for each in lesson.exercises
    if each.answer.expects.startswith("a function ")
}
NUMBERS = sorted(set(FUNCTIONS) - {"1.10"}, key=lambda number: [*map(int, number.split("."))])  # has a bar instead
each_number = pytest.mark.parametrize("number", NUMBERS)
STUDENTS = [(f"student {n}", salt) for n, salt in itertools.product(range(10 if EVERYTHING else 2), ("", "winter"))]


def cell(number):
    """The cell of a lab that answers an exercise, without its last line, which checks the answer."""
    lab = next((ROOT / "notebooks/sources").glob(f"{int(number.partition('.')[0]):02}-*.py"))
    [found] = [part for part in lab.read_text(encoding="utf-8").split("# %%") if f'labs.check("{number}"' in part]
    return found.partition("\n")[2].partition("labs.check(")[0]


def made(tree, given):
    """The function that a cell defines last."""
    names = {"math": math, "np": np, "re": re, "itertools": itertools, "log2": math.log2, "Counter": Counter}
    names["spent"] = spending()
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


class Bounded(ast.NodeTransformer):
    """Lets a loop without an end fail after some thousand rounds."""

    def visit_While(self, node):
        return copied(node, body=[ast.parse("spent()").body[0], *node.body])


def spending():
    rounds = iter(range(10_000))
    return lambda: next(rounds)


@functools.cache
def asked(number, student, salt):
    """An exercise as a student has it, with what is seen of the right answer."""
    task = FUNCTIONS[number]
    case = task.case(student, salt)
    return case, observe(task, task.expected(case.given), case)["seen"]


def passes(number, function, student, salt):
    """Whether a function, made from the given values, has the points."""
    case, right = asked(number, student, salt)
    seen = observe(FUNCTIONS[number], function(case.given), case)
    return seen["state"] == "seen" and FUNCTIONS[number].answer.same(seen["seen"], right)


def verdicts(number, source):
    """Whether a function passes, for each student and secret."""
    tree = Bounded().visit(ast.parse(source))
    return {passes(number, functools.partial(made, tree), *each) for each in STUDENTS}


@each_number
def test_a_wrong_function_has_no_points_for_any_student(number):
    """At home and in the mark, whatever the secret of the lecturer."""
    wrong = [*FUNCTIONS[number].wrong_answers(), *WRONG[number]]
    for (function, reason), each in itertools.product(wrong, STUDENTS):
        assert not passes(number, function, *each), (each, reason)


@each_number
def test_a_wrong_function_is_told_its_own_mistake(number):
    task = FUNCTIONS[number]
    case, _ = asked(number, *STUDENTS[-1])
    sentences = {}
    for mistake in task.wrong_answers():
        seen = json.dumps(observe(task, mistake.answer(case.given), case))
        assert sentences.setdefault(seen, mistake.sentence) == mistake.sentence
    for mistake in task.wrong_answers()[:: 1 if EVERYTHING else 9]:
        told = judge(task, observe(task, mistake.answer(case.given), case), case).sentences
        assert told == (f"Not right: {mistake.sentence}",)


@each_number
def test_inputs_need_no_second_draw(number):
    """What tells mistakes apart is made, not drawn, so the first draw serves everybody."""
    task = FUNCTIONS[number]
    for student, salt in STUDENTS:
        assert task.case(student, salt).inputs == task._case(student, 0, salt, 0).inputs


RIGHT = {
    "1.2": (
        "def f(text):\n    def go(rest, word):\n        if not rest: return [word] if len(word) > 1 else []\n"
        "        if rest[0].isalnum() or rest[0] == '_': return go(rest[1:], word + rest[0])\n"
        "        return ([word] if len(word) > 1 else []) + go(rest[1:], '')\n    return go(text.lower(), '')",
        "def f(text):\n    return [word for word in re.split(r'\\W+', text.lower()) if len(word) > 1]",
        "def f(text):\n    return re.findall(r'(?u)\\b\\w\\w+\\b', text.lower())",
        "def f(text):\n    return [word.lower() for word in re.findall(r'\\w{2,}', text)]",
        "def f(text):\n    spaced = ''.join(c if c.isalnum() or c == '_' else ' ' for c in text.lower())\n"
        "    return tuple(word for word in spaced.split() if word[1:])",
    ),
    "2.2": (
        "def f(documents):\n    triples = sorted((t, n) for n, d in enumerate(documents, 1) for t in d)\n"
        "    return {t: [(n, len(list(g))) for n, g in itertools.groupby(x[1] for x in rest)] for t, "
        "rest in itertools.groupby(triples, lambda x: x[0])}",
        "def f(documents):\n    index = {}\n    for n, tokens in enumerate(documents):\n"
        "        for term, tf in Counter(tokens).items():\n            index.setdefault(term, []).append([n + 1, tf])\n"
        "    return index",
        "def f(documents):\n    return {t: [(n, d.count(t)) for n, d in enumerate(documents, 1) if t in d] "
        "for t in sorted({t for d in documents for t in d})}",
    ),
    "2.9": (
        "def f(phrase, documents):\n    m = len(phrase)\n    return [n for n, d in enumerate(documents, 1)"
        " if any(d[i:i + m] == phrase for i in range(len(d)))]",
        "def f(phrase, documents):\n    return [n + 1 for n in range(len(documents)) if "
        "' ' + ' '.join(phrase) + ' ' in ' ' + ' '.join(documents[n]) + ' ']",
    ),
    "3.4": (
        "def f(tf, df, N):\n    terms = list(tf)\n    if not terms: return {}\n"
        "    w = (1 + np.log([tf[t] for t in terms])) * np.log(N / np.array([df[t] for t in terms]))\n"
        "    n = np.sqrt(w @ w)\n    return dict(zip(terms, w / n if n else w))",
        "def f(tf, df, N):\n    w = {t: (1 + np.log(tf[t])) * np.log(N / df[t]) for t in tf}\n"
        "    norm = np.linalg.norm(list(w.values())) or 1\n    return {t: w[t] / norm for t in w}",
        "def f(tf, df, N):\n    w = {t: (1 + math.log(tf[t])) * math.log10(N / df[t]) for t in tf}\n"
        "    norm = sum(x * x for x in w.values()) ** 0.5\n"
        "    return {t: w[t] / norm if norm > 0 else 0 for t in w}",
    ),
    "4.4": (
        "def f(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75):\n"
        "    return np.log((N + 1) / (df + 0.5)) / (1 + k1 * ((1 - b) + b * dl / avgdl) / tf)",
    ),
    "4.8": (
        "def f(tf, cf, dl, T, lambda_):\n"
        "    p = math.prod((1 - lambda_) * n / dl + lambda_ * c / T for n, c in zip(tf, cf))\n"
        "    return math.log(p)",
        "def f(tf, cf, dl, T, lambda_):\n    p = 1\n    for n, c in zip(tf, cf):\n"
        "        p *= (1 - lambda_) * n / dl + lambda_ * c / T\n    return math.log(p)",
    ),
    "5.4": (
        "def f(returned, relevant):\n    hits = sum(d in relevant for d in returned)\n"
        "    P, R = hits / max(1, len(returned)), hits / max(1, len(relevant))\n"
        "    return {'P': P, 'R': R, 'F': 2 * hits / max(1, len(returned) + len(relevant))}",
    ),
    "6.3": (
        "def f(ranking, relevant):\n    def go(k, hits):\n        if k == len(ranking): return 0\n"
        "        if ranking[k] in relevant: return (hits + 1) / (k + 1) + go(k + 1, hits + 1)\n"
        "        return go(k + 1, hits)\n    return go(0, 0) / len(relevant) if relevant else 0",
        "def f(ranking, relevant):\n    wanted = set(relevant)\n    if not wanted:\n        return 0\n"
        "    ranks = [n for n, d in enumerate(ranking, 1) if d in wanted]\n"
        "    return sum(n / rank for n, rank in enumerate(ranks, 1)) / len(wanted)",
        "def f(ranking, relevant):\n    total = 0\n    for k in range(1, len(ranking) + 1):\n"
        "        if ranking[k - 1] in relevant:\n"
        "            total += len(set(ranking[:k]) & set(relevant)) / k\n    return total / max(1, len(relevant))",
    ),
    "6.5": (
        "def f(ranking, grades, k):\n"
        "    def dcg(g, r=1): return g[0] / log2(r + 1) + dcg(g[1:], r + 1) if g else 0\n"
        "    best = dcg(sorted(grades.values(), reverse=True)[:k])\n"
        "    return dcg([grades.get(d, 0) for d in ranking[:k]]) / best if best else 0",
        "def f(ranking, grades, k):\n    def dcg(g):\n        return sum(x / math.log(i + 2)"
        " for i, x in enumerate(g[:k]))\n    best = dcg(sorted(grades.values())[::-1])\n"
        "    return dcg([grades.get(d, 0) for d in ranking]) / best if best else 0.0",
    ),
    "7.2": (
        "def f(text):\n    found = {}\n    for line in text.split('\\n'):\n        if line[:3] == '.I ':\n"
        "            n, inside = line[3:].strip(), False\n            found[n] = ''\n"
        "        elif re.match(r'^\\.[A-Z]$', line):\n            inside = inside or line == '.W'\n"
        "        elif inside:\n            found[n] += line + ' '\n    return found",
        "def f(text):\n    def go(lines, n, inside, out):\n        if not lines: return out\n"
        "        line, rest = lines[0], lines[1:]\n        if line.startswith('.I '):\n"
        "            out[line[3:]] = []\n            return go(rest, line[3:], False, out)\n"
        "        if re.fullmatch(r'\\.[A-Z]', line): return go(rest, n, inside or line == '.W', out)\n"
        "        if inside: out[n].append(line)\n        return go(rest, n, inside, out)\n"
        "    return {n: ' '.join(l) for n, l in go(text.splitlines(), '', False, {}).items()}",
        "def f(text):\n    found = {}\n    for part in re.split(r'^\\.I ', text, flags=re.M)[1:]:\n"
        "        number, _, rest = part.partition('\\n')\n"
        "        after = re.split(r'^\\.W$', rest, maxsplit=1, flags=re.M)\n"
        "        lines = after[1].splitlines() if after[1:] else []\n"
        "        kept = [line for line in lines if line and not re.fullmatch(r'\\.[A-Z]', line)]\n"
        "        found[int(number)] = ' '.join(kept)\n    return found",
    ),
    "8.3": (
        "def f(d):\n    ways = Counter({0: 1})\n    for x in d:\n        new = Counter()\n"
        "        for s, n in ways.items():\n            new[s + x] += n\n            new[s - x] += n\n"
        "        ways = new\n    return sum(n for s, n in ways.items() if abs(s) >= abs(sum(d))) / 2 ** len(d)",
        "def f(d):\n    n, seen, count = len(d), abs(sum(d)), 0\n    for bits in range(2 ** n):\n"
        "        total = sum(x if bits >> i & 1 else -x for i, x in enumerate(d))\n"
        "        count += abs(total) >= seen\n    return count / 2 ** n",
        "def f(d):\n    sums = [sum(s * x for s, x in zip(signs, d)) / len(d)"
        " for signs in itertools.product((-1, 1), repeat=len(d))]\n"
        "    return float(np.mean(np.abs(sums) >= abs(sum(d) / len(d))))",
    ),
    "9.5": (
        "def f(a, b):\n    names = sorted({*a, *b})\n    m = np.zeros((len(names), len(names)))\n"
        "    for x, y in zip(a, b): m[names.index(x), names.index(y)] += 1\n    m /= m.sum()\n"
        "    E = (m.sum(0) * m.sum(1)).sum()\n    return (np.trace(m) - E) / (1 - E)",
        "from fractions import Fraction\ndef f(a, b):\n    n = len(a)\n"
        "    A = Fraction(sum(x == y for x, y in zip(a, b)), n)\n"
        "    E = Fraction(sum(x == y for x in a for y in b), n * n)\n    return (A - E) / (1 - E)",
        "def f(first, second):\n    n = len(first)\n    one, two = Counter(first), Counter(second)\n"
        "    a = sum(x == y for x, y in zip(first, second)) / n\n"
        "    e = sum(one[g] * two[g] for g in one.keys() | two.keys()) / n ** 2\n    return 1 - (1 - a) / (1 - e)",
    ),
    "11.3": (
        "def f(query, expansion, lambda_):\n"
        "    out = Counter({w: lambda_ * c / sum(query.values()) for w, c in query.items()})\n"
        "    for w, s in expansion.items(): out[w] += (1 - lambda_) * s\n    return +out",
    ),
    "13.3": (
        "def f(lists):\n    if not lists: return {}\n"
        "    def seen(s): return [] if not s else [s[0]] if s[0][1] else [s[0], *seen(s[1:])]\n"
        "    flat = [x for s in lists for x in seen(s)]\n"
        "    looks, clicks = Counter(d for d, _ in flat), Counter(d for d, c in flat if c)\n"
        "    return {d: clicks[d] / n for d, n in looks.items()}",
        "def f(lists):\n    seen = []\n    for shown in lists:\n        for d, clicked in shown:\n"
        "            seen.append((d, clicked))\n            if clicked:\n                break\n"
        "    return {d: np.mean([c for x, c in seen if x == d]) for d, _ in seen}",
    ),
}
"""Other right functions of some exercises."""


@each_number
def test_a_right_function_has_all_points_however_it_is_written(number):
    for source in (cell(number), *RIGHT.get(number, ())):
        assert verdicts(number, source) == {True}, source


@pytest.mark.parametrize("number", ["2.2", "6.3", "6.5", "9.5"])
def test_a_right_function_that_empties_what_it_is_given_is_wrong(number):
    case, _ = asked(number, "ada", "")
    right = FUNCTIONS[number].expected(case.given)

    def emptying(*arguments):
        result = right(*arguments)
        arguments[0].clear()
        return result

    found = judge(FUNCTIONS[number], observe(FUNCTIONS[number], emptying, case), case)
    assert not found.passed
    assert "changes what it is called with, which the caller still needs; work on a copy" in found.sentences[0]


EQUIVALENT = {
    "2.4": (
        "def f(a, b, operator):\n    A, B = set(a), set(b)\n"
        "    r = A & B if operator == 'AND' else A | B if operator == 'OR' else A - B\n"
        "    end = min(a[-1], b[-1]) if a and b else 0\n"
        "    return sorted(r), len({x for x in A | B if x <= end})",
        "def f(a, b, operator):\n    def go(i, j, n, r):\n        while True:\n"
        "            if i == len(a) or j == len(b):\n"
        "                return r + (a[i:] if operator != 'AND' else []) + (b[j:] if operator == 'OR' "
        "else []), n\n"
        "            if a[i] == b[j]: return go(i + 1, j + 1, n + 1, r + ([a[i]] if operator != 'NOT' else []))\n"
        "            if a[i] < b[j]: return go(i + 1, j, n + 1, r + ([a[i]] if operator != 'AND' else []))\n"
        "            return go(i, j + 1, n + 1, r + ([b[j]] if operator == 'OR' else []))\n"
        "    return go(0, 0, 0, [])",
        "if operator in ('OR', 'AND'):",
        "elif a[i] <= b[j]:",
        "if operator in ('NOT', 'OR'):",
        "if operator >= 'OR':",
    ),
    "2.9": ("for number, starts in lists[0].items()",),  # documents come in their order
    "4.8": ("zip(tf, cf))", "zip(tf, cf, strict=False)"),
    "5.4": ("if P * R else 0", "if P else 0}", "if R else 0}"),
    "6.3": ("hits, total = (0.0, 0)",),
    "7.2": ("found, inside = ({}, True)",),  # nothing stands before the first document
    "8.3": ("product((-1, 1)", "zip(signs, differences))", "zip(signs, differences, strict=False)"),
    "9.5": ("zip(first, second))", "zip(first, second, strict=False)"),
    "10.1": ("labs.given('0.1')", "labs.given('10.')"),  # the same values here
    "13.3": ("clicks, looks = ({}, {})",),
}
"""What changes nothing: a part of each changed solution that is right."""


@pytest.mark.system
@each_number
def test_a_changed_piece_of_a_solution_is_wrong_for_all_or_right_for_all(number):
    for source in mutants(number):
        try:
            found = verdicts(number, source)
        except (AttributeError, NameError, SyntaxError, TypeError):  # not a function any more
            continue
        right = any(part in source for part in EQUIVALENT.get(number, ()))
        assert found == {right} or (right and found == {False}), source
