"""Equal hashes and equal ids found by both forms of the loops, compared with dicts."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from loop_forms import both_forms

from toysearch.base.encoded_texts import GroupedIds, Identifiers

IDS = st.lists(st.sampled_from([f"d{number}" * (number % 5 + 1) for number in range(40)]), unique=True, max_size=40)


def grouped(groups: list[list[str]], numbers: list[int]) -> GroupedIds:
    """Ids group by group, with hashes of the given numbers of groups."""
    bounds = np.cumsum([0, *map(len, groups)])
    ids = Identifiers.of([doc_id for group in groups for doc_id in group]).widened(5)
    return GroupedIds(ids, bounds, ids.in_groups(np.repeat(numbers, np.diff(bounds))))


@given(st.lists(st.lists(st.integers(0, 30)), max_size=5), st.integers(0, 63))
def test_two_equal_hashes_of_a_group_are_noticed(groups, shift):
    bounds = np.cumsum([0, *map(len, groups)])
    hashes = np.array([value for group in groups for value in group], np.uint64) << np.uint64(shift)
    expected = any(np.unique(hashes[first:last]).size < last - first for first, last in pairwise(bounds.tolist()))
    for form in both_forms("id_hashes"):
        with np.errstate(over="ignore"):
            assert bool(form.repeated(hashes, bounds)) == expected


@given(ours=st.lists(IDS, min_size=1, max_size=4), others=st.lists(IDS, min_size=4, max_size=4), data=st.data())
def test_ids_are_found_in_their_group(ours, others, data):
    groups = data.draw(st.lists(st.integers(0, 3), min_size=len(ours), max_size=len(ours), unique=True))
    some, all_others = grouped(ours, groups), grouped(others, [0, 1, 2, 3])
    expected = []
    for ids, group in zip(ours, groups, strict=True):
        first = int(all_others.offsets[group])
        expected += [first + others[group].index(doc_id) if doc_id in others[group] else -1 for doc_id in ids]
    for form in both_forms("id_hashes"):
        places = np.full(len(expected), -1)
        found = form.find(
            *(some.hashes, some.ids.words, some.offsets, np.array(groups)),
            *(all_others.hashes, all_others.ids.words, all_others.offsets, places),
        )
        assert found
        assert places.tolist() == expected


def test_two_equal_hashes_are_left_to_others_and_equal_hashes_of_other_ids_are_no_match():
    ids = Identifiers.of(["a", "b"]).words
    one, bounds, hashes = np.array([0]), np.array([0, 2]), np.array([7, 7], np.uint64)
    for form in both_forms("id_hashes"):
        places = np.array([-1, -1])
        assert not form.find(hashes, ids, bounds, one, hashes, ids, bounds, places)
        assert form.find(hashes[:1], ids[:1], bounds // 2, one, hashes[:1], ids[1:], bounds // 2, places)
        assert places.tolist() == [-1, -1]
