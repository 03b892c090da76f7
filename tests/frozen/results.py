"""What is frozen beside the commands: results in Python, scores, index files, signatures, and pages as HTML.

It uses public names only, so that it records an earlier revision as well.
"""

import hashlib
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

MINE = '"""A model of one\'s own."""\n\n\ndef rank(tf, df, N):\n    """tf · N / df."""\n    return tf * N / df\n'
COLLECTIONS = ("companions", "cranfield", "cisi")
RANKERS = """
    tfidf smart cosine cosine:idf=smooth dice jaccard bm25 bm25:k1=0.9,b=0.4 bm25-okapi bm25l bm25plus bm25f
    lm-dirichlet lm-jm pl2 dph spl f2exp rm3(bm25) rocchio(bm25) bo1(bm25) kl(bm25) sdm(bm25) lsa:50
    rrf(bm25,cosine) 0.5*bm25+0.5*cosine min-max(bm25)+min-max(cosine)
""".split()  # noqa: SIM905
ADDRESSES = """
    / /index.json /nothing /companions /companions/search?q=tick+removal /companions/search?q=tick&model=cosine
    /companions/search.json?q=tick /companions/search?q=tick&explain=p004 /companions/document?id=p004
    /companions/compare?model=bm25&model=cosine /companions/compare.json?model=bm25&model=cosine
    /companions/nothing
""".split()  # noqa: SIM905
MEASURES = "AP nDCG@10 P@5 RR Rprec Bpref ERR@20 RBP(p=0.8) Judged@10 R@100 F@10 GMAP".split()  # noqa: SIM905


