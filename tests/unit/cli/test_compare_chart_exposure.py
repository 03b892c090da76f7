"""`toysearch report --chart exposure`: the table of `eval --exposure` as a chart."""

import pytest
from raising import raising
from shell import done, refusal

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.group_exposure import exposure

pytestmark = pytest.mark.system

pytest.importorskip("altair")


def test_a_chart_has_the_numbers_of_the_table():
    result = exposure({"1": ["a", "b", "c"]}, {"1": {"a": 1, "c": 1}}, {"a": "x", "b": "x", "c": "y"}, p=0.5)
    chart = toysearch.plot("exposure", result)
    [rows] = chart["datasets"].values()
    assert rows == [
        {"group": "x", "exposure": 0.857143, "relevant": 0.5},
        {"group": "y", "exposure": 0.142857, "relevant": 0.5},
    ]
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["bar", "tick"]
    assert chart["description"].endswith("35.7% of the attention would have to move to be in proportion to relevance.")


def test_a_file_is_drawn(tmp_path):
    path = tmp_path / "e.svg"
    assert done("report", "--chart", "exposure:topic", "companions", "--model", "bm25", "-o", path).stdout == (
        f"{path}: the attention to each group of documents, beside its share of what is relevant\n"
    )
    assert ">health</text>" in path.read_text()


def test_what_cannot_be_drawn(tmp_path):
    path = tmp_path / "e.svg"
    command = "toysearch report COLLECTION --model bm25 --chart exposure:FIELD -o FILE"
    needed = f"exposure needs a field whose values are the groups: {command}"
    assert refusal("report", "--chart", "exposure", "companions", "-o", path).endswith(needed)
    forms = "expected one of pr[:ID], queries[:SYSTEM], box, unjudged, exposure:FIELD, surface, found"
    for text in ("box:topic", "exposure:"):
        assert refusal("report", "--chart", text, "companions", "-o", path).endswith(f"{forms} '{text}'")
    models = ("--model", "bm25", "--model", "dice")
    message = "exposure draws one system: give one model or run"
    assert refusal("report", "--chart", "exposure:topic", "companions", *models, "-o", path).endswith(message)
    message = "unknown field 'topics'; did you mean 'topic'?"
    assert message in refusal("report", "--chart", "exposure:topics", "companions", "--model", "bm25", "-o", path)
    assert not path.exists()
    with raising(ArgumentError, "exposure is drawn from the result of `exposure`, not from a file"):
        toysearch.plot("exposure", "a.jsonl")
    result = exposure({"1": ["a"]}, {"1": {"a": 1}}, {"a": "x"})
    with raising(ArgumentError, "box is drawn from a comparison, not from an exposure"):
        toysearch.plot("box", result)
