"""Indexes that somebody has forged, and files that were damaged: an answer or a sentence, on both paths."""

import contextlib
import hashlib
import json
import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from chosen_way import way
from error_messages import raising
from tiers import EVERYTHING, longer, thinned

from toysearch import Document, Index, Searcher, ToysearchError
from toysearch.index.content_checks import check_index
from toysearch.index.file_entries import array_entry, stored
from toysearch.index.file_layout import label_of, sealed

pytestmark = pytest.mark.system

RANDOM = random.Random(7)
WORDS = ["cat", "dog", "parrot", "training", "猫", "é" * 9]
TEXTS = [" ".join(RANDOM.choices(WORDS, range(1, 7), k=RANDOM.randint(0, 30))) for _ in range(60)]
TEXTS[5] += " often" * 400
FIELDS = [{"title": "a cat", "text": text, "year": "1999"} for text in TEXTS]
DOCUMENTS = [Document(f"d{number}", fields["text"], "a cat", fields) for number, fields in enumerate(FIELDS)]
QUERIES = {str(number): " ".join(WORDS[: number + 1]) for number in range(len(WORDS))}
MODELS = ("bm25", "cosine")
KINDS = {
    "random": lambda values, rng: rng.integers(0, 255, values.size).astype(values.dtype),
    "zero": lambda values, rng: np.zeros_like(values),
    "highest": lambda values, rng: np.full_like(values, _highest(values.dtype)),
    "lowest": lambda values, rng: np.full_like(values, _lowest(values.dtype)),
    "reversed": lambda values, rng: values[::-1].copy(),
    "last raised": lambda values, rng: np.append(values[:-1], _highest(values.dtype)).astype(values.dtype),
    "first raised": lambda values, rng: np.append(values[:1] + 1, values[1:]).astype(values.dtype),
    "not a number": lambda values, rng: values * np.nan if values.dtype.kind == "f" else values[::-1].copy(),
}
QUICK = ("random", "last raised", "reversed", "not a number")
TRIED = {kind: made for kind, made in KINDS.items() if EVERYTHING or kind in QUICK}
UNKNOWABLE = {"bytes", "values", "value_names", "titles", "texts", "doc_ids", "terms"}
UNKNOWABLE |= {"field_tf", "fields", "fields_lengths", "value_names_lengths"}
"""Arrays in which other values can be as right as those that were there."""


def _highest(dtype):
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The folder of an index that has every array."""
    folder = tmp_path_factory.mktemp("sound") / "index"
    index = Index.build(DOCUMENTS, fields=["title", "text"], values=["year"], positions=True)
    index.save(folder)
    assert check_index(folder) == []
    return folder


def forged(sound: Path, folder: Path, name: str, values: np.ndarray) -> Path:
    """A copy in which an array is another, with right checksums."""
    shutil.copytree(sound, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    files = {file: entry for file, entry in manifest["files"].items() if file != name}
    label = name.rpartition("-")[0]
    content: list[bytes] = []
    new, entry, _ = array_entry(label, values, lambda chunk: content.append(bytes(chunk)))
    (folder / new).write_bytes(b"".join(content))
    described = {key: manifest[key] for key in ("collection", "analyzer", "counts")}
    (folder / "manifest.json").write_bytes(sealed(described, {**files, new: entry}))
    return folder


def asked(folder: Path, models: tuple[str, ...] = MODELS) -> list[str]:
    """What searching, looking and changing say: "" or a sentence each. Any other error is the test's."""
    said = []

    for chosen in ("plain", "compiled"):
        for model in models:
            with way(chosen):
                try:
                    _rank(folder, model)
                except ToysearchError as error:
                    said.append(str(error))
    return said


def _rank(folder, model):
    index = Index.open(folder)
    searcher = Searcher(index, model)
    list(searcher.run(QUERIES, k=5))
    list(searcher.run(QUERIES, k=None))
    for word in WORDS:
        for doc_id in index.doc_ids:
            assert (np.diff(index.positions(word, doc_id)) > 0).all()


def labels():
    index = Index.build(DOCUMENTS, fields=["title", "text"], values=["year"], positions=True)
    return [label for name in index.arrays for label, _ in stored(name, index.arrays)]


