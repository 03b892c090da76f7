"""Query expansion against plain loops over the texts, each written from its definition."""

import math
from collections import Counter

import pytest

import toysearch
from toysearch.retrieval.expanded_queries import expanded
from toysearch.retrieval.relevance_feedback import search_again

COLLECTION = toysearch.load("companions")
INDEX = toysearch.Index.build(COLLECTION)
SEARCHER = toysearch.Searcher(INDEX, "bm25")
WORDS = {document.doc_id: INDEX.analyzer(document.text) for document in COLLECTION.documents}
N, T = len(WORDS), sum(map(len, WORDS.values()))
DF = Counter(word for words in WORDS.values() for word in {*words})
CF = Counter(word for words in WORDS.values() for word in words)
QUERIES = ["tick removal from a dog", "guinea pig food", "cat cat dog unheard", "train a parrot to talk"]


def first(query, docs):
    """The words and the score of each of the best documents."""
    return [(WORDS[hit.doc_id], hit.score) for hit in SEARCHER.search(query, k=docs)]


def asked(query):
    return {word: float(n) for word, n in Counter(INDEX.analyzer(query)).items() if word in DF}


def best(weights, n):
    chosen = sorted((-weight, word) for word, weight in weights.items() if weight > 0)[:n]
    return {word: -weight for weight, word in chosen}


def rare(word):
    return DF[word] <= N / 10


def mixed(query, weights, share, length):
    total = sum(weights.values())
    return merged({word: share * n for word, n in asked(query).items()}, weights, (1 - share) * length / total)


def merged(own, weights, factor):
    return {word: own.get(word, 0) + factor * weights.get(word, 0) for word in {*own, *weights}}


def rm3(query):
    weights = Counter()
    for words, score in first(query, 10):
        for word, tf in Counter(words).items():
            if rare(word):
                weights[word] += tf / len(words) * score
    return mixed(query, best(weights, 30), 0.5, sum(asked(query).values()))


def norm(values):
    return math.sqrt(sum(value**2 for value in values))


def rocchio(query):
    weights = Counter()
    for words, _ in first(query, 10):
        vector = Counter(words)
        for word, tf in vector.items():
            if rare(word):
                weights[word] += tf / norm(vector.values())
    weights, own = best(weights, 50), asked(query)
    return merged(own, weights, 0.75 * norm(own.values()) / norm(weights.values()))


def in_bag(docs):
    return Counter(word for words, _ in docs for word in words)


def bose_einstein(tf, mean):
    return tf * math.log2((1 + mean) / mean) + math.log2(1 + mean)


def bo1(query):
    bag = in_bag(first(query, 3))
    weights = best({word: bose_einstein(tf, CF[word] / N) for word, tf in bag.items()}, 10)
    return merged(asked(query), weights, max(asked(query).values()) / max(weights.values()))


def divergence(tf, length, word):
    share, expected = tf / length, CF[word] / T
    return share * math.log2(share / expected) if share > expected else 0.0


def kl(query):
    bag = in_bag(first(query, 3))
    weights = best({word: divergence(tf, bag.total(), word) for word, tf in bag.items()}, 10)
    return merged(asked(query), weights, max(asked(query).values()) / max(weights.values()))


def information(pool, first, second):
    """The mutual information of the presence of two words."""
    total = 0.0
    for one in (True, False):
        for other in (True, False):
            joint = sum((first in words) == one and (second in words) == other for words in pool) / len(pool)
            if joint:
                share = sum((first in words) == one for words in pool) / len(pool)
                total += joint * math.log(joint / share / (sum((second in w) == other for w in pool) / len(pool)))
    return total


def axiomatic(query, factor=3):
    every = list(WORDS)
    taken = [hit.doc_id for hit in SEARCHER.search(query, k=20)]
    n = (factor - 1) * len(taken)
    taken = {*taken, *(every[int((place + 0.5) * N / n)] for place in range(n))}
    pool = [{*WORDS[doc_id]} for doc_id in taken]
    weights = Counter()
    for word, qtf in asked(query).items():
        own = information(pool, word, word)
        for other in set().union(*pool) - {word}:
            if own:
                weights[other] += qtf * information(pool, word, other) / own
    return merged(asked(query), best(weights, 20), 0.4)


CASES = {"rm3(bm25)": rm3, "rocchio(bm25)": rocchio, "bo1(bm25)": bo1, "kl(bm25)": kl}


def scored(weights):
    """BM25 of every document with one of the words."""
    scores = {}
    for doc_id, words in WORDS.items():
        tf = Counter(words)
        if any(tf[word] for word in weights):
            length = 1.2 * (0.25 + 0.75 * len(words) * N / T)
            idf = {word: math.log(1 + (N - DF[word] + 0.5) / (DF[word] + 0.5)) for word in weights}
            scores[doc_id] = sum(weights[w] * idf[w] * tf[w] / (tf[w] + length) for w in weights)
    return scores


def weights_of(model, query):
    """The weight of each word after the expansion of a query."""
    [factor] = toysearch.model(model).products[0].factors
    made = expanded(SEARCHER.scorer, [SEARCHER.terms(query)], factor.wrappers[0])[0].query
    return {INDEX.term(n): weight for n, weight in zip(made.numbers.tolist(), made.qtf.tolist(), strict=True)}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("model", CASES)
def test_against_a_plain_loop(model, query):
    expected = CASES[model](query)
    assert weights_of(model, query) == pytest.approx(expected, rel=1e-12)
    ranking = toysearch.Searcher(INDEX, model).search(query, k=None)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(scored(expected), rel=1e-12)


@pytest.mark.system
def test_axiomatic():
    query = QUERIES[1]
    assert weights_of("axiomatic(bm25, pool=3)", query) == pytest.approx(axiomatic(query), rel=1e-9)


def direction(doc_ids):
    mean = Counter()
    for doc_id in doc_ids:
        vector = Counter(WORDS[doc_id])
        for word, tf in vector.items():
            mean[word] += tf / norm(vector.values())
    return mean


def test_rocchio_with_known_documents():
    query, good, bad = "tick removal from a dog", ["p057", "p271"], ["p202", "p300", "p001"]
    own, towards, away = asked(query), direction(good), direction(bad)
    towards = best({word: weight for word, weight in towards.items() if rare(word)}, 50)
    expected = {}
    for word in {*own, *towards}:
        moved = 0.75 * towards.get(word, 0) / norm(towards.values()) - 0.15 * away[word] / norm(away.values())
        expected[word] = own.get(word, 0) + norm(own.values()) * moved
    expected = {word: weight for word, weight in expected.items() if weight > 0}
    ranking = search_again(SEARCHER, query, good, bad, k=None)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(scored(expected), rel=1e-12)
