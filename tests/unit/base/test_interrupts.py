"""Ctrl-C at any moment: exit code 130 and one line. The signal comes at imports, so that no clock decides."""

import os
import subprocess
import sys

import pytest
from interrupted import PROGRAM
from lengths import thinned

from toysearch.base import platform

pytestmark = [
    pytest.mark.system,
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has another Ctrl-C"),
]

INTERRUPTING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
wanted = sys.argv.pop(1)
waiting = [wanted]

class Looking:
    def find_spec(self, name, *more):
        if name in waiting:
            waiting.clear()
            signal.raise_signal(signal.SIGINT)

from toysearch.__main__ import main
if wanted == "at exit":
    import atexit
    atexit.register(signal.raise_signal, signal.SIGINT)
sys.meta_path.insert(0, Looking())
main()
"""
SEARCH = ["search", "cat-dog-parrot", "train"]


def interrupted(moment: str, *arguments: str, **more) -> list:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTING, moment, *arguments], capture_output=True, text=True, **more
    )
    return [done.returncode, done.stdout, done.stderr]


MOMENTS = [
    *("toysearch.cli.main", "click", "click.core", "toysearch.cli.search", "toysearch.cli.output"),
    *("toysearch.corpus.catalog", "numpy", "numpy._core.multiarray", "toysearch.index.inverted_index"),
    "toysearch.search.searcher",
]


@pytest.mark.parametrize("moment", thinned(MOMENTS, 3))
def test_while_it_is_loaded(moment):
    assert interrupted(moment, *SEARCH) == [130, "", "toysearch: interrupted\n"]


def test_when_the_work_is_done():
    code, out, errors = interrupted("at exit", *SEARCH)
    assert [code, errors] == [130, "toysearch: interrupted\n"]
    assert out.startswith("rank  document")


def test_where_it_is_ignored_it_stays_so():
    program = INTERRUPTING.replace("signal.default_int_handler", "signal.SIG_IGN")
    done = subprocess.run([sys.executable, "-c", program, "numpy", *SEARCH], capture_output=True, text=True)
    assert [done.returncode, done.stderr] == [0, ""]


@pytest.mark.parametrize("more", thinned([["--version"], SEARCH], 2))
def test_the_module_is_the_command(more):
    """`python -m toysearch` prints what the console script does."""
    by_name = subprocess.run([sys.executable, "-m", "toysearch", *more], capture_output=True, text=True)
    by_script = subprocess.run([*PROGRAM, *more], capture_output=True, text=True)
    assert [by_name.returncode, by_name.stdout] == [0, by_script.stdout]


def test_little_is_loaded_before_it_is_answered():
    program = (
        "import sys; before = set(sys.modules); import toysearch.__main__; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, env={
        **os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(platform.__file__))
    })  # fmt: skip
    loaded = set(done.stdout.split())
    assert {"toysearch.base.interrupts", "signal"} <= loaded
    assert not loaded & {"typing", "re", "contextlib", "importlib", "click", "pathlib", "numpy"}
