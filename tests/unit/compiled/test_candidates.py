"""The bounds of a window's documents: none is too low, and few are much too high."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from lengths import thinned

import toysearch
from toysearch import Index
from toysearch.compiled import candidates, list_layout
from toysearch.search.posting_lists import PostingLists
from toysearch.search.term_weights import Weights

N_DOCS = 70_000  # more than the two bytes of a document's number tell apart
WORDS = [f"w{number}" for number in range(60)]


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(5)
    texts = [" ".join(words) for words in rng.choice(WORDS, (N_DOCS, 12), p=np.arange(1, 61) / 1830).tolist()]
    return Weights(Index.build(texts), toysearch.model("bm25"))


class Asked:
    """Terms with query weights, and what they give to each document."""

    def __init__(self, weights, n_terms: int, query_weights: np.ndarray, times: float) -> None:
        self.lists = PostingLists(weights, 1 << 30, np.full(N_DOCS, times))
        self.held = self.lists.of_terms(range(n_terms))
        self.own = np.array([each.address for each in self.held])
        self.q = query_weights
        self.totals, self.matched, highest = np.zeros(N_DOCS), np.zeros(N_DOCS, bool), []
        for q, plain in zip(query_weights, weights.of_terms(range(n_terms)), strict=True):
            given = q * (plain.weights * times)
            self.totals[plain.docs] += given
            self.matched[plain.docs] = True
            highest.append(max(0.0, given.max()))
        self.highest = np.array(highest)
        room = np.empty(list_layout.SPAN + 64, np.uint8)
        self.bounds, self.begun = room[-room.ctypes.data % 64 :][: list_layout.SPAN], -1

    def noted(self, enough: float, base: int, more: float = 0.0) -> dict[int, float]:
        """The documents of a span that may get to what is enough, and the most that each can get."""
        at = self.bounds.ctypes.data
        docs, mosts = np.empty(list_layout.SPAN, np.int64), np.empty(list_layout.SPAN)
        self.begun, unit = candidates.bound_span(
            self.own, self.q, self.highest, len(self.own), enough, base, at, self.begun
        )
        n = candidates.note_reached(base, at, self.begun, unit, more, docs.ctypes.data, mosts.ctypes.data, 0)
        assert set(self.bounds.tolist()) == {self.begun}  # ready for the next span
        assert len(set(docs[:n].tolist())) == n
        return dict(zip(docs[:n].tolist(), mosts[:n].tolist(), strict=True))

    def in_span(self, base: int) -> tuple[np.ndarray, np.ndarray]:
        """What the terms give to the documents of a span, and which of them hold one."""
        span = slice(base, base + list_layout.SPAN)
        return self.totals[span], self.matched[span]


CASES = itertools.product(
    [1, 2, 7, 29, 30, 60], ["above 0", "below 0", "turned", "mixed"], [1e-9, 0.02, 0.3, 0.9, 0.999999, 1.0]
)


@pytest.mark.parametrize(("n_terms", "signs", "part"), thinned(CASES, 7))
def test_every_document_that_gets_to_what_is_enough_is_noted(weights, n_terms, signs, part):
    query_weights = np.random.default_rng(n_terms).uniform(0.01, 3, n_terms)
    if signs in ("turned", "below 0"):
        query_weights *= -1
    elif signs == "mixed":
        query_weights[::3] *= -1
        query_weights[1::5] = 0.0
    asked = Asked(weights, n_terms, query_weights, -1.0 if signs == "turned" else 1.0)
    for base in range(0, N_DOCS, list_layout.SPAN):
        totals, matched = asked.in_span(base)
        enough = part * max(1e-9, totals.max())
        noted = asked.noted(enough, base, 0.5)
        # What gets there by rounding alone has its slack in what is enough, and that is not tested here.
        wanted = np.flatnonzero(matched & (totals >= enough * (1 + 1e-14))) + base
        assert set(wanted.tolist()) <= set(noted)
        assert asked.matched[list(noted)].all()
        assert all(most >= (asked.totals[doc] + 0.5) * (1 - 1e-14) for doc, most in noted.items())


@pytest.mark.parametrize("n_terms", [1, 2, 7])
def test_few_documents_are_noted_that_do_not_get_there(weights, n_terms):
    asked = Asked(weights, n_terms, np.linspace(1, 2, n_terms), 1.0)
    for base in range(0, N_DOCS, list_layout.SPAN):
        totals, _ = asked.in_span(base)
        enough = 0.8 * totals.max()
        noted = asked.noted(enough, base)
        assert (asked.totals[list(noted)] >= 0.7 * enough).all()
        assert len(noted) < 30 * (totals >= enough).sum()
        assert all(most <= 1.4 * asked.totals[doc] for doc, most in noted.items())


def test_what_is_enough_may_be_more_or_less_in_the_next_span(weights):
    asked = Asked(weights, 7, np.linspace(1, 2, 7), 1.0)
    totals, _ = asked.in_span(0)
    for part in (0.2, 0.8, 0.3, 1e-12, 0.9, 0.4):
        noted = asked.noted(part * totals.max(), 0)
        assert set(np.flatnonzero(totals >= max(part * totals.max(), 1e-9)).tolist()) <= set(noted)
        assert (asked.totals[list(noted)] >= 0.7 * part * totals.max()).all()


def test_what_does_not_fit_into_a_byte_is_said_to_be_without_limit(weights):
    asked = Asked(weights, 60, np.full(60, 1.0), 1.0)
    assert set(asked.noted(1e-3, 0).values()) == {np.inf}
