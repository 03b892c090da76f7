"""Runs and judgments of dicts, given to the class itself or to `from_dict`; what is no such dict is one sentence."""

import pickle
from copy import copy

import numpy as np
import pytest

from toysearch import Qrels, Run, search
from toysearch.base import ArgumentError, Ranking
from toysearch.base.encoded_texts import DictKeys


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


@pytest.mark.parametrize("make", [Qrels, Run])
def test_both_are_mappings_of_queries(make):
    values = {"q1": {"a": 1.0, "b": 0.5}, "q2": {}}
    made = make(values)
    assert (made.keys(), made.items(), made.to_dict()) == (["q1", "q2"], [*values.items()], values)
    assert dict(made) == values
    with pytest.raises(ArgumentError, match=r"^iterating gives rows, such as .*; \.keys\(\) lists the query_ids$"):
        {query_id: made[query_id] for query_id in made}


@pytest.mark.parametrize("column", [["a", "b", "c"], DictKeys([{"a": 1, "b": 2}, {"c": 3}], np.array([0, 2, 3]))])
def test_ids_are_one_column_whatever_they_are_made_of(column):
    rows = Run(["q1", "q2"], [0, 2, 3], column, [2.0, 1.0, 3.0])
    assert (rows.doc_ids, rows.doc_ids_of("q1"), rows.doc_ids_of("q3")) == (["a", "b", "c"], ["a", "b"], [])
    assert rows.ids.at(np.array([2, 0])) == ["c", "a"]
    assert Ranking("q1", column, [2.0, 1.0, 3.0]).doc_ids == ["a", "b", "c"]


def test_what_lasts_does_not_see_later_changes_of_dicts():
    values = {"q1": {"a": 1, "b": 0}}
    qrels = Qrels.of_usual(values) or Qrels(values)
    qrels.lasting()
    del values["q1"]["a"]
    assert qrels.doc_ids == ["a", "b"]


def test_a_hit_answers_to_the_names_of_its_parts():
    hit = search([{"id": "a", "title": "Cats", "text": "a cat sat"}], "cat")[0]
    for name in ("rank", "query_id", "doc_id", "score", "title", "text", "passage"):
        assert hit[name] == getattr(hit, name)
    assert (hit["title"], hit[1], [*hit[:2]]) == ("Cats", "a", ["", "a"])
    for wrong in ("count", "colour"):
        with pytest.raises(TypeError, match="tuple indices must be integers or slices, not str"):
            hit[wrong]


@pytest.mark.parametrize("scores", [None, 5, [[1.0]]])
def test_the_scores_of_a_ranking_are_a_list(scores):
    with pytest.raises(ArgumentError, match=r"^scores must be a list of numbers, not "):
        Ranking("q1", ["a"], scores)


def subtopics(qrels):
    """Query → document → sub-topic → grade and weight."""
    judged = {}
    for query_id, place in zip(qrels.query_ids, range(len(qrels.query_ids)), strict=True):
        rows = range(*qrels.rows(query_id).indices(len(qrels)))
        named = {qrels.doc_ids[row]: qrels.subtopics.named(place, row) for row in rows}
        judged[query_id] = {doc_id: {name: pair for name, *pair in parts} for doc_id, parts in named.items()}
    return judged


JUDGED = {"1": {"a": {"x": 1, "y": 2}, "b": {"y": 0}}, "2": {"a": {"z": 3, "x": 1}}}


def test_judgments_in_some_rows_keep_their_subtopics_and_weights():
    qrels = Qrels.from_subtopics(JUDGED, {("1", "y"): 0.5})
    some = qrels.of_rows([1, 2, 2], ["b", "a", "copy"])
    assert some.to_dict() == {"1": {"b": 0}, "2": {"a": 3, "copy": 3}}
    both = {"z": [3, 1], "x": [1, 1]}
    assert subtopics(some) == {"1": {"b": {"y": [0, 0.5]}}, "2": {"a": both, "copy": both}}
    assert qrels.of_rows([]).to_dict() == {}


def test_a_part_keeps_the_top_of_the_scale_and_other_grades_have_their_own():
    qrels = Qrels({"1": {"a": 1}, "2": {"b": 3, "c": -1}})
    part = qrels.of_queries(["1"])
    parts = [part, part.of_rows([0]), copy(part), pickle.loads(pickle.dumps(part)), part.for_texts({"1a": "1"})]
    assert [one.top for one in (qrels, *parts)] == [3] * 6
    assert (part.with_grades([2]).top, Qrels({"1": {"a": -1}}).top) == (2, 0)


def test_judgments_under_other_ids_keep_their_subtopics_and_weights():
    renamed = Qrels.from_subtopics(JUDGED, {("1", "y"): 0.5}).renamed({"2": "1"}, {"b": "c"})
    assert renamed.to_dict() == {"1": {"a": 3, "c": 0}}
    assert subtopics(renamed) == {"1": {"a": {"x": [1, 1], "y": [2, 0.5], "z": [3, 1]}, "c": {"y": [0, 0.5]}}}
    assert Qrels({"1": {"a": 1, "b": 0}, "2": {"c": 2}}).renamed({"2": "3"}, {"b": "c"}).to_dict() == {
        "1": {"a": 1, "c": 0},
        "3": {"c": 2},
    }
