"""Every form and rule of an export, on judgments of all kinds: a file that reads back, or a sentence with a way out."""

import csv
import io
import json

import pytest
from page_client import of_documents

import toysearch
from toysearch.base import Document, Query
from toysearch.base.errors import ArgumentError
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.page.agreement_view import FORMS, exported
from toysearch.page.judging_rules import Judging
from toysearch.workbench.judging.judge_agreement import MERGE_RULES
from toysearch.workbench.judging.judge_sheets import read_judges
from toysearch.workbench.judging.judgment_log import JudgmentLog, qrels_of

DOCUMENTS = {"d,1": "cat", 'd"2': "dog", "é4": "", "=6": "cat dog", "日本": "fish", "-": "cat"}
SPACED = {"d 5": "cat", "d\t7": "dog"}
BROKEN = {"d\n3": "fish"}
HOSTILE = {"1": "cat", 'q"2': "dog", "q,3": "a \n b", "é": "", "5": "", "6": "cat"}
GRADES = {"ada": 2.0, "ben": 0.5, 'c,"x"': -1.0, "docid": 2.0}  # 2 by majority
ONE_EACH = {"ada": 2.0, "ben": -0.25}
MERGED = ("qrels", "csv", "ratings")
APART = {"sheet": ".csv", "book": ".csv", "log": ".jsonl"}


def _exported(tmp_path, form, rule, queries=HOSTILE, documents=DOCUMENTS, grades=GRADES, decided=()):
    """The text of an export, and the judgments that it should have."""
    given = [(judge, query_id, doc_id) for judge in grades for query_id in queries for doc_id in documents]
    source = of_documents(
        [Document(doc_id, text, "", {"text": text}) for doc_id, text in documents.items()],
        queries=[Query(*each) for each in queries.items()],
    )
    with JudgmentLog(tmp_path / "class.jsonl") as log, JudgmentLog(tmp_path / "class.decisions.jsonl") as decisions:
        for each in given:
            log.add(*each, grades[each[0]], 'a\nreason, "so"')
        for each in decided:
            decisions.add("adjudicator", *each)
        judging = Judging(source.index, queries, log, decisions, [toysearch.MODELS["bm25"]])
        return exported(judging, form, rule)


def _grades(qrels) -> dict[str, dict[str, float]]:
    return {query_id: dict(qrels[query_id]) for query_id in qrels.query_ids}


@pytest.mark.parametrize("rule", MERGE_RULES)
@pytest.mark.parametrize("form", FORMS)
def test_each_form_by_each_rule_has_all_judgments(tmp_path, form, rule):
    text = _exported(tmp_path, form, rule).text
    file = tmp_path / f"export{APART.get(form, '.csv' if form in MERGED[1:] else '.txt')}"
    file.write_text(text, encoding="utf-8", newline="")
    if form in APART:
        judges = qrels_of(read_judges([file], HOSTILE, judges=[*GRADES] if form == "book" else None))
        assert {judge: _grades(qrels) for judge, qrels in judges.items()} == {
            judge: {query_id: dict.fromkeys(DOCUMENTS, grade) for query_id in HOSTILE}
            for judge, grade in GRADES.items()
        }
    else:
        merged = MERGE_RULES[rule]([*GRADES.values()])
        named = ["1", "dog", "a b", "é", "5", "6"] if form == "ratings" else HOSTILE
        expected = {each: dict.fromkeys(DOCUMENTS, merged) for each in named}
        assert _grades(read_qrels(file)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_a_form_cannot_carry_are_refused_with_a_way_out(tmp_path, form):
    for number, documents in enumerate((SPACED, BROKEN)):
        folder = tmp_path / str(number)
        folder.mkdir()
        carried = form == "log" or (documents is SPACED and form != "qrels")
        if carried:
            text = _exported(folder, form, "mean", documents=documents).text
            assert all(json.dumps(each, ensure_ascii=False)[1:-1] in text or each in text for each in documents)
        else:
            with pytest.raises(ArgumentError, match=r"give it another id, .*or export the log, which carries all ids$"):
                _exported(folder, form, "mean", documents=documents)


@pytest.mark.parametrize("rule", MERGE_RULES)
@pytest.mark.parametrize("form", FORMS)
def test_without_a_majority_there_is_a_file_or_a_way_out(tmp_path, form, rule):
    if form in MERGED and rule == "majority":
        way_out = r"settle .* or choose another rule \(optimistic, pessimistic, mean\)$"
        with pytest.raises(ArgumentError, match=way_out):
            _exported(tmp_path, form, rule, grades=ONE_EACH)
    else:
        rows = [*csv.reader(io.StringIO(_exported(tmp_path, form, rule, grades=ONE_EACH).text))]
        assert len(rows) >= len(HOSTILE) * len(DOCUMENTS)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_settled_is_exported_where_there_is_no_majority(tmp_path, form):
    found = _exported(tmp_path, form, "majority", grades=ONE_EACH, decided=[("1", "d,1", 3.0, "so")])
    assert len(found.undecided) == (len(HOSTILE) * len(DOCUMENTS) - 1 if form in MERGED else 0)
    if form in MERGED:
        assert found.text.splitlines()[-1].split(",")[-1].split()[-1] == "3"


@pytest.mark.parametrize("form", MERGED)
def test_without_a_grade_there_is_nothing_to_export(tmp_path, form):
    with pytest.raises(ArgumentError, match=r"^there is nothing to export: nobody has given a grade yet$"):
        _exported(tmp_path, form, "majority", grades={})
