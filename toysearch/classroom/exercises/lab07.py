"""Lab 7, Cranfield: traps in its files, a first evaluation, a bar to reach, the worst queries, one order explained."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from toysearch import Collection, Searcher, evaluate, explain_order, load
from toysearch.base import Query, Run, without_notes
from toysearch.classroom.answers import at_least, function, number, table, text, unordered, whole
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers, Unusable, swapped, wrong_functions
from toysearch.classroom.lab_collection import query_values, value_of
from toysearch.study import Study

Codes = dict[str, int]
Shares = tuple[str, float, float]
"""A term, and its shares of the scores of two documents."""


# 7.3 and 7.4: codes


def _ranking_with_codes(draw: Draw) -> Drawn:
    """Draw a ranking: the source paper (-1) in the first two, as mostly, three coded documents found, three missed."""
    names = [str(number) for number in draw.some(range(11, 990), 10)]
    source, retrieved, missed, unjudged = names[0], names[1:4], names[4:7], names[7:]
    rest = draw.shuffled([*retrieved, *unjudged])
    place = draw.whole(0, 1)
    ranking = [*rest[:place], source, *rest[place:]]
    codes = dict(
        zip([*retrieved, *missed], draw.shuffled([1, 2, 3, 4, draw.whole(2, 4), draw.whole(1, 3)]), strict=True)
    )
    return {"ranking": ranking, "codes": {**codes, source: -1}}


def _ndcg(
    given: Given, gain: Callable[[int], int] = lambda code: 5 - code if code > 0 else 0, measure: str = "nDCG@5"
) -> float:
    return value_of(given.ranking, {doc_id: gain(code) for doc_id, code in given.codes.items()}, measure)


def _ap(given: Given, source: int) -> float:
    grades = {doc_id: 1 if code > 0 else source for doc_id, code in given.codes.items()}
    return value_of(given.ranking, grades)


def _two_readings(given: Given) -> Numbers:
    return {"not relevant": _ap(given, 0), "relevant": _ap(given, 1)}


def _taken_out(given: Given) -> Numbers:
    """Give the source paper's rank to the next document."""
    ranking = [doc_id for doc_id in given.ranking if given.codes.get(doc_id) != -1]
    return _two_readings(given) | {"not relevant": _ap(Given(ranking=ranking, codes=given.codes), 0)}


# 7.1: judgments that count places


def _numbered_queries(draw: Draw) -> Drawn:
    """Draw nine .I numbers with gaps, and judgments by place; the number asked for is also another query's place."""
    numbers = [1, 2]
    while len(numbers) < 9:
        numbers.append(numbers[-1] + (2 if len(numbers) == 2 else draw.whole(1, 3)))
    query_id = draw.one([number for number in numbers[2:] if number <= 9])
    doc_ids = draw.some(range(11, 990), 27)
    judgments: list[tuple[int, int, int]] = []
    for place in range(1, 10):
        chosen = [doc_ids.pop() for _ in range(3)]
        judgments += [(place, doc_id, code) for doc_id, code in zip(chosen, (draw.whole(1, 2), 3, -1), strict=True)]
    return {"query_ids": [f"{number:03}" for number in numbers], "judgments": judgments, "query_id": f"{query_id:03}"}


def _judged(given: Given, place: int, lowest: int = 1) -> list[int]:
    """Return the documents judged for the query at a place, with a code from `lowest` on."""
    return [doc_id for number, doc_id, code in given.judgments if number == place and code >= lowest]


def _place(given: Given) -> int:
    return int(given.query_ids.index(given.query_id)) + 1


# 7.2: a reader of SMART files

_TITLES = ("slip flow", "heat in nozzles", "flutter of plates", "wings at low speed", "the blunt body", "jet mixing")
_LINES = (
    "the pressure is measured on a model .",
    "a theory of small waves is given .",
    "results agree with tests at mach 3 .",
    "the plate is cooled from below .",
    "an exact solution is found for the layer .",
    "the wake is stable up to a point .",
)


