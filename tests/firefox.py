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
_PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}


class Firefox:
    """A window that is driven."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._number = connection, 0
        self._message()  # the greeting

    def _message(self) -> Any:
        size = b""
        while (digit := self._connection.recv(1)) != b":":
            assert digit, "Firefox has ended"
            size += digit
        content = b""
        while len(content) < int(size):
            content += self._connection.recv(int(size) - len(content))
        return json.loads(content)

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

    def value(self, expression: str, *arguments: Any) -> Any:
        """The value of a JavaScript expression on the page."""
        return self.send("WebDriver:ExecuteScript", script=f"return {expression}", args=list(arguments))

    def wait(self, expression: str) -> Any:
        """The value of an expression once it is true."""
        deadline = time.monotonic() + _PATIENCE
        while not (value := self.value(expression)):
            assert time.monotonic() < deadline, f"not true within {_PATIENCE} s: {expression}"
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

    def press(self, key: str) -> None:
        """Press a key wherever the focus is."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a kind, as they are seen."""
        return self.value(f"[...document.querySelectorAll({selector!r})].map((place) => place.innerText)")

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window as wide as that; the narrowest one has 500 pixels."""
        self.send("WebDriver:SetWindowRect", width=width, height=height)

    def narrow(self, width: int) -> None:
        """Give pages less of the window from now on."""
        self.send("Marionette:SetContext", value="chrome")
        self.value("void (gBrowser.selectedBrowser.style.maxWidth = arguments[0])", f"{width}px")
        self.send("Marionette:SetContext", value="content")


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


@contextlib.contextmanager
def opened(folder: Path, **preferences: Any) -> Iterator[Firefox]:
    """A Firefox without a screen, whose profile is a folder; it ends with the block."""
    port = _free_port()
    wanted = _PREFERENCES | {"marionette.port": port} | preferences
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in wanted.items()]
    (folder / "user.js").write_text("".join(lines), encoding="utf-8")
    command = [
        PROGRAM,
        "--headless",
        "--marionette",
        "--no-remote",
        "--remote-allow-system-access",
        "--profile",
        str(folder),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield _session(port)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def _session(port: int) -> Firefox:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), _PATIENCE)
            break
        except OSError:
            assert time.monotonic() < deadline, "Firefox does not answer"
            time.sleep(0.1)
    window = Firefox(connection)
    window.send("WebDriver:NewSession", capabilities={})
    return window
