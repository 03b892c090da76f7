"""Whatever a file holds, a terminal gets no control character of it."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.system, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")]

DRIVING = "\x1b[2J\x1b]0;owned\x07\x9b2J\x08\x7f\u202e\u2028"
JSON = '"' + "".join(f"\\u{ord(character):04x}" for character in DRIVING) + '"'
QRELS = {
    "qrels.txt": f"1{DRIVING} 0 d1 1\n1 0 d2{DRIVING} 0\n2 0 d1 1\n",
    "qrels.csv": f"query_id,doc_id,relevance\n1{DRIVING},d1,1\n2,d1,1\n".replace("\u2028", ""),
    "qrels.json": '{"1": {"d1": 1, ' + JSON + ': 0}, "2": {"d1": 1}}',
    "qrels.jsonl": '{"query_id": "1", "doc_id": ' + JSON + ', "relevance": 1}\n',
    "broken.txt": f"1 0 d1 {DRIVING}\n",
    "broken.json": '{"1": {"d1": ' + JSON + "}}",
    "broken.csv": f"query_id,doc_id,relevance\n1,d1,{DRIVING}\n",
}
RUNS = {
    "a.run": f"1{DRIVING} Q0 d1 1 0.5 tag{DRIVING}\n2 Q0 d2{DRIVING} 1 0.25 tag{DRIVING}\n",
    "b.run": '{"1": {"d1": 0.5, ' + JSON + ': 0.25}, "2": {"d3": 1}}',
    "c.run": f"1 Q0 d1 {DRIVING} {DRIVING} tag\n",
}
OTHERS = {
    "docs.jsonl": '{"id": ' + JSON + ', "title": "a cat ' + JSON[1:] + ', "text": "a dog ' + JSON[1:] + "}\n",
    "docs.csv": f'id,text\n"d{DRIVING}","a cat {DRIVING}"\n',
    "broken.jsonl": '{"id": "1", ' + JSON + ": }\n",
    "topics.txt": f"<top>\n<num> Number: {DRIVING}\n<{DRIVING}>\n</top>\n",
    "smart.txt": f".I 1\n.T\na cat {DRIVING}\n.Q{DRIVING}\nx\n",
    "stop.txt": f"cat{DRIVING} dog\n",
    "synonyms.txt": f"cat{DRIVING} => {DRIVING}\n=> =>\n",
    "collection.toml": f'name = "a"\n"{DRIVING}" = {DRIVING}\n',
}
COMMANDS = [
    *(["eval", "a.run", name] for name in QRELS),
    *(["eval", name, "qrels.txt", "--per-query"] for name in RUNS),
    *(["check", name, "qrels.txt"] for name in RUNS),
    *(["eval", name, "qrels.txt", "--format", "trec_eval", "-q"] for name in RUNS),
    ["compare", "a.run", "b.run", "--qrels", "qrels.txt"],
    ["judge", "pool", "a.run", "b.run", "-o", "pool.tsv"],
    ["fuse", "a.run", "b.run"],
    *(["search", name, "cat"] for name in OTHERS if "stop" not in name and "synonyms" not in name),
    ["check", "docs.jsonl"],
    ["corpora", "show", "docs.jsonl", "--sample"],
    ["show", "docs.jsonl"],
    ["explain", "docs.jsonl", "cat"],
    ["analyze", "a cat", "--analyzer", "plain:stop=stop.txt"],
    ["analyze", "a cat", "--analyzer", "plain:synonyms=synonyms.txt"],
    ["eval", "cat-dog-parrot", "--formula", f"tf{DRIVING}"],
    ["eval", "cat-dog-parrot", "--model", f"bm{DRIVING}"],
    ["eval", "cat-dog-parrot", "-m", f"AP{DRIVING}"],
]
ALL = """
import importlib, io, json, os, sys
from toysearch.cli import main

class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True

for arguments in json.load(sys.stdin):
    outs = [Terminal(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    sys.stdout, sys.stderr = outs
    sys.argv[1:] = arguments
    try:
        main.main()
    except SystemExit:
        pass
    print(json.dumps([out.buffer.getvalue().decode() for out in outs]), file=sys.__stdout__)
"""


@pytest.mark.waits
def test_no_control_character_reaches_a_terminal(tmp_path):
    import json

    for name, text in {**QRELS, **RUNS, **OTHERS}.items():
        (tmp_path / name).write_bytes(text.encode())
    done = subprocess.run(
        [sys.executable, "-c", ALL], input=json.dumps(COMMANDS), capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for arguments, outs in zip(COMMANDS, map(json.loads, done.stdout.splitlines()), strict=True):
        assert any(outs), arguments
        for out in outs:
            left = re.sub(r"\x1b\[[0-9;]*m|[\n\t]", "", out)
            bad = [character for character in left if not character.isprintable() and character not in "\xa0\ufeff"]
            assert (arguments, bad) == (arguments, [])
            assert "Traceback" not in out
