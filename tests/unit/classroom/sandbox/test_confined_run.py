"""A program that runs confined: each limit is met, each forbidden thing refused, and nothing is left behind."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from fresh_environments import ROOT
from student_notebooks import line_past_the_limit, needs_confinement
from waiting import until

from toysearch.base.errors import ArgumentError
from toysearch.classroom.sandbox import confined_run as sandbox
from toysearch.classroom.sandbox import kernel_confinement
from toysearch.classroom.sandbox.confined_run import Confined, Limits, run_confined
from toysearch.classroom.sandbox.kernel_confinement import Usage

pytestmark = [pytest.mark.system, pytest.mark.waits, needs_confinement]
LONG = Limits(seconds=500)
"""So that no busy machine reaches it; what is ended by another limit sleeps for longer."""
HELD = """
import ctypes, os, time
mmap = ctypes.CDLL(None).mmap
mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
files = []
for n in range(4):
    file = open("x", "wb+")
    file.write(bytes(20_000_000))
    file.flush()
    if MAPPED:
        mmap(None, 4096, 1, 1, file.fileno(), 0)
        file.close()
    files.append(file)
    os.unlink("x")
time.sleep(1000)
"""
"""Files that are removed, and stay: they are open, or closed with a page of each in memory."""
DEEP = "import os, time\nfor n in range(3000): os.mkdir('x' * 100); os.chdir('x' * 100)\n"


@pytest.fixture
def confined(tmp_path: Path):
    """Run a text as a program."""

    def run(program: str, limits: Limits = LONG, **options) -> Confined:
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
    assert (ended.output, ended.errors, ended.files) == ("[] cat-dog-parrot\n", "", {"out": b"x"})
    assert ended.confined
    assert ended.seconds > 0


def test_a_module_gets_arguments_and_files(tmp_path):
    ended = run_confined("json.tool", "in.json", files={"in.json": '{"a": 1}'}, limits=LONG)
    assert (ended.ended, ended.output) == ("done", '{\n    "a": 1\n}\n')


def test_the_working_folder_is_its_own_and_goes_and_the_environment_is_clean(confined, monkeypatch):
    monkeypatch.setenv("A_SECRET", "x")
    program = "import os\nfor name in ('A_SECRET', 'OMP_NUM_THREADS', 'MINE'): print(os.getenv(name))\n"
    program += "print(hash('a text'), os.getcwd(), os.listdir())"
    ended, again = (confined(program, environment={"MINE": "1"}).output for _ in range(2))
    text_hash, folder, listing = ended.splitlines()[3].split(" ", 2)
    assert (ended.splitlines()[:3], listing) == (["None", "1", "1"], "[]")
    assert again.splitlines()[3].split()[0] == text_hash
    assert not Path(folder).parent.exists()
    assert Path(folder).parent.parent == Path(os.path.realpath(tempfile.gettempdir()))


def test_an_exception_is_told_from_the_users_line_on(confined):
    ended = confined("def f():\n    return 1 / 0\n\n\nf()\n")
    assert (ended.ended, ended.exit_code, ended.sentence) == ("failed", 1, "ZeroDivisionError: division by zero")
    assert ended.errors.startswith("Traceback (most recent call last):\n  File ")
    assert 'mine.py", line 5, in <module>' in ended.errors
    assert "confinement.py" not in ended.errors
    assert "runpy" not in ended.errors


@pytest.mark.parametrize(
    ("code", "exit_code", "ended", "sentence"),
    [
        ("raise SystemExit", 0, "done", "done"),
        ("import sys; sys.exit(3)", 3, "failed", "it ended with exit code 3"),
        ("import sys; sys.exit('no')", 1, "failed", "it ended with exit code 1"),
        ("import os; os._exit(0)", 0, "done", "done"),
        ("import sys\nsys.stdout = sys.stderr = None", 0, "done", "done"),
    ],
)
def test_exit_codes(confined, code, exit_code, ended, sentence):
    result = confined(code)
    assert (result.exit_code, result.ended, result.sentence) == (exit_code, ended, sentence)


def test_a_sleeper_is_ended(confined, monkeypatch):
    program = f"import time\nprint('z', flush=True)\n{line_past_the_limit(monkeypatch)}\ntime.sleep(1000)"
    ended = confined(program, Limits(seconds=0.5))
    assert (ended.ended, ended.sentence) == ("time", "it took more than 0.5 s and was ended")
    assert ended.output == "z\n"
    assert ended.exit_code < 0


def test_a_program_that_its_caller_stops_is_ended(confined):
    stop = threading.Event()
    stop.set()
    ended = confined("import time; time.sleep(1000)", stop=stop)
    assert (ended.ended, ended.exit_code) == ("crashed", -signal.SIGKILL)


def test_an_endless_loop_is_ended_by_its_computing_time(confined):
    ended = confined("while True: pass", Limits(seconds=500, cpu_seconds=1))
    assert (ended.ended, ended.sentence) == ("cpu", "it computed for more than 1 s and was ended")


def test_an_endless_loop_that_swallows_everything(confined):
    program = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    assert confined(program, Limits(seconds=0.5)).ended == "time"


def test_too_much_memory(confined):
    ended = confined("x = bytearray(10 ** 11)")
    assert (ended.ended, ended.sentence) == ("memory", "it needed more memory than 4,000 MB")
    ended = confined("import numpy as np\nx = [np.empty(10 ** 8) for _ in range(100)]")
    assert ended.ended == "memory"
    assert "Unable to allocate" in ended.errors


def test_page_tables_count_as_memory(confined):
    """A byte read in each 2 MB of memory that nothing writes: a page of tables each, which no other limit counts."""
    program = """
