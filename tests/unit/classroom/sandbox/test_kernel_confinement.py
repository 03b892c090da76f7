"""Attacks on the sandbox: each really runs. Confined it gets nowhere, without the kernel's help it gets through."""

import json
import os
import platform
import struct
from pathlib import Path

import pytest
from student_notebooks import needs_confinement
from tiers import thinned

from toysearch.classroom.sandbox import kernel_confinement
from toysearch.classroom.sandbox.confined_run import Limits, run_confined

pytestmark = [pytest.mark.system, pytest.mark.waits, needs_confinement]

FRAMES = """
import sys
frame = sys._getframe()
while frame:
    for scope in (frame.f_locals, frame.f_globals):
        for value in list(scope.values()):
            for inner in [value, *(value.values() if isinstance(value, dict) else ())]:
                if isinstance(inner, list) and inner and all(isinstance(each, str) for each in inner):
                    inner[:] = ["/"]
    frame = frame.f_back
"""
SHELL = """
import sys
sys.modules.pop("_posixsubprocess", None)
import os, _posixsubprocess as p
r, w = os.pipe()
p.fork_exec([b"/bin/sh", b"-c", b"echo through > SECRET/made"], [b"/bin/sh"], True, (), None, None, -1, -1, -1, -1, -1,
            -1, r, w, False, False, 0, None, None, None, -1, None, False)
os.wait()
print(open("SECRET/made").read())
"""
OUTLIVING = """
import ctypes, os
libc = ctypes.CDLL(None)
r, w = os.pipe()
first = libc.fork()
if first == 0:
    os.setsid()
    if libc.fork() == 0:
        open("SECRET/made", "w").write("through")
        os.write(w, b"x")
    os._exit(0)
assert first > 0 and os.read(r, 1)
print(open("SECRET/made").read())
"""
CTYPES = "import ctypes, os, struct\nlibc = ctypes.CDLL(None, use_errno=True)\n"
SIGIO = """
import fcntl, os, signal
r, w = os.pipe()
fcntl.fcntl(r, fcntl.F_SETOWN, VICTIM)
fcntl.fcntl(r, 10, signal.SIGURG)
fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(w, b"x")
print("through")
"""

