"""The Dask workers that the tests share: to start processes takes longer than what they are asked for."""

import pytest
from local_workers import settled

from toysearch.workbench.shards.connection import connected


@pytest.fixture(scope="package")
def processes():
    """A client of two processes of this machine, which no test kills."""
    with connected(2) as client:
        yield client


@pytest.fixture(scope="package", params=[1, 2, 3])
def killed(request):
    """A client of processes that tests kill."""
    with connected(request.param) as client:
        yield client


@pytest.fixture
def mortal(killed):
    """The same with all of its processes, which a test may kill."""
    return settled(killed)
