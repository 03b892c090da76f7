"""The tools of `toysearch serve --mcp` for a program with a language model: search, explain, evaluate, compare.

The Model Context Protocol over standard input and output is JSON-RPC 2.0, one message per line. Four methods are all
that tools need. The package `mcp` was looked at: it brings pydantic, cryptography, an HTTP client and telemetry, none
of which a program without a network needs.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, get_origin

import toysearch
from toysearch.base import ArgumentError, ToysearchError, a, checked, collected_notes, expect_name, records
from toysearch.cli import type_of
from toysearch.laboratory import Study, render

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of the protocol in which these methods are alike, the newest first."""

_MOST = 100  # documents that a search returns
_KINDS = {str: {"type": "string"}, int: {"type": "integer"}}
_TYPES = {"string": (str, "a text"), "integer": (int, "a whole number"), "array": (list, "a list of texts")}
_LIST = {"type": "array", "items": {"type": "string"}}
_HELPS = {
    "text": 'Query, in the language of queries: words, "a phrase", +must, -not.',
    "doc_id": "Document, as a search names it.",
    "model": "Ranking model, such as bm25:b=0.4 or lm-dirichlet.",
    "models": "Two models or more; the others are tested against the first.",
    "k": f"Number of documents, at most {_MOST}.",
    "where": "Condition on fields that documents have to fulfil, such as: price < 50 and brand = dyson.",
    "measures": "Measures, separated by blanks.",
}
_INVALID, _NO_METHOD, _WRONG, _BROKEN = -32600, -32601, -32602, -32700


@checked
def search(study: Study, text: str, *, model: str = "bm25", k: int = 10, where: str | None = None) -> Any:
    """Search the documents, best first."""
    if not 1 <= k <= _MOST:
        raise ArgumentError(f"k must be from 1 to {_MOST}, not {k}")
    ranking = toysearch.Searcher(study.index, model).search(text, k, where=where)
    return {"results": records(ranking.tables()[0])}


@checked
def explain(study: Study, text: str, doc_id: str, *, model: str = "bm25") -> Any:
    """Take the score of a document for a query apart: each term, its statistics, and the formula."""
    return toysearch.explain(toysearch.Searcher(study.index, model), text, doc_id).data()


@checked
def evaluate(study: Study, *, model: str = "bm25", measures: str = "AP nDCG@10 P@10") -> Any:
    """Score a model by the relevance judgments of the collection: means, and values per query."""
    judged = study.with_(models=[model])
    evaluation = toysearch.evaluate(judged.run(model), judged.qrels, measures, threshold=judged.threshold)
    means = {str(measure): evaluation[str(measure)] for measure in evaluation.measures}
    return {"model": evaluation.name, "threshold": evaluation.threshold, "means": means} | {
        "per_query": evaluation.per_query
    }


@checked
def compare(study: Study, models: list[str], *, measures: str = "AP nDCG@10 P@10") -> Any:
    """Compare models on the judged queries of the collection: which is better, and what could be chance."""
    return toysearch.compare(models, study, measures).data()


TOOLS: dict[str, Callable[..., Any]] = {tool.__name__: tool for tool in (search, explain, evaluate, compare)}
"""The tools by name; each takes a study, and further arguments from the client."""


