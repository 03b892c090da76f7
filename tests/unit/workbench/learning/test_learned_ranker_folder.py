"""The folder of a ranker: what is written is opened, and anything that is not as it should be is refused."""

import hashlib
import json
import math
import pickle
import random
import re

import numpy as np
import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError, DataError
from toysearch.models.registry import model
from toysearch.workbench.learning.learned_ranker import (
    LearnedRanker,
    PoolPart,
    feature_of,
    open_ranker,
    pool_part,
    save_ranker,
)
from toysearch.workbench.learning.learners import Linear, TrainingRows, learner_of

VALUES = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.5]])


TREES = "boosting:trees=3,leaves=3,rows=2"


def trees() -> LearnedRanker:
    rows = np.random.default_rng(2).normal(size=(30, 2))
    function = learner_of(TREES).learn(TrainingRows(rows, rows[:, 0] > rows[:, 1]), 5)
    return LearnedRanker(TREES, ("bm25", "length"), (PoolPart("bm25", 200),), function, {"a": 1})


def linear() -> LearnedRanker:
    numbers = np.array([[1.5, -2.0], [0.25, 3.0], [1.0, 0.5]])
    return LearnedRanker("logistic", ("bm25", "length"), (PoolPart("bm25", 200),), Linear(0.1, *numbers))


@pytest.mark.system
def test_weights_are_added_by_hand():
    function = linear().function
    np.testing.assert_allclose(function.scores(VALUES), [0.1 + 1.5 * 0.25 - 24, 0.1 + 1.5 * 0.35 + 4, 2.625])
    np.testing.assert_allclose(function.shares(VALUES)[0], [1.5 * 0.25, -24])


@pytest.mark.system
@pytest.mark.parametrize("ranker", [trees(), linear()])
def test_what_is_saved_is_opened(ranker, tmp_path):
    save_ranker(ranker, tmp_path / "new" / "folder")
    found = open_ranker(tmp_path / "new" / "folder")
    assert (found.learner, found.features, found.pool) == (ranker.learner, ranker.features, ranker.pool)
    assert found.training == ranker.training
    assert found.function.scores(VALUES).tolist() == ranker.function.scores(VALUES).tolist()


@pytest.mark.system
def test_a_pickle_is_not_read(tmp_path):
    (tmp_path / "ranker.pkl").write_bytes(pickle.dumps({"kind": "toysearch-ranker"}))
    for path in (tmp_path, tmp_path / "ranker.pkl"):
        with pytest.raises(DataError, match="pickles, are not read, because reading them can run any program"):
            open_ranker(path)


@pytest.mark.system
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (pickle.dumps([1.0]) + b"x" * 7, "buffer size must be a multiple of element size"),
        (b"\0" * 32, "cannot reshape array of size 4 into shape (3)"),
        (np.full(6, np.nan).tobytes(), "a number is not finite"),
        (
            np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]] * 2).tobytes(),
            "this version of scikit-learn learns other trees from it",
        ),
    ],
)
def test_other_rows_are_refused(content, problem, tmp_path):
    save_ranker(trees(), tmp_path)
    replace(tmp_path, content)
    with pytest.raises(DataError, match=re.escape(problem)):
        open_ranker(tmp_path)


@pytest.mark.system
def test_trees_that_an_older_version_kept_are_learned_again(tmp_path):
    save_ranker(linear(), tmp_path)
    described = json.loads((tmp_path / "ranker.json").read_text())
    del described["linear"]
    (tmp_path / "ranker.json").write_text(json.dumps(described | {"learner": "lambdamart", "trees": {}}))
    with pytest.raises(DataError, match=r"'boosted' is missing; learn it again with `toysearch learn`"):
        open_ranker(tmp_path)


@pytest.mark.system
def test_a_part_that_is_not_a_file_is_refused(tmp_path):
    save_ranker(trees(), tmp_path)
    (tmp_path / "rows.f64").unlink()
    (tmp_path / "rows.f64").symlink_to("/dev/zero")  # reading it would never end
    with pytest.raises(DataError, match=r"rows\.f64 is not a ranker that can be used: it is not a file; learn it"):
        open_ranker(tmp_path)


