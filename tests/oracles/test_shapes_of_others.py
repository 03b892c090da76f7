"""Dicts, frames and files in the shapes that other tools document, with values worked out on paper.

The shapes are those in the documentation of pytrec_eval, ranx, ir_measures, PyTerrier and BEIR; the data are our own. A
value is the mean over the judged queries, by the paper beside it, and by trec_eval's code where pytrec_eval is there.
"""

import json
import math
from collections import namedtuple

import pytest
from shell import done, json_of
from stand_in_frames import Frame

import toysearch

QRELS = {"q1": {"d1": 1, "d2": 0, "d4": 1}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 0.9, "d2": 0.7, "d4": 0.4}, "q2": {"d1": 1.8, "d2": 1.5, "d3": 1.1}}
"""q1: relevant at the ranks 1 and 3; q2: at the ranks 2 and 3."""
AP = ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2
RR = (1 + 1 / 2) / 2
P2 = (1 / 2 + 1 / 2) / 2
IDEAL = 1 + 1 / math.log2(3)
NDCG = ((1 + 1 / 2) / IDEAL + (1 / math.log2(3) + 1 / 2) / IDEAL) / 2
BINARY = {"AP": AP, "RR": RR, "P@2": P2, "nDCG": NDCG}

GRADED = {"q1": {"d1": 3, "d2": 0, "d4": 1}, "q2": {"d2": 2, "d3": 1}}
OF_GRADES = {"nDCG": ((3 + 1 / 2) / (3 + 1 / math.log2(3)) + (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))) / 2}
OF_GRADES |= {"AP": AP}

Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"], defaults=["0"])
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])


def rows(values):
    """The rows of a dict of dicts."""
    return [(query_id, doc_id, value) for query_id, of_query in values.items() for doc_id, value in of_query.items()]


def columns(values):
    """The columns of a dict of dicts."""
    return [[*column] for column in zip(*rows(values), strict=True)]


def frame(values, query_id, doc_id, value, **more):
    """A frame with the names that a tool gives its columns."""
    return Frame(**dict(zip((query_id, doc_id, value), columns(values), strict=True)), **more)


RANKS = [0, 1, 2, 0, 1, 2]
NUMBERS = [7, 8, 9, 7, 8, 9]
TEXTS = ["red kettle"] * 3 + ["blue lamp"] * 3

IN_PYTHON = {
    "pytrec_eval: dicts of dicts": (RUN, QRELS, BINARY),
    "pytrec_eval: grades": (RUN, GRADED, OF_GRADES),
    "pytrec_eval: whole numbers as scores": (
        {"q1": {"d1": 3, "d2": 2, "d4": 1}, "q2": {"d1": 3, "d2": 2, "d3": 1}},
        QRELS,
        BINARY,
    ),
    "ranx: Run.from_df and Qrels.from_df": (
        frame(RUN, "q_id", "doc_id", "score"),
        frame(QRELS, "q_id", "doc_id", "score"),
        BINARY,
    ),
    "ranx: dicts, documents in any order": (
        {query_id: dict(reversed(of_query.items())) for query_id, of_query in RUN.items()},
        GRADED,
        OF_GRADES,
    ),
    "ir_measures: lists of ScoredDoc and Qrel": (
        [ScoredDoc(*row) for row in rows(RUN)],
        [Qrel(*row) for row in rows(QRELS)],
        BINARY,
    ),
    "ir_measures: generators": (
        lambda: (ScoredDoc(*row) for row in rows(RUN)),
        lambda: (Qrel(*row) for row in rows(GRADED)),
        OF_GRADES,
    ),
    "ir_measures: frames": (
        frame(RUN, "query_id", "doc_id", "score"),
        frame(QRELS, "query_id", "doc_id", "relevance"),
        BINARY,
    ),
    "ir_measures: a frame of judgments with an iteration": (
        frame(RUN, "query_id", "doc_id", "score"),
        frame(GRADED, "query_id", "doc_id", "relevance", iteration=["0"] * 5),
        OF_GRADES,
    ),
    "ir_measures: a dict and a frame": (RUN, frame(GRADED, "query_id", "doc_id", "relevance"), OF_GRADES),
    "PyTerrier: results with docid, docno, rank and query": (
        frame(RUN, "qid", "docno", "score", docid=NUMBERS, rank=RANKS, query=TEXTS),
        frame(QRELS, "qid", "docno", "label"),
        BINARY,
    ),
    "PyTerrier: results with qid, docno and score": (
        frame(RUN, "qid", "docno", "score"),
        frame(GRADED, "qid", "docno", "label"),
        OF_GRADES,
    ),
    "PyTerrier: judgments with an iteration": (
        frame(RUN, "qid", "docno", "score", rank=RANKS),
        frame(QRELS, "qid", "docno", "label", iteration=["Q0"] * 5),
        BINARY,
    ),
    "BEIR: results and qrels of EvaluateRetrieval": (RUN, GRADED, OF_GRADES),
}
"""Shape: the run, the judgments and the means; a function makes what can be read once."""


