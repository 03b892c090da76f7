"""`toysearch corpora cache`: what is kept."""

from __future__ import annotations

import json

from shell import run


def test_what_is_kept_and_how_large_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "toysearch"))
    (tmp_path / "toysearch" / "cranfield").mkdir(parents=True)
    (tmp_path / "toysearch" / "cranfield" / "cranqrel").write_text("1 2 3\n")
    result = run("corpora", "cache", "--json")
    assert result.exit_code == 0, result.stderr
    rows = [(row["what"], row["files"], row["bytes"]) for row in json.loads(result.stdout)]
    assert rows == [("cranfield", 1, 6)]
