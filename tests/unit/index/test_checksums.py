"""A changed byte in a large file: each answer is the right one, or a sentence that names the file."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import shell
from chosen_way import way
from error_messages import raising
from small_collections import contents
from tiers import EVERYTHING, often

from toysearch import Index, Searcher, ToysearchError
from toysearch.base import Document
from toysearch.base.errors import StorageError
from toysearch.index.checksums import PAGE, Paged
from toysearch.index.content_checks import check_index
from toysearch.index.file_entries import array_entry
from toysearch.index.file_layout import label_of, sealed
from toysearch.index.index_change import change_index

pytestmark = pytest.mark.system

QUERIES = {"1": "w0 w900", "2": "w3", "3": "w1 w2 w70 w500", "4": "w1200 w40"}
SENTENCE = "{} is damaged: its checksum does not match; build the index again"
LARGE = 1000  # bytes
N = 2000

Question = Callable[[Path], object]


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Files of this test are large from about a thousand bytes on."""
    monkeypatch.setattr("toysearch.index.checksums._LARGE", LARGE)


def documents(seed: int, n: int, first: int = 0) -> list[Document]:
    """Documents with a title, a text and a year, of words drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, 1501)
    found = []
    for number in range(first, first + n):
        text = " ".join(f"w{word}" for word in rng.choice(1500, int(rng.integers(0, 40)), p=chances / chances.sum()))
        fields = {"title": f"w{number % 50}", "text": text, "year": str(number)}
        found.append(Document(f"d{number}", f"w{number % 50} {text}", fields["title"], fields))
    return found


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The folder of an index with every array, most of them in several pages."""
    folder = tmp_path_factory.mktemp("sound") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toysearch.index.checksums._LARGE", LARGE)
        built = Index.build(documents(1, N), fields=["title", "text"], values=["year"], positions=True)
        built.save(folder)
        assert built.checksum == json.loads((folder / "manifest.json").read_text())["sha256"]
    return folder


def large_files(folder: Path) -> list[Path]:
    """The files with checksums of pages."""
    return [
        path for path in sorted(folder.glob("*.npy")) if path.stat().st_size > LARGE and label_of(path.name) != "pages"
    ]


def _ranked(model: str, chosen: str, folder: Path) -> object:
    with way(chosen):
        searcher = Searcher(Index.open(folder), model)
        runs = [searcher.run(QUERIES, k, threads=1) for k in (10, None)]
        return [(hit.query_id, hit.doc_id, hit.score) for run in runs for hit in run]


def _placed(chosen: str, folder: Path) -> object:
    with way(chosen):
        index = Index.open(folder)
        return [index.positions(term, doc).tolist() for term in ("w0", "w70") for doc in ("d1", "d700", f"d{N - 1}")]


def _texts(folder: Path) -> object:
    index = Index.open(folder)
    return [
        (index.doc_ids[n], index.title(n), index.text(n), index.values["year"].codes_of(n)) for n in (0, 700, N - 1)
    ]


def _shown(folder: Path, *options: str) -> object:
    shown = shell.run("show", folder, *options)
    if shown.exit_code:
        assert shown.exit_code == 2
        assert shown.stdout == ""
        raise StorageError(shown.stderr.removeprefix("toysearch: ").removesuffix("\n"))
    return shown.stdout.replace(str(folder), "")


QUESTIONS: dict[str, Question] = {
    **{f"{model} {chosen}": partial(_ranked, model, chosen) for model in ("bm25", "bm25f", "cosine")
       for chosen in ("plain", "compiled")},
    **{f"positions {chosen}": partial(_placed, chosen) for chosen in ("plain", "compiled")},
    "texts": _texts,
    "show --term": lambda folder: _shown(folder, "--term", "w70"),
    "show --doc": lambda folder: _shown(folder, "--doc", "d700"),
}  # fmt: skip


def flipped(sound: Path, tmp_path: Path, label: str) -> tuple[Path, Path]:
    """A copy in which the last bit of a file is another, and that file."""
    folder = shutil.copytree(sound, tmp_path / "index")
    (path,) = folder.glob(f"{label}-*")
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    return folder, path


def test_a_changed_byte_never_gives_another_answer(sound, tmp_path):
    """In every large file, at random places."""
    right = {name: ask(sound) for name, ask in QUESTIONS.items()}
    rng = np.random.default_rng(3)
    paths = large_files(sound)
    expected = {"postings", "positions", "texts", "titles", "doc_ids", "dl", "df"}
    assert {label_of(path.name) for path in paths} >= expected
    found = dict.fromkeys(paths, 0)
    folder = shutil.copytree(sound, tmp_path / "index")
    for number, path in enumerate(paths):
        raw, names = path.read_bytes(), list(QUESTIONS)
        asked = names if EVERYTHING else names[number % 3 :: 3]
        for place in rng.integers(0, len(raw), often(8, 1)).tolist():
            changed = bytearray(raw)
            changed[place] ^= int(rng.integers(1, 256))
            (folder / path.name).write_bytes(changed)
            for name in asked:
                answer = _answer(QUESTIONS[name], folder)
                if answer != right[name]:
                    allowed = [SENTENCE.format(folder / path.name), *_of_header(folder / path.name, place)]
                    assert answer in allowed, (path.name, place, name)
                    found[path] += 1
        (folder / path.name).write_bytes(raw)
    assert all(found[path] for path in paths if label_of(path.name) in ("postings", "last_docs", "df", "dl"))


def _answer(ask: Question, folder: Path) -> object:
    """The answer to a question, or the sentence given instead."""
    try:
        return ask(folder)
    except ToysearchError as error:
        return str(error)


