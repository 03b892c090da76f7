"""What stands in the place of a run: read with the right value, or refused; never searched. Command × layout."""

from itertools import product
from pathlib import Path

import pytest
from shell import done, refusal, run

RUNS = {
    "hits with texts.jsonl": '{"question": "shoe", "doc_id": "b", "content": "a boot", "score": 3.0}\n'
    '{"question": "shoe", "doc_id": "a", "content": "a shoe", "score": 2.0}\n'
    '{"question": "lamp", "doc_id": "c", "content": "a lamp", "score": 2.0}\n',
    "hits with texts.csv": "question,doc_id,content,score\nshoe,b,a boot,3\nshoe,a,a shoe,2\nlamp,c,a lamp,2\n",
    "predictions.csv": "search,prediction\nshoe,b a\nlamp,c\n",
}
OTHERS = {
    "distances.csv": "query,id,text,distance\nshoe,b,a boot,0.1\nshoe,a,a shoe,0.2\nlamp,c,a lamp,0.1\n",
    "probabilities.csv": "query_id,doc_id,prob\nshoe,b,0.9\nshoe,a,0.8\nlamp,c,0.5\n",
    "unknown columns.csv": "Suche,Ware,Wert\nshoe,b,3\nshoe,a,2\nlamp,c,2\n",
    "lists.csv": "Suche,Waren\nshoe,b a\nlamp,c d\n",
    "lists in brackets.csv": "search,predictions\nshoe,\"['b','a']\"\nlamp,\"['c']\"\n",
    "documents.jsonl": '{"id": "a", "text": "a shoe"}\n{"id": "b", "text": "a boot"}\n{"id": "c", "text": "a lamp"}\n',
    "documents.csv": "id,title,text\na,shoe,a shoe\nb,boot,a boot\nc,lamp,a lamp\n",
    "three columns.tsv": "red shoe\tb\t0.9\nred shoe\ta\t0.8\nlamp\tc\t0.5\n",
    "blank in an id.run": "red Q0 b c 1 3.0 run\nred Q0 a 2 2.0 run\n",
}
COMMANDS = {
    "eval {0} judged.csv -m RR --tsv": "0.75",
    "eval {0} other.run judged.csv -m RR --tsv": "0.75",
    "compare {0} other.run judged.csv -m RR --tsv": "0.75",
    "diff {0} other.run judged.csv -m RR --json": "0.75",
    "report {0} other.run judged.csv -o page.html": "",
    "fuse {0} other.run": "c",
    "judge pool {0} other.run": "",
    "check {0} judged.csv": "",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("judged.csv").write_text("query,docid,rating\nshoe,a,1\nshoe,b,0\nlamp,c,1\n")
    Path("queries.csv").write_text("query_id,text\nq1,shoe\nq2,lamp\n")
    Path("other.run").write_text('{"shoe": {"a": 2.5, "b": 1}, "lamp": {"c": 1.5}}')


def words(line, name):
    return [word.replace("{0}", name) for word in line.split()]


def test_each_command_reads_a_run_in_its_place_or_refuses_what_is_none():
    cells = [*product(COMMANDS, {**RUNS, **OTHERS})]
    for line, name in cells:
        Path(name).write_text({**RUNS, **OTHERS}[name])
        found = run(*words(line, name))
        if name in RUNS:
            assert found.exit_code == (1 if line.startswith("check") and found.stdout else 0), (
                line,
                name,
                found.output,
            )
            assert COMMANDS[line] in found.stdout, (line, name, found.output)
            assert "malformed" not in found.stdout
        elif line.startswith("check"):
            assert found.exit_code in (1, 2), (line, name, found.output)
        else:
            assert (found.exit_code, found.stdout) == (2, ""), (line, name, found.output)
            assert name in found.stderr
        assert "bm25" not in found.output.replace("--model bm25", ""), (line, name)
    assert len(cells) == 96


@pytest.mark.parametrize("name", ["documents.jsonl", "documents.csv", "distances.csv"])
def test_documents_are_searched_where_models_or_queries_are_given(name):
    Path(name).write_text({**RUNS, **OTHERS}[name])
    Path("judged.csv").write_text("query_id,doc_id,rating\nq1,a,1\nq1,b,0\nq2,c,1\n")
    queries = ["--queries", "queries.csv", "-m", "RR", "--tsv"]
    for sources in ([name, "judged.csv"], [name, "--qrels", "judged.csv"]):
        assert done("eval", *sources, *queries).stdout.splitlines()[1:] == ["bm25\t1.0"]
        assert done("eval", *sources, *queries, "--model", "tfidf").stdout.startswith("system\tRR\ntfidf\t")


def test_the_advice_of_a_refusal_leads_on():
    for name in ("distances.csv", "lists.csv", "probabilities.csv"):
        Path(name).write_text(OTHERS[name])
    assert refusal("eval", "distances.csv", "judged.csv") == (
        "toysearch: distances.csv is not a run: its columns are query, id, text, distance; name the columns that hold "
        "doc_id, score (or rank) so; to search it: --queries FILE"
    )
    assert "or prediction for lists of ids" in refusal("eval", "lists.csv", "judged.csv")
    Path("lists.csv").write_text(OTHERS["lists.csv"].replace("Suche,Waren", "query_id,prediction"))
    Path("probabilities.csv").write_text(OTHERS["probabilities.csv"].replace("prob\n", "score\n"))
    for name in ("lists.csv", "probabilities.csv"):
        assert done("eval", name, "judged.csv", "-m", "RR", "--tsv").stdout.endswith("\t0.75\n")