def prepared_folder(work: Path) -> Path:
    """A folder with the files that the examples of the help name."""
    import toysearch

    folder = work / "prepared"
    folder.mkdir()
    pets = toysearch.load("cat-dog-parrot")
    index = toysearch.Index.build(pets, toysearch.Analyzer())
    index.save(folder / "pets.idx")
    companions = toysearch.Index.build(toysearch.load("companions"), toysearch.Analyzer())
    for name in ("companions.idx", "my-index"):
        companions.save(folder / name)
    (folder / "mine.py").write_text(MINE)
    (folder / "more.jsonl").write_text('{"_id": "5", "title": "Goldfish", "text": "How to train a goldfish"}\n')
    (folder / "gone.txt").write_text("5\n")
    for name, model in (("mine.run", "bm25"), ("theirs.run", "tfidf"), ("third.run", "bm25")):
        toysearch.write_run(toysearch.Searcher(index, model).run(pets.queries), str(folder / name))
    for name in ("ada.csv", "ben.csv", "carla.csv", "judged.csv", "monday.csv", "friday.csv", "decided.csv"):
        (folder / name).write_text("query_id,doc_id,relevance\n1,1,2\n1,2,0\n")
    topics, grades = dict(toysearch.load("companions").queries), toysearch.load("companions").qrels
    lines = [{"query_id": row.query_id, "doc_id": row.doc_id, "grade": int(row.relevance > 1)} for row in grades]
    (folder / "model.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    toysearch.tune(pets, "bm25", {"k1": [1, 2], "b": [0, 1]}, results=folder / "tuned.jsonl")
    (folder / "pets.txt").write_text("parrot, budgie\ncat, hamster\n")
    expectation = 'run = "mine.run"\nqrels = "qrels.txt"\n[[expect]]\nmeasure = "AP"\nat_least = 0\n'
    (folder / "relevance.toml").write_text(expectation)
    (folder / "class.csv").write_text("name,id\nAda,a1\nGrace Hopper,gh12\n")
    (folder / "topics.txt").write_text("".join(f"{query_id}\t{text}\n" for query_id, text in pets.queries))
    rows = (f'{query_id},"{text}",{"long" if text.count(" ") > 3 else "short"}\n' for query_id, text in topics.items())
    (folder / "topics.csv").write_text("".join(["query_id,text,type\n", *rows]))
    judgments = (f"{row.query_id} 0 {row.doc_id} {row.relevance:g}\n" for row in pets.qrels)
    (folder / "qrels.txt").write_text("".join(judgments))
    return folder


def shown(result: Any) -> str:
    """A result in the forms that it has: text, LaTeX and HTML."""
    forms = {"text": str, "latex": lambda value: value.latex(), "html": lambda value: value._repr_html_()}
    texts = [type(result).__name__]
    for form, render in forms.items():
        try:
            texts.append(f"[{form}]\n{render(result)}")
        except AttributeError:
            continue
    return "\n".join(texts)


def study(name: str) -> tuple[Any, Any, dict[str, Any]]:
    """A collection, its index, and runs of four models."""
    import toysearch

    collection = toysearch.load(name)
    index = toysearch.Index.build(
        collection, collection.analyzer() if callable(getattr(collection, "analyzer", None)) else None
    )
    runs = {
        model: toysearch.Searcher(index, model).run(collection.queries)
        for model in ("bm25", "cosine:idf=smooth", "lm-dirichlet")
    }
    return collection, index, runs


def evaluations(name: str) -> str:
    """Evaluations and comparisons of three runs, per convention and correction."""
    import toysearch

    collection, _, runs = study(name)
    measures = [measure for measure in MEASURES if measure.partition("@")[0].partition("(")[0] in toysearch.MEASURES]
    parts = [
        toysearch.evaluate(run, collection.qrels, measures, convention=convention)
        for run in runs.values()
        for convention in ("trec_eval", "textbook", "sklearn")
    ]
    parts += [
        toysearch.compare(runs, collection.qrels, "AP nDCG@10", correction=correction, pairs=pairs, test=test)
        for correction in ("holm", "none")
        for pairs in ("baseline", "all")
        for test in ("t", "permutation", "wilcoxon", "bootstrap")
    ]
    parts.append(toysearch.pool(runs, 10, qrels=collection.qrels))
    parts.append(toysearch.fuse(runs))
    values = [json.dumps(part.per_query, sort_keys=True, default=repr) for part in parts if hasattr(part, "per_query")]
    return "\n".join([*map(shown, parts), *values])


def experiments(name: str) -> str:
    """Each experiment once, at a small size."""
    import toysearch

    collection, index, runs = study(name)
    first, second = list(runs.values())[:2]
    query_id, text = next(iter(collection.queries))
    searcher = toysearch.Searcher(index, "bm25")
    hits = [hit.doc_id for hit in searcher.search(text, k=2)]
    evaluation = toysearch.evaluate(first, collection.qrels, "AP nDCG@10")
    makers: dict[str, Callable[[], Any]] = {
        "tune": lambda: toysearch.tune(collection, "bm25", {"k1": [0.9, 1.2], "b": [0.4, 0.75]}, folds=3),
        "ablate": lambda: toysearch.ablate(collection, "bm25"),
        "predict": lambda: toysearch.predict(collection, "bm25"),
        "diff": lambda: toysearch.diff(first, second, collection.qrels),
        "verify": lambda: toysearch.verify(collection, sample=5),
        "explain": lambda: toysearch.explain(searcher, text, hits[0]),
        "explain_order": lambda: toysearch.explain_order(searcher, text, hits[0], hits[1]),
        "explain_measure": lambda: toysearch.explain_measure(first, collection.qrels, evaluation, "AP", query_id),
        "similar": lambda: toysearch.similar(index, hits[0]),
        "diagnose": lambda: toysearch.diagnose(name),
        "search": lambda: searcher.search(text),
    }
    if name == "companions":
        makers["robustness"] = lambda: toysearch.robustness(collection, ["bm25", "cosine"])
        makers["weight_curve"] = lambda: toysearch.weight_curve(toysearch.model("bm25"))
        makers["worked_examples"] = lambda: toysearch.worked_examples()[0]
    texts = []
    for title, make in makers.items():
        try:
            texts.append(f"== {title}\n{shown(make())}")
        except toysearch.ToysearchError as error:
            texts.append(f"== {title}\n{type(error).__name__}: {error}")
    return "\n".join(texts)


def scores(name: str) -> str:
    """A checksum of the rankings of each ranker: documents, order, and the bits of the scores."""
    import toysearch

    collection, index, _ = study(name)
    lines = []
    for ranker in RANKERS:
        digest = hashlib.sha256()
        try:
            run = toysearch.Searcher(index, ranker).run(collection.queries, k=100)
            for row in run:
                digest.update(f"{row.query_id} {row.doc_id} {float(row.score).hex()}\n".encode())
            lines.append(f"{ranker}\t{digest.hexdigest()[:16]}")
        except toysearch.ToysearchError as error:
            lines.append(f"{ranker}\t{error}")
    return "\n".join(lines)


def index_files(name: str) -> str:
    """A checksum of each file of a saved index, with and without positions."""
    import toysearch

    collection, lines = toysearch.load(name), []
    for options in ({}, {"positions": False}):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "index"
            toysearch.Index.build(collection, **options).save(folder)
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
                    lines.append(f"{options} {path.relative_to(folder)}\t{path.stat().st_size}\t{digest}")
    return "\n".join(lines)


def signatures() -> str:
    """The public names with their parameters; of a class, its public methods and attributes."""
    import toysearch

    lines = []
    for name in sorted(toysearch.__all__):
        value = getattr(toysearch, name)
        lines.append(f"{name}{parameters(value)}")
        if inspect.isclass(value):
            lines += [
                f"    {name}.{member}{parameters(inspect.getattr_static(value, member))}"
                for member in sorted(dir(value))
                if not member.startswith("_")
            ]
    return "\n".join(lines)


def parameters(value: Any) -> str:
    """The parameters of a function, in brackets; nothing for what is none."""
    value = getattr(value, "__func__", value)
    try:
        return str(inspect.signature(value)) if callable(value) else ""
    except (TypeError, ValueError):
        return ""


def served_pages(folder: Path) -> str:
    """The HTML and JSON of some pages of the served collection, as a browser gets them."""
    command = [sys.executable, "-m", "toysearch", "serve", "companions", "--port", "0"]
    # The package of this checkout, whichever is installed: an earlier one is served from a worktree.
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            base, _, token = address.partition("?")
            texts = [page(base.rstrip("/"), path, token) for path in ADDRESSES]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    text = "\n".join(texts).replace(base.rstrip("/"), "SERVER")
    return re.sub(
        r'(-token" content="|name="token" value=")[^"]+', r"\1…", text.replace(token, "TOKEN") if token else text
    )


def page(base: str, path: str, token: str) -> str:
    """The status and the body of one address."""
    address = base + path + (("&" if "?" in path else "?") + token if token else "")
    try:
        with urllib.request.urlopen(address, timeout=120) as reply:
            return f"== {path} {reply.status}\n{reply.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"== {path} {error.code}\n{error.read().decode()}"


RESULTS: dict[str, Callable[[], str]] = {
    "signatures": signatures,
    **{
        f"{name}-{what.__name__}": partial(what, name)
        for name in COLLECTIONS
        for what in (evaluations, experiments, scores, index_files)
    },
}
