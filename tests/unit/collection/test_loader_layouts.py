"""Layouts of JSON and of tables × what they hold: the same records, and a note where the layout is an unusual one."""

import gzip
import json

import pytest
from captured_notes import noted

import toysearch
from toysearch.collection.queries import read_queries

RECORDS = [("1", "Harbour news", "The ferry is late"), ("22", "Weather", "Rain on the coast")]
OBJECTS = [{"id": record_id, "title": title, "text": text} for record_id, title, text in RECORDS]
LAYOUTS = {
    "lines": ("json", "".join(json.dumps(item) + "\n" for item in OBJECTS)),
    "array": ("json", json.dumps(OBJECTS)),
    "one after the other": ("json", "\n".join(json.dumps(item, indent=1) for item in OBJECTS) + "\n"),
    "all on one line": ("json", "".join(map(json.dumps, OBJECTS))),
    "in one list": ("json", json.dumps({"pets": OBJECTS})),
    "in one list, indented, with more": ("json", json.dumps({"n": 2, "tags": ["a["], "rows": OBJECTS}, indent=2)),
    "ids of MongoDB": (
        "json",
        "".join(
            json.dumps({"_id": {"$oid": name}, "title": title, "text": text}) + "\n" for name, title, text in RECORDS
        ),
    ),
    "in hits": ("json", json.dumps({"found": 2, "hits": [{"document": one, "text_match": 9} for one in OBJECTS]})),
    "in rows that are counted": (
        "json",
        json.dumps({"rows": [{"row_idx": place, "row": item} for place, item in enumerate(OBJECTS)]}),
    ),
    "csv": ("csv", "id,title,text\n" + "".join(",".join(record) + "\n" for record in RECORDS)),
    "csv without a header": ("csv", "".join(",".join(record) + "\n" for record in RECORDS)),
    "tsv without a header": ("tsv", "".join("\t".join(record) + "\n" for record in RECORDS)),
    "semicolons without a header": ("csv", "".join(";".join(record) + "\n" for record in RECORDS)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("role", ["documents", "queries", "collection"])
def test_each_layout_gives_the_same_records(tmp_path, layout: str, packed: bool, role: str) -> None:
    ending, text = LAYOUTS[layout]
    name = "asked" if role == "documents" else "queries"
    path = tmp_path / f"{name}.{ending}{'.gz' * packed}"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with noted() as notes:
        if role == "documents":
            found = [(doc.doc_id, doc.title, doc.fields["text"]) for doc in toysearch.load(path).documents]
            assert found == RECORDS
        else:
            (tmp_path / "pots.sgml").write_text("<DOC><DOCNO>a</DOCNO>A teapot, green</DOC>\n")
            queries = read_queries(path) if role == "queries" else toysearch.load(tmp_path).queries
            assert [tuple(query) for query in queries] == [(record_id, text) for record_id, _, text in RECORDS]
    noted_header = [one for one in notes if "; no header; id column 1; searched: " in one]
    assert bool(noted_header) == ("without" in layout)


WITHOUT = {
    "no key": {},
    "null": {"text": None},
}


@pytest.mark.parametrize("case", WITHOUT)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("n", [1, 600])  # of many, a faster parser reads the last
def test_an_absent_text_is_an_empty_one_and_counted(tmp_path, case: str, first: bool, n: int) -> None:
    whole = [{"id": f"w{number}", "title": "Ferry", "text": "late"} for number in range(n)]
    bare = {"id": "bare", "title": "Ferry"} | WITHOUT[case]
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in ([bare, *whole] if first else [*whole, bare])))
    with noted() as notes:
        documents = toysearch.load(path).documents
        assert documents["bare"].text == "Ferry"
        assert documents["w0"].text == "Ferry late"
        assert len(documents) == n + 1
    assert notes == [f"{path}: 1 record without a text"]


TITLES = {
    "csv": "id,title,brand\n1,red lamp,Ikon\n2,kettle,Dyso\n",
    "tsv": "id\ttitle\tbrand\n1\tred lamp\tIkon\n2\tkettle\tDyso\n",
    "json": '{"id": "1", "title": "red lamp", "brand": "Ikon"}\n{"id": "2", "title": "kettle", "brand": "Dyso"}\n',
}


@pytest.mark.parametrize("ending", TITLES)
def test_a_question_is_the_title_of_a_longer_answer(tmp_path, ending: str) -> None:
    path = tmp_path / f"faq.{ending}"
    path.write_text(
        TITLES[ending].replace("title", "question").replace("brand", "answer").replace("Ikon", "an oak in a dark wood")
    )
    with noted() as notes:
        assert [doc.text for doc in toysearch.load(path).documents] == ["red lamp an oak in a dark wood", "kettle Dyso"]
    assert notes == [f"{path}: 2 documents; id id; searched: question, answer"]
    assert [query.text for query in read_queries(path)] == ["red lamp", "kettle"]


