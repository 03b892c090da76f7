"""The page of judgments that several test files ask."""

from __future__ import annotations

import pytest
from judged_page import opened


@pytest.fixture
def asked(tmp_path):
    found = opened(tmp_path / "class.jsonl")
    yield found
    found.log.close()
    found.decisions.close()
