"""`sdm(lm-dirichlet)` against a plain loop over the texts (Metzler & Croft 2005)."""

import math
from itertools import pairwise

import pytest

import toysearch
from toysearch.base.errors import ArgumentError

pytestmark = pytest.mark.system

TERMS, ORDERED, UNORDERED, WINDOW, MU = 0.85, 0.1, 0.05, 8, 2000.0


def words_apart(parts):
    """The words of the parts of a text, with more places between two parts than a window is wide."""
    return [word for part in parts for word in [*([None] * WINDOW), *part]]


def length(words):
    """The number of words."""
    return sum(word is not None for word in words)


def next_to_each_other(words, first, second):
    return sum(one == first and other == second for one, other in pairwise(words))


def near_each_other(words, first, second):
    """The starts of windows that contain both."""
    count = 0
    for start, word in enumerate(words):
        window = words[start : start + WINDOW]
        if word in (first, second):
            count += (
                window.count(first) > 0 and window.count(second) > 0 and (first != second or window.count(first) > 1)
            )
    return count


def scores(texts, query, analyzer):
    """The score of each document with a word of the query."""
    documents = {doc_id: words_apart(map(analyzer, parts)) for doc_id, parts in texts.items()}
    total = sum(map(length, documents.values()))
    features = [(TERMS, lambda words, term=term: words.count(term)) for term in query]
    for first, second in pairwise(query):
        features.append((ORDERED, lambda words, a=first, b=second: next_to_each_other(words, a, b)))
        features.append((UNORDERED, lambda words, a=first, b=second: near_each_other(words, a, b)))
    found = dict.fromkeys((doc_id for doc_id, words in documents.items() if {*query} & {*words}), 0.0)
    for weight, count in features:
        cf = sum(map(count, documents.values()))
        if not cf:
            continue
        for doc_id in found:
            words = documents[doc_id]
            found[doc_id] += weight * math.log((count(words) + MU * cf / total) / (length(words) + MU))
    return found


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize(
    "query", ["tick removal from a dog", "cat cat dog", "train a parrot to talk", "dog unheard cat"]
)
def test_against_a_plain_loop(query, positions):
    collection = toysearch.load("companions")
    texts = {each.doc_id: [each.fields["title"], each.fields["text"]] for each in collection.documents}
    index = toysearch.Index.build(collection, toysearch.Analyzer(), positions=positions)
    ranking = toysearch.Searcher(index, f"sdm(lm-dirichlet:mu={MU:g})").search(query, k=None)
    expected = scores(texts, index.analyzer(query), index.analyzer)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(expected, rel=1e-12)


def test_parameters():
    index = toysearch.Index.build(["a big dog saw a small dog", "a small cat"])
    alone = toysearch.Searcher(index, "bm25").search("small dog")
    wrapped = toysearch.Searcher(index, "sdm(bm25, terms=1, ordered=0, unordered=0)").search("small dog")
    assert [(hit.doc_id, hit.score) for hit in wrapped] == [(hit.doc_id, hit.score) for hit in alone]
    model = toysearch.model("sdm(lm-dirichlet:mu=1000, window=4)")
    assert str(toysearch.model(str(model))) == str(model) == "sdm(lm-dirichlet:mu=1000, window=4)"
    assert toysearch.model("sdm(lm-dirichlet:mu=1000, window=4)") == model
    assert toysearch.model("sdm((lm-dirichlet:mu=1000),window=4)") == model
    for wrong, part in (
        ("sdm(bm25, window=1)", "window must be a whole number of at least 2"),
        ("sdm(bm25, ordered=-1)", "ordered must be a number of at least 0"),
        ("sdm(0.5*bm25 + 0.5*dice)", "takes one model"),
        ("smd(bm25)", "did you mean 'sdm'"),
        ("sdm(sdm(bm25))", "sdm inside sdm would do the same twice; write it once"),
        ("sdm((bm25):k1=2)", "sdm has no parameter 'k1'"),
        ("sdm(min-max(bm25))", r"sdm takes one model, as in sdm\(bm25\)"),
    ):
        with pytest.raises(ArgumentError, match=part):
            toysearch.model(wrong)


def test_an_index_without_positions_and_texts():
    index = toysearch.Index.build(["a small cat", "a small dog"], store_text=False)
    with pytest.raises(ArgumentError, match="neither positions nor texts"):
        toysearch.Searcher(index, "sdm(bm25)").search("small dog")
