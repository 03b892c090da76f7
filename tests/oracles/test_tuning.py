"""Tuning against a plain loop over runs and their evaluations, and against what noise must give."""

import itertools
import math
import statistics

import numpy as np
import pytest
from chosen_way import way
from random_collections import collection
from scipy import stats
from tiers import EVERYTHING, longer

import toysearch
from toysearch import Index, Searcher, evaluate, tune

pytestmark = pytest.mark.system

LOWER = next(name for name, definition in toysearch.MEASURES.items() if definition.better == "lower")
K1, B = (0.0, 0.5, 1.2, 3.0), (0.0, 0.5, 1.0)


def valued(collection, model, measure, analyzer=None, k=1000):
    """Query_id → value, by a run and its evaluation."""
    index = Index.build(collection, analyzer)
    run = Searcher(index, model).run(collection.judged_queries, k)
    per_query = evaluate(run, collection.qrels, measure, threshold=collection.threshold).per_query
    return {query_id: row[measure] for query_id, row in per_query.items()}


def check(found, collection, systems, measure, sign=1, *, around=None):
    """All that a tuning says, from the values of each setting's run: settings are (dict, analyzer, model).

    around : the values of the other parameters along an axis; by default those of the best setting
    """
    values = [(setting, valued(collection, model, measure, analyzer)) for setting, analyzer, model in systems]
    everywhere = [statistics.fmean(row.values()) for _, row in values]
    assert [(trial.setting, trial.value) for trial in found.trials] == [
        (setting, pytest.approx(mean, abs=1e-12)) for (setting, _), mean in zip(values, everywhere, strict=True)
    ]
    best = max(range(len(values)), key=lambda place: (sign * everywhere[place], -place))
    assert found.best.setting == values[best][0]
    held_out = {}
    for fold in found.folds:
        rest = [query_id for query_id in found.query_ids if query_id not in fold.query_ids]
        means = [statistics.fmean(row[query_id] for query_id in rest) for _, row in values]
        chosen = max(range(len(values)), key=lambda place: (sign * means[place], -place))
        assert fold.setting == values[chosen][0]
        assert fold.on_rest == pytest.approx(means[chosen], abs=1e-12)
        own = {query_id: values[chosen][1][query_id] for query_id in fold.query_ids}
        assert fold.held_out == pytest.approx(statistics.fmean(own.values()), abs=1e-12)
        held_out |= own
    assert [held_out[query_id] for query_id in found.query_ids] == found.held_out.per_query.tolist()
    assert found.held_out.value == pytest.approx(statistics.fmean(held_out.values()), abs=1e-12)
    assert found.gap == pytest.approx(everywhere[best] - statistics.fmean(held_out.values()), abs=1e-12)
    by_setting = {tuple(setting.items()): sign * mean for (setting, _), mean in zip(values, everywhere, strict=True)}
    top = values[best][0]
    for plateau in (each for each in found.plateaus if each.ordered):
        tried = sorted({setting[plateau.name] for setting, _ in values})
        line = [by_setting[tuple({**(around or top), plateau.name: value}.items())] for value in tried]
        first = last = tried.index(top[plateau.name])
        least = line[first] - 0.01 * abs(line[first]) - 1e-12
        while first and line[first - 1] >= least:
            first -= 1
        while last + 1 < len(tried) and line[last + 1] >= least:
            last += 1
        assert sorted(plateau.near) == tried[first : last + 1]
    return held_out


def bm25_grid():
    return [({"k1": k1, "b": b}, None, f"bm25:k1={k1},b={b}") for k1, b in itertools.product(K1, B)]


@pytest.mark.parametrize("path", ["plain", "compiled"])
@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_a_grid_is_a_loop_over_runs(path, measure):
    made = collection(3, by_words=True)
    with way(path):
        found = tune("bm25", made, {"k1": K1, "b": B}, measure, folds=4, seed=7)
    held_out = check(found, made, bm25_grid(), measure)
    default = valued(made, "bm25", measure)
    assert found.default.per_query.tolist() == list(default.values())
    differences = [held_out[query_id] - default[query_id] for query_id in default]
    expected = stats.ttest_rel(list(held_out.values()), [default[query_id] for query_id in held_out])
    assert found.gain.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.gain.mean == pytest.approx(statistics.fmean(differences), abs=1e-12)


