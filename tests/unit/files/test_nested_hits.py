"""Runs and judgments in nested JSON, as other programs write them: each layout × role × the ids of the other file."""

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shell import run as shell

from toysearch.base import ToysearchError
from toysearch.files import read_qrels, read_run
from toysearch.files.source import source_of

IDS = st.sampled_from(["q1", "q2", "a", "b", "d1", "", "0", "1"])
KEYS = IDS | st.sampled_from(["query_id", "id", "_id", "doc_id", "score", "rank", "relevance", "hits", "ids", "data"])
KEYS |= st.sampled_from(["columns", "index", "topics", "query_groups", "queries", "relevant_documents", "answer"])
LEAVES = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from([0.5, 1e999, 10**400]) | IDS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("nested")
    (path / "trec.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 b 1 2 x\n")
    (path / "trec.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    return path


@given(st.lists(VALUES, min_size=1, max_size=3))
@example([{"ids": [["a", "b"], ["a"]], "distances": [[0.5, 1], [2]]}])
@example([{"query_id": "q1", "ids": [["a", "b"]]}])
@example([{"topics": [{"query_groups": [{"relevant_documents": {"a": 1}, "queries": ["q1"]}]}]}])
def test_no_json_ends_in_a_traceback(folder, values):
    theirs = folder / "theirs.json"
    theirs.write_text("".join(json.dumps(value) + "\n" for value in values))
    for read, other in ((read_run, "trec.qrels"), (read_qrels, "trec.run")):
        for beside in ((), (source_of(folder / other),)):
            with contextlib.suppress(ToysearchError):
                read(replace(source_of(theirs), beside=beside))


ORDER = {"q1": ["a", "b", "c"], "q2": ["d", "e"]}
"""Best first."""
RELEVANT = {"q1": ["a", "c"], "q2": ["e"]}
AP = (1 / 1 + 2 / 3) / 2 / 2 + (1 / 2) / 2  # of q1 and q2
SCORES = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.9, "e": 0.8}


def lines(form, of=ORDER):
    return "".join(json.dumps({"query_id": query_id, **form(docs)}) + "\n" for query_id, docs in of.items())


def hits(path, hit, of=ORDER):
    """Lines with the query, and its hits on a path."""

    def form(docs):
        value = [hit(doc_id) for doc_id in docs]
        for key in reversed(path.split(".")):
            value = {key: value}
        return value

    return lines(form, of)


def by_query(form):
    return json.dumps({query_id: [form(doc_id) for doc_id in docs] for query_id, docs in ORDER.items()})


def groups():
    return {query_id: {doc_id: SCORES[doc_id] for doc_id in docs} for query_id, docs in ORDER.items()}


def pairs(form):
    """A line for each pair of a query and a document, with its judgment."""
    return "".join(json.dumps(form(q, d, d in RELEVANT[q])) + "\n" for q, docs in ORDER.items() for d in docs)


def nested_answer(query_id, docs):
    return {"meta": {"topic": query_id}, "found": {"docs": [{"item": {"id": doc_id}} for doc_id in docs]}}


def chroma(docs):
    return {"ids": [docs], "distances": [[1 - SCORES[doc_id] for doc_id in docs]], "metadatas": [[None] * len(docs)]}


