"""Forms in the body of a request: fields and files as a browser sends them, and whatever else arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.page.reply import LONGEST_HEAD, LONGEST_TYPE, MOST_FIELDS, form_of

PARTS = "multipart/form-data; boundary=----x"
ADDRESS_LIKE = "application/x-www-form-urlencoded"


def in_parts(*parts):
    """A body as browsers write it."""
    return (
        b"".join(b"------x\r\n" + head + b"\r\n\r\n" + content + b"\r\n" for head, content in parts) + b"------x--\r\n"
    )


def test_fields_and_files_of_a_browser():
    body = in_parts(
        (b'Content-Disposition: form-data; name="token"', b"abc"),
        (b'content-disposition: form-data; name="na\xc3\xafve"', "two\r\nlines é".encode()),
        (
            b'Content-Disposition: form-data; name="file"; filename="mine \xc3\xa9.run"\r\nContent-Type: text/plain',
            b"1 Q0 \xff\r\n\r\n--x\r\n",
        ),
        (b'Content-Disposition: form-data; name="other"; filename=""', b""),
    )
    expected = {"token": "abc", "naïve": "two\r\nlines é", "file": "1 Q0 ÿ\r\n\r\n--x\r\n", "file.name": "mine é.run"}
    assert form_of(PARTS, body) == expected
    assert form_of(PARTS, body)["file"].encode("latin-1") == b"1 Q0 \xff\r\n\r\n--x\r\n"


def test_a_form_in_one_line():
    assert form_of(f"{ADDRESS_LIKE};charset=UTF-8", b"a=1&b=&c=%C3%A9+x&a=2") == {"a": "2", "b": "", "c": "é x"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        *(("", b"a=1"), ("text/plain", b"a=1")),
        ("multipart/form-data", in_parts((b'Content-Disposition: form-data; name="a"', b"1"))),
        *(("multipart/form-data; boundary=\xff", b"--\xff\r\n"), (PARTS, b""), (PARTS, b"------x")),
        *((PARTS, b"------x\r\n" * 100_000), (PARTS, in_parts((b"Content-Disposition: form-data", b"1")))),
        (PARTS, in_parts((b"no head at all", b"1"))),
        (PARTS, in_parts((b'Content-Disposition: form-data; name="a"; x="' + b"(" * 20_000, b"1"))),
        (ADDRESS_LIKE, b"a&" * 100_000),
    ],
)
def test_what_is_not_a_form_has_no_fields(kind, body):
    assert form_of(kind, body) == {}


def test_a_long_content_type_describes_no_form():
    part = (b'Content-Disposition: form-data; name="a"', b"1")
    for rest in ("x", ";", ';a="\\'):
        assert form_of(f"{PARTS}; x={rest * LONGEST_TYPE}", in_parts(part)) == {}
        assert form_of(f"{ADDRESS_LIKE}; x={rest * LONGEST_TYPE}", b"a=1") == {}
    assert form_of((PARTS + "; x=").ljust(LONGEST_TYPE, "y"), in_parts(part)) == {"a": "1"}


def test_a_field_with_a_long_head_is_left_out():
    head = b'Content-Disposition: form-data; name="a"'
    for rest in (b";", b'"', b"\\", b';a="'):
        long = (head + b"; x=" + rest * LONGEST_HEAD, b"1")
        assert form_of(PARTS, in_parts(long, (head.replace(b'"a"', b'"b"'), b"2"))) == {"b": "2"}
    assert form_of(PARTS, in_parts((head.ljust(LONGEST_HEAD - 2), b"1"))) == {"a": "1"}


def test_a_form_has_a_largest_number_of_fields():
    parts = [(f'Content-Disposition: form-data; name="{n}"'.encode(), b"1") for n in range(10 * MOST_FIELDS)]
    assert len(form_of(PARTS, in_parts(*parts))) == MOST_FIELDS
    assert form_of(ADDRESS_LIKE, b"&".join(b"%d=1" % n for n in range(MOST_FIELDS + 1))) == {}


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('form-data; name="a b"', "a b"),
        ("form-data; name=a", "a"),
        (r'form-data; name="say \"a\" \\ b"', 'say "a" \\ b'),
        ('form-data; filename*0=x; NAME="a"', None),
        ('form-data; x="; name=b"; name="a"', "a"),
    ],
)
def test_the_name_of_a_field_is_read_as_browsers_and_curl_write_it(head, name):
    found = form_of(PARTS, in_parts((f"Content-Disposition: {head}".encode(), b"1")))
    assert found == {name or "a": "1"}


@given(
    st.sampled_from([PARTS, ADDRESS_LIKE, "multipart/form-data; boundary=a", ";;=\x00"]),
    st.lists(st.sampled_from([b"------x", b"--a", b"\r\n", b"\r\n\r\n", b'Content-Disposition: form-data; name="a"',
                              b"; filename*=utf-8''%e9", b"; name*0=\xff", b"--", b"=", b"%zz", b"\x00"])
             | st.binary(max_size=9)).map(b"".join),
)  # fmt: skip
@settings(max_examples=often(170), deadline=None)
def test_any_body_gives_texts(kind, body):
    assert all(isinstance(text, str) for pair in form_of(kind, body).items() for text in pair)
