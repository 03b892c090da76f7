import json
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher
from toysearch.base import Query
from toysearch.base.errors import ToysearchError, ToysearchNote
from toysearch.workbench.vectors import nearest_vectors, user_vectors
from toysearch.workbench.vectors.nearest_vectors import Points, nearest
from toysearch.workbench.vectors.vector_files import read_vectors

IDS = ["d1", "d2", "d3", "d4"]
MATRIX = np.array([[1.0, 0.0], [2.0, 2.0], [0.0, 3.0], [0.0, 0.0]], dtype=np.float32)
QUERIES = {"q1": [1.0, 0.0], "q2": [1.0, 3.0]}


@pytest.fixture(scope="module")
def index():
    return Index.build({doc_id: f"text of {doc_id}" for doc_id in IDS})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with vectors of the documents and of two queries, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write("v.npy", IDS, MATRIX)
    write("q.npy", [*QUERIES], np.array([*QUERIES.values()]))
    Path("mine.py").write_text("def embed(text):\n    return [len(text), 0]\ndef wrong(text):\n    return 1 / 0\n")
    return tmp_path


def write(name, ids, matrix):
    np.save(name, matrix)
    Path(name).with_suffix(".ids").write_text("".join(f"{each}\n" for each in ids))


def ranked(index, model, query_id="q2", k=None):
    ranking = Searcher(index, model).search("", k, query_id=query_id)
    return dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))


def test_scores_are_cosines_or_dot_products(index, files):
    assert ranked(index, "dense:v.npy,queries=q.npy") == pytest.approx(
        {"d1": 10**-0.5, "d2": 8 / 80**0.5, "d3": 3 / 10**0.5, "d4": 0.0}
    )
    found = ranked(index, "dense:v.npy,queries=q.npy,similarity=dot")
    assert found == {"d3": 9.0, "d2": 8.0, "d1": 1.0, "d4": 0.0}
    assert [*found] == ["d3", "d2", "d1", "d4"]


def test_ties_keep_the_order_of_the_collection_whatever_the_order_of_the_file(index, files):
    write("v.npy", IDS[::-1], np.ones((4, 2)))
    for k in (1, 2, 3, None):
        assert [*ranked(index, "dense:v.npy,queries=q.npy", k=k)] == IDS[:k]


@pytest.mark.parametrize("form", ["fortran", "big-endian", "float16", "float64", "int8"])
def test_arrays_of_other_forms_give_the_same_scores(index, files, form):
    expected = ranked(index, "dense:v.npy,queries=q.npy")
    kinds = {"big-endian": ">f4", "float16": "<f2", "float64": "<f8", "int8": "i1"}
    np.save("v.npy", np.asfortranarray(MATRIX) if form == "fortran" else MATRIX.astype(kinds[form]))
    assert ranked(index, "dense:v.npy,queries=q.npy") == expected


def test_json_lines_in_another_order(index, files):
    expected = ranked(index, "dense:v.npy,queries=q.npy")
    lines = [json.dumps({"_id": each, "vector": row.tolist()}) for each, row in zip(IDS, MATRIX, strict=True)]
    Path("v.jsonl").write_text("\n".join(lines[::-1]))
    Path("q.jsonl").write_text(json.dumps({"query_id": "q2", "embedding": QUERIES["q2"]}))
    assert ranked(index, "dense:v.jsonl,queries=q.jsonl") == expected


def test_parquet(index, files):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    expected = ranked(index, "dense:v.npy,queries=q.npy")
    parquet.write_table(pa.table({"docid": IDS, "vector": MATRIX.tolist()}), "v.parquet")
    assert ranked(index, "dense:v.parquet,queries=q.npy") == expected
    parquet.write_table(pa.table({"docid": IDS, "vector": [[1.0], None, [2.0], [3.0]]}), "v.parquet")
    with pytest.raises(ToysearchError, match=r"^v\.parquet: vector 2 has another length than the first, or none$"):
        Searcher(index, "dense:v.parquet")


