"""The terms of an opened index: what its groups tell of some of them is what all of it tells."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen_way import way
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from tiers import often

from toysearch import Index, Searcher
from toysearch.base.errors import StorageError
from toysearch.index import posting_blocks
from toysearch.index.content_checks import check_index
from toysearch.index.file_entries import array_entry
from toysearch.index.file_layout import sealed
from toysearch.index.posting_blocks import POSTING, starts_of_groups

pytestmark = pytest.mark.system

CONTRADICTION = "the index is damaged: its postings contradict each other; build it again"
LARGE = "the index is damaged: its large counts do not fit the small ones; build it again"
FITTING = "the index in {} is damaged: its groups do not fit its postings; build it again"


@pytest.fixture(scope="module", autouse=True)
def small_groups():
    """Groups of this test have four terms."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("posting_blocks", "file_layout"):
            patch.setattr(f"toysearch.index.{module}.GROUP", 4)
        yield


def texts() -> list[str]:
    """Documents of words drawn by Zipf's law, some words many times."""
    rng = np.random.default_rng(5)
    chances = 1 / np.arange(1, 61)
    made = [" ".join(f"w{word}" for word in rng.choice(60, 20, p=chances / chances.sum())) for _ in range(400)]
    return [*made, "w3 " * 300 + "w50 " * 700, "", "w7 " * 256]


@pytest.fixture(scope="module")
def built() -> Index:
    return Index.build(texts())


@pytest.fixture(scope="module")
def saved(built, tmp_path_factory) -> Path:
    built.save(folder := tmp_path_factory.mktemp("groups") / "index")
    return folder


def is_whole(index: Index) -> bool:
    """Whether all terms of an index have been computed."""
    return "whole" in index.blocks.packed.terms.__dict__


@pytest.mark.parametrize("highest", [254, 255, 256])
@pytest.mark.parametrize("text", ["{0} cat", "{0} " * 3])
def test_the_highest_number_of_a_group_may_be_the_last_that_fits_a_byte(text, highest, tmp_path):
    often = [" ".join(f"w{word} " * highest for word in (3, 7, 8, 15))]
    index = Index.build([*often, *([text.format("w2 w9 w4")] * (highest - 1)), "w2 w4", "w9"])
    index.save(tmp_path / "idx")
    opened = Index.open(tmp_path / "idx")
    assert check_index(tmp_path / "idx") == []
    for word in (*index.terms, "w2 w15"):
        ranked, expected = (Searcher(each, "bm25").search(word, k=highest + 2) for each in (opened, index))
        assert ranked.doc_ids == expected.doc_ids
        assert ranked.scores.tolist() == expected.scores.tolist()
    assert opened.df_by_term[np.arange(4)].tolist() == index.df[:4].tolist()


