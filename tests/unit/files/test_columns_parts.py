"""Parts of records: which label plays which, and what the fields are called."""

import pytest

from toysearch import load
from toysearch.files.columns import (
    TableHead,
    field_names,
    listed_labels,
    parts_of,
    parts_with_id,
    settled_parts,
    without_text,
)


def test_the_order_of_names_decides_before_the_order_of_labels() -> None:
    assert parts_of(["query", "text", "number", "qid"]) == {"id": "qid", "text": "text"}


def test_of_labels_that_are_alike_the_first_plays_the_part() -> None:
    assert parts_of(["Doc ID", "doc-id", "Title", "title"]) == {"id": "Doc ID", "title": "Title"}


def test_a_name_in_a_namespace_is_known_unless_it_stands_alone_too() -> None:
    assert parts_of(["@id", "dc:title", "g:text"]) == {"id": "@id", "title": "dc:title", "text": "g:text"}
    assert parts_of(["dc:title", "title"]) == {"title": "title"}


def test_a_name_is_known_with_more_in_brackets() -> None:
    assert parts_of(["Title (en)", "Body (HTML)"]) == {"title": "Title (en)", "text": "Body (HTML)"}


def test_a_summary_is_the_title_of_another_text_only() -> None:
    assert parts_of(["Summary", "Description"]) == {"title": "Summary", "text": "Description"}
    assert parts_of(["summary"]) == {"text": "summary"}
    assert parts_of(["title", "summary"]) == {"title": "title", "text": "summary"}


@pytest.mark.parametrize(
    "label",
    [
        "cord_uid",
        "movieId",
        "objectID",
        "DOI",
        "identifier",
        "imdb-id",
        "Item ID",
        "id_str",
        "parent_asin",
        "put",
        "idMeal",
        "id_noticia",
    ],
)
def test_a_name_like_that_of_an_id_is_one_if_no_two_rows_have_the_same(label) -> None:
    assert parts_with_id(TableHead.of_rows(["kind_id", label], [["7", "a"], ["7", "b"]])) == {"id": label}
    assert parts_with_id(TableHead.of_rows([label, "text"], [["a", "x"], ["a", "y"]])) == {"text": "text"}
    assert parts_with_id(TableHead.of_rows(["doc_id", label], [["d", "a"], ["d", "b"]])) == {"id": label}
    assert parts_with_id(TableHead.of_rows(["doc_id", label], [["d", "a"], ["e", "b"]])) == {"id": "doc_id"}
    assert parts_with_id(TableHead.of_rows(["doc_id", label], [["d", "a"], ["d", "a"]])) == {"id": "doc_id"}
    assert parts_with_id(TableHead.of_rows(["qid", label], [["d", "a"], ["d", "b"]])) == {"id": "qid"}
    assert parts_with_id(TableHead.of_rows(["doc_id", label], [["d", "a"], ["d", "b"]]), {"id": "doc_id"}) == {
        "id": "doc_id"
    }
    assert parts_with_id(TableHead.of_rows([label, "text"], [["a", "x"], ["", "y"]])) == {"text": "text"}


@pytest.mark.parametrize("item", ["asin", "product_id", "sku"])
def test_a_person_beside_an_item_is_no_id(item) -> None:
    rows = [["A1", "B1", "R1", "x"], ["A2", "B1", "R2", "y"]]
    assert parts_with_id(TableHead.of_rows(["reviewerID", item, "review_id", "text"], rows)) == {
        "id": "review_id",
        "text": "text",
    }
    alone = parts_with_id(TableHead.of_rows(["reviewerID", "text"], [["A1", "x"], ["A2", "y"]]))
    assert alone == {"id": "reviewerID", "text": "text"}


@pytest.mark.parametrize("label", ["paid", "fluid", "Madrid", "GRID", "valid"])
def test_a_word_that_ends_in_the_letters_is_no_id(label) -> None:
    assert "id" not in parts_with_id(TableHead.of_rows([label, "text"], [["a", "x"], ["b", "y"]]))


def test_a_first_column_of_numbers_or_codes_holds_the_ids() -> None:
    assert parts_with_id(TableHead.of_rows(["appid", "text"], [["7", "a"], ["8", "b"]])) == {
        "id": "appid",
        "text": "text",
    }
    assert parts_with_id(TableHead.of_rows(["Article", "text"], [["Art. 7", "a"], ["Art. 7a", "b"]]))["id"] == "Article"
    assert "id" not in parts_with_id(TableHead.of_rows(["text", "appid"], [["a", "7"], ["b", "8"]]))


