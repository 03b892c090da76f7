"""Habits of other tools: what an option, a value or a word that they take is called here; only wrong usage needs it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

import click

import toysearch
from toysearch.base import ToysearchError, nearest, typed_line
from toysearch.base.result_forms import FORMATS

_RANKED = "topk top-k hits num-hits num-results max-results"
_SHOWN = "limit top size num number max results n pagelen rows"
_SHOWING = {"search": "-k", "run": "-k", "similar": "-k", "fuse": "-k", "show": "-k", "diff": "--top"}
"""Command → the option for the number of rows; elsewhere `limit` may be one of trials, of queries or of pages."""
_OPTIONS = {
    "-k": f"{_RANKED} {_SHOWN} depth k",
    "--queries": "topics",
    "-m": "metrics metric measures measure eval-metrics",
    "--per-query": "by-query per-topic perquery query-eval-wanted q",
    "--threshold": "relevance-level level-for-rel",
    "--model": "wmodel models ranker weighting similarity scorer method",
    "--where": "filter fq filter-query",
    "--sort": "order-by orderby order sorted-by sortedby sort-by",
    "--group-by": "grouped-by groupedby collapse distinct",
    "--facets": "facet aggs aggregations",
    "--offset": "from start skip",
    "--fields": "field df default-field qf",
    "--language": "lang",
    "--stop": "stopwords stop-words",
    "--positions": "storepositions store-positions",
    "--threads": "n-threads nthreads jobs n-jobs j",
    "--tag": "runtag run-tag",
    "--format": "fmt output-format",
    "--test": "stat-test",
    "--alpha": "max-p",
    "--seed": "random-seed random-state",
    "--notes": "verbose v",
    "--correct": "did-you-mean",
    "--explain": "terms",
    "SOURCE FOLDER": "index input collection source prebuilt prebuilt-index dataset corpus",
    "QUERY TEXT": "query q text e regexp",
    "RUNS TARGETS": "runs run",
}
"""Options, or arguments, that a command may have → their names in other tools, with a value of the same form."""

_OF_COMMAND = {
    ("eval", "c"): "",  # a missing query counts 0
    ("eval", "l"): "--threshold",
    ("compare", "l"): "--threshold",
    ("index", "index"): "--output",
    ("index", "o"): "--output",
    **{(command, name): option for command, option in _SHOWING.items() for name in _SHOWN.split()},
}
_FLAGS = {("search", name) for name in ("i", "w", "l", "n", "S")}
"""Flags of ripgrep for what is done here without one."""
_NUMBER_TYPED = re.compile(r"[+-]?\d+(?:\.\d+)?")
_OTHERS = {
    *(("eval", "n"), ("index", "collection")),  # a flag of trec_eval; a format of Pyserini
    *(("fuse", "depth"), ("show", "depth")),
    *(("pool", name) for name in f"{_RANKED} depth".split()),  # which -k keeps of all pairs
}
"""Command and option → of another meaning than here."""
_USUAL = (
    "highlight snippet track-scores show-progress no-progress storeraw storecontents storedocvectors make-comparable "
    "filter-by-qrels filter-by-topics optimize ignore-case word-regexp files-with-matches line-number smart-case "
    "recursive pretty"
)
"""Flags of other tools for what is done here without one."""
_OTHERWISE = {
    "--convention all shows the values by each convention": "conventions",
    "index replaces an older index without it": "index:force",
    "leave it out: a run needs no judgments": "run:qrels run:judgments",
    "> FILE keeps what is printed": "o output out outfile output-file",
    "leave it out; a run is written in the format of TREC": "output-format",
    "--threads N answers queries side by side": "batch-size",
    "leave it out: one query needs one thread": "search:jobs search:threads search:n-threads search:j",
    "--json gives all digits": "p places rounding-digits round precision decimals",
    "-m AP@100 scores the first 100 documents": "M cutoff cutoffs",
    "leave it out: measures take the number of documents from the collection": "N",
    "-m 'AP(judged_only=True)' leaves unjudged documents out": "J judged-only",
    "leave it out: the format of judgments is recognised": "R",
    "leave it out: the format of runs is recognised": "T",
    "leave it out: values are printed as they are": "Z zscore",
    "--notes says what each file is taken for": "D Q debug debug-level debug-query",
    "leave it out: the format of documents is recognised, or --input-format NAME": "generator index:collection "
    "search:t search:type search:g search:glob",
    "leave it out: --per-query --tsv prints the means as query 'all', which grep can drop": "no-summary eval:n",
    "leave it out: all measures are computed here": "provider",
    "--model NAME=MODEL names a system": "names",
    "--method combsum:normalise=min-max normalises the scores": "norm",
    "-k N cuts what is written; awk '$4 <= N' RUN > FILE cuts a run": "fuse:depth",
    "--method rrf:k=60 sets the constant": "rrf.k fuse:params",
    "--method combsum --weights 0.5,0.5 interpolates": "fuse:alpha",
    "--grid NAME=VALUE,VALUE tries values of a parameter": "tune:param tune:params tune:parameter tune:parameters",
    "parameters belong to the model, as in --model bm25:b=0.4": "param params parameter parameters controls",
    "leave it out: a test of few queries is exact, one of more draws 100,000 permutations": "n-permutations "
    "permutations n-resamples",
    "--model lm-dirichlet ranks by it": "qld",
    "--model 'rm3(bm25)' expands queries": "rm3 prf expand expansion",
    "--model 'rocchio(bm25)' expands queries": "rocchio",
    "--analyzer english:stem=porter stems words": "stem stemmer stemming",
    "--analyzer english:tokens=unicode splits and stems words": "tokenize",
    "--analyzer none:tokens=whitespace splits at blanks": "tokenizer",
    "--stop none keeps them": "keepstopwords",
    "a + before a word requires it: '+dog +tick'": "default-operator operator minimum-should-match q-op",
    "quotation marks make a phrase: '\"dog walk\"'": "query-type phrase",
    "a tilde after a phrase lets words come between: '\"tick removal\"~3'": "slop",
    "a caret weighs a word: dog^2": "boost weight",
    "a tilde after a word allows edits: dog~ or dog~2": "fuzziness fuzzy",
    "leave it out: -k N gives the number of documents": "min-score search:l",
    "--offset 10 -k 10 shows the second page of ten": "page",
    "--sort=-FIELD sorts from high to low": "reverse desc",
    '--where "not FIELD = VALUE" leaves documents out': "mask exclude",
    "leave it out: loops are compiled where they can be": "backend",
    "2> FILE takes the notes from the screen": "quiet silent",
    "leave it out: each command reads an index anew": "reload refresh",
    "a folder, or the name of a collection, comes first: toysearch corpora lists them": "source index prebuilt "
    "prebuilt-index dataset corpus",
    "--json has the fields of each document, --facets FIELD counts their values": "search:c search:count "
    "search:stored-fields search:fl",
    "leave it out: the best passage of each document is shown": "search:A search:B search:C search:context search:w",
    "toysearch --version shows it": "version V",
    "toysearch models, toysearch measures and toysearch corpora list all": "list",
}
_ADVICE = {name: advice for advice, names in _OTHERWISE.items() for name in names.split()}
"""Option of other tools, or COMMAND:OPTION → what to do here, where no option means the same."""

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
    names = [(whole, "", [value] if equals else [])]  # -csv is no -c
    if whole != option:  # -M100, or -c in -qcm
        letters, _, rest = typed[place][1:].partition(option[1:])
        names.append((option, letters, [rest] if rest else []))
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    flags = [name for each in command.params if isinstance(each, click.Option) and each.is_flag for name in each.opts]
    known = {option for each in command.params for option in each.opts}
    known |= {f"-{name}" for typed_name, name in _FLAGS if typed_name == error.ctx.info_name}
    for name, letters, values in names:
        for there in _there(command, str(error.ctx.info_name), _named(name.lstrip("-"))):
            more = [f"-{rest}" for rest in values if name != whole]
            if (not there or there in flags) and _NUMBER_TYPED.fullmatch([*values, *typed[place + 1 :], ""][0]):
                continue  # a number belongs to an option that has a value
            if (not there or there in flags) and not all(f"-{letter}" in known for rest in more for letter in rest[1:]):
                continue  # -lamp is no -l
            words = [*there.split(), *(more if there in flags else values)] if there[:1] == "-" else values
            before, after = [*typed[:place], *([f"-{letters}"] if letters else [])], [*typed[place + 1 :]]
            sentence = f"{name} is {there} here"
            argument = next((parameter for parameter in arguments if parameter.opts[0].upper() == there), None)
            if not there:
                sentence, words = f"{name} changes nothing here", more
            elif argument is not None:
                sentence = f"{there} needs no {name} here"
                if argument.nargs == 1 and argument is arguments[0]:
                    if there in ("SOURCE", "FOLDER") and not _is_source((values or [*after, ""])[0]):
                        continue
                    first = before.index(str(error.ctx.info_name)) + 1
                    before[first:first], after = words or after[:1], after[0 if words else 1 :]
                    words = []
                elif argument is not arguments[0]:
                    after, words = [*after[0 if words else 1 :], *(words or after[:1])], []
            return [*before, *words, *after], sentence
    return None


def _is_source(word: str) -> bool:
    return word in toysearch.collections() or os.path.exists(word)


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
    if (typed, name) in _FLAGS:
        yield ""
    if (option := _OF_COMMAND.get((typed, name))) is not None and option in ("", *parameters):
        yield option
    forms = getattr(parameters["--format"].type, "choices", ()) if "--format" in parameters else ()
    if name in FORMATS and name in forms:
        yield f"--format {name}"
    if name in _USUAL.split():
        yield ""
    for here, theirs in _OPTIONS.items():
        of_rows = here == "-k" and name in _SHOWN.split()
        if name in theirs.split() and not of_rows and (typed, name) not in _OTHERS:
            yield from (one for one in here.split() if one in parameters)


_OF_A_WORD, _MOST = 3, 3  # letters that are less than a word, and options that one question can name
_WORDINGS = {r"a valid integer( range)?\b": "a whole number", r"a valid float( range)?\b": "a number"}


def advised(error: click.UsageError, typed: Sequence[str]) -> click.UsageError:
    """Add advice to an error: an example, what does it here, the place for a parameter of a model, a near option."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        return _option_advised(error, error.ctx, typed)
    message = error.format_message()
    for theirs, ours in _WORDINGS.items():
        message = re.sub(theirs, ours, message)
    if "'tukey'" in message:
        message = f"{message.rstrip('.')}; --all-pairs compares each pair by Tukey's HSD"
    if re.fullmatch(r"Missing [^;]+\.", message) and error.ctx and (example := _example(error.ctx)):
        message = f"{message.rstrip('.')}, as in: {example}"
    return click.UsageError(message, error.ctx)