RUNS = {
    "Chroma": lines(chroma),
    "KILT": lines(lambda docs: {"output": [{"answer": "x", "provenance": [{"wikipedia_id": one} for one in docs]}]}),
    "LangChain": hits("retrieved_docs", lambda one: {"page_content": "tall", "metadata": {"id": one}}),
    "LangChain with scores": by_query(lambda one: [{"page_content": "tall", "metadata": {"id": one}}, SCORES[one]]),
    "LlamaIndex": by_query(lambda one: {"node": {"id_": one, "text": "tall"}, "score": SCORES[one]}),
    "Pinecone": hits("matches", lambda one: {"id": one, "score": SCORES[one], "values": [0.1, 0.2]}),
    "Qdrant": hits("result.points", lambda one: {"id": one, "version": 3, "score": SCORES[one]}),
    "Qdrant, ids in the payload": hits(
        "points", lambda one: {"id": f"5f-{one}", "score": SCORES[one], "payload": {"doc_id": one}}
    ),
    "Haystack": hits("documents", lambda one: {"id": f"5f-{one}", "meta": {"doc_id": one}, "score": SCORES[one]}),
    "Weaviate": hits(
        "data.Get.Tree", lambda one: {"name": "tall", "_additional": {"id": one, "distance": 1 - SCORES[one]}}
    ),
    "Algolia": hits("hits", lambda one: {"objectID": one, "name": "tall"}),
    "Vespa": hits("root.children", lambda one: {"id": one, "relevance": SCORES[one], "fields": {"name": "tall"}}),
    "Vespa by query": json.dumps(
        {
            query_id: {"root": {"id": "top", "children": [{"id": one, "relevance": SCORES[one]} for one in docs]}}
            for query_id, docs in ORDER.items()
        }
    ),
    "Elasticsearch": hits("response.hits.hits", lambda one: {"_id": one, "_score": SCORES[one]}),
    "MTEB": json.dumps({"mteb_model_meta": {"name": "m", "size": 3}, "default": {"test": groups()}}),
    "DPR": hits("ctxs", lambda one: {"id": one, "text": "tall", "score": str(SCORES[one]), "has_answer": False}),
    "one system": json.dumps({"bm25": groups()}),
    "lists of lists": json.dumps({query_id: [[one] for one in docs] for query_id, docs in ORDER.items()}),
    "distances beside ids, in no order": lines(
        lambda docs: {
            "ids": [docs[1], docs[0], *docs[2:]],
            "distances": [1 - SCORES[one] for one in (docs[1], docs[0], *docs[2:])],
        }
    ),
    "a list in objects": json.dumps({"exp": {"answers": [nested_answer(*each) for each in ORDER.items()]}}),
}
QRELS = {
    "DPR": lines(
        lambda docs: {
            "positive_ctxs": [{"passage_id": one, "score": 0, "title_score": 1} for one in docs if one in "ace"],
            "negative_ctxs": [{"passage_id": one, "score": 0, "title_score": 1} for one in docs if one not in "ace"],
        }
    ),
    "KILT": lines(lambda docs: {"output": [{"provenance": [{"wikipedia_id": one}]} for one in docs]}, RELEVANT),
    "LangChain": hits("expected", lambda one: {"page_content": "tall", "metadata": {"id": one}}, RELEVANT),
    "LlamaIndex": by_query(lambda one: {"node": {"id_": one}, "relevance": int(one in "ace")}),
    "MTEB": json.dumps({"rev": 1, "default": {"test": {q: dict.fromkeys(docs, 1) for q, docs in RELEVANT.items()}}}),
    "pairs of objects": pairs(lambda q, d, is_good: {"topic": {"id": q}, "doc": {"id": d, "grade": int(is_good)}}),
}
WITH_PATHS = {
    "Label Studio": (
        json.dumps(
            [
                {
                    "id": 7,
                    "annotations": [{"result": [{"value": {"choices": ["good" if one in RELEVANT[q] else "bad"]}}]}],
                    "data": {"query_id": q, "doc_id": one},
                }
                for q, docs in ORDER.items()
                for one in docs
            ]
        ),
        "query=data.query_id,doc=data.doc_id,grade=annotations.result.value.choices",
    ),
    "Prodigy": (
        pairs(lambda q, d, is_good: {"meta": {"query_id": q, "doc_id": d}, "answer": "good" if is_good else "bad"}),
        "query=meta.query_id,doc=meta.doc_id,grade=answer",
    ),
    "Argilla": (
        pairs(
            lambda q, d, is_good: {
                "metadata": {"query_id": q, "doc_id": d},
                "responses": [{"values": {"relevance": {"value": "good" if is_good else "bad"}}}],
            }
        ),
        "query=metadata.query_id,doc=metadata.doc_id,grade=responses.values.relevance.value",
    ),
}


def evaluated(folder, role, text, *options):
    """The AP of the file beside the other one, or what is said instead."""
    (folder / "theirs.json").write_text(text)
    (folder / "order.run").write_text(
        "".join(f"{q} Q0 {d} 1 {SCORES[d]} x\n" for q, docs in ORDER.items() for d in docs)
    )
    (folder / "good.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, docs in RELEVANT.items() for d in docs))
    theirs = folder / "theirs.json"
    files = [theirs, folder / "good.qrels"] if role == "run" else [folder / "order.run", "--qrels", theirs]
    result = shell("eval", *files, "-m", "AP", "--tsv", *options)
    return float(result.stdout.splitlines()[-1].split("\t")[1]) if result.exit_code == 0 else result.stderr


@pytest.mark.parametrize("layout", WITH_PATHS)
def test_options_name_keys_by_points(folder, layout):
    text, columns = WITH_PATHS[layout]
    assert evaluated(folder, "qrels", text, "--qrels-columns", columns, "--grades", "good=1,bad=0") == pytest.approx(AP)


def test_a_missing_key_is_answered_with_the_nested_ones(folder):
    said = evaluated(
        folder, "run", hits("docs", lambda one: {"meta": {"id": one}}), "--run-columns", "doc=docs.meta.ids"
    )
    assert "unknown key 'docs.meta.ids'; did you mean 'docs.meta.id'?" in said


DENSE = {query_id: sorted(docs, reverse=True) for query_id, docs in ORDER.items()}  # c b a, e d
SYSTEMS = {
    "numbers": lambda of: {q: {d: len(docs) - place for place, d in enumerate(docs)} for q, docs in of.items()},
    "lists": lambda of: of,
    "pairs": lambda of: {q: [[d, -place] for place, d in enumerate(docs)] for q, docs in of.items()},
    "objects": lambda of: {q: [{"node": {"id_": d}} for d in docs] for q, docs in of.items()},
}