def test_without_a_grid_one_parameter_changes_at_a_time():
    made, own = collection(9), {"k1": 1.2, "b": 0.75, "delta": 0.5}
    values = {
        "k1": (0.15, 0.4243, 3.394, 9.6),
        "b": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        "delta": (0.0625, 0.1768, 1.414, 4.0),
    }
    settings = [own, *({**own, name: value} for name, several in values.items() for value in several)]
    found = tune("bm25l", made)
    systems = [(one, None, toysearch.model("bm25l").bind(**one)) for one in settings]
    check(found, made, systems, "AP", around=own)
    assert found.about()[0].endswith("15 settings, one parameter at a time")
    assert len({str(fold.setting) for fold in found.folds}) > 1


def test_folds_that_do_not_agree():
    """Relevance by lot: each fold's queries would have changed the choice, had they been asked."""
    made = collection(9)
    found = tune("bm25", made, {"k1": K1, "b": B}, folds=5)
    check(found, made, bm25_grid(), "AP")
    assert found.agreeing < 5
    assert len({str(fold.setting) for fold in found.folds}) > 1


def test_choices_of_the_analysis_are_indexes_of_their_own():
    made = collection(4, by_words=True)
    grid = {"k1": "0.5,2", "stop": "none,sklearn", "min_length": "1,3"}
    found = tune("bm25", made, grid, "AP")
    systems = []
    for stop, length, k1 in itertools.product(("none", "sklearn"), (1, 3), (0.5, 2.0)):
        setting = {"stop": stop, "min_length": str(length), "k1": k1}
        systems.append((setting, toysearch.Analyzer(stop=stop, min_length=length), f"bm25:k1={k1}"))
    check(found, made, systems, "AP")


def test_a_measure_of_which_less_is_better():
    made = collection(7, by_words=True)
    found = tune("bm25", made, {"k1": K1, "b": B}, LOWER)
    check(found, made, bm25_grid(), found.measure, sign=-1)
    default = valued(made, "bm25", found.measure)
    falling = found.held_out.value - statistics.fmean(default.values())
    assert found.gain.mean == pytest.approx(falling, abs=1e-12)
    assert falling < 0
    assert found.gain.p < found.alpha
    assert (found.verdict, found.sign) == ("better", -1)


def test_a_function_and_a_formula_give_the_same():
    def own(tf, df, N, *, k=1.0):
        return tf / (tf + k) * np.log(N / df)

    made = collection(6, by_words=True)
    values = "0.5,1,4"
    one = tune(own, made, {"k": values})
    other = tune(toysearch.formula("tf/(tf+k)*log(N/df)", k=1), made, {"k": values})
    assert [trial.value for trial in one.trials] == [trial.value for trial in other.trials]
    assert one.held_out.per_query.tolist() == other.held_out.per_query.tolist()
    systems = [({"k": k}, None, toysearch.formula("tf/(tf+k)*log(N/df)", k=k)) for k in (0.5, 1.0, 4.0)]
    check(one, made, systems, "AP")


@longer
def test_tuning_of_noise_claims_no_gain():
    """Relevance is drawn by lot, so no setting is better than another; yet the best one looks better."""
    n, alpha = 200 if EVERYTHING else 60, 0.05
    limit = alpha + 3 * math.sqrt(alpha * (1 - alpha) / n)
    claimed, gaps = 0, []
    with way("compiled"):
        for seed in range(n):
            found = tune(
                "bm25", collection(seed), {"k1": "0,0.5,3,10", "b": "0,0.5,1"}, seed=seed, alpha=alpha, threads=1
            )
            claimed += found.gain.p < alpha
            assert (found.verdict != "") == (found.gain.p < alpha)
            gaps.append(found.gap)
    assert claimed / n <= limit
    assert stats.ttest_1samp(gaps, 0, alternative="greater").pvalue < 1e-6  # what the held-out value is for


def test_a_real_gain_is_found():
    """A model that ranks the documents with the fewest matches first is set right by the sign of its parameter."""

    def either_way(tf, dl, *, sign=-1.0):
        return sign * tf / dl

    found = tune(either_way, collection(1, n_queries=30, by_words=True), {"sign": "-1,1"})
    assert found.best.setting == {"sign": 1.0}
    assert found.agreeing == 5
    assert found.gain.p < 0.001 < found.gain.mean
    assert found.verdict == "better"
