"""Words that the analyzer drops, anywhere in a query: it finds what it finds without them."""

import random

import pytest
from tiers import often

from toysearch import Analyzer, Index, Searcher
from toysearch.query import syntax as q

pytestmark = pytest.mark.system

KEPT = ["kettle", "lamp", "comet", "moon"]
DROPPED = {  # words that an analyzer drops, for each kind of reason
    "plain": ["7", "x"],
    "english": ["the", "of", "fire", "7"],
    "english:stop=snowball,stem=porter": ["the", "of"],
    "german": ["der", "und", "auch"],
    "finnish": ["että", "niin"],
    "polish": ["nie", "jest"],
    "plain:min_length=4": ["red", "new"],
    "plain:max_length=6": ["planetary"],
    "plain:numbers=drop": ["1984", "12"],
    "plain:tokens=unicode": ["?!"],
}
TEXTS = [" ".join(word for bit, word in enumerate(KEPT) if number >> bit & 1) for number in range(2 ** len(KEPT))]
TEXTS = [f"wind {text}" if "moon" in text else text for text in TEXTS]


class Meaning:
    """What a part of a query means: a function of the words of a document; or a part that only excludes some."""

    def __init__(self, holds, excludes=False):
        self.holds, self.excludes = holds, excludes

    @staticmethod
    def of_all(meanings):
        excludes = all(meaning.excludes for meaning in meanings)
        return Meaning(lambda words: all(meaning.holds(words) for meaning in meanings), excludes) if meanings else None

    @staticmethod
    def of_any(meanings):
        excludes = len(meanings) == 1 and meanings[0].excludes
        return Meaning(lambda words: any(meaning.holds(words) for meaning in meanings), excludes) if meanings else None


class TypedQueries:
    """Random parts of queries as they are typed, with their meaning without the dropped words; None if none is left."""

    def __init__(self, seed, dropped):
        self.chosen, self.dropped = random.Random(seed), dropped
        self.unclear = False  # a part is required that only excludes documents: are those beside it required now?

    def part(self, depth):
        forms = [self.chain, self.group, self.group, self.negation] if depth else [self.phrase, self.synonyms]
        return self.chosen.choice([*forms, self.word])(depth - 1)

    def parts(self, most, depth):
        return [self.part(depth) for _ in range(self.chosen.randint(1, most))]

    def word(self, _):
        word = self.chosen.choice([*KEPT, *self.dropped])
        return q.escaped(word), None if word in self.dropped else Meaning(lambda words: word in words)

    def phrase(self, _):
        word, dropped = self.chosen.choice(KEPT), self.chosen.choice(self.dropped)
        return f'"{dropped} {word} {dropped}"', Meaning(lambda words: word in words)

    def synonyms(self, _):
        members = [self.word(0) for _ in range(self.chosen.randint(1, 3))]
        if self.chosen.random() < 0.4:
            members.append(("wind-mill", Meaning(lambda words: "wind" in words or "mill" in words)))
        return f"#syn({' '.join(text for text, _ in members)})", Meaning.of_any(left(members))

    def chain(self, depth):
        operator, join = self.chosen.choice([("AND", Meaning.of_all), ("OR", Meaning.of_any)])
        members = self.parts(3, max(depth, 0))
        return f"({f' {operator} '.join(text for text, _ in members)})", join(left(members))

    def negation(self, depth):
        text, meaning = self.part(max(depth, 0))
        return f"(NOT {text})", meaning and Meaning(lambda words: not meaning.holds(words), excludes=True)

    def group(self, depth):
        signed = {sign: self.parts(2, max(depth, 0)) for sign in self.chosen.sample(["", "+", "-"], 2)}
        texts = [f"{sign}{text}" for sign, members in signed.items() for text, _ in members]
        self.chosen.shuffle(texts)
        required, other, excluded = (left(signed.get(sign, [])) for sign in ("+", "", "-"))
        self.unclear |= any(meaning.excludes for meaning in required)
        positive = Meaning.of_all(required) or Meaning.of_any(other)
        negative = [Meaning(lambda words, of=meaning: not of.holds(words), excludes=True) for meaning in excluded]
        return f"({' '.join(texts)})", Meaning.of_all([positive, *negative] if positive else negative)


def left(members):
    return [meaning for _, meaning in members if meaning is not None]


@pytest.mark.parametrize("spec", DROPPED)
def test_a_query_finds_what_it_finds_without_the_dropped_words(spec):
    searcher, queries, n_telling = Searcher(Index.build(TEXTS, spec)), TypedQueries(spec, DROPPED[spec]), 0
    assert [Analyzer.parse(spec)(word) for word in DROPPED[spec]] == [[]] * len(DROPPED[spec])
    for _ in range(often(2000, 300)):
        queries.unclear = False
        text, meaning = queries.part(queries.chosen.randint(1, 3))
        if queries.unclear:
            continue
        wanted = [str(at) for at, words in enumerate(TEXTS, 1) if meaning and meaning.holds(words.split())]
        for mode in ("lenient", "strict"):
            found = [hit.doc_id for hit in searcher.search(text, k=None, query_mode=mode)]
            assert sorted(found) == sorted(wanted), text
        n_telling += 0 < len(wanted) < len(TEXTS)
    assert n_telling > 100