def made(what):
    """What a function makes, or the thing itself."""
    return what() if callable(what) else what


@pytest.mark.parametrize("shape", IN_PYTHON)
def test_what_other_tools_take_gives_the_value_on_paper(shape):
    run, qrels, means = IN_PYTHON[shape]
    found = toysearch.evaluate(made(run), made(qrels), [*means])
    assert found.means == pytest.approx(means, abs=1e-12)


def trec_run(values):
    """A run as lines of TREC, as parse_run of pytrec_eval reads them."""
    return "".join(f"{q} Q0 {d} 1 {score} mine\n" for q, d, score in rows(values))


def trec_qrels(values):
    """Judgments as lines of TREC."""
    return "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in rows(values))


def table(values, header, separator="\t"):
    """A table with a header."""
    return "".join(separator.join(map(str, row)) + "\n" for row in [header, *rows(values)])


PYTERRIER = [
    ["qid", "docid", "docno", "rank", "score", "query"],
    *([q, n, d, r, s, t] for (q, d, s), n, r, t in zip(rows(RUN), NUMBERS, RANKS, TEXTS, strict=True)),
]

IN_FILES = {
    "pytrec_eval: parse_run and parse_qrel": (("r.run", trec_run(RUN)), ("q.qrel", trec_qrels(QRELS)), BINARY),
    "ranx: JSON": (("r.json", json.dumps(RUN)), ("q.json", json.dumps(GRADED)), OF_GRADES),
    "BEIR: qrels/test.tsv": (
        ("r.run", trec_run(RUN)),
        ("test.tsv", table(GRADED, ("query-id", "corpus-id", "score"))),
        OF_GRADES,
    ),
    "PyTerrier: a frame written with to_csv": (
        ("r.csv", "".join(",".join(map(str, row)) + "\n" for row in PYTERRIER)),
        ("q.csv", table(QRELS, ("qid", "docno", "label"), ",")),
        BINARY,
    ),
}
"""Shape: the names and contents of the files, and the means."""


@pytest.mark.parametrize("shape", IN_FILES)
def test_what_other_tools_write_gives_the_value_on_paper(shape, tmp_path, monkeypatch):
    *files, means = IN_FILES[shape]
    monkeypatch.chdir(tmp_path)
    for name, content in files:
        (tmp_path / name).write_text(content)
    found = json_of(done("eval", *(name for name, _ in files), "-m", " ".join(means), "--json").stdout)
    assert found["systems"][0]["measures"] == pytest.approx(means, abs=1e-12)


CORPUS = {
    "d1": {"title": "Kettles", "text": "a red kettle"},
    "d2": {"title": "Lamps", "text": "a blue lamp"},
    "d3": {"title": "Chairs", "text": "a red chair"},
}
TOPICS = {"1": "kettle", "2": "blue lamp"}
FOUND = {"1": ["d1"], "2": ["d2"]}

OF_DOCUMENTS = {
    "BEIR: corpus and queries as dicts": (CORPUS, TOPICS),
    "PyTerrier: a frame of docno and text, and topics": (
        Frame(docno=[*CORPUS], text=[each["text"] for each in CORPUS.values()]),
        Frame(qid=[*TOPICS], query=[*TOPICS.values()]),
    ),
    "PyTerrier: a generator of dicts with docno": (
        lambda: ({"docno": doc_id, **fields} for doc_id, fields in CORPUS.items()),
        lambda: [{"qid": query_id, "query": text} for query_id, text in TOPICS.items()],
    ),
}
"""Shape: documents and queries."""


@pytest.mark.parametrize("shape", OF_DOCUMENTS)
def test_documents_and_queries_of_other_tools_are_searched(shape):
    documents, queries = map(made, OF_DOCUMENTS[shape])
    run = toysearch.Searcher(toysearch.Index.build(documents), "bm25").run(queries)
    assert {query_id: run.ranking(query_id).doc_ids for query_id in run.query_ids} == FOUND


def test_twenty_shapes_and_more_are_tried():
    assert len(IN_PYTHON) + len(IN_FILES) + len(OF_DOCUMENTS) == 21


def test_the_values_on_paper_are_those_of_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {"AP": "map", "RR": "recip_rank", "P@2": "P_2", "nDCG": "ndcg"}
    for qrels, means in ((QRELS, BINARY), (GRADED, OF_GRADES)):
        found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank", "P.2", "ndcg"}).evaluate(RUN)
        for name, value in means.items():
            assert math.fsum(each[names[name]] for each in found.values()) / 2 == pytest.approx(value, abs=1e-6), name
