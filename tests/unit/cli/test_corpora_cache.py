"""`toysearch cache`: what is kept, and what --clear removes."""

from __future__ import annotations

import json

import pytest
from shell import run


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A cache with a graph and a fetched collection."""
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "toysearch"))
    for path, text in (("graphs/a.usearch", "1234"), ("cranfield/cranqrel", "1 2 3\n")):
        (tmp_path / "toysearch" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toysearch" / path).write_text(text)
    return tmp_path / "toysearch"


def shown(*arguments):
    result = run("cache", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return {row["what"]: (row["files"], row["bytes"]) for row in json.loads(result.stdout)}, result.stderr


def test_what_is_kept_and_how_large_it_is(kept):
    assert shown()[0] == {"graphs of vectors": (1, 4), "cranfield": (1, 6)}


def test_clear_removes_what_can_be_made_again(kept):
    rows, told = shown("--clear")
    assert rows == {"graphs of vectors": (0, 0), "cranfield": (1, 6)}
    assert "4 bytes of graphs of vectors removed from" in told
    assert sorted(path.name for path in kept.iterdir()) == ["cranfield"]
