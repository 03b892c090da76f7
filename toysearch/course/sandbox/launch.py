"""Run as a script in a process of its own: confines it, then runs somebody's program.

`toysearch.course.sandbox.confined` starts it, and tells it on standard input (JSON) what to run. Before the process is
confined, only the standard library is imported.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import runpy
import sys
import traceback
from typing import Any


class CopiedLoops:
    """Copies the compiled loops when numba is first imported: the user's own can be read here, not written."""

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """As a finder of modules, which finds none."""
        if name == "numba":
            sys.meta_path.remove(self)
            import shutil

            with contextlib.suppress(OSError, shutil.Error):  # another process may be compiling just now
                shutil.copytree(self.source, self.target, dirs_exist_ok=True)


class Toysearch:
    """Finds toysearch's package, of whose folder only the package can be read."""

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """As a finder of modules, which finds one."""
        if name != "toysearch":
            return None
        place = os.path.join(self.package, "__init__.py")
        return importlib.util.spec_from_file_location(name, place, submodule_search_locations=[self.package])


def run(target: str, is_file: bool) -> int:
    """Run a file or a module as the main program; its exit code."""
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
        _print(error)
        return 1
    return 0


def _print(error: BaseException) -> None:
    """Print the traceback from the user's first line on: what is above is how the program was started."""
    frame = error.__traceback__
    while frame is not None and (
        frame.tb_frame.f_code.co_filename == __file__ or "runpy" in frame.tb_frame.f_code.co_filename
    ):
        frame = frame.tb_next
    traceback.print_exception(type(error), error, frame)


def main() -> None:
    """Do what is asked."""
    asked: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    kernel = runpy.run_path(os.path.join(os.path.dirname(__file__), "kernel.py"))
    kernel["end_with"](asked["parent"])
    kernel["limit"](**asked["limits"])
    if asked["confined"]:
        kernel["confine"](asked["readable"], asked["listed"], asked["writable"])
    sys.path[:] = asked["path"]
    sys.argv = [asked["target"], *asked["arguments"]]
    sys.meta_path[:0] = [Toysearch(), CopiedLoops(*asked["loops"])]
    code = run(asked["target"], asked["is_file"])
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or replaced
            stream.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
