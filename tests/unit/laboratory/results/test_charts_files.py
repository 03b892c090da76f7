"""Pictures from specifications, and files that are there as a whole or not at all."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
import zlib

import pytest
import vl_convert
from raising import raising

from toysearch import compare
from toysearch.base.errors import ArgumentError
from toysearch.formats.writing import PDF_MARK, refuse_loss
from toysearch.laboratory.results import charts
from toysearch.laboratory.results.charts import (
    ENDINGS,
    checked_ending,
    drawing_script,
    packed_png,
    png,
    svg,
    write_whole,
)

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def boxes():
    qrels = {str(n): {"a": 1} for n in range(6)}
    return charts.value_boxes(
        compare({"<x> & y": {n: ["a"] for n in qrels}, "z": {n: ["b"] for n in qrels}}, qrels, "RR")
    )


def test_svg_is_xml_with_the_texts(boxes):
    picture = svg(charts.titled(boxes, "a <title>"))
    texts = {
        "".join(each.itertext()) for each in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"<x> & y", "z", "RR", "a <title>"} <= texts
    assert svg(charts.titled(boxes, "a <title>")) == picture


def test_png_is_twice_as_large_as_svg(boxes):
    picture = png(boxes)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(picture[16:20], "big")
    assert width == pytest.approx(2 * float(ElementTree.fromstring(svg(boxes)).attrib["width"]), abs=2)


def test_pdf_can_be_read_and_is_recognised(boxes, tmp_path):
    made = charts.pdf(charts.titled(boxes, "a title"))
    assert made.startswith(b"%PDF-")
    assert made.endswith(b"%%EOF" + PDF_MARK)
    table = int(made.rpartition(b"startxref")[2].split()[0])  # where the table of objects begins
    assert made[table:].startswith(b"xref") or b" obj" in made[table : table + 20]
    charts.Plot(boxes, "a title").save(tmp_path / "boxes.pdf")
    assert refuse_loss(tmp_path / "boxes.pdf", "chart") is None
    (tmp_path / "foreign.pdf").write_bytes(made.removesuffix(PDF_MARK))
    with pytest.raises(ArgumentError, match=r"foreign\.pdf"):
        refuse_loss(tmp_path / "foreign.pdf", "chart")


def test_the_script_asks_for_nothing():
    script = drawing_script()
    assert script == drawing_script()
    assert "</script" not in script
    assert "window.vegaEmbed=" in script


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.gif", "the extension of the file selects the format; expected .svg, .png, .html or .pdf"),
        ("a", "the extension of the file selects the format; expected .svg, .png, .html or .pdf"),
        ("no/a.svg", "there is no folder 'no'; create it, or choose another"),
    ],
)
def test_names_that_cannot_be(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with raising(ArgumentError, f"'{name}': {message}"):
        checked_ending(name, ENDINGS)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(ArgumentError, match=r"a\.svg' is a folder; name a file"):
        checked_ending(tmp_path / "a.svg", ENDINGS)


def test_endings_in_capitals(tmp_path):
    write_whole(tmp_path / "a.SVG", {".svg": lambda: "text", ".png": lambda: b"bytes"})
    write_whole(tmp_path / "a.PNG", {".svg": lambda: "text", ".png": lambda: b"bytes"})
    assert (tmp_path / "a.SVG").read_bytes() == b"text"
    assert (tmp_path / "a.PNG").read_bytes() == b"bytes"


def test_what_cannot_be_made_leaves_no_file(tmp_path):
    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.svg", {".svg": fails})
    assert list(tmp_path.iterdir()) == []


def test_a_picture_is_packed_without_losing_a_pixel():
    chart = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "mark": "point", "width": 300, "height": 200}
    chart |= {"data": {"values": [{"x": 1, "y": 2}]}, "encoding": {"x": {"field": "x"}, "y": {"field": "y"}}}
    loose = vl_convert.vegalite_to_png(chart)
    packed = packed_png(loose)
    assert len(packed) < len(loose) / 2

    def parts(picture):
        place, found = 8, {}
        while place < len(picture):
            length = int.from_bytes(picture[place : place + 4])
            kind, content = picture[place + 4 : place + 8], picture[place + 8 : place + 8 + length]
            check = int.from_bytes(picture[place + 8 + length : place + 12 + length])
            assert check == zlib.crc32(kind + content)
            found[kind] = found.get(kind, b"") + content
            place += length + 12
        return found | {b"IDAT": zlib.decompress(found[b"IDAT"])}

    assert parts(packed) == parts(loose)
    assert next(iter(parts(packed))) == b"IHDR"
    assert packed.endswith(b"IEND\xaeB`\x82")
