"""Sessions at a shell: what commands print and refuse, character by character, in files that read like a terminal.

`== NAME` begins a file of the folder in which a session is typed, `### TITLE` begins a part, and `## ` a remark. Each
part is a test, in a copy of the folder as the lines before the first part leave it. Lines of standard error begin with
`! `, and an exit code other than 0 is the last line. `&> /dev/null` leaves out what is printed.

To accept a change of the output on purpose: TOYSEARCH_GOLDEN=write pytest tests/golden, then read the diff.
"""

import functools
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from shell import typed

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.txt"))
USAGE = re.compile(r"\AUsage: toysearch .*\nTry 'toysearch .*--help' for help\.\n\n(?=Error: )")
"""What stands before each sentence on wrong use; `toysearch docs commands` has it of every command."""
UNSEEN = " &> /dev/null"
PRECISE = re.compile(r"\d+\.\d{12,}")
"""A number in full; its last digits depend on the logarithm of the processor."""


VERSIONS = re.compile(r'(?<="versions": ){[^}]*}')
"""Versions in JSON, which are those of a machine."""


def parts(path: Path) -> list[str]:
    """The lines before the first part of a session, and its parts."""
    return re.split(r"^(?=### )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def rounded(text: str) -> str:
    """A text whose numbers in full have twelve significant digits."""
    return PRECISE.sub(lambda number: f"{float(number[0]):.12g}", text)


def answer(line: str, folder: Path) -> str:
    """What a shell shows of a line that is typed in a folder."""
    if line.startswith("cat "):
        return (folder / line.removeprefix("cat ")).read_text(encoding="utf-8")
    command, _, name = line.removesuffix(UNSEEN).partition(" < ")
    done = typed(command, folder, stdin=(folder / name).read_text(encoding="utf-8") if name else None)
    assert not done.stderr.startswith("Error: "), "how the command is used stands before it"
    said = "".join(f"! {each}\n" for each in USAGE.sub("", done.stderr).splitlines())
    code = f"[{done.exit_code}]\n" if done.exit_code else ""
    shown = code if line.endswith(UNSEEN) else VERSIONS.sub("{…}", done.stdout) + said + code
    return re.sub(r"(?<=\w)\\(?=\w)", "/", shown) if sys.platform == "win32" else shown  # in paths


def played(text: str, folder: Path) -> str:
    """A part of a session with what its commands print now."""
    shown = []
    for block in re.split(r"^(?=(?:==|\$|###?) )", text, flags=re.MULTILINE):
        first, _, rest = block.partition("\n")
        if first.startswith("== "):
            path = folder / first.removeprefix("== ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(f"{rest.rstrip()}\n".encode())
        shown.append(f"{first}\n{answer(first[2:], folder)}\n" if first.startswith("$ ") else block)
    return "".join(shown)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A function of a session: its folder as the lines before the first part leave it."""

    @functools.cache
    def folder_of(path: Path) -> Path:
        folder, text = tmp_path_factory.mktemp(path.stem), parts(path)[0]
        assert rounded(played(text, folder)) == rounded(text)
        return folder

    return folder_of


@pytest.mark.parametrize(
    ("path", "place"),
    [
        pytest.param(path, place, id=f"{path.stem}: {part.partition(chr(10))[0].removeprefix('### ')}")
        for path in SESSIONS
        for place, part in enumerate(parts(path))
        if place
    ],
)
def test_a_session_is_the_reviewed_one(path, place, begun, tmp_path):
    texts = parts(path)
    shown = played(texts[place], shutil.copytree(begun(path), tmp_path, dirs_exist_ok=True))
    if rounded(shown) != rounded(texts[place]) and os.environ.get("TOYSEARCH_GOLDEN") == "write":
        path.write_text("".join([*texts[:place], shown, *texts[place + 1 :]]), encoding="utf-8")
    assert rounded(shown) == rounded(texts[place])
