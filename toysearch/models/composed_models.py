"""What is named like a model and has no weight of a term of its own: wrappers, vectors, and learned rankers.

A wrapper, ``sdm(lm-dirichlet)``, scores a query with more terms than its text has, by the model inside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

from toysearch.base import ArgumentError, expect_name, has_no, parse_spec
from toysearch.formats.text_files import finite_number
from toysearch.models.model import Range, Value, public_name, value_text

__all__ = ["COMPOSED", "Composed"]

LSA, DENSE, IMPACT = "lsa", "dense", "impact"
DIMENSIONS = 200
"""The number of topics of ``lsa`` without a number, if the index stores none."""

TOPICS = (1.0, 5000.0)
"""The range of the number of topics."""

SIMILARITIES = ("cosine", "dot")
_OPTIONS = {DENSE: ("queries", "similarity", "ids"), IMPACT: ("queries",)}
_EXAMPLES = {
    DENSE: f"{DENSE}:vectors.npy,queries=queries.npy",
    IMPACT: f"{IMPACT}:vectors.jsonl,queries=queries.jsonl",
}


@dataclass(frozen=True)
class LatentModel:
    """Cosine of documents and queries in the space of latent topics (Deerwester et al. 1990)."""

    dimensions: int | None = None  # None: as many as the index stores, or `DIMENSIONS`

    def __str__(self) -> str:
        return f"{LSA}:{self.dimensions}" if self.dimensions else LSA


@dataclass(frozen=True)
class DenseVectors:
    """Cosine or dot product of vectors that the user brings in files."""

    source: str  # the file or the folder with the vectors of the documents
    queries: str = ""  # the file with the vectors of the queries, or the function that makes them, mine.py:embed
    similarity: str = "cosine"
    ids: str = ""  # the file with the ids of an array; by default the one beside it
    name: ClassVar[str] = DENSE

    @property
    def files(self) -> tuple[str, ...]:
        """The files and folders of vectors and ids, and the file of the function."""
        code = f"{self.queries.partition('.py:')[0]}.py" if ".py:" in self.queries else self.queries
        beside = [f"{name.removesuffix('.npy')}.ids" for name in (self.source, code) if name.endswith(".npy")]
        return tuple(name for name in (self.source, code, self.ids, *beside) if name)

    def __str__(self) -> str:
        options = {"queries": self.queries, "ids": self.ids}
        options["similarity"] = "" if self.similarity == SIMILARITIES[0] else self.similarity
        return ",".join(
            [f"{self.name}:{self.source}", *(f"{name}={value}" for name, value in options.items() if value)]
        )


class ImpactVectors(DenseVectors):
    """Sum of products of weights of terms, learned by another tool, that the user brings in files."""

    name = IMPACT


def vector_model(text: str) -> LatentModel | DenseVectors | None:
    """The model of vectors that a text names; None if it names another one.

    >>> vector_model("lsa:100"), str(vector_model("dense:a.npy,queries=b.npy"))
    (LatentModel(dimensions=100), 'dense:a.npy,queries=b.npy')
    """
    name, _, rest = text.strip().partition(":")
    if name == LSA:
        return latent_model(rest) if rest else LatentModel()
    return _of_files(text, name, rest) if name in _OPTIONS else None


def latent_model(values_text: str) -> LatentModel:
    """The model of latent topics with this number of them.

    >>> latent_model("100"), latent_model("dimensions=100")
    (LatentModel(dimensions=100), LatentModel(dimensions=100))
    """
    text = f"{LSA}:{values_text}"
    spec = parse_spec(text)
    if unknown_name := next((name for name in spec.parameters if name != "dimensions"), None):
        raise ArgumentError(f"{LSA} has no parameter '{unknown_name}', only dimensions, as in {LSA}:{DIMENSIONS}")
    values = [*spec.values, *spec.parameters.values()]
    if len(values) > 1:
        raise ArgumentError(f"'{text}' has too many values; an example: {LSA}:{DIMENSIONS}")
    if not values[0].isdecimal() or len(values[0]) > 9 or not TOPICS[0] <= int(values[0]) <= TOPICS[1]:
        raise ArgumentError(
            f"'{text}': dimensions must be a whole number from {TOPICS[0]:g} to {TOPICS[1]:,g}, as in "
            f"{LSA}:{DIMENSIONS}"
        )
    return LatentModel(int(values[0]))


def _of_files(text: str, kind: str, rest: str) -> DenseVectors:
    source, *options = (part.strip() for part in rest.split(","))
    if not source:
        raise ArgumentError(f"'{text}' names no file of vectors; an example: {_EXAMPLES[kind]}")
    values: dict[str, str] = {}
    for option in options:
        name, equals, value = (part.strip() for part in option.partition("="))
        if not (equals and value):
            raise ArgumentError(f"'{text}': '{option}' is not of the form key=value; an example: {_EXAMPLES[kind]}")
        if name not in _OPTIONS[kind]:
            raise has_no(kind, "option", name, _OPTIONS[kind])
        if name in values:
            raise ArgumentError(f"'{text}' gives {name} twice")
        values[name] = value
    expect_name("similarity", values.get("similarity", SIMILARITIES[0]), SIMILARITIES, "similarities")
    vectors = ImpactVectors if kind == IMPACT else DenseVectors
    return vectors(source, **values)


class WrapperParameter(NamedTuple):
    """A parameter of a wrapper: its default, its range and whether it is a whole number."""

    default: float
    low: float = 0.0
    high: float | None = None
    whole: bool = False

    def value(self, label: str, given: Any) -> float:
        """A given value as a number, refused outside the range."""
        number = finite_number(str(given))
        if number is None or number < self.low or (self.high is not None and number > self.high):
            number = None
        if number is None or (self.whole and number != int(number)):
            span = f"of at least {self.low:g}" if self.high is None else f"from {self.low:g} to {self.high:g}"
            raise ArgumentError(f"{label} must be a {'whole ' if self.whole else ''}number {span}")
        return number


_DIVERGENCE = {
    "docs": WrapperParameter(3, whole=True),
    "terms": WrapperParameter(10, whole=True),
    "beta": WrapperParameter(1.0),
}
WRAPPERS: Mapping[str, Mapping[str, WrapperParameter]] = {
    "sdm": {
        "terms": WrapperParameter(0.85),
        "ordered": WrapperParameter(0.1),
        "unordered": WrapperParameter(0.05),
        "window": WrapperParameter(8.0, 2, whole=True),
    },
    "rm3": {
        "docs": WrapperParameter(10, whole=True),
        "terms": WrapperParameter(30, whole=True),
        "lambda": WrapperParameter(0.5, 0, 1),
        "df": WrapperParameter(0.1, 0, 1),
    },
    "rocchio": {
        "docs": WrapperParameter(10, whole=True),
        "terms": WrapperParameter(50, whole=True),
        "beta": WrapperParameter(0.75),
        "gamma": WrapperParameter(0.15),
        "df": WrapperParameter(0.1, 0, 1),
    },
    "bo1": _DIVERGENCE,
    "kl": _DIVERGENCE,
    "axiomatic": {
        "docs": WrapperParameter(20, whole=True),
        "terms": WrapperParameter(20, whole=True),
        "pool": WrapperParameter(30.0, 1, whole=True),
        "beta": WrapperParameter(0.4),
    },
}
"""The wrappers by name, with their parameters.

