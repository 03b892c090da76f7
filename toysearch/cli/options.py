"""The options shared by several commands, the objects that hold them, and options made from functions.

Start with `SHARED` and `documented`: types and defaults come from a signature, help and choices from its docstring.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

import click

import toysearch.models
import toysearch.study
from toysearch import files
from toysearch.base.errors import ArgumentError, note
from toysearch.base.rendering import FORMATS
from toysearch.cli.commands import FILES, TELL, Option, flag, kept_value, was_given
from toysearch.files import SETTINGS, Reading, ReadingReport
from toysearch.query.modes import MODES

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.collection.collection import Collection
    from toysearch.files import Source
    from toysearch.models.model import Model

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

POSITIVE = click.IntRange(min=1)


def option(*names: str, **settings: Any) -> Decorator:
    """`click.option` with a heading."""
    return click.option(*names, cls=Option, **settings)


def refuse_if(is_wrong: object, sentence: str) -> None:
    """Refuse a combination of options."""
    if is_wrong:
        raise click.UsageError(sentence)


class Read(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """What a function reads from the text of an option."""

    def __init__(self, read: Callable[[str], Any], name: str = "TEXT") -> None:
        self.read, self.name = read, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what is read from a text; another value as it is."""
        return self.read(value) if isinstance(value, str) else value


MODEL = Read(lambda text: toysearch.model(text), "MODEL")
SYSTEM = Read(lambda text: toysearch.study.ranked_of(text), "MODEL")
"""A model, or a system with an analysis, fields or an index of its own."""


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds options in this order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorate in reversed(options):
            function = decorate(function)
        return function

    return add


MEASURES = "AP nDCG@10 P@10"
SHARED: dict[str, dict[str, Any]] = {
    "above": {
        "type": float,
        "heading": "Ranking",
        "help": "Leave out documents whose score is not above this number.",
    },
    "alpha": {
        "type": float,
        "default": 0.05,
        "heading": "Test",
    },
    "by": {
        "metavar": "FIELD",
        "heading": "Queries",
        "help": "Show means and tests by groups of queries: by their length, or by a field of the queries.",
    },
    "correction": {
        "choices": "CORRECTIONS",
        "default": "holm",
        "heading": "Test",
        "help": "Correction of p for the number of comparisons.",
    },
    "k": {
        "names": ["-k"],
        "type": POSITIVE,
        "default": 1000,
        "heading": "Ranking",
        "help": "Number of documents to rank per query.",
    },
    "measure": {
        "names": ["-m", "--measure"],
        "default": "AP",
        "heading": "Evaluation",
    },
    "measures": {
        "names": ["-m", "--measures"],
        "joined": True,
        "default": MEASURES,
        "heading": "Evaluation",
        "help": "Measures (`toysearch measures`), or a set: official, beir, seeds.",
    },
    "methods": {
        "is_flag": True,
        "heading": "Output",
        "help": "Print the paragraph on methods for a paper, as text or with --format latex.",
    },
    "only_retrieved": {
        "is_flag": True,
        "default": None,
        "heading": "Evaluation",
        "help": "Average over answered queries, as trec_eval.",
    },
    "output": {"names": ["-o", "--output"], "metavar": "FILE"},
    "per_query": {"is_flag": True, "help": "Show one row per query, and the means as query 'all'."},
    "query_id": {"metavar": "ID"},
    "seed": {"type": click.IntRange(min=0), "default": 0},
    "test": {"choices": "TESTS", "default": "t", "heading": "Test", "help": "Paired test of each difference."},
    "texts": {"metavar": "COLLECTION"},
    "threads": {
        "type": POSITIVE,
        "heading": "Ranking",
        "help": "Number of threads; results are the same.  [default: one per core]",
    },
    "threshold": {
        "type": float,
        "heading": "Evaluation",
        "help": "Lowest relevant grade.  [default: the collection's, or 1]",
    },
    "ties": {"heading": "Evaluation"},
    "undefined": {
        "type": click.Choice(["zero", "nan"]),
        "heading": "Evaluation",
        "help": "Value of a query without relevant documents; nan leaves it out.  [default: zero]",
    },
}
"""The options that several commands have, by the name of the parameter: declared here, and nowhere again.

choices : the names of an option, by the table of `significance` that has them
"""


