"""References with a tag on each line: a record ends at its last tag, and only where none has one at a blank line."""

import pytest
from shell import run as shell

import toysearch
from toysearch.base.errors import DataError

TWO = (
    "TY  - JOUR\nTI  - Lamps\nAB  - First part.\n\nSecond part on copper.\nER  - \n\n"
    "TY  - JOUR\nTI  - Kettles\nN1  - 3 pages\n\n4 figures\nAB  - On tin.\nER  - \n"
)


def test_a_blank_line_is_part_of_a_text(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text(TWO)
    first, second = toysearch.load(path).documents
    assert "First part. Second part on copper." in first.text
    assert (second.fields["n1"], "On tin." in second.text) == ("3 pages 4 figures", True)


def test_references_may_be_numbered(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text(
        "1.\nTY  - JOUR\nT1  - Lamps\nN2  - A\nER  - \n\n2.\nTY  - JOUR\nT1  - Kettles\nN2  - On copper.\nER  - \n"
    )
    assert [document.text for document in toysearch.load(path).documents] == ["Lamps A", "Kettles On copper."]


def test_pubmed_ends_a_record_at_a_blank_line(tmp_path):
    path = tmp_path / "refs.txt"
    path.write_text("PMID- 1\nTI  - Lamps\nAB  - On tin\n      and zinc.\n\nPMID- 2\nTI  - Kettles\nAB  - On copper.\n")
    assert [document.text for document in toysearch.load(path).documents] == [
        "Lamps On tin and zinc.",
        "Kettles On copper.",
    ]


CONVERTED = {
    "CREATE TABLE a (id text);\nINSERT INTO a VALUES ('d1');\n": "a dump of a database; give its table as CSV",
    "COPY a (id, text) FROM stdin;\nd1\toak\n": "a dump of a database; give its table as CSV",
    "BEGIN:VCARD\nFN:Ann\nEND:VCARD\n": "a list of contacts or events; export it as CSV",
    "1\n00:00:01,000 --> 00:00:02,000\nan oak\n": "subtitles; save the text of each one on a line of its own",
    " id | n \n----+---\n d1 | 7 \n": "a table drawn with lines; save it as CSV",
    "[('d1', 'an oak')]\n": "what Python prints; write it with json.dumps",
}


@pytest.mark.parametrize("text", CONVERTED)
def test_a_file_in_a_notation_that_is_not_read_says_what_to_do(tmp_path, monkeypatch, text) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.dat").write_text(text)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "mine.run").write_text("q1 Q0 d1 1 2 mine\n")
    for targets in ("search mine.dat oak", "eval mine.dat qrels", "eval mine.run --qrels mine.dat"):
        result = shell(*targets.split())
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"mine.dat is {CONVERTED[text]}" in result.stderr, targets


def test_parallel_lists_are_refused_as_documents(tmp_path) -> None:
    (tmp_path / "kept.json").write_text('{"ids": ["d1"], "documents": ["an oak"]}')
    with pytest.raises(DataError, match="write an object for each document"):
        toysearch.load(tmp_path / "kept.json")
