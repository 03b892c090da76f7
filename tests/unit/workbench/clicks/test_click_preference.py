"""Preferences by clicks: by hand, and over many audiences whose true preference is known."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import often
from raising import raising
from scipy.stats import binomtest

from toysearch.base.errors import DataError
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_preference import preference


def shown(session: int, text: str, query_id: str = "1") -> ShownList:
    """A list such as "a+x b-y": clicked or not, and the system."""
    documents = (ShownDocument(part[0], part[1] == "+", part[2:]) for part in text.split())
    return ShownList(str(session), query_id, tuple(documents))


def values(*texts: str) -> tuple[int, int, int]:
    [count, _] = preference([shown(number, text) for number, text in enumerate(texts)]).counts
    return count.wins, count.ties, count.losses


def test_more_clicks_win_a_session():
    assert values("a+x b-y", "a+x b+y", "a-x b-y", "a-x b+y", "a+x b+y c+x", "a+x") == (3, 2, 1)


SESSIONS = st.lists(st.tuples(st.sampled_from("123456"), st.sampled_from([1, 0, -1])), min_size=1, max_size=40)
TEXTS = {1: "a+x b-y", 0: "a+x b+y", -1: "a-x b+y"}


def sessions(values: list[tuple[str, int]]) -> list[ShownList]:
    """Sessions on a query that x wins (1), nobody wins (0), or y wins (−1)."""
    return [shown(place, TEXTS[value], query_id) for place, (query_id, value) in enumerate(values)]


@given(SESSIONS, st.sampled_from([0.05, 0.2]))
@settings(max_examples=often(100, 12))
def test_the_counts_are_scipys_binomial_test_of_sessions_and_of_queries(values, alpha):
    by_sessions, by_queries = preference(sessions(values), alpha=alpha).counts
    sums = [sum(value for other, value in values if other == query_id) for query_id in {query for query, _ in values}]
    for found, signs in ((by_sessions, [value for _, value in values]), (by_queries, sums)):
        wins, losses = (sum(sign * value > 0 for value in signs) for sign in (1, -1))
        assert (found.wins, found.losses, found.ties) == (wins, losses, len(signs) - wins - losses)
        assert found.lead == (wins - losses) / len(signs)
        if not wins + losses:
            assert math.isnan(found.share)
            assert (found.low, found.high, found.p) == (0, 1, 1)
            continue
        theirs = binomtest(wins, wins + losses)
        interval = theirs.proportion_ci(1 - alpha, method="exact")
        assert found.share == wins / (wins + losses)
        assert (found.low, found.high, found.p) == pytest.approx((*interval, theirs.pvalue), abs=1e-9)
        tail = sum(Fraction(math.comb(wins + losses, n), 2 ** (wins + losses)) for n in range(min(wins, losses) + 1))
        assert found.p == pytest.approx(float(min(1, 2 * tail)), abs=1e-12)


def test_what_is_said():
    certain = preference([shown(number, "a+x b-y") for number in range(12)])
    assert certain.sentences() == ["Users prefer x: 12 of 12 decided sessions, p 0.0005."]
    open_ = preference([shown(0, "a+x b-y"), shown(1, "a+x b-y"), shown(2, "a-x b+y")])
    assert open_.sentences() == [
        "x and y: inconclusive. If the difference is as it seems, about 94 sessions more would show it with a chance "
        "of 80%."
    ]
    even = preference([shown(0, "a+x b-y"), shown(1, "a-x b+y")])
    assert even.sentences() == ["x and y: as many sessions prefer one as the other."]
    assert preference([shown(0, "a-x b-y")]).sentences() == ["x and y: no session prefers one of them."]


def test_three_systems_are_two_pairs_and_single_lists_are_left_out():
    lists = [shown(0, "a+x b-y"), shown(1, "a+x b-z"), shown(2, "a+x")]
    with pytest.warns(UserWarning, match="1 list left out, without documents of two systems"):
        assert [(one.first, one.second, one.by) for one in preference(lists).counts] == [
            ("x", "y", "sessions"), ("x", "y", "queries"), ("x", "z", "sessions"), ("x", "z", "queries"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a+ b-"], "the column system is missing or empty"),
        (["a+x b-x"], "all are credited to x"),
        (["a+x", "a+y", "a+x b-y c-z"], "each list has documents of one system, or of more than two"),
    ],
)
def test_a_log_that_compares_nothing(texts, said):
    expected = f"expected lists with documents of two systems, as `toysearch clicks interleave` writes them; {said}"
    with raising(DataError, expected):
        preference([shown(number, text) for number, text in enumerate(texts)])
