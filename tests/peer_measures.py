"""What a peer does on some versions of Python only."""

from typing import Any

import ir_measures
import pytest


def ir_measure(name: str) -> Any:
    """A measure of ir_measures by its name; the test is skipped if ir_measures cannot read it on this Python."""
    try:
        return ir_measures.parse_measure(name)
    except AttributeError as error:
        if "ast" not in str(error):
            raise
        pytest.skip(f"ir_measures {ir_measures.__version__} cannot read {name} since Python 3.14")
