"""The folder of a learned ranker: ranker.json, and trees.npy if it has trees. Nothing in it is executed."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, DataError
from toysearch.base.wide_counts import repeat_each
from toysearch.formats.writing import replacing_bytes
from toysearch.models.ranker import NODE, Function, Linear, PoolPart, Ranker, Trees

__all__ = ["open_ranker", "save_ranker"]

KIND, VERSION = "toysearch-ranker", 1
DESCRIPTION, NODES = "ranker.json", "trees.npy"
DEEPEST = 100  # levels of a tree
_LARGEST = 1 << 28  # bytes of a file


@checked
def save_ranker(learned: Ranker, folder: str | os.PathLike[str]) -> Path:
    """Write a ranker to a folder, which is made if it is missing; the description is written last.

    Parameters
    ----------
    learned : Ranker
        The ranker.
    folder : str or path
        The folder.

    Raises
    ------
    ArgumentError
        If the folder holds anything else.
    """
    path = Path(folder)
    refuse_foreign(path)
    path.mkdir(parents=True, exist_ok=True)
    described: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "learner": learned.learner,
        "features": list(learned.features),
        "pool": [list(part) for part in learned.pool],
        "training": dict(learned.training),
    }
    function = learned.function
    if isinstance(function, Linear):
        arrays = {name: getattr(function, name).tolist() for name in ("weights", "means", "scales")}
        described["linear"] = {"intercept": function.intercept, **arrays}
    else:
        content = io.BytesIO()
        np.lib.format.write_array(content, function.nodes, allow_pickle=False)
        _write(path / NODES, content.getvalue())
        checksum = hashlib.sha256(content.getvalue()).hexdigest()
        described["trees"] = {"base": function.base, "starts": function.starts.tolist(), "sha256": checksum}
    if isinstance(function, Linear):
        (path / NODES).unlink(missing_ok=True)  # of an earlier ranker
    _write(path / DESCRIPTION, (json.dumps(described, indent=1, allow_nan=False) + "\n").encode())
    return path


def refuse_foreign(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder for a ranker that is a file or inside one, or that holds anything else."""
    path = Path(folder)
    for each in (path, *path.parents):
        if each.exists() and not each.is_dir():
            raise ArgumentError(f"{each} is a file; name a folder for the ranker")
    others = set(os.listdir(path)) - {DESCRIPTION, NODES} if path.is_dir() else set()
    if others:
        raise ArgumentError(f"{path} holds {min(others)}, which is not a part of a ranker; name another folder")


@checked
def open_ranker(folder: str | os.PathLike[str]) -> Ranker:
    """The ranker in a folder, with every number checked before it is used.

    Parameters
    ----------
    folder : str or path
        A folder that `save_ranker` wrote.

    Raises
    ------
    DataError
        If it is not such a folder, or a file in it is damaged.
    """
    path = Path(folder)
    if not path.exists():
        raise DataError(
            f"{path}: there is no such folder; expected that of a ranker, which `toysearch learn -o` writes"
        )
    if not (path / DESCRIPTION).is_file():
        raise DataError(
            f"{path}: expected the folder of a ranker with {DESCRIPTION}, written by `toysearch learn`; other forms, "
            "such as pickles, are not read, because reading them can run any program"
        )
    try:
        described = json.loads(_read(path / DESCRIPTION))
    except (ValueError, RecursionError) as error:
        raise damaged(path / DESCRIPTION, f"it is not JSON: {error}") from None
    if not isinstance(described, dict) or described.get("kind") != KIND:
        raise damaged(path / DESCRIPTION, f'its kind is not "{KIND}"')
    if described.get("version") != VERSION:
        raise damaged(path / DESCRIPTION, f"its version is {described.get('version')!r}, not {VERSION}")
    try:
        features, pool = _features(described["features"]), _pool(described["pool"])
        learner, training = _text(described["learner"]), described["training"]
        if not isinstance(training, dict):
            raise ValueError("'training' is not an object")
        return Ranker(learner, features, pool, _function(path, described, len(features)), training)
    except DataError:
        raise
    except KeyError as error:
        raise damaged(path / DESCRIPTION, f"{error.args[0]!r} is missing") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged(path / DESCRIPTION, str(error)) from None


def damaged(path: Path, why: str) -> DataError:
    """The error of a file that is not as it was written."""
    return DataError(f"{path} is not a ranker that can be used: {why}; learn it again with `toysearch learn`")