def replace(folder, content: bytes) -> None:
    """Replace the rows of a ranker, and their checksum."""
    (folder / "rows.f64").write_bytes(content)
    described = json.loads((folder / "ranker.json").read_text())
    described["boosted"]["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "ranker.json").write_text(json.dumps(described))


@pytest.mark.system
@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        ("kind", "other", "it is not a toysearch-ranker of version 1"),
        ("version", 2, "it is not a toysearch-ranker of version 1"),
        ("features", [], "it has no features, or no documents to re-rank"),
        ("features", "bm25", "its weights, means and scales are not 4 numbers each"),
        ("pool", [], "it has no features, or no documents to re-rank"),
        ("pool", [["bm25", 0]], "it has no features, or no documents to re-rank"),
        ("pool", [["bm25", 2.5]], "'float' object cannot be interpreted as an integer"),
        ("pool", [["bm25", 1 << 40]], "it has no features, or no documents to re-rank"),
        ("training", 5, "'int' object is not iterable"),
        ("linear", {}, "'weights' is missing"),
        ("linear", [], "list indices must be integers or slices, not str"),
        ("linear.scales", [1, 0], "expected finite weights and means, and scales above 0"),
        ("linear.weights", [1, "b"], "could not convert string to float: 'b'"),
        ("linear.weights", [1, None], "expected finite weights and means, and scales above 0"),
        ("linear.means", [1, 10**400], "int too large to convert to float"),
        ("linear.intercept", math.inf, "expected finite weights and means, and scales above 0"),
    ],
)
def test_a_description_that_is_not_right_is_refused(part, value, problem, tmp_path):
    save_ranker(linear(), tmp_path)
    described = json.loads((tmp_path / "ranker.json").read_text())
    outer, _, inner = part.partition(".")
    (described[outer] if inner else described)[inner or outer] = value
    (tmp_path / "ranker.json").write_text(json.dumps(described))
    with pytest.raises(DataError) as caught:
        open_ranker(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'ranker.json'} is not a ranker that can be used: {problem}; learn it again with `toysearch learn`"
    )


@pytest.mark.system
@pytest.mark.parametrize("ranker", [trees(), linear()])
def test_a_damaged_folder_is_refused_or_still_a_ranker(ranker, tmp_path):
    """Bytes changed, lost and added at random: an error in a sentence, or numbers for every document."""
    rng, folder = random.Random(7), tmp_path / "ranker"
    save_ranker(ranker, folder)
    whole = {file.name: file.read_bytes() for file in folder.iterdir()}
    for _ in range(100):
        name = rng.choice(sorted(whole))
        content = bytearray(whole[name])
        for _ in range(rng.choice([1, 1, 1, 3])):
            place = rng.randrange(len(content))
            change = rng.randrange(3)
            if change == 0:
                content[place] = rng.randrange(256)
            elif change == 1:
                del content[place : place + rng.choice([1, 8, 40])]
            else:
                content[place:place] = rng.choice([b"0", b"-", b"[", b"1e999", b"\xff", b"null"])
        (folder / name).write_bytes(content)
        if name == "rows.f64" and rng.random() < 0.5:
            replace(folder, bytes(content))
        try:
            found = open_ranker(folder)
        except DataError:
            continue
        finally:
            for each, bytes_ in whole.items():
                (folder / each).write_bytes(bytes_)
        assert len(found.function.scores(np.zeros((3, len(found.features))))) == 3


# What a ranker may be made of


@pytest.mark.parametrize(
    "text",
    [
        "mine.py:rank",
        "mine.py:rank:a=1",
        "min-max(mine.py:rank)",
        "0.5*min-max(mine.py:rank)",
        "bm25 + mine.py:rank*2",
        "rm3(mine.py:rank)",
        "rrf(bm25,mine.py:rank)",
        "dense:vectors.npy,queries=mine.py:embed",
        "dense:vectors.npy,queries=mine.py:embed,similarity=dot",
    ],
)
def test_no_feature_and_no_pool_runs_a_file(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "open('ran', 'w').close()\ndef rank(tf): return tf\ndef embed(text): return [1]\n"
    )
    for read, form in ((feature_of, text), (pool_part, f"{text}@10")):
        with pytest.raises(
            ArgumentError, match="a ranker names no Python file, because opening the ranker would run it"
        ):
            read(form, model)
    assert not (tmp_path / "ran").exists()


def test_the_hint_on_other_features_is_for_features_only():
    with pytest.raises(ArgumentError) as caught:
        feature_of("bm52", model)
    assert str(caught.value) == (
        "feature 'bm52': unknown model 'bm52'; did you mean 'bm25'? Features that are not models: coverage, "
        "idf-coverage, idf-sum, tf-sum, length, query-length, query-idf"
    )
    with raising(ArgumentError, "'bm52@10': unknown model 'bm52'; did you mean 'bm25'?"):
        pool_part("bm52@10", model)
