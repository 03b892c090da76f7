"""Waiting for a condition, in tests of what runs beside them."""

import time

PATIENCE = 60.0  # seconds


def until(true):
    """Wait until a function returns something true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "this has been waited for too long"
        time.sleep(0.01)
