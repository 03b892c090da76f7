from pathlib import Path

import pytest


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes a text to a file, as it is."""

    def write(text: str) -> Path:
        path = tmp_path / "file"
        path.write_bytes(text.encode())
        return path

    return write
