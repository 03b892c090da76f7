"""Topics of TREC in each of their forms, and what is malformed."""

import gzip
from functools import partial

import pytest
from error_messages import raising

from toysearch.base.errors import DataError
from toysearch.files.claims import Clues
from toysearch.files.document_formats import read_records
from toysearch.files.source import Source
from toysearch.files.syntaxes.topics import claims

read_topics = partial(read_records, "trec", "queries")

FORMS = "topics are <top> … </top>, XML with <topic number=\"51\"> or lines such as '51:airbus subsidies'"
EARLY = """

<top>

<head> Tipster Topic Description

<num> Number:  051

<dom> Domain:  International Economics

<title> Topic:  Airbus
Subsidies

<desc> Description:

Document will discuss government assistance to Airbus Industrie.

<smry> Summary:

Document will discuss AT&T.

<narr> Narrative:

A relevant document will cite: one; two.

<con> Concept(s):

1.  Airbus Industrie

2.  European aircraft consortium

<fac> Factor(s):
<nat> Nationality: U.S.
<time> Time: current
</fac>

<def> Definition(s):

</top>
<top>
<num> Number: 052
<title> Topic: Description: a cat
</top>
"""
CLOSED = """<top>
<num> Number: MB001 </num>
<title> BBC World Service staff cuts </title>

<querytime> Tue Feb 08 12:30:27 +0000 2011 </querytime>
</top>
<top>
<num>MB111</num>
<query>water shortages</query>
</top>
"""
WEB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<webtrack2009>

<topic number="1" type="faceted">
  <query>obama family tree</query>
  <description>
    Find information on President Barack Obama's family
    history &amp; genealogy.
  </description>
  <subtopic number="1" type="nav">
    Find the TIME magazine photo essay.
  </subtopic>
  <subtopic number="2" type="inf">
    Where did his parents come from?
  </subtopic>
</topic>
<topic number="002" type="ambiguous"><query>french <b>lick</b><b>s</b></query></topic>
</webtrack2009>
"""
CLINICAL = """<topics>
<topic number="1" type="diagnosis">
  <note>a note</note>
  <description>A 58-year-old woman</description>
  <summary>Chest pain</summary>
</topic>
<topic number="2"><summary>Cough</summary></topic>
<topic number="3">
  Patient is a 45-year-old man.
