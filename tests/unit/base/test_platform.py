"""What differs between systems, tried on each of them: where this one is too kind, a double refuses as others do."""

import builtins
import errno
import importlib.util
import io
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from shell import words_of
from simulated_tab import a_tab
from suite_process import suite
from tiers import thinned

import toysearch
from toysearch.base import ArgumentError, TooLong, at_most, platform, refuse_in_a_tab

_ASKS = re.compile(
    r"\bsys\.platform\b|\bos\.name\b|hasattr\((os|signal|mmap)\b|\bimport (fcntl|msvcrt|resource)\b"
    r"|\bos\.(fsync|fdatasync|replace|rename|killpg|getppid|sched_getaffinity)\b|\bSIGALRM\b|MAP_PRIVATE"
)


def test_no_other_module_asks_which_system_this_is():
    anywhere = re.compile(_ASKS.pattern.replace(r"\b", ""))  # quicker
    places = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "toysearch").rglob("*.py"))
        if path != Path(platform.__file__) and anywhere.search(text := path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1)
        if _ASKS.search(line) and not line.lstrip().startswith(("#", '"'))
    ]
    assert places == [], "put it into toysearch/base/platform.py"


# ── files ──


def test_a_file_that_is_open_for_a_moment_is_replaced_and_read(tmp_path, monkeypatch):
    refusals = iter([PermissionError(errno.EACCES, "in use")] * 2)
    renamed = os.replace

    def refusing(source, target):
        if error := next(refusals, None):
            raise error
        renamed(source, target)

    monkeypatch.setattr(platform, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(os, "replace", refusing)
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")
    platform.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_bytes() == b"new"
    assert next(refusals, None) is None
    refusals = itertools.repeat(PermissionError(errno.EACCES, "in use"))  # it stays open
    with pytest.raises(PermissionError):
        platform.replace(tmp_path / "old", tmp_path / "new")
    monkeypatch.undo()
    toysearch.Index.build({"1": "a cat"}).save(tmp_path / "index")
    opened, refusals = builtins.open, iter([PermissionError(errno.EACCES, "in use")] * 2)

    def refused(path, *mode, **how):
        if Path(path).name == "manifest.json" and (error := next(refusals, None)):
            raise error
        return opened(path, *mode, **how)

    monkeypatch.setattr(platform, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(builtins, "open", refused)  # a manifest that is being replaced is read a moment later
    assert len(toysearch.Index.open(tmp_path / "index")) == 1
    assert next(refusals, None) is None


WRITING = [
    "files/test_event_log.py workbench/judging/test_judgment_log.py index/test_strings.py",
    "index/test_saving.py index/test_index_change.py index/test_checksums.py workbench/shards/test_shard_folder.py",
    "workbench/shards/test_connection_indexing.py::test_wrong_documents_are_refused_with_the_line_of_the_whole_file "
    "cli/test_output_overwriting.py",
]


@pytest.mark.system
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is open")
@pytest.mark.waits
@pytest.mark.parametrize("files", thinned(WRITING, 3))
def test_what_writes_passes_where_windows_refuses_more_than_wine(files):
    """Each test of these files, every one of which runs within the simulation (on_windows.py)."""
    done = suite(*files.split(), TOYSEARCH_SYSTEM="strict-windows")
    assert done.returncode == 0, done.stdout


# ── shells ──


def outside_of_quotes(line):
    """What a shell of Windows would see as its own, outside of double quotes."""
    return {*re.sub(r'"(\\.|[^"\\])*"', "", line)} & {*"&|<>^()%!'`$;,"}


@pytest.mark.parametrize("system", ["Linux", "Windows"])
@given(words=st.lists(st.text("ab \\\"'&|()^%;é", max_size=8), min_size=1))
def test_a_command_is_typed_as_the_shell_of_the_system_takes_it(system, words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platform, "SYSTEM", system)
        line = platform.typed_line(*words)
        assert words_of(line) == words
    assert system == "Linux" or outside_of_quotes(line) == set()


# ── locks ──


def of_windows(monkeypatch):
    """The module as Windows loads it; its locks are those of this system."""
    flags = {name: getattr(os, name, 0) for name in ("O_TEMPORARY", "O_NOINHERIT")}
    locks = types.ModuleType("msvcrt")
    locks.LK_NBLCK = 2

    def locking(descriptor, mode, n):
        import fcntl

        assert (mode, n, os.lseek(descriptor, 0, os.SEEK_CUR)) == (2, 1, 0x7FFF0000)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    locks.locking = locking
    spec = importlib.util.spec_from_file_location("platform_of_windows", platform.__file__)
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        for name, value in flags.items():
            patch.setattr(os, name, value, raising=False)
        patch.setitem(sys.modules, "msvcrt", locks)
        patch.setattr(sys, "platform", "win32")
        spec.loader.exec_module(module)
    for name, value in flags.items():
        monkeypatch.setattr(os, name, value, raising=False)
    return module


@pytest.fixture(params=["this system", "Windows"])
def system(request, monkeypatch):
    """The module of this system, and that of Windows with a double of its locks."""
    if request.param == "this system" or sys.platform == "win32":
        return platform
    return of_windows(monkeypatch)


def test_one_at_a_time_has_the_lock_of_a_folder(system, tmp_path):
    with pytest.raises(FileNotFoundError):
        system.lock_folder(tmp_path / "missing")
    first = system.lock_folder(tmp_path)
    assert first is not None
    assert system.lock_folder(tmp_path) is None
    assert {path.name for path in tmp_path.iterdir()} <= {platform.LOCK}
    os.close(first)
    again = system.lock_folder(tmp_path)
    assert again is not None
    os.close(again)


@pytest.mark.waits
def test_a_lock_is_waited_for(system, tmp_path):
    first, taken = system.lock_folder(tmp_path), []

    def take():
        taken.append(system.lock_folder(tmp_path, wait=True))

    thread = threading.Thread(target=take)
    thread.start()
    assert taken == []
    os.close(first)
    thread.join()
    assert taken != [None]
    os.close(taken[0])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is open")
def test_a_file_that_was_removed_locks_no_folder(monkeypatch, tmp_path):
    """Whoever had the lock removes its file just after another one has opened it, and a third one makes a new file."""
    system, path = of_windows(monkeypatch), tmp_path / platform.LOCK
    lock, removed = system.lock, []

    def locked_late(descriptor, *, wait=False):
        if not removed:
            removed.append(path.unlink())
        return lock(descriptor, wait=wait)

    monkeypatch.setattr(system, "lock", locked_late)
    assert system.lock_folder(tmp_path) is None
    descriptor = system.lock_folder(tmp_path)
    assert descriptor is not None
    assert os.path.samestat(os.fstat(descriptor), path.stat())
    os.close(descriptor)


def test_one_at_a_time_has_the_lock_of_a_file(system, tmp_path):
    path = tmp_path / "log"
    descriptors = [os.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2)]
    try:
        os.write(descriptors[0], b"text")
        assert system.lock(descriptors[0])
        assert not system.lock(descriptors[1])
        assert path.read_bytes() == b"text"  # what is locked can be read
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own locks")
def test_without_locks_everybody_has_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    for _ in range(2):
        assert platform.lock_folder(tmp_path) is not None


# ── time limits ──


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.waits) for name in ("setitimer", "thread")])
def clock(request, monkeypatch):
    """The alarm of the system, and that of systems without one."""
    if request.param == "thread":
        monkeypatch.delattr(signal, "setitimer", raising=False)
    elif not hasattr(signal, "setitimer"):
        pytest.skip("Windows has no such alarm")


