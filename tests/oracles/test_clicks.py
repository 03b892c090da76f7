"""Click models and counterfactual values against plain loops, and against users whose behaviour is known."""

from __future__ import annotations

import math
import random

import pytest

from toysearch.formats.click_log import ShownDocument, ShownList
from toysearch.laboratory.experiments.click_models import click_model
from toysearch.laboratory.experiments.counterfactual import counterfactual

DOCS = "abcdefgh"
ATTRACTION = dict(zip(DOCS, (0.9, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05), strict=True))
LOOKS = (1.0, 0.7, 0.5, 0.35, 0.2)


def log(model: str, n: int, seed: int) -> list[ShownList]:
    """Users of a model, who see any five documents in any order."""
    chance = random.Random(seed)
    lists = []
    for session in range(n):
        documents, looking = [], True
        for place, doc_id in enumerate(chance.sample(DOCS, 5)):
            looks = chance.random() < LOOKS[place] if model == "pbm" else looking
            clicked = looks and chance.random() < ATTRACTION[doc_id]
            if clicked and (model == "cascade" or chance.random() < 0.5):
                looking = False
            documents.append(ShownDocument(doc_id, clicked, propensity=LOOKS[place]))
        lists.append(ShownList(str(session), "q", tuple(documents)))
    return lists


def test_position_based_loop() -> None:
    lists = log("pbm", 60, 1)
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
    found = click_model(lists, "pbm", rounds=30)
    assert found.examination == pytest.approx([one / max(look) for one in look])
    assert found.relevance["q"] == pytest.approx({doc_id: a * max(look) for doc_id, a in attraction.items()})
    surprises = [-math.log2(attraction[d] * look[0] if c else 1 - attraction[d] * look[0]) for d, p, c in rows if not p]
    assert found.perplexities[0] == pytest.approx(2 ** (sum(surprises) / len(surprises)))


@pytest.mark.parametrize("model", ["cascade", "dbn"])
def test_counting_loops(model: str) -> None:
    lists = log(model, 80, 2)
    looks, clicks, ends = (dict.fromkeys(DOCS, 0) for _ in range(3))
    for shown in lists:
        clicked = [place for place, one in enumerate(shown.documents) if one.clicked]
        end = (clicked[0] if model == "cascade" else clicked[-1]) if clicked else 4
        for place, one in enumerate(shown.documents[: end + 1]):
            looks[one.doc_id] += 1
            clicks[one.doc_id] += one.clicked
            ends[one.doc_id] += bool(clicked) and place == end
    expected = {d: clicks[d] / looks[d] for d in DOCS}
    if model == "dbn":
        expected = {d: clicks[d] / looks[d] * (ends[d] / clicks[d] if clicks[d] else 0) for d in DOCS}
    found = click_model(lists, model)
    assert found.relevance["q"] == pytest.approx(expected)
    stops = expected
    chances = []
    for shown in lists:
        still = 1.0
        for one in shown.documents[:3]:
            still *= 1 - stops[one.doc_id]
        chances.append(still)
    assert found.examination[3] == pytest.approx(sum(chances) / len(chances))


@pytest.mark.parametrize("model", ["pbm", "cascade"])
def test_what_users_do_is_found(model: str) -> None:
    found = click_model(log(model, 6000, 3), model)
    assert found.relevance["q"] == pytest.approx(ATTRACTION, abs=0.06)
    if model == "pbm":
        assert found.examination == pytest.approx(LOOKS, abs=0.06)


RUN = {"q": {doc_id: float(-place) for place, doc_id in enumerate("hgabcdef")}}


def test_counterfactual_loop() -> None:
    lists = log("pbm", 40, 4)
    ranks = {doc_id: rank for rank, doc_id in enumerate("hgabc", 1)}
    gains, masses = [], []
    for shown in lists:
        clicked = [one for one in shown.documents if one.clicked]
        masses.append(sum(1 / one.propensity for one in clicked))
        gains.append(
            sum(1 / math.log2(ranks[one.doc_id] + 1) / one.propensity for one in clicked if one.doc_id in ranks)
        )
    mean = sum(gains) / 40
    deviation = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / 39)
    weights = [1 / one.propensity for shown in lists for one in shown.documents if one.clicked]
    [value] = counterfactual(lists, [RUN], k=5).values
    assert value.ips == pytest.approx(mean)
    assert value.ips_high - value.ips == pytest.approx(1.959964 * deviation / math.sqrt(40), rel=1e-6)
    assert value.snips == pytest.approx(sum(gains) / sum(masses))
    assert value.effective == pytest.approx(sum(weights) ** 2 / sum(weight**2 for weight in weights))
    assert 0 < value.covered < 1


def test_over_200_logs_ips_is_right_and_naive_clicks_are_not() -> None:
    # Of eight documents five are shown, so a document is shown, and looked at by weight, in 5 of 8 lists.
    true = sum(ATTRACTION[doc_id] * 5 / 8 / math.log2(rank + 1) for rank, doc_id in enumerate("hgabcdef", 1))
    values = [counterfactual(log("pbm", 100, seed), [RUN]).values[0] for seed in range(200)]
    mean = sum(value.ips for value in values) / 200
    error = math.sqrt(sum((value.ips - mean) ** 2 for value in values) / 199 / 200)
    assert abs(mean - true) < 3 * error
    assert sum(value.naive for value in values) / 200 < 0.7 * true
    covered = sum(value.ips_low <= true <= value.ips_high for value in values)
    assert covered >= 200 * (0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5)
