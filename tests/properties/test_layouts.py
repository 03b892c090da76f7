"""Whatever files a folder holds, its layout is found or refused in a sentence."""

import contextlib
import tempfile
import warnings
from pathlib import Path

import pytest
from damaged_files import mutated
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ToysearchError
from toysearch.collection import catalog
from toysearch.files.document_formats import FORMATS
from toysearch.files.recognise import what_is

pytestmark = pytest.mark.system

VALID = [
    b'{"_id": "1", "title": "a", "text": "cat"}\n{"_id": "2", "text": "dog"}\n',
    b'{"query_id": "1", "doc_id": "a", "relevance": 1}\n',
    b".I 1\n.T\nCats\n.W\ntrain a cat\n",
    b"<DOC>\n<DOCNO> 1 </DOCNO>\n<TEXT>cat</TEXT>\n</DOC>\n",
    b"<top>\n<num> Number: 1\n<title> cat\n</top>\n",
    b'<topics><topic number="1"><query>cat</query></topic></topics>',
    b"doc_id,title,text\n1,Cats,train\n",
    b"id\ttext\n1\tcat\n",
    b"1 0 1 1\n1 0 2 0\n",
    b"query-id\tcorpus-id\tscore\n1\t1\t1\n",
    b"1 Q0 1 1 0.5 mine\n",
    b'{"1": {"1": 1}}',
    b"# Cats\n\ntrain *them*\n",
]
NAMES = [
    "pets.csv",
    "queries.tsv",
    "topics",
    "a.REL",
    "cat.txt",
    "README.md",
    "corpus.jsonl",
    "qrels/test.tsv",
    "sub/x",
    "p.html",
]
FILES = st.dictionaries(
    st.sampled_from(NAMES), st.one_of(st.binary(max_size=30), st.sampled_from(VALID).flatmap(mutated)), max_size=4
)


@given(st.binary(max_size=60) | st.sampled_from(VALID).flatmap(mutated), st.sampled_from(NAMES))
def test_every_file_looks_like_something_or_nothing(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "file")
        path.write_bytes(content)
        look = what_is(path, {"documents": {"text": "text"}}, name)
        assert look.role in ("documents", "queries", "qrels", "run", "")
        assert look.form in (*FORMATS, "")


@given(FILES, st.sampled_from([None, *FORMATS]))
def test_every_folder_is_read_or_refused(files: dict[str, bytes], input_format: str | None) -> None:
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items():
            path = Path(place, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        with contextlib.suppress(ToysearchError):
            assert len(catalog.load(place, input_format=input_format).documents) > 0
