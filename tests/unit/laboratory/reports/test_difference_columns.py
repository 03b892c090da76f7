"""The columns of a difference that was tested."""

from __future__ import annotations

import math

from toysearch.laboratory.experiments.stats.significance import TestResult
from toysearch.laboratory.reports.comparison_text import difference_cells, difference_columns

RESULT = TestResult("t", 5, 0.1, -0.01, 0.21, 0.00001, 0.9)
ONE_QUERY = TestResult("t", 1, 0.1, -math.inf, math.inf, 1.0, math.nan)


def test_for_people_the_interval_is_one_cell():
    assert [column.header for column in difference_columns(0.01, "table")] == ["diff.", "99 % int.", "p", "d_z"]
    assert difference_cells(0.1, RESULT, 0.00001, "table") == ["+0.1000", "-0.010 +0.210", "<0.0001", "+0.90"]
    assert difference_cells(0.1, ONE_QUERY, 1.0, "table") == ["+0.1000", "unbounded", "1.0000", ""]
    assert difference_cells(None, None, 1.0, "table") == ["", "", "", ""]


def test_for_papers_and_programs_its_ends_are_two():
    names = ["difference", "low", "high", "p", "effect"]
    assert [column.name for column in difference_columns(0.05, "csv")] == names
    assert difference_cells(0.1, RESULT, 0.00001, "csv") == [0.1, -0.01, 0.21, 0.00001, 0.9]
    assert difference_cells(0.1, RESULT, 0.00001, "latex") == [0.1, -0.01, 0.21, "<0.0001", 0.9]
    assert difference_cells(0.1, None, 1.0, "csv") == [0.1, None, None, None, None]
