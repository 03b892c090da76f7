"""Lab 1: tokens, the laws of vocabulary, stop words, stemming, edit distance and spelling."""

from __future__ import annotations

import functools
import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from toysearch import Analyzer, Index
from toysearch.base import groups_of
from toysearch.classroom.answers import at_least, choice, function, number, ordered, text, whole
from toysearch.classroom.exercise import (
    Draw,
    Drawn,
    Exercise,
    Given,
    Unanswered,
    Wrong,
    off_by_one,
    shifted,
    wrong_functions,
)
from toysearch.classroom.lab_collection import collection
from toysearch.classroom.textbook import edit_matrix
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within

Rows = list[list[int]]
Tokenizer = Callable[[str], list[str]]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

# 1.9 Edit distance by hand

_MEANT = ("budgie", "ferret", "gerbil", "kitten", "mynah", "parrot", "puppy", "rabbit", "spider")


def _two_words(draw: Draw) -> dict[str, str]:
    """Draw a word, and the same with two neighbours exchanged and a letter too many or too few at its end."""
    meant = draw.one(_MEANT)
    at = draw.one([place for place in range(len(meant) - 3) if meant[place] != meant[place + 1]])
    exchanged = meant[:at] + meant[at + 1] + meant[at] + meant[at + 2 :]
    ending = exchanged + draw.one(_LETTERS) if draw.whole(0, 1) else exchanged[:-1]
    return {"typed": ending, "meant": meant}


def _matrix(
    first: str, second: str, *, replaced: int = 1, equal: int = 0, exchange: bool = True, edge: int = 1
) -> Rows:
    """Fill the matrix of two words with other costs than those of the exercise."""
    rows = [[edge * place for place in range(len(second) + 1)]]
    for i in range(1, len(first) + 1):
        rows.append([edge * i])
        for j in range(1, len(second) + 1):
            cost = equal if first[i - 1] == second[j - 1] else replaced
            ways = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost]
            if exchange and min(i, j) > 1 and first[i - 2 : i] == second[j - 1] + second[j - 2]:
                ways.append(rows[i - 2][j - 2] + 1)
            rows[i].append(min(ways))
    return rows


def _with(**costs: Any) -> Callable[[Given], Rows]:
    return lambda g: _matrix(g.typed, g.meant, **costs)


# 1.10 A spelling corrector

_SHOWN, _HIDDEN = 8, 200
_SHORT = 6  # letters


@functools.cache
def _index() -> Index:
    return Index.build(collection(), analyzer=Analyzer())


@functools.cache
def _occurrences() -> list[str]:
    """Return the words of the collection with four letters or more, as often as they occur."""
    words = itertools.chain.from_iterable(map(Analyzer(), (document.text for document in collection().documents)))
    return [word for word in words if len(word) > 3 and word.isascii() and word.isalpha()]


def _edited(draw: Draw, word: str) -> str:
    at, letter = draw.whole(0, len(word) - 2), draw.one(_LETTERS)
    before, after = word[:at], word[at:]
    return draw.one(
        [
            before + after[1:],
            before + letter + after,
            before + letter + after[1:],
            before + after[1] + after[0] + after[2:],
        ]
    )


def _typos(draw: Draw, count: int) -> dict[str, str]:
    """Draw misspelt words that the collection lacks, each with the word meant; one in four has two errors."""
    typos: dict[str, str] = {}
    while len(typos) < count:
        meant = draw.one(_occurrences())
        typed = _edited(draw, meant)
        if draw.whole(0, 3) == 0:
            typed = _edited(draw, typed)
        if _index().term_number(typed) < 0:
            typos[typed] = meant
    return typos


def _share_right(correct: Callable[[str], Any], given: Given) -> float:
    """Return the share of misspelt words, unlike those shown, that a function corrects."""
    typos = _typos(Draw("typos", *given.typos), _HIDDEN)
    words = [correct(typed) for typed in typos]
    if all(word is None or word is ... for word in words):
        raise Unanswered("your function returns nothing; put its result after the word return")
    return sum(bool(word == meant) for word, meant in zip(words, typos.values(), strict=True)) / len(typos)


