"""A page on which a small collection is judged, asked in this process."""

import re

import pytest
from page_client import client, of_documents

import toysearch
from toysearch.base import Document, Query
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.judging_rules import Judging, JudgingRules
from toysearch.workbench.judging.judgment_log import JudgmentLog

TestClient = pytest.importorskip("starlette.testclient").TestClient

TITLES = ["cat", "cat and dog", "dog", "a cat's <b>cat</b>", 'the "cat", again', "parrot"]
QUERIES = {"q1": "cat", 'q"2': "dog", "q3": "fish"}
MODELS = [toysearch.MODELS["bm25"], toysearch.MODELS["cosine"]]


def judging_client(path, keys=None, models=MODELS, source=None, **settings) -> TestClient:
    """The page of a small collection, on which grades go to a file."""
    documents = [Document(f"d,{n}", f"{title} text", title, {"text": title}) for n, title in enumerate(TITLES, 1)]
    source = source or of_documents(documents, "pets", [Query(*each) for each in QUERIES.items()])
    queries = {query.query_id: query.text for query in source.collection.queries}
    log = JudgmentLog(path)
    decisions = JudgmentLog(path.with_suffix(".decisions.jsonl"))
    source.judging = Judging(
        source.index, queries, log, decisions, models, JudgingRules(**settings), keys=keys, settling_key="settles"
    )
    asked = client(source)
    asked.log, asked.decisions, asked.index = log, decisions, source.index
    page = asked.get("/own/search").text
    asked.headers[TOKEN_HEADER] = re.search(r'name="toysearch-token" content="([^"]+)"', page)[1]
    return asked


def post_grade(asked, status=200, **form):
    reply = asked.post("/own/judge.json", data={"judge": "ada", "topic": "q1"} | form)
    assert reply.status_code == status, reply.text
    return reply.json()


def logged_grades(path):
    """The grades of a log: judge, query, document, grade."""
    with JudgmentLog(path, append=False) as log:
        return {given[1:5] for given in log}