def shared(name: str, parameter: str = "", **changes: Any) -> Decorator:
    """Return a shared option, with what one command changes; without a default, the usual one is only shown.

    parameter : the name by which the command gets the value, if it is another one
    """
    settings = SHARED[name] | changes
    usual = SHARED[name].get("default")
    if settings.get("default") is None and usual is not None and "help" not in changes:
        settings["help"] += f"  [default: {usual}]"
    if "choices" in settings:
        from toysearch.study.compare import significance  # most commands never load it

        settings["type"] = click.Choice([*getattr(significance, settings.pop("choices"))])
    return option(*settings.pop("names", [flag(name)]), parameter or name, **settings)


# Options made from a function

_SECTION = r"(?m)^(\w+(?: \w+)?)\n-+\n"


def sections(function: Callable[..., Any]) -> dict[str, str]:
    """Return the sections of a numpydoc docstring by heading; the text before the first one is under ""."""
    pieces = re.split(_SECTION, inspect.getdoc(function) or "")
    return {"": pieces[0].strip(), **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def description(function: Callable[..., Any], more: str = "") -> str:
    """Return the help of a command: the text of the function that it calls, and what the command says besides."""
    return f"{sections(function)['']}\n\n{more}".rstrip()


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the parameters of the section Parameters that have a type: name, type, and what is said of it."""
    for entry in re.split(r"\n(?=\S)", text):
        head, _, words = entry.partition("\n")
        names, typed, kind = head.partition(" : ")
        if typed:
            yield from ((name, kind, " ".join(words.split())) for name in names.split(", "))


def descriptions(text: str) -> dict[str, str]:
    """Return the help of each parameter: its first sentence in the section Parameters.

    A default that the signature cannot say, as in "; by default all.", is shown like any other: [default: all].
    """
    result = {}
    for name, _, words in _entries(text):
        words = words.replace("``", "").replace('"', "").removeprefix("The ")
        sentence = words[:1].upper() + re.split(r"(?<=\.) (?=[A-Z])", words)[0][1:]
        said, _, last = sentence.removesuffix(".").rpartition("; ")
        default = last.removeprefix("by default ").removesuffix(" by default")
        result[name] = f"{said}.  [default: {default}]" if said and default != last else sentence
    return result


def choices(text: str) -> dict[str, list[str]]:
    """Return the names among which a parameter chooses, where its type is written as a set of names."""
    return {name: kind.partition("}")[0].split('"')[1::2] for name, kind, _ in _entries(text) if kind.startswith('{"')}


def documented(function: Callable[..., Any]) -> Callable[..., Decorator]:
    """Return what makes the option for a parameter of a function, of its name and of what the option says differently.

    Type and default come from the signature, help and choices from the docstring. What several commands have besides,
    such as a heading, is in `SHARED`; its help is for a parameter without its own.

    A command lists its options with it, one below the other: `scored = documented(toysearch.study.scores)`, and above
    the command `@scored("worst", heading="Queries")`.
    """
    text = sections(function).get("Parameters", "")
    helps, names = descriptions(text), choices(text)
    parameters = inspect.signature(function).parameters

    def option_for(name: str, **changes: Any) -> Decorator:
        parameter, among = parameters[name], names.get(name)
        settings: dict[str, Any] = {"help": helps[name]} if name in helps else {}
        if name in SHARED:
            if among and "choices" not in SHARED[name]:
                settings["type"] = click.Choice(among)
            return shared(name, **{"default": parameter.default, **settings, **changes})
        alone = SimpleNamespace(__annotations__={"type": parameter.annotation})
        kind = get_type_hints(alone, inspect.unwrap(function).__globals__)["type"]
        if get_origin(kind) in (Union, UnionType):
            kind = next(part for part in get_args(kind) if part is not NoneType)
        if kind is bool:
            settings["is_flag"] = True
        else:
            names_of_type = get_args(kind) if get_origin(kind) is Literal else among
            settings["type"] = click.Choice(names_of_type) if names_of_type else kind if kind in (int, float) else str
            if parameter.default is not None:
                settings["default"] = parameter.default
        settings |= changes
        return option(*settings.pop("names", [flag(name)]), name, **settings)

    return option_for


# Reading and analysing a source


Target: TypeAlias = "str | Source"
"""A word of a command line that names what is read: the name or the folder of a collection or an index; or a file."""


class SourceOptions(NamedTuple):
    """Settings for reading and analysing a source; None for options not given."""

    reading: Reading = Reading()
    analyzer: Analyzer | dict[str, Any] | None = None
    language: str | None = None
    stop: str | None = None
    queries: str | Source | None = None
    qrels: str | Source | None = None
    query_mode: str | None = None
    known_items: str | None = None
    several: Mapping[str, Sequence[Any]] = MappingProxyType({})  # options given more than once: all their values

    def source(self, path: str | os.PathLike[str]) -> Source:
        """Return the source of a file, which is read with these settings."""
        how = self.reading
        return files.source_of(path, encoding=how.encoding, report=how.report, run_columns=how.run_columns)

    def target(self, word: Target) -> Target:
        """Return the source of a file; the name or the folder of a collection or an index as it is."""
        return word if isinstance(word, str) and not files.is_file(word) else self.source(word)

    def some_of(self, names: Iterable[str]) -> Reading:
        """Return some of the settings for reading."""
        return Reading(**{name: getattr(self.reading, name) for name in (*names, "report", "texts_only")})

    @property
    def of_queries(self) -> Reading:
        """Settings for reading the queries that are given."""
        return self.some_of((*OF_QUERIES, "encoding"))

    @property
    def lists_queries(self) -> bool:
        """True if --queries is a list of ids, which chooses among the queries of the source."""
        if self.queries is None:
            return False
        from toysearch.collection.queries import lists_ids  # most commands take the queries of the source

        return lists_ids(self.queries)

    @property
    def of_source(self) -> Reading:
        """Settings for reading the source: with --queries or --qrels, those for queries or judgments apply to these."""
        others = OF_QUERIES if self.queries is not None and not self.lists_queries else ()
        others += OF_QRELS if self.qrels is not None else ()
        return self.some_of(name for name in SETTINGS if name not in others)


OF_QUERIES, OF_QRELS = (
    tuple(name for name, setting in SETTINGS.items() if setting.role == role) for role in ("queries", "qrels")
)
ANALYSIS = ("analyzer", "language", "stop")
"""The names of the options that make an analyzer."""

ANALYSIS_SETTINGS: dict[str, dict[str, Any]] = {
    "--language": {"metavar": "NAME", "help": "Language of stop words and stemmer.  [default: the collection's]"},
    "--stop": {"metavar": "LIST", "help": "Stop words: none, sklearn, lucene, snowball, iso, or a file."},
}
"""Each option with its settings, in the order of the help."""


def _gathered(**values: Any) -> SourceOptions:
    lists = {name: listed for name, listed in values.items() if isinstance(listed, tuple)}
    values |= {name: listed[0] if listed else None for name, listed in lists.items()}
    several = {name: tuple(dict.fromkeys(listed)) for name, listed in lists.items() if len({*listed}) > 1}
    if isinstance(values.get("analyzer"), str):
        values["analyzer"] = _analyzer(values["analyzer"])
    how = {name: values.pop(name) for name in (*SETTINGS, "run_columns") if name in values}
    reading = Reading(**how, report=ReadingReport(taken=kept_value(TELL)), texts_only=bool(kept_value("get")))
    options = SourceOptions(reading, **values, several=several)
    names = "queries", "qrels"
    targets: Any = {name: options.target(word) for name in names if (word := values.get(name)) is not None}
    return options._replace(**targets)


_input = functools.partial(option, into=("options", _gathered), heading="Input")
"""Option of a source, which becomes part of its `SourceOptions`."""


NOT_CHECKED = ("split", "rejected")  # every split is checked, and every bad record is reported


notes_option = option(
    "--notes",
    is_flag=True,
    kept=True,
    heading="Input",
    brief=FILES,
    help="Say what each file is taken for, and print all notes in full.",
)
"""--notes: without it, what files are taken for is not said, and several notes on queries are summed up."""


_run_columns: dict[str, Any] = {
    "brief": FILES,
    "metavar": "PART=NAME,…",
    "help": "Columns of a run, such as query=topic,doc=artikel,score=punkte.",
}
run_columns_option = _input("--run-columns", **_run_columns)
"""--run-columns, for a command that takes run files beside other sources."""
runs_options = together(option("--run-columns", kept=True, heading="Input", **_run_columns), notes_option)
"""--run-columns and --notes, for a command that takes run files alone, and reads them as `reading_of_runs` says."""


def reading_of_runs() -> SourceOptions:
    """Return the settings of `runs_options`."""
    return SourceOptions(Reading(report=ReadingReport(taken=kept_value(TELL)), run_columns=kept_value("run_columns")))


_FLAGS = {name: flag(name) for name in SETTINGS}


@functools.cache
def _reading_option(name: str, **settings: Any) -> Decorator:
    setting = SETTINGS[name]
    kind: Any = click.Choice(setting.choices) if setting.choices else None
    if name == "encoding":
        kind = Read(lambda text: (text, files.known_encoding(text))[0])
    return _input(
        flag(name),
        type=kind,
        metavar=setting.metavar,
        writes="file" if setting.is_output else "",
        help=setting.help.format(**_FLAGS),
        **settings,
    )


_SEVERAL: dict[str, Any] = {"multiple": True}


def reading(brief: str = FILES, without: Sequence[str] = (), several: Sequence[str] = ()) -> list[Decorator]:
    """Return the options for reading a SOURCE; brief: what the help names instead; several: may be repeated."""
    options = [
        _reading_option(name, brief=brief, **(_SEVERAL if name in several else {}))
        for name in SETTINGS
        if name not in without
    ]
    fetching = option(
        "--get",
        is_flag=True,
        kept=True,
        heading="Input",
        brief=brief,
        help="Fetch missing files of a named collection without asking.",
    )
    return [*options, fetching, notes_option]


def _analyzer(text: str) -> Analyzer | dict[str, Any]:
    """Return the analyzer that a text describes; of one without a language, the settings that it changes."""
    if not text.startswith(":"):
        return toysearch.Analyzer.parse(text)
    from toysearch.analysis.analyzer_text import parsed  # most commands are given a language or nothing

    return parsed(f"plain{text}")[1]


def analyzer_option(default: str, more: str = "", **several: Any) -> Decorator:
    """--analyzer, with its default; of several systems, each is named by the text as it was typed."""
    return _input(
        "--analyzer",
        type=Read((lambda text: (text, _analyzer(text))[0]) if several else _analyzer, "SPEC"),
        metavar="SPEC",
        help=f"Language and analysis, such as english:stem=porter,ngrams=1-2 (`toysearch analyze -h`){more}.  "
        f"[default: {default}]",
        **several,
    )


def _analysed(default: str, more: str = "", **several: Any) -> list[Decorator]:
    """--analyzer, and --language and --stop, short for --analyzer LANGUAGE:stop=LIST."""
    return [
        analyzer_option(default, more, **several),
        _input("--language", hidden=True, **ANALYSIS_SETTINGS["--language"], **several),
        _input("--stop", hidden=True, **ANALYSIS_SETTINGS["--stop"]),
    ]


_ANALYSED = _analysed("the collection's language")
_QUERIES = _input(
    "--queries",
    metavar="FILE",
    help="Queries to use instead: a file or a collection; or only some, by their ids: 1,2.",
)
_QRELS = _input("--qrels", metavar="QRELS", help="Judgments to use instead: a file or a collection.")


def _kind_of_items(text: str) -> str:
    if text:
        try:
            toysearch.study.ItemSettings.parse(text)
        except ArgumentError as error:
            raise click.UsageError(f"{error}; without a kind, --known-items comes last") from None
    return text


_KNOWN_ITEMS = _input(
    "--known-items",
    is_flag=False,
    flag_value="",
    type=Read(_kind_of_items),
    metavar="[KIND]",
    help="Queries made from the texts themselves, each of which should find its text: title, sentence or words; "
    "sentence:n=50,seed=1 (`toysearch docs known-items`).",
)
_TOPICS = (_QUERIES, _QRELS, _KNOWN_ITEMS)

analysis_options = together(*_analysed("plain"))
"""--analyzer, for a command that takes texts."""
_OF_DOCUMENTS = reading(without=(*OF_QUERIES, *OF_QRELS))
source_options = together(*_ANALYSED, *_OF_DOCUMENTS)
"""The options of a command that takes the documents of a SOURCE, a `SourceOptions` as ``options``."""
queries_options = together(*_ANALYSED, *reading(without=("grades", "split")), _QUERIES)
"""Those and the options for queries, for a command that uses queries."""
judged_options = together(*_ANALYSED, *reading(), *_TOPICS)
"""All options for reading, --queries, --qrels and --known-items, for a command that measures."""
_ANALYSED_SEVERALLY = _analysed("the collection's language", "; repeat for several systems", **_SEVERAL)
systems_options = together(*_ANALYSED_SEVERALLY, *reading(several=("fields",)), *_TOPICS)
"""The same for a command that compares systems, with the options that make several when they are repeated."""
tuned_options = together(*_ANALYSED_SEVERALLY, *reading(), *_TOPICS)
"""The same for a command that tries several analyses."""
described_options = together(*reading(""))
"""The options for reading a SOURCE, for the command that describes them."""
reading_options = together(*reading())
"""The same for another command without analysis."""
document_options = together(*_OF_DOCUMENTS)
"""Those for reading documents, for a command that takes nothing else."""
checking_options = together(
    _input("--qrels", metavar="QRELS", help="Judgments of a run: a file or a collection."),
    *reading(without=NOT_CHECKED),
    run_columns_option,
)
"""The options for reading a SOURCE, for a command that checks every set of judgments."""


def analysis_of(options: SourceOptions) -> Analyzer | dict[str, Any]:
    """Return the analyzer of --analyzer, or its single settings, as arguments of `Analyzer.for_language`."""
    single = {name: value for name in ANALYSIS[1:] if (value := getattr(options, name)) is not None}
    if options.analyzer is None:
        if options.reading.encoding and os.path.isfile(single.get("stop", "")):
            single["stop"] = options.source(single["stop"])
        return single
    if single:
        names = " and ".join(map(flag, single))
        raise click.UsageError(f"--analyzer describes the whole analysis: leave out {names}")
    return options.analyzer


def typed_text(text: str, options: SourceOptions) -> str:
    """Return a text as typed; that of a file, with a note, if its name is typed instead."""
    if not os.path.isfile(text):
        return text
    note(f"{text} is a file: its text is taken")
    return "\n".join(line for _, line in files.numbered_lines(options.source(text)))


def analyzer_for(options: SourceOptions, collection: Collection | None = None) -> Analyzer:
    """Return the analyzer of the options, else that of the collection."""
    chosen = analysis_of(options)
    if isinstance(chosen, toysearch.Analyzer):
        return chosen
    usual = {"language": "none"} if collection is None else collection.analysis
    analyzer = toysearch.Analyzer.for_language(**(usual | chosen))
    return analyzer


# Evaluation

threshold_option = shared("threshold")
ties_option = shared(
    "ties",
    type=click.Choice(["rank", "trec_eval", "average"]),
    help="Order of equal scores in all systems.  [default: rank for models alone, trec_eval beside a run file]",
)
"""--ties, for a command that compares systems: models, run files, or both."""


judges_options = together(
    option("--judges", metavar="NAMES", help="Only these judges, or the columns with their grades: ada,ben."),
    *(_reading_option(name) for name in ("grades", "qrels_columns", "on_error", "encoding")),
    notes_option,
)
"""--judges and the options for reading judgments, for a command that reads the grades of several judges."""


# Output


_SHORT = ("json", "tsv", "csv")


def _form(ctx: click.Context, _: click.Parameter, form: str) -> str:
    short = [name for name in _SHORT if kept_value(f"as_{name}")]
    if not short:
        return form
    forms = {*short, form} if was_given("form") else {*short}
    if len(forms) > 1:
        raise click.UsageError(f"the output can have one form, not both {' and '.join(sorted(forms))}", ctx)
    return short[0]


def output_options_with(*more: str) -> Decorator:
    """Return the options of the form of the output, of which one command may have more."""
    forms = [*FORMATS, *more]
    named = option(
        "--format",
        "form",
        type=click.Choice(forms),
        metavar="|".join(forms),
        default="table",
        callback=_form,
        heading="Output",
        show_default=False,
        help="Form of the output; --json, --tsv and --csv are short forms.",
    )
    short = [option(f"--{name}", f"as_{name}", is_flag=True, kept=True, hidden=True) for name in _SHORT]
    return together(named, *short)


output_options = output_options_with()
"""--format, --json, --tsv and --csv; the command gets the name of the chosen format as ``form``."""


index_options = together(
    analyzer_option("the collection's language"),
    *(_input(name, heading="Analysis", **settings) for name, settings in ANALYSIS_SETTINGS.items()),
    *_OF_DOCUMENTS,
)
"""The options for reading documents and analysing them, each described, for the command that stores both."""

# How documents are ranked

DEFAULT = "bm25"


def formula_models(formulas: Sequence[str], settings: Sequence[str]) -> list[Model]:
    """Return the models of --formula, each with the values of --set that it uses."""
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not (name and equals and value):
            raise ArgumentError(f"--set '{setting}' is not of the form NAME=VALUE; an example: --set k=1.2")
        if name in values:
            raise ArgumentError(f"--set gives {name} twice: {values[name]} and {value}")
        values[name] = value
    refuse_if(
        values and not formulas,
        "--set gives values to names in a --formula; parameters of a model are written bm25:b=0.4",
    )
    arguments = [{name: value for name, value in values.items() if name in names_in(formula)} for formula in formulas]
    for name in values:
        if not any(name in chosen for chosen in arguments):
            raise ArgumentError(f"--set {name}: no formula has the name {name}")
    return [toysearch.formula(text, **values) for text, values in zip(formulas, arguments, strict=True)]


def names_in(formula: str) -> set[str]:
    """Return the names in a formula: statistics, functions, and custom names."""
    return set(re.findall(r"[^\W\d]\w*", formula))


def _one(ctx: click.Context, parameter: click.Parameter, model: Any) -> Any:
    formulas, settings = kept_value("formulas"), kept_value("settings")
    if not (formulas or settings):
        return model
    formulas = formula_models(formulas, settings)
    if len(formulas) + was_given(str(parameter.name)) > 1:
        raise click.UsageError("give one model, by --model or by --formula", ctx)
    return formulas[0]


def _all(ctx: click.Context, _: click.Parameter, models: Any) -> Any:
    """Models of --model, then those of --formula, each with a name of its own."""
    chosen = (*models, *formula_models(kept_value("formulas"), kept_value("settings")))
    from_files = ctx.info_name == "report"  # where each function of the user is named by its file
    return tuple(toysearch.study.distinct(chosen, own=from_files)) if from_files or len(chosen) > 1 else chosen


def _formula_options(brief: str = "") -> Decorator:
    settings = {"multiple": True, "kept": True, "heading": "Ranking", "brief": brief}
    formula = 'Ranking model as a formula: "log(1+tf) * log(N/df)" (`toysearch docs models`).'
    return together(
        option("--formula", "formulas", metavar="FORMULA", help=formula, **settings),
        option("--set", "settings", metavar="NAME=VALUE", help="Value of a custom name in --formula.", **settings),
    )


formula_options = _formula_options()
"""--formula and --set alone; the context keeps their values as formulas and settings."""


def _model_option(**more: Any) -> Decorator:
    model = option("--model", type=MODEL, metavar="MODEL", callback=_one, heading="Ranking", **more)
    return together(model, formula_options)


optional_model = _model_option(help="Ranking model.")
model_option = _model_option(
    default=DEFAULT,
    help="Ranking model (`toysearch models`), with parameters as bm25:b=0.4; or FILE.py:FUNCTION.",
)
"""--model, --formula and --set; the command gets one `Model` as ``model``."""


def _models_option(kind: click.ParamType, more: str = "") -> Decorator:  # type: ignore[type-arg, unused-ignore]
    return together(
        option(
            "--model",
            "models",
            type=kind,
            multiple=True,
            metavar="MODEL",
            callback=_all,
            heading="Ranking",
            help=f"Ranking model; repeat for several systems. Example: bm25:b=0.4{more}",
        ),
        _formula_options("toysearch search"),
    )


models_option = _models_option(MODEL)
"""The same as repeatable options; the command gets all as ``models``, without a default."""
systems_option = _models_option(SYSTEM, ", or with its own analysis or fields 'bm25 | english | title'")
"""The same for a command that compares systems."""


depth_option = shared("k")
optional_depth_option = shared("k", default=None)
"""The same for a command that also takes run files, which have their own depth."""


def query_mode_option(default: str, heading: str = "Options", **more: Any) -> Decorator:
    """Return the way to read the text of queries; not given: the default, which is only shown."""
    return _input(
        "--query-mode",
        type=click.Choice([*MODES]),
        heading=heading,
        help=f"Operators: {'; '.join(map(': '.join, MODES.items()))}.  [default: {default}]",
        **more,
    )
