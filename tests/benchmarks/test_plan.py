"""The processes of each table: all that its columns need, each with a key of its own in the log."""

import itertools
import sys
from collections import Counter
from pathlib import Path

import pytest

TABLES = ("asked_once", "evaluation", "growth", "commands", "tweaks")


@pytest.fixture
def plan(benchmark_module, tmp_path):
    modules = frozenset(benchmark_module("peers").PEERS)
    return benchmark_module("plan").Plan(tmp_path, Path(sys.executable), modules, scale=0.002, rounds=2)


@pytest.mark.parametrize("table", TABLES)
def test_each_process_has_a_key_of_its_own(benchmark_module, plan, table):
    keys = Counter(job.key for job in benchmark_module(table).jobs(plan))
    assert max(keys.values()) == 1
    assert {key[0] for key in keys} == {benchmark_module(table).NAME}
    assert {key[1] for key in keys} == set(benchmark_module(table).collections(plan))


def test_an_index_is_built_once_per_engine_on_all_cores_and_asked_on_one(benchmark_module, plan):
    jobs = list(benchmark_module("asked_once").jobs(plan))
    built = [job for job in jobs if job.part == "build"]
    assert [job.tool for job in built] == ["toysearch", "PISA", "tantivy", "Lucene", "bm25s"]
    assert {job.cores for job in built} == {0}
    assert {job.cores for job in jobs if job.part != "build"} == {1}
    assert jobs[: len(built)] == built
    assert {job.reads for job in jobs if job.tool.startswith("PISA, ")} == {built[1].makes.parent}


def test_every_tool_is_asked_for_every_column_in_every_round(benchmark_module, plan):
    jobs = [job for job in benchmark_module("asked_once").jobs(plan) if job.part.split()[0] in ("one", "batch")]
    parts = [" ".join(parts) for parts in itertools.product(("one", "batch"), ("rare", "mix"), ("10", "1000"))]
    tools = [tool.name for tool in benchmark_module("peers").SEARCHERS]
    expected = itertools.product(range(2), parts, tools)
    assert sorted((job.round, job.part, job.tool) for job in jobs) == sorted(expected)
