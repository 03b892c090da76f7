"""Damaged files of TREC documents and topics are read or refused, and nothing else happens."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import often
from mutations import check_reader, mutated

from toysearch.formats.document_formats import read_records

pytestmark = pytest.mark.system

read_trec_documents = partial(read_records, "trec", "documents")
read_topics = partial(read_records, "trec", "queries")


DOCUMENTS = [
    b"<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEAD>Cats &amp; dogs</HEAD>\n<HEAD>again</HEAD>\n<DATE>1988\n<TEXT>\n"
    b"<P>one <b>t</b>wo</P> x < y\n<!-- a\ncomment -->\n</TEXT>\n</DOC>\n"
    b"<DOC id=2>\n<DOCNO>AP-2</DOCNO>\n<HEADLINE>parrots\n<BODY>caf\xc3\xa9 &#233;</BODY></DOC>\n",
    b'<?xml version="1.0"?>\r\n<DOCS>\r\n<doc\r\nid="3" type=story><docno>3</docno><![CDATA[ <a> & ]]><br/>end\r\n'
    b"</doc>\r\n<DOC><DOCID>4</DOCID><html><head><title>T</title><script>if (a<b) {}</script></head>\r\n"
    b"<body>b</body></html></DOC>\r\n</DOCS>",
]
TOPICS = [
    b"<top>\n<head> Tipster\n<num> Number: 051\n<title> Topic: Airbus\nSubsidies\n<desc> Description:\nAid &amp; more\n"
    b"<narr> Narrative: none\n<fac>\n<nat> Nationality: U.S.\n</fac>\n</top>\n<!-- x -->\n<top><num>052</num>\n"
    b"<title>cats</title></top>\n",
    b'<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n<topic number="1" type="x">\n'
    b"<query>obama <b>f</b>amily</query>\n"
    b'<description>caf\xc3\xa9 &amp; tree</description>\n<subtopic number="1">a</subtopic>\n</topic>\n'
    b'<topic number="2">plain</topic>\n</topics>\n',
    b"1:obama family tree\nwt09-2:french lick: resort\n\n3: caf\xc3\xa9\n",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutated")


@settings(max_examples=often(330), deadline=None)
@given(data=st.sampled_from(DOCUMENTS).flatmap(mutated))
def test_damaged_documents(folder: Path, data: bytes) -> None:
    check_reader(read_trec_documents, folder, data)


@settings(max_examples=often(330), deadline=None)
@given(data=st.sampled_from(TOPICS).flatmap(mutated))
def test_damaged_topics(folder: Path, data: bytes) -> None:
    check_reader(read_topics, folder, data)


@pytest.mark.parametrize("data", DOCUMENTS)
def test_undamaged_documents(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "docs").write_bytes(data)
    assert len(list(read_trec_documents(tmp_path / "docs"))) == 2


@pytest.mark.parametrize(("data", "count"), list(zip(TOPICS, [2, 2, 3], strict=True)))
def test_undamaged_topics(tmp_path: Path, data: bytes, count: int) -> None:
    (tmp_path / "topics").write_bytes(data)
    assert len(list(read_topics(tmp_path / "topics"))) == count
