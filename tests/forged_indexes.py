"""Indexes that somebody has forged: for each number a damaged copy of one of some small sound indexes."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from toysearch import Analyzer, Document, Index, ToysearchError
from toysearch.index.checksums import PAGE, is_large
from toysearch.index.file_layout import HASH_LENGTH
from toysearch.index.posting_blocks import PostingBlocks, packed, starts_of_groups
from toysearch.index.postings import Counts

WORDS = [*(f"w{number}" for number in range(30)), "cat", "the", "猫"]
POSTINGS = ("df", "postings", "gap_bits", "highest_tf", "last_docs", "least_dl", "dl", "doc_ids_order")
LATENT = ("latent", "latent_documents", "latent_terms")
SHARES = {"fields": 0.3, "long": 0.25, "single": 0.05, "stopped": 0.2, "wide": 0.2}  # of the cases, by sound index
TOPICS = 5
TYPES = ("|u1", "<u2", "<i4", "<i8")  # of whole numbers
FOREIGN = ("<u4", "<f4", "<f8", ">i4", "|b1", "<U3", "|i1", "<u8", "<i2")  # no type of an array of an index, or of most

_FARTHEST = 1 << 20

Files = dict[str, np.ndarray]  # by label


def _made_up(seed: int, n_documents: int, longest: int) -> list[str]:
    """Texts of words drawn by Zipf's law, some of them empty."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(WORDS) + 1)
    lengths = rng.integers(0, longest + 1, n_documents)
    return [" ".join(rng.choice(WORDS, length, p=chances / chances.sum())) for length in lengths]


def build(folder: Path) -> None:
    """Save the sound indexes, each in a folder of its own."""
    long = _made_up(3, 300, 40)
    long[7], long[200] = "w0 " * 700 + long[7], " ".join(long[:30])
    fielded = [
        Document(f"d{number}", f"cat {text}", "cat", {"title": "cat w1", "text": text, "year": str(1900 + number)})
        for number, text in enumerate(_made_up(2, 60, 30))
    ]
    stopping = Analyzer.from_dict({**Analyzer().to_dict(), "stop": ["the"]})
    made = {
        "stopped": Index.build(_made_up(1, 150, 25), stopping),
        "fields": Index.build(fielded, stopping, fields=["title", "text"], values=["year"], positions=True),
        "single": Index.build({"only": "w0 w1 w0 cat the"}),
        "long": Index.build(long, store_text=False, positions=True),
        "wide": Index.build(_made_up(4, 6000, 5), store_text=False),
    }
    for name, index in made.items():
        index.save(folder / name)


def build_topics(folder: Path) -> None:
    """Save a sound index with latent topics."""
    Index.build(_made_up(5, 80, 20), lsa=TOPICS).save(folder / "topics")


# Damage


def _odd(rng: np.random.Generator, values: np.ndarray, n: int) -> int | float:
    """A number that is likely to be wrong."""
    info = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
    if info is None:
        return float(rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e308, -1e308]))
    old = int(rng.choice(values)) if values.size else 0
    edges = [0, 1, -1, n, n - 1, n + 1, int(info.max), int(info.min), old + 1, old - 1, -old, values.size]
    edges += [127, 128, 129, 255, 256, 1 << 15, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 32, (1 << 32) + 1]
    edges += [-(1 << 31), -(1 << 32), 1 << 40, 1 << 53, 1 << 62, (1 << 63) - 1, -(1 << 63), int(rng.integers(1 << 32))]
    edges += [int(rng.integers(0, max(n, 1))), int(rng.integers(0, 64))]
    return edges[int(rng.integers(len(edges)))]


def _holding(values: np.ndarray, place: Any, number: int | float) -> np.ndarray:
    """The values with another one, in the next type that holds all of them."""
    if values.dtype.kind == "f" or np.iinfo(values.dtype).min <= number <= np.iinfo(values.dtype).max:
        made = values.copy()
    elif values.dtype.kind == "u" and values.dtype.itemsize == 8:
        made, number = values.copy(), int(number) & ((1 << 64) - 1)
    else:
        wide = [each for each in TYPES if np.iinfo(each).min <= number <= np.iinfo(each).max]
        made = values.astype(max(np.dtype(wide[0]), values.dtype, key=lambda dtype: dtype.itemsize))
    made[place] = number
    return made


