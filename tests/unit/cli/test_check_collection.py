"""`toysearch check`: what it prints of raw collections, of sound ones, of runs, and in other forms."""

import json
import os
import re
import shutil
from functools import partial
from pathlib import Path

import pytest
import shell
import small_collections as small
from conftest import ROOT
from tiers import exhaustive, thinned

import toysearch
from toysearch.cli import output

pytestmark = pytest.mark.system

RAW = {
    "cranfield": ("cran.all.1400", "cran.qry", "cranqrel"),
    "cisi": ("CISI.ALL", "CISI.QRY", "CISI.REL"),
    "scifact": ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/train.tsv"),
}
PRINTED = ROOT / "tests" / "unit" / "study" / "corpus_check" / "printed" / "cisi.txt"


check = partial(shell.run, "check")


@pytest.fixture
def raw(corpora: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with nothing but the raw files of a collection."""
    folder = tmp_path / request.param
    for name in RAW[request.param]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpora / request.param / name, folder / name)
    return folder


@pytest.mark.parametrize("raw", ["cisi"], indirect=True)
def test_what_is_printed_of_cisi(raw):
    """TOYSEARCH_GOLDEN=write puts what is printed now into the file: read the diff."""
    result = check(raw)
    if os.environ.get("TOYSEARCH_GOLDEN") == "write":
        PRINTED.write_text(result.stdout, encoding="utf-8")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == PRINTED.read_text(encoding="utf-8")


@exhaustive
@pytest.mark.parametrize("raw", ["scifact"], indirect=True)
def test_what_is_found_in_scifact(raw):
    """Its texts are not to be part of these files, so the excerpts in the evidence are left out."""
    result = check(raw, "--json")
    assert result.exit_code == 0
    found = [
        (row["level"], row["check"], row["what"], [next(iter(each.values())) for each in row["evidence"]])
        for row in json.loads(result.stdout)["findings"]
    ]
    assert found == [
        ("info", "one grade", "all 1258 judgments have the grade 1: relevance is yes or unjudged", []),
    ]


@pytest.mark.parametrize("raw", ["cranfield"], indirect=True)
def test_what_average_precision_the_documentation_names_for_cranfield_as_distributed(raw):
    page = (ROOT / "docs" / "do" / "check-a-collection.md").read_text(encoding="utf-8")
    paragraph = page[page.index("With that file") : page.index("## All checks")]

    def mean_ap(recipe: str) -> str:
        (raw / "collection.toml").write_text(recipe, encoding="utf-8")
        return shell.done("eval", raw, "--analyzer", "plain", "-m", "AP", "--csv").stdout.split(",")[-2]

    suggested = page[page.index('text = ["W"]') : page.index("```\n\nWith that file")]
    shown = [f"{float(mean_ap(recipe)):.4f}" for recipe in (suggested, "", 'number = "id"')]
    assert re.findall(r"0\.\d{4}", paragraph) == shown


@pytest.mark.parametrize("raw", ["cranfield"], indirect=True)
def test_what_is_found_in_cranfield_and_what_the_documentation_shows_of_it(raw):
    """The page leaves out what follows the first line of each finding."""
    golden = ROOT / "tests" / "golden" / "check_cranfield.txt"
    page = ROOT / "docs" / "do" / "check-a-collection.md"
    result = check(raw)
    findings, title, settings = result.stdout.partition("A collection.toml ")
    head, body = findings.split("\n\n", 1)
    first_lines = "\n".join(re.findall(r"^\d+\. .*$", body, re.MULTILINE))
    expected = f"{head}\n\n{first_lines}\n\n{title}{settings}"
    text = page.read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(cranfield: .*?)```", text, re.DOTALL)
    if os.environ.get("TOYSEARCH_GOLDEN") == "write":
        golden.write_text(result.stdout, encoding="utf-8")
        page.write_text(text.replace(shown, expected), encoding="utf-8")
        return
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == golden.read_text(encoding="utf-8")
    assert shown == expected


@pytest.mark.parametrize("raw", ["cranfield"], indirect=True)
def test_the_collection_toml_that_is_printed_gives_the_figures_that_are_published(raw):
    (raw / "collection.toml").write_text(json.loads(check(raw, "--json").stdout)["collection_toml"])
    after = json.loads(check(raw, "--json").stdout)
    assert [finding["check"] for finding in after["findings"] if finding["level"] != "info"] == ["empty documents"]
    assert after["collection_toml"] == ""
    collection, named = toysearch.load(raw), toysearch.load("cranfield")
    assert list(collection.qrels) == list(named.qrels)
    run = toysearch.Searcher(toysearch.Index.build(collection), "bm25").run(collection.queries)
    assert toysearch.evaluate(run, collection.qrels, "AP")["AP"] == pytest.approx(0.269857, abs=5e-7)


@pytest.mark.parametrize("name", thinned(["cat-dog-parrot", "cranfield", "cisi", "scifact"], 4))
def test_named_collections_are_well(corpora, name):
    result = check(name)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "checks: 0 errors, 0 warnings, " in result.stdout


def test_the_ranks_of_cranfields_codes(corpora):
    """The table in the description of the collections, which another implementation of BM25 made."""
    data = json.loads(check("cranfield", "--json").stdout)
    assert data["healthy"]
    found = data["findings"]
    (direction,) = [finding for finding in found if finding["check"] == "direction"]
    rows = [tuple(row.values()) for row in direction["evidence"]]
    assert [row[:3] for row in rows] == [(-1, 225, 225), (1, 128, 67), (2, 387, 147), (3, 734, 187), (4, 363, 129)]
    shares, reciprocal, medians = zip(*(row[3:] for row in rows), strict=True)
    assert shares == pytest.approx((0.702, 0.461, 0.339, 0.286, 0.242), abs=5e-4)
    assert reciprocal == pytest.approx((0.5152, 0.2361, 0.1423, 0.1140, 0.0903), abs=5e-5)
    assert medians == (2, 14.5, 27, 40, 69)
    (odd,) = [finding for finding in found if finding["check"] == "odd judgments"]
    assert [row["AP (BM25)"] for row in odd["evidence"]] == pytest.approx([0.269857, 0.386065], abs=5e-7)
    (numbers,) = [finding for finding in found if finding["check"] == "query numbers"]
    assert [row["AP (BM25)"] for row in numbers["evidence"]] == pytest.approx([0.0127, 0.2699], abs=5e-5)


def test_a_finding_as_text(tmp_path):
    folder = small.write_beir(tmp_path / "pets", small.documents() | {"void": ""})
    result = check(folder)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "pets: 37 documents, 12 queries, 36 judgments of 12 queries\n"
        "17 checks: 0 errors, 1 warning, 0 notes\n"
        "\n"
        "corpus.jsonl: 37 documents read; id _id (by its name); text text (by its name); searched: text\n"
        "qrels/test.tsv: 36 judgments read; query query-id (by its name); document corpus-id (by its name); "
        "grade score (by its name)\n"
        "queries.jsonl: 12 queries read; id _id (by its name); text text (by its name); searched: text\n"
        "\n"
        "1. warning: empty documents: 1 document of 37 without any term in the searched fields\n"
        "   document  judged\n"
        "   void\n"
        "   → They keep their ids but can never be found; a relevant one lowers recall for every system. Is their text "
        "in another field (--fields A,B), or was it lost?\n"
    )


def test_it_fits_a_terminal_of_80_columns(tmp_path, monkeypatch):
    folder = small.write_beir(tmp_path / "pets", small.documents() | {"void": ""})
    wide = max(map(len, check(folder).stdout.splitlines()))
    monkeypatch.setattr(output, "terminal_width", lambda stream: 80)
    assert max(map(len, check(folder).stdout.splitlines())) <= 80 < wide


@exhaustive
@pytest.mark.parametrize("raw", RAW, indirect=True)
def test_what_is_found_in_raw_collections_fits_80_columns(raw, monkeypatch):
    monkeypatch.setattr(output, "terminal_width", lambda stream: 80)
    assert max(map(len, check(raw).stdout.splitlines())) <= 80


def test_other_forms(tmp_path):
    folder = small.write_beir(tmp_path / "pets", small.documents() | {"void": ""})
    result = check(folder, "--tsv")
    assert result.exit_code == 1
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == ["level", "check", "what", "cure"]
    assert lines[1][:2] == ["warning", "empty documents"]
    data = json.loads(check(folder, "--json").stdout)
    [finding] = data["findings"]
    assert finding["cure"].startswith("They keep their ids")
    assert (finding["check"], finding["evidence"]) == ("empty documents", [{"document": "void", "judged": ""}])
    counts = {"documents": 37, "queries": 12, "judgments": 36, "judged_queries": 12, "n_checks": 17}
    assert {name: data[name] for name in counts} == counts
    assert (data["name"], data["healthy"], data["collection_toml"]) == ("pets", False, "")


GRADES = [("right", 2, 1), ("wrong", 1, 2)]


def test_another_mapping_and_another_format(tmp_path):
    folder = small.write_beir(tmp_path / "pets")
    right, wrong = ("[grades.{}]\ngains = {{ 2 = {}, 1 = {}, 0 = 0 }}\n".format(*each) for each in GRADES)
    (folder / "collection.toml").write_text(f'default_grades = "right"\n{right}{wrong}')
    result = check(folder, "--grades", "wrong")
    assert result.exit_code == 1
    assert "1. error: direction: the gains of grade mapping 'wrong' run backwards" in result.stdout
    assert check(folder, "--grades", "right").exit_code == 0
    result = check("cranfield", "--input-format", "beir")
    assert (result.exit_code, result.stderr[:27]) == (2, "toysearch: input_format 'be")


def test_a_source_that_cannot_be_read_is_found_not_refused(tmp_path):
    folder = small.write_beir(tmp_path / "pets")
    (folder / "corpus.jsonl").write_text("{broken\n")
    result = check(folder)
    assert (result.exit_code, result.stderr) == (1, "")
    assert f"error: readable: {folder / 'corpus.jsonl'}:1: expected a JSON object" in result.stdout


def test_what_is_read_is_handed_on(tmp_path):
    (tmp_path / "claims.csv").write_text("key;claim;year\n7;cats are easily trained;2001\n9;dogs sleep all day;2003\n")
    (tmp_path / "queries.jsonl").write_text('{"qid": "q1", "text": "trained cats", "hint": "nothing"}\n')
    columns = ("--columns", "id=key,text=claim")
    assert check(tmp_path, *columns).stdout.splitlines()[:2] == [
        f"{tmp_path.name}: 2 documents, 1 query, 0 judgments of 0 queries",
        "17 checks: 0 errors, 0 warnings, 0 notes",
    ]
    assert "1 query without a term" in check(tmp_path, *columns, "--fields", "year").stdout
    assert "1 query without a term" in check(tmp_path, *columns, "--query-fields", "hint").stdout
    refused = check(tmp_path, *columns, "--query-fields", "nope")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "toysearch: unknown query field 'nope'. Query fields: text, hint\n",
    )


def test_judgments_are_named_for_a_run_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"own/documents.csv": "doc_id,text\n1,a cat\n", "qrels": "1 0 1 1\n", "run": "1 Q0 1 1 2.0 x\n"}
    small.write_files(tmp_path, **files)
    shell.done("index", "own/documents.csv", "-o", "own.idx")
    for target in ("cat-dog-parrot", "own", "own/documents.csv", "own.idx"):
        result = check(target, "--qrels", "qrels", "--fields", "text")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith(f"Error: --qrels: only with a run; leave it out to check '{target}'\n")
    assert check("run", "--qrels", "qrels").exit_code == 0
    assert check("nowhere", "--qrels", "qrels").stderr == "toysearch: nowhere: there is no such file\n"


def test_what_trec_does_not_take_is_found(tmp_path):
    lines = [f"1 Q0 {1 + n % 4 if n < 4 else f'd{n}'} {n + 1} {5000 - n} {'t' * 21}" for n in range(1002)]
    lines[4] = lines[4].replace("Q0", "QO")
    lines[6] += " or so"
    (tmp_path / "odd.run").write_text("\n".join(lines) + "\n")
    result = check(tmp_path / "odd.run", "cat-dog-parrot")
    assert result.exit_code == 1
    for sentence in (
        "second column: 'QO' instead of Q0, first on line 5; some readers need Q0\n",
        "tags: 1 line has text after the tag, first line 7; a tag holds no blank\n",
        f"tags: '{'t' * 21}' has 21 characters; TREC takes 20\n",
        "unknown documents: 998 of 1,002 ranked documents are not in collection 'cat-dog-parrot', such as 'd4' of ",
        "long rankings: 1 query has more than 1,000 documents, such as '1' with 1,002; TREC takes 1,000\n",
    ):
        assert sentence in result.stdout
