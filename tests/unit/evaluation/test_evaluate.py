import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising
from every_measure import DEFINITIONS

from toysearch import Qrels, Ranking, Run, evaluate, write_run
from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.unjudged_bounds import unjudged_bounds

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 2}, "none": {"a": 0}, "absent": {"a": 1}}
RUN = {"1": ["b", "a"], "2": ["a", "x", "c"], "none": ["a"], "stray": ["a"]}


class TestWhichQueriesCount:
    def test_all_judged_ones_by_default(self) -> None:
        result = evaluate(RUN, qrels=QRELS, measures="AP NumRet NumRel NumRelRet")
        assert list(result.per_query) == list(QRELS)
        assert [row["AP"] for row in result.per_query.values()] == [0.5, (1 + 2 / 3) / 2, 0, 0]
        assert result.means == {"AP": (0.5 + (1 + 2 / 3) / 2) / 4, "NumRet": 6, "NumRel": 4, "NumRelRet": 3}
        assert result.n_queries == 4
        assert result.remarks == [
            "1 of 4 judged queries is missing from the run and counts as 0: absent",
            "1 of 4 queries has no relevant document and scores 0: none",
            "1 query of the run has no judgments and is left out: stray",
        ]

    def test_only_those_retrieved(self) -> None:
        result = evaluate(RUN, qrels=QRELS, measures="AP NumRel", only_retrieved=True)
        assert list(result.per_query) == ["1", "2", "none"]
        assert result.means == {"AP": (0.5 + (1 + 2 / 3) / 2) / 3, "NumRel": 3}
        assert result.missing == ("absent",)
        assert result.remarks[0] == "1 of 4 judged queries is missing from the run and left out: absent"

    def test_undefined_as_nan(self) -> None:
        names = "AP AP@1 nDCG nDCG@1 P@1 R@1 F@1 RR RR@1 Rprec Success@1"
        result = evaluate(RUN, qrels=QRELS, measures=f"{names} NumRet NumRel NumRelRet", undefined="nan")
        row = result.per_query["none"]
        assert {name for name, value in row.items() if math.isnan(value)} == set(names.split())
        assert (row["NumRet"], row["NumRel"], row["NumRelRet"]) == (1, 0, 0)
        assert result["AP"] == pytest.approx((0.5 + (1 + 2 / 3) / 2) / 3, abs=1e-15)
        assert result.remarks[1] == (
            "1 of 4 queries has no relevant document and is undefined and left out of the mean: none"
        )

    def test_undefined_goes_by_each_measures_own_threshold(self) -> None:
        result = evaluate(RUN, qrels=QRELS, measures="P@1 P(rel=2)@1 nDCG", undefined="nan", threshold=1)
        assert result.per_query["1"]["P@1"] == 0
        assert math.isnan(result.per_query["1"]["P(rel=2)@1"])
        assert result.per_query["2"]["P(rel=2)@1"] == 0
        assert evaluate(RUN, qrels=QRELS, measures="nDCG P@1", undefined="nan", threshold=3)["nDCG"] > 0

    @pytest.mark.parametrize("name", [name for name, each in DEFINITIONS.items() if each.undefined.startswith("no ")])
    def test_each_measure_is_undefined_where_nothing_is_relevant(self, name: str) -> None:
        cutoff = {"needed": "@2", "recall": "@0.1"}.get(DEFINITIONS[name].cutoff, "")
        unknown, as_zero = (
            evaluate({"q": ["a", "b"]}, {"q": {"a": 0}}, f"{name}{cutoff}", undefined=undefined).means.popitem()[1]
            for undefined in ("nan", "zero")
        )
        assert math.isnan(unknown)
        if DEFINITIONS[name].better == "lower":  # 0 would be the best value
            assert math.isnan(as_zero)
        else:
            assert as_zero == pytest.approx(0, abs=1e-5)  # GMAP takes at least 0.00001 of each query


FRACTIONS = {"1": {"a": 0.5, "b": 1, "c": 2}}


