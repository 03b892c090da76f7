"""A verdict on leaders with equal means names only those of them that the open pair is about."""

from itertools import permutations

import pytest

from toysearch import compare

QRELS = {f"q{number}": {"r": 1} for number in range(12)}
RANK_OF = {"A": [3] * 12, "B": [1] * 4 + [99] * 8, "C": [4] * 12}  # AP: 1/3, 1/3 with far more spread, and 1/4


def _run(name: str) -> dict[str, dict[str, float]]:
    ranks = dict(zip(QRELS, RANK_OF[name], strict=True))
    places = range(1, 6)
    return {query: {"r" if at == rank else f"x{at}": 9.0 - at for at in places} for query, rank in ranks.items()}


@pytest.mark.parametrize("order", list(permutations(RANK_OF)))
def test_only_the_open_leader_is_said_to_be_open(order: tuple[str, ...]) -> None:
    text = compare({name: _run(name) for name in order}, QRELS, "AP").sentences()[0]
    assert "with equal means, but B is not shown to be better than C (+0.0833, 95% CI -0.2" in text
