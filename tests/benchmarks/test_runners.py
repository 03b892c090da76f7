"""The modules of benchmarks/ find in toysearch, and in each other, what they use."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MODULES = sorted(BENCHMARKS.rglob("*.py"))
OWN = {path.stem for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(BENCHMARKS).as_posix())
def test_each_name_that_is_imported_exists(path, benchmark_module, monkeypatch):
    """Those that a function imports too; the modules of other tools may not be here."""
    monkeypatch.syspath_prepend(str(path.parent))
    missing = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in {"toysearch", *OWN}:
            module = importlib.import_module(node.module)
            missing += [f"{node.module}.{alias.name}" for alias in node.names if not hasattr(module, alias.name)]
    assert missing == []


@pytest.mark.system
def test_simulated_shards_have_all_that_a_prediction_starts_from(benchmark_module, tmp_path):
    workloads, model = benchmark_module("workloads"), benchmark_module("cost_model")
    workloads.write_lines(tmp_path / "corpus.jsonl", workloads.documents(60))
    workloads.write_lines(tmp_path / "mix.jsonl", ((f"q{n}", "a word") for n in range(103)))
    command = [sys.executable, str(BENCHMARKS / "runners" / "simulate_shards.py"), str(tmp_path)]
    options = [str(tmp_path / "scratch"), "--shards", "3", "--k", "5"]
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["queries"] == 3
    assert {*model.LAWS, "files of a shard", "files of the statistics", "sent", "received"} <= {*found}
