"""TREC documents: each trap of the files as they are found, and what is malformed."""

import gzip
from functools import partial
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from tiers import thinned

from toysearch import load
from toysearch.base.errors import DataError, ToysearchNote
from toysearch.files.claims import Clues
from toysearch.files.document_formats import read_records
from toysearch.files.source import Source
from toysearch.files.syntaxes.sgml import claims

read_trec_documents = partial(read_records, "trec", "documents")

AP = """<DOC>
<DOCNO> AP880212-0001 </DOCNO>
<FILEID>AP-NR-02-12-88 2344EST</FILEID>
<FIRST>u i AM-Cats     02-12 0135</FIRST>
<HEAD>Cats Train</HEAD>
<HEAD>Their Keepers</HEAD>
<BYLINE>By A. KEEPER</BYLINE>
<DATELINE>BERN (AP) </DATELINE>
<TEXT>
   A cat trained its keeper at AT&amp;T.
It took 3 days.
</TEXT>
</DOC>
"""
FBIS = """<DOC>
<DOCNO> FBIS3-1 </DOCNO>
<HT>  "cr00000011094001" </HT>
<HEADER>
<H2>   March Reports </H2>
<DATE1>  1 March 1994 </DATE1>
Article Type:FBIS
<H3> <TI>   POLITICIANS,  PARTY PREFERENCES </TI></H3>
</HEADER>
<TEXT>
   Summary: <F P=105> Newspapers </F> say so.
</TEXT>
</DOC>
"""
GOV = """<DOC>
<DOCNO>G00-00-0000000</DOCNO>
<DOCHDR>
http://cats.gov/
Content-type: text/html <unknown@host>
</DOCHDR>
<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">
<html><head><meta name="a" content="b"><title>Cats &#38; dogs</title>
<style>p {color: red}</style><script>if (a < b) document.write("<p>no")</script></head>
<body bgcolor=white><h1>All about <b>c</b>ats</h1><table><tr><td>one<td>two</table><br>x < y<br/>z
<!-- hidden
text --><img src="a.gif">end</body></html>
</DOC>
"""


def only(path: Path) -> dict[str, str]:
    [(_, _, fields)] = read_trec_documents(path)
    return fields


def test_associated_press(written) -> None:
    assert list(read_trec_documents(written(AP))) == [
        (
            1,
            "AP880212-0001",
            {
                "title": "Cats Train Their Keepers",
                "text": "By A. KEEPER \n BERN (AP)  \n \n   A cat trained its keeper at AT&T.\nIt took 3 days.",
                "fileid": "AP-NR-02-12-88 2344EST",
                "first": "u i AM-Cats     02-12 0135",
                "head": "Cats Train Their Keepers",
                "byline": "By A. KEEPER",
                "dateline": "BERN (AP)",
            },
        )
    ]


def test_fbis_has_its_title_deep_in_a_header(written) -> None:
    fields = only(written(FBIS))
    assert fields["title"] == "POLITICIANS,  PARTY PREFERENCES"
    assert fields["date1"] == "1 March 1994"
    assert fields["header"].split() == ["March", "Reports", "Article", "Type:FBIS"]
    assert fields["text"].split() == ['"cr00000011094001"', "Summary:", "Newspapers", "say", "so."]


def test_what_stands_in_a_body_or_a_header_is_a_field_too(written) -> None:
    fields = only(
        written("<DOC><DOCNO>1</DOCNO><HEADER><FROM>a</FROM>b</HEADER><X>c</X><BODY><TEXT>d</TEXT></BODY></DOC>")
    )
    assert " ".join(fields.pop("text").split()) == "c d"
    assert fields == {"title": "", "header": "b", "from": "a", "x": "c", "body": "d"}


def test_pages_of_the_web(written) -> None:
    fields = only(written(GOV))
    assert fields["title"] == "Cats & dogs"
    assert fields["text"].split() == ["All", "about", "cats", "one", "two", "x", "<", "y", "z", "end"]
    assert fields["dochdr"] == "http://cats.gov/\nContent-type: text/html <unknown@host>"
    assert fields.keys() == {"title", "text", "dochdr", "body"}


def test_crlf_gzip_and_a_byte_order_mark_change_nothing(written, tmp_path: Path) -> None:
    expected = list(read_trec_documents(written(AP + FBIS + GOV)))
    dressed = ("\ufeff" + AP + FBIS + GOV).replace("\n", "\r\n").encode()
    (tmp_path / "packed").write_bytes(gzip.compress(dressed))
    assert list(read_trec_documents(tmp_path / "packed")) == expected


