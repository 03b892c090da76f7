"""The log of benchmarks/: what has been measured is not measured again."""

import sys

import pytest

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def processes(benchmark_module):
    return benchmark_module("processes")


@pytest.fixture
def log(processes, tmp_path):
    return processes.Log(tmp_path / "measured.jsonl")


@pytest.fixture
def job(processes, tmp_path):
    """A process that writes a line into a file, and prints its result as its last line."""
    code = f"open({str(tmp_path / 'started')!r}, 'a').write('x\\n'); print('a word before'); print('{{\"mean\": 2.5}}')"
    return processes.Job("once", "small", "toysearch", "one", 0, [sys.executable, "-c", code], version="1")


def starts(tmp_path):
    path = tmp_path / "started"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_result_is_what_the_process_printed_last_with_its_time_and_memory(processes, log, job):
    processes.run([job], log)
    [found] = log.of("once", "small")
    assert found["mean"] == 2.5
    assert found["failure"] == ""
    assert found["process"] > 0
    assert found["process_mb"] > 1


def test_what_is_in_the_log_is_not_started_again(processes, log, job, tmp_path):
    processes.run([job, job._replace(round=1)], log)
    processes.run([job, job._replace(round=1)], processes.Log(log.path))
    assert starts(tmp_path) == 2


def test_another_state_of_the_source_code_is_measured_anew_and_replaces_the_old(processes, log, job, tmp_path):
    processes.run([job, job._replace(version="2")], log)
    assert starts(tmp_path) == 2
    assert [line["version_of_source"] for line in log.of("once", "small")] == ["2"]


def test_a_process_whose_index_is_gone_runs_again(processes, log, job, tmp_path):
    job = job._replace(makes=tmp_path / "index")
    processes.run([job], log)
    processes.run([job], log)
    job.makes.touch()
    processes.run([job], log)
    assert starts(tmp_path) == 2


def test_a_failure_is_logged_with_its_last_line_and_not_repeated(processes, log, job):
    failing = job._replace(command=[sys.executable, "-c", "raise KeyError('x')"])
    processes.run([failing, failing._replace(round=1)], log)
    assert [line["failure"] for line in log.lines] == ["KeyError: 'x'"]