</topic>
</topics>
"""


RCV1 = "<Query>\n<num> Number: R{0}\n<title> cats & dogs {0}\n\n<desc> Description:\nAll.\n\n</Query>\n"
WHOLE = {
    "the early topics lose their labels": (
        EARLY,
        (
            3,
            "051",
            {
                "title": "Airbus Subsidies",
                "description": "Document will discuss government assistance to Airbus Industrie.",
                "narrative": "A relevant document will cite: one; two.",
                "head": "Tipster Topic Description",
                "dom": "International Economics",
                "smry": "Document will discuss AT&T.",
                "con": "1. Airbus Industrie 2. European aircraft consortium",
                "nat": "U.S.",
                "time": "current",
            },
        ),
        (40, "052", {"title": "Description: a cat"}),
    ),
    "fields that are closed": (
        CLOSED,
        (1, "MB001", {"title": "BBC World Service staff cuts", "querytime": "Tue Feb 08 12:30:27 +0000 2011"}),
        (7, "MB111", {"title": "water shortages"}),
    ),
    "the web track": (
        WEB,
        (
            4,
            "1",
            {
                "title": "obama family tree",
                "description": "Find information on President Barack Obama's family history & genealogy.",
                "subtopic": "Find the TIME magazine photo essay.\nWhere did his parents come from?",
            },
        ),
        (17, "002", {"title": "french licks"}),
    ),
    "the clinical tracks": (
        CLINICAL,
        (2, "1", {"description": "A 58-year-old woman", "note": "a note", "summary": "Chest pain"}),
        (7, "2", {"description": "Cough"}),
        (8, "3", {"title": "Patient is a 45-year-old man."}),
    ),
    "RCV1, which is no XML": (
        RCV1.format(101) + RCV1.format(102),
        (1, "R101", {"title": "cats & dogs 101", "description": "All."}),
        (9, "R102", {"title": "cats & dogs 102", "description": "All."}),
    ),
    "text in and outside an element": (
        "<t><topic number='1'>a <text>b<i>c</i></text> d<x>e<y>f</y>g</x>h</topic>i</t>",
        (1, "1", {"title": "bc\na d h", "x": "e f g"}),
    ),
    "words go on within a block": (
        "<t><topic number='1'>a <b>c</b>at<P>d</P></topic></t>",
        (1, "1", {"title": "a cat", "p": "d"}),
    ),
    "elements inside a field of XML are part of it": (
        "<t><query><num>1</num><title>a<x>b</x></title></query></t>",
        (1, "1", {"title": "a b"}),
    ),
    "UTF-8, whatever the XML declares": (
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<t><topic number='é'>crème</topic></t>",
        (2, "é", {"title": "crème"}),
    ),
}


@pytest.mark.parametrize("case", WHOLE)
def test_whole_files(written, case: str) -> None:
    text, *records = WHOLE[case]
    assert list(read_topics(written(text))) == records


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:obama family tree\n\n002: a: b\tc \n", [(1, "1", "obama family tree"), (3, "002", "a: b c")]),
        ("wt09-1:obama\r\nwt09-2:french\r\n", [(1, "wt09-1", "obama"), (2, "wt09-2", "french")]),
        ("\na:1\tobama\nb\tx:y\tz", [(2, "a:1", "obama"), (3, "b", "x:y z")]),
        ("1:AT&amp;T <b>\t\n", [(1, "1", "AT&amp;T <b>")]),
        (" 1 : x\n", [(1, "1", "x")]),
    ],
)
def test_topics_on_a_line_each(written, text: str, expected: list[tuple[int, str, str]]) -> None:
    assert list(read_topics(written(text))) == [
        (line, query_id, {"title": words}) for line, query_id, words in expected
    ]


@pytest.mark.parametrize(
    ("top", "fields"),
    [
        ("<title> cat<P>dog</P></title>bird", {"title": "cat dog bird"}),
        ("<title>c<b>at</b>s", {"title": "cats"}),
        ("<title> a\n<title> b", {"title": "a\nb"}),
        ("<desc>Description\n a", {"description": "a"}),
        ("<desc>Description of a", {"description": "Description of a"}),
        ("<narr> NARRATIVE : a", {"narrative": "a"}),
        ("<title> Title: a", {"title": "Title: a"}),
        ("<desc> a <description> b", {"description": "b", "desc": "a"}),
        ("<query> a <title> b", {"title": "b", "query": "a"}),
        ("<TITLE lang='en'> a &amp; <!-- no --> b &lt;c", {"title": "a & b <c"}),
        ("</title><title> x < y", {"title": "x < y"}),
        ("<title> <desc> a", {"description": "a"}),
        ("<fac> Factor(s): x <def>Definition(s):y <con>Concept(s): z", {"fac": "x", "def": "y", "con": "z"}),
    ],
)
def test_what_the_fields_of_a_top_hold(written, top: str, fields: dict[str, str]) -> None:
    [record] = read_topics(written(f"<top><num> 1\n{top}</top>"))
    assert record == (1, "1", fields)


@pytest.mark.parametrize(
    ("text", "query_id"),
    [
        ("<top><num>Number:051</num><title>a</top>", "051"),
        ("<top><num>7<num> Number: 7<title>a</top>", "7"),
        ("<x><topic><number> 051 </number><title>a</title></topic></x>", "051"),
        ("<x><TOPIC><Identifier>10-AH</Identifier><title>a</title></TOPIC></x>", "10-AH"),
        ("<x><query id='9'> <num>7</num><title>a</title></query></x>", "7"),
        ("<x><topic id='9'><num>7</num><title>a</title></topic></x>", "7"),
        ("<x><topic NUMBER=' 9 '><title>a</title></topic></x>", "9"),
        ("<topic qid='q1'>a</topic>", "q1"),
        ("<parameters><query><number>301</number><text>a</text></query></parameters>", "301"),
    ],
)
def test_where_the_id_is(written, text: str, query_id: str) -> None:
    assert list(read_topics(written(text))) == [(1, query_id, {"title": "a"})]


@pytest.mark.parametrize("text", [EARLY, WEB, "1:obama\n2:french\n"])
def test_gzip_crlf_and_a_byte_order_mark_change_nothing(written, text: str) -> None:
    expected = list(read_topics(written(text)))
    path = written("")
    path.write_bytes(gzip.compress(("\ufeff" + text).replace("\n", "\r\n").encode()))
    assert list(read_topics(path)) == expected


def test_topics_larger_than_what_is_read_at_once(written) -> None:
    words = "word\n" * 100_000
    path = written(f"<t><topic number='1'><title>{words}</title></topic>\n<topic number='2'>a</topic></t>")
    first, second = read_topics(path)
    assert first[2]["title"].split() == words.split()
    assert second == (100_002, "2", {"title": "a"})


NO_NUMBER = "the topic that begins here has no number; expected <num> or number=…, found"
ENTITY = "expected XML that declares no entities, found one named"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", f" holds no topic; {FORMS}"),
        ("\n \n", f" holds no topic; {FORMS}"),
        ("<topics/>", f" holds no topic; {FORMS}"),
        ("<DOC></DOC>", ":1: this <DOC> has no <DOCNO>; expected one with the id of the document"),
        ("\n<top>\n<title>a<desc>b</top>", f":2: {NO_NUMBER} title, desc"),
        ("\n<top>\n</top>", f":2: {NO_NUMBER} no field"),
        ("<t>\n<topic>a</topic></t>", f":2: {NO_NUMBER} no field"),
        ("\n<top>\n<num>Number: 1\n</top>", ":2: topic '1' has no text; expected a title or a description"),
        ("<t>\n<topic number='1'> </topic></t>", ":2: topic '1' has no text; expected a title or a description"),
        ("<top>\n<num>Number:\n<title>a</top>", ":1: expected one id without blanks in <num>, found nothing"),
        ("<top>\n<num>Number: 1 b\n<title>a</top>", ":1: expected one id without blanks in <num>, found '1 b'"),
        (
            "<t>\n<topic number=''>a</topic></t>",
            ":2: expected one id without blanks in the attribute number, found nothing",
        ),
        (
            "<top>\n<num>1\n<title>a\n<num>2\n<title>b</top>",
            ":1: the topic that begins here has the numbers 1 and 2; expected one: is a <top> missing between them?",
        ),
        ("\n<query>\n<title>a\n<num>1</query>", ":4: expected well-formed XML; mismatched tag at column 9"),
        ("<top> cats\n<num>1", ":1: expected <num> or another field after <top>, found 'cats'"),
        ("<top><num>1<title>a</top>\n\n cats", ":3: expected <TOP>, found 'cats' outside any <TOP>"),
        ("<top><num>1<title>a\n<!-- b", ":2: the comment that begins here has no end; expected -->"),
        ("<topics>\n<topic number='1'>a</topics>", ":2: expected well-formed XML; mismatched tag at column 22"),
        ("<topics>\n<topic number='1'>a &nbsp;", ":2: expected well-formed XML; undefined entity at column 21"),
        ("<topics>\n", ":2: expected well-formed XML; no element found at column 1"),
        (
            '<!DOCTYPE t [\n<!ENTITY a "aa">]>\n<t><topic number="1">&a;</topic></t>',
            f":2: {ENTITY} 'a'; write out its text",
        ),
        (
            '<!DOCTYPE t [<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<t><topic number="1">&b;</topic></t>',
            f":1: {ENTITY} 'b'; write out its text",
        ),
        ("1:a\ncats\n", f":2: expected an id, a colon and a text, found 'cats'; {FORMS}"),
        ("1\ta\n2:b\n", f":2: expected an id, a tab and a text, found '2:b'; {FORMS}"),
        ("1:a\n2: \n", ":2: topic '2' has no text; expected some after its id"),
        ("1:a\n:b\n", ":2: expected one id without blanks in front of the text, found nothing"),
        ("how to: train", ":1: expected one id without blanks in front of the text, found 'how to'"),
    ],
)
def test_what_is_malformed(written, text: str, problem: str) -> None:
    path = written(text)
    with raising(DataError, f"{path}{problem}"):
        list(read_topics(path))


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        (b"\n<top>\n<num>", True),
        (b"\xef\xbb\xbf<TOP>", True),
        (b"<?xml version='1.0'?>\n<!-- wt -->\n<webtrack2009>\n<topic number='1'", True),
        (b"<topics task='x'>", True),
        (b"<parameters><index>", False),
        (b"<parameters><query>", True),
        (b"<DOC><DOCNO>1</DOCNO><topic>", False),
        (b"<DOC>\n<topic>", False),
        (b"see <top>", False),
        (b"1:obama", False),
        (b"", False),
    ],
)
def test_what_looks_like_it(head: bytes, yes: bool) -> None:
    look = Source("file")
    look.head = head
    assert (claims(look, Clues("file")) is not None) is yes


OF_LINES = {
    "1 red lamp\n2 kettle\n": [("1", "red lamp"), ("2", "kettle")],
    "q1   red lamp\n\nq2   blue kettle\n": [("q1", "red lamp"), ("q2", "blue kettle")],
    "1. red lamp\n2. kettle\n": [("1", "red lamp"), ("2", "kettle")],
    "red lamp\nkettle\n": [("1", "red lamp"), ("2", "kettle")],
    "7 up bottles\ncoke cans\nlemonade\n": [("1", "7 up bottles"), ("2", "coke cans"), ("3", "lemonade")],
    "2 lamps\n2 kettles\n": [("1", "2 lamps"), ("2", "2 kettles")],
    "red, blue or 3 lamps\n2,5 l kettle\n": [("1", "red, blue or 3 lamps"), ("2", "2,5 l kettle")],
}


@pytest.mark.parametrize("text", OF_LINES)
def test_ids_before_blanks_are_distinct_and_alike(written, text: str) -> None:
    assert [(query_id, fields["title"]) for _, query_id, fields in read_topics(written(text))] == OF_LINES[text]


def test_a_line_without_the_id_of_all_others_is_refused(written) -> None:
    path = written("q1 red lamp\nq2 kettle\nblue lamp\n")
    with raising(DataError, f"{path}:3: expected an id and a text, found 'blue lamp'; {FORMS}"):
        list(read_topics(path))