def test_a_flex_folder_of_pyterrier_dr(index, files, monkeypatch):
    expected = ranked(index, "dense:v.npy,queries=q.npy")
    flex = files / "flex"
    flex.mkdir()
    MATRIX.tofile(flex / "vecs.f4")
    about = {"type": "dense_index", "format": "flex", "vec_size": 2, "doc_count": 4}
    (flex / "pt_meta.json").write_text(json.dumps(about))
    try:
        import npids
    except ImportError:
        stand_in = types.SimpleNamespace(Lookup=lambda path: IDS)
        monkeypatch.setitem(sys.modules, "npids", stand_in)
    else:
        npids.Lookup.build(IDS, str(flex / "docnos.npids"))
    assert ranked(index, "dense:flex,queries=q.npy") == expected
    (flex / "vecs.f4").write_bytes(b"")
    with pytest.raises(ToysearchError, match=r"^flex: expected vecs\.f4 with 4 vectors of 2 numbers, as pt_meta"):
        Searcher(index, "dense:flex")


def test_a_function_makes_the_vectors_of_queries(index, files):
    ranking = Searcher(index, "dense:v.npy,queries=mine.py:embed").search("zebra", None)
    assert list(ranking.doc_ids) == ["d1", "d2", "d3", "d4"]


def test_a_function_that_fails_is_named_with_its_line(index, files):
    with raising(ToysearchError, "mine.py:4: mine.py:wrong raised ZeroDivisionError: division by zero, for 'zebra'"):
        Searcher(index, "dense:v.npy,queries=mine.py:wrong").search("zebra")


def test_explanations_add_up_over_the_dimensions(index, files):
    searcher = Searcher(index, "dense:v.npy,queries=q.npy")
    why = toysearch.explain(searcher, Query("q2", ""), "d2")
    axes = [number for number in why.tree.walk() if number.kind == "dimension"]
    assert sum(axis.value for axis in axes) == pytest.approx(why.score)
    assert [axis.label for axis in axes] == ["2", "1"]
    assert "dimension" in str(why)


def test_similar_documents_take_their_own_vectors(index, files):
    assert list(toysearch.similar(index, "d1", "dense:v.npy").doc_ids) == ["d2", "d3", "d4"]


def test_vectors_of_other_documents_are_left_out_with_a_note(index, files):
    expected = ranked(index, "dense:v.npy,queries=q.npy")
    write("v.npy", ["x", *IDS], np.vstack([[9, 9], MATRIX]))
    with pytest.warns(ToysearchNote, match=r"^v\.npy: 1 vector of documents that the index does not have$"):
        assert ranked(index, "dense:v.npy,queries=q.npy") == expected


def changed(place, value):
    made = MATRIX.copy()
    made[place] = value
    np.save("v.npy", made)


NOT_FINITE = "v.npy: the vector of '{}' has a number that is not finite, or is too long"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: changed((1, 0), np.nan), NOT_FINITE.format("d2")),
        (lambda: changed((2, 1), np.inf), NOT_FINITE.format("d3")),
        (
            lambda: write("v.npy", ["d1", "d2", "d1", "d4"], MATRIX),
            "v.npy: the id 'd1' is that of vector 1 and of vector 3",
        ),
        (
            lambda: write("v.npy", IDS[:2], MATRIX[:2]),
            "v.npy has no vector of document 'd3' and 1 other; each document needs one",
        ),
        (lambda: write("v.npy", IDS[:3], MATRIX), "v.npy has 4 vectors and 3 ids"),
        (
            lambda: np.save("v.npy", np.ones(4)),
            "v.npy is an array of the shape (4,); expected one row per vector, as in (1400, 384)",
        ),
        (
            lambda: np.save("v.npy", np.full((4, 2), "x")),
            "v.npy is an array of type <U1; expected numbers such as float32",
        ),
        (
            lambda: np.save("v.npy", np.array([{}] * 4), allow_pickle=True),
            "v.npy is not a NumPy array of numbers: Array can't be memory-mapped: Python objects in dtype.",
        ),
        (
            lambda: Path("v.ids").unlink(),
            "v.ids: there is no such file; it has the ids of v.npy, one on each line (or name ids=FILE)",
        ),
    ],
)
def test_files_that_hold_no_vectors_are_refused(index, files, change, message):
    change()
    with raising(ToysearchError, message):
        Searcher(index, "dense:v.npy").search("zebra")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("none.npy", "none.npy: there is no such file"),
        ("v.bin", "v.bin: expected vectors as .npy, .parquet, .jsonl, or a FLEX folder of pyterrier_dr"),
        ("v.npy", "v.npy comes without vectors of queries; add queries=FILE or queries=mine.py:embed"),
        (
            "v.npy,queries=q.npy",
            "q.npy has vectors of queries by their ids; give the id of a query, or a function that makes vectors of "
            "texts, queries=mine.py:embed",
        ),
        ("v.jsonl", "v.jsonl:2: the vector has 1 numbers, and those before it have 2"),
        ("w.jsonl", 'w.jsonl:1: expected an object with _id and vector, found {"_id": "d1"}'),
        ("v.npy,similarity=l2", "unknown similarity 'l2'. Similarities: cosine, dot"),
        (
            "v.npy,query=q.npy",
            "dense has no option 'query'. Options of dense: queries, similarity, ids",
        ),
    ],
)
def test_mistakes_are_sentences(index, files, named, message):
    Path("v.jsonl").write_text('{"_id": "d1", "vector": [1, 2]}\n{"_id": "d2", "vector": [1]}')
    Path("w.jsonl").write_text('{"_id": "d1"}')
    with raising(ToysearchError, message):
        Searcher(index, f"dense:{named}").search("zebra")