@given(terms=st.lists(st.integers(0, 59), max_size=12), many=st.sampled_from([2, 64]))
def test_some_terms_are_as_among_all(built, saved, terms, many):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posting_blocks, "_MANY", many)
        opened = Index.open(saved)
        for some in (np.array(terms, dtype=np.int64), np.array(terms[:2], dtype=np.int64)):
            for found, expected in zip(opened.blocks.spans(some), built.blocks.spans(some), strict=True):
                assert found.tolist() == expected.tolist()
            assert opened.df_by_term[some].tolist() == built.df[some].tolist()
            assert opened.numbers_at("cf", some).tolist() == built.cf[some].tolist()
            for found, expected in zip(opened.blocks.of_terms(some), built.blocks.of_terms(some), strict=True):
                assert found.tolist() == expected.tolist()
            heads = [built.blocks.of_terms(np.array([term])).docs[:128].tolist() for term in some.tolist()]
            assert [*map(np.ndarray.tolist, opened.blocks.first_docs(some))] == heads
        n_groups = len({term // 4 for term in terms})
        assert is_whole(opened) == (len(terms) > many * 4 or n_groups > many)


@given(data=st.data(), many=st.sampled_from([0, 1, 2, 64]))
def test_some_blocks_are_as_among_all(built, saved, data, many):
    """Of any groups, also where a group ends within them."""
    every = built.blocks.packed.terms.whole.columns
    blocks = np.array(sorted(data.draw(st.sets(st.integers(0, every.counts.size - 1), max_size=9))), dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posting_blocks, "_MANY", many)
        opened = Index.open(saved)
        for found, expected in zip(opened.blocks.packed.terms.blocks_at(blocks), every.at(blocks), strict=True):
            assert found.tolist() == expected.tolist()
        assert opened.blocks.packed.decoded(blocks).docs.tolist() == built.blocks.packed.decoded(blocks).docs.tolist()


@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet", "tfidf"])
def test_the_first_queries_compute_no_more_than_their_terms(built, saved, model):
    opened = Index.open(saved)
    with way("plain"):
        searcher, expected = Searcher(opened, model), Searcher(built, model)
        for query in ("w3 w41", "w50", "w59 w3"):
            assert list(searcher.search(query)) == list(expected.search(query))
    assert not is_whole(opened)
    assert {"offsets", "df", "cf", "dl"}.isdisjoint(opened.__dict__)
    assert opened.stats == built.stats
    assert opened.offsets.tolist() == built.offsets.tolist()


def test_an_index_in_memory_has_all_terms(built):
    built.blocks.of_terms(np.array([1]))
    assert built.blocks.packed.terms.ranges(np.array([1]))[0][0] is built.blocks.packed.terms.whole


def regrouped(saved: Path, folder: Path, groups: np.ndarray) -> Path:
    """A copy with other starts of groups, and right checksums."""
    shutil.copytree(saved, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    files = {name: entry for name, entry in manifest["files"].items() if not name.startswith("groups-")}
    content: list[bytes] = []
    name, files[name], _ = array_entry("groups", groups, lambda chunk: content.append(bytes(chunk)))
    (folder / name).write_bytes(b"".join(content))
    described = {key: manifest[key] for key in ("collection", "analyzer", "counts")}
    (folder / "manifest.json").write_bytes(sealed(described, files))
    return folder


def docs_of(index: Index, term: int) -> list[int]:
    """The documents of a term."""
    return index.blocks.of_terms(np.array([term])).docs.tolist()


def told(ask: Callable[..., Any], *arguments: object) -> Any:
    """An answer, or the sentence given instead."""
    try:
        return ask(*arguments)
    except StorageError as error:
        return str(error)


def test_wrong_starts_are_found(built, saved, tmp_path):
    groups = np.load(next(saved.glob("groups-*"))).reshape(-1, 5)
    assert groups[:, POSTING].tolist() == built.offsets[::4].tolist()
    rng = np.random.default_rng(1)
    for number in range(often(100)):
        row, column, change = int(rng.integers(len(groups))), int(rng.integers(5)), int(rng.choice([-1, 1, 1 << 40]))
        wrong = groups.copy()
        wrong[row, column] += change
        folder = regrouped(saved, tmp_path / str(number), wrong.ravel())
        assert check_index(folder) == [FITTING.format(folder)]
        opened = told(Index.open, folder)
        if opened == FITTING.format(folder):
            continue
        for term in range(4 * row - 4, min(4 * row + 4, 60)):
            found = told(docs_of, opened, term)
            if column not in (posting_blocks.LARGE_DF, posting_blocks.LARGE_TF):
                assert found == CONTRADICTION
            elif found != LARGE:  # a group without any has no use for them
                assert found == docs_of(built, term)


def test_a_list_of_another_length_or_type(saved, tmp_path):
    groups = np.load(next(saved.glob("groups-*")))
    for number, wrong in enumerate([groups[:-1], np.append(groups, groups[:5]), groups.astype("<i4")]):
        folder = regrouped(saved, tmp_path / str(number), wrong)
        problem = f"it has {wrong.size} values of type {wrong.dtype.str}, not {groups.size} of <i8"
        (path,) = folder.glob(f"groups-*{array_entry('groups', wrong).name[-20:]}")
        with raising(StorageError, f"{path} is damaged: {problem}; build the index again"):
            Index.open(folder)


def test_starts_of_no_terms():
    nothing = np.empty(0, dtype=np.int64)
    assert starts_of_groups(np.zeros(1, dtype=np.int64), nothing, nothing).tolist() == [[0, 0, 0, 0, 0]]
    assert Index.build(["", ""]).blocks.of_terms(nothing).docs.tolist() == []