def test_the_only_column_of_codes_holds_the_ids_of_documents_in_any_place() -> None:
    def id_of(label: str, n_rows: int = 5, role: str = "documents", **more: str) -> str:
        labels = ["title", label, *more, "text"]
        rows = [["Oaks and elms", f"B-{n}", *(f"{code}{n}" for code in more.values()), "a text"] for n in range(n_rows)]
        return parts_with_id(TableHead.of_rows(labels, rows), role=role).get("id", "")

    assert id_of("Signatur") == "Signatur"
    assert id_of("Version") == id_of("Signatur", 2) == id_of("Signatur", shelf="R") == ""
    assert id_of("Signatur", role="queries") == ""


def _settled(rows: list[dict[str, str]]) -> dict[str, str]:
    head = TableHead({label: [row[label] for row in rows] for label in rows[0]})
    return settled_parts(parts_of(head.labels), head, {}, "documents")[0]


@pytest.mark.parametrize("text", ["preparation", "body"])
def test_a_title_without_a_known_name_may_stand_behind_the_text(text) -> None:
    rows = [
        {text: f"Peel {n} apples and bake them for an hour.", "pour": "six of us", "nom": f"Apple cake {n}"}
        for n in range(5)
    ]
    assert _settled(rows) == {"title": "nom", "text": text}
    assert "title" not in _settled([{**row, "autre": f"Another cake {n}"} for n, row in enumerate(rows)])
    assert "title" not in _settled([{**row, "nom": "Apple cake"} for row in rows])


@pytest.mark.parametrize(
    ("text", "short"),
    [("Beschreibung", "Kurzbeschreibung"), ("description", "Short description"), ("content", "excerpt:encoded")],
)
def test_a_short_description_is_searched_beside_the_long_one(text, short) -> None:
    rows = [{"name": f"Lamp {n}", short: "Light for the desk", text: f"A red lamp, {n}. " * 9} for n in range(3)]
    assert short in _settled(rows).values()
    assert short not in _settled([{**row, short: "Light"} for row in rows]).values()


def test_a_context_of_json_ld_is_not_a_text() -> None:
    assert parts_of(["@context", "@id"]) == {"id": "@id"}
    assert parts_of(["context"]) == {"text": "context"}


def test_a_label_plays_one_part() -> None:
    assert parts_of(["id", "title"], {"text": "title"}) == {"id": "id", "text": "title"}
    assert parts_of(["id", "title", "name"], {"text": "title"}) == {"id": "id", "title": "name", "text": "title"}


def test_a_label_that_is_not_there_plays_none() -> None:
    assert parts_of(["id", "text"], {"text": "body"}) == {"id": "id"}


def test_an_exact_label_goes_before_one_that_is_alike() -> None:
    assert parts_of(["BODY", "body"], {"text": "body"}) == {"text": "body"}
    assert parts_of(["BODY", "Body"], {"text": "body"}) == {"text": "BODY"}


def test_no_two_fields_have_one_name() -> None:
    labels = ["id", "text", "body", "text_", "title"]
    assert field_names(labels, {"id": "id", "text": "body"}) == {
        "body": "text",
        "text": "text_",
        "text_": "text__",
        "title": "title",
    }
    assert field_names(["text_", "text", "body"], {"text": "body"}) == {
        "body": "text",
        "text_": "text_",
        "text": "text__",
    }


def test_long_lists_of_labels_are_cut_short() -> None:
    labels = [f"c{place}" for place in range(21)]
    assert listed_labels(labels[:20], "column") == ", ".join(labels[:20])
    assert listed_labels(labels, "column") == ", ".join(labels[:20]) + ", …"


def test_the_example_is_a_label_that_plays_no_part() -> None:
    assert without_text(TableHead.of_rows(["id", "claim"]), {"id": "id"}, "key", "a key").endswith(
        "columns='text=claim')"
    )
    assert without_text(TableHead.of_rows(["id"]), {"id": "id"}, "key", "a key").endswith("columns='text=NAME')")


PEOPLE = ["Ann Lee", "Bo Chu", "Cy Dent", "Di Fox", "Ed Gray", "Flo Hill"]
TREES = ["red oaks", "tall elms by the sea", "pear trees", "old apple trees", "two ash trees", "a wild fig"]
CELLS = {
    "Verfasser": PEOPLE,
    "Leitung": PEOPLE,
    "Schlagzeile": TREES,
    "posted": [f"2026-03-0{n} 10:00:00" for n in range(1, 7)],
    "Perfume": ["blue-night", "open-sea", "red-lamp-of-may", "old-harbour", "elm", "tall-pines"],
    "answer": [f"have you tried to water {tree}" for tree in TREES],
    "tags": ["oak, ash, elm, fig, pear", "oak", "elm", "ash", "fig", "pear"],
    "address": [f"{n} Main Street, Old Town, near the sea" for n in range(6)],
}
SEARCHED = {
    ("Title", "Problem", "Solution"): ["Title", "Problem", "Solution"],
    ("Title", "Problem", "body"): ["Title", "Problem", "body"],
    ("Response 1", "Response 2", "Response 3"): ["Response 1", "Response 2", "Response 3"],
    ("Summary", "Root cause", "Resolution"): ["Summary", "Resolution", "Root cause"],
    ("Problem", "address", "Solution", "tags", "posted"): ["Problem", "Solution"],
    ("Title", "body", "Plain body"): ["Title", "body"],
    ("Title", "body", "answer"): ["Title", "body", "answer"],
    ("headline", "pros", "cons"): ["headline", "pros", "cons"],
    ("Perfume", "Artikel"): ["Perfume", "Artikel"],
    ("Verfasser", "Schlagzeile", "Artikel"): ["Schlagzeile", "Artikel"],
    ("Leitung", "Schlagzeile", "Artikel"): ["Leitung", "Schlagzeile", "Artikel"],
    ("Title", "Schlagzeile", "Artikel"): ["Title", "Artikel"],
}


