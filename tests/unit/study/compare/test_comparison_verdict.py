"""The verdict of a comparison: what it says in each situation, and that it is no stronger than its caveats."""

import json

import pytest

from toysearch.base import Qrels
from toysearch.study.compare.comparison import caveats, compare
from toysearch.study.compare.comparison_verdict import condition_of, verdict_of

FULL = {"a": 1, "b": 0, "c": 0, "d": 0}  # the relevant document and all others that the systems below find
OTHERS = ["b", "c", "d"]


def ranked(*ranks, times=1):
    """Rank the relevant document at these ranks, query by query; at 0 it is not found."""
    lists = [[*OTHERS[: rank - 1], "a", *OTHERS[rank - 1 :]] if rank else OTHERS for rank in ranks * times]
    return {str(n): documents for n, documents in enumerate(lists)}


FIRST, SECOND, THIRD = (ranked(rank, times=30) for rank in (1, 2, 3))
NEARLY = ranked(*[1] * 29, 2)  # first but for one query
MIXED = ranked(1, 3, times=15)  # RR 0.6667, P@1 0.5
EVEN = ranked(1, 0, times=15)
SWAPPED = ranked(0, 1, times=15)
SHOWN = "RR P@1 P@4"


@pytest.mark.parametrize(
    ("systems", "measures", "options", "sentence"),
    [
        # two systems, one measure
        (
            {"old": SECOND, "new": FIRST},
            "RR",
            {},
            "new is better than old in RR (+0.5000, 95% CI +0.5000 to +0.5000; p < 0.0001).",
        ),
        (
            {"old": NEARLY, "new": FIRST},
            "RR",
            {},
            "new is not shown to be better than old in RR (+0.0167, 95% CI -0.0174 to +0.0508; p = 0.3256).",
        ),
        (
            {"old": FIRST, "new": SECOND},
            "RR",
            {},
            "new is worse than old in RR (-0.5000, 95% CI -0.5000 to -0.5000; p < 0.0001).",
        ),
        (
            {"old": FIRST, "new": NEARLY},
            "RR",
            {},
            "new is not shown to differ from old in RR (-0.0167, 95% CI -0.0508 to +0.0174; p = 0.3256).",
        ),
        ({"old": EVEN, "new": SWAPPED}, "RR", {}, "old and new have equal means in RR."),
        (
            {"old": SECOND, "new": FIRST},
            "ESL",
            {},
            "new is better than old in ESL (-1.0000, 95% CI -1.0000 to -1.0000; p < 0.0001; lower is better).",
        ),
        # two systems, several measures
        (
            {"old": SECOND, "new": FIRST},
            "RR P@1",
            {},
            "new is better than old in both measures (p < 0.0001 for 2 comparisons).",
        ),
        (
            {"old": NEARLY, "new": FIRST},
            "RR P@1 AP",
            {},
            "new is not shown to be better than old: it leads in all three measures, but the leads may be chance "
            "(p ≥ 0.3256; ≥ 0.9767 for 3 comparisons).",
        ),
        (
            {"old": FIRST, "new": NEARLY},
            "RR P@1",
            {},
            "new is not shown to differ from old: the differences in both measures may be chance (p ≥ 0.3256; ≥ "
            "0.6512 for 2 comparisons).",
        ),
        (
            {"old": MIXED, "new": SECOND},
            "RR P@1 P@2",
            {},
            "new is better than old in P@2 (+0.2500, 95% CI +0.1320 to +0.3680; p < 0.0001 for 3 comparisons), but "
            "worse than old in RR and P@1 (p ≤ 0.0117 for 3 comparisons).",
        ),
        (
            {"old": NEARLY, "new": FIRST},
            "RR P@4",
            {},
            "new is not shown to differ from old: the difference in RR may be chance (+0.0167, 95% CI -0.0227 to "
            "+0.0561; p = 0.3256; 0.6512 for 2 comparisons); they have equal means in P@4.",
        ),
        (
            {"old": SECOND, "new": FIRST},
            "RR P@4",
            {},
            "new is better than old in RR (+0.5000, 95% CI +0.5000 to +0.5000; p < 0.0001 for 2 comparisons); they "
            "have equal means in P@4.",
        ),
        # many systems
        (
            {"old": THIRD, "new": SECOND, "newer": FIRST},
            "RR",
            {},
            "newer is better than all others in RR (corrected p < 0.0001). new is better than the baseline old in "
            "RR (+0.1667, 95% CI +0.1667 to +0.1667; p < 0.0001 for 2 comparisons).",
        ),
        (
            {"old": FIRST, "new": SECOND, "newer": THIRD},
            "RR AP",
            {},
            "The baseline old is better than all others in both measures (p < 0.0001 for 4 comparisons).",
        ),
        (
            {"old": SECOND, "new": NEARLY, "newer": FIRST},
            "RR",
            {},
            "new and newer are better than the baseline old in RR (p < 0.0001 for 2 comparisons). newer leads in RR, "
            "but is not shown to be better than new (+0.0167, 95% CI -0.0174 to +0.0508; corrected p = 0.3256).",
        ),
        (
            {"old": NEARLY, "new": FIRST, "newer": SECOND},
            "RR",
            {},
            "newer is worse than the baseline old in RR (-0.4833, 95% CI -0.5227 to -0.4439; p < 0.0001 for 2 "
            "comparisons). new leads in RR, but is not shown to be better than old (+0.0167, 95% CI "
            "-0.0174 to +0.0508; "
            "p = 0.3256 for 2 comparisons).",
        ),
        (
            {"old": NEARLY, "new": FIRST, "newer": SECOND},
            "RR P@1",
            {},
            "newer is worse than the baseline old in both measures (p < 0.0001 for 4 comparisons). new leads in both "
            "measures, but is not shown to be better than old (p ≥ 0.3256; ≥ 0.6512 for 4 comparisons).",
        ),
        (
            {"old": ranked(*[1] * 28, 3, 3), "new": ranked(*[1] * 27, 2, 2, 2), "newer": ranked(*[1] * 27, 2, 5, 5)},
            "RR P@2",
            {},
            "No system is shown to be best: the baseline old leads in RR and new leads in P@2, but the leads may "
            "be chance.",
        ),
        (
            {"new": SECOND, "newer": THIRD, "old": FIRST},
            "RR AP",
            {"pairs": "all"},
            "old is better than all others in both measures (p < 0.0001 for 6 comparisons).",
        ),
        (
            {"new": FIRST, "newer": NEARLY, "older": NEARLY, "oldest": NEARLY, "old": NEARLY},
            "RR",
            {"pairs": "all"},
            "new leads in RR, but is not shown to be better than newer, older and 2 more (p = 1.0000 "
            "for 10 comparisons).",
        ),
        ({"x": FIRST, "y": FIRST, "z": FIRST}, "RR", {}, "x, y and z have equal means in RR."),
        (
            {"x": FIRST, "y": FIRST, "z": SECOND},
            "RR",
            {},
            "z is worse than the baseline x in RR (-0.5000, 95% CI -0.5000 to -0.5000; p < 0.0001 for 2 comparisons). "
            "x and y are best in RR, with equal means.",
        ),
        (
            {"old": SECOND, "new": MIXED, "newer": SECOND},
            "RR P@2",
            {},
            "new is better than all others in RR (corrected p ≤ 0.0350). new is worse than the baseline old in "
            "P@2 (-0.2500, 95% CI -0.3736 to -0.1264; p < 0.0001 for 4 comparisons). old and newer are best in P@2, "
            "with equal means.",
        ),
        (  # tied winners, and another that leads by the other measures
            {"base": ranked(2, times=30), "b": FIRST, "c": FIRST, "d": ranked(*[2] * 29, 1)},
            "Success@1",
            {},
            "b and c are better than the baseline base in Success@1 (p < 0.0001 for 3 comparisons). b and c are best "
            "in Success@1, with equal means.",
        ),
        (
            {"new": SECOND, "newer": THIRD, "newest": THIRD, "old": FIRST},
            "RR AP",
            {"pairs": "all", "test": "t"},
            "old is better than all others in both measures (p < 0.0001 for 12 comparisons). newer and newest are "
            "worse than new in both measures (p < 0.0001 for 12 comparisons).",
        ),
        (
            {name: ranked(*[1] * n, *[2] * (30 - n)) for name, n in zip("abcdef", (30, 24, 18, 12, 6, 0), strict=True)},
            "RR",
            {"pairs": "all", "correction": "none", "test": "t"},
            "a is better than all others in RR (p ≤ 0.0117). c, d and 2 more are worse than b in RR (p ≤ 0.0117). "
            "d, e and f are worse than c in RR (p ≤ 0.0117). e and f are worse than d in RR (p ≤ 0.0117). So is 1 "
            "further difference in the tables.",
        ),
        # no verdict
        ({"alone": FIRST}, "RR", {}, ""),
    ],
)
def test_the_verdict_of_each_situation(systems, measures, options, sentence):
    found = compare(systems, dict.fromkeys(FIRST, FULL), measures, **options)
    assert verdict_of(found) == sentence
    assert found.data()["verdict"] == sentence


