"""The click model against a plain loop, and against users whose behaviour is known."""

import math
import random
from itertools import pairwise

import pytest

from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_model import click_model

pytestmark = pytest.mark.system
DOCS = "abcdefgh"
ATTRACTION = dict(zip(DOCS, (0.9, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05), strict=True))
LOOKS = (1.0, 0.7, 0.5, 0.35, 0.2)


def log(n: int, seed: int) -> list[ShownList]:
    """Users who see any five documents in any order, and look at each place with its chance."""
    chance = random.Random(seed)
    lists = []
    for session in range(n):
        documents = []
        for place, doc_id in enumerate(chance.sample(DOCS, 5)):
            clicked = chance.random() < LOOKS[place] and chance.random() < ATTRACTION[doc_id]
            documents.append(ShownDocument(doc_id, clicked))
        lists.append(ShownList(str(session), "q", tuple(documents)))
    return lists


def test_position_based_loop() -> None:
    lists = log(60, 1)
    rows = [(one.doc_id, place, one.clicked) for shown in lists for place, one in enumerate(shown.documents)]
    attraction, look = dict.fromkeys(DOCS, 0.5), [0.5] * 5
    for _ in range(30):
        sums, looked = {doc_id: [1.0, 2.0] for doc_id in DOCS}, [[0.0, 0.0] for _ in look]
        for doc_id, place, clicked in rows:
            a, e = attraction[doc_id], look[place]
            sums[doc_id][0] += 1.0 if clicked else a * (1 - e) / (1 - a * e)
            looked[place][0] += 1.0 if clicked else e * (1 - a) / (1 - a * e)
            sums[doc_id][1] += 1
            looked[place][1] += 1
        attraction = {doc_id: part / whole for doc_id, (part, whole) in sums.items()}
        look = [part / whole for part, whole in looked]
    found = click_model(lists, rounds=30)
    assert found.examination == pytest.approx([one / max(look) for one in look])
    assert found.relevance["q"] == pytest.approx({doc_id: a * max(look) for doc_id, a in attraction.items()})
    surprises = [-math.log2(attraction[d] * look[0] if c else 1 - attraction[d] * look[0]) for d, p, c in rows if not p]
    assert found.perplexities[0] == pytest.approx(2 ** (sum(surprises) / len(surprises)))


def test_what_users_do_is_found() -> None:
    found = click_model(log(6000, 3))
    assert found.relevance["q"] == pytest.approx(ATTRACTION, abs=0.06)
    assert found.examination == pytest.approx(LOOKS, abs=0.06)


def test_no_round_lowers_the_likelihood() -> None:
    for seed in range(5):
        values = [click_model(log(50, seed), rounds=rounds).log_likelihood for rounds in range(1, 40)]
        assert all(after >= before - 1e-9 for before, after in pairwise(values)), seed
        assert values[-1] > values[0]
