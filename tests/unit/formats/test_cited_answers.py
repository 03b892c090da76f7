"""Answers with citations: what the reader takes, and what it refuses."""

from __future__ import annotations

import json

import pytest
from raising import raising
from shell import refused, run

from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.citation_support import citation_support
from toysearch.formats.cited_answers import CitedAnswer, CitedSentence, read_cited_answers


def sentence(support, **more):
    return {"citations": list(range(len(support))), "support": support, **more}


def written(folder, *answers, name="mine.jsonl"):
    path = folder / name
    path.write_text("\n".join(json.dumps(answer) for answer in answers))
    return path


def test_labels_and_systems(tmp_path):
    first = {"topic_id": 7, "run_id": "a", "answer": [sentence(["Full Support", "ps", 0, "2"], together="no")]}
    second = {"query_id": "7", "answer": [sentence(["full", None], without=["no", None]), {}]}
    assert read_cited_answers(written(tmp_path, first, second)) == [
        CitedAnswer("a", "7", (CitedSentence((1.0, 0.5, 0.0, 1.0), 0.0),)),
        CitedAnswer("mine", "7", (CitedSentence((1.0,), None, (0.0,)), CitedSentence(()))),
    ]


def test_a_citation_that_is_not_judged_is_left_out_with_a_note(tmp_path):
    path = written(tmp_path, {"query_id": "1", "answer": [sentence(["full", None])]})
    result = run("citations", path, "--per-query", "--format", "csv")
    assert result.stdout.splitlines()[1] == "mine,1,1.0,1.0,1.0,1.0,1.0,1,1"
    assert f"{path}: 1 citation left out, whose support is not judged" in result.stderr


def test_a_missing_answer_counts_as_0(tmp_path):
    full = [sentence(["full"])]
    both = written(tmp_path, {"query_id": "1", "answer": full}, {"query_id": "2", "answer": full}, name="both.jsonl")
    result = run("citations", both, written(tmp_path, {"query_id": "2", "answer": full}), "--tsv")
    assert [line.split("\t")[:2] for line in result.stdout.splitlines()[1:]] == [["both", "1.0"], ["mine", "0.5"]]
    assert "mine lacks an answer to 1 query, which counts as 0" in result.stderr


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([1], "expected an object with the keys query_id and answer, a list of sentences"),
        (
            {"query_id": "1", "answer": "text"},
            "expected an object with the keys query_id and answer, a list of sentences",
        ),
        ({"query_id": None, "answer": []}, "query_id and run_id must be a text or a whole number"),
        ({"query_id": True, "answer": []}, "query_id and run_id must be a text or a whole number"),
        (
            {"query_id": "1", "answer": ["Cats sleep [1]."]},
            "sentence 1 of the answer needs citations and support, two lists of the same length",
        ),
        (
            {"query_id": "1", "answer": [{"citations": ["d7"]}]},
            "sentence 1 of the answer needs citations and support, two lists of the same length",
        ),
        (
            {"query_id": "1", "answer": [sentence(["full"], without=["no", "no"])]},
            "sentence 1 of the answer needs a list as without, with a label for each citation",
        ),
        (
            {"query_id": "1", "answer": [{}, sentence(["much"])]},
            'expected full, partial, no, 2, 1 or 0 as support in sentence 2, found "much"',
        ),
        (
            {"query_id": "1", "answer": [sentence([True])]},
            "expected full, partial, no, 2, 1 or 0 as support in sentence 1, found true",
        ),
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(answer, problem, tmp_path):
    path = written(tmp_path, {"query_id": "0", "answer": []}, answer)
    assert refused("citations", path) == f"toysearch: {path}:2: {problem}\n"


def test_what_cannot_be_counted(tmp_path):
    answer = {"query_id": "1", "answer": []}
    path = written(tmp_path, answer, answer)
    twice = "system 'mine' answers query '1' twice; leave one out, or give each system a run_id of its own"
    with raising(DataError, f"{path}:2: {twice}"):
        read_cited_answers(path)
    path = written(tmp_path, answer)
    with raising(DataError, twice):
        citation_support([path, path])
    path.write_text("")
    with raising(DataError, f"{path} holds no answer; expected JSON objects with the keys query_id and answer"):
        citation_support(path)
    with raising(ArgumentError, "citation support needs at least one answer"):
        citation_support([])
    with raising(ArgumentError, "answers must be a text, a path or a list, not a list of int"):
        citation_support([1])
