"""The texts of features: what a ranker may name, and that opening one never runs a file."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.models.ranker import feature_of, pool_part


@pytest.mark.parametrize(
    "text",
    [
        "mine.py:rank",
        "mine.py:rank:a=1",
        "min-max(mine.py:rank)",
        "0.5*min-max(mine.py:rank)",
        "bm25 + mine.py:rank*2",
        "rm3(mine.py:rank)",
        "rrf(bm25,mine.py:rank)",
        "dense:vectors.npy,queries=mine.py:embed",
        "dense:vectors.npy,queries=mine.py:embed,similarity=dot",
    ],
)
def test_no_feature_and_no_pool_runs_a_file(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "open('ran', 'w').close()\ndef rank(tf): return tf\ndef embed(text): return [1]\n"
    )
    for read, form in ((feature_of, text), (pool_part, f"{text}@10")):
        with pytest.raises(
            ArgumentError, match="a ranker names no Python file, because opening the ranker would run it"
        ):
            read(form)
    assert not (tmp_path / "ran").exists()


def test_the_hint_on_other_features_is_for_features_only():
    with pytest.raises(ArgumentError) as caught:
        feature_of("bm52")
    assert str(caught.value) == (
        "feature 'bm52': unknown model 'bm52'; did you mean 'bm25'? Features that are not models: coverage, "
        "idf-coverage, idf-sum, tf-sum, length, query-length, query-idf"
    )
    with raising(ArgumentError, "'bm52@10': unknown model 'bm52'; did you mean 'bm25'?"):
        pool_part("bm52@10")
