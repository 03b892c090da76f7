"""Make the page "Try it": search, formulas and explanations in a tab of a browser, without a server.

    python docs/browser/make_try_it.py [FILE]      default: .venv/try-it.html

`make docs` and `make lite` make it too. Python for browsers (Pyodide) and its numpy are loaded from PYODIDE when the
page is opened; --pyodide names another address, such as a folder of your own server with the files of a release.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import tomllib
import zipfile
from pathlib import Path

import snowballstemmer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.6/full/"
"""The release that the kernel of JupyterLite was made with; nowhere else is the address named."""
ANNEXES = ("cli", "cluster", "course", "exchange", "page")
"""The folders of toysearch that a search, its explanation and an evaluation do without."""
DATE = (1980, 1, 1, 0, 0, 0)


def package() -> bytes:
    """A zip of what the page imports: toysearch without its annexes, one collection, and a stemmer in Python."""
    files = {}
    for path in (ROOT / "toysearch").rglob("*"):
        place = path.relative_to(ROOT)
        if path.suffix in (".py", ".toml") and place.parts[1] not in (*ANNEXES, "_corpora", "_docs", "_notebooks"):
            files[path] = place.as_posix()
    for path in (ROOT / "corpora" / "companions").rglob("*"):
        if path.suffix in (".toml", ".jsonl", ".tsv"):
            files[path] = f"toysearch/_corpora/{path.relative_to(ROOT / 'corpora').as_posix()}"
    files |= {path: f"snowballstemmer/{path.name}" for path in Path(snowballstemmer.__file__).parent.glob("*.py")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name in sorted(files.items(), key=lambda item: item[1]):
            archive.writestr(zipfile.ZipInfo(name, DATE), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def version() -> str:
    """The version of toysearch."""
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["version"]


def page(pyodide: str = PYODIDE, beside: str = "") -> str:
    """The page "Try it", whole; `beside` is what the page beside it, index.html, is called, if there is one."""
    text = (HERE / "try-it.html").read_text(encoding="utf-8")
    parts = {
        "version": version(),
        "beside": f'<p><a href="index.html">{beside}</a></p>' if beside else "",
        "pyodide": json.dumps(f"{pyodide.rstrip('/')}/").replace("<", "\\u003c"),
        "python": (HERE / "try_it.py").read_text(encoding="utf-8"),
        "package": base64.b64encode(package()).decode(),
    }
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def main() -> None:
    """Make the page alone."""
    parser = argparse.ArgumentParser(description="Make the page 'Try it'.")
    parser.add_argument("path", nargs="?", type=Path, default=ROOT / ".venv" / "try-it.html")
    parser.add_argument("--pyodide", metavar="ADDRESS", default=PYODIDE, help="where Pyodide is")
    options = parser.parse_args()
    options.path.write_text(page(options.pyodide), encoding="utf-8")
    print(options.path)


if __name__ == "__main__":
    main()