def _example(ctx: click.Context) -> str:
    """Return the first example of a command in its help; "" without one."""
    lines = (line.strip() for line in (ctx.command.epilog or "").splitlines())
    return next((line for line in lines if line.startswith(f"{ctx.command_path} ")), "")


def _option_advised(error: click.NoSuchOption, ctx: click.Context, typed: Sequence[str]) -> click.NoSuchOption:
    option, place, command = error.option_name, _place_of(error.option_name, typed), str(ctx.info_name)
    whole = option if place is None else typed[place].partition("=")[0]
    word = _named(whole.lstrip("-"))
    of_query = command in ("search", "query") and re.fullmatch(rf"-[^\W\d_]{{{_OF_A_WORD},}}", whole)
    option = whole if of_query or {word, f"{command}:{word}"} & {*_ADVICE, *toysearch.MODELS} else option
    name = _named(option.lstrip("-"))
    options = [each for parameter in ctx.command.params for each in parameter.opts]
    of_model = name.rpartition(".")[2]
    model = next((model.name for model in toysearch.MODELS.values() if of_model in model.parameters), None)
    if otherwise := _ADVICE.get(f"{command}:{name}") or _ADVICE.get(name):
        advice = f": {otherwise}"
    elif (model or name in _OPTIONS["--model"].split()) and "--model" not in options:
        advice = ": a model is chosen where it ranks, as in toysearch search SOURCE QUERY --model bm25:b=0.4"
    elif model:
        where = f"--grid {of_model}=…" if "--grid" in options else f"--model {model}:{of_model}=…"
        advice = f": parameters belong to the model, as in {where}"
    elif name in toysearch.MODELS and "--model" in options:
        advice = f": --model {name} ranks by it"
    elif option == "-m" and "--model" in options:
        advice = ": --model NAME chooses the model"
    elif command in ("search", "query") and not option.startswith("--"):
        advice = "; if it is of the query, put -- before the query"
    else:
        advice = _near(name, ctx.command) or f"; {ctx.command_path} -h lists the options"
    return click.NoSuchOption(option, f"No such option '{option}'{advice}", ctx=ctx)


