"""The console blocks of the documentation: each command with what its page shows below it."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOR_NEWCOMERS = [page for page in PAGES if page.name == "README.md" or page.parent.name in ("learn", "do")]
NEEDING = {"page": r"toysearch serve\b", "charts": r"toysearch report\b|--chart\b"}
"""Extra of the package → the commands that need it."""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^\$ .*\n(?:>(?: .*)?\n)*", re.MULTILINE)


def shown_parts(block: str) -> list[tuple[str, str]]:
    """Each command of a block as it is typed, with its prompts, and what the page shows below it."""
    places = [found.span() for found in TYPED.finditer(block)]
    ends = [start for start, _ in places[1:]] + [len(block)]
    return [(block[start:stop], block[stop:end]) for (start, stop), end in zip(places, ends, strict=True)]


def command_of(lines: str) -> str:
    """The command typed after the prompt `$`, with its further lines after the prompt `>`."""
    return "\n".join(line[2:] for line in lines.splitlines())


def without_seconds(text: str) -> str:
    """What is printed, without how long it took and how large a page is, which its libraries decide."""
    return re.sub(r"\.html: (.*) \([\d.]+ [kM]B\)", r".html: \1 (…)", re.sub(r"\d+\.\d+ s\b", "… s", text))
