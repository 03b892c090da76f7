"""Checks of bytes, documents and queries, each on a sound collection that is broken in one place."""

import gzip
from pathlib import Path
from typing import Any

import pytest
import small_collections as small

import toysearch
from toysearch.study.corpus_check.raw_collection import Finding


def found(folder: Path, check: str = "") -> list[Finding]:
    return [finding for finding in toysearch.diagnose(folder).findings if check in ("", finding.check)]


def only(folder: Path, check: str) -> Finding:
    """The one finding of a check; no other check finds anything."""
    (finding,) = toysearch.diagnose(folder).findings
    assert finding.check == check
    return finding


def rows(finding: Finding) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in finding.evidence]


def test_a_sound_collection_has_no_findings(tmp_path):
    diagnosis = toysearch.diagnose(small.write_beir(tmp_path))
    assert (diagnosis.findings, diagnosis.toml, diagnosis.healthy) == ((), "", True)
    assert diagnosis.counts == {"documents": 36, "queries": 12, "judgments": 36, "judged_queries": 12}


def test_wide_characters(tmp_path):
    folder = small.write_beir(tmp_path)
    path = folder / "queries.jsonl"
    text = path.read_text()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):  # a mark tells, or each second byte is zero
        path.write_bytes(text.encode(encoding))
        assert not found(folder)
    path.write_bytes(text.encode("utf-32-le"))
    assert "error" in {finding.level for finding in found(folder, "readable")}


def test_bytes_that_are_no_text(tmp_path):
    folder = small.write_beir(tmp_path)
    small.append(folder / "corpus.jsonl", b'{"_id": "z", "text": "one \xff\xfe word of latin"}\n')
    finding = only(folder, "readable")
    told = f"{folder / 'corpus.jsonl'}: not UTF-8 in 2 places, read as U+FFFD"
    assert (finding.level, finding.what.partition(";")[0]) == ("warning", told)


def test_a_gzipped_file_that_ends_early(tmp_path):
    folder = small.write_beir(tmp_path)
    path = folder / "corpus.jsonl"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (folder / "corpus.jsonl.gz").write_bytes(packed[:-20])
    finding = found(folder, "readable")[0]
    assert finding.level == "error"
    assert finding.what.startswith(f"{folder / 'corpus.jsonl.gz'} cannot be read to its end")


def test_empty_documents_and_those_that_are_judged(tmp_path):
    texts = small.documents() | {"void": "", "blank": " \n ", "a-one": ""}
    finding = only(small.write_beir(tmp_path, texts), "empty documents")
    assert (finding.level, finding.what) == (
        "warning",
        "3 documents of 38 without any term in the searched fields, 1 of them judged",
    )
    assert rows(finding) == [("a-one", "query q-a: 1"), ("void", ""), ("blank", "")]


def test_equal_documents(tmp_path):
    texts = small.documents() | {
        "copy": "NEITHER of the  two is here but something else aaaaa",
        "none": "",
        "nil": "",
    }
    finding = found(small.write_beir(tmp_path, texts), "equal documents")[0]
    assert (finding.level, rows(finding)) == ("warning", [("a-none = copy",)])
    assert finding.what == "1 text stands under several ids, 2 documents in all (ignoring case and white space)"


def titled(begin: str) -> dict[str, dict[str, str]]:
    return {
        doc_id: {"title": f"About {doc_id[0] * 3}", "text": f"{begin.format(doc_id[0] * 3)} {text}"}
        for doc_id, text in small.documents().items()
    }


def test_a_title_that_the_text_repeats(tmp_path):
    folder = small.write_beir(tmp_path, titled("ABOUT: {}."))
    finding = only(folder, "repeated titles")
    assert (finding.level, finding.settings) == ("warning", {"text": ["text"]})
    assert finding.what == (
        "field text begins with the title (field title) in 36 of 36 documents; both are searched, so that each title "
        "counts twice"
    )
    (folder / "collection.toml").write_text(toysearch.diagnose(folder).toml)
    assert not found(folder)
    assert not found(small.write_beir(tmp_path / "other", titled("On {}.")))
    assert not found(small.write_beir(tmp_path / "longer", titled("About {}x.")))


def smart(folder: Path, ids: list[str], judged: list[str]) -> Path:
    """The sound collection as SMART files; the queries have these ids, the judgments call them so."""
    folder.mkdir(exist_ok=True)
    doc_ids = {doc_id: str(1000 + number) for number, doc_id in enumerate(small.documents())}
    texts = zip(doc_ids.values(), small.documents().values(), strict=True)
    (folder / "pets.all").write_text("".join(f".I {doc_id}\n.W\n{text}\n" for doc_id, text in texts))
    asked = zip(ids, small.queries().values(), strict=True)
    (folder / "pets.qry").write_text("".join(f".I {query_id}\n.W\n{text}\n" for query_id, text in asked))
    rows = [
        f"{query_id} {doc_ids[doc_id]} {grade}\n"
        for query_id, group in zip(judged, small.grades().values(), strict=True)
        for doc_id, grade in group.items()
    ]
    (folder / "pets.rel").write_text("".join(rows))
    return folder


