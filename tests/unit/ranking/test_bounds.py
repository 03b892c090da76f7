"""The bounds of a window's documents: none is too low, and few are much too high."""

from __future__ import annotations

import numpy as np
import pytest

import toysearch
from toysearch import Index
from toysearch.ranking import bound_kernels, list_kernels
from toysearch.ranking.lists import Lists
from toysearch.ranking.weights import Weights

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
        self.lists = Lists(weights, 1 << 30, np.full(N_DOCS, times))
        self.held = self.lists.of(range(n_terms))
        self.own = np.array([each.address for each in self.held])
        self.q = query_weights
        self.totals, self.matched, highest = np.zeros(N_DOCS), np.zeros(N_DOCS, bool), []
        for q, plain in zip(query_weights, weights.of(range(n_terms)), strict=True):
            given = q * (plain.weights * times)
            self.totals[plain.docs] += given
            self.matched[plain.docs] = True
            highest.append(max(0.0, given.max()))
        self.highest = np.array(highest)
        self.bounds, self.begun = np.empty(list_kernels.WINDOW, np.uint8), -1

    def noted(self, enough: float, base: int) -> list[int]:
        """The documents of a window that may get to what is enough."""
        at, noted = self.bounds.ctypes.data, np.empty(list_kernels.WINDOW, np.int64)
        self.begun = bound_kernels.bound_window(
            self.own, self.q, self.highest, len(self.own), enough, base, at, self.begun
        )
        n = bound_kernels.note_reached(base, at, self.begun, noted.ctypes.data, 0)
        assert set(self.bounds.tolist()) == {self.begun}  # ready for the next window
        return noted[:n].tolist()


@pytest.mark.parametrize("n_terms", [1, 2, 7, 29, 30, 60])
@pytest.mark.parametrize("signs", ["above 0", "below 0", "turned", "mixed"])
@pytest.mark.parametrize("part", [0.0, 0.02, 0.3, 0.9, 0.999999, 1.0])
def test_every_document_that_gets_to_what_is_enough_is_noted(weights, n_terms, signs, part):
    query_weights = np.random.default_rng(n_terms).uniform(0.01, 3, n_terms)
    if signs in ("turned", "below 0"):
        query_weights *= -1
    elif signs == "mixed":
        query_weights[::3] *= -1
        query_weights[1::5] = 0.0
    asked = Asked(weights, n_terms, query_weights, -1.0 if signs == "turned" else 1.0)
    for base in range(0, N_DOCS, list_kernels.WINDOW):
        window = slice(base, base + list_kernels.WINDOW)
        enough = part * max(0.0, asked.totals[window].max())
        noted = asked.noted(enough, base)
        assert len(set(noted)) == len(noted)
        # What gets there by rounding alone has its slack in what is enough, and that is not tested here.
        wanted = asked.matched[window] & (asked.totals[window] >= enough * (1 + 1e-14))
        assert set(np.flatnonzero(wanted) + base) <= set(noted)
        assert asked.matched[noted].all()


@pytest.mark.parametrize("n_terms", [1, 2, 7])
def test_few_documents_are_noted_that_do_not_get_there(weights, n_terms):
    asked = Asked(weights, n_terms, np.linspace(1, 2, n_terms), 1.0)
    for base in range(0, N_DOCS, list_kernels.WINDOW):
        enough = 0.8 * asked.totals[base : base + list_kernels.WINDOW].max()
        assert (asked.totals[asked.noted(enough, base)] >= 0.9 * enough).all()


def test_what_is_enough_may_be_more_or_less_in_the_next_window(weights):
    asked = Asked(weights, 7, np.linspace(1, 2, 7), 1.0)
    most = asked.totals[: list_kernels.WINDOW].max()
    for enough in (0.2 * most, 0.8 * most, 0.3 * most, 0.0, 0.9 * most, 0.4 * most):
        noted = set(asked.noted(enough, 0))
        assert set(np.flatnonzero(asked.totals[: list_kernels.WINDOW] >= max(enough, 1e-9))) <= noted
        assert (asked.totals[list(noted)] >= 0.9 * enough - 0.02 * most).all()


@pytest.mark.parametrize("enough", [-np.inf, -1.0, 0.0])
def test_every_document_with_a_term_is_noted_where_nothing_is_enough(weights, enough):
    asked = Asked(weights, 3, np.array([1.0, -2.0, 0.5]), 1.0)
    assert asked.noted(enough, 16_384) == (np.flatnonzero(asked.matched[16_384:32_768]) + 16_384).tolist()
