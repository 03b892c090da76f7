"""The page of judgments that several test files ask."""

import pytest
from judging_page import judging_client


@pytest.fixture
def opening(tmp_path):
    """A function that opens the page of a class; when it opens the page again, the server has been started again."""
    pages = []

    def close():
        for page in pages:
            page.log.close()
            page.decisions.close()

    def started(**settings):
        close()
        pages.append(judging_client(tmp_path / "class.jsonl", **settings))
        return pages[-1]

    yield started
    close()


@pytest.fixture
def asked(opening):
    return opening()


@pytest.fixture(autouse=True)
def read_once(bundled_read_once):
    """The pages of the bundled collections."""
