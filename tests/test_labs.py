"""The labs' notebooks: made from their sources, run from top to bottom, right for teachers, open for students."""

import ast
import builtins
import json
import re
import symtable

import pytest
from conftest import ROOT, loaded
from student_notebooks import needs_confinement, notebook_file
from tiers import exhaustive, thinned

from toysearch.classroom.grading import graded_notebook
from toysearch.labs import LESSONS

pytest.importorskip("jupytext")

build = loaded(ROOT / "notebooks" / "build.py")

LARGEST = 500_000  # bytes of a notebook
LONG = {"10-tweak", "11-feedback", "12-learning"}
WITH_MARKS = [pytest.param(each, marks=exhaustive) if each.stem in LONG else each for each in LESSONS]


@pytest.fixture(scope="module", params=thinned(WITH_MARKS, len(LESSONS)), ids=lambda lesson: lesson.stem)
def lesson(request):
    """A lab; its tests stand side by side, so that one process builds it for all of them."""
    return request.param


@pytest.fixture(scope="module")
def built(corpora):
    """Each lab, built once."""
    made = {}

    def of(lesson):
        if lesson.stem not in made:
            made[lesson.stem] = build.build(build.SOURCES / f"{lesson.stem}.py")
        return made[lesson.stem]

    return of


def shown(notebook):
    return json.dumps([cell.get("outputs", []) for cell in notebook["cells"]], ensure_ascii=False)


def code(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")


def test_every_source_has_exercises():
    assert [path.stem for path in build.sources()] == [lesson.stem for lesson in LESSONS]


def bound(tree):
    """The names that a cell gives a value."""
    nodes = list(ast.walk(tree))
    imports = [alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    names = {(alias.asname or alias.name).partition(".")[0] for alias in imports}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return names | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def used(code):
    """The names that a cell takes from other cells."""
    tables, names = [symtable.symtable(code, "cell", "exec")], set()
    for table in tables:
        in_module = table.get_type() == "module"
        names |= {
            each.get_name() for each in table.get_symbols() if each.is_referenced() and (in_module or each.is_global())
        }
        tables += table.get_children()
    return names - bound(ast.parse(code)) - set(dir(builtins))


@pytest.mark.parametrize("path", build.sources(), ids=lambda path: path.stem)
def test_each_provided_cell_runs_alone_after_a_cleared_answer(path):
    """It takes names only from provided cells that wait for no more answers, and from answers for which it waits."""
    waits_for, of_answer, open_names = {}, {}, set()
    for cell in build.read(path):
        if cell.kind != "code":
            continue
        if cell.teacher != cell.student or "yours" in cell.tags:  # answers, up to the cell that checks them
            open_names |= bound(ast.parse(cell.teacher))
            checked = re.findall(r'labs\.check\(\s*"([\d.]+)"', cell.teacher)
            of_answer |= {number: set(open_names) for number in checked}
            open_names = set() if checked else open_names
            continue
        needs = set(re.findall(r'"([\d.]+)"', " ".join(re.findall(r"labs\.needs\(([^)]*)\)", cell.teacher))))
        answers = set().union(*(of_answer[number] for number in needs))
        for name in used(cell.teacher) - answers:
            assert waits_for.get(name, {"an answer"}) <= needs, f"{name} in {cell.source}"
        for name in bound(ast.parse(cell.teacher)):
            waits_for[name] = waits_for.get(name, needs) & needs


@pytest.mark.system
def test_the_teachers_notebook_runs_and_every_check_passes(lesson, built):
    made = built(lesson)
    assert build.troubles(made) == []
    for exercise in lesson.exercises:
        assert code(made.teacher).count(f'labs.check("{exercise.number}", ') == 1
        assert f"✓ {exercise.number} {exercise.title}" in shown(made.teacher)
    assert "✗" not in shown(made.teacher)


@pytest.mark.system
def test_the_students_notebook_is_up_to_date_and_tells_no_solution(lesson, built):
    made = built(lesson)
    path = ROOT / "notebooks" / f"{lesson.stem}.ipynb"
    assert build.comparable(json.loads(path.read_text(encoding="utf-8"))) == build.comparable(made.student)
    assert path.stat().st_size < LARGEST
    assert not re.search(r"# (end )?solution|# student:", code(made.student) + code(made.teacher))
    assert code(made.student).count("# your turn") >= len(lesson.exercises)


@pytest.mark.system
def test_a_lab_has_what_every_lab_has(lesson, built):
    made = built(lesson)
    texts = "".join("".join(cell["source"]) + "\n" for cell in made.student["cells"] if cell["cell_type"] == "markdown")
    assert texts.startswith(f"# Lab {lesson.number}: {lesson.title}\n")
    assert "\n## Further reading\n" in texts
    for exercise in lesson.exercises:
        assert f"### Exercise {exercise.number}: " in texts
    assert f'labs.start({lesson.number}, student="anyone")' in code(made.student)
    assert 5 <= len(lesson.exercises) <= 10
    assert shown(made.student).count('"image/png') >= 2
    guesses = [cell for cell in made.student["cells"] if "guess" in cell["metadata"].get("tags", ())]
    assert guesses
    assert not any(cell["outputs"] for cell in guesses)
    assert texts.count("*Guess first:*") == len(guesses)


@pytest.mark.system
def test_code_that_is_seen_fits_and_code_that_draws_is_folded(lesson, built):
    for cell in built(lesson).student["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert not re.search(r"^    .*( = .*[·/√Σ]| √)", source, re.MULTILINE), "a formula that is not typeset"
        elif "labs.picture(" in source:
            assert cell["metadata"]["jupyter"] == {"source_hidden": True}
        else:
            assert all(len(line) <= build.WIDTH for line in source.splitlines()), source


# Every lab is run by its build; of these, some are run in Jupyter too.
@exhaustive
@pytest.mark.waits
@pytest.mark.system
@pytest.mark.parametrize("lesson", thinned(LESSONS[::4], len(LESSONS)), ids=lambda lesson: lesson.stem)
def test_run_all_goes_through_an_unanswered_notebook_in_jupyter(lesson, tmp_path):
    """As JupyterLab and `jupyter nbconvert --execute` do it; what waits for an answer says so in one line, in grey."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson.stem}.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    waiting = sum("labs.needs(" in cell.source for cell in cells)
    shown = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert sum("Wait for exercise" in html for html in shown) == waiting
    assert sum("Not answered yet" in html for html in shown) == len(lesson.exercises)
    assert f"Lab {lesson.number}: 0 of " in shown[-1]


@needs_confinement
@exhaustive
def test_a_whole_solution_that_draws_and_competes_gets_all_its_points_from_the_grader(tmp_path):
    """Lab 10 saves a report with charts, and holds a competition inside its notebook."""
    path = tmp_path / "10-tweak.ipynb"
    cells = [cell for cell in build.read(build.SOURCES / "10-tweak.py") if cell.kind == "code"]
    assert sum("Leaderboard" in cell.source or ".save(" in cell.source for cell in cells) == 2
    found = graded_notebook.grade(notebook_file(path, *(cell.teacher for cell in cells)), salt="winter")
    assert (found.score, found.max_score) == (11, 11)
    assert [each for each in found.troubles if "without a name" not in each] == []
