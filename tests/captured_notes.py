"""What toysearch notes while a block runs, and nothing that other packages warn of meanwhile."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from toysearch import ToysearchNote


@contextmanager
def noted() -> Iterator[list[str]]:
    """The notes' texts, filled when the block ends."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ToysearchNote)
        try:
            yield notes
        finally:
            notes += [str(warning.message) for warning in caught if issubclass(warning.category, ToysearchNote)]
