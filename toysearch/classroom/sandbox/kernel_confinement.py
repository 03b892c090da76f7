"""Confinement of this process by the Linux kernel, permanently, and the run of an untrusted program in it.

Landlock decides on files, seccomp on system calls, resource limits on time and memory. `confined_run.py` starts this
file as a script and sends it a JSON request on standard input. Nothing but the standard library is imported before
the process is confined. No privilege is needed, and root is confined like any other user. See landlock(7), seccomp(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.util
import itertools
import json
import os
import platform
import runpy
import stat
import struct
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toysearch.base import ArgumentError, replace
from toysearch.base.platform import SYSTEM, is_orphan, limit_resource, open_place

_PACKAGE = Path(__file__).resolve().parents[2]
_SHARE = 0.25  # of the memory of a program: the most that its page tables may take
_SITES = ("site-packages", "dist-packages")
_MOST_FILES, _MOST_THREADS, _DEEPEST = 2_000, 1_000, 50


class Usage:
    """Disk usage, threads and page tables of a running program."""

    def __init__(self, work: Path, pid: int) -> None:
        self.work = work
        self.process = Path("/proc", str(pid))

    def met(self, files: int, memory: int) -> str | None:
        """Return the limit that is currently exceeded: ``memory`` (by page tables), ``files`` or ``threads``."""
        if self._page_tables() > memory * _SHARE:
            return "memory"
        with contextlib.suppress(OSError):
            if len(os.listdir(self.process / "task")) > _MOST_THREADS:
                return "threads"
        return "files" if self.too_many(files) else None

    def _page_tables(self) -> int:
        """Return the bytes of the kernel's tables for the process's memory, which no limit of the kernel counts."""
        with contextlib.suppress(OSError, ValueError):
            status = (self.process / "status").read_text("utf-8", "replace")
            entry = next((line for line in status.splitlines() if line.startswith("VmPTE:")), "VmPTE: 0 kB")
            return 1024 * int(entry.split()[1])
        return 0

    def too_many(self, files: int) -> bool:
        """True if files exceed the limits of number, size or depth; removed files count while open."""
        infos = itertools.chain(_files(self.work), self._removed())
        size = 0
        for number, info in enumerate(infos):
            size += files + 1 if info is None else 0 if stat.S_ISDIR(info.st_mode) else info.st_size
            if size > files or number >= _MOST_FILES:
                return True
        return False

    def _removed(self) -> Iterator[os.stat_result | None]:
        """Yield the files that the process holds although they are removed; None for one of unknown size."""
        # A file of unknown size is mapped and not open: it may be much larger than the mapped piece.
        open_files = set()
        mapped = self._mapped()  # before the open ones: a file is closed after it is mapped
        with contextlib.suppress(OSError), os.scandir(self.process / "fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    info = os.stat(entry.path)
                    if stat.S_ISREG(info.st_mode) and not info.st_nlink:
                        open_files.add(info.st_ino)
                        yield info
        if mapped - open_files and mapped & self._mapped() - open_files:  # still there, not just released
            yield None

    def _mapped(self) -> set[int]:
        """Return the removed files of its folders that are in its memory, by number."""
        folder = f"{self.work.parent}{os.sep}"
        numbers = set()
        with contextlib.suppress(OSError):
            for line in (self.process / "maps").read_text("utf-8", "replace").splitlines():
                columns = line.split(maxsplit=5)  # addresses, rights, offset, device, number, name
                if len(columns) > 5 and columns[5].startswith(folder) and columns[5].endswith(" (deleted)"):
                    numbers.add(int(columns[4]))
        return numbers


def _files(folder: Path) -> Iterator[os.stat_result | None]:
    """Yield everything below a folder; None for entries that are unreadable or too deep; vanished ones are omitted."""
    waiting = [(str(folder), 0)]
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    yield entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except FileNotFoundError:
            continue
        except OSError:
            yield None
        if depth > _DEEPEST:
            yield None


def granted(more: Iterable[str | Path], hidden: Iterable[str | Path]) -> tuple[list[str], list[str]]:
    """Return the paths a program may read: Python, packages, toysearch and more; and folders that it may only list."""
    places = sysconfig.get_paths()
    base = [Path(places[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    base += [_PACKAGE, _PACKAGE.parent / "corpora", *(Path(entry) for entry in sys.path if Path(entry).name in _SITES)]
    base += [Path(at, name) for at in (sys.prefix, sys.base_prefix) for name in ("lib", "lib64", "share/jupyter")]
    extra = [Path(os.path.realpath(path)) for path in more]
    linked = []  # the collections in a folder are often links
    for root in extra:
        with contextlib.suppress(OSError):
            linked += [path for pattern in ("*", "*/*") for path in root.glob(pattern) if path.is_symlink()]
    out = [Path(os.path.realpath(path)) for path in hidden]
    readable: list[str] = []
    listed: list[str] = []
    for root in dict.fromkeys(Path(os.path.realpath(path)) for path in base + extra + linked):
        _grant(root, out, readable, listed)
    return list(dict.fromkeys(readable)), list(dict.fromkeys(listed))


def _grant(root: Path, hidden: Sequence[Path], readable: list[str], listed: list[str]) -> None:
    if any(root.is_relative_to(folder) for folder in hidden):
        return
    if not any(folder.is_relative_to(root) for folder in hidden):
        readable.append(str(root))
        return
    listed.append(str(root))
    with contextlib.suppress(OSError):
        for path in sorted(root.iterdir()):
            if not path.is_symlink():
                _grant(path, hidden, readable, listed)


def import_path(read: Sequence[str]) -> list[str]:
    """Return the import paths of this process that the program may read."""
    inside = tuple(f"{path}{os.sep}" for path in read)
    entries = [os.path.realpath(entry) for entry in sys.path if entry]
    return [entry for entry in entries if entry in read or entry.startswith(inside) or entry.endswith(_SITES)]


def put(work: Path, files: Mapping[str, bytes | str]) -> None:
    """Write files into the working folder."""
    for name, content in files.items():
        path = work / name
        if not path.resolve().is_relative_to(work):
            raise ArgumentError(f"'{name}' leads out of the working folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def kept(work: Path, names: Sequence[str], most: int) -> dict[str, bytes]:
    """Read the plain files inside the folder, and nothing else: a link could lead anywhere."""
    contents = {}
    for name in names:
        path = work / name
        with contextlib.suppress(OSError):
            info = path.lstat()
            if path.resolve() == path and stat.S_ISREG(info.st_mode) and info.st_size <= most:
                contents[name] = path.read_bytes()
    return contents


def removed(base: Path) -> None:
    """Remove a folder with everything in it, however deep: each folder is moved up before it is emptied."""
    number = itertools.count()
    waiting = [base]
    emptied = []
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
            with os.scandir(folder) as entries:
                children = list(entries)
            for entry in children:
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                        continue
                    try:
                        os.rmdir(entry.path)
                    except OSError:  # it has content
                        nearer = base / f".removed-{next(number)}"
                        os.chmod(entry.path, 0o700)  # moving a folder requires write permission for it
                        replace(entry.path, nearer)
                        waiting.append(nearer)
        emptied.append(folder)
    for folder in reversed(emptied):
        with contextlib.suppress(OSError):
            folder.rmdir()


ABI = 3  # the oldest sufficient Landlock (Linux 6.2): earlier versions allowed files to be emptied

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR, _TRUNCATE = 1 << 2, 1 << 3, 1 << 14
_FILE_RIGHTS = 1 << 1 | _READ_FILE | _TRUNCATE  # write, read, truncate
# Also: remove folders and files, make folders and files, rename. No links, pipes, sockets or devices.
_WRITABLE = _FILE_RIGHTS | _READ_DIR | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13
_SYSTEM = ("/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/self/maps")
_FOLDERS = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib64",
    "/usr/share/zoneinfo",
    "/sys/devices/system/cpu",
)

# ---- seccomp: name, number on x86_64, number on aarch64; every call that is not listed is refused ----

_ALLOWED = """
read 0 63, write 1 64, open 2 -, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, lseek 8 62, pread64 17 67, pwrite64 18 68,
readv 19 65, writev 20 66, preadv 295 69, pwritev 296 70, preadv2 327 286, pwritev2 328 287, access 21 -, openat 257 56,
newfstatat 262 79, statx 332 291, faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -,
getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, statfs 137 43, fstatfs 138 44, creat 85 -, rename 82 -,
renameat 264 38, renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35,
ftruncate 77 46, fadvise64 221 223, fsync 74 82, fdatasync 75 83, flock 73 32, umask 95 166, sendfile 40 71,
copy_file_range 326 285, dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -, pipe2 293 59, close_range 436 436,
mprotect 10 226, munmap 11 215, brk 12 214, mremap 25 216, msync 26 227, mincore 27 232, pkey_alloc 330 289,
pkey_mprotect 329 288, pkey_free 331 290, futex 202 98, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293,
membarrier 324 283, arch_prctl 158 -, sched_yield 24 124, sched_getaffinity 204 123, sched_getparam 143 121,
sched_getscheduler 145 120, getcpu 309 168, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95,
restart_syscall 219 128, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -, alarm 37 -, getitimer 36 102,
setitimer 38 103, timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109,
timer_delete 226 111, nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114,
gettimeofday 96 169, time 201 -, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -,
epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -,
eventfd2 290 19, timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87, sendto 44 206, recvfrom 45 207,
shutdown 48 210, getsockname 51 204, getpeername 52 205, getsockopt 55 209, getpid 39 172, getppid 110 173,
gettid 186 178, getpgrp 111 -, getpgid 121 155, getsid 124 156, getuid 102 174, geteuid 107 175, getgid 104 176,
getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, uname 63 160, sysinfo 99 179, times 100 153,
getrusage 98 165, getrlimit 97 163, getrandom 318 278
"""
_ANSWERED = {
    # Setting modes and times reports success and does nothing: Landlock does not cover it, and copying needs it.
    0: "chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, utime 132 -, utimes 235 -, utimensat 280 88",
    # Reserved room that no size shows, and attributes: as on a file system that has neither.
    errno.EOPNOTSUPP: "fallocate 285 47, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, "
    "llistxattr 195 12, flistxattr 196 13",
}
_NEWEST = 450  # from here on unknown calls do not exist, so that a newer C library takes an older one
_THREAD = (0x3D0F00, 0x7D0F00)  # the flags of clone(2) for a thread, of glibc and of musl
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # no owner and no signal of a descriptor, no lease, no watch
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_PRCTL = (15, 16, 0x53564D41)  # a thread's name, a mapping's name
_STREAM = (1, 1 | 0x800, 1 | 0x80000, 1 | 0x80800)  # SOCK_STREAM, with and without NONBLOCK and CLOEXEC
_SHARED, _ANONYMOUS, _GROWSDOWN = 0x01, 0x20, 0x100
_OFFLINE = (100, 101)  # advice by which root takes pages of the machine's memory out of use
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # AUDIT_ARCH, number above
_Step = tuple[int, int, int, int]
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _REFUSE, _END = 0x7FFF0000, 0x00050000, 0x80000000
_NO_NEW_PRIVS, _GET_SECCOMP, _SECCOMP, _FILTER, _PARENT_DEATH = 38, 21, 22, 2, 1


def missing() -> str:
    """Return the feature that this system lacks to confine a process; empty if it lacks none."""
    if SYSTEM != "Linux":
        return f"{SYSTEM} has none"
    if platform.machine() not in _ARCHITECTURES:
        return f"there are no filters of system calls for {platform.machine()}"
    abi = _landlock_abi()
    if abi < ABI:
        return f"Linux {platform.release()} {'has Landlock switched off' if abi < 1 else 'has an older Landlock'}"
    return "" if _prctl(_GET_SECCOMP) >= 0 else f"Linux {platform.release()} has no seccomp"


def limit(cpu_seconds: int, memory: int, files: int) -> None:
    """Set the limits that this system supports; memory counts when it is writable, not when it is reserved."""
    for name, soft, hard in (
        ("RLIMIT_CPU", cpu_seconds, cpu_seconds + 1),
        ("RLIMIT_DATA", memory, memory),
        ("RLIMIT_FSIZE", files, files),
        ("RLIMIT_NOFILE", 512, 512),
        ("RLIMIT_MSGQUEUE", 0, 0),
        ("RLIMIT_CORE", 0, 0),
    ):
        limit_resource(name, soft, hard)


def confine(readable: Iterable[str], listed: Iterable[str], writable: Iterable[str]) -> None:
    """Confine this process permanently."""
    _call(_prctl(_NO_NEW_PRIVS, 1))
    _confine_files(readable, listed, writable)
    program = _program()
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    _call(_prctl(_SECCOMP, _FILTER, ctypes.addressof(head)))


def _landlock_abi() -> int:
    return int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def _confine_files(readable: Iterable[str], listed: Iterable[str], writable: Iterable[str]) -> None:
    """Restrict every right that this kernel knows, and grant the few that are needed."""
    abi, system = _landlock_abi(), _libc().syscall
    rights = (1 << (16 if abi >= 5 else 15)) - 1
    # After the files: TCP; signals and abstract sockets.
    attributes = struct.pack("QQQ", rights, 0b11, 0b11)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    ruleset = _call(system(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0)))
    reading = [*readable, *_SYSTEM, *_FOLDERS]
    writing = [*writable, os.devnull]
    for paths, allowed in ((reading, _READ_FILE | _READ_DIR), (listed, _READ_DIR), (writing, _WRITABLE)):
        for path in paths:
            try:
                place = open_place(path)
            except OSError:  # not there
                continue
            granted = allowed if stat.S_ISDIR(os.fstat(place).st_mode) else allowed & _FILE_RIGHTS
            if granted:
                _call(system(_ADD_RULE, ruleset, 1, struct.pack("=Qi", granted, place), ctypes.c_uint(0)))
            os.close(place)
    _call(system(_RESTRICT, ruleset, ctypes.c_uint(0)))
    os.close(ruleset)


def _program() -> list[_Step]:
    """Build the filter: calls allowed, calls allowed with some arguments, and a refusal of all others."""
    audit, pick = _ARCHITECTURES[platform.machine()]
    allowed, refused = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _END), (_LOAD, 0, 0, 0)]
    for number in _numbers(_ALLOWED, pick):
        program += [(_EQUAL, 0, 1, number), allowed]
    for answer, table in _ANSWERED.items():
        for number in _numbers(table, pick):
            program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | answer)]
    process = (os.getpid(),)
    # mmap only of files and of memory that RLIMIT_DATA counts: neither shared memory without a file, nor a stack.
    kinds = [((_AND, 0, 0, flags), (_EQUAL, 0, 1, flags)) for flags in (_SHARED | _ANONYMOUS, _GROWSDOWN)]
    mapped = [step for kind in kinds for step in (_argument(3), *kind, refused)]
    offline = [step for domain in _OFFLINE for step in ((_EQUAL, 0, 1, domain), refused)]
    own_limits = [*_zero(0, refused), *_zero(2, refused), allowed]
    for numbers, body in (
        ((56, 220), _one_of(0, _THREAD, errno.EPERM)),  # clone: threads, no processes
        ((435, 435), [(_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]),  # clone3, whose flags a filter cannot see
        ((62, 129), _one_of(0, process, errno.EPERM)),  # kill
        ((234, 131), _one_of(0, process, errno.EPERM)),  # tgkill
        ((72, 25), _one_of(1, _FCNTL, errno.EPERM)),
        ((16, 29), _one_of(1, _IOCTL, errno.ENOTTY)),
        ((157, 167), _one_of(0, _PRCTL, errno.EPERM)),
        ((302, 261), own_limits),  # prlimit64, for reading only
        ((53, 199), [_argument(0), (_EQUAL, 1, 0, 1), refused, *_one_of(1, _STREAM, errno.EPERM)]),  # socketpair
        ((28, 233), [_argument(2), *offline, allowed]),
        ((9, 222), [*mapped, allowed]),
    ):
        program += [(_EQUAL, 0, len(body), numbers[pick]), *body]
    return [*program, (_AT_LEAST, 0, 1, _NEWEST), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS), refused]


def _numbers(table: str, pick: int) -> list[int]:
    columns = [entry.split()[1 + pick] for entry in table.split(",")]
    return [int(number) for number in columns if number != "-"]


def _argument(place: int) -> _Step:
    """Load the lower half of an argument: the part the kernel uses of a process, a command or flags."""
    return _LOAD, 0, 0, 16 + 8 * place


def _one_of(place: int, values: Sequence[int], problem: int) -> list[_Step]:
    allowed = [step for value in values for step in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW))]
    return [_argument(place), *allowed, (_RETURN, 0, 0, _REFUSE | problem)]


def _zero(place: int, refused: _Step) -> list[_Step]:
    """Refuse the call unless both halves of an argument are zero."""
    upper = (_LOAD, 0, 0, 16 + 8 * place + 4)
    return [_argument(place), (_EQUAL, 1, 0, 0), refused, upper, (_EQUAL, 1, 0, 0), refused]


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, *values: int) -> int:
    return int(_libc().prctl(option, *(ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4])))


def _call(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Finder:
    """Finder of toysearch where only its package folder is readable."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of the package, for the name ``toysearch``."""
        if name == "toysearch":
            package = os.path.abspath(os.path.join(__file__, "..", "..", ".."))
            place = os.path.join(package, "__init__.py")
            return importlib.util.spec_from_file_location(name, place, submodule_search_locations=[package])
        return None


def run_program(target: str, is_file: bool) -> int:
    """Run a file or a module as the main program and return its exit code."""
    try:
        if is_file:
            runpy.run_path(target, run_name="__main__")
        else:
            runpy.run_module(target, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, int) or ended.code is None:
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException as error:
        frame = error.__traceback__  # shown from the program's first line on
        while frame and (frame.tb_frame.f_code.co_filename == __file__ or "runpy" in frame.tb_frame.f_code.co_filename):
            frame = frame.tb_next
        traceback.print_exception(type(error), error, frame)
        return 1
    return 0


def main() -> None:
    """Read the request, confine this process and run the program."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if SYSTEM == "Linux":  # this process ends with the one that started it, however that one ends
        _prctl(_PARENT_DEATH, 9)
    if is_orphan(request["parent"]):
        os._exit(1)
    limit(**request["limits"])
    if request["confined"]:
        confine(request["readable"], request["listed"], request["writable"])
    sys.path[:] = request["path"]
    sys.argv = [request["target"], *request["arguments"]]
    sys.meta_path.insert(0, Finder())
    code = run_program(request["target"], request["is_file"])
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or replaced
            stream.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
