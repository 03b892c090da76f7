"""System: a model with an analysis, fields or an index of its own, and the shortest names that tell several apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import toysearch.models
from toysearch.base import SYSTEM_PARTS, ArgumentError, expect_list

if TYPE_CHECKING:
    import os

    from toysearch.analysis.analyzer import AnalyzerLike
    from toysearch.index.inverted_index import Index
    from toysearch.models import Model, ModelLike, Ranker

__all__ = ["System"]

MOST = 24
"""Maximum number of systems that models, analyses, fields and indexes make together."""

BETWEEN = " · "
"""Separator of the parts of a system in its name."""

_SYNONYMS = re.compile(r"(?<=[:,])synonyms=[^,]*,?")


class IndexedAs(NamedTuple):
    """What a system has of its own; systems with the same share an index."""

    analysis: Any = None  # analyzer, or the settings that differ from the usual ones, as pairs
    fields: tuple[str, ...] = ()
    index: Any = None

    def __bool__(self) -> bool:
        return any(part not in (None, ()) for part in self)


@dataclass(frozen=True, repr=False)
class System:
    """A ranking model with its own analysis, its own searched fields, or its own index of the same documents.

    `compare`, `diff`, `tune`, the scores of `Study` and `toysearch compare --model` take it in place of a model. What
    is None is that of the collection.

    Parameters
    ----------
    model : str, function, Model or Ranker
        The ranking model, as `toysearch.model` takes it.
    analyzer : Analyzer, str, function or mapping, optional
        The analysis: ``english:stem=porter``; or some settings, as text (``:stem=none``) or as a mapping of arguments
        of `Analyzer.for_language`.
    fields : str or sequence of str, optional
        The fields that are searched: ``title,text``.
    index : Index, str or Path, optional
        A saved index of the same documents, which has its own analysis and fields.
    name : str, optional
        The name in tables; by default the model, and whatever else differs among the systems of a table.

    Raises
    ------
    ArgumentError
        If the model, the analysis or a setting is unknown, or an index is given beside an analysis or fields.

    Examples
    --------
    >>> System("bm25:b=0.4", "english:stem=porter", "title")
    bm25:b=0.4 · english:stem=porter · title
    >>> System.of("bm25 | english").analyzer
    'english'
    >>> import toysearch
    >>> found = toysearch.compare(["bm25", System("bm25", "plain")], "companions", "AP")
    >>> {name: round(values["AP"], 4) for name, values in found.evaluations.items()}
    {'bm25': 0.3831, 'bm25 · plain': 0.3275}
    """

    model: Any
    analyzer: AnalyzerLike | Mapping[str, Any] | None = None
    fields: str | Sequence[str] | None = None
    index: Index | str | os.PathLike[str] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", toysearch.model(self.model))
        fields = self.fields.split(",") if isinstance(self.fields, str) else self.fields or ()
        expect_list(str, fields=fields)
        object.__setattr__(self, "fields", tuple(field.strip() for field in fields if field.strip()) or None)
        if self.index is not None and (self.analyzer is not None or self.fields):
            what = "analyzer" if self.analyzer is not None else "fields"
            raise ArgumentError(f"an index has its own analysis and fields: leave out the {what}, or the index")
        if isinstance(self.analyzer, Mapping):
            object.__setattr__(self, "analyzer", dict(self.analyzer))
        if self.analyzer is not None:
            self.analysis  # noqa: B018 (refuses an unknown one)

    @classmethod
    def of(cls, given: ModelLike | System) -> System:
        """Return the system itself, or that of a model, or of a text.

        In a text, a part that names the folder of an index, or a language or an analyzer, is that; another part names
        fields.

        >>> System.of("bm25 · title,text").fields
        ('title', 'text')
        """
        if isinstance(given, System):
            return given
        if not isinstance(given, str) or not re.search(SYSTEM_PARTS, given):
            return cls(given)
        model, *others = (part.strip() for part in re.split(SYSTEM_PARTS, given))
        found: dict[str, str] = {}
        for part in others:
            kind = _kind(part)
            if kind in found:
                raise ArgumentError(f"'{given}' gives its {kind} twice: {found[kind]} and {part}")
            found[kind] = part
        return cls(model, **found)

    @property
    def analysis(self) -> Any:
        """Analyzer, or the settings that differ from the usual ones of the collection; None if it has neither."""
        from toysearch.analysis.analyzer import Analyzer
        from toysearch.analysis.analyzer_text import parsed  # most systems are only a model

        if self.analyzer is None or isinstance(self.analyzer, Mapping):
            return self.analyzer
        if isinstance(self.analyzer, str) and self.analyzer.startswith(":"):
            return parsed(f"plain{self.analyzer}")[1]
        return Analyzer.of(self.analyzer)

    @property
    def indexed_as(self) -> IndexedAs:
        """What it has of its own beside the model."""
        analysis = self.analysis
        if isinstance(analysis, dict):
            analysis = tuple(sorted((name, str(value)) for name, value in analysis.items()))
        index = str(self.index) if isinstance(self.index, Path) else self.index
        return IndexedAs(analysis, self.fields or (), index)  # type: ignore[arg-type]

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """Texts of model, analysis, fields and index; "" for what is that of the collection."""
        index = self.index
        if index is not None and not isinstance(index, str | Path):
            index = getattr(index, "folder", None) or "index"
        index_name = "" if index is None else Path(index).resolve().name
        return str(self.model), _analysis_text(self.analyzer), ",".join(self.fields or ()), index_name

    def __str__(self) -> str:
        return self.name or _joined(self.parts)

    def __repr__(self) -> str:
        return str(self)


ModelOrSystem: TypeAlias = "Model | Ranker | System"
"""Anything that ranks the documents of a study."""


def distinct(ranked: Sequence[ModelOrSystem], *, own: bool = False) -> list[ModelOrSystem]:
    """Name systems by their models and by those of their other parts that differ; models alone as models are named.

    >>> distinct([System("bm25", "plain", "title"), System("bm25", "english", "title")])
    [bm25 · plain, bm25 · english]
    """
    models = toysearch.models.distinct([one.model if isinstance(one, System) else one for one in ranked], own=own)
    if not any(isinstance(one, System) for one in ranked):
        return list(models)
    systems = [replace(System.of(one), model=model) for one, model in zip(ranked, models, strict=True)]
    rows = [system.parts for system in systems]
    if len({*rows}) < len(rows):  # folders of one name
        rows = [(*row[:3], str(system.index or "")) for row, system in zip(rows, systems, strict=True)]
    varied = [place for place in (1, 2, 3) if len(rows) == 1 or len({row[place] for row in rows}) > 1]
    names = [_joined(row[place] for place in [0, *varied]) for row in rows]
    short = [_without_words(name) for name in names]
    times = Counter(short)
    names = [brief if times[brief] == 1 else name for brief, name in zip(short, names, strict=True)]
    return [replace(system, name=system.name or name) for system, name in zip(systems, names, strict=True)]


def crossed(
    models: Sequence[ModelOrSystem],
    analyzers: Sequence[Any] = (None,),
    fields: Sequence[Any] = (None,),
    indexes: Sequence[Any] = (None,),
) -> list[ModelOrSystem]:
    """Return every combination of models with analyses, fields and indexes, at most `MOST`.

    >>> crossed([toysearch.model("bm25"), toysearch.model("dice")], ["plain", "english"])
    [bm25 · plain, bm25 · english, dice · plain, dice · english]
    """
    n = len(models) * len(analyzers) * len(fields) * len(indexes)
    if n > MOST:
        counts = {"models": models, "analyses": analyzers, "fields": fields, "indexes": indexes}
        numbers = " × ".join(f"{len(some)} {kind}" for kind, some in counts.items() if len(some) > 1)
        raise ArgumentError(
            f"{numbers} are {n} systems, and at most {MOST} are compared at once: each one weakens the tests of all"
        )
    systems = []
    for ranked, *given in product(models, analyzers, fields, indexes):
        own = {name: one for name, one in zip(("analyzer", "fields", "index"), given, strict=True) if one is not None}
        if isinstance(ranked, System):
            if twice := next((name for name in own if getattr(ranked, name) is not None), None):
                raise ArgumentError(f"'{ranked}' has its own {twice}: give it there alone, or as an option alone")
            ranked = replace(ranked, **own)
        elif own:
            ranked = System(ranked, **own)
        systems.append(ranked)
    return systems


def _kind(part: str) -> str:
    from toysearch.analysis.languages import language_named  # most systems are only a model
    from toysearch.index.file_layout import is_index_folder

    if not part:
        raise ArgumentError("a system is a model and its own parts, such as bm25 · english · title; one is empty here")
    if is_index_folder(part):
        return "index"
    head, colon, _ = part.partition(":")
    try:
        language_named(head or "plain")
    except ArgumentError as error:
        if colon or "did you mean" in str(error):
            raise
        return "fields"
    return "analyzer"


def _joined(parts: Iterable[str]) -> str:
    return BETWEEN.join(filter(None, parts))


def _analysis_text(analyzer: Any) -> str:
    """Write an analysis as it was typed; an Analyzer as its language, if it has the usual analysis of that."""
    from toysearch.analysis.analyzer import Analyzer  # most systems are only a model

    if analyzer is None or isinstance(analyzer, str):
        return analyzer or ""
    if isinstance(analyzer, Mapping):
        language = str(analyzer.get("language", ""))
        others = [f"{name}={value}" for name, value in analyzer.items() if name != "language"]
        return f"{language}:{','.join(others)}" if others else language
    analyzer = Analyzer.of(analyzer)
    language = "plain" if analyzer.language == "none" else analyzer.language
    return language if analyzer == Analyzer.for_language(language) else str(analyzer)


def _without_words(name: str) -> str:
    """Write english:synonyms=FILE as english+synonyms.

    >>> _without_words("bm25 · english:stem=none,synonyms=a.txt · title")
    'bm25 · english:stem=none+synonyms · title'
    """
    parts = []
    for part in name.split(BETWEEN):
        without = _SYNONYMS.sub("", part).rstrip(":,")
        parts.append(part if without == part else f"{without}+synonyms")
    return BETWEEN.join(parts)
