"""Rank-biased precision with its residual, and the search length, by hand."""

from __future__ import annotations

import math

import pytest
from raising import raising

from toysearch import evaluate
from toysearch.base.errors import ArgumentError

RUN = {"q": ["x", "a", "y", "b"]}
QRELS = {"q": {"a": 2, "b": 1, "c": 1, "y": -1}}


class TestRankBiasedPrecision:
    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            ("RBP(rel=1)", 0.2 * (0.8 + 0.8**3)),
            ("RBP(rel=2)", 0.2 * 0.8),
            ("RBP", 0.2 * (0.8 + 0.5 * 0.8**3)),
            ("RBP(max_rel=4)", 0.2 * (0.5 * 0.8 + 0.25 * 0.8**3)),
            ("RBP(p=0.5,rel=1)@3", 0.5 * 0.5),
            ("RBP(p=0,rel=1)", 0),
            ("RBP(p=1,rel=1)", 0),
        ],
    )
    def test_by_hand(self, measure: str, expected: float) -> None:
        assert evaluate(RUN, QRELS, measure)[measure] == pytest.approx(expected, abs=1e-15)

    def test_for_users_of_any_patience(self) -> None:
        docs = [f"d{rank}" for rank in range(1, 21)]
        qrels = {"q": {docs[rank - 1]: 1 for rank in (1, 2, 11, 17)}}
        for p in (0.5, 0.8, 0.95):
            expected = (1 - p) * sum(p ** (rank - 1) for rank in (1, 2, 11, 17))
            measure = f"RBP(p={p},rel=1)"
            assert evaluate({"q": docs}, qrels, [measure])[measure] == pytest.approx(expected, abs=1e-15)

    def test_a_relevant_document_at_each_rank_gives_nearly_1(self) -> None:
        docs = [str(number) for number in range(200)]
        assert evaluate({"q": docs}, {"q": dict.fromkeys(docs, 1)}, "RBP")["RBP"] == pytest.approx(1, abs=1e-12)


class TestResidual:
    def test_by_hand(self) -> None:
        # Judged at ranks 2 and 4; a negative grade is none. Beyond a cutoff, all is unknown.
        assert evaluate(RUN, QRELS, "RBPres")["RBPres"] == pytest.approx(1 - 0.2 * (0.8 + 0.8**3), abs=1e-15)
        assert evaluate(RUN, QRELS, "RBPres(p=0.5)@3")["RBPres(p=0.5)@3"] == pytest.approx(0.75, abs=1e-15)

    def test_nothing_retrieved_leaves_all_open(self) -> None:
        assert evaluate({"q": ["x"], "p": []}, {"p": {"a": 1}}, "RBPres")["RBPres"] == 1

    def test_a_query_without_relevant_documents_has_one_too(self) -> None:
        assert evaluate({"q": ["a"]}, {"q": {"a": 0}}, "RBPres", undefined="nan")["RBPres"] == pytest.approx(0.8)


class TestSearchLength:
    @pytest.mark.parametrize(("n", "expected"), [(1, 1), (2, 2), (3, math.inf)])
    def test_counts_what_is_not_relevant_above_the_nth_relevant(self, n: int, expected: float) -> None:
        measure = "ESL" if n == 1 else f"ESL(n={n})"
        assert evaluate(RUN, QRELS, measure)[measure] == expected

    def test_more_than_there_are_is_undefined_and_never_0(self) -> None:
        for undefined in ("zero", "nan"):
            assert math.isnan(evaluate(RUN, QRELS, "ESL(n=4)", undefined=undefined)["ESL(n=4)"])
        both = evaluate({"p": ["x", "b"], **RUN}, {"p": {"b": 1}, **QRELS}, "ESL(n=2)")
        assert both["ESL(n=2)"] == 2  # the one query that has two

    def test_a_query_that_the_run_lacks_is_never_found(self) -> None:
        assert evaluate(RUN, {**QRELS, "p": {"a": 1}}, "ESL").per_query["p"]["ESL"] == math.inf

    def test_wants_a_whole_number(self) -> None:
        for n in ("1.5", "0"):
            with raising(ArgumentError, f"ESL(n={n}): n must be a whole number of at least 1"):
                evaluate(RUN, QRELS, f"ESL(n={n})")