def _function(path: Path, described: Mapping[str, Any], n_features: int) -> Function:
    """The function of a ranker: its weights, or its trees."""
    if "linear" in described:
        linear = described["linear"]
        weights, means, scales = (_numbers(linear[name], name, n_features) for name in ("weights", "means", "scales"))
        if not (scales > 0).all():
            raise ValueError("a scale is not above 0")
        return Linear(_number(linear["intercept"], "intercept"), weights, means, scales)
    trees = described["trees"]
    content = _read(path / NODES)
    if hashlib.sha256(content).hexdigest() != trees["sha256"]:
        raise damaged(path / NODES, f"its checksum is not the one in {DESCRIPTION}")
    nodes = _nodes(path / NODES, content)
    starts = np.array([_whole(start) for start in trees["starts"]], np.int64)
    if problem := tree_problem(nodes, starts, n_features):
        raise damaged(path / NODES, problem)
    return Trees(_number(trees["base"], "base"), nodes, starts)


def tree_problem(nodes: np.ndarray, starts: np.ndarray, n_features: int) -> str:
    """Why nodes are not trees that can be walked from every root to a leaf; "" if they are.

    >>> leaf = np.array([(-1, -1, -1, 0.0, 1.5)], NODE)
    >>> tree_problem(leaf, np.array([0]), 3), tree_problem(leaf, np.array([1]), 3)
    ('', 'its roots are not in rising order from 0')
    """
    ends = np.append(starts[1:], len(nodes))
    if not len(starts) or starts[0] != 0 or (ends <= starts).any():
        return "its roots are not in rising order from 0"
    own = repeat_each(ends, ends - starts)  # the end of the tree of each node
    inner, places = nodes["feature"] >= 0, np.arange(len(nodes))
    children = np.stack([nodes["left"], nodes["right"]]).astype(np.int64)
    if (children[:, ~inner] != -1).any() or (nodes["feature"] < -1).any():
        return "a leaf has children"
    if (nodes["feature"] >= n_features).any():
        return f"a node branches on a feature beyond the {n_features} of the ranker"
    if (children[:, inner] <= places[inner]).any() or (children[:, inner] >= own[inner]).any():
        return "a child is not behind its parent in the same tree"
    if not (np.isfinite(nodes["threshold"]).all() and np.isfinite(nodes["value"]).all()):
        return "a number is not finite"
    depth = np.zeros(len(nodes), np.int64)
    for place in np.flatnonzero(inner).tolist():  # parents come first
        below = children[:, place]
        depth[below] = np.maximum(depth[below], depth[place] + 1)
    return f"a tree is deeper than {DEEPEST} levels" if depth.max() > DEEPEST else ""


def _nodes(path: Path, content: bytes) -> np.ndarray:
    """The nodes in the bytes of a file, whose header must be the one that numpy writes for them."""
    start = 10 + int.from_bytes(content[8:10], "little")
    n, rest = divmod(max(len(content) - start, 0), NODE.itemsize)
    header = io.BytesIO()
    fields = {"descr": np.lib.format.dtype_to_descr(NODE), "fortran_order": False, "shape": (n,)}
    np.lib.format.write_array_header_1_0(header, fields)
    if rest or content[:start] != header.getvalue():
        raise damaged(path, "it is not an array of nodes")
    return np.frombuffer(content, NODE, offset=start)


def _features(given: Any) -> tuple[str, ...]:
    features = tuple(_text(each) for each in _sequence(given, "features"))
    if not features or len(set(features)) < len(features):
        raise ValueError("its features are missing, or one of them is given twice")
    return features


def _pool(given: Any) -> tuple[PoolPart, ...]:
    parts = []
    for each in _sequence(given, "pool"):
        model, k = _sequence(each, "part of the pool")
        parts.append(PoolPart(_text(model), _whole(k)))
        if parts[-1].k < 1:
            raise ValueError(f"the pool has {k} documents of {model}")
    if not parts:
        raise ValueError("its pool is empty")
    return tuple(parts)


def _sequence(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError(f"its {name} is not a list")
    return value


def _numbers(values: Any, name: str, n: int) -> np.ndarray:
    found = np.array([_number(value, name) for value in _sequence(values, name)], np.float64)
    if len(found) != n:
        raise ValueError(f"its {name} are {len(found)} numbers, not {n}")
    return found


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} in {name} is not a finite number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is not a text")
    return value


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # such as a link to a device, which may never end
            raise damaged(path, "it is not a file")
        if path.stat().st_size > _LARGEST:
            raise damaged(path, f"it is larger than {_LARGEST >> 20} MB")
        return path.read_bytes()
    except OSError as error:
        raise damaged(path, error.strerror or "it cannot be read") from None


def _write(path: Path, content: bytes) -> None:
    with replacing_bytes(path) as file:
        file.write(content)
