"""A simulated Python of 32 bits: where numpy has places of 32 bits, everything comes out as it does with 64."""

import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from numpy_of_32_bits import of_32_bits
from shell import run
from suite_process import suite
from tiers import thinned

import toysearch
from toysearch.base.groups import count_each, reduce_at, repeat_each

pytestmark = pytest.mark.system


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
        if path.name != "groups.py" and "compiled" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _ALONE.search(line)
    ]
    assert places == [], "use toysearch.base.groups, which works on 32 bits too"


MODELS = [
    *("rm3(bm25)", "tfidf", "sdm(bm25)", "bm25", "lm-dirichlet", "cosine", "dice", "pl2", "bo1(bm25)"),
    "rocchio(bm25)",
]
QUERIES = ("train cat", '"guinea pig"', "+cat -dog", "cat~1", "do*", "/c.t/", '"cat dog"~5', "text:cat")


@pytest.mark.parametrize(
    ("name", "n_models"), thinned([("cat-dog-parrot", 3), ("cat-dog-parrot", 10), ("companions", 3)], 3)
)
def test_everything_is_as_on_64_bits(name, n_models, tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", "plain")
    made = []
    for bits, simulated in ((64, nullcontext), (32, of_32_bits)):
        folder = tmp_path / str(bits)
        folder.mkdir()
        monkeypatch.chdir(folder)
        with simulated():
            made.append(everything(name, n_models))
    for of_64, of_32 in zip(*made, strict=True):
        assert of_32 == of_64


def everything(name, n_models):
    """The output of commands on a collection, and the bytes of all files that they save."""
    runs = [f"{number}.run" for number in range(n_models)]
    commands = [
        ("index", name, "-o", "ix", "--positions", "--apart"),
        ("index", name, "-o", "parts", "--shards", 2),
        ("check", "ix"),
        *(("run", name, "--model", model, "-o", run) for model, run in zip(MODELS, runs, strict=False)),
        *(("eval", *runs, name, "--ties", ties, "--per-query", "--tsv") for ties in ("rank", "trec_eval", "average")),
        *(("eval", run, name, "-m", "AP nDCG P@2 Bpref infAP RBP(p=0.8) ERR@10") for run in runs),
        ("eval", runs[0], qrels_of(name), "--format", "trec_eval", "-q"),
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


@pytest.mark.waits
@pytest.mark.parametrize("folders", thinned(["retrieval/test_fusion.py", "retrieval evaluation models index"], 2))
def test_the_core_of_the_suite_passes(folders):
    """Each test of these folders, every one of which runs within the simulation (conftest.py)."""
    done = suite(*folders.split(), TOYSEARCH_BITS="32")
    assert done.returncode == 0, done.stdout
