"""Where the project is on the web: [project.urls] of pyproject.toml names it, and the other places follow.

`python build_backend/addresses.py https://github.com/NAME/toysearch` writes another address into all of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent


def repository() -> str:
    """The address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"])


def description() -> str:
    """README.md as a package index shows it: relative links lead nowhere there, so they become absolute."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\]\((?!https?:|#)", f"]({repository()}/blob/HEAD/", readme)


def move(address: str) -> list[str]:
    """Write another address of the repository wherever this one or its path is named; the files changed."""
    old, new = repository(), address.rstrip("/")
    if urlsplit(new).scheme != "https" or urlsplit(new).path.count("/") != 2:
        raise SystemExit(f"{address}: expected an address such as https://github.com/NAME/toysearch")
    path = urlsplit(old).path.strip("/")
    command = ("git", "grep", "--files-with-matches", "--fixed-strings", "-I", "-e", path)
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in found:
        text = (ROOT / name).read_text(encoding="utf-8")
        moved = text.replace(old, new).replace(path, urlsplit(new).path.strip("/"))
        (ROOT / name).write_text(moved, encoding="utf-8", newline="\n")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(f"changed: {', '.join(move(sys.argv[1]))}")