def for_ever():
    while True:
        pass


def test_an_endless_loop_is_stopped(clock):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(TooLong, match=r"the call took more than 0\.01 s and was stopped"), at_most("call", 0.01):
        for_ever()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.waits
def test_a_limit_may_end_while_its_clock_starts(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    start = threading.Thread.start

    def slow(thread):
        start(thread)
        for_ever()

    monkeypatch.setattr(threading.Thread, "start", slow)
    with pytest.raises(TooLong), at_most("call", 0.01):
        pytest.fail("the block begins")


def test_an_alarm_rings_again_and_again(clock):
    """For code that catches everything; it is counted, as to catch it takes time."""
    rung = []
    with platform.alarm(0.01, 0.01, lambda *_: rung.append(None)):
        while len(rung) < 3:
            pass


def test_the_first_limit_that_is_reached_stops_nested_blocks(clock):
    with pytest.raises(TooLong, match="the call"), at_most("cell", 1000), at_most("call", 0.01):
        for_ever()
    with pytest.raises(TooLong), at_most("cell", 0.01), at_most("call", 1000):
        for_ever()


def test_control_c_ends_a_block_that_has_a_limit(clock):
    with at_most("cell", 1000), at_most("call", 1000):
        assert sum(range(10)) == 45
    with pytest.raises(KeyboardInterrupt), at_most("call", 1000):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.waits
def test_in_other_threads_there_is_no_limit():
    values = []

    def work():
        with at_most("call", 0.001):
            values.append(sum(range(10)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert values == [45]


def test_where_no_thread_starts_there_is_no_limit(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.delattr(signal, "setitimer", raising=False)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with at_most("call", 0.001):
        assert sum(range(10)) == 45


# ── consoles, names, processes ──


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "utf-16"])
def test_files_and_pipes_get_the_same_bytes_on_every_system(encoding):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\r\n")
    platform.write_as_everywhere(stream)
    stream.write("κ − 1\n\ud800\n")
    stream.flush()
    assert raw.getvalue() == "κ − 1\n?\n".encode()


def test_a_terminal_keeps_its_encoding():
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    raw = io.BytesIO()
    stream = Terminal(raw, encoding="cp1252")
    platform.write_as_everywhere(stream)
    stream.write("· −")
    stream.flush()
    assert raw.getvalue() == b"\xb7 ?"
    platform.write_as_everywhere(io.StringIO())  # a notebook's


@pytest.mark.parametrize("name", ["con", "NUL.txt", "aux.py", "com1", "LPT9.run", "a:b", "a.", "a ", "a\tb", "x/prn/y"])
def test_names_that_windows_lacks(name):
    portable = platform.portable_name(name)
    assert platform.portable_name(portable) == portable
    assert portable != name
    for usual in ("console.py", "test.tsv", "aux-file", "common.run", "é.txt", ".hidden"):
        assert platform.portable_name(usual) == usual


@pytest.mark.parametrize("path", ["con", "NUL.txt", "x/prn/y", "a\\aux.txt", "docs.txt:hidden", "com1 .x"])
def test_what_is_no_file_on_windows(path, monkeypatch):
    monkeypatch.setattr(platform, "SYSTEM", "Linux")
    assert not platform.leads_elsewhere(path)
    monkeypatch.setattr(platform, "SYSTEM", "Windows")
    assert platform.leads_elsewhere(path)
    assert not platform.leads_elsewhere("qrels/console/*.tsv")


def test_a_closed_pipe_is_told_from_a_wrong_argument(system):
    assert system.is_broken_pipe(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    assert not system.is_broken_pipe(OSError(errno.EINVAL, "Invalid argument", "file"))
    assert not system.is_broken_pipe(ValueError())


def test_cores_files_and_memory():
    assert platform.cores() >= 1
    most = platform.most_files()
    assert most is None or most > 10
    pages = platform.own_pages(10, np.int32)
    pages[:2] = 1, 2
    assert pages.tolist() == [1, 2, *[0] * 8]


@pytest.mark.waits
def test_a_process_that_was_started_apart_ends_with_those_that_it_has_started():
    if sys.platform == "win32" and b"/t" not in subprocess.run(["taskkill", "/?"], capture_output=True).stdout.lower():
        pytest.skip("taskkill of Wine ends no other process of a group")
    started = "import time; print(1, flush=True); time.sleep(600)"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {started!r}])"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, **platform.apart())
    assert process.stdout.readline().strip() == b"1"
    platform.end_group(process)
    assert process.stdout.read() == b""  # both have ended
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.waits
def test_work_is_done_beside_or_at_once(alone, monkeypatch):
    monkeypatch.setattr(platform, "ALONE", alone)
    with platform.pool(2) as beside:
        assert list(beside.map(abs, [-1, 2])) == [1, 2]
        failed = beside.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            failed.result()


def test_a_tab_of_a_browser_refuses_what_it_lacks():
    refuse_in_a_tab("a server")
    with a_tab():
        assert (platform.cores(), platform.most_files()) == (1, None)
        assert platform.pool(4).submit(threading.get_ident).result() == threading.get_ident()
        with pytest.raises(ArgumentError, match=r"^a server cannot be had in a tab of a browser: run it "):
            refuse_in_a_tab("a server")
