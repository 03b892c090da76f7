"""Files of the values of an index, forged with right checksums: each command gives an answer or one sentence."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from shell import done, run
from tiers import EVERYTHING, longer

from toysearch.index.file_layout import HASH_LENGTH, label_of, sealed

FILES = [
    *("value_names", "value_names_lengths", "value_kinds", "value_texts", "value_texts_lengths"),
    *("value_counts", "value_numbers", "value_sizes", "value_docs", "value_codes"),
]
FORMS = {
    "all 127": lambda values: np.full_like(values, 127),
    "shortened": lambda values: values[:-1],
    "too long": lambda values: np.concatenate([values, values[-1:]]),
    "halved": lambda values: values[: len(values) // 2],
    "empty": lambda values: values[:0],
    "below zero": lambda values: -values.astype(np.int32) - 1 if values.dtype.kind in "iu" else -values,
}
COMMANDS = {
    "search": ("search", "{}", "robot", "--where", "maker = Rho and price < 9", "--facets", "maker,price"),
    "sort": ("search", "{}", "robot", "--sort", "maker", "--group-by", "price"),
    "add": ("add", "{}", "{}.more.csv"),
    "delete": ("delete", "{}", "r2"),
    "check": ("check", "{}"),
}
AGREEING = ("value_codes", "value_counts")
"""Files of whose damage every command tells alike."""


def tried(label: str, form: str) -> list[str]:
    """The commands that meet a forged file: of three, each file meets each in two forms, unless all are to agree."""
    if EVERYTHING or label in AGREEING:
        return [*COMMANDS]
    turn = FILES.index(label) + [*FORMS].index(form)
    return ["search", ("sort", "add", "delete")[turn % 3], "check"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A sound index with a field of words and one of numbers."""
    folder = tmp_path_factory.mktemp("forged") / "sound"
    rows = [f"r{number},robot {number},{['Rho', 'Tau', ''][number % 3]},{number * 1.5}" for number in range(9)]
    Path(f"{folder}.csv").write_text("\n".join(["id,text,maker,price", *rows]) + "\n")
    Path(f"{folder}.more.csv").write_text("id,text,maker,price\nn1,robot new,Rho,3\n")
    done("index", f"{folder}.csv", "-o", folder)
    return folder


def forged(sound: Path, folder: Path, label: str, form: str) -> Path:
    """A copy of the index in which one file is another, and the manifest agrees with it."""
    shutil.copytree(sound, folder)
    shutil.copy(f"{sound}.more.csv", f"{folder}.more.csv")
    manifest = json.loads((folder / "manifest.json").read_text())
    [name] = [name for name in manifest["files"] if label_of(name) == label]
    np.save(folder / "forged.npy", FORMS[form](np.load(folder / name)))
    content = (folder / "forged.npy").read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    new = f"{label}-{checksum[:HASH_LENGTH]}.npy"
    (folder / "forged.npy").rename(folder / new)
    entry = {"bytes": len(content), "sha256": checksum}
    files = {new if file == name else file: entry if file == name else old for file, old in manifest["files"].items()}
    description = {key: manifest[key] for key in manifest if key not in ("format", "version", "files", "sha256")}
    (folder / "manifest.json").write_bytes(sealed(description, files))
    return folder


@longer
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", FILES)
def test_a_forged_file_is_answered_or_refused_in_a_sentence(sound, tmp_path, label, form):
    said = {}
    for name in tried(label, form):
        folder = forged(sound, tmp_path / name, label, form)
        result = run(*(part.format(folder) for part in COMMANDS[name]))
        assert result.exception is None or isinstance(result.exception, SystemExit), (name, result.exception)
        [said[name]] = result.stderr.splitlines() or [""] if name != "check" else [result.stdout]
        if name != "check" and result.exit_code:
            renamed = "names" in label and "the index keeps no values of a field" in said[name]
            assert renamed or "is damaged: " in said[name], name
    if label in AGREEING:
        problem = f"damaged: its {label} do not fit its value_"
        assert {name: problem in sentence for name, sentence in said.items()} == dict.fromkeys(COMMANDS, True)