ATTACKS = {
    "reading by a folder's descriptor": "import os\nf = os.open('SECRET', os.O_RDONLY)\n"
    "print(os.read(os.open('judgments', os.O_RDONLY, dir_fd=f), 60))",
    "writing by a folder's descriptor": "import os\nf = os.open('SECRET', os.O_PATH)\n"
    "os.write(os.open('made', os.O_WRONLY | os.O_CREAT, dir_fd=f), b'x'); print('through')",
    "climbing by descriptors": "import os\nf = os.open('.', os.O_RDONLY)\n"
    "for n in range(30): f = os.open('..', os.O_RDONLY, dir_fd=f)\n"
    "print(os.read(os.open('SECRET/judgments'[1:], os.O_RDONLY, dir_fd=f), 60))",
    "emptying lists through frames": FRAMES + "print(open('SECRET/judgments').read())",
    "appending to a file": "open('SECRET/judgments', 'a').write('x'); print('through')",
    "emptying a file": "import os\nos.truncate('SECRET/empty', 0); print('through')",
    "emptying a file opened to read": "import os\nos.open('SECRET/empty', os.O_RDONLY | os.O_TRUNC); print('through')",
    "making a folder": "import os\nos.mkdir('SECRET/made'); print('through')",
    "renaming": "import os\nos.rename('SECRET/empty', 'SECRET/made'); print('through')",
    "removing": "import os\nos.unlink('SECRET/empty'); print('through')",
    "a hard link": "import os\nos.link('SECRET/judgments', 'mine'); print(open('mine').read())",
    "a symbolic link": "import os\nos.symlink('SECRET/judgments', 'mine'); print(open('mine').read())",
    "listing": "import os\nprint('through' if 'judgments' in os.listdir('SECRET') else '')",
    "a library's own open": CTYPES + "f = libc.open(b'SECRET/judgments', 0)\nprint(os.read(f, 60))",
    "a system call by its number": CTYPES + "print(os.read(libc.syscall(OPENAT, -100, b'SECRET/judgments', 0), 60))",
    "a thread of its own": "import threading\n"
    "t = threading.Thread(target=lambda: print(open('SECRET/judgments').read()))\n"
    "t.start(); t.join()",
    "a shell, past what was patched": SHELL,
    "a process that leaves the session": OUTLIVING,
    "becoming another program": "import os\nos.execv('/bin/echo', ['echo', 'through'])",
    "the organiser's environment": "import os\n"
    "print('through' if open(f'/proc/{os.getppid()}/environ', 'rb').read() else '')",
    "the organiser's command line": "import os\n"
    "print('through' if open(f'/proc/{os.getppid()}/cmdline', 'rb').read() else '')",
    "a signal to another": "import os, signal\nos.kill(VICTIM, signal.SIGURG); print('through')",
    "a signal by a descriptor": "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(VICTIM), signal.SIGURG)\n"
    "print('through')",
    "a signal by a thread's number": CTYPES + "assert libc.syscall(TGKILL, VICTIM, VICTIM, 23) == 0; print('through')",
    "a signal by a pipe": SIGIO,
    "a limit of another": "import resource\nresource.prlimit(VICTIM, resource.RLIMIT_CORE, (0, 0)); print('through')",
    "a limit of its own": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)); print('through')",
    "outliving the parent": CTYPES + "assert libc.prctl(1, 0, 0, 0, 0) == 0; print('through')",
    "the memory of another": CTYPES
    + "assert libc.ptrace(16, VICTIM, 0, 0) == 0; libc.ptrace(17, VICTIM, 0, 0); print('through')",
    "a pipe with a name": "import os\nos.mkfifo('pipe'); print('through')",
    "a device": "import os, stat\nos.mknod('null', 0o600 | stat.S_IFCHR, os.makedev(1, 3)); print('through')",
    "memory as a file": "import os\nos.memfd_create('x'); print('through')",
    "shared memory": "import mmap\nmmap.mmap(-1, 100); print('through')",
    "memory as a stack, which no limit counts": CTYPES + "libc.mmap.restype = ctypes.c_ssize_t\n"
    "assert libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x122, -1, ctypes.c_long(0)) > 0; print('through')",
    "the buffer of a socket": "import socket\na, b = socket.socketpair()\n"
    "a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10_000); print('through')",
    "shared memory with a name": "import _posixshmem, os\n"
    "_posixshmem.shm_open('/toysearch-test', os.O_CREAT | os.O_RDWR, mode=0o600)\n"
    "_posixshmem.shm_unlink('/toysearch-test'); print('through')",
    "a network socket": "import socket\nsocket.socket(); print('through')",
    "an abstract socket": "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0toysearch-test'); print('through')",
    "a raw socket": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW); print('through')",
    "a namespace": CTYPES + "assert libc.unshare(0x10000000) == 0; print('through')",
    "io_uring": CTYPES + "assert libc.syscall(425, 1, ctypes.create_string_buffer(200)) >= 0; print('through')",
    "a keyring": CTYPES + "assert libc.syscall(KEYCTL, 0, -3, 1) >= 0; print('through')",
    "the mode of a file": "import os, stat\nos.chmod('SECRET/empty', 0o640)\n"
    "print('through' if stat.S_IMODE(os.stat('SECRET/empty').st_mode) == 0o640 else '')",
    "the times of a file": "import os\nos.utime('SECRET/empty', (1, 1))\n"
    "print('through' if os.stat('SECRET/empty').st_mtime == 1 else '')",
}
NOT_EVERYWHERE = {"io_uring", "a keyring", "a namespace", "a device", "the memory of another", "a raw socket"}
NOT_EVERYWHERE |= {"shared memory with a name"}
"""What a system may refuse to everybody."""

