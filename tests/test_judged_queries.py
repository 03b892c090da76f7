"""Every command reads the texts of judged queries as `run` does: as words, whatever signs they hold."""

import html
import json
import re
from itertools import zip_longest
from pathlib import Path

import pytest
from shell import done, every_command, example_on
from small_collections import write_beir
from tiers import exhaustive

import toysearch
from toysearch.cli.commands import by_name
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.study.study import Study
from toysearch.workbench.judged_feedback import judged_feedback
from toysearch.workbench.tune.study_evaluation import study_evaluator

QUERIES = {
    "1": '"red lamp" desk',
    "2": "kettle -steel",
    "3": "+(lamp iron) +shade",
    "4": "colour:red desk",
    "5": "iron~1 steam^2 clea* -handle",
    "6": "lamp (desk OR shade) NOT red",
    "7": "[kettle] 'steel': {lid} -(with handle)",
}
SIGNS = re.compile(r"[^\w\s.]+|\b(?:OR|NOT)\b", re.ASCII)
THINGS = ("red lamp", "lamp red", "steel kettle", "kettle", "iron with steam", "lamp shade", "red shade", "desk lamp")
TAILS = ("for a desk", "with a lid and a handle", "easy to clean", "or not", "of the title page")
DOCUMENTS = {
    f"{first}{second}": {
        "title": f"{thing} {first}",
        "text": f"the {thing} {tail} " + "and more words " * (first % 3),
        "colour": ("red", "blue")[second % 2],
    }
    for first, thing in enumerate(THINGS)
    for second, tail in enumerate(TAILS)
}
GRADES = {
    query_id: {doc_id: (int(doc_id) * (int(query_id) + 2)) % 4 for doc_id in DOCUMENTS if int(doc_id) % 3 != 1}
    for query_id in QUERIES
}


