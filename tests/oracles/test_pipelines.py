"""MaxP, SumP, MMR and xQuAD against plain loops over the definitions of their papers."""

import math
import random
from collections import Counter

import pytest

from toysearch import Index, Searcher

LETTERS = ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"]


def texts(seed):
    rng = random.Random(seed)
    return ["".join(rng.choice(LETTERS) + " " for _ in range(rng.randint(1, 25))).strip() for _ in range(30)]


def scores(index, ranker, query):
    return {hit.doc_id: hit.score for hit in Searcher(index, ranker).search(query, None)}


def in_order(values):
    """The documents by falling value, equal ones in the order of the collection."""
    return sorted(values, key=lambda doc_id: (-values[doc_id], int(doc_id)))


def assert_ranked(index, ranker, query, expected, order):
    ranking = Searcher(index, ranker).search(query, None)
    assert [hit.doc_id for hit in ranking] == order
    assert [hit.score for hit in ranking] == pytest.approx([expected[doc_id] for doc_id in order], abs=1e-9)


@pytest.mark.parametrize("best", [1, 2, 0])
@pytest.mark.parametrize("seed", range(3))
def test_passages(seed, best):
    collection, words, stride = texts(seed), 6, 4
    pieces = {}
    for number, text in enumerate(collection, 1):
        tokens, start = text.split(), 0
        while True:
            pieces[f"{number}#{start}"] = " ".join(tokens[start : start + words])
            if start + words >= len(tokens):
                break
            start += stride
    by_document = {}
    for piece, score in scores(Index.build(pieces), "bm25", "aa bb bb").items():
        by_document.setdefault(piece.partition("#")[0], []).append(score)
    expected = {doc_id: sum(sorted(values)[::-1][: best or None]) for doc_id, values in by_document.items()}
    ranker = f"passages(bm25, words={words}, stride={stride}, best={best})"
    ranking = Searcher(Index.build(collection), ranker).search("aa bb bb", None)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_mmr(seed, weight):
    collection, depth = texts(seed), 12
    index, counts = Index.build(collection), [Counter(text.split()) for text in collection]
    df = Counter(term for each in counts for term in each)
    N = len(collection)

    def vector(doc_id):  # log(1 + tf) · idf, with the idf of latent topics
        return {
            t: math.log(1 + tf) * math.log(1 + (N - df[t] + 0.5) / (df[t] + 0.5))
            for t, tf in counts[int(doc_id) - 1].items()
        }

    def cosine(one, other):
        length = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
        return sum(value * other.get(t, 0.0) for t, value in one.items()) / length

    relevance = scores(index, "bm25", "aa bb")
    order = in_order(relevance)
    left, rest = order[:depth], order[depth:]
    span = relevance[left[0]] - relevance[left[-1]]
    selected, values = [], {}
    while left:

        def value(doc_id):
            most = max((cosine(vector(doc_id), vector(other)) for other in selected), default=0.0)
            return weight * relevance[doc_id] - (1 - weight) * span * most

        found = {doc_id: round(value(doc_id), 10) for doc_id in left}
        best = in_order(found)[0]
        values[best] = found[best]
        selected.append(best)
        left.remove(best)
    values |= {doc_id: min(values.values()) - place for place, doc_id in enumerate(rest, 1)}
    assert_ranked(index, f"mmr(bm25, lambda={weight}, depth={depth})", "aa bb", values, selected + rest)


@pytest.mark.parametrize("weight", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_xquad(seed, weight):
    collection, depth = texts(seed), 12
    index = Index.build(collection)
    relevance = scores(index, "bm25", "aa bb bb cc")
    order = in_order(relevance)
    left, rest = order[:depth], order[depth:]
    span = relevance[left[0]] - relevance[left[-1]]
    shares, covers = {"aa": 0.25, "bb": 0.5, "cc": 0.25}, {}
    for term in shares:
        of_term = scores(index, "bm25", "bb bb" if term == "bb" else term)
        most = max(of_term.get(doc_id, 0.0) for doc_id in left)
        covers[term] = {doc_id: of_term.get(doc_id, 0.0) / most for doc_id in left}
    selected, values = [], {}
    while left:

        def value(doc_id):
            novelty = 0.0
            for term, share in shares.items():
                unmet = math.prod(1 - covers[term][other] for other in selected)
                novelty += share * covers[term][doc_id] * unmet
            return (1 - weight) * relevance[doc_id] + weight * span * novelty

        found = {doc_id: round(value(doc_id), 10) for doc_id in left}
        best = in_order(found)[0]
        values[best] = found[best]
        selected.append(best)
        left.remove(best)
    values |= {doc_id: min(values.values()) - place for place, doc_id in enumerate(rest, 1)}
    assert_ranked(index, f"xquad(bm25, lambda={weight}, depth={depth})", "aa bb bb cc", values, selected + rest)
