"""Firefox as somebody uses it, by Marionette, the protocol that it speaks itself without a driver or a package."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
_PATIENCE = 60  # seconds
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name of an element in the WebDriver standard


class Firefox:
    """A window that is driven."""

    def __init__(self, connection: socket.socket) -> None:
        self._answers, self._connection, self._number = connection.makefile("rb"), connection, 0
        self._message()  # the greeting

    def _message(self) -> Any:
        size = b""
        while (digit := self._answers.read(1)) != b":":
            assert digit, "Firefox has ended"
            size += digit
        return json.loads(self._answers.read(int(size)))

    def send(self, command: str, **parameters: Any) -> Any:
        """The answer to a command of Marionette."""
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._message()
        assert (number, error) == (self._number, None), error
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def go(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        self.send("WebDriver:Navigate", url=address)

    def wait(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page, once it is true and the scripts of the page have run."""
        script, end = f"return document.readyState === 'complete' && ({expression})", time.monotonic() + _PATIENCE
        while not (value := self.send("WebDriver:ExecuteScript", script=script, args=[])):
            assert time.monotonic() < end, f"not true within {_PATIENCE} s: {expression}"
            time.sleep(0.02)
        return value

    def _element(self, selector: str) -> str:
        self.wait(f"document.querySelector({selector!r})")
        return self.send("WebDriver:FindElement", using="css selector", value=selector)[_ELEMENT]

    def click(self, selector: str) -> None:
        """Click the first element of a kind."""
        self.send("WebDriver:ElementClick", id=self._element(selector))

    def type(self, selector: str, text: str) -> None:
        """Type into an element; other keys have the codes of the WebDriver standard."""
        self.send("WebDriver:ElementSendKeys", id=self._element(selector), text=text)


@contextlib.contextmanager
def opened(folder: Path, **preferences: Any) -> Iterator[Firefox]:
    """A Firefox without a screen, whose profile is a folder; it ends with the block."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    wanted = {"browser.shell.checkDefaultBrowser": False, "marionette.port": port} | preferences
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in wanted.items()]
    (folder / "user.js").write_text("".join(lines), encoding="utf-8")
    command = [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield _session(process, port)
        finally:
            process.kill()


def _session(process: subprocess.Popen, port: int) -> Firefox:
    end = time.monotonic() + _PATIENCE
    while True:
        with contextlib.suppress(OSError):
            window = Firefox(socket.create_connection(("127.0.0.1", port), _PATIENCE))
            window.send("WebDriver:NewSession", capabilities={})
            return window
        assert process.poll() is None
        assert time.monotonic() < end, "Firefox does not answer"
        time.sleep(0.1)
