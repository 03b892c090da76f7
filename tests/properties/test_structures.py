"""Mails, pages, archives, TOML and names made by their grammar: read, or refused in a sentence, in bounded work."""

import email.headerregistry
import html.parser
import re
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from damaged_files import check_reader, of_pages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_structures import archives, mails, measures, models, pages, tomls
from tiers import often

import toysearch
from toysearch.base.errors import DataError, ToysearchError, ToysearchNote
from toysearch.classroom.grading.roster import collect
from toysearch.collection import download
from toysearch.collection import recipe as recipes
from toysearch.evaluation.measures.measure import _listed, parse_measures
from toysearch.files.syntaxes.texts import html_parts
from toysearch.workbench.gate_file import read_gate

bounded = settings(max_examples=often(1000, 10), deadline=None, suppress_health_check=list(HealthCheck))
_FOLDER = tempfile.TemporaryDirectory()  # of all examples; removed when the tests end
FOLDER = Path(_FOLDER.name)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@bounded
@given(mails())
def test_any_mail_is_read_or_refused(mail: str) -> None:
    check_reader(of_pages(".eml"), FOLDER, as_bytes(mail))


@bounded
@given(mails().filter(lambda mail: "\nFrom " not in mail))
def test_an_odd_mail_takes_no_other_with_it(mail: str) -> None:
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        sound = b"From ada\nSubject: one\n\ncat\n\n"
        Path(place, "in.mbox").write_bytes(sound + b"From b\n" + as_bytes(mail) + b"\n\n" + sound)
        read = {document.doc_id: document.text for document in toysearch.load(place, on_error="skip").documents}
    assert (read["in.mbox#1"], read["in.mbox#3"]) == ("one cat", "one cat")


@bounded
@given(pages())
def test_any_page_is_read_or_refused(page: str) -> None:
    check_reader(of_pages(".html"), FOLDER, as_bytes(page))


@bounded
@given(archives())
def test_an_archive_is_unpacked_to_its_targets_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        packed, target = Path(place, "a.zip"), Path(place, "out", "a.txt")
        packed.write_bytes(data)
        target.parent.mkdir()
        with suppress(DataError):
            download.unpack(packed, {"a.txt": target}, "a.zip")
        with suppress(DataError):
            collect(packed, Path(place, "out"))
        assert {path for path in Path(place).rglob("*") if path.suffix != ".ipynb" and path.is_file()} <= {
            packed,
            target,
        }


GATE = ["run", "qrels", "collection", "model", "expect", "known_items", "ties", "systems", "baseline"]
READERS: dict[str, tuple[Callable[[Path], Any], list[str]]] = {
    "collection": (recipes.read_recipe, [*recipes._KEYS, *recipes._FILE_KEYS, "nope"]),
    "gate": (read_gate, GATE),
}


@pytest.mark.parametrize("name", READERS)
@bounded
@given(data=st.data())
def test_toml_of_any_type_under_each_key(name: str, data: st.DataObject) -> None:
    read, keys = READERS[name]
    path = FOLDER / f"{name}.toml"
    path.write_text(data.draw(tomls(keys)), encoding="utf-8")
    try:
        read(path)
    except DataError as error:
        assert str(error).startswith(str(FOLDER))  # noqa: PT017  (either is right)


@bounded
@given(models)
def test_any_name_of_a_model(name: str) -> None:
    with suppress(ToysearchError):
        assert str(toysearch.model(name))


@bounded
@given(measures)
def test_any_name_of_a_measure(name: str) -> None:
    with suppress(ToysearchError):
        assert parse_measures(name)


# Work, counted in characters and calls: four times the text is four times the work.

UNITS = [
    "<a ",
    "<a/",
    "<p x",
    "<meta ",
    "<a b='",
    '<img alt="',
    "<a=",
    "<!-- ",
    "<!--x>",
    "<![",
    "<![CDATA[x>",
    "<?",
    "</",
    "<!",
    "</a ",
]
METHODS = ("parse_starttag", "parse_endtag", "parse_pi", "parse_html_declaration")


@pytest.mark.parametrize("end", ["", ">", "--!>", "<p>"])
@pytest.mark.parametrize("unit", UNITS)
def test_the_parser_of_pages_looks_at_each_character_once(unit: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counting(method: Callable[..., int]) -> Callable[..., int]:
        def counted(parser: Any, start: int, *rest: Any) -> int:
            nonlocal looked_at
            stop = method(parser, start, *rest)
            looked_at += (len(parser.rawdata) if stop < 0 else stop) - start
            return stop

        return counted

    for name in METHODS:
        monkeypatch.setattr(html.parser.HTMLParser, name, counting(getattr(html.parser.HTMLParser, name)))
    page = "<p>cat " + unit * 2_000 + end
    title, text = html_parts("a.html", page)
    assert (title, text.split()[0][:3]) == ("", "cat")
    assert looked_at <= 4 * len(page)


@pytest.mark.parametrize("header", ["Subject", "From", "To", "Date", "Content-Type", "Content-Disposition"])
@pytest.mark.parametrize("unit", ["a,", "(", '"', "(a)", "\\", ";", "=?a?q?"])
def test_a_long_header_is_not_taken_apart(
    header: str, unit: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    taken: list[int] = []
    registry = email.headerregistry.HeaderRegistry
    take = registry.__call__
    monkeypatch.setattr(
        registry, "__call__", lambda self, name, value: taken.append(len(value)) or take(self, name, value)
    )
    longer = 60_000 if header == "Subject" else 5_000  # than any that is taken apart
    (tmp_path / "a.eml").write_text(f"{header}: {unit * longer}\nSubject: a cat\n\ndog\n")
    (document,) = toysearch.load(tmp_path).documents
    assert document.text.endswith("dog")
    assert max(taken, default=0) <= 1000


CHARACTERS = st.lists(st.sampled_from([*"()[], @.{}'", "AP", "P.5", "10", "1.5", "a=1"]), max_size=14).map("".join)


@given(CHARACTERS)
def test_a_list_of_measures_is_split_where_a_pattern_with_a_view_of_the_rest_splits_it(text: str) -> None:
    between = r"(?![\s,]+[^()]*\))(?![\s,]+[^\[\]]*\])(?!,[0-9.]+(?:[\s,]|\Z))[\s,]+"
    assert _listed(text) == [*filter(None, re.split(between, text.strip()))]