def _smart_file(draw: Draw) -> str:
    """Draw four documents in some order: a usual one, an empty one, and two with marker lines inside the text."""
    numbers, titles, lines = sorted(draw.some(range(1, 60), 4)), draw.some(_TITLES, 4), draw.some(_LINES, 6)
    usual = [titles[0], lines[0], lines[1]]
    author_inside = [titles[1], lines[2], ".A", "unity .", ".B", lines[3]]
    text_twice = [titles[2], lines[4], ".W", lines[5]]
    bodies = draw.shuffled([usual, author_inside, text_twice, []])
    parts = []
    for doc_id, body in zip(numbers, bodies, strict=True):
        parts += [f".I {doc_id}", ".T", *body[:1], ".A", *(["brown,j.", "li,w."][: len(body)]), ".B", ".W", *body]
    return "\n".join(parts) + "\n"


def _smart_files(draw: Draw, given: Given) -> list[tuple[str]]:
    """Draw usual files; make others: with one document, many, text like markers, a third .W, capitals."""
    one, other, more = draw.some(_LINES, 3)
    number = draw.whole(61, 99)
    head = [".T", "slip flow", "in nozzles", ".A", "brown,j.", ".B", "j. ae. scs. 25, 1958, 324."]
    odd_text = f".W\n{one}\n.45 of the wing\n.Inflow\n.\n-2\nof\nI\nW\n.W\n{other}\n.W\nsee fig .A\n.X\nlaw .I 7 .T"
    odd = [f".I {number}", *head, ".X", "1 2 3", odd_text]
    bare = [f".I {number + 1}", *head, f".I {number + 2}", ".T", ".W", more]
    many = [part for each in range(1, 131) for part in (f".I {each}", ".W", f"{other} {each}")]
    files: tuple[list[str], ...] = ([f".I {number}", ".W", one], [*odd, *bare], bare[:-1], many)
    return [(_smart_file(draw),), (_smart_file(draw),), *(("\n".join(lines),) for lines in files)]


def _texts(
    text: str, fields: str = "W", switching: bool = False, last: bool = False, empty: bool = True, marks: bool = False
) -> dict[str, str]:
    """Read the texts of a SMART file by id; each of the flags is a mistake."""
    texts: dict[str, list[str]] = {}
    lines: list[str] = []
    field = ""
    for line in text.splitlines():
        if line.startswith(".I "):
            lines, field = texts.setdefault(line[3:].strip(), []), ""
        elif line[:1] == "." and len(line) == 2:
            if line == ".W" and last:
                lines.clear()
            if field == "W" and marks:
                lines.append(line)
            field = line[1] if switching or field != "W" else field
        elif field in fields:
            lines.append(line)
    return {doc_id: " ".join(parts) for doc_id, parts in texts.items() if parts or empty}


@functools.cache
def _collection() -> Collection:
    """Load Cranfield: its texts, or the word counts that come with toysearch."""
    with without_notes():
        return load("cranfield")


# 7.5: a bar

_SETTINGS = ("bm25", "bm25:k1=0.9,b=0.4", "bm25:k1=2,b=0.75", "bm25:k1=2.5,b=0.6", "bm25:k1=1.5,b=0.9", "dph", "spl")


@functools.cache
def _study() -> Study:
    return Study.of(_collection())


@functools.cache
def _bm25() -> Run:
    with without_notes():  # a query with unknown words only
        return _study().run("bm25")


def _queries(given: Given) -> Sequence[Query]:
    return _collection().judged_queries[given.first : given.last]


def _mean_of(model: str, given: Given) -> float:
    values = query_values(model, on=_study())
    return fmean(values[query.query_id] for query in _queries(given))


