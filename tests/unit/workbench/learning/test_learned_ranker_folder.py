"""The folder of a ranker: what is written is opened, and anything that is not as it should be is refused."""

import hashlib
import json
import pickle
import random

import numpy as np
import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError, DataError
from toysearch.models.registry import model
from toysearch.workbench.learning.learned_ranker import (
    NODE,
    LearnedRanker,
    Linear,
    PoolPart,
    Trees,
    feature_of,
    open_ranker,
    pool_part,
    save_ranker,
)

TREE = [
    (0, 1, 2, 0.5, 0.1),
    (-1, -1, -1, 0.0, -1.0),
    (1, 3, 4, 2.0, 0.3),
    (-1, -1, -1, 0.0, 0.25),
    (-1, -1, -1, 0.0, 2.0),
]
VALUES = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.5]])


def trees(rows=TREE, starts=(0,)) -> LearnedRanker:
    nodes = np.array(rows, NODE)
    return LearnedRanker(
        "boosting", ("bm25", "length"), (PoolPart("bm25", 200),), Trees(0.5, nodes, np.array(starts)), {"a": 1}
    )


def linear() -> LearnedRanker:
    numbers = np.array([[1.5, -2.0], [0.25, 3.0], [1.0, 0.5]])
    return LearnedRanker("logistic", ("bm25", "length"), (PoolPart("bm25", 200),), Linear(0.1, *numbers))


@pytest.mark.system
def test_a_tree_is_walked_by_hand():
    function = trees().function
    assert function.scores(VALUES).tolist() == [-0.5, 0.75, 2.5]
    base, shares = function.shares(VALUES)
    assert base == 0.6
    np.testing.assert_allclose(shares, [[-1.1, 0], [0.2, -0.05], [0.2, 1.7]])


@pytest.mark.system
def test_weights_are_added_by_hand():
    function = linear().function
    np.testing.assert_allclose(function.scores(VALUES), [0.1 + 1.5 * 0.25 - 24, 0.1 + 1.5 * 0.35 + 4, 2.625])
    assert function.shares(VALUES)[0] == 0.1


@pytest.mark.system
@pytest.mark.parametrize("ranker", [trees(), linear(), trees([*TREE, (-1, -1, -1, 0.0, 7.0)], (0, 5))])
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
def test_nodes_in_a_pickle_are_not_read(tmp_path):
    save_ranker(trees(), tmp_path)
    for content in (
        pickle.dumps(np.array(TREE, NODE)),
        _npy(np.array([{}], object)),
        _npy(np.zeros(5)),
        b"",
        b"x" * 300,
    ):
        replace(tmp_path, content)
        with pytest.raises(DataError, match="it is not an array of nodes"):
            open_ranker(tmp_path)


@pytest.mark.system
def test_a_part_that_is_not_a_file_is_refused(tmp_path):
    save_ranker(trees(), tmp_path)
    (tmp_path / "trees.npy").unlink()
    (tmp_path / "trees.npy").symlink_to("/dev/zero")  # reading it would never end
    with pytest.raises(DataError, match=r"trees\.npy is not a ranker that can be used: it is not a file; learn it"):
        open_ranker(tmp_path)


def _npy(array: np.ndarray) -> bytes:
    import io

    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def replace(folder, content: bytes) -> None:
    """Replace the nodes of a ranker, and their checksum."""
    (folder / "trees.npy").write_bytes(content)
    described = json.loads((folder / "ranker.json").read_text())
    described["trees"]["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "ranker.json").write_text(json.dumps(described))


def changed(place: int, **values: float) -> list[tuple]:
    nodes = np.array(TREE, NODE)
    for name, value in values.items():
        nodes[name][place] = value
    return nodes.tolist()


@pytest.mark.system
@pytest.mark.parametrize(
    ("rows", "starts", "problem"),
    [
        (changed(0, left=0), (0,), "a child is not behind its parent in the same tree"),
        (changed(2, right=1), (0,), "a child is not behind its parent in the same tree"),
        (changed(2, right=5), (0,), "a child is not behind its parent in the same tree"),
        (changed(2, right=-1), (0,), "a child is not behind its parent in the same tree"),
        (TREE + TREE, (0, 5), "a child is not behind its parent in the same tree"),
        (changed(0, feature=2), (0,), "a node branches on a feature beyond the 2 of the ranker"),
        (changed(1, feature=-2), (0,), "a leaf has children"),
        (changed(1, left=2), (0,), "a leaf has children"),
        (changed(0, threshold=np.nan), (0,), "a number is not finite"),
        (changed(3, value=np.inf), (0,), "a number is not finite"),
        (TREE, (1,), "its roots are not in rising order from 0"),
        (TREE, (), "its roots are not in rising order from 0"),
        (TREE, (0, 0), "its roots are not in rising order from 0"),
        (TREE, (0, 5), "its roots are not in rising order from 0"),
        (
            [*((0, n + 1, n + 1, 0.0, 0.0) for n in range(200)), (-1, -1, -1, 0.0, 0.0)],
            (0,),
            "a tree is deeper than 100 levels",
        ),
    ],
)
def test_trees_that_could_not_be_walked_are_refused(rows, starts, problem, tmp_path):
    save_ranker(trees(rows, starts), tmp_path)
    with pytest.raises(DataError) as caught:
        open_ranker(tmp_path)
    path = tmp_path / "trees.npy"
    assert str(caught.value) == (
        f"{path} is not a ranker that can be used: {problem}; learn it again with `toysearch learn`"
    )


@pytest.mark.system
@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        ("kind", "other", 'its kind is not "toysearch-ranker"'),
        ("version", 2, "its version is 2, not 1"),
        ("features", [], "its features are missing, or one of them is given twice"),
        ("features", ["bm25", "bm25"], "its features are missing, or one of them is given twice"),
        ("features", "bm25", "its features is not a list"),
        ("features", [1, 2], "1 is not a text"),
        ("pool", [], "its pool is empty"),
        ("pool", [["bm25", 0]], "the pool has 0 documents of bm25"),
        ("pool", [["bm25", True]], "True is not a whole number"),
        ("pool", [["bm25", 1 << 40]], "1099511627776 is not a whole number"),
        ("training", [], "'training' is not an object"),
        ("linear", {}, "'weights' is missing"),
        ("linear", [], "list indices must be integers or slices, not str"),
        ("linear.scales", [1, 0], "a scale is not above 0"),
        ("linear.weights", [1], "its weights are 1 numbers, not 2"),
        ("linear.weights", [1, "2"], "'2' in weights is not a finite number"),
        ("linear.means", [1, 10**400], "int too large to convert to float"),
        ("linear.intercept", None, "None in intercept is not a finite number"),
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
    for _ in range(400):
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
        if name == "trees.npy" and rng.random() < 0.5:
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
