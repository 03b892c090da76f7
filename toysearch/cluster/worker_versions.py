"""Whether the workers of a cluster run the same toysearch as the command: of another one, results could differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from toysearch.base.errors import ToysearchError


def refuse_other_versions(client: Any) -> None:
    """Ask all workers, and refuse a cluster that has one with another toysearch."""
    if client.cluster is not None:  # the command has started them
        return
    for address, theirs in client.run(_asking(), on_error="return").items():
        if theirs != own_version():
            raise other_version(theirs, own_version(), f"the worker {address}")


def other_version(theirs: Any, ours: tuple[str, str], who: str = "a worker") -> ToysearchError:
    """The error for a worker with another version and checksum, or the error of a worker that was asked."""
    way_out = "start every worker in the environment of this command"
    if not isinstance(theirs, tuple):
        return ToysearchError(f"{who} cannot import toysearch; {way_out}")
    if theirs[0] == ours[0]:
        return ToysearchError(f"{who} has toysearch {theirs[0]} with other code than this command; {way_out}")
    return ToysearchError(f"{who} has toysearch {theirs[0]}, and this command {ours[0]}; {way_out}")


@cache
def own_version() -> tuple[str, str]:
    """The version of toysearch in this process, and the checksum of its code."""
    version: tuple[str, str] = _asking()()
    return version


def _asking() -> Callable[[], tuple[str, str]]:
    """A function that goes to a worker with its code, because a worker with another toysearch may lack it."""

    def version_and_checksum() -> tuple[str, str]:
        import hashlib
        from pathlib import Path

        import toysearch

        package, code = Path(toysearch.__file__).parent, hashlib.sha256()
        for path in sorted(package.rglob("*.py")):
            code.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
        return toysearch.__version__, code.hexdigest()

    return version_and_checksum
