"""The numbers that docs/look-up/results.md promises, computed again."""

from __future__ import annotations

import pytest
from conftest import ROOT, loaded
from lengths import thinned

make_results = loaded(ROOT / "docs" / "make_results.py")


@pytest.mark.parametrize("name", thinned(make_results.COLLECTIONS, 4))
def test_the_page_says_what_the_models_give(name, corpora):
    page = make_results.PAGE.read_text(encoding="utf-8")
    lines, queries = make_results.table(name)
    assert f"{name} {queries}" in page
    assert "\n".join(lines) in page
