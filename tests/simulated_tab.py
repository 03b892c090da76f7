"""A simulated tab of a browser: 32 bits, and neither threads nor processes, sockets, locks, alarms nor limits."""

import errno
import importlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from numpy_of_32_bits import of_32_bits

ABSENT = ("fcntl", "msvcrt", "resource", "Stemmer", "vl_convert", "uvicorn", "distributed", "dask")
"""Modules that Pyodide has not."""


class _Absent:
    """A finder of modules that refuses those."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


def _no_thread(*values: object, **options: object) -> None:
    raise RuntimeError("can't start new thread")


def _no_process(*values: object, **options: object) -> None:
    raise OSError(errno.ENOTSUP, "emscripten does not support processes.")


def _no_socket(*values: object, **options: object) -> None:
    raise OSError(errno.EHOSTUNREACH, "Host is unreachable")


@contextmanager
def a_tab() -> Iterator[None]:
    """What toysearch finds in a tab of a browser."""
    from toysearch.base import optional_packages, platform

    importlib.import_module("toysearch.retrieval.fuzzy_and_wildcard_terms")  # characters of 32 bits, on every system

    with of_32_bits(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "meta_path", [_Absent(), *sys.meta_path])
        for module in [name for name in sys.modules if name.partition(".")[0] in ABSENT]:
            patch.delitem(sys.modules, module)
        optional_packages.present.cache_clear()
        patch.setattr(platform, "sys", SimpleNamespace(platform="emscripten", maxsize=(1 << 31) - 1))
        patch.setattr(platform, "SYSTEM", "a browser")
        patch.setattr(platform, "ALONE", True)
        patch.setattr(threading.Thread, "start", _no_thread)
        patch.setattr(subprocess.Popen, "__init__", _no_process)
        for name in ("fork", "posix_spawn", "spawnv", "system", "sched_getaffinity"):
            patch.delattr(os, name, raising=False)
        patch.setattr(os, "cpu_count", lambda: 1)
        for name in ("setitimer", "getitimer", "SIGALRM", "ITIMER_REAL"):
            patch.delattr(signal, name, raising=False)
        patch.setattr(multiprocessing.Process, "start", _no_process)
        for name in ("connect", "connect_ex", "bind", "listen"):
            patch.setattr(socket.socket, name, _no_socket)
        patch.setattr(socket, "getaddrinfo", _no_socket)
        yield
        optional_packages.present.cache_clear()