`sdm` adds pairs of words (`toysearch.search.derived_terms`), the others terms of documents
(`toysearch.search.expansions`).
"""

STAGES: Mapping[str, Mapping[str, WrapperParameter]] = {
    "passages": {
        "words": WrapperParameter(150, 1, whole=True),
        "stride": WrapperParameter(75, 1, whole=True),
        "best": WrapperParameter(1, whole=True),
    },
    "mmr": {"lambda": WrapperParameter(0.5, 0, 1), "depth": WrapperParameter(100, 1, whole=True)},
    "xquad": {"lambda": WrapperParameter(0.5, 0, 1), "depth": WrapperParameter(100, 1, whole=True)},
}
"""What stands around any ranker, with parameters after a comma; see `toysearch.models.pipelines`."""

_BRACKET = r"[a-z0-9-]*\("
_BEHIND = r"(?s)(?P<name>[A-Za-z][\w-]*)\((?P<inside>.*)\)\s*:(?P<settings>[^()]*)"
_HEAD = r".+?\.py:[A-Za-z_]\w*|[^:,]*"  # a model without its parameters
_USUAL = "bm25"  # the model inside a wrapper that names none


class Wrapper(NamedTuple):
    """A wrapper and the values of its parameters."""

    name: str
    values: tuple[float, ...]  # in the order of WRAPPERS

    @property
    def parameters(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(WRAPPERS[self.name], self.values, strict=True))

    def around(self, inside: str, names: Sequence[str] = ()) -> str:
        """The text of the wrapper around the text of another one, or of a model with parameters of these names."""
        declared = WRAPPERS[self.name]
        values = self.parameters.items()
        changed = [f"{name}={value_text(value)}" for name, value in values if value != declared[name].default]
        if {*names} & {*declared}:
            inside = f"({inside})"
        separator = "," if ":" in inside and not inside.endswith(")") else ":"
        return f"{self.name}({inside}{separator + ','.join(changed) if changed else ''})"


def in_full(text: str) -> str:
    """A wrapper as it is written in full; any other text unchanged.

    >>> in_full("rm3"), in_full("rm3:docs=5"), in_full("rm3(bm25:k1=2):docs=5"), in_full("bm25")
    ('rm3(bm25)', 'rm3(bm25:docs=5)', 'rm3((bm25:k1=2):docs=5)', 'bm25')
    """
    name, colon, settings = text.strip().partition(":")
    if name.lower() in WRAPPERS:
        return f"{name.lower()}({_USUAL}{colon}{settings})"
    behind = re.fullmatch(_BEHIND, text.strip())
    if behind and behind["name"].lower() in WRAPPERS:
        return f"{behind['name'].lower()}(({behind['inside']}):{behind['settings']})"
    return text


def unwrapped(name: str, inside: str) -> tuple[Wrapper, str, tuple[str, ...]]:
    """The wrapper, the text inside, and the parameters that stand in one list with those of the model.

    >>> unwrapped("sdm", "lm-dirichlet:mu=1000,window=4")
    (Wrapper(name='sdm', values=(0.85, 0.1, 0.05, 4.0)), 'lm-dirichlet:mu=1000', ('window',))
    >>> unwrapped("sdm", "(lm-dirichlet:mu=1000):window=4")
    (Wrapper(name='sdm', values=(0.85, 0.1, 0.05, 4.0)), 'lm-dirichlet:mu=1000', ())
    """
    declared, inside = WRAPPERS[name], inside.strip()
    joint: tuple[str, ...] = ()
    if not inside:
        raise ArgumentError(f"'{name}()': expected a model in the brackets, as in {name}(bm25)")
    if re.match(_BRACKET, inside):
        end = next((place for place, depth in enumerate(depths_of(inside)) if "(" in inside[:place] and not depth), 0)
        if not end:
            raise ArgumentError(f"'{inside}': a bracket is not closed")
        text, behind = inside[:end], inside[end:].strip()
        if behind and behind[0] not in ":,":
            raise ArgumentError(
                f"'{name}({inside})': expected a colon and parameters after the bracket, not '{behind}'"
            )
        spec = parse_spec(f"{name}:{behind[1:]}" if behind[1:] else name)
        for parameter in (*spec.values, *spec.parameters):
            if parameter not in declared:
                raise has_no(name, "parameter", parameter, declared)
        settings_of_wrapper = spec.parameters
        text = text[1:-1].strip() if text.startswith("(") else text
    else:
        head = str(re.match(_HEAD, inside)[0])  # type: ignore[index]
        settings = inside[len(head) :]
        settings = f":{settings[1:]}" if settings else ""  # rm3(bm25,docs=5) has one meaning too
        spec = parse_spec(("model" if ":" in head else head) + settings, f"{name}({{}})")._replace(name=head)
        settings_of_wrapper = {
            parameter: spec.parameters.pop(parameter) for parameter in declared if parameter in spec.parameters
        }
        text, joint = str(spec), tuple(settings_of_wrapper)
    values = [
        declared[parameter_name].value(f"'{name}({inside})': {parameter_name}", settings_of_wrapper[parameter_name])
        if parameter_name in settings_of_wrapper
        else declared[parameter_name].default
        for parameter_name in declared
    ]
    return Wrapper(name, tuple(values)), text, joint


def depths_of(text: str) -> list[int]:
    """How many brackets are open at the beginning of a text, and after each of its characters.

    >>> depths_of("f(x)")
    [0, 0, 1, 1, 0]
    """
    return [*accumulate(((sign == "(") - (sign == ")") for sign in text), initial=0)]


def parameters_of(wrappers: Sequence[Wrapper], scorer: Any) -> dict[str, Value]:
    """The values of the parameters of wrappers and of the model inside; a name of several is the outermost one's."""
    values: dict[str, Value] = {}
    for wrapper in wrappers:
        values |= {name: value for name, value in wrapper.parameters.items() if name not in values}
    inside = getattr(scorer, "parameters", {}).items()
    return values | {name: value for name, value in inside if public_name(name) not in values}


