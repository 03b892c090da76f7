"""Which way codes run, what is not on the scale, and what the lowest grade gains."""

from __future__ import annotations

from pathlib import Path

import made
import pytest
from lengths import thinned

import toysearch
from toysearch.laboratory.corpus_check.raw_collection import Finding


def found(folder: Path, check: str) -> list[Finding]:
    return [finding for finding in toysearch.diagnose(folder).findings if finding.check == check]


def recoded(codes: dict[int, float]) -> dict[str, dict[str, float]]:
    return {
        query_id: {doc_id: codes[grade] for doc_id, grade in group.items()} for query_id, group in made.grades().items()
    }


@pytest.mark.system
@pytest.mark.parametrize(
    ("codes", "gains"),
    thinned(
        [
            ({2: 1, 1: 2, 0: 0}, {1: 2, 2: 1, 0: 0}),  # 0 is not relevant, the grades are turned round
            ({2: 0, 1: 1, 0: 2}, {0: 2, 1: 1, 2: 0}),  # all of it is turned round
            ({2: 1, 1: 2, 0: 3}, {1: 3, 2: 2, 3: 1}),  # there is no 0
            ({2: 0, 1: 0, 0: 1}, {0: 1, 1: 0}),  # yes and no, exchanged
            ({2: 0.5, 1: 1.5, 0: 2}, {0.5: 2, 1.5: 1, 2: 0.5}),
        ],
        5,
    ),
)
def test_a_scale_that_runs_backwards_is_found_and_turned_round(tmp_path, codes, gains):
    diagnosis = toysearch.diagnose(made.write_beir(tmp_path, judged=recoded(codes)))
    (finding,) = [finding for finding in diagnosis.findings if finding.check == "direction"]
    assert finding.level == "error"
    assert finding.settings == {"gains": gains, "odd": []}
    assert not diagnosis.healthy


@pytest.mark.system
def test_the_cure_works(tmp_path):
    folder = made.write_beir(tmp_path, judged=recoded({2: 1, 1: 2, 0: 0}))
    (folder / "collection.toml").write_text(toysearch.diagnose(folder).toml)
    diagnosis = toysearch.diagnose(folder)
    assert [(finding.level, finding.check) for finding in diagnosis.findings] == [("info", "direction")]
    assert diagnosis.healthy
    assert toysearch.load(folder).qrels["q-a"] == {"a-both": 2, "a-one": 1, "a-none": 0}


@pytest.mark.system
def test_few_queries_are_a_suspicion_and_fewer_are_none(tmp_path):
    judged = recoded({2: 1, 1: 2, 0: 0})
    for n_queries, level in ((9, ["warning"]), (5, ["warning"]), (4, [])):
        folder = made.write_beir(tmp_path / str(n_queries), judged=dict(list(judged.items())[:n_queries]))
        assert [finding.level for finding in found(folder, "direction")] == level


def test_a_code_below_0_once_a_query_is_odd(tmp_path):
    judged = recoded({2: -1, 1: 1, 0: 0})
    diagnosis = toysearch.diagnose(made.write_beir(tmp_path, judged=judged))
    (finding,) = [finding for finding in diagnosis.findings if finding.check == "odd judgments"]
    assert (finding.level, finding.settings) == ("warning", {"gains": {0: 0, 1: 1, -1: 0}, "odd": [-1]})
    assert finding.what == (
        "code -1 is not on the scale: 12 of 12 queries have it, once each, 0 times as the last judgment; 12 different "
        "documents, with a median rank of 1 under plain BM25"
    )
    assert [tuple(row.values()) for row in finding.evidence] == [("not relevant", 0.5), ("relevant", 1.0)]
    assert diagnosis.toml.splitlines() == [
        'default_grades = "graded"',
        "",
        "[grades.graded]",
        "gains = { 0 = 0, 1 = 1 }",
        "",
        "[grades.graded.options.minus1]",
        'default = "nonrelevant"',
        "values.nonrelevant = { -1 = 0 }",
        'values.removed = { -1 = "removed" }',
        "values.relevant = { -1 = 1 }",
    ]


