"""Checksums that change with the content and with nothing else, and models with all that they are."""

from __future__ import annotations

import hashlib
import struct

import pytest

from toysearch import Collection, Document, Qrels, Query, Run
from toysearch.laboratory.reports import provenance


def sha(*parts):
    return hashlib.sha256(b"".join(struct.pack("<q", len(part)) + part for part in parts)).hexdigest()


def test_by_hand():
    assert provenance.queries_checksum([Query("1", "cat")]) == sha(b"1", b"cat")
    assert provenance.documents_checksum([Document("1", "é", "T", {"W": "x"})]) == sha(b"1", "é".encode(), b"T")
    qrels = Qrels.from_dict({"1": {"a": 2, "bc": 0}})
    columns = (struct.pack("<q", 1) + b"1", struct.pack("<2q", 1, 2) + b"abc")
    assert provenance.ids_checksum(qrels) == sha(*columns, struct.pack("<2q", 0, 2), struct.pack("<2d", 2, 0))


@pytest.mark.parametrize(
    "others", [{"1": {"a": 1, "b": 2}}, {"1": {"b": 1, "a": 2}}, {"1": {"ab": 2}}, {"2": {"a": 2, "b": 1}}]
)
def test_any_difference_counts(others):
    for kind in (Run, Qrels):
        assert provenance.ids_checksum(kind.from_dict(others)) != provenance.ids_checksum(
            kind.from_dict({"1": {"a": 2, "b": 1}})
        )


def test_parts_do_not_run_into_each_other():
    assert provenance.queries_checksum([Query("1", "23")]) != provenance.queries_checksum([Query("12", "3")])


def test_lone_surrogates_have_a_checksum():
    assert provenance.queries_checksum(Collection("c", [Document("1", "a")], [Query("1", "\ud800")]).queries)


def test_models():
    assert provenance.model_specification("bm25") == "bm25:k1=1.2,b=0.75,k3=none"
    assert provenance.model_specification("0.5*bm25 + 0.5*tfidf") == "0.5*bm25 + 0.5*tfidf"
    assert provenance.model_specification("rank-of-mine:k=2") == "rank-of-mine:k=2"