def ranges_of(wrappers: Sequence[Wrapper]) -> dict[str, Range]:
    """The ranges of the parameters of wrappers."""
    declared = [
        (name, parameter) for wrapper in reversed(wrappers) for name, parameter in WRAPPERS[wrapper.name].items()
    ]
    return {name: (parameter.low, parameter.high) for name, parameter in declared}


def is_whole(wrappers: Sequence[Wrapper], name: str) -> bool:
    """Whether a parameter of wrappers takes whole numbers only."""
    return next((WRAPPERS[wrapper.name][name].whole for wrapper in wrappers if name in WRAPPERS[wrapper.name]), False)


def bound(wrappers: Sequence[Wrapper], values: Mapping[str, Any]) -> tuple[tuple[Wrapper, ...], dict[str, Any]]:
    """The wrappers with other values, and the values that belong to the model inside."""
    values_left, wrappers_bound = dict(values), []
    for wrapper in wrappers:
        declared, own_values = WRAPPERS[wrapper.name], wrapper.parameters
        for name in [name for name in declared if name in values_left]:
            own_values[name] = declared[name].value(f"{name} of {wrapper.name}", values_left.pop(name))
        wrappers_bound.append(Wrapper(wrapper.name, tuple(own_values.values())))
    return tuple(wrappers_bound), values_left


