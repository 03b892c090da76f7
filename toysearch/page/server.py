"""Server of the page: a socket on this computer, and the loop that answers until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
import sys
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from toysearch.base import ArgumentError
from toysearch.base.interrupts import answer_signals
from toysearch.base.platform import most_files

PORT = 8765
"""Usual port; if it is taken, one of the next."""

_TRIED = 50  # ports after the usual one
PATIENCE = 20.0
"""Time in seconds in which a request must arrive, with its body."""

_WAITING = 64  # connections that are not accepted yet
_MOST, _FEWEST = 1000, 16  # connections
_OTHER_FILES = 2 * _WAITING  # that the process may open beside connections, and connections accepted at one time
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_TURN = 0.0005  # seconds until another thread may run: a grade does not wait for an export that is being made


def listening_socket(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens: on the port given, or on the first free one from the usual port on."""
    for candidate in [port] if port is not None else [*range(PORT, PORT + _TRIED), 0]:
        try:
            family = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0][0]
            # The protocol is named, because asyncio sends at once (TCP_NODELAY) only where it is.
            listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        except OSError as error:
            raise _unusable(host, error) from None
        # In Windows the usual option would let two programs listen on one port, and another one refuses that.
        listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
        try:
            listener.bind((host, candidate))
            listener.listen(_WAITING)
        except OSError as error:
            listener.close()
            if isinstance(error, PermissionError) and candidate < 1024:
                raise ArgumentError(f"port {candidate} may not be used by you; choose one above 1023") from None
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):  # Windows has the latter for what is taken too
                raise _unusable(host, error) from None
            if port is not None:
                raise ArgumentError(f"port {port} is taken; choose another one, or leave --port out") from None
        else:
            return listener
    raise ArgumentError(f"no port from {PORT} to {PORT + _TRIED - 1} is free; give one with --port")


def is_loopback(host: str) -> bool:
    """True if only this computer can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def authority(host: str, port: int) -> str:
    """Write host and port as they stand in an address.

    >>> authority("127.0.0.1", 8765), authority("::1", 8765)
    ('127.0.0.1:8765', '[::1]:8765')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reachable_host(host: str) -> str:
    """Return the host by which other computers reach this one: its own address in the network for "all addresses".

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
    """Return the values of Host by which a page of this computer is opened."""
    names = {authority(alias, port) for alias in (host.lower(), "127.0.0.1", "localhost", "::1")}
    return frozenset(names | {name.removesuffix(":80") for name in names} if port == 80 else names)


def serve(application: Any, listener: socket.socket) -> None:
    """Reply until Ctrl-C, which is raised as `KeyboardInterrupt` once open requests are done."""
    most = most_connections()
    config = uvicorn.Config(
        application,
        log_config=None,
        log_level="critical",  # requests that are wrong are answered, and the terminal is for what people must know
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http=limited_connection(most),
        limit_concurrency=most + 1,
        backlog=_WAITING,
        loop="asyncio",
        timeout_graceful_shutdown=1,
    )
    sys.setswitchinterval(_TURN)
    asyncio.run(_serve(uvicorn.Server(config), listener))
    answer_signals()


async def _serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """Reply until the server is told to end; each problem of the system is printed once."""
    printed = set()

    def tell(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error, problem = context.get("exception"), str(context["message"])
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            problem = f"new connections wait until others end ({error.strerror})"
        elif error is not None:
            problem += f": {error}"
        if problem not in printed:
            printed.add(problem)
            print(f"note: {problem}", file=sys.stderr)

    asyncio.get_running_loop().set_exception_handler(tell)
    await server.serve(sockets=[listener])


def most_connections() -> int:
    """Return how many connections are open at once: fewer than the files that this process may open."""
    files = most_files()
    return _MOST if files is None else max(_FEWEST, min(_MOST, files - _OTHER_FILES))


def limited_connection(most: int, patience: float = PATIENCE) -> type[H11Protocol]:
    """Return the class of connections: one without a whole request in time is closed, the oldest also for others."""
    waiting: dict[H11Protocol, asyncio.TimerHandle] = {}  # those whose request has not arrived, the oldest first

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most and waiting:
                oldest = next(iter(waiting))
                waiting.pop(oldest).cancel()
                oldest.transport.abort()
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._look(gone=True)

        def _look(self, *, gone: bool = False) -> None:
            """Start the timer while a request is awaited; stop it once the request is here."""
            arrives = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not gone
            if arrives and self not in waiting:
                waiting[self] = self.loop.call_later(patience, self.transport.close)
            elif not arrives and self in waiting:
                waiting.pop(self).cancel()

    return Connection


def _unusable(host: str, error: OSError) -> ArgumentError:
    return ArgumentError(f"'{host}' is not an address of this computer that can be listened on: {error.strerror}")
