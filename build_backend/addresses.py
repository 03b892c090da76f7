"""Where the project is on the web: [project.urls] of pyproject.toml; until then nothing offers what needs an address.

`python build_backend/addresses.py https://github.com/NAME/toysearch` writes the address, and what can be offered then,
into all PLACES, or moves them to another one; `python build_backend/addresses.py none` takes it out again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

URLS = """[project.urls]
Repository = "ADDRESS"
Documentation = "ADDRESS/blob/HEAD/docs/README.md"
Changelog = "ADDRESS/blob/HEAD/CHANGELOG.md"
Issues = "ADDRESS/issues"

"""
COLAB = "https://colab.research.google.com/github/PATH/blob/HEAD/docs/browser/colab.ipynb"
BINDER = "https://mybinder.org/v2/gh/PATH/HEAD?urlpath=lab/tree/notebooks"
CODESPACES = "https://codespaces.new/PATH"
BADGES = f"""
[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({COLAB})
[![Binder](https://mybinder.org/badge_logo.svg)]({BINDER})
[![Open in GitHub Codespaces](https://github.com/codespaces/badge.svg)]({CODESPACES})
"""
HOSTED = f"""
## Colab, Binder, Codespaces

These give a computer elsewhere to a tab of a browser: nothing is missing there, and what is typed is sent to its owner.

| service | account | what opens | to begin |
| --- | --- | --- | --- |
| [Google Colab]({COLAB}) | Google | one notebook | run its first cell |
| [Binder]({BINDER}) | none | JupyterLab with the demo and the labs (`.binder/`) | wait for the first start, which builds the machine |
| [GitHub Codespaces]({CODESPACES}) | GitHub | an editor with a shell and notebooks (`.devcontainer/`) | `toysearch demo`; `toysearch serve companions` opens as a forwarded port |

In Colab any notebook works that has this cell first:

```python
%pip install -q "toysearch[charts] @ git+ADDRESS"
```

Sessions end, and their disks with them: download the notebooks that you hand in.
"""  # noqa: E501
UPLOADED = (
    "Upload the checkout as `checkout.zip` (*Files*, *Upload to session storage*), then run this cell: about a "
    "minute, once per session."
)
FETCHED = "Run this cell first. It installs toysearch, and its loops are compiled: about a minute, once per session."
LAST_OF_INSTALL = "both after the last exercise of lab 10.\n"
PLACES = (
    ("pyproject.toml", "[project.optional-dependencies]\n", f"{URLS}[project.optional-dependencies]\n"),
    ("CITATION.cff", "license: MIT\n", "license: MIT\nrepository-code: ADDRESS\n"),
    ("README.md", "# toysearch\n", f"# toysearch\n{BADGES}"),
    ("docs/do/install.md", LAST_OF_INSTALL, f"{LAST_OF_INSTALL}{HOSTED}"),
    ("docs/browser/colab.ipynb", UPLOADED, FETCHED),
    ("docs/browser/colab.ipynb", "checkout.zip[charts]", "toysearch[charts] @ git+ADDRESS"),
)
"""File, what it says without an address, and what it says instead with one."""


def repository() -> str:
    """The address of the repository; empty until it has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project.get("urls", {}).get("Repository", ""))


def description() -> str:
    """README.md as a package index shows it: relative links lead nowhere there, so they are absolute, or plain text."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if address := repository():
        pictures = re.sub(r"(!\[[^][]*\]\()(?!https?:)", rf"\1{address}/raw/HEAD/", readme)
        return re.sub(r"\]\((?!https?:|#)", f"]({address}/blob/HEAD/", pictures)
    return re.sub(r"!?\[([^][]*)\]\((?!https?:|#)[^)]*\)", r"\1", readme)


def said(with_address: str, without: str, address: str) -> str:
    """What a place says with this address, or with none."""
    path = address.removeprefix("https://github.com/")
    return with_address.replace("ADDRESS", address).replace("PATH", path) if address else without


def move(address: str) -> list[str]:
    """Write another address of the repository, or none, into all places; the files changed."""
    if address and not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", address):
        raise SystemExit(f"{address}: expected an address such as https://github.com/NAME/toysearch, or none")
    before, texts = repository(), {name: (ROOT / name).read_text(encoding="utf-8") for name, *_ in PLACES}
    for name, without, with_address in PLACES:
        now = said(with_address, without, before)
        if now not in texts[name]:
            raise SystemExit(f"{name}: expected to find {now!r} there, which PLACES in {Path(__file__).name} names")
        texts[name] = texts[name].replace(now, said(with_address, without, address), 1)
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(f"changed: {', '.join(move('' if sys.argv[1] == 'none' else sys.argv[1].rstrip('/')))}")