CONTROLS = {
    "reading by a folder's descriptor": "import os\nos.mkdir('d'); open('d/x', 'w').write('through')\n"
    "print(os.read(os.open('x', os.O_RDONLY, dir_fd=os.open('d', os.O_RDONLY)), 60))",
    "writing": "import os\nos.mkdir('e'); open('e/x', 'w').write('x'); os.rename('e/x', 'y')\n"
    "open('y', 'r+').truncate(0); os.unlink('y'); os.rmdir('e'); print('through')",
    "copying": "import shutil\nopen('a', 'w').write('through'); shutil.copy2('a', 'b'); print(open('b').read())",
    "threads": "from concurrent.futures import ThreadPoolExecutor\n"
    "print(ThreadPoolExecutor(3).submit(str, 'through').result())",
    "an event loop": "import asyncio\nasyncio.run(asyncio.sleep(0.01)); print('through')",
    "a signal to itself": "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('through'))\n"
    "os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(signal.SIGUSR1)",
    "an alarm": "import signal\nrung = []\nsignal.signal(signal.SIGALRM, lambda *_: rung.append('through'))\n"
    "signal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile not rung: pass\nprint(*rung)",
    "its limits": "import resource\nprint('through' if resource.getrlimit(resource.RLIMIT_CORE) == (0, 0) else '')",
    "compiled loops": "from toysearch.compiled import posting_sort\n"
    "print('' if posting_sort.__file__.endswith('.py') else 'through')",
    "arrays": "import numpy as np\n"
    "print('through' if (np.ones((300, 300)) @ np.ones((300, 300)))[0, 0] == 300 else '')",
    "temporary files": "import tempfile\nf = tempfile.TemporaryFile(); f.write(b'through'); f.seek(0); print(f.read())",
    "toysearch": "import toysearch\nc = toysearch.load('cat-dog-parrot')\n"
    "run = toysearch.Searcher(toysearch.Index.build(c)).run(c.judged_queries)\n"
    "toysearch.write_run(run, 'r')\n"
    "print('through' if toysearch.evaluate(toysearch.read_run('r'), c.qrels, 'AP')['AP'] else '')",
}


EACH = """
import contextlib, io, json
for name, code in json.load(open("codes")).items():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(code, {})
        except BaseException as error:
            print(type(error).__name__)
    print(json.dumps([name, printed.getvalue()]))
"""


@pytest.fixture
def attack(tmp_path: Path):
    """Run a program that knows where something is that it must not reach, and a process that it must not touch."""
    secret = tmp_path / "board"
    secret.mkdir()
    (secret / "judgments").write_text("through")
    (secret / "empty").write_text("kept")
    numbers = {"x86_64": (257, 234, 250), "aarch64": (56, 131, 219)}[platform.machine()]
    names = dict(zip(("OPENAT", "TGKILL", "KEYCTL"), map(str, numbers), strict=True))

    def run(program: str, trusted: bool = False, codes: dict[str, str] | None = None):
        path, text = tmp_path / "mine.py", json.dumps(codes or {})
        for name, value in ({"SECRET": str(secret), "VICTIM": str(os.getpid())} | names).items():
            program, text = program.replace(name, value), text.replace(name, value)
        path.write_text(program)
        return run_confined(path, limits=Limits(seconds=300), trust_code=trusted, files={"codes": text})

    run.secret = secret
    return run


def printed_by_each(attack, codes: dict[str, str]) -> dict[str, str]:
    """What each of some programs prints, one after the other in one process: to start Python takes long."""
    ended = attack(EACH, codes=codes)
    printed = dict(map(json.loads, ended.output.splitlines()))
    assert list(printed) == list(codes), ended.errors
    return printed


def test_no_attack_gets_anywhere(attack):
    codes = dict(sorted(ATTACKS.items(), key=lambda each: FRAMES in each[1]))  # that one spoils what comes later
    assert {name: said for name, said in printed_by_each(attack, codes).items() if "through" in said} == {}
    assert {path.name: path.read_text() for path in attack.secret.iterdir()} == {
        "judgments": "through",
        "empty": "kept",
    }
    assert len(codes) == 44


@pytest.mark.parametrize("name", thinned((name for name in ATTACKS if name not in NOT_EVERYWHERE), 6))
def test_the_same_attack_gets_through_where_nothing_confines_it(attack, name, monkeypatch):
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "it is switched off")
    assert "through" in attack(ATTACKS[name], trusted=True).output


def test_honest_code_works(attack):
    printed = printed_by_each(attack, CONTROLS)
    assert {name: said for name, said in printed.items() if "through" not in said} == {}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86_64 has other doors to the kernel")