@functools.lru_cache(1024)
def _good_enough(word: str) -> str:
    """Return the nearest and most frequent term, or a little worse: a short word gets only one edit."""
    near = terms_within(_index(), word, 2 if len(word) > _SHORT else 1)
    negative = (-_index().cf[near.numbers]).tolist()
    candidates = sorted(zip(near.edits.tolist(), negative, _index().terms.take(near.numbers), strict=True))
    return str(candidates[0][2]) if candidates else word


# 1.1 and 1.2: tokens

# Each sentence has a capital at its beginning, a single character and a punctuation mark after a word.
_OPENINGS = ("The cat's whiskers", "My 2 parrots", "Rex, I said,", "The re-homed Dog", "Oh, what budgies")
_MIDDLES = ("aren't toys", "learnt in 3 weeks", "ate (half of) the carrot", "e.g. sat still", "can climb; they fall")
_ENDINGS = ("at 7 a.m. today!", "in the vet's X-ray room.", "so - be a friend, OK?", "and a 12-year-old watched.")


_tokens = Analyzer()


def _sentence(draw: Draw) -> Drawn:
    return {"text": " ".join(draw.one(part) for part in (_OPENINGS, _MIDDLES, _ENDINGS))}


def _with_capitals(text: str) -> list[str]:
    return re.findall(r"\w\w+", text)


# One text per kind of character and per rule; only the two words are drawn.
_KINDS = (
    "{x}'s, aren't, O'{y}, {x}’s",
    "{x}-{y} re-homed 12-year-old",
    "{x}_{y} __{x}__ _{y}",
    "4{x} {y}2 {x}4{y} 2024 42 7",
    "Crème brûlée, {x} Übermut naïve ÉCOLE McDog iPad MP3",
    "кошка {x} Ελλάδα 東京 {y}",
    "Straße {x}",
    "e.g. {x}.{y} 3.14 U.S.A. {x}@{y}.org",
    '({x} of) [{y}] #{x} {y}/{x} 50% {x}; {y}: c++ "{x}" {y}…{x}',
    "I {x} a {y} é x _ 7 is ox pi",
    "{y} {x} {y} ant {x} {x} {y}",
    "the {x} and of to is not in an {y}",
    "running {x}s studies {y}ing",
    "{x}\t{y}\n{x}  {y}\u00a0{x}\n\nend",
    "supercalifragilisticexpialidocious " + 60 * "{x}",
    10 * "{x} {y} ant bee cow dog elk fox gnu hen ibis ",
    "… - !",
    "a I 7",
    "",
)


def _texts(draw: Draw, given: Given) -> list[tuple[str]]:
    x, y = draw.some(_MEANT, 2)
    return [(_sentence(draw)["text"],), (_sentence(draw)["text"],), *((text.format(x=x, y=y),) for text in _KINDS)]


def _found(pattern: str) -> Tokenizer:
    return lambda text: re.findall(pattern, text.lower())


def _then(change: Callable[[list[str]], Iterable[str]]) -> Tokenizer:
    """Change the right tokens."""
    return lambda text: list(change(_tokens(text)))


_NO_MARKS = str.maketrans("", "", string.punctuation)
_MARKS_STAY = "every character that is not a letter, a digit or an underscore ends a token; yours keep "


# 1.3 and 1.6: counts in a part of the collection


@functools.cache
def _terms_of_documents() -> list[list[str]]:
    return [_tokens(document.text) for document in collection().documents]


