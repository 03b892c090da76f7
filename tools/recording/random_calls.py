"""Random calls of the public functions through the shell, as JSON and in Python, each with a seed of its own.

A call depends on its number alone: more of them, or fewer, change no other.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace

from recording.batches import Batch, Line
from recording.file_calls import line_of
from recording.inputs import copied
from recording.outcomes import of_command, of_python

NAMES = Path(__file__).with_name("names_of_calls.toml")
known = SimpleNamespace(**tomllib.loads(NAMES.read_text(encoding="utf-8")))
"""What calls choose from; the last of the runs is of cat-dog-parrot, the others are of `forty`."""

COUNT = 3000
TOGETHER = 50
"""Calls of a batch."""


def batches(checkout: Path) -> Iterator[Batch]:
    """The batches of all calls."""
    for start in range(0, COUNT, TOGETHER):

        def lines(start: int = start) -> Iterator[Line]:
            _prepare(checkout)
            for number in range(start, min(start + TOGETHER, COUNT)):
                yield {"number": number, **_call(number)}

        yield Batch("random calls", f"from {start}", lines)


def _prepare(checkout: Path) -> None:
    """Put into this folder the files that calls name."""
    kept = checkout / "tests" / "kept"
    copied(kept / "forty", Path("forty"))
    for path in sorted((kept / "runs").iterdir()):
        shutil.copy(path, path.name)
    shutil.copy(checkout / "corpora" / "cat-dog-parrot" / "published.run", "published.run")
    shutil.copy(kept / "logs" / "clicks.csv", "clicks.csv")
    for path in sorted((kept / "judged").iterdir()):
        shutil.copy(path, path.name)


def asked(number: int) -> str | list[str]:
    """The call of a number: words of the shell, words that ask for JSON, or Python, a third each."""
    rng = Random(f"call {number}")
    if number % 3 == 2:
        return str(rng.choice(known.python[number // 3 % len(known.python)]).format(**_fills(rng)))
    words = SHELL[number // 3 % len(SHELL)](rng)
    return (
        [*words, "--json"]
        if number % 3 == 1
        else [*words, *_sometimes(rng, 0.3, "--format", rng.choice(known.formats))]
    )


def _call(number: int) -> Line:
    """What the call of a number answers."""
    call = asked(number)
    if isinstance(call, list):
        return line_of(call, of_command(call))
    return {"call": call, **of_python(lambda: _evaluated(call))}


def _evaluated(code: str) -> object:
    import toysearch

    return eval(code, {"toysearch": toysearch})


def _collection(rng: Random) -> str:
    return rng.choices([*known.collections], [*known.collections.values()])[0]


def _sometimes(rng: Random, share: float, *words: str) -> list[str]:
    return [*words] if rng.random() < share else []


def _model(rng: Random, *, share: float = 0.9) -> list[str]:
    if rng.random() < 0.06:
        return ["--formula", rng.choice(known.formulas), *_sometimes(rng, 0.5, "--set", "k=2")]
    return _sometimes(rng, share, "--model", rng.choice(known.models))


def _measures(rng: Random, count: int = 3) -> list[str]:
    return ["-m", " ".join(rng.sample(known.measures, rng.randint(1, count)))]


def _analyzer(rng: Random) -> list[str]:
    return _sometimes(rng, 0.15, "--analyzer", rng.choice(known.analyzers))


def _k(rng: Random, share: float = 0.3) -> list[str]:
    return _sometimes(rng, share, "-k", rng.choice(("1", "3", "5", "10", "100", "0")))


def _search(rng: Random) -> list[str]:
    name = _collection(rng)
    options = [
        *_sometimes(rng, 0.15, "--explain"),
        *_sometimes(rng, 0.1, "--sort", rng.choice(("", "-")) + rng.choice(known.fields)),
        *_sometimes(rng, 0.1, "--facets", rng.choice(known.fields)),
        *_sometimes(rng, 0.1, "--group-by", rng.choice(known.fields)),
        *_sometimes(
            rng, 0.1, "--where", f"{rng.choice(known.fields)} {rng.choice('=<>')} {rng.choice(('1950', 'cat'))}"
        ),
        *_sometimes(rng, 0.1, "--query-mode", rng.choice(("lenient", "strict", "plain"))),
        *_sometimes(rng, 0.1, "--above", rng.choice(("0", "0.5", "2"))),
        *_sometimes(rng, 0.1, "--offset", rng.choice(("1", "5"))),
        *_sometimes(rng, 0.1, "--relevant", rng.choice(known.documents[name])),
        *_sometimes(rng, 0.05, "--correct"),
    ]
    return ["search", name, rng.choice(known.queries), *_model(rng), *_k(rng), *_analyzer(rng), *options]


def _eval(rng: Random) -> list[str]:
    options = [
        *_sometimes(rng, 0.2, "--ties", rng.choice(known.ties)),
        *_sometimes(rng, 0.15, "--threshold", rng.choice(("1", "2", "0.5"))),
        *_sometimes(rng, 0.15, "--convention", rng.choice(known.conventions)),
        *_sometimes(rng, 0.1, "--bounds"),
        *_sometimes(rng, 0.1, "--only-retrieved"),
        *_sometimes(rng, 0.1, "--undefined", rng.choice(("zero", "nan"))),
        *_sometimes(rng, 0.2, rng.choice(("-q", "--worst", "--hardest"))),
        *_sometimes(rng, 0.1, "--by", rng.choice(("length", *known.fields))),
    ]
    if options[-1:] in (["--worst"], ["--hardest"]):
        options.append("3")
    if rng.random() < 0.4:
        runs = rng.sample(known.runs, rng.randint(1, 2))
        return ["eval", *runs, rng.choice(("forty", "cat-dog-parrot")), *_measures(rng), *options]
    return [
        "eval",
        _collection(rng),
        *_model(rng),
        *_model(rng, share=0.3),
        *_measures(rng),
        *_analyzer(rng),
        *_k(rng),
        *options,
    ]


def _compare(rng: Random) -> list[str]:
    options = [
        *_sometimes(rng, 0.4, "--test", rng.choice(known.tests)),
        *_sometimes(rng, 0.3, "--correction", rng.choice(known.corrections)),
        *_sometimes(rng, 0.2, "--all-pairs"),
        *_sometimes(rng, 0.1, "--margin", "0.05"),
        *_sometimes(rng, 0.1, "--power"),
        *_sometimes(rng, 0.1, "--agreement"),
        *_sometimes(rng, 0.1, "--by", "length"),
        *_sometimes(rng, 0.1, "--methods"),
        *_sometimes(rng, 0.1, "-q"),
    ]
    if rng.random() < 0.4:
        return ["compare", *rng.sample(known.runs[:3], 2), "forty", *_measures(rng, 2), *options]
    models = [word for name in rng.sample(known.models, 2) for word in ("--model", name)]
    return ["compare", _small(rng), *models, *_measures(rng, 2), *options]


def _small(rng: Random) -> str:
    return rng.choice(("cat-dog-parrot", "forty", "languages"))


def _diff(rng: Random) -> list[str]:
    options = [
        *_sometimes(rng, 0.2, "--top", "2"),
        *_sometimes(rng, 0.1, "--all"),
        *_sometimes(rng, 0.2, "--query-id", "2"),
    ]
    measure = _sometimes(rng, 0.6, "-m", rng.choice(known.measures))
    if rng.random() < 0.4:
        return ["diff", *rng.sample(known.runs[:3], 2), "forty", *measure, *options]
    models = [word for name in rng.sample(known.models, 2) for word in ("--model", name)]
    return ["diff", _collection(rng), *models, *measure, *options]


def _explain(rng: Random) -> list[str]:
    name = _collection(rng)
    documents = rng.sample(known.documents[name], rng.randint(1, 2))
    return [
        "explain",
        _collection(rng),
        *documents,
        "--query",
        rng.choice(known.queries),
        *_model(rng),
        *_analyzer(rng),
    ]


def _similar(rng: Random) -> list[str]:
    name = _small(rng)
    how = [
        [rng.choice(known.documents[name]), *_sometimes(rng, 0.3, "--explain")],
        ["--matrix", ",".join(rng.sample(known.documents[name], 2))],
        ["--above", rng.choice(("0.2", "0.6")), *_sometimes(rng, 0.3, "--groups")],
        ["--texts", rng.choice(known.queries), rng.choice(known.queries)],
    ]
    return ["similar", name, *rng.choice(how), *_model(rng, share=0.5), *_k(rng)]


def _tune(rng: Random) -> list[str]:
    grids = ("k1=0.5,1.2", "b=0,0.75", "stem=none,english", "mu=10,100", "lambda=0.1,0.5", "x=1")
    return [
        "tune",
        _small(rng),
        *_model(rng),
        "--grid",
        rng.choice(grids),
        *_sometimes(rng, 0.5, "-m", rng.choice(known.measures)),
    ]


def _ablate(rng: Random) -> list[str]:
    return ["ablate", _small(rng), *_model(rng), *_sometimes(rng, 0.5, "-m", rng.choice(known.measures))]


def _score(rng: Random) -> list[str]:
    options = [*_sometimes(rng, 0.5, "--relevant", rng.choice("1234")), *_sometimes(rng, 0.2, "--judged", "3 2 1 1 0")]
    options += _sometimes(rng, 0.4, "--explain", rng.choice(known.measures))
    return ["score", rng.choice(known.rankings), *_sometimes(rng, 0.7, *_measures(rng)), *options]


def _words(rng: Random) -> list[str]:
    return rng.choice((_analyze, _query, _show, _check, _lists))(rng)


def _analyze(rng: Random) -> list[str]:
    return ["analyze", rng.choice(known.queries), *_sometimes(rng, 0.8, "--analyzer", rng.choice(known.analyzers))]


def _query(rng: Random) -> list[str]:
    source = [] if rng.random() < 0.3 else [_collection(rng), *_analyzer(rng), *_sometimes(rng, 0.2, "--textbook")]
    return ["query", rng.choice(known.queries), *source]


def _show(rng: Random) -> list[str]:
    name = _small(rng)
    what = [
        ["--term", rng.choice(("cat", "train", "the", "xyz"))],
        ["--complete", "how to tra"],
        [rng.choice(known.documents[name])],
        [],
    ]
    return ["show", name, *rng.choice(what)]


def _check(rng: Random) -> list[str]:
    return ["check", rng.choice((*known.runs, "merged.csv", "sheet.csv", "clicks.csv", "forty", "cat-dog-parrot"))]


def _lists(rng: Random) -> list[str]:
    curve = ["models", rng.choice(known.models), "--curve", rng.choice(("tf", "dl", "df"))]
    of_measure = ["measures", rng.choice(known.measures)]
    return rng.choice(([*curve], of_measure, ["corpora", "show", _small(rng)], ["models"], ["measures"]))


def _runs(rng: Random) -> list[str]:
    runs = rng.sample(known.runs[:3], 2)
    return rng.choice(
        (
            [
                "fuse",
                *runs,
                "--method",
                rng.choice(known.methods),
                *_sometimes(rng, 0.3, "--weights", "0.7,0.3"),
                *_k(rng),
            ],
            ["clicks", "interleave", *runs, "--seed", rng.choice("0123"), *_sometimes(rng, 0.5, "--users", "forty")],
            ["clicks", "model", "clicks.csv"],
            ["judge", "pool", *runs, "--depth", rng.choice("123"), "-o", "-"],
            ["judge", "agree", *rng.sample(("merged.csv", "merged.txt", "sheet.csv", "thumbs.qrels"), 2)],
            ["run", _collection(rng), *_model(rng), *_k(rng), "-o", "-"],
        )
    )


def _textbook(rng: Random) -> list[str]:
    name = _small(rng)
    return rng.choice(
        (
            ["textbook", "means", " ".join(str(rng.randint(1, 9)) for _ in range(3))],
            ["textbook", "examples", rng.choice("ABCDEF")],
            [
                "textbook",
                "relevance",
                name,
                rng.choice(known.queries),
                "--relevant",
                rng.choice(known.documents[name]),
            ],
            [
                "robustness",
                "cat-dog-parrot",
                *_model(rng),
                "--only",
                rng.choice(("semantic", "rare", "corpus", "length")),
            ],
            ["judge", "rejudge", *rng.sample(known.runs[:3], 2), "forty", "--by", "merged.txt"],
        )
    )


SHELL: list[Callable[[Random], list[str]]] = [
    *(_search, _eval, _search, _eval, _compare, _diff, _explain, _similar, _tune, _ablate),
    *(_score, _words, _runs, _textbook, _words, _eval),
]
"""Commands in turn; those with most options more often."""


def _fills(rng: Random) -> dict[str, str]:
    """What stands for each name in the code of a call; runs and judgments are small and random."""
    name = _small(rng)
    documents = [f"d{number}" for number in range(6)]
    run = {str(query): {each: rng.randint(0, 9) / 4 for each in rng.sample(documents, 4)} for query in range(1, 4)}
    ranked = {str(query): rng.sample(documents, rng.randint(1, 6)) for query in range(1, 4)}
    qrels = {str(query): {each: rng.randint(0, 3) for each in rng.sample(documents, 4)} for query in range(1, 5)}
    return {
        "name": repr(name),
        "model": repr(rng.choice(known.models)),
        "other": repr(rng.choice(known.models)),
        "query": repr(rng.choice(known.queries)),
        "measures": repr(" ".join(rng.sample(known.measures, 2))),
        "measure": repr(rng.choice(known.measures)),
        "run": repr(run),
        "ranked": repr(ranked),
        "qrels": repr(qrels),
        "analyzer": repr(rng.choice(known.analyzers)),
        "ties": repr(rng.choice(known.ties[:3])),
        "threshold": rng.choice(("None", "1", "2")),
        "convention": repr(rng.choice(known.conventions[:3])),
        "doc": repr(rng.choice(known.documents[name])),
        "doc2": repr(rng.choice(known.documents[name])),
        "method": repr(rng.choice(known.methods)),
        "test": repr(rng.choice(known.tests)),
        "k": rng.choice(("1", "3", "10", "None")),
        "values": repr([rng.randint(-9, 9) / 8 for _ in range(8)]),
        "letter": repr(rng.choice("ABCDE")),
        "ranking": repr(rng.choice(known.rankings)),
        "field": repr(rng.choice(known.fields)),
    }