FEW = 8


@pytest.mark.parametrize(
    ("queries", "judged", "depends"),
    [
        (30, FULL, ""),
        (30, {"a": 1}, "What is shown depends on unjudged documents."),  # b could be relevant
        (FEW, FULL, "What is shown depends on the choice of 8 queries."),
        (FEW, {"a": 1}, "What is shown depends on unjudged documents and the choice of 8 queries."),
    ],
)
@pytest.mark.parametrize("more", [{}, {"newer": THIRD}])
def test_the_verdict_is_no_stronger_than_the_caveats(queries, judged, depends, more):
    systems = {"old": SECOND, "new": FIRST} | more
    systems = {name: dict(list(run.items())[:queries]) for name, run in systems.items()}
    found = compare(systems, {str(n): judged for n in range(queries)}, "RR AP")
    assert condition_of(found, caveats(found)) == found.data()["condition"] == depends


def test_one_query_that_decides_is_named_as_a_condition():
    old = ranked(*[2] * 30)
    new = ranked(*[1] * 4, *[2] * 26)
    found = compare({"old": old, "new": new}, dict.fromkeys(old, FULL), "RR")
    assert " ".join(found.sentences()[:2]) == (
        "new is better than old in RR (+0.0667, 95% CI +0.0021 to +0.1312; p = 0.0434). What is shown depends on one "
        "query."
    )


def test_texts_of_a_need_are_counted_as_needs():
    needs = {str(n): f"n{n // 3}" for n in range(30)}
    judgments = Qrels(dict.fromkeys(needs.values(), FULL)).for_texts(needs)
    found = compare({"old": SECOND, "new": NEARLY}, judgments, "RR")
    assert condition_of(found, caveats(found)) == "What is shown depends on the choice of 10 needs."


def test_the_verdict_comes_first():
    found = compare({"old": NEARLY, "new": FIRST}, dict.fromkeys(FIRST, FULL), "RR")
    said = "new is not shown to be better than old in RR (+0.0167, 95% CI -0.0174 to +0.0508; p = 0.3256)."
    assert " ".join(str(found).split("\n\n")[0].split()) == found.sentences()[0] == said
    assert said in found._repr_html_()
    assert json.loads(f"{found:json}")["verdict"] == said
    assert "not shown" not in f"{found:csv}{found:tsv}{found:latex}"
