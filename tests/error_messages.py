"""What an error says, as a whole."""

import contextlib
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def raising(error: type[BaseException], message: str) -> Iterator[None]:
    """Expect an error with exactly this message."""
    with pytest.raises(error) as caught:
        yield
    assert str(caught.value) == message
