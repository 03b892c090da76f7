"""Lab 3: TF-IDF, SMART's letters, cosine, Dice and Jaccard, scikit-learn's weights, lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from toysearch.classroom.answers import function, number, table
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers, Wrong, wrong_functions
from toysearch.classroom.lab_collection import judged_ids, query_values
from toysearch.models.similarity import similarity

WORDS = ("cat", "dog", "parrot", "rabbit", "feed", "walk", "train", "vet", "cage", "lead", "play", "sleep")

# 3.5 Sets


def _two_texts(draw: Draw) -> Drawn:
    words = draw.some(WORDS, 7)
    x = [*words[:4], *draw.some(words[:3], draw.whole(1, 2))]
    y = [*words[2:7], *draw.some(words[2:4], draw.whole(1, 2))]
    return {"x": " ".join(draw.shuffled(x)), "y": " ".join(draw.shuffled(y))}


def _coefficients(both: float, of_x: float, of_y: float) -> Numbers:
    return {
        "dice": 2 * both / (of_x + of_y),
        "jaccard": both / (of_x + of_y - both),
        "cosine": both / math.sqrt(of_x * of_y),
    }


def _sizes(given: Given) -> tuple[int, int, int]:
    x, y = set(given.x.split()), set(given.y.split())
    return len(x & y), len(x), len(y)


def _of_sets(given: Given) -> Numbers:
    return _coefficients(*_sizes(given))


def _with_wrong(name: str, formula: Callable[[int, int, int], float]) -> Callable[[Given], Numbers]:
    return lambda g: _of_sets(g) | {name: formula(*_sizes(g))}


# 3.6 Weighted forms


def _weighted_pair(draw: Draw) -> Drawn:
    words = draw.some(WORDS, 4)
    return {
        "x": {word: draw.number(0.2, 3, decimals=1) for word in words[:3]},
        "y": {word: draw.number(0.2, 3, decimals=1) for word in (words[1], words[2], words[3])},
    }


def _without_cosine(coefficients: Numbers) -> Numbers:
    return {name: coefficients[name] for name in ("dice", "jaccard")}


def _euclidean(given: Given) -> Numbers:
    pair = similarity(given.x, given.y)
    return {"dice": pair.dice_euclidean, "jaccard": pair.jaccard_euclidean}


def _by_sums(given: Given, both: float) -> Numbers:
    return _without_cosine(_coefficients(both, sum(given.x.values()), sum(given.y.values())))


def _of_minima(given: Given) -> Numbers:
    shared = sorted(given.x.keys() & given.y.keys())
    return _by_sums(given, sum(min(given.x[word], given.y[word]) for word in shared))


def _log(number: float, base: float) -> float:
    return math.log(number) / math.log(base)


# 3.1 A weight by hand


def _weight(given: Given, tf: str = "log", base: float | None = None) -> float:
    base = base or given.base
    log = _log(given.tf, base)
    tf_part = {"log": 1 + log, "bare": log, "raw": given.tf, "plus": _log(1 + given.tf, base)}[tf]
    return float(tf_part * _log(given.N / given.df, base))


def _to_other_base(which: int) -> Wrong:
    """Take the logarithm to one of the two bases that are not the given one."""
    return lambda g: _weight(g, base=[base for base in (math.e, 10, 2) if base != g.base][which])


# 3.2 Cosine by hand


def _two_vectors(draw: Draw) -> Drawn:
    words = draw.some(WORDS, 5)
    x = {word: draw.whole(1, 6) for word in words[:4]}
    y = {word: draw.whole(1, 6) for word in draw.shuffled([words[0], words[2], words[4]])}
    return {"x": x, "y": y}


def _cosine_without_root(given: Given) -> float:
    pair = similarity(given.x, given.y)
    return pair.xy / (pair.xx * pair.yy)


def _cosine_of_shared(given: Given) -> float:
    shared = given.x.keys() & given.y.keys()
    return similarity({word: given.x[word] for word in shared}, {word: given.y[word] for word in shared}).cosine


# 3.3 lnc.ltc by hand


def _document_and_query(draw: Draw) -> Drawn:
    words = draw.some(WORDS, 5)
    return {
        "N": draw.whole(2, 9) * 1000,
        "df": {word: draw.whole(1, 90) * 10 for word in words},
        "document": {word: draw.one((1, 2, 3, 5, 8)) for word in words[:4]},
        "query": dict.fromkeys(draw.shuffled([words[0], words[1], words[4]]), 1),
    }


def _smart(given: Given, document: str = "lnc", query: str = "ltc", base: float = 10, over: str = "all terms") -> float:
    sides = []
    for letters, counts in ((document, given.document), (query, given.query)):
        weights = {}
        for word, tf in counts.items():
            tf_part = 1 + _log(tf, base) if letters[0] == "l" else tf
            weights[word] = tf_part * (_log(given.N / given.df[word], base) if letters[1] == "t" else 1.0)
        shared = [weights[word] for word in sorted(given.document.keys() & given.query.keys())]
        counted = shared if over == "shared terms" else list(weights.values())
        length = math.sqrt(sum(weight**2 for weight in counted)) if letters[2] == "c" else 1.0
        sides.append({word: weight / length for word, weight in weights.items()})
    return similarity(*sides).xy


# 3.4 Weights from scratch


def _documents(draw: Draw, given: Given) -> list[tuple[dict[str, int], dict[str, int], int]]:
    cases = []
    for _ in range(3):
        N = draw.whole(50, 2000)
        words = draw.some(WORDS, draw.whole(3, 5))
        cases.append(
            (
                {word: draw.one((1, 2, 2, 3, 4, 7)) for word in words[:-1]} | {words[-1]: 5},
                {word: draw.whole(1, N - 1) for word in WORDS},
                N,
            )
        )
    N = draw.whole(30, 90)
    df = {**dict.fromkeys(WORDS, 3), "cat": N, "dog": 1, "vet": N - 1}
    small = ({"cat": 3, "dog": 2, "vet": 12, "cage": 1, "lead": 100}, df, N)
    rare = ({"dog": 1, "cage": 9}, {"dog": 1, "cage": 2, "lead": 1}, 3)
    nothing = ({"cat": 2, "dog": 1}, {"cat": 40, "dog": 40, "lead": 3}, 40)
    many = ({word: place for place, word in enumerate(WORDS, 1)}, df, 1000)
    return [*cases, small, rare, nothing, many, ({"dog": 4}, df, N), ({}, {"dog": 1}, 2)]


def _ltc(
    tf: Mapping[str, int],
    df: Mapping[str, int],
    N: int,
    letters: str = "ltc",
    base: float = math.e,
) -> Numbers:
    weights = {}
    for word, count in tf.items():
        tf_part = {"l": 1 + _log(count, base), "n": float(count), "0": _log(count, base)}[letters[0]]
        idf = math.log((1 + N) / (1 + df[word])) + 1 if letters[1] == "s" else _log(N / df[word], base)
        weights[word] = tf_part * idf
    if letters[2] == "n":
        return weights
    squares = letters[2] == "c"
    length = math.sqrt(sum(weight**2 for weight in weights.values())) if squares else sum(weights.values())
    return {word: weight / (length or 1.0) for word, weight in weights.items()}


# 3.7 The default of scikit-learn


def _smoothed_idf(given: Given, log: Callable[[float], float] = math.log, more: int = 1, after: int = 1) -> float:
    return log((more + given.N) / (more + given.df)) + after


# 3.8 On the collection

_MODELS = (
    ("smart:nnn.nnn", "smart:nnn.ntn"),
    ("smart:nnn.ntn", "smart:lnn.ltn"),
    ("smart:lnn.ltn", "smart:lnc.ltc"),
)


def _difference(given: Given, of: str = "queries", by: str = "queries") -> float:
    first, second = map(query_values, given.models)
    summed = list(first) if of == "all" else given.queries
    return sum(second[query] - first[query] for query in summed) / len(first if by == "all" else given.queries)


EXERCISES = (
    Exercise(
        title="A weight by hand",
        why="Frequent in the document, rare in the collection: this product is from the 1970s, and still in use.",
        given=lambda draw: {
            "tf": draw.whole(3, 30),
            "df": draw.whole(5, 400),
            "N": draw.whole(10, 90) * 100,
            "base": draw.one((2, math.e, 10)),
        },
        answer=number(4),
        expected=_weight,
        mistakes={
            "you took the logarithm to a base other than the given one.": [_to_other_base(0), _to_other_base(1)],
            "tf goes in as 1 + log tf, not as it is.": {"tf": "raw"},
            "the tf part is 1 + log tf; you left out the 1.": {"tf": "bare"},
            "the tf part is 1 + log tf; you took the log of 1 + tf.": {"tf": "plus"},
            "you divided df by N; idf is log(N/df), which is never below 0.": lambda g: -_weight(g),
        },
        hints=(
            "Two factors: 1 + log tf, and log(N/df).",
            "Python's math.log(x) is the natural logarithm; math.log(x, base) takes another base.",
        ),
    ),
    Exercise(
        title="Cosine by hand",
        why="Dividing by lengths keeps a long document from winning by its size alone.",
        given=_two_vectors,
        answer=number(4),
        expected=lambda g: similarity(g.x, g.y).cosine,
        mistakes={
            "you left out the lengths of the two vectors.": lambda g: similarity(g.x, g.y).xy,
            "a length is the root of the sum of squares; you forgot the roots.": _cosine_without_root,
            "a length is the root of the sum of squares, not the sum of the weights.": lambda g: (
                similarity(g.x, g.y).xy / float(sum(g.x.values()) * sum(g.y.values()))
            ),
            "a length sums over all terms of a vector, not only over the shared ones.": _cosine_of_shared,
            "you took every weight to be 1.": lambda g: similarity(set(g.x), set(g.y)).cosine,
        },
        hints=(
            "Numerator: for each term in both vectors, multiply its two weights; add up these products.",
            "Denominator: for each vector, take the root of the sum of its squared weights; multiply the two.",
        ),
    ),
    Exercise(
        title="lnc.ltc by hand",
        why="Three letters for each side name the formula exactly; papers that omit them cannot be reproduced.",
        given=_document_and_query,
        answer=number(4),
        expected=_smart,
        mistakes={
            "your document has an idf; its second letter is n.": {"document": "ltc"},
            "your query has no idf; its second letter is t.": {"query": "lnc"},
            "you took natural logarithms; here the base is 10.": {"base": math.e},
            "l as the first letter is 1 + log tf, not tf.": {"document": "nnc"},
            "you did not divide by the document's length.": {"document": "lnn"},
            "you did not divide by the query's length.": {"query": "ltn"},
            "you did not divide by a length; the third letter of both sides is c.": {"document": "lnn", "query": "ltn"},
            "a length sums over all terms of its side, not only over the shared ones.": {"over": "shared terms"},
        },
        hints=(
            "Make a table with one row per term: the document's weight 1 + log tf, the query's weight "
            "(1 + log tf) · log(N/df), where the query's tf is 1. A term that is missing has weight 0.",
            "Divide each column by the root of its sum of squares. Then multiply within each row, and add up.",
        ),
        points=2,
    ),
    Exercise(
        title="ltc from scratch",
        why="With this function and a loop over postings you have a vector-space search engine.",
        answer=function(table(number(5), "terms"), "ltc(tf, df, N)"),
        inputs=_documents,
        expected=lambda g: _ltc,
        mistakes=wrong_functions(
            {
                "your weights are not divided by the length of the vector.": {"letters": "ltn"},
                "you divide by the sum of the weights; the length is √Σw².": {"letters": "lt1"},
                "your tf part is tf; l is 1 + log tf.": {"letters": "ntc"},
                "your tf part is log tf; the 1 is missing, and a single occurrence gets 0.": {"letters": "0tc"},
                "your logarithms have base 10; use natural logarithms.": {"base": 10},
                "your idf is scikit-learn's; t is log(N/df).": {"letters": "lsc"},
            },
            _ltc,
        ),
        hints=(
            "First a dict of (1 + math.log(tf[term])) * math.log(N / df[term]), then its length, then the division.",
            "If every term of a document is in all documents, all weights are 0 and so is the length. Do not divide "
            "then.",
        ),
        points=2,
    ),
    Exercise(
        title="Dice, Jaccard and cosine of sets",
        why="All three grow with the overlap and differ in how they count what is not shared.",
        given=_two_texts,
        answer=table(number(4), "similarities"),
        expected=_of_sets,
        mistakes={
            "you counted tokens; a set contains each word once.": lambda g: _coefficients(
                _sizes(g)[0], len(g.x.split()), len(g.y.split())
            ),
            "your Dice lacks the 2: it must be 1 for two equal sets.": _with_wrong(
                "dice", lambda both, x, y: both / (x + y)
            ),
            "the denominator of your Jaccard counts shared words twice; the union has them once.": _with_wrong(
                "jaccard", lambda both, x, y: both / (x + y)
            ),
            "your cosine lacks the root: its denominator is √(|X| · |Y|).": _with_wrong(
                "cosine", lambda both, x, y: both / (x * y)
            ),
        },
        hints=(
            "Write down the two sets, and count the words in X, in Y, and in both.",
            "dice 2·both / (X + Y), jaccard both / (X + Y − both), cosine both / √(X · Y).",
        ),
    ),
    Exercise(
        title="Dice and Jaccard with weights",
        why="Dice and Jaccard always rank alike, since one is a rising function of the other; cosine may differ.",
        given=_weighted_pair,
        answer=table(number(4), "similarities"),
        expected=lambda g: _without_cosine(_coefficients(*similarity(g.x, g.y))),
        mistakes={
            "you took the roots of the sums of squares; these two measures have no root.": _euclidean,
            "you treated the vectors as sets; use their weights.": lambda g: _without_cosine(
                _coefficients(*similarity(set(g.x), set(g.y)))
            ),
            "this is the form with minima, another generalisation; use products and squares.": _of_minima,
            "your denominator adds weights; add their squares.": lambda g: _by_sums(g, similarity(g.x, g.y).xy),
        },
        hints=(
            "Three numbers are enough: Σxy over the shared terms, Σx² over all of x, Σy² over all of y.",
            "dice 2Σxy / (Σx² + Σy²), jaccard Σxy / (Σx² + Σy² − Σxy).",
        ),
    ),
    Exercise(
        title="scikit-learn's idf",
        why="Libraries differ in such details, and scores differ with them: read the documentation before you compare.",
        given=lambda draw: {"df": draw.whole(2, 60), "N": draw.whole(10, 90) * 10},
        answer=number(4),
        expected=_smoothed_idf,
        mistakes={
            "this is the textbook formula log(N/df); the default of scikit-learn differs in three places.": {
                "more": 0,
                "after": 0,
            },
            "this is what smooth_idf=False gives; smoothing adds 1 to N and to df.": {"more": 0},
            "N and df are smoothed, but the 1 after the logarithm is missing.": {"after": 0},
            "scikit-learn uses natural logarithms; you used base 10.": {"log": math.log10},
            "scikit-learn uses natural logarithms; you used base 2.": {"log": math.log2},
            "the last 1 is added to the logarithm, not inside it.": lambda g: math.log((1 + g.N) / (1 + g.df) + 1),
        },
        hints=("scikit-learn assumes one more document that contains every term once; then it adds 1.",),
    ),
    Exercise(
        title="The gain of one letter",
        why="Measured on queries, a letter of a formula has a price; until then it is an opinion.",
        given=lambda draw: {"models": list(draw.one(_MODELS)), "queries": draw.some(judged_ids(), 12)},
        answer=number(4),
        expected=_difference,
        mistakes={
            "this is the difference over all queries; use the given ones.": {"of": "all", "by": "all"},
            "you divided by the number of all judged queries: evaluate counts a query that the run lacks as 0.": {
                "by": "all"
            },
            "the sign is wrong: subtract the first model's mean from the second's.": lambda g: -_difference(g),
        },
        hints=(
            "toysearch.evaluate(run, collection.qrels, 'AP').per_query[query_id]['AP'] is the AP of one query.",
            "For each model: a Searcher, its run of the queries, the evaluation, and the mean of the AP values "
            "of your queries only.",
        ),
        points=2,
    ),
)