class TestThreshold:
    def test_one_with_a_note_where_grades_are_fractions(self) -> None:
        with noted() as notes:
            result = evaluate({"1": ["a", "b", "c"]}, FRACTIONS, "NumRel")
        assert (result["NumRel"], result.threshold) == (2, 1)
        assert notes == [
            "relevant means grade 1 or above, though some grades are fractions, such as 0.5; "
            "evaluate(…, threshold=0.5) or AP(rel=0.5) changes it"
        ]

    def test_the_advised_threshold_is_the_lowest_grade_where_some_are_relevant(self) -> None:
        with noted() as notes:
            assert evaluate({"1": ["a", "b"]}, {"1": {"a": 0.25, "b": 1}}, "NumRel")["NumRel"] == 1
        assert any("evaluate(…, threshold=0.25) or AP(rel=0.25) changes it" in note for note in notes)

    @pytest.mark.parametrize(
        ("lowest", "advised"), [(0.39123479, 0.39123479), (0.39123412, 0.391234), (1 / 3, 0.333333)]
    )
    def test_the_advised_threshold_keeps_the_lowest_positive_grade(self, lowest: float, advised: float) -> None:
        grades = {"1": {"a": -0.5, "b": lowest, "c": 0.75}}
        with noted() as notes:
            assert evaluate({"1": ["a", "b", "c"]}, grades, "NumRel")["NumRel"] == 0
        assert f"evaluate(…, threshold={advised}) or AP(rel={advised}) changes it" in notes[0]
        assert evaluate({"1": ["a", "b", "c"]}, grades, "NumRel", threshold=advised)["NumRel"] == 2

    @pytest.mark.parametrize(("grades", "expected"), [({"a": -0.5, "b": 0}, 0), ({"a": 1.5, "b": 1}, 2)])
    def test_no_threshold_is_advised_that_changes_nothing(self, grades: dict[str, float], expected: int) -> None:
        with noted() as notes:
            assert evaluate({"1": ["a"]}, {"1": grades}, "NumRel")["NumRel"] == expected
        assert not any("threshold" in told for told in notes)

    def test_one_that_no_grade_reaches_is_noted(self) -> None:
        with noted() as notes:
            assert evaluate({"1": ["a"]}, QRELS, "NumRel", threshold=9)["NumRel"] == 0
        assert notes == [
            "threshold: no judgment has a grade of 9 or above, the highest is 2; nothing could be relevant"
        ]

    def test_no_note_where_it_was_given_or_grades_are_whole(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert evaluate({"1": ["a"]}, FRACTIONS, "NumRel", threshold=0.5)["NumRel"] == 3
            assert evaluate({"1": ["a"]}, {"1": {"a": 2}}, "NumRel")["NumRel"] == 1

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"threshold": math.nan}, "the threshold must be a finite number, not nan"),
            ({"undefined": "skip"}, "unknown value for undefined 'skip'. Values for undefined: zero, nan"),
            (
                {"ties": "treceval"},
                "unknown rule for ties 'treceval'; did you mean 'trec_eval'? "
                "Rules for ties: rank, trec_eval, average, bounds, sklearn",
            ),
        ],
    )
    def test_settings_that_are_refused(self, settings: dict[str, object], message: str) -> None:
        with raising(ArgumentError, message):
            evaluate(RUN, qrels=QRELS, **settings)  # type: ignore[arg-type]


class TestTies:
    def test_a_ranking_keeps_its_order_and_scores_get_trec_evals(self) -> None:
        ranked = Run.from_rankings([Ranking("1", ["a", "b"], [1, 1])])
        assert [
            evaluate(ranked, qrels={"1": {"b": 1, "a": 0}}, measures="RR", ties=ties)["RR"]
            for ties in (None, "rank", "trec_eval")
        ] == [0.5, 0.5, 1.0]
        scores = {"1": {"a": 1, "b": 1}}
        results = [
            evaluate(scores, qrels={"1": {"b": 1, "a": 0}}, measures="RR", ties=ties)
            for ties in (None, "rank", "trec_eval")
        ]
        assert [result["RR"] for result in results] == [1.0, 0.5, 1.0]
        assert [result.ties for result in results] == ["trec_eval", "rank", "trec_eval"]


