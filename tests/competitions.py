"""Small competitions for tests, and runs that can be submitted to it without another process."""

import functools
import io
import time

import toysearch
from toysearch.classroom.competition.leaderboard import Leaderboard
from toysearch.classroom.sandbox.confined_run import Limits
from toysearch.files.run_writer import write_run

SECRET = "two held out"
PATIENCE = 60.0  # seconds


def created(folder, name="cat-dog-parrot", **settings):
    """A competition on a collection, with a run of bm25 as its baseline."""
    board = Leaderboard.create(folder, _indexed(name)[0], secret=SECRET, **settings)
    baseline = folder.parent / "baseline.run"
    baseline.write_text(run_of("bm25", name))
    board.submit(str(baseline), "bm25", baseline=True)
    return board


def run_of(model, name="cat-dog-parrot"):
    """The text of the run of a model on a collection."""
    collection, index = _indexed(name)
    text = io.StringIO()
    write_run(toysearch.Searcher(index, model).run(collection.judged_queries, 50), text)
    return text.getvalue()


@functools.cache
def _indexed(name):
    """A collection with its index."""
    collection = toysearch.load(name)
    return collection, toysearch.Index.build(collection)


def limited(seconds):
    """Limits on the time of a model."""
    return Limits(seconds=seconds)


def until(true):
    """Wait until a function returns something true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "this has been waited for too long"
        time.sleep(0.01)


def ranked(queue, team):
    """Wait until nothing of a team waits; why its last submission was refused."""
    until(lambda: queue.progress(team) is None)
    return queue.refusal(team)
