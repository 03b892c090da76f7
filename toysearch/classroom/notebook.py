"""Notebooks of the labs as files: their place, copies for students, and their code."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

from toysearch.base import ArgumentError, DataError, StorageError, byte_size
from toysearch.classroom.exercise import ANYONE, Lesson, individual_number
from toysearch.classroom.session import SESSION
from toysearch.files import new_folder, replacing

_PACKAGE = Path(__file__).resolve().parent.parent
LARGEST = 50_000_000  # bytes of a notebook
_KINDS = {
    stat.S_ISLNK: "a link",
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: "a named pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}
_CELL = re.compile(r"^# %%.*\n?", re.MULTILINE)


def blank_notebook(lesson: Lesson) -> Path:
    """Return the path of the notebook of a lab for students."""
    for folder in (_PACKAGE / "_notebooks", _PACKAGE.parent / "notebooks"):
        if (path := folder / f"{lesson.stem}.ipynb").is_file():
            return path
    raise StorageError(f"the notebook {lesson.stem}.ipynb is not part of this installation; install toysearch again")


def begin(lesson: Lesson, folder: Path, student: str | None = None, key: str = "") -> Path:
    """Copy the notebook of a lab into a folder, with the name and the individual number of the student in it."""
    target = folder / f"{lesson.stem}.ipynb"
    if target.exists():
        raise StorageError(f"'{target}' already exists and may hold your work; move it, or choose another folder (-o)")
    text = blank_notebook(lesson).read_text(encoding="utf-8")
    if student is not None:
        # The name is a Python literal in a JSON string.
        literals = (json.dumps(name, ensure_ascii=False) for name in (ANYONE, student))
        number = individual_number(key, student)
        codes = map("student={}{}".format, literals, ("", f', individual="{number}"' * bool(number)))
        unnamed, signed = (json.dumps(code, ensure_ascii=False)[1:-1] for code in codes)
        text = text.replace(unnamed, signed, 1)
    with new_folder(folder), replacing(target) as file:
        file.write(text)
    return target


def plain_content(path: Path) -> bytes:
    """Read a file that was handed in: a plain file, neither a link nor a device, and not a large one."""
    kind = next((what for is_one, what in _KINDS.items() if is_one(path.lstat().st_mode)), "")
    if kind:
        raise DataError(f"'{path}' is {kind}, not a file; hand in the notebook itself")
    with open(path, "rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(f"'{path}' has more than {byte_size(LARGEST)}; clear its outputs and save it again")
    return content


def cells_of(content: bytes, path: Path) -> list[str]:
    """Return the code of a notebook with this content, cell by cell; those of a .py file begin with ``# %%``."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"'{path}' is not a notebook: it is not text") from None
    if path.suffix == ".py":
        return [cell for cell in _CELL.split(text) if cell.strip()]
    try:
        cells = json.loads(text)["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError(f"'{path}' is not a readable notebook; save it in Jupyter again, as .ipynb") from None


class Picture:
    """Picture that a notebook shows."""

    def __init__(self, description: str, drawn: str | bytes | dict[str, Any] | None) -> None:
        self.description = description
        self.drawn = drawn

    def __repr__(self) -> str:
        return f"[Picture: {self.description}]"

    def _repr_svg_(self) -> str | None:
        return self.drawn if isinstance(self.drawn, str) else None

    def _repr_png_(self) -> tuple[bytes, dict[str, int]] | None:
        """Return the picture, and the width at which it is shown: it has two pixels for each of these."""
        if not isinstance(self.drawn, bytes):
            return None
        return self.drawn, {"width": int.from_bytes(self.drawn[16:20]) // 2}

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, Any] | None:
        return {"application/vnd.vegalite.v5+json": self.drawn} if isinstance(self.drawn, dict) else None


def picture(chart: Any, description: str, form: str = "png") -> Picture:
    """Draw a chart as a picture in the style of the project."""
    # If the drawing library is not installed, the notebook draws the specification, or shows the description.
    if SESSION.record is not None:  # nobody looks, and the drawing library takes more memory than a grader allows
        return Picture(description, None)
    from toysearch.workbench.report.chart_files import png, svg
    from toysearch.workbench.report.charts import finished

    specification = chart | {"description": description} if isinstance(chart, dict) else finished(chart, description)
    try:
        return Picture(description, png(specification) if form == "png" else svg(specification))
    except ArgumentError:  # the extra that draws is not installed
        return Picture(description, specification)
