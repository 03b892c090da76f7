"""A program that runs confined: each limit is met, each forbidden thing refused, and nothing is left behind."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from toysearch.sandbox.confined import Confined, Limits, run_confined
from toysearch.errors import ArgumentError

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
SHORT = Limits(seconds=20)


@pytest.fixture
def confined(tmp_path: Path):
    """Run a text as a program."""

    def run(program: str, limits: Limits = SHORT, **options) -> Confined:
        path = tmp_path / "mine.py"
        path.write_text(program)
        return run_confined(path, limits=limits, **options)

    return run


def test_a_good_program_prints_and_leaves_a_file(confined):
    ended = confined(
        "import sys, toysearch\nprint(sys.argv[1:], toysearch.load('cat-dog-parrot').name)\n"
        "open('out', 'w').write('x')",
        keep=["out", "other"],
    )
    assert (ended.ended, ended.exit_code, ended.sentence) == ("done", 0, "done")
    assert ended.output == "[] cat-dog-parrot\n"
    assert ended.errors == ""
    assert ended.files == {"out": b"x"}
    assert ended.refused == ()
    assert ended.seconds > 0


def test_a_module_gets_arguments_and_files(tmp_path):
    ended = run_confined("json.tool", "in.json", files={"in.json": '{"a": 1}'}, limits=SHORT)
    assert (ended.ended, ended.output) == ("done", '{\n    "a": 1\n}\n')


def test_the_working_folder_is_its_own_and_goes(confined):
    ended = confined("import os; print(os.getcwd(), os.listdir())")
    folder, listing = ended.output.split(" ", 1)
    assert listing == "[]\n"
    assert not Path(folder).exists()
    assert not Path(folder).parent.exists()
    assert Path(folder).parent.parent == Path(os.path.realpath(tempfile.gettempdir()))


def test_the_environment_is_clean(confined, monkeypatch):
    monkeypatch.setenv("A_SECRET", "x")
    monkeypatch.setenv("TOYSEARCH_CORPORA", "/some/where")
    ended = confined(
        "import os\nfor name in ('A_SECRET', 'TOYSEARCH_CORPORA', 'OMP_NUM_THREADS', 'MINE'): print(os.getenv(name))",
        environment={"MINE": "1"},
    )
    assert ended.output == "None\n/some/where\n1\n1\n"


def test_hashes_are_the_same_each_time(confined):
    assert confined("print(hash('a text'))").output == confined("print(hash('a text'))").output


def test_the_cache_is_found_where_it_is(confined):
    from toysearch.caches import user_cache

    assert confined("from toysearch.caches import user_cache; print(user_cache())").output == f"{user_cache()}\n"


def test_an_exception_is_told_from_the_users_line_on(confined):
    ended = confined("def f():\n    return 1 / 0\n\n\nf()\n")
    assert (ended.ended, ended.exit_code, ended.sentence) == ("failed", 1, "ZeroDivisionError: division by zero")
    assert ended.errors.startswith("Traceback (most recent call last):\n  File ")
    assert 'mine.py", line 5, in <module>' in ended.errors
    assert "guard.py" not in ended.errors
    assert "runpy" not in ended.errors


@pytest.mark.parametrize(
    ("code", "exit_code", "ended", "sentence"),
    [
        ("raise SystemExit", 0, "done", "done"),
        ("import sys; sys.exit(3)", 3, "failed", "it ended with exit code 3"),
        ("import sys; sys.exit('no')", 1, "failed", "it ended with exit code 1"),
        ("import os; os._exit(0)", 0, "done", "done"),
    ],
)
def test_exit_codes(confined, code, exit_code, ended, sentence):
    result = confined(code)
    assert (result.exit_code, result.ended, result.sentence) == (exit_code, ended, sentence)


@posix
def test_a_sleeper_is_ended(confined):
    started = time.monotonic()
    ended = confined("import time; print('z', flush=True); time.sleep(60)", Limits(seconds=0.5))
    assert (ended.ended, ended.sentence) == ("time", "it took more than 0.5 s and was ended")
    assert ended.output == "z\n"
    assert ended.exit_code < 0
    assert time.monotonic() - started < 10


@posix
def test_an_endless_loop_is_ended_by_its_computing_time(confined):
    ended = confined("while True: pass", Limits(seconds=30, cpu_seconds=1))
    assert (ended.ended, ended.sentence) == ("cpu", "it computed for more than 1 s and was ended")


@posix
def test_an_endless_loop_that_swallows_everything(confined):
    program = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    assert confined(program, Limits(seconds=0.5)).ended == "time"


@linux
def test_too_much_memory(confined):
    ended = confined("x = bytearray(10 ** 11)")
    assert (ended.ended, ended.sentence) == ("memory", "it wanted more memory than 4,000 MB")
    ended = confined("import numpy as np\nx = [np.empty(10 ** 8) for _ in range(100)]")
    assert ended.ended == "memory"
    assert "Unable to allocate" in ended.errors


def test_endless_printing_is_ended(confined):
    ended = confined("while True: print('again and again')", Limits(seconds=20, output=1000))
    assert (ended.ended, ended.sentence) == ("output", "it printed more than 1,000 bytes and was ended")
    assert len(ended.output) == 1000


def test_too_much_printed_before_a_quick_end(confined):
    assert confined("print('x' * 2000)", Limits(seconds=20, output=1000)).ended == "output"


def test_too_large_a_file(confined):
    limits = Limits(seconds=20, files=10_000)
    quick = "import os\nfor n in range(20): open(f'{n}', 'wb', 0).write(b'x' * 1000)\nos._exit(0)"
    assert confined(quick, limits).ended == "files"
    ended = confined("open('out', 'w').write('x' * 100_000)", limits)
    assert ended.ended in ("files", "failed")  # the system's own limit is an OSError first
    assert "File too large" in ended.errors


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("open('/x', 'w')", "writing '/x', which is outside of its working folder"),
        ("open('../x', 'w')", "writing '../x', which is outside of its working folder"),
        ("import os; os.open('/x', os.O_CREAT)", "writing '/x', which is outside of its working folder"),
        ("import os; os.remove('/x')", "changing '/x', which is outside of its working folder"),
        ("import os; os.rename('/x', 'y')", "changing '/x', which is outside of its working folder"),
        ("import os; os.mkdir('/x')", "changing '/x', which is outside of its working folder"),
        ("import os; os.symlink('/etc', 'x')", "changing '/etc', which is outside of its working folder"),
        ("import shutil; shutil.rmtree('/x')", None),
        ("import subprocess; subprocess.run(['ls'])", "starting another program, 'ls'"),
        ("import os; os.system('ls')", "starting another process (os.system)"),
        ("import os; os.fork()", "starting another process (os.fork)"),
        ("import os; os.execv('/bin/ls', ['ls'])", "starting another process (os.exec)"),
        (
            "import multiprocessing as m\nif __name__ == '__main__': m.get_context('spawn').Process().start()",
            "starting another process (fork_exec)",
        ),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "the network (socket.getaddrinfo 127.0.0.1)"),
        (
            "import socket; socket.socket().connect(('127.0.0.1', 9))",
            "the network (socket.connect ('127.0.0.1', 9))",
        ),
        (
            "import socket; socket.socket().bind(('127.0.0.1', 0))",
            "the network (socket.bind ('127.0.0.1', 0))",
        ),
        ("import os; os.kill(os.getppid(), 0)", "a signal to another process"),
    ],
)
@posix
def test_what_is_forbidden_is_refused_with_a_sentence(confined, program, sentence):
    ended = confined(program)
    if sentence is None:
        assert ended.ended == "failed"  # there is nothing at that place
        return
    assert (ended.ended, ended.sentence) == ("refused", f"refused: {sentence}")
    assert ended.refused == (f"refused: {sentence}",)
    assert ended.exit_code == 1
    assert ended.errors.endswith(f"Refused: refused: {sentence}\n") or "multiprocessing" in program


def test_who_goes_on_after_a_refusal_is_told_of(confined):
    ended = confined("try:\n    open('/x', 'w')\nexcept OSError: print('so be it')")
    assert (ended.ended, ended.output) == ("done", "so be it\n")
    assert ended.refused == ("refused: writing '/x', which is outside of its working folder",)


def test_hidden_files_cannot_be_read(confined, tmp_path):
    secret = tmp_path / "teacher" / "qrels.txt"
    secret.parent.mkdir()
    secret.write_text("1 0 d1 1")
    (tmp_path / "link").symlink_to(secret.parent)
    for path in (secret, tmp_path / "link" / "qrels.txt"):
        ended = confined(f"print(open({str(path)!r}).read())", hidden=[secret.parent])
        assert ended.sentence == f"refused: reading {str(path)!r}, which is hidden from this program"
        assert ended.output == ""
    ended = confined(f"import os; os.listdir({str(secret.parent)!r})", hidden=[secret.parent])
    assert ended.ended == "refused"
    assert confined(f"print(open({str(secret)!r}).read())").output == "1 0 d1 1\n"  # hidden only where asked for
    beside = tmp_path / "teachers.txt"
    beside.write_text("open")
    assert confined(f"print(open({str(beside)!r}).read())", hidden=[secret.parent]).output == "open\n"


@posix
def test_a_link_is_not_followed_when_files_are_kept(confined):
    # A library may make a link past the audit hook; what comes back are plain files alone.
    program = (
        "import ctypes\nctypes.CDLL(None).symlink(b'/etc/passwd', b'out')\n"
        "ctypes.CDLL(None).mkfifo(b'pipe', 0o600)\nopen('plain', 'w').write('x')"
    )
    assert confined(program, keep=["out", "pipe", "plain", "../report"]).files == {"plain": b"x"}


@posix
def test_what_it_started_is_ended_with_it(confined, tmp_path):
    # A fork past the audit hook: the child of the child would write a file a second later.
    program = (
        "import ctypes, os, time\n"
        "libc = ctypes.CDLL(None)\n"
        "if libc.fork() == 0:\n"
        "    time.sleep(1.0)\n"
        f"    libc.creat({str(tmp_path / 'late').encode()!r}, 0o600)\n"
        "    os._exit(0)\n"
        "print('parent')"
    )
    ended = confined(program)
    assert ended.output == "parent\n"
    time.sleep(1.3)
    assert not (tmp_path / "late").exists()


def test_names_of_files_stay_inside(tmp_path):
    with pytest.raises(ArgumentError, match=r"^'\.\./x' leads out of the working folder$"):
        run_confined("json.tool", files={"../x": "1"})


def test_limits_are_above_nothing():
    with pytest.raises(ArgumentError, match=r"^seconds: a limit is above 0, and -1 was given$"):
        Limits(seconds=-1)


def test_what_the_system_lacks_is_said(confined):
    assert set(confined("").missing) <= {"cpu_seconds", "memory", "files", "network"}


def test_compiled_loops_work_in_a_copy_of_their_own(confined, tmp_path, monkeypatch):
    loops = tmp_path / "loops"
    loops.mkdir()
    (loops / "compiled").write_text("as it was")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(loops))
    ended = confined(
        "import os\nfolder = os.environ['NUMBA_CACHE_DIR']\nprint(os.listdir(folder))\n"
        "from toysearch.compiling import kernel\n"
        "print(os.listdir(folder))\n"
        "open(f'{folder}/compiled', 'w').write('poisoned')\n"
        "print(kernel(lambda x: x + 1)(1))\n"
    )
    assert (ended.ended, ended.output, ended.refused) == ("done", "[]\n['compiled']\n2\n", ())
    assert [(path.name, path.read_text()) for path in loops.iterdir()] == [("compiled", "as it was")]


def test_what_can_be_imported_is_what_can_be_imported_here(confined, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "helpful.py").write_text("print('helped')")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert confined("import helpful").output == "helped\n"
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(sys, "path", ["", *sys.path[1:]])
    assert confined("import helpful").sentence == "ModuleNotFoundError: No module named 'helpful'"