@pytest.mark.parametrize("labels", SEARCHED)
def test_columns_of_one_kind_are_searched_together(labels) -> None:
    """Texts at least a third as long as the text or the only title, and another title where the first may be people."""
    sentences = [
        f"{{0}} of {tree} in the garden by the old wall of the house with number {place}"
        for place, tree in enumerate(TREES)
    ]
    short = {"Title": [f"case {tree}" for tree in TREES], "Summary": TREES}
    named = {"Plain body": "body"}  # a copy
    cells = [
        short.get(label) or CELLS.get(label) or [one.format(named.get(label, label)) for one in sentences]
        for label in labels
    ]
    head = TableHead.of_rows(labels, zip(*cells, strict=True))
    parts, other = settled_parts(parts_with_id(head), head, {}, "documents")
    assert sorted(label for part, label in parts.items() if part != "id") == sorted(SEARCHED[labels])
    assert other not in ("posted", "Verfasser", *SEARCHED[labels])


@pytest.mark.parametrize("label", ["posted", "Verfasser", "Autor"])
def test_times_and_people_are_not_offered_as_a_text(label) -> None:
    head = TableHead(
        {
            "comment": ["a lamp of red steel", "it is too dark"],
            label: CELLS.get(label, PEOPLE)[:2],
            "at": ["Rome", "Oslo"],
        }
    )
    assert settled_parts({}, head, {}, "documents") == ({"text": "comment"}, "")


FORMS = {
    "en": "Name,E-Mail,Subject,Message",
    "de": "Name,E-Mail,Betreff,Nachricht",
    "de, mail first": "E-Mail,Name,Betreff,Nachricht",
    "fr": "Nom,Courriel,Objet,Message",
    "pl": "Imię i nazwisko,E-mail,Temat,Wiadomość",
    "ja": "名前,メール,件名,本文",
    "of a survey": "Your name,Your email,Subject of request,Describe your issue",
}
PERSONS = [f"{first} {last}" for first in ("Ann", "Bob", "Cid") for last in ("Lee", "Ray")]


def head_of_form(header: str, subject: str) -> TableHead:
    rows = [
        [name, f"{n}@x.org", subject.format(n), f"the lamp that {name} has ordered came in {n} pieces"]
        for n, name in enumerate(PERSONS)
    ]
    if header.startswith("E-Mail"):
        rows = [[mail, name, *others] for name, mail, *others in rows]
    return TableHead.of_rows(header.split(","), rows)


@pytest.mark.parametrize("form", FORMS)
def test_the_subject_of_a_form_is_its_title_and_no_person(form: str) -> None:
    head = head_of_form(FORMS[form], "The broken lamp of order {}")
    parts = settled_parts(parts_of(head.labels), head, {}, "documents")[0]
    assert (parts["title"], parts["text"]) == (*head.labels[2:],)


def test_a_person_is_the_title_where_no_subject_follows() -> None:
    for header, cell in (("name,email,city,bio", "New York"), ("name,email,job,bio", "Head of the red lamps")):
        head = head_of_form(header, cell)
        assert settled_parts(parts_of(head.labels), head, {}, "documents")[0]["title"] == "name"


@pytest.mark.parametrize(
    ("labels", "form"), [("Beschreibung,Signatur", "{1},B-{0}"), ("Artikel,Beschreibung", "{0},{1}")]
)
def test_what_may_be_an_id_is_one_only_where_all_rows_are_seen(tmp_path, labels: str, form: str) -> None:
    path = tmp_path / "shelf.csv"
    rows = [form.format(1000 + n % 260, f"a long description of lamp number {n}") for n in range(300)]
    path.write_text("\n".join([labels, *rows[:150]]))
    assert next(one.doc_id for one in load(path).documents) in ("B-1000", "1000")
    path.write_text("\n".join([labels, *rows]))  # some repeat below those that are looked at
    assert [one.doc_id for one in load(path).documents][:2] == ["1", "2"]