def test_a_code_that_some_query_has_twice_or_many_lack_is_not_odd(tmp_path):
    twice = recoded({2: 1, 1: -1, 0: 0})
    twice["q-a"]["b-one"] = -1
    assert not found(made.write_beir(tmp_path / "twice", judged=twice), "odd judgments")
    lacking = recoded({2: 1, 1: -1, 0: 0})
    for query_id in list(lacking)[:2]:
        del lacking[query_id][f"{query_id[2]}-one"]
    assert not found(made.write_beir(tmp_path / "lacking", judged=lacking), "odd judgments")


def test_a_lowest_grade_that_gains_is_found_and_shifted(tmp_path):
    diagnosis = toysearch.diagnose(made.write_beir(tmp_path, judged=recoded({2: 5, 1: 3, 0: 1})))
    (finding,) = diagnosis.findings
    assert (finding.level, finding.check) == ("warning", "lowest grade")
    assert finding.what == (
        "the lowest grade is 1, and counts as relevant: nothing is judged not relevant; 33% of the judgments have it, "
        "and its documents are ranked far below those of the next"
    )
    assert diagnosis.toml == 'default_grades = "graded"\n\n[grades.graded]\ngains = { 1 = 0, 3 = 2, 5 = 4 }'
    (tmp_path / "collection.toml").write_text(diagnosis.toml)
    assert toysearch.diagnose(tmp_path).findings == ()


def test_a_frequent_lowest_grade_is_suspicious_though_ranked_well(tmp_path):
    """Grade 1 is ranked as high as grade 2, and eight of eighteen judgments have it."""
    judged = {query_id: {f"{query_id[2]}-both": 3, f"{query_id[2]}-one": 1} for query_id in made.queries()}
    for place, (query_id, group) in enumerate(judged.items()):
        if place < 4:
            group[f"{query_id[2]}-one"] = 2
        elif place < 10:
            del group[f"{query_id[2]}-both"]
    (finding,) = found(made.write_beir(tmp_path / "often", judged=judged), "lowest grade")
    assert finding.level == "warning"
    assert finding.what.endswith("; 44% of the judgments have it")
    for place, query_id in enumerate(judged):
        judged[query_id][f"{query_id[2]}-both"] = 3 if place % 2 else 2
    (finding,) = found(made.write_beir(tmp_path / "seldom", judged=judged), "lowest grade")
    assert (finding.level, finding.settings) == ("info", {})


def test_one_grade_and_no_grade_above_0(tmp_path):
    ones = {query_id: {f"{query_id[2]}-both": 1} for query_id in made.queries()}
    (finding,) = found(made.write_beir(tmp_path / "ones", judged=ones), "one grade")
    assert (finding.level, finding.what) == ("info", "all 12 judgments have the grade 1: relevance is yes or unjudged")
    (finding,) = found(made.write_beir(tmp_path / "zeros", judged=recoded({2: 0, 1: -2, 0: 0})), "one grade")
    assert (finding.level, finding.what) == ("error", "no grade of 36 judgments is above 0: nothing is relevant")


def test_scores_in_the_place_of_grades(tmp_path):
    texts = {f"d{number}": f"apple{name} and more {number}" for number, name in enumerate("ab" * 30)}
    judged = {"q-a": {f"d{number}": 60 - number for number in range(60)}}
    (finding,) = found(made.write_beir(tmp_path, texts, judged=judged), "one grade")
    assert (finding.level, finding.what) == ("warning", "60 different grades, from 1 to 60: more than any scale has")


def test_fractions_want_a_threshold(tmp_path):
    folder = made.write_beir(tmp_path, judged=recoded({2: 1, 1: 0.5, 0: 0}))
    diagnosis = toysearch.diagnose(folder)
    (finding,) = diagnosis.findings
    assert (finding.level, finding.check) == ("warning", "fractions")
    assert finding.what == (
        "12 of 36 grades lie between 0 and 1 (0.5), and relevant means 1 or above: they have gains but do not count as "
        "relevant"
    )
    assert diagnosis.toml == "threshold = 0.5"
    (folder / "collection.toml").write_text(diagnosis.toml)
    assert toysearch.diagnose(folder).findings == ()
