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
        expectations: list[Expectation | None] = [*gate.expectations]
        for expectation in expectations or [None]:
            name = expectation.title if expectation else "nothing to test"
            yield RelevanceItem.from_parent(self, name=name, gate=gate, expectation=expectation)


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


class RelevanceItem(pytest.Item):
    """Test of one expectation, or of a file without any, which fails; a failure is shown without a traceback."""

    def __init__(self, *, gate: Gate, expectation: Expectation | None, **rest: Any) -> None:
        super().__init__(**rest)
        self._gate, self._expectation = gate, expectation

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the reason alone."""
        return Reason(*excinfo.value.args) if isinstance(excinfo.value, Unmet) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of what is tested, with the line counted from 0."""
        return self.path, self._expectation.line - 1 if self._expectation else 0, self.name

    def runtest(self) -> None:
        """Test the expectation."""
        from toysearch.base.errors import ToysearchError
        from toysearch.workbench.gate import failure_text

        if self._expectation is None:
            sentence = f"{self.path}: no expectation found; expected one table [[expect]] per expectation"
            raise Unmet(sentence, sentence)
        try:
            outcome = self._gate.test(self._expectation)
        except ToysearchError as error:
            raise Unmet(str(error), str(error)) from None
        if not outcome.passed:
            place = f"{self.path}:{outcome.line}"
            raise Unmet(f"{outcome.what}: {outcome.reason}", f"{place}\n{failure_text(outcome)}")
