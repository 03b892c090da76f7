"""Measures of users who stop, against loops over the formulas, published figures of cwl_eval, and cwl_eval itself."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from toysearch import Qrels, evaluate
from toysearch.evaluation.measures.effort import READING_ON, User

# Of the rankings with gains in fifths, the only one that has all figures on the page of cwl_eval, to their last digit.
PAGE = [1.0, 0.0, 0.2, 0.6, 0.0, 0.0, 0.2, 0.0, 1.0, 0.0]
PUBLISHED = {  # expected gain of a document, of the search, documents read
    "user='RBP',p=0.5": (0.566, 1.132, 2.000),
    "user='RBP',p=0.9": (0.214, 2.136, 10.000),
    "user='INST',T=2": (0.401, 1.303, 3.247),
    "user='INST',T=1": (0.680, 1.071, 1.575),
    "user='INSQ',T=2": (0.316, 1.428, 4.525),
    "user='INSQ',T=1": (0.465, 1.198, 2.576),
    "user='BPM',T=1,k=1000": (1.000, 1.000, 1.000),
    "user='BPM',T=1000,k=10": (0.300, 3.000, 10.000),
    "user='BPM',T=1.2,k=10": (0.400, 1.200, 3.000),
}
MEASURE = {"RBP": "RBP(p={p})", "INSQ": "INSQ(T={T})", "INST": "INST(T={T})", "BPM": "BPM(T={T})@{k}"}


def measure_of(user: str) -> str:
    settings = {"p": 0.8, "T": 1, "k": 10} | dict(part.split("=") for part in user.split(","))
    return MEASURE[settings.pop("user").strip("'")].format(**settings)


def ranked(gains: list[float | None]) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
    """A run and judgments; None is an unjudged document."""
    docs = [f"d{number}" for number in range(len(gains))]
    judged = {doc_id: gain for doc_id, gain in zip(docs, gains, strict=True) if gain is not None}
    return {"1": docs}, {"1": {**judged, "missed": 1.0}}


@pytest.mark.parametrize("user", PUBLISHED)
def test_published_figures(user: str) -> None:
    run, qrels = ranked([*PAGE])
    names = measure_of(user), f"ETU({user})", f"ED({user})"
    values = evaluate(run, qrels, names, threshold=0.2).means.values()
    assert [round(value, 3) for value in values] == [*PUBLISHED[user]]


def going_on(name: str, i: int, gains: list[float], p: float, t: float, k: int) -> float:
    """The chance of going on after rank i."""
    so_far = sum(gains[:i])
    if name == "RBP":
        return p
    if name == "BPM":
        return 1.0 if so_far < t and i < k else 0.0
    wanted = 2 * t if name == "INSQ" else t + (t - so_far)
    return ((i + wanted - 1) / (i + wanted)) ** 2


def by_hand(name: str, gains: list[float], p: float, t: float, k: int, depth: int) -> tuple[float, float, float]:
    """The expected gain of a document and of the search, and the documents read, by the chance of the last rank."""
    gains = [*gains, *[0.0] * depth][:depth]
    reached, of_search, read, weighted = 1.0, 0.0, 0.0, 0.0
    for i in range(1, depth + 1):
        on = going_on(name, i, gains, p, t, k) if i < depth else 0.0
        last = reached * (1 - on)
        of_search += last * sum(gains[:i])
        read += last * i
        weighted += reached * gains[i - 1]
        reached *= on
    return weighted / read, of_search, read


@pytest.mark.parametrize("name", READING_ON)
@pytest.mark.parametrize("seed", range(8))
def test_loops(name: str, seed: int) -> None:
    chance = random.Random(seed)
    grades = [chance.choice([None, 0.0, 0.0, 1.0, 2.0, 3.0]) for _ in range(chance.randint(1, 30))]
    p, t, k, depth = chance.random(), chance.uniform(0.5, 4), chance.randint(1, 12), chance.choice([5, 40])
    run, qrels = ranked(grades)
    qrels["1"]["missed"] = 3.0
    gains = [(grade or 0) / 3 for grade in grades]
    best = [1.0 if grade is None else grade / 3 for grade in grades]
    settings = f"user='{name}',p={p},T={t},k={k},depth={depth}"
    utility = {"RBP": None, "BPM": None}.get(name, f"{name}(T={t},depth={depth})")
    values = evaluate(run, qrels, [f"{one}({settings})" for one in ("ETU", "ED", "EUres")], threshold=1)
    rate, of_search, read = by_hand(name, gains, p, t, k, depth)
    most = by_hand(name, [*best, *[1.0] * depth], p, t, k, depth)[0]
    assert [*values.means.values()] == pytest.approx([of_search, read, most - rate], abs=1e-12)
    if utility:
        assert evaluate(run, qrels, utility, threshold=1)[utility] == pytest.approx(rate, abs=1e-12)
    if name == "BPM":
        measure = f"BPM(T={t})@{k}"
        expected = by_hand(name, gains, p, t, k, k)[0]
        assert evaluate(run, qrels, measure, threshold=1)[measure] == pytest.approx(expected, abs=1e-12)


def test_the_residual_of_rbp_is_rbpres() -> None:
    run, qrels = ranked([1, None, 0, None, 1])
    values = evaluate(run, qrels, "EUres(user='RBP') RBPres")
    assert values["EUres(user='RBP')"] == pytest.approx(values["RBPres"], abs=1e-12)


@pytest.mark.parametrize("user", sorted(READING_ON))
def test_a_query_without_gain_is_read_too(user: str) -> None:
    """What is read and what unjudged documents could add do not depend on whether a judged document gains."""
    run, qrels = {"1": ["a", "b"], "2": ["c", "d"]}, {"1": {"b": 1}, "2": {"d": 0}}
    values = evaluate(run, qrels, [f"ED(user='{user}',p=0.8)", f"EUres(user='{user}')", "RBPres"]).per_query["2"]
    depth, residual, of_rbp = values.values()
    _, _, expected = by_hand(user, [0.0, 0.0], 0.8, 1.0, 10, 1000)
    most, _, _ = by_hand(user, [1.0, 0.0, *[1.0] * 998], 0.8, 1.0, 10, 1000)
    assert (depth, residual) == pytest.approx((expected, most), abs=1e-12)
    assert user != "RBP" or residual == pytest.approx(of_rbp, abs=1e-12)


def test_chances_of_the_last_rank_add_up_to_1() -> None:
    gains = np.array([[1.0, 0.0, 0.5] + [0.0] * 50])
    for name in READING_ON:
        user = User(name)
        assert user.last(gains).sum() == pytest.approx(1)
        expected_rank = (user.last(gains) * np.arange(1, 54)).sum()
        assert expected_rank == pytest.approx(user.reaching(gains).sum())


@pytest.mark.parametrize("seed", range(10))
def test_rank_biased_utility(seed: int) -> None:
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(12)]
    run = {"1": chance.sample(docs, 9)}
    judged = {doc_id: {name: float(chance.randint(0, 2)) for name in "abc"} for doc_id in chance.sample(docs, 8)}
    judged[docs[0]] = {"a": 2.0, "b": 0.0, "c": 1.0}
    p, e, k = chance.random(), chance.random() / 5, chance.choice([3, 20])
    expected = 0.0
    for i in range(1, min(k, 9) + 1):
        new = 0.0
        for name in "abc":
            satisfied = [(2 ** judged.get(one, {name: 0})[name] - 1) / 2**2 for one in run["1"][:i]]
            still = 1.0
            for other in satisfied[:-1]:
                still *= 1 - other
            new += satisfied[-1] * still / 3
        expected += (1 - p) * p ** (i - 1) * (new - e)
    measure = f"RBU(p={p},e={e})@{k}"
    value = evaluate(run, Qrels.from_subtopics({"1": judged}), measure, threshold=1)[measure]
    assert value == pytest.approx(expected, abs=1e-12)


CWL: dict[str, Callable[[object], object]] = {
    "user='RBP',p=0.5": lambda measures: measures.RBPCWLMetric(0.5),
    "user='INSQ',T=2.5": lambda measures: measures.INSQCWLMetric(2.5),
    "user='INST',T=3": lambda measures: measures.INSTCWLMetric(3),
    "user='BPM',T=1.5,k=7": lambda measures: measures.BPMCWLMetric(1.5, 7),
}


@pytest.mark.parametrize("user", CWL)
def test_cwl_eval(user: str) -> None:
    """cwl_eval loses the chance that the last rank is passed in its total gain, so this is compared less closely."""
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl_eval is not installed: pip install cwl-eval")
    for seed in range(10):
        chance = random.Random(seed)
        gains = [chance.choice([None, 0.0, 0.25, 1.0]) for _ in range(40)]
        metric = CWL[user](ruler)
        metric.residuals = True
        metric.measure(ruler.Ranking("1", [np.nan if gain is None else gain for gain in gains], [1.0] * 40))
        run, qrels = ranked(gains)
        names = measure_of(user), f"ETU({user})", f"ED({user})", f"EUres({user})"
        values = [*evaluate(run, qrels, names, threshold=0.25).means.values()]
        theirs = [metric.expected_utility, metric.expected_total_utility, metric.expected_items]
        theirs.append(metric.residual_expected_utility)
        assert values == pytest.approx(theirs, abs=1e-3), (seed, user)
        assert [values[0], *values[2:]] == pytest.approx([theirs[0], *theirs[2:]], abs=1e-12)