def test_names_in_lower_case_attributes_and_tags_over_lines(written) -> None:
    path = written(
        '<doc\n  lang="en">\n<docno\n>\n  a-1\n</docno\n>\n<Text type="x">one</Text></doc>\n<DOC>\n<docno>b</DOCNO>'
    )
    with pytest.warns(ToysearchNote):
        assert list(read_trec_documents(path)) == [
            (1, "a-1", {"title": "", "text": "one"}),
            (9, "b", {"title": "", "text": ""}),
        ]


def test_the_end_of_the_file_in_a_document_is_told(written) -> None:
    path = written("<DOC><DOCNO>1</DOCNO></DOC>\n<DOC><DOCNO>2</DOCNO><TEXT>cat")
    with noted() as told:
        assert [doc_id for _, doc_id, _ in read_trec_documents(path)] == ["1", "2"]
    assert told == [f"{path}: the last <DOC>, on line 2, is not closed; the file may be truncated"]


@pytest.mark.parametrize(
    ("inside", "title", "text"),
    [
        ("<HEADLINE> cats <TEXT> dogs </TEXT>", "cats", "dogs"),
        ("<HEADLINE> cats <P> dogs", "cats", "dogs"),
        ("<DATE><P>1\n</DATE><HEADLINE><P>cats</P></HEADLINE><TEXT><P>a<P>b</TEXT><SUBJECT><P>c</P>", "cats", "a b c"),
        ("<HEADLINE> c<b>at</b>s <TEXT> dogs", "cats", "dogs"),
        ("<HEADLINE> cats </TEXT> dogs", "cats", "dogs"),
        ("<DATE> 1988 <TEXT> dogs <P> cats", "", "dogs cats"),
        ("<DATE> 1988 <P> dogs", "", "dogs"),
        ("<HL>a</HL><TITLE>b</TITLE>", "b", "a"),
        ("<HL>a</HL><TITLE> </TITLE>c", "a", "c"),
        ("<LEADPARA>a</LEADPARA><X>b</X><TEXT>c</TEXT>", "", "a b c"),
        ("<TEXT>a<DATE>b</DATE>c<UNKNOWN>d</UNKNOWN></TEXT>", "", "a b c d"),
        ("<TEXT>a<TITLE>b</TITLE>c</TEXT>", "b", "a c"),
        ("<BODY><HEAD>b</HEAD><P>c</BODY>", "b", "c"),
        ("<HEADER><TI>b</TI>x<FROM>y</FROM></HEADER>c", "b", "c"),
        ("<DATE>1988 <FROM>y <TEXT>a<X>b</TEXT>c</DATE>d", "", "a b d"),
        ("<HEADLINE>a</HEADLINE>b</HEADLINE>c", "a", "b c"),
        ("<HEADLINE>a<X>b</HEADLINE>c</X>", "a", "b c"),
        ("<PUB/>b", "", "b"),
        ("H<sub>2</sub>O and <a href='x'>c</a>at", "", "H2O and cat"),
        ("one<BR>two<td>three<UNKNOWN>four", "", "one two three four"),
        ("<TEXT>a</UNKNOWN>b</TEXT>", "", "a b"),
        ("x < y and 1<2 and a<-b <> <3 <@> <http://a.b> <!", "", "x < y and 1<2 and a<-b <> <3 <@> <http://a.b> <!"),
        ("&lt;b&gt; &#233;&#xe9; &eacute; AT&T &amp;lt; &#0;&#xD800;", "", "<b> éé é AT&T &lt; \ufffd\ufffd"),
        ("a<![CDATA[ <b> & &amp; ]]>c<?php no ?><!ENTITY no>d", "", "a <b> & &amp; c d"),
        ("a<?php no ?>b", "", "a b"),
        ("a<![CDATA[<b>c", "", "a<b>c"),
        ("a<!-- <DOC> </DOC> -- > -->b", "", "ab"),
        ("a<!---->b<!-- x --><!-- y -->c", "", "abc"),
        ("<script>a<title>b</title>c</script>d", "b", "d"),
        ("<text>a<style>b</style>c</text>", "", "a c"),
        ("<TEXT>a</TEXT>b<TEXT>c</TEXT>", "", "a b c"),
    ],
)
def test_what_becomes_title_and_text(written, inside: str, title: str, text: str) -> None:
    fields = only(written(f"<DOC><DOCNO>1</DOCNO>{inside}</DOC>"))
    assert (fields["title"], " ".join(fields["text"].split())) == (title, text)


