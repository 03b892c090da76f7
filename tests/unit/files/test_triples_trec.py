import io
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

from toysearch.base import Run
from toysearch.base.errors import DataError, StorageError
from toysearch.base.ranking import Ranking
from toysearch.base.run_order import trec_eval_order
from toysearch.files import run_writer, triples
from toysearch.files.run_writer import write_run
from toysearch.files.triples import read_trec_qrels, read_trec_run


def written(run: Run) -> list[list[str]]:
    file = io.StringIO()
    write_run(run, file, "trec")
    return [line.split() for line in file.getvalue().splitlines()]


def ranked(scores: list[float], doc_ids: list[str] | None = None) -> Run:
    return Run.from_rankings([Ranking("1", doc_ids or [f"d{i}" for i in range(len(scores))], scores)])


class TestReading:
    def test_a_run_keeps_the_order_of_its_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "run"
        path.write_text("2 Q0 b 1 1.5 mine\n2\tQ0\ta  2 2e1 mine\n\n1 Q0 a 7 -inf mine\n2 Q0 c 3 -.5 mine\n")
        run = read_trec_run(path)
        assert (run.name, run.ranked) == ("mine", False)
        assert list(run) == [("2", "b", 1.5), ("2", "a", 20.0), ("2", "c", -0.5), ("1", "a", -np.inf)]

    def test_qrels_may_hold_fractions_and_negative_grades(self, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text("1 0 a 0.5\n1 0 b -1\r\n2 Q0 a 3\n")
        assert list(read_trec_qrels(path)) == [("1", "a", 0.5), ("1", "b", -1.0), ("2", "a", 3.0)]

    def test_columns_are_split_where_trec_eval_splits_them(self, tmp_path: Path) -> None:
        path = tmp_path / "run"
        path.write_text("1 Q0 日\u3000本 1 1 t\n1\tQ0\x0bno\xa0break 2 0.5 t\n", encoding="utf-8")
        assert read_trec_run(path).doc_ids == ["日\u3000本", "no\xa0break"]


class TestWhatTrecEvalReads:
    """Text behind the tag (versions 9 and 10), and comments (version 10)."""

    TEXT = "# a run\n1 Q0 a 1 2.5 mine and more\n  # b\n1 Q0 b 2 -inf mine\n\n2 Q0 a 1 1 last # why\n#\n"

    @pytest.mark.parametrize("way", ["compiled", "plain"])
    def test_a_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
        monkeypatch.setenv("TOYSEARCH_PATH", way)
        (tmp_path / "run").write_text(self.TEXT)
        run = read_trec_run(tmp_path / "run")
        assert [tuple(row) for row in run] == [("1", "a", 2.5), ("1", "b", -np.inf), ("2", "a", 1.0)]
        assert run.name == "last"

    def test_judgments(self, tmp_path: Path) -> None:
        (tmp_path / "qrels").write_text("# who judged\n1 0 a 1\n #\n1 0 b 0\n")
        assert [tuple(row) for row in read_trec_qrels(tmp_path / "qrels")] == [("1", "a", 1.0), ("1", "b", 0.0)]

    @pytest.mark.parametrize("text", ["# judged\n1 0 1 2\n2 0 1 3\n", "1 1 2 3\n1 2 3 4\n", "1 1 2 3\n2 2 3 1\n"])
    def test_rising_numbers_may_be_judgments(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "qrels").write_text(text)
        assert len(read_trec_qrels(tmp_path / "qrels")) == 2


COLUMNS = "expected 6 columns (query_id Q0 doc_id rank score tag), found"
JUDGED = "expected 4 columns (query_id iteration doc_id relevance), found"
BLANK = "; an id holds no blank here: write a table, with the header query_id,doc_id,score"
MEND = "; complete the line or remove it"


COUNTS = (
    "the fifth column counts the documents of each query, as ranks do, and the sixth holds other numbers: blanks in "
    "ids move the columns; write a table, with the header query_id,doc_id,score"
)
RISING = (
    "each line is one query and three rising numbers, which may be its documents or end with a grade; write one line "
    "per document: query_id 0 doc_id relevance"
)


class TestMalformed:
    @pytest.mark.parametrize(
        ("read", "text", "problem"),
        [
            (read_trec_run, "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.4\n", f"2: {COLUMNS} 5: '1 Q0 b 2 0.4'{MEND}"),
            (read_trec_run, "1 Q0 a 1 b 0.5 tag\n", f"1: {COLUMNS} 7: '1 Q0 a 1 b 0.5 tag'{BLANK}"),
            (read_trec_run, "1 Q0 b c 1 3.0 run\n", f"1: {COLUMNS} 7: '1 Q0 b c 1 3.0 run'{BLANK}"),
            (read_trec_run, "1 Q0 b 3.5 1 run\n", "1: expected a whole number as rank, the fourth column, found '3.5'"),
            (
                read_trec_run,
                "1,Q0,b,1,3,r\n",
                f"1: {COLUMNS} 1: '1,Q0,b,1,3,r'; it has , between its columns: write blanks",
            ),
            (
                read_trec_run,
                "1|Q0|b|1|3|r\n",
                f"1: {COLUMNS} 1: '1|Q0|b|1|3|r'; it has | between its columns: write blanks",
            ),
            (read_trec_run, "1 Q0 b 7 1 3.0\n1 Q0 b 9 2 2.5\n", f"1: {COUNTS}"),
            (read_trec_run, "1 Q0 b 7 1 3.0\n2 Q0 b 9 1 2.5\n", f"1: {COUNTS}"),
            (read_trec_qrels, "1  268 288 304 \n2  9 10 11\n", f"1: {RISING}"),
            (read_trec_run, "word " * 1000, f"1: {COLUMNS} 1000: '{('word ' * 20)[:77]}…'{MEND}"),
            (read_trec_run, "1 Q0 a 1 high t\n", "1: expected a number as score, found 'high'"),
            (read_trec_run, "\n1 Q0 a 1 nan t\n", "2: expected a number as score, found 'nan'"),
            (read_trec_run, "1 Q0 a 1 1_000 t\n", "1: expected a number as score, found '1_000'"),
            (
                read_trec_run,
                "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
                "3: query '1' has document 'a' twice, first on line 1; keep one of the two lines",
            ),
            (
                read_trec_qrels,
                "1 0 a 1\n1 184 2\n",
                f"2: {JUDGED} 3: '1 184 2'{MEND}",
            ),
            (
                read_trec_qrels,
                "query-id\tcorpus-id\tscore\n1\ta\t1\n",
                f"1: {JUDGED} 3: 'query-id\tcorpus-id\tscore'{MEND}",
            ),
            (read_trec_qrels, "1 Q0 a 1 0.5 t\n", f"1: {JUDGED} 6: '1 Q0 a 1 0.5 t'{MEND}"),
            (read_trec_qrels, "1 0 a 1 sure\n", f"1: {JUDGED} 5: '1 0 a 1 sure'{MEND}"),
            (read_trec_qrels, "1 0 a good\n", "1: expected a number as relevance, found 'good'"),
            (read_trec_qrels, "1 0 a inf\n", "1: expected a number as relevance, found 'inf'"),
            (
                read_trec_qrels,
                "1 0 a 1\n1 0 b 1\n1 0 a 2\n",
                "3: query '1' and document 'a' have grade 2 here and 1 on line 1; keep one of the two lines",
            ),
        ],
    )
    def test_lines(self, tmp_path: Path, read, text: str, problem: str) -> None:
        (tmp_path / "file").write_text(text)
        with raising(DataError, f"{tmp_path / 'file'}:{problem}"):
            read(tmp_path / "file")

    def test_empty_files(self, tmp_path: Path) -> None:
        path = tmp_path / "nothing"
        path.write_text("\n \n")
        for read, expected in (
            (read_trec_run, "a run: lines of 6 columns (query_id Q0 doc_id rank score tag)"),
            (read_trec_qrels, "judgments: lines of 4 columns (query_id iteration doc_id relevance)"),
        ):
            with raising(DataError, f"{path} is empty; expected {expected}"):
                read(path)


LINES = {
    **dict.fromkeys(("1", "0", "-1", "+2", "007", "1.0", "3.", "12345678901"), True),
    **dict.fromkeys(("c", "1.5", "1e3", "nan", "-", ".", "1_0", "٣", "b 7", "7 b", "2 4", "1 2 3"), False),
}
"""Text in the place of the rank → whether the line is read; an id that holds a blank moves the columns."""
BEFORE_AND_AFTER = [("1 Q0 a", "3.0 run"), ("1 Q0 a", "3.0 my run 2"), ("1 Q0 a", "2 run")]


@pytest.mark.parametrize("way", ["compiled", "plain", "line by line"])
@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_a_line_is_read_if_its_rank_is_a_whole_number_and_its_score_a_number(tmp_path, monkeypatch, way, blank):
    """The same however the columns are separated and read; what follows the score is the tag."""
    monkeypatch.setenv("TOYSEARCH_PATH", "plain" if way == "plain" else "compiled")
    if way == "line by line":
        monkeypatch.setattr(triples, "scanned", lambda *arguments: None)
    cells = [*product(LINES.items(), BEFORE_AND_AFTER)]
    for (rank, is_read), (before, after) in cells:
        line = " ".join([before, rank, after]).replace(" ", blank)
        (tmp_path / "a.run").write_text(f"{line}\n2{blank}Q0{blank}b{blank}1{blank}1{blank}run\n")
        if is_read:
            score = float(after.split()[0])
            assert [tuple(row) for row in read_trec_run(tmp_path / "a.run")] == [("1", "a", score), ("2", "b", 1.0)]
        else:
            with pytest.raises(DataError, match=r"a.run:1: expected"):
                read_trec_run(tmp_path / "a.run")
    assert len(cells) == 60


class TestOrder:
    def test_equal_scores_by_falling_doc_id(self) -> None:
        run = trec_eval_order(Run.from_dict({"1": {"d10": 1, "d9": 1, "x": 2}, "2": {"é": 0.0, "z": -0.0, "日": 0}}))
        assert [hit.doc_id for hit in run] == ["x", "d9", "d10", "日", "é", "z"]
        assert run.ranked

    def test_scores_are_32_bit_floats(self) -> None:
        run = trec_eval_order(Run.from_dict({"1": {"a": 1 + 1e-9, "b": 1.0}, "2": {"a": 1e39, "b": 1e40, "c": 3.4e38}}))
        assert [hit.doc_id for hit in run] == ["b", "a", "b", "a", "c"]
        assert run.scores.tolist() == [1.0, 1 + 1e-9, 1e40, 1e39, 3.4e38]


class TestWriting:
    def test_scores_that_fall_are_left_alone(self) -> None:
        rows = written(ranked([2.5, 0.1, -3.0]))
        assert rows == [
            ["1", "Q0", "d0", "1", "2.5", "run"],
            ["1", "Q0", "d1", "2", "0.100000001", "run"],
            ["1", "Q0", "d2", "3", "-3", "run"],
        ]

    @pytest.mark.parametrize(
        "scores",
        [
            [1.0, 1.0, 1.0],
            [0.0, -0.0, 0.0, -1e-45],
            [1 + 2e-8, 1 + 1e-8, 1.0],
            [1e-45, 1e-45, 1e-45, 0.0],
            [np.inf, 1e300, 1e39, 3.5e38, 3.4e38],
            [-3.4e38, -3.5e38, -1e39, -1e300, -np.inf],
            [np.inf, -np.inf, -np.inf],
            [5.0, 7.0, 6.0],  # out of order on purpose: a ranking that was ranked otherwise
        ],
    )
    def test_32_bit_scores_fall_strictly_and_stay_finite(self, scores: list[float]) -> None:
        texts = [row[4] for row in written(ranked(scores))]
        values = np.array([float(text) for text in texts], dtype=np.float32)
        assert (np.diff(values.astype(np.float64)) < 0).all()
        assert np.isfinite(values).all()

    def test_a_tie_is_written_as_the_next_lower_float(self) -> None:
        scores = [np.float32(row[4]) for row in written(ranked([1.0, 1.0, 1.0, 0.5]))]
        below = np.nextafter(np.float32(1), np.float32(0))
        assert scores == [1, below, np.nextafter(below, np.float32(0)), 0.5]

    def test_a_run_without_ranks_is_put_in_trec_evals_order(self) -> None:
        rows = written(Run.from_dict({"1": {"a": 1, "b": 1, "c": 2}}, name="my  run"))
        assert [(row[2], row[3], row[5]) for row in rows] == [
            ("c", "1", "my_run"),
            ("b", "2", "my_run"),
            ("a", "3", "my_run"),
        ]

    def test_an_empty_ranking_has_no_line(self) -> None:
        assert written(Run.from_rankings([Ranking("1", [], []), Ranking("2", ["a"], [1])])) == [
            ["2", "Q0", "a", "1", "1", "run"]
        ]

    @pytest.mark.parametrize(
        ("doc_id", "problem"),
        [
            ("two words", "the doc_id 'two words' holds white space, which a TREC run cannot carry"),
            ("end\u3000", "the doc_id 'end\\u3000' holds white space, which a TREC run cannot carry"),
            ("", "the doc_id '' is empty, which a TREC run cannot carry"),
            ("\ud800", "the doc_id '\\ud800' holds a lone surrogate, which UTF-8 cannot carry"),
        ],
    )
    def test_an_id_that_columns_cannot_carry_is_refused(self, tmp_path: Path, doc_id: str, problem: str) -> None:
        path = tmp_path / "run"
        with raising(DataError, f"{problem}; give it another id"):
            write_run(ranked([1.0], [doc_id]), path, "trec")
        assert list(tmp_path.iterdir()) == []

    def test_a_query_id_with_white_space_and_a_score_that_is_no_number_are_refused(self) -> None:
        said = "the query_id 'what is' holds white space, which a TREC run cannot carry; give it another id"
        with raising(DataError, said):
            write_run(Run.from_rankings([Ranking("what is", ["a"], [1])]), io.StringIO(), "trec")
        run = Run.from_rankings([Ranking("1", ["a"], [1]), Ranking("2", ["a", "b"], [1, np.nan])])
        with raising(DataError, "query '2', document 'b': expected a number as score, found nan"):
            write_run(run, io.StringIO(), "trec")


class TestFiles:
    def test_a_path_is_replaced_as_a_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "run"
        write_run(ranked([1.0]), path, "trec")
        before = path.read_bytes()
        assert before == b"1 Q0 d0 1 1 run\n"

        def fail_at_the_second_query(run: Run):  # type: ignore[no-untyped-def]
            yield "1 Q0 a 1 1 run\n"
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(run_writer, "_run_texts", fail_at_the_second_query)
        with raising(StorageError, f"{path} could not be written: No space left on device"):
            write_run(ranked([1.0, 0.5]), path, "trec")
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "target").write_text("old")
        link = tmp_path / "link"
        link.symlink_to(tmp_path / "target")
        write_run(ranked([1.0]), str(link), "trec")
        assert link.is_symlink()
        assert (tmp_path / "target").read_text() == "1 Q0 d0 1 1 run\n"

    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path: Path) -> None:
        # A pipe of our own stands for all that is no regular file: a device must not be at stake in a test.
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_run(ranked([1.0]), pipe, "trec")
            assert pipe.is_fifo()
            assert os.read(reader, 100) == b"1 Q0 d0 1 1 run\n"
        finally:
            os.close(reader)

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "no" / "run"
        with raising(StorageError, f"{path} could not be written: No such file or directory"):
            write_run(ranked([1.0]), path, "trec")


