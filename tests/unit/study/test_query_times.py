"""Times of queries: each judged query once with each system, in order; the median and the 95th percentile."""

import itertools
import json

import numpy as np
import pytest
from shell import done, run

from toysearch.study import query_times
from toysearch.study.query_times import QueryTimes
from toysearch.study.study import Study


@pytest.fixture
def clock(monkeypatch):
    """A clock whose readings are 0, 1, 4, 9, … seconds: the n-th measurement takes 4n + 1 seconds."""
    readings = (n * n for n in itertools.count())
    monkeypatch.setattr(query_times, "perf_counter", lambda: float(next(readings)))


def test_each_query_is_measured_once_with_each_system(clock):
    times = query_times.query_times(Study.of("cat-dog-parrot").with_models(["bm25", "dice"]))
    assert {name: [*of.by_query.values()] for name, of in times.items()} == {
        "bm25": [1000, 5000, 9000],
        "dice": [13000, 17000, 21000],
    }
    assert [*times["bm25"].by_query] == ["1", "2", "3"]


def test_median_and_percentile_by_hand():
    times = QueryTimes({str(n): float(n) for n in range(1, 22)})
    assert times.median == 11
    assert times.percentile_95 == 20
    values = [3.5, 0.1, 12.0, 0.7]
    assert QueryTimes(dict(zip("abcd", values, strict=True))).percentile_95 == float(np.quantile(values, 0.95))


def test_they_stand_beside_the_measures(clock):
    shown = done("eval", "cat-dog-parrot", "--model", "bm25", "-m", "AP", "--time", "--csv").stdout.splitlines()
    header, row = (line.split(",") for line in shown)
    assert dict(zip(header, row, strict=True)).items() >= {"ms": "5000.0", "ms_95": "8600.0"}.items()


def test_json_has_the_time_of_each_query(clock):
    [system] = json.loads(done("eval", "cat-dog-parrot", "--time", "--json").stdout)["systems"]
    assert system["milliseconds"] == {"median": 5000, "percentile_95": 8600}
    assert system["milliseconds_per_query"] == {"1": 1000, "2": 5000, "3": 9000}


def test_a_run_has_no_time(tmp_path):
    file = tmp_path / "a.run"
    file.write_text("1 Q0 1 1 1 x\n")
    refused = run("eval", file, "cat-dog-parrot", "--time")
    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (
        2,
        "toysearch: a run was ranked elsewhere and has no time; give models that rank now",
    )
    beside = done("eval", file, "cat-dog-parrot", "--model", "bm25", "-m", "AP", "--time").stdout
    assert beside.splitlines()[1].split()[0] == "x"


def test_the_measure_of_another_tool_leads_there():
    assert "`eval --time` shows the median" in run("eval", "cat-dog-parrot", "-m", "mrt").stderr
