"""Views of agreement and of judgments: how far judges agree, what is settled, and files of the grades."""

from __future__ import annotations

import io
from collections import Counter
from itertools import combinations, islice
from typing import Any, NamedTuple

from toysearch import write_qrels
from toysearch.base import (
    ArgumentError,
    DataError,
    expect_name,
    nested,
    typed_line,
)
from toysearch.page.judge_view import first_row, judging_of
from toysearch.page.judging_rules import Judging
from toysearch.page.model_picker import Asked, Data, Models
from toysearch.page.reply import Reply, address_of
from toysearch.page.served_source import ServedSource
from toysearch.retrieval import TypedQuery
from toysearch.workbench.judging.judge_agreement import MERGE_RULES, Disputed, merge_qrels
from toysearch.workbench.judging.judge_sheets import decisions_in, write_judges, write_ratings

_DISPUTED = 50  # documents on a page
_TABLES = 6  # pairs of judges on a page
_SETTLED = 50  # decisions, the last ones
_BEGINNING = 100  # characters of a query


def agreement(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show the judges' agreement and their disagreements with both reasons; for the adjudicator, forms."""
    judging, start, key = judging_of(source), first_row(asked), asked.get("key", "")
    if key:
        judging.check_adjudicator(key)
    alpha, log = judging.agreement(), judging.log
    decisions = judging.decisions.latest_first()
    decided = {(decision.query_id, decision.doc_id) for decision in decisions}
    order = {query_id: place for place, query_id in enumerate(judging.queries)}
    disputed = [dispute[:2] for dispute in (alpha.disputed if alpha else ()) if dispute[:2] not in decided]
    disputed.sort(key=lambda pair: order.get(pair[0], len(order)))  # within a query the widest apart stay first
    settled = ["--decisions", str(judging.decisions.path)] if len(judging.decisions) else []
    counts = {name: log.counts(name) for name in log.judges}
    judges = [
        {"judge": name, "grades": sum(of.values()), "queries": len(of), "pace": judging.pace(name)}
        for name, of in counts.items()
    ]
    agreed: Data = {"pairs": 0, "same": None, "alpha": None, "fleiss": None}
    if alpha:
        alphas = {"nominal": alpha.nominal, "ordinal": alpha.ordinal, "interval": alpha.interval}
        agreed = {"pairs": alpha.n, "same": alpha.agreement, "alpha": alphas, "fleiss": alpha.fleiss}
    outcomes = [
        _graded(source, judging, decision.query_id, decision.doc_id)
        | {"grade": decision.grade, "reason": decision.reason}
        for decision in islice(decisions, _SETTLED)
    ]
    data = {
        "source": source.typed,
        "judges": judges,
        **agreed,
        "confusion": _confusion(judging),
        "start": start,
        "all_disputed": len(disputed),
        "disputed": [_graded(source, judging, *pair) for pair in disputed[start : start + _DISPUTED]],
        "all_settled": len(decisions),
        "settled": outcomes,
        "command": typed_line("toysearch", "judge", "agree", str(log.path), "--differences", "--texts", source.typed),
        "merged": typed_line("toysearch", "judge", "merge", str(log.path), *settled, "-o", "judged.txt"),
        "notes": [],
    }
    form = {
        "key": key,
        "scale": judging.scale,
        "tables": _TABLES,
        "more": [
            (
                f"{place + 1:,}–{min(place + _DISPUTED, len(disputed)):,}",
                address_of(source, "agreement", key=key, start=str(place)),
            )
            for place in (start - _DISPUTED, start + _DISPUTED)
            if 0 <= place < len(disputed)
        ],
        "rules": [*MERGE_RULES],
        "forms": FORMS,
    }
    address = address_of(source, "agreement", key=key, start=str(start or ""))
    reply = Reply("agreement.html", f"Agreement on {source.typed}", data, form, address)
    return reply._replace(cookie=(judging.cookie, key)) if key else reply


def settle(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Save the grade that the adjudicator decides on, or take the last one back; the answer is the view."""
    judging, key, action = judging_of(source), asked.get("key", ""), asked.get("action", "settle")
    decision = [asked.get(field, "") for field in ("topic", "doc", "grade", "reason")]
    expect_name("action", action, ("settle", "undo"))
    if action == "settle":
        judging.settle(key, *decision)
    else:
        judging.unsettle(key)
    return agreement(source, models, {name: asked[name] for name in ("key", "start") if name in asked})


def judgments(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Return the judgments as a file to keep; as JSON the same text, and the documents without a majority."""
    form, rule = asked.get("to") or "qrels", asked.get("rule") or "majority"
    export = exported(judging_of(source), form, rule)
    data = {"source": source.typed, "to": form, "rule": rule, "file": export.file, "text": export.text}
    undecided = [document._asdict() for document in export.undecided]
    return Reply("", "", data | {"undecided": undecided, "notes": []}, file=(export.file, export.text))


def _graded(source: ServedSource, judging: Judging, query_id: str, doc_id: str) -> Data:
    by = judging.log.of_query(query_id).get(doc_id, {})
    grades = [{"judge": name, "grade": judgment.grade, "reason": judgment.reason} for name, judgment in by.items()]
    query = judging.queries.get(query_id, "")
    passage, title, address = None, "", None
    if judging.has(query_id, doc_id):
        passage = source.passages(source.marked(TypedQuery(query)), doc_id)[1]
        title = source.title(doc_id)
        address = address_of(source, "document", topic=query_id, doc=doc_id)
    return {
        "query_id": query_id,
        "query": " ".join(query.split())[:_BEGINNING],
        "need": source.queries.need(query_id),
        "doc_id": doc_id,
        "passage": str(passage or ""),
        "passage_marks": passage.spans if passage else [],
        "title": title,
        "grades": grades,
        "document": address,
    }


def _confusion(judging: Judging) -> list[Data]:
    """Count, for each two judges, the documents by the grades of both, most documents first."""
    by_pair = nested(((judgment.query_id, judgment.doc_id), judgment.judge, judgment.grade) for judgment in judging.log)
    tables = []
    for first, second in combinations(judging.log.judges, 2):
        both = Counter((by[first], by[second]) for by in by_pair.values() if first in by and second in by)
        grades = sorted({*map(float, judging.scale)}.union(*both))
        rows = [{"grade": grade, "documents": [both[grade, other] for other in grades]} for grade in grades]
        tables.append({"judges": [first, second], "documents": both.total(), "grades": grades, "rows": rows})
    return sorted((table for table in tables if table["documents"]), key=lambda table: -table["documents"])


FORMS = {
    "qrels": ("judged.txt", "one grade per document, for trec_eval"),
    "csv": ("judged.csv", "the same in CSV"),
    "ratings": ("ratings.csv", "the same for a Quepid case"),
    "sheet": ("sheet.csv", "all grades with judges and reasons, CSV"),
    "book": ("book.csv", "all grades as a Quepid book, CSV"),
    "log": ("log.jsonl", "all grades as a judgment log"),
}
"""Forms of files, each with the name and a description of its file."""

_APART = ("sheet", "book", "log")  # these keep the judges apart, so that no rule applies


class Exported(NamedTuple):
    """Name and text of a file, and the documents left out because no grade of them has most votes."""

    file: str
    text: str
    undecided: tuple[Disputed, ...] = ()


def exported(judging: Judging, form: str, rule: str) -> Exported:
    """Write the judgments as `toysearch judge merge --to` does: what was settled, else one grade by a rule."""
    expect_name("form", form, FORMS)
    file = io.StringIO()
    try:
        if form in _APART:
            write_judges([*judging.log], file, form, judging.queries)
            undecided: tuple[Any, ...] = ()
        else:
            decisions = decisions_in(judging.decisions)
            if not len(judging.log) and decisions is None:
                raise ArgumentError("there is nothing to export: nobody has given a grade yet")
            try:
                merged = merge_qrels(judging.log.qrels(), decisions, rule=rule)
            except DataError:
                others = ", ".join(other for other in MERGE_RULES if other != rule)
                raise ArgumentError(
                    "there is nothing to export: no document has a grade that most judges gave; settle the documents "
                    f"on the page of agreement, or choose another rule ({others})"
                ) from None
            if form == "ratings":
                write_ratings(merged.qrels, file, judging.queries)
            else:
                write_qrels(merged.qrels, file, "trec" if form == "qrels" else form)
            undecided = merged.undecided
    except DataError as error:
        raise ArgumentError(f"{error}, or export the log, which carries all ids") from None
    return Exported(FORMS[form][0], file.getvalue(), undecided)
