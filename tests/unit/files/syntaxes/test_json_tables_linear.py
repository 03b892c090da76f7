"""Objects of JSON are read in time that grows with their size: the characters looked at double with the text."""

import json

import pytest

from toysearch.files.source import Source
from toysearch.files.syntaxes import json_tables


class Counted(str):
    """A text that counts the characters through which a search in it goes."""

    looked_at = 0

    def find(self, part, start=0):
        found = super().find(part, start)
        Counted.looked_at += (found if found >= 0 else len(self)) - start
        return found


OBJECTS = {
    "escaped": lambda n: json.dumps([{"title": f"é {i}", "text": "ü" * 20} for i in range(n)]),
    "unescaped": lambda n: json.dumps([{"title": f"é {i}", "text": "ü" * 20} for i in range(n)], ensure_ascii=False),
    "both": lambda n: json.dumps([{"title": f"é {i}", "text": "x"} for i in range(n)])[:-1] + ', {"title": "é"}]',
    "numbers": lambda n: json.dumps([{"score": 1e300 * i, "text": "x", "more": None} for i in range(n)]),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_lines_of_rows_are_found_in_one_pass(name, tmp_path, monkeypatch):
    looked_at = []
    whole_object = json_tables.whole_object
    monkeypatch.setattr(
        json_tables, "whole_object", lambda source: (lambda value, text: (value, Counted(text)))(*whole_object(source))
    )
    for n in (200, 400):
        path = tmp_path / f"{n}.json"
        path.write_text('{"documents": ' + OBJECTS[name](n) + "}", encoding="utf-8")
        Counted.looked_at = 0
        rows = [*json_tables.rows_in_object(Source(str(path)), "documents")]
        assert len(rows) >= n
        looked_at.append(Counted.looked_at)
    assert looked_at[1] <= 2.2 * looked_at[0] + 1000


def test_a_head_cut_at_a_backslash_is_read_once():
    """A quote whose string is cut was tried again from each quote in it."""
    head = '{"id":"1","text":"' + '<a href=\\"x\\">' * 20_000
    for end in ("", "\\"):
        marks = [match[0] for match in json_tables._MARK.finditer(head + end)]
        assert len(marks) == 6  # the bracket, three strings, and a comma: the last string reaches to the end


def test_the_first_repeated_key_of_many_is_named(tmp_path):
    keys = [f"q{n}" for n in range(300)]
    path = tmp_path / "twice.json"
    path.write_text("{" + ", ".join(f'"{key}": {{"d": 1}}' for key in [*keys, "q299", "q7"]) + "}")
    with pytest.raises(Exception, match="'q7' is a key of one object twice"):
        json_tables.whole_object(Source(str(path)))
