"""An index in memory has plain postings if it is small, and packed ones if it is large: both answer alike."""

import numpy as np
import pytest
from chosen_way import way
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Index
from toysearch.index import plain_postings
from toysearch.index.plain_postings import PlainPositions, PlainPostings
from toysearch.index.position_blocks import PositionBlocks
from toysearch.index.posting_blocks import PostingBlocks, common_postings

pytestmark = pytest.mark.system

WORDS = st.sampled_from(["cat", "dog", "parrot", "the", "猫", "w" * 40])
TEXTS = st.lists(st.lists(WORDS, max_size=12) | st.just(["cat"] * 300), min_size=1, max_size=12).map(
    lambda documents: {str(number): " ".join(words) for number, words in enumerate(documents)} | {"last": "cat dog"}
)
WAYS = ["plain", "compiled"]


def built(texts: dict[str, str], most: int) -> Index:
    """An index whose postings stay plain if there are at most so many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_postings, "MOST", most)
        return Index.build(texts, positions=True)


def listed(answer: object) -> object:
    """An answer in plain lists."""
    if isinstance(answer, np.ndarray):
        return answer.dtype.str, answer.tolist()
    if isinstance(answer, dict):
        return {key: listed(value) for key, value in answer.items()}
    return [*map(listed, answer)]


@given(texts=TEXTS, data=st.data(), chosen=st.sampled_from(WAYS))
def test_both_layouts_answer_alike(texts, data, chosen):
    with way(chosen):
        plain, packed = built(texts, 1 << 20), built(texts, 0)
        assert isinstance(plain.blocks, PlainPostings)
        assert isinstance(plain.position_blocks, PlainPositions)
        assert isinstance(packed.blocks, PostingBlocks)
        assert isinstance(packed.position_blocks, PositionBlocks)
        numbers = st.lists(st.integers(0, len(plain.terms) - 1), min_size=1, max_size=4, unique=True)
        terms = np.array(data.draw(numbers))
        docs = np.array(sorted(data.draw(st.sets(st.integers(0, len(plain) - 1)))), dtype=np.int64)
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, plain.stats.n_postings)] * 2)))
        for lists in (plain.blocks.packed, packed.blocks):
            for ask in (
                lambda blocks: blocks.spans(terms),
                lambda blocks: blocks.of_terms(terms),
                lambda blocks: blocks.first_docs(terms),
                lambda blocks: blocks.in_documents(int(terms[0]), docs),
                lambda blocks: common_postings(blocks, terms)[0],
                lambda blocks: blocks.span(start, stop),
                lambda blocks: blocks.span(),
            ):
                assert listed(ask(plain.blocks)) == listed(ask(lists))
            for doc in docs.tolist():
                assert [*map(np.ndarray.tolist, plain.blocks.of_document(doc))] == [
                    *map(np.ndarray.tolist, lists.of_document(doc))
                ]
        some = plain.blocks.of_terms(terms[:1]).docs[::2]
        assert listed(plain.position_blocks.of_term(int(terms[0]), some)) == listed(
            packed.position_blocks.of_term(int(terms[0]), some)
        )
        assert plain.checksum == packed.checksum


@given(texts=TEXTS, gone=st.integers(0, 3), chosen=st.sampled_from(WAYS))
def test_changed_indexes_are_alike_in_both_layouts(texts, gone, chosen):
    with way(chosen):
        checksums = set()
        for most in (1 << 20, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(plain_postings, "MOST", most)
                index = Index.build(texts, positions=True).add({"new": "the fresh cat"})
                checksums.add(index.delete(list(index.doc_ids)[:gone] if gone < len(index) else []).checksum)
        assert len(checksums) == 1


@pytest.mark.parametrize("chosen", WAYS)
def test_documents_may_be_every_second_of_others(chosen):
    texts = {str(number): "cat " * 200 for number in range(400)}
    with way(chosen):
        plain, packed = built(texts, 1 << 20), built(texts, 0)
        some = plain.blocks.of_terms(np.array([0])).docs[::2]
        answers = [each.position_blocks.of_term(0, some) for each in (plain, packed)]
        assert listed(answers[0]) == listed(answers[1])
