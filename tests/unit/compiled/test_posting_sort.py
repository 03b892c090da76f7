"""Postings sorted by loops in both forms, compared with numpy; tests/properties/test_scanning.py has any texts."""

import numpy as np
import pytest
from chosen_way import way
from loop_forms import both_forms, in_python

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.collection.document_batches import batches
from toysearch.index import threaded_builder
from toysearch.index.builder import build_arrays
from toysearch.index.document_columns import Columns
from toysearch.index.postings import read_only
from toysearch.index.strings import GrowingStrings
from toysearch.index.threaded_builder import ScannedTerms

TEXTS = ["the cat " * 3, "", "dog", "a dog and a cat of the dogs", "cat " * 300 + "dog " * 255, "parrots cat " * 254]
LONG = "x y " * 33_000 + "dog"  # its positions need more than 16 bits


@pytest.fixture(params=["python", "compiled"])
def form(request, monkeypatch):
    if request.param == "python":
        in_python(monkeypatch, "posting_sort")


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer.for_language("english")], ids=["plain", "english"])
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("in_ranges", [False, True])
def test_postings_and_positions_are_those_of_numpy(threads, analyzer, long, in_ranges, monkeypatch):
    if in_ranges:
        monkeypatch.setattr(threaded_builder, "_MANY", 0)
    documents = [Document(str(number), text) for number, text in enumerate([*TEXTS, LONG] if long else TEXTS)]
    with way("plain"):
        expected = build_arrays(batches(documents), analyzer, positions=True)
    columns, terms = Columns((), lambda name: GrowingStrings()), ScannedTerms(analyzer, threads, 40, positions=True)
    for batch in batches(documents):
        terms.add(batch, columns.add(batch))
    arrays = read_only(terms.finish())
    for name in ("docs", "tf", "places"):
        np.testing.assert_array_equal(np.asarray(arrays[name]), expected.plain[name], err_msg=name)
    for name in ("terms", "terms_offsets", "offsets", "cf", "dl", "distinct", "max_tf", "holes"):
        np.testing.assert_array_equal(arrays[name], expected[name], err_msg=name)


def test_strings_are_gathered_in_order():
    for module in both_forms("posting_sort"):
        gathered = np.empty(6, np.uint8)
        blob = np.frombuffer(b"catadog", np.uint8)
        module.gather(blob, np.array([0, 3, 4, 7]), np.array([2, 0]), gathered)
        assert gathered.tobytes() == b"dogcat"
