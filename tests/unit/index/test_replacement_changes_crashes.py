"""A process that dies while it adds to an index or deletes from it leaves the old index or the new one, whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dying import FORKING, Driver, dead_before_each_call, driven, killed_at_random
from lengths import exhaustive, thinned

from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL"),
]

# "loop" adds four documents and deletes them again for ever; "add N" and "delete N" do it once.
# What a process has written outlives it, so nothing waits for the disk.
DRIVER = f"""
{FORKING}
from toysearch import Index
from toysearch.index.replacement import change_index

os.fsync = lambda descriptor: None
folder = sys.argv[1]
more = {{f"new{{number}}": f"other{{number}} shared" for number in range(4)}}
few = Index.build({{str(number): f"word{{number % 97}} shared" for number in range(300)}})
many = few.add(more)

def change():
    change_index(folder, lambda index: index.delete(more) if index.stats.N > 300 else index.add(more))

few.save(folder)
timed(change)

def once(what, last):
    (few if what == "add" else many).save(folder)
    die_before(last)
    change()

serve(once, change)
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driven(DRIVER, tmp_path / "index") as driver:
        yield driver


def amount(folder: Path) -> str:
    """Which index is in the folder, after a look at every byte of it."""
    assert check_index(folder) == []
    index = Index.open(folder)
    assert index.stats[:3] in [(300, 600, 2.0), (304, 608, 2.0)]
    assert index.postings("shared").docs.size == index.stats.N
    assert index.stats.n_terms == (98 if index.stats.N == 300 else 102)
    return "few" if index.stats.N == 300 else "many"


@exhaustive
def test_killed_at_thirty_random_moments(driver, tmp_path):
    assert killed_at_random(driver, tmp_path / "index", amount, 30, 5, seed=5) == {"few", "many"}


@pytest.mark.parametrize(("what", "old", "new"), thinned([("add", "few", "many"), ("delete", "many", "few")], 2))
def test_dying_before_each_call_of_the_operating_system(driver, tmp_path, what, old, new):
    dead_before_each_call(driver, tmp_path / "index", amount, what, old, new, 20)