def _part(draw: Draw) -> Drawn:
    """Draw a few dozen documents, so that one more or less shows; never the first or the last of all."""
    first = draw.whole(1, len(_terms_of_documents()) // 2)
    return {"first": first, "last": first + draw.whole(20, 60)}


def _counts(given: Given) -> Counter[str]:  # of occurrences
    return _counted(given.first, given.last)[0]


def _document_counts(given: Given) -> Counter[str]:
    return _counted(given.first, given.last)[1]


@functools.lru_cache(maxsize=64)
def _counted(first: int, last: int) -> tuple[Counter[str], Counter[str]]:
    documents = _terms_of_documents()[first : last + 1]
    return Counter(itertools.chain(*documents)), Counter(itertools.chain(*map(set, documents)))


def _share_of_once(given: Given) -> float:
    return _once(_counts(given)) / len(_counts(given))


def _once(counts: Counter[str]) -> int:
    return sum(count == 1 for count in counts.values())


def _off_by_a_document(expected: Callable[[Given], float]) -> dict[str, Wrong | list[Wrong]]:
    return {
        "this is the answer for one document too many or too few: both ends count, and places begin at 0.": off_by_one(
            expected, "first", "last"
        ),
        "this is the answer where places begin at 1; the first document has place 0.": lambda g: expected(
            shifted(g, first=-1, last=-1)
        ),
    }


def _share_of_stop_words(given: Given) -> float:
    return _share_of_frequent(_counts(given), given.n)


def _share_of_common_list(given: Given) -> float:
    """Use the stop list of the whole collection on the student's documents."""
    frequent = _counts(_everything()).most_common(given.n)
    return sum(_counts(given)[term] for term, _ in frequent) / _counts(given).total()


def _everything() -> Given:
    return Given(first=0, last=len(_terms_of_documents()))


def _share_of_frequent(counts: Counter[str], n: int) -> float:
    return sum(count for _, count in counts.most_common(n)) / counts.total()


# 1.4 and 1.5: two laws


def _two_ranks(draw: Draw) -> Drawn:
    first = draw.whole(2, 9)
    second = first * draw.whole(20, 60)
    slope = draw.number(-1.4, -0.7, decimals=2)
    frequency = draw.whole(20_000, 60_000)
    return {"rank_1": first, "cf_1": frequency, "rank_2": second, "cf_2": round(frequency * (second / first) ** slope)}


def _slope(given: Given) -> float:
    return math.log(given.cf_2 / given.cf_1) / math.log(given.rank_2 / given.rank_1)


def _heaps_parameters(draw: Draw) -> Drawn:
    b = draw.one([0.41, 0.43, 0.45, 0.47, 0.53, 0.55, 0.57, 0.59])  # at 0.5 two mistakes would look alike
    return {"k": draw.whole(20, 60), "b": b, "times": draw.whole(2, 4)}


# 1.7 and 1.8: stemming

_FINE = (
    ("trains", "training"),
    ("feeding", "feeds"),
    ("ponies", "pony"),
    ("groomed", "grooming"),
    ("strays", "stray"),
    ("relative", "relatively"),
)
_TOO_MUCH = (
    ("animal", "animation"),
    ("ration", "rational"),
    ("import", "important"),
    ("author", "authority"),
    ("inform", "informal"),
    ("negligent", "negligible"),
)
_TOO_LITTLE = (
    ("mouse", "mice"),
    ("wolf", "wolves"),
    ("geese", "goose"),
    ("teach", "taught"),
    ("absorb", "absorption"),
    ("behave", "behaviour"),
    ("colour", "color"),
)
_JUDGMENTS = ("fine", "too much", "too little")


def _stem(word: str) -> str:
    return Analyzer(stem="english")(word)[0]


def _judgment(pair: tuple[str, str]) -> str:
    same, related = _stem(pair[0]) == _stem(pair[1]), pair in (*_FINE, *_TOO_LITTLE)
    return "fine" if same == related else "too much" if same else "too little"


def _mixed_up(given: Given) -> list[str]:
    other = {"too much": "too little", "too little": "too much", "fine": "fine"}
    return [other[_judgment(pair)] for pair in given.pairs]


@functools.cache
def _stemmed_index() -> Index:
    return Index.build(collection(), analyzer=Analyzer(stem="english"))


@functools.cache
def _forms() -> dict[str, list[str]]:
    stemmed = Analyzer(stem="english")
    return groups_of((stem, term) for term in _index().terms if (stem := stemmed.term(term)))


@functools.cache
def _words_with_forms() -> list[str]:
    """Return words for which stemming finds more documents and every way of counting gives a different number."""
    words = [word for forms in _forms().values() if len(forms) > 1 for word in forms if word.isalpha()]
    return sorted(word for word in words if _df(word) > 4 and len(set(_ways_of_counting(word))) == 4)


def _df(word: str) -> int:
    return len(_index().postings(word).docs)


def _ways_of_counting(word: str) -> tuple[int, int, int, int]:
    """Count documents found only by stemming, all it finds, the summed df of the other forms, and their occurrences."""
    stem = _stem(word)
    df = len(_stemmed_index().postings(stem).docs)
    others = [term for term in _forms()[stem] if term != word]
    occurrences = sum(int(_index().postings(term).tf.sum()) for term in others)
    return df - _df(word), df, sum(map(_df, others)), occurrences


def _count(given: Given, way: int = 0) -> int:
    return _ways_of_counting(given.word)[way]


EXERCISES = (
    Exercise(
        title="Tokens by hand",
        why="A query finds a document only through equal terms, so every search begins with tokenization.",
        given=_sentence,
        answer=ordered(text(exact=True), "tokens"),
        expected=lambda g: _tokens(g.text),
        mistakes={
            "the default analysis converts everything to lower case.": lambda g: _with_capitals(g.text),
            "a single character is not a token: a token has two or more.": lambda g: _found(r"\w+")(g.text),
            "you split at blanks only; punctuation ends a token as well.": lambda g: g.text.lower().split(),
            "you split at blanks only, and kept the capitals; punctuation ends a token, which is in lower case.": (
                lambda g: g.text.split()
            ),
        },
        hints=(
            "Go from left to right: a token is a longest run of word characters (letters, digits, underscore).",
            "An apostrophe, a hyphen and a full stop are not word characters: they end a token. "
            "What happens to the s in cat's?",
        ),
    ),
    Exercise(
        title="A tokenizer of your own",
        why="One regular expression decides what can be found at all; the default of scikit-learn is nearly the same.",
        answer=function(ordered(text(exact=True, bare=True), "tokens"), "tokens(text)"),
        inputs=_texts,
        expected=lambda g: _tokens,
        mistakes=wrong_functions(
            {
                "your tokens keep their capitals.": _with_capitals,
                "your tokens include single characters.": _found(r"\w+"),
                "you split at blanks only; punctuation stays in your tokens.": lambda text: text.lower().split(),
                "you delete punctuation, which joins what stands beside it; it ends a token.": lambda text: _tokens(
                    text.translate(_NO_MARKS)
                ),
                "a to z are not all the letters: think of é, and of digits and the underscore.": _found(r"[a-z][a-z]+"),
                "your tokens have no digits; a digit is a word character.": _found(r"[^\W\d]{2,}"),
                "you split at the underscore, which is a word character.": _found(r"[^\W_]{2,}"),
                _MARKS_STAY + "the apostrophe.": _found(r"\w[\w']+"),
                _MARKS_STAY + "the hyphen.": _found(r"\w[\w-]+"),
                "you keep each token once; return it as often as it occurs.": _then(dict.fromkeys),
            }
        ),
        hints=(
            "Use the module re: re.findall(pattern, text) returns all parts of a text that match a pattern.",
            r"In a pattern, \w is one word character of any script; + means one or more of the preceding item.",
        ),
        points=2,
    ),
    Exercise(
        title="Terms that occur once",
        why="About half of a vocabulary occurs once: the dictionary of an index is mostly rare words.",
        given=_part,
        answer=number(decimals=4),
        expected=_share_of_once,
        mistakes={
            "this is the number of such terms; divide it by the number of distinct terms.": lambda g: _once(_counts(g)),
            "you divided by the number of tokens; divide by the number of distinct terms.": lambda g: (
                _once(_counts(g)) / _counts(g).total()
            ),
            "you counted terms that occur in only one document; some of them occur there several times.": lambda g: (
                _once(_document_counts(g)) / len(_counts(g))
            ),
            "this is the share in the whole collection; use the documents that you were given.": lambda g: (
                _share_of_once(_everything())
            ),
            **_off_by_a_document(_share_of_once),
        },
        hints=(
            "collections.Counter counts items: Counter(term for text in texts for term in plain(text)).",
            "The values of the counter are the terms' frequencies; how many of them are 1, and how many are there?",
        ),
        points=2,
    ),
    Exercise(
        title="Zipf's exponent from two ranks",
        why="With a slope and one frequency you can estimate all the others, before you build an index.",
        given=_two_ranks,
        answer=number(decimals=3),
        expected=_slope,
        mistakes={
            "this is the slope without logarithms; the line is straight only where both axes are logarithmic.": (
                lambda g: (g.cf_2 - g.cf_1) / (g.rank_2 - g.rank_1)
            ),
            "you divided the wrong way: the slope is rise over run.": lambda g: 1 / _slope(g),
            "only one axis is logarithmic in your answer.": lambda g: math.log(g.cf_2 / g.cf_1) / (g.rank_2 - g.rank_1),
        },
        hints=(
            "Take the logarithm on both sides of cf = c · rank^s. What kind of line is that, and what is its slope?",
            "s = (log cf₂ − log cf₁) / (log rank₂ − log rank₁). The base of the logarithm cancels.",
        ),
    ),
    Exercise(
        title="A larger vocabulary",
        why="The vocabulary grows more slowly than the text, but it never stops, so an index must be able to grow.",
        given=_heaps_parameters,
        answer=number(decimals=2),
        expected=lambda g: g.times ** (1 / g.b),
        mistakes={
            "this is the growth of the vocabulary for a given growth of the text; the question asks the reverse.": (
                lambda g: g.times**g.b
            ),
            "the vocabulary does not grow in proportion to the text.": lambda g: g.times,
            "b is an exponent; you divided by it.": lambda g: g.times / g.b,
        },
        hints=(
            "Write the law twice, for T tokens and for x · T tokens, and divide one by the other. What cancels?",
            "times = x^b. Solve for x.",
        ),
    ),
    Exercise(
        title="Savings of a stop list",
        why="A few dozen words are a third of a text or more; this is why stop lists once saved so much space.",
        given=lambda draw: _part(draw) | {"n": draw.whole(8, 60)},
        answer=number(decimals=4),
        expected=_share_of_stop_words,
        mistakes={
            "this is the share of the vocabulary, not of the tokens.": lambda g: g.n / len(_counts(g)),
            "you counted documents for each term; count its occurrences.": lambda g: _share_of_frequent(
                _document_counts(g), g.n
            ),
            "this is the share that remains; the question asks for the share that is removed.": lambda g: (
                1 - _share_of_frequent(_counts(g), g.n)
            ),
            "your stop list has one term too many or too few.": off_by_one(_share_of_stop_words, "n"),
            "this is the share in the whole collection; use the documents that you were given.": lambda g: (
                _share_of_frequent(_counts(_everything()), g.n)
            ),
            "this is the stop list of the whole collection; use the most frequent terms of your documents.": (
                _share_of_common_list
            ),
            **_off_by_a_document(_share_of_stop_words),
        },
        hints=(
            "Counter.most_common(n) gives the n most frequent terms with their frequencies.",
            "Divide the sum of their frequencies by the total number of tokens (Counter.total()).",
        ),
        points=2,
    ),
    Exercise(
        title="Errors of stemming",
        why="A stemmer trades one kind of error for the other; no set of rules avoids both.",
        given=lambda draw: {
            "pairs": draw.shuffled([*draw.some(_FINE, 2), *draw.some(_TOO_MUCH, 2), *draw.some(_TOO_LITTLE, 2)])
        },
        answer=ordered(choice(*_JUDGMENTS), "judgments"),
        expected=lambda g: [_judgment(pair) for pair in g.pairs],
        mistakes={
            "you have mixed up too much (one stem for two meanings) and too little (two stems for one).": _mixed_up,
            "one stem is fine only where the two words mean nearly the same; look at their meanings as well.": (
                lambda g: ["fine" if _stem(first) == _stem(second) else "too little" for first, second in g.pairs]
            ),
        },
        hints=(
            'Ask two questions about each pair: is it the same stem (try stemmed("mice")), and is it the same meaning?',
            "A pair with the same stem and the same meaning is fine. Which case is too much, and which is too little?",
        ),
    ),
    Exercise(
        title="Documents found by stemming",
        why="Finding more documents is recall; only judgments can say whether they are the right ones.",
        given=lambda draw: {"word": draw.one(_words_with_forms())},
        answer=whole(),
        expected=_count,
        mistakes={
            "these are all documents that it finds with stemming; leave out those that it finds without.": {"way": 1},
            (
                "you added up the documents of the other forms; a document with two forms counts once, and one with "
                "the word itself not at all."
            ): {"way": 2},
            "you counted occurrences; the question is about documents.": {"way": 3},
        },
        hints=(
            "index.postings(term).docs are the numbers of the documents that hold a term of that index.",
            "The stemmed index knows stems only: look up your word's stem there. Then compare two sets.",
        ),
        points=2,
    ),
    Exercise(
        title="Edit distance by hand",
        why="Four neighbours decide each cell, so the distance takes as many steps as the matrix has cells.",
        given=_two_words,
        answer=ordered(ordered(whole(), "numbers"), "rows"),
        expected=lambda g: edit_matrix(g.typed, g.meant).rows,
        mistakes={
            "here the exchange of two neighbours is one edit; in your matrix it is two.": _with(exchange=False),
            "a replacement is one edit; in your matrix it is two, a deletion and an insertion.": _with(replaced=2),
            "equal letters cost nothing: there the number is the one above on the left.": _with(equal=1),
            "your first row and column are 0; each letter of a beginning is inserted or deleted.": _with(edge=0),
            "your rows and columns are exchanged: rows are for the typed word, columns for the meant one.": lambda g: (
                _matrix(g.meant, g.typed)
            ),
            "the first row and the first column are missing: those of the empty beginnings.": lambda g: [
                row[1:] for row in _matrix(g.typed, g.meant)[1:]
            ],
        },
        hints=(
            "Begin with the edges: it takes j insertions from nothing to j letters, and i deletions from i to nothing.",
            "Each other cell is the least of: the cell above + 1, the cell to the left + 1, and the cell above on the "
            "left, + 1 if the two letters differ.",
            "Where the last two letters of one beginning are those of the other in reverse, the cell two up and two "
            "to the left, + 1, may be less.",
        ),
        points=2,
    ),
    Exercise(
        title="A spelling corrector",
        why="The words of the documents are a dictionary: it knows names and jargon, and how frequent each word is.",
        given=lambda draw: {"typos": _typos(draw, _SHOWN)},
        answer=at_least(_share_right, "a function correct(word) that returns a term", "share of right words"),
        expected=lambda g: _good_enough,
        hints=(
            "Take the terms within two edits, toysearch.terms_within(index, word, 2). Which is the most probable one?",
            "First the number of edits, then the frequency: min with the key (edits, -cf). What if no term is near?",
        ),
        points=2,
    ),
)
