"""Python without a network: for a process that has this folder on PYTHONPATH, only this machine can be reached."""

import socket
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
