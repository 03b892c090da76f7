"""Plugin of pytest: each expectation in a file relevance*.toml is a test. Nothing is imported until one is found."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from toysearch.workbench.gate import Gate
    from toysearch.workbench.gate_file import Expectation

PATTERN = "relevance*.toml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the files of relevance tests."""
    return RelevanceFile.from_parent(parent, path=file_path) if fnmatch(file_path.name, PATTERN) else None


class RelevanceFile(pytest.File):
    """File of expectations."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each expectation; for a file without any, a test that fails."""
        from toysearch.base.errors import ToysearchError
        from toysearch.workbench.gate import Gate

        try:
            gate = Gate(self.path)
        except ToysearchError as error:
            raise self.CollectError(str(error)) from None
        for expectation in gate.expectations:
            yield RelevanceItem.from_parent(self, name=expectation.title, gate=gate, expectation=expectation)
        if not gate.expectations:
            yield NothingToTest.from_parent(self, name="nothing to test")


class Unmet(Exception):
    """Expectation that does not hold or cannot be tested, with the reason in one line and in full."""


class Reason:
    """Display of an `Unmet` in pytest: in full as the failure, one line in the summary."""

    def __init__(self, summary: str, text: str) -> None:
        self._text = text
        self.reprcrash = SimpleNamespace(message=summary)

    def toterminal(self, writer: Any) -> None:
        """Print the reason in full."""
        writer.line(self._text)

    def __str__(self) -> str:
        return self._text


class _Item(pytest.Item):
    """Show the reason of a failure without a traceback of this plugin."""

    _line = 0  # where it stands in the file, counted from 0

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return Reason(*excinfo.value.args) if isinstance(excinfo.value, Unmet) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of what is tested."""
        return self.path, self._line, self.name


class RelevanceItem(_Item):
    """Test of one expectation."""

    def __init__(self, *, gate: Gate, expectation: Expectation, **rest: Any) -> None:
        super().__init__(**rest)
        self._gate, self._expectation, self._line = gate, expectation, expectation.line - 1

    def runtest(self) -> None:
        """Test the expectation."""
        from toysearch.base.errors import ToysearchError
        from toysearch.workbench.gate import failure_text

        try:
            outcome = self._gate.test(self._expectation)
        except ToysearchError as error:
            raise Unmet(str(error), str(error)) from None
        if not outcome.passed:
            place = f"{self.path}:{outcome.line}"
            raise Unmet(f"{outcome.what}: {outcome.reason}", f"{place}\n{failure_text(outcome)}")


class NothingToTest(_Item):
    """Failing test for a file without expectations."""

    def runtest(self) -> None:
        """Fail with a sentence that says what the file lacks."""
        sentence = f"{self.path}: no expectation found; expected one table [[expect]] per expectation"
        raise Unmet(sentence, sentence)
