"""Build the site from the documentation: make docs.

    python docs/site/build.py [FOLDER]      default: .venv/docs

The pages of docs/ and the pages that they link to are copied, the reference of commands gets one page per command, that
of Python one page per name, and Sphinx makes HTML of them, without a network. A warning is an error. The site searches
itself: the sections of all pages are indexed by toysearch, and search.js ranks them by the same BM25.
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
from toysearch.cli.main import command

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from make_commands import helps  # noqa: E402

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
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", "build.py"))
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        else:
            shutil.copy(source, target)
    _split_commands(folder / "docs" / "look-up")
    _add_python(folder / "docs" / "look-up")
    (folder / "index.md").write_text(_index(folder), encoding="utf-8")


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
    """A page for each public name, below the page that lists them."""
    (folder / "python").mkdir()
    page = folder / "python.md"
    text = page.read_text(encoding="utf-8")
    front, behind = text.split("\n## In their modules", 1)
    listed_names = re.findall(r"^\| `(\w+)` \|", front, re.MULTILINE)
    names = [name for name in listed_names if callable(getattr(toysearch, name))]  # functions and classes
    for name in names:
        kind = "autoclass" if isinstance(getattr(toysearch, name), type) else "autofunction"
        members = "\n   :members:" if kind == "autoclass" else ""
        (folder / "python" / f"{name}.md").write_text(
            f"# {name}\n\n```{{eval-rst}}\n.. {kind}:: toysearch.{name}{members}\n```\n", encoding="utf-8"
        )
        front = front.replace(f"| `{name}` |", f"| [`{name}`](python/{name}.md) |")
    listed = "\n".join(f"python/{name}" for name in names)
    page.write_text(
        f"{front}\n## In their modules{behind}\n```{{toctree}}\n:hidden:\n{listed}\n```\n", encoding="utf-8"
    )


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
    text = re.sub(r"^```\S*$", "", text, flags=re.MULTILINE)
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


def main() -> None:
    """Stage, index, build."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".venv" / "docs"
    if target.exists() and not (target / ".buildinfo").exists():
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
        sphinx = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
        code = subprocess.run([*sphinx, "--jobs", "auto", str(source), str(target)]).returncode
    if code:
        raise SystemExit(code)
    for page in target.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for written, accessible in ACCESSIBLE.items():
            text = text.replace(written, accessible)
        page.write_text(text, encoding="utf-8")
    print(f"{target / 'index.html'}: {len(lines)} sections")


if __name__ == "__main__":
    main()
