"""Progress on a terminal, silence elsewhere; tables that follow what they are printed on."""

import io
import itertools
import re

import pytest
from shell import done
from terminals import on_terminal
from waiting import until

import toysearch.study
from toysearch.base import Column, ResultTable
from toysearch.cli import compare, output, similar
from toysearch.study.compare import comparison_tables as comparison_report
from toysearch.study.explain.score_explanation import ScoreExplanation


def test_progress_is_told_once_the_work_takes_long(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    with output.progress("indexing", "documents") as tell:
        tell(1200)
        tell(1400)
    assert "indexing: 1,400 documents" in terminal.getvalue()
    assert terminal.getvalue().count("\x1b[?25l") == 1  # one line, not one a call
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is taken away again


def test_how_many_are_done_and_what_is_best(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    with output.progress("tuning") as tell:
        tell(3, 12, "AP 0.3012 at b=0.5")
        tell(12, 12, "AP 0.3030 at b=0.7")
    assert "12/12" in terminal.getvalue()
    assert "AP 0.3030 at b=0.7" in terminal.getvalue()


@pytest.mark.waits
def test_a_line_about_nothing_told_appears_by_itself_and_goes(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    with output.progress("checking", "sources", untold=True) as tell:
        until(lambda: "checking" in terminal.getvalue())
    assert terminal.getvalue().endswith("\x1b[2K")
    said = terminal.getvalue()
    tell(3)  # by a worker, too late
    monkeypatch.setattr(output, "_PATIENCE", 60)
    with output.progress("checking", "sources") as tell:
        pass
    monkeypatch.setattr(output, "_PATIENCE", 0)
    tell(3)  # where there was no line
    assert terminal.getvalue() == said


def test_quick_work_stays_quiet(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with output.progress("indexing", "documents") as tell:
        tell(1400)
    assert terminal.getvalue() == ""


def test_there_is_no_progress_but_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with output.progress("indexing", "documents") as tell:
        assert tell is None


def test_a_page_is_its_parts_for_people_and_one_table_for_programs(capsys):
    table = ResultTable([Column("n")], [[1], [2]], "numbers")
    page = output.Page(["above", table, "", "below"], table)
    for form, expected in {"table": "above\n\nnumbers\nn\n1\n2\n\nbelow\n", "csv": "n\n1\n2\n"}.items():
        output.show(page, form)
        assert capsys.readouterr().out == expected
    assert page.data() == [{"n": 1}, {"n": 2}]
    assert output.Page([], table, {"numbers": 2}).data() == {"numbers": 2}
    assert output.Page([], table, []).data() == []
    output.show(output.Page([""], table), "table")
    assert capsys.readouterr().out == ""  # nothing, not an empty line


COLUMNS = [Column("doc_id"), Column("title", wrap=True)]
ROWS = [("184", "scale models for thermo-aeroelastic research " * 2)]


def test_a_table_follows_the_width_of_the_terminal(monkeypatch):
    terminal = on_terminal(monkeypatch)
    output.emit(COLUMNS, ROWS, "table", title="two lines", caption="the end")
    assert [line.rstrip() for line in re.sub(r"\x1b\[\d*m", "", terminal.getvalue()).splitlines()] == [
        "two lines",
        "doc_id  title",
        "─" * 60,
        "184     scale models for thermo-aeroelastic research scale",
        "        models for thermo-aeroelastic research",
        "the end",
    ]


def test_other_forms_have_neither_title_nor_width(monkeypatch):
    terminal = on_terminal(monkeypatch)
    output.emit(COLUMNS, ROWS, "tsv", title="two lines", caption="the end")
    assert terminal.getvalue().splitlines() == ["doc_id\ttitle", f"184\t{ROWS[0][1]}"]


def test_running_text_is_wrapped_on_a_terminal_alone(monkeypatch):
    on_terminal(monkeypatch)
    text = "A join by .I does not fail,\nit gives rubbish, because 152\x1b of those numbers are also places."
    assert output.paragraph(text, "  ", "- ") == (
        "- A join by .I does not fail, it gives rubbish, because 152\n  of those numbers are also places."
    )
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert output.paragraph(text, "  ", "- ") == (
        "- A join by .I does not fail, it gives rubbish, because 152 of those numbers are also places."
    )


def test_progress_tells_the_pace_where_the_source_has_a_size(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    clock = itertools.chain([0.0], itertools.repeat(2.0))
    monkeypatch.setattr(output.time, "monotonic", lambda: next(clock))
    with output.progress("indexing", "documents", lambda: (30_000_000, 120_000_000)) as tell:
        tell(1200)
    assert "indexing: 1,200 documents, 15.0 MB/s, 0:06 left" in re.sub(r"\s+", " ", terminal.getvalue())


def test_pace_of_a_source():
    assert output.pace(0, 100, 1.0) == ""
    assert output.pace(1_000_000, 601_000_000, 1.0) == ", 1.0 MB/s, 10:00 left"
    assert output.pace(50, 50, 1.0) == ", 0.0 MB/s, 0:00 left"


@pytest.mark.parametrize(
    ("command", "text", "data"),
    [
        ("similar cat-dog-parrot 1 --model jaccard --explain", (similar, "_shared_text"), None),
        (
            "similar cat-dog-parrot 1 --model 0.5*bm25+0.5*dice --explain",
            (toysearch.study, "explanation_text"),
            (ScoreExplanation, "data"),
        ),
        (
            "compare cat-dog-parrot --model bm25 --model dice",
            (comparison_report, "compared_tables"),
            (compare, "compared_data"),
        ),
    ],
)
def test_texts_are_made_for_people_alone_and_data_for_programs_alone(monkeypatch, command, text, data):
    def refuse(*_):
        raise AssertionError("nobody reads it")

    for unread, options in ((text, ["--json"]), (data, [])):
        with monkeypatch.context() as patch:
            if unread:
                patch.setattr(*unread, refuse)
            assert done(*command.split(), *options).stdout
    for read, options in ((text, []), (data, ["--json"])):
        if read:
            with monkeypatch.context() as patch:
                patch.setattr(*read, refuse)
                with pytest.raises(AssertionError):
                    done(*command.split(), *options)
