"""Damaged tables, JSON Lines, SMART, BEIR and TREC files, pages of a folder: read or refused; whole ones read back."""

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from damaged_files import check_reader, mutated, of_pages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.base import Qrels
from toysearch.files.document_formats import Record, read_records
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.files.syntaxes.delimited import looks_like_table
from toysearch.files.triples import read_smart_qrels

read_table = partial(read_records, "csv", "documents")
read_jsonl = partial(read_records, "jsonl", "documents")
read_smart = partial(read_records, "smart", "documents")

CSV = """docno,headline,body,year\r
d1,Cats,"how to ""train"" a cat,
or two",2011\r
\r
d2,Dögs,a dog; perhaps a parrot,\r
d3,"",it's 5" long,2012\r
"""
JSONL = """{"_id": "1", "title": "Cats", "text": "how to train a c\\u00e4t", "year": 2011, "metadata": {"a": [1, null]}}
{"_id": 2, "text": "a dog \\ud83d\\ude00", "authors": ["A", "B"], "new": true}

{"_id": "3", "title": null, "text": ["One.", "Two."]}
"""
MARKDOWN = """---
title: A cat
---
# Cats and *dogs*

- how to [train](a.md) a cat
- `code` <b>bold</b>

| a | b |
|---|---|
| 1 | 2 |

```
x < y
```
"""
HTML = """<!DOCTYPE html><html><head><title>Cats &amp; dogs</title><style>p {}</style></head>
<body><!-- a comment --><script>var x = "<p>";</script><p class="x">how to <b>train</b> a c&auml;t<br>
<table><tr><td>1<td>2</table><img src='a.png' alt="a cat"><![CDATA[x]]></body></html>
"""
SMART = ".I 1\n.T\nCats\n.A\nA. Author\n.W\nhow to\n.T\ntrain a cat\n.I 2\n.W\n"
BEIR_QRELS = "query-id\tcorpus-id\tscore\r\n1\t31715818\t1\r\n1\t14717500\t0.5\r\n2\t7\t-1\r\n"
SMART_QRELS = "1 184 2\n1 29 2\n2 12 3\n2 15 -1\n"
TREC_DOCUMENTS = [
    b"<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEAD>Cats &amp; dogs</HEAD>\n<HEAD>again</HEAD>\n<DATE>1988\n<TEXT>\n"
    b"<P>one <b>t</b>wo</P> x < y\n<!-- a\ncomment -->\n</TEXT>\n</DOC>\n"
    b"<DOC id=2>\n<DOCNO>AP-2</DOCNO>\n<HEADLINE>parrots\n<BODY>caf\xc3\xa9 &#233;</BODY></DOC>\n",
    b'<?xml version="1.0"?>\r\n<DOCS>\r\n<doc\r\nid="3" type=story><docno>3</docno><![CDATA[ <a> & ]]><br/>end\r\n'
    b"</doc>\r\n<DOC><DOCID>4</DOCID><html><head><title>T</title><script>if (a<b) {}</script></head>\r\n"
    b"<body>b</body></html></DOC>\r\n</DOCS>",
]
TREC_TOPICS = [
    b"<top>\n<head> Tipster\n<num> Number: 051\n<title> Topic: Airbus\nSubsidies\n<desc> Description:\nAid &amp; more\n"
    b"<narr> Narrative: none\n<fac>\n<nat> Nationality: U.S.\n</fac>\n</top>\n<!-- x -->\n<top><num>052</num>\n"
    b"<title>cats</title></top>\n",
    b'<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n<topic number="1" type="x">\n'
    b"<query>obama <b>f</b>amily</query>\n"
    b'<description>caf\xc3\xa9 &amp; tree</description>\n<subtopic number="1">a</subtopic>\n</topic>\n'
    b'<topic number="2">plain</topic>\n</topics>\n',
    b"1:obama family tree\nwt09-2:french lick: resort\n\n3: caf\xc3\xa9\n",
]


def of_judgments(read_qrels: Callable[[Path], Qrels]) -> Callable[[Path], Iterator[Record]]:
    """A reader of judgments whose records have the query's id and, as their field, the document's."""

    def read(path: Path) -> Iterator[Record]:
        for query_id, doc_id, relevance in read_qrels(path):
            assert doc_id
            assert relevance == float(relevance)
            yield 1, query_id, {"doc_id": doc_id}

    return read


READERS: dict[str, tuple[str | list[bytes], Callable[[Path], Iterable[Record]]]] = {
    "csv": (CSV, read_table),
    "tsv": (CSV.replace(",", "\t"), read_table),
    "jsonl": (JSONL, read_jsonl),
    "markdown": (MARKDOWN, of_pages(".md")),
    "html": (HTML, of_pages(".html")),
    "smart": (SMART, read_smart),
    "beir-qrels": (BEIR_QRELS, of_judgments(read_qrels)),
    "smart-qrels": (SMART_QRELS, of_judgments(read_smart_qrels)),
    "trec": (TREC_DOCUMENTS, partial(read_records, "trec", "documents")),
    "topics": (TREC_TOPICS, partial(read_records, "trec", "queries")),
}


@pytest.mark.system
@pytest.mark.parametrize("form", READERS)
def test_a_damaged_file_is_read_or_refused(form: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text, reader = READERS[form]
    folder = tmp_path_factory.mktemp("damaged")

    @settings(max_examples=often(330), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.sampled_from([text.encode()] if isinstance(text, str) else text).flatmap(mutated))
    def check(data: bytes) -> None:
        check_reader(reader, folder, data)

    check()
    if isinstance(text, list):
        for data in text:
            (folder / "whole").write_bytes(data)
            assert len(list(reader(folder / "whole"))) == (3 if data.startswith(b"1:") else 2)


@given(mutated(CSV.encode()) | mutated(JSONL.encode()) | mutated(HTML.encode()))
def test_any_beginning_looks_like_a_table_or_not(head: bytes) -> None:
    assert looks_like_table(head) in (True, False)


_FOLDER = tempfile.TemporaryDirectory()  # of all examples; removed when the tests end
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x1f"), max_size=12) | st.text(
    '",;\t\n\r a', max_size=12
)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_what_the_csv_module_writes_is_read_back(delimiter: str, rows: list[tuple[str, str]]) -> None:
    if delimiter == "\t":  # a cell with line ends and with tabs may look like rows that quote nothing
        rows = [(title.replace("\t", " "), text.replace("\t", " ")) for title, text in rows]
    written = io.StringIO(newline="")
    table = [("id", "title", "text"), *((str(place), *row) for place, row in enumerate(rows))]
    csv.writer(written, delimiter=delimiter).writerows(table)
    path = Path(_FOLDER.name, "table")
    path.write_bytes(written.getvalue().encode())
    read = [(fields["title"], fields["text"]) for _, _, fields in read_table(path)]
    assert read == [tuple(re.sub("\r*\n", "\n", cell) for cell in row) for row in rows]


@given(st.lists(st.dictionaries(TEXT, TEXT, max_size=3), min_size=1, max_size=5))
def test_what_the_json_module_writes_is_read_back(objects: list[dict[str, str]]) -> None:
    path = Path(_FOLDER.name, "corpus.jsonl")
    own = [{f"{label}_url": cell for label, cell in item.items()} for item in objects]  # which are not searched
    whole = [{"_id": str(place), "text": "a", "title": "b", **item} for place, item in enumerate(own)]
    path.write_text("".join(json.dumps(item) + "\n" for item in whole), encoding="utf-8")
    assert [{"_id": record_id, **fields} for _, record_id, fields in read_jsonl(path)] == whole
