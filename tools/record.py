"""Record what toysearch answers to some thousand calls, and compare two records.

    python tools/record.py OUT [--checkout DIR] [--inputs DIR] [--only REGEX] [--workers N]
    python tools/record.py compare BEFORE AFTER [--show N] [--part PART]

A record has one line of JSON per call. What is recorded: files read in all ways, commands on files and on the same
files rewritten, with the advice of each message followed, sessions and pages, random calls, and wrong functions of the
labs. It is the same on any machine, with any number of workers, and whatever PYTHONHASHSEED is; so two commits differ
in what they answer, and nothing else.

toysearch is that of --checkout, run by the Python that runs this; the inputs are those of this checkout, or of
--inputs, and ../shared/cases and ../shared/corpora beside it where they are. For two commits, record both with the
newer tool and the same inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    """Record, or compare."""
    if sys.argv[1:2] == ["compare"]:
        from recording.difference import main as compare

        compare(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="file to write: one line of JSON per call")
    parser.add_argument("--checkout", type=Path, default=CHECKOUT, help="the checkout whose toysearch answers")
    parser.add_argument("--inputs", type=Path, default=CHECKOUT, help="the checkout whose tests and pages are inputs")
    parser.add_argument("--shared", type=Path, help="the folder with cases and corpora (default: ../shared)")
    parser.add_argument("--only", default="", help="record only the batches whose part and name match this pattern")
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    chosen = parser.parse_args()
    _load(chosen.checkout.resolve())
    start = time.monotonic()
    lines, failed = _write(chosen)
    summary = ", ".join(f"{count} {part}" for part, count in sorted(lines.items()))
    print(f"{chosen.out}: {lines.total()} calls ({summary}) in {time.monotonic() - start:.0f} s", file=sys.stderr)
    sys.exit(f'{failed} batches did not end; see the lines with "died"' if failed else 0)


def _load(checkout: Path) -> None:
    """Import toysearch from a checkout, with all that its commands load; of numpy one thread."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    sys.path.insert(0, str(checkout))
    sys.dont_write_bytecode = True
    from recording.outcomes import of_command, same_surroundings

    same_surroundings()
    import toysearch

    if Path(toysearch.__file__).resolve().parents[1] != checkout:
        sys.exit(f"toysearch comes from {toysearch.__file__}, not from {checkout}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOYSEARCH_CACHE"] = folder
        for line in ("compare cat-dog-parrot --model bm25 --model dice", "explain cat-dog-parrot 1 --query cat --json"):
            of_command(line.split())


def _batches(inputs: Path, shared: Path) -> Iterator[object]:
    """All batches; the longest first where that is known."""
    from recording import file_calls, random_calls, wrong_functions
    from recording.inputs import blocks_of_pages, cases, sessions, texts_of_tests

    if (shared / "corpora").is_dir():
        yield from file_calls.readings_of(shared / "corpora", "shared/corpora")
    for name in ("corpora", "tests"):
        yield from file_calls.readings_of(inputs / name, name)
    yield from random_calls.batches(inputs)
    if (shared / "cases").is_dir():
        yield from file_calls.readings_of(shared / "cases", "shared/cases")
        yield from (file_calls.batch("cases", group) for group in cases(shared))
    yield from (file_calls.batch("texts of tests", group) for group in texts_of_tests(inputs))
    yield from (file_calls.batch("texts of pages", group) for group in blocks_of_pages(inputs))
    yield from (file_calls.session(name, text, inputs) for name, text in sessions(inputs))
    yield from wrong_functions.batches(inputs)


def _write(chosen: argparse.Namespace) -> tuple[Counter[str], int]:
    """Write the record; the number of lines of each part, and of batches that did not end."""
    from recording.batches import recorded

    inputs = chosen.inputs.resolve()
    shared = (chosen.shared or inputs.parent / "shared").resolve()
    batches = [each for each in _batches(inputs, shared) if re.search(chosen.only, f"{each.part}: {each.name}")]
    count: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, chosen.out.open("w", encoding="utf-8") as out:
        for lines in recorded(batches, chosen.workers, Path(folder)):
            for line in _numbered(lines):
                count[line["part"]] += 1
                failed += "died" in line
                out.write(json.dumps(line, sort_keys=True, ensure_ascii=False) + "\n")
    return count, failed


def _numbered(lines: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Lines of a batch, those of a call that was made before with their number."""
    seen: Counter[object] = Counter()
    for line in lines:
        seen[line["call"]] += 1
        yield {**line, "call": f"{line['call']} (again: {seen[line['call']]})"} if seen[line["call"]] > 1 else line


if __name__ == "__main__":
    main()
