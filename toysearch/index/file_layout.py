"""Arrays of an index: their types in memory, and the files that they are stored in.

A file of whole numbers has the narrowest type that fits. Starts are stored as lengths. If most numbers are small, each
takes one byte, and a second file has the large ones.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import StorageError, reduce_at
from toysearch.base.platform import patiently
from toysearch.index.checksums import CHANGED, Checksums, damaged, is_large, shown
from toysearch.index.posting_blocks import BIT, BLOCKS, GROUP, LARGE_DF, LARGE_TF, N_COLUMNS, POSTING, starts_of_groups
from toysearch.index.postings import Counts, offsets_of
from toysearch.index.strings import Blob, Pieces, parts

if TYPE_CHECKING:
    from toysearch.files.source import AnyPath

Arrays = Mapping[str, Any]
"""Arrays by name; in an opened index, some are `Counts` or `Starts`, and titles and texts may be `Pieces`."""

Sizes = Mapping[str, int]

__all__ = ["is_index_folder"]

HASH_LENGTH = 16  # hexadecimal digits of the checksum in a file's name


_LONGEST = (1 << 63) - 1


class Starts:
    """Starts of consecutive stretches, computed from their lengths at first use, and the end of the last.

    >>> np.asarray(Starts(np.array([3, 0, 2]))).tolist()
    [0, 3, 3, 5]
    """

    def __init__(self, lengths: Any) -> None:
        self.lengths = lengths
        self.groups: np.ndarray | None = None  # those of `toysearch.index.posting_blocks`, beside document frequencies
        self.size = int(lengths.size) + 1

    @cached_property
    def _all(self) -> np.ndarray:
        lengths = np.asarray(self.lengths)  # in the type of the file: widening all would take as long as adding them up
        if lengths.size and not (int(lengths.min()) >= 0 and int(lengths.max()) <= _LONGEST // lengths.size):
            raise StorageError("the index is damaged: a length is negative or too large; build it again")
        starts = np.zeros(self.size, np.int64)
        np.cumsum(lengths, dtype=np.int64, out=starts[1:])
        return starts

    def __getitem__(self, place: int) -> int:
        """Return one start; the end of the last, -1, is often known without computing the others."""
        if place != -1:
            return int(self._all[place])
        return int(self.compact[0][-1] if self.groups is None else self.groups[-1, POSTING])

    @cached_property
    def compact(self) -> tuple[np.ndarray, np.ndarray]:
        """Start of every 64th stretch, the end of the last, and all lengths in bytes; or all starts, and no lengths."""
        lengths = np.asarray(self.lengths)
        if lengths.dtype != np.uint8 or not lengths.size:
            return self._all, np.empty(0, np.uint8)
        return offsets_of(reduce_at(np.add, lengths, np.arange(0, lengths.size, 64))), lengths

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._all, dtype)


def lengths_of(arrays: Arrays, name: str) -> Any:
    """Return the lengths of stretches from the array of their starts, in the type in which they are at hand."""
    starts = arrays[name]
    return starts.lengths if isinstance(starts, Starts) else np.diff(starts)


class Layout(NamedTuple):
    """Type of an array in memory, and how it is stored."""

    dtype: str
    per: str = ""  # 'documents' or 'terms' if it has one number for each; '' for any length
    label: str = ""  # the name of its file, if that differs from its own
    whole: bool = False  # whether it holds whole numbers of at least 0, stored in the narrowest type


def _strings(name: str, count: str = "") -> dict[str, Layout]:
    return {name: Layout("|u1"), f"{name}_offsets": Layout("<i8", count, f"{name}_lengths", whole=True)}


STORED_TEXT = _strings("titles", "documents") | _strings("texts", "documents")
"""Additional arrays of an index with stored text."""

FIELDS = _strings("fields") | {"field_tf": Layout("<i8", whole=True), "field_dl": Layout("<i4", whole=True)}
"""Additional arrays of an index with separate fields."""

VALUES = {
    **_strings("value_names"),
    "value_kinds": Layout("<i8", whole=True),
    **_strings("value_texts"),
    "value_counts": Layout("<i8", whole=True),
    "value_numbers": Layout("<f8"),
    "value_sizes": Layout("<i8", whole=True),
    "value_docs": Layout("<i4", whole=True),
    "value_codes": Layout("<i4", whole=True),
}
"""Additional arrays of an index with values of fields."""

_ONE_FOR_EACH = {
    "value_kinds": "value_names",
    "value_counts": "value_names",
    "value_sizes": "value_names",
    "value_numbers": "value_texts",
}
"""Array → the strings for each of which it has one number."""

OF_FORMAT_4 = {
    "values": Layout("<f8"),
    **_strings("keyword_names"),
    **_strings("keywords"),
    "keyword_counts": Layout("<i8", whole=True),
    "keyword_codes": Layout("<i4", whole=True),
}
"""Arrays that kept the values of fields in format 4, beside value_names; they are read, and written as `VALUES`."""

POSITIONS = {
    "positions": Layout("<u8"),
    "positions_offsets": Layout("<i8", "", "positions_lengths", whole=True),
    "position_bits": Layout("|u1"),
    "holes": Layout("<i4", whole=True),
}

LATENT = {"latent": Layout("<i8"), "latent_documents": Layout("<f4"), "latent_terms": Layout("<f4")}

_GROUPS = (STORED_TEXT, FIELDS, VALUES, POSITIONS, LATENT)

LAYOUT = {
    **_strings("terms", "terms"),
    "offsets": Layout("<i8", "terms", "df", whole=True),
    "cf": Layout("<i8", "terms", whole=True),
    "dl": Layout("<i4", "documents", whole=True),
    "distinct": Layout("<i4", "documents", whole=True),
    "max_tf": Layout("<i4", "documents", whole=True),
    "postings": Layout("<u8"),
    "gap_bits": Layout("|u1"),
    "highest_tf": Layout("<i4", whole=True),
    "last_docs": Layout("<i4", whole=True),
    "least_dl": Layout("<i4", whole=True),
    **FIELDS,
    **POSITIONS,
    **_strings("doc_ids", "documents"),
    **VALUES,
    "doc_ids_order": Layout("<i4"),
    "bytes": Layout("<i8", "documents", whole=True),
    **STORED_TEXT,
    **LATENT,
}
"""All arrays of an index by name; docs/look-up/index-format.md describes their files."""

PAGES = "pages"
"""Label of the file with the checksums of pages, which describe the other files."""

GROUPS = "groups"
"""Label of the file with the starts of groups of terms, which are computed from other arrays."""

_LABELS = {layout.label or name: name for name, layout in (LAYOUT | OF_FORMAT_4).items()}
IN_PARTS = ("titles", "texts")
_STORED = ("|u1", "<u2", "<i4", "<i8")  # types of whole numbers in files
_LARGE = "_large"
_ALONE = {*_LABELS, GROUPS, PAGES} - {*IN_PARTS}  # labels of files without a number
_CHECKSUM = rf"[0-9a-f]{{{HASH_LENGTH}}}"
# Two patterns that `re` compiles at first use.
_FILE_NAME = rf"(?P<label>[a-z_]+)(?P<number>-\d+)?-{_CHECKSUM}\.npy"
_OLDER = (
    "docs|docs_low|docs_high|tf|large_tf|large_positions|field_large_tf|field_large_positions|weights|[a-z_]+_offsets"
)
_NAMES = [rf"{label}-\d+" for label in IN_PARTS] + [rf"{label}(?:{_LARGE})?" for label in _ALONE]
_ANY_FILE_NAME = rf"(?:{'|'.join(_NAMES)}|{_OLDER})(?:-\d+)?-{_CHECKSUM}\.npy"


def label_of(name: str) -> str | None:
    """Return the label of a file of this name, without the number of a part; None if it is not a file of an index.

    >>> label_of("cf_large-0123456789abcdef.npy"), label_of("texts-3-0123456789abcdef.npy"), label_of("cf.npy")
    ('cf_large', 'texts', None)
    """
    match = re.fullmatch(_FILE_NAME, name)
    if match is None:
        return None
    label = match["label"]
    is_known = label in IN_PARTS if match["number"] else label.removesuffix(_LARGE) in _ALONE
    return label if is_known else None


def is_data_file(name: str) -> bool:
    """True if a file is named like an array of an index in this or an earlier format."""
    return re.fullmatch(_ANY_FILE_NAME, name) is not None


def manifest_of(folder: AnyPath) -> str:
    """Return the path of the manifest of a folder."""
    return os.path.join(folder, MANIFEST)


def is_index_folder(folder: AnyPath) -> bool:
    """True if a path is the folder of an index: one with a manifest, or with leftovers of a killed save.

    >>> is_index_folder("cat-dog-parrot")
    False
    """
    has_manifest = os.path.lexists(manifest_of(folder))
    if not os.path.isdir(folder):
        return has_manifest
    names = os.listdir(folder)
    if has_manifest:  # which other programs write too
        try:
            return is_ours(folder) or any(map(is_data_file, names))
        except StorageError:  # what reads it says so
            return True
    return any(map(is_data_file, names)) and all(name.startswith("toysearch-") or is_data_file(name) for name in names)


def stored(name: str, arrays: Arrays) -> Iterator[tuple[str, Blob]]:
    """Yield the files of an array: their labels, and their content in the types of files."""
    values, layout = arrays[name], LAYOUT[name]
    if name in IN_PARTS:
        for number, part in enumerate(parts(values, np.asarray(arrays[f"{name}_offsets"]))):
            yield f"{name}-{number}", part
    elif name == "holes" and not np.asarray(values).any():
        yield name, np.empty(0, _STORED[0])
    elif layout.whole:
        label = layout.label or name
        yield from _narrowest(label, lengths_of(arrays, name) if name.endswith("offsets") else values)
        if name == "offsets":
            yield GROUPS, starts_of_groups(np.asarray(values), arrays["gap_bits"], arrays["highest_tf"]).ravel()
    elif name == "doc_ids_order" and np.array_equal(values, np.arange(values.size)):
        yield name, np.empty(0, layout.dtype)
    else:
        yield name, np.ascontiguousarray(values, layout.dtype)


def _narrowest(label: str, values: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield whole numbers in the narrowest type, or, if that is smaller, as bytes and an array of the large ones."""
    if isinstance(values, Counts) and not values.large.size:
        values = values.small
    numbers = np.asarray(values)
    most = int(numbers.max(initial=0))
    dtype = np.dtype(next(kind for kind in _STORED if np.iinfo(kind).max >= most))
    counts = values if isinstance(values, Counts) else Counts.of(numbers)
    if numbers.size * (dtype.itemsize - 1) > 8 * counts.large.size:
        yield label, np.ascontiguousarray(counts.small)
        yield label + _LARGE, np.ascontiguousarray(counts.large, "<i8")
    else:
        yield label, np.ascontiguousarray(numbers, dtype)


