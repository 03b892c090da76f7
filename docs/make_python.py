"""Make docs/look-up/python.md from the public names: python docs/make_python.py (a test compares)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import toysearch

FOLDER = Path(toysearch.__file__).parent
PAGE = Path(__file__).parent / "look-up" / "python.md"
HEAD = """# Python names

What a program imports; made by `docs/make_python.py`. `help(toysearch)` shows the names in front,
`help(toysearch.tune)` one of them with its arguments and an example.

## In front

These are attributes of `toysearch`. Importing it loads nothing else; each name loads its module at its first use.
"""
BEHIND = """
## In their modules

Everything else is imported from its module: `from toysearch.evaluation.pooling import pool`. A name that is not listed
here is internal and may change.
"""


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_front()) + BEHIND + "".join(_behind())


def _front() -> Iterator[str]:
    """A table for each group of the names in front, from the text that `help(toysearch)` shows."""
    for heading, lines in re.findall(r"^(\w[^\n]*)\n((?: {4}\S.*\n)+)", toysearch.__doc__ or "", re.MULTILINE):
        yield f"\n### {heading}\n\n| name | |\n| --- | --- |\n"
        for line in lines.splitlines():
            name, said = line.split(maxsplit=1)
            yield f"| `{name}` | {said} |\n"


def _behind() -> Iterator[str]:
    """A table for each folder, with one row per module; what is in front is left out."""
    folder = ""
    for module, names in modules():
        front = vars(toysearch)["_HOMES"].get(module.removeprefix("toysearch."), "").split()
        others = [name for name in names if name not in front]
        if not others:
            continue
        if module.split(".")[1] != folder:
            folder = module.split(".")[1]
            yield f"\n### {folder}\n\n| module | names |\n| --- | --- |\n"
        yield f"| `{module}` | {', '.join(f'`{name}`' for name in others)} |\n"


def modules() -> list[tuple[str, list[str]]]:
    """Each module that lists its public names in ``__all__``, with the names."""
    found = []
    for file in sorted(FOLDER.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                module = ".".join(file.relative_to(FOLDER.parent).with_suffix("").parts)
                found.append((module, ast.literal_eval(node.value)))
    return found


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
