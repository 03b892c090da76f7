import os
import subprocess
import sys

import numpy as np
import pytest
from error_messages import raising
from tiers import exhaustive

from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError, StorageError, ToysearchNote
from toysearch.index.content_checks import check_index
from toysearch.index.index_change import change_index
from toysearch.index.listed_files import index_files
from toysearch.index.saving import save
from toysearch.workbench.vectors.similar_terms import similar_terms

TEXTS = {"d1": "the cat sat", "d2": "a cat and another cat", "d3": "the dog", "d4": "", "d5": "a dog and a parrot"}


def test_two_computations_have_the_same_bits():
    first, second = (Index.build(TEXTS, lsa=3).latent_topics for _ in range(2))
    assert first.documents.tobytes() == second.documents.tobytes()
    assert first.terms.tobytes() == second.terms.tobytes()


def test_topics_are_at_right_angles_and_the_strongest_is_first():
    topics = Index.build(TEXTS, lsa=3).latent_topics
    assert topics.terms.T @ topics.terms == pytest.approx(np.eye(3), abs=1e-6)
    assert topics.strengths.tolist() == sorted(topics.strengths.tolist(), reverse=True)
    furthest = np.abs(topics.terms).argmax(axis=0)
    assert (topics.terms[furthest, range(3)] > 0).all()


@pytest.mark.parametrize(
    ("texts", "n_topics"), [(["cat"], 1), ([""], 0), (["cat", "cat cat"], 1), (["", "cat dog"], 1)]
)
def test_small_indexes_have_fewer_topics(texts, n_topics):
    assert Index.build(texts, lsa=3).latent_topics.documents.shape == (len(texts), n_topics)


def test_they_are_saved_and_follow_changes(tmp_path):
    Index.build(TEXTS, lsa=3).save(tmp_path / "a")
    topics = Index.open(tmp_path / "a").topics(3)
    assert topics.documents.tobytes() == Index.build(TEXTS, lsa=3).latent_topics.documents.tobytes()
    assert check_index(tmp_path / "a") == []
    change_index(tmp_path / "a", lambda index: index.add({"d6": "a parrot sat"}).delete(["d1"]))
    left = {doc_id: text for doc_id, text in TEXTS.items() if doc_id != "d1"} | {"d6": "a parrot sat"}
    Index.build(left, lsa=3, folder=tmp_path / "b")
    assert index_files(tmp_path / "a") == index_files(tmp_path / "b")


def test_an_index_in_memory_computes_topics_and_says_so():
    with pytest.warns(ToysearchNote, match=r"^lsa:2: the topics of 5 documents are computed for this search; "):
        first = (index := Index.build(TEXTS)).topics(2)
    assert index.topics(2) is first


def test_a_saved_index_without_them_says_how_to_build_it(tmp_path):
    Index.build(TEXTS).save(tmp_path / "a")
    Index.build(TEXTS, lsa=3).save(tmp_path / "b")
    for name, has in [("a", "stores no latent topics;"), ("b", "stores lsa:3; take that,")]:
        with pytest.raises(ArgumentError) as error:
            Index.open(tmp_path / name).topics(2)
        assert str(error.value) == (
            f"the index in {tmp_path / name} {has} build it with Index.build(…, lsa=2), or "
            "name the collection instead of the index"
        )


def test_a_number_of_topics_out_of_range_is_refused():
    with pytest.raises(ArgumentError, match=r"^the number of latent topics must be from 1 to 5,000, not 0$"):
        Index.build(TEXTS, lsa=0)


def forged(folder, **changes):
    """An index whose arrays of topics are replaced, and whose checksums fit."""
    index = Index.build(TEXTS, lsa=2)
    arrays = dict(index.arrays)
    arrays |= {name: np.asarray(values, dtype=arrays[name].dtype) for name, values in changes.items()}
    save(folder, index._description, arrays)
    return folder


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"latent": [2, 0]}, "its latent has 2 values, not 1"),
        ({"latent_documents": [1.0] * 9}, "its latent_documents and latent_terms do not fit its documents and terms"),
        ({"latent_terms": [1.0] * 3}, "its latent_documents and latent_terms do not fit its documents and terms"),
    ],
)
def test_forged_sizes_are_refused_when_opened(tmp_path, changes, problem):
    with raising(StorageError, f"the index in {tmp_path / 'a'} is damaged: {problem}; build it again"):
        Index.open(forged(tmp_path / "a", **changes))


def test_numbers_that_are_not_finite_are_refused_when_read(tmp_path):
    folder = forged(tmp_path / "a", latent_documents=[np.nan] * 10)
    with pytest.raises(StorageError, match=r"^the index is damaged: a number of its latent topics is not finite; "):
        Index.open(folder).topics(2)
    assert len(check_index(folder)) == 1


BYTES = """
import hashlib
import numpy as np
from toysearch import Index, Searcher
rng = np.random.default_rng(0)
texts = [" ".join(f"w{number}" for number in rng.zipf(1.2, 60) if number < 5000) for _ in range(1500)]
topics = Index.build(texts, lsa=100).latent_topics
print(hashlib.sha256(topics.documents.tobytes() + topics.terms.tobytes()).hexdigest())
"""


@exhaustive
def test_the_number_of_threads_changes_no_bit():
    found = {
        subprocess.run(
            [sys.executable, "-c", BYTES],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "4")
    }
    assert len(found) == 1


def test_lsa_without_a_number_takes_the_topics_that_are_stored(tmp_path):
    Index.build(TEXTS, lsa=2).save(tmp_path / "a")
    searcher = Searcher(Index.open(tmp_path / "a"), "lsa")
    expected = Searcher(Index.open(tmp_path / "a"), "lsa:2").search("cat", None)
    assert str(searcher.model) == "lsa"
    assert list(searcher.search("cat", None)) == list(expected)
    assert [each.term for each in similar_terms(str(tmp_path / "a"), "cat", "lsa")] != []


def test_more_topics_than_there_are_give_a_note():
    with pytest.warns(ToysearchNote, match=r"^lsa:200: 5 documents with only 4 topics; all are used, "):
        Index.build(TEXTS, lsa=200)
