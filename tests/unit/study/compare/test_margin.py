"""`compare` with a margin: verdicts, their correction, their sentences, and every form."""

import json
import math

import numpy as np
import pytest
from error_messages import raising
from scipy import stats
from shell import done, run

from toysearch import compare
from toysearch.base import ArgumentError
from toysearch.study.compare.significance import corrected

N = 40
JUDGED = {str(n): {"a": 1} for n in range(N)}


def ranked(places):
    """A run in which the relevant document of query n is at rank places[n]."""
    return {str(n): [*(f"x{rank}" for rank in range(1, place)), "a"] for n, place in enumerate(places)}


SYSTEMS = {
    "old": ranked([2, 4] * 20),
    "alike": ranked([2, 4] * 19 + [4, 2]),  # differs a little
    "above": ranked([1, 4] * 20),
    "below": ranked([3, 4, 1, 10] * 10),
    "far": ranked([9, 9] * 20),
}


def verdicts(margin, measure="RR", **how):
    return {one.system: one for one in compare(SYSTEMS, JUDGED, measure, margin=margin, **how).margins}


def test_each_verdict_has_its_sentence():
    found = verdicts(0.03)
    assert {name: one.verdict for name, one in found.items()} == {
        "alike": "equivalent",
        "above": "better",
        "below": "not settled",
        "far": "worse",
    }
    number = int(found["below"].queries)
    assert {name: one.sentence for name, one in found.items()} == {
        "alike": f"alike differs from old in RR by less than 0.03 (p = {found['alike'].p_equivalent:.4f} "
        "for 4 comparisons).",
        "above": "above is better than old in RR (p < 0.0001 for 4 comparisons).",
        "below": f"Whether below is worse than old in RR by 0.03 or more is not settled: {number:,} queries would "
        f"settle it with power 0.8 if the mean difference stays at {found['below'].gain:+.4f} (40 now).",
        "far": "far is worse than old in RR (p < 0.0001 for 4 comparisons), and so by 0.03 or more.",
    }
    assert (
        verdicts(0.26)["far"].sentence
        == "far is worse than old in RR (p < 0.0001 for 4 comparisons), and may be so by 0.26 or more."
    )
    wide = verdicts(0.06)["below"]
    assert (
        wide.sentence
        == f"below is not worse than old in RR by 0.06 or more (p = {wide.p_not_worse:.4f} for 4 comparisons)."
    )


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
@pytest.mark.parametrize("family", ["all", "measure"])
def test_p_is_scipys_corrected_as_that_of_the_comparison(correction, family):
    comparison = compare(SYSTEMS, JUDGED, "RR P@1", margin=0.05, correction=correction, family=family)
    alone, both = [], []
    for pair in comparison.pairs:
        differences = comparison.differences(pair)
        if np.ptp(differences):
            low = stats.ttest_1samp(differences, -0.05, alternative="greater").pvalue
            high = stats.ttest_1samp(differences, 0.05, alternative="less").pvalue
        else:
            low, high = float(differences[0] <= -0.05), float(differences[0] >= 0.05)
        alone.append(low)
        both.append(max(low, high))
    size = len(alone) if family == "all" else 4
    for found, values in (
        ([one.p_not_worse for one in comparison.margins], alone),
        ([one.p_equivalent for one in comparison.margins], both),
    ):
        parts = np.reshape(values, (-1, size))
        assert found == pytest.approx(np.concatenate([corrected(part, correction) for part in parts]), abs=1e-9)
    for one in comparison.margins:
        assert (one.least > -0.05) == (one.p_not_worse < 0.05)


def test_of_a_measure_of_which_less_is_better_a_rise_is_worse():
    found = {one.system: one for one in compare(SYSTEMS, JUDGED, "ESL", margin=0.2).margins}
    assert (found["above"].gain > 0, found["far"].gain < 0) == (True, True)
    assert (found["above"].verdict, found["far"].verdict) == ("better", "worse")


def test_one_query_settles_nothing():
    one = {name: {"0": run["0"]} for name, run in SYSTEMS.items()}
    found = compare(one, {"0": {"a": 1}}, "RR", margin=0.01).margins[0]
    assert (
        found.sentence
        == "Whether alike is worse than old in RR by 0.01 or more is not settled: one query settles nothing."
    )
    assert (found.p_not_worse, found.least) == (1, -math.inf)


def test_a_wrong_margin_is_refused():
    with raising(ArgumentError, "margin must be a number above 0, such as 0.01, not 0"):
        compare(SYSTEMS, JUDGED, "RR", margin=0)
    with raising(ArgumentError, "a margin is tested against the baseline: leave out pairs='all', or margin"):
        compare(SYSTEMS, JUDGED, "RR", margin=0.1, pairs="all")
    assert compare(SYSTEMS, JUDGED, "RR").margins == ()


ARGUMENTS = ("compare", "cat-dog-parrot", "--model", "bm25", "--model", "jaccard", "-m", "P@1", "--margin", "0.1")
SENTENCE = "jaccard differs from bm25 in P@1 by less than 0.1 (p < 0.0001)."


@pytest.mark.parametrize("form", ["table", "markdown", "tsv", "csv", "latex", "json"])
def test_every_form_has_the_sentence(form):
    result = done(*ARGUMENTS, "--format", form)
    if form == "json":
        [row] = json.loads(result.stdout)["margins"]
        assert (row["sentence"], row["verdict"], row["margin"]) == (SENTENCE, "equivalent", 0.1)
    else:
        assert SENTENCE in (result.stdout if form in ("table", "markdown") else result.stderr)


def test_the_shell_refuses_it_beside_all_pairs():
    result = run(*ARGUMENTS, "--all-pairs")
    assert (result.exit_code, "leave out --all-pairs, or --margin" in result.stderr) == (2, True)
