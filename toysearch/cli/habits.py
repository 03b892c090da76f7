"""Habits of other tools: what an option, a value or a word that they take is called here; only wrong usage needs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

import toysearch
from toysearch.base import ToysearchError, near_name
from toysearch.base.result_forms import FORMATS

_NUMBER = (
    "limit top topk top-k hits size num num-hits num-results number max max-results results depth n k pagelen rows"
)
_OPTIONS = {
    "--top -k --depth": _NUMBER,
    "--queries": "topics",
    "-m": "metrics metric measures measure eval-metrics",
    "--per-query": "by-query per-topic perquery query-eval-wanted q",
    "--threshold": "relevance-level level-for-rel",
    "--model": "wmodel models ranker weighting similarity scorer method",
    "--where": "filter fq filter-query",
    "--sort": "order-by orderby order sorted-by sortedby sort-by",
    "--group-by": "grouped-by groupedby",
    "--facets": "facet aggs aggregations",
    "--offset": "from start",
    "--fields": "field",
    "--language": "lang",
    "--stop": "stopwords stop-words",
    "--positions": "storepositions store-positions",
    "--threads": "n-threads nthreads jobs",
    "--tag": "runtag run-tag",
    "--format": "fmt output-format",
    "--test": "stat-test",
    "--alpha": "max-p",
    "--notes": "verbose v",
    "--correct": "did-you-mean",
    "--explain": "terms",
    "SOURCE FOLDER": "index input collection source",
    "QUERY TEXT": "query q text",
    "RUNS TARGETS": "runs run",
}
"""Options, or arguments, that a command may have → their names in other tools, with a value of the same form."""

_OF_COMMAND = {
    ("eval", "c"): "",  # a missing query counts 0
    ("eval", "l"): "--threshold",
    ("compare", "l"): "--threshold",
    ("index", "index"): "--output",
    ("index", "o"): "--output",
}
_USUAL = (
    "highlight snippet track-scores show-progress no-progress storeraw storecontents storedocvectors make-comparable"
)
"""Flags of other tools for what is done here without one."""
_ADVICE = {
    "conventions": "--convention all shows the values by each convention",
    "force": "index replaces an older index without it",
    "o": "> FILE keeps what is printed",
    "output": "> FILE keeps what is printed",
    "output-format": "leave it out; a run is written in the format of TREC",
    "batch-size": "--threads N answers queries side by side",
    "p": "--json gives all digits",
    "places": "--json gives all digits",
    "rounding-digits": "--json gives all digits",
    "round": "--json gives all digits",
    "M": "-m AP@100 scores the first 100 documents",
    "cutoff": "-m AP@100 scores the first 100 documents",
    "N": "leave it out: measures take the number of documents from the collection",
    "J": "-m 'AP(judged_only=True)' leaves unjudged documents out",
    "judged-only": "-m 'AP(judged_only=True)' leaves unjudged documents out",
    "R": "leave it out: the format of judgments is recognised",
    "T": "leave it out: the format of runs is recognised",
    "generator": "leave it out: the format of documents is recognised, or --input-format NAME",
    "no-summary": "leave it out: --per-query --tsv prints the means as query 'all', which grep can drop",
    "provider": "leave it out: all measures are computed here",
    "names": "--model NAME=MODEL names a system",
    "norm": "--method combsum:normalise=min-max normalises the scores",
    "rrf.k": "--method rrf:k=60 sets the constant",
    "params": "--method rrf:k=60 sets the constant",
    "alpha": "--method combsum --weights 0.5,0.5 interpolates",
    "qld": "--model lm-dirichlet ranks by it",
    "rm3": "--model 'rm3(bm25)' expands queries",
    "rocchio": "--model 'rocchio(bm25)' expands queries",
    "stem": "--analyzer english:stem=porter stems words",
    "stemmer": "--analyzer english:stem=porter stems words",
    "tokenize": "--analyzer english:tokens=unicode splits and stems words",
    "tokenizer": "--analyzer none:tokens=whitespace splits at blanks",
    "keepstopwords": "--stop none keeps them",
    "collection": "leave it out: the format of documents is recognised, or --input-format NAME",
    "default-operator": "a + before a word requires it: '+dog +tick'",
    "operator": "a + before a word requires it: '+dog +tick'",
    "minimum-should-match": "a + before a word requires it: '+dog +tick'",
    "query-type": "quotation marks make a phrase: '\"dog walk\"'",
    "fuzziness": "a tilde after a word allows edits: dog~ or dog~2",
    "min-score": "leave it out: -k N gives the number of documents",
    "page": "--offset 10 -k 10 shows the second page of ten",
    "reverse": "--sort=-FIELD sorts from high to low",
    "mask": '--where "not FIELD = VALUE" leaves documents out',
    "backend": "leave it out: loops are compiled where they can be",
    "quiet": "2> FILE takes the notes from the screen",
}
"""Option of other tools → what to do here, where no option means the same."""
_ADVICE["n"] = _ADVICE["no-summary"]

_VALUES = {
    "test": {"student": "t", "ttest": "t", "t-test": "t", "fisher": "permutation", "randomization": "permutation"},
    "correction": {"fdr_bh": "bh", "fdr": "bh"},
}


def meant(error: click.UsageError, typed: Sequence[str]) -> tuple[list[str], str] | None:
    """Return the words of a command line with one habit replaced, and a note on it; None without such a habit."""
    if isinstance(error, click.NoSuchOption):
        return _option_meant(error, typed)
    if not isinstance(error, click.BadParameter) or error.param is None:
        return None
    values = _VALUES.get(str(error.param.name), {})
    place = next((place for place, word in enumerate(typed) if word.rpartition("=")[2] in values), None)
    if place is None:
        return None
    value = typed[place].rpartition("=")[2]
    word = typed[place].removesuffix(value) + values[value]
    return [*typed[:place], word, *typed[place + 1 :]], f"{value} is {values[value]} here"


def names_elsewhere(options: Sequence[str]) -> list[tuple[str, str]]:
    """Return the options of some that have another name in other tools, each with that name as an option.

    options : as a command has them, such as ["-k", "--model"]
    """
    return [
        (here, f"--{theirs}")
        for names, others in _OPTIONS.items()
        for here in names.split()
        if here in options
        for theirs in others.split()
    ]


def _named(name: str) -> str:
    return name if len(name) == 1 else name.casefold().replace("_", "-")


def _option_meant(error: click.NoSuchOption, typed: Sequence[str]) -> tuple[list[str], str] | None:
    option = error.option_name
    place = _place_of(option, typed)
    if error.ctx is None or place is None:
        return None
    command = error.ctx.command
    whole, equals, value = typed[place].partition("=")
    names = [(whole, [value] if equals else [])]  # -csv is no -c
    if whole != option and typed[place].startswith(option):
        names.append((option, [typed[place].removeprefix(option)]))
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    for name, values in names:
        for there in _there(command, str(error.ctx.info_name), _named(name.lstrip("-"))):
            words = [*there.split(), *values] if there.startswith("-") else values
            before, after = [*typed[:place]], [*typed[place + 1 :]]
            sentence = f"{name} is {there} here" if there else f"{name} changes nothing here"
            argument = next((parameter for parameter in arguments if parameter.opts[0].upper() == there), None)
            if argument is not None:
                sentence = f"{there} needs no {name} here"
                if argument.nargs == 1 and argument is arguments[0]:
                    first = before.index(str(error.ctx.info_name)) + 1
                    before[first:first], after = words or after[:1], after[0 if words else 1 :]
                    words = []
                elif argument is not arguments[0]:
                    after, words = [*after[0 if words else 1 :], *(words or after[:1])], []
            return [*before, *words, *after], sentence
    return None


def _place_of(option: str, typed: Sequence[str]) -> int | None:
    """Where an option stands: alone, before its value, or, like -i in -hits, among letters behind one dash."""
    words = [word.partition("=")[0] for word in typed]
    if option.startswith("--"):
        return words.index(option) if option in words else None
    short = [place for place, word in enumerate(words) if word[:1] == "-" != word[1:2]]
    begun = [place for place in short if words[place].startswith(option)]
    return next(iter([*begun, *(place for place in short if option[1:] in words[place])]), None)


def _there(command: click.Command, typed: str, name: str) -> Iterator[str]:
    """What a name of other tools is called by a command."""
    parameters = {name: parameter for parameter in command.params for name in parameter.opts}
    parameters |= {one.opts[0].upper(): one for one in command.params if isinstance(one, click.Argument)}
    if (typed, name) in _OF_COMMAND:
        yield _OF_COMMAND[typed, name]
    forms = getattr(parameters["--format"].type, "choices", ()) if "--format" in parameters else ()
    if name in FORMATS and name in forms:
        yield f"--format {name}"
    if name in _USUAL.split():
        yield ""
    if (typed, name) in (("eval", "n"), ("index", "collection")):  # a flag of trec_eval; a format of Pyserini
        return
    for here, theirs in _OPTIONS.items():
        if name in theirs.split():
            yield from (one for one in here.split() if one in parameters)


def advised(error: click.UsageError, typed: Sequence[str]) -> click.UsageError:
    """Add advice to an error: what does it here, the place for a parameter of a model, or the nearest option."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        if error.message.startswith("'tukey'"):
            sentence = f"{error.message.rstrip('.')}; --all-pairs compares each pair by Tukey's HSD"
            return click.BadParameter(sentence, error.ctx, getattr(error, "param", None))
        return error
    option, command, place = error.option_name, error.ctx.command, _place_of(error.option_name, typed)
    whole = option if place is None else typed[place].partition("=")[0]
    option = whole if {_named(whole.lstrip("-"))} & {*_ADVICE, *toysearch.MODELS} else option
    name = _named(option.lstrip("-"))
    options = [option for parameter in command.params for option in parameter.opts]
    model = next((model.name for model in toysearch.MODELS.values() if name in model.parameters), None)
    elsewhere = name == "collection" and error.ctx.info_name != "index"
    if name in _ADVICE and not (elsewhere or (model and "--model" in options and name == "alpha")):
        advice = f": {_ADVICE[name]}"
    elif model and "--model" in options:
        where = f"--grid {name}=…" if "--grid" in options else f"--model {model}:{name}=…"
        advice = f": parameters belong to the model, as in {where}"
    elif name in toysearch.MODELS and "--model" in options:
        advice = f": --model {name} ranks by it"
    elif error.ctx.info_name in ("search", "query") and not option.startswith("--"):
        advice = "; if it begins the query, put -- before the query"
    else:
        advice = near_name(option, options) or "."
    return click.NoSuchOption(option, f"No such option '{option}'{advice}", ctx=error.ctx)


def told_apart(command: click.Command, args: Sequence[str], words: Sequence[str]) -> list[str]:
    """Give names of models and measures that stand among the arguments their options; files and collections stay."""
    args = [*args]
    for word in words:
        option = "" if Path(word).exists() or word in toysearch.collections() else _option_of(command, word)
        places = [place for place, arg in enumerate(args) if arg == word and not args[place - 1].startswith("-")]
        if option and places:
            del args[places[0]]
            args += [option, word]
    return args


def _option_of(command: click.Command, word: str) -> str:
    from toysearch.evaluation.measures.measure import parse_measures

    options = [option for parameter in command.params for option in parameter.opts]
    for option, parse in (("--model", toysearch.model), ("-m", parse_measures)):
        try:
            if option in options and parse(word):
                return option
        except ToysearchError:
            continue
    return ""
