"""Notes and errors where people read them: in Python, in IPython and notebooks, and in tests."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from tiers import exhaustive

import toysearch
from toysearch import ToysearchError, ToysearchNote

nbformat = pytest.importorskip("nbformat")
NotebookClient = pytest.importorskip("nbclient").NotebookClient

pytestmark = [pytest.mark.system, pytest.mark.waits]

NOTES = ["note: did you mean tick removal? (16 documents)", "note: in no document: removl"]


@pytest.fixture(scope="module")
def searcher():
    return toysearch.Searcher("companions")


def test_python_prints_a_note_as_one_line():
    code = "import toysearch; toysearch.Searcher('companions').search('tick removl')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr.splitlines()) == ("", NOTES)


def test_other_warnings_are_printed_as_before():
    printed = warnings.formatwarning(UserWarning("mine"), UserWarning, "mine.py", 3, "call()")
    assert printed == "mine.py:3: UserWarning: mine\n  call()\n"


def test_a_note_belongs_to_the_line_of_the_user(recwarn, searcher):
    searcher.search("tick removl")
    line = sys._getframe().f_lineno - 1
    assert [(str(each.message), each.filename, each.lineno) for each in recwarn] == [
        (note.removeprefix("note: "), __file__, line) for note in NOTES
    ]
    assert all(issubclass(each.category, ToysearchNote) for each in recwarn)


def test_pytest_sees_notes_and_they_can_be_errors(searcher):
    with pytest.warns(ToysearchNote, match="did you mean founder"):
        searcher.search("boundery")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ToysearchNote)
        with pytest.raises(ToysearchNote, match="did you mean founder"):
            searcher.search("boundery")


def test_known_words_are_not_looked_up(searcher, recwarn, monkeypatch):
    monkeypatch.setattr("toysearch.retrieval.remarks.remarks_on_answer", None)
    searcher.search("removing a tick")
    assert not recwarn


def test_a_traceback_has_the_lines_of_the_user_and_the_sentence():
    with pytest.raises(ToysearchError) as refused:
        toysearch.Searcher("companions", "bm26")
    first, code, *rest = refused.value._render_traceback_()
    line = sys._getframe().f_lineno - 2
    assert first == f"{__file__}, line {line}, in test_a_traceback_has_the_lines_of_the_user_and_the_sentence()"
    assert code == '    toysearch.Searcher("companions", "bm26")'
    assert rest == ["", "UnknownName: unknown model 'bm26'; did you mean 'bm25'?"]


CELLS = [
    "import toysearch\nsearcher = toysearch.Searcher('companions')\nsearcher.search('tick removl', k=1)",
    "def mine(name):\n    return toysearch.Searcher('companions', name)\nmine('bm26')",
]
SEEN = [
    "Cell In[2], line 3\n    mine('bm26')\nCell In[2], line 2, in mine()",
    "    return toysearch.Searcher('companions', name)",
    "",
    "UnknownName: unknown model 'bm26'; did you mean 'bm25'?",
]


@exhaustive
def test_notebooks_show_notes_and_errors_in_a_line_each(tmp_path: Path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute(cwd=str(tmp_path))
    first, second = (cell.outputs for cell in notebook.cells)
    assert "".join(part.text for part in first if part.get("name") == "stderr") == "".join(
        f"{note}\n" for note in NOTES
    )
    (shown,) = (part.data for part in first if part.output_type == "execute_result")
    assert shown["text/plain"].startswith("<Ranking of 1 document: p224")
    assert "<strong>tick</strong>" in shown["text/html"]
    assert "\n".join(second[0].traceback) == "\n".join(SEEN)
