"""Checks of judgments and their grades, of files that no reader accepts, and of named collections."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import small_collections as small
from shell import run
from tiers import thinned

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.study.corpus_check.raw_collection import Finding, read_raw_collection


def found(folder: Path, check: str = "") -> list[Finding]:
    return [finding for finding in toysearch.diagnose(folder).findings if check in ("", finding.check)]


def rows(finding: Finding) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in finding.evidence]


def test_missing_documents(tmp_path):
    judged = small.grades()
    judged["q-a"]["A-BOTH"] = 1
    (finding,) = found(small.write_beir(tmp_path, judged=judged))
    assert (finding.level, finding.check) == ("warning", "judged documents")
    assert finding.what == "1 of 37 judgments (2.7%) are of 1 document that are not in the collection"
    assert finding.cure.endswith(" 'A-BOTH' is there as 'a-both': write ids alike.")
    judged["q-b"]["gone"] = 1
    (finding,) = found(small.write_beir(tmp_path, judged=judged))
    assert (finding.level, rows(finding)) == ("error", [("A-BOTH", 1), ("gone", 1)])


def test_queries_for_which_nothing_is_relevant(tmp_path):
    judged = small.grades()
    judged["q-c"] = {"c-both": 0, "c-one": -1}
    (finding,) = found(small.write_beir(tmp_path, judged=judged))
    assert (finding.level, finding.check) == ("warning", "nothing relevant")
    assert finding.what == "1 judged query has no relevant document (a gain of 1 or more): q-c"


def test_an_id_given_twice_is_told_with_its_line_and_the_rest_is_checked(tmp_path):
    folder = small.write_beir(tmp_path)
    small.append(folder / "corpus.jsonl", '{"_id": "a-one", "text": "the same id once more"}\n')
    (finding,) = found(folder)
    assert (finding.level, finding.check) == ("error", "readable")
    assert finding.what == (
        f"{folder / 'corpus.jsonl'}:37: doc_id 'a-one' was already given on line 2; each id may occur once"
    )
    assert toysearch.diagnose(folder).counts["documents"] == 36
    small.append(folder / "queries.jsonl", '{"_id": "q-a", "text": "the same id once more"}\n')
    sentences = [finding.what for finding in found(folder, "readable")]
    assert (
        f"{folder / 'queries.jsonl'}:13: query_id 'q-a' was already given on line 1; each id may occur once"
    ) in sentences


def test_a_folder_in_which_nothing_is_recognised_is_not_broken(tmp_path):
    (tmp_path / "key.dat").write_text("nothing to see\n")
    (finding,) = found(tmp_path)
    described = "or a collection.toml (`toysearch docs collections`)."
    assert finding.cure == f"Describe its files: load(…, input_format=…, columns=…), {described}"
    in_shell = f"Describe its files: --input-format NAME --columns PART=NAME,…, {described}"
    assert in_shell in run("check", tmp_path).stdout
    folder = small.write_beir(tmp_path / "beir")
    small.append(folder / "corpus.jsonl", "{broken\n")
    assert [f.cure[:14] for f in found(folder, "readable")] == ["Correct the fi"]


def test_a_line_that_cannot_be_read_does_not_end_the_check(tmp_path):
    folder = small.write_beir(tmp_path)
    path = folder / "corpus.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:20], "{broken\n", *lines[20:]]))
    (readable,) = found(folder, "readable")
    assert readable.what.startswith(f"{path}:21: expected a JSON object")
    assert not found(folder, "judged documents")
    assert toysearch.diagnose(folder).counts["documents"] == 36


def test_each_line_that_cannot_be_read_is_a_row_of_its_own(tmp_path):
    judged = small.write_beir(tmp_path) / "ratings.csv"
    shutil.rmtree(tmp_path / "qrels")
    judged.write_text("query_id,doc_id,grade\nq-a,a-both,1\nq-a,a-both,2\nq-b,b-both,1\nq-b,b-both,0\n")
    finding = next(finding for finding in found(tmp_path, "readable"))
    assert finding.what == f"{judged}: 2 lines cannot be read"
    assert [line.split(":")[0] for (line,) in rows(finding)[:2]] == ["line 3", "line 5"]


def test_a_pair_with_two_grades_cannot_be_read(tmp_path):
    folder = small.write_beir(tmp_path)
    small.append(folder / "qrels" / "test.tsv", "q-a\ta-both\t2\n")
    assert not found(folder)
    small.append(folder / "qrels" / "test.tsv", "q-a\ta-both\t0\n")
    (finding,) = found(folder, "readable")
    assert "query 'q-a' and document 'a-both' have grade 0 here and 2 on line 2" in finding.what


def test_what_is_read_can_be_chosen(tmp_path):
    (tmp_path / "claims.csv").write_text("key;claim;Year\n7;cats are easily trained;2001\n9;dogs sleep all day;2003\n")
    (tmp_path / "queries.jsonl").write_text('{"qid": "q1", "text": "trained cats", "hint": "nothing"}\n')
    (tmp_path / "judged.jsonl").write_text('{"query_id": "q1", "doc_id": "7", "relevance": 1}\n')
    columns = {"id": "key", "text": "claim"}
    chosen = toysearch.diagnose(tmp_path, columns=columns)
    assert chosen.healthy
    assert chosen.counts == {"documents": 2, "queries": 1, "judgments": 1, "judged_queries": 1}
    years = toysearch.diagnose(tmp_path, columns=columns, fields="year")
    assert [f.what[:20] for f in years.of_level("warning")] == ["1 query without a te"]
    hints = toysearch.diagnose(tmp_path, columns=columns, query_fields=["HINT"])
    assert [f.check for f in hints.of_level("warning")] == ["empty queries"]
    with pytest.raises(ArgumentError, match=r"^unknown field 'nope'\. Fields: claim, Year, text$"):
        toysearch.diagnose(tmp_path, columns=columns, fields="nope")
    (tmp_path / "queries.jsonl").write_text("{")  # a finding, not an error, whatever was chosen
    assert [f.check for f in toysearch.diagnose(tmp_path, columns=columns, fields="text").of_level("error")] == [
        "readable",  # the line
        "readable",  # and that no record is left
    ]


def test_a_named_collection_is_vouched_for_by_its_checksums(tmp_path, monkeypatch):
    """Of files that are those of the recipe a warning is a note; of others it is one, and they are told."""
    folder = small.write_beir(tmp_path / "pets", small.documents() | {"void": ""})
    files = {"documents": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels/test.tsv"}
    from toysearch.files.source import sha256

    described = "".join(
        f'[[files]]\nrole = "{role}"\npath = "{path}"\nsha256 = "{sha256(folder / path)}"\n'
        for role, path in files.items()
    )
    (folder / "collection.toml").write_text(f'format = "beir"\n{described}')
    assert [finding.level for finding in found(folder)] == ["warning"]
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path))
    diagnosis = toysearch.diagnose("pets")
    assert [finding.level for finding in diagnosis.findings] == ["info"]
    assert diagnosis.healthy
    small.append(folder / "queries.jsonl", "\n")
    checksums, empty = toysearch.diagnose("pets").findings
    assert (checksums.level, checksums.check, empty.level) == ("warning", "checksums", "warning")
    assert checksums.what == (
        f"{folder / 'queries.jsonl'} is not the file in the recipe of 'pets': its checksum differs"
    )
    path = folder / "queries.jsonl"
    path.write_text(path.read_text().removesuffix("\n"))
    assert toysearch.diagnose("pets").healthy
    without = described.replace(f'sha256 = "{sha256(folder / "qrels/test.tsv")}"\n', "")
    (folder / "collection.toml").write_text(f'format = "beir"\n{without}')
    assert not toysearch.diagnose("pets").healthy


@pytest.mark.system
def test_errors_of_a_vouched_collection_stay_errors(corpora):
    diagnosis = toysearch.diagnose("cranfield", grades="raw")
    (error,) = diagnosis.of_level("error")
    assert error.what.startswith("the gains of grade mapping 'raw:minus1=nonrelevant' run backwards")


def test_what_is_no_collection_at_all_is_refused():
    with pytest.raises(ArgumentError, match="unknown collection, file or folder 'cranfeld'"):
        toysearch.diagnose("cranfeld")
    with pytest.raises(DataError, match="there is no such folder or file"):
        toysearch.diagnose("no/such/folder")


def test_more_queries_than_are_ranked_are_thinned_evenly(tmp_path, monkeypatch):
    from toysearch.study.corpus_check import raw_collection

    monkeypatch.setattr(raw_collection, "MOST_QUERIES", 4)
    ranked = []
    original = raw_collection.Searcher.run

    def run(self, queries, **rest):
        ranked.extend(query_id for query_id, _ in queries)
        return original(self, queries, **rest)

    monkeypatch.setattr(raw_collection.Searcher, "run", run)
    assert toysearch.diagnose(small.write_beir(tmp_path)).healthy
    assert ranked == ["1", "4", "7", "10"]


def test_a_mapping_that_lacks_a_code_and_a_field_that_is_not_there(tmp_path):
    folder = small.write_beir(tmp_path, small.documents() | {"void": ""})
    (folder / "collection.toml").write_text("[grades.short]\ngains = { 2 = 2, 1 = 1 }\n")
    readable, empty = found(folder)
    assert (readable.level, readable.check, empty.check) == ("error", "readable", "empty documents")
    assert readable.what.startswith("query 'q-a' has the code 0 for document 'a-none', which grade mapping 'short'")
    (folder / "collection.toml").write_text('text = ["body"]\n')
    (readable,) = found(folder)
    assert readable.what.startswith("unknown field 'body'")


def test_a_folder_of_texts(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "cat.md").write_text("# Cat\n\nhow to train a cat\n")
    (tmp_path / "more" / "dog.txt").write_text("how to train a dog\n")
    (tmp_path / "photo.jpg").write_bytes(b"\x00\xff" * 100)
    (left_out,) = found(tmp_path)
    assert left_out.what.startswith(f"{tmp_path}: 1 file of another kind left out (1 .jpg)")


def test_files_beside_the_documents_are_named(tmp_path):
    (tmp_path / "cats.csv").write_text("id,text\n1,how to train a cat today\n")
    (tmp_path / "load.py").write_text("print(1)\n")
    (tmp_path / "prices.csv").write_text("key,price\n7,3\n")
    diagnosis = toysearch.diagnose(tmp_path)
    unread, others = [finding.what for finding in diagnosis.findings if finding.check == "readable"]
    assert (
        unread
        == f"{tmp_path}: cats.csv has the documents; the columns of prices.csv (key, price) are not known: left out"
    )
    assert others.startswith(f"{tmp_path}: cats.csv has the documents, 1 file of another kind left out (1 .py)")
    assert diagnosis.of_level("error") == []


def test_of_a_pair_in_several_sets_the_first_judgment_counts(tmp_path):
    folder = small.write_beir(tmp_path)
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq-a\ta-both\t0\nq-a\tb-both\t1\n")
    assert read_raw_collection(folder).all_codes["q-a"] == {"a-both": 2, "a-one": 1, "a-none": 0, "b-both": 1}
    assert toysearch.diagnose(folder).counts["judgments"] == 37


def recoded(codes: dict[int, float]) -> dict[str, dict[str, float]]:
    return {
        query_id: {doc_id: codes[grade] for doc_id, grade in group.items()}
        for query_id, group in small.grades().items()
    }


@pytest.mark.system
@pytest.mark.parametrize(
    ("codes", "gains"),
    thinned(
        [
            ({2: 1, 1: 2, 0: 0}, {1: 2, 2: 1, 0: 0}),  # 0 is not relevant, the grades are turned round
            ({2: 0, 1: 1, 0: 2}, {0: 2, 1: 1, 2: 0}),  # all of it is turned round
            ({2: 1, 1: 2, 0: 3}, {1: 3, 2: 2, 3: 1}),  # there is no 0
            ({2: 0, 1: 0, 0: 1}, {0: 1, 1: 0}),  # yes and no, exchanged
            ({2: 0.5, 1: 1.5, 0: 2}, {0.5: 2, 1.5: 1, 2: 0.5}),
        ],
        5,
    ),
)
def test_a_scale_that_runs_backwards_is_found_and_turned_round(tmp_path, codes, gains):
    diagnosis = toysearch.diagnose(small.write_beir(tmp_path, judged=recoded(codes)))
    (finding,) = [finding for finding in diagnosis.findings if finding.check == "direction"]
    assert finding.level == "error"
    assert finding.settings == {"gains": gains, "odd": []}
    assert not diagnosis.healthy


@pytest.mark.system
def test_the_cure_works(tmp_path):
    folder = small.write_beir(tmp_path, judged=recoded({2: 1, 1: 2, 0: 0}))
    (folder / "collection.toml").write_text(toysearch.diagnose(folder).toml)
    diagnosis = toysearch.diagnose(folder)
    assert [(finding.level, finding.check) for finding in diagnosis.findings] == [("info", "direction")]
    assert diagnosis.healthy
    assert toysearch.load(folder).qrels["q-a"] == {"a-both": 2, "a-one": 1, "a-none": 0}


@pytest.mark.system
def test_few_queries_are_a_suspicion_and_fewer_are_none(tmp_path):
    judged = recoded({2: 1, 1: 2, 0: 0})
    for n_queries, level in ((9, ["warning"]), (5, ["warning"]), (4, [])):
        folder = small.write_beir(tmp_path / str(n_queries), judged=dict(list(judged.items())[:n_queries]))
        assert [finding.level for finding in found(folder, "direction")] == level


def test_a_code_below_0_once_a_query_is_odd(tmp_path):
    judged = recoded({2: -1, 1: 1, 0: 0})
    diagnosis = toysearch.diagnose(small.write_beir(tmp_path, judged=judged))
    (finding,) = [finding for finding in diagnosis.findings if finding.check == "odd judgments"]
    assert (finding.level, finding.settings) == ("warning", {"gains": {0: 0, 1: 1, -1: 0}, "odd": [-1]})
    assert finding.what == (
        "code -1 is not on the scale: 12 of 12 queries have it, once each, 0 times as the last judgment; 12 different "
        "documents, with a median rank of 1 under plain BM25"
    )
    assert [tuple(row.values()) for row in finding.evidence] == [("not relevant", 0.5), ("relevant", 1.0)]
    assert diagnosis.toml.splitlines() == [
        'default_grades = "graded"',
        "",
        "[grades.graded]",
        "gains = { 0 = 0, 1 = 1 }",
        "",
        "[grades.graded.options.minus1]",
        'default = "nonrelevant"',
        "values.nonrelevant = { -1 = 0 }",
        'values.removed = { -1 = "removed" }',
        "values.relevant = { -1 = 1 }",
    ]


def test_a_code_that_some_query_has_twice_or_many_lack_is_not_odd(tmp_path):
    twice = recoded({2: 1, 1: -1, 0: 0})
    twice["q-a"]["b-one"] = -1
    assert not found(small.write_beir(tmp_path / "twice", judged=twice), "odd judgments")
    lacking = recoded({2: 1, 1: -1, 0: 0})
    for query_id in list(lacking)[:2]:
        del lacking[query_id][f"{query_id[2]}-one"]
    assert not found(small.write_beir(tmp_path / "lacking", judged=lacking), "odd judgments")


def test_a_lowest_grade_that_gains_is_found_and_shifted(tmp_path):
    diagnosis = toysearch.diagnose(small.write_beir(tmp_path, judged=recoded({2: 5, 1: 3, 0: 1})))
    (finding,) = diagnosis.findings
    assert (finding.level, finding.check) == ("warning", "lowest grade")
    assert finding.what == (
        "the lowest grade is 1, and counts as relevant: nothing is judged not relevant; 33% of the judgments have it, "
        "and its documents are ranked far below those of the next"
    )
    assert diagnosis.toml == 'default_grades = "graded"\n\n[grades.graded]\ngains = { 1 = 0, 3 = 2, 5 = 4 }'
    (tmp_path / "collection.toml").write_text(diagnosis.toml)
    assert toysearch.diagnose(tmp_path).findings == ()


def test_a_frequent_lowest_grade_is_suspicious_though_ranked_well(tmp_path):
    """Grade 1 is ranked as high as grade 2, and eight of eighteen judgments have it."""
    judged = {query_id: {f"{query_id[2]}-both": 3, f"{query_id[2]}-one": 1} for query_id in small.queries()}
    for place, (query_id, group) in enumerate(judged.items()):
        if place < 4:
            group[f"{query_id[2]}-one"] = 2
        elif place < 10:
            del group[f"{query_id[2]}-both"]
    (finding,) = found(small.write_beir(tmp_path / "often", judged=judged), "lowest grade")
    assert finding.level == "warning"
    assert finding.what.endswith("; 44% of the judgments have it")
    for place, query_id in enumerate(judged):
        judged[query_id][f"{query_id[2]}-both"] = 3 if place % 2 else 2
    (finding,) = found(small.write_beir(tmp_path / "seldom", judged=judged), "lowest grade")
    assert (finding.level, finding.settings) == ("info", {})


def test_two_grades_are_told_and_not_suspicious(tmp_path):
    """Half of the judgments have the lower one, as relevant and very relevant do."""
    judged = {query_id: {f"{query_id[2]}-both": 2, f"{query_id[2]}-one": 1} for query_id in small.queries()}
    (finding,) = found(small.write_beir(tmp_path, judged=judged), "lowest grade")
    assert (finding.level, finding.settings) == ("info", {})
    assert "; 50% of the judgments have it" in finding.what


def test_one_grade_and_no_grade_above_0(tmp_path):
    ones = {query_id: {f"{query_id[2]}-both": 1} for query_id in small.queries()}
    (finding,) = found(small.write_beir(tmp_path / "ones", judged=ones), "one grade")
    assert (finding.level, finding.what) == ("info", "all 12 judgments have the grade 1: relevance is yes or unjudged")
    (finding,) = found(small.write_beir(tmp_path / "zeros", judged=recoded({2: 0, 1: -2, 0: 0})), "one grade")
    assert (finding.level, finding.what) == ("error", "no grade of 36 judgments is above 0: nothing is relevant")


def test_scores_in_the_place_of_grades(tmp_path):
    texts = {f"d{number}": f"apple{name} and more {number}" for number, name in enumerate("ab" * 30)}
    judged = {"q-a": {f"d{number}": 60 - number for number in range(60)}}
    (finding,) = found(small.write_beir(tmp_path, texts, judged=judged), "one grade")
    assert (finding.level, finding.what) == ("warning", "60 different grades, from 1 to 60: more than any scale has")


def test_fractions_want_a_threshold(tmp_path):
    folder = small.write_beir(tmp_path, judged=recoded({2: 1, 1: 0.5, 0: 0}))
    diagnosis = toysearch.diagnose(folder)
    (finding,) = diagnosis.findings
    assert (finding.level, finding.check) == ("warning", "fractions")
    assert finding.what == (
        "12 of 36 grades lie between 0 and 1 (0.5), and relevant means 1 or above: they have gains but do not count as "
        "relevant"
    )
    assert diagnosis.toml == "threshold = 0.5"
    (folder / "collection.toml").write_text(diagnosis.toml)
    assert toysearch.diagnose(folder).findings == ()
