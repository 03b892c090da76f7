"""Lab 8: paired tests, intervals, power, many comparisons, tuning on one part and reporting on another."""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Sequence

import numpy as np

from toysearch import paired_test
from toysearch.classroom.answers import choice, function, number, ordered, table
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers, wrong_functions
from toysearch.classroom.lab_collection import judged_ids, query_values
from toysearch.study import POWER, corrected, detectable_difference

# 8.1 and 8.2: the t test by hand, and its interval


def _two_systems(draw: Draw) -> Drawn:
    old = [draw.number(0.08, 0.7, decimals=2) for _ in range(draw.whole(6, 9))]
    return {"old": old, "new": [round(value + draw.number(-0.06, 0.16, decimals=2), 2) for value in old]}


def _differences(given: Given) -> list[float]:
    return [new - old for old, new in zip(given.old, given.new, strict=True)]


def _t(given: Given) -> float:
    test = paired_test(_differences(given))
    return test.effect * math.sqrt(test.n)


def _t_of_two_groups(given: Given) -> float:
    variances = statistics.variance(given.new) + statistics.variance(given.old)
    return statistics.mean(_differences(given)) / math.sqrt(variances / len(given.old))


def _t_by_n(given: Given) -> float:
    differences = _differences(given)
    return statistics.mean(differences) * math.sqrt(len(differences)) / statistics.pstdev(differences)


def _interval_numbers(draw: Draw) -> Drawn:
    from scipy.special import stdtrit

    n = draw.whole(8, 20)
    return {
        "n": n,
        "mean": draw.number(0.01, 0.09, decimals=3),
        "deviation": draw.number(0.08, 0.2, decimals=3),
        "quantiles": {level: round(float(stdtrit(n - 1, level)), 3) for level in (0.9, 0.95, 0.975, 0.99)},
    }


def _interval(given: Given, level: float = 0.975) -> list[float]:
    return _around(given, given.quantiles[level] * given.deviation / math.sqrt(given.n))


def _around(given: Given, half: float) -> list[float]:
    return [given.mean - half, given.mean + half]


# 8.3 and 8.4: tests without a normal distribution


def _few_differences(draw: Draw, given: Given) -> list[tuple[list[int]]]:
    drawn = [[draw.whole(-6, 12) for _ in range(draw.whole(5, 7))] for _ in range(3)]
    losing = [-value for value in drawn[0][:5]]
    x = draw.whole(2, 9)
    made = ([3, -1, 4], [-3, 1, -4], [x], [-x], [x, -x], [x, x, -x], [0, x, 0, -2 * x, x + 1, 0], [1, 2, 4, -8, 1])
    more = ([-5, 1, 1, 2, -6, 2, 1], [100 * x, 1, -1, 2], [2, 1, 3, -1, 4, 2, -2, 5, 1, 3])
    rows = [*drawn, losing, [draw.whole(1, 5)] * 4, [0, 0, 0], *made, *more]
    return [(row,) for row in rows]


def _share(counts: Callable[[float, float], bool], more: int = 0) -> Callable[[Sequence[float]], float]:
    """Return a permutation test that counts a sum, beside the observed one, as its rule says."""

    def test(differences: Sequence[float]) -> float:
        ways = itertools.product((1, -1), repeat=len(differences))
        sums = [sum(sign * value for sign, value in zip(signs, differences, strict=True)) for signs in ways]
        return (sum(counts(total, sum(differences)) for total in sums) + more) / (len(sums) + more)

    return test


_WRONG_TESTS = {
    "your test is one-sided; a two-sided test also counts sums as far from 0 on the other side.": _share(
        lambda each, seen: each >= seen
    ),
    "a sum that is exactly as far from 0 counts too, such as the observed one.": _share(
        lambda each, seen: abs(each) > abs(seen)
    ),
    "you counted the observed signs twice; add 1 only for signs drawn at random, not for all of them.": _share(
        lambda each, seen: abs(each) >= abs(seen), more=1
    ),
    "your p is always 1: the order of the differences changes no sum. Flip their signs.": lambda differences: 1.0,
}


def _wins(draw: Draw) -> Drawn:
    losses = draw.whole(5, 14)
    return {"wins": losses + draw.whole(3, 12), "losses": losses, "ties": draw.whole(3, 9)}


def _tail(more: int, n: int) -> float:
    return sum(math.comb(n, k) for k in range(more, n + 1)) / float(2**n)


def _sign_p(wins: int, losses: int) -> float:
    return min(1.0, 2 * _tail(max(wins, losses), wins + losses))


# 8.5: what the queries can show