import mmap, time
reserved = mmap.mmap(-1, 100 << 30, mmap.MAP_PRIVATE, mmap.PROT_READ)
for place in range(0, len(reserved), 2 << 20):
    reserved[place]
time.sleep(1000)
"""
    limits = Limits(seconds=500, memory=200_000_000)
    ended = confined(program, limits)
    assert (ended.ended, ended.sentence) == ("memory", "it needed more memory than 200 MB")
    assert confined(program.replace("100 << 30", "1 << 30").replace("time.sleep(1000)", ""), limits).ended == "done"


def test_sigterm_ends_what_runs_confined_and_leaves_no_folder(tmp_path):
    """A grader whose threads run notebooks, ended by the system."""
    (tmp_path / "there").mkdir()
    (tmp_path / "mine.py").write_text("print(1, flush=True)\nwhile True: pass")
    program = """
import threading
from concurrent.futures import ThreadPoolExecutor
from toysearch.base.platform import awaited
from toysearch.classroom.sandbox.confined_run import ended_cleanly, run_confined
stop = threading.Event()
with ended_cleanly(), ThreadPoolExecutor(1) as pool:
    try:
        awaited(pool.submit(run_confined, "mine.py", stop=stop))
    finally:
        stop.set()
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path / "there")}
    child = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, env=environment)
    try:
        until(lambda: child.poll() is not None or list((tmp_path / "there").glob("toysearch-*/work")))
        child.terminate()
        assert child.wait(60) == 128 + signal.SIGTERM
    finally:
        child.kill()
        child.wait()
    assert list((tmp_path / "there").iterdir()) == []


def test_too_much_output(confined):
    limits = Limits(seconds=500, output=1000)
    ended = confined("while True: print('again and again')", limits)
    assert (ended.ended, ended.sentence) == ("output", "it printed more than 1,000 bytes and was ended")
    assert len(ended.output) == 1000
    assert confined("print('x' * 2000)", limits).ended == "output"


def test_nobody_waits_for_a_process_that_trusted_code_has_left(confined, monkeypatch):
    """It has a session of its own, so it is not ended, and it holds the output open."""
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "it is switched off")
    program = (
        "import subprocess, sys\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'], start_new_session=True)\n"
        "print(left.pid, 'x' * 200_000)"
    )
    before = set(threading.enumerate())
    ended = confined(program, trust_code=True)
    left, printed = ended.output.split()
    os.kill(int(left), signal.SIGKILL)
    assert (ended.ended, len(printed)) == ("done", 200_000)
    assert set(threading.enumerate()) == before  # nor does a thread


def test_a_program_that_cannot_be_started_leaves_no_pipe_open(confined, monkeypatch):
    monkeypatch.setattr(sys, "executable", "nowhere")
    before = os.listdir("/proc/self/fd")
    with pytest.raises(FileNotFoundError) as refused:
        confined("")
    assert os.listdir("/proc/self/fd") == before
    assert refused.value.filename == "nowhere"  # it is kept until here, and with it whatever it has opened


def test_too_large_a_file(confined):
    limits = Limits(seconds=500, files=10_000)
    quick = "import os\nfor n in range(20): open(f'{n}', 'wb', 0).write(b'x' * 1000)\nos._exit(0)"
    assert confined(quick, limits).ended == "files"
    ended = confined("with open('out', 'w') as file: file.write('x' * 100_000)", limits)
    assert ended.ended in ("files", "failed")  # the system's own limit is an OSError first
    assert "File too large" in ended.errors


