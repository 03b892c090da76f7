"""What the tests share: the folder of the public test collections, and hypothesis' profiles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder that holds the raw files of Cranfield, CISI and SciFact."""
    folder = Path(os.environ.get("TOYSEARCH_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not (folder / "cranfield" / "cran.all.1400").exists():
        reason = f"Cranfield's files are not in {folder}; set TOYSEARCH_CORPORA to the folder that holds them"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    os.environ["TOYSEARCH_CORPORA"] = str(folder.resolve())
    return folder
