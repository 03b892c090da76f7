"""Build the site from the documentation: make docs.

    python docs/site/build.py [FOLDER]      default: .venv/docs

The pages of docs/ and the pages that they link to are copied, the reference of commands gets one page per command, that
of Python one page per name, and Sphinx makes HTML of them, without a network. A warning is an error. The site searches
itself: the sections of all pages are indexed by toysearch, and search.js ranks them by the same BM25. Beside them
are try-it.html, which runs toysearch in a tab (docs/browser), and the slides of docs/slides (slides.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import toysearch
from toysearch.base.errors import code_of
from toysearch.cli.main import command
from toysearch.corpus.catalog import recipe

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "browser")]

from make_commands import helps  # noqa: E402
from make_results import ANALYSES, COLLECTIONS, comparison_command  # noqa: E402
from make_results import command as eval_command  # noqa: E402
from make_try_it import page as try_it  # noqa: E402
from reference import formula  # noqa: E402
from reference import pages as reference_pages  # noqa: E402
from slides import deck  # noqa: E402
from source_messages import error_classes, source_messages  # noqa: E402

ROOT = HERE.parents[1]
COPIED = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/README.md",
    "docs/learn",
    "docs/do",
    "docs/look-up",
    "docs/understand",
    "benchmarks/README.md",
    "benchmarks/RESULTS.md",
    "benchmarks/game/README.md",
    "labs/README.md",
    "notebooks",
    "toysearch/tiny.py",
    "corpora",
)
LINK = re.compile(r"\]\(((?:learn|do|look-up|understand)/[\w-]+)\.md(?:#[\w-]+)?\)")
SLIDES = re.compile(r"\[([^\]]*)\]\((\.\./)?slides/([\w-]+)\.md\)")
"""A link to slides, which Sphinx does not make."""
EXAMPLE = re.compile(r"^### ([^\n]*)\n(.*?^```python\n.*?^```\n\n?)", re.MULTILINE | re.DOTALL)
"""A title of the gallery, and all up to the end of its code."""
HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
ACCESSIBLE = {
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="all pages">',
    '<aside class="toc-drawer': '<aside aria-label="this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<th class="head"><p></p></th>': "<td></td>",
}
"""What the theme writes, and what readers of screens and users of keyboards need."""
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def staged(folder: Path) -> None:
    """The sources of the site in a folder of their own."""
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", "[!c]*.py", "curves.py", "*.toml"))
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        else:
            shutil.copy(source, target)
    _split_commands(folder / "docs" / "look-up")
    _add_python(folder / "docs" / "look-up")
    _add_reference(folder / "docs" / "look-up")
    _add_messages(folder / "docs" / "look-up")
    page = folder / "docs" / "do" / "use-a-browser.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("`try-it.html`", '<a href="../../try-it.html">try-it.html</a>'), encoding="utf-8")
    for page in (folder / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(SLIDES.sub(_slides_link, text), encoding="utf-8")
    (folder / "index.md").write_text(_index(folder), encoding="utf-8")


def _slides_link(link: re.Match[str]) -> str:
    """A link to slides as HTML; the overview is the front page, one folder higher than in the checkout."""
    return f'<a href="{"../../" if link[2] else ""}slides/{link[3]}.html">{link[1]}</a>'


def _split_commands(folder: Path) -> None:
    """One page per command instead of one page for all."""
    (folder / "commands").mkdir()
    names = []
    for name, text in helps(command, "toysearch"):
        page = name.replace(" ", "-")
        names.append(page)
        (folder / "commands" / f"{page}.md").write_text(f"# {name}\n\n```text\n{text}\n```\n", encoding="utf-8")
    listed = "\n".join(f"commands/{name}" for name in names)
    head = "# Commands\n\nWhat each command says of itself with `--help`.\n"
    (folder / "commands.md").write_text(f"{head}\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")


def _add_python(folder: Path) -> None:
    """A page for each public name, below the page that lists them, and links between them and the gallery."""
    (folder / "python").mkdir()
    page = folder / "python.md"
    text = page.read_text(encoding="utf-8")
    front, behind = text.split("\n## In their modules", 1)
    links, gallery = _linked_gallery((folder / "gallery.md").read_text(encoding="utf-8"))
    (folder / "gallery.md").write_text(gallery, encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", front, re.MULTILINE)
    for name, summary in rows:
        (folder / "python" / f"{name}.md").write_text(
            f"# {name}\n\n{_described(name, summary)}\n## Examples\n\n{''.join(links[name])}", encoding="utf-8"
        )
        front = front.replace(f"| `{name}` |", f"| [`{name}`](python/{name}.md) |")
    listed = "\n".join(f"python/{name}" for name, _ in rows)
    page.write_text(
        f"{front}\n## In their modules{behind}\n```{{toctree}}\n:hidden:\n{listed}\n```\n", encoding="utf-8"
    )


def _described(name: str, summary: str) -> str:
    """What a public name is, for its page: the docstring, or for a table the page of what it holds."""
    public = getattr(toysearch, name)
    if not callable(public):
        return f"A mapping: {summary}. Each of them has [a page](../{name.lower()}.md).\n"
    kind, members = ("autoclass", "\n   :members:") if isinstance(public, type) else ("autofunction", "")
    return f"```{{eval-rst}}\n.. {kind}:: toysearch.{name}{members}\n```\n"


def _linked_gallery(text: str) -> tuple[dict[str, list[str]], str]:
    """Name → links to the examples that use it; and the gallery, each example with links to the names that it uses."""
    links: dict[str, list[str]] = {}
    for title, body in EXAMPLE.findall(text):
        code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)$", body, re.MULTILINE))
        names = sorted(set(re.findall(r"\btoysearch\.(\w+)", code)))
        for name in names:
            links.setdefault(name, []).append(f"- [{title}](../gallery.md#{_slug(title)})\n")
        uses = ", ".join(f"[`{name}`](python/{name}.md)" for name in names)
        text = text.replace(body, f"{body}Uses {uses}.\n\n")
    return links, text


def _add_reference(folder: Path) -> None:
    """A page for each measure and each model, and links to it from the pages that list them."""
    links: dict[str, dict[str, str]] = {"measures": {}, "models": {}}
    for kind, name, text in reference_pages():
        (folder / kind).mkdir(exist_ok=True)
        page = f"{kind}/{name.replace('>>', 'pipeline')}.md"
        (folder / page).write_text(f"---\norphan: true\n---\n{text}", encoding="utf-8")
        links[kind][name] = page
    measures, models = folder / "measures.md", folder / "models.md"
    text = measures.read_text(encoding="utf-8")
    for name, link in links["measures"].items():
        heading = f"\n### {name}\n\n"
        text = text.replace(heading, f"{heading}[Typeset, worked by hand and drawn]({link}).\n\n")
    measures.write_text(text, encoding="utf-8")
    text = models.read_text(encoding="utf-8")
    for name, link in links["models"].items():
        text = text.replace(f"\n| `{name}` |", f"\n| [`{name}`]({link}) |")
    wrappers = ", ".join(f"[`{name}`]({link})" for name, link in links["models"].items() if f"({link})" not in text)
    text = text.replace("\n## Models of vectors", f"\nEach wrapper on a page: {wrappers}.\n\n## Models of vectors")
    models.write_text(text, encoding="utf-8")


def _add_messages(folder: Path) -> None:
    """A page for each code, with all its sentences."""
    (folder / "messages").mkdir()
    page = folder / "messages.md"
    text = page.read_text(encoding="utf-8")
    sentences: dict[str, list[str]] = {}
    for message in source_messages():
        code = code_of(message.text, error_classes()[message.kind])
        if message.text.strip("…: "):
            sentences.setdefault(code, []).append(message.text.removeprefix("…:1: "))
    for heading, code in re.findall(r"^(## (TS\d+): .*)$", text, re.MULTILINE):
        section = re.search(rf"^{re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section is not None
        title, body = heading.removeprefix("## "), section[1].replace("](", "](../").replace("](../http", "](http")
        listed = "\n".join(dict.fromkeys(sentences.get(code, [])))
        more = (
            f"\n## Sentences\n\nAll of this kind, with … for what differs:\n\n```text\n{listed}\n```\n"
            if listed
            else ""
        )
        (folder / "messages" / f"{code}.md").write_text(
            f"---\norphan: true\n---\n# {title}\n{body}{more}", encoding="utf-8"
        )
        text = text.replace(f"{heading}\n", f"{heading}\n\n[Its sentences](messages/{code}.md).\n")
    page.write_text(text, encoding="utf-8")


def open_results(page: Path) -> None:
    """Each value of the tables of results opens to the command that prints it."""
    names = {recipe(name).title: name for name in COLLECTIONS}
    name, columns, lines = "", [], []
    for line in page.read_text(encoding="utf-8").splitlines():
        title = line.removeprefix("## ").removesuffix(":")
        name = names.get(title, name)
        if line.startswith("| model |"):
            columns = line.strip("| ").split(" | ")
        if line.startswith("| `"):
            model, *values = line.strip("| ").split(" | ")
            cells = zip(columns[1:], values, strict=False)
            line = f"| {model} | {' | '.join(_opened(name, model.strip('`'), *cell) for cell in cells)} |"
        lines.append(line)
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _opened(name: str, model: str, column: str, value: str) -> str:
    """A value of a table as what opens to its command."""
    measure, _, analysis = column.partition(", ")
    known = analysis in ANALYSES
    line = eval_command(name, analysis, [model], [measure]) if known else comparison_command(name, model)
    return f'<details class="cell"><summary>{value}</summary>`{line}`</details>' if value else ""


def _index(folder: Path) -> str:
    """The front page: docs/README.md, with the pages it links to in the sidebar, in its order."""
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
    front = re.sub(r"\]\((?!https?:|#)([^)]*)\)", lambda link: f"]({os.path.normpath(f'docs/{link[1]}')})", text)
    return "\n".join([front, *trees, _tree("The project", others)])


def _tree(caption: str, pages: list[str]) -> str:
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n{listed}\n```\n"


def sections(folder: Path) -> list[dict[str, str]]:
    """Each section of each page as a document: its address, the titles of page and section, its text."""
    documents = []
    for path in sorted((folder / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        address = path.relative_to(folder).with_suffix(".html").as_posix()
        hidden = FENCE.sub(lambda block: re.sub(r"^#", " ", block[0], flags=re.MULTILINE), text)
        headings = list(HEADING.finditer(hidden))
        page, slugs = _plain(headings[0][2]), []
        for heading, following in zip(headings, [*headings[1:], None], strict=True):
            body = text[heading.end() : following.start() if following else None]
            title = _plain(heading[2])
            slug = _slug(heading[2])
            repeats = slugs.count(slug)
            slugs.append(slug)
            anchor = "" if heading is headings[0] else f"#{slug}-{repeats}" if repeats else f"#{slug}"
            shown = page if heading is headings[0] else f"{page}: {title}"
            documents.append({"_id": address + anchor, "title": shown, "text": _plain(body)})
    return documents


def _slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", _plain(heading).lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """A text without the marks of Markdown."""
    text = re.sub(r"^(```\S*|<.*>|---|orphan: true)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|(?: *:?-+:? *\|)+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*|]|^\W*---\W*$", " ", text, flags=re.MULTILINE).strip()


def search_index(path: Path) -> dict[str, Any]:
    """What search.js ranks by: the postings of the sections, and the term of each word, empty for a stop word."""
    collection = toysearch.load(path)
    index = toysearch.Index.build(collection, analyzer=toysearch.Analyzer.parse("english"))
    terms_of_index = set(index.terms)
    words = {}
    for document in collection.documents:
        for word in dict.fromkeys(re.findall(r"\w+", document.text.lower())):
            terms = index.analyzer(word)
            if len(terms) < 2:
                words[word] = terms[0] if terms and terms[0] in terms_of_index else ""
    postings = {}
    for term in sorted(set(words.values()) - {""}):
        rows = index.postings(term)
        postings[term] = [rows.docs.tolist(), rows.tf.tolist()]
    return {
        "N": len(index.dl),
        "dl": index.dl.tolist(),
        "documents": [[one.doc_id, one.title, _beginning(one)] for one in collection.documents],
        "postings": postings,
        "words": words,
    }


def _beginning(document: toysearch.Document, length: int = 160) -> str:
    """The first words of a section after its title."""
    words = " ".join(document.text.removeprefix(document.title).split())
    return words if len(words) <= length else f"{words[:length].rpartition(' ')[0]} …"


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
        static = source / "static"
        lines = [f"{json.dumps(section, ensure_ascii=False)}\n" for section in sections(source)]
        (static / "sections.jsonl").write_text("".join(lines), encoding="utf-8")
        data = json.dumps(search_index(static / "sections.jsonl"), ensure_ascii=False, separators=(",", ":"))
        (static / "search-index.js").write_text(f"const INDEX = {data};\n", encoding="utf-8")
        open_results(source / "docs" / "look-up" / "results.md")  # the search does not read the commands
        sphinx = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
        sphinx += ["--jobs", "auto", "--define", f"copyright={_copyright()}"]
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
        html = deck(path.read_text(encoding="utf-8"), formula)
        (target / "slides" / f"{path.stem}.html").write_text(html, encoding="utf-8")
    (target / "try-it.html").write_text(try_it(beside="Documentation"), encoding="utf-8")
    print(f"{target / 'index.html'}: {len(lines)} sections")


if __name__ == "__main__":
    main()
