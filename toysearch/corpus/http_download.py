"""One file over HTTP, resumed after an interrupted attempt."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toysearch.base.errors import DataError, StorageError
from toysearch.base.remedies import Remedy
from toysearch.formats.archives import MOST_BYTES

if TYPE_CHECKING:
    import requests

Progress = Callable[[int, int | None], None]
"""A callback with the bytes received and their total, None if the server does not say."""


def advice() -> str:
    """The end of an error if no other source is left."""
    return f"; try again, or use another source ({Remedy('toysearch.corpus.download.fetch', address=...)})"


_PAUSE = 0.5  # seconds before the second attempt; doubled before each further one
_CHUNK = 1 << 13  # bytes; a killed process loses less than that (the default buffer is larger since Python 3.15)
_TRY_AGAIN = (408, 425, 429)
_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


def transfer(
    address: str,
    path: Path,
    *,
    timeout: float = 30.0,
    attempts: int = 4,
    progress: Progress | None = None,
) -> None:
    """Download an address to a file, after the bytes that an earlier attempt left in it."""
    # Only the rest is requested from a server that supports ranges. If the file has changed since the first attempt of
    # this call, or the server does not support ranges, all of it is sent again.
    import requests

    errors = requests.exceptions
    with _Sink(address, path, progress) as sink:
        for attempt in range(max(attempts, 1)):
            if attempt:
                time.sleep(_PAUSE * 2 ** (attempt - 1))
            try:
                _request(address, sink, timeout)
                return
            except errors.HTTPError as error:
                response = cast("requests.Response", error.response)  # raised for an answer, so there is one
                if sink.complete_after(response):
                    return
                problem = _answer(address, response)
            except errors.SSLError as error:
                raise DataError(f"{address}: there is no secure connection to the server: {error}") from None
            except (
                errors.ConnectionError,
                errors.Timeout,
                errors.ChunkedEncodingError,
                errors.ContentDecodingError,
            ) as error:
                problem = sink.cut(error, timeout)
            except errors.RequestException as error:
                raise DataError(f"{address} is not an address that can be fetched: {error}") from None
    tried = f"tried {attempts} times" if attempts > 1 else "tried once"
    raise DataError(f"{address}: {problem} ({tried}){advice()}")


def _request(address: str, sink: _Sink, timeout: float) -> None:
    """One attempt, by pooch's downloader."""
    from pooch import HTTPDownloader

    # Requested uncompressed, because a range counts the bytes that are sent, not the unpacked ones.
    headers = {"Accept-Encoding": "identity", **sink.wanted()}
    hooks = {"response": sink.begin}
    download = HTTPDownloader(chunk_size=_CHUNK, timeout=timeout, headers=headers, hooks=hooks)
    download(address, sink, None)
    sink.check_complete()


def _answer(address: str, response: requests.Response) -> str:
    """The answer of the server instead of the file; an error if another attempt is useless."""
    code = response.status_code
    answer = f"the server answers {code} {response.reason}"
    if code < 500 and code not in _TRY_AGAIN and code != 416:
        raise DataError(f"{address}: {answer}{advice()}")
    return answer


class _Sink:
    """The file that a transfer writes to, and the headers of its content."""

    def __init__(self, address: str, path: Path, progress: Progress | None) -> None:
        self.address, self.path, self.progress = address, path, progress
        self.total: int | None = None
        self.validator = ""  # lets the server decide whether the file is unchanged
        self.encoded = False  # the server compressed the content: ranges do not apply
        try:
            self.file = open(path, "ab", buffering=_CHUNK)  # noqa: SIM115  (closed by __exit__)
        except OSError as error:
            raise self._unwritable(error) from error
        self.have = self.file.tell()

    def __enter__(self) -> _Sink:
        return self

    def __exit__(self, *error: object) -> None:
        if self.encoded and error[0] is not None:
            self.restart()
        self.file.close()

    def wanted(self) -> dict[str, str]:
        """The headers that request the missing bytes."""
        if not self.have:
            return {}
        validator = {"If-Range": self.validator} if self.validator else {}
        return {"Range": f"bytes={self.have}-", **validator}

    def begin(self, response: requests.Response, **_: Any) -> None:
        """Prepare for the content: the rest, or all of it again."""
        if response.is_redirect:
            return
        headers = response.headers
        length = headers.get("Content-Length", "")
        if response.status_code == 206:
            found = _CONTENT_RANGE.match(headers.get("Content-Range", ""))
            if not found or found[1] != str(self.have):
                import requests

                self.restart()
                raise requests.exceptions.ChunkedEncodingError("a range that was not requested")
            self._expect(found[2])
        elif response.ok:
            self.restart()
            self.encoded = headers.get("Content-Encoding", "identity") != "identity"
            self._expect("" if self.encoded else length)
        else:
            return
        tag = headers.get("ETag", "")
        self.validator = headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        try:
            self.file.write(data)
        except OSError as error:
            raise self._unwritable(error) from error
        self.have += len(data)
        if self.have > MOST_BYTES:
            raise self._too_large()
        if self.progress:
            self.progress(self.have, self.total)

    def _expect(self, length: str) -> None:
        """Remember the number of bytes that the server announces, if it does, unless that is too large."""
        self.total = int(length[:20]) if length.isascii() and length.isdigit() else None
        if self.total is not None and self.total > MOST_BYTES:
            raise self._too_large()

    def _too_large(self) -> DataError:
        """The error for a file that is too large; what there is of it is of no use."""
        self.restart()
        return DataError(f"{self.address} is larger than {MOST_BYTES:,} bytes, the limit for a collection")

    def flush(self) -> None:
        """Nothing: the buffer is written when the file is closed."""

    def restart(self) -> None:
        """Discard the bytes received."""
        self.file.truncate(0)
        self.have = 0

    def check_complete(self) -> None:
        """Raise the error of an interrupted connection if the file is too short."""
        if self.total is not None and self.have != self.total:
            import requests

            raise requests.exceptions.ChunkedEncodingError("cut short")

    def complete_after(self, response: requests.Response) -> bool:
        """Whether a refused range means that the file was already complete; if not, the next attempt starts again."""
        if response.status_code != 416:
            return False
        found = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
        if found and found[2] == str(self.have):
            return True
        self.restart()
        return False

    def cut(self, error: Exception, timeout: float) -> str:
        """The reason why an attempt failed, in words."""
        if self.encoded:
            self.restart()
        if "timed out" in str(error):
            return f"no answer within {timeout:g} seconds"
        if self.have:
            of = f" of {self.total:,}" if self.total else ""
            return f"the connection was interrupted after {self.have:,} bytes{of}"
        return "the server cannot be reached or closes the connection"

    def _unwritable(self, error: OSError) -> StorageError:
        return StorageError(f"{self.path} could not be written: {error.strerror or error}")
