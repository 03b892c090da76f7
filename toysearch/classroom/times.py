"""Points in time that a lecturer names, with their time zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toysearch.base import ArgumentError


def moment(typed: str) -> datetime:
    """Read a date and a time with an offset, with the name of a time zone, or in the time zone of this computer.

    >>> moment("2026-12-01T18:00+01:00").isoformat(), moment("2026-07-01 18:00 Europe/Berlin").isoformat()
    ('2026-12-01T18:00:00+01:00', '2026-07-01T18:00:00+02:00')
    """
    time, _, zone = typed.strip().rpartition(" ")
    try:
        if "/" in zone or zone == "UTC":
            return datetime.fromisoformat(time).replace(tzinfo=ZoneInfo(zone))
        parsed = datetime.fromisoformat(typed.strip())
        return parsed if parsed.tzinfo else parsed.astimezone()
    except (ValueError, OverflowError, OSError, ZoneInfoNotFoundError):
        raise ArgumentError(
            f"expected a time such as 2026-12-01T18:00, 2026-12-01T18:00+01:00 or '2026-12-01 18:00 Europe/Berlin', "
            f"found '{typed}'"
        ) from None
