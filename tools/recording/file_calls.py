"""The commands on files: each alone, each pair of run and judgments, the same rewritten, and the advice followed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recording import readings
from recording.advice import advised, question
from recording.batches import Batch, Line
from recording.inputs import Group, copied
from recording.outcomes import Facts, of_command
from recording.rewritings import rewritten

MEASURES = "AP RR nDCG@10 P@5"
ALONE = ("documents", "queries", "run", "qrels")
"""The ways in which a text of a test is read by Python."""


def batch(part: str, group: Group) -> Batch:
    """The batch of a group."""
    return Batch(part, group.name, lambda: _lines(group))


def _lines(group: Group) -> Iterator[Line]:
    group.write(Path())
    advice: set[tuple[str, ...]] = set()
    for name in group.files:
        for way in ALONE:
            yield {"call": f"{way} of {name}", **readings.facts_in(Path.cwd(), Path(name), way)}
        yield from _followed(["check", name], advice)
        yield from _searched(name, group.files[name], advice)
    for run, qrels in group.pairs:
        yield from _evaluated(run, qrels, group.files, advice)
    for line in group.commands:
        yield from _typed_line(line)


def line_of(words: list[str], facts: Facts, **more: Any) -> Line:
    """A line of the record."""
    return {"call": shlex.join(words), **more, **facts}


def _typed_line(line: str) -> Iterator[Line]:
    """A command of a description."""
    try:
        words = shlex.split(line)
    except ValueError:
        return
    if words and not {"serve", ">", "|", "<", "&"} & {*words}:
        yield from _followed(words, set())


def _followed(words: list[str], seen: set[tuple[str, ...]]) -> Iterator[Line]:
    """A command, and what its advice leads to, unless other files of the group had the same advice."""
    facts = of_command(words)
    yield line_of(words, facts)
    if question(facts) and isinstance(facts.get("said"), str):
        for typed in advised(words, facts["said"]):
            added = tuple(word for word in typed if word not in words) or (*typed,)
            if typed[0] not in ("serve", "docs") and added not in seen:
                seen.add(added)
                yield line_of(typed, of_command(typed), advised_by=shlex.join(words))


def numbers(facts: Facts, of: str) -> str | None:
    """The numbers of an answer in JSON that a rewritten file must give too; None of a question."""
    if question(facts):
        return None
    try:
        data = json.loads(facts["stdout"])
        if of == "systems":
            return json.dumps([sorted(each["measures"].items()) for each in data["systems"]])
        return json.dumps([hit["score"] for hit in data["hits"]])
    except (TypeError, ValueError, KeyError):
        return json.dumps(facts["stdout"])  # the checksum of a long one


def _evaluated(run: str, qrels: str, files: dict[str, bytes], seen: set[tuple[str, ...]]) -> Iterator[Line]:
    """An evaluation, and that of each of the two files rewritten."""
    found = [*_followed(["eval", run, qrels, "-m", MEASURES, "--json"], seen)]
    yield from found
    right = numbers(found[0], "systems")
    if right is None:
        return
    for which in (0, 1):
        for how, name, content in rewritten((run, qrels)[which], files[(run, qrels)[which]]):
            Path(name).write_bytes(content)
            words = ["eval", *((name, qrels) if which == 0 else (run, name)), "-m", MEASURES, "--json"]
            yield from _compared(words, right, "systems", how)


def _searched(name: str, content: bytes, seen: set[tuple[str, ...]]) -> Iterator[Line]:
    """A search in a file for two of its words, and in the file rewritten."""
    words = re.findall(r"[A-Za-z]{4,}", content.decode("utf-8", "ignore"))
    query = " ".join(dict.fromkeys(words[len(words) // 2 :][:2])) or "the"
    found = [*_followed(["search", name, query, "--json", "-k", "5"], seen)]
    yield from found
    right = numbers(found[0], "hits")
    if right not in (None, "[]"):
        for how, other, new in rewritten(name, content):
            Path(other).write_bytes(new)
            yield from _compared(["search", other, query, "--json", "-k", "5"], right, "hits", how)


def _compared(words: list[str], right: str, of: str, how: str) -> Iterator[Line]:
    """A command on a rewritten file, with the verdict: the same number, a question, or another number."""
    facts = of_command(words)
    now = numbers(facts, of)
    verdict = "asks" if now is None else "same" if now == right else "other"
    yield line_of(words, facts, rewritten=how, verdict=verdict)


def readings_of(folder: Path, name: str) -> Iterable[Batch]:
    """A batch for each file and each collection below a folder, read in all ways."""
    for source in readings.sources(folder):

        def lines(source: readings.Source = source) -> Iterator[Line]:
            return readings.lines_of(source)

        yield Batch("readings", f"{name}/{source.path.as_posix()}", lines)


def session(name: str, text: str, checkout: Path) -> Batch:
    """The commands of a session or of a page, typed one after the other in one folder."""

    def lines() -> Iterator[Line]:
        if (kept := checkout / "tests" / "kept").is_dir():
            copied(kept / "forty", Path("forty"))
        for block in re.split(r"^(?=(?:==|\$|###?) )", text, flags=re.MULTILINE):
            first, _, rest = block.partition("\n")
            if first.startswith("== "):
                place = Path(first.removeprefix("== "))
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(f"{rest.rstrip()}\n".encode())
            elif first.startswith("$ toysearch "):
                yield from _of_session(first.removeprefix("$ toysearch "))

    return Batch("sessions", name, lines)


NOT_TYPED = ("serve", "labs", "verify", "robustness", "learn", "report", "docs", "corpora get")
"""Commands of sessions that wait, need a network or another process, or take long; others record them."""


def _of_session(line: str) -> Iterator[Line]:
    """A line that needs no shell but for its standard input."""
    command, _, name = line.partition(" < ")
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", command.partition(" &> ")[0])
    if set(outside) & set("|<>;&$`*?#~") or line.startswith(NOT_TYPED) or re.search("cranfield|cisi|scifact", line):
        return
    stdin = Path(name).read_text(encoding="utf-8") if name and Path(name).is_file() else None
    words = shlex.split(command.partition(" &> ")[0])
    yield line_of(words, of_command(words, stdin))
