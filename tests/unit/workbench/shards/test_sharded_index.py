"""An index in shards answers as one index does, and becomes one, byte for byte."""

from itertools import pairwise

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given, settings
from hypothesis import strategies as st
from small_collections import contents
from small_shards import CUTS, N, build_shards, documents, sharded, whole
from tiers import often

from toysearch import Index, load
from toysearch.base.errors import DataError, StorageError
from toysearch.index.index_change import change_index
from toysearch.index.posting_blocks import common_postings
from toysearch.workbench.shards.sharded_index import Shard, ShardedIndex

pytestmark = pytest.mark.system

TEXTS = st.lists(
    st.lists(st.sampled_from(["aa", "bb", "cc", "éé", "zz"]), max_size=5).map(" ".join), min_size=1, max_size=8
)


@settings(max_examples=often(100))
@given(TEXTS, st.lists(st.integers(1, 7), max_size=3), st.booleans())
def test_shards_of_any_documents_are_one_index(texts, cuts, positions):
    named = [(f"d{number}", text) for number, text in enumerate(texts)]
    edges = [0, *sorted({cut for cut in cuts if cut < len(named)}), len(named)]
    built = [Index.build(dict(named[a:b]), positions=positions) for a, b in pairwise(edges)]
    one, index = Index.build(dict(named), positions=positions), ShardedIndex(built)
    assert index.checksum == one.checksum
    assert index.stats == one.stats
    for name in ("df", "cf", "dl", "distinct", "max_tf", "bytes", "doc_ids_order"):
        assert np.array_equal(getattr(index, name), getattr(one, name)), name
    for term in [*one.terms, "unknown"]:
        assert index[term] == one[term]


def test_everything_kept_is_joined():
    index, one = sharded(), whole()
    assert index.checksum == one.checksum
    assert list(index.doc_ids) == list(one.doc_ids)
    assert (index.text(46), index.title(3)) == (one.text(46), one.title(3))
    assert index.positions("w0", "d5").tolist() == one.positions("w0", "d5").tolist() == [0, 2]
    assert index.vector("d12") == one.vector("d12")
    assert [np.array_equal(index.values["year"].codes, one.values["year"].codes)] == [True]
    numbers = np.arange(one.stats.n_terms)
    assert np.array_equal(index.field_tf("title", numbers), one.field_tf("title", numbers))
    assert [docs.tolist() for docs in index.blocks.first_docs(numbers)] == [
        docs.tolist() for docs in one.blocks.first_docs(numbers)
    ]
    assert [each.tolist() for each in index.blocks.of_document(12)] == [
        each.tolist() for each in one.blocks.of_document(12)
    ]


def test_a_shard_numbers_terms_as_the_whole_does():
    index = sharded()
    shard = index.shards[-1]
    assert isinstance(shard, Shard)
    rare, w0, w9 = map(index.term_number, ("rare", "w0", "w9"))
    assert (rare, shard.own_terms(np.array([rare, w0, w9])).tolist()) == (0, [0, 1, -1])
    assert index.shards[0].own_terms(np.array([rare])).tolist() == [-1]
    assert index.shards[0].blocks.of_terms(np.array([rare])).docs.tolist() == []
    assert common_postings(index.shards[0].blocks, np.array([w0, rare]))[0].tolist() == []
    assert (shard.df[rare], shard.stats.N, len(shard)) == (1, N, CUTS[-1] - CUTS[-2])


def test_added_documents_come_last_and_deleted_ones_go_from_their_shard():
    index, one = sharded(), whole()
    new = documents()[3]._replace(doc_id="new")
    added, expected = index.add([new]), one.add([new])
    assert added.checksum == expected.checksum
    assert added.parts[:-1] == index.parts[:-1]
    gone = ["d0", "d30", "new"]
    left = added.delete(gone)
    assert left.checksum == expected.delete(gone).checksum
    assert len(left.parts) == len(index.parts) - 1  # the first shard had one document


def test_a_replaced_document_may_be_in_any_shard():
    again = [documents()[number]._replace(text="w0 again") for number in (2, 30)]
    assert sharded().add(again, replace=True).checksum == whole().add(again, replace=True).checksum
    everything = [each._replace(text="w0 again") for each in documents()]
    assert sharded().add(everything, replace=True).checksum == whole().add(everything, replace=True).checksum
    with pytest.raises(DataError) as expected:
        whole().add(again)
    with raising(DataError, str(expected.value)):
        sharded().add(again)


def test_shards_of_different_kinds_are_refused():
    with raising(StorageError, "the shards differ in their analyzer or in what they store; build the index again"):
        ShardedIndex([Index.build({"1": "a"}), Index.build({"2": "b"}, positions=True)])


def test_shards_keep_how_their_documents_were_read(tmp_path):
    (tmp_path / "goods.csv").write_text("Nr;Words\n7;a pot\n8;a lamp\n9;a mug\n")
    reading = {"columns": "id=Nr,text=Words"}
    Index.build(load(tmp_path / "goods.csv", **reading), folder=tmp_path / "alone")
    for name, joined in (("joined", True), ("parts", False)):
        index = build_shards(tmp_path / "goods.csv", tmp_path / name, shards=2, joined=joined, reading=reading)
        assert index.reading == reading
    assert contents(tmp_path / "joined") == contents(tmp_path / "alone")
    change_index(tmp_path / "parts", lambda index: index.delete(["8"]))
    assert Index.open(tmp_path / "parts").reading == reading
