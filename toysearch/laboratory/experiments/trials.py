"""What each setting of a model is worth for each query: computed when it is asked for, once, by all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, islice

import numpy as np

from toysearch.compiled.choice import cores
from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.grids import Axis, Setting
from toysearch.laboratory.experiments.ledger import Ledger, key
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model

_AT_ONCE = 256  # settings that wait for a thread: a setting is noted soon after it is known


class Trials:
    """Settings → the value of each query."""

    def __init__(
        self,
        evaluator_of: Callable[[Mapping[str, str]], Evaluator],
        model: Model | Mixture,
        axes: Sequence[Axis],
        *,
        ledger: Ledger | None = None,
        threads: int | None = None,
        keep: bool = False,
        tell: Callable[[Setting, np.ndarray], None] | None = None,
    ) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ArgumentError(f"threads is a whole number of at least 1 (or None for all cores), not {threads!r}")
        self._evaluator_of, self._model, self._ledger, self._tell = evaluator_of, model, ledger, tell
        self._analysis = [axis.name for axis in axes if axis.of_analysis]
        self._threads, self._keep = threads or cores(), keep
        self._evaluators: dict[tuple[tuple[str, str], ...], Evaluator] = {}
        self._known: dict[tuple[tuple[str, object], ...], np.ndarray] = {}

    def values(self, settings: Iterable[Setting]) -> list[np.ndarray]:
        """The values of settings, each of shape (queries,), in the order of the judgments."""
        settings = list(settings)
        missing = {key(setting): setting for setting in settings if key(setting) not in self._known}
        for choices, group in groupby(missing.values(), self._choices):
            for setting, values in self._found(dict(choices), list(group)):
                self._known[key(setting)] = values
                if self._tell is not None:
                    self._tell(setting, values)
        return [self._known[key(setting)] for setting in settings]

    def model(self, setting: Setting) -> Model | Mixture:
        """The model with the parameters of a setting."""
        values = {name: value for name, value in setting.items() if name not in self._analysis}
        return self._model.bind(**values) if values else self._model

    def _choices(self, setting: Setting) -> tuple[tuple[str, str], ...]:
        """The choices of the analysis in a setting."""
        return tuple((name, str(setting[name])) for name in self._analysis if name in setting)

    def _found(self, choices: Mapping[str, str], settings: list[Setting]) -> Iterator[tuple[Setting, np.ndarray]]:
        """Settings with their values, in their order: from the ledger, or computed and noted there."""
        noted = self._ledger.found if self._ledger is not None else {}
        computed = self._computed(choices, [setting for setting in settings if key(setting) not in noted])
        for setting in settings:
            values = noted.get(key(setting))
            if values is None:
                values = next(computed)
                if self._ledger is not None:
                    self._ledger.add(setting, values)
            yield setting, values

    def _computed(self, choices: Mapping[str, str], settings: list[Setting]) -> Iterator[np.ndarray]:
        """The values of settings that share choices of the analysis, by all threads, in their order."""
        if not settings:
            return
        evaluator = self._evaluator(choices)

        def value(setting: Setting) -> np.ndarray:
            return evaluator.values(self.model(setting))

        yield value(settings[0])  # alone: what the evaluator prepares for all others is prepared once
        if self._threads == 1:
            yield from map(value, settings[1:])
            return
        waiting = iter(settings[1:])
        pool = ThreadPoolExecutor(self._threads)
        try:
            while some := list(islice(waiting, _AT_ONCE)):
                yield from pool.map(value, some)
        finally:
            pool.shutdown(cancel_futures=True)

    def _evaluator(self, choices: Mapping[str, str]) -> Evaluator:
        own = tuple(choices.items())
        if own not in self._evaluators:
            if not self._keep:
                self._evaluators.clear()
            self._evaluators[own] = self._evaluator_of(choices)
        return self._evaluators[own]
