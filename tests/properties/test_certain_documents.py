"""Lines that can be nothing but documents are claimed and read as the rules for all JSON claim and read them."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from captured_notes import noted
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ToysearchError
from toysearch.collection.catalog import load
from toysearch.files import folder_layout
from toysearch.files.recognise import what_is
from toysearch.files.source import Source
from toysearch.files.syntaxes import json_lines
from toysearch.files.syntaxes.json_lines import certain_documents

NAME = "certain_documents"

TEXTS = st.sampled_from(
    ["", "a", "1", "a cat", "q1", "d1 d2 d3", "1 Q0 d1 1 0.5 x", '{"id": "1"}', "\u00e9", "<p>cat</p>"]
)
LABELS = st.sampled_from(["_id", "id", "doc_id", "docno", "qid", "title", "text", "score", "contents"])
OBJECTS = st.dictionaries(LABELS, TEXTS | st.integers(0, 3) | st.lists(TEXTS, max_size=2), max_size=4)
IDS, MAIN = ["_id", "id", "doc_id", "docno", "qid", "query_id", "url"], ["text", "text", "contents", "query"]
DOCUMENTS = st.tuples(st.sampled_from(IDS), st.sampled_from([(), ("title",)]), st.sampled_from(MAIN)).flatmap(
    lambda form: st.lists(
        st.fixed_dictionaries(dict.fromkeys([form[0], *form[1], form[2]], TEXTS)), min_size=1, max_size=4
    )
)
NAMES = ["file", "pets.json", "corpus.jsonl", "queries.jsonl", "qrels.txt", "notes.md", "runs.tsv"]


def read(path: Path) -> tuple[list, list[str]]:
    """Return the documents of a file, or why there are none, and what is told of them."""
    with noted() as notes:
        try:
            return [*load(path).documents], notes
        except ToysearchError as error:
            return [str(error)], notes


@pytest.mark.parametrize("name", NAMES)
@given(DOCUMENTS | st.lists(OBJECTS, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n", "\n\n", " \n"]))
def test_what_is_certain_is_what_all_rules_say(tmp_path_factory, name: str, objects: list[dict], end: str) -> None:
    path = tmp_path_factory.mktemp("given") / name
    path.write_text("".join(json.dumps(item) + end for item in objects), newline="")
    certain = certain_documents(Source(str(path)))
    if certain is not None:
        assert certain == what_is(path, place="documents")
    with patch.object(json_lines, NAME, return_value=None), patch.object(folder_layout, NAME, return_value=None):
        by_all_rules = read(path)
    assert read(path) == by_all_rules


def test_documents_with_an_id_and_a_text_are_certain(tmp_path: Path) -> None:
    for form in ("_id", "id", "doc_id", "docno"):
        path = tmp_path / form
        path.write_text(f'{{"{form}": "1", "text": "a cat"}}\n')
        assert certain_documents(Source(str(path)))
    path.write_text('{"docno": "1", "text": "a cat", "score": "2"}\n')
    assert not certain_documents(Source(str(path)))