PLACES = [str(place) for place in range(1, 13)]
GAPS = [str(2 * place) for place in range(1, 13)]


def test_queries_numbered_by_place(tmp_path):
    folder = smart(tmp_path, GAPS, PLACES)
    (finding,) = found(folder, "query numbers")
    assert (finding.level, finding.settings) == ("warning", {"number": "place"})
    assert finding.what == (
        "the judgments count queries by their places in the file, not by their ids (12 of 12 judged queries have the "
        "number of a place, 6 that of an id); they are joined by their places in the file here"
    )
    assert rows(finding) == [("id", 6, 0.0, 0.0), ("place", 12, pytest.approx(2 / 3), 1.0)]
    (folder / "collection.toml").write_text('number = "place"\n')
    (finding,) = found(folder, "query numbers")
    assert (finding.level, finding.settings) == ("info", {})
    (folder / "collection.toml").write_text('number = "id"\n')
    (finding,) = found(folder, "query numbers")
    assert (finding.level, finding.settings) == ("error", {"number": "place"})
    assert finding.what.endswith("they are joined by their ids, which gives rubbish")


@pytest.mark.parametrize(
    ("ids", "judged", "number", "expected"),
    [
        (PLACES[::-1], PLACES, None, [("error", {"number": "place"})]),  # every number is an id: only the ranks tell
        (GAPS, GAPS, None, []),
        (PLACES[::-1], PLACES[::-1], None, []),
        (PLACES[::-1], PLACES[::-1], "place", [("error", {"number": "id"})]),
    ],
)
def test_queries_numbered_by_id_or_place(tmp_path, ids, judged, number, expected):
    folder = smart(tmp_path, ids, judged)
    if number:
        (folder / "collection.toml").write_text(f'number = "{number}"\n')
    assert [(finding.level, finding.settings) for finding in found(folder, "query numbers")] == expected


def test_judged_queries_without_text(tmp_path):
    folder = small.write_beir(tmp_path, judged=small.grades() | {"x1": {"a-both": 1}})
    (finding,) = found(folder, "judged queries")
    assert (finding.level, finding.what) == ("error", "1 of 13 judged queries has no text: no query has that id")
    assert finding.cure.startswith("They count as 0 in every mean.")


@pytest.mark.parametrize(
    ("spelling", "hint"),
    [
        (str.upper, "12 of them differ from an id only in case, such as 'Q-A' and 'q-a': write them alike."),
        (lambda query_id: f"q-0{ord(query_id[2])}", "leading zeros"),
        (lambda query_id: f"topic{ord(query_id[2])}", "the text around the number"),
    ],
)
def test_ids_that_are_spelt_otherwise(tmp_path, spelling, hint):
    numbers = "number" in hint or "zeros" in hint
    asked = {f"q-{ord(query_id[2])}" if numbers else query_id: text for query_id, text in small.queries().items()}
    judged = {spelling(query_id): group for query_id, group in small.grades().items()}
    (finding,) = found(small.write_beir(tmp_path, asked=asked, judged=judged), "judged queries")
    assert finding.level == "error"
    assert hint in finding.cure


def test_judgments_without_queries(tmp_path):
    folder = small.write_beir(tmp_path)
    (folder / "queries.jsonl").unlink()
    (finding,) = found(folder, "judged queries")
    assert finding.what == "12 queries are judged, but there is no file of queries"


def test_empty_queries(tmp_path):
    finding = found(
        small.write_beir(tmp_path, asked=small.queries() | {"q-b": "unheard words", "q-l": ""}),
        "empty queries",
    )[0]
    assert (finding.level, finding.what) == ("warning", "2 queries without a term in any document, 2 of them judged")
    assert rows(finding) == [("q-b", True, "unheard words"), ("q-l", True, "")]


def test_unjudged_queries(tmp_path):
    asked = small.queries() | {"q-x": "Applea  peara", "q-y": "red"}
    (unjudged,) = found(small.write_beir(tmp_path, asked=asked))
    assert (unjudged.level, unjudged.what) == ("warning", "2 of 14 queries have no judgments: q-x, q-y")
    assert unjudged.cure.endswith("over all 14, each figure would be 14% lower.")


@pytest.mark.parametrize(("shift", "where"), [(1, "before"), (-1, "behind")])
def test_judgments_that_fit_the_neighbours(tmp_path, shift, where):
    query_ids, groups = list(small.queries()), list(small.grades().values())
    judged = {query_id: groups[(place - shift) % 12] for place, query_id in enumerate(query_ids)}
    (finding,) = found(small.write_beir(tmp_path, judged=judged), "fit")
    assert finding.level == "error"
    assert finding.what.startswith(f"the judgments fit the query 1 query {where} theirs far better")