def opened(found: Mapping[str, Sequence[np.ndarray]]) -> dict[str, Any]:
    """Make the arrays of an index from those of its files, by label."""
    arrays = {}
    for label, values in found.items():
        if label.endswith(_LARGE) or label == GROUPS:
            continue
        whole: Any = values[0] if len(values) == 1 else Pieces(values)
        if label + _LARGE in found:
            whole = Counts(whole, found[label + _LARGE][0])
        name = _LABELS[label]
        arrays[name] = Starts(whole) if name.endswith("offsets") else whole
    if GROUPS in found and "offsets" in arrays:
        arrays["offsets"].groups = np.asarray(found[GROUPS][0]).reshape(-1, N_COLUMNS)
    order = arrays.get("doc_ids_order")
    if order is not None and "dl" in arrays and not order.size:
        arrays["doc_ids_order"] = np.arange(arrays["dl"].size, dtype=np.int32)
    if "holes" in arrays and "dl" in arrays and not arrays["holes"].size:
        arrays["holes"] = np.zeros(arrays["dl"].size, np.int32)
    return arrays


def widened(arrays: Arrays) -> dict[str, Any]:
    """Widen the arrays to their types in memory, for calculation."""
    return {
        name: values if name in IN_PARTS else np.asarray(values, LAYOUT[name].dtype) for name, values in arrays.items()
    }


