"""Tables of documents and queries: delimiters, quotation marks, parts, and what is refused."""

import csv
import gzip
import json
from functools import partial

import pytest
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch import load
from toysearch.base.errors import DataError
from toysearch.files.document_formats import read_records
from toysearch.files.source import Source
from toysearch.files.syntaxes import delimited
from toysearch.files.syntaxes.delimited import looks_like_table, n_of_title

read_table = partial(read_records, "csv", "documents")


@pytest.mark.parametrize(
    ("text", "records"),
    [
        (
            '\ufeffid,text,note\r\n1,"a ""cat"", \r\n\r\n and a dog",x\r\n\r\n2,"",\r\n3,it\'s 5" long," y "\r\n',
            [
                (2, "1", {"text": 'a "cat", \n\n and a dog x', "note": "x"}),
                (6, "2", {"text": "", "note": ""}),
                (7, "3", {"text": "it's 5\" long  y ", "note": " y "}),
            ],
        ),
        # blanks after delimiters are left out where the header has them
        ('id, text\n1, "a, b"\n', [(2, "1", {"text": "a, b"})]),
        ("id,text\n 1 , a\n", [(2, "1", {"text": " a"})]),
        # a column without a name is called by its place
        (",docno,text\n0,d1,a\n", [(2, "d1", {"column_1": "0", "text": "a"})]),
        # without a last line end
        ("\n\nid,text\n1,a", [(4, "1", {"text": "a"})]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_cells(written, text: str, records: list[tuple[int, str, dict[str, str]]], packed: bool) -> None:
    path = written(text)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_table(path)) == records


def test_between_tabs_each_line_that_fits_the_header_is_a_row(written) -> None:
    lines = ["id\ttext", '1\t"opens', "2\tplain", '3\t"opens "again"', '4\tcloses"', '5\t"', '6\t"""', '7\t"last']
    assert [(line, fields["text"]) for line, _, fields in read_table(written("\n".join(lines)))] == [
        (place, text.partition("\t")[2]) for place, text in enumerate(lines[1:], 2)
    ]
    quoted = 'id\ttext\n1\t"two\nlines"\n2\t"with a\ttab\n\nand ""three"""\n3\tc\n'
    assert [(line, fields["text"]) for line, _, fields in read_table(written(quoted))] == [
        (2, "two\nlines"),
        (4, 'with a\ttab\n\nand "three"'),
        (7, "c"),
    ]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("text\na cat, a dog\n\nb; c\n", "a cat, a dog", "b; c"),
        ('text\n"two\nlines"\n"deep" learning\n', "two\nlines", '"deep" learning'),
    ],
)
def test_one_column_is_enough(written, text: str, first: str, second: str) -> None:
    with noted() as notes:
        records = list(read_table(written(text)))
    assert records == [(2, "1", {"text": first}), (4, "2", {"text": second})]
    assert [note.partition(": ")[2] for note in notes] == ["2 documents; ids numbered from 1; searched: text"]


