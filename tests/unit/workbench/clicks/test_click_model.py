"""The click model by hand; tests/oracles/test_clicks.py has the loop."""

import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_model import click_model


def shown(session: int, text: str) -> ShownList:
    """A list such as "a b+ -": clicked or not, or a rank that the log leaves out."""
    documents = tuple(None if one == "-" else ShownDocument(one[0], one.endswith("+")) for one in text.split())
    return ShownList(str(session), "q", documents)


def test_a_rank_that_is_left_out():
    found = click_model([shown(1, "- a+"), shown(2, "a b")])
    assert len(found.examination) == 2
    assert set(found.relevance["q"]) == {"a", "b"}


def test_documents_at_one_rank_only():
    with pytest.warns(UserWarning, match="each document was always shown at one rank"):
        click_model([shown(1, "a+ b")])


def test_what_cannot_be_learned():
    with raising(DataError, "the log has no click, so nothing can be learned from it"):
        click_model([shown(1, "a b")])
    with raising(ArgumentError, "rounds must be at least 1, not 0"):
        click_model([shown(1, "a+")], rounds=0)
