"""Forms in the body of a request: fields as a browser sends them, and whatever else arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.page.reply import LONGEST_TYPE, MOST_FIELDS, form_of

ADDRESS_LIKE = "application/x-www-form-urlencoded"


def test_a_form_in_one_line():
    assert form_of(f"{ADDRESS_LIKE};charset=UTF-8", b"a=1&b=&c=%C3%A9+x&a=2") == {"a": "2", "b": "", "c": "é x"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [("", b"a=1"), ("text/plain", b"a=1"), ("multipart/form-data", b"a=1"), (ADDRESS_LIKE, b"a&" * 100_000)],
)
def test_what_is_not_a_form_has_no_fields(kind, body):
    assert form_of(kind, body) == {}


def test_a_long_content_type_describes_no_form():
    for rest in ("x", ";", ';a="\\'):
        assert form_of(f"{ADDRESS_LIKE}; x={rest * LONGEST_TYPE}", b"a=1") == {}
    assert form_of(f"{ADDRESS_LIKE}; x=".ljust(LONGEST_TYPE, "y"), b"a=1") == {"a": "1"}


def test_a_form_has_a_largest_number_of_fields():
    assert form_of(ADDRESS_LIKE, b"&".join(b"%d=1" % n for n in range(MOST_FIELDS + 1))) == {}


@given(
    st.sampled_from([ADDRESS_LIKE, ";;=\x00"]),
    st.lists(st.sampled_from([b"\r\n", b"--", b"=", b"&", b"%zz", b"\x00"]) | st.binary(max_size=9)).map(b"".join),
)
@settings(max_examples=often(170), deadline=None)
def test_any_body_gives_texts(kind, body):
    assert all(isinstance(text, str) for pair in form_of(kind, body).items() for text in pair)