def test_wrong_arguments():
    with pytest.raises(ArgumentError, match=r"^'\.\./x' leads out of the working folder$"):
        run_confined("json.tool", files={"../x": "1"})
    with pytest.raises(ArgumentError, match=r"^seconds: a limit must be above 0, not -1$"):
        Limits(seconds=-1)


def test_what_is_installed_can_be_imported_and_a_folder_of_ones_own_where_it_is_readable(
    confined, monkeypatch, tmp_path
):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "helpful.py").write_text("print('helped')")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert confined("import helpful").sentence == "ModuleNotFoundError: No module named 'helpful'"
    assert confined("import helpful", readable=[tmp_path / "elsewhere"]).output == "helped\n"
    assert confined("import numpy, click; print(numpy.ones(3).sum())").output == "3.0\n"


def test_toysearch_and_python_are_those_that_run_the_program(tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "toysearch", copy / "toysearch", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "mine.py").write_text("import sys\nprint(sys.version, sys.modules['toysearch'].__file__)\n")
    program = "from toysearch.classroom.sandbox.confined_run import run_confined as run\n"
    program += "print(run('mine.py', trust_code=True).output)"
    command, environment = [sys.executable, "-c", program], {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{sys.version} {copy / 'toysearch' / '__init__.py'}"


def test_what_may_be_read_can_be_read_but_for_what_is_hidden(confined, tmp_path):
    given = tmp_path / "given"
    (given / "inside").mkdir(parents=True)
    for name in ("a", "b", "inside/c"):
        (given / name).write_text(name)
    (tmp_path / "link").symlink_to(given / "a")
    program = (
        "import sys\nfor name in ('a', 'b', 'inside/c', '../link'):\n"
        f"    try: print(open({str(given)!r} + '/' + name).read())\n    except PermissionError: print('no')"
    )
    assert confined(program).output == "no\nno\nno\nno\n"
    assert confined(program, readable=[given]).output == "a\nb\ninside/c\na\n"
    assert confined(program, readable=[given], hidden=[given / "b"]).output == "a\nno\ninside/c\na\n"
    assert confined(program, readable=[given / "b"]).output == "no\nb\nno\nno\n"
    assert confined(program, readable=[given], hidden=[given]).output == "no\nno\nno\nno\n"


@pytest.mark.parametrize("trusted", [False, True])
def test_only_plain_files_are_kept(confined, monkeypatch, trusted):
    if trusted:
        monkeypatch.setattr(kernel_confinement, "missing", lambda: "it is switched off")
    program = (
        "import os\nfor make in (lambda: os.symlink('/etc/passwd', 'out'), lambda: os.mkfifo('pipe')):\n"
        "    try: make()\n    except OSError: pass\n"
        "os.mkdir('folder')\nopen('plain', 'w').write('x')"
    )
    ended = confined(program, keep=["out", "pipe", "plain", "folder", "../mine.py"], trust_code=trusted)
    assert (ended.files, ended.confined) == ({"plain": b"x"}, not trusted)


def test_code_is_refused_where_nothing_confines_it_unless_it_is_trusted(confined, monkeypatch):
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "macOS has none")
    with pytest.raises(ArgumentError) as error:
        confined("print(1)")
    assert str(error.value) == (
        "this system cannot confine untrusted code (this requires Linux 6.2 with Landlock and seccomp; macOS has "
        "none): run it there, in WSL 2 or in a container (toysearch docs install), or give trust_code=True "
        "if you trust the code"
    )
    ended = confined("print(1)", trust_code=True)
    assert (ended.output, ended.confined) == ("1\n", False)


@pytest.mark.parametrize(
    ("system", "machine", "abi", "lacks"),
    [
        ("macOS", "arm64", 7, "macOS has none"),
        ("Linux", "riscv64", 7, "there are no filters of system calls for riscv64"),
        ("Linux", "x86_64", -1, "has Landlock switched off"),
        ("Linux", "aarch64", 2, "has an older Landlock"),
        ("Linux", "aarch64", 3, ""),
    ],
)
def test_what_a_system_lacks(monkeypatch, system, machine, abi, lacks):
    monkeypatch.setattr(kernel_confinement, "SYSTEM", system)
    monkeypatch.setattr(kernel_confinement.platform, "machine", lambda: machine)
    monkeypatch.setattr(kernel_confinement, "_landlock_abi", lambda: abi)
    assert lacks in kernel_confinement.missing()
    assert bool(lacks) == bool(kernel_confinement.missing())