def _of_header(path: Path, place: int) -> list[str]:
    """What else may be said of a change in the first 128 bytes."""
    problems = ["its header was not written by toysearch", "its header does not fit its length"]
    return [f"{path} is damaged: {problem}; build the index again" for problem in problems] if place < 128 else []


def _every_posting(folder: Path) -> None:
    words = [f"w{number}" for number in range(1500)]
    Searcher(Index.open(folder), "bm25").run({str(i): " ".join(words[i::300]) for i in range(300)}, k=1, threads=1)


def _every_position(folder: Path) -> None:
    blocks = Index.open(folder).position_blocks
    for first in range(0, blocks.block_bits.size - 8, 8):
        blocks.decoded(first, first + 8)


@pytest.mark.parametrize("chosen", ["plain", "compiled"])
@pytest.mark.parametrize(("label", "ask", "step"), [("postings", _every_posting, 1), ("positions", _every_position, 3)])
def test_each_page_is_verified_before_it_is_read(sound, tmp_path, chosen, label, ask, step):
    folder = shutil.copytree(sound, tmp_path / "index")
    (path,) = folder.glob(f"{label}-*")
    raw = path.read_bytes()
    for page in range(0, len(raw) // PAGE, step):
        changed = bytearray(raw)
        changed[page * PAGE + 2000] ^= 1
        path.write_bytes(changed)
        with way(chosen), raising(StorageError, SENTENCE.format(path)):
            ask(folder)


def test_pages_that_are_not_read_are_not_verified(sound, tmp_path):
    folder, path = flipped(sound, tmp_path, "texts-0")
    index = Index.open(folder)
    assert index.text(0) == Index.open(sound).text(0)
    with raising(StorageError, SENTENCE.format(path)):
        index.text(N - 1)


def test_a_page_is_verified_once(sound, monkeypatch):
    compared: list[int] = []
    compare = Paged._compare
    monkeypatch.setattr(Paged, "_compare", lambda self, pages: (compared.extend(pages), compare(self, pages)))
    index = Index.open(sound)
    for _ in range(2):
        index.postings("w0"), index.text(5), index.doc_ids.take(range(10))
        before = len(compared)
    assert len(compared) == before > 0
    index = Index.build(["cat"])
    index.postings("cat"), index.text(0)
    assert len(compared) == before  # an index in memory has no pages


def test_changed_indexes_equal_built_ones(sound, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "index")
    more = documents(2, 50, N)
    options = {"fields": ["title", "text"], "values": ["year"], "positions": True}
    change_index(folder, lambda index: index.add(more))
    Index.build([*documents(1, N), *more], **options).save(tmp_path / "added")
    assert contents(folder) == contents(tmp_path / "added")
    change_index(folder, lambda index: index.delete(["d3", f"d{N}"]))
    kept = [document for document in [*documents(1, N), *more] if document.doc_id not in ("d3", f"d{N}")]
    Index.build(kept, folder=tmp_path / "spooled", **options)
    assert contents(folder) == contents(tmp_path / "spooled")
    assert check_index(folder) == []


# The list of checksums


def relisted(folder: Path, change: Callable[[np.ndarray], np.ndarray | None]) -> Path:
    """Replace the checksums of pages, or leave them out, with right checksums of the files; return the new file."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (own,) = folder.glob("pages-*")
    files = {name: entry for name, entry in manifest["files"].items() if name != own.name}
    pages = change(np.load(own))
    if pages is not None:
        content: list[bytes] = []
        name, files[name], _ = array_entry("pages", pages, lambda chunk: content.append(bytes(chunk)))
        own = folder / name
        own.write_bytes(b"".join(content))
    described = {key: manifest[key] for key in ("collection", "analyzer", "counts")}
    (folder / "manifest.json").write_bytes(sealed(described, files))
    return own


def _opening(folder: Path) -> str:
    with pytest.raises(StorageError) as error:
        Index.open(folder)
    assert [str(error.value)] == check_index(folder)
    return str(error.value)


def test_a_forged_list_of_checksums(sound, tmp_path):
    n = np.load(next(sound.glob("pages-*"))).size
    for place, (change, problem) in enumerate([
        (lambda pages: pages[:-1], f"it has {n - 1} checksums of type <u4, not {n} of <u4"),
        (lambda pages: np.append(pages, pages[:1]), f"it has {n + 1} checksums of type <u4, not {n} of <u4"),
        (lambda pages: pages.astype("<i4"), f"it has {n} checksums of type <i4, not {n} of <u4"),
        (lambda pages: np.resize(pages, 10 * n), f"it is too large for {n} pages"),
    ]):  # fmt: skip
        folder = shutil.copytree(sound, tmp_path / str(place))
        path = relisted(folder, change)
        assert _opening(folder) == f"{path} is damaged: {problem}; build the index again"
    folder = shutil.copytree(sound, tmp_path / "without")
    relisted(folder, lambda pages: None)
    path = folder / "manifest.json"
    assert _opening(folder) == f"{path} is damaged: it names 0 files of pages, not 1; build the index again"


def test_wrong_checksums_of_pages(sound, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "index")
    relisted(folder, lambda pages: pages + np.uint32(1))
    with pytest.raises(StorageError) as error:
        Index.open(folder)
    assert str(error.value).endswith("its checksum does not match; build the index again")
    assert check_index(folder) == [str(error.value)]


def test_a_changed_list_of_checksums(sound, tmp_path):
    folder, path = flipped(sound, tmp_path, "pages")
    assert _opening(folder) == SENTENCE.format(path)
