"""Build the site from the documentation: make docs.

    python docs/site/build.py [FOLDER]      default: .venv/docs

The front page is templates/front.md, with pictures that toysearch draws (pictures.py) and, once asked for, toysearch
itself in the browser (engine.py). The pages of docs/ and the pages that they link to are copied, the registries write
theirs, the reference of commands gets one page per command, that of Python one page per name, and Sphinx makes HTML of
them, without a network. A warning is an error. The site searches itself: search.js ranks the sections of all pages as
`toysearch docs` does. Beside them are the slides of docs/slides (slides.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

import toysearch
from toysearch.cli import docs_pages, reference_pages
from toysearch.cli.main import command
from toysearch.models.model import field_statistic
from toysearch.page.reply import equations, worked
from toysearch.study.explain.score_explanation_formulas import expressed_text
from toysearch.study.explain.typed_ranking_measures import score_ranking

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "docs" / "browser")]

from engine import script  # noqa: E402
from make_lite import PYODIDE  # noqa: E402
from pictures import CURVES, PICTURES, curves  # noqa: E402
from search_index import search_index  # noqa: E402
from slides import deck  # noqa: E402

OF_DOCUMENT = "Its formulas, and with the numbers of document 1 of cat-dog-parrot for the query <em>train cat</em>."
OF_RANKING = "Of the grades 3, 0, 2, 1, 0, from the first rank, where 3, 3, 2, 1, 1, 0, 0 are judged."
FORMULAS = tomllib.loads((HERE / "formulas.toml").read_text(encoding="utf-8"))
"""Name of a measure → its formula in TeX."""
ALL = docs_pages.pages(command)
COPIED = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/README.md",
    "toysearch/page/static/icon.svg",
    "docs/learn",
    "docs/do",
    "docs/look-up",
    "docs/understand",
    "docs/site/static/explained.svg",
    "benchmarks/README.md",
    "benchmarks/RESULTS.md",
    "benchmarks/SCALE.md",
    "benchmarks/game/README.md",
    "notebooks",
    "toysearch/tiny.py",
    "corpora",
)
LINK = re.compile(r"\]\(((?:learn|do|look-up|understand)/[\w-]+)\.md(?:#[\w-]+)?\)")
SLIDES = re.compile(r"\[([^\]]*)\]\((\.\./)?slides/([\w-]+)\.md\)")
"""A link to slides, which Sphinx does not make."""
NAMED = re.compile(r"`toysearch\s+docs\s+([A-Za-z][\w-]*)(?:#([\w-]+))?`")
"""How a page names another one of the terminal."""
ACCESSIBLE = {
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<form class="sidebar-search-container"': '<form aria-label="Search all pages" class="sidebar-search-container"',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="all pages">',
    '<aside class="toc-drawer': '<aside aria-label="this page" class="toc-drawer',
    '<a href="#" class="back-to-top': '<nav aria-label="back"><a href="#" class="back-to-top',
    "<span>Back to top</span>\n        </a>": "<span>Back to top</span></a></nav>",
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<th class="head"><p></p></th>': "<td></td>",
}
"""What the theme writes, and what readers of screens and users of keyboards need."""


def staged(folder: Path) -> None:
    """The sources of the site in a folder of their own."""
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", "[!c]*.py", "*.md"))
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.py", "__pycache__", "sources", "teacher"))
        else:
            shutil.copy(source, target)
    pages = folder / "docs"
    for name, (_, write) in reference_pages.written_pages(command).items():
        (pages / "look-up" / f"{name}.md").write_text(write(), encoding="utf-8")
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        prefix = "" if page.parent == pages else "../"
        page.write_text(SLIDES.sub(_slides_link, with_links(text, prefix)), encoding="utf-8")
    _split_commands(pages / "look-up")
    for name, picture in (("models", _of_model), ("measures", _of_measure)):
        _add_pictures(pages / "look-up" / f"{name}.md", picture)
        _add_index(pages / "look-up" / f"{name}.md")
    _add_python(pages / "look-up")
    (folder / "index.md").write_text(_index(folder), encoding="utf-8")


def with_links(text: str, prefix: str) -> str:
    """A text in which each page that is named by its command has a link; `prefix` leads to docs/."""

    def link(named: re.Match[str]) -> str:
        name, anchor = named[1], named[2]
        if name not in ALL:
            return named[0]
        path = f"{ALL[name].folder}/{name}.md{f'#{anchor}' if anchor else ''}"
        if name == "commands" and anchor:
            path = f"look-up/commands/{anchor}.md"
        return f"[{named[0]}]({prefix}{path})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [NAMED.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def _slides_link(link: re.Match[str]) -> str:
    """A link to slides as HTML; the overview is the front page, one folder higher than in the checkout."""
    return f'<a href="{"../../" if link[2] else ""}slides/{link[3]}.html">{link[1]}</a>'


def _split_commands(folder: Path) -> None:
    """One page per command instead of one page for all."""
    (folder / "commands").mkdir()
    names = []
    for name, text in reference_pages.helps(command, "toysearch"):
        page = name.replace(" ", "-")
        names.append(page)
        (folder / "commands" / f"{page}.md").write_text(f"# {name}\n\n```text\n{text}\n```\n", encoding="utf-8")
    listed = "\n".join(f"commands/{name}" for name in names)
    head = "# Commands\n\nWhat each command says of itself with `--help`.\n"
    (folder / "commands.md").write_text(f"{head}\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")


def _add_pictures(page: Path, picture: Callable[[str], str]) -> None:
    """Below each name of a page: its picture, before the list of what is noted of it."""
    head, *sections = re.split(r"^(?=### )", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for number, section in enumerate(sections):
        if drawn := picture(section.partition("\n")[0].removeprefix("### ")):
            before, note, after = re.split(r"\n(- (?:range|formula):)", section, maxsplit=1)
            sections[number] = f"{before}\n```{{raw}} html\n{drawn}\n```\n\n{note}{after}"
    page.write_text("".join([head, *sections]), encoding="utf-8")


def _of_model(name: str) -> str:
    """The curves of a model, if its weight is a function of tf and dl; its formulas, alone and with numbers."""
    if name not in toysearch.MODELS:
        return ""
    drawn = curves(name)
    figures = f"<figure>{drawn}<figcaption>{CURVES}</figcaption></figure>" if drawn else ""
    if any(map(field_statistic, toysearch.MODELS[name].statistics)):
        return figures
    searcher = toysearch.Searcher(_pets(), name)
    terms, why = searcher.terms("train cat"), toysearch.explain(searcher, "train cat", "1")
    formulas = worked(expressed_text(None, why, searcher, terms)[2:])
    return f"{figures}<figure>{formulas}<figcaption>{OF_DOCUMENT}</figcaption></figure>"


def _of_measure(name: str) -> str:
    """The formula of a measure, and the value of a ranking as the numbers that make it, where these are several."""
    typeset = formula(FORMULAS[name]) if name in FORMULAS else ""
    for measure, value, how in _scored():
        if re.split("[@(]", measure)[0] == name and how and "(first" not in how:
            [equation] = equations([f"value = {how} = {value:g}"])
            shown = f'<div class="worked" tabindex="0"><pre class="formula">{escape(measure)}{equation[5:]}</pre></div>'
            return f"{typeset}<figure>{shown}<figcaption>{OF_RANKING}</figcaption></figure>"
    return typeset


@cache
def _pets() -> toysearch.Index:
    return toysearch.Index.build(toysearch.load("cat-dog-parrot"))


@cache
def _scored() -> list[list[Any]]:
    return score_ranking("3 0 2 1 0", judged="3 3 2 1 1 0 0").tables()[0].rows


def _add_index(page: Path) -> None:
    """A table at the top: what has a section, with its first sentence and its family."""
    text, rows, family = page.read_text(encoding="utf-8"), [], ""
    for heading, title, first in re.findall(r"^## (.*)$|^### (.*)\n\n(.*)", text, re.MULTILINE):
        if heading:
            family = re.split("[:,]", heading)[0]
        else:
            anchor = docs_pages.anchor_of(title)
            summary = re.sub(r"^`[^`]*`: ", "", first).partition(". ")[0].removesuffix(".")
            rows.append((f"[{title}](#{anchor})" if anchor else f"`{title}`", summary, family))
    table = reference_pages.table(("name", "what it is", "family"), rows)
    head, below = text.split("\n## ", 1)
    page.write_text(f"{head}\n{table}\n## {below}", encoding="utf-8")


def _add_python(folder: Path) -> None:
    """A page for each public name, below the page that lists them."""
    (folder / "python").mkdir()
    page = folder / "python.md"
    text = page.read_text(encoding="utf-8")
    front, behind = text.split("\n## In their modules", 1)
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", front, re.MULTILINE)
    for name, summary in rows:
        (folder / "python" / f"{name}.md").write_text(f"# {name}\n\n{_described(name, summary)}", encoding="utf-8")
        front = front.replace(f"| `{name}` |", f"| [`{name}`](python/{name}.md) |")
    listed = "\n".join(f"python/{name}" for name, _ in rows)
    page.write_text(
        f"{front}\n## In their modules{behind}\n```{{toctree}}\n:hidden:\n{listed}\n```\n", encoding="utf-8"
    )


def _described(name: str, summary: str) -> str:
    """What a public name is, for its page: the docstring, or for a table the page of what it holds."""
    public = getattr(toysearch, name)
    if not callable(public):
        return f"A mapping: {summary}. Each of them has a section of [a page](../{name.lower()}.md).\n"
    kind, members = ("autoclass", "\n   :members:") if isinstance(public, type) else ("autofunction", "")
    return f"```{{eval-rst}}\n.. {kind}:: toysearch.{name}{members}\n```\n"


def _index(folder: Path) -> str:
    """The front page: its template, then docs/README.md, with the pages it links to in the sidebar, in its order."""
    page = folder / "docs" / "README.md"
    text = page.read_text(encoding="utf-8")
    page.unlink()  # its text is the front page
    for linking in folder.glob("*.md"):
        linked = linking.read_text(encoding="utf-8").replace("](docs/README.md)", "](index.md)")
        linking.write_text(linked, encoding="utf-8")
    pages = list(dict.fromkeys(LINK.findall(text)))
    for path in sorted((folder / "docs").glob("*/*.md")):
        name = path.relative_to(folder / "docs").with_suffix("").as_posix()
        if name not in pages:
            pages.append(name)
    captions = {"learn": "Learn", "do": "Do", "look-up": "Look up", "understand": "Understand"}
    trees = [
        _tree(caption, [f"docs/{page}" for page in pages if page.startswith(f"{quarter}/")])
        for quarter, caption in captions.items()
    ]
    others = sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.md")
        if "docs" not in path.relative_to(folder).parts and path.name != "index.md"
    )
    front = _from_the_root((HERE / "templates" / "front.md").read_text(encoding="utf-8"), "docs/site/templates")
    for name, draw in PICTURES.items():
        front = front.replace(f"{{{{{name}}}}}", draw().rstrip())
    groups = _from_the_root(text[text.index("\n## Learn\n") :], "docs")
    return "\n".join([front.replace("{{pyodide}}", PYODIDE), groups, *trees, _tree("The project", others)])


def _from_the_root(text: str, folder: str) -> str:
    """A text of a folder with links as from the front page."""
    return re.sub(r"\]\((?!https?:|#)([^)]*)\)", lambda link: f"]({os.path.normpath(f'{folder}/{link[1]}')})", text)


def _tree(caption: str, pages: list[str]) -> str:
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n{listed}\n```\n"


def formula(tex: str) -> str:
    """A formula on a line of its own, as MathML; the letters of a word stand together."""
    letters = re.compile(r'(?:<mi mathvariant="\w+">[^<]</mi>){2,}')
    markup = letters.sub(lambda word: f"<mi>{re.sub('<[^>]*>', '', word[0])}</mi>", convert(tex, display="block"))
    return f'<div class="formula" tabindex="0">{markup}</div>\n'


def _copyright() -> str:
    """The year and the holders, from the licence."""
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    return licence.partition("Copyright (c) ")[2].partition("\n")[0]


def main() -> None:
    """Stage, index, build."""
    usual = ROOT / ".venv" / "docs"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else usual
    if target != usual and target.exists() and not (target / ".buildinfo").exists():
        raise SystemExit(f"{target} is there and is no site; name another folder, or remove it")
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "source"
        staged(source)
        index = search_index(command)
        data = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        (source / "static" / "engine.js").write_text(script(), encoding="utf-8")
        (source / "static" / "search-index.js").write_text(f"const INDEX = {data};\n", encoding="utf-8")
        sphinx = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
        sphinx += ["--jobs", "auto", "--doctree-dir", str(Path(temporary) / "doctrees")]
        sphinx += ["--define", f"copyright={_copyright()}"]
        code = subprocess.run([*sphinx, str(source), str(target)]).returncode
    if code:
        raise SystemExit(code)
    for page in target.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for written, accessible in ACCESSIBLE.items():
            text = text.replace(written, accessible)
        page.write_text(text, encoding="utf-8")
    (target / "slides").mkdir()
    for path in (ROOT / "docs" / "slides").glob("*.md"):
        html = deck(with_links(path.read_text(encoding="utf-8"), "../"), formula)
        (target / "slides" / f"{path.stem}.html").write_text(html, encoding="utf-8")
    print(f"{target / 'index.html'}: {len(index['documents'])} sections")


if __name__ == "__main__":
    main()
