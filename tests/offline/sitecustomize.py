"""Python without a network: for a process that has this folder on PYTHONPATH, only this machine can be reached.

The top-level modules that WITHOUT_MODULES names are not there either.
"""

import os
import socket
import sys
from typing import Any

_HERE = ("127.0.0.1", "::1", "localhost")
_connect, _look_up = socket.socket.connect, socket.getaddrinfo


def connect(one: socket.socket, address: Any) -> None:
    """Connect to this machine alone."""
    if one.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _HERE:
        raise OSError(f"there is no network: {address[0]}")
    _connect(one, address)


def look_up(host: Any, *arguments: Any, **more: Any) -> Any:
    """Look up the names of this machine alone."""
    if host not in (None, "", *_HERE):
        raise socket.gaierror(f"there is no network: {host}")
    return _look_up(host, *arguments, **more)


socket.socket.connect = connect  # type: ignore[method-assign]
socket.getaddrinfo = look_up


class Without:
    """Finder of no module that is left out."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a module that is left out."""
        if name.partition(".")[0] in os.environ["WITHOUT_MODULES"].split():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if "WITHOUT_MODULES" in os.environ:
    sys.meta_path.insert(0, Without())  # type: ignore[arg-type]
