"""Runs and judgments in every format: read, written, recognised; and what is said of bad ones."""

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

from toysearch import Qrels, Ranking, Run, ToysearchNote
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.recognise import judgments_among, kind_of
from toysearch.files.run_writer import FORMATS, write_qrels, write_run
from toysearch.files.runs_and_judgments import read_qrels, read_run

RUN = {"q1": {"a": 2.5, "b": -1.0}, "q 2": {"d, e": 0.25}}
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
SKIPPED = "; on_error='skip' leaves it out"
GRADES = {"q1": {"a": 2.0, "b": 0.5}, "q2": {"a": -1.0}}


def file(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(PACKERS.get(path.suffix, bytes)(text.encode()))
    return path


class TestReadingRuns:
    @pytest.mark.parametrize(
        "text",
        [
            "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 -1 t\n",
            "query_id,doc_id,score\nq1,a,2.5\nq1,b,-1\n",
            "qid\tdocno\tscore\tname\nq1\ta\t2.5\tt\n\nq1\tb\t-1\tt\n",
            "Query ID; Doc-ID; Score\nq1; a; 2.5\nq1; b; -1\n",
            'q_id,doc_id,rank,score\nq1,"a",2,2.5\r\nq1,b,1,-1\r\n',  # the score decides, not the rank
            "query docid sim run_id\nq1 a 2.5 t\nq1 b -1 t\n",
            '{"q1": {"a": 2.5, "b": -1}}',
            '\ufeff{\n "q1": {"a": 2.5,\n "b": -1.0}}\n',
        ],
    )
    @pytest.mark.parametrize("name", ["file", "file.gz", "file.bz2", "file.xz"])
    def test_each_format_plain_and_packed(self, tmp_path: Path, text: str, name: str) -> None:
        run = read_run(file(tmp_path, text, name))
        assert (list(run), run.ranked) == ([("q1", "a", 2.5), ("q1", "b", -1.0)], False)
        assert run.name in ("t", "file")

    def test_ranks_alone_give_a_ranked_run(self, tmp_path: Path) -> None:
        run = read_run(file(tmp_path, "qid,docid,rank,system\nq1,b,2,mine\nq1,a,1,mine\nq2,c,7,mine\n"))
        assert [(hit.query_id, hit.doc_id) for hit in run] == [("q1", "a"), ("q1", "b"), ("q2", "c")]
        assert (run.ranked, run.name) == (True, "mine")

    def test_lists_in_json_give_a_ranked_run(self, tmp_path: Path) -> None:
        run = read_run(file(tmp_path, '{"q1": ["b", "a"], "q2": []}', "mine.json"))
        assert [hit.doc_id for hit in run] == ["b", "a"]
        assert (run.query_ids, run.ranked, run.name) == (["q1", "q2"], True, "mine")

    def test_infinite_scores_are_scores(self, tmp_path: Path) -> None:
        run = read_run(file(tmp_path, "query_id,doc_id,score\nq1,a,-inf\nq1,b,inf\n"))
        assert run["q1"] == {"a": -np.inf, "b": np.inf}


class TestReadingJudgments:
    @pytest.mark.parametrize(
        "text",
        [
            "q1 0 a 2\nq1 0 b 0.5\n",
            "q1 a 2\nq1 b 0.5\n",
            "query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0.5\n",
            "query_id,doc_id,relevance\nq1,a,2\nq1,b,0.5\n",
            "qid,docno,label,iteration\nq1,a,2,0\nq1,b,.5,0\n",
            "topic;document;grade\nq1;a;2\nq1;b;0.5\n",
            '{"q1": {"a": 2, "b": 0.5}}',
        ],
    )
    @pytest.mark.parametrize("name", ["file", "file.gz", "file.bz2", "file.xz"])
    def test_each_format_plain_and_packed(self, tmp_path: Path, text: str, name: str) -> None:
        qrels = read_qrels(file(tmp_path, text, name))
        assert (list(qrels), qrels.votes) == ([("q1", "a", 2.0), ("q1", "b", 0.5)], None)

    def test_four_columns_without_a_grade_as_in_cisi(self, tmp_path: Path) -> None:
        path = file(tmp_path, "  1  28 0 0.000000\n  1  35 0 0.000000\n")
        assert list(read_qrels(path)) == [("1", "28", 1.0), ("1", "35", 1.0)]

    def test_a_document_called_0_is_no_missing_grade(self, tmp_path: Path) -> None:
        assert list(read_qrels(file(tmp_path, "1 0 0 0\n2 0 0 0\n"))) == [("1", "0", 0.0), ("2", "0", 0.0)]

    def test_cranfields_codes_are_told_apart_from_grades(self, tmp_path: Path) -> None:
        path = file(tmp_path, "1 184 2\n1 29 4\n1 31 -1\n")
        with noted() as notes:
            assert read_qrels(path)["1"] == {"184": 2.0, "29": 4.0, "31": -1.0}
        assert notes[0] == (
            f"{path} holds codes from -1 to 4, as the Cranfield judgments do, where 1 is the "
            "best; they are kept unchanged; the collection cranfield, given instead of the file, turns them into gains"
        )

    def test_relevance_goes_before_score(self, tmp_path: Path) -> None:
        path = file(tmp_path, "qid,docno,score,label\nq1,a,7.5,1\n")
        assert (read_qrels(path)["q1"], read_run(path)["q1"], kind_of(path)) == ({"a": 1.0}, {"a": 7.5}, "run")


class TestVotes:
    @pytest.mark.parametrize(
        "votes", [("1", "0"), ("+1", "-1"), ("true", "False"), ("Yes", "no"), ("1.0", "0.0"), ("up", "down")]
    )
    def test_the_grade_is_the_share_of_positive_votes(self, tmp_path: Path, votes: tuple[str, str]) -> None:
        up, down = votes
        path = file(
            tmp_path, f"query_id,doc_id,vote\nq1,a,{up}\nq1,a,{down}\nq1,a,{up}\nq2,c,{down}\nq1,b,{down}\nq1,a,{up}\n"
        )
        with noted() as notes:
            qrels = read_qrels(path)
        assert (qrels["q1"], qrels["q2"]) == ({"a": 0.75, "b": 0.0}, {"c": 0.0})
        assert qrels.votes is not None
        assert qrels.votes.tolist() == [4, 1, 1]
        assert notes[0] == f"{path}: 6 votes on 3 documents; the grade is the share of positive votes"
        assert kind_of(path) == "qrels"

    @pytest.mark.parametrize(
        ("rows", "problem"),
        [
            ("q1,a,2,u\n", "2: expected 1 or 0, +1 or -1, true or false, yes or no as vote, found '2'"),
            ("q1,a,,u\n", "2: expected 1 or 0, +1 or -1, true or false, yes or no as vote, found ''"),
            (
                "q1,a,0,u\nq1,b,1,u\nq1,c,-1,u\n",
                "4: a vote of -1, where line 2 has another that is not positive; vote with 1 and 0, or with +1 and -1, "
                "throughout",
            ),
            (
                "q1,a,1,u\nq1,a,0,v\nq1,a,0,u\n",
                "4: user 'u' already voted on query 'q1', document 'a' on line 2; keep one of the two",
            ),
        ],
    )
    def test_bad_votes(self, tmp_path: Path, rows: str, problem: str) -> None:
        path = file(tmp_path, f"query_id,doc_id,vote,user\n{rows}")
        skipped = SKIPPED if rows.count("\n") > 1 else ""  # something must stay
        with raising(DataError, f"{path}:{problem}{skipped}"):
            read_qrels(path)

    def test_every_bad_vote_is_listed(self, tmp_path: Path) -> None:
        path = tmp_path / "votes.csv"
        path.write_text("query_id,doc_id,vote,user\nq1,a,2,u\nq1,a,1,u\nq1,a,1,u\nq1,b,0,u\nq1,c,-1,u\n")
        with pytest.raises(DataError) as error:
            read_qrels(path)
        problems = [part for part in str(error.value).split("line ")[1:] if part[0].isdigit() and ": " in part[:4]]
        assert [part.split(":")[0] for part in problems] == ["2", "4", "6"], str(error.value)
        with pytest.warns(ToysearchNote):
            assert read_qrels(path, on_error="skip")["q1"] == {"a": 1.0, "b": 0.0}


HEAD = "query_id,doc_id,score\n"
LABELS = "qid,docno,label\n"
NUMBER = "expected a number as"
ONE = "keep one of the two lines"
OPEN = "a quotation mark opens in this row and is not closed; close it, or double it if it is part of the text"
OBJECTS = "expected a JSON object of objects, query_id to doc_id to"
MALFORMED_RUNS = [
    (HEAD + "q1,a,high\n", f":2: {NUMBER} score, found 'high'"),
    (HEAD + "\nq1,a,nan\n", f":3: {NUMBER} score, found 'nan'"),
    ("q1 Q0 a 1 high mine\n", f":1: {NUMBER} score, found 'high'"),
    (HEAD + "q1,a,1\nq1,a,2\n", f":3: query 'q1' has document 'a' twice, first on line 2; {ONE}"),
    (
        HEAD + "q1,a\n",
        ":2: expected 3 columns (query_id doc_id score), found 2: 'q1,a'; complete the line or remove it",
    ),
    (HEAD + "q1,,1\n", ":2: the doc_id is empty; give it an id or remove the line"),
    (HEAD + 'q1,"a,1\n', f":2: {OPEN}"),
    (HEAD, " is empty; expected a run: a header with query_id, doc_id and score, and rows"),
    (
        LABELS + "q1,a,1\n",
        ":1: found the columns qid, docno, label; if its rows are ranked: read_run(…, columns='query=qid,doc=docno')",
    ),
    ("qid,docno,rank\nq1,a,first\n", f":2: {NUMBER} rank, found 'first'"),
    ("{}", f": {OBJECTS} score, found an empty one"),
    (
        '{"q1": {"a": 1.5,\n "a": 2.5}}',
        ":2: 'a' is a key of one object twice, and JSON keeps only one; remove the other",
    ),
    ('{"q1": {"a": 1.5},\n"q2": {"a": "x"}}', f":2: query 'q2', document 'a': {NUMBER} score, found 'x'"),
    ('{"q1": {"a": "high", "b": 1}}', f":1: query 'q1', document 'a': {NUMBER} score, found 'high'"),
    ('{"q1": {"b": NaN, "a": 1}}', f":1: query 'q1', document 'b': {NUMBER} score, found NaN"),
    ('{"q1": {"a": 1.5, "b": NaN}}', f":1: query 'q1', document 'b': {NUMBER} score, found NaN"),
    ('{"q1": {"a": 1.5, "b": true}}', f":1: query 'q1', document 'b': {NUMBER} score, found true"),
    ('{"q1": {"a": null}}', f":1: query 'q1', document 'a': {NUMBER} score, found null"),
    ('{"q1": {"a": 1.5},\n "q2": 3}', ":2: query 'q2': expected documents, in a list or each with a number, found 3"),
    ('{"q1": ["a", 3]}', ":1: query 'q1': expected a document, as an id or with its score, found 3"),
    ('{"q1": ["a", "a"]}', ":1: query 'q1' has document 'a' twice; keep one of the two"),
    (
        '{"q1": ["a"], "q2": {"a": 1}}',
        ": query 'q2' has scores, others have lists of doc_ids; give all queries the same",
    ),
    ('{"q1": {"a": 1.5}\n"q2": {}}', ":2: expected JSON; Expecting ',' delimiter at column 1"),
]
MALFORMED_JUDGMENTS = [
    (
        LABELS + "q1,a,good\n",
        f":2: {NUMBER} relevance, found 'good'; if that is a grade, give each such word its number: "
        "read_qrels(…, grades='good=1')",
    ),
    (LABELS + "q1,a,inf\n", f":2: {NUMBER} relevance, found 'inf'"),
    (LABELS + "q1,a,1\nq1,a,0\n", f":3: query 'q1' and document 'a' have grade 0 here and 1 on line 2; {ONE}"),
    (LABELS, " is empty; expected judgments: a header with query_id, doc_id and relevance, and rows"),
    (
        "qid,docno,tag\nq1,a,1\n",
        ":1: found the columns qid, docno, tag; name them: read_qrels(…, columns='query=qid,doc=docno,grade=tag'); "
        "or, if each is relevant: read_qrels(…, columns='query=qid,doc=docno')",
    ),
    (
        "q1 a 2\nq1 b 1 extra\n",
        ":2: expected 3 columns, found 4: 'q1 b 1 extra'; SMART judgments are lines 'query document grade' or "
        "'query document 0 0'",
    ),
    ("q1 a 2\nq1 a 1\n", f":2: query 'q1' and document 'a' have grade 1 here and 2 on line 1; {ONE}"),
    ("{}", f": {OBJECTS} relevance, found an empty one"),
    ('{"q1": {}}', " holds no judgments; expected query_id to doc_id to relevance"),
    ('{"q1": {"a": Infinity}}', ":1: query 'q1', document 'a': expected a number as relevance, found Infinity"),
    ("", " is empty; expected judgments: lines of 4 columns (query_id iteration doc_id relevance)"),
]
MALFORMED = [(read_run, *each) for each in MALFORMED_RUNS] + [(read_qrels, *each) for each in MALFORMED_JUDGMENTS]


@pytest.mark.parametrize(("read", "text", "problem"), MALFORMED)
def test_malformed(tmp_path: Path, read, text: str, problem: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value) in (f"{path}{problem}", f"{path}{problem}{SKIPPED}")
    if str(error.value).endswith(SKIPPED):
        with noted() as notes:
            assert len(read(path, on_error="skip"))
        assert notes[-1].startswith(f"{path}: 1 line left out")


class TestWriting:
    @pytest.mark.parametrize("name", ["r.json", "r.csv", "r.tsv", "r.json.gz", "r.csv.gz"])
    def test_a_run_reads_back_as_what_it_was(self, tmp_path: Path, name: str) -> None:
        write_run(Run.from_dict(RUN, name="mine"), tmp_path / name)
        read = read_run(tmp_path / name)
        assert (read["q1"], read["q 2"], kind_of(tmp_path / name)) == (RUN["q1"], RUN["q 2"], "run")
        packed = (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"
        assert packed == name.endswith(".gz")

    @pytest.mark.parametrize("form", FORMATS)
    def test_the_order_of_ties_survives_in_every_format(self, tmp_path: Path, form: str) -> None:
        ranked = Run.from_rankings([Ranking("q", ["a", "c", "b"], [1.0, 1.0, 1.0])])
        write_run(ranked, tmp_path / "file", form)
        read = read_run(tmp_path / "file")
        assert sorted(read["q"], key=lambda doc_id: -np.float32(read["q"][doc_id])) == ["a", "c", "b"]

    @pytest.mark.parametrize("form", FORMATS)
    def test_judgments_read_back_as_what_they_were(self, tmp_path: Path, form: str) -> None:
        thirds = {**GRADES, "q3": {"x": 1 / 3, "y": 1e-17}}
        write_qrels(Qrels.from_dict(thirds), tmp_path / "file", form)
        read = read_qrels(tmp_path / "file")
        assert {query_id: read[query_id] for query_id in read.query_ids} == thirds
        expected = "run" if form == "json" else "qrels"  # whole grades in JSON are judgments; see below
        assert kind_of(tmp_path / "file") == expected

    def test_the_files_themselves(self) -> None:
        texts = {}
        for form in FORMATS:
            run, judged = io.StringIO(), io.StringIO()
            write_run(Run.from_dict({"q1": {"a": 2, "b": 1}}), run, form)
            write_qrels(Qrels.from_dict(GRADES), judged, form)
            texts[form] = run.getvalue(), judged.getvalue()
        assert texts == {
            "trec": ("q1 Q0 a 1 2 run\nq1 Q0 b 2 1 run\n", "q1 0 a 2\nq1 0 b 0.5\nq2 0 a -1\n"),
            "tsv": (
                "query_id\tdoc_id\trank\tscore\nq1\ta\t1\t2\nq1\tb\t2\t1\n",
                "query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0.5\nq2\ta\t-1\n",
            ),
            "csv": (
                "query_id,doc_id,rank,score\nq1,a,1,2\nq1,b,2,1\n",
                "query_id,doc_id,relevance\nq1,a,2\nq1,b,0.5\nq2,a,-1\n",
            ),
            "json": ('{\n"q1": {"a": 2, "b": 1}\n}\n', '{\n"q1": {"a": 2, "b": 0.5},\n"q2": {"a": -1}\n}\n'),
        }

    def test_ids_that_need_quotation_marks(self, tmp_path: Path) -> None:
        ids = ['say "a"', " blank ", "a,b;c", "tab\there", "日本"]
        run = Run.from_rankings([Ranking("q", ids, [5, 4, 3, 2, 1])])
        for name in ("r.csv", "r.json"):
            write_run(run, tmp_path / name)
            assert list(read_run(tmp_path / name)["q"]) == ids

    @pytest.mark.parametrize(
        ("name", "doc_id", "problem"),
        [
            ("r.tsv", "a\tb", "the id 'a\\tb' holds a tab or begins or ends with a blank, which TSV cannot carry"),
            ("r.csv", "a\nb", "the id 'a\\nb' holds a line end, which CSV cannot carry"),
            ("r.csv", "", "the id '' is empty, which CSV cannot carry"),
            ("r.csv", "\ud800", "the id '\\ud800' holds a lone surrogate, which CSV cannot carry"),
            ("r", "a b", "the id 'a b' holds white space, which TREC judgments cannot carry"),
            ("r", "", "the id '' is empty, which TREC judgments cannot carry"),
        ],
    )
    def test_an_id_that_the_format_cannot_carry_is_refused(
        self, tmp_path: Path, name: str, doc_id: str, problem: str
    ) -> None:
        other = ", or write a file that ends in .csv, .tsv or .json" if name == "r" else ""
        with raising(DataError, f"{problem}; give it another id{other}"):
            write_qrels(Qrels.from_dict({"q": {doc_id: 1}}), tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    def test_no_such_format(self, tmp_path: Path) -> None:
        for call in (
            lambda: write_run(Run.from_dict(RUN), tmp_path / "r", "jsn"),
            lambda: write_qrels(Qrels.from_dict(GRADES), tmp_path / "r", "jsn"),
        ):
            with raising(ArgumentError, "unknown format 'jsn'; did you mean 'json'? Formats: trec, tsv, csv, json"):
                call()

    def test_a_score_that_is_no_number_is_refused(self) -> None:
        run = Run.from_rankings([Ranking("1", ["a"], [np.nan])])
        with raising(DataError, "query '1', document 'a': expected a number as score, found nan"):
            write_run(run, io.StringIO(), "json")


class TestRecognition:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("query-id\tcorpus-id\tscore\n1\ta\t1\n", "qrels"),
            ("query_id\tdoc_id\tscore\n1\ta\t1\n", "run"),
            ("query_id,doc_id,rank\n1,a,1\n", "run"),
            ("query_id,doc_id,rel\n1,a,1\n", "qrels"),
            ("query_id,doc_id\n1,a\n", None),
            ("1 184 2\n", "qrels"),
            ("1 28 0 0.000000\n", "qrels"),
            ('{"1": {"a\\": 0.5": 1, ":7.5": 2}}', "qrels"),
            ('{"1": {"a": 1, "b": "x"}}', None),
            ('{"1": {"a": 1, "b": 2.0}}', "qrels"),
            ('{"1": {"a": 1.5, "b": 2}}', "run"),
            ('{"1": ["a", "b"]}', "run"),
            ('{"_id": "1", "text": "a document"}\n', None),
            ('{"metadata": {"a": "b", "c": "d"}, "_id": "1"}\n', None),
            ("three words here\n", None),
            ("1 Q0 a 1 0.5 t\n", "run"),
            ("\n1 0 a 1\n", "qrels"),
            ("five columns are not six\n1 Q0 a 1 0.5 t\n", "run"),
            ("these are four words\n", None),
            ("here is a sentence of six\n", None),
            ("", None),
        ],
    )
    def test_kinds(self, tmp_path: Path, text: str, kind: str | None) -> None:
        assert kind_of(file(tmp_path, text)) == kind
        assert kind_of(file(tmp_path, text, "packed.gz")) == kind

    def test_which_of_several_files_holds_the_judgments(self, tmp_path: Path) -> None:
        run = str(file(tmp_path, "1 Q0 a 1 1 t\n", "run"))
        qrels = str(file(tmp_path, "1 0 a 1\n", "qrels"))
        whole = str(file(tmp_path, '{"1": {"a": 1}}', "whole.json"))
        fraction = str(file(tmp_path, '{"1": {"a": 0.5}}', "fraction.json"))
        empty = str(file(tmp_path, " \n", "empty"))
        assert judgments_among([qrels, run]) == 0
        assert judgments_among([run, run, qrels]) == 2
        assert judgments_among([whole, qrels]) == 1
        assert judgments_among([run, fraction]) == 1
        assert judgments_among([whole, run]) == 0
        with pytest.raises(ArgumentError, match="could each be the run or the judgments; name the judgments"):
            judgments_among([whole, fraction])
        assert judgments_among([fraction, whole]) == 1
        assert judgments_among([whole, whole]) == judgments_among([fraction, fraction]) == 1
        assert judgments_among([run, empty]) == 1
        assert judgments_among([run, "cranfield"]) is None
        with raising(ArgumentError, "standard input (-) can be read only once; give the other input as a file"):
            judgments_among(["-", "-"])

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("text", ["1 0 a 1\n", "query_id,doc_id,label\n1,a,1\n", '{"1": {"a": 1}}'])
    def test_standard_input_is_looked_at_and_then_read(
        self, monkeypatch: pytest.MonkeyPatch, packed: bool, text: str
    ) -> None:
        data = gzip.compress(text.encode()) if packed else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        assert kind_of("-") == "qrels"
        assert list(read_qrels("-")) == [("1", "a", 1.0)]
