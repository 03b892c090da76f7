"""Relevance tests for a build: expectations kept with the code, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import toysearch
from toysearch import display
from toysearch.errors import DataError, ToysearchError
from toysearch.formats.text_files import counted
from toysearch.laboratory.experiments.gate.expectation import Expectation, System, read_gate
from toysearch.laboratory.experiments.gate.gate_outcome import Outcome, outcome_of
from toysearch.laboratory.experiments.gate.gate_systems import Ranked, Shared


class Gate:
    """The expectations of a file, to be tested one by one or all."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.expectations = read_gate(path)
        self._shared = Shared(self.path.parent)

    def test(self, expectation: Expectation) -> Outcome:
        """What becomes of an expectation."""
        try:
            baseline = None if expectation.baseline is None else self._system(expectation.baseline)
            found = outcome_of(expectation, self._system(expectation.system), baseline)
        except ToysearchError as error:
            raise DataError(f"{self.path}:{expectation.line}: {error}") from error
        except OSError as error:  # a name that no file can have
            raise DataError(
                f"{self.path}:{expectation.line}: {error.strerror}: {str(error.filename)[:60]!r}"
            ) from error
        name = expectation.values.get("name")
        return found if name is None else found._replace(what=f"{name}: {found.what}")

    def _system(self, system: System) -> Ranked:
        """A system at work, the same one whenever it is asked for."""
        return self._shared.once(("system", id(system)), lambda: Ranked(system, self._shared))


@dataclass(frozen=True, repr=False)
class GateResult:
    """What became of the expectations of a file.

    Attributes
    ----------
    path : str
        The file.
    outcomes : tuple of Outcome
        One an expectation, in the order of the file.
    """

    _repr_html_ = display.html
    frame = display.frame

    path: str
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether all expectations hold, and there is one at least."""
        return bool(self.outcomes) and not self.failures

    @property
    def failures(self) -> list[Outcome]:
        """The outcomes of the expectations that do not hold."""
        return [outcome for outcome in self.outcomes if not outcome.passed]

    def __repr__(self) -> str:
        held = len(self.outcomes) - len(self.failures)
        return f"<GateResult of {self.path}: {held} of {counted(len(self.outcomes), 'expectation')} hold>"

    def __str__(self) -> str:
        return toysearch.as_text(self)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        outcomes = [
            outcome._asdict() | {"queries": [query._asdict() for query in outcome.queries]} for outcome in self.outcomes
        ]
        return {"path": self.path, "passed": self.passed, "outcomes": outcomes}


def gate(path: str | Path) -> GateResult:
    """Test the expectations of a file.

    Parameters
    ----------
    path : str or Path
        A TOML file with systems (a model on a collection, or a run) and what is expected of them: a measure of at least
        so much, a document among the first for a query, no query that falls against a baseline. docs/gate.md says what
        stands in it; paths in it are relative to its folder.

    Returns
    -------
    GateResult
        It has `passed` only if there is something to test and all of it holds.

    Raises
    ------
    DataError
        If the file is not what it should be, or something cannot be tested; with the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "relevance.toml")
    >>> _ = path.write_text('''
    ... collection = "cat-dog-parrot"
    ... model = "bm25"
    ...
    ... [[expect]]
    ... text = "train a parrot"
    ... document = 3
    ... in_first = 1
    ... ''')
    >>> result = gate(path)
    >>> result.passed, result.outcomes[0].found
    (True, 'rank 1')
    """
    tested = Gate(path)
    return GateResult(str(path), tuple(map(tested.test, tested.expectations)))
