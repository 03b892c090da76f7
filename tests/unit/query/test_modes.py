"""One meaning of a text: every door that takes it gives the same documents with the same scores."""

import json

import pytest
from shell import done
from tiers import thinned

import toysearch
from toysearch import Query, Searcher, evaluate, explain
from toysearch.base.errors import ArgumentError
from toysearch.query.modes import MODES, mode_of
from toysearch.study.explain.order_explanation import standing
from toysearch.study.explain.score_explanation import explain_expansion

TEXTS = ['"guinea pig" -food', '"tick removal" OR leash* -dog', "+tick removal", "NOT (cat OR dog) pig^2", "cat AND"]
LEFT_OUT = "p057"  # holds tick, removal and dog
MODEL = "rm3(bm25)"


@pytest.fixture(scope="module")
def companions():
    collection = toysearch.load("companions")
    return Searcher(toysearch.Index.build(collection, positions=True))


def rows(ranking):
    return [(hit.doc_id, hit.score) for hit in ranking]


@pytest.mark.parametrize("mode", [None, *MODES])
@pytest.mark.parametrize("text", TEXTS[:-1])
def test_all_functions_give_the_same_scores(companions, text, mode):
    expected = rows(companions.search(text, None, query_mode=mode or "lenient"))
    assert rows(companions.search(text, None, query_mode=mode)) == expected
    assert rows(companions.search(companions.terms(text, mode), None)) == expected
    run = companions.run({"1": text}, None, query_mode=mode or "lenient")
    assert [(hit.doc_id, hit.score) for hit in run] == expected
    ranked = dict(expected)
    for doc_id in {*[doc_id for doc_id, _ in expected[:4]], LEFT_OUT}:
        score = explain(companions, text, doc_id, query_mode=mode).score
        assert score == pytest.approx(ranked[doc_id], rel=1e-12) if doc_id in ranked else score is None
        place = standing(companions, companions.terms(text, mode), doc_id)
        assert place.rank == ([*ranked].index(doc_id) + 1 if doc_id in ranked else None)


@pytest.mark.system
@pytest.mark.parametrize("text", thinned(TEXTS, 3))
def test_commands_and_functions_read_a_typed_text_alike(companions, text):
    expected = rows(companions.search(text, 4))
    hits = json.loads(done("search", "companions", "--json", "-k", 4, "--", text).stdout)["hits"]
    assert [(hit["doc_id"], hit["score"]) for hit in hits] == expected
    for doc_id, score in [*expected[:1], (LEFT_OUT, dict(rows(companions.search(text, None))).get(LEFT_OUT))]:
        data = json.loads(done("explain", "companions", doc_id, f"--query={text}", "--json").stdout)
        assert data["documents"][0]["explanation"]["value"] == (None if score is None else pytest.approx(score))


@pytest.mark.system
@pytest.mark.parametrize("mode", [None, *MODES])
def test_the_topics_of_a_file_are_plain_unless_asked(companions, tmp_path, mode):
    topics = {str(number): text for number, text in enumerate(TEXTS[:-1], 1)}
    file, qrels = tmp_path / "topics.tsv", tmp_path / "qrels.txt"
    file.write_text("query_id\ttext\n" + "".join(f"{key}\t{text}\n" for key, text in topics.items()))
    qrels.write_text("".join(f"{key} 0 p272 1\n{key} 0 {LEFT_OUT} 2\n" for key in topics))
    more = [] if mode is None else ["--query-mode", mode]
    run = companions.run(topics, 10, query_mode=mode)
    assert [(h.query_id, h.doc_id) for h in run] == [
        (key, hit.doc_id)
        for key, text in topics.items()
        for hit in companions.search(Query(key, text), 10, query_mode=mode)
    ]
    lines = done("run", "companions", "--queries", file, "-k", 10, "-o", "-", *more).stdout.splitlines()
    assert [(line.split()[0], line.split()[2]) for line in lines] == [(h.query_id, h.doc_id) for h in run]
    judged = ["companions", "--queries", file, "--qrels", qrels, "-k", 10, "-m", "AP", "--format", "json", *more]
    value = evaluate(run, toysearch.read_qrels(qrels), "AP")["AP"]
    [system] = json.loads(done("eval", *judged).stdout)["systems"]
    assert system["measures"]["AP"] == pytest.approx(value)
    compared = json.loads(done("compare", *judged, "--model", "bm25", "--model", "bm25:b=0").stdout)
    assert compared["measures"][0]["means"]["bm25"] == pytest.approx(value)


def test_feedback_expands_what_the_query_matches(companions):
    searcher = Searcher(companions.index, MODEL)
    [plain], [typed] = (explain_expansion(searcher, '"guinea pig" -food', query_mode=mode) for mode in ("plain", None))
    plain, typed = ({*each.quantities} for each in (plain, typed))
    assert plain != typed
    assert typed <= {*companions.search('"guinea pig" -food', None).doc_ids}


def test_a_text_is_lenient_and_a_query_with_an_id_plain():
    assert [mode_of(None), mode_of(None, "7"), mode_of("strict", "7")] == ["lenient", "plain", "strict"]
    with pytest.raises(ArgumentError, match="unknown way to read a query 'srtict'; did you mean 'strict'"):
        mode_of("srtict")
