"""Judgments with bad lines: skipped if asked; replaced files; sub-topics; other JSON; one rule for numbers."""

import io
import json
import re

import numpy as np
import pytest
from shell import done, refusal, run

import toysearch
from toysearch.base.errors import DataError, ToysearchNote

BAD = {
    "sheet.csv": "query_id,doc_id,rating\nq1,1,2\nq2,2,good\nq2,3,1\n",
    "judged.txt": "q1 0 1 2\nq2 0 2 good\nq2 0 3 1\n",
    "judged.jsonl": '{"query_id": "q1", "doc_id": "1", "relevance": 2}\n{"query_id": "q2"}\n'
    '{"query_id": "q2", "doc_id": "3", "relevance": 1}\n',
}


@pytest.fixture
def shop(tmp_path):
    """A collection whose own judgments cannot be read."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "documents.csv").write_text("id,title,text\n1,Robot,red robot\n2,Cat,blue cat\n3,Cats,green cat\n")
    (folder / "queries.csv").write_text("query_id,text\nq1,robot\nq2,cat\n")
    (folder / "ratings.csv").write_text(BAD["sheet.csv"])
    return folder


@pytest.mark.parametrize("name", BAD)
def test_bad_lines_are_left_out_if_that_is_asked(tmp_path, name):
    path = tmp_path / name
    path.write_text(BAD[name])
    with pytest.raises(DataError):
        toysearch.read_qrels(path)
    with pytest.warns(ToysearchNote, match=r": 1 line left out, on line (2|3): ") as notes:
        qrels = toysearch.read_qrels(path, on_error="skip")
    assert (len(notes), {query_id: qrels[query_id] for query_id in qrels.query_ids}) == (
        1,
        {"q1": {"1": 2.0}, "q2": {"3": 1.0}},
    )


def test_skipping_reaches_the_judgments_of_a_collection_and_of_an_option(shop):
    assert "ratings.csv:3: expected a number as relevance, found 'good'" in refusal("eval", shop)
    for more in ((), ("--qrels", shop / "ratings.csv")):
        result = run("eval", shop, *more, "--on-error", "skip", "-m", "AP")
        assert (result.exit_code, "ratings.csv: 1 line left out, on line 3: " in result.stderr) == (0, True)


def test_a_file_that_is_replaced_is_not_read(shop, tmp_path):
    (tmp_path / "clean.txt").write_text("q1 0 1 1\nq2 0 2 1\n")
    assert "bm25\t" in done("eval", shop, "--qrels", tmp_path / "clean.txt", "-m", "AP", "--tsv").stdout
    (shop / "ratings.csv").write_text("query_id,doc_id,rating\nq1,1,2\n")
    (shop / "queries.csv").write_text("query_id,text\nq1,robot\nq1,robot\n")
    (tmp_path / "topics.csv").write_text("query_id,text\nq1,robot\n")
    assert "bm25\t1.0" in done("eval", shop, "--queries", tmp_path / "topics.csv", "-m", "AP", "--tsv").stdout


@pytest.mark.parametrize("number", ["place", "id"])
def test_judgments_that_are_replaced_are_not_read_where_a_recipe_numbers_the_queries(tmp_path, number):
    (tmp_path / "pets.all").write_text(".I 1\n.W\nhow to train a cat\n.I 2\n.W\nhow to train a dog\n")
    (tmp_path / "pets.qry").write_text(".I 7\n.W\ntrain cat\n.I 9\n.W\ntrain dog\n")
    (tmp_path / "pets.rel").write_text("no judgment at all\n")
    roles = {"documents": "pets.all", "queries": "pets.qry", "qrels": "pets.rel"}
    files = "".join(f'[[files]]\nrole = "{role}"\npath = "{path}"\n' for role, path in roles.items())
    (tmp_path / "collection.toml").write_text(f'format = "smart"\nnumber = "{number}"\n{files}')
    first, second = ("1", "2") if number == "place" else ("7", "9")
    (tmp_path / "other.txt").write_text(f"{first} 0 1 1\n{second} 0 2 1\n")
    assert "pets.rel" in refusal("eval", tmp_path, "-m", "RR")
    assert done("eval", tmp_path, "--qrels", tmp_path / "other.txt", "-m", "RR NumQ", "--tsv").stdout.endswith(
        "\t1.0\t2\n"
    )


def test_given_queries_are_averaged_alone_with_a_note(tmp_path):
    (tmp_path / "two.tsv").write_text("1\ttrain cat\n2\ttrain dog\n")
    result = run("eval", "cat-dog-parrot", "--queries", tmp_path / "two.tsv", "-m", "AP", "--per-query", "--tsv")
    assert "note: 2 of 3 judged queries are given; every mean is over these 2" in result.stderr
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    values = [float(row[2]) for row in rows]
    assert [row[1] for row in rows] == ["1", "2", "all"]
    assert values[2] == pytest.approx(sum(values[:2]) / 2)


def test_subtopics_are_recognised(tmp_path):
    path = tmp_path / "web.txt"
    for second in ("1", "0"):  # the same grade, and another one
        path.write_text(f"1 1 d1 1\n1 2 d1 {second}\n1 1 d2 0\n")
        note = f"{path}: 2 sub-topics; a measure that knows none takes the highest grade of a document"
        with pytest.warns(ToysearchNote, match=re.escape(note)):
            qrels = toysearch.read_qrels(path)
        assert qrels["1"] == {"d1": 1.0, "d2": 0.0}
        assert qrels.subtopics.names == (("1", "2"),)
        np.testing.assert_array_equal(qrels.subtopics.grades, [[1, float(second)], [0, np.nan]])
    path.write_text("1 1 d1 1\n1 2 d1 1\n1 2 d1 0\n")
    with pytest.raises(DataError) as error:
        toysearch.read_qrels(path)
    assert str(error.value) == (
        f"{path}:3: query '1' and document 'd1' have grade 0 here and 1 on line 2; keep one of the two lines; "
        "on_error='skip' leaves it out"
    )
    path.write_text("1 0 d1 1\n1 0 d1 1\n")
    with pytest.warns(ToysearchNote, match="judges a pair again"):
        assert toysearch.read_qrels(path)["1"] == {"d1": 1.0}


@pytest.mark.parametrize(
    "lines", ["1 0 a 1\n1 1 0 1\n", "1 0 a 1\n1\t1\tb\t1\n", "1 1 a 1\n1 2 b 1\n", "1 1 1 1\n1 2 b 1\n"]
)
def test_a_second_column_that_varies_is_kept_however_the_file_is_read(tmp_path, lines):
    path, again = tmp_path / "qrels.txt", io.StringIO()
    path.write_text(lines)
    qrels = toysearch.read_qrels(path)
    assert qrels.subtopics.names == (tuple(line.split()[1] for line in lines.splitlines()),)
    toysearch.write_qrels(qrels, again)
    assert again.getvalue() == lines.replace("\t", " ")


def test_a_second_column_of_one_value_per_query_names_no_subtopics(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("1 1 a 1\n2 2 b 1\n")
    assert toysearch.read_qrels(path).subtopics is None


def test_nuggets_have_weights(tmp_path):
    path = tmp_path / "nuggets.jsonl"
    rows = [("a", "n1", "vital"), ("a", "n2", "okay"), ("b", "n3", 3)]
    lines = (json.dumps({"query_id": "1", "doc_id": d, "nugget": n, "relevance": 1, "weight": w}) for d, n, w in rows)
    path.write_text("\n".join(lines))
    assert toysearch.read_qrels(path).subtopics.weights.tolist() == [[1.0, 0.5, 3.0]]
    path.write_text("query_id,doc_id,nugget,grade,importance\n1,a,n1,1,high\n1,b,n2,1,\n")
    with pytest.raises(DataError) as error:
        toysearch.read_qrels(path)
    assert str(error.value) == (
        f"{path}:2: expected vital, okay or a number of at least 0 as weight of a sub-topic, found 'high'; "
        "on_error='skip' leaves it out"
    )


@pytest.mark.parametrize("number", ["\uff11\uff12", "1_000", "1e400", "٣", "nan"])
def test_one_rule_for_numbers_in_all_readers(tmp_path, number):
    large = ", which is too large" if number == "1e400" else ""
    for name, text in {
        "a.run": f"q1 Q0 1 1 {number} t\nq1 Q0 2 2 1 t\n",
        "a.csv": f"query_id,doc_id,score\nq1,1,{number}\nq1,2,1\n",
        "a.txt": f"q1 0 1 {number}\nq1 0 2 1\n",
        "b.csv": f"query_id,doc_id,rating\nq1,1,{number}\nq1,2,1\n",
    }.items():
        (tmp_path / name).write_text(text)
        reader = toysearch.read_run if name.startswith("a.") and name != "a.txt" else toysearch.read_qrels
        with pytest.raises(DataError) as error:
            reader(tmp_path / name)
        assert str(error.value).endswith(f", found '{number}'{large}; on_error='skip' leaves it out"), name


def test_every_bad_line_of_a_table_of_results_is_listed(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("query_id,doc_id,score\nq1,1,x\nq1,2,3\nq1,2,4\nq2,4\n")
    with pytest.raises(DataError) as error:
        toysearch.read_run(path)
    assert [line.split(":")[0].strip() for line in str(error.value).splitlines()[1:-1]] == [
        "line 2",
        "line 4",
        "line 5",
    ]


def test_a_header_whose_quotation_mark_is_not_closed_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text('query_id,"doc\nq1,d1,1\n')
    with pytest.raises(
        DataError, match=r"sheet\.csv:1: a quotation mark opens in this row and is not closed; close it"
    ):
        toysearch.read_qrels(path, columns="doc_id=b")
