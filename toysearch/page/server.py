"""The server of the page: a socket on this computer, and the loop that answers until Ctrl-C."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from typing import Any

import uvicorn

from toysearch.errors import ArgumentError

PORT = 8765
"""The usual port; if it is taken, one of the next."""

_TRIED = 50  # ports after the usual one
_WAITING = 64  # connections
_TURN = 0.0005  # seconds until another thread may run: a grade does not wait for an export that is being made


def listening_socket(host: str, port: int | None) -> socket.socket:
    """A socket that listens: on the port given, or on the first free one from the usual port on."""
    for candidate in [port] if port is not None else [*range(PORT, PORT + _TRIED), 0]:
        try:
            family = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0][0]
            # The protocol is named, because asyncio sends at once (TCP_NODELAY) only where it is.
            listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        except OSError as error:
            raise _unusable(host, error) from None
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(_WAITING)
        except PermissionError:
            listener.close()
            raise ArgumentError(f"port {candidate} may not be used by you; choose one above 1023") from None
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise _unusable(host, error) from None
            if port is not None:
                raise ArgumentError(f"port {port} is taken; choose another one, or leave --port out") from None
        else:
            return listener
    raise ArgumentError(f"no port from {PORT} to {PORT + _TRIED - 1} is free; give one with --port")


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def authority(host: str, port: int) -> str:
    """Host and port as they stand in an address.

    >>> authority("127.0.0.1", 8765), authority("::1", 8765)
    ('127.0.0.1:8765', '[::1]:8765')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reachable_host(host: str) -> str:
    """The host by which other computers reach this one: the own address in the network for "all addresses".

    >>> reachable_host("192.0.2.7")
    '192.0.2.7'
    """
    if host not in ("0.0.0.0", "::"):
        return host
    family, far = (socket.AF_INET6, "2001:db8::1") if host == "::" else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))  # sends nothing, and tells by which address it would
            return str(probe.getsockname()[0])
    except OSError:
        return host


def own_hosts(host: str, port: int) -> frozenset[str]:
    """The values of Host by which a page of this computer is opened."""
    names = {authority(each, port) for each in (host.lower(), "127.0.0.1", "localhost", "::1")}
    return frozenset(names | {name.removesuffix(":80") for name in names} if port == 80 else names)


def serve(application: Any, listener: socket.socket) -> None:
    """Reply until Ctrl-C, which is raised as `KeyboardInterrupt` once open requests are done."""
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        loop="asyncio",
        timeout_graceful_shutdown=1,
    )
    sys.setswitchinterval(_TURN)
    uvicorn.Server(config).run(sockets=[listener])


def _unusable(host: str, error: OSError) -> ArgumentError:
    return ArgumentError(f"'{host}' is not an address of this computer that can be listened on: {error.strerror}")