class TestBlocks:
    """Files are read many lines at a time; what is out of the ordinary is looked at line by line."""

    ORDINARY = "".join(f"{query} Q0 d{rank} {rank} {9 - rank / 1000} t\n" for query in range(20) for rank in range(900))

    def test_lines_of_many_blocks_and_the_last_tag(self, tmp_path: Path) -> None:
        path = tmp_path / "run"
        path.write_text(self.ORDINARY + "new Q0 d 1 1 last")
        run = read_trec_run(path)
        assert (len(run), len(run.query_ids), run.name) == (18001, 21, "last")
        assert run["19"] == {f"d{rank}": 9 - rank / 1000 for rank in range(900)}

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (
                "0 Q0 d899 1 1 t",
                "18001: query '0' has document 'd899' twice, first on line 900; keep one of the two lines",
            ),
            ("new Q0 d 1 nan t", "18001: expected a number as score, found 'nan'"),
            ("new Q0 d 1 1_0 t", "18001: expected a number as score, found '1_0'"),
            ("new Q0 d 1 x 1 t\nnew Q0 e 2 2 t", f"18001: {COLUMNS} 7: 'new Q0 d 1 x 1 t'{BLANK}"),
        ],
    )
    def test_the_line_of_what_is_wrong_far_behind(self, tmp_path: Path, line: str, problem: str) -> None:
        path = tmp_path / "run"
        path.write_text(f"{self.ORDINARY}{line}\n")
        with raising(DataError, f"{path}:{problem}"):
            read_trec_run(path)

    @pytest.mark.parametrize(
        "text",
        [
            "1 Q0 a 1 2 t\n\n1 Q0 b 2 1 t\n",
            "1 Q0 a 1 2 t\r\n1\tQ0\tb 2 1   t\r\n",
            "1 Q0 a 1 2 t\n1 Q0 b 2 1 t",
            "1 Q0 a 1 2 \0\n1 Q0 b 2 1 \0\n",
            "2 Q0 é 1 1 t\n1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n",
            "\ufeff1 Q0 a 1 2 t\n2 Q0 a 1 1 t\n1 Q0 b 2 1 t\n",
        ],
    )
    def test_lines_in_every_shape(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "run"
        path.write_bytes(text.encode())
        assert read_trec_run(path)["1"] == {"a": 2.0, "b": 1.0}

    def test_bad_bytes_are_counted_once(self, tmp_path: Path) -> None:
        path = tmp_path / "run"
        path.write_bytes(b"1 Q0 a\xff 1 2 t\n1 Q0 \xef\xbf\xbd 2 1 t\n" + self.ORDINARY.encode())
        with noted() as notes:
            run = read_trec_run(path)
        assert notes[0] == f"{path}: not UTF-8 in 1 place, read as U+FFFD; load(…, encoding=…)"
        assert run.doc_ids[:2] == ["a\ufffd", "\ufffd"]

    def test_an_order_that_is_trec_evals_already_is_kept(self) -> None:
        run = Run.from_dict({"1": {"a": 3.0, "b": 2.0}, "2": {"b": 9.0}})
        again = trec_eval_order(run)
        assert (again.doc_ids, again.ranked, run.ranked) == (["a", "b", "b"], True, False)
