"""Connections to the page: a request arrives in time or its connection ends, and others always find a place."""

import asyncio
import contextlib
import errno
import socket
import threading

import pytest

pytest.importorskip("uvicorn")

import uvicorn
from page_client import run_in_loop

from toysearch.page import server as page_server
from toysearch.page.server import limited_connection, listening_socket

HALF = b"GET / HTTP/1.1\r\nHost: pets\r\n"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: pets\r\nContent-Length: 9\r\n\r\ngrade"
WHOLE = b"GET / HTTP/1.1\r\nHost: pets\r\nConnection: close\r\n\r\n"


pytestmark = pytest.mark.waits


async def echo(scope, receive, send):
    """An application that answers once it has the whole body."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"answered"})


@contextlib.contextmanager
def running(most, patience):
    """A server with limited connections in a thread of this process, on any free port; its address."""
    listener = listening_socket("127.0.0.1", 0)
    config = uvicorn.Config(
        echo, http=limited_connection(most, patience), log_config=None, log_level="critical", lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def connected(address, sent):
    """A connection over which something was sent."""
    connection = socket.create_connection(address, timeout=60)
    connection.sendall(sent)
    return connection


def received(connection):
    """All that arrives until the other side ends the connection."""
    pieces = []
    with connection, contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(4096):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("sent", [b"", HALF, HALF_BODY])
def test_a_connection_ends_if_its_request_does_not_arrive(sent):
    with running(most=5, patience=0.05) as address:
        assert b"answered" not in received(connected(address, sent))


@pytest.mark.parametrize("sent", [b"", HALF, HALF_BODY])
def test_the_oldest_half_request_makes_room_for_a_new_one(sent):
    with running(most=3, patience=600) as address:
        held = [connected(address, sent) for _ in range(9)]
        assert received(connected(address, WHOLE)).count(b"answered") == 1
        assert b"answered" not in received(held[0])
        for connection in held[1:]:
            connection.close()


def test_a_request_that_has_arrived_keeps_its_connection():
    with running(most=3, patience=600) as address:
        with connected(address, WHOLE.replace(b"close", b"keep-alive")) as first:
            assert b"200" in first.recv(4096)
            others = [connected(address, HALF) for _ in range(2)]
            first.sendall(WHOLE)
            assert b"answered" in received(first)
        for connection in others:
            connection.close()


@pytest.mark.parametrize(("files", "most"), [(120, 16), (256, 128), (1024, 896), (1 << 20, 1000)])
def test_fewer_connections_are_open_than_files_may_be(files, most, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert page_server.most_connections() == most


def test_a_problem_of_the_system_is_told_once(capsys):
    class Endless:
        async def serve(self, sockets):
            full = {"message": "socket.accept() out of system resource", "exception": OSError(errno.EMFILE, "Too many")}
            for context in (full, full, {"message": "odd"}, full):
                asyncio.get_running_loop().call_exception_handler(context)

    run_in_loop(page_server._serve(Endless(), None))
    assert capsys.readouterr().err == "note: new connections wait until others end (Too many)\nnote: odd\n"
