"""PDF: a text of a folder, or alone, with the title of its metadata."""

import io
from pathlib import Path

import pytest
from binary_files import pdf
from captured_notes import noted
from shell import run as shell

from toysearch import load

pytest.importorskip("pypdf")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("papers").mkdir()


def locked(data, password):
    """The same PDF, encrypted."""
    from pypdf import PdfReader, PdfWriter

    writer, written = PdfWriter(clone_from=PdfReader(io.BytesIO(data))), io.BytesIO()
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    writer.write(written)
    return written.getvalue()


def fields(source):
    return {each.doc_id: (each.title, each.fields["text"]) for each in load(source).documents}


def test_pages_are_joined_and_the_title_is_that_of_the_metadata():
    Path("papers/a.pdf").write_bytes(pdf(["red lamps", "tall lamps"], "On lamps"))
    Path("papers/b.PDF").write_bytes(pdf(["shoes"]))
    Path("papers/c.txt").write_text("a lamp")
    of_folder = {"a.pdf": ("On lamps", "red lamps\ntall lamps"), "b.PDF": ("b", "shoes"), "c.txt": ("c", "a lamp")}
    assert fields("papers") == of_folder
    assert fields("papers/a.pdf") == {"a.pdf": of_folder["a.pdf"]}
    Path("paper").write_bytes(pdf(["red lamps"]))
    assert fields("paper") == {"paper": ("paper", "red lamps")}
    assert "a.pdf" in shell("search", "papers/a.pdf", "lamps").stdout


def test_a_pdf_that_opens_without_a_password_is_read():
    Path("a.pdf").write_bytes(locked(pdf(["red lamps"]), ""))
    assert fields("a.pdf")["a.pdf"][1] == "red lamps"


def test_a_scan_is_an_empty_text_and_is_told():
    for name in ("a", "b"):
        Path(f"papers/{name}.pdf").write_bytes(pdf([""], "Scan"))
    with noted() as notes:
        assert fields("papers") == {"a.pdf": ("Scan", ""), "b.pdf": ("Scan", "")}
    told = "papers/a.pdf, and 1 other PDF: no page holds text, as in a scan; recognise the text first (OCR)"
    assert notes == [told.replace("papers/", f"{Path('papers')}/")]


HOSTILE = {
    "cut": (lambda: pdf(["lamp"])[:300], "cannot be read as a PDF: "),
    "no PDF": (lambda: bytes(range(256)) * 9, "cannot be read as a PDF: "),
    "locked": (lambda: locked(pdf(["lamp"]), "secret"), "is encrypted; save a copy without a password"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_cannot_be_read_is_told_by_name_and_may_be_left_out(kind):
    made, said = HOSTILE[kind]
    Path("papers/bad.pdf").write_bytes(made())
    Path("papers/good.pdf").write_bytes(pdf(["red lamps"]))
    result = shell("search", "papers", "lamps")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"toysearch: papers/bad.pdf {said}")
    assert result.stderr.endswith("; --on-error skip leaves it out\n")
    result = shell("search", "papers", "lamps", "--on-error", "skip")
    assert result.exit_code == 0
    assert "good.pdf" in result.stdout
    assert "papers/bad.pdf: 1 record left out" in result.stderr
    alone = shell("search", "papers/bad.pdf", "lamp")
    assert alone.exit_code == 2
    assert alone.stderr.startswith(f"toysearch: papers/bad.pdf {said}")


def test_a_pdf_is_no_judgments():
    Path("a.pdf").write_bytes(pdf(["lamp"]))
    Path("run.txt").write_text("q1 Q0 d1 1 2 t\n")
    said = shell("eval", "run.txt", "--qrels", "a.pdf").stderr
    assert said == "toysearch: a.pdf is a PDF; save its text as a plain text file\n"


@pytest.mark.usefixtures("without_libraries")
def test_without_the_library_a_pdf_is_left_out_and_counted_or_refused():
    Path("papers/a.pdf").write_bytes(pdf(["lamp"]))
    Path("papers/b.pdf").write_bytes(pdf(["lamp"]))
    what = "is a PDF; save its text as a plain text file, or install what reads it: pip install 'toysearch[files]'"
    for source in ("papers/a.pdf", "papers"):
        result = shell("search", source, "lamp")
        assert (result.exit_code, result.stderr) == (2, f"toysearch: papers/a.pdf {what}\n")
    Path("papers/c.txt").write_text("a lamp")
    result = shell("search", "papers", "lamp", "--notes")
    assert "2 files of another kind left out (2 .pdf)" in result.stderr
    assert "; to read .pdf: pip install 'toysearch[files]'\n" in result.stderr
