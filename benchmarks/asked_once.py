"""The first table: a fresh process opens a saved index and answers a thousand queries, each for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peers import OURS, SEARCHERS, Tool
from plan import Plan, make, synthetic_name, version_of
from processes import Job, Line, Log, in_rounds
from report import Best, Row, number, pair, ratio, ratios, table, tools_of

NAME = "once"
SETS, K = ("rare", "mix"), (10, 1000)
REAL = "packages"
ASKED = (
    ("k=10", "one {} 10", "mean"),
    ("k=1000", "one {} 1000", "mean"),
    ("one call, k=10", "batch {} 10", "call"),
    ("one call, k=1000", "batch {} 1000", "call"),
)

HOW = """\
A fresh process opens an index that was saved before and answers 1,000 different queries, each for the first time: no
query is repeated, nothing is warmed up but the page cache, which holds the files of the index. One core. *start* is
Python with the imports of the tool, *open* the saved index, *first* the first query, the other columns all 1,000,
the first one included; *one call* is a process that gives all of them to the tool at once. Milliseconds, for queries of
rare words / with frequent ones; each the least of several processes. **×** is how many times as long as toysearch."""

WHOLE = """Whole processes, from the start of Python to the last of the 1,000 answers, in milliseconds:"""


def workload(plan: Plan) -> str:
    """The name of the folder of the large collection."""
    return synthetic_name(plan.count(1_000_000, 2_000))


def title(name: str) -> str:
    """What tables call a collection."""
    if name == REAL:
        return "the descriptions of Debian's packages"
    documents, tokens = name.partition("-")[2].split("x")
    return f"{int(documents):,} documents of about {tokens} tokens"


def collections(plan: Plan) -> list[str]:
    """The large collection, and in full size the real one."""
    return [workload(plan), *([REAL] if plan.scale == 1 else [])]


def jobs(plan: Plan) -> Iterator[Job]:
    """All processes for one collection after the other."""
    for collection in collections(plan):
        yield from on(plan, NAME, collection, plan.tools(SEARCHERS))


def on(plan: Plan, name: str, collection: str, tools: list[Tool]) -> Iterator[Job]:
    """Build the indexes, ask them in rounds, and compare their documents."""
    families = {tool.family: tool for tool in tools}
    yield from (_built(plan, name, collection, tool) for tool in families.values())
    yield from in_rounds(plan.rounds, partial(_asked, plan, name, collection, tools))
    for tool in tools if len(tools) > 1 else ():
        for kind in SETS:
            yield _job(plan, name, collection, tool, f"top {kind}", "--task", "top", "--set", kind)


def _built(plan: Plan, name: str, collection: str, tool: Tool) -> Job:
    """A process on all cores that reads the file and saves the index."""
    job = _job(plan, name, collection, tool._replace(name=tool.family, variant=""), "build", "--task", "build")
    index, done = job.reads, job.reads and job.reads / "built"
    shell = f"rm -rf '{index}' && \"$@\" && touch '{done}'"
    command = ["sh", "-c", shell, "sh", *job.command]
    return job._replace(
        command=command, cores=0, reads=None, makes=done, prepare=partial(make, plan.cache / collection)
    )


def _asked(plan: Plan, name: str, collection: str, tools: list[Tool], turn: int) -> Iterator[Job]:
    """Each kind of question to each tool, once."""
    for task in ("one", "batch"):
        for k in K:
            for kind in SETS:
                for tool in tools:
                    options = ("--task", task, "--set", kind, "-k", str(k))
                    yield _job(plan, name, collection, tool, f"{task} {kind} {k}", *options)._replace(round=turn)


def _job(plan: Plan, name: str, collection: str, tool: Tool, part: str, *options: str) -> Job:
    index = plan.cache / "indexes" / collection / tool.family
    command = plan.runner("search", tool, plan.cache / collection, *options, "--index", str(index))
    return Job(name, collection, tool.name, part, 0, command, version_of(tool), reads=index)


def tables(plan: Plan, log: Log) -> str:
    """The tables of the large collection and of the real one."""
    parts = ["## The first time a query is asked", HOW]
    for collection in collections(plan):
        lines = log.of(NAME, collection)
        if lines:
            parts += [f"### {_capital(title(collection))}", *_tables(lines)]
    return "\n\n".join(parts)


def quotation(plan: Plan, log: Log) -> str:
    """The table of the large collection, for the page of the documentation about speed."""
    asked, built = _found(log.of(NAME, workload(plan)))
    found = _once_table(asked, built) if asked else "Not measured yet for this version."
    return "\n\n".join([HOW, f"{_capital(title(workload(plan)))}:", found])


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _found(lines: list[Line]) -> tuple[dict[str, Best], dict[str, Best]]:
    """The tools that were asked, and those that built an index, one for all variants."""
    found = {tool: Best(lines, tool) for tool in tools_of(lines)}
    asked = {tool: best for tool, best in found.items() if best("one rare 10", "mean") is not None}
    return asked, {tool: best for tool, best in found.items() if best("build", "process") is not None}


def _tables(lines: list[Line]) -> list[str]:
    asked, built = _found(lines)
    parts = []
    if asked:
        parts += [_once_table(asked, built), WHOLE, _whole_table(asked)]
        others = [f"{tool} {pair(best, 'one {} 10', 'others')}" for tool, best in asked.items()]
        parts.append(f"The mean at k = 10 without the first query: {', '.join(others)}.")
        same = [f"{tool} {_same(lines, tool)}" for tool in asked if tool != OURS.name and _same(lines, tool)]
        parts += [f"Of toysearch's first ten documents, others have among theirs: {', '.join(same)}."] if same else []
    return [
        *parts,
        "From the file to the saved index, without the texts, whole process, all cores:",
        _built_table(built),
    ]


def _once_table(asked: dict[str, Best], built: dict[str, Best]) -> str:
    rows = []
    for tool, best in asked.items():
        size = built[tool.partition(",")[0]]("build", "size_mb") if tool.partition(",")[0] in built else None
        row = [tool, number(best("one", "start")), number(best("one", "open")), pair(best, "one {} 10", "first")]
        rows.append([*row, *_times(best, asked.get(OURS.name)), number(size)])
    return table(["", "start", "open", "first", *_header(), "MB on disk"], rows)


def _whole_table(asked: dict[str, Best]) -> str:
    """The time of whole processes."""
    rows = [[tool, *_times(best, asked.get(OURS.name), "whole")] for tool, best in asked.items()]
    return table(["", *_header()], rows)


def _header() -> Row:
    return [text for name, _, _ in ASKED for text in (name, "×")]


def _times(best: Best, ours: Best | None, of: str = "") -> Row:
    """The times of a tool, or what is named, and their ratios to ours."""
    columns = [(part, of or key) for _, part, key in ASKED]
    return [text for column in columns for text in (pair(best, *column), ratios(best, ours, *column))]


def _built_table(built: dict[str, Best]) -> str:
    ours = built[OURS.name]("build", "process") if OURS.name in built else None
    rows: list[Row] = []
    for tool, best in built.items():
        seconds, memory, size = (best("build", key) for key in ("process", "process_mb", "size_mb"))
        rows.append([tool, number(seconds), ratio(seconds, ours), number(memory), number(size)])
    return table(["", "s", "×", "peak MB", "MB on disk"], rows)


def _same(lines: list[Line], tool: str) -> str:
    """The part of toysearch's first ten documents that another tool has among its own."""
    shares = []
    for kind in SETS:
        top = {line["tool"]: line["top"] for line in lines if line["part"] == f"top {kind}" and "top" in line}
        if OURS.name in top and tool in top:
            pairs = [(set(a), set(b)) for a, b in zip(top[OURS.name], top[tool], strict=True) if a]
            shares += [len(a & b) / len(a) for a, b in pairs]
    return f"{sum(shares) / len(shares):.1%}" if shares else ""
