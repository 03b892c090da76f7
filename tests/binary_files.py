"""Files that are no text, made by hand: workbooks, Parquet and PDF."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HIDDEN = ' state="hidden"'
_DATE = '<xf numFmtId="0"/><xf numFmtId="14"/>'  # the second format is that of a date


def _cell(place: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    if isinstance(value, tuple):  # a date, as its number of days
        return f'<c r="{place}" s="1"><v>{value[0]}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def _sheet(rows: Sequence[Sequence[object]]) -> str:
    cells = [
        [_cell(f"{chr(65 + at)}{line}", value) for at, value in enumerate(row)] for line, row in enumerate(rows, 1)
    ]
    written = "".join(f'<row r="{line}">{"".join(row)}</row>' for line, row in enumerate(cells, 1))
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{written}</sheetData></worksheet>'


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    each = [
        f'<Relationship Id="r{at}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets)
    ]
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(each)}</Relationships>'


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: str = "") -> bytes:
    """A workbook of Excel with some sheets, whose cells are texts, numbers, dates as (days,), or None."""
    shown = [
        f'<sheet name={quoteattr(name)} sheetId="{at + 1}" r:id="r{at}"{_HIDDEN * (name == hidden)}/>'
        for at, name in enumerate(sheets)
    ]
    files = [("worksheet", f"worksheets/sheet{at}.xml") for at in range(len(sheets))]
    book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{"".join(shown)}</sheets></workbook>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": _relations([*files, ("styles", "styles.xml")]),
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2">{_DATE}</cellXfs></styleSheet>',
        **{f"xl/{path}": _sheet(rows) for (_, path), rows in zip(files, sheets.values(), strict=True)},
    }
    return archive(parts)


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of some files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return written.getvalue()


def parquet(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Rows as Parquet."""
    import pyarrow
    from pyarrow.parquet import write_table

    written = io.BytesIO()
    write_table(pyarrow.Table.from_pylist(list(rows)), written)
    return written.getvalue()


def pdf(pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with a line of text on each page; "" for a page without any, as in a scan."""
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        f"<< /Title ({title}) >>",
    ]
    for at, text in enumerate(pages):
        font = "<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        stream = f"BT /F 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R /Contents {first + 2 * at + 1} 0 R /Resources {font} >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    data, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R "
    return data + f"{end}/Info 3 0 R >>\nstartxref\n{len(data)}\n%%EOF\n".encode()