def plain(text: str) -> str:
    """A text without the signs of operators, and without OR and NOT, which are words to a plain reading."""
    return SIGNS.sub(lambda sign: sign[0].lower() if sign[0].isalpha() else " ", text)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two collections of one name: with signs in the queries, and with their words alone."""
    both = []
    for texts in (QUERIES, {query_id: plain(text) for query_id, text in QUERIES.items()}):
        folder = tmp_path_factory.mktemp("shop")
        write_beir(folder / "shop", DOCUMENTS, texts, GRADES)
        records = ({"_id": each, "text": text, "kind": "ab"[int(each) % 2]} for each, text in texts.items())
        (folder / "shop" / "queries.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        (folder / "second.txt").write_text(
            "".join(
                f"{query} 0 {doc} {grade // 2}\n"
                for query, of_query in GRADES.items()
                for doc, grade in of_query.items()
            )
        )
        (folder / "gate.toml").write_text(
            'collection = "shop"\nmodel = "bm25"\n[[expect]]\nmeasure = "AP"\nat_least = 0\n'
            '[[expect]]\nquery = "1"\ndocument = "00"\nin_first = 40\n'
        )
        (folder / "own.py").write_text("def rank(tf, dl, *, b=0.5):\n    return tf / (tf + b * dl)\n")
        both.append(folder)
    return both


TWO = ["--model", "bm25", "--model", "tfidf"]
AP = ["-m", "AP"]
LINES = {
    "run": [["shop", "-o", "-"], ["shop", "--model", "rm3(bm25)", "-o", "-"]],
    "search": [
        ["shop", "--query-id", "1", "--explain", "--json"],
        ["shop", "--query-id", "2", "--relevant", "20", "--json"],
    ],
    "explain": [["shop", "30", "20", "--query-id", "2", "--json"]],
    "eval": [
        ["shop", *AP, "--per-query", "--json"],
        ["shop", "--worst", "3", "--json"],
        ["shop", "--explain", "AP", "--query-id", "6", "--json"],
        ["shop", *TWO, "--by", "kind", "--json"],
        ["shop", "--convention", "all", "--json"],
        ["shop", "--bounds", "--per-query", "--json"],
    ],
    "compare": [
        ["shop", *TWO, *AP, "--json"],
        ["shop", *TWO, *AP, "--power", "--agreement", "--all-pairs", "--json"],
        ["shop", *TWO, *AP, "--by", "kind", "--json"],
    ],
    "diff": [["shop", *TWO, "--all", "--json"], ["shop", *TWO, "--query-id", "1"]],
    "report": [
        ["shop", *TWO, "-o", "out.html"],
        *(["shop", *TWO, "--chart", chart, "-o", "out.html"] for chart in ("pr", "queries", "depth")),
    ],
    "tune": [["shop", "--model", "bm25", "--grid", "b=0,0.75,1", *AP, "--json"]],
    "ablate": [["shop", "--model", "bm25", *AP, "--json"]],
    "robustness": [["shop", "--model", "bm25", *AP, "--json"]],
    "learn": [
        ["shop", "--learner", "logistic", "--features", "bm25 coverage length", *AP, "--json"],
    ],
    "judge rejudge": [["shop", *TWO, "--by", "second.txt", *AP, "--json"]],
    "verify": [["shop", "--json"]],
    "gate": [["gate.toml", "--json"]],
}


TAKES_QUERIES = {name for name, command in every_command() if "--queries" in by_name(command)}
LINES |= {name: [example_on("shop", name)] for name in sorted(TAKES_QUERIES - {*LINES, "serve"})}
"""Of any other command its example; the page of `serve` is asked below."""


def answer(folder, monkeypatch, command, line):
    """The words that a command prints, or writes to a file, without the signs of the queries and checksums."""
    monkeypatch.chdir(folder)
    printed = done(*command.split(), *line).stdout
    printed = next((Path(name).read_text() for name in line if name.startswith("out.")), printed)
    return [word for word in plain(html.unescape(printed)).split() if not re.fullmatch("[0-9a-f]{32,64}", word)]


QUICK = ("run", "search", "eval", "diff", "gate")
"""Commands of which the first line is tried by `make test`; the first of the others is tried by `make test-system`."""


def marked(command: str, place: int) -> list[pytest.MarkDecorator]:
    return [exhaustive] if place else [] if command in QUICK else [pytest.mark.system]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        pytest.param(command, line, id=" ".join([command, *line]), marks=marked(command, place))
        for command, lines in LINES.items()
        for place, line in enumerate(lines)
    ],
)
def test_signs_in_judged_queries_are_read_as_by_run(folders, monkeypatch, command, line):
    both = zip_longest(*(answer(folder, monkeypatch, command, line) for folder in folders))
    assert [words for words in both if words[0] != words[1]][:5] == []


def test_the_signs_would_be_operators_if_a_query_were_typed(folders, monkeypatch):
    monkeypatch.chdir(folders[0])
    plain_run, lenient = (
        toysearch.Searcher("shop").run(toysearch.load("shop").queries, query_mode=mode) for mode in (None, "lenient")
    )
    assert not [query_id for query_id in QUERIES if plain_run.doc_ids_of(query_id) == lenient.doc_ids_of(query_id)]


@pytest.mark.parametrize("mode", ["lenient", *(pytest.param(mode, marks=exhaustive) for mode in ("plain", "strict"))])
def test_a_mode_that_is_asked_for_holds_in_every_way_to_compare(folders, monkeypatch, mode):
    monkeypatch.chdir(folders[0])
    queries = {query_id: text for query_id, text in QUERIES.items() if query_id in "1236"}
    Path("four.tsv").write_text("".join(f"{query_id}\t{text}\n" for query_id, text in queries.items()))
    asked = ["shop", "--queries", "four.tsv", "--query-mode", mode]
    Path("mode.run").write_text(done("run", *asked, "--model", "bm25", "-o", "-").stdout)

    def means(*line):
        [measure] = json.loads(done("compare", *asked, *line, *AP, "--json").stdout)["measures"]
        return [*measure["means"].values()]

    ran, scored = (
        json.loads(done("eval", *line, "--queries", "four.tsv", *AP, "--json").stdout)["systems"][0]["measures"]["AP"]
        for line in (["mode.run", "shop"], ["shop", "--query-mode", mode])
    )
    assert ran == pytest.approx(scored)
    assert means(*TWO)[0] == scored
    study = Study.of("shop", queries).with_scoring(query_mode=mode)
    assert study_evaluator(study, ["AP"]).values("bm25").mean() == pytest.approx(scored)


@pytest.mark.system
def test_the_modes_differ_in_feedback_too(folders, monkeypatch):
    """The base of the last test: search again, query by query, in each mode."""
    monkeypatch.chdir(folders[0])
    study = Study.of("shop")
    searcher = toysearch.Searcher(study.index(), "rm3(bm25)")
    rankings = {}
    for mode in (None, "plain", "lenient"):
        feedback = judged_feedback(study.judged(), study.index(), ["rm3(bm25)"], docs=3, query_mode=mode)
        first = toysearch.Searcher(study.index(), "bm25").run(study.queries(), query_mode=mode)
        for query_id, text in study.queries():
            if query_id not in feedback.qrels:
                continue
            seen = first.doc_ids_of(query_id)[:3]
            good = [doc_id for doc_id in seen if study.qrels()[query_id].get(doc_id, 0) >= study.threshold()]
            again = search_again(searcher, text, good, k=1000, query_mode=mode or "plain")
            assert feedback.runs[0].doc_ids_of(query_id) == first.doc_ids_of(query_id)[3:]
            assert feedback.runs[1].doc_ids_of(query_id) == [each for each in again.doc_ids if each not in seen]
            assert search_again(searcher, text, good, k=1000, query_id=query_id).doc_ids == (
                search_again(searcher, text, good, k=1000, query_mode="plain").doc_ids
            )
        rankings[mode] = [feedback.runs[1].doc_ids_of(query_id) for query_id in QUERIES]
    assert rankings[None] == rankings["plain"] != rankings["lenient"]


@pytest.mark.system
def test_the_page_reads_a_topic_as_words(folders, monkeypatch):
    pytest.importorskip("starlette")
    from page_client import client, of_name

    answers = []
    for folder in folders:
        monkeypatch.chdir(folder)
        asked = client(*of_name("shop"), models={name: toysearch.model(name) for name in ("bm25", "tfidf")})
        run = toysearch.Searcher("shop").run(toysearch.load("shop").queries)
        for topic in QUERIES:
            hits = asked.get("/shop/search.json", params={"topic": topic, "model": "bm25"}).json()["hits"]
            assert [hit["doc_id"] for hit in hits] == run.doc_ids_of(topic)[: len(hits)]
            both = asked.get("/shop/compare.json", params={"topic": topic, "a": "bm25", "b": "tfidf"}).json()
            answers.append((folder, [hits, both["rankings"], both["one_query"], both["overall"]["measures"]]))
    first, second = ([answer for place, answer in answers if place == folder] for folder in folders)
    assert first == second