def _bar(draw: Draw) -> Drawn:
    """Set the bar halfway from BM25 with its defaults to the best of a few settings, on half of the queries."""
    size = len(_collection().judged_queries)
    first = draw.whole(0, size // 3)
    part = {"first": first, "last": first + size // 2}
    means = [_mean_of(model, Given(**part)) for model in _SETTINGS]
    return {**part, "bar": math.floor(500 * (means[0] + max(means))) / 1000}


def _reached(answer: Any, given: Given) -> float:
    """Compute the mean AP of a searcher or a run on the student's queries, at most the bar."""
    if not isinstance(answer, Searcher | Run):
        raise Unusable(f"an object of type {type(answer).__name__}")
    with without_notes():
        run = answer.run(_queries(given)) if isinstance(answer, Searcher) else answer
        judged, name = _collection().qrels, _collection().name
        other = answer.index.collection if isinstance(answer, Searcher) else ""
        is_foreign = run.doc_ids and not {*run.doc_ids} & {*judged.doc_ids}
        if other not in ("", name) or is_foreign:
            of = f"the index of {other}" if other else "documents of another collection"
            raise Unusable(f"{of}; the queries and judgments are of {name}")
        values = evaluate(run, judged, "AP", threshold=_collection().threshold).per_query
    return min(fmean(values[query.query_id]["AP"] for query in _queries(given)), float(given.bar))


def _good_enough(given: Given) -> Run:
    with without_notes():
        return _study().run(max(_SETTINGS, key=lambda model: _mean_of(model, given)))


# 7.6: a bad query


@functools.cache
def _poor() -> list[str]:
    """Return queries with several relevant documents that BM25 answers badly, but not without a hit."""
    return [
        query_id
        for query_id, value in query_values("bm25", on=_study()).items()
        if 0 < value < 0.25 and len(_wanted(query_id)) > 2 and query_id in _bm25().query_ids
    ]


def _wanted(query_id: str, from_grade: float | None = None) -> list[str]:
    of = _collection()
    lowest = of.threshold if from_grade is None else from_grade
    return [doc_id for doc_id, grade in of.qrels[query_id].items() if grade >= lowest]


def _whereabouts(given: Given, from_grade: float | None = None, first: int = 1) -> dict[str, int]:
    """Count the relevant documents, those in the first ten and those beyond 100, and find the first rank of one."""
    relevant = _wanted(given.query_id, from_grade)
    ranks = {doc_id: rank for rank, doc_id in enumerate(_bm25()[given.query_id], first)}
    ranked = sorted(ranks[doc_id] for doc_id in relevant if doc_id in ranks)
    return {
        "relevant": len(relevant),
        "first rank": ranked[0],
        "in the first 10": sum(rank < 10 + first for rank in ranked),
        "not in the first 100": len(relevant) - sum(rank < 100 + first for rank in ranked),
    }


def _above_100(given: Given) -> dict[str, int]:
    right = _whereabouts(given)
    return right | {"not in the first 100": right["relevant"] - right["not in the first 100"]}


# 7.7: one order


@functools.cache
def _orders() -> list[dict[str, str]]:
    """Return pairs with a document that is not relevant above a relevant one, both in the first ten."""
    run = _bm25()
    orders = []
    for query_id in (query.query_id for query in _collection().judged_queries if query.query_id in run.query_ids):
        relevant = set(_wanted(query_id))
        first = list(run[query_id])[:10]
        orders += [
            {"query_id": query_id, "above": above, "below": below}
            for place, above in enumerate(first)
            for below in first[place + 1 :]
            if above not in relevant and below in relevant
        ]
    return orders


def _clear_order(draw: Draw) -> dict[str, str]:
    """Draw a pair for which the three readings of the question name three different terms."""
    while True:
        order = Given(**draw.one(_orders()))
        if len({_term(order, key) for key in (_ahead, _behind, _upper_share)}) == 3:
            return vars(order)


def _ahead(part: Shares) -> float:
    return part[2] - part[1]


def _behind(part: Shares) -> float:
    return part[1] - part[2]


def _upper_share(part: Shares) -> float:
    return part[2]


@functools.lru_cache(maxsize=256)
def _parts(query_id: str, above: str, below: str) -> list[Shares]:
    """Return each term with its share of the score below and above."""
    why = explain_order(Searcher(_study().index(), "bm25"), _collection().query(query_id).text, above, below)
    return [(part.name, part.first, part.second) for part in why.parts if part.kind == "term"]


def _term(given: Given, key: Callable[[Shares], float] = _ahead) -> str:
    return max(_parts(given.query_id, given.above, given.below), key=key)[0]


def _unstemmed(given: Given) -> str:
    """Return the word, as written in the query, whose term is the answer."""
    words = re.findall(r"\w\w+", _collection().query(given.query_id).text.lower())
    term = _term(given)
    return next((word for word in words if _study().index().analyzer(word) == [term]), term)


EXERCISES = (
    Exercise(
        title="Whose judgments?",
        why="A join on the wrong ids gives plausible numbers without any error; checksums and counts catch it.",
        given=_numbered_queries,
        answer=unordered(whole(), "documents"),
        expected=lambda g: _judged(g, _place(g)),
        mistakes={
            "you joined by the .I number; the judgments count queries by their position in the file.": lambda g: (
                _judged(g, int(g.query_id))
            ),
            "the code −1 is not one of the codes for relevant, which go from 1 to 4.": lambda g: _judged(
                g, _place(g), -1
            ),
            "you joined by the .I number, and counted the code −1 as relevant; both are wrong here.": lambda g: _judged(
                g, int(g.query_id), -1
            ),
            "your positions count from 0; those in the judgments count from 1.": lambda g: _judged(g, _place(g) - 1),
        },
        hints=(
            "What is the position of your query in query_ids, counted from 1?",
            "The first number of a judgment is that position. The last one is its code.",
        ),
    ),
    Exercise(
        title="A reader of SMART files",
        why="Old formats are full of special cases; a reader that counts its records finds its own mistakes.",
        answer=function(table(text(exact=True), "documents"), "documents(text)"),
        inputs=_smart_files,
        expected=lambda g: _texts,
        mistakes=wrong_functions(
            {
                "you lose text after a marker line inside an abstract; everything from .W to the next .I is text.": {
                    "switching": True
                },
                "you discard the text before a second .W; the text continues there.": {"last": True},
                (
                    "your abstract ends at a marker line and restarts at a second .W; everything after .W is text up "
                    "to the next .I."
                ): {"switching": True, "last": True},
                "you lost a document without text; keep its id, with an empty text.": {"empty": False},
                "the marker lines themselves are not text; leave them out.": {"marks": True},
                "you included the title; .W repeats it already.": {"fields": "TW"},
            },
            _texts,
        ),
        hints=(
            "Go through text.splitlines(). A line that starts with '.I ' begins a document: put its id into your dict "
            "at once, so that an empty one is included.",
            "Keep a flag that says whether you are inside .W: .W sets it, only .I clears it. Inside, add a line unless "
            "it is a marker (a full stop and one capital letter). ' '.join(lines) makes one text.",
        ),
        points=3,
    ),
    Exercise(
        title="Codes that run backwards",
        why="Codes that run backwards reward the weakest documents, and nothing in the output looks wrong.",
        given=_ranking_with_codes,
        answer=number(3),
        expected=_ndcg,
        mistakes={
            "you took the codes as gains: then the weakest answers, code 4, gain most.": {"gain": lambda code: code},
            "5 − (−1) = 6 would be the best grade of all; −1 gains nothing here.": {"gain": lambda code: 5 - code},
            "every relevant document gains 1 in your answer; it should gain 5 − code.": {
                "gain": lambda code: int(code > 0)
            },
            "this is the DCG; divide it by that of the ideal ranking.": {"measure": "DCG@5"},
            "the gain at rank i is divided by log2(i + 1), from rank 1 on; you took log2(i).": {
                "measure": "nDCG(discount='jk')@5"
            },
            "you took 2^gain − 1; the gain here is 5 − code itself.": {"measure": "nDCG(dcg='exp-log2')@5"},
            "your ideal ranking has only retrieved documents; make it from all judged documents.": {
                "measure": "nDCG(ideal='ranking')@5"
            },
            "this is nDCG of the whole ranking; cut it at rank 5, and the ideal too.": {"measure": "nDCG"},
        },
        hints=(
            "First the gains: 5 − code for the codes 1 to 4, and 0 for −1 and for documents without a code.",
            'Then nDCG@5 as in lab 6: your own function, or toysearch.evaluate of {"q": ranking} and {"q": gains}.',
        ),
    ),
    Exercise(
        title="The value of −1",
        why="One undocumented code moves the mean: report how you read it.",
        given=_ranking_with_codes,
        answer=table(number(3), "readings"),
        expected=_two_readings,
        mistakes={
            "you swapped the two readings.": swapped(_two_readings, "relevant", "not relevant"),
            "if the document with −1 is relevant, there is one relevant document more to divide by.": lambda g: (
                _two_readings(g) | {"relevant": _ap(g, 1) * len(g.codes) / (len(g.codes) - 1)}
            ),
            "a document that is not relevant keeps its rank; you let the others move up.": _taken_out,
        },
        hints=(
            "The codes 1 to 4 are relevant, in the second reading also −1; AP divides by all of them, found or not.",
            "Make two dicts of grades, 1 for relevant and 0 for not. Evaluate with each, or use your function from "
            "lab 6.",
        ),
    ),
    Exercise(
        title="A bar to reach",
        why="Analysis and two parameters often gain more than a new formula; try them before you invent one.",
        given=_bar,
        answer=at_least(_reached, "a Searcher, or a Run of one", "mean AP"),
        expected=_good_enough,
        hints=(
            "An analyzer for English gains more than any formula: toysearch.Index.build(collection) takes "
            "it from the collection. sorted(toysearch.MODELS) lists the models.",
            'BM25 has two parameters, by default "bm25:k1=1.2,b=0.75". Try k1 from 0.6 to 3 and b from 0.3 to 0.9 in a '
            "loop over both, with mean_ap on your queries.",
        ),
        points=3,
    ),
    Exercise(
        title="Ranks of the relevant documents",
        why="The ranks of the relevant documents show what to improve: the order or the matching.",
        given=lambda draw: {"query_id": draw.one(_poor())},
        answer=table(whole(), "numbers"),
        expected=_whereabouts,
        mistakes={
            "you counted every judged document; a relevant document has a grade that reaches the threshold.": {
                "from_grade": -math.inf
            },
            "ranks count from 1; your first one is 0.": {"first": 0},
            "you counted the relevant documents within the first 100; count the others.": _above_100,
        },
        hints=(
            "run[query_id] lists the doc_ids, best first; enumerate(…, 1) gives them ranks. "
            "qrels[query_id] is a dict from doc_id to grade.",
            "A relevant document that is not in the run at all is not among the first 100 either.",
        ),
        points=2,
    ),
    Exercise(
        title="The term that made the difference",
        why="An explanation that adds up turns 'the system is bad' into a term that one can act on.",
        given=_clear_order,
        answer=text(),
        expected=_term,
        mistakes={
            "this term has the largest share in the score of the upper one; the lower one has some of it too.": {
                "key": _upper_share
            },
            "this is the term that helps the lower one most.": {"key": _behind},
            "this is the word of the query; give the term in the index, which is a stem.": _unstemmed,
        },
        hints=(
            "print(toysearch.explain_order(searcher, query.text, above, below)) shows both documents side by side.",
            "The column on the right says by how much a term puts the upper document ahead; the largest number with a "
            "plus is the one to find; give its term as printed.",
        ),
    ),
)
