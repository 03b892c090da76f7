"""Lab 2: postings lists, Boolean merges and overlap, gaps and codes, phrases, windows and wildcards."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch import Analyzer, Index
from toysearch.base import groups_of
from toysearch.classroom.answers import function, ordered, table, text, unordered, whole
from toysearch.classroom.compression import delta, gamma, variable_byte
from toysearch.classroom.exercise import (
    Answer,
    Case,
    Draw,
    Drawn,
    Exercise,
    Given,
    Unusable,
    lost_items,
    off_by_one,
    wrong_functions,
)
from toysearch.classroom.lab_collection import collection
from toysearch.classroom.textbook import Operator, merge_postings

Posting = tuple[int, int]
Inverted = dict[str, list[Posting]]
Documents = Sequence[Sequence[str]]
"""Tokens of each document, numbered from 1."""

ANIMALS = ("cat", "dog", "parrot", "rabbit", "hamster", "horse", "tortoise", "ferret", "mynah")


def pair(first: str, second: str, kinds: tuple[Answer, Answer]) -> Answer:
    """Two named values of two kinds in a fixed order, such as a posting.

    >>> posting, case = pair("document", "tf", (whole(), whole())), Case(Given(), [])
    >>> posting.look((3, 2.0), case), posting.expects, posting.remark([3, 1], [3, 2], case)
    ([3, 2], 'a pair (document, tf)', 'document: right; tf: not')
    >>> posting.look([3, 2, 1], case)
    Traceback (most recent call last):
    toysearch.classroom.exercise.Unusable: [3, 2, 1] where a pair (document, tf) should be
    """
    expects = f"a pair ({first}, {second})"

    def look(answer: Any, case: Case) -> list[Any]:
        if isinstance(answer, str | Mapping) or not isinstance(answer, Sequence) or len(answer) != 2:
            raise Unusable(f"{answer!r:.60} where {expects} should be")
        return [kind.look(value, case) for kind, value in zip(kinds, answer, strict=True)]

    def same(seen: list[Any], right: list[Any]) -> bool:
        return all(kind.same(*both) for kind, *both in zip(kinds, seen, right, strict=True))

    def remark(seen: list[Any], right: list[Any], case: Case) -> str:
        """Name the wrong one of the two, if one is right."""
        if kinds[0].same(seen[0], right[0]):
            return f"{first}: right; {second}: not"
        return f"{second}: right; {first}: not" if kinds[1].same(seen[1], right[1]) else ""

    return Answer(expects, look, same, remark)


POSTINGS = ordered(pair("document", "tf", (whole(), whole())), "postings")

# 2.1 Postings by hand

_SENTENCES = (
    "a {x} and another {x} share a basket",
    "how to train a {x} that knows nothing yet",
    "{x}s are at home where their food is",
    "the {y} ran and the {x} ran after it",
    "no {y} likes to be alone",
    "two {x}s met one {x} at the vet",
    "feed the {y} before you feed yourself",
    "where the {x} sleeps a {x} has slept before",
    "some {x}s outlive their owners",
    "the oldest {y} of all was no {x}",
)


def _sentences(draw: Draw) -> Drawn:
    while True:
        term, other = draw.some(ANIMALS, 2)
        texts = [text.format(x=term, y=other) for text in draw.some(_SENTENCES, 6)]
        counts = [text.split().count(term) for text in texts]
        plural_only = any(f"{term}s" in text.split() and not count for text, count in zip(texts, counts, strict=True))
        if plural_only and 2 in counts and counts.count(0) >= 2 and counts.count(1) >= 2:
            return {"term": term, "documents": dict(enumerate(texts, 1))}


def _postings_of(given: Given, first: int = 1, once: bool = False, plurals: bool = False) -> list[Posting]:
    postings = []
    for number, document in enumerate(given.documents.values(), first):
        words = document.split()
        tf = words.count(given.term) + plurals * words.count(f"{given.term}s")
        if tf:
            postings.append((number, 1 if once else tf))
    return postings


# 2.2 An index from scratch

_WORDS = ("cat", "dog", "train", "walk", "the", "and", "feed", "bird", "play", "vet", "home", "lead")


def _split(documents: str) -> list[list[str]]:
    """Return the tokens of each of some documents in a text, between commas."""
    return [document.split() for document in documents.split(",")]


def _token_lists(draw: Draw, given: Given) -> list[tuple[list[list[str]]]]:
    """Draw documents; make others with words in words, equal and empty ones, more than nine, capitals, repetitions."""
    drawn = [[draw.one(_WORDS) for _ in range(draw.whole(4, 9))] for _ in range(4)]
    x, y, z = draw.some(ANIMALS, 3)
    many = [[x, str(number), *([y] * (number % 3))] for number in range(1, 12)]
    often = [[x] * 12, [*"abcdefghijklmn"], *_split(f"{y} {x} {y} {y} {x} {y}, {z} {z} {x} {z}, the the")]
    cases = [
        _split("the cat and the dog, dog"),
        drawn,
        _split(f"{x} {x}s wild{x} {x}, {x}s {y}, {y} {y}{x} {x} {x}{x}"),
        _split(f"{x} {y}, {z}, {x} {y}, , {y} {x} {x}"),
        many,
        _split(f"{x.title()} {x} {x.upper()}, {x}-{y} a 7"),
        often,
        [[z]] * 101,
    ]
    return [(documents,) for documents in (*cases, _split("cat, "), _split(", cat"), [])]


def _inverted(documents: Documents) -> Inverted:
    return groups_of(
        (term, (number, tokens.count(term)))
        for number, tokens in enumerate(documents, 1)
        for term in dict.fromkeys(tokens)
    )


def _altered(change: Callable[[int, int, list[str], str], list[Posting]]) -> Callable[..., Inverted]:
    """Index with other postings of a document, made from its number and tf, from its tokens and the term."""

    def inverted(documents: Documents) -> Inverted:
        return {
            term: [other for number, tf in postings for other in change(number, tf, list(documents[number - 1]), term)]
            for term, postings in _inverted(documents).items()
        }

    return inverted


_WRONG_INDEXES = {
    "your first document has the number 0; here documents count from 1.": _altered(
        lambda number, tf, *_: [(number - 1, tf)]
    ),
    "every tf in your index is 1, even where a document repeats a term.": _altered(lambda number, *_: [(number, 1)]),
    "a document that repeats a term has several postings in your list; it should be one, with its tf.": _altered(
        lambda number, tf, *_: [(number, 1)] * tf
    ),
    "you add a posting for each token; add one for each different term of a document.": _altered(
        lambda number, tf, *_: [(number, tf)] * tf
    ),
    "your postings are in decreasing order of document number; the order should be increasing.": lambda documents: {
        term: postings[::-1] for term, postings in _inverted(documents).items()
    },
    "you count in the joined text, where a word can be part of another one, such as cat in cats.": _altered(
        lambda number, tf, tokens, term: [(number, " ".join(tokens).count(term))]
    ),
    "you count tokens that contain the term, such as cats for cat; count those that equal it.": _altered(
        lambda number, tf, tokens, term: [(number, sum(term in token for token in tokens))]
    ),
}


# 2.3 Boolean retrieval by hand


def _three_lists(draw: Draw) -> Drawn:
    a, b, c = draw.some(ANIMALS, 3)
    lists = {term: sorted(draw.some(range(1, 16), draw.whole(5, 8))) for term in (a, b, c)}
    return {"lists": lists, "query": f"({a} OR {b}) AND NOT {c}"}


def _boolean(
    given: Given, merged: Callable[[set[int], set[int], set[int]], set[int]] = lambda a, b, c: (a | b) - c
) -> list[int]:
    return sorted(merged(*map(set, given.lists.values())))


# 2.4 Merges

_OPERATORS: dict[str, Operator] = {"AND": "AND", "OR": "OR", "NOT": "AND NOT"}
"""Operators of the exercise with their names in the textbook."""

Merged = tuple[list[int], int]


def _two_lists(draw: Draw, given: Given) -> list[tuple[list[int], list[int], str]]:
    drawn = [
        [sorted(draw.some(range(1, 40), draw.whole(5, 9))), sorted(draw.some(range(1, 40), draw.whole(8, 14)))]
        for _ in range(3)
    ]
    more = f"{draw.whole(41, 99)} {draw.whole(101, 999)}"
    made = (
        "1 3 4 8, 2 3 4 9 10 12; 5, 1 2 3; 2 6 9, 1 2; , 4 7; 4 7, ; , ; "
        f"3 9 {more}, 3 9 {more}; 1 2 3, 4 5 {more}; 4 5 {more}, 1 2 3; 2 10 {more}, 1 9 10 11"
    )
    first, *others = ([[*map(int, tokens)] for tokens in _split(pair)] for pair in made.split(";"))
    pairs = [first, *drawn, *others, [[*range(1, 60, 2)], [*range(0, 57, 3), 500, 501]]]
    return [(a, b, operator) for a, b in pairs for operator in _OPERATORS]


def _merged(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    documents, comparisons = _merge(tuple(a), tuple(b), operator)
    return list(documents), comparisons


@functools.lru_cache(maxsize=256)  # the mistakes are made from the same merges
def _merge(a: tuple[int, ...], b: tuple[int, ...], operator: str) -> tuple[tuple[int, ...], int]:
    merge = merge_postings(a, b, _OPERATORS[operator])
    return tuple(merge.documents), len(merge.comparisons)


def _miscounted(count: Callable[[Sequence[int], Sequence[int]], int]) -> Callable[..., Merged]:
    return lambda a, b, operator: (_merged(a, b, operator)[0], count(a, b))


def _without_rest(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    merged, comparisons = _merged(a, b, operator)
    last = min(a[-1], b[-1]) if a and b else 0
    return [document for document in merged if document <= last], comparisons


def _with_copies(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    merged, comparisons = _merged(a, b, operator)
    return sorted([*a, *b]) if operator == "OR" else merged, comparisons


_WRONG_MERGES = {
    "you compare each document of one list with each of the other; a merge only moves both places forward.": (
        _miscounted(lambda a, b: len(a) * len(b))
    ),
    "the sum of the two lengths is the maximum for a merge; count the comparisons that it actually makes.": _miscounted(
        lambda a, b: len(a) + len(b)
    ),
    "you count comparisons after the end of one list; there is nothing left to compare with.": _miscounted(
        lambda a, b: len({*a, *b})
    ),
    "after a match, move forward in both lists; you make an extra comparison for each match.": _miscounted(
        lambda a, b: _merged(a, b, "AND")[1] + len({*a} & {*b})
    ),
    "at the end of one list you stop; OR and NOT still keep the rest of the other one, or of a.": _without_rest,
    "OR keeps a document in both lists once; you keep it twice.": _with_copies,
    "you exchanged the lists: NOT keeps the documents of a that b lacks.": lambda a, b, operator: _merged(
        b, a, operator
    ),
}


# 2.5 The order of merging

_SYNONYMS = (
    ("dog", "hound"),
    ("cat", "feline"),
    ("feed", "diet"),
    ("train", "teach"),
    ("illness", "disease"),
    ("cage", "aviary"),
    ("vet", "clinic"),
    ("price", "cost"),
)


def _groups(draw: Draw) -> Drawn:
    while True:
        pairs = draw.some(_SYNONYMS, 4)
        df = {name: {word: draw.whole(20, 990) for word in pair} for name, pair in zip("ABCD", pairs, strict=True)}
        if len({sum(group.values()) for group in df.values()}) == len(df):
            return {"query": " AND ".join(f"({one} OR {other})" for one, other in pairs), "df": df}


def _order(given: Given, by: Callable[..., int] = sum) -> list[str]:
    return sorted(given.df, key=lambda name: by(given.df[name].values()))


# 2.6 Overlap

_TEXTS = (
    "how to train a cat to walk on a lead",
    "the lead in old paint and the health of a parrot",
    "a dog on a lead and a dog off the lead",
    "train your parrot to step on a hand",
    "walk the dog then walk the dog again",
    "what to feed a cat and what not to feed a cat",
    "health of the old dog",
    "a parrot and a cat in one home",
    "train by train with a dog and a cat",
    "dog cat parrot and other words for love",
    "goldfish need no walk",
    "an old horse at grass",
    "feed and health of horses",
)
_ASKED = (
    "train dog lead",
    "cat parrot feed",
    "walk dog lead",
    "feed cat health",
    "train parrot cat",
    "dog health walk",
)


def _texts_and_query(draw: Draw) -> Drawn:
    while True:
        values = {"query": draw.one(_ASKED), "documents": dict(enumerate(draw.some(_TEXTS, 7), 1))}
        levels = set(_overlaps(Given(**values)).values())
        if 0 in levels and len(levels) > 2:
            return values


def _overlaps(given: Given, tokens: bool = False) -> dict[int, int]:
    query = set(given.query.split())
    words = {number: text.split() for number, text in given.documents.items()}
    return {n: sum(terms.count(term) if tokens else term in terms for term in query) for n, terms in words.items()}


def _ranked(given: Given, way: str = "distinct") -> list[int]:
    shared = _overlaps(given, tokens=way == "tokens")
    least = {"all": 0, "and": max(shared.values())}.get(way, 1)
    turn = -1 if way == "late ties" else 1
    return sorted((n for n in shared if shared[n] >= least), key=lambda n: (-shared[n], turn * n))


# 2.8 Positions by hand

_PLACES = range(25)


def _places(draw: Draw) -> Drawn:
    """Draw the positions of two terms in a document; some are neighbours, in both orders."""
    a, b = draw.some(ANIMALS, 2)
    while True:
        places = draw.some(_PLACES, 10)
        positions = {a: sorted(places[:5]), b: sorted(places[5:])}
        values = {"positions": positions, "phrase": f'"{a} {b}"', "width": draw.whole(3, 6)}
        if _starts(positions[a], positions[b], 1) and _starts(positions[b], positions[a], 1):
            return values


def _starts(first: Sequence[int], second: Sequence[int], distance: int) -> list[int]:
    """Return the positions of the first term with the second one at most some positions after it."""
    return [start for start in first if any(0 < place - start <= distance for place in second)]


def _lists(given: Given) -> tuple[list[int], list[int]]:
    a, b = given.positions.values()
    return a, b


def _positions(given: Given) -> dict[str, list[int]]:
    a, b = _lists(given)
    window = _starts(a, b, given.width - 1) + _starts(b, a, given.width - 1)
    return {"phrase": sorted(_starts(a, b, 1)), "window": sorted(window)}


def _changed(change: Callable[[list[int], list[int], int], dict[str, list[int]]]) -> Callable[[Given], dict[str, Any]]:
    """Change the right answer to what a function of both lists and the width gives."""
    return lambda g: _positions(g) | change(*_lists(g), g.width)


def _ends(a: Sequence[int], b: Sequence[int], distance: int) -> list[int]:
    return [place for place in b if any(0 < place - start <= distance for start in a)]


_WIDTH = "a window of n positions that starts at p ends at p + n − 1, not before and not after."


# 2.9 Phrases


def _phrases(draw: Draw, given: Given) -> list[tuple[list[str], list[list[str]]]]:
    a, b, c, x = draw.some(ANIMALS, 4)
    tricky = f"{a} {b} {c}, {c} {b} {a}, {a} {x} {b} {c}, {a} {b} {x} {b} {c}, {b} {a} {x}, {a} {x} {a} {b} {c}"
    documents = draw.shuffled(_split(f"{tricky}, wild{a} {b} {x}s"))
    near = f"{a} {x} {c}, {a} {b} {x}, {x} {b} {c}, {a} {a} {b} {c}, {x} {a} {b} {c}, {a} {b}, , {a}, {b} {c}"
    backed = f"{a} {b} {a} {b} {a} {c}, {a} {b} {a} {c}, {a} {b} {a} {b} {c}, {a} {a} {b} {a} {c}"
    many = _split(f"{x} {a} {b}, {a} {c}") * 6 + [[c]] * 90 + [[c] * 130 + [a, b]]
    many += _split(f"{a.title()} {b}, {a} {b} {c} {a} {b}, {a}{b}, {b}, {a}")
    cases = [(f"{a} {b}", _split(f"{a} {b}, {b} {a}, {a} {c} {b}"))]
    cases += [(phrase, documents) for phrase in (f"{a} {b}", f"{a} {b} {c}", x, f"{c} {a}", "unknown", f"unknown {a}")]
    cases += [(phrase, _split(near)) for phrase in (f"{a} {b} {c}", f"{a} {a} {b}", f"{a} unknown")]
    cases += [(f"{a} {a}", _split(f"{a} {a}, {a} {b} {a}, {a} {a} {a}, {a}")), (f"{a} {b} {a} {c}", _split(backed))]
    cases += [(f"{a} {b}", many), (b, many), (f"{a} {c}", [])]
    return [(phrase.split(), searched) for phrase, searched in cases]


def _with_phrase(phrase: Sequence[str], documents: Documents) -> list[int]:
    length = len(phrase)
    return [
        number
        for number, tokens in enumerate(documents, 1)
        if any(list(tokens[at : at + length]) == list(phrase) for at in range(len(tokens)))
    ]


def _with_words(phrase: Sequence[str], documents: Documents) -> list[int]:
    return [number for number, tokens in enumerate(documents, 1) if set(phrase) <= set(tokens)]


def _first_places(phrase: Sequence[str], documents: Documents) -> dict[int, list[int]]:
    """Return document → the first position of each word of the phrase, for documents that contain all of them."""
    return {number: [documents[number - 1].index(word) for word in phrase] for number in _with_words(phrase, documents)}


def _by_pairs(phrase: Sequence[str], documents: Documents) -> list[int]:
    pairs = [phrase[at : at + 2] for at in range(max(1, len(phrase) - 1))]
    return sorted(set.intersection(*(set(_with_phrase(pair, documents)) for pair in pairs)))


def _joined(phrase: Sequence[str], documents: Documents) -> list[int]:
    return [number for number, tokens in enumerate(documents, 1) if " ".join(phrase) in " ".join(tokens)]


_WRONG_PHRASES = {
    "your first document has the number 0; here documents count from 1.": lambda phrase, documents: [
        number - 1 for number in _with_phrase(phrase, documents)
    ],
    "you find all documents that contain the words, in any position.": _with_words,
    "your documents have the words in the right order, but not always next to each other.": lambda phrase, documents: [
        number for number, places in _first_places(phrase, documents).items() if places == sorted(places)
    ],
    "you search the joined text, where a word can be part of another one, such as cat in wildcat.": _joined,
    "you find the phrase backwards as well.": lambda phrase, documents: sorted(
        {*_with_phrase(phrase, documents), *_with_phrase(phrase[::-1], documents)}
    ),
    "you look only at the first position of a word; the phrase may begin at a later one.": lambda phrase, documents: [
        number
        for number, places in _first_places(phrase, documents).items()
        if places == list(range(places[0], places[0] + len(places)))
    ],
    "you look for each pair of neighbours separately; all pairs may occur without the whole phrase.": _by_pairs,
}


# 2.10 Wildcards by hand

_PATTERNS = (
    "al*s",
    "an*s",
    "ar*ed",
    "ce*e",
    "ch*es",
    "co*nt",
    "de*es",
    "en*e",
    "he*er",
    "le*e",
    "pr*es",
    "re*es",
    "re*rd",
)


@functools.cache
def _words() -> list[str]:
    terms = Index.build(collection(), Analyzer()).terms
    return [term for term in terms if term.isascii() and term.isalpha() and 3 < len(term) < 11]


def _wildcard(draw: Draw) -> Drawn:
    """Draw a pattern, and words that fit it, that only have its 2-grams, and that lack one."""
    pattern = draw.one(_PATTERNS)
    grams = _grams(pattern)
    shared = {word: sum(gram in f"${word}$" for gram in grams) for word in _words()}
    candidates = [word for word in shared if shared[word] == len(grams)]
    fitting = [word for word in candidates if _fits(word, pattern)]
    others = [word for word in candidates if word not in fitting]
    near = [word for word in shared if shared[word] == len(grams) - 1]
    return {"pattern": pattern, "words": sorted([*draw.some(fitting, 3), *draw.some(others, 2), *draw.some(near, 4)])}


def _halves(pattern: str) -> tuple[str, str]:
    begin, _, end = pattern.partition("*")
    return begin, end


def _fits(word: str, pattern: str) -> bool:
    begin, end = _halves(pattern)
    return word.startswith(begin) and word.endswith(end) and len(word) >= len(begin) + len(end)


def _grams(pattern: str, *, marks: bool = True, joined: bool = False) -> list[str]:
    begin, end = _halves(pattern)
    pieces = [f"${begin}{end}$"] if joined else [f"${begin}", f"{end}$"]
    pieces = pieces if marks else [piece.strip("$") for piece in pieces]
    return list(dict.fromkeys(piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1)))


def _steps(given: Given) -> dict[str, list[str]]:
    begin, end = _halves(given.pattern)
    grams = _grams(given.pattern)
    return {
        "rotation": [f"{end}${begin}*"],
        "2-grams": grams,
        "candidates": [word for word in given.words if all(gram in f"${word}$" for gram in grams)],
        "terms": [word for word in given.words if _fits(word, given.pattern)],
    }


def _instead(step: str, change: Callable[[Given], list[str]]) -> Callable[[Given], dict[str, list[str]]]:
    return lambda g: _steps(g) | {step: change(g)}


def bits() -> Answer:
    """Expect a text of 0 and 1; blanks are ignored.

    >>> case = Case(Given(), [])
    >>> bits().look("1110 101", case), bits().remark("111", "1110101", case)
    ('1110101', 'there should be more bits')
    >>> bits().look("1110 102", case)
    Traceback (most recent call last):
    toysearch.classroom.exercise.Unusable: the text '1110 102'
    """

    def look(answer: Any, case: Case) -> str:
        digits: str = text().look(answer, case).replace(" ", "")
        if not digits or digits.strip("01"):
            raise Unusable(f"the text '{answer:.60}'")
        return digits

    def remark(seen: str, right: str, case: Case) -> str:
        return f"there should be {'more' if len(seen) < len(right) else 'fewer'} bits" * (len(seen) != len(right))

    return Answer("a text of 0 and 1", look, remark=remark)


def _documents_to_code(draw: Draw) -> Drawn:
    first = draw.whole(3, 90)
    second = first + draw.whole(5, 120)
    gap = draw.whole(135, 500)
    return {
        "documents": [first, second, second + gap, second + gap + draw.whole(2, 60)],
        "document": second + gap,
        "k": draw.whole(5, 6),
    }


def _gap(given: Given) -> int:
    return int(given.document - given.documents[given.documents.index(given.document) - 1])


def _rice(number: int, k: int) -> str:
    quotient, remainder = divmod(number - 1, 1 << k)
    return f"{'1' * quotient}0{remainder:0{k}b}"


def _codes(number: int, k: int) -> dict[str, str]:
    return {
        "variable byte": " ".join(f"{byte:08b}" for byte in variable_byte(number)),
        "gamma": gamma(number),
        "delta": delta(number),
        "rice": _rice(number, k),
    }


def _wrong_code(name: str, wrong: Callable[[int, int], str]) -> Callable[[Given], dict[str, str]]:
    return lambda g: _codes(_gap(g), g.k) | {name: wrong(_gap(g), g.k)}


def _top_bit_first(number: int, k: int) -> str:
    low, high = number % 128, number // 128
    return f"{high + 128:08b} {low:08b}"


def _delta_of_offset(number: int, k: int) -> str:
    offset = f"{number:b}"[1:]
    return gamma(len(offset)) + offset


EXERCISES = (
    Exercise(
        title="A postings list by hand",
        why="A search for the word reads only this list, not the texts themselves.",
        given=_sentences,
        answer=POSTINGS,
        expected=_postings_of,
        mistakes={
            "the first document has the number 1 here, not 0.": {"first": 0},
            "the documents are right, but tf is the number of occurrences in each.": {"once": True},
            "you counted the plural as well; without a stemmer it is a term of its own.": {"plurals": True},
        },
        hints=(
            "A posting is a document that contains the term, with its tf. No posting has a tf of 0.",
            "Write them in increasing order of number, as in [(2, 1), (5, 3)]: once in document 2, three times in 5.",
        ),
    ),
    Exercise(
        title="An index from scratch",
        why="You have written the data structure behind every search engine.",
        answer=function(table(POSTINGS, "terms"), "inverted(documents)"),
        inputs=_token_lists,
        expected=lambda g: _inverted,
        mistakes={
            **wrong_functions(_WRONG_INDEXES),
            **lost_items(_inverted),
        },
        hints=(
            "Go through the documents in order, numbered by enumerate(documents, 1), and append to the lists: they "
            "are then sorted already.",
            "collections.Counter(tokens) counts the terms of one document; index.setdefault(term, []) gives a term's "
            "list and creates it if there is none.",
        ),
        points=2,
    ),
    Exercise(
        title="Boolean retrieval by hand",
        why="Patents, laws and medical reviews are still searched with Boolean queries, because nothing may be missed.",
        given=_three_lists,
        answer=unordered(whole(), "documents"),
        expected=_boolean,
        mistakes={
            "mind the parentheses: AND NOT removes documents from the result for both words.": {
                "merged": lambda a, b, c: a | (b - c)
            },
            "OR asks for one of the two words, not for both.": {"merged": lambda a, b, c: (a & b) - c},
            "OR does not exclude: a document with both words is found as well.": {
                "merged": lambda a, b, c: (a ^ b) - c
            },
            "you read AND; the query says AND NOT.": {"merged": lambda a, b, c: (a | b) & c},
            "you have not applied AND NOT yet.": {"merged": lambda a, b, c: a | b},
            "these are all documents without the last word; they must also contain one of the others.": {
                "merged": lambda a, b, c: set(range(1, 16)) - c
            },
        },
        hints=(
            "First merge the two lists in the parentheses: every document in either of them, once.",
            "Then remove the documents in the third list.",
        ),
    ),
    Exercise(
        title="Merges and their cost",
        why="The cost is the sum of two lengths, not their product: that is why postings are kept sorted.",
        answer=function(
            pair("documents", "comparisons", (ordered(whole(), "documents"), whole())),
            "merge(a, b, operator)",
        ),
        inputs=_two_lists,
        expected=lambda g: _merged,
        mistakes=wrong_functions(_WRONG_MERGES),
        hints=(
            "Keep two places, i = 0 and j = 0, and loop while i < len(a) and j < len(b). Each iteration is one "
            "comparison, for all three operators.",
            "There are three cases: a[i] equals b[j] (advance both), is smaller (advance i), or is larger (advance j). "
            "In which of them does each operator keep a document?",
            "After the loop one list may have documents left: AND needs none of them, OR all, NOT those in a[i:].",
        ),
        points=2,
    ),
    Exercise(
        title="The order of merges",
        why="Query optimizers of databases do the same: they estimate sizes and start with the smallest.",
        given=_groups,
        answer=ordered(text(), "groups"),
        expected=_order,
        mistakes={
            "this begins with the longest list; begin with the one that leaves the fewest comparisons.": lambda g: (
                _order(g)[::-1]
            ),
            "you used the rarer word of each group; OR also finds the documents of the other.": {"by": min},
            "you used the more frequent word of each group; OR adds the documents of the other.": {"by": max},
            "this is the order in the query; look at df.": lambda g: list("ABCD"),
        },
        hints=(
            "The result of AND is never longer than the shorter of the two lists.",
            "What is the greatest possible length of the list of (x OR y), when no document contains both?",
        ),
    ),
    Exercise(
        title="Overlap by hand",
        why="Counting shared words is the simplest ranking there is, and every weight you will meet refines it.",
        given=_texts_and_query,
        answer=ordered(whole(), "documents"),
        expected=_ranked,
        mistakes={
            "you counted occurrences; overlap is the number of different query words in a document.": {"way": "tokens"},
            "a document without any word of the query is not retrieved at all.": {"way": "all"},
            "documents with equal overlap are in increasing order of number here; your order is decreasing.": {
                "way": "late ties"
            },
            "you listed only the largest overlap; documents with fewer of the words follow.": {"way": "and"},
        },
        hints=(
            "For each document, write down the query words that it contains, each word once.",
            "Sort by that count, largest first, then by document number. Leave out those with 0.",
        ),
    ),
    Exercise(
        title="Codes by hand",
        why="Small gaps need few bits, and reading fewer bytes usually saves more time than decoding costs.",
        given=_documents_to_code,
        answer=table(bits(), "codes"),
        expected=lambda g: _codes(_gap(g), g.k),
        mistakes={
            "you coded the document number; code the gap.": lambda g: _codes(g.document, g.k),
            "your gap is one too small: from 7 to 9 it is 2.": lambda g: _codes(_gap(g) - 1, g.k),
            "in your variable-byte code the first byte has the top bit set; here the top bit marks the last byte.": (
                _wrong_code("variable byte", _top_bit_first)
            ),
            "in your gamma code the offset still has its leading 1; leave it out.": _wrong_code(
                "gamma", lambda number, k: "1" * (number.bit_length() - 1) + "0" + f"{number:b}"
            ),
            "your gamma code gives the length in zeros, as Elias did; here it is ones and then a zero.": _wrong_code(
                "gamma", lambda number, k: "0" * (number.bit_length() - 1) + f"{number:b}"
            ),
            "your delta code has the length of the offset; it should have the length of the whole binary number.": (
                _wrong_code("delta", _delta_of_offset)
            ),
            "your Rice code divides n by 2^k; divide n − 1, since no gap is 0.": _wrong_code(
                "rice", lambda number, k: _rice(number + 1, k)
            ),
        },
        hints=(
            "First the gap: the number of the document minus that of the one before it. Then the gap in binary: "
            "f'{gap:b}' in Python.",
            "gamma: the offset is the binary number without its first 1. Before it write a 1 for each of its bits, "
            "and a zero. delta: the offset again; before it write the gamma code of the length of the binary number.",
            "variable byte: cut the binary number into groups of seven from the right, pad with zeros on the left, "
            "put a 1 before the last group and a 0 before the others. Rice: divmod(gap - 1, 2**k).",
        ),
        points=2,
    ),
    Exercise(
        title="Positions by hand",
        why="From positions, an index answers phrases and windows without reading a text.",
        given=_places,
        answer=table(ordered(whole(), "positions"), "queries"),
        expected=_positions,
        mistakes={
            "a phrase has its words in their order; you also count the second word before the first.": _changed(
                lambda a, b, width: {"phrase": sorted(_starts(a, b, 1) + _starts(b, a, 1))}
            ),
            "your phrase is backwards: its first word comes first in the text.": _changed(
                lambda a, b, width: {"phrase": _starts(b, a, 1)}
            ),
            "these are the positions of the second word of the phrase; an occurrence is counted where it starts.": (
                _changed(lambda a, b, width: {"phrase": _ends(a, b, 1)})
            ),
            "in a window the words are in any order; yours all start with the first word.": _changed(
                lambda a, b, width: {"window": _starts(a, b, width - 1)}
            ),
            "these are the positions where windows end; an occurrence is counted where it starts.": _changed(
                lambda a, b, width: {"window": sorted(_ends(a, b, width - 1) + _ends(b, a, width - 1))}
            ),
            _WIDTH: off_by_one(_positions, "width"),
        },
        hints=(
            "For the phrase, take each position p of the first word. Is p + 1 among the positions of the second?",
            "For the window, take each position p of either word. Is the other word at one of p + 1, …, p + width − 1?",
        ),
    ),
    Exercise(
        title="Phrases from positions",
        why="Positions make phrases possible, and they make an index two to four times as large.",
        answer=function(ordered(whole(), "documents"), "with_phrase(phrase, documents)"),
        inputs=_phrases,
        expected=lambda g: _with_phrase,
        mistakes=wrong_functions(_WRONG_PHRASES),
        hints=(
            "Make an index that keeps positions: term → document → list of positions, by "
            "enumerate(tokens). A dict of dicts works.",
            "The phrase begins at position p if its second word is at p + 1, its third at p + 2, and so on. "
            "Try every p of the first word.",
        ),
        points=3,
    ),
    Exercise(
        title="A wildcard by hand",
        why="Both indexes turn a search in the middle of words into a search that a sorted list can answer.",
        given=_wildcard,
        answer=table(unordered(text(), "texts"), "steps"),
        expected=_steps,
        mistakes={
            "rotate until the star is last: what stands after the star comes first, then $, then the beginning.": (
                _instead("rotation", lambda g: ["{}${}*".format(*_halves(g.pattern))])
            ),
            "your rotation has lost the mark of the end, $.": _instead(
                "rotation", lambda g: ["{1}{0}*".format(*_halves(g.pattern))]
            ),
            "your 2-grams lack the marks: $ stands before the first letter of a term and after the last one.": _instead(
                "2-grams", lambda g: _grams(g.pattern, marks=False)
            ),
            "you joined the letters on both sides of the star; other letters may stand between them.": _instead(
                "2-grams", lambda g: _grams(g.pattern, joined=True)
            ),
            "candidates are all words that have the 2-grams, wherever these stand; some do not fit the pattern.": (
                _instead("candidates", lambda g: _steps(g)["terms"])
            ),
            "you did not check the candidates: some have all 2-grams, but in other places.": _instead(
                "terms", lambda g: _steps(g)["candidates"]
            ),
        },
        hints=(
            "For ab*c, the term is ab…c$ with its mark; rotated until the star is last, this is c$ab*.",
            "The 2-grams of ab*c are those of $ab and of c$. Go through the words: which have all of them?",
        ),
        points=2,
    ),
)