@pytest.mark.parametrize(
    ("document", "doc_id"),
    [
        ("<DOC><DOCID>7</DOCID><DOCNO>AP-1</DOCNO></DOC>", "AP-1"),
        ("<DOC><DOCID> 7 </DOCID></DOC>", "7"),
        ("<DOC id='AFP_1' type=story>a</DOC>", "AFP_1"),
        ('<DOC type="x" docno="b-2">a</DOC>', "b-2"),
        ("<DOC id='A&amp;B'>a</DOC>", "A&B"),
        ("<DOC id=9><DOCNO>AP-1</DOCNO></DOC>", "AP-1"),
        ("<DOC><DOCNO>AP-1<TEXT>a</TEXT></DOC>", "AP-1"),
        ("<DOC><DOCNO>AP-1</DOCNO><DOCNO> AP-1 </DOCNO></DOC>", "AP-1"),
        ("<DOC><DOCNO>A&amp;B</DOCNO>a</DOC>", "A&B"),
    ],
)
def test_where_the_id_is(written, document: str, doc_id: str) -> None:
    [(_, found, fields)] = read_trec_documents(written(document))
    assert found == doc_id
    assert not {"docno", ""} & fields.keys()


def test_documents_larger_than_what_is_read_at_once(written) -> None:
    words = [f"word{number}" for number in range(60_000)]  # several blocks
    text = "\n".join(words)
    comment = f"<!--\n{text}\n-->"
    first = f"<DOC\n{' ' * 200}>\n<DOCNO>1</DOCNO>\n{text}\n{comment}\n<TEXT\n>{text}</TEXT>\n</DOC>"
    path = written(f"{comment}\n{first}\n<DOC><DOCNO>2</DOCNO></DOC>")
    (line, doc_id, fields), second = read_trec_documents(path)
    assert (line, doc_id, fields["text"].split()) == (60_003, "1", words + words)
    assert second == (60_003 + first.count("\n") + 1, "2", {"title": "", "text": ""})


@pytest.mark.filterwarnings("ignore:line buffering")
@pytest.mark.parametrize("lines", thinned(range(1, 40), 4))
def test_tags_are_whole_wherever_a_block_ends(written, monkeypatch, lines: int) -> None:
    monkeypatch.setattr("toysearch.files.source.BLOCK", lines)
    path = written(
        "<DOCS\na='b'\n>\n<DOC\nx='1'\n>\n<!--\n<DOC>\n--><DOCNO\n>\nA</DOCNO>\n"
        "<TEXT\nb\n>x < y\n</TEXT></DOC\n>\n</DOCS\n>"
    )
    assert list(read_trec_documents(path)) == [(4, "A", {"title": "", "text": "x < y"})]


@pytest.mark.filterwarnings("ignore:line buffering")
@pytest.mark.parametrize("block", [1, 5, 1000])
def test_lines_are_counted_in_comments_that_several_blocks_hold(written, monkeypatch, block: int) -> None:
    monkeypatch.setattr("toysearch.files.source.BLOCK", block)
    path = written("<DOC>\n<DOCNO>1</DOCNO>\n<!--\n\n\n-->\n<DOCNO>2</DOCNO></DOC>")
    with pytest.raises(DataError, match=r"file:7: the document of line 1 has two ids, '1' and '2'"):
        list(read_trec_documents(path))


