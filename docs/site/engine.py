"""The engine that the front page loads into Python for browsers, as a script: it works from a disk too."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path

import snowballstemmer

import toysearch

PACKAGE = Path(toysearch.__file__).parent
CORE = ("analysis", "base", "collection", "evaluation", "files", "index", "models", "query", "retrieval", "study")
"""The folders of the package that index, search and explain; its rings and commands stay out."""
COMPANIONS = Path(__file__).parents[2] / "corpora" / "companions"
IN_THE_TAB = Path(__file__).with_name("in_the_tab.py")


def archive() -> bytes:
    """A ZIP of the core in pure Python, the stemmers, the companions, and the module that searches them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in [*PACKAGE.glob("*.py"), *(path for folder in CORE for path in (PACKAGE / folder).rglob("*"))]:
            if path.suffix in (".py", ".toml", ".txt"):
                packed.write(path, Path("toysearch") / path.relative_to(PACKAGE))
        for path in COMPANIONS.rglob("*"):
            if path.is_file():
                packed.write(path, Path("toysearch/_corpora/companions") / path.relative_to(COMPANIONS))
        for path in Path(snowballstemmer.__file__).parent.glob("*.py"):
            packed.write(path, Path("snowballstemmer") / path.name)
        packed.write(IN_THE_TAB, IN_THE_TAB.name)
    return content.getvalue()


def script() -> str:
    """The archive as a script, which a page from a disk can load."""
    return f'const ENGINE = "{base64.b64encode(archive()).decode()}";\n'