def test_rows_of_blank_cells_are_skipped_as_blank_lines_are(written) -> None:
    records = read_table(written("id;text;note\n;;\n1;a;\n ;\t;\n;;;;\n2;;x\n;;\n"))
    assert [(line, doc_id) for line, doc_id, _ in records] == [(3, "1"), (6, "2")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_line_that_tells_excel_the_separator_is_no_header(tmp_path, mark, encoding) -> None:
    tables = {
        "docs.csv": [["id", "text"], ["1", "a kettle"]],
        "queries.csv": [["query_id", "text"], ["7", "kettle"]],
        "qrels.csv": [["query_id", "doc_id", "grade"], ["7", "1", "2"]],
        "a.run": [["query_id", "doc_id", "score"], ["7", "1", "0.5"]],
    }
    for name, rows in tables.items():
        text = "".join(mark.join(row) + "\r\n" for row in [[f"sep={mark}"], *rows])
        (tmp_path / name).write_bytes(text.encode(encoding))
    run = toysearch.read_run(tmp_path / "a.run")
    (tmp_path / "a.run").unlink()
    shop = load(tmp_path)
    assert [document[:2] for document in shop.documents] == [("1", "a kettle")]
    assert shop.queries.texts == ["kettle"]
    assert (shop.qrels["7"], run["7"]) == ({"1": 2.0}, {"1": 0.5})
    (tmp_path / "qrels.csv").write_text(
        f"SEP={mark}\nquery_id{mark}doc_id{mark}grade\n7{mark}1{mark}x\n7{mark}2{mark}1\n"
    )
    with pytest.raises(DataError, match=r"qrels.csv:3: expected a number as relevance, found 'x'"):
        toysearch.read_qrels(tmp_path / "qrels.csv")


def test_decimal_commas_between_semicolons_are_numbers(tmp_path) -> None:
    (tmp_path / "a.csv").write_text("query_id;doc_id;score\n1;a;12,5\n1;b;-0,125\n1;c;3\n1;d;2.5\n")
    assert toysearch.read_run(tmp_path / "a.csv")["1"] == {"a": 12.5, "b": -0.125, "c": 3.0, "d": 2.5}
    (tmp_path / "q.csv").write_text("query_id;doc_id;grade\n1;a;0,5\n1;b;1\n")
    assert toysearch.read_qrels(tmp_path / "q.csv")["1"] == {"a": 0.5, "b": 1.0}
    for text in ('query_id,doc_id,score\n1,a,"2,5"\n', "query_id\tdoc_id\tscore\n1\ta\t1,000\n"):
        (tmp_path / "a.csv").write_text(text)
        with pytest.raises(DataError, match="expected a number as score"):
            toysearch.read_run(tmp_path / "a.csv")


def test_a_header_of_an_older_encoding_is_a_header(tmp_path) -> None:
    path = tmp_path / "shop.csv"
    path.write_bytes("No.;Name it;Price (€);Größe\n1;a kettle;3;8\n".encode("cp1252"))
    with noted() as notes:
        [document] = load(path).documents
    assert document.text == "a kettle"
    assert "read as cp1252" in notes[0]
    assert "1 document; id No.; searched: Name it; not searched: Price" in notes[1]
    with noted() as notes:
        [document] = load(path, columns="id=No.,text=Name it", encoding="cp1252").documents
    assert (document.doc_id, document.text, {*document.fields}) == (
        "1",
        "a kettle",
        {"text", "Name it", "Price (€)", "Größe"},
    )
    path.write_bytes(b"\x81\x8d;\x90\n1;2\n")
    with pytest.raises(DataError, match="found no known format"):
        load(path)


def test_a_cell_longer_than_the_csv_module_allows(written) -> None:
    long = "cat " * 100_000
    records = read_table(written(f'id,text\n1,"{long}"\n2,b\n'))
    before = csv.field_size_limit(1000)
    try:
        assert next(records) == (2, "1", {"text": long})
        assert csv.field_size_limit() == 1000  # others' tables are read as before
    finally:
        csv.field_size_limit(before)
    assert list(records) == [(3, "2", {"text": "b"})]


def test_rows_come_before_a_later_one_is_refused(written) -> None:
    records = read_table(written("id,text\n1,a\n2\n"))
    assert next(records)[1] == "1"
    with pytest.raises(DataError, match=":3: expected 2 cells"):
        next(records)


NO_TEXT = ":1: expected a header with a column that holds the text, such as text or body, found"
NOT_CLOSED = "a quotation mark opens in this row and is not closed; close it, or double it if it is part of the text"
FOLLOWED = (
    "text follows a closing quotation mark; write a quotation mark that is part of the text twice, and quote the whole "
    "cell"
)
HEADERS = {
    "labels that are counted": ("v1,v2,,\n", [("ham", "Go until it rains,,"), ("spam", "Ok,,"), ("ham", "Ok lar,,")]),
    "a title": ("Stock of 2024,,\n\nItem,Description,Qty\n", [("A1", "tea strainer,12"), ("A2", "kettle,3")]),
    "a title without commas": (
        "Stock of 2024\n\nItem,Description,Qty\n",
        [("A1", "tea strainer,12"), ("A2", "kettle,3")],
    ),
    "a padded title": ("Stock,,\nItem,Description,Qty\n", [("A1", "tea strainer,12"), ("A2", "kettle,3")]),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_is_one_whatever_the_rows_and_their_order(written, case: str) -> None:
    header, cells = HEADERS[case]
    for rows in (cells, cells[::-1], cells[:1], cells * 10):
        lines = [f"{first},{rest}\n" for first, rest in rows]
        records = [*read_table(written(header + "".join(lines)))]
        found = [(doc_id, next(iter(fields.values()))) for _, doc_id, fields in records]
        assert all(first in cells for (first, _), cells in zip(rows, found, strict=True))


TABBED = {
    "commas": ["0\tRed, green and blue, mix.", "1\tA war, in 1914, began."],
    "commas in the first text alone": ["0\tRed, green, blue, mix.", "1\tA war."],
    "names between commas": ["0\tThe title, text, and body.", "1\tA war."],
    "a text that is quoted": ["0\tRed, green and blue", '1\t[{"at": "a war", "of": 1}], and more'],
}


@pytest.mark.parametrize("case", TABBED)
def test_as_many_tabs_in_each_line_are_the_separators(tmp_path, case: str) -> None:
    for name in ("corpus.tsv", "corpus.txt"):
        (tmp_path / name).write_text("\n".join(TABBED[case]), encoding="utf-8")
        found = [f"{one.doc_id}\t{one.text}" for one in load(tmp_path / name).documents]
        assert found == TABBED[case]


def test_tabs_separate_what_is_called_tsv_though_a_line_has_more(tmp_path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("0\tRed, green, blue.\n1\ta\tb\n", encoding="utf-8")
    expected = "expected 2 cells (id, text), found 3; quote a cell that holds the delimiter or remove it"
    with raising(DataError, f"{path}:2: {expected}"):
        [*load(path, input_format="tsv").documents]


def test_rows_may_end_with_a_separator_that_the_header_lacks(tmp_path) -> None:
    rows = [("J", "", "On oaks", "Oaks are tall"), ("J", "", "On elms", "Elms are old trees")]
    for name, mark in (("savedrecs.txt", "\t"), ("t.csv", ","), ("t.tsv", "\t")):
        lines = [["PT", "AU", "TI", "AB"], *((*row, "") for row in rows)]
        (tmp_path / name).write_text("\r\n".join(map(mark.join, lines)) + "\r\n", encoding="utf-8-sig")
        documents = [*load(tmp_path / name, columns="id=TI,text=AB").documents]
        assert [(one.doc_id, one.text) for one in documents] == [row[2:] for row in rows]


def test_lists_of_ids_between_tabs_are_no_texts(tmp_path) -> None:
    (tmp_path / "news.tsv").write_text("N1\thealth\tOn belly fat\nN2\tmusic\tOn old songs\n", encoding="utf-8")
    (tmp_path / "clicks.tsv").write_text("1\tU1\tN1 N2\n2\tU2\tN2 N3\n", encoding="utf-8")
    assert [one.doc_id for one in load(tmp_path).documents] == ["N1", "N2"]


def test_the_id_behind_a_class_is_found_in_rows_without_a_header(tmp_path) -> None:
    path = tmp_path / "tweets.csv"
    path.write_text('"0","1467810369","_TheOne_","so sad about it"\n"0","1467810672","ElleCTF","is upset, now"\n')
    (first, second) = load(path).documents
    assert (first.doc_id, first.title, second.text) == ("1467810369", "", "is upset, now ElleCTF")


def test_columns_of_one_name_are_one_field_with_several_values(written) -> None:
    text = "Key,Labels,Text,Labels\nW1,auth,a login,web\nW2,,a theme,night\n"
    first, second = (fields for _, _, fields in read_table(written(text)))
    assert (first, first["Labels"].borders) == (
        {"Labels": "auth web", "Text": "a login", "text": "a login auth web"},
        (5,),
    )
    assert second == {"Labels": "night", "Text": "a theme", "text": "a theme night"}
    path = written(f"{text}W3,a,b")
    with raising(
        DataError, f"{path}:4: expected 4 cells (Key, Labels, Text, Labels), found 3; complete the row or remove it"
    ):
        [*read_table(path)]


REFUSED = {
    "too few cells": (
        "id,title,text\n1,a,b\n\n2,a\n",
        ":4: expected 3 cells (id, title, text), found 2; complete the row or remove it",
    ),
    "too many cells": (
        "id,text\n1,a, b\n",
        ":2: expected 2 cells (id, text), found 3; quote a cell that holds the delimiter or remove it",
    ),
    "not closed": ('id,text\n1,"a\n2,b\n', f":2: {NOT_CLOSED}"),
    "closed too early": ('id,text\n1,"a" b\n', f":2: {FOLLOWED}"),
    "not closed between tabs, and no row without quoting": ('id\ttext\n"1\n2\tb\n', f":2: {NOT_CLOSED}"),
    "put back at the end, and wrong by itself": ('id\ttext\n1\t"a\n""2\n', f":3: {FOLLOWED}"),
    "not closed in a later row": ('id,text\n1,a\n2,"b\n3,c\n', f":3: {NOT_CLOSED}"),
    "carriage returns alone": (
        "id,text\r1,a\r2,b\r",
        ":1: a carriage return stands outside quotation marks; expected lines that end with LF or CRLF",
    ),
    "a column twice": ("id,text,text\n", ":1: the column 'text' occurs twice; give each column its own name"),
    "an empty id": ("id,text\n ,a\n", ":2: the id is empty; give the row an id or remove it"),
    "no text": ("id,url\n1,a\n", f"{NO_TEXT} id, url; name it, as in load(…, columns='text=url')"),
    "no row": ("id,text\n", " holds a header (id, text) and no row; expected one row per record"),
    "nothing": ("\n \n", " is empty; expected a table: a header that names its columns, and rows"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(written, case: str) -> None:
    text, message = REFUSED[case]
    path = written(text)
    with raising(DataError, f"{path}{message}"):
        list(read_table(path))


@pytest.mark.parametrize("part", ["id", "title", "text"])
def test_named_columns_must_be_there(written, part: str) -> None:
    path = written("docno,claim\n1,a\n")
    with raising(DataError, f"{path}:1: unknown column 'clam'; did you mean 'claim'? Columns: docno, claim"):
        list(read_table(path, {"text": "claim", part: "clam"}))


def test_a_cell_that_never_ends_is_refused(written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toysearch.files.syntaxes.delimited._LARGEST_CELL", 1000)
    path = written('id,text\n1,"a\n' + "2,b\n" * 1000)
    said = "a cell of this row is longer than 1000 characters, as it is when a quotation mark is not closed; close it"
    with raising(DataError, f"{path}:2: {said}"):
        list(read_table(path))


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"id,text\n1,a cat\n", True),
        (b"\xef\xbb\xbfid;title;text\r\n1;a;b\r\n", True),
        (b"qid\tquery\n1\thow to train a cat", True),
        (b"claim,docno\n", True),
        (b"\r\n\nid,text\n1,a cat\n", True),
        (b"id,text\0\n1,a cat\n", False),
        (b"id," + b"long" * 20 + b"\n1,a cat\n", False),
        (b'id,title,text\n1,"two\nlines, and', True),  # cut off within the row
        (b"id,title,text\n1,Ca", True),
        (b"id,title,text\n1,a\n2,b,c\n", False),
        (b"id,title,text\n1,a,b,c\n", False),
        (b"id\n1\n", False),
        (b"year,price\n1,2\n", False),
        (b"id,id,text\n1,2,3\n", False),
        (b"query_id,doc_id,relevance\n1,2,3\n", False),
        (b"query-id\tcorpus-id\tscore\n1\t2\t3\n", False),
        (b"The text, which is long.\nIt goes on, and on.\n", False),
        (b"text, which is long.\nIt goes on, and on.\n", False),
        (b'{"id": 1, "text": "a"}\n', False),
        (b".I 1\n.T\ntext\n", False),
        (b"<DOC>\n<DOCNO> 1 </DOCNO>\n", False),
        (b"1 0 184 2\n", False),
        (b"", False),
    ],
)
def test_what_looks_like_a_table(head: bytes, expected: bool) -> None:
    assert looks_like_table(head) is expected


@pytest.mark.parametrize("option", ["columns", "query_columns"])
def test_a_named_text_column_claims_no_table_whose_id_is_of_the_other_kind(tmp_path, option):
    for name, text in {
        "documents.csv": "doc_id,text\nd1,a cat on a tree\nd2,a dog in a bed\n",
        "queries.csv": "query_id,text\n1,cat tree\n2,dog bed\n",
        "qrels.txt": "1 0 d1 1\n2 0 d2 1\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    collection = load(tmp_path, **{option: "text=text"})
    assert ([document.doc_id for document in collection.documents], len(collection.queries)) == (["d1", "d2"], 2)


GOODS = [("K1", "red pot"), ("L2", "old lamp"), ("P3", "blue pot")]


def goods(form, label, rows):
    """A table of goods in a form, without its ending."""
    if form in ("csv", "tsv"):
        mark = "," if form == "csv" else "\t"
        return "".join(f"{mark.join(row)}\n" for row in [(label, "title"), *rows])
    objects = [json.dumps({label: number, "title": title}) for number, title in rows]
    return "\n".join(objects) if form == "jsonl" else f"[{', '.join(objects[:1])},\n{', '.join(objects[1:])}]"


def test_an_id_counts_before_the_number_of_a_product(tmp_path):
    (tmp_path / "goods.csv").write_text("sku,doc_id,title\nK1,d1,red pot\n")
    assert [document.doc_id for document in toysearch.load(tmp_path / "goods.csv").documents] == ["d1"]
    named = toysearch.load(tmp_path / "goods.csv", columns="text=sku,title=title")
    assert [document.doc_id for document in named.documents] == ["d1"]


@pytest.mark.parametrize(
    "above", ["Table 1\n", "Report:,March\n", "Report:,March\n\n", "search URL:,https://x.y/?q=1,,\n", "Report,,,\n"]
)
def test_a_header_of_known_names_stands_below_shorter_lines(tmp_path, above: str) -> None:
    path = tmp_path / "export.csv"
    path.write_text(f"{above}id,title,kind,text\n7,Oaks,tree,An oak is tall.\n8,Elms,tree,An elm is old.\n")
    found = [(one.doc_id, one.title, one.fields["kind"]) for one in load(path).documents]
    assert found == [("7", "Oaks", "tree"), ("8", "Elms", "tree")]


def test_a_header_repeated_below_is_left_out_and_told(tmp_path) -> None:
    path = tmp_path / "joined.csv"
    path.write_text("id,title,text\n7,Oaks,An oak is tall.\nid,title,text\n8,Elms,An elm is old.\n")
    with noted() as notes:
        assert [one.doc_id for one in load(path).documents] == ["7", "8"]
    assert notes == [f"{path}: the header is repeated on 1 line, the first 3: left out"]


TABLE = "id,title,kind,seller\nA1,red lamp,light,Ikon\nA2,kettle,pot,Dyso\n"
ABOVE = {
    "a title": "Report\n",
    "several, and a blank line": "Report of January\nmade on 2024-01-01\n\n",
    "a name and its value": "search URL:,https://shop.example/?q=lamps\n",
    "padded names and values": "made by:,Ann,,\nmade on:,2024-01-01,,\n,,,\n",
}


@pytest.mark.parametrize("above", ABOVE)
def test_titles_above_the_names_of_columns_are_skipped(tmp_path, above) -> None:
    path = tmp_path / "export.csv"
    path.write_text(ABOVE[above] + TABLE)
    documents = load(path).documents
    assert [(one.doc_id, one.title) for one in documents] == [("A1", "red lamp"), ("A2", "kettle")]
    path.write_text(ABOVE[above] + TABLE.replace(",", ";"))
    assert load(path).documents.doc_ids == ["A1", "A2"]


@pytest.mark.parametrize("line", ["title", "id,title", "text;note"])
def test_no_title_is_above_a_known_name(line: str) -> None:
    assert n_of_title([line, "", "name,text", "a,b"]) == 0


LAND = {  # the labels of a table, a row, and by hand: the title and the text
    "Chinese": (
        "编号,电影名,类型,简介",
        "1001,大海的女儿,爱情 / 剧情,一位年轻的老师在海边的小镇上找到了多年前失去的朋友",
        (1, 3),
    ),
    "Japanese": ("タイトル,本文", "金魚の夏,小さな町の祭りで少年は一匹の金魚をもらい夏の間ずっと大切に育てた", (0, 1)),
    "Thai": ("กก,ขข", "ปลาทองในบ้าน,เด็กชายคนหนึ่งได้ปลาทองจากงานวัดและเลี้ยงมันตลอดฤดูร้อน", (0, 1)),
}


def test_the_title_of_rows_without_a_header_is_neither_a_list_nor_a_name_that_repeats(tmp_path) -> None:
    plots = ["a crew meets a creature on board", "thieves plan to rob a bank", "a maid runs from her master"]
    names = ["Alien", "Heat of May", "Emma Wood"]
    path = tmp_path / "films.txt"
    rows = [f'{at}\t{names[at]}\tRidley Scott\t{{"/m/1": "Horror film"}}\t{plots[at]}\n' for at in range(3)]
    path.write_text("".join(rows))
    assert [one.title for one in load(path).documents] == names


def test_an_empty_id_among_ids_is_refused(tmp_path) -> None:
    path = tmp_path / "lamps.csv"
    path.write_text("id,text\nA1,red lamp\n,kettle\n")
    with raising(DataError, f"{path}:3: the id is empty; give the row an id or remove it"):
        list(load(path).documents)


IMPORTS = '"{""ImportId"": ""_recordId""}","{""ImportId"": ""QID1""}","{""ImportId"": ""QID2""}"'
SURVEYS = {
    "Qualtrics": f"ResponseId,Q1,Q2\nResponse ID,What is your role?,What do you like?\n{IMPORTS}\n",
    "Qualtrics without labels": f"ResponseId,Q1,Q2\n{IMPORTS}\n",
    "SoSci": "CASE,STARTED,A1\nNumber of the interview,Seconds on page 1,What do you like?\n",
    "SurveyMonkey": "Respondent ID,Start Date,What do you like?\n,,Open-Ended Response\n",
}


@pytest.mark.parametrize("survey", SURVEYS)
def test_labels_below_the_names_of_columns_are_no_documents(written, survey) -> None:
    """The rows below the names may be the questions of a survey, and ids of its tool."""
    path = written(SURVEYS[survey] + "".join(f"7{n},{n} May,I like room {n} in the house\n" for n in range(6)))
    path = path.rename(path.with_suffix(".csv"))
    with noted() as notes:
        documents = load(path).documents
    assert [document.text[-24:] for document in documents] == [f"like room {n} in the house" for n in range(6)]
    assert any("of labels below the header: left out" in one for one in notes)


def test_a_first_record_without_a_number_is_no_row_of_labels(written) -> None:
    rows = "lamp,on request,,A lamp of red steel\n" + "".join(f"pot{n},{n},1{n},A pot of clay\n" for n in range(6))
    path = written(f"id,price,stock,text\n{rows}")
    assert len(load(path.rename(path.with_suffix(".csv"))).documents) == 7


def test_the_rule_of_a_table_in_markdown_is_no_document(written) -> None:
    path = written("| id | title | text |\n|---|:--|---|\n| 1 | Oaks | a tall tree |\n| 2 | Elms | a tree |\n")
    assert len(load(path.rename(path.with_suffix(".md"))).documents) == 2


@pytest.mark.parametrize("mark", ["|", ";"])
def test_lines_with_as_many_bars_or_semicolons_are_a_table_whatever_its_name(written, mark) -> None:
    rows = [["1", "Oaks", "A tall, old tree"], ["2", "Elms", "A tree by the sea"]]
    path = written("".join(mark.join(row) + "\n" for row in rows))
    documents = load(path.rename(path.with_suffix(".txt"))).documents
    assert [[document.doc_id, *document.fields.values()] for document in documents] == rows


TICKETS = "".join(f"{100 + n},open,oak {n},The oak of the garden number {n} is ill\n" for n in range(6))
FOOTERS = {
    "a total": "Total,6,,\n",
    "where it comes from": ",,,\nExported on 2024-02-02,,,\nBy Ann,,,\n",
}


def test_rows_without_more_than_a_name_are_records(tmp_path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("name,note\nAnn,she likes the old oak\nBob,\nTotal,\n")
    assert [one.title for one in load(path).documents] == ["Ann", "Bob", "Total"]


def test_a_header_of_many_equal_labels_compares_each_a_few_times(monkeypatch, tmp_path) -> None:
    compared = 0

    class Label(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    path = tmp_path / "a.csv"
    path.write_text("a,b\n")
    of_lines = delimited.cell_rows
    made = [delimited.CellRow(1, [*map(Label, ["a", *map(str, range(1_000)), "a"])])]
    monkeypatch.setattr(delimited, "cell_rows", lambda *given, **how: iter(made) if made else of_lines(*given, **how))
    assert delimited.headed(Source(str(path)), ",").labels[-1] == "a 1002"
    assert compared <= 20_000
