"""Records of XML: which element they are, and what their fields are called."""

import pytest
from captured_notes import noted
from error_messages import raising

from toysearch import load
from toysearch.base.errors import DataError
from toysearch.files.source import Source
from toysearch.files.syntaxes.xml_tables import records_of

WIKI = """<mediawiki><siteinfo><namespaces><namespace key="0">Main</namespace><namespace key="1">Talk</namespace>
</namespaces></siteinfo>
<page><title>Pot</title><id>12</id><revision><id>99</id><text>A '''pot''' &lt;b&gt;</text></revision></page>
</mediawiki>"""
SOLR = """<add><doc><field name="id">d1</field><field name="title">Pot</field><field name="kind">a</field>
<field name="kind">b</field><field name="body">a red pot</field></doc></add>"""
ATOM = """<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Results</title><entry><id>1</id><title>Pots</title>
<summary>Of <i>pots</i>, and<p>pans</p></summary><author><name>A. Bee</name></author></entry>
<entry><id>2</id><title>Lamps</title></entry></feed>"""
PUBMED = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>77</PMID><Article><ArticleTitle>Pots</ArticleTitle>
<Abstract><AbstractText Label="A">Hot.</AbstractText><AbstractText>Cold.</AbstractText></Abstract></Article>
<CommentsCorrections><PMID>5</PMID></CommentsCorrections></MedlineCitation></PubmedArticle></PubmedArticleSet>"""
TMX = """<tmx><header lang="en"/><body><tu tuid="t1"><tuv lang="en"><seg>the window</seg></tuv><tuv lang="de"><seg>das
Fenster</seg></tuv></tu><tu tuid="t2"><tuv lang="en"><seg>a door</seg></tuv></tu></body></tmx>"""
MARC = """<collection><record><leader>01142cam</leader><datafield tag="245"><subfield code="a">Pots</subfield>
<subfield code="c">A. Bee</subfield></datafield></record></collection>"""
ENDNOTE = """<xml><records><record><rec-number>1</rec-number><titles><title><style face="b">Red pots</style></title>
</titles><abstract><style>They are red.</style></abstract><year><style>2019</style></year></record></records></xml>"""
JATS = """<article><front><article-meta><article-id>1</article-id><article-id>2</article-id><title-group>
<article-title>Of <italic>pots</italic></article-title></title-group><abstract><title>Abstract</title>
<sec><title>Aim</title><p>Pots.</p></sec></abstract></article-meta></front><body><sec><title>Intro</title><p>Pans.</p></sec><sec><title>End</title></sec></body>
<back><ref-list><ref><citation><article-title>Lamps</article-title></citation></ref></ref-list></back></article>"""
ENTRY = """<feed><title>Results</title><entry><title>Pots</title><content><div><p>Red</p><p>ones</p></div></content>
</entry></feed>"""
CORPUS = """<c><TEI><head><title>To Ann</title></head><text><body><p>A pot.</p></body></text></TEI>
<TEI><head><title>To Bo</title></head><text><body><p>A pan.</p></body></text></TEI></c>"""
OPML = """<opml><head><title>Feeds</title></head><body><outline text="Kitchen"><outline text="Pots" xmlUrl="a"/>
<outline text="Pans"/></outline><outline text="Garden"/></body></opml>"""
THEY, AIM = {"text": "They are red."}, {"text": "Abstract Aim Pots. Intro Pans. End"}
HOT = {"AbstractText": "Hot. Cold.", "text": "Hot. Cold."}
OF_POTS = {"summary": "Of pots, and pans"}
READ = {
    "no known name, in a wrapper": (TMX, "tu", ("1", {"tuid": "t1", "text": "the window das Fenster t1"})),
    "no known name, with one record": (MARC, "record", ("1", {"text": "01142cam Pots A. Bee"})),
    "marks in a title": (
        ENDNOTE,
        "record",
        ("1", {"rec-number": "1", "style": "2019", "title": "Red pots", "abstract": "They are red."} | THEY),
    ),
    "an article": (
        JATS,
        "article",
        ("1", {"article-id": "1 2", "article-title": "Of pots", "title": "Of pots"} | AIM),
    ),
    "an entry alone": (ENTRY, "entry", ("1", {"title": "Pots", "content": "Red ones", "text": "Red ones"})),
    "articles": (CORPUS, "TEI", ("1", {"title": "To Ann", "body": "A pot.", "text": "A pot."})),
    "outlines": (OPML, "outline", ("1", {"text": "Kitchen"})),
    "MediaWiki, with one page": (WIKI, "page", ("12", {"title": "Pot", "text": "A '''pot''' <b>"})),
    "Solr": (SOLR, "doc", ("d1", {"title": "Pot", "kind": "a b", "body": "a red pot", "text": "a red pot a b"})),
    "Atom": (ATOM, "entry", ("1", {"title": "Pots", "text": "Of pots, and pans A. Bee", "name": "A. Bee"} | OF_POTS)),
    "PubMed": (PUBMED, "PubmedArticle", ("77", {"ArticleTitle": "Pots", "title": "Pots"} | HOT)),
    "an id of XML": ('<r><row xml:id="a"><text>a pot</text></row></r>', "row", ("a", {"text": "a pot"})),
    "a key": ('<r><row key="a"><title>a pot</title></row></r>', "row", ("a", {"title": "a pot"})),
    "an id of a shop": ("<r><item><g:id>a</g:id><title>a pot</title></item></r>", "item", ("a", {"title": "a pot"})),
    "attributes": (
        "<r><record n='1' id='a'>a pot</record><record n='2' id='b'/></r>",
        "record",
        ("a", {"n": "1", "record": "a pot", "text": "a pot"}),
    ),
}


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("packed", [False, True])
def test_a_known_element_is_a_record(tmp_path, case: str, packed: bool) -> None:
    text, name, record = READ[case]
    path = tmp_path / "dump.xml"
    path.write_text(text if not packed else text.replace("\n", " "))
    assert records_of(Source(str(path))).names == (name,)
    document = next(iter(load(path, columns={"text": "record"} if case == "attributes" else None).documents))
    assert (document.doc_id, document.fields) == record


@pytest.mark.parametrize("text", ["<html><p>a</p><p>b</p></html>", "<a>pot</a>", "<a", "<>", "<!-- a -->"])
def test_what_has_no_records(tmp_path, text: str) -> None:
    path = tmp_path / "page"
    path.write_text(text)
    assert not records_of(Source(str(path))).names


def test_each_outline_is_a_record_though_one_holds_others(tmp_path) -> None:
    path = tmp_path / "subs.opml"
    path.write_text(OPML)
    texts = [document.fields["text"] for document in load(path).documents]
    assert texts == ["Kitchen", "Pots", "Pans", "Garden"]


def test_what_a_text_is_made_of_is_told(tmp_path) -> None:
    path = tmp_path / "memory.tmx"
    for text, called in (
        (TMX, "all text of <tu>"),
        (JATS, "article-title, abstract + body; not s"),
    ):
        path.write_text(text)
        with noted() as notes:
            list(load(path).documents)
        assert f"searched: {called}" in notes[0]


def test_a_named_column_is_read_instead_of_all_text(tmp_path) -> None:
    path = tmp_path / "marc.xml"
    path.write_text(MARC)
    (document,) = load(path, columns={"text": "subfield"}).documents
    assert document.fields == {"leader": "01142cam", "subfield": "Pots A. Bee", "text": "Pots A. Bee"}


BAD = {
    "<r><page><title>a</title></page><page></r>": ":1: expected well-formed XML; mismatched tag at column ",
    '<!DOCTYPE r [<!ENTITY e "x">]><r><page><title>a</title></page></r>': (
        ":1: expected XML that declares no entities, found one named 'e'; write out its text"
    ),
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_refused(tmp_path, text: str) -> None:
    path = tmp_path / "dump.xml"
    path.write_text(text)
    with pytest.raises(DataError) as refused:
        list(load(path).documents)
    assert str(refused.value).startswith(f"{path}{BAD[text]}")


def test_records_are_read_beyond_the_head_with_their_lines(tmp_path) -> None:
    path = tmp_path / "dump.xml"
    pages = [f"<page>\n<id>{number}</id><title>{'word ' * 99}</title></page>" for number in range(999)]
    path.write_text("<r>\n" + "\n".join([*pages, pages[7]]) + "\n</r>")
    with raising(
        DataError,
        f"{path}:2000: doc_id '7' was already given on line 16; each id may occur once: "
        "load(…, ids='number') keeps both",
    ):
        len(load(path).documents)


def test_elements_beside_the_records_are_told(tmp_path) -> None:
    path = tmp_path / "shop.xml"
    articles = "<article><id>1</id><title>oak</title></article>" * 2
    path.write_text(f"<shop><product><id>1</id><name>pot</name></product>{articles}</shop>")
    with noted() as notes:
        assert [one.text for one in load(path, ids="number").documents] == ["oak", "oak"]
    assert "; not read: product; " in notes[0]


def test_an_element_of_unknown_name_is_asked_for_and_named(tmp_path) -> None:
    path = tmp_path / "inventory.xml"
    path.write_text(
        "<inv><thing><id>a</id><name>red lamp</name></thing><thing><id>b</id><name>pot</name></thing></inv>"
    )
    with pytest.raises(DataError, match=r"name the one that is a document: load\(…, records='thing'\) \("):
        load(path)
    assert [(one.doc_id, one.text) for one in load(path, records="thing").documents] == [
        ("a", "red lamp"),
        ("b", "pot"),
    ]
    with pytest.raises(DataError, match="records='thing'"):
        load(path, records="things")


def test_the_records_in_groups_without_a_text_are_read(tmp_path) -> None:
    path = tmp_path / "faq.xml"
    entry = "<entry><question>Who pays?</question><answer>We do.</answer></entry>"
    path.write_text(f"<faq>{f'<section><title>Costs</title>{entry * 3}</section>' * 2}</faq>")
    assert [one.text for one in load(path).documents] == ["Who pays? We do."] * 6


GROUPS = {
    "products by their categories": (
        '<shop><category name="Lamps"><product sku="a"><name>Red lamp</name><desc>of steel</desc></product>'
        '<product sku="b"><name>Blue lamp</name><desc>of oak</desc></product></category><category name="Tables">'
        '<product sku="c"><name>Table</name><desc>for six</desc></product></category></shop>',
        {"a": "Red lamp of steel Lamps", "b": "Blue lamp of oak Lamps", "c": "Table for six Tables"},
    ),
    "units of one file of XLIFF": (
        '<xliff version="1.2"><file original="a.txt"><body><trans-unit id="t1"><source>Save it</source>'
        '<target>Speichern</target></trans-unit><trans-unit id="t2"><source>Open it</source><target>Auf</target>'
        "</trans-unit></body></file></xliff>",
        {"t1": "Save it Speichern a.txt", "t2": "Open it Auf a.txt"},
    ),
    "items of orders": (
        '<orders><order id="1"><item><sku>a</sku><name>Lamp</name></item><item><sku>b</sku><name>Pot</name></item>'
        '</order><order id="2"><item><sku>c</sku><name>Cup</name></item></order></orders>',
        {"a": "Lamp", "b": "Pot", "c": "Cup"},
    ),
    "units in languages": (
        '<tmx><body><tu tuid="1"><tuv xml:lang="en"><seg>Save</seg></tuv><tuv xml:lang="de"><seg>Speichern</seg></tuv>'
        '</tu><tu tuid="2"><tuv xml:lang="en"><seg>Open</seg></tuv><tuv xml:lang="de"><seg>Auf</seg></tuv></tu></body>'
        "</tmx>",
        {"1": "Save Speichern", "2": "Open Auf"},
    ),
    "units of several files of XLIFF, beside notes": (
        '<xliff version="1.2"><file original="a.txt"><header><note>By hand</note></header><body><group id="g">'
        '<trans-unit id="t1"><source>Save all of the files</source><target>Alles speichern</target></trans-unit>'
        '<trans-unit id="t2"><source>Open one of the files</source><target>Auf</target></trans-unit></group></body>'
        '</file><file original="b.txt"><header><note>By hand</note></header><body><group id="h">'
        '<trans-unit id="t3"><source>Close all of the files</source><target>Zu</target></trans-unit>'
        '<trans-unit id="t4"><source>Print one of the files</source>'
        "<target>Druck</target></trans-unit></group></body></file></xliff>",
        {
            "t1": "Save all of the files Alles speichern a.txt",
            "t2": "Open one of the files Auf a.txt",
            "t3": "Close all of the files Zu b.txt",
            "t4": "Print one of the files Druck b.txt",
        },
    ),
    "verses by chapters and books": (
        '<bible><book name="Ruth"><chapter number="1"><verse number="1">In the days of the judges</verse>'
        '<verse number="2">The name of the man</verse></chapter><chapter number="2"><verse number="3">And she went to '
        'glean</verse></chapter></book><book name="Job"><chapter number="1"><verse number="4">There was a man</verse>'
        "</chapter></book></bible>",
        {
            "1": "In the days of the judges Ruth",
            "2": "The name of the man Ruth",
            "3": "And she went to glean Ruth",
            "4": "There was a man Job",
        },
    ),
    "paragraphs with numbers": (
        '<docs><doc id="a"><p n="1">An oak grows very slowly</p><p n="2">It lives for very long</p></doc><doc id="b">'
        '<p n="1">An elm grows by rivers</p><p n="2">It has leaves with teeth</p></doc></docs>',
        {
            "a": "An oak grows very slowly It lives for very long",
            "b": "An elm grows by rivers It has leaves with teeth",
        },
    ),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_elements_that_hold_nothing_but_others_are_groups_of_records(tmp_path, kind):
    written, expected = GROUPS[kind]
    path = tmp_path / "records.xml"
    path.write_text(written)
    assert {one.doc_id: " ".join(one.text.split()) for one in load(path).documents} == expected


def test_a_record_in_groups_has_the_attributes_of_these(tmp_path):
    path = tmp_path / "bible.xml"
    path.write_text(GROUPS["verses by chapters and books"][0])
    found = [(one.fields["book.name"], one.fields["chapter.number"]) for one in load(path).documents]
    assert found == [("Ruth", "1"), ("Ruth", "1"), ("Ruth", "2"), ("Job", "1")]