def _one(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    return _holding(values, int(rng.integers(values.size)), _odd(rng, values, n))


def _several(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    for _ in range(int(rng.integers(2, 6))):
        values = _one(values, rng, n)
    return values


def _every(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    return _holding(values, slice(None), _odd(rng, values, n))


def _swapped(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    made, (one, other) = values.copy(), rng.integers(0, values.size, 2)
    made[one], made[other] = values[other], values[one]
    return made


def _moved(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    """Some of one number goes to another: the sum stays."""
    made, (one, other) = values.copy(), rng.integers(0, values.size, 2)
    some = 1 if rng.integers(2) else int(rng.integers(0, 1 << 16))
    with np.errstate(all="ignore"):
        made[one] += made.dtype.type(some % 200 if values.dtype.itemsize == 1 else some)
        made[other] -= made.dtype.type(some % 200 if values.dtype.itemsize == 1 else some)
    return made


def _near(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    """Some numbers become others that are as likely: one more or less, or that of another place."""
    made = values.copy()
    for place in rng.integers(0, values.size, int(rng.choice([1, 1, 3, 20]))):
        with np.errstate(all="ignore"):
            step = values.dtype.type(1)
            made[place] = [made[place] + step, made[place] - step, rng.choice(values)][int(rng.integers(3))]
    return made


def _around(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    """Four numbers grow by 2^62: a sum of 64 bits stays."""
    made = values.astype("<i8")
    np.add.at(made, rng.integers(0, values.size, 4), 1 << 62)
    return made


def _random(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    return np.frombuffer(rng.bytes(values.nbytes), values.dtype).copy()


def _longer(values: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    more = int(rng.choice([1, 2, 7, 128, 5000]))
    return np.concatenate([values, np.resize(values, more) if rng.integers(2) else np.zeros(more, values.dtype)])


CHANGES: list[Callable[[np.ndarray, np.random.Generator, int], np.ndarray]] = [
    _one,
    _one,
    _near,
    _near,
    _near,
    _several,
    _every,
    _swapped,
    _moved,
    _around,
    _random,
    _longer,
    lambda values, rng, n: np.sort(values)[:: int(rng.choice([1, -1]))].copy(),
    lambda values, rng, n: np.roll(values, int(rng.integers(1, values.size + 1))),
    lambda values, rng, n: values[: int(rng.integers(0, values.size))],
    lambda values, rng, n: values[1:],
    lambda values, rng, n: values.astype(str(rng.choice(TYPES if rng.integers(2) else FOREIGN))),
]  # fmt: skip
"""Ways to change the values of a file."""


def _change(files: Files, rng: np.random.Generator, n: int) -> None:
    """Change one file; more often one of those with topics, or else with postings."""
    often = {*files} & {*LATENT} or {*files} & {*POSTINGS}
    label = str(rng.choice(sorted(often) if rng.integers(2) else sorted(files)))
    values = files[label]
    if not values.size and rng.integers(2):
        values = np.arange(n, dtype=values.dtype)
    change = CHANGES[int(rng.integers(len(CHANGES)))] if values.size else _longer
    with np.errstate(all="ignore"):
        files[label] = change(values, rng, n)
    if label in ("df", "gap_bits", "highest_tf") and rng.integers(2) and "postings" in files:  # they may need more bits
        files["postings"] = np.concatenate([files["postings"], _random(np.zeros(20_000, "<u8"), rng, n)])


def _exchange(files: Files, rng: np.random.Generator, n: int) -> None:
    """Exchange two files, or put one in the place of another."""
    one, other = rng.choice(sorted(files), 2, replace=False)
    files[one], files[other] = files[other], files[one] if rng.integers(2) else files[other]


def _between(files: Files, rng: np.random.Generator, n: int) -> None:
    """What one array loses another one gains, in one place or in all."""
    label = str(rng.choice(["dl", "df", "highest_tf", "last_docs", "field_dl"]))
    giving = files.get(label, files.get("dl"))
    if giving is None or not giving.size or giving.dtype.kind not in "iu":  # after another change
        return
    fitting = [other for other, values in files.items() if values.size == giving.size and values.dtype.kind in "iu"]
    other = "holes" if "holes" in fitting and rng.integers(2) else str(rng.choice(sorted(fitting)))
    where = slice(None) if rng.integers(2) else int(rng.integers(giving.size))
    one, two = giving.astype(np.int64), files[other].astype(np.int64)
    some = one[where] if rng.integers(2) else np.minimum(one[where], 1)
    two[where] += some
    one[where] -= some
    for name, values in ((label if label in files else "dl", one), (other, two)):
        dtype = files[name].dtype
        files[name] = values.astype(dtype if values.max() <= np.iinfo(dtype).max else "<i4")


def _lost(files: Files, rng: np.random.Generator, n: int) -> None:
    """Leave a file out, or add one that the index need not have."""
    if rng.integers(2):
        del files[str(rng.choice(sorted(files)))]
    else:
        label = str(
            rng.choice(["cf_large", "holes", "value_docs", "fields", "positions", "texts-0", "texts-1", "df_large"])
        )
        files[label] = files[str(rng.choice(sorted(files)))]


def _repacked(files: Files, rng: np.random.Generator, n: int) -> None:
    """Pack other postings: well-formed blocks that lie about documents, frequencies and lengths."""
    whole = {label: Counts(values, files[f"{label}_large"]) if f"{label}_large" in files else values
             for label, values in files.items()}  # fmt: skip
    df = np.asarray(whole["df"], np.int64)
    offsets = np.concatenate([[0], np.cumsum(df)])
    docs, tf = PostingBlocks({**whole, "dl": np.empty(n)}, offsets).span()
    docs, tf = docs.astype(np.int64), tf.copy()
    for _ in range(int(rng.integers(1, 5))):
        term = int(rng.integers(df.size))
        own, size = slice(int(offsets[term]), int(offsets[term + 1])), int(df[term])
        if rng.integers(2):
            most = max(int(rng.choice([n, n + 1, 2 * n + 200, _FARTHEST])) - size, 1)
            docs[own] = np.sort(rng.integers(0, most, size)) + np.arange(size)
        else:
            tf[own] = rng.integers(1, int(rng.choice([2, 300, 1 << 16, (1 << 31) - 1])), size)
    made = packed(docs, Counts.of(tf), offsets, np.zeros(_FARTHEST + n, np.int32))
    if rng.integers(2):
        made["last_docs"] = np.minimum(made["last_docs"], n - 1).astype(np.int32)
    files.pop("highest_tf_large", None)
    files |= {name: values for name, values in made.items() if name != "least_dl"}


def _regrouped(files: Files, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The starts of groups for the damaged arrays, where that is possible; sometimes they are unchanged or damaged."""
    kind = int(rng.integers(8))
    if kind == 0:
        with np.errstate(all="ignore"):
            return CHANGES[int(rng.integers(len(CHANGES)))](groups, rng, files["dl"].size if "dl" in files else 1)
    if kind == 1:
        return groups
    try:
        df = np.asarray(_whole(files, "df"), np.int64)
        if int(df.min()) < 1 or int(df.max()) > _FARTHEST:
            return groups
        with np.errstate(all="ignore"):
            offsets = np.concatenate([[0], np.cumsum(df)])
            made = starts_of_groups(offsets, files["gap_bits"], np.asarray(_whole(files, "highest_tf"))).ravel()
    except (LookupError, ValueError, TypeError, ToysearchError):
        return groups
    return groups if np.array_equal(made, groups) else made


def _whole(files: Files, label: str) -> Any:
    """The numbers of a file, or of it and another one with the large ones."""
    large = files.get(f"{label}_large")
    return files[label] if large is None else Counts(files[label], large)


def _damage(files: Files, rng: np.random.Generator) -> None:
    """Damage the arrays of an index."""
    n = files["dl"].size
    if rng.integers(6) == 0:
        _repacked(files, rng, n)
        return
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        kind = int(rng.integers(20))
        (_exchange if kind == 0 else _lost if kind == 1 else _between if kind < 6 else _change)(files, rng, n)


def _damage_manifest(manifest: dict[str, Any], rng: np.random.Generator) -> None:
    """Change a value of the manifest, or leave it out; the key that leads to it is drawn at random."""
    parent, key = manifest, str(rng.choice(sorted({*manifest} - {"format"})))
    while isinstance(parent[key], dict) and parent[key] and rng.integers(5):
        parent = parent[key]
        key = str(rng.choice(sorted(parent)))
    odd = [None, "", "x", [], [2], {}, {"a": None}, True, -1, 0, 1, 2.5, 10**30, 1e300, float("nan"), "0" * 64]
    old = parent[key]
    odd += [old + 1, old - 1, old * 2, str(old)] if type(old) is int else []
    kind = int(rng.integers(8))
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[f"{key}2"] = parent.pop(key)
    else:
        parent[key] = odd[int(rng.integers(len(odd)))]


def _content(values: np.ndarray, rng: np.random.Generator) -> bytes:
    """A file in the numpy format, sometimes with a header that does not fit."""
    kind, shape = values.dtype.str, f"({values.size},)"
    odd = int(rng.integers(60))
    if odd == 0:
        shape = str(
            rng.choice([f"({values.size}, 1)", "()", f"({values.size + 1},)", "(-1,)", "(999999999999999999,)"])
        )
    elif odd == 1:
        kind = str(rng.choice([*TYPES, *FOREIGN, "|O"]))
    header = f"{{'descr': '{kind}', 'fortran_order': {odd == 2}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    size = len(header) + int(odd == 3)
    return b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + header.encode() + values.tobytes()


def _pages(paths: list[Path]) -> np.ndarray:
    """The checksums of the pages of large files."""
    contents = [path.read_bytes() for path in paths if is_large(path.stat().st_size)]
    return np.array(
        [crc32(each[start : start + PAGE]) for each in contents for start in range(0, len(each), PAGE)], "<u4"
    )


def forge(sound: Path, folder: Path, number: int) -> tuple[str, bool]:
    """Make the damaged copy with this number; the name of the index, and whether all checksums are right."""
    rng = np.random.default_rng(number)
    names = sorted(path.name for path in sound.iterdir())
    shares = [SHARES[name] for name in names] if len(names) > 1 else None
    name, honest = names[int(rng.choice(len(names), p=shares))], number % 10 > 0
    folder.mkdir()
    manifest = json.loads((sound / name / "manifest.json").read_text())
    own = {path.rpartition("-")[0]: path for path in manifest["files"]}
    files: Files = {label: np.load(sound / name / path) for label, path in own.items()}
    before = dict(files)
    groups, pages = files.pop("groups"), files.pop("pages", None)
    of_manifest = honest and rng.integers(12) == 0
    if not of_manifest:
        _damage(files, rng)
        groups = _regrouped(files, groups, np.random.default_rng([number, 1]))
    files |= {"groups": groups} if pages is None else {"groups": groups, "pages": pages}
    entries, right = {}, True
    relisted = "pages" in files and rng.integers(4) > 0
    for label, values in files.items():
        if label == "pages" and relisted:
            values = _pages([folder / path for path in entries])
        if before.get(label) is values:
            os.link(sound / name / own[label], folder / own[label])
            entries[own[label]] = manifest["files"][own[label]]
            continue
        content = _content(values, rng)
        checksum = hashlib.sha256(content).hexdigest()
        path = f"{label}-{checksum[:HASH_LENGTH]}.npy"
        if not honest:
            found, checksum = checksum, manifest["files"][own[label]]["sha256"] if label in own else "0" * 64
            path, right = own.get(label, path), right and found == checksum
        (folder / path).write_bytes(content)
        entries[path] = {"bytes": len(content), "sha256": checksum}
    described = {key: value for key, value in manifest.items() if key not in ("files", "sha256")} | {"files": entries}
    if of_manifest:
        _damage_manifest(described, rng)
    body = json.dumps(described, indent=1).removesuffix("\n}").encode()
    (folder / "manifest.json").write_bytes(body + f',\n "sha256": "{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode())
    return name, right