class TestInputs:
    def test_all_forms_give_the_same(self, tmp_path: Path) -> None:
        rankings = [Ranking(q, docs, list(range(len(docs), 0, -1))) for q, docs in RUN.items()]
        run = Run.from_rankings(rankings)
        scores = {ranking.query_id: {hit.doc_id: hit.score for hit in ranking} for ranking in rankings}
        write_run(run, tmp_path / "run")
        lines = [f"{q} 0 {d} {g}\n" for q, grades in QRELS.items() for d, g in grades.items()]
        (tmp_path / "qrels").write_text("".join(lines))
        runs = (RUN, run, scores, dict(zip(RUN, rankings, strict=True)), tmp_path / "run", str(tmp_path / "run"))
        for one in runs:
            for qrels in (QRELS, Qrels.from_dict(QRELS), tmp_path / "qrels", str(tmp_path / "qrels")):
                assert evaluate(one, qrels=qrels, measures="AP").means == {"AP": (0.5 + (1 + 2 / 3) / 2) / 4}

    @pytest.mark.parametrize("kind", [list, tuple, set, frozenset, np.array])
    def test_of_documents_without_grades_each_is_relevant(self, kind: Any) -> None:
        relevant = {q: kind([doc_id for doc_id, grade in grades.items() if grade >= 1]) for q, grades in QRELS.items()}
        assert evaluate(RUN, relevant, "AP").per_query == evaluate(RUN, QRELS, "AP").per_query

    def test_nothing_retrieved_at_all(self) -> None:
        assert evaluate({"1": []}, {"1": {"a": 1}}, "AP")["AP"] == 0
        message = "no document was retrieved for any judged query; without only_retrieved they count as 0"
        with raising(DataError, message):
            evaluate({"1": []}, {"1": {"a": 1}}, only_retrieved=True)


OF_RUN, OF_QRELS = "query '1' of the run: expected", "query '1' of the judgments: expected"
SCORE, GRADE = "'a': expected a number as score, found", "'a': expected a number as grade, found"
EMPTY = "the judgments are empty; expected at least one query with a judged document"
NO_QRELS = "judgments are Qrels, a dict, a data frame, rows, the path of a file or a collection, not None"


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        ({}, QRELS, "the run is empty; expected at least one query with its ranking"),
        ({"1": ["a", "b", "a"]}, QRELS, "query '1' has document 'a' twice in the run; a ranking holds a document once"),
        ({"1": {"a": math.nan}}, QRELS, f"query '1', document {SCORE} nan"),
        ({"1": {"b": 1, "a": "2"}}, QRELS, f"query '1', document {SCORE} '2'"),
        ({"1": {"a": None}}, QRELS, f"query '1', document {SCORE} None"),
        (
            *({"seven": {"a": 1}}, QRELS),
            "run and judgments have no query in common: the run has queries such as 'seven', the judgments such as "
            "'1'; the ids must be equal as texts",
        ),
        (
            *("bm25", QRELS),
            "bm25: there is no such file; runs come first, then the judgments, as in evaluate(run, qrels); a run by a "
            "model is Searcher(collection, 'bm25').run(collection.queries)",
        ),
        (7, QRELS, "a run is a Run, a dict, a data frame, rows or the path of a file, not an int"),
        ({1: {"a": 1}, "2": {"a": 1}}, QRELS, "ids must be strings, but a query_id is 1; write '1'"),
        ({1: ["a"], "2": ["a"]}, QRELS, "ids must be strings, but a query_id is 1; write '1'"),
        ({1.0: ["a"]}, QRELS, "ids must be strings, but a query_id is 1.0; write '1.0'"),
        ({"1": {2: 1, "a": 2}}, QRELS, "ids must be strings, but query '1' has the doc_id 2; write '2'"),
        ({"1": [2, "a"]}, QRELS, "ids must be strings, but query '1' has the doc_id 2; write '2'"),
        (
            *({"1": "abc"}, QRELS),
            f"{OF_RUN} a list of doc_ids, best first (or, for all queries, a dict of doc_id to score), found a str",
        ),
        (RUN, {}, EMPTY),
        (RUN, {"1": {}}, EMPTY),
        (RUN, {"1": {"a": math.inf}}, f"query '1', document {GRADE} inf"),
        (RUN, {"1": {"a": "1"}}, f"query '1', document {GRADE} '1'"),
        (
            RUN,
            {"1": "a"},
            f"{OF_QRELS} a dict of doc_id to grade (or, for all queries, a list of doc_ids), found a str",
        ),
        (
            RUN,
            {"1": {"a": 1}, "2": ["a"]},
            "query '2' of the judgments: expected a dict of doc_id to grade (or, for all queries, a list of doc_ids), "
            "found a list",
        ),
        (RUN, None, NO_QRELS),
    ],
)
def test_what_is_no_run_and_what_no_judgments(run: object, qrels: object, message: str) -> None:
    with raising((DataError, ArgumentError), message):
        evaluate(run, qrels=qrels)  # type: ignore[arg-type]