LEARNED = "learned"


class Setting(NamedTuple):
    """A parameter in words: its name, its default and its range."""

    name: str
    default: str
    range: str


class Composed(NamedTuple):
    """The description of a wrapper, of vectors, or of learned rankers.

    >>> COMPOSED["rm3"].form, COMPOSED["rm3"].parameters({"docs": 5.0})[0]
    ('rm3(MODEL)', {'name': 'docs', 'value': '5', 'default': '10', 'range': 'a whole number, at least 0'})
    """

    name: str
    form: str  # how it is written, such as rm3(MODEL)
    summary: str  # one sentence
    formula: str
    source: str
    example: str  # what can be typed for MODEL
    settings: tuple[Setting, ...] = ()

    @property
    def defaults(self) -> str:
        """The defaults in one line, of the parameters that have one."""
        return ", ".join(f"{setting.name}={setting.default}" for setting in self.settings if setting.default)

    def parameters(self, values: Mapping[str, Any]) -> list[dict[str, str]]:
        """The parameters in words: name, value (the default if it is not among the values), default, range."""
        return [
            {
                "name": setting.name,
                "value": value_text(values[setting.name]) if setting.name in values else setting.default,
                "default": setting.default,
                "range": setting.range,
            }
            for setting in self.settings
        ]


