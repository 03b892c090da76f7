"""Workbooks: their cells are those of the same table in CSV, and what is wrong is told by sheet and row."""

import csv
import gzip
import io
import re
import zipfile
from pathlib import Path

import pytest
from binary_files import archive, workbook
from captured_notes import noted
from error_messages import raising
from shell import run as shell

from toysearch import Index, load, read_qrels, read_run
from toysearch.base.errors import DataError
from toysearch.collection.queries import read_queries
from toysearch.files import unpacking
from toysearch.files.source import numbered_lines
from toysearch.files.syntaxes import workbook as reader
from toysearch.workbench.clicks.click_log import read_clicks
from toysearch.workbench.judging.judge_sheets import read_judges

pytest.importorskip("python_calamine")

DOCUMENTS = [
    ["id", "title", "text", "price", "since"],
    [1, "Lamp", 'a "red" lamp, tall', 3.5, (46143,)],  # days: 2026-05-01
    [None, None, None, None, None],
    [2, "Shoe", "a shoe\nof leather", 40, (46144,)],
    ["d3", "Table", None, None, None],
]
QUERIES = [["query_id", "text"], ["q1", "red lamp"], ["q2", "leather"]]
RATINGS = [
    ["query", "product", "rating", "comment"],
    ["q1", 1, 2, "two\nlines"],
    ["q2", 2, 1, None],
    ["q2", "d3", 0, 7],
]
RUN = [["qid", "docno", "score"], ["q1", 1, 2.5], ["q1", 2, 1], ["q2", "d3", 4], ["q2", 2, 3]]
CLICKS = [["session", "query", "rank", "doc", "clicked"], [1, "cats", 1, "a", False], [1, "cats", 2, "b", True]]
ALL = {"Products": DOCUMENTS, "Searches": QUERIES, "Sheet3": RATINGS, "Sheet4": RUN, "Log of May": CLICKS}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved(name, sheets):
    Path(name).write_bytes(workbook(sheets))
    return name


def as_csv(rows):
    """The rows as a spreadsheet exports them."""
    days = {46143: "2026-05-01", 46144: "2026-05-02"}
    written = io.StringIO()
    for row in rows:
        cells = [days[cell[0]] if isinstance(cell, tuple) else cell for cell in row]
        csv.writer(written, lineterminator="\n").writerow(cells if any(cell is not None for cell in cells) else [])
    return written.getvalue()


def test_a_workbook_makes_the_index_of_the_same_table_in_csv():
    """The files have one name, which the index keeps."""
    theirs = {"book": workbook({"Products": DOCUMENTS}), "all": workbook(ALL), "csv": as_csv(DOCUMENTS).encode()}
    indexes, documents = [], []
    for folder, data in theirs.items():
        Path(folder).mkdir()
        Path(folder, "theirs.xlsx").write_bytes(data)
        collection = load(Path(folder, "theirs.xlsx"))
        documents.append([each.fields for each in collection.documents])
        Index.build(collection).save(Path(folder, "index"))
        indexes.append({file.name: file.read_bytes() for file in Path(folder, "index").iterdir()})
    assert documents[0][0] == {"title": "Lamp", "text": 'a "red" lamp, tall', "price": "3.5", "since": "2026-05-01"}
    assert documents[0] == documents[1] == documents[2]
    assert indexes[0] == indexes[1] == indexes[2]
    assert indexes[0]


@pytest.mark.parametrize("packed", [False, True])
def test_each_role_is_read_from_its_sheet(packed):
    name = "all.xlsx.gz" if packed else "all.xlsx"
    Path(name).write_bytes(gzip.compress(workbook(ALL)) if packed else workbook(ALL))
    assert [each.doc_id for each in load(name).documents] == ["1", "2", "d3"]
    assert [each.text for each in read_queries(name)] == ["red lamp", "leather"]
    assert read_qrels(name)["q2"] == {"2": 1.0, "d3": 0.0}
    assert read_run(name)["q1"] == {"1": 2.5, "2": 1.0}
    assert [(each.doc_id, each.clicked) for each in read_clicks(name)[0].documents] == [("a", False), ("b", True)]
    assert [each[3:5] for each in read_judges([name]) if each.query_id == "q2"] == [("2", 1.0), ("d3", 0.0)]