OUTSIDE = "outside any <DOC>"
NO_ID = "expected one id without blanks in"
NONE = " holds no document; expected TREC documents, each <DOC> … </DOC> with a <DOCNO>"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n\n<DOC>\n<TEXT>a</TEXT></DOC>", ":3: this <DOC> has no <DOCNO>; expected one with the id of the document"),
        ("<DOC>\n<DOCNO>1</DOCNO></DOC>\n<DOC>\n\n<DOCNO> </DOCNO></DOC>", f":5: {NO_ID} <DOCNO>, found nothing"),
        ("<DOC\n>\n<DOCID></DOCID></DOC>", f":3: {NO_ID} <DOCID>, found nothing"),
        ("<DOC>\n<DOCNO>a b</DOCNO></DOC>", f":2: {NO_ID} <DOCNO>, found 'a b'"),
        (
            "<DOC>\n<DOCNO>1</DOCNO>\n<!--\n--><DOCNO>2</DOCNO></DOC>",
            ":4: the document of line 1 has two ids, '1' and '2'; expected one: is a <DOC> missing before this line?",
        ),
        ("<DOCS>\n\n  cats <b>and\n", ":3: expected <DOC>, found 'cats and' outside any <DOC>"),
        ("<DOC><DOCNO>1</DOCNO></DOC>\n</DOC\n>\n<TEXT>a\nb</TEXT><DOC>", f":4: expected <DOC>, found 'a' {OUTSIDE}"),
        ("<DOC><DOCNO>1</DOCNO></DOC>\n<DOC", ":2: expected <DOC>, found '<DOC' outside any <DOC>"),
        ("<DOC><DOCNO>1</DOCNO>\n<!-- a\nb\n</DOC>", ":2: the comment that begins here has no end; expected -->"),
        ("\n<!--\n<DOC>", ":2: the comment that begins here has no end; expected -->"),
        ("<DOC\n" + "x='y'\n" * 60_000 + "><DOCNO>1</DOCNO></DOC>", f":1: expected <DOC>, found '<DOC' {OUTSIDE}"),
        ("a" * 200, f":1: expected <DOC>, found '{'a' * 60}' outside any <DOC>"),
        ("", NONE),
        ("<!-- <DOC> -->\n<DOCS></DOCS>\n", NONE),
    ],
)
def test_what_is_malformed(written, text: str, problem: str) -> None:
    path = written(text)
    with raising(DataError, f"{path}{problem}"):
        list(read_trec_documents(path))


@pytest.mark.parametrize(
    "nested",
    [
        "<a1>" * 50_000 + "</a1>" * 50_000,
        "<x><y>" * 50_000 + "</y>" * 50_000,
        "<" * 300_000,
        "<a " * 100_000,
        "<!" * 150_000,
        "&" * 300_000,
        "<script>" * 40_000,
        "<DOC" * 70_000,
        "<![CDATA[" * 60_000,
        "<!-- " * 60_000 + "-->",
    ],
    ids=range(10),
)
def test_hostile_files_take_no_longer_than_others(written, nested: str) -> None:
    path = written(f"<DOC><DOCNO>1</DOCNO>{nested}cats</DOC>")
    assert "cats" in only(path)["text"] or "script" in nested


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        (b"<DOC>\n<DOCNO>", True),
        (b"\xef\xbb\xbf\r\n <doc id='1'>", True),
        (b'<?xml version="1.0"?>\n<!-- pets\n <DOC> no --><ROOT>\n<DOC\n', True),
        (b"<!DOCTYPE x>\n<DOCS><DOC>", True),
        (b"<DOCS>\n<DOCNO>", False),
        (b"cats <DOC>", False),
        (b"<top>\n<num>", False),
        (b"", False),
        (b"<!-- <DOC> cats", False),
        (b"<!-- a --><DOC><!-- b -->", True),
        (b"<!--" * 16_000 + b"<DOC>", False),
        (b"\xff\xfe<\0D\0O\0C\0>", False),
    ],
)
def test_what_looks_like_it(head: bytes, yes: bool) -> None:
    look = Source("file")
    look.head = head
    assert (claims(look, Clues("file")) is not None) is yes


REUTERS = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" OLDID="5544" NEWID="1">
<DATE>26-FEB-1987 15:01</DATE>
<TOPICS><D>cocoa</D><D>el-salvador bean</D></TOPICS>
<TEXT>&#2;
<TITLE>BAHIA COCOA</TITLE>
<BODY>Showers &lt;continued>.&#3;</BODY></TEXT>
</REUTERS>
<REUTERS NEWID="2"><TOPICS></TOPICS><TEXT TYPE="UNPROC">&#2;Alone&#3;</TEXT></REUTERS>
"""


def test_the_stories_of_reuters_are_documents(tmp_path) -> None:
    path = tmp_path / "reut2-000.sgm"
    path.write_text(REUTERS)
    first, second = load(path).documents
    assert (first.doc_id, first.fields["topics"].borders) == ("1", (6,))
    assert first.fields == {
        "title": "BAHIA COCOA",
        "text": "Showers <continued>.",
        "date": "26-FEB-1987 15:01",
        "topics": "cocoa el-salvador bean",
    }
    assert (second.doc_id, second.fields) == ("2", {"title": "", "text": "Alone"})
