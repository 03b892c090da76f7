"""The verdict of a comparison: what it says in each situation, and that it is no stronger than its caveats."""

import json

import pytest

from toysearch.base import Qrels
from toysearch.study.compare.comparison import caveats, compare
from toysearch.study.compare.comparison_verdict import headline

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
        ({"old": SECOND, "new": FIRST}, "RR", {}, "new is significantly better than old: +0.5000 RR (p < 0.0001)."),
        (
            {"old": NEARLY, "new": FIRST},
            "RR",
            {},
            "new is not shown to be better than old: +0.0167 RR may be chance (p = 0.3256).",
        ),
        ({"old": FIRST, "new": SECOND}, "RR", {}, "new is significantly worse than old: -0.5000 RR (p < 0.0001)."),
        (
            {"old": FIRST, "new": NEARLY},
            "RR",
            {},
            "new is not shown to differ from old: -0.0167 RR may be chance (p = 0.3256).",
        ),
        ({"old": EVEN, "new": SWAPPED}, "RR", {}, "old and new have equal means by RR."),
        (
            {"old": SECOND, "new": FIRST},
            "ESL",
            {},
            "new is significantly better than old: -1.0000 ESL (p < 0.0001, lower is better).",
        ),
        # two systems, several measures
        ({"old": SECOND, "new": FIRST}, "RR P@1", {}, "new is significantly better than old by both measures."),
        (
            {"old": NEARLY, "new": FIRST},
            "RR P@1 AP",
            {},
            "new is not shown to be better than old: the leads by all three measures may be chance.",
        ),
        (
            {"old": FIRST, "new": NEARLY},
            "RR P@1",
            {},
            "new is not shown to differ from old: the differences by both measures may be chance.",
        ),
        (
            {"old": MIXED, "new": SECOND},
            "RR P@1 P@2",
            {},
            "new is significantly better than old by P@2, but significantly worse than old by RR and P@1.",
        ),
        (
            {"old": NEARLY, "new": FIRST},
            "RR P@4",
            {},
            "new is not shown to differ from old: they have equal means by P@4, "
            "and the difference by RR may be chance.",
        ),
        (
            {"old": SECOND, "new": FIRST},
            "RR P@4",
            {},
            "new is significantly better than old by RR; they have equal means by P@4.",
        ),
        # many systems
        (
            {"old": THIRD, "new": SECOND, "newer": FIRST},
            "RR",
            {},
            "newer is significantly better than all others by RR. new is significantly better than old, the baseline.",
        ),
        (
            {"old": FIRST, "new": SECOND, "newer": THIRD},
            "RR AP",
            {},
            "old, the baseline, is significantly better than all others by both measures.",
        ),
        (
            {"old": SECOND, "new": NEARLY, "newer": FIRST},
            "RR",
            {},
            "new and newer are significantly better than old, the baseline. "
            "newer leads by RR, but is not shown to be better than new.",
        ),
        (
            {"old": NEARLY, "new": FIRST, "newer": SECOND},
            "RR",
            {},
            "newer is significantly worse than old, the baseline. "
            "new leads by RR, but is not shown to be better than old.",
        ),
        (
            {"old": NEARLY, "new": FIRST, "newer": SECOND},
            "RR P@1",
            {},
            "newer is significantly worse than old, the baseline, by both measures. "
            "new leads by both measures, but is not shown to be better than old.",
        ),
        (
            {"old": ranked(*[1] * 28, 3, 3), "new": ranked(*[1] * 27, 2, 2, 2), "newer": ranked(*[1] * 27, 2, 5, 5)},
            "RR P@2",
            {},
            "No system is shown to be best: old, the baseline, leads by RR and new leads by P@2, and each lead may be "
            "chance.",
        ),
        (
            {"new": SECOND, "newer": THIRD, "old": FIRST},
            "RR AP",
            {"pairs": "all"},
            "old is significantly better than all others by both measures.",
        ),
        (
            {"new": FIRST, "newer": NEARLY, "older": NEARLY, "oldest": NEARLY, "old": NEARLY},
            "RR",
            {"pairs": "all"},
            "new leads by RR, but is not shown to be better than newer, older and 2 more.",
        ),
        ({"x": FIRST, "y": FIRST, "z": FIRST}, "RR", {}, "x, y and z have equal means by RR."),
        (
            {"x": FIRST, "y": FIRST, "z": SECOND},
            "RR",
            {},
            "z is significantly worse than x, the baseline. x and y are best by RR, with equal means.",
        ),
        (
            {"old": SECOND, "new": MIXED, "newer": SECOND},
            "RR P@2",
            {},
            "new is significantly better than all others by RR. "
            "new is significantly worse than old, the baseline, by P@2. "
            "old and newer are best by P@2, with equal means.",
        ),
        (  # tied winners, and another that leads by the other measures
            {"base": ranked(2, times=30), "b": FIRST, "c": FIRST, "d": ranked(*[2] * 29, 1)},
            "Success@1",
            {},
            "b and c are significantly better than base, the baseline. "
            "b and c are best by Success@1, with equal means.",
        ),
        (
            {"new": SECOND, "newer": THIRD, "newest": THIRD, "old": FIRST},
            "RR AP",
            {"pairs": "all", "test": "t"},
            "old is significantly better than all others by both measures. "
            "newer and newest are significantly worse than new by both measures.",
        ),
        (
            {name: ranked(*[1] * n, *[2] * (30 - n)) for name, n in zip("abcdef", (30, 24, 18, 12, 6, 0), strict=True)},
            "RR",
            {"pairs": "all", "correction": "none", "test": "t"},
            "a is significantly better than all others by RR. "
            "c, d and 2 more are significantly worse than b. "
            "d, e and f are significantly worse than c. "
            "e and f are significantly worse than d. "
            "So is 1 further difference in the tables.",
        ),
        # no verdict
        ({"alone": FIRST}, "RR", {}, ""),
    ],
)
def test_the_verdict_of_each_situation(systems, measures, options, sentence):
    found = compare(systems, dict.fromkeys(FIRST, FULL), measures, **options)
    assert headline(found) == sentence
    assert found.data()["verdict"] == headline(found, caveats(found))


