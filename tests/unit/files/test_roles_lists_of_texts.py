"""Lists of the texts that are retrieved or relevant, as RAGAS has them: in cells of a table as in JSON."""

import csv
import io
import json

import pytest
from shell import done

TEXTS = {
    "c1": "Owls hunt at night.",
    "c2": "Oaks 'grow' \"slowly\" in soil.",
    "c3": "The river's bank is muddy.",
    "c4": "Rain fell for a week.",
}
SAMPLES = {"Who hunts?": ("c1 c3", "c1"), "What grows?": ("c4 c2", "c2"), "Is it muddy?": ("c3 c1", "c3 c4")}
WRITTEN = {
    "csv": str,
    "json.csv": json.dumps,
    "array.csv": lambda texts: str(texts).replace(", '", " '").replace(', "', ' "'),
}


def samples(form, labels):
    rows = []
    for query, lists in SAMPLES.items():
        texts = [[TEXTS[name] for name in names.split()] for names in lists]
        row = dict(zip(("retrieved_contexts", "reference_contexts"), texts, strict=True))
        rows.append({"user_input": query, "response": "An owl.", "reference": "Owls do."} | row)
    rows = [{label: row[label] for label in ("user_input", *labels)} for row in rows]
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    out = io.StringIO()
    table = csv.DictWriter(out, [*rows[0]], lineterminator="\n")
    table.writeheader()
    table.writerows(
        {key: WRITTEN[form](cell) if isinstance(cell, list) else cell for key, cell in row.items()} for row in rows
    )
    return out.getvalue()


ALL = ("retrieved_contexts", "reference_contexts", "response", "reference")


@pytest.mark.parametrize("form", ["jsonl", *WRITTEN])
@pytest.mark.parametrize("of_run", [ALL, ("retrieved_contexts", "response")])
@pytest.mark.parametrize("judged", ["jsonl", *WRITTEN])
@pytest.mark.parametrize("of_judged", [ALL, ("reference_contexts", "reference")])
def test_lists_of_texts_are_scored_in_cells_as_in_json(tmp_path, form, of_run, judged, of_judged):
    run, qrels = tmp_path / f"run.{form}", tmp_path / f"judged.{judged}"
    run.write_text(samples(form, of_run))
    qrels.write_text(samples(judged, of_judged))
    said = done("eval", run, qrels, "-m", "RR", "-m", "AP", "--tsv").stdout.splitlines()[-1].split("\t")
    assert [round(float(said[at]), 4) for at in (1, 2)] == [0.8333, 0.6667]


@pytest.mark.parametrize("judged", ["jsonl", *WRITTEN])
def test_lists_of_texts_in_cells_judge_the_documents_with_these_texts(tmp_path, judged):
    documents, qrels = tmp_path / "docs.jsonl", tmp_path / f"judged.{judged}"
    documents.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in TEXTS.items()))
    qrels.write_text(samples(judged, ALL))
    assert "the judgments name 4 documents by their texts" in done("eval", documents, "--qrels", qrels).stderr