def test_the_commands_take_a_workbook_in_every_place():
    book = saved("all.xlsx", ALL)
    for targets in (
        (saved("run.xlsx", {"A": RUN}), saved("qrels.xlsx", {"A": RATINGS})),
        ("run.xlsx", "--qrels", book),
        (book, "--qrels", "qrels.xlsx", "--queries", book, "--model", "bm25"),
    ):
        result = shell("eval", *targets, "-m", "AP", "--tsv")
        expected = "1.0" if "--model" in targets else "0.75"
        assert (result.exit_code, result.stdout.splitlines()[-1].split("\t")[1]) == (0, expected), result.output
    assert "Lamp" in shell("search", book, "lamp").stdout
    assert shell("clicks", "model", saved("clicks.xlsx", {"A": CLICKS})).exit_code == 0


ANSWERS = [
    ["Participant", "Question", "Answer"],
    *([f"P{n}", f"What of {n}?", f"I liked number {n}"] for n in range(20)),
]


@pytest.mark.parametrize("labels", [["Case", "Comment", "Remark"], ["ID", "Title", "Text"], ANSWERS[0]])
def test_the_sheet_with_most_text_has_the_documents_whatever_its_columns_are_called(labels):
    people = [["ID", "Name", "Description"], [1, "Ann", "A guest of the house"]]
    path = saved("book.xlsx", {"Data": [labels, *ANSWERS[1:]], "People": people})
    with noted() as notes:
        assert len(load(path).documents) == 20
    said = "book.xlsx: sheet Data has the documents, People left out; to search another, rename it to documents"
    assert said in map(str, notes)


def test_standard_input_is_no_workbook():
    result = shell("eval", saved("run.xlsx", {"A": RUN}), "-", stdin=workbook({"A": RATINGS}))
    assert (result.exit_code, result.stderr) == (2, "toysearch: - is an Excel workbook; save the sheet as CSV\n")


def test_columns_that_a_user_names_choose_the_sheet():
    theirs = [["Anfrage", "Artikel", "Note"], ["q1", "a", 2]]
    name = saved("book.xlsx", {"A": [["x", "y"], [1, 2]], "B": theirs, "C": [["Nr", "Wort"], [1, "red lamp"]]})
    columns = "query=Anfrage,doc=Artikel,grade=Note"
    assert read_qrels(name, columns)["q1"] == {"a": 2.0}
    assert read_run(name, columns="query=Anfrage,doc=Artikel,score=Note")["q1"] == {"a": 2.0}
    assert [each.text for each in load(name, columns="id=Nr,text=Wort").documents] == ["red lamp"]
    assert [each.text for each in read_queries(name, columns="id=Nr,text=Wort")] == ["red lamp"]


def test_a_sheet_is_known_by_the_names_below_its_titles():
    titled = [["Stock of lamps"], ["of 2024"], [], ["Nr", "Ware", "Notiz"], ["K1", "red lamp", "for the desk"]]
    name = saved("book.xlsx", {"A": titled, "B": [["x", "y", "z"], [1, 2, 3]]})
    assert [each.doc_id for each in load(name, columns="id=Nr,title=Ware,text=Notiz").documents] == ["K1"]
    titled[3] = ["id", "title", "note"]
    assert [each.doc_id for each in load(saved("known.xlsx", {"A": titled, "B": [["x", "y"], [1, 2]]})).documents] == [
        "K1"
    ]


