"""The tests of the files that were changed: `python tests/changed.py [REVISION]` prints them, one per line.

A test of a module begins with its name (tests/test_layout.py), so a changed module leads to its tests, its doctests
among them, and a command to the sessions too; a module without tests of its own leads to those of its folder. A changed
page of the documentation leads to its blocks.
"""

import subprocess
import sys
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parent.parent


def changed(revision: str) -> list[PurePath]:
    """The files that differ from a revision, new ones included."""
    commands = (["diff", "--name-only", revision], ["ls-files", "--others", "--exclude-standard"])
    listed = [subprocess.check_output(["git", "-C", ROOT, *command], text=True).splitlines() for command in commands]
    return [PurePath(name) for names in listed for name in names]


def tests_beside(path: PurePath) -> list[Path]:
    """The tests of the folder of a module."""
    return sorted((ROOT / "tests" / "unit" / PurePath(*path.parts[1:-1])).glob("test_*.py"))


def tests_of(path: PurePath) -> list[Path]:
    """The tests of one file."""
    if path.parts[0] == "toysearch" and path.suffix == ".py":
        elsewhere = [*(ROOT / "tests" / "oracles").glob("*.py"), *(ROOT / "tests" / "properties").glob("*.py")]
        named = f"test_{path.stem}_"
        own = [test for test in (*tests_beside(path), *sorted(elsewhere)) if f"{test.stem}_".startswith(named)]
        sessions = [ROOT / "tests" / "golden" / "test_sessions.py"] if path.parts[1] == "cli" else []
        return [ROOT / path, *(own or tests_beside(path)), *sessions]
    is_test = path.parts[0] == "tests" and path.name.startswith("test_")
    is_page = path.suffix == ".md" and path.parts[0] in ("docs", "README.md", "ARCHITECTURE.md")
    return [ROOT / path] if is_test or is_page else []


def main() -> None:
    """Print the tests, each once."""
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    tests = dict.fromkeys(test for path in changed(revision) for test in tests_of(path) if test.exists())
    print(*(test.relative_to(ROOT) for test in tests), sep="\n")


if __name__ == "__main__":
    main()