def _wrapper(name: str, summary: str, formula: str, source: str, example: str) -> Composed:
    settings = []
    for parameter_name, parameter in {**WRAPPERS, **STAGES}[name].items():
        low, high = parameter.low, parameter.high
        span = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
        span = f"a whole number, {span}" if parameter.whole else span
        settings.append(Setting(parameter_name, value_text(parameter.default), span))
    return Composed(name, f"{name}(MODEL)", summary, formula, source, example, tuple(settings))


_MIXED = (
    "The terms with the highest weights, as shares that add up to 1, count (1 − lambda) · |q|, and the terms of the "
    "query lambda times what they did; |q| is the length of the query."
)
_HIGHEST = (
    "The highest weight counts as beta times the highest count of a term in the query, and the others in proportion."
)
_FEW = " (but with those in 2 at most and not in all)"

COMPOSED: Mapping[str, Composed] = {
    composed.name: composed
    for composed in (
        _wrapper(
            "sdm",
            "Sequential dependence: pairs of neighbouring words of the query count too.",
            "terms · Σ w(q) + ordered · Σ w(\"q q'\") + unordered · Σ w(#uwN(q q')): MODEL weighs the words q of the "
            "query, each pair of neighbours as a phrase, and each pair within `window` words.",
            "Metzler & Croft, SIGIR 2005, with the weights of the paper.",
            "sdm(bm25:window=4)",
        ),
        _wrapper(
            "rm3",
            "Relevance model: terms of the first documents are added to the query.",
            "w(t) = Σ tf / dl · weight of the document, over the first `docs` documents of MODEL, without terms in "
            f"more than the share df of all documents{_FEW}. {_MIXED}",
            "Abdul-Jaleel et al., TREC 2004 (RM3).",
            "rm3(bm25:docs=5,lambda=0.7)",
        ),
        _wrapper(
            "rocchio",
            "Rocchio: the query moves towards the first documents.",
            "q / |q| + beta · e / |e| − gamma · f / |f|: e has the best terms of the mean vector of the first `docs` "
            "documents, each of length 1, without terms in more than the share df of all documents"
            f"{_FEW}; f is the mean of documents known to be not relevant.",
            "Rocchio 1971; as the RocchioReranker of Anserini.",
            "rocchio(bm25:beta=0.5)",
        ),
        _wrapper(
            "bo1",
            "Bo1: terms whose counts in the first documents differ most from chance are added.",
            "w(t) = tf · log2((1 + f) / f) + log2(1 + f), f = cf / N, tf in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "bo1(bm25:docs=10)",
        ),
        _wrapper(
            "kl",
            "Terms are added by the divergence of the first documents from the collection.",
            "w(t) = p · log2(p / (cf / T)), p the share of the term in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "kl(bm25:docs=10)",
        ),
        _wrapper(
            "axiomatic",
            "Terms are added that share documents with those of the query.",
            "w(t) = beta · Σ qtf · I(q, t) / I(q, q) over the terms q of the query; I is the mutual information of the "
            "presence of two terms in the first `docs` documents and pool − 1 times as many others.",
            "Fang & Zhai, SIGIR 2006.",
            "axiomatic(bm25:docs=10)",
        ),
        Composed(
            ">>",
            "MODEL@DEPTH>>MODEL",
            "Pipeline: each stage re-ranks the first documents of the stage before.",
            "The first DEPTH documents (all without @) get the scores of the next MODEL; the others follow in their "
            "old order, 1, 2 … below the lowest of these scores.",
            "`toysearch docs combine-models`.",
            "bm25@100 >> lsa:100",
        ),
        _wrapper(
            "passages",
            "MaxP: a document has the score of its best passage.",
            "Σ of the `best` highest scores among the passages of the document (best=0: all, SumP). A passage has "
            "`words` words and begins `stride` words (at most `words`) after the one before; N, df and avgdl are those "
            "of passages.",
            "Callan, SIGIR 1994; Dai & Callan, SIGIR 2019.",
            "passages(bm25, words=100, stride=50)",
        ),
        _wrapper(
            "mmr",
            "Maximal marginal relevance: documents unlike those ranked before.",
            "Next is the document with the highest lambda · s − (1 − lambda) · span · max cos(d, d'), d' ranked before "
            "it; s is the score of MODEL, span the highest minus the lowest s of its first `depth` documents, and the "
            "cosine that of log(1 + tf) · idf.",
            "Carbonell & Goldstein, SIGIR 1998.",
            "mmr(bm25, lambda=0.7)",
        ),
        _wrapper(
            "xquad",
            "xQuAD: documents that cover what those ranked before do not, with each term of the query as an aspect.",
            "Next is the document with the highest (1 − lambda) · s + lambda · span · Σ p(q) · p(d|q) · "
            "Π (1 − p(d'|q)), d' ranked before it, q a term of the query; p(q) is its share of the query, p(d|q) the "
            "score for q alone, from 0 to 1 among the first `depth` documents; s and span as in mmr.",
            "Santos, Macdonald & Ounis, WWW 2010; terms as aspects: Dang & Croft, SIGIR 2013.",
            "xquad(bm25, lambda=0.7)",
        ),
        Composed(
            LSA,
            f"{LSA}:{DIMENSIONS}",
            "Latent topics: cosine of documents and queries in the space of that many topics.",
            "cos(d, q) with d = x · T and q = Σ qtf · idf · T[term]. x is the row of a document, log(1 + tf) · idf "
            "divided by its length; the columns of T are the strongest directions of its singular value decomposition. "
            "All documents are ranked.",
            "Deerwester et al. 1990.",
            f"{LSA}:100",
            (Setting("dimensions", str(DIMENSIONS), f"a whole number, from {TOPICS[0]:g} to {TOPICS[1]:,.0f}"),),
        ),
        Composed(
            DENSE,
            f"{DENSE}:FILE",
            "Vectors of your own: cosine or dot product of documents and queries.",
            "d · q / (|d| |q|), or d · q with similarity=dot. FILE holds one vector per document (.npy, or a Parquet "
            "file or folder), and queries=FILE one per query, or FILE.py:FUNCTION that makes them. All documents are "
            "ranked.",
            "`toysearch docs search-by-topic`.",
            _EXAMPLES[DENSE],
            (
                Setting("queries", "", "a file, or FILE.py:FUNCTION"),
                Setting("similarity", "cosine", "cosine, dot"),
                Setting("ids", "", "a file with the ids of the rows"),
            ),
        ),
        Composed(
            IMPACT,
            f"{IMPACT}:FILE",
            "Learned sparse vectors (SPLADE, uniCOIL, DeepImpact): products of the weights of terms, added up.",
            "Σ d · q over the terms of the document that the query has too. FILE holds an object per document, "
            '{"id": …, "vector": {term: weight}}. Each word of a query weighs 1, or its vector is in queries=FILE, or '
            "made by FILE.py:FUNCTION.",
            "Mallia et al., SIGIR 2021; Formal et al., SIGIR 2021; `toysearch docs search-by-topic`.",
            _EXAMPLES[IMPACT],
            (Setting("queries", "", "a file, or FILE.py:FUNCTION"),),
        ),
        Composed(
            LEARNED,
            f"{LEARNED}:FOLDER",
            "A ranker that `toysearch learn` saved: the models in it, combined by what was learned.",
            "A weighted sum of features, or trees, for the documents of its pool; documents outside the pool follow in "
            "the order of the first model of the pool.",
            "`toysearch docs learn-a-ranker`.",
            f"{LEARNED}:ranker",
        ),
    )
}
"""These models by name, in the order of the list of models."""
