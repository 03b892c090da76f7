"""What a benchmark is asked to do: how large, how often, with which tools."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from peers import OURS, Tool
from processes import HERE, Unavailable


class Plan(NamedTuple):
    """The settings that all tables share.

    Attributes
    ----------
    cache : Path
        Where workloads, indexes and the log are kept.
    python : Path
        The interpreter of the peers.
    available : set of str
        The modules that it finds.
    scale : float
        Part of the documents and queries.
    rounds : int
        How many fresh processes do the same; the least time counts.
    only : str
        Besides toysearch only tools whose name contains this.
    """

    cache: Path
    python: Path
    available: frozenset[str] = frozenset()
    scale: float = 1.0
    rounds: int = 5
    only: str = ""

    def count(self, full: int, least: int) -> int:
        """A number of documents or queries at this scale, but not too few."""
        return max(least, round(full * self.scale))

    def tools(self, tools: tuple[Tool, ...]) -> list[Tool]:
        """Those that can be had and are wanted."""
        wanted = [tool for tool in tools if tool == OURS or self.only in tool.name]
        return [tool for tool in wanted if self.available.issuperset(tool.modules)]

    def runner(self, kind: str, tool: Tool, folder: Path, *options: str) -> list[str]:
        """What starts the script of a tool."""
        script = HERE / "runners" / f"{kind}_with_{tool.script}.py"
        python = sys.executable if tool == OURS else str(self.python)
        variant = ["--variant", tool.variant] if tool.variant else []
        return [python, str(script), str(folder), *variant, *options]


def user_cache() -> Path:
    """The folder that workloads are kept in: toysearch's own cache, where it is not told another."""
    from toysearch.base.platform import cache_folder

    return cache_folder() / "benchmarks"


def synthetic_name(n: int, tokens: int = 55) -> str:
    """The name of the folder of a synthetic collection."""
    return f"synthetic-{n}x{tokens}"


def evaluation_name(n_queries: int, depth: int = 1000) -> str:
    """The name of the folder of a run and its judgments."""
    return f"evaluation-{n_queries}x{depth}"


SIZES = {"synthetic": ("--documents", "--tokens"), "evaluation": ("--queries", "--depth")}


@cache
def make(folder: Path) -> None:
    """Make the files of a workload by the name of its folder, where they are not there.

    A process of its own does it: the memory of this one would count as that of the processes it starts.

    Raises
    ------
    Unavailable
        If they cannot be had on this machine.
    """
    kind, _, size = folder.name.partition("-")
    options = [text for pair in zip(SIZES.get(kind, ()), size.split("x"), strict=False) for text in pair]
    arguments = [sys.executable, str(HERE / "workloads.py"), kind, *options, "--cache", str(folder.parent)]
    made = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if made.returncode:
        raise Unavailable(made.stderr.strip().splitlines()[-1])


def command(name: str) -> str:
    """The path of a command that is installed beside this interpreter."""
    return str(Path(sys.executable).with_name(name))


@cache
def our_version() -> str:
    """A checksum of toysearch's source code: figures of another one are measured again."""
    import toysearch

    digest = hashlib.sha256()
    for path in sorted(Path(toysearch.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def version_of(tool: Tool) -> str:
    """The state of a tool's source code; that of the peers is the version their packages have."""
    return our_version() if tool == OURS else ""
