"""A process that dies while it saves leaves the old index or the new one, whole."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from dying import FORKING, Driver, dead_before_each_call, driven, killed_at_random
from lengths import exhaustive

from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL"),
]

# "loop" saves two indexes in turn for ever; "save N" saves the first, then the second over it.
DRIVER = f"""
{FORKING}
from toysearch import Index

folder = sys.argv[1]
old = Index.build([f"word{{i % 97}} word{{i % 101}} shared" for i in range(400)])
new = Index.build([f"other{{i % 89}} other{{i % 103}} shared" for i in range(400)], positions=True)
old.save(folder)
timed(lambda: new.save(folder))

def once(what, last):
    old.save(folder)
    die_before(last)
    new.save(folder)

def forever():
    new.save(folder)
    old.save(folder)

serve(once, forever)
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driven(DRIVER, tmp_path / "index") as driver:
        yield driver


def last_term(folder: Path) -> str:
    """Which index is in the folder, after a look at every byte of it: word… is of the old one, shared of the new."""
    assert check_index(folder) == []
    index = Index.open(folder)
    assert index.stats[:3] == (400, 1200, 3.0)
    assert index.postings("shared").docs.size == 400
    return index.term(index.stats.n_terms - 1)[:4]


@exhaustive
def test_killed_at_fifty_random_moments(driver, tmp_path):
    assert killed_at_random(driver, tmp_path / "index", last_term, 50, 10, seed=17) == {"word", "shar"}


def test_readers_find_a_whole_index_while_others_are_saved(driver, tmp_path):
    driver.ask("loop")
    child = int(driver.answer())
    states: Counter[str] = Counter()
    while states.total() < 150 or (states.total() < 5000 and len(states) < 2):
        states[last_term(tmp_path / "index")] += 1
    driver.kill(child)
    assert set(states) == {"word", "shar"}


@exhaustive
def test_dying_before_each_call_of_the_operating_system(driver, tmp_path):
    dead_before_each_call(driver, tmp_path / "index", last_term, "save", "word", "shar", 40)
