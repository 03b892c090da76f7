"""Files of a collection in folders of other tools, under other names: only the right ones are used."""

import gzip
import hashlib
from pathlib import Path

import pytest
from small_collections import write_files

import toysearch
from toysearch.collection import catalog

FILES = {
    "pets.jsonl": '{"_id": "1", "text": "a cat"}\n{"_id": "2", "text": "a dog"}\n',
    "asked.jsonl": '{"_id": "1", "text": "cat"}\n',
    "judged.tsv": "query-id\tcorpus-id\tscore\n1\t1\t1\n",
}
ROLES = ("documents", "queries", "qrels")


def recipe(checksums: bool = True) -> str:
    """The collection.toml of these files."""
    parts = ['format = "beir"\n']
    for (name, text), role in zip(FILES.items(), ROLES, strict=True):
        parts.append(f'[[files]]\nrole = "{role}"\npath = "{name}"\nbytes = {len(text)}\n')
        parts.append(f'sha256 = "{hashlib.sha256(text.encode()).hexdigest()}"\n' if checksums else "")
    return "".join(parts)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which a collection is described, and its files are nowhere."""
    for name in ("IR_DATASETS_HOME", "PYTERRIER_HOME", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "listed"))
    write_files(tmp_path / "listed" / "pets", **{"collection.toml": recipe()})
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def placed(folder: Path, names: dict[str, str]) -> None:
    """Write the files to a folder under other names."""
    write_files(folder, **{names.get(name, name): text for name, text in FILES.items()})


OF_IR_DATASETS = dict(zip(FILES, ("docs.txt", "queries.txt", "qrels.txt"), strict=True))


@pytest.mark.parametrize(
    ("place", "variable"),
    [
        ("work", None),
        ("work/pets", None),
        ("home/.ir_datasets/pets", None),
        ("elsewhere/pets", "IR_DATASETS_HOME"),
        ("home/.pyterrier/corpora/pets", None),
        ("elsewhere/corpora/pets", "PYTERRIER_HOME"),
        ("home/nltk_data/corpora/pets", None),
        ("elsewhere/corpora/pets", "NLTK_DATA"),
    ],
)
def test_each_place(home: Path, monkeypatch: pytest.MonkeyPatch, place: str, variable: str | None) -> None:
    assert catalog.locate(catalog.recipe("pets")) is None
    placed(home / place, OF_IR_DATASETS)
    if variable is not None:
        assert catalog.locate(catalog.recipe("pets")) is None
        monkeypatch.setenv(variable, str(home / "elsewhere"))
    found = catalog.locate(catalog.recipe("pets"))
    assert found is not None
    assert found.resolve() == (home / place).resolve()
    pets = toysearch.load("pets")
    assert [document.text for document in pets.documents] == ["a cat", "a dog"]
    assert (pets.queries[0].text, pets.qrels["1"], pets.vouched) == ("cat", {"1": 1.0}, True)


def test_packed_files_and_other_line_ends(home: Path) -> None:
    packed = {f"{name}.gz": gzip.compress(text.replace("\n", "\r\n").encode()) for name, text in FILES.items()}
    write_files(home / "work", **packed)
    assert len(toysearch.load("pets").documents) == 2


@pytest.mark.parametrize("changed", FILES)
def test_files_with_other_contents_are_not_used(home: Path, changed: str) -> None:
    placed(home / "work", {})
    (home / "work" / changed).write_text(FILES[changed].replace("1", "7", 1))
    assert catalog.locate(catalog.recipe("pets")) is None
    (home / "work" / changed).write_text(FILES[changed] * 10)
    assert catalog.locate(catalog.recipe("pets")) is None


def test_the_usual_places_come_first(home: Path) -> None:
    placed(home / "work", {})
    placed(home / "cache" / "pets", {})
    assert catalog.locate(catalog.recipe("pets")) == home / "cache" / "pets"


def test_a_folder_that_may_not_be_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed(home / "home" / ".ir_datasets" / "pets", OF_IR_DATASETS)
    write_files(home / "work", pets="a file, not a folder")
    assert catalog.locate(catalog.recipe("pets")) == home / "home" / ".ir_datasets" / "pets"


def test_a_user_without_a_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    placed(home / "work", {})
    assert len(toysearch.load("pets").documents) == 2


def test_files_without_a_checksum_are_not_looked_for(home: Path) -> None:
    placed(home / "work", {})
    (home / "listed" / "pets" / "collection.toml").write_text(recipe(checksums=False))
    assert catalog.locate(catalog.recipe("pets")) is None
