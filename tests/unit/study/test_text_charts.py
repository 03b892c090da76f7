"""Charts of characters, drawn by hand."""

import math

import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError
from toysearch.study.text_charts import text_plot

SIZE = "a plot has at least 2 × 2 characters and at most 6 series"
number = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3))


def test_a_logarithmic_plot_of_two_series():
    fit = ([1, 10, 100, 1000], [1000, 100, 10, 1])
    seen = ([1, 10, 100, 1000], [300, 100, 30, 3])
    assert text_plot(
        {"fit": fit, "seen": seen}, width=31, height=7, x_label="rank", y_label="cf", log_x=True, log_y=True
    ).splitlines() == [
        "    cf   • fit   + seen",
        " 1,000 │•",
        "       │+",
        "   100 │          +",
        "       │                    +",
        "    10 │                    •",
        "       │                              +",
        "     1 │                              •",
        "       └┬─────────┬─────────┬─────────┬",
        "        1        10        100    1,000",
        "                                   rank",
    ]


def test_what_has_no_place_is_left_out():
    series = {"a": ([0, 1, 2, 3, 4], [1, math.nan, math.inf, 5, 7])}
    drawn = text_plot(series, width=9, height=3, log_x=True)
    assert drawn.count("•") == 2
    assert text_plot(series, width=9, height=3).count("•") == 3
    assert text_plot({"a": ([1, 2], [0, 3])}, width=9, height=3, log_y=True).count("•") == 1


@pytest.mark.parametrize("log", [False, True])
def test_a_single_point_stands_in_the_middle(log):
    lines = text_plot({"a": ([3], [7])}, width=11, height=5, log_x=log, log_y=log).splitlines()
    assert lines[2].split("│")[1] == "     •"
    assert text_plot({"a": ([0], [0])}, width=11, height=5).count("•") == 1


@given(st.lists(st.tuples(number, number), min_size=1, max_size=20), st.booleans())
def test_the_extremes_touch_the_frame_and_lines_fit(points, log):
    if log:
        points = [(abs(x) + 0.01, abs(y) + 0.01) for x, y in points]
    x, y = zip(*points, strict=True)
    lines = text_plot({"a": (x, y)}, x_label="x", log_x=log, log_y=log).splitlines()
    assert len(lines) == 17
    assert max(map(len, lines)) <= 76
    rows = [line.split("│")[1].ljust(64) for line in lines[:14]]
    assert 1 <= sum(row.count("•") for row in rows) <= len(points)
    if min(y) < max(y):
        assert "•" in rows[0]
        assert "•" in rows[-1]
    if min(x) < max(x):
        columns = {row.index("•") for row in rows if "•" in row} | {row.rindex("•") for row in rows if "•" in row}
        assert {0, 63} <= columns


@pytest.mark.parametrize(
    ("series", "size", "sentence"),
    [
        (
            {"a": ([1], [math.nan])},
            {},
            "there is no point to draw: all are undefined, infinite, or not above 0 on a logarithmic axis",
        ),
        ({"a": ([1, 2], [1])}, {}, "the series 'a' has 2 values of x and 1 of y; expected equally many"),
        ({"a": ([1], [1])}, {"width": 1}, f"{SIZE}, not 1 × 14 and 1"),
        ({str(i): ([1], [1]) for i in range(7)}, {}, f"{SIZE}, not 64 × 14 and 7"),
    ],
)
def test_what_cannot_be_drawn_is_refused(series, size, sentence):
    with raising(ArgumentError, sentence):
        text_plot(series, **size)


def labels(*lines):
    """The numbers beside the axes of a chart: at the left from the top, then below."""
    *rows, below = [line for line in lines if line.strip()]
    return [float(row.partition(" │")[0]) for row in rows if row.partition(" │")[0].strip() and "└" not in row], [
        float(number) for number in below.split()
    ]


@pytest.mark.parametrize(
    ("point", "log", "left", "below"),
    [
        ((8, -4), False, (-6, -2), (4, 12)),  # half of its size to each side
        ((0, 8), False, (4, 12), (-0.4, 0.4)),  # or half of 1
        ((4, 16), True, (8, 32), (2, 8)),  # half and twice its size
    ],
)
def test_the_axes_of_a_single_point(point, log, left, below):
    x, y = ([float(value)] for value in point)
    of_left, of_below = labels(*text_plot({"a": (x, y)}, width=40, height=9, log_x=log, log_y=log).splitlines())
    assert (min(of_left), max(of_left)) == left
    assert (min(of_below), max(of_below)) == below
