"""Submission (a model in a file, the text of a model, or a run), and its conversion to a run.

A model ranks in a confined process, which runs this module as a program. In its working folder it finds ``asked.json``
(the text of the model, the folder of the index, the queries, k) and, for a model in a file, the file. If the model is
invalid, it writes one sentence on stderr and ends with the exit code `REFUSED`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from toysearch import read_run
from toysearch.base import ArgumentError, DataError, Ranking, Run, ToysearchError, counted, ordered
from toysearch.classroom.sandbox.confined_run import Limits, last_line, run_confined, with_reach
from toysearch.evaluation.lint import lint

ASKED, RUN = "asked.json", "run.txt"
REFUSED = 2
"""Exit code for an invalid model."""
_IN_FILE = re.compile(r"(?P<file>[^\s*+()]+\.py)(?P<rest>:.*)?\Z", re.DOTALL)
_FUNCTION = "rank"
_MOST_BYTES = 100_000_000  # of a run
_COLUMNS, _LONGEST_LINE = 6, 10_000  # of a line of a run that a model's program left
_GZIP = b"\x1f\x8b"
_LIKE_A_FILE = re.compile(r"[\\/]|\.(run|txt|csv|tsv|json|gz|py)\b|\brun:")


class Sent(NamedTuple):
    """Submission: a model or a run as it was sent."""

    kind: str  # 'file' | 'text' | 'run': a model in a Python file, the text of a model, or a run
    text: str  # the text of the model, with the bare name of its file; "" for a run
    name: str  # the name of the file; for a text, the name under which it is stored
    data: bytes  # the file's content, or the text

    @property
    def checksum(self) -> str:
        """Return the SHA-256 of the content."""
        return hashlib.sha256(self.data).hexdigest()


class Task(NamedTuple):
    """Task on which every submission is ranked."""

    index_folder: Path
    queries: Mapping[str, str]  # query_id → text, of all judged queries
    answerable: Container[str]  # the queries that share a term with a document
    doc_ids: Container[str]  # the collection's documents
    k: int  # the maximum number of documents ranked per query
    limits: Limits
    hidden: Sequence[Path]  # paths that it may not read
    trust_code: bool = False  # whether code runs even if this system cannot confine it
    stop: threading.Event | None = None  # once it is set, a running model is ended


def sent(what: str) -> Sent:
    """Read the submission in a string: ``mine.py:rank``, the file of a run, or the text of a model.

    >>> sent("bm25:b=0.4")
    Sent(kind='text', text='bm25:b=0.4', name='model.txt', data=b'bm25:b=0.4')
    """
    # Nothing of it is executed.
    in_file = _IN_FILE.match(what.strip())
    if in_file:
        path = Path(in_file["file"])
        if not path.is_file():
            raise ArgumentError(f"{path}: there is no such file; a model of your own is given as FILE.py:NAME")
        return sent_model_file(path.name, in_file["rest"] or "", path.read_bytes())
    path = Path(what)
    if len(what) < 1000 and path.is_file():
        if (size := path.stat().st_size) > _MOST_BYTES:
            raise DataError(f"{path.name}: a run has at most {_MOST_BYTES:,} bytes, and this has {size:,}")
        return sent_run(path.name, path.read_bytes())
    return sent_text(what)


def sent_text(what: str) -> Sent:
    """Return the text of a model as a submission, which never names a file of this computer."""
    if ".py:" in what:
        raise ArgumentError(
            f"'{what}': a function in a file must be sent alone, as FILE.py:NAME; only named models can be mixed"
        )
    if _LIKE_A_FILE.search(what) and not what.lstrip().startswith("formula:"):
        raise ArgumentError(f"{what}: there is no such file, and it is not the text of a model")
    return Sent("text", what, "model.txt", what.encode())


def sent_model_file(name: str, rest: str, data: bytes) -> Sent:
    """Return a model in a Python file as a submission; `rest` is its function and parameters, as ``:rank:k=2``."""
    return Sent("file", f"{name}{rest or f':{_FUNCTION}'}", name, data)


def sent_run(name: str, data: bytes) -> Sent:
    """Return a run as a submission."""
    if data.startswith(_GZIP):
        raise DataError(f"{name}: expected an unpacked run, found gzip; gunzip it")
    return Sent("run", "", name, data)


def run_of(given: Sent, task: Task, kept: Path) -> Run:
    """Read and check the run of a submission, or make it by a confined program; its rows are sorted and cut at k."""
    if given.kind == "run":
        return checked_run(kept, task)
    request = {"model": given.text, "index": str(task.index_folder), "queries": dict(task.queries), "k": task.k}
    files: dict[str, bytes | str] = {ASKED: json.dumps(request)}
    if given.kind == "file":
        files[given.name] = given.data
    ended = run_confined(
        "toysearch.classroom.competition.submission",
        files=files,
        keep=[RUN],
        readable=[task.index_folder],
        hidden=task.hidden,
        limits=replace(task.limits, files=_MOST_BYTES),
        trust_code=task.trust_code or given.kind == "text",  # the text of a model is formulas and names, not code
        stop=task.stop,
    )
    if task.stop is not None and task.stop.is_set():
        raise KeyboardInterrupt  # the model is not at fault
    if ended.ended != "done" or RUN not in ended.files:
        # The folder of a competition is private: its path is not for teams.
        reason = "it ended before it ranked anything" if ended.ended == "done" else ended.sentence
        if ended.ended == "failed" and ended.exit_code == REFUSED and (message := last_line(ended.errors)):
            reason = with_reach(message)
        reason = reason.replace(f" in {task.index_folder}", "").replace(str(task.index_folder), "the index")
        raise ArgumentError(f"{given.text}: {reason}")
    data = ended.files[RUN]
    if problem := _too_much(data, task):
        raise DataError(f"{given.text}: {problem}")
    path = kept.with_name(RUN)
    try:
        path.write_bytes(data)
        return checked_run(path, task)
    finally:
        path.unlink(missing_ok=True)


def _too_much(data: bytes, task: Task) -> str:
    lines: Counter[bytes] = Counter()
    for row in data.splitlines():
        columns = row.split()
        if len(columns) != _COLUMNS or len(row) > _LONGEST_LINE:
            return f"the file {RUN} that it left is not a run"
        lines[columns[0]] += 1
        if lines[columns[0]] > task.k or len(lines) > len(task.queries):
            return (
                f"the file {RUN} that it left has more than {task.k} lines for a query, or more queries than requested"
            )
    return ""


def checked_run(path: Path, task: Task) -> Run:
    """Read the run in a file, checked as `lint` does, with a ranking of known documents for every query; cut at k."""
    serious = [finding for finding in lint(path) if finding.serious]
    if serious:
        located = serious[0].message.startswith(f"{path}:")  # as reading it says it
        raise DataError((serious[0].message if located else f"{path.name}: {serious[0]}").replace(str(path), path.name))
    run = ordered(read_run(path))[0]
    rankings = [run.ranking(query_id) for query_id in task.queries]
    missing = [ranking.query_id for ranking in rankings if ranking.query_id in task.answerable and not len(ranking)]
    if missing:
        queries = counted(len(missing), "query", "queries")
        raise DataError(
            f"{path.name}: there is no document for {queries} of {len(task.queries)}, such as '{missing[0]}'; a run "
            "answers every query"
        )
    cut = [Ranking(ranking.query_id, ranking.doc_ids[: task.k], ranking.scores[: task.k]) for ranking in rankings]
    for ranking in cut:
        foreign = next((doc_id for doc_id in ranking.doc_ids if doc_id not in task.doc_ids), None)
        if foreign is not None:
            raise DataError(
                f"{path.name}: query '{ranking.query_id}' has document '{foreign}', which is not in the collection; "
                "document ids must be equal as texts"
            )
    return Run.from_rankings(cut, name=run.name)


def main() -> None:
    """Rank, and write the run."""
    from toysearch import Index, Searcher, model, write_run

    request: dict[str, Any] = json.loads(Path(ASKED).read_text(encoding="utf-8"))
    try:
        searcher = Searcher(Index.open(request["index"]), model(request["model"]))
        run = searcher.run(request["queries"], request["k"], name="run", threads=1)
    except MemoryError:
        raise
    except ToysearchError as error:
        refuse(str(error))
    except Exception as error:
        refuse(f"{type(error).__name__}: {error}")
    else:
        write_run(run, RUN)


def refuse(sentence: str) -> None:
    """End with a sentence in which the files of this folder have their bare names."""
    print(" ".join(sentence.replace(f"{os.getcwd()}{os.sep}", "").split()), file=sys.stderr)
    sys.exit(REFUSED)


if __name__ == "__main__":
    main()
