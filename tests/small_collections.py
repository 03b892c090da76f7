"""Small collections made for tests: of any files, or a sound one, which a test then breaks in one place."""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from on_windows import WINDOWS

from toysearch import Collection
from toysearch.base.errors import StorageError
from toysearch.index.listed_files import index_files

N_QUERIES = 12
TREES = {
    "oak": "the oak is a slow tree with hard wood",
    "pine": "a pine is a tree with needles and soft wood",
    "saw": "a saw cuts the wood of a tree",
    "axe": "an axe splits hard wood for the stove",
    "fire": "a stove burns wood and warms the room",
    "snow": "snow falls on the needles in winter",
}


def write_files(folder: Path, **files: str | bytes) -> Path:
    """Write texts or bytes to files of a folder, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def is_index_file(path: Path) -> bool:
    """Whether a file, by its name, is one of an index or of a shard of one."""
    return bool(re.search(r"-[0-9a-f]{16}\.npy$", path.name)) or path.parent.name.startswith("shard-")


def contents(folder: Path) -> dict[str, bytes]:
    """The content of each file below a folder, by its path in it.

    Of the folder of an index Windows cannot remove what is still open: it goes when the index is saved again.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    if WINDOWS and (folder / "manifest.json").exists():
        with contextlib.suppress(StorageError):  # it is damaged
            named = index_files(folder)
            paths = [path for path in paths if path.relative_to(folder).as_posix() in named or not is_index_file(path)]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def sizes(collection: Collection) -> tuple[int, int, int, int]:
    """How many documents, queries, judgments and judged queries there are."""
    return len(collection.documents), len(collection.queries), len(collection.qrels), len(collection.judged_queries)


def documents() -> dict[str, str]:
    """For each query one document with both of its words, one with one of them, and one with neither."""
    texts = {}
    for number in range(N_QUERIES):
        name = chr(ord("a") + number)
        texts[f"{name}-both"] = f"the apple{name} beside the pear{name} is here for query {name * 3}"
        texts[f"{name}-one"] = f"only the pear{name} is here and it is red {name * 4}"
        texts[f"{name}-none"] = f"neither of the two is here but something else {name * 5}"
    return texts


def queries() -> dict[str, str]:
    return {
        f"q-{chr(ord('a') + number)}": f"apple{chr(ord('a') + number)} pear{chr(ord('a') + number)}"
        for number in range(N_QUERIES)
    }


def grades() -> dict[str, dict[str, Any]]:
    """2 for both words, 1 for one, 0 for none."""
    return {
        query_id: {f"{query_id[2]}-both": 2, f"{query_id[2]}-one": 1, f"{query_id[2]}-none": 0}
        for query_id in queries()
    }


def write_beir(
    folder: Path,
    texts: Mapping[str, Any] | None = None,
    asked: Mapping[str, str] | None = None,
    judged: Mapping[str, Mapping[str, Any]] | None = None,
) -> Path:
    """A BEIR folder; the sound parts where none are given. A document may be a dict of fields."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "qrels").mkdir(exist_ok=True)
    lines = [
        {"_id": doc_id, **(text if isinstance(text, dict) else {"text": text})}
        for doc_id, text in (documents() if texts is None else texts).items()
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = queries() if asked is None else asked
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": query_id, "text": text}) + "\n" for query_id, text in asked.items())
    )
    rows = [
        f"{query_id}\t{doc_id}\t{grade}\n"
        for query_id, group in (grades() if judged is None else judged).items()
        for doc_id, grade in group.items()
    ]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return folder


def append(path: Path, text: str | bytes) -> None:
    """Add a text or bytes to the end of a file."""
    with path.open("ab") as file:
        file.write(text.encode() if isinstance(text, str) else text)
