"""Forms of topics × where they stand: a file beside the documents, or in the folder of the collection."""

import json
import shlex

import pytest
import shell
from captured_notes import noted
from shell import run

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.collection.queries import read_queries

WANTED = [("7", "green teapot"), ("08", "kite")]
FORMS = {
    "title of one language": "<top><num>7</num><FI-title>green teapot</FI-title><FI-desc>pots</FI-desc></top>\n"
    "<top><num>08</num><FI-title>kite</FI-title></top>\n",
    "one unknown tag": "<top>\n<num>7\n<wish>green teapot\n</top>\n<top>\n<num>08\n<wish>kite\n</top>\n",
    "one unknown element": '<topics><topic number="7"><wish>green teapot</wish></topic>'
    '<topic number="08"><wish>kite</wish></topic></topics>\n',
    "documents": "<DOC>\n<DOCNO> 7 </DOCNO>\ngreen teapot\n</DOC>\n<DOC>\n<DOCNO>08</DOCNO> kite</DOC>\n",
    "lines": "7:green teapot\n08:kite\n",
    "lines with a tab": "7\tgreen teapot\n08\tkite\n",
}
WITHOUT_IDS = {
    "a header": "Queries\ngreen teapot\nkite\n",
    "counts": "green teapot\t1,203\nkite\t7\n",
    "counts of words": "teapot\t3\nkite\t7\n",
    "lines": "green teapot\nkite\n",
}
DOCUMENTS = "<DOC><DOCNO>a</DOCNO>A teapot, green</DOC><DOC><DOCNO>b</DOCNO>The kite</DOC>\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["file", "folder"])
def test_each_form_is_read_wherever_it_stands(tmp_path, form: str, place: str) -> None:
    (tmp_path / "pots.sgml").write_text(DOCUMENTS)
    path = tmp_path / "topics.txt"
    path.write_text(FORMS[form])
    queries = read_queries(path) if place == "file" else toysearch.load(tmp_path).queries
    assert [tuple(query) for query in queries] == WANTED


@pytest.mark.parametrize("form", WITHOUT_IDS)
def test_lines_without_ids_are_numbered(tmp_path, form: str) -> None:
    path = tmp_path / "topics.txt"
    path.write_text(WITHOUT_IDS[form])
    assert [(query_id, text.split()[-1]) for query_id, text in read_queries(path)] == [("1", "teapot"), ("2", "kite")]


def test_numbers_behind_ids_are_texts(tmp_path) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("q1\t1984\nq2\t2001\n")
    assert [tuple(query) for query in read_queries(path)] == [("q1", "1984"), ("q2", "2001")]


def test_topics_of_one_word_are_no_list_of_ids(tmp_path) -> None:
    (tmp_path / "pots.jsonl").write_text('{"id": "a", "text": "a teapot"}\n{"id": "b", "text": "a kite"}\n')
    (tmp_path / "words.txt").write_text("1:teapot\n2:kite\n")
    answer = shell.run("run", tmp_path / "pots.jsonl", "--queries", tmp_path / "words.txt", "-o", "-")
    assert [line.split()[:3] for line in answer.stdout.splitlines()[:2]] == [["1", "Q0", "a"], ["2", "Q0", "b"]]


@pytest.mark.parametrize("typed", ["1,2", "1, 2", "2"])
def test_ids_are_typed_or_listed(tmp_path, typed) -> None:
    (tmp_path / "some.txt").write_text("\n".join(typed.split(",")))
    as_typed, listed = (
        shell.done("eval", "companions", "--queries", queries, "--per-query", "--tsv")
        for queries in (typed, tmp_path / "some.txt")
    )
    assert as_typed.stdout == listed.stdout
    query_ids = [line.split("\t")[1] for line in as_typed.stdout.splitlines()[1:]]
    assert query_ids == [*map(str.strip, typed.split(",")), "all"]


def test_a_typed_id_of_no_query() -> None:
    refused = run("eval", "companions", "--queries", "1,zz")
    said = "toysearch: expected the id of a query of the collection, found 'zz'\n"
    assert (refused.exit_code, refused.stderr) == (2, said)


SEVERAL = {
    "tags": "<top><num>1</num><wish>kite</wish><want>a red one</want></top>",
    "languages": "<top><num>1</num><FI-title>leija</FI-title><SV-title>drake</SV-title></top>",
}


@pytest.mark.parametrize("case", SEVERAL)
def test_of_several_unknown_fields_the_user_chooses(tmp_path, case: str) -> None:
    path = tmp_path / "topics"
    path.write_text(SEVERAL[case])
    with pytest.raises(DataError, match=r"expected queries with a field title .* found .*; name those to search with"):
        read_queries(path)
    with pytest.raises(ArgumentError, match="unknown query field"):
        read_queries(path, fields="other")
    assert list(read_queries(path, fields="wish" if case == "tags" else "sv-title").texts) == [
        "kite" if case == "tags" else "drake"
    ]


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("needs.csv", "No;Wanted words;Remark\n1;harbour lights;by Ann\n", "Wanted words"),
        ("needs.jsonl", '{"No": 1, "Wanted": "harbour lights", "Remark": "by Ann"}\n', "Wanted"),
    ],
)
def test_queries_without_a_usual_name_are_told_the_option_that_names_it(tmp_path, monkeypatch, name, text, label):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    (tmp_path / "docs.jsonl").write_text('{"_id": "a", "text": "lights of a harbour"}\n')
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    targets = ("eval", "docs.jsonl", "--queries", name, "--qrels", "qrels.txt")
    message = " ".join(run(*targets).stderr.split())
    assert f"--query-columns {shlex.quote(f'text={label}')}" in message
    assert run(*targets, "--query-columns", f"id=No,text={label}").exit_code == 0


