"""Tools by the Model Context Protocol: each answer is that of the function, and whatever is wrong is one sentence."""

from __future__ import annotations

import json

import pytest
from shell import refusal

import toysearch
from toysearch.laboratory import Study
from toysearch.page.tool_server import TOOLS, VERSIONS, answers

STUDIES = {"pets": Study.of("cat-dog-parrot"), "more": Study.of("companions", named_fields=None)}


def asked(method, **parameters):
    [line] = answers(STUDIES, [json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": parameters})])
    assert "\n" not in line
    reply = json.loads(line)
    assert (reply.pop("jsonrpc"), reply.pop("id")) == ("2.0", 7)
    return reply


def call(name, **arguments):
    result = asked("tools/call", name=name, arguments=arguments)["result"]
    [content] = result["content"]
    if result.get("isError"):
        return content["text"]
    assert json.loads(content["text"]) == result["structuredContent"]
    return result["structuredContent"]


def test_it_agrees_on_a_version_of_the_protocol():
    for version, expected in ((VERSIONS[2], VERSIONS[2]), ("1999-01-01", VERSIONS[0])):
        result = asked("initialize", protocolVersion=version, capabilities={}, clientInfo={})["result"]
        assert result["protocolVersion"] == expected
        assert result["capabilities"] == {"tools": {}}
        assert result["serverInfo"] == {"name": "toysearch", "version": toysearch.__version__}


def test_the_schemas_are_those_of_the_signatures():
    tools = {tool["name"]: tool for tool in asked("tools/list")["result"]["tools"]}
    assert [*tools] == [*TOOLS]
    assert tools["compare"]["inputSchema"]["properties"]["models"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "Two models or more; the others are tested against the first.",
    }
    for tool in tools.values():
        schema = tool["inputSchema"]
        assert schema["properties"]["source"]["enum"] == ["pets", "more"]
        assert all(part["description"] for part in schema["properties"].values())
        assert tool["annotations"]["readOnlyHint"]


def test_the_answers_are_those_of_the_functions():
    searcher = toysearch.Searcher("cat-dog-parrot", "tfidf")
    results = call("search", text="train cat", model="tfidf", k=2)["results"]
    ranking = searcher.search("train cat", 2)
    assert [(row["doc_id"], row["score"]) for row in results] == [(hit.doc_id, hit.score) for hit in ranking]
    assert [row["doc_id"] for row in call("search", text="dog", where="topic = health", k=1, source="more")["results"]]
    tree = toysearch.explain(searcher, "train cat", "1")
    assert call("explain", text="train cat", doc_id="1", model="tfidf")["value"] == tree.data()["value"]
    means = call("evaluate", measures="AP RR")["means"]
    evaluation = toysearch.evaluate(STUDIES["pets"].run("bm25"), "cat-dog-parrot", "AP RR")
    assert means == {"AP": evaluation["AP"], "RR": evaluation["RR"]}
    assert call("search", text="zebra") == {
        "results": [],
        "notes": ["no document contains a term of the query (zebra)"],
    }
    compared = call("compare", models=["bm25", "tfidf"], measures="AP")
    expected = toysearch.compare(["bm25", "tfidf"], "cat-dog-parrot", "AP").means["AP"]
    assert compared["measures"][0]["means"] == expected


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search", {}, "search needs text"),
        ("search", {"text": 1}, "text must be a text, not an int"),
        ("search", {"text": "cat", "source": ["pets"]}, "source must be a text, not a list"),
        ("search", {"text": "cat", "k": "2"}, "k must be a whole number, not a str"),
        ("compare", {"models": 5}, "models must be a list of texts, not an int"),
        ("compare", {"models": "bm25"}, "models must be a list of texts, not a str"),
        ("compare", {"models": [1, 2]}, "models must be a list of str, not a list of int"),
        ("search", {"text": "cat", "k": 0}, "k must be from 1 to 100, not 0"),
        ("search", {"text": "cat", "modle": "bm25"}, "unknown argument 'modle'; did you mean 'model'?"),
        ("search", {"text": "cat", "study": "bm25"}, "unknown argument 'study'"),
        ("search", {"text": "cat", "source": "/etc"}, "unknown source '/etc'"),
        (
            "search",
            {"text": "cat", "model": "x.py:f"},
            "'x.py:f' names a file with code, which is not run for a client",
        ),
        ("evaluate", {"measures": "x.py:f@3"}, "'x.py:f@3' names a file with code, which is not run for a client"),
        ("compare", {"models": ["bm25", "a.PY:f"]}, "'a.PY:f' names a file with code, which is not run for a client"),
        ("explain", {"text": "cat", "doc_id": "9"}, "the index has no document '9'"),
        ("evaluate", {"measures": "AQ"}, "unknown measure 'AQ'; did you mean 'Q'?"),
    ],
)
def test_what_is_refused_is_a_result_of_one_sentence(name, arguments, sentence):
    text = call(name, **arguments)
    assert text.startswith(sentence)
    assert "\n" not in text


def test_what_is_not_of_the_protocol_is_an_error():
    assert asked("prompts/list") == {"error": {"code": -32601, "message": "there is no method 'prompts/list'"}}
    message = "expected one of the tools search, explain, evaluate, compare, found 'delete'"
    assert asked("tools/call", name="delete") == {"error": {"code": -32602, "message": message}}
    assert asked("tools/call", name=["search"])["error"]["code"] == -32602
    broken = ["{", "[]", '{"id": 1}', '{"id": 1, "method": "ping", "params": [1]}', "[" * 5000]
    codes = [json.loads(line)["error"]["code"] for line in answers(STUDIES, broken)]
    assert codes == [-32700, -32600, -32600, -32602, -32700]
    assert [*answers(STUDIES, ["\n", '{"method": "notifications/initialized"}'])] == []


def test_a_session_by_hand():
    """Requests, a batch, notifications, responses, as a client of version 2025-03-26 may send them, and odd ids."""
    session = [
        b'{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}\r\n',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"method": "notifications/cancelled"}, 5]\n',
        b'[{"jsonrpc": "2.0", "method": "notifications/cancelled"}]\n',
        b'{"jsonrpc": "2.0", "id": 3, "result": {}}\n',
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}\n',
        b'{"id": 2, "method": "tools/call", "params": {"name": "search", "arguments": {"text": "train", "k": 2.0}}}',
    ]
    first, batch, *refused, last = map(json.loads, answers(STUDIES, session))
    assert (first["id"], first["result"]["protocolVersion"]) == ("a", "2025-03-26")
    assert [part.get("result", part.get("error", {}).get("code")) for part in batch] == [{}, -32600]
    assert [one["error"]["code"] for one in refused] == [-32700, -32600, -32600, -32600]
    assert all(one["id"] is None for one in refused)
    assert len(last["result"]["structuredContent"]["results"]) == 2


def test_options_of_the_page_are_refused():
    message = "--mcp opens no page; leave out its options, and --model: a client names the models"
    assert refusal("serve", "cat-dog-parrot", "--mcp", "--port", "1").endswith(message)
    assert refusal("serve", "cat-dog-parrot", "--mcp", "--model", "bm25").endswith(message)
