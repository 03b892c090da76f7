"""The smallest change that turns two documents round, against formulas written here and a scan a hundred times as fine.

Nothing of the package scores here: BM25, Jelinek-Mercer and f2exp are written out once more, for all values of a
parameter at a time. Its values are gone through in 20,001 places; what turns nearest to the present value must
be what is found.
"""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from tiers import EVERYTHING, longer, thinned

import toysearch
from toysearch import Index, Searcher
from toysearch.models.tunable_parameters import tunable_parameters
from toysearch.study.explain.rank_flip import turning_points

pytestmark = pytest.mark.system

WORDS = [f"w{i}" for i in range(8)]
PLACES = np.linspace(0, 1, 20_001)
OPEN = PLACES[:-100]  # of a range without an end: up to 199 times the declared distance


class Counts:
    """What the formulas take of a collection, counted from its texts."""

    def __init__(self, texts: list[str]) -> None:
        self.documents = [Counter(text.split()) for text in texts]
        self.df = Counter(word for document in self.documents for word in document)
        self.cf = sum(self.documents, Counter())
        self.lengths = [sum(document.values()) for document in self.documents]
        self.average = sum(self.lengths) / len(texts)


def bm25(counts: Counts, query: list[str], doc: int, k1=1.2, b=0.75):
    score = np.zeros(np.broadcast(k1, b).shape)
    for word in query:
        tf, df = counts.documents[doc][word], counts.df[word]
        if tf:
            idf = math.log(1 + (len(counts.documents) - df + 0.5) / (df + 0.5))
            score = score + idf * tf / (tf + k1 * (1 - b + b * counts.lengths[doc] / counts.average))
    return score


def jelinek_mercer(counts: Counts, query: list[str], doc: int, lambda_=0.1):
    """log p(q|d), term by term as the definition has it."""
    score = np.zeros(np.shape(lambda_))
    for word in query:
        if counts.cf[word]:
            p_collection = counts.cf[word] / sum(counts.lengths)
            p_document = counts.documents[doc][word] / counts.lengths[doc]
            score = score + np.log((1 - lambda_) * p_document + lambda_ * p_collection)
    return score


def f2exp(counts: Counts, query: list[str], doc: int, s=0.5, k=0.35):
    score = np.zeros(np.broadcast(s, k).shape)
    for word in query:
        tf = counts.documents[doc][word]
        if tf:
            rarity = (len(counts.documents) / counts.df[word]) ** k
            score = score + rarity * tf / (tf + s + s * counts.lengths[doc] / counts.average)
    return score


# model, its formula, parameter, present value, the values that are scanned, where a value stands in its range
CASES = {
    "b of bm25": ("bm25", bm25, "b", 0.75, PLACES, lambda v: v),
    "k1 of bm25": ("bm25", bm25, "k1", 1.2, 1.2 * OPEN / (1 - OPEN), lambda v: v / (v + 1.2)),
    "b of bm25:b=0.1": ("bm25:b=0.1", lambda *given, b=0.1: bm25(*given, b=b), "b", 0.1, PLACES, lambda v: v),
    "lambda of lm-jm": ("lm-jm", jelinek_mercer, "lambda", 0.1, PLACES[1:], lambda v: v),
    "s of f2exp": ("f2exp", f2exp, "s", 0.5, 0.5 * OPEN / (1 - OPEN), lambda v: v / (v + 0.5)),
    "k of f2exp": ("f2exp", f2exp, "k", 0.35, PLACES, lambda v: v),
}


def collection(seed: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(2, 40), p=np.arange(8, 0, -1) / 36)) for _ in range(8)]
    return texts, list(rng.choice(WORDS, rng.integers(2, 5), replace=False))


