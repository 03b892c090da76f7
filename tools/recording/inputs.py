"""The inputs: files that belong together, out of cases, tests and documentation of a checkout.

Nothing of ../shared is copied into the project: its files are read when a record is made, and left out where it is not.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

MOST = 20_000
"""Letters of a text in a test or on a page, and bytes of a file of a pair, up to which it is an input."""
FEW = 8
"""Files of a folder up to which each is tried with each; of more, those whose names begin alike."""
SHARE = 4
"""One test of so many is an input: two records take five minutes each on two cores."""

READING = (
    *("", "properties", "unit/files/**", "unit/collection/**", "unit/cli", "unit/evaluation/**", "unit/study/**"),
    *("unit/retrieval", "unit/workbench/judging", "unit/workbench/exchange"),
)
"""Folders of tests whose texts are inputs."""
CODE = re.compile(
    r"\b(import|def|const|function|except|return|raise) |</?(div|script|p)\b|^(Usage|Error): |^[!$] ", re.M
)
"""What stands in code, in pages and in what a command prints, and in no table."""


class Group(NamedTuple):
    """Files that belong together."""

    name: str
    files: dict[str, bytes]
    pairs: list[tuple[str, str]]
    commands: list[str]  # that a description of the files gives

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for name, content in self.files.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def cases(shared: Path) -> Iterator[Group]:
    """The folders of ../shared/cases, with the commands of the descriptions whose files they hold."""
    top = shared / "cases"
    folders = sorted({path.parent for path in top.rglob("*") if path.is_file()})
    told = [(page.parent, _commands(page)) for page in sorted(top.rglob("README*"))]
    for folder in folders:
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and "README" not in path.name)
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        near = [line for place, lines in told for line in lines if place == folder or place in folder.parents]
        commands = [line for line in dict.fromkeys(near) if _about(line, files)]
        if files and (commands or all("/" not in name for name in files)):
            yield Group(f"cases/{folder.relative_to(top).as_posix()}", files, _pairs(files), commands)


def _commands(page: Path) -> list[str]:
    """The commands in a description: `TS …` or `toysearch …` up to the end of its cell or of its code."""
    text = page.read_text(encoding="utf-8", errors="replace").replace("\\|", "¦")
    found = re.findall(r"(?:(?<=`)|(?<=\| )|^)(?:TS|toysearch) ([^`|\n]+)", text, re.MULTILINE)
    return [line.replace("¦", "|").strip() for line in found]


def _about(line: str, files: dict[str, bytes]) -> bool:
    """Whether a command names files, and the folder has them all."""
    named = re.findall(r"(?<![\w=/.-])[\w.-]+\.(?:\w{2,6})\b(?!:)", line)
    folders = {name.partition("/")[0] for name in files}
    return (bool(named) and all(name in files or name in folders for name in named)) or (
        not named and bool(folders & {*line.split()})
    )


def _pairs(files: dict[str, bytes]) -> list[tuple[str, str]]:
    """Pairs of files that may be a run and its judgments, both ways around."""
    names = [name for name, content in files.items() if len(content) <= MOST and not name.endswith(".py")]
    alike = len(names) > FEW
    return [
        (one, other)
        for one in names
        for other in names
        if one != other and (not alike or re.split(r"[._]", one)[0] == re.split(r"[._]", other)[0])
    ]


def texts_of_tests(checkout: Path) -> Iterator[Group]:
    """The texts of several lines in every fourth test, or table of tests, as files; neighbours are pairs.

    Only of tests on what reads files: elsewhere such a text is code, or a page. A text is an input once. A test is
    taken by its name, so that no other test decides it.
    """
    seen: set[str] = set()
    for path in sorted(path for folder in READING for path in (checkout / "tests").glob(f"{folder or '.'}/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for statement in tree.body:
            texts = [text for text in dict.fromkeys(_texts(statement)) if text not in seen]
            seen.update(texts)
            name = getattr(statement, "name", None) or f"line of {_name_of(statement)}"
            if texts and crc32(name.encode()) % SHARE == 0:
                yield _of_texts(f"{path.relative_to(checkout).as_posix()}::{name}", texts)


def _name_of(statement: ast.stmt) -> str:
    """What a statement sets."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", statement)]
    return ast.unparse(targets[0])[:40]


def _texts(statement: ast.stmt) -> Iterator[str]:
    """The texts in a statement that may be the content of a file: several lines, or JSON."""
    described = {
        id(node.body[0].value)
        for node in ast.walk(statement)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(statement):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            text = node.value
            of_json = len(text) > 20 and text[0] in "{[" and text.rstrip()[-1:] in "}]"
            if (text.count("\n") >= 2 or of_json) and len(text) <= MOST and not CODE.search(text):
                yield text


def blocks_of_pages(checkout: Path) -> Iterator[Group]:
    """The blocks of code on each page of the documentation that are no commands and no Python, as files."""
    for page in [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```(?!console|python)\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if texts := [block for block in dict.fromkeys(blocks) if len(block) <= MOST]:
            yield _of_texts(page.relative_to(checkout).as_posix(), texts)


def _of_texts(name: str, texts: list[str]) -> Group:
    """A group of the files that texts are the content of."""
    named = {f"t{number}{_suffix(text)}": text for number, text in enumerate(texts, 1)}
    names = [*named]
    files = {each: text.encode("utf-8", "surrogatepass") for each, text in named.items()}
    return Group(name, files, [pair for two in pairwise(names) for pair in (two, two[::-1])], [])


def _suffix(text: str) -> str:
    """The end of the name of a file, by the first letters of its text."""
    first = text.lstrip().partition("\n")[0]
    if first[:1] in "{[" and first[:1]:
        return ".jsonl" if first.rstrip()[-1:] == "}" and text.strip().count("\n") and first[0] == "{" else ".json"
    if first.startswith("<"):
        return ".xml"
    return ".tsv" if "\t" in first else ".csv" if "," in first or ";" in first else ".txt"


def sessions(checkout: Path) -> Iterator[tuple[str, str]]:
    """The golden sessions, and the commands of each page: name → text, in the form of tests/golden."""
    for path in sorted((checkout / "tests" / "golden" / "sessions").glob("*.txt")):
        yield f"tests/golden/{path.name}", path.read_text(encoding="utf-8")
    for page in [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md"))]:
        blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        if blocks:
            yield page.relative_to(checkout).as_posix(), "".join(blocks)


def copied(place: Path, folder: Path) -> None:
    """Copy a folder with all that it holds."""
    shutil.copytree(place, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
