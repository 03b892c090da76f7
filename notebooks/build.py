"""Build the notebooks of the labs from their sources: one for students, and one with the solutions for teachers.

    python notebooks/build.py            write notebooks/NN-name.ipynb and notebooks/teacher/NN-name.ipynb
    python notebooks/build.py --check    list the students' notebooks that are out of date; exit code 1 if there are any

A source is a Python file in the percent format of jupytext. The lines between `# solution` and `# end solution` are for
teachers; students get the lines after `# student:` there, or `...  # your turn`. The output of a cell is kept for them
unless the cell calls what depends on a student (`labs.given`, `labs.check`, …) or has the tag "yours" or "guess".
*Run all* continues after an error in a cell for students. The code of a cell that draws a picture is folded away.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jupytext
import nbformat

from toysearch.classroom.grading.notebook_run import CellResult, executed

ROOT = Path(__file__).resolve().parent.parent
STUDENTS = ROOT / "notebooks"
SOURCES, TEACHERS = STUDENTS / "sources", STUDENTS / "teacher"

WIDTH = 79
"""The length of a line of code that a notebook shows without a scroll bar."""

_REGION = re.compile(r"^(?P<indent>[ ]*)# solution\n(?P<inside>.*?)^[ ]*# end solution\n?", re.MULTILINE | re.DOTALL)
_STUDENTS_LINE = re.compile(r"^(?P<indent>[ ]*)# student:[ ]?(?P<line>.*)\n?", re.MULTILINE)
_STUDENTS = re.compile(r"\blabs\.(check|given|hint|needs|progress|start)\b")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Cell(NamedTuple):
    """A cell of a source."""

    kind: str
    source: str
    tags: tuple[str, ...]

    @property
    def teacher(self) -> str:
        """The cell with its solution, without the marks."""
        return _REGION.sub(lambda region: _STUDENTS_LINE.sub("", region["inside"]), self.source + "\n").rstrip("\n")

    @property
    def student(self) -> str:
        """The cell with a place for an answer where the solution was."""
        return _REGION.sub(lambda region: _place(region["indent"], region["inside"]), self.source + "\n").rstrip("\n")

    @property
    def is_the_students_own(self) -> bool:
        """Whether its output depends on the student, or is to be guessed."""
        return bool(_STUDENTS.search(self.source) or {"yours", "guess"} & {*self.tags})


class Built(NamedTuple):
    """The two notebooks of a source, and the results of running the one for teachers."""

    student: Any
    teacher: Any
    results: list[CellResult]


def sources() -> list[Path]:
    """Find the sources of the labs, in order."""
    return sorted(SOURCES.glob("[0-9][0-9]-*.py"))


def read(path: Path) -> list[Cell]:
    """The cells of a source."""
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    return [Cell(cell.cell_type, cell.source, tuple(cell.metadata.get("tags", ()))) for cell in notebook.cells]


def run(codes: Sequence[str]) -> list[CellResult]:
    """The outputs of the cells, run in a separate process in an empty folder, which is removed afterwards."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, get_context("spawn"), os.chdir, (folder,)) as pool:
        return pool.submit(executed, list(codes)).result()


def build(path: Path) -> Built:
    """Both notebooks; the one for students shows the output of worked examples."""
    cells = read(path)
    results = run([cell.teacher for cell in cells if cell.kind == "code"])
    outputs = iter(results)
    student, teacher = [], []
    for place, cell in enumerate(cells, 1):
        shown = next(outputs).outputs if cell.kind == "code" else []
        student.append(_cell(place, cell, cell.student, [] if cell.is_the_students_own else shown))
        teacher.append(_cell(place, cell, cell.teacher, shown))
    return Built(*map(_notebook, (student, teacher)), results)


def text(notebook: Any) -> str:
    """The notebook in the format of its file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def comparable(notebook: dict[str, Any]) -> Any:
    """Leave out output that depends on fonts, libraries and rounding: pictures, and the plain text of tables."""
    return json.loads(
        text(notebook),
        object_hook=lambda found: {
            key: "…" if key.startswith("image/") or (key == "text/plain" and "text/html" in found) else found[key]
            for key in found
        },
    )


def troubles(built: Built) -> list[str]:
    """The failures of the teachers' notebook."""
    return [f"cell {place}: {result.trouble}" for place, result in enumerate(built.results, 1) if result.trouble]


def _place(indent: str, inside: str) -> str:
    lines = [_fitting(f"{found['indent']}{found['line']}") for found in _STUDENTS_LINE.finditer(inside)]
    return "".join(lines) or f"{indent}...  # your turn\n"


def _fitting(line: str) -> str:
    """The line; if it is too long, its comment is wrapped above it."""
    code, mark, comment = line.partition("  # ")
    if len(line) <= WIDTH or not mark:
        return line + "\n"
    indent = " " * (len(code) - len(code.lstrip()))
    above = textwrap.wrap(comment, WIDTH - len(indent) - 2)
    return "".join(f"{indent}# {each}\n" for each in above) + code + "\n"


def _cell(place: int, cell: Cell, source: str, outputs: list[Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{place:02}",
        "metadata": _metadata(cell),
        "source": source.splitlines(keepends=True),
    }
    return made | {"execution_count": None, "outputs": outputs} if cell.kind == "code" else made


def _metadata(cell: Cell) -> dict[str, Any]:
    """The tags; *run all* continues after a cell with an answer, and code that only draws is folded away."""
    may_fail = "# solution" in cell.source or "yours" in cell.tags
    tags = [*cell.tags, *["raises-exception"] * may_fail]
    found: dict[str, Any] = {"tags": tags} if tags else {}
    drawn = {"jupyter": {"source_hidden": True}}
    return found | drawn if "labs.picture(" in cell.source else found


def _notebook(cells: list[Any]) -> dict[str, Any]:
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    nbformat.validate(notebook)
    return notebook


def main() -> None:
    """Build all labs, or those named."""
    parser = argparse.ArgumentParser(description="Build the notebooks of the labs.")
    parser.add_argument("labs", nargs="*", help="numbers or names of labs; by default all")
    parser.add_argument("--check", action="store_true", help="write nothing; list the notebooks that are out of date")
    options = parser.parse_args()
    failed = False
    for path in sources():
        if options.labs and not any(path.stem.startswith(name.zfill(2)) for name in options.labs):
            continue
        built = build(path)
        for trouble in troubles(built):
            failed = True
            print(f"{path.name}: {trouble}", file=sys.stderr)
        target = STUDENTS / f"{path.stem}.ipynb"
        if options.check:
            current = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
            if comparable(current) != comparable(built.student):
                failed = True
                print(f"{target.relative_to(ROOT)} is out of date with {path.name}; run `make labs`", file=sys.stderr)
            continue
        TEACHERS.mkdir(exist_ok=True)
        for file, notebook in ((target, built.student), (TEACHERS / target.name, built.teacher)):
            file.write_text(text(notebook), encoding="utf-8")
            print(file.relative_to(ROOT))
    sys.exit(failed)


if __name__ == "__main__":
    main()