@longer
@pytest.mark.parametrize("case", thinned(CASES, 8))
def test_what_turns_is_what_a_fine_scan_finds(case):
    spec, formula, parameter, present, values, place = CASES[case]
    keyword = "lambda_" if parameter == "lambda" else parameter
    turning = kept = 0
    for seed in range(10 if EVERYTHING else 3):
        print(f"seed {seed}")  # shown where it fails
        texts, query = collection(seed)
        searcher, counts = Searcher(Index.build(texts), spec), Counts(texts)
        ranking = searcher.search(" ".join(query), k=None)
        for upper, lower in itertools.pairwise(ranking.doc_ids[:4]):
            above, below = int(upper) - 1, int(lower) - 1
            scores = [formula(counts, query, doc, **{keyword: values}) for doc in (above, below)]
            ahead, size = scores[0] - scores[1], np.abs(scores[0]).max()
            turned = np.abs(place(values[ahead < -1e-11 * size]) - place(present))
            [turn] = turning_points(searcher, " ".join(query), upper, lower, [parameter])
            if turn.turns:
                turning += 1
                if turn.ahead == 0:  # both score alike there, at an end of the range: the collection decides
                    at = formula(counts, query, above, **{keyword: turn.turned})
                    assert at == pytest.approx(formula(counts, query, below, **{keyword: turn.turned}), rel=1e-12)
                    assert below < above
                    assert not len(turned) or turned.min() >= turn.change
                    continue
                nearest = turned.min() if len(turned) else math.inf
                assert turn.change == pytest.approx(abs(place(turn.turned) - place(present)), abs=1e-12)
                # No nearer than what turns at all, and no farther than the scan's nearest, but for rounding to digits.
                assert turn.change <= nearest * 1.02 + 1e-9
                assert turn.change >= min(nearest, 1.0) - 1 / 20_000 - 1e-9
                difference = [formula(counts, query, doc, **{keyword: turn.turned}) for doc in (below, above)]
                assert float(difference[0] - difference[1]) == pytest.approx(turn.ahead, abs=1e-10 * size)
            else:
                kept += 1
                assert not len(turned)
    assert turning
    assert kept


def test_a_term_in_two_documents_turns_where_tf_over_length_is_equal():
    """One word: tf₁ · (1 − b + b·l₂) = tf₂ · (1 − b + b·l₁), l the length over the average; linear in b."""
    texts = ["cat", "cat cat " + "dog " * 6, "dog dog dog"]
    average = (1 + 8 + 3) / 3
    first, second = 1 / average, 8 / average
    # 1 · (1 − b + b·second) = 2 · (1 − b + b·first)
    b = 1 / (second - 2 * first + 1)
    [turn, *others] = turning_points(Searcher(Index.build(texts), "bm25"), "cat", "1", "2")
    assert (turn.parameter, turn.value) == ("b", 0.75)
    assert turn.turned == pytest.approx(b, abs=2e-4)
    assert turn.turned < b
    assert not any(other.turns for other in others)


@pytest.mark.parametrize(
    "spec",
    thinned(
        [
            *("pl2", "smart:weights=Lnu.ltn,slope=0.3", "0.6*bm25 + 0.4*min-max(lm-jm)"),
            *("rm3(bm25, docs=2, terms=3, df=0.9)", "formula:tf/(tf+k)*log(1+N/df):k=1"),
            *("rocchio(bm25, docs=2, terms=3, df=0.9)", "bo1(lm-jm, docs=2, terms=3)"),
            *("rrf(bm25, kl(bm25, docs=2, terms=3))", "bm25plus"),
        ],
        4,
    ),
)
def test_a_ranking_with_the_value_is_turned_and_one_nearer_is_not(spec):
    """By ranking alone: with the value, and at random places between it and the present one."""
    turning = 0
    for seed in range(3):
        print(f"seed {seed}")  # shown where it fails
        texts, query = collection(seed)
        index = Index.build(texts)
        searcher, text = Searcher(index, spec), " ".join(query)
        ranking = searcher.search(text, k=None).doc_ids
        for upper, lower in itertools.pairwise(ranking[:3]):
            for parameter, turn in paired(searcher.model, turning_points(searcher, text, upper, lower)):
                if turn.turns:
                    turning += 1
                    again = Searcher(index, parameter.with_value(turn.turned)).search(text, k=None).doc_ids
                    assert lower in again
                    assert upper not in again or again.index(lower) < again.index(upper)
                assert turn.value is None or not nearer(index, parameter, turn, text, upper, lower, seed)
    assert turning


def paired(model, turns):
    named = {parameter.name: parameter for parameter in tunable_parameters(model)}
    return [(named[turn.parameter], turn) for turn in turns if named[turn.parameter].is_number]


def nearer(index, parameter, turn, text, upper, lower, seed) -> list[float]:
    """Values nearer to the present one than what was found, at which the order is turned all the same."""
    here = parameter.place(parameter.value)
    reach = turn.change * 0.98 if turn.turns else 1.0
    found = []
    places = here + np.random.default_rng(seed).uniform(-reach, reach, 60 if turn.turns else 30)
    for value in {parameter.at(place) for place in places if 0 < place < 0.99}:  # several places are one whole number
        if not math.isfinite(value):
            continue
        try:
            hits = list(Searcher(index, parameter.with_value(value)).search(text, k=None))
        except toysearch.ToysearchError:
            continue
        scores = {hit.doc_id: hit.score for hit in hits}
        ranks = [scores.get(doc_id, -math.inf) for doc_id in (upper, lower)]
        if ranks[0] < ranks[1] - 1e-9 * abs(ranks[1]):
            found.append(value)
    return found