def test_a_confined_program_runs_another_in_its_own_process(confined, tmp_path):
    program = (
        "import os, pathlib\nfrom toysearch.classroom.sandbox.confined_run import run_confined\n"
        'pathlib.Path(\'inner.py\').write_text(\'import os; print(os.getpid()); open("out", "w").write("x"); 1 / 0\')\n'
        "ended = run_confined('inner.py', keep=['out'])\n"
        "print(ended.output == f'{os.getpid()}\\n', ended.ended, ended.sentence, ended.files, os.listdir())"
    )
    inner = "True failed ZeroDivisionError: division by zero {'out': b'x'} ['inner.py']\n"
    assert confined(program).output == inner


def test_the_last_line_of_a_program_reaches_no_terminal(confined):
    ended = confined("raise ValueError('a\\x1b[2J\\x1b]0;owned\\x07 b\\ud800' + 'c' * 10_000)")
    assert ended.sentence.startswith("ValueError: a [2J ]0;owned b")
    assert ended.sentence.isprintable()
    assert len(ended.sentence) == 300


def test_charts_can_be_drawn(confined):
    pytest.importorskip("vl_convert")
    program = "import vl_convert\nprint(vl_convert.vegalite_to_svg({'data': {'values': [{}]}, 'mark': 'point'})[:4])"
    assert confined(program).output == "<svg\n"


@pytest.mark.parametrize(
    ("program", "ended"),
    [
        (HELD.replace("MAPPED", "False"), "files"),
        (HELD.replace("MAPPED", "True"), "files"),
        ("import os\nfor n in range(2_500): os.mkdir(str(n))", "files"),
        (f"{DEEP}time.sleep(1000)", "files"),
        ("open('x', 'wb').write(bytes(30_000_000))", "done"),
    ],
    ids=["open", "mapped", "many", "deep", "allowed"],
)
def test_many_files_large_ones_and_removed_ones_meet_the_limit(confined, program, ended):
    assert confined(program, Limits(seconds=500, files=50_000_000)).ended == ended


def test_a_removed_file_in_memory_that_is_open_counts_as_large_as_it_is(confined, monkeypatch):
    class Noticed(Usage):
        """It tells the program when it has been looked at."""

        def met(self, *limits: int) -> str | None:
            ready = (self.work / "ready").exists()
            found = super().met(*limits)
            if ready:
                (self.work / "looked").touch()
            return found

    monkeypatch.setattr(sandbox, "Usage", Noticed)
    program = (
        "import numpy, os, tempfile, time\nfile = tempfile.TemporaryFile()\n"
        "values = numpy.memmap(file, shape=1000)\nopen('ready', 'w').close()\n"
        "while not os.path.exists('looked'): time.sleep(0.01)\nprint(values.sum())"
    )
    assert confined(program).output == "0\n"


def test_whatever_is_left_in_the_working_folder_is_removed(confined, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    confined(f"{DEEP}open('y', 'w').write('z')")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_thousands_of_threads_meet_the_limit(confined):
    program = (
        "import threading, time\nthreading.stack_size(65536)\n"
        "for n in range(5000): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\ntime.sleep(1000)"
    )
    assert confined(program).ended in ("threads", "failed")  # or the system's own limit


def test_nothing_of_the_request_is_on_the_command_line_or_in_the_environment(tmp_path, monkeypatch):
    started = []
    original = sandbox._Child

    def spy(command, folder, environment, asked):
        started.append((command, environment))
        return original(command, folder, environment, asked)

    monkeypatch.setattr(sandbox, "_Child", spy)
    monkeypatch.setenv("A_SECRET", "of the organiser")
    program = tmp_path / "mine.py"
    program.write_text("import sys; print(sys.argv[1])")
    assert run_confined(program, "the salt").output == "the salt\n"
    ((command, environment),) = started
    assert not any("salt" in part or "mine.py" in part for part in command)
    assert "A_SECRET" not in environment


def test_a_confined_program_does_not_outlive_the_one_that_started_it(tmp_path):
    beat, grader = tmp_path / "mine.py", tmp_path / "grader.py"
    beat.write_text("import time\nprint('z', flush=True)\ntime.sleep(1000)")
    grader.write_text(
        "import sys\nfrom toysearch.classroom.sandbox import confined_run\n"
        "original = confined_run._Child\n"
        "def spy(*a):\n    child = original(*a)\n    print(child.process.pid, flush=True)\n    return child\n"
        f"confined_run._Child = spy\nconfined_run.run_confined({str(beat)!r}, limits=confined_run.Limits(seconds=500))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(sandbox.__file__).parents[3]), "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, str(grader)], stdout=subprocess.PIPE, env=environment) as started:
        confined = os.pidfd_open(int(started.stdout.readline()))  # it can be read once the process has ended
        started.kill()
    assert select.select([confined], [], [], 60)[0] == [confined]
    os.close(confined)
