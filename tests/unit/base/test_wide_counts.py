"""A simulated Python of 32 bits: where numpy has places of 32 bits, everything comes out as it does with 64."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from lengths import exhaustive
from shell import run

import toysearch
from toysearch.base.wide_counts import count_each, reduce_at, repeat_each

_SHIFT = np.left_shift
_PLACES = ("arange", "flatnonzero", "nonzero", "argsort", "lexsort", "searchsorted", "argwhere", "argpartition")
_DEFAULT = ("array", "full")  # whole numbers of Python have the type of places
_SUMS = ("cumsum", "sum", "prod")  # of whole numbers that are not wider than places
_COUNTED = {"repeat": 1, "bincount": 0}  # the argument that is converted safely


class Narrow(np.ndarray):
    """Numbers of 32 bits that refuse a product of 32 bits or a shift, which may overflow."""

    def __array_ufunc__(self, function, method, *inputs, **options):
        plain = [np.asarray(each) if isinstance(each, Narrow) else each for each in inputs]
        if "out" in options:
            options["out"] = tuple(np.asarray(each) if isinstance(each, Narrow) else each for each in options["out"])
        result = getattr(function, method)(*plain, **options)
        products = function.__name__ in ("multiply", "left_shift") and result.dtype == np.int32
        if method == "__call__" and products and (function is _SHIFT or not any(map(_is_small, plain))):
            raise OverflowError(f"{function.__name__} of 32 bits, which may overflow: use int64")
        return narrow(result)


def _is_small(value):
    """Whether a place in an array, times this number, is one in an array too: eight words of each of 64 terms."""
    return isinstance(value, int) and 0 <= value <= 1024


def narrow(values):
    """Places as on 32 bits."""
    if isinstance(values, tuple):
        return tuple(map(narrow, values))
    if isinstance(values, np.ndarray) and values.dtype == np.int32:
        return values.view(Narrow)
    return values


def narrowed(values):
    """The same, of places of 64 bits."""
    if isinstance(values, tuple):
        return tuple(map(narrowed, values))
    if isinstance(values, np.ndarray) and values.dtype == np.int64:
        assert values.size == 0 or np.abs(values).max() < 1 << 31
        return values.astype(np.int32).view(Narrow)
    return np.int32(values) if isinstance(values, np.int64) else values


def is_wide(values):
    """Whether numpy would refuse to count with these."""
    return isinstance(values, np.ndarray | np.integer) and values.dtype.kind in "iu" and values.dtype.itemsize == 8


class Reducing:
    """A ufunc that refuses starts of 64 bits."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *values, **options):
        return self._function(*values, **options)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def reduceat(self, values, starts):
        assert not is_wide(starts), "reduceat: Cannot cast array data from dtype('int64') to dtype('int32')"
        return self._function.reduceat(values, starts)


@contextmanager
def of_32_bits():
    """The public functions of numpy as on a Python of 32 bits."""
    with pytest.MonkeyPatch.context() as patch:

        def place(name):
            of_64 = getattr(np, name)

            def of_32(*values, **options):
                result = of_64(*values, **options)
                typed = options.get("dtype") is not None or any(isinstance(each, type | np.dtype) for each in values)
                wide = name == "arange" and any(is_wide(each) for each in values)
                return result if typed or wide else narrowed(result)

            patch.setattr(np, name, of_32)

        def default(name):
            of_64 = getattr(np, name)

            def of_32(*values, **options):
                result = of_64(*values, **options)
                typed = "dtype" in options or len(values) > (1 if name == "array" else 2)
                given = np.ndarray | np.generic if name == "array" else np.generic
                held = values[0] if name == "array" else values[1]
                inner = isinstance(held, list | tuple) and any(isinstance(each, given) for each in held)
                return (
                    result
                    if typed or inner or isinstance(held, given) or hasattr(held, "__array__")
                    else narrowed(result)
                )

            patch.setattr(np, name, of_32)

        def summed(name):
            of_64 = getattr(np, name)

            def of_32(values, *more, **options):
                result = of_64(values, *more, **options)
                wide = "dtype" in options or "out" in options or is_wide(np.asarray(values))
                return result if wide else narrowed(result)

            patch.setattr(np, name, of_32)

        def counted(name, argument):
            of_64 = getattr(np, name)

            def of_32(*values, **options):
                if is_wide(values[argument]):
                    raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32')")
                result = of_64(*values, **options)
                return narrowed(result) if name == "bincount" else result

            patch.setattr(np, name, of_32)

        for name in _PLACES:
            place(name)
        for name in _DEFAULT:
            default(name)
        for name in _SUMS:
            summed(name)
        for name, argument in _COUNTED.items():
            counted(name, argument)
        for name in ("add", "maximum", "minimum", "bitwise_or"):
            patch.setattr(np, name, Reducing(getattr(np, name)))
        patch.setattr(np, "intp", np.int32)
        patch.setenv("TOYSEARCH_PATH", "plain")
        yield


