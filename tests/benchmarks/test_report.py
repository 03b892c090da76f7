"""The report of benchmarks/: ratios, and what is kept when it is written again."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def report(benchmark_module):
    return benchmark_module("report")


def searched(tool, seconds, mean, speed, top):
    one = {"queries": 2, "first": 9.0, "mean": mean, "p50": mean, "p99": mean}
    return {
        "workload": "w",
        "tool": tool,
        "task": "search",
        "failure": "",
        "version": f"{tool} 1.0",
        "settings": "as they are",
        "index": {"seconds": seconds, "peak_mb": 10.0},
        "one": {"rare": {"10": one, "1000": one}},
        "batch": {"rare": {"10": speed, "1000": speed}} if speed else {},
        "analysis": 0.002,
        "size_mb": None,
        "top": {"rare": [top, ["z"]]},
    }


RESULTS = [searched("toysearch", 2.0, 0.5, 1000.0, ["a", "b"]), searched("peer", 3.0, 0.25, 500.0, ["b", "c"])]


def rows(text, first):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith(first)]


def test_ratios_are_how_many_times_as_long_as_toysearch(report):
    indexing, one, batch = rows(report.rendered(RESULTS, {"w": ("Title", "size")}), "| peer")
    assert indexing == ["peer", "3.00", "1.50", "–", "10.0", "–"]
    assert one[1:6] == ["0.250", "0.250", "0.250", "9.00", "0.500"]
    assert batch == ["peer", "500", "2.00", "–", "500", "2.00", "–"]


def test_the_same_documents_are_counted_whatever_their_order(report):
    _, one, _ = rows(report.rendered(RESULTS, {"w": ("Title", "size")}), "| peer")
    assert one[-1] == "75.0%"


def test_what_failed_is_said_and_leaves_the_tables_alone(report):
    failed = {"workload": "w", "tool": "other", "task": "search", "failure": "KeyError: 'x'"}
    text = report.rendered([*RESULTS, failed], {"w": ("Title", "size")})
    assert "other (search) failed: KeyError: 'x'" in text
    assert not rows(text, "| other")


def test_evaluations_are_compared_by_their_largest_difference(report):
    common = {"workload": "e", "failure": "", "files": 1.0, "memory": 0.5, "first": 2.0, "peak_mb": 1.0}
    ours = {**common, "tool": "toysearch", "task": "evaluate", "values": {"AP": 0.25, "RR": 1.0}}
    theirs = {**common, "tool": "peer", "task": "evaluate", "files": 4.0, "values": {"AP": 0.25, "RR": 0.5}}
    once = {"workload": "e", "tool": "peer", "task": "once", "failure": "", "process": 7.0}
    [row] = rows(report.rendered([ours, theirs, once], {"e": ("Title", "size")}), "| peer")
    assert row == ["peer", "4.00", "4.00", "0.500", "1.00", "2.00", "7.00", "1.00", "5e-01"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0, "0"), (0.01234, "0.0123"), (1.0, "1.00"), (12.345, "12.3"), (123.4, "123"), (45678.9, "45,679")],
)
def test_numbers_have_three_digits_that_count(report, value, shown):
    assert report.number(value) == shown


def test_the_section_of_growth_stays_when_the_rest_is_written_again(report, tmp_path):
    path = tmp_path / "RESULTS.md"
    report.replace_section(path, "## How cost grows", "old growth")
    report.replace_all_but(path, "# Benchmarks\n\nfirst\n", "## How cost grows")
    report.replace_section(path, "## How cost grows", "new growth")
    report.replace_all_but(path, "# Benchmarks\n\nsecond\n", "## How cost grows")
    assert path.read_text() == "# Benchmarks\n\nsecond\n\n## How cost grows\n\nnew growth\n"
