"""Any value in any name of any view, read and written: an answer or a sentence, and never a mistake of the program."""

import json
import random

import pytest
from page_client import client, of_documents
from tiers import EVERYTHING

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.page.access import HEADERS, TOKEN_HEADER
from toysearch.page.application import VIEWS, WRITES
from toysearch.page.judging_rules import Judging
from toysearch.page.thumbs import Thumbs
from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog

pytestmark = pytest.mark.system

_TIMES = 100 if EVERYTHING else 8  # for each view, way and kind of judging
NAMES = ["q", "topic", "model", "query", "k", "doc", "save", "of", "a", "b", "f", "measure", "sort", "all"]
NAMES += ["tip", "case", "unjudged"]
NAMES += ["depends", "judge", "key", "to", "rule", "start", "grade", "reason", "action", "name", "comparison", "id"]
NAMES += ["content", "thumb", "search", "voter", "every hit", "p.k1", "p.b", "p.a.b", "of.a", "of.doc", "f.colour"]
NAMES += ["f.", "", "\x00", "page"]
VALUES = ["", " ", "cat", "d1", "q1", "0", "1", "-1", "1e309", "nan", "9" * 400, "²", "१", "\x00", "\ud800"]
VALUES += ["\u202e", "a" * 9999, '"', '"cat', "(((", ")" * 300, "*", "/.*/", "/(a+)+$/", "*a*a*a*a*a*x", "cat AND"]
VALUES += ["NOT", "-cat", "+cat +", "date:1", "title:cat", "text:/c.t/", "[1 TO 2]", "d:[* TO", "cat^9e999", "cat~9"]
VALUES += ['"cat dog"~99999999', "cat\ndog", "cat/" * 99, "bm25", "bm25:b=2", "bm25:k1=1e400", "bm25:b=nan"]
VALUES += ["bm25:b=", "bm25:", "rm3(bm25)", "rm3(" * 50, "0.5*bm25+", "bm25*0", "formula:1/0"]
VALUES += ["formula:__import__('os')", "mine.py:rank", "/etc/passwd", "../../x", "lsa:2", "lsa:-1", "dense:x.npy"]
VALUES += ["learned:x", "sdm(bm25)", "AP", "P@0", "P@-1", "nDCG@99999999999999999999", "P(rel=x)@5", "AP,AP,AP"]
VALUES += ["," * 99, "RBP(p=2)", "lenient", "strict", "plain", "grade", "skip", "undo", "settle", "save", "rename"]
VALUES += ["remove", "restore", "open", "close", "left", "right", "tie", "up", "down", "lists", "thumbs", "qrels"]
VALUES += ["csv", "ratings", "sheet", "book", "log", "majority", "mean", "ada", "settles", "key-of-ada"]
VALUES += ["<script>alert(1)</script>", "{{7*7}}", "%s%n", "%", "a=bm25&b=dph", "/own/compare?a=bm25&b=dph", "?" * 50]
VALUES += ["1 0 d1 1\n", '{"judge": 1}', '{"a":' * 500, "query,docid,rating\ncat,d1,1\n"]


@pytest.fixture(scope="module", params=["anybody judges", "judges are named"])
def asked(request, tmp_path_factory):
    """A page with everything that a collection can have."""
    folder = tmp_path_factory.mktemp("any")
    fields = [{"text": f"cat {'dog ' * n}", "colour": "red" if n % 2 else "tan"} for n in range(1, 8)]
    documents = [Document(f"d{n}", each["text"], f"cat {n}", each) for n, each in enumerate(fields, 1)]
    queries = [Query("q1", "cat"), Query("q2", "dog")]
    qrels = Qrels.from_dict({"q1": {"d1": 2}, "q2": {"d2": 1, "d3": 0}})
    source = of_documents(documents, "pets", queries, qrels)
    texts = {query.query_id: query.text for query in queries}
    models = [toysearch.MODELS["bm25"], toysearch.MODELS["overlap"]]
    keys = {"ada": "key-of-ada"} if request.param == "judges are named" else {}
    logs = JudgmentLog(folder / "log.jsonl"), JudgmentLog(folder / "d.jsonl"), VoteLog(folder / "votes.jsonl")
    with logs[0] as log, logs[1] as decisions, logs[2] as votes:
        source.judging = Judging(source.index, texts, log, decisions, models, keys=keys, settling_key="settles")
        source.thumbs = Thumbs(texts, votes, "key")
        yield client(source)


def encodable(text):
    """A text as a browser could send it."""
    return text.encode("utf-8", "replace").decode()


def values(chance):
    """Names and values at random; half of them belong together."""
    pairs = {chance.choice(NAMES): encodable(chance.choice(VALUES)) for _ in range(chance.randrange(6))}
    usual = {"q": "cat", "topic": "q1", "doc": "d1", "judge": "ada", "key": chance.choice(["settles", "key-of-ada"])}
    return {name: text for name, text in usual.items() if chance.random() < 0.5} | pairs


READ = [(view, way) for view in VIEWS for way in ("page", "json", "part")]
WRITTEN = [(view, "post") for view in WRITES if view in VIEWS]


@pytest.mark.parametrize(("view", "way"), READ + WRITTEN)
def test_any_value_gives_an_answer_or_a_sentence(asked, view, way):
    chance = random.Random(f"{view} {way}")
    for _ in range(_TIMES):
        pairs, address = values(chance), f"/own/{view}{'.json' if way == 'json' else ''}"
        if way == "post":
            token = {TOKEN_HEADER: asked.app._write_token}
            accept = {"accept": "application/json"} if chance.random() < 0.5 else {}
            reply = asked.post(address, data=pairs, headers=token | accept)
        else:
            reply = asked.get(address, params=pairs, headers={"x-toysearch-part": "1"} if way == "part" else {})
        assert reply.status_code in (200, 303, 400, 403), (view, way, pairs, reply.text[-500:])
        assert {name: reply.headers[name] for name in HEADERS} == HEADERS
        assert "Traceback" not in reply.text
        kind = reply.headers.get("content-type", "")
        assert "<script>alert" not in reply.text or "json" in kind or "text/plain" in kind
        if kind == "application/json":
            json.loads(reply.text)
