"""A model in a file under development: the value of each save, and its changes."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, ToysearchError, checked, counted, one_line, plain
from toysearch.evaluation import Evaluation
from toysearch.laboratory.effects import Effect
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.stats.significance import finite_differences, paired_test
from toysearch.laboratory.results.tables import opening

__all__ = ["Saved", "Watch"]

ALPHA = 0.05
"""The significance level: a change with a higher p may be due to chance."""

_PATIENCE = 10  # looks until a missing or empty file is an error rather than an editor saving it
_FILE = re.compile(r"([^\s*+()]+\.py):")


class Change(NamedTuple):
    """The effect of a save."""

    # one effect per measure; for one query, and for GMAP, whose rise is not the mean of the rises, without a test
    effects: tuple[Effect, ...]
    # won, lost: query_id → the rise (won) or fall (lost, below 0) of the first measure, largest first
    won: dict[str, float]
    lost: dict[str, float]

    @property
    def may_be_chance(self) -> bool:
        """Whether there is a change, but not a significant one."""
        return bool(self.won or self.lost) and self.effects[0].p > ALPHA


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
    >>> change = watch.look().since_last
    >>> change.effects[0].before, change.effects[0].after, change.won
    (0.5, 1.0, {'1': 0.5})
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
    common = [query_id for query_id in after.per_query if query_id in before.per_query]
    effects = []
    for measure in after.measures:
        name = str(measure)
        values = {query_id: (before.per_query[query_id][name], after.per_query[query_id][name]) for query_id in common}
        pairs = np.array([*values.values()]).reshape(-1, 2)
        differences = finite_differences(pairs[:, 1], pairs[:, 0])
        test = paired_test(differences) if differences.size and measure.definition.aggregate != "gm" else None
        p = math.nan if test is None else test.p
        effects.append(Effect("", "", name, len(differences), before[name], after[name], test, p, values=values))
    sign = -1 if after.measures[0].definition.better == "lower" else 1
    rises = effects[0].changes.items()
    won, lost = ({query_id: rise for query_id, rise in rises if rise * side > 0} for side in (sign, -sign))
    return Change(tuple(effects), won, lost)


_MOST_CHANGED = 3  # queries that are listed as won or lost
_BLOCKS = 24  # blocks in a row of values
_LEVELS = "▁▂▃▄▅▆▇█"


def saved_line(saved: Saved) -> str:
    """A save in one line: the values, the changes since the last save and since the start, or the error."""
    head = f"save {saved.number}" if saved.number else "start"
    if saved.error:
        good = "" if saved.evaluation is None else f" (last good: {_values(saved)})"
        return f"{head}: error: {one_line(saved.error)}{good}"
    assert saved.evaluation is not None
    changes = [
        f"{_rise(change)}{_mark(change)} {name} (won {len(change.won)}, lost {len(change.lost)})"
        for name, change in (("since last", saved.since_last), ("since start", saved.since_start))
        if change is not None
    ]
    line = "  ".join([f"{head}: {_values(saved)}", *changes])
    behind = saved.best is not None and saved.best.value != next(iter(saved.evaluation.means.values()))
    return f"{line}  best so far: {best_text(saved.best)}" if saved.best and behind else line


def best_text(best: BestSave) -> str:
    """The best save so far, in words."""
    return f"{f'save {best.number}' if best.number else 'the start'}, {best.value:.4f}"


def saved_text(saved: Saved, texts: Mapping[str, str], width: int) -> str:
    """The last good save for a terminal: one line per measure, the queries won and lost since the previous one."""
    lines = []
    if saved.evaluation is not None:
        for place, measure in enumerate(map(str, saved.evaluation.measures)):
            changes = [
                f"{_rise(change, place)}{_mark(change, place)} {name}"
                for name, change in (("since the last save", saved.since_last), ("since the start", saved.since_start))
                if change is not None and not math.isnan(change.effects[place].after - change.effects[place].before)
            ]
            lines.append("   ".join([f"{measure:<10} {saved.evaluation[measure]:.4f}", *changes]))
    for change in [saved.since_last] if saved.since_last else []:
        for word, some in (("won", change.won), ("lost", change.lost)):
            lines.append(f"{word:<10} {counted(len(some), 'query', 'queries')}")
            for query_id, rise in list(some.items())[:_MOST_CHANGED]:
                start = f"  {rise:+.4f}  {query_id}  "
                lines.append(start + opening(texts.get(query_id, ""), max(width - len(start), 10)))
    return "\n".join(lines)


def saved_data(saved: Saved) -> dict[str, Any]:
    """A save as data for JSON."""

    def of_change(change: Change) -> dict[str, Any]:
        return change._asdict() | {"effects": {effect.measure: effect.data() for effect in change.effects}}

    data = {
        "save": saved.number,
        "error": saved.error or None,
        "measures": saved.evaluation and saved.evaluation.means,
        "since_last": saved.since_last and of_change(saved.since_last),
        "since_start": saved.since_start and of_change(saved.since_start),
        "best": saved.best,
    }
    return plain(data)  # type: ignore[no-any-return]


def values_line(saved: Saved, values: list[float]) -> str:
    """The values so far as a row of blocks between the lowest and the highest of them, and the best save."""
    name = f"save {saved.number}" if saved.number else "start"
    finite = [value for value in values[-_BLOCKS:] if math.isfinite(value)]
    if len(finite) < 2:
        return name
    best = f"   best so far: {best_text(saved.best)}" if saved.best else ""
    return f"{name}   {min(finite):.4f} {sparkline(values, _BLOCKS)} {max(finite):.4f}{best}"


def sparkline(values: list[float], most: int) -> str:
    """The last values as a row of blocks, scaled from the lowest to the highest."""
    finite = [value for value in values[-most:] if math.isfinite(value)]
    low, high = min(finite, default=0), max(finite, default=0)
    steps = len(_LEVELS) - 1
    return "".join(_LEVELS[round((value - low) / (high - low) * steps) if high > low else 0] for value in finite)


def _values(saved: Saved) -> str:
    evaluation = saved.evaluation
    assert evaluation is not None
    return "  ".join(f"{measure} {evaluation[str(measure)]:.4f}" for measure in evaluation.measures)


def _mark(change: Change, place: int = 0) -> str:
    """A ~ after a change of the first measure that may be chance."""
    return "~" if place == 0 and change.may_be_chance else ""


def _rise(change: Change, place: int = 0) -> str:
    """The rise of a measure."""
    effect = change.effects[place]
    return f"{round(effect.after - effect.before, 4) + 0.0:+.4f}"
