"""Options that several commands share: how a text is analysed, what of a source is read, examples in the help."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

import toysearch
from toysearch.errors import ArgumentError

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.collection import Collection
    from toysearch.index.index import Index

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class SourceOptions(NamedTuple):
    """How a source is to be read and analysed; None where the user did not say."""

    language: str | None = None
    stop: str | None = None
    stem: str | None = None
    fields: str | None = None
    grades: str | None = None
    split: str | None = None
    input_format: str | None = None

    def given(self, *names: str) -> list[str]:
        """Those of the named options that the user gave, written as on the command line.

        Examples
        --------
        >>> SourceOptions(language="english", input_format="smart").given("language", "stop", "input_format")
        ['--language', '--input-format']
        """
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is not None]


def _analysis(language: str) -> list[Decorator]:
    """The options that make an analyzer; `language` is the help of --language."""
    return [
        click.option("--language", metavar="NAME", help=language),
        click.option("--stop", metavar="LIST", help="Stop words: none, sklearn, iso, or a file with one a line."),
        click.option("--stem", metavar="NAME", help="Snowball stemmer: a language, or none."),
    ]


_LANGUAGE = "Stop words and stemmer of a language (english, german …); none: neither.  [default: "
_READING = [
    click.option(
        "--fields", metavar="A,B", help="Fields that are searched; by default those that the collection names."
    ),
    click.option(
        "--grades",
        metavar="MAPPING",
        help="What the judgments' codes mean, such as binary or graded:minus1=relevant; "
        "`toysearch corpora show NAME` lists them.",
    ),
    click.option("--split", metavar="NAME", help="Which judgments, where there are several: train, test."),
    click.option("--input-format", metavar="NAME", help="Format of the source, where its content misleads."),
]


def _gathered(options: Sequence[Decorator]) -> Decorator:
    """A decorator that adds options to a command and hands them over as one `SourceOptions`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def gathering(*args: Any, **values: Any) -> Any:
            asked = {name: values.pop(name) for name in SourceOptions._fields if name in values}
            return function(*args, options=SourceOptions(**asked), **values)

        command: Callable[..., Any] = gathering
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


analysis_options = _gathered(_analysis(f"{_LANGUAGE}none]"))
"""Add --language, --stop and --stem; the command gets them as ``options``, a `SourceOptions`."""

source_options = _gathered([*_analysis(f"{_LANGUAGE}the language that the collection names, else none]"), *_READING])
"""Add the options of a command that takes a SOURCE; the command gets them as ``options``, a `SourceOptions`."""


model_option = click.option(
    "--model",
    "name",
    default="bm25",
    show_default=True,
    metavar="MODEL",
    help="How to rank: a name such as bm25:b=0.4 (`toysearch models`), or FILE.py:FUNCTION.",
)
"""Add --model; the command gets its text as ``name``."""


def analyzer_for(options: SourceOptions, language: str | None = None) -> Analyzer:
    """The analyzer that the options ask for.

    Parameters
    ----------
    options : SourceOptions
        Of which --language, --stop and --stem are read.
    language : str, optional
        The collection's own language, for when --language is not given.
    """
    chosen = options.language or language or "none"
    analyzer: Analyzer = toysearch.Analyzer.for_language(chosen, stop=options.stop, stem=options.stem)
    return analyzer


def is_index(source: str) -> bool:
    """Whether a path is the folder of an index: one with a manifest."""
    return (Path(source) / "manifest.json").exists()


def load_source(source: str, options: SourceOptions) -> Collection:
    """The collection that a name, a folder or a file stands for, read as the options say."""
    collection: Collection = toysearch.load(
        source,
        grades=options.grades,
        fields=options.fields,
        split=options.split,
        input_format=options.input_format,
    )
    return collection


def open_source(source: str, options: SourceOptions) -> tuple[Index, Collection | None]:
    """The index of a SOURCE, opened from its folder or built in memory, and the collection behind it.

    Parameters
    ----------
    source : str
        The folder of an index; or a collection: its name, its folder, its file.
    options : SourceOptions
        How to read and analyse it.

    Returns
    -------
    index : Index
        The index.
    collection : Collection or None
        What it was built from. For an index that was opened: the named collection, found when it is first
        asked for anything; None if it was not built from a named one.

    Raises
    ------
    ArgumentError
        If options are given that an index cannot follow: it stores its own analysis.
    """
    if not is_index(source):
        collection = load_source(source, options)
        return toysearch.Index.build(collection, analyzer_for(options, collection.language)), collection
    fixed = options.given("language", "stop", "stem", "fields", "input_format")
    if fixed:
        raise ArgumentError(
            f"'{source}' is an index, which stores its own analysis: {' and '.join(fixed)} cannot be chosen here; "
            "leave it out, or name the collection in place of the index"
        )
    index = toysearch.Index.open(source)
    if index.collection:
        return index, cast("Collection", _Later(lambda: load_source(index.collection, options)))
    judged = options.given("grades", "split")
    if judged:
        raise ArgumentError(
            f"the index '{source}' was not built from a named collection and has no judgments: "
            f"{' and '.join(judged)} cannot be chosen here; leave it out, or name a collection in place of the index"
        )
    return index, None


class _Later:
    """Stands for a collection that is loaded when it is first asked for anything: most searches never do."""

    def __init__(self, load: Callable[[], Collection]) -> None:
        self._load = load

    @functools.cached_property
    def _collection(self) -> Collection:
        return self._load()

    def __getattr__(self, name: str) -> Any:
        """What the collection has under that name."""
        return getattr(self._collection, name)


def examples(*lines: str) -> str:
    r"""The block of examples at the end of a command's help, for click's `epilog`.

    Examples
    --------
    >>> examples("toysearch demo")
    '\x08\nExamples:\n  toysearch demo'
    """
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])
