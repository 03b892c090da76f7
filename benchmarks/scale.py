"""Beyond one machine: what two workers save on this one, and what a cluster would cost by `cost_model.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial

import asked_once
from cost_model import LAWS, Texts, Trend, Work, by_heaps, drawn, fitted, index_seconds, predicted, search_seconds
from plan import Plan, command, make, our_version, synthetic_name
from processes import HERE, Job, Line, Log, in_rounds
from report import Best, machine, number, table
from workloads import probabilities

NAME = "scale"
K = (10, 1000)
FITTED, CHECKED = ((1.0, 2), (1.0, 8)), ((1.0, 4), (1.0, 16), (0.25, 4))
"""Parts of the documents, and shards: those that the lines go through, and those that are predicted."""

PLANNED = ((10_000_000, 10, 10), (100_000_000, 100, 100), (1_000_000_000, 1_000, 100))
"""Documents, shards, workers."""

NETWORK = 125.0
"""MB per second: a gigabit."""

HEAPS = (17.0, 0.559)
"""Heaps' law through 4,000 and 16,000 of the descriptions of Debian's packages (55 tokens and more)."""

WAYS = ("one process, one core", "one process, all cores", "1 worker", "2 workers")
START = "start and end"

HOW_MEASURED = """\
Whole commands, from the shell's view, in seconds: the least of several. A worker has one thread; *start and end* is a
command whose work is four documents. The last columns compare 2 workers with one process on one core: the whole
command, and without start and end."""

HOW_CHECKED = """\
Lines were put through what was measured for {0:,} documents in 2 and in 8 shards. Then other shards were predicted (p)
and measured (m). Seconds are those of one core; files and messages are counted, in MB."""

HOW_PLANNED = """\
For shards of a million documents of 55 tokens, 1,000 queries in one call, one thread per worker, a network of one
gigabit, and a vocabulary that grows as that of Debian's descriptions. Predicted, not measured."""


def full(plan: Plan) -> int:
    """The number of documents."""
    return plan.count(1_000_000, 4_000)


def workload(plan: Plan, part: float = 1.0) -> str:
    """The folder of a part of the documents."""
    return synthetic_name(round(full(plan) * part))


def collections(plan: Plan) -> list[str]:
    """All folders."""
    return list(dict.fromkeys(workload(plan, part) for part, _ in (*FITTED, *CHECKED)))


def jobs(plan: Plan) -> Iterator[Job]:
    """The commands in rounds, then the simulated shards, once."""
    yield from in_rounds(plan.rounds, partial(_commands, plan))
    for part, shards in (*FITTED, *CHECKED):
        name = workload(plan, part)
        line = [sys.executable, str(HERE / "runners" / "simulate_shards.py"), str(plan.cache / name)]
        line += [str(plan.cache / "scratch" / "simulated"), "--shards", str(shards)]
        yield _job(plan, name, "simulated", f"shards {shards}", 0, line, 1)


def _job(plan: Plan, name: str, tool: str, part: str, turn: int, line: list[str], cores: int) -> Job:
    """A process for a collection, which is made if it is not there."""
    prepare = partial(make, plan.cache / name)
    return Job(NAME, name, tool, part, turn, line, our_version(), cores, prepare, plan.cache / name)


def _commands(plan: Plan, turn: int) -> Iterator[Job]:
    """Index and search the collection in each way, and do next to nothing."""
    name, tool, made = workload(plan), command("toysearch"), plan.cache / "scratch" / "scale"
    source, queries = str(plan.cache / name / "corpus.jsonl"), str(plan.cache / name / "mix.jsonl")
    for way in WAYS:
        number = way.partition(" ")[0]
        workers = ["--workers", number] if "worker" in way else []
        threads = ["--threads", "1"] if workers or way == WAYS[0] else []
        shards, cores = ["--shards", "2"] if workers else [], 1 if way == WAYS[0] else 0
        index = str(made / ("shards" if workers else "one"))
        given = {"index": ["index", source, "-o", index, "--no-text", *shards]}
        given |= {f"run k={k}": ["run", index, "--queries", queries, "-k", str(k), "-o", str(made / "run")] for k in K}
        given |= {START: ["index", "cat-dog-parrot", "-o", str(made / f"small{bool(workers)}"), *shards]}
        for part, arguments in given.items():
            line = [tool, *arguments, *(threads if part != START else []), *workers]
            yield _job(plan, name, way, part, turn, line, cores)
        if way == WAYS[3]:
            line = [tool, "index", source, "-o", str(made / "joined"), "--no-text", *threads, *workers]
            yield _job(plan, name, way, "index, joined", turn, line, cores)


def tables(plan: Plan, log: Log) -> str:
    """What was measured here, how well it was predicted, and what nobody has measured."""
    parts = [text for text in (_efficiency(plan, log), *_model(plan, log)) if text]
    return "\n\n".join(["## Several processes and machines", *parts]) if parts else ""


def quotation(plan: Plan, log: Log) -> str:
    """The tables, with the machine."""
    parts = [_loads([line for name in collections(plan) for line in log.of(NAME, name)]), _efficiency(plan, log)]
    return "\n\n".join(text for text in (*parts, *_model(plan, log)) if text)