@pytest.mark.parametrize("other", [["Ort", "Oslo"], ["Notiz", "im Flur"]])
def test_of_several_sheets_the_only_one_of_sentences_has_the_documents(other):
    label, cell = other
    sheets = {"A": [["Ware", "Notiz"], ["Lampe", "eine rote Lampe aus Stahl"]], "B": [["Nr", label], [1, cell]]}
    assert [each.text for each in load(saved("two.xlsx", sheets)).documents] == ["Lampe eine rote Lampe aus Stahl"]
    with pytest.raises(DataError, match="which of them holds documents is open"):
        load(saved("both.xlsx", {**sheets, "B": sheets["A"]}))


@pytest.mark.parametrize("n_rows", [3, 20])
@pytest.mark.parametrize("beside", [{}, {"Info": [["Report of 2026"], ["by Ann"]]}])
def test_sheets_of_the_same_columns_are_read_together(beside, n_rows):
    def month(name, n):
        rows = [[f"{name} {i}", f"Lampe {name} {i}", f"Die Lampe im {name} ist {i} mal kaputt"] for i in range(n)]
        return [["Nr", "Betreff", "Nachricht"], *rows]

    sheets = {**beside, "Jan": month("Jan", n_rows), "Feb": [["Februar"], [], *month("Feb", 2)], "Mrz": month("Mrz", 2)}
    with noted() as notes:
        documents = load(saved("months.xlsx", sheets)).documents
    assert documents.doc_ids == [*(f"Jan {i}" for i in range(n_rows)), "Feb 0", "Feb 1", "Mrz 0", "Mrz 1"]
    assert documents["Mrz 1"].text == "Lampe Mrz 1 Die Lampe im Mrz ist 1 mal kaputt"
    assert "months.xlsx: the sheets Jan, Feb, Mrz are read together" in notes


def test_a_sheet_that_is_not_clear_is_asked_about_and_the_advice_works():
    sheets = {"A": DOCUMENTS, "B": DOCUMENTS}
    said = "two.xlsx has the sheets A, B, and which of them holds documents is open; rename that one to documents"
    with raising(DataError, said):
        load(saved("two.xlsx", sheets))
    assert len(load(saved("two.xlsx", {"A": DOCUMENTS, "documents": DOCUMENTS})).documents) == 3
    with raising(DataError, said.replace("documents", "judgments", 1).replace("to documents", "to qrels")):
        read_qrels(saved("two.xlsx", sheets))
    assert len(read_qrels(saved("two.xlsx", {"A": RATINGS, "qrels": RATINGS}))) == 3
    with pytest.raises(DataError, match=r"^two.xlsx has the sheets A, qrels, and which one is meant is open; name a"):
        list(numbered_lines("two.xlsx"))


def test_hidden_and_empty_sheets_are_passed_over():
    Path("book.xlsx").write_bytes(workbook({"A": DOCUMENTS, "B": RATINGS, "Empty": []}, hidden="B"))
    assert [each.doc_id for each in load("book.xlsx").documents] == ["1", "2", "d3"]
    assert next(text for _, text in numbered_lines("book.xlsx")) == "id,title,text,price,since"


def test_a_chain_of_calculation_is_no_sheet():
    parts = parts_of(workbook({"A": QUERIES}))
    chain = '<calcChain><c r="A1048576"/><c r="XFD1"/></calcChain>'
    Path("q.xlsx").write_bytes(archive({**parts, "xl/calcChain.xml": chain}))
    assert [each.text for each in read_queries("q.xlsx")] == ["red lamp", "leather"]


