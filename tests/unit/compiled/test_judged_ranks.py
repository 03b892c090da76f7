"""Ranks of judged documents by both forms of the loops, compared with a sorted list of all documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_forms import both_forms

FORMS = both_forms("judged_ranks")


@pytest.mark.parametrize("form", FORMS, ids=lambda module: "compiled" if module.__file__[-3:] != ".py" else "python")
class TestJudgedRanks:
    def test_places_are_in_the_order_in_which_terms_find_documents(self, form):
        bounds, starts, stops = np.array([0, 2, 3]), np.array([0, 2, 4]), np.array([2, 4, 5])
        docs = np.array([1, 3, 0, 3, 2], np.int32)
        judged_bounds, judged = np.array([0, 2, 3]), np.array([[3, 9], [2, 9], [2, 9]])
        place_of, places, matched = (np.full(n, fill, np.int32) for n, fill in ((4, -1), (5, 7), (5, 7)))
        counts = np.empty(2, np.int64)
        form.place(bounds, starts, stops, docs, judged_bounds, judged, place_of, places, matched, counts)
        assert places.tolist() == [0, 1, 2, 1, 3]
        assert matched.tolist()[:4] == [1, 3, 0, 2]
        assert counts.tolist() == [3, 1]
        assert judged.tolist() == [[3, 1], [2, -1], [2, 3]]
        assert place_of.tolist() == [-1] * 4

    def test_sums_are_those_of_numpy(self, form):
        draw = np.random.default_rng(5)
        starts, stops = np.array([3, 0, 5]), np.array([5, 3, 9])
        query_weights, weights = draw.normal(size=3), draw.normal(size=9)
        place_starts, places = np.array([0, 2, 5]), draw.integers(0, 4, 9).astype(np.int32)
        weights.flags.writeable = False
        sums, expected = np.zeros(4), np.zeros(4)
        form.add_up(starts, stops, place_starts, query_weights, places, weights, sums)
        for weight, start, stop, first in zip(query_weights, starts, stops, place_starts, strict=True):
            np.add.at(expected, places[first : first + stop - start], weight * weights[start:stop])
        assert sums.tobytes() == expected.tobytes()


def check_ranks(order, scores, places, depth):
    """Compare the ranks of judged documents by both forms with their places in a sorted list."""
    best_first = sorted(range(len(order)), key=lambda place: (-scores[place], order[place]))
    judged = [place for place in best_first[:depth] if place in places]
    for form in FORMS:
        ranks, grades = (np.full((1, len(places)), np.inf) for _ in range(2))
        width = form.rank(
            np.array([len(order)]),
            np.array(order, np.int32),
            np.array(scores),
            np.array([0, len(places)]),
            np.array(places, np.int64),
            np.arange(len(places), dtype=np.float64),
            depth,
            ranks,
            grades,
        )
        assert width == len(judged)
        assert ranks[0, :width].tolist() == [best_first.index(place) + 1 for place in judged]
        assert grades[0, :width].tolist() == [places.index(place) for place in judged]


@given(data=st.data())
def test_ranks_are_places_in_the_sorted_list(data):
    n_docs = data.draw(st.integers(1, 60))
    order = data.draw(st.permutations(range(n_docs)))
    scores = data.draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=n_docs, max_size=n_docs))
    n_judged = data.draw(st.integers(0, min(40, n_docs)))
    places = data.draw(st.lists(st.integers(-1, n_docs - 1), min_size=n_judged, max_size=n_judged, unique=True))
    check_ranks(order, scores, places, data.draw(st.integers(1, 60)))


@pytest.mark.parametrize("depth", [1, 1023, 1024, 1025, 2500, 5000])
def test_what_is_beyond_a_depth_is_not_ranked_among_thousands(depth):
    draw = np.random.default_rng(depth)
    order, scores = draw.permutation(5000), draw.integers(0, 40, 5000) / 8
    check_ranks(order.tolist(), scores.tolist(), draw.choice(5000, 16, replace=False).tolist(), depth)
