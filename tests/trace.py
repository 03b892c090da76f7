"""How far the five everyday calls go: files and functions of the package that a second call enters.

`python tests/trace.py` prints one line per call; `python tests/trace.py --list evaluate` prints the functions of one.
A profile hook counts the package's own Python functions; imports and everything done once per process are left out.
"""

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import toysearch

PACKAGE = str(Path(toysearch.__file__).parent) + "/"


class Trace(NamedTuple):
    """The functions that a call enters, as (file, name), in the order of their first call, and how deep they nest."""

    functions: list[tuple[str, str]]
    depth: int

    @property
    def files(self) -> list[str]:
        """The files of the functions, each once."""
        return list(dict.fromkeys(file for file, _ in self.functions))


def trace(call: Callable[[], object]) -> Trace:
    """What the second call of a function enters."""
    call()
    entered: dict[CodeType, None] = {}
    depth = deepest = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(PACKAGE) or code.co_name.startswith("<"):
            return  # lambdas and comprehensions are part of the function around them
        if event == "return":
            depth -= 1
            return
        depth += 1
        deepest = max(deepest, depth)
        entered.setdefault(code)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Trace([(code.co_filename.removeprefix(PACKAGE), code.co_qualname) for code in entered], deepest)


def calls() -> dict[str, Callable[[], object]]:
    """The calls by name: two of the library, three of the command line."""
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    qrels = {"1": {"a": 1, "c": 1}, "2": {"a": 1, "b": 0}}
    searcher = toysearch.Searcher(toysearch.Index.build(["the cat sat", "a cat and a dog", "the parrot spoke"]), "bm25")
    return {
        "search in memory": lambda: searcher.search("cat dog"),
        "evaluate": lambda: toysearch.evaluate(run=run, qrels=qrels),
        "search companions": _command("search", "companions", "removing a tick", "-k", "4"),
        "eval companions": _command("eval", "companions", "--model", "bm25"),
        "compare companions": _command("compare", "companions", "--model", "bm25", "--model", "cosine"),
    }


def _command(*arguments: str) -> Callable[[], object]:
    """A run of the command line whose output is dropped."""

    def run() -> None:
        from toysearch.cli.main import main

        before = sys.argv
        sys.argv = ["toysearch", *arguments]
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"toysearch {' '.join(arguments)} ended with {end.code}") from end
        finally:
            sys.argv = before

    return run


def main(arguments: list[str]) -> None:
    """Print a line per call, or with --list the functions of the calls that are named."""
    listed = arguments[1:] if arguments[:1] == ["--list"] else []
    print(f"{'call':20s}{'files':>7s}{'functions':>11s}{'depth':>7s}")
    for name, call in calls().items():
        if arguments and name not in (listed or arguments):
            continue
        found = trace(call)
        print(f"{name:20s}{len(found.files):7d}{len(found.functions):11d}{found.depth:7d}")
        if listed:
            print(*(f"    {file:40s} {function}" for file, function in found.functions), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