@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("whole", [int, np.int64, str])
def test_ids_that_are_whole_numbers_are_their_texts(whole: type, scored: bool) -> None:
    doc_ids = {"1": ["30", "10"], "2": ["40", "50"]}
    run = {
        whole(query_id): {whole(one): -place for place, one in enumerate(ranked)} if scored else [*map(whole, ranked)]
        for query_id, ranked in doc_ids.items()
    }
    for qrels in (
        {whole("1"): [whole("10")], whole("2"): [whole("40")]},
        {"1": {whole("10"): 1}, "2": {whole("40"): 1}},
    ):
        assert evaluate(run, qrels, "RR").per_query == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


class TestEvaluation:
    result = evaluate(RUN, qrels=QRELS, measures="AP P(rel=2)@5 NumRet")

    def test_what_was_not_evaluated_is_refused(self) -> None:
        with raising(ArgumentError, "P@5 was not evaluated; there are AP, P(rel=2)@5, NumRet"):
            self.result["P@5"]

    def test_the_poorest_queries_first(self) -> None:
        assert self.result.worst("AP", 3) == [("none", 0.0), ("absent", 0.0), ("1", 0.5)]
        assert self.result.worst() == [*self.result.worst("AP", 3), ("2", (1 + 2 / 3) / 2)]
        undefined = evaluate(RUN, qrels=QRELS, measures="AP", undefined="nan")
        assert [query_id for query_id, _ in undefined.worst()] == ["absent", "1", "2"]

    def test_repr(self) -> None:
        assert repr(self.result) == "<Evaluation of 'run' on 4 queries: AP 0.3333, P(rel=2)@5 0.0500, NumRet 6.0000>"


@pytest.mark.parametrize("ties", [None, "average", "sklearn"])
def test_a_run_joined_in_many_blocks_has_the_values_of_one_joined_at_once(monkeypatch, ties) -> None:
    run = {str(query): {f"d{place}": place // 2 for place in range(query + 2)} for query in range(6)}
    qrels = {str(query): {f"d{place}": place % 3 for place in range(query + 2)} for query in range(6)}
    at_once = evaluate(run=run, qrels=qrels, measures="AP nDCG@3 RR", ties=ties)
    monkeypatch.setattr("toysearch.evaluation.joined_run.CELLS", 1)
    in_blocks = evaluate(run=run, qrels=qrels, measures="AP nDCG@3 RR", ties=ties)
    assert in_blocks == at_once
    assert in_blocks.extremes == at_once.extremes
    assert in_blocks.tie_bounds["RR"][0] < in_blocks.tie_bounds["RR"][1]


SPAM = {"1": {"a": -2, "b": 1, "c": 0}}


@pytest.mark.parametrize(
    ("measures", "note"),
    [
        ("AP nDCG", ""),
        ("Judged@2 Hole@2", "not relevant for Judged@2, Hole@2"),
        ("RBPres", "not relevant for RBPres"),
        ("Bpref AP(judged_only=True)", "unjudged for Bpref, AP(judged_only=True), as in trec_eval"),
        ("Judged infAP", "not relevant for Judged and as unjudged for infAP, as in trec_eval"),
    ],
)
def test_a_note_says_what_a_negative_grade_means(measures, note):
    found = evaluate({"1": ["a", "x", "b"]}, SPAM, measures)
    assert found.remarks == [f"1 judgment with a negative grade counts as {note}"] * bool(note)
    assert evaluate({"1": ["a"]}, {"1": {"b": 1}}, measures).remarks == []


def test_a_negative_grade_is_a_judgment():
    assert evaluate({"1": ["a", "x"]}, SPAM, "Judged@2 Hole@2").means == {"Judged@2": 0.5, "Hole@2": 0.5}
    assert evaluate({"1": ["a", "x"]}, SPAM, "P@2").first_ten == (2, 1)
    assert unjudged_bounds({"1": ["a", "x"]}, SPAM, "P@2 RBP(rel=1)").means["P@2"] == (0, 0.5)


@pytest.mark.parametrize("ties", ["rank", "average"])
def test_a_measure_is_not_computed_for_rankings_that_do_not_count(ties):
    def first(hits):
        return float(hits[0])

    run = {"1": ["b", "a"], "2": [], "3": ["a"]}
    result = evaluate(run, {key: {"a": 1} for key in run}, [first, "AP"], only_retrieved=True, ties=ties)
    assert result.per_query == {"1": {"first": 0.0, "AP": 0.5}, "3": {"first": 1.0, "AP": 1.0}}
    assert result.missing == ("2",)
    assert result.tie_remark == ""