_RIVALS = ("tfidf", "lm-jm", "lm-dirichlet", "dph", "bm25plus", "bm25:b=0.4", "bm25:k1=3", "pl2", "inl2", "overlap")
_MEASURES = ("AP", "nDCG@10")


def _values(model: str, measure: str) -> np.ndarray:
    """Return the measure for each query, in the order of the judged queries."""
    by_query = query_values(model, measure)
    return np.array([by_query[query_id] for query_id in judged_ids()])


def _of_differences(system: np.ndarray, baseline: np.ndarray) -> float:
    return float((system - baseline).std(ddof=1))


def _detectable(
    given: Given, deviation: Callable[[np.ndarray, np.ndarray], float] = _of_differences, wanted: float = 0
) -> float:
    values = _values(given.system, given.measure), _values("bm25", given.measure)
    return detectable_difference(deviation(*values), len(values[0]), wanted=wanted or given.power)


# 8.6: Holm


def _p_values(draw: Draw) -> Drawn:
    second = draw.number(0.0101, 0.0139, decimals=4)
    p = [
        draw.number(0.001, 0.0045, decimals=4),
        second,
        round(second + draw.number(0.0005, 0.003, decimals=4), 4),  # so near that three times it is less
        draw.number(0.021, 0.045, decimals=4),
        draw.number(0.1, 0.6, decimals=3),
    ]
    return {"p": dict(zip(("A", "B", "C", "D", "E"), draw.shuffled(p), strict=True))}


def _corrected(given: Given, method: str = "holm") -> Numbers:
    return dict(zip(given.p, corrected(list(given.p.values()), method).tolist(), strict=True))


def _multiplied(given: Given, factors: Sequence[int]) -> Numbers:
    """Multiply each p by its factor, the smallest p first."""
    order = sorted(given.p, key=given.p.__getitem__)
    return {name: min(1.0, given.p[name] * factors[order.index(name)]) for name in given.p}


# 8.7: reading results

_VERDICTS = ("better", "worse", "alike", "open")
_MARGIN = 0.02


def _results(draw: Draw) -> Drawn:
    """Draw an interval of each kind: a gain, both kinds of open, one that is alike, a loss."""
    kinds = [
        (draw.number(-0.06, -0.045, decimals=3), draw.number(-0.012, -0.004, decimals=3)),
        (draw.number(0.004, 0.012, decimals=3), draw.number(0.045, 0.06, decimals=3)),
        (draw.number(-0.012, -0.006, decimals=3), draw.number(0.006, 0.014, decimals=3)),
        (draw.number(-0.05, -0.03, decimals=3), draw.number(0.04, 0.06, decimals=3)),
        (draw.number(-0.008, -0.003, decimals=3), draw.number(0.05, 0.07, decimals=3)),
    ]
    rows = [(low, high, _p_of(low, high)) for low, high in draw.shuffled(kinds)]
    return {
        "margin": _MARGIN,
        "results": [
            {"difference": round((low + high) / 2, 4), "from": low, "to": high, "p": p} for low, high, p in rows
        ],
    }


def _p_of(low: float, high: float) -> float:
    """Return the p-value of a 95% interval over very many queries."""
    z = abs(low + high) / (high - low) * statistics.NormalDist().inv_cdf(0.975)
    return round(2 * statistics.NormalDist().cdf(-z), 4)


def _verdict(result: Numbers) -> str:
    if result["from"] > 0:
        return "better"
    if result["to"] < 0:
        return "worse"
    return "alike" if max(-result["from"], result["to"]) < _MARGIN else "open"


def _way(result: Numbers) -> str:
    return "better" if result["difference"] > 0 else "worse"


def _verdicts(rule: Callable[[Numbers], str]) -> Callable[[Given], list[str]]:
    return lambda g: [rule(result) for result in g.results]


# 8.8: tune here, report there

_SETTINGS = tuple(f"bm25:k1={k1},b={b}" for k1 in (0.4, 0.8, 1.2, 2, 3) for b in (0, 0.25, 0.5, 0.75, 1))


@functools.lru_cache(maxsize=4)
def _surface(measure: str) -> np.ndarray:
    """Return the measure for each setting (row) and query (column)."""
    return np.array([_values(setting, measure) for setting in _SETTINGS])


def _parts(draw: Draw) -> Drawn:
    step = draw.whole(3, 6)
    return {"start": draw.whole(0, step - 1), "step": step, "measure": draw.one(_MEASURES)}