def test_a_vector_of_a_query_is_missing_or_too_short(index, files):
    with pytest.raises(ToysearchError, match=r"^q\.npy has no vector of query 'q9'$"):
        ranked(index, "dense:v.npy,queries=q.npy", "q9")
    write("q.npy", ["q2"], np.ones((1, 3)))
    with pytest.raises(ToysearchError, match=r"^q\.npy gives an array of the shape \(3,\) for a query; expected 2 num"):
        ranked(index, "dense:v.npy,queries=q.npy")


def test_the_files_of_several_models_are_each_read_once(index, files, monkeypatch):
    read = []
    monkeypatch.setattr(user_vectors, "read_vectors", lambda name, *ids: read.append(name) or read_vectors(name, *ids))
    write("w.npy", IDS, MATRIX + 1)
    for _ in range(2):
        for name in ("v.npy", "w.npy"):
            ranked(index, f"dense:{name},queries=q.npy")
    assert read == ["v.npy", "q.npy", "w.npy", "q.npy"]
    write("v.npy", IDS, MATRIX[:, ::-1] * 3)
    os.utime("v.npy", ns=(1, 1))
    assert ranked(index, "dense:v.npy,queries=q.npy,similarity=dot")["d1"] == 9.0


def test_a_changed_function_is_noticed(index, files):
    text = "def embed(text):\n    return [1, {}]\n"
    for second, best in ((0, "d1"), (100, "d3")):
        Path("mine.py").write_text(text.format(second))
        assert next(iter(ranked(index, "dense:v.npy,queries=mine.py:embed"))) == best


# The nearest of many vectors


def plain(matrix, query, cosine):
    """Each score by itself, in 64-bit floats."""
    found = []
    for row in np.asarray(matrix, dtype=np.float64):
        lengths = np.sqrt(np.square(row).sum()) * np.sqrt(np.square(query).sum())
        score = (row * query).sum()
        found.append((score / lengths if lengths else 0.0) if cosine else score)
    return np.array(found)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(["<f2", "<f4", "<f8"]), st.integers(1, 60))
def test_the_best_are_those_of_all_scores_in_any_blocks_and_any_order(seed, cosine, dtype, block):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    rounded = rng.integers(0, 2)  # whole numbers: many ties and zeros
    matrix = rng.normal(size=(n, d)).round(0 if rounded else 3).astype(dtype)
    docs = rng.permutation(n)
    queries = [rng.normal(size=d).round(1) for _ in range(3)]
    k = int(rng.integers(1, n + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_vectors, "_BLOCK", block)
        points = Points(matrix, cosine, docs)
        for query, (best, scores) in zip(queries, nearest(points, queries, k), strict=True):
            expected = np.empty(n)
            expected[docs] = plain(matrix, query, cosine)
            order = np.argsort(-expected, kind="stable")[:k]
            assert best.tolist() == order.tolist()
            assert scores.tolist() == expected[order].tolist()
            assert points.all_scores(query).tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_vectors_outside_the_range_of_32_bits_are_scored_in_64(scale):
    matrix = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * scale
    [(docs, scores)] = nearest(Points(matrix, cosine=True), [np.array([1.0, 0.5]) * scale], 2)
    assert docs.tolist() == [1, 0]
    assert scores == pytest.approx([0.9486833, 0.8944272])


def test_ties_within_the_error_of_32_bits_are_decided_exactly():
    matrix = np.array([[1.0, 0.0], [1.0, 1e-9], [1.0, 2e-9]])
    [(docs, _)] = nearest(Points(matrix, cosine=False), [np.array([1.0, 1.0])], 2)
    assert docs.tolist() == [2, 1]
