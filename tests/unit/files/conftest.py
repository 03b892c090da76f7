import sys
from pathlib import Path

import pytest

from toysearch.base.optional_packages import present

LIBRARIES = ("python_calamine", "pyarrow", "pypdf")


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes a text to a file, as it is."""

    def write(text: str) -> Path:
        path = tmp_path / "file"
        path.write_bytes(text.encode())
        return path

    return write


@pytest.fixture
def without_libraries(monkeypatch):
    """The extra that reads workbooks, Parquet and PDF is not installed."""
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    present.cache_clear()
    yield
    monkeypatch.undo()
    present.cache_clear()