def test_the_numbers_of_other_architectures_lead_nowhere(attack):
    # x32: the same calls with a bit more; 64-bit open is 2
    assert (
        "through" not in attack(CTYPES + "print(os.read(libc.syscall(0x40000002, b'SECRET/judgments', 0), 60))").output
    )
    ended = attack(CTYPES + "libc.syscall(0x40000000 + 41, 2, 1, 0)\nprint(ctypes.get_errno())")
    assert ended.output in ("1\n", "38\n")


NUMBERS = {  # from the kernel's tables of system calls
    "x86_64": {"read": 0, "openat": 257, "clone": 56, "kill": 62, "execve": 59, "fork": 57, "socket": 41, "ptrace": 101}
    | {"prlimit64": 302, "io_uring_setup": 425, "clone3": 435, "fchmodat": 268, "mmap": 9, "socketpair": 53}
    | {"madvise": 28},
    "aarch64": {"read": 63, "openat": 56, "clone": 220, "kill": 129, "execve": 221, "fork": -1, "socket": 198}
    | {"ptrace": 117, "prlimit64": 261, "io_uring_setup": 425, "clone3": 435, "fchmodat": 53, "mmap": 222}
    | {"socketpair": 199, "madvise": 233},
}
ALLOWED, PRETENDED, NO_SUCH_CALL, NOT_PERMITTED, ENDED = 0x7FFF0000, 0x50000, 0x50026, 0x50001, 0x80000000


def answer(machine: str, call: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says to a system call: its program, run step by step."""
    audit = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine] if architecture is None else architecture
    data = struct.pack("<IIQ6Q", call, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    program, place, value = kernel_confinement._program(), 0, 0
    while True:
        code, yes, no, k = program[place]
        place += 1
        if code == 0x06:
            return k
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            value &= k
        else:
            place += yes if (value == k if code == 0x15 else value >= k) else no


@pytest.mark.parametrize("machine", NUMBERS)
def test_what_the_filter_says_on_each_machine(machine, monkeypatch):
    monkeypatch.setattr(kernel_confinement.platform, "machine", lambda: machine)
    number = NUMBERS[machine]
    own = os.getpid()
    for call in ("read", "openat"):
        assert answer(machine, number[call]) == ALLOWED
    for call in ("execve", "socket", "ptrace", "io_uring_setup"):
        assert answer(machine, number[call]) == NOT_PERMITTED
    assert answer(machine, number["clone"], 0x3D0F00) == ALLOWED
    for flags in (0, 17, 0x4111, 0x10000, 0x3D0F00 | 0x10000000):
        assert answer(machine, number["clone"], flags) == NOT_PERMITTED
    assert answer(machine, number["clone3"], 0x3D0F00) == NO_SUCH_CALL
    assert answer(machine, 470) == NO_SUCH_CALL
    assert answer(machine, number["kill"], own, 9) == ALLOWED
    for victim in (0, 1, own + 1, os.getppid(), 2**32 - 1):
        assert answer(machine, number["kill"], victim, 9) == NOT_PERMITTED
    assert answer(machine, number["prlimit64"], 0, 7, 0, 12345) == ALLOWED
    for pid, new in ((own, 0), (1, 0), (0, 12345), (0, 2**32), (2**32, 0)):
        assert answer(machine, number["prlimit64"], pid, 7, new) == NOT_PERMITTED
    assert answer(machine, number["fchmodat"]) == PRETENDED
    assert answer(machine, number["mmap"], 0, 4096, 3, 0x22) == ALLOWED
    for flags in (0x21, 0x23, 0x100, 0x122, 0x20122):
        assert answer(machine, number["mmap"], 0, 4096, 3, flags) == NOT_PERMITTED
    assert answer(machine, number["madvise"], 0, 4096, 4) == ALLOWED
    for advice in (100, 101):
        assert answer(machine, number["madvise"], 0, 4096, advice) == NOT_PERMITTED
    assert answer(machine, number["socketpair"], 1, 1) == ALLOWED
    for domain, kind in ((2, 1), (1, 2), (16, 3)):
        assert answer(machine, number["socketpair"], domain, kind) == NOT_PERMITTED
    assert answer(machine, number["read"] + 0x40000000) == NO_SUCH_CALL
    assert answer(machine, number["read"], architecture=0x40000003) == ENDED
