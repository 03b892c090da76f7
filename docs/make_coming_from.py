"""Write the tables of look-up/coming-from.md: what the phrasebook (toysearch/base/elsewhere.toml) has of each tool.

    python docs/make_coming_from.py

A table has the settings of a tool, then its names and methods; options, commands and measures are left out, since they
are found by typing them. What stands between the tables is written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

from toysearch.base.elsewhere import phrases

PAGE = Path(__file__).parent / "look-up" / "coming-from.md"
TABLE = re.compile(r"^## (?P<tool>[^\n]+)\n\n(?:\|[^\n]*\n)+", re.MULTILINE)
HEAD = "| there | here | what differs |\n| --- | --- | --- |\n"


def rows(tool: str) -> list[tuple[str, str, str]]:
    """Return the rows of a tool; names that mean the same share one, and one in a setting has none of its own."""
    settings = [(row.theirs, row.ours or "", row.advice) for row in phrases("setting") if row.tool == tool]
    said = {word for theirs, _, _ in settings for word in re.findall(r"\w+", theirs)}
    names: dict[tuple[str, str], list[str]] = {}
    for row in phrases("name"):
        if row.tool == tool and row.theirs not in said:
            names.setdefault((f"`{row.ours}`", row.advice), []).append(f"`{row.theirs}`")
    return settings + [(", ".join(theirs), ours, differs) for (ours, differs), theirs in names.items()]


def table(tool: str) -> str:
    """Return the table of a tool under its heading."""
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows(tool))
    return f"## {tool}\n\n{HEAD}" + "".join(f"| {line.rstrip()} |\n" for line in lines)


def written(page: str) -> str:
    """Return the page with each table as the phrasebook has it."""
    return TABLE.sub(lambda found: table(found["tool"]), page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