def described(tool: Callable[..., Any], sources: Iterable[str]) -> dict[str, Any]:
    """A tool for `tools/list`: its text is its docstring, its schema its signature.

    >>> tool = described(explain, ["companions"])
    >>> tool["inputSchema"]["required"], [*tool["inputSchema"]["properties"]]
    (['text', 'doc_id'], ['text', 'doc_id', 'model', 'source'])
    """
    properties: dict[str, Any] = {}
    _, *parameters = inspect.signature(tool).parameters.values()
    for parameter in parameters:
        kind = type_of(parameter, tool)
        schema = {**(_LIST if get_origin(kind) is list else _KINDS[kind]), "description": _HELPS[parameter.name]}
        has_default = parameter.default not in (parameter.empty, None)
        properties[parameter.name] = {**schema, **({"default": parameter.default} if has_default else {})}
    properties["source"] = {"type": "string", "enum": [*sources], "description": "The documents."}
    return {
        "name": tool.__name__,
        "description": inspect.getdoc(tool),
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": [parameter.name for parameter in parameters if parameter.default is parameter.empty],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


def called(studies: Mapping[str, Study], name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool for `tools/call`; what is refused is a result too, of one sentence."""
    try:
        tool, schema = TOOLS[name], described(TOOLS[name], studies)["inputSchema"]
        for argument, value in arguments.items():
            expect_name("argument", argument, schema["properties"])
            kind, expected = _TYPES[schema["properties"][argument]["type"]]
            if kind is int and isinstance(value, float) and value.is_integer():  # 2.0 is an integer of JSON Schema
                arguments[argument] = int(value)
            elif not isinstance(value, kind):
                raise ArgumentError(f"{argument} must be {expected}, not {a(value)}")
        if missing := [one for one in schema["required"] if one not in arguments]:
            raise ArgumentError(f"{name} needs {' and '.join(missing)}")
        source = arguments.pop("source", next(iter(studies)))
        expect_name("source", source, studies)
        for text in (arguments.get("model"), arguments.get("measures"), *(arguments.get("models") or ())):
            if isinstance(text, str) and ".py" in text.lower():  # who asks may be a program that has read anything
                raise ArgumentError(f"'{text}' names a file with code, which is not run for a client of MCP")
        with collected_notes() as notes:
            data = json.loads(render([], [], "json", data=tool(studies[source], **arguments)))
        data |= {"notes": [str(remark) for remark in notes]} if notes else {}
    except ToysearchError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(data, ensure_ascii=False)}], "structuredContent": data}


def answer(studies: Mapping[str, Study], message: Any) -> dict[str, Any] | None:
    """The answer to a message; None for a notification or a response, which get none."""
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        is_response = isinstance(message, dict) and not message.keys().isdisjoint(("result", "error"))
        return None if is_response else _failure(None, _INVALID, "expected a JSON-RPC request with a method")
    if "id" not in message:
        return None
    if isinstance(message["id"], bool) or not isinstance(message["id"], str | int):
        return _failure(None, _INVALID, "expected an id that is a text or a whole number")
    method, parameters = message["method"], message.get("params") or {}
    result: dict[str, Any] = {}
    if not isinstance(parameters, dict):
        return _failure(message["id"], _WRONG, "expected params as an object")
    if method == "initialize":
        wanted = parameters.get("protocolVersion")
        about = {"name": "toysearch", "version": toysearch.__version__}
        version = wanted if wanted in VERSIONS else VERSIONS[0]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    elif method == "tools/list":
        result = {"tools": [described(tool, studies) for tool in TOOLS.values()]}
    elif method == "tools/call":
        name, arguments = parameters.get("name"), parameters.get("arguments") or {}
        if not (isinstance(name, str) and name in TOOLS and isinstance(arguments, dict)):
            return _failure(message["id"], _WRONG, f"expected one of the tools {', '.join(TOOLS)}, found '{name}'")
        result = called(studies, name, {**arguments})
    elif method != "ping":
        return _failure(message["id"], _NO_METHOD, f"there is no method '{method}'")
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _failure(number: Any, code: int, sentence: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": sentence}}


def answers(studies: Mapping[str, Study], lines: Iterable[str | bytes]) -> Iterator[str]:
    """The answers to messages, one line each.

    >>> [*answers({}, ['{"jsonrpc": "2.0", "id": 1, "method": "ping"}', '{"method": "notifications/initialized"}'])]
    ['{"jsonrpc": "2.0", "id": 1, "result": {}}']
    """
    for line in (line for line in lines if line.strip()):
        try:
            message = json.loads(line, parse_constant=int)  # NaN is not JSON, and int refuses it
        except (ValueError, RecursionError):
            reply: Any = _failure(None, _BROKEN, "expected one JSON object per line")
        else:
            if isinstance(message, list) and message:  # a batch, which version 2025-03-26 has
                reply = [one for one in (answer(studies, part) for part in message) if one is not None] or None
            else:
                reply = answer(studies, message)
        if reply is not None:
            yield json.dumps(reply, ensure_ascii=False)


def speak(studies: Mapping[str, Study], read: BinaryIO, write: BinaryIO) -> None:
    """Answer until the input ends; whatever else is printed meanwhile goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        for line in answers(studies, read):
            write.write(line.encode(errors="replace") + b"\n")
            write.flush()
