"""Compares two records: the calls whose answers differ, in groups by how they differ."""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

Line = dict[str, Any]
KEY = ("part", "case", "call")


def read(path: Path) -> dict[tuple[str, ...], Line]:
    """The lines of a record by part, case and call."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {tuple(line[name] for name in KEY): line for line in lines}


def kind(before: Line, after: Line) -> str:
    """How two answers to the same call differ, in one sentence."""
    if {"died", "crash"} & {*after} - {*before}:
        return "A crash that there was not"
    exits = before.get("exit", 0), after.get("exit", 0)
    if exits[0] != exits[1]:
        return {(0, 2): "An answer became a question or a refusal", (2, 0): "A question became an answer"}.get(
            exits, f"Exit code {exits[0]} became {exits[1]}"
        )
    if ("error" in before) != ("error" in after):
        return "Python refuses what it read" if "error" in after else "Python reads what it refused"
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if changed == ["verdict"] or ("verdict" in changed and after.get("verdict") == "other"):
        return f"A rewritten file: {before.get('verdict')} became {after.get('verdict')}"
    if {*changed} <= {"said", "notes", "remarks", "error", "type"}:
        return "Only the words of notes or refusals"
    if changed == ["stdout"] and _words(before) == _words(after):
        return "The same words with other numbers"
    return "Another answer: " + ", ".join(changed)


def _words(line: Line) -> str:
    """What a call prints, without numbers."""
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", json.dumps(line.get("stdout")))


def groups(before: dict[tuple[str, ...], Line], after: dict[tuple[str, ...], Line]) -> dict[str, list[tuple[str, ...]]]:
    """The keys of calls that differ, by how."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for key in sorted({*before, *after}):
        if key not in after or key not in before:
            found["Only in the first record" if key in before else "Only in the second record"].append(key)
        elif before[key] != after[key]:
            found[f"{key[0]}: {kind(before[key], after[key])}"].append(key)
    return dict(sorted(found.items(), key=lambda group: (-len(group[1]), group[0])))


def main(arguments: list[str]) -> None:
    """Print the groups, the largest first, with some calls of each; exit code 1 if there is one."""
    parser = argparse.ArgumentParser(prog="record.py compare", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--show", type=int, default=3, help="number of calls that are shown of a group (default: 3)")
    parser.add_argument("--part", default="", help="only the groups whose name matches this pattern")
    chosen = parser.parse_args(arguments)
    before, after = read(chosen.before), read(chosen.after)
    found = groups(before, after)
    print(f"{len(before)} and {len(after)} calls, {sum(map(len, found.values()))} differ")
    for name, keys in found.items():
        if re.search(chosen.part, name):
            print(f"\n{len(keys)} × {name}")
            for key in keys[: chosen.show]:
                print(f"  {key[1]} | {key[2]}")
                _print(before.get(key, {}), after.get(key, {}))
    raise SystemExit(bool(found))


def _print(before: Line, after: Line) -> None:
    """Print what differs in two lines."""
    for name in sorted({*before, *after} - {*KEY}):
        if before.get(name) != after.get(name):
            print(f"    - {name}: {json.dumps(before.get(name), ensure_ascii=False)[:300]}")
            print(f"    + {name}: {json.dumps(after.get(name), ensure_ascii=False)[:300]}")