LETTERS = [  # title → which documents have it, and what names each of them
    ("name", ["Ada", "Ben", "Ada", "Cy"], "post_title"),
    ("Name", ["Ada", "Ben", "Cy", "Dee"], "Titel"),
    ("name", ["Ada", "Ben", "Ada", "Ben"], "recipe"),
    ("subject", ["Maths", "Law", "Law", "Law"], "lesson"),
    ("title", ["Question"] * 6, "product"),
]
NO_LETTERS = [
    ("name", ["a lamp", "a pot", "a pan", "a mug"], "line"),
    ("name", ["Ada", "Ben", "Ada", "Ben"], "category"),
    ("title", ["Oaks", "Oaks", "Elms", "Elms"], "heading"),
    ("headline", ["Oaks", "Oaks", "Elms", "Elms"], "kicker"),
]


def test_a_question_of_users_is_searched_beside_its_context(tmp_path) -> None:
    path = tmp_path / "faq.csv"
    path.write_text("id,user_question,context\n1,Why do owls hoot,It is dark.\n2,Where do oaks grow,They are tall.\n")
    with noted() as notes:
        assert next(doc.text for doc in toysearch.load(path).documents) == "It is dark. Why do owls hoot"
    assert notes == [f"{path}: 2 documents; id id; searched: context, user_question"]


GOLDEN = {
    "by id": {"queries": {"q1": "ferry"}, "corpus": {"a": "late ferry", "b": "rain"}, "relevant_docs": {"q1": ["a"]}},
    "lists": {
        "documents": [{"id": "a", "text": "late ferry"}, {"id": "b", "text": "rain"}],
        "questions": [{"id": "q1", "question": "ferry", "relevant_ids": ["a"]}],
    },
    "without judgments": {"articles": [{"id": "a", "text": "late ferry"}], "topics": [{"id": "q1", "name": "ferry"}]},
    "without queries": {"articles": [{"id": "a", "text": "late ferry"}], "topics": ["ferry", "rain"]},
}


@pytest.mark.parametrize("case", GOLDEN)
def test_queries_and_judgments_beside_documents_in_one_object_are_theirs(tmp_path, case) -> None:
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(GOLDEN[case]))
    found = toysearch.load(path)
    assert found.documents["a"].text == "late ferry"
    assert [*map(tuple, found.queries)] == [("q1", "ferry")] * (case != "without queries")
    assert found.qrels.to_dict() == ({"q1": {"a": 1.0}} if "without" not in case else {})


HELD = {
    "folder": ("a.txt", "{0}"),
    "csv": ("a.csv", "id,text\n1,{0}\n"),
    "jsonl": ("a.jsonl", '{{"id": "1", "text": "{0}"}}\n'),
    "sgml": ("a.sgml", "<DOC><DOCNO>1</DOCNO>{0}</DOC>\n"),
}


@pytest.mark.parametrize("form", HELD)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp1251", "shift_jis", "utf-16-le"])
def test_an_encoding_is_that_of_the_files_that_are_not_utf8(tmp_path, form: str, packed: bool, encoding: str) -> None:
    name, text = HELD[form]
    words = {"cp1251": "Москва", "shift_jis": "東京の雨"}.get(encoding, "Zürich Müsli")
    for stored, read_as_utf8 in ((encoding, False), ("utf-8", encoding != "utf-16-le")):
        data = text.format(words).encode(stored)
        path = tmp_path / (name + ".gz" * packed)
        path.write_bytes(gzip.compress(data) if packed else data)
        if stored == "utf-8" and not read_as_utf8:
            continue  # any bytes are UTF-16
        with noted() as notes:
            (document,) = toysearch.load(tmp_path if form == "folder" else path, encoding=encoding).documents
        assert words in document.text
        assert any("is UTF-8 and is read as that, not as" in note for note in notes) == read_as_utf8


def test_a_folder_says_how_many_of_its_files_are_utf8(tmp_path) -> None:
    """The advice for a file in another encoding holds when it is followed."""
    for name, data in {"a": "Zürich".encode(), "b": b"Caf\xe9 M\xfcsli", "c": b"plain", "d": "Köln".encode()}.items():
        (tmp_path / f"{name}.txt").write_bytes(data)
    with noted() as notes:
        documents = toysearch.load(tmp_path).documents
    assert [document.fields["text"] for document in documents] == ["Zürich", "Café Müsli", "plain", "Köln"]
    found = f"{tmp_path / 'b.txt'}: not UTF-8, read as cp1252 by its letters"
    assert [note.partition("; ")[0] for note in notes] == [found]
    with noted() as notes:
        documents = toysearch.load(tmp_path, encoding="cp1252").documents
    assert [document.fields["text"] for document in documents] == ["Zürich", "Café Müsli", "plain", "Köln"]
    assert notes == [f"2 of 4 files: {tmp_path / 'a.txt'} is UTF-8 and is read as that, not as cp1252"]