def test_texts_of_queries_that_lie_deeper_are_read_as_the_refusal_says(tmp_path) -> None:
    path = tmp_path / "topics.jsonl"
    deeper = [{"lang": "eng", "topic_title": "Jakarta floods", "topic_description": "Find reports on floods there."}]
    path.write_text(json.dumps({"topic_id": "1", "languages_with_qrels": ["fas", "rus"], "topics": deeper}) + "\n")
    with pytest.raises(DataError, match=r"an id and a text; to read those in it: .*text=topics.topic_title") as refused:
        read_queries(path)
    assert [*read_queries(path, columns=str(refused.value).split("'")[-2])] == [("1", "Jakarta floods")]


def test_judgments_that_name_queries_by_their_texts_are_queries_too(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pots.jsonl").write_text('{"id": "a", "text": "a teapot"}\n{"id": "b", "text": "a kite"}\n')
    (tmp_path / "case.csv").write_text("Query Text,Doc ID,Rating\nred kite,b,1\ngreen teapot,b,0\ngreen teapot,a,1\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    assert [*read_queries("case.csv").texts] == ["red kite", "green teapot"]
    result = run("eval", "pots.jsonl", "--queries", "case.csv", "--qrels", "case.csv", "-m", "AP", "--tsv")
    assert result.stdout.split()[-1] == "1.0"
    with pytest.raises(DataError, match=r"^qrels holds judgments; expected queries, each with an id and a text$"):
        read_queries("qrels")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("asked", "beside"),
    [
        ("query", "description"),
        ("question", "passage"),
        ("query", "text"),
        ("keywords", "description"),
        ("Thema", "Beschreibung"),
    ],
)
def test_of_two_texts_in_a_file_of_queries_the_one_that_asks_is_searched(tmp_path, asked, beside, form) -> None:
    texts = {"red kite": "The user wants pages on a bird", "green teapot": "Pages on a pot that is green"}
    rows = [{"id": f"q{place}", asked: text, beside: texts[text]} for place, text in enumerate(texts)]
    path = tmp_path / f"topics.{form}"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if form == "csv":
        path.write_text("".join(",".join(row) + "\n" for row in (rows[0], *(row.values() for row in rows))))
    assert [*read_queries(path).texts] == [*texts]
    assert [*read_queries(path, columns=f"text={beside}").texts] == [*texts.values()]


@pytest.mark.parametrize("asked", ["query", "question", "title"])
def test_queries_in_memory_are_searched_with_what_asks_too(asked: str) -> None:
    rows = [{"id": 1, asked: "red kite", "description": "Pages on a bird"}]
    assert [*read_queries(rows).texts] == ["red kite"]


def test_the_first_of_two_unknown_texts_is_offered_rather_than_the_longer(tmp_path) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("id,Wunsch,Erläuterung\n1,red kite,The user wants pages on a bird\n")
    with pytest.raises(DataError, match="'text=Wunsch'"):
        read_queries(path)


UNUSUAL = ["user_question,context", "prompt,context", "q,description", "Nutzerfrage,Text", "claim,abstract"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "memory"])
@pytest.mark.parametrize("pair", UNUSUAL)
def test_a_query_of_another_name_is_searched_rather_than_a_known_text(tmp_path, pair: str, suffix: str) -> None:
    labels = ["id", *pair.split(",")]
    rows = [("1", "barn owls", "Documents about ships"), ("2", "field mice", "Documents about ports")]
    found = [dict(zip(labels, row, strict=True)) for row in rows]
    path = tmp_path / f"topics.{suffix}"
    if suffix == "memory":  # rows are read one by one, by their names
        assert [*read_queries(found).texts] == ["barn owls", "field mice"]
        return
    table = "".join(",".join(row) + "\n" for row in (labels, *rows))
    path.write_text(table if suffix == "csv" else "".join(json.dumps(one) + "\n" for one in found))
    with noted() as notes:
        assert [*read_queries(path).texts] == ["barn owls", "field mice"]
    assert notes == []


@pytest.mark.parametrize("header", ["Intitule", "texte de la recherche"])
@pytest.mark.parametrize("name", ["topics.txt", "topics.csv", "topics.tsv", "topics.csv of a folder"])
def test_numbered_lines_are_asked_about_a_header_if_all_but_the_last_are_judged(tmp_path, name, header) -> None:
    name, _, place = name.partition(" of ")
    (tmp_path / "pots.jsonl").write_text('{"id": "a", "text": "a green teapot"}\n{"id": "b", "text": "a red kite"}\n')
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\n1,a,1\n2,b,1\n")
    topics, texts = tmp_path / name, ["green teapot", "red kite"]
    topics.write_text("\n".join([header, *texts]))
    given = [tmp_path] if place else [tmp_path / "pots.jsonl", "--queries", topics, "--qrels", tmp_path / "qrels.csv"]
    command = ["eval", *given, "--measures", "RR", "--tsv"]
    refused = run(*command)
    assert refused.exit_code == 2
    asked = f"{name}:1: 3 lines are numbered, and the queries 1 to 2 are judged; if '{header}' is a header: "
    assert asked in refused.stderr
    option, column, *_ = shlex.split(refused.stderr.partition(asked)[2].partition("; if")[0])
    assert run(*command, option, column).stdout.splitlines()[-1].split("\t")[1] == "1.0"
    topics.write_text("".join(f"{at}\t{text}\n" for at, text in enumerate(["old kettle", *texts], 1)))
    assert run(*command).exit_code == 0
    assert run("search", tmp_path, "kite").exit_code == 0
