"""The Dask workers that the tests of a module share: to start processes takes longer than what they are asked for."""

from __future__ import annotations

import pytest

from toysearch.cluster.connection import connected


@pytest.fixture(scope="module")
def processes():
    """A client of two processes of this machine, which no test kills."""
    with connected(2) as client:
        yield client


@pytest.fixture(params=[1, 2, 3])
def mortal(request):
    """A client of processes that a test may kill."""
    with connected(request.param) as client:
        yield client
