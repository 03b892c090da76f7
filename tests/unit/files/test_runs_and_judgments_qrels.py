"""Judgments as JSON Lines."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from error_messages import raising

from toysearch.base import Qrels
from toysearch.base.errors import DataError
from toysearch.files.recognise import judgments_among, rows_in
from toysearch.files.run_writer import write_judgment_lines, write_qrels
from toysearch.files.runs_and_judgments import read_qrels

EXPECTED = "expected a JSON object with query_id, doc_id and relevance"
GOOD = '{"query_id": "1", "doc_id": "a", "relevance": 2}\n'


def test_they_are_recognised_whatever_the_file_is_called(tmp_path: Path) -> None:
    path, run = tmp_path / "judged", tmp_path / "run"
    path.write_bytes(
        gzip.compress(b"\xef\xbb\xbf\n" + GOOD.encode() + b'{"query_id": "1", "doc_id": "b", "relevance": 0}')
    )
    run.write_text("1 Q0 a 1 0.5 mine\n")
    found = rows_in(path)
    assert (found.form, found.role, found.sure) == ("lines", "qrels", True)
    assert read_qrels(path)["1"] == {"a": 2.0, "b": 0.0}
    assert judgments_among([str(path), str(run)]) == 0  # in whatever order


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    qrels = Qrels.from_dict({"é\n": {"a b": 0.1, "c": -1.0}, "2": {"a b": 1e300}})
    write_judgment_lines(qrels, tmp_path / "q")
    assert (tmp_path / "q").read_text(encoding="utf-8").splitlines()[1] == (
        '{"query_id": "é\\n", "doc_id": "c", "relevance": -1}'
    )
    assert list(read_qrels(tmp_path / "q")) == list(qrels)


GRADED = {"1": {"a": {"wet food": 2, "care": 1}, "b": {"care": 0.5}}, "2": {"a": {"care": 0}, "c": {"age": 3}}}
WEIGHTS = {("1", "care"): 0.5, ("2", "age"): 0.0}


@pytest.mark.parametrize("weights", [{}, WEIGHTS], ids=["alike", "weighed"])
@pytest.mark.parametrize("name", ["q.tsv", "q.csv", "q.csv.gz", "q.json", "q.jsonl", "q.qrels"])
def test_sub_topics_are_written_and_read_back(tmp_path: Path, name: str, weights: dict[tuple[str, str], float]) -> None:
    qrels, path = Qrels.from_subtopics(GRADED, weights), tmp_path / name
    write_judgment_lines(qrels, path) if name == "q.jsonl" else write_qrels(qrels, path)
    again = read_qrels(path)
    assert list(again) == list(qrels)
    assert again.subtopics is not None
    assert qrels.subtopics is not None
    names = [[one.replace(" ", "_") for one in many] for many in qrels.subtopics.names]  # in TREC judgments
    assert [*map(list, again.subtopics.names)] == (names if name == "q.qrels" else [*map(list, qrels.subtopics.names)])
    np.testing.assert_array_equal(again.subtopics.grades, qrels.subtopics.grades)
    if name != "q.qrels":  # which have no place for weights
        np.testing.assert_array_equal(again.subtopics.weights, qrels.subtopics.weights)


MALFORMED = {
    "[1]": "2: expected a JSON object, found [1]",
    '{"query_id": "1"}': f'2: {EXPECTED}, found {{"query_id": "1"}}',
    "{": "2: expected a JSON object; Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    '{"query_id": "", "doc_id": "a", "relevance": 1}': '2: query_id must be a text or a whole number, found ""',
    '{"query_id": "1", "doc_id": true, "relevance": 1}': "2: doc_id must be a text or a whole number, found true",
    '{"query_id": "1", "doc_id": "b", "relevance": "1_0"}': "2: expected a number as relevance, found '1_0'",
    '{"query_id": "1", "doc_id": "b", "relevance": NaN}': "2: expected a number as relevance, found NaN",
    '{"query_id": "1", "doc_id": "b", "relevance": true}': (
        "2: expected a number as relevance, found true; if that is a grade, give each such word its number: "
        "read_qrels(…, grades='true=1,false=0')"
    ),
    '{"query_id": 1, "doc_id": "a", "relevance": 3}': (
        "2: query '1' and document 'a' have grade 3 here and 2 on line 1; keep one of the two lines"
    ),
}


@pytest.mark.parametrize("line", MALFORMED)
def test_malformed(tmp_path: Path, line: str) -> None:
    path = tmp_path / "qrels.jsonl"
    path.write_text(GOOD + line)
    with raising(DataError, f"{path}:{MALFORMED[line]}; on_error='skip' leaves it out"):
        read_qrels(path)
    path.write_text(GOOD + '{"query_id": "1", "doc_id": "b", "relevance": "1.50"}\n')
    assert read_qrels(path)["1"] == {"a": 2.0, "b": 1.5}


def test_a_grade_too_large_for_a_float(tmp_path: Path) -> None:
    (tmp_path / "q").write_text('{"query_id": "1", "doc_id": "b", "relevance": 1' + "0" * 400 + "}")
    with pytest.raises(DataError, match="expected a number as relevance, found 10000"):
        read_qrels(tmp_path / "q")


def test_no_judgment(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("\n")
    layout = "lines of 4 columns (query_id iteration doc_id relevance)"
    with raising(DataError, f"{tmp_path / 'q'} is empty; expected judgments: {layout}"):
        read_qrels(tmp_path / "q")
