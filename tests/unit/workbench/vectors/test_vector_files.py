"""Files of vectors from strangers: read, or refused in one sentence that names them, in bounded time and memory."""

import contextlib
import io
import json
import os
import re

import numpy as np
import pytest
from damaged_files import mutated
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tiers import often

from toysearch.base.errors import ToysearchError
from toysearch.workbench.vectors import vector_files
from toysearch.workbench.vectors.vector_files import read_vectors

pytestmark = pytest.mark.system

IDS = ["d1", "d2", "d3"]
MATRIX = np.arange(1.0, 13.0).reshape(3, 4)
VECTORS = MATRIX.tolist()


def array(values=MATRIX):
    """The bytes of a file of numpy."""
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def array_of(shape, kind="<f8", size=96):
    """The bytes of a file of numpy whose header says this."""
    file = io.BytesIO(array())
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + file.getvalue()[-size:]


def lines(values=VECTORS, ids=IDS):
    """The bytes of JSON Lines."""
    return "".join(
        json.dumps({"_id": own, "vector": row}) + "\n" for own, row in zip(ids, values, strict=True)
    ).encode()


def table(vectors=VECTORS, ids=IDS, name="vector", **kinds):
    """The bytes of a Parquet file."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    columns = {"docid": pa.array(ids, kinds.get("ids")), name: pa.array(vectors, kinds.get("vectors"))}
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


@contextlib.contextmanager
def among(folder, **files):
    """A folder with some files, which is the current one."""
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    with contextlib.chdir(folder):
        yield


LONG = b"1" * 400
DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("v.npy", array_of((2**64, 4)), "v.npy cannot be read as vectors: "),
        ("v.npy", array_of((True, 3)), "v.npy "),
        ("v.npy", array_of((-1, 4)), "v.npy "),
        ("v.npy", array_of((3, 10**6)), "v.npy is not a NumPy array of numbers: "),
        ("v.npy", array_of((3, 4), "|O"), "v.npy is not a NumPy array of numbers: "),
        ("v.npy", array_of((3, 4), "<c16"), "v.npy "),
        ("v.npy", array()[:100], "v.npy is not a NumPy array of numbers: "),
        ("v.npy", b"", "v.npy is not a NumPy array of numbers: "),
        ("v.jsonl", lines() + b'{"_id": "d4", "vector": [' + LONG + b"]}", "v.jsonl:4: a number as vector is outside "),
        ("v.jsonl", lines() + b'{"_id": "d4", "vector": [' + LONG * 20 + b"]}", "v.jsonl:4: expected a JSON object "),
        ("v.jsonl", b'{"_id": "d1", "vector": ' + DEEP, "v.jsonl:1: expected a JSON object "),
        ("v.json", DEEP, "v.json"),
        ("v.jsonl", b'{"_id": ["d1"], "vector": [1]}', "v.jsonl:1: expected a text or a number as _id, found ['d1']"),
        ("v.jsonl", b"\xff\xfe\x00", "v.jsonl"),
    ],
)
def test_odd_files_are_refused(name, data, said, tmp_path):
    with among(tmp_path, v_ids="\n".join(IDS).encode()):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ToysearchError) as refused:
            read_vectors(name)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vectors": [1, 2, 3]}, "v.parquet: the column vector has values of type int64; expected lists of numbers"),
        ({"vectors": ["a", "b", "c"]}, "v.parquet: the column vector has values of type string; expected lists"),
        ({"vectors": [["a"]] * 3}, "v.parquet: the column vector has values of type list<"),
        ({"vectors": [{"a": 1}] * 3}, "v.parquet: the column vector has values of type struct<"),
        ({"ids": [[1]] * 3}, "v.parquet: the column docid has values of type list<"),
        ({"name": "numbers"}, "v.parquet has the columns docid, numbers; expected _id and vector"),
        ({"vectors": [[1.0], [1.0, 2.0], [1.0]]}, "v.parquet: vector 2 has another length than the first, or none"),
        ({"vectors": [None, [1.0], [1.0]]}, "v.parquet: vector 1 has another length than the first, or none"),
    ],
)
def test_odd_tables_are_refused(options, said, tmp_path):
    with among(tmp_path, v_parquet=table(**options)), pytest.raises(ToysearchError) as refused:
        read_vectors("v.parquet")
    assert str(refused.value).startswith(said)


def test_vectors_of_several_batches_are_read(tmp_path):
    n = 700
    with among(tmp_path, v_parquet=table(np.ones((n, 2)).tolist(), [f"d{each}" for each in range(n)])):
        found = read_vectors("v.parquet")
        assert (len(found.ids), found.ids[-1], found.matrix.shape) == (n, "d699", (n, 2))
    vectors = np.ones((n, 2)).tolist()
    vectors[600] = [1.0]
    odd = {"v_parquet": table(vectors, [f"d{each}" for each in range(n)])}
    said = r"^v\.parquet: vector 601 has another length"
    with among(tmp_path, **odd), pytest.raises(ToysearchError, match=said):
        read_vectors("v.parquet")


@pytest.mark.parametrize("options", [{}, {"vectors": []}], ids=["wide", "many ids"])
def test_a_small_table_does_not_fill_the_memory(options, tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    if options:
        rows = 2_000
        columns = {"_id": pa.array(["x" * 200_000] * rows), "vector": pa.array([[1.0]] * rows)}
    else:
        columns = {"_id": pa.array(["a", "b"]), "vector": pa.array([np.zeros(6_000_000)] * 2)}
    parquet.write_table(pa.table(columns), tmp_path / "v.parquet")
    size = (tmp_path / "v.parquet").stat().st_size
    assert size < 600_000
    pool = pa.system_memory_pool()
    monkeypatch.setattr(vector_files, "_ROWS", 64)
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        with contextlib.chdir(tmp_path), pytest.raises(ToysearchError) as refused:
            read_vectors("v.parquet")
    finally:
        pa.set_memory_pool(before)
    assert str(refused.value) == f"v.parquet has {size:,} bytes, and its vectors or ids more than {1 << 26:,}"
    assert pool.max_memory() < 400_000_000  # of 96 and of 400 MB


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
@pytest.mark.parametrize("name", ["v.npy", "v.ids", "v.jsonl", "v.parquet", "flex/pt_meta.json", "flex/docnos.npids"])
def test_pipes_are_not_read(name, tmp_path):
    (tmp_path / "flex").mkdir()
    os.mkfifo(tmp_path / name)
    if name == "v.ids":
        (tmp_path / "v.npy").write_bytes(array())
    source = "flex" if "flex" in name else name.replace(".ids", ".npy")
    with contextlib.chdir(tmp_path), pytest.raises(ToysearchError) as refused:
        read_vectors(source)
    assert str(refused.value) == f"{name} is not a plain file, which vectors and their ids are read from"


FLEX = {
    "doc_count": ["1" * 400, -1, 1e999, None, [1], True, 3.5],
    "vec_size": [10**400, {}, "x"],
    "format": [1, None, "other"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in FLEX.items() for value in values])
def test_odd_descriptions_of_a_folder_are_refused(key, value, tmp_path):
    about = {"doc_count": 3, "vec_size": 4, "format": "flex", key: value}
    (tmp_path / "pt_meta.json").write_text(json.dumps(about), encoding="utf-8")
    (tmp_path / "vecs.f4").write_bytes(MATRIX.astype("<f4").tobytes())
    with pytest.raises(ToysearchError, match=re.escape(str(tmp_path))):
        read_vectors(str(tmp_path))


def test_a_deep_description_of_a_folder_is_refused(tmp_path):
    (tmp_path / "pt_meta.json").write_bytes(DEEP)
    with pytest.raises(ToysearchError, match=re.escape(f"its {'pt_meta.json'} is missing or malformed")):
        read_vectors(str(tmp_path))


def outcome(source):
    """The vectors of a file, or the sentence that refuses it."""
    try:
        return read_vectors(source), ""
    except ToysearchError as error:
        return None, str(error)


READERS = {"npy": array, "ids": lambda: "\n".join(IDS).encode(), "jsonl": lines, "json": lines, "parquet": table}


@pytest.mark.parametrize("ending", READERS)
def test_damaged_files_are_read_or_refused(ending, tmp_path):
    valid = READERS[ending]()
    (tmp_path / "v.npy").write_bytes(array())
    (tmp_path / "v.ids").write_bytes("\n".join(IDS).encode())
    path = tmp_path / f"v.{ending}"

    @given(st.data())
    @limits(max_examples=often(600), deadline=None)
    def check(data):
        path.write_bytes(data.draw(mutated(valid)))
        found, refusal = outcome(str(path.with_suffix(".npy") if ending == "ids" else path))
        assert "\n" not in refusal
        assert str(tmp_path) in refusal if found is None else found.matrix.shape[0] == len(found.ids)

    check()
