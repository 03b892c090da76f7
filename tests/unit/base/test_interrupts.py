"""Ctrl-C at any moment: exit code 130 and one line. The signal comes at known places, so that no clock decides."""

import os
import signal
import subprocess
import sys
import threading
from collections import namedtuple
from concurrent.futures import Future

import pytest
from interruptible_command import PROGRAM
from random_collections import collection, write
from student_notebooks import notebook_file
from tiers import thinned
from waiting import until as soon

from toysearch.base import interrupts, platform
from toysearch.base.interrupts import Interruptible, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has another Ctrl-C")


def code_of(package: str, source: str, **names: object):
    """What `work` is in a source, whose frames say that they are of a package."""
    names |= {"__name__": package, "interrupt": signal.raise_signal}
    exec(source, names)
    return names["work"]


@pytest.mark.parametrize("package", sorted(interrupts._LOCKING))
def test_the_work_of_a_package_with_locks_is_ended_first(package):
    before, done = signal.getsignal(signal.SIGINT), []
    source = "def work():\n    interrupt(2)\n    pair(1, 2)\n    done.append('whole')"
    work = code_of(package, source, done=done, pair=namedtuple("pair", "a b"))
    deeper = code_of("pathlib", "def work():\n    interrupt(2)\n    done.append('whole')", done=done)
    for call in (work, code_of(package, "def work(): deeper()", deeper=deeper)):
        with pytest.raises(KeyboardInterrupt), Interruptible():
            done.append([call(), "more"])
    assert done == ["whole", "whole"]
    assert (signal.getsignal(signal.SIGINT), sys.getprofile()) == (before, None)


def test_a_generator_that_is_resumed_ends_its_block():
    done = []

    def resumed():
        try:
            yield
            done.append("more")
        finally:
            done.append("closed")

    source = "def work(resumed):\n    next(resumed)\n    interrupt(2)\n    next(resumed, None)"
    with pytest.raises(KeyboardInterrupt), Interruptible():
        code_of("contextlib", source)(resumed())
    assert done == ["closed"]


@pytest.mark.parametrize("package", ["numpy", "json", "mine", "toysearch.cli.main"])
def test_elsewhere_it_is_raised_at_once(package):
    done = []
    with pytest.raises(KeyboardInterrupt), Interruptible():
        code_of(package, "def work():\n    interrupt(2)\n    done.append('more')", done=done)()
    assert done == []


def test_a_second_one_is_raised_at_once():
    done = []
    source = "def work():\n    interrupt(2)\n    done.append('once')\n    interrupt(2)\n    done.append('twice')"
    with pytest.raises(KeyboardInterrupt), Interruptible():
        code_of("threading", source, done=done)()
    assert done == ["once"]


def test_a_wait_ends_after_its_turn():
    turns = []
    done = code_of("threading", "def work(seconds):\n    turns.append(seconds)\n    interrupt(2)", turns=turns)
    with pytest.raises(KeyboardInterrupt):
        until(done)
    assert len(turns) == 1


def test_a_wait_for_a_thread_that_never_ends_is_ended(monkeypatch):
    source = "class work(kind):\n    def __enter__(self):\n        interrupt(2)\n        return super().__enter__()"
    future = Future()
    monkeypatch.setattr(future, "_condition", code_of("threading", source, kind=threading.Condition)())
    with pytest.raises(KeyboardInterrupt):
        platform.awaited(future)


@pytest.mark.waits
def test_a_lock_that_is_awaited_again_is_held_when_its_block_ends(monkeypatch):
    condition, main, answered = threading.Condition(threading.Lock()), threading.get_ident(), threading.Event()
    answer = Interruptible._answer

    def answering(block, number, frame):
        answer(block, number, frame)
        answered.set()

    def waits_again():
        return sys._current_frames()[main].f_code.co_name == "_acquire_restore"

    def notify():
        with condition:
            condition.notify()
            soon(waits_again)
            signal.pthread_kill(main, signal.SIGINT)
            soon(lambda: answered.is_set() or not waits_again())

    def wait():
        with Interruptible(), condition:
            thread.start()
            condition.wait()

    monkeypatch.setattr(Interruptible, "_answer", answering)
    thread = threading.Thread(target=notify)
    with pytest.raises(KeyboardInterrupt):  # not "RuntimeError: release unlocked lock"
        wait()
    thread.join()
    assert answered.is_set()


def test_other_threads_and_handlers_are_left_alone():
    handlers = []

    def look():
        with Interruptible():
            handlers.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    try:
        for handler in (signal.SIG_IGN, interrupts.end):  # the end of a command that is interrupted already
            signal.signal(signal.SIGINT, handler)
            look()
    finally:
        signal.signal(signal.SIGINT, before)
    assert handlers == [before, signal.SIG_IGN, interrupts.end]


IN_LOCK = """
import signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
threading._to_come = [signal.SIGINT]
threading._interrupt = signal.raise_signal
exec('''
def wait(self, timeout=None):
    with self._cond:
        if _to_come and current_thread() is main_thread():
            self._cond.release()
            _interrupt(_to_come.pop())
            self._cond.acquire()
        return self._flag or self._cond.wait(timeout)
Event.wait = wait
''', vars(threading))
from toysearch.__main__ import main
main()
"""


@pytest.mark.system
@pytest.mark.parametrize(
    "line",
    [
        "index made -o new.idx",
        "labs grade handed-in --trust-code",
        "serve made --port 0",
    ],
)
def test_while_a_lock_is_awaited(line, tmp_path):
    """A command waits until its first thread has started: the signal comes when the lock of that wait is not held."""
    write(collection(1, by_words=True), tmp_path / "made")
    notebook_file(tmp_path / "handed-in" / "ada.ipynb", "from toysearch import labs\nlabs.start(1, student='Ada')")
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = subprocess.run([sys.executable, "-c", IN_LOCK, *line.split()], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (130, ["toysearch: interrupted"])
    assert "Traceback" not in done.stderr
    left = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: left.get(path) for path in files} == files
    assert left.keys() <= files.keys()


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
    *("toysearch.collection.catalog", "numpy", "numpy._core.multiarray", "toysearch.index.inverted_index"),
    "toysearch.retrieval.searcher",
]


@pytest.mark.system
@pytest.mark.waits
@pytest.mark.parametrize("moment", thinned(MOMENTS, 3))
def test_while_it_is_loaded(moment):
    assert interrupted(moment, *SEARCH) == [130, "", "toysearch: interrupted\n"]


@pytest.mark.system
@pytest.mark.waits
def test_when_the_work_is_done():
    code, out, errors = interrupted("at exit", *SEARCH)
    assert [code, errors] == [130, "toysearch: interrupted\n"]
    assert out.startswith("rank  document")


@pytest.mark.system
@pytest.mark.waits
def test_where_it_is_ignored_it_stays_so():
    program = INTERRUPTING.replace("signal.default_int_handler", "signal.SIG_IGN")
    done = subprocess.run([sys.executable, "-c", program, "numpy", *SEARCH], capture_output=True, text=True)
    assert [done.returncode, done.stderr] == [0, ""]


@pytest.mark.system
@pytest.mark.waits
@pytest.mark.parametrize("more", thinned([["--version"], SEARCH], 2))
def test_the_module_is_the_command(more):
    """`python -m toysearch` prints what the console script does."""
    by_name = subprocess.run([sys.executable, "-m", "toysearch", *more], capture_output=True, text=True)
    by_script = subprocess.run([*PROGRAM, *more], capture_output=True, text=True)
    assert [by_name.returncode, by_name.stdout] == [0, by_script.stdout]


@pytest.mark.system
@pytest.mark.waits
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
