"""`toysearch corpora`: what is listed and shown, with and without the files at hand; and `toysearch convert`."""

import json
import re
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "corpora")


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Nothing but what comes with toysearch."""
    monkeypatch.delenv("TOYSEARCH_CORPORA", raising=False)
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "toysearch"))


@pytest.fixture
def pets(tmp_path):
    """A user's own folder."""
    (tmp_path / "pets").mkdir()
    record = json.dumps({"_id": "a", "title": "Cats", "text": "training\ncats"})
    (tmp_path / "pets" / "corpus.jsonl").write_text(record + "\n")
    (tmp_path / "pets" / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": "train cat"}) + "\n")
    (tmp_path / "pets" / "qrels").mkdir()
    (tmp_path / "pets" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t2\n")
    return tmp_path / "pets"


def test_the_list_tells_sizes_and_where_the_files_are_or_how_to_get_them(alone):
    result = run()
    assert result.exit_code == 0
    lines = [re.split(r"  +", line) for line in result.stdout.splitlines()]
    assert lines[0] == ["name", "documents", "queries", "judgments", "where"]
    here = {row[0]: row for row in lines[1:] if not row[4].startswith(("not here", "word counts"))}
    assert here["cat-dog-parrot"][:4] == ["cat-dog-parrot", "4", "3", "12"]
    assert here["companions"][:4] == ["companions", "400", "58", "4,044"]
    assert here["languages"][:4] == ["languages", "86", "20", "1,720"]
    assert all(row[4].endswith(name) for name, row in here.items())
    counts = "word counts; `toysearch corpora get {}` fetches the texts"
    assert [row for row in lines[1:] if row[0] not in here] == [
        ["cisi", "1,460", "112", "3,114", counts.format("cisi")],
        ["cranfield", "1,400", "225", "1,837", counts.format("cranfield")],
        ["scifact", "5,183", "1,109", "339", "not here; `toysearch corpora get scifact` fetches it"],
    ]


def test_the_list_for_programs(alone):
    counts = {"name": "cranfield", "documents": 1400, "queries": 225, "judgments": 1837}
    place = {"folder": None, "held": "word counts", "files": None, "bytes": None}
    assert json.loads(run("--json").stdout)[4] == counts | place
    assert run("--tsv").stdout.splitlines()[5] == "cranfield\t1400\t225\t1837\t\tword counts\t\t"


def test_what_was_fetched_and_how_large_it_is(alone, tmp_path):
    folder = tmp_path / "cache" / "toysearch"
    (folder / "cranfield" / "docs").mkdir(parents=True)
    (folder / "cranfield" / "cranqrel").write_text("1 2 3\n")
    (folder / "cranfield" / "docs" / "cran.qry").write_text("no\n")
    listed = {row["name"]: (row["files"], row["bytes"]) for row in json.loads(run("--json").stdout)}
    assert listed["cranfield"] == (2, 9)
    assert listed["cat-dog-parrot"] == (None, None)
    assert run().stderr == f"1 fetched collection, 9 bytes, in {folder}\n"


def test_the_folder_of_a_collection_that_is_here(corpora):
    listed = {row["name"]: row["folder"] for row in json.loads(run("--json").stdout)}
    assert listed["cranfield"] == str(corpora.resolve() / "cranfield")


def test_a_collection_with_its_files(alone):
    text = run("show", "cat-dog-parrot").stdout
    assert text.startswith("cat-dog-parrot: Cat, dog, parrot\n\nFour one-line documents, ")
    assert "relevant from gain  0.5\n" in text
    assert "\nWhat to know\n\n- Grades are fractions; " in text
    assert text.endswith(
        "\nQuery 1: train cat\n"
        "\nJudged: 4 documents (gain): 1 (1), 2 (0.5), 3 (0.3), 4 (0.1)\n"
        "\nDocument 1: How to train a cat\n"
    )


HAVING_THEM = (
    "If you have them, put them into a folder called {0}, and name the folder above that one in the environment "
    "variable TOYSEARCH_CORPORA.\n"
)


def test_a_collection_without_its_files_tells_where_they_are_to_be_had(alone):
    text = run("show", "scifact").stdout
    fetching = "\nIts files are not here. `toysearch corpora get scifact` fetches them. "
    assert fetching + HAVING_THEM.format("scifact") in text
    assert "\n\nSources of the files, tried in turn\n\n- https://" in text
    assert "Query 1" not in text


def test_a_collection_of_word_counts_tells_where_its_texts_are_to_be_had(alone):
    text = run("show", "cranfield").stdout
    instead = (
        "\nIts texts are not here. Its word counts are, with which every figure is the same; titles, passages, phrases "
        "and other tokenizers need the texts. `toysearch corpora get cranfield` fetches them. "
    )
    assert instead + HAVING_THEM.format("cranfield") in text
    assert "\n\nSources of the files, tried in turn\n\n- http://ir.dcs.gla.ac.uk/" in text


def test_the_grades_of_cranfield_and_what_is_odd_about_them(alone):
    text = run("show", "cranfield").stdout
    table = text.partition("NAME:OPTION=VALUE\n\n")[2].partition("\n\n")[0]
    rows = [re.split(r"  +", line.strip())[:2] for line in table.splitlines()[1:]]
    assert rows[:4] == [
        ["graded (default)", "1→4 2→3 3→2 4→1"],
        ["minus1=nonrelevant (default)", "-1→0"],
        ["minus1=removed", "-1→removed"],
        ["minus1=relevant", "-1→4"],
    ]
    assert [row for row in rows[4:] if "=" not in row[0]] == [["binary", "1→1 2→1 3→1 4→1"], ["raw", "1→1 2→2 3→3 4→4"]]
    assert "\n- Each query has one judgment with the code -1, " in text


def test_a_query_of_cranfield_its_judgments_and_the_best_judged_document(corpora):
    data = json.loads(run("show", "cranfield", "--json").stdout)
    assert data["documents"] == 1400
    assert data["sample"]["query"]["query_id"] == "1"
    assert data["sample"]["query"]["text"].startswith("what similarity laws must be obeyed")
    assert len(data["sample"]["judgments"]) == 29
    assert data["sample"]["judgments"]["184"] == 3
    assert data["sample"]["document"]["doc_id"] == "184"
    assert data["grades"][0]["gains"] == {"1": 4, "2": 3, "3": 2, "4": 1}
    assert [file["path"] for file in data["files"]] == ["cran.all.1400", "cran.qry", "cranqrel"]
    assert len(data["quirks"]) > 5


def test_a_folder_of_the_users_own(pets):
    assert run("show", pets).stdout == (
        "pets\n"
        "\n"
        "documents           1\n"
        "queries             1\n"
        "judgments           1\n"
        "judged queries      1\n"
        "language            none\n"
        "relevant from gain  1\n"
        "\n"
        "Query 1: train cat\n"
        "\n"
        "Judged: 1 document (gain): a (2)\n"
        "\n"
        "Document a: Cats training cats\n"
    )


def test_a_file_of_documents_alone(pets):
    assert run("show", pets / "corpus.jsonl").stdout.endswith(
        "relevant from gain  1\n\nDocument a: Cats training cats\n"
    )


@pytest.mark.system
def test_the_facts_as_tsv(alone):
    lines = run("show", "cat-dog-parrot", "--tsv").stdout.splitlines()
    assert lines[:3] == ["property\tvalue", "name\tcat-dog-parrot", "title\tCat, dog, parrot"]
    assert "threshold\t0.5" in lines


def test_what_is_shown_is_read_as_the_options_say(tmp_path, pets):
    (tmp_path / "claims.csv").write_text("key;url\n7;cat\n")
    refused = run("show", tmp_path / "claims.csv")
    assert refused.stderr.endswith("name it, as in --columns text=url\n")
    shown = run("show", tmp_path / "claims.csv", "--columns", "id=key,text=url")
    assert (shown.exit_code, "Document 7: cat" in shown.stdout) == (0, True)
    (pets / "collection.toml").write_text('text = ["title"]\n')
    sample = json.loads(run("show", pets, "--json", "--fields", "text").stdout)["sample"]
    assert sample["document"]["text"] == "training\ncats"
    assert "searched fields     text\n" in run("show", "cat-dog-parrot", "--fields", "text").stdout


@pytest.mark.parametrize("group", ["corpora", "labs"])
def test_a_group_without_a_command_lists_in_any_form(alone, group):
    for form in ("json", "tsv"):
        assert shell.run(group, f"--{form}").exit_code == 0
    assert isinstance(json.loads(shell.run(group, "--json").stdout), list)
    assert shell.refusal(group, "--json", "start" if group == "labs" else "show", "1").endswith(
        f"give the form of the output after {'start' if group == 'labs' else 'show'}"
    )


@pytest.mark.parametrize(
    ("to", "files"),
    [
        ("beir", "collection.toml, corpus.jsonl, qrels/test.tsv, queries.jsonl"),
        ("trec", "collection.toml, documents.trec, qrels/test.trec, topics.trec"),
        ("jsonl", "collection.toml, documents.jsonl, qrels/test.jsonl, queries.jsonl"),
    ],
)
def test_it_writes_a_folder_and_says_what_is_in_it_on_stderr(tmp_path, to, files):
    folder = tmp_path / "copy"
    result = shell.run("convert", "cat-dog-parrot", "--to", to, "-o", folder)
    assert [result.exit_code, result.stdout] == [0, ""]
    assert re.fullmatch(rf"{re.escape(str(folder))}: 4 documents, 3 queries, \d\.\d kB: {files}\n", result.stderr)
    figures = [
        shell.run("eval", source, "--model", "bm25", "--per-query").stdout for source in ("cat-dog-parrot", folder)
    ]
    assert figures[0] == figures[1] != ""


def test_what_is_read_and_how_can_be_chosen(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "pets.csv").write_text("key;a;b\n7;Cats;train\n")
    topics = "<top><num>1<title>cat<desc>train</top>"
    (tmp_path / "own" / "topics").write_text(topics)
    options = ["--columns", "id=key,title=a,text=b", "--fields", "text", "--query-fields", "description"]
    assert shell.run("convert", tmp_path / "own", *options, "--to", "beir", "-o", tmp_path / "copy").exit_code == 0
    collection = toysearch.load(tmp_path / "copy")
    assert [tuple(document)[:3] for document in collection.documents] == [("7", "train", "Cats")]
    assert list(collection.queries) == [("1", "train")]
    shown = shell.run("search", tmp_path / "own", *options[:4], "train", "--tsv")
    assert shown.stdout.splitlines()[1].split("\t")[:2] == ["1", "7"]
