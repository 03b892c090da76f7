"""`toysearch check` of runs and judgments, and what `toysearch eval` says before it scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import run

RUN = "q1 Q0 a 1 3 first\nq1 Q0 b 2 2 first\nq2 Q0 c 1 1 first\n"
QRELS = "q1 0 b 1\nq1 0 x 1\nq2 0 c 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return str(tmp_path / "run"), str(tmp_path / "qrels")


def test_nothing_is_found_and_the_exit_code_is_0(files):
    for arguments in (files, files[:1]):
        result = run("check", *arguments)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing suspicious\n")


def test_a_line_for_each_finding_and_exit_code_1(files):
    Path(files[0]).write_text(RUN.replace("q1 Q0 b", "q1 Q0 a") + "q2\n")
    result = run("check", *files)
    assert result.exit_code == 1
    assert result.stdout == (
        "columns: 1 line does not have six columns, first line 4: 'q2'; cut short?\n"
        "duplicates: 1 line repeats a document of the query, first line 2: query 'q1', document 'a'; passages of one "
        "document, or two runs in one file?\n"
    )


def test_other_forms(files):
    Path(files[1]).write_text("q1 0 B 1\nq2 0 C 1\n")
    result = run("check", *files, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [(row["name"], row["serious"]) for row in found] == [("nothing judged", True), ("document ids", True)]
    assert (
        found[1]["message"] == "2 of the run and of the judgments differ in case, such as 'b' and 'B'; write them alike"
    )
    assert run("check", *files, "--format", "csv").stdout.startswith("name,serious,message\nnothing judged,yes,")


def test_files_in_each_others_place_are_taken_for_what_they_are(files):
    expected = run("check", files[0], files[1])
    for asked in ((files[1], files[0]), (files[0], "--qrels", files[1])):
        found = run("check", *asked)
        assert (found.exit_code, found.output) == (expected.exit_code, expected.output)
    assert run("check", "-", "-").stderr.endswith(
        "Error: standard input (-) can be read only once; give the others as files\n"
    )


def test_judgments_by_themselves(files):
    found = run("check", files[1])
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "nothing suspicious\n")
    Path(files[1]).write_text("q1 0 b 0\nq1 0 x -1\n")
    found = run("check", files[1])
    assert (found.exit_code, found.stdout) == (
        1,
        "grades: no grade of 2 judgments is above 0, so nothing is relevant; is it another scale?\n",
    )


def test_a_file_that_is_not_there(files):
    result = run("check", "nowhere", files[1])
    assert (result.exit_code, result.stderr) == (2, "toysearch: nowhere: there is no such file\n")


def test_the_judgments_of_a_collection(files):
    result = run("check", files[0], "cat-dog-parrot")
    assert result.exit_code == 1
    assert result.stdout == (
        "unknown documents: 3 of 3 ranked documents are not in collection 'cat-dog-parrot', such as 'a' of query 'q1'; "
        "another edition, or other ids?\n"
        "no query in common: 2 queries in the run, such as 'q1', 3 in the judgments, such as '1'\n"
        "query ids: 2 of the run and of the judgments differ in the text around the number, such as 'q1' and '1'; "
        "write them alike\n"
    )


class TestEvalLooksFirst:
    def test_what_is_serious_is_a_note(self, files):
        Path(files[1]).write_text("q1 0 B 1\nq2 0 C 1\n")
        result = run("eval", *files, "-m", "RR")
        assert result.exit_code == 0
        assert result.stderr.startswith(
            "note: nothing judged: 0 of 3 retrieved documents are judged; the run has ids such as 'a', the judgments "
            "such as 'B': another collection, or other ids?\n"
            "note: document ids: 2 of the run and of the judgments differ in case, such as 'b' and 'B'; write them "
            "alike\n"
        )

    def test_of_several_runs_each_note_names_its_own(self, files, tmp_path):
        (tmp_path / "backwards").write_text("q1 Q0 b 1 1 worse\nq1 Q0 a 2 2 worse\n")
        result = run("eval", files[0], str(tmp_path / "backwards"), files[1], "-m", "RR")
        assert result.stderr.startswith(
            "note: worse: ranks: the ranks of at least 1 query contradict the scores, such as 'q1': "
        )

    def test_nothing_is_said_of_a_good_run(self, files):
        notes = [line for line in run("eval", *files, "-m", "RR").stderr.splitlines() if line.startswith("note")]
        assert notes == ["note: 33 % of the first ten documents are unjudged and count as not relevant"]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("qrels.csv", "query_id,doc_id,relevance\nq1,b,1\nq1,x,1\nq2,c,1\n"),
            ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\tb\t1\nq1\tx\t1\nq2\tc\t1\n"),
            ("qrels.json", '{"q1": {"b": 1, "x": 1}, "q2": {"c": 1}}'),
            ("three", "q1 b 1\nq1 x 1\nq2 c 1\n"),
            ("votes.csv", "query_id,doc_id,vote\nq1,b,1\nq1,x,yes\nq2,c,true\n"),
        ],
    )
    def test_judgments_of_every_format_in_any_place(self, files, tmp_path, name, text):
        expected = run("eval", *files).stdout
        (tmp_path / name).write_text(text)
        table = "query_id,doc_id,score,tag\nq1,a,3,first\nq1,b,2,first\nq2,c,1,first\n"
        (tmp_path / "run.csv").write_text(table)
        assert run("eval", files[0], str(tmp_path / name)).stdout == expected
        assert run("eval", str(tmp_path / "run.csv"), str(tmp_path / name)).stdout == expected
        assert run("eval", files[0], "-", stdin=text).stdout == expected

    def test_of_two_json_files_the_judgments_have_to_be_named(self, files, tmp_path):
        (tmp_path / "run.json").write_text('{"q1": {"a": 3, "b": 2}, "q2": {"c": 1}}')
        (tmp_path / "qrels.json").write_text('{"q1": {"b": 1, "x": 1}, "q2": {"c": 0.5}}')
        both = [str(tmp_path / "run.json"), str(tmp_path / "qrels.json")]
        result = run("eval", both[0], "--qrels", both[1], "-m", "RR(rel=0.5)", "--tsv")
        assert result.stdout == "system\tRR(rel=0.5)\nrun\t0.75\n"
        for names in (both, both[::-1]):
            for name in ("eval", "check", "unjudged", "compare"):
                refused = run(name, *names)
                assert (refused.exit_code, refused.stderr) == (
                    2,
                    f"toysearch: {names[0]} and {names[1]} could each be the run or the judgments; name the judgments: "
                    "--qrels QRELS\n",
                )

    def test_standard_input_twice_and_empty_judgments(self, files, tmp_path):
        result = run("eval", "-", "-")
        assert result.exit_code == 2
        assert result.stderr.endswith("Error: standard input (-) can be read only once; give the others as files\n")
        (tmp_path / "empty").write_text("\n")
        result = run("eval", files[0], str(tmp_path / "empty"))
        assert (result.exit_code, result.stderr) == (
            2,
            f"toysearch: {tmp_path / 'empty'} is empty; expected judgments: lines of 4 columns (query_id iteration "
            "doc_id relevance)\n",
        )


def test_what_trec_does_not_take_is_found(tmp_path):
    lines = [f"1 Q0 {1 + n % 4 if n < 4 else f'd{n}'} {n + 1} {5000 - n} {'t' * 21}" for n in range(1002)]
    lines[4] = lines[4].replace("Q0", "QO")
    lines[6] += " or so"
    (tmp_path / "odd.run").write_text("\n".join(lines) + "\n")
    result = run("check", tmp_path / "odd.run", "cat-dog-parrot")
    assert result.exit_code == 1
    for sentence in (
        "second column: 'QO' instead of Q0, first on line 5; some readers need Q0\n",
        "tags: 1 line has text after the tag, first line 7; a tag holds no blank\n",
        f"tags: '{'t' * 21}' has 21 characters; TREC takes 20\n",
        "unknown documents: 998 of 1,002 ranked documents are not in collection 'cat-dog-parrot', such as 'd4' of ",
        "long rankings: 1 query has more than 1,000 documents, such as '1' with 1,002; TREC takes 1,000\n",
    ):
        assert sentence in result.stdout
