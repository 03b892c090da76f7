"""Token functions of the user: tokenizers and stemmers in a Python file, named as ``mine.py:tokens``, or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import (
    IN_FILE,
    ArgumentError,
    Remedy,
    cache_folder,
    counted,
    encodable,
    functions_of,
    has_no,
    line_in,
    module_of,
)
from toysearch.base.errors import OtherFunction

_AHEAD = 256  # characters in which the next token is searched
_OPTION = {"tokens": "tokens", "stems": "stem"}
"""Result of a function → option of an analyzer that names it."""
_EXPECTED = "expected a list of strings, or of places such as (0, 3)"


class TokenFunction(NamedTuple):
    """Function that gives the tokens of a text, or their places (start, end), or the stem of a word."""

    name: str  # as given: mine.py:tokens; that of the function if it is in memory
    sha256: str  # of its file; "" if it is in memory
    function: Callable[[str], Any]

    def tokens(self, text: str) -> list[str]:
        """Split a text into tokens."""
        return [token if isinstance(token, str) else text[slice(*token)] for token in self._called(text)]

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places (start, end) of the tokens; none for a token that does not soon follow the one before."""
        at = 0
        for token in self._called(text):
            if isinstance(token, str):
                start = text.find(token, at, at + len(token) + _AHEAD)
                if start < 0:
                    continue
                token = start, start + len(token)
            at = token[1]
            yield token

    def stem(self, word: str) -> str:
        """Stem a word."""
        stem = self._answer(word, lambda: self.function(word))
        if not isinstance(stem, str) or not stem:
            problem = f"{self.name} gave {stem!r:.60} for the word {_start_of(word)}"
            raise ArgumentError(f"{problem}; expected a string, not empty")
        return encodable(str(stem))[0]

    def _answer(self, text: str, call: Callable[[], Any]) -> Any:
        """Return the result of a call; an exception becomes an error with the place in the file."""
        try:
            return call()
        except Exception as error:
            match = IN_FILE.fullmatch(self.name)
            where = f"{match['file']}:{line_in(error, match['file'])}: " if match else ""
            problem = f"{where}the function {self.name} raised {type(error).__name__}: {error}"
            raise ArgumentError(f"{problem}, for the text {_start_of(text)}") from error

    def _called(self, text: str) -> list[str] | list[tuple[int, int]]:
        answer = self._answer(text, lambda: self.function(text))
        one = isinstance(answer, str) or not isinstance(answer, Iterable)
        tokens = answer if one else self._answer(text, lambda: list(answer))  # a generator can fail later
        if not isinstance(tokens, list):
            raise ArgumentError(f"{self.name} gave {tokens!r:.60} for the text {_start_of(text)}; {_EXPECTED}")
        if all(isinstance(item, str) for item in tokens):
            tokens = [*map(str, tokens)]
            return [encodable(token)[0] for token in tokens] if encodable("".join(tokens))[1] else tokens
        wrong = next((item for item in tokens if not _is_place(item, len(text))), None)
        if wrong is not None:
            raise ArgumentError(
                f"{self.name} gave {wrong!r:.60} for the text {_start_of(text)}, of {counted(len(text), 'character')}; "
                f"{_EXPECTED}"
            )
        return [(int(start), int(end)) for start, end in tokens]


def name_of(function: Callable[..., Any]) -> str:
    """Name a function in memory as messages and the text form of an analyzer do."""
    return f"<function {getattr(function, '__name__', type(function).__name__).strip('<>')}>"


def _is_place(item: object, length: int) -> bool:
    if not (isinstance(item, tuple | list) and len(item) == 2):
        return False
    start, end = item
    whole = all(hasattr(bound, "__index__") and not isinstance(bound, bool) for bound in item)
    return whole and 0 <= start <= end <= length


def _start_of(text: str) -> str:
    return repr(text) if len(text) <= 40 else f"{text[:40]!r} …"


def token_function(name: str | Callable[[str], Any], checksum: str = "", gives: str = "tokens") -> TokenFunction:
    """Find the function in memory, or of a name such as ``mine.py:tokens``, whose file must have a given checksum."""
    if callable(name):
        return TokenFunction(name_of(name), "", name)
    match = IN_FILE.fullmatch(name)
    if match is None or match["parameters"]:
        raise ArgumentError(
            f"'{name}': expected a file and the name of a function in it, as in mine.py:{_OPTION[gives]}"
        )
    file, function = match["file"], match["name"]
    path = Path(file)
    try:
        source = path.read_bytes()
    except OSError as error:
        if checksum:
            raise OtherFunction(
                f"takes its {gives} from the function {function} in {file}, which cannot be read here "
                f"({error.strerror}); put the file with the SHA-256 {checksum[:12]}… there, or build the index again"
            ) from None
        raise ArgumentError(f"{file}: {error.strerror}; a function of your own is given as FILE.py:NAME") from None
    actual = sha256(source).hexdigest()
    if checksum not in ("", actual):
        raise OtherFunction(
            f"takes its {gives} from the function {function} in {file}, which has changed (SHA-256 {actual[:12]}…, not "
            f"{checksum[:12]}…); put the earlier file there, or build the index again"
        )
    if checksum and not (actual in _named or actual in _kept()):
        raise OtherFunction(
            f"takes its {gives} from the function {function} in {file}, which you have not named yourself; an index "
            "may come from anyone, so look at the file, then allow it: "
            f"{Remedy('Analyzer.parse', f'plain:{_OPTION[gives]}={name}')}"
        )
    loaded = TokenFunction(name, actual, _loaded(path, source, function))
    _named.add(actual)
    if actual not in _kept():
        with suppress(OSError):  # it is then allowed in this process only
            _allowed().parent.mkdir(parents=True, exist_ok=True)
            with _allowed().open("a", encoding="ascii") as file:
                file.write(f"{actual}\n")
    return loaded


_named: set[str] = set()
"""Checksums of the files that this process has been given by name."""


def _allowed() -> Path:
    """Path of the checksums of the files that the user has named: an index may use their functions."""
    return cache_folder() / "token-functions.txt"


def _kept() -> list[str]:
    try:
        return _allowed().read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return []


@cache
def _loaded(path: Path, source: bytes, name: str) -> Callable[[str], Any]:
    module = module_of(path, source, ArgumentError)
    if not callable(getattr(module, name, None)):
        raise has_no(str(path), "function", name, functions_of(module))
    function: Callable[[str], Any] = getattr(module, name)
    return function