@pytest.mark.parametrize("above", [[], [[None]], [["Relevance", None, None], [None]]], ids=len)
def test_a_cell_that_is_merged_down_a_column_holds_for_each_of_its_rows(above):
    rows = [["query", "doc_id", "grade"], ["q1", "a", 2], [None, "b", 1], ["q2", "c", 1], [None, "d", 0]]
    merged = [f"A{first + len(above)}:A{first + len(above) + 1}" for first in (2, 4)]
    merged += ["A1:C2", "C4:C9"] if len(above) > 1 else ["C4:C9"]  # a title, and cells that are filled
    parts = parts_of(workbook({"A": [*above, *rows]}))
    each = "".join(f'<mergeCell ref="{cells}"/>' for cells in merged)
    cells = f"</sheetData><mergeCells>{each}</mergeCells>"
    sheet = parts["xl/worksheets/sheet0.xml"].decode().replace("</sheetData>", cells)
    Path("book.xlsx").write_bytes(archive({**parts, "xl/worksheets/sheet0.xml": sheet}))
    assert read_qrels("book.xlsx").to_dict() == {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 0.0}}


def test_a_message_names_the_sheet_and_the_row():
    rows = [*RATINGS, ["q1", "d3", "good", None], ["q1", None, 1, None]]
    problem = "expected a number as relevance, found 'good'; if that is a grade, give each such word its number: "
    with pytest.raises(DataError) as caught:
        read_qrels(saved("bad.xlsx", {"Ratings": rows[:-1], "Notes": [["none"]]}))
    assert str(caught.value).startswith(f"bad.xlsx, sheet 'Ratings', row 5: {problem}")
    with pytest.raises(DataError) as caught:
        read_qrels(saved("bad.xlsx", {"Ratings": rows}))
    assert re.findall(r"(?:row|line) \d", str(caught.value)) == ["row 5", "row 6"]
    with noted() as notes:
        read_qrels("bad.xlsx", on_error="skip")
    assert notes[0].startswith("bad.xlsx: 2 rows left out, the first row 5: ")
    repeated = [*DOCUMENTS, [2, "Again", "a boot", None, None]]
    with pytest.raises(DataError, match=r"^bad.xlsx, sheet 'A', row 6: doc_id '2' was already given on row 4"):
        [*load(saved("bad.xlsx", {"A": repeated})).documents]


def test_a_workbook_stands_in_a_folder_beside_other_files():
    Path("shop").mkdir()
    saved("shop/products.xlsx", {"A": DOCUMENTS})
    saved("shop/queries.xlsx", {"A": QUERIES})
    saved("shop/ratings.xlsx", {"A": RATINGS})
    Path("shop/readme.txt").write_text("Our shop")
    collection = load("shop")
    assert (len(collection.documents), len(collection.queries), len(collection.qrels)) == (3, 2, 3)
    assert shell("eval", "shop", "-m", "AP", "--tsv").stdout.splitlines()[-1].split("\t")[1] == "1.0"


@pytest.mark.usefixtures("without_libraries")
def test_without_the_library_a_sentence_names_the_line_to_type():
    what = "is an Excel workbook; save the sheet as CSV, or install what reads it: pip install 'toysearch[files]'"
    name = saved("all.xlsx", ALL)
    Path("run.txt").write_text("q1 Q0 d1 1 2 t\n")
    Path("shop").mkdir()
    Path("shop/products.csv").write_text(as_csv(DOCUMENTS))
    saved("shop/ratings.xlsx", {"A": RATINGS})
    note = "note: shop: 1 file left out, such as ratings.xlsx; to read them: pip install 'toysearch[files]'\n"
    assert note in shell("search", "shop", "lamp", "--notes").stderr
    for line in (("search", name, "lamp"), ("eval", "run.txt", "--qrels", name), ("clicks", "model", name)):
        result = shell(*line)
        assert (result.exit_code, result.stderr) == (2, f"toysearch: all.xlsx {what}\n")


FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def parts_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def hostile():
    whole = workbook({"A": RATINGS})
    parts = parts_of(whole)
    sheet = parts["xl/worksheets/sheet0.xml"]
    huge = sheet.replace(b"q1", b"q" * 3_000_000)
    far = sheet.replace(b"</sheetData>", f"{FAR}</sheetData>".encode())
    lying = archive({**parts, "xl/worksheets/sheet0.xml": huge})
    without_places = sheet.replace(b"</sheetData>", b"<row>" + b"<c/>" * 100 + b'</row><row r="1048576"/></sheetData>')
    size = len(huge).to_bytes(4, "little")
    return {
        "cut": (whole[:-100], "cannot be read to its end because it is damaged or truncated"),
        "no book": (archive({"xl/workbook.xml": "no XML"}), "cannot be read to its end because it is damaged"),
        "grows": (archive({**parts, "xl/worksheets/sheet0.xml": huge}), "is a workbook that grows more than 200-fold"),
        "lies": (lying.replace(size, (9).to_bytes(4, "little")), "is a workbook that grows more than 200-fold"),
        "far cells": (
            archive({**parts, "xl/worksheets/sheet0.xml": far}),
            "has a sheet of 1,048,576 rows and 16,384 columns; delete its far cells, or save the sheet as CSV",
        ),
        "far cells without places": (
            archive({**parts, "xl/worksheets/sheet0.xml": without_places}),
            "has a sheet of 1,048,576 rows and 100 columns; delete its far cells, or save the sheet as CSV",
        ),
        "another archive": (
            archive({"a.txt": "a"}),
            "is a zip archive; unpack it, as with `python -m zipfile -e theirs.xlsx theirs_unpacked`, and name that",
        ),
        "a text": (archive({"[Content_Types].xml": "", "word/document.xml": ""}), "is a Word document; save it as"),
    }


@pytest.mark.parametrize("kind", hostile())
def test_a_hostile_workbook_is_refused_in_a_sentence(kind, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS_UNPACKED", 1 << 20)
    reader.sheets.cache_clear()
    data, said = hostile()[kind]
    Path("theirs.xlsx").write_bytes(data)
    Path("run.txt").write_text("q1 Q0 d1 1 2 t\n")
    for line in (("search", "theirs.xlsx", "lamp"), ("eval", "run.txt", "--qrels", "theirs.xlsx")):
        result = shell(*line)
        assert (result.exit_code, result.stdout) == (2, "")
        assert re.fullmatch(rf"toysearch: theirs\.xlsx {re.escape(said)}.*\n", result.stderr), result.stderr


def test_a_workbook_is_not_taken_for_a_file_of_toysearch_that_may_be_replaced():
    saved("run.xlsx", {"A": RUN})
    before = Path("run.xlsx").read_bytes()
    said = shell("run", "companions", "-o", "run.xlsx").stderr
    assert "'run.xlsx' already exists and is not a run" in said
    assert Path("run.xlsx").read_bytes() == before


@pytest.mark.parametrize(
    ("sheets", "labels"),
    [
        (("Documentos", "Consultas", "Juicios"), ("Código", "Título", "Texto", "Consulta", "Documento", "Relevancia")),
        (("Dokumente", "Suchanfragen", "Urteile"), ("Nr", "Titel", "Inhalt", "Suchanfrage", "Dokument", "Relevanz")),
    ],
)
def test_one_workbook_has_all_that_is_evaluated_in_sheets_of_any_language(sheets, labels):
    key, title, text, query, document, grade = labels
    rows = [[f"D{n}", f"Sobre {n}", f"word{n} stands here with some others"] for n in range(6)]
    judged = [[f"C{n}", f"D{n}", 1] for n in range(3)] + [["C1", "D5", 0]]
    tables = [[key, title, text], *rows], [[key, query], *([f"C{n}", f"word{n}"] for n in range(3))]
    book = saved("book.xlsx", dict(zip(sheets, (*tables, [[query, document, grade], *judged]), strict=True)))
    words = ["eval", book, "--queries", book, "--qrels", book, "-m", "RR", "--tsv"]
    option = f"query={query},doc={document},grade={grade}"
    assert f"--qrels-columns {option}" in shell(*words).stderr
    result = shell(*words, "--qrels-columns", option)
    assert (result.exit_code, result.stdout.splitlines()[-1].split("\t")[1]) == (0, "1.0"), result.output