@longer
@pytest.mark.parametrize("name", thinned(labels(), 12))
def test_forged_content(sound, tmp_path, name):
    """No crash, no endless loop, no error but sentences; and what contradicts itself is found by a check."""
    (file,) = sound.glob(f"{name}-*[0-9a-f].npy")
    if label_of(file.name) is None:
        pytest.fail(file.name)
    values = np.load(file)
    rng = np.random.default_rng(3)
    for number, (kind, made) in enumerate(TRIED.items()):
        with np.errstate(all="ignore"):
            other = made(values, rng)
        folder = forged(sound, tmp_path / str(number), file.name, other)
        asked(folder, (MODELS[number % len(MODELS)],))
        problems = check_index(folder)
        assert len(problems) <= 1
        if not np.array_equal(values, other, equal_nan=values.dtype.kind == "f"):
            assert problems or name.rpartition("-")[0] in UNKNOWABLE or name.removesuffix("_large") in UNKNOWABLE, kind


@longer
@pytest.mark.parametrize("how", thinned(["flipped", "cut", "swapped", "emptied", "missing"], 4))
def test_damaged_files(sound, tmp_path, how):
    """Found by a check; what opens and searches it gets an answer or a sentence."""
    rng = random.Random(how)
    files = sorted(path.name for path in sound.glob("*.npy"))
    for number, file in enumerate(files[:: 1 if EVERYTHING else 3]):
        folder = shutil.copytree(sound, tmp_path / str(number))
        data = bytearray((folder / file).read_bytes())
        if how == "flipped":
            for place in range(rng.randrange(70), len(data), rng.randint(1, 40)):
                data[place] ^= 1 << rng.randrange(8)
        elif how == "cut":
            del data[rng.randrange(len(data)) :]
        elif how == "swapped":
            other = rng.choice(sorted(sound.glob("*.npy")))
            if other.name == file:
                continue
            data = bytearray(other.read_bytes())
        (folder / file).unlink() if how == "missing" else (folder / file).write_bytes(data if how != "emptied" else b"")
        asked(folder, ("bm25",))
        assert any(file in problem for problem in check_index(folder))


def shapes(manifest):
    """Manifests of the wrong shape."""
    first = next(iter(manifest["files"]))
    for name in ("version", "files", "counts", "analyzer", "collection"):
        for value in (None, [], [2], "2", 3.0, float("nan"), True, {}, {"a": None}, 10**400):
            yield {**manifest, name: value}
        yield {key: value for key, value in manifest.items() if key != name}
    for entry in (None, [], {}, 7, {"bytes": -1, "sha256": "0" * 64}, {"bytes": 1}, {"bytes": 10**30, "sha256": "x"}):
        yield {**manifest, "files": {**manifest["files"], first: entry}}
    for count in (None, -1, 0, 1e300, 10**30, "3", True):
        for name in manifest["counts"]:
            yield {**manifest, "counts": {**manifest["counts"], name: count}}
    for value in (None, [], 7, {"a": 1}, "x", 10**30, [[]]):
        for name in manifest["analyzer"]:
            yield {**manifest, "analyzer": {**manifest["analyzer"], name: value}}
    second = first.replace(first[-12:], "0123456.npy")
    yield {**manifest, "files": {**manifest["files"], second: manifest["files"][first]}}


def test_manifests_of_the_wrong_shape(sound, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "index")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("sha256")
    refused = 0
    for number, made in enumerate(shapes(manifest)):
        version = made.pop("version", None)
        whole = {"format": made.pop("format"), **({} if version is None else {"version": version}), **made}
        body = json.dumps(whole, indent=1).removesuffix("\n}").encode()
        seal = f',\n "sha256": "{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode()
        (folder / "manifest.json").write_bytes(body + seal)
        try:
            Index.open(folder)
        except ToysearchError:
            refused += 1
            assert check_index(folder)
        if number % 10 == 0:
            with contextlib.suppress(ToysearchError):
                Index.build(["a"]).save(folder)  # an index may take the place of a damaged one
            shutil.rmtree(folder)
            shutil.copytree(sound, folder)
    assert refused > 80


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
@pytest.mark.parametrize("of", ["manifest.json", "postings"])
@pytest.mark.parametrize("what", ["fifo", "link", "device", "folder", "loop"])
def test_only_plain_files_are_opened(sound, tmp_path, of, what):
    folder = shutil.copytree(sound, tmp_path / "index")
    (path,) = folder.glob(f"{of}*")
    path.rename(tmp_path / "outside")
    {
        "fifo": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(tmp_path / "outside"),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
        "loop": lambda: path.symlink_to(path),
    }[what]()
    sentence = f"{path} is damaged: it is not a plain file; build the index again"
    with raising(ToysearchError, sentence):
        Index.open(folder)
    assert check_index(folder) == [sentence]
