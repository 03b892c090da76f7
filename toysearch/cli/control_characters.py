"""What may drive a terminal: the line ends, tabs and bold letters of toysearch itself, and nothing from a file."""

from __future__ import annotations

import re
from typing import Any

from toysearch.wording import BLANKS

_OWN = re.compile("(\x1b\\[(?:[0-9];?){0,4}m|[\n\t])")  # rich's and click's bold, dim and colours


class Clean:
    """A stream that writes each control character as a blank, but for those that set a text in bold or in a colour."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        pieces = _OWN.split(text)
        pieces[::2] = [piece.translate(BLANKS) for piece in pieces[::2]]
        self._stream.write("".join(pieces))
        return len(text)

    def writelines(self, texts: Any) -> None:
        """Write some texts."""
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
