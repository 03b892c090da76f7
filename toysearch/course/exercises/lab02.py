"""Lab 2: postings lists, Boolean merges and overlap, gaps and codes; phrases and wildcards are in `lab02_phrases`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch.course.answers import function, ordered, table, text, unordered, whole
from toysearch.course.exercise import Answer, Case, Draw, Exercise, Given, Mistake, Unusable
from toysearch.course.exercises.lab02_phrases import ANIMALS, PHRASES, POSITIONS, WILDCARDS
from toysearch.laboratory import delta, gamma, variable_byte


def bits() -> Answer:
    """A text of 0 and 1; blanks are ignored.

    >>> case = Case(Given(), [])
    >>> bits().look("1110 101", case), bits().remark("111", "1110101", case)
    ('1110101', 'there should be more bits')
    >>> bits().look("1110 102", case)
    Traceback (most recent call last):
    toysearch.course.exercise.Unusable: the text '1110 102'
    """

    def look(answer: Any, case: Case) -> str:
        digits: str = text().look(answer, case).replace(" ", "")
        if not digits or digits.strip("01"):
            raise Unusable(f"the text '{answer:.60}'")
        return digits

    def remark(seen: str, right: str, case: Case) -> str:
        return f"there should be {'more' if len(seen) < len(right) else 'fewer'} bits" * (len(seen) != len(right))

    return Answer("a text of 0 and 1", look, remark=remark)


def _documents_to_code(draw: Draw) -> dict[str, Any]:
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
    """The right codes except one."""
    return lambda given: _codes(_gap(given), given.k) | {name: wrong(_gap(given), given.k)}


def _top_bit_first(number: int, k: int) -> str:
    low, high = number % 128, number // 128
    return f"{high + 128:08b} {low:08b}"


def _gamma_with_leading_one(number: int, k: int) -> str:
    return "1" * (number.bit_length() - 1) + "0" + f"{number:b}"


def _gamma_in_zeros(number: int, k: int) -> str:
    return "0" * (number.bit_length() - 1) + f"{number:b}"


def _delta_of_offset(number: int, k: int) -> str:
    offset = f"{number:b}"[1:]
    return gamma(len(offset)) + offset


def _rice_of_the_number(number: int, k: int) -> str:
    return _rice(number + 1, k)


CODES = Exercise(
    number="2.7",
    title="Codes by hand",
    why="Small gaps need few bits, and reading fewer bytes usually saves more time than decoding costs.",
    given=_documents_to_code,
    answer=table(bits(), "codes"),
    expected=lambda given: _codes(_gap(given), given.k),
    mistakes=(
        Mistake(
            lambda given: _codes(given.document, given.k),
            "you coded the document number; code the gap.",
        ),
        Mistake(
            lambda given: _codes(_gap(given) - 1, given.k),
            "your gap is one too small: from 7 to 9 it is 2.",
        ),
        Mistake(
            _wrong_code("variable byte", _top_bit_first),
            "in your variable-byte code the first byte has the top bit set; here the top bit marks the last byte.",
        ),
        Mistake(
            _wrong_code("gamma", _gamma_with_leading_one),
            "in your gamma code the offset still has its leading 1; leave it out.",
        ),
        Mistake(
            _wrong_code("gamma", _gamma_in_zeros),
            "your gamma code gives the length in zeros, as Elias did; here it is ones and then a zero.",
        ),
        Mistake(
            _wrong_code("delta", _delta_of_offset),
            "your delta code has the length of the offset; it should have the length of the whole binary number.",
        ),
        Mistake(
            _wrong_code("rice", _rice_of_the_number),
            "your Rice code divides n by 2^k; divide n − 1, since no gap is 0.",
        ),
    ),
    hints=(
        "First the gap: the number of the document minus that of the one before it. Then the gap in binary: "
        "f'{gap:b}' in Python.",
        "gamma: the offset is the binary number without its first 1. Before it write a 1 for each of its bits, and a "
        "zero. delta: the offset again; before it write the gamma code of the length of the binary number.",
        "variable byte: cut the binary number into groups of seven from the right, pad with zeros on the left, put a 1 "
        "before the last group and a 0 before the others. Rice: divmod(gap - 1, 2**k).",
    ),
    points=2,
)


Posting = tuple[int, int]


def pair(first: str, second: str, kinds: tuple[Answer, Answer]) -> Answer:
    """Two named values of two kinds in a fixed order, such as a posting.

    >>> posting, case = pair("document", "tf", (whole(), whole())), Case(Given(), [])
    >>> posting.look((3, 2.0), case), posting.expects, posting.remark([3, 1], [3, 2], case)
    ([3, 2], 'a pair (document, tf)', 'document: right; tf: not')
    >>> posting.look([3, 2, 1], case)
    Traceback (most recent call last):
    toysearch.course.exercise.Unusable: [3, 2, 1] where a pair (document, tf) should be
    """
    expects = f"a pair ({first}, {second})"

    def look(answer: Any, case: Case) -> list[Any]:
        if isinstance(answer, str | Mapping) or not isinstance(answer, Sequence) or len(answer) != 2:
            raise Unusable(f"{answer!r:.60} where {expects} should be")
        return [kind.look(value, case) for kind, value in zip(kinds, answer, strict=True)]

    def same(seen: list[Any], right: list[Any]) -> bool:
        return all(kind.same(*both) for kind, *both in zip(kinds, seen, right, strict=True))

    def remark(seen: list[Any], right: list[Any], case: Case) -> str:
        """Which of the two is wrong, if one is right."""
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


def _sentences(draw: Draw) -> dict[str, Any]:
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


def _token_lists(draw: Draw, given: Given) -> list[tuple[list[list[str]]]]:
    lists = [[[draw.one(_WORDS) for _ in range(draw.whole(4, 9))] for _ in range(4)] for _ in range(2)]
    return [([["the", "cat", "and", "the", "dog"], ["dog"]],), *((tokens,) for tokens in lists), ([["cat"], []],)]


def _inverted(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    index: dict[str, list[Posting]] = {}
    for number, tokens in enumerate(documents, 1):
        for term in dict.fromkeys(tokens):
            index.setdefault(term, []).append((number, tokens.count(term)))
    return index


def _altered(change: Callable[[Posting], list[Posting]]) -> Callable[..., dict[str, list[Posting]]]:
    """An inversion that replaces each posting by others."""

    def inverted(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
        index = _inverted(documents)
        return {term: [other for posting in postings for other in change(posting)] for term, postings in index.items()}

    return inverted


BY_HAND = Exercise(
    number="2.1",
    title="A postings list by hand",
    why="A search for the word reads only this list, not the texts themselves.",
    given=_sentences,
    answer=POSTINGS,
    expected=_postings_of,
    mistakes=(
        Mistake(lambda given: _postings_of(given, first=0), "the first document has the number 1 here, not 0."),
        Mistake(
            lambda given: _postings_of(given, once=True),
            "the documents are right, but tf is the number of occurrences in each.",
        ),
        Mistake(
            lambda given: _postings_of(given, plurals=True),
            "you counted the plural as well; without a stemmer it is a term of its own.",
        ),
    ),
    hints=(
        "A posting is a document that contains the term, with its tf. No posting has a tf of 0.",
        "Write them in increasing order of number, as in [(2, 1), (5, 3)]: once in document 2, three times in 5.",
    ),
)

FROM_SCRATCH = Exercise(
    number="2.2",
    title="An index from scratch",
    why="You have written the data structure behind every search engine.",
    answer=function(table(POSTINGS, "terms"), "inverted(documents)"),
    inputs=_token_lists,
    expected=lambda given: _inverted,
    mistakes=(
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0] - 1, posting[1])]),
            "your first document has the number 0; here documents count from 1.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0], 1)]),
            "every tf in your index is 1, even where a document repeats a term.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0], 1)] * posting[1]),
            "a document that repeats a term has several postings in your list; it should be one, with its tf.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [posting] * posting[1]),
            "you add a posting for each token; add one for each different term of a document.",
        ),
        Mistake(
            lambda given: lambda documents: {term: postings[::-1] for term, postings in _inverted(documents).items()},
            "your postings are in decreasing order of document number; the order should be increasing.",
        ),
    ),
    hints=(
        "Go through the documents in order, numbered by enumerate(documents, 1), and append to the lists: they "
        "are then sorted already.",
        "collections.Counter(tokens) counts the terms of one document; index.setdefault(term, []) gives a term's "
        "list and creates it if there is none.",
    ),
    points=2,
)


# 2.3 Boolean retrieval by hand


def _three_lists(draw: Draw) -> dict[str, Any]:
    a, b, c = draw.some(ANIMALS, 3)
    lists = {term: sorted(draw.some(range(1, 16), draw.whole(5, 8))) for term in (a, b, c)}
    return {"lists": lists, "query": f"({a} OR {b}) AND NOT {c}"}


_FORMS: dict[str, Callable[[set[int], set[int], set[int]], set[int]]] = {
    "right": lambda a, b, c: (a | b) - c,
    "no parentheses": lambda a, b, c: a | (b - c),
    "or is and": lambda a, b, c: (a & b) - c,
    "either": lambda a, b, c: (a ^ b) - c,
    "no not": lambda a, b, c: (a | b) & c,
    "not left out": lambda a, b, c: a | b,
    "all the others": lambda a, b, c: set(range(1, 16)) - c,
}


def _boolean(given: Given, form: str) -> list[int]:
    return sorted(_FORMS[form](*map(set, given.lists.values())))


# 2.4 Merges

_OPERATORS = ("AND", "OR", "NOT")

Merged = tuple[list[int], int]


def _two_lists(draw: Draw, given: Given) -> list[tuple[list[int], list[int], str]]:
    drawn = [
        (sorted(draw.some(range(1, 40), draw.whole(5, 9))), sorted(draw.some(range(1, 40), draw.whole(8, 14))))
        for _ in range(3)
    ]
    pairs = [([1, 3, 4, 8], [2, 3, 4, 9, 10, 12]), *drawn, ([5], [1, 2, 3]), ([2, 6, 9], [1, 2]), ([], [4, 7])]
    return [(a, b, operator) for a, b in pairs for operator in _OPERATORS]


def _merged(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    merged, i, j, comparisons = [], 0, 0, 0
    while i < len(a) and j < len(b):
        comparisons += 1
        in_a, in_b = a[i] <= b[j], b[j] <= a[i]
        if {"AND": in_a and in_b, "OR": True, "NOT": in_a and not in_b}[operator]:
            merged.append(min(a[i], b[j]))
        i, j = i + in_a, j + in_b
    rest = [*a[i:], *b[j:]] if operator == "OR" else a[i:] if operator == "NOT" else []
    return [*merged, *rest], comparisons


def _miscounted(count: Callable[[Sequence[int], Sequence[int]], int]) -> Callable[..., Merged]:
    """A merge whose comparisons are counted in another way."""
    return lambda a, b, operator: (_merged(a, b, operator)[0], count(a, b))


def _without_rest(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    merged, comparisons = _merged(a, b, operator)
    last = min(a[-1], b[-1]) if a and b else 0
    return [document for document in merged if document <= last], comparisons


def _with_copies(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    merged, comparisons = _merged(a, b, operator)
    return sorted([*a, *b]) if operator == "OR" else merged, comparisons


def _other_not(a: Sequence[int], b: Sequence[int], operator: str) -> Merged:
    return _merged(b, a, operator)


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


def _groups(draw: Draw) -> dict[str, Any]:
    while True:
        pairs = draw.some(_SYNONYMS, 4)
        df = {name: {word: draw.whole(20, 990) for word in pair} for name, pair in zip("ABCD", pairs, strict=True)}
        if len({sum(group.values()) for group in df.values()}) == len(df):
            return {"query": " AND ".join(f"({one} OR {other})" for one, other in pairs), "df": df}


def _order(given: Given, by: Callable[..., int]) -> list[str]:
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


def _texts_and_query(draw: Draw) -> dict[str, Any]:
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


EXERCISES = (
    BY_HAND,
    FROM_SCRATCH,
    Exercise(
        number="2.3",
        title="Boolean retrieval by hand",
        why="Patents, laws and medical reviews are still searched with Boolean queries, because nothing may be missed.",
        given=_three_lists,
        answer=unordered(whole(), "documents"),
        expected=lambda given: _boolean(given, "right"),
        mistakes=(
            Mistake(
                lambda given: _boolean(given, "no parentheses"),
                "mind the parentheses: AND NOT removes documents from the result for both words.",
            ),
            Mistake(lambda given: _boolean(given, "or is and"), "OR asks for one of the two words, not for both."),
            Mistake(
                lambda given: _boolean(given, "either"),
                "OR does not exclude: a document with both words is found as well.",
            ),
            Mistake(lambda given: _boolean(given, "no not"), "you read AND; the query says AND NOT."),
            Mistake(lambda given: _boolean(given, "not left out"), "you have not applied AND NOT yet."),
            Mistake(
                lambda given: _boolean(given, "all the others"),
                "these are all documents without the last word; they must also contain one of the others.",
            ),
        ),
        hints=(
            "First merge the two lists in the parentheses: every document in either of them, once.",
            "Then remove the documents in the third list.",
        ),
    ),
    Exercise(
        number="2.4",
        title="Merges and their cost",
        why="The cost is the sum of two lengths, not their product: that is why postings are kept sorted.",
        answer=function(
            pair("documents", "comparisons", (ordered(whole(), "documents"), whole())),
            "merge(a, b, operator)",
        ),
        inputs=_two_lists,
        expected=lambda given: _merged,
        mistakes=(
            Mistake(
                lambda given: _miscounted(lambda a, b: len(a) * len(b)),
                "you compare each document of one list with each of the other; a merge only moves both places forward.",
            ),
            Mistake(
                lambda given: _miscounted(lambda a, b: len(a) + len(b)),
                "the sum of the two lengths is the maximum for a merge; count the comparisons that it actually makes.",
            ),
            Mistake(
                lambda given: _miscounted(lambda a, b: len({*a, *b})),
                "you count comparisons after the end of one list; there is nothing left to compare with.",
            ),
            Mistake(
                lambda given: _miscounted(lambda a, b: _merged(a, b, "AND")[1] + len({*a} & {*b})),
                "after a match, move forward in both lists; you make an extra comparison for each match.",
            ),
            Mistake(
                lambda given: _without_rest,
                "at the end of one list you stop; OR and NOT still keep the rest of the other one, or of a.",
            ),
            Mistake(lambda given: _with_copies, "OR keeps a document in both lists once; you keep it twice."),
            Mistake(lambda given: _other_not, "you exchanged the lists: NOT keeps the documents of a that b lacks."),
        ),
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
        number="2.5",
        title="The order of merges",
        why="Query optimizers of databases do the same: they estimate sizes and start with the smallest.",
        given=_groups,
        answer=ordered(text(), "groups"),
        expected=lambda given: _order(given, sum),
        mistakes=(
            Mistake(
                lambda given: _order(given, sum)[::-1],
                "this begins with the longest list; begin with the one that leaves the fewest comparisons.",
            ),
            Mistake(
                lambda given: _order(given, min),
                "you used the rarer word of each group; OR also finds the documents of the other.",
            ),
            Mistake(
                lambda given: _order(given, max),
                "you used the more frequent word of each group; OR adds the documents of the other.",
            ),
            Mistake(lambda given: list("ABCD"), "this is the order in the query; look at df."),
        ),
        hints=(
            "The result of AND is never longer than the shorter of the two lists.",
            "What is the greatest possible length of the list of (x OR y), when no document contains both?",
        ),
    ),
    Exercise(
        number="2.6",
        title="Overlap by hand",
        why="Counting shared words is the simplest ranking there is, and every weight you will meet refines it.",
        given=_texts_and_query,
        answer=ordered(whole(), "documents"),
        expected=_ranked,
        mistakes=(
            Mistake(
                lambda given: _ranked(given, "tokens"),
                "you counted occurrences; overlap is the number of different query words in a document.",
            ),
            Mistake(
                lambda given: _ranked(given, "all"),
                "a document without any word of the query is not retrieved at all.",
            ),
            Mistake(
                lambda given: _ranked(given, "late ties"),
                "documents with equal overlap are in increasing order of number here; your order is decreasing.",
            ),
            Mistake(
                lambda given: _ranked(given, "and"),
                "you listed only the largest overlap; documents with fewer of the words follow.",
            ),
        ),
        hints=(
            "For each document, write down the query words that it contains, each word once.",
            "Sort by that count, largest first, then by document number. Leave out those with 0.",
        ),
    ),
    CODES,
    POSITIONS,
    PHRASES,
    WILDCARDS,
)
