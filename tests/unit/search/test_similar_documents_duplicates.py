"""Near duplicates: what counts, in which order, and that blocks change nothing."""

from __future__ import annotations

import random

import pytest

import toysearch
from toysearch import Index
from toysearch.base.errors import ArgumentError
from toysearch.search import similar_documents as module
from toysearch.search.similar_documents import SimilarPair, duplicate_groups, near_duplicates

pytestmark = pytest.mark.system


def pairs(texts, *arguments):
    return [tuple(pair) for pair in near_duplicates(Index.build(texts), *arguments)]


def test_equal_documents_are_found_whatever_rounding_does():
    """A cosine of two equal vectors can come out as 1 - 2⁻⁵³."""
    rng = random.Random(7)
    texts = [" ".join(rng.choices([f"w{i}" for i in range(40)], k=30)) for _ in range(60)]
    for model in ("cosine", "cosine:tf=log,idf=smooth", "dice:weights=tfidf", "jaccard:weights=tfidf", "jaccard"):
        found = pairs([text for text in texts for _ in range(2)], 1.0, model)
        assert [pair[:2] for pair in found] == [(str(n), str(n + 1)) for n in range(1, 120, 2)]
        assert [pair[2] for pair in found] == pytest.approx([1.0] * 60, abs=1e-12)


@pytest.mark.parametrize("work", [1, 7, 100])
def test_blocks_change_nothing(monkeypatch, work):
    rng, words = random.Random(3), ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
    texts = [" ".join(rng.choices(words, k=rng.randrange(12))) for _ in range(80)]
    whole = {model: pairs(texts, 0.6, model) for model in ("cosine", "dice", "jaccard")}
    assert all(len(found) > 20 for found in whole.values())
    monkeypatch.setattr(module, "_WORK", work)
    for model, found in whole.items():
        assert pairs(texts, 0.6, model) == found


def test_few_are_compared_in_full(monkeypatch):
    """Documents that share frequent terms only are no candidates, nor are those of too different sizes."""
    asked = []
    reaching = module._reaching

    def counting(similarity, above, shared, dd, qq):
        asked.append(len(shared))
        return reaching(similarity, above, shared, dd, qq)

    monkeypatch.setattr(module, "_reaching", counting)
    common = " ".join(f"c{i}" for i in range(8))
    texts = [f"{common} r{i} s{i} t{i}" for i in range(100)] + [f"{common} r0 s0 t0", "r0 s0"]
    assert [pair[:2] for pair in pairs(texts)] == [("1", "101")]
    assert asked == [3, 1]  # three have r0, and the last one is too short


def test_wrong_arguments_are_refused_at_once():
    index = Index.build(["ant"])
    for above in (0, -0.5, 1.1, float("nan")):
        with pytest.raises(ArgumentError) as caught:
            near_duplicates(index, above)
        assert (
            str(caught.value) == f"the least similarity of near duplicates must be above 0 and at most 1, not {above!r}"
        )
    for model in ("bm25", "overlap", "0.5*jaccard + 0.5*dice"):
        with pytest.raises(ArgumentError) as caught:
            near_duplicates(index, 0.9, model)
        assert str(caught.value).startswith("near duplicates are found by cosine, dice or jaccard, not by")


def test_a_model_of_ones_own_is_refused_whatever_its_name():
    @toysearch.model(similarity="euclidean")
    def jaccard(tf):
        return tf

    with pytest.raises(ArgumentError, match="near duplicates are found by cosine, dice or jaccard"):
        near_duplicates(Index.build(["ant"]), 0.9, jaccard)

    @toysearch.model(similarity="dice")
    def dice(tf, df):
        return tf / df  # the query's weights are not these

    with pytest.raises(ArgumentError, match="near duplicates are found by cosine, dice or jaccard"):
        near_duplicates(Index.build(["ant"]), 0.9, dice)


def test_groups_are_joined_by_chains():
    chain = [SimilarPair(*pair, 1.0) for pair in ("xy", "ab", "cd", "bc", "ef", "eg", "hd")]
    assert duplicate_groups(chain) == [["a", "b", "c", "d", "h"], ["e", "f", "g"], ["x", "y"]]
    assert duplicate_groups([]) == []


def test_a_pair_within_a_group_changes_nothing():
    triangle = [SimilarPair(*pair, 1.0) for pair in ("ab", "bc", "ac")]
    assert duplicate_groups(triangle) == [["a", "b", "c"]]