def counts_of(arrays: Arrays) -> dict[str, int]:
    """Count documents, terms and postings."""
    return {"documents": arrays["dl"].size, "terms": arrays["cf"].size, "postings": int(arrays["offsets"][-1])}


def array_problem(label: str, values: np.ndarray, sizes: Sizes) -> str:
    """Return the problem with the type or the length of an array of a file, else ""."""
    if label == GROUPS:
        length = N_COLUMNS * (-(-sizes["terms"] // GROUP) + 1)
        fits = values.dtype.str == "<i8" and values.size == length
        return "" if fits else f"it has {values.size} values of type {values.dtype.str}, not {length} of <i8"
    layout = (LAYOUT | OF_FORMAT_4)[_LABELS[label.removesuffix(_LARGE)]]
    large = label.endswith(_LARGE) and layout.whole
    dtypes = ("<i8",) if large else _STORED if layout.whole else (layout.dtype,)
    if values.dtype.str not in dtypes:
        return f"its values are of type {values.dtype.str}, not {' or '.join(dtypes)}"
    length = sizes[layout.per] if layout.per and not large else values.size
    return f"its shape is {values.shape}, not {(length,)}" if values.shape != (length,) else ""


def index_problem(arrays: Arrays) -> str:
    """Return the problem with the arrays as a whole, else ""."""
    missing = set(LAYOUT) - set(arrays)
    for group in _GROUPS:
        if missing.issuperset(group):
            missing -= set(group)
    if missing:
        name = min(missing)
        return f"it has no {LAYOUT[name].label or name}"
    problem = _groups_problem(arrays)
    if problem:
        return problem
    for name, values in arrays.items():
        if isinstance(values, Counts) and values.small.dtype.str != "|u1":
            return f"its {LAYOUT[name].label or name} are not bytes"
    for name in ("terms", "doc_ids"):
        if arrays[f"{name}_offsets"][-1] != arrays[name].size:
            return f"its {name}_lengths do not fit its {name}"
    n_documents = arrays["dl"].size
    for name in ("doc_ids_order", "holes"):
        if name in arrays and arrays[name].size != n_documents:
            return f"its documents do not fit its {name}"
    for name, each in _ONE_FOR_EACH.items():
        if name in arrays and arrays[name].size != arrays[f"{each}_offsets"].size - 1:
            return f"its {name} do not fit its {each}"
    if "value_docs" in arrays and arrays["value_docs"].size != arrays["value_codes"].size:
        return "its value_codes do not fit its value_docs"
    if "field_dl" in arrays and arrays["field_dl"].size != (arrays["fields_offsets"].size - 1) * n_documents:
        return "its field_dl do not fit its fields"
    if "latent" not in arrays:
        return ""
    if arrays["latent"].size != 1:
        return f"its latent has {arrays['latent'].size} values, not 1"
    n_terms = arrays["cf"].size
    n_topics = arrays["latent_documents"].size // n_documents
    fits = (
        n_topics <= min(n_documents, n_terms)
        and arrays["latent_documents"].size == n_topics * n_documents
        and arrays["latent_terms"].size == n_topics * n_terms
    )
    return "" if fits else "its latent_documents and latent_terms do not fit its documents and terms"


def _groups_problem(arrays: Arrays) -> str:
    """Return the problem with the starts of groups of terms, else ""; what a group holds is checked when it is read."""
    groups = arrays["offsets"].groups
    if groups is None:
        return f"it has no {GROUPS}"
    ends, df, highest_tf = groups[-1].tolist(), arrays["offsets"].lengths, arrays["highest_tf"]
    fitting = (
        not groups[0].any()
        and (groups[1:] >= groups[:-1]).all()
        and ends[BLOCKS] == arrays["gap_bits"].size
        and ends[BIT] <= 64 * (arrays["postings"].size - 1)
        and (not isinstance(df, Counts) or ends[LARGE_DF] == df.large.size)
        and (not isinstance(highest_tf, Counts) or ends[LARGE_TF] == highest_tf.large.size)
    )
    return "" if fitting else f"its {GROUPS} do not fit its postings"


_CHUNK = 1 << 20  # values


def array_chunks(values: Blob) -> Iterator[Any]:
    """Yield an array in the numpy file format: the header, then the numbers in chunks."""
    arrays = values.arrays if isinstance(values, Pieces) else [values]
    header = io.BytesIO()
    shape = {"descr": arrays[0].dtype.str, "fortran_order": False, "shape": (values.size,)}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    for array in arrays:
        for start in range(0, array.size, _CHUNK):
            yield np.ascontiguousarray(array[start : start + _CHUNK]).view(np.uint8).data


class Entry(NamedTuple):
    """File of an index: its name, what the manifest says of it, and the checksums of its pages if it is large."""

    name: str
    described: Mapping[str, Any]
    pages: np.ndarray  # uint32

    @classmethod
    def of(cls, label: str, sums: Checksums) -> Entry:
        """Make the entry of a file with these checksums, of an array or of a part of it, such as texts-0."""
        described = {"bytes": sums.size, "sha256": sums.sha256}
        name = f"{label}-{sums.sha256[:HASH_LENGTH]}.npy"
        return cls(name, described, sums.pages if is_large(sums.size) else NO_PAGES)


NO_PAGES = np.empty(0, "<u4")


def array_entry(label: str, values: Blob, write: Callable[[Any], object] = lambda chunk: None) -> Entry:
    """Write the content of an array, and return the entry of its file."""
    sums = Checksums()
    for chunk in array_chunks(values):
        sums.update(chunk)
        write(chunk)
    return Entry.of(label, sums)


def entries_with_pages(entries: Iterable[Entry], made: Callable[[str, np.ndarray], Entry]) -> dict[str, Any]:
    """Return the manifest's entries of files, and that of a file with the checksums of all pages, if there are any."""
    every = list(entries)
    pages = np.concatenate([NO_PAGES, *(entry.pages for entry in every)])
    if pages.size:
        every.append(made(PAGES, pages))
    return {entry.name: entry.described for entry in every}


def index_checksum(description: Mapping[str, Any], arrays: Arrays) -> str:
    """Compute the checksum that would end the manifest of the index if it were saved; nothing is written."""
    labelled = (labelled_array for name in arrays for labelled_array in stored(name, arrays))
    files = entries_with_pages((array_entry(label, values) for label, values in labelled), array_entry)
    return seal(sealed({**description, "counts": counts_of(arrays)}, files))


VERSION, WITHOUT_VALUES = 5, 4
"""Format of an index with values of fields, and of one without, which has not changed since."""
MANIFEST = "manifest.json"

INDEX = "toysearch index"
SHARDED = "toysearch sharded index"
_OPENING = {form: f'{{\n "format": "{form}"'.encode() for form in (INDEX, SHARDED)}
"""Beginning of the manifest of each form."""
_VERSIONS = {INDEX: (WITHOUT_VALUES, VERSION), SHARDED: (1,)}
_WRONG = "its {} is missing or has the wrong type"
_LARGEST = 1 << 28  # bytes; a normal manifest has about a thousandth of that
_SEAL = b',\n "sha256": "'


def sealed(description: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]], form: str = INDEX) -> bytes:
    """Return the bytes of a manifest, whose last entry is the checksum of everything before it."""
    keeps_values = any(name.startswith("value_kinds") for name in files)
    manifest = {"format": form, "version": _VERSIONS[form][keeps_values], **description, "files": files}
    return _with_seal(json.dumps(manifest, indent=1).removesuffix("\n}").encode())