def _tuned(given: Given) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each setting over the queries that choose, and over all others."""
    values = _surface(given.measure)
    chooses = np.zeros(values.shape[1], dtype=bool)
    chooses[given.start :: given.step] = True
    return values[:, chooses].mean(axis=1).round(12), values[:, ~chooses].mean(axis=1).round(12)


EXERCISES = (
    Exercise(
        title="t by hand",
        why="The paired test compares each query with itself, which removes most of the noise.",
        given=_two_systems,
        answer=number(decimals=3),
        expected=_t,
        mistakes={
            "you compared two groups of values; these are pairs, so begin with the difference for each query.": (
                _t_of_two_groups
            ),
            "the deviation here has n − 1 in its denominator, not n.": _t_by_n,
            "√n is missing: you divided by the deviation, not by the standard error.": lambda g: (
                paired_test(_differences(g)).effect
            ),
            "this is the mean difference; how many standard errors is it from 0?": lambda g: statistics.mean(
                _differences(g)
            ),
            "you divided by the variance; take its root.": lambda g: _t(g) / statistics.stdev(_differences(g)),
            "the standard error divides the deviation by √n, not by n.": lambda g: _t(g) * math.sqrt(len(g.old)),
            "this is p; t is asked for.": lambda g: paired_test(_differences(g)).p,
        },
        hints=(
            "First the differences, new − old, one for each query. Everything else is made from these numbers alone.",
            "statistics.mean and statistics.stdev give d̄ and s; t = d̄ / (s / √n).",
        ),
    ),
    Exercise(
        title="An interval by hand",
        why="An interval says how large the effect may be; p alone does not.",
        given=_interval_numbers,
        answer=ordered(number(decimals=3), "ends"),
        expected=_interval,
        mistakes={
            "this is a 90% interval: it cuts off 5% on each side instead of 2.5%.": {"level": 0.95},
            "this is an interval for single queries; for their mean, divide the deviation by √n.": lambda g: _around(
                g, g.quantiles[0.975] * g.deviation
            ),
            "1.96 is for very many queries; for so few use Student's quantile.": lambda g: _around(
                g, 1.96 * g.deviation / math.sqrt(g.n)
            ),
            "this is the mean ± one standard error; the quantile says how many are needed.": lambda g: _around(
                g, g.deviation / math.sqrt(g.n)
            ),
            "divide by √n: the n − 1 is in the deviation already.": lambda g: _around(
                g, g.quantiles[0.975] * g.deviation / math.sqrt(g.n - 1)
            ),
        },
        hints=(
            "The middle 95% leaves half of the rest below and half above. Which quantile is that?",
            "mean ± quantile · deviation / √n.",
        ),
    ),
    Exercise(
        title="A permutation test from scratch",
        why="A permutation test assumes almost nothing: only that the two labels could have been exchanged.",
        answer=function(number(decimals=6), "permutation_p(differences)"),
        inputs=_few_differences,
        expected=lambda g: lambda differences: paired_test(differences, "permutation").p,
        mistakes=wrong_functions(_WRONG_TESTS),
        hints=(
            "itertools.product((1, -1), repeat=n) goes through all 2ⁿ ways to choose n signs.",
            "For each way take the sum of sign · difference. p is the share of sums with "
            "abs(sum) >= abs(sum of the differences as they are).",
        ),
        points=2,
    ),
    Exercise(
        title="The sign test by hand",
        why="It ignores how large the differences are, so it is robust, and weak.",
        given=_wins,
        answer=number(decimals=4),
        expected=lambda g: _sign_p(g.wins, g.losses),
        mistakes={
            "this is one-sided; as many losses would have been as surprising.": lambda g: _tail(
                g.wins, g.wins + g.losses
            ),
            "you counted ties as losses; a tie says nothing about either system; leave it out.": lambda g: _sign_p(
                g.wins, g.losses + g.ties
            ),
            "this is the probability of exactly this many wins; take the probability of this many or more.": lambda g: (
                math.comb(g.wins + g.losses, g.wins) / 2 ** (g.wins + g.losses)
            ),
            "this is the probability of more wins than observed; include the observed number.": lambda g: (
                2 * _tail(g.wins + 1, g.wins + g.losses)
            ),
        },
        hints=(
            "Leave out the ties: n = wins + losses coins are left. math.comb(n, k) counts the ways to get k heads.",
            "p = 2 · (C(n, w) + C(n, w+1) + … + C(n, n)) / 2ⁿ, with w the wins.",
        ),
    ),
    Exercise(
        title="A detectable difference",
        why="Know before the experiment which difference your queries can show; afterwards it is an excuse.",
        given=lambda draw: {
            "system": draw.one(_RIVALS),
            "baseline": "bm25",
            "measure": draw.one(_MEASURES),
            "power": draw.one((0.7, 0.9, 0.95)),
        },
        answer=number(decimals=4),
        expected=_detectable,
        mistakes={
            "you passed the standard error; the function takes the deviation and divides by √n itself.": {
                "deviation": lambda system, baseline: _of_differences(system, baseline) / math.sqrt(len(system))
            },
            "this uses the deviation of the system's values; the test is paired, so take the differences.": {
                "deviation": lambda system, baseline: float(system.std(ddof=1))
            },
            "this uses the deviation of the baseline's values; the test is paired, so take the differences.": {
                "deviation": lambda system, baseline: float(baseline.std(ddof=1))
            },
            "this is the difference that was observed; the question asks which one could be detected.": lambda g: abs(
                float((_values(g.system, g.measure) - _values("bm25", g.measure)).mean())
            ),
            "this is for the usual power of 0.8; use the one that you were given.": {"wanted": POWER},
        },
        hints=(
            "Make an evaluator for your measure, then get its values for both models: see per_query(model) above.",
            "toysearch.detectable_difference(deviation, n, wanted=power), where deviation is differences.std(ddof=1).",
        ),
        points=2,
    ),
    Exercise(
        title="Holm by hand",
        why="Holm is never weaker than Bonferroni and costs nothing more, so there is no reason for the latter.",
        given=_p_values,
        answer=table(number(decimals=4), "systems"),
        expected=_corrected,
        mistakes={
            "this is Bonferroni's correction, which multiplies all by the same factor; Holm's factor decreases.": {
                "method": "bonferroni"
            },
            "this is Bonferroni's correction, limited to 1; Holm's factor decreases.": lambda g: {
                name: len(g.p) * p for name, p in g.p.items()
            },
            "the order has changed: a corrected p is never less than that of a smaller p.": lambda g: _multiplied(
                g, range(len(g.p), 0, -1)
            ),
            "this is Benjamini and Hochberg's correction, which controls another kind of error.": {"method": "bh"},
            "the factors are reversed: the smallest p gets the largest factor.": lambda g: _multiplied(
                g, range(1, len(g.p) + 1)
            ),
        },
        hints=(
            "Sort the p-values. The smallest is multiplied by 5, the next by 4, and so on.",
            "Then go through them from the smallest on: where a product is less than the one before it, take that one.",
        ),
    ),
    Exercise(
        title="The right conclusion",
        why="'Not significant' and 'the same' are different findings; the width of the interval separates them.",
        given=_results,
        answer=ordered(choice(*_VERDICTS), "verdicts"),
        expected=_verdicts(_verdict),
        mistakes={
            "you used only p: above 0.05 it does not say that two systems are alike. How far does the interval go?": (
                _verdicts(lambda result: _way(result) if result["p"] <= 0.05 else "alike")
            ),
            "you used only the observed difference; the conclusion depends on the whole interval.": _verdicts(
                lambda result: _way(result) if abs(result["difference"]) >= _MARGIN else "alike"
            ),
            "you never say alike: an interval that stays within the margin does show that nothing large is there.": (
                _verdicts(lambda result: _way(result) if result["p"] <= 0.05 else "open")
            ),
            "an interval that lies wholly below 0 is not open: it shows that the system is worse.": _verdicts(
                lambda result: "open" if result["to"] < 0 else _verdict(result)
            ),
        },
        hints=(
            "Look at the two ends only. Is 0 between them? Is the margin, or its negative, between them?",
            "In this order: both ends above 0: better. Both below 0: worse. Both within ± margin: alike. Else: open.",
        ),
    ),
    Exercise(
        title="Tune here, report there",
        why="A value on the queries that chose the setting is optimistic; this is the honest one.",
        given=_parts,
        answer=number(decimals=4),
        expected=lambda g: float(_tuned(g)[1][_tuned(g)[0].argmax()]),
        mistakes={
            "this is the value on the queries that chose the setting; report the value on all others.": lambda g: float(
                _tuned(g)[0].max()
            ),
            "this setting was chosen on the queries on which it is reported; these must not take part in it.": (
                lambda g: float(_tuned(g)[1].max())
            ),
            "this is the model as given, with k1 = 1.2 and b = 0.75; first choose a setting.": lambda g: float(
                _tuned(g)[1][_SETTINGS.index("bm25:k1=1.2,b=0.75")]
            ),
            "this is the mean over all queries; those that chose the setting are still among them.": lambda g: float(
                _surface(g.measure)[_tuned(g)[0].argmax()].mean()
            ),
        },
        hints=(
            "A list slice splits the queries: ids[start::step] are the ones that choose. Report on all others.",
            "For each setting the mean over the choosing queries; max(settings, key=...) is your setting. "
            "Then its mean over the other queries.",
        ),
        points=3,
    ),
)