def _near(name: str, command: click.Command) -> str:
    """Name the options that a name is a slip of the keys for, else up to three that speak of it in their help."""
    options = {max(each.opts, key=len): each for each in command.params if isinstance(each, click.Option)}
    near = [f"--{each}" for each in nearest(name, [option.lstrip("-") for option in options], keys=True)]
    if not near and len(name) > _OF_A_WORD:
        word = re.compile(rf"(?i)\b{re.escape(name)}")
        near = [option for option, each in options.items() if word.search(each.help or "")][: _MOST + 1]
    return f"; did you mean {' or '.join(map(repr, near))}?" if 0 < len(near) <= _MOST else ""


def turned_round(name: str, typed: Sequence[str]) -> str:
    """Give the line in which a name that cannot be read, and one that can, have changed places; "" without both."""
    places = [place for place, word in enumerate(typed) if _is_source(word) and typed[place - 1][:1] != "-"]
    if name not in typed or len(places) != 1:  # of several files none is the source
        return ""
    rest = [*typed]
    source = rest.pop(places[-1])
    place = rest.index(name) + (places[-1] < typed.index(name))
    line = typed_line("toysearch", *rest[:place], source, *rest[place:])
    return f"'{name}' is no collection, file or folder, but '{source}' is: {line}"


def told_apart(command: click.Command, args: Sequence[str], words: Sequence[str]) -> list[str]:
    """Give names of models and measures that stand among the arguments their options; files and collections stay."""
    args = [*args]
    for word in words:
        option = "" if _is_source(word) else _option_of(command, word)
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
