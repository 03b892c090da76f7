"""The modules of benchmarks/, which is not a package."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def benchmark_module():
    """A function that imports one of them by its name."""
    if not BENCHMARKS.exists():
        pytest.skip("benchmarks/ is not here")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(BENCHMARKS))
