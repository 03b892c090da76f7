"""Folders of people who have products, searches and ratings: how a sheet of ratings is known, and what it names."""

from __future__ import annotations

from itertools import product

import pytest
from lengths import thinned
from shell import run

import toysearch

PRODUCTS = (
    "sku,title,description,stock\np1,USB cable,a cable to charge a phone,5\np2,Mouse,a wireless mouse,2\n"
    "p3,Keys,a wireless keyboard,3\n"
)
RATED = [("usb cable", "p1", "3"), ("Wireless  Mouse", "p2", "2"), ("wireless mouse", "p3", "0")]
QUERIES = "id,text\nq7,wireless mouse\nq9,USB cable\n"
COLUMNS = ("--columns", "id=sku,text=description")


def shop(tmp_path, labels=("query", "doc", "rating"), rows=RATED, **files):
    sheet = "".join(",".join(row) + "\n" for row in [labels, *rows])
    for name, text in {"products.csv": PRODUCTS, "sheet.csv": sheet, **files}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def evaluated(folder, *options):
    return run("eval", str(folder), "-m", "P@1 RR", "--tsv", *options)


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("query", "doc", "rating"), COLUMNS),
        (("query", "product_id", "stars"), ()),
        (("search_term", "sku", "grade"), ()),
    ],
)
def test_a_sheet_beside_products(tmp_path, labels, columns):
    """Which of the two tables holds the documents is seen: the one with texts."""
    products = PRODUCTS.replace("sku", "id", 1)
    folder = shop(tmp_path, labels, **{"products.csv": PRODUCTS if columns else products})
    result = evaluated(folder, *columns)
    assert result.stdout.splitlines()[1:] == ["bm25\t1.0\t1.0"]
    assert "it has the 2 queries that the judgments name by their texts, numbered from 1" in result.stderr


def test_splits_share_the_queries_made_of_texts(tmp_path):
    (tmp_path / "qrels").mkdir()
    for name, rows in (("test", RATED[:1]), ("train", RATED[1:])):
        (tmp_path / "qrels" / f"{name}.csv").write_text(
            "query,doc,rating\n" + "".join(",".join(row) + "\n" for row in rows)
        )
    (tmp_path / "products.csv").write_text(PRODUCTS)
    texts = {
        split: [
            (collection.query(query_id).text, [*collection.qrels[query_id]]) for query_id in collection.qrels.query_ids
        ]
        for split in ("test", "train")
        for collection in [toysearch.load(tmp_path, split=split, columns="id=sku")]
    }
    assert texts == {"test": [("usb cable", ["p1"])], "train": [("Wireless  Mouse", ["p2", "p3"])]}


def test_columns_that_nobody_knows_are_named(tmp_path):
    folder = shop(
        tmp_path, ("suche", "artikel", "punkte"), **{"judgments.csv": "suche,artikel,punkte\nusb cable,p1,1\n"}
    )
    (folder / "sheet.csv").unlink()
    result = evaluated(folder, *COLUMNS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        "name the columns of the query, the document and the relevance, as in --qrels-columns query=suche"
    ) in result.stderr
    named = evaluated(folder, *COLUMNS, "--qrels-columns", "query_id=suche,doc_id=artikel,relevance=punkte")
    assert named.stdout.splitlines()[1:] == ["bm25\t1.0\t1.0"]
    (folder / "collection.toml").write_text(
        '[[files]]\nrole = "documents"\npath = "products.csv"\nformat = "csv"\ncolumns = { id = "sku" }\n\n[[files]]\n'
        'role = "qrels"\npath = "judgments.csv"\ncolumns = { query_id = "suche", doc_id = "artikel", '
        'relevance = "punkte" }\n'
    )
    assert evaluated(folder).stdout == named.stdout


MEASURING = {
    "eval": ("-m", "RR", "--tsv"),
    "compare": ("--model", "bm25", "--model", "tfidf", "-m", "RR", "--tsv"),
    "diff": ("--model", "bm25", "--model", "tfidf", "--json"),
    "tune": ("--model", "bm25", "--grid", "k1=1", "--folds", "2", "--tsv"),
}
RATED_TWICE = [*RATED, ("USB  Cable", "p1", "3")]


@pytest.mark.parametrize(("form", "name"), thinned(product(["csv", "csv with BOM and CRLF", "tsv"], MEASURING), 6))
def test_a_sheet_with_documents_or_an_index_gives_what_the_folder_gives(tmp_path, monkeypatch, name, form):
    """Also where the documents are a file or an index by itself, the texts in the sheet are the queries."""
    monkeypatch.chdir(shop(tmp_path, rows=RATED_TWICE, **{"products.csv": PRODUCTS.replace("sku", "id", 1)}))
    expected = run(name, ".", *MEASURING[name])
    assert expected.exit_code == 0, expected.stderr
    other = tmp_path / "elsewhere"
    other.mkdir()
    sheet, text = other / f"sheet.{form[:3]}", (tmp_path / "sheet.csv").read_text()
    text = text.replace(",", "\t") if form == "tsv" else text
    sheet.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() if "BOM" in form else text.encode())
    toysearch.Index.build(toysearch.load("products.csv")).save("products.idx")
    for source in ("products.csv", "products.idx"):
        found = run(name, source, "--qrels", str(sheet), *MEASURING[name])
        assert (found.exit_code, without_collection(found.stdout)) == (0, without_collection(expected.stdout))
        assert "the 2 texts by which the judgments name queries are searched, numbered from 1" in found.stderr


def without_collection(text):
    """What a command prints, without the line that names the source."""
    return [line for line in text.splitlines() if '"collection"' not in line]


def test_a_sheet_with_a_file_of_queries(tmp_path):
    folder = shop(tmp_path, **{"products.csv": PRODUCTS.replace("sku", "id", 1), "queries.csv": QUERIES})
    result = evaluated(
        folder / "products.csv",
        *("--queries", str(folder / "queries.csv"), "--qrels", str(folder / "sheet.csv"), "--per-query"),
    )
    assert [line.split("\t")[1] for line in result.stdout.splitlines()[1:]] == ["q9", "q7", "all"]
    assert "the judgments name 2 queries by their texts, such as 'usb cable', which is query 'q9'" in result.stderr


@pytest.mark.parametrize("alone", [True, False], ids=["sheet by itself", "folder"])
def test_spellings_of_a_query_with_different_grades_are_refused(tmp_path, alone):
    rows = [*RATED, ("USB  Cable", "p1", "1")]
    folder = shop(tmp_path, rows=rows, **{"products.csv": PRODUCTS.replace("sku", "id", 1)})
    result = evaluated(folder / "products.csv", "--qrels", str(folder / "sheet.csv")) if alone else evaluated(folder)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "toysearch: 'usb cable' and 'USB  Cable' name the same query '1', and give document 'p1' the grades 3 and 1; "
        "keep one of them"
    )