def _loads(lines: list[Line]) -> str:
    """When and where was measured, and what else ran."""
    days = sorted({line["when"][:10] for line in lines}) or ["not measured"]
    load = max((line.get("load", 0.0) for line in lines), default=0.0)
    kind = "idle but for the benchmark" if load < 3 else "loaded with other work, so that times are not to be relied on"
    return f"{' to '.join(dict.fromkeys((days[0], days[-1])))}; {machine()}; {kind} (load average at most {load:.1f})."


def _efficiency(plan: Plan, log: Log) -> str:
    """The commands, one row each."""
    lines = log.of(NAME, workload(plan))
    best = {way: Best(lines, way) for way in WAYS}
    starts = {way: best[way](START, "process") or 0.0 for way in WAYS}
    rows = []
    for part in ("index", "index, joined", *(f"run k={k}" for k in K), START):
        times = [best[way](part, "process") for way in WAYS]
        times[0] = times[0] or best[WAYS[0]](part.partition(",")[0], "process")
        if not (times[0] and times[3]):
            continue
        without = (times[0] - starts[WAYS[0]]) / max(times[3] - starts[WAYS[3]], 1e-9)
        last = "–" if part == START else f"{without:.2f}"
        rows.append([_title(part), *map(number, times), f"{times[0] / times[3]:.2f}", last])
    if not rows:
        return ""
    header = [asked_once.title(workload(plan)), *WAYS, "×", "× without start"]
    return f"{HOW_MEASURED}\n\n{table(header, rows)}"


def _title(part: str) -> str:
    """What the table calls a command."""
    kind, _, rest = part.partition(" ")
    if kind == "run":
        return f"search, 1,000 queries, {rest}"
    return {"index": "index in 2 shards", "index, joined": "the same, into one index"}.get(part, part)


def texts_of_synthetic() -> Texts:
    """Synthetic documents, whose words are drawn from a million."""
    return Texts(drawn(probabilities()))


def _found(plan: Plan, log: Log, part: float, shards: int) -> tuple[Work, Line] | None:
    """A simulated index: what it was, and what was measured."""
    name = workload(plan, part)
    for line in log.of(NAME, name):
        if line["tool"] == "simulated" and line["part"] == f"shards {shards}" and not line["failure"]:
            return Work(round(full(plan) * part), shards, queries=line["queries"]), line
    return None


def _model(plan: Plan, log: Log) -> Iterator[str]:
    """The check of the model and its predictions."""
    points = [found for pair in FITTED if (found := _found(plan, log, *pair))]
    if len(points) < len(FITTED):
        return
    texts = texts_of_synthetic()
    lines = fitted(points, texts)
    checked = [found for pair in CHECKED if (found := _found(plan, log, *pair))]
    rows = []
    for name in predicted(points[0][0], texts, lines):
        row = [f"{name}, {LAWS[name].unit if name in LAWS else 'MB'}"]
        for work, measured in checked:
            guess = predicted(work, texts, lines)[name]
            row += [number(guess), number(measured[name]), f"{guess / measured[name]:.2f}" if measured[name] else "–"]
        rows.append(row)
    header = [""]
    for work, _ in checked:
        header += [f"{work.documents:,} in {work.shards}: p", "m", "p / m"]
    yield f"{HOW_CHECKED.format(full(plan))}\n\n{table(header, rows)}"
    yield f"{HOW_PLANNED}\n\n{_plans(lines)}"


def _plans(lines: Mapping[str, Trend]) -> str:
    """What larger collections would cost."""
    texts, rows = Texts(by_heaps(*HEAPS)), []
    names = (
        "files of a shard", "files of the statistics", "memory of a worker that indexes",
        "memory of the command that joins",
    )  # fmt: skip
    works = [Work(documents, shards, workers) for documents, shards, workers in PLANNED]
    found = [predicted(work, texts, lines) for work in works]
    rows.append(["shards, workers", *(f"{work.shards:,}, {work.workers:,}" for work in works)])
    rows.append(["terms, millions", *(number(texts.terms(work.documents) / 1e6) for work in works)])
    rows += [[f"{name}, MB", *(number(each[name]) for each in found)] for name in names]
    rows.append(["index, s", *(number(index_seconds(*pair)) for pair in zip(works, found, strict=True))])
    rows.append(["open all shards in the command, s", *(number(each["open all shards"]) for each in found)])
    for k in K:
        works = [work._replace(k=k) for work in works]
        found = [predicted(work, texts, lines) for work in works]
        rows.append([f"k={k}: tasks and answers, MB", *(number(each["sent"] + each["received"]) for each in found)])
        rows.append([f"k={k}: merge, s", *(number(each["merge the answers"]) for each in found)])
        rows.append(
            [f"k={k}: memory for answers, MB", *(number(each["memory of the command that merges"]) for each in found)]
        )
        seconds = [search_seconds(*pair, NETWORK) for pair in zip(works, found, strict=True)]
        rows.append([f"k={k}: open and search, s", *map(number, seconds)])
    return table(["", *(f"{documents:,} documents" for documents, _, _ in PLANNED)], rows)
