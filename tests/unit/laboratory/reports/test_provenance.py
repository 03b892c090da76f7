"""Checksums that change with the content and with nothing else, and models with all that they are."""

from __future__ import annotations

import hashlib
import struct

import pytest

from toysearch import Collection, Document, Qrels, Query, Run
from toysearch.laboratory.reports import system_report


def sha(*parts):
    return hashlib.sha256(b"".join(struct.pack("<q", len(part)) + part for part in parts)).hexdigest()


def test_by_hand():
    assert system_report.queries_checksum([Query("1", "cat")]) == sha(b"1", b"cat")
    assert system_report.documents_checksum([Document("1", "é", "T", {"W": "x"})]) == sha(b"1", "é".encode(), b"T")
    qrels = Qrels.from_dict({"1": {"a": 2, "bc": 0}})
    columns = (struct.pack("<q", 1) + b"1", struct.pack("<2q", 1, 2) + b"abc")
    assert system_report.ids_checksum(qrels) == sha(*columns, struct.pack("<2q", 0, 2), struct.pack("<2d", 2, 0))


@pytest.mark.parametrize(
    "others", [{"1": {"a": 1, "b": 2}}, {"1": {"b": 1, "a": 2}}, {"1": {"ab": 2}}, {"2": {"a": 2, "b": 1}}]
)
def test_any_difference_counts(others):
    for kind in (Run, Qrels):
        assert system_report.ids_checksum(kind.from_dict(others)) != system_report.ids_checksum(
            kind.from_dict({"1": {"a": 2, "b": 1}})
        )


def test_parts_do_not_run_into_each_other():
    assert system_report.queries_checksum([Query("1", "23")]) != system_report.queries_checksum([Query("12", "3")])


def test_lone_surrogates_have_a_checksum():
    assert system_report.queries_checksum(Collection("c", [Document("1", "a")], [Query("1", "\ud800")]).queries)


def test_models():
    assert system_report.model_specification("bm25") == "bm25:k1=1.2,b=0.75,k3=none"
    assert system_report.model_specification("0.5*bm25 + 0.5*tfidf") == "0.5*bm25 + 0.5*tfidf"
    assert system_report.model_specification("rank-of-mine:k=2") == "rank-of-mine:k=2"
