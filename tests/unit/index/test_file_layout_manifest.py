"""The checksum of an index is the one that its manifest gets."""

from __future__ import annotations

import json

import pytest

from toysearch import Index, load


@pytest.mark.parametrize("store_text", [True, False])
def test_an_index_knows_the_seal_of_its_manifest(tmp_path, store_text):
    index = Index.build(load("cat-dog-parrot"), store_text=store_text)
    index.save(tmp_path / "saved")
    assert index.checksum == json.loads((tmp_path / "saved" / "manifest.json").read_text())["sha256"]
    assert Index.open(tmp_path / "saved").checksum == index.checksum


def test_another_document_is_another_checksum():
    checksums = {Index.build(texts).checksum for texts in (["a b"], ["a b", ""], ["b a"], ["a b"])}
    assert len(checksums) == 3
