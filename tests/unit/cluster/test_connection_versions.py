"""A worker with another toysearch is refused, whether it is there at the beginning or comes later."""

from __future__ import annotations

import pytest
from raising import raising
from workers_here import WorkersHere

import toysearch
from toysearch.base.annexes import all_done
from toysearch.base.errors import ToysearchError
from toysearch.cluster import connection
from toysearch.cluster.connection import own_version, refuse_other_versions

WAY_OUT = "; start every worker in the environment of this command"


def test_workers_with_the_same_code_are_accepted():
    refuse_other_versions(WorkersHere(2))


def test_the_version_is_that_of_every_file(tmp_path, monkeypatch):
    assert own_version()[0] == toysearch.__version__
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(toysearch, "__file__", str(tmp_path / "__init__.py"))
    before = connection._asking()()
    (tmp_path / "builder.py").write_text("dropped = 'w1'", encoding="utf-8")
    assert connection._asking()() != before


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (("0.1.9", "a"), f"has toysearch 0.1.9, and this command {toysearch.__version__}"),
        ((toysearch.__version__, "a"), f"has toysearch {toysearch.__version__} with other code than this command"),
        (ModuleNotFoundError("No module named 'toysearch'"), "cannot import toysearch"),
    ],
)
def test_a_worker_with_another_toysearch_is_refused(theirs, said):
    client = WorkersHere(2)
    client.run = lambda function, on_error: {"tcp://1:1": own_version(), "tcp://1:2": theirs}
    with raising(ToysearchError, f"the worker tcp://1:2 {said}{WAY_OUT}"):
        refuse_other_versions(client)


def test_one_that_comes_later_refuses_its_task(monkeypatch):
    monkeypatch.setattr(connection, "own_version", iter([("9.9", "x"), *[own_version()] * 9]).__next__)
    with raising(ToysearchError, f"a worker has toysearch {toysearch.__version__}, and this command 9.9{WAY_OUT}"):
        all_done(WorkersHere(1), abs, [(-1,)])
