"""Points in time with their zones."""

from datetime import UTC, datetime

import pytest

from toysearch.base.errors import ArgumentError
from toysearch.classroom.times import moment


def test_an_offset_a_zone_and_the_zone_of_this_computer():
    assert moment("2026-12-01T18:00+01:00") == datetime(2026, 12, 1, 17, tzinfo=UTC)
    assert moment("2026-07-01 18:00 Europe/Berlin") == datetime(2026, 7, 1, 16, tzinfo=UTC)  # summer time
    assert moment("2026-12-01 18:00 Europe/Berlin") == datetime(2026, 12, 1, 17, tzinfo=UTC)
    assert moment("2026-12-01 18:00 UTC") == moment("2026-12-01T18:00Z")
    assert moment("2026-12-01 18:00") == datetime(2026, 12, 1, 18).astimezone()


@pytest.mark.parametrize("typed", ["", "tomorrow", "2026-13-01", "2026-12-01 18:00 Europe/Nowhere", "18:00 UTC"])
def test_what_is_no_time_is_refused_with_an_example(typed):
    with pytest.raises(ArgumentError, match="expected a time such as 2026-12-01T18:00"):
        moment(typed)
