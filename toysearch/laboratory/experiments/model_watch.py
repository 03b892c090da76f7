"""A model in a file under development: the value of each save, and its changes."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, ToysearchError
from toysearch.evaluation.result import Evaluation
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.stats.significance import DECIMALS, paired_test

__all__ = ["Saved", "Watch"]

ALPHA = 0.05
"""The significance level: a change with a higher p may be due to chance."""

_PATIENCE = 10  # looks until a missing or empty file is an error rather than an editor saving it
_FILE = re.compile(r"([^\s*+()]+\.py):")


class Change(NamedTuple):
    """The gains and losses from one evaluation to another."""

    means: dict[str, float]  # measure → the rise of its mean
    # won, lost: query_id → the rise (won) or fall (lost, below 0) of the first measure, largest first
    won: dict[str, float]
    lost: dict[str, float]
    # the p of the paired t test of the first measure: above 0.05 the change may be due to chance; NaN for one query,
    # and for GMAP, whose rise is not the mean of the rises
    p: float = math.nan

    @property
    def may_be_chance(self) -> bool:
        """Whether there is a change, but not a significant one."""
        return bool(self.won or self.lost) and self.p > ALPHA


class BestSave(NamedTuple):
    """The best save so far, by the first measure: its number, and its value."""

    number: int
    value: float


class Saved(NamedTuple):
    """The value of a save.

    Attributes
    ----------
    number : int
        0 for the file at the start, then counted up with each save.
    evaluation : Evaluation or None
        The last one without an error; None if there was none yet.
    since_last, since_start : Change or None
        The change of that evaluation from the previous one and from the first; None if there is none.
    error : str
        The error in the current file; "" if there is none.
    best : Best or None
        The best save so far, or the first of several.
    """

    number: int
    evaluation: Evaluation | None
    since_last: Change | None
    since_start: Change | None
    error: str
    best: BestSave | None = None


class Watch:
    """Watches the file of a model and evaluates it again whenever its content has changed.

    Parameters
    ----------
    evaluator : Evaluator
        The evaluator, with the judged collection and the measures.
    model : str
        The text form of a model in a file: ``mine.py:rank:k=2``. Modules that the file imports from its own folder are
        watched too.
    around : callable, optional
        Returns a context manager around each evaluation, such as a time limit; a `ToysearchError` that it raises is
        the error of the save.

    Raises
    ------
    ArgumentError
        If the text names no file, or the file does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from toysearch.index.inverted_index import Index
    >>> index = Index.build({"a": "the cat sat", "b": "a cat and a cat", "c": "the dog"})
    >>> file = Path(tempfile.mkdtemp()) / "mine.py"
    >>> _ = file.write_text("def rank(tf, dl): return tf / dl")
    >>> watch = Watch(Evaluator(index, {"1": "cat"}, {"1": {"a": 1}}, "RR"), f"{file}:rank")
    >>> watch.look().evaluation["RR"], watch.look()
    (0.5, None)
    >>> _ = file.write_text("def rank(tf, dl): return 0 - tf / dl")
    >>> watch.look().since_last
    Change(means={'RR': 0.5}, won={'1': 0.5}, lost={}, p=1.0)
    """

    @checked
    def __init__(
        self,
        evaluator: Evaluator,
        model: str,
        around: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext,
    ) -> None:
        files = [Path(name) for name in _FILE.findall(model)]
        if not files:
            raise ArgumentError(f"'{model}' is not in a file; give a model as FILE.py:NAME")
        for path in files:
            if not path.is_file():
                raise ArgumentError(f"{path}: there is no such file; a model of your own is given as FILE.py:NAME")
        self.evaluator, self.model, self.files, self.around = evaluator, model, files, around
        self._seen: dict[Path, bytes] = {}
        self._stamps: dict[Path, tuple[int, ...]] = {}
        self._number = -1
        self._absent = 0  # looks since a file went missing or empty
        self._first: Evaluation | None = None
        self._good = Saved(-1, None, None, None, "")

    def look(self) -> Saved | None:
        """The value of the current files; None if nothing has changed since the last look.

        A file is briefly missing or empty while an editor replaces it, so this is reported as an error only after ten
        looks.
        """
        if not self._changed():
            return self._good._replace(number=self._number, error=self._lost()) if self._absent == _PATIENCE else None
        self._number += 1
        for module in self._own_modules():  # so that the changed module is imported anew
            del sys.modules[module]
        error = ""
        try:
            with self.around():
                now = self.evaluator(self.model)
            self._good = self._next(now)
        except ToysearchError as problem:
            error = str(problem)
        except SystemExit:
            error = f"{self.files[0]}: this file ends the program; remove the call of exit"
        self._changed()  # from now on its imports are watched too
        return self._good._replace(number=self._number, error=error)

    def _next(self, now: Evaluation) -> Saved:
        """The record of a save without an error."""
        before, best = self._good.evaluation, self._good.best
        self._first = self._first or now
        first = now.measures[0]
        value = now[str(first)]
        sign = -1 if first.definition.better == "lower" else 1
        if best is None or sign * (value - best.value) > 0:
            best = BestSave(self._number, value)
        if before is None:
            return Saved(self._number, now, None, None, "", best)
        return Saved(self._number, now, change(before, now), change(self._first, now), "", best)

    def _lost(self) -> str:
        """The error of a missing or empty file; any content that returns, even the old one, is a save."""
        for path in self.files:
            if not path.is_file() or not path.stat().st_size:
                self._seen[path] = b""
                self._stamps.pop(path, None)
                return f"{path} is {'empty' if path.is_file() else 'gone'}; save it again, or end with Ctrl-C"
        return "a module that the model imports is gone or empty; save it again, or end with Ctrl-C"

    def _changed(self) -> bool:
        """Whether the content of a file has changed since the last look; files are read if their time stamps differ."""
        paths = [*self.files, *map(Path, self._own_modules().values())]
        contents = dict(self._seen)
        for path in paths:
            try:
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                if self._stamps.get(path) != stamp:
                    contents[path] = path.read_bytes()
                    if not contents[path] and self._number >= 0:  # an editor has emptied it and is about to write
                        self._absent += 1
                        return False
                    self._stamps[path] = stamp
            except OSError:
                self._absent += 1
                return False
        self._absent = 0
        changed = contents != self._seen
        self._seen = contents
        return changed

    def _own_modules(self) -> dict[str, str]:
        """Modules that were imported from the folders of the files: name → path."""
        folders = {str(path.resolve().parent) for path in self.files}
        paths = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
        return {
            name: path
            for name, path in paths.items()
            if path.endswith(".py") and os.path.dirname(path) in folders and name != "__main__"
        }


def change(before: Evaluation, after: Evaluation) -> Change:
    """The gains and losses from one evaluation to another, on the queries of both."""
    name, definition = str(after.measures[0]), after.measures[0].definition
    sign = -1 if definition.better == "lower" else 1
    rises = {
        query_id: round(row[name] - before.per_query[query_id][name], DECIMALS)
        for query_id, row in after.per_query.items()
        if query_id in before.per_query and math.isfinite(row[name]) and math.isfinite(before.per_query[query_id][name])
    }
    means = {str(measure): after[str(measure)] - before[str(measure)] for measure in after.measures}
    p = paired_test([*rises.values()], "t").p if rises and definition.aggregate != "gm" else math.nan
    return Change(means, _largest(rises, sign), _largest(rises, -sign), p)


def _largest(rises: Mapping[str, float], sign: int) -> dict[str, float]:
    """The rises of one sign, largest first."""
    some = [(query_id, rise) for query_id, rise in rises.items() if sign * rise > 0]
    return dict(sorted(some, key=lambda pair: -sign * pair[1]))
