import math

import pytest

from toysearch.evaluation.convention_effects import side_by_side

RUN = {"1": {"a": 1.0, "b": 1.0}, "3": {"a": 1.0}}
QRELS = {"1": {"a": 1, "b": 3, "c": 2}, "2": {"a": 1}, "3": {"a": 0}}


def test_every_convention_has_its_values() -> None:
    table = side_by_side(RUN, qrels=QRELS, measures="RR nDCG@1 NumRet", threshold=1)
    assert table.values["RR"] == {"trec_eval": 1 / 3, "textbook": 1 / 2, "sklearn": 1 / 2}
    assert table.values["nDCG@1"] == pytest.approx(
        {"trec_eval": 1 / 3, "textbook": (1 / 7) / 2, "sklearn": (2 / 3) / 2}
    )
    assert table.differ("RR") == ["textbook", "sklearn"]
    assert table.differ("NumRet") == []


def test_each_difference_alone() -> None:
    table = side_by_side(RUN, qrels=QRELS, measures="RR nDCG@1", threshold=1)
    assert [effect[0] for effect in table.effects] == ["textbook"] * 3 + ["sklearn"] * 3
    assert table.effects[2][1] == "DCG and nDCG have dcg='exp-log2'"
    changes = [effect.changes for effect in table.effects]
    assert changes[0] == {"nDCG@1": (1 / 3, (1 / 3) / 3)}  # a first, of grade 1
    assert changes[1] == {"RR": (1 / 3, 1 / 2), "nDCG@1": (1 / 3, 1 / 2)}
    assert changes[2] == {}  # b first, of the highest grade: the same by either gain
    assert changes[3].keys() == {"nDCG@1"}
    assert changes[4] == {"RR": (1 / 3, 1 / 2), "nDCG@1": (1 / 3, 1 / 2)}
    assert changes[5] == {}


def test_undefined_under_all_is_no_difference() -> None:
    table = side_by_side({"1": ["a"]}, {"1": {"a": 0}}, "AP", undefined="nan")
    assert all(math.isnan(value) for value in table.values["AP"].values())
    assert table.differ("AP") == []


def test_the_mean_over_no_answered_query_is_undefined() -> None:
    values = side_by_side({"1": []}, {"1": {"a": 1}}, "AP").values["AP"]
    assert [*map(str, values.values())] == ["0.0", "0.0", "nan"]
