"""`toysearch retrievability`: what is printed and refused; values: tests/oracles."""

from __future__ import annotations

import json

import pytest
import shell


def test_the_own_queries_leave_documents_unfound():
    shown = shell.done("retrievability", "cat-dog-parrot", "--ask", "own", "-k", "1")
    [line] = [line for line in shown.stdout.splitlines() if line.startswith("never found by bm25: ")]
    found = json.loads(shell.done("retrievability", "cat-dog-parrot", "--ask", "own", "-k", "1", "--json").stdout)
    [system] = found["systems"]
    assert line == f"never found by bm25: {', '.join(system['never'])}"
    assert (found["kind"], found["n"], found["documents"]) == ("queries", 3, 4)
    assert sum(system["counts"]) == 3
    assert system["lorenz"][0] == 0
    assert system["lorenz"][-1] == 1


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        ("a cat", ("--ask", "own"), "has no queries; give some with --queries, or leave out --ask own"),
        ("a cat", (), "there are no queries: no bigrams occur twice in the documents"),
    ],
)
def test_what_is_refused(tmp_path, text, arguments, told):
    (tmp_path / "texts.jsonl").write_text(json.dumps({"id": "1", "text": text}) + "\n")
    assert told in " ".join(shell.refusal("retrievability", tmp_path / "texts.jsonl", *arguments).split())