FEW = 8


@pytest.mark.parametrize(
    ("queries", "judged", "depends"),
    [
        (30, FULL, ""),
        (30, {"a": 1}, " That depends on unjudged documents."),  # b could be relevant
        (FEW, FULL, " That depends on the choice of 8 queries."),
        (FEW, {"a": 1}, " That depends on unjudged documents and the choice of 8 queries."),
    ],
)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "new is significantly better than old by both measures."),
        (
            {"newer": THIRD},
            "new is significantly better than all others by both measures. "
            "newer is significantly worse than old, the baseline, by both measures.",
        ),
    ],
)
def test_the_verdict_is_no_stronger_than_the_caveats(queries, judged, depends, more, said):
    systems = {"old": SECOND, "new": FIRST} | more
    systems = {name: dict(list(run.items())[:queries]) for name, run in systems.items()}
    found = compare(systems, {str(n): judged for n in range(queries)}, "RR AP")
    assert headline(found, caveats(found)) == said + depends


def test_one_query_that_decides_is_named_as_a_condition():
    old = ranked(*[2] * 30)
    new = ranked(*[1] * 4, *[2] * 26)
    found = compare({"old": old, "new": new}, dict.fromkeys(old, FULL), "RR")
    assert headline(found, caveats(found)) == (
        "new is significantly better than old: +0.0667 RR (p = 0.0434). That depends on one query."
    )


def test_texts_of_a_need_are_counted_as_needs():
    needs = {str(n): f"n{n // 3}" for n in range(30)}
    judgments = Qrels(dict.fromkeys(needs.values(), FULL)).for_texts(needs)
    found = compare({"old": SECOND, "new": NEARLY}, judgments, "RR")
    assert headline(found, caveats(found)) == (
        "new is significantly better than old: +0.4833 RR (p < 0.0001). That depends on the choice of 10 needs."
    )


def test_the_verdict_comes_first():
    found = compare({"old": NEARLY, "new": FIRST}, dict.fromkeys(FIRST, FULL), "RR")
    said = "new is not shown to be better than old: +0.0167 RR may be chance (p = 0.3256)."
    assert " ".join(str(found).split("\n\n")[0].split()) == found.sentences()[0] == said
    assert said in found._repr_html_()
    assert json.loads(f"{found:json}")["verdict"] == said
    assert "not shown" not in f"{found:csv}{found:tsv}{found:latex}"
