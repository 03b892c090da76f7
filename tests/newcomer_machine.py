"""A newcomer's machine: no texts of collections, no extras, no network; what the examples and pages do there.

`python tests/newcomer_machine.py FOLDER` prints a JSON object: each example of the help → exit code, output and notes.
FOLDER has the files that the examples name. `python tests/newcomer_machine.py PAGE` prints a list of what the page
shows and this machine does not print: command, lines, and what is printed instead. The caller gives an empty home
and, with tests/offline on PYTHONPATH, no network.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import packages_distributions
from importlib.metadata import requires as required_by
from pathlib import Path

from documented_lines import BLOCK, command_of, shown_parts, without_seconds
from help_example_files import EXAMPLES
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shell import alone, typed

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def needed(requirements: list[str]) -> set[str]:
    """The packages of requirements, and those that these need without an extra."""
    found: set[str] = set()
    waiting = [*requirements]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (not requirement.marker or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += required_by(name) or []
    return found


class WithoutExtras:
    """Finder of no module of a package that `pip install .` does not install."""

    def __init__(self) -> None:
        kept = needed(PROJECT["dependencies"]) | {"toysearch"}
        owners = packages_distributions().items()
        self.blocked = {name for name, owned in owners if not kept.intersection(map(canonicalize_name, owned))}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a module of such a package."""
        if name.partition(".")[0] in self.blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def walked(folder: Path) -> dict[str, tuple[int, str, str]]:
    """Each example → its exit code, output and notes, in a folder of its own."""
    found = {}
    for line in EXAMPLES:
        with tempfile.TemporaryDirectory() as place:
            here = Path(shutil.copytree(folder, Path(place, "examples")))
            if line.startswith("toysearch delete"):
                typed("toysearch add pets.idx more.jsonl", here)
            if alone(line):
                result = typed(line, here)
                found[line] = result.exit_code, result.stdout, result.stderr
            else:
                done = subprocess.run(line, shell=True, cwd=here, capture_output=True, text=True, timeout=300)
                found[line] = done.returncode, done.stdout, done.stderr
    return found


def unlike(page: Path) -> list[tuple[str, list[str], str]]:
    """Each command of a page that does not print all lines shown, with those missing and what it prints."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            for lines, shown in shown_parts(block[1]):
                printed = said(command_of(lines), Path(folder))
                there = without_seconds(printed).splitlines()
                missing = [line for line in without_seconds(shown).splitlines() if line not in there]
                if missing:
                    found.append((lines, missing, printed))
    return found


def said(line: str, folder: Path) -> str:
    """What a line prints, with its notes; a shell's commands have no extras either."""
    if alone(line):
        return typed(line, folder).output
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


if __name__ == "__main__":
    finder = WithoutExtras()
    os.environ["WITHOUT_MODULES"] = " ".join(finder.blocked)  # for what a shell starts: offline/sitecustomize.py
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    place = Path(sys.argv[1])
    json.dump(walked(place) if place.is_dir() else unlike(place), sys.stdout)