def _with_seal(body: bytes) -> bytes:
    return body + _SEAL + f'{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode()


def seal(manifest: bytes) -> str:
    """Return the checksum at the end of a manifest."""
    return manifest[-68:-4].decode("latin-1")


def is_ours(folder: AnyPath) -> bool:
    """True if toysearch wrote the manifest of a folder, damaged or not, in any version."""
    return _read(manifest_of(folder)).startswith((*_OPENING.values(),))


def is_sharded(folder: AnyPath) -> bool:
    """True if a folder holds an index in shards, damaged or not."""
    try:
        return _read(manifest_of(folder)).startswith(_OPENING[SHARDED])
    except StorageError:  # missing, or not a plain file: what reads it says so
        return False


def read_manifest(folder: AnyPath, form: str = INDEX) -> dict[str, Any]:
    """Read the manifest of a folder, and refuse it if any byte has changed."""
    path = manifest_of(folder)
    if not os.path.lexists(path):
        named = shown(folder)
        if not os.path.exists(named):
            raise StorageError(f"{named}: there is no such folder; toysearch index SOURCE -o {named} makes one")
        if os.path.isdir(named) and any(map(is_data_file, os.listdir(named))):
            raise StorageError(f"{named} is an index whose saving was interrupted; build it again")
        raise StorageError(f"{named} is not an index: it has no {MANIFEST}")
    raw = _read(path)
    if not raw.startswith(_OPENING[form]):
        raise StorageError(f"{shown(folder)} is not an index: its {MANIFEST} was not written by toysearch")
    try:
        manifest = json.loads(raw)
    except (ValueError, RecursionError):
        raise damaged(path, "it is not JSON written by toysearch") from None
    version = manifest.get("version")  # the opening bytes have shown that it is an object
    if type(version) is not int:
        raise damaged(path, f"{_WRONG.format('version')}")
    ours = max(_VERSIONS[form])
    if version not in _VERSIONS[form]:
        age, way_out = ("newer", "upgrade it, or build") if version > ours else ("older", "build")
        raise StorageError(
            f"{shown(folder)} is an index of format {version}, written by a{'n' * (age == 'older')} {age} toysearch; "
            f"this one reads format {ours}: {way_out} the index again"
        )
    if _with_seal(raw.rpartition(_SEAL)[0]) != raw:
        raise damaged(path, CHANGED)
    for name, fits in _SHAPE.items():
        if not fits(manifest.get(name)):
            raise damaged(path, _WRONG.format(name))
    for name, entry in manifest["files"].items():
        complete = isinstance(entry, dict) and {"bytes", "sha256"} <= entry.keys()
        hashed = complete and isinstance(entry["sha256"], str) and re.fullmatch("[0-9a-f]{64}", entry["sha256"])
        if not hashed or not _is_count(entry["bytes"]):
            raise damaged(path, _WRONG.format(f"entry of {name}"))
    checked_manifest: dict[str, Any] = manifest
    return checked_manifest


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


_SHAPE: dict[str, Callable[[object], bool]] = {
    "collection": lambda value: isinstance(value, str),
    "analyzer": lambda value: isinstance(value, dict),
    "word_counts": lambda value: value is None or value is True,
    "reading": lambda value: value is None or isinstance(value, dict),
    "counts": lambda value: (
        isinstance(value, dict)
        and value.keys() == {"documents", "terms", "postings"}
        and all(map(_is_count, value.values()))
        and value["documents"] > 0
    ),
    "files": lambda value: isinstance(value, dict),
}
"""Check of the type of each value of a manifest."""


def plain_size(path: AnyPath) -> int:
    """Return the size of a file of an index; refuse anything but a plain file (a link, a pipe or a device)."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise damaged(path, "it is not a plain file")
    return status.st_size


def _read(path: AnyPath) -> bytes:
    def content() -> bytes:
        with open(path, "rb") as file:
            return file.read()

    try:
        if plain_size(path) > _LARGEST:
            raise damaged(path, "it is too large")
        return patiently(content)  # while another process replaces it
    except OSError as error:
        raise StorageError(f"{shown(path)} cannot be read: {error.strerror}") from None
