"""Runs and judgments of dicts, given to the class itself or to `from_dict`; what is no such dict is one sentence."""

import pytest

from toysearch import Qrels, Run
from toysearch.base import ArgumentError


def test_a_dict_alone_is_taken_as_by_from_dict():
    values = {"q1": {"a": 1, "b": 0.5}, "q2": {}}
    for made, expected in ((Qrels(values), Qrels.from_dict(values)), (Run(values), Run.from_dict(values))):
        assert (made.query_ids, made.doc_ids) == (expected.query_ids, expected.doc_ids)
        assert (made.offsets.tolist(), made.values.tolist()) == ([0, 2, 2], [1.0, 0.5])
    assert Run(values, name="mine").name == "mine"
    assert not Run(values).ranked


@pytest.mark.parametrize("wrong", [["q1"], {"q1": ["a"]}, {"q1": {"a": "x"}}, {"q1": 1}])
@pytest.mark.parametrize("make", [Qrels, Run, Qrels.from_dict, Run.from_dict])
def test_anything_else_is_refused_in_a_sentence(make, wrong):
    with pytest.raises(ArgumentError, match=r"^expected a dict of query_id to a dict of doc_id to number, such as"):
        make(wrong)
