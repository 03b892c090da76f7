"""A client over a pipe: standard output holds answers and nothing else, and the end of the input ends the program."""

from __future__ import annotations

import json
import subprocess
import sys


def test_a_client_starts_the_program_and_asks():
    messages = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "search", "arguments": {"text": "wörd cat"}}},
        {"id": 4, "method": "tools/call", "params": {"name": "search", "arguments": {"text": "cat", "k": 1000}}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n" for message in messages)
    command = [sys.executable, "-m", "toysearch", "serve", "cat-dog-parrot", "--mcp"]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, timeout=60)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [reply["id"] for reply in replies] == [1, 2, 3, 4]
    assert replies[0]["result"]["serverInfo"]["name"] == "toysearch"
    assert [tool["name"] for tool in replies[1]["result"]["tools"]] == ["search", "explain", "evaluate", "compare"]
    assert {row["doc_id"] for row in replies[2]["result"]["structuredContent"]["results"]} == {"1"}
    assert replies[3]["result"] == {
        "content": [{"type": "text", "text": "k must be from 1 to 100, not 1000"}],
        "isError": True,
    }
