"""Click models and counterfactual values against plain loops, and against users whose behaviour is known."""

from __future__ import annotations

import math
import random
from itertools import pairwise

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
            looking = looking and (model != "dbn" or chance.random() < 0.8)
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


@pytest.mark.parametrize("model", ["cascade", "sdbn"])
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
    if model == "sdbn":
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


def test_dynamic_network_loop() -> None:
    # The expectations are sums over all hidden ways of a user: where she stopped, and whether a click satisfied her.
    lists = [*log("dbn", 40, 5), ShownList("s", "q", (ShownDocument("a", True),))]
    attraction, satisfaction, gamma = dict.fromkeys(DOCS, 0.5), dict.fromkeys(DOCS, 0.5), 0.5
    values = []
    for rounds in range(1, 13):
        looks, clicks, ends = (dict.fromkeys(DOCS, 0.0) for _ in range(3))
        went = could = 0.0
        for shown in lists:
            ways = []  # the chance of each way, its number of looks, and whether the last click satisfied
            clicked = [place for place, one in enumerate(shown.documents) if one.clicked]
            n = len(shown.documents)
            for n_looks in range(clicked[-1] + 1 if clicked else 1, n + 1):
                chance = gamma ** (n_looks - 1) * ((1 - gamma) if n_looks < n else 1)
                for one in shown.documents[:n_looks]:
                    a, s = attraction[one.doc_id], satisfaction[one.doc_id]
                    chance *= a * (1 - s) if one.clicked else 1 - a
                ways.append((chance, n_looks, False))
            if clicked:
                chance = gamma ** clicked[-1]
                for place, one in enumerate(shown.documents[: clicked[-1] + 1]):
                    a, s = attraction[one.doc_id], satisfaction[one.doc_id]
                    chance *= (a * (s if place == clicked[-1] else 1 - s)) if one.clicked else 1 - a
                ways.append((chance, clicked[-1] + 1, True))
            total = sum(chance for chance, _, _ in ways)
            for chance, n_looks, satisfied in ways:
                part = chance / total
                for one in shown.documents[:n_looks]:
                    looks[one.doc_id] += part
                went += part * (n_looks - 1)
                could += part * (n_looks - 1 + (n_looks < n and not satisfied))
                if satisfied:
                    ends[shown.documents[n_looks - 1].doc_id] += part
            for place in clicked:
                clicks[shown.documents[place].doc_id] += 1
        attraction = {d: (clicks[d] + 1) / (looks[d] + 2) for d in DOCS}
        satisfaction = {d: (ends[d] + 1) / (clicks[d] + 2) for d in DOCS}
        gamma = (went + 1) / (could + 2)
        found = click_model(lists, "dbn", rounds=rounds)
        values.append(found.log_likelihood)
        assert found.continuation == pytest.approx(gamma)
        assert found.relevance["q"] == pytest.approx({d: attraction[d] * satisfaction[d] for d in DOCS})
    assert values == sorted(values)


@pytest.mark.parametrize("model", ["pbm", "dbn"])
def test_no_round_lowers_the_likelihood(model: str) -> None:
    for seed in range(5):
        values = [click_model(log(model, 50, seed), model, rounds=rounds).log_likelihood for rounds in range(1, 40)]
        assert all(after >= before - 1e-9 for before, after in pairwise(values))
        assert values[-1] > values[0]


def test_the_dynamic_network_finds_what_users_do() -> None:
    found = click_model(log("dbn", 8000, 6), "dbn", rounds=400)  # half of the clicks satisfy, .8 go on
    assert found.continuation == pytest.approx(0.8, abs=0.04)
    assert found.relevance["q"] == pytest.approx({doc_id: a / 2 for doc_id, a in ATTRACTION.items()}, abs=0.06)
    assert found.examination[1] == pytest.approx(0.8 * (1 - sum(ATTRACTION.values()) / 16), abs=0.03)


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
    learned = click_model(lists, "pbm").relevance["q"]
    worths, relevance = [], {}
    for doc_id in ranks:
        looked = sum(one.propensity for shown in lists for one in shown.documents if one.doc_id == doc_id) / 40
        relevance[doc_id] = learned[doc_id], max(looked, 1 / math.sqrt(40))
    for shown in lists:
        worth = sum(learned[doc_id] / math.log2(rank + 1) for doc_id, rank in ranks.items())
        for one in shown.documents:
            if one.doc_id in ranks:
                model, looked = relevance[one.doc_id]
                worth += (one.clicked - one.propensity * model) / looked / math.log2(ranks[one.doc_id] + 1)
        worths.append(worth)
    robust = sum(worths) / 40
    deviation = math.sqrt(sum((worth - robust) ** 2 for worth in worths) / 39)
    assert value.doubly_robust == pytest.approx(robust)
    assert value.doubly_robust_high - robust == pytest.approx(1.959964 * deviation / math.sqrt(40), rel=1e-6)


def test_the_doubly_robust_value_takes_the_model_where_nobody_looked() -> None:
    # b is at the last rank in one of 400 lists, where hardly anyone looks; the click there stands for 100 by IPS.
    lists = [ShownList(str(n), "q", (ShownDocument("a", n % 2 == 0, propensity=1.0),)) for n in range(399)]
    few = (
        *(ShownDocument(doc, False, propensity=0.5) for doc in "acdefghi"),
        ShownDocument("b", True, propensity=0.01),
    )
    [value] = counterfactual([*lists, ShownList("399", "q", few)], [{"q": {"b": 2.0, "a": 1.0}}]).values
    assert value.ips > 100 / 400
    # The click on b weighs 1 / .05 in one of 400 lists: .05 in all. The model says at most 1.
    a = 0.5 / math.log2(3)
    assert 0.5 < value.doubly_robust - a < 1 + 0.05 + 0.01


def test_over_200_logs_ips_is_right_and_naive_clicks_are_not() -> None:
    # Of eight documents five are shown, so a document is shown, and looked at by weight, in 5 of 8 lists.
    true = sum(ATTRACTION[doc_id] * 5 / 8 / math.log2(rank + 1) for rank, doc_id in enumerate("hgabcdef", 1))
    values = [counterfactual(log("pbm", 100, seed), [RUN]).values[0] for seed in range(200)]
    # The doubly robust value is that of all relevant documents, whether or not a list has them.
    robust = sum(value.doubly_robust for value in values) / 200
    spread = math.sqrt(sum((value.doubly_robust - robust) ** 2 for value in values) / 199)
    assert abs(robust - true * 8 / 5) < 3 * spread / math.sqrt(200)
    assert spread < 0.9 * 8 / 5 * math.sqrt(sum((value.ips - true) ** 2 for value in values) / 199)
    inside = sum(value.doubly_robust_low <= true * 8 / 5 <= value.doubly_robust_high for value in values)
    assert inside >= 200 * (0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5)
    mean = sum(value.ips for value in values) / 200
    error = math.sqrt(sum((value.ips - mean) ** 2 for value in values) / 199 / 200)
    assert abs(mean - true) < 3 * error
    assert sum(value.naive for value in values) / 200 < 0.7 * true
    covered = sum(value.ips_low <= true <= value.ips_high for value in values)
    assert covered >= 200 * (0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5)