def test_the_simulation_refuses_and_overflows_as_32_bits_do():
    with of_32_bits():
        with pytest.raises(TypeError, match="Cannot cast"):
            np.repeat(np.arange(2), np.array([1, 2], dtype=np.int64))
        with pytest.raises(OverflowError, match="left_shift"):
            np.arange(3) << 33
        assert repeat_each(np.arange(2), np.array([1, 2], dtype=np.int64)).tolist() == [0, 1, 1]
        assert count_each(np.array([2, 2], dtype=np.int64)).dtype == np.int64
        assert reduce_at(np.add, np.arange(3), np.array([0, 2], dtype=np.int64)).tolist() == [1, 2]


def test_numbers_that_are_not_whole_are_refused():
    with pytest.raises(TypeError):
        count_each(np.array([1.5]))


_ALONE = re.compile(r"np\.bincount\(|np\.repeat\((?!.*axis=)|\.reduceat\(")


def test_only_this_module_counts_and_repeats_with_numpy():
    places = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "toysearch").rglob("*.py"))
        if path.name != "wide_counts.py" and "compiled" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _ALONE.search(line)
    ]
    assert places == [], "use toysearch.base.wide_counts, which works on 32 bits too"


MODELS = (
    "bm25",
    "tfidf",
    "lm-dirichlet",
    "cosine",
    "dice",
    "pl2",
    "rm3(bm25)",
    "bo1(bm25)",
    "rocchio(bm25)",
    "sdm(bm25)",
)
QUERIES = (
    "train cat",
    '"guinea pig"',
    "+cat -dog",
    "cat~1",
    "do*",
    "/c.t/",
    "cat OR parrot",
    '"cat dog"~5',
    "text:cat",
)


@pytest.mark.parametrize("name", ["cat-dog-parrot", pytest.param("companions", marks=exhaustive)])
def test_everything_is_as_on_64_bits(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", "plain")
    made = []
    for bits, simulated in ((64, nullcontext), (32, of_32_bits)):
        folder = tmp_path / str(bits)
        folder.mkdir()
        monkeypatch.chdir(folder)
        with simulated():
            made.append(everything(name))
    for of_64, of_32 in zip(*made, strict=True):
        assert of_32 == of_64


def everything(name):
    """The output of commands on a collection, and the bytes of all files that they save."""
    n_models = len(MODELS) if name == "cat-dog-parrot" else 3
    runs = [f"{number}.run" for number in range(n_models)]
    commands = [
        ("index", name, "-o", "ix", "--positions", "--apart"),
        ("index", name, "-o", "parts", "--shards", 2),
        ("check", "ix"),
        *(("run", name, "--model", model, "-o", run) for model, run in zip(MODELS, runs, strict=False)),
        *(("eval", *runs, name, "--ties", ties, "--per-query", "--tsv") for ties in ("rank", "trec_eval", "average")),
        *(("eval", run, name, "-m", "AP nDCG P@2 Bpref infAP RBP(p=0.8) ERR@10") for run in runs),
        ("trec_eval", "-q", qrels_of(name), runs[0]),
        ("fuse", *runs[:3], "-o", "fused.run"),
        *(("search", index, query) for index in ("ix", "parts") for query in QUERIES),
        ("search", "ix", "train cat", "--model", "bm25f"),
        ("similar", "ix", "--above", 0.3),
        ("delete", "ix", str(next(iter(toysearch.load(name).documents)).doc_id)),
        ("show", "ix"),
    ]
    results = {line: run(*line, catch_exceptions=False) for line in commands}
    assert all(result.exit_code in (0, 1) for result in results.values())
    printed = {line: (result.exit_code, result.stdout) for line, result in results.items()}
    return printed, {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def qrels_of(name):
    """The file of judgments of a collection."""
    return ROOT / "corpora" / name / "qrels" / "test.tsv"
