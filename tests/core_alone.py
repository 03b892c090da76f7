"""The core alone: its tests in a copy of the project without the rings and without the compiled loops.

`python tests/core_alone.py` makes the copy, compares the bytes of indexes, and runs the quick tests of the core's
folders there. What a test needs of a ring is missing; such a test is left out (conftest.py).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from circles import RINGS

ROOT = Path(__file__).resolve().parent.parent
CORE = "analysis base cli collection evaluation files index models query retrieval study".split()  # noqa: SIM905
TESTED = [folder for folder in CORE if folder != "cli"]
"""The folders whose tests are run: those of commands are slow, and most of them need the rings."""

OF_ALL_COMMANDS = (
    "tests/unit/analysis/test_analyzer.py::test_each_public_function_takes_an_analyzer_in_each_form",
    "tests/unit/models/test_registry.py::test_every_command_with_a_model_is_tried",
    "tests/unit/models/test_registry.py::test_a_name_for_a_model_works_everywhere",
)
"""Tests that walk through the commands and functions of the rings too."""

_INDEXES = """
import hashlib, sys, tempfile
from pathlib import Path
import toysearch
for name, settings in {"plain": {}, "positions": {"positions": True}, "fields": {"fields": ["title", "text"]}}.items():
    folder = Path(tempfile.mkdtemp(), name)
    toysearch.Index.build(toysearch.load("companions"), **settings).save(folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in files))
    print(name, len(files), digest.hexdigest())
"""


def copied(place: Path) -> Path:
    """A copy of the project without the folders of the rings, the compiled loops, and the tests of both."""
    unwanted = shutil.ignore_patterns("__pycache__", *RINGS, "compiled", "labs.py", "labs.pyi")
    for name in ("toysearch", "tests", "corpora", "docs", "build_backend"):
        shutil.copytree(ROOT / name, place / name, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


def python(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of Python that imports the package of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(place), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, text=True, timeout=900
    )


def index_bytes(place: Path) -> str:
    """The checksums of the files of several kinds of index, made by the package of a folder."""
    result = python(place, "-c", _INDEXES)
    assert result.returncode == 0, result.stderr
    return result.stdout


def main() -> None:
    """Run the tests, print what pytest says, and end with its exit code."""
    with tempfile.TemporaryDirectory(prefix="toysearch-core-") as folder:
        place = copied(Path(folder))
        if index_bytes(place) != index_bytes(ROOT):
            sys.exit("an index that the core makes alone has other bytes")
        tests = [f"tests/unit/{name}" for name in TESTED]
        quick = ("-n", "auto", "--dist", "worksteal", "-m", "not system and not exhaustive")
        without = ("-p", "no:cacheprovider", "-p", "no:toysearch", *(f"--deselect={test}" for test in OF_ALL_COMMANDS))
        result = python(place, "-m", "pytest", "-q", *quick, *without, *sys.argv[1:], *tests)
        print(result.stdout, result.stderr, sep="\n")
        sys.exit(result.returncode)


if __name__ == "__main__":
    main()
