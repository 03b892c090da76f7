"""What stands in the place of a run: read with the right value, or refused; never searched. Command × layout."""

from itertools import product
from pathlib import Path

import pytest
from shell import done, refusal, run

import toysearch
from toysearch.base.errors import DataError

RUNS = {
    "hits with texts.jsonl": '{"question": "shoe", "doc_id": "b", "content": "a boot", "score": 3.0}\n'
    '{"question": "shoe", "doc_id": "a", "content": "a shoe", "score": 2.0}\n'
    '{"question": "lamp", "doc_id": "c", "content": "a lamp", "score": 2.0}\n',
    "hits with texts.csv": "question,doc_id,content,score\nshoe,b,a boot,3\nshoe,a,a shoe,2\nlamp,c,a lamp,2\n",
    "probabilities.csv": "query_id,doc_id,prob\nshoe,b,0.9\nshoe,a,0.8\nlamp,c,0.5\n",
}
BESIDE = {
    "three columns.tsv": "shoe\tb\t0.9\nshoe\ta\t0.8\nlamp\tc\t0.5\n",
    "distances.csv": "query,id,text,distance\nshoe,b,a boot,0.1\nshoe,a,a shoe,0.2\nlamp,c,a lamp,0.1\n",
    "unknown columns.csv": "Suche,Ware,Wert\nshoe,b,3\nshoe,a,2\nlamp,c,2\n",
    "lists.csv": "Suche,Waren\nshoe,b a\nlamp,c d\n",
    "places.csv": "Suche,Ware_1,Ware_2\nshoe,b,a\nlamp,c,d\n",
}
"""Runs of unknown columns, which are asked about."""
OTHERS = {
    "ranks or not.csv": "Suche,Ware,Wert\nshoe,b,1.5\nshoe,a,2.5\nlamp,c,1\n",
    "documents.jsonl": '{"id": "a", "text": "a shoe"}\n{"id": "b", "text": "a boot"}\n{"id": "c", "text": "a lamp"}\n',
    "documents.csv": "id,title,text\na,shoe,a shoe\nb,boot,a boot\nc,lamp,a lamp\n",
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
    every = {**RUNS, **BESIDE, **OTHERS}
    cells = [*product(COMMANDS, every)]
    for line, name in cells:
        Path(name).write_text(every[name])
        found = run(*words(line, name))
        if name in RUNS:
            assert found.exit_code == int(line.startswith("check") and "nothing suspicious" not in found.output), (
                line,
                name,
                found.output,
            )
            assert COMMANDS[line] in found.stdout, (line, name, found.output)
            assert "malformed" not in found.stdout, (line, name, found.output)
        elif line.startswith("check"):
            assert found.exit_code in (1, 2) or name in BESIDE, (line, name, found.output)
        else:
            assert (found.exit_code, found.stdout) == (2, ""), (line, name, found.output)
            assert name in found.stderr
        assert "bm25" not in found.output.replace("--model bm25", ""), (line, name)
    assert len(cells) == 96


@pytest.mark.parametrize("name", ["documents.jsonl", "documents.csv", "distances.csv"])
def test_documents_are_searched_where_models_or_queries_are_given(name):
    Path(name).write_text({**BESIDE, **OTHERS}[name])
    Path("judged.csv").write_text("query_id,doc_id,rating\nq1,a,1\nq1,b,0\nq2,c,1\n")
    queries = ["--queries", "queries.csv", "-m", "RR", "--tsv"]
    for sources in ([name, "judged.csv"], [name, "--qrels", "judged.csv"]):
        assert done("eval", *sources, *queries).stdout.splitlines()[1:] == ["bm25\t1.0"]
        assert done("eval", *sources, *queries, "--model", "tfidf").stdout.startswith("system\tRR\ntfidf\t")


HITS = {
    "distances.csv": BESIDE["distances.csv"],
    "first hits.csv": "question,id,content,distance\nshoe,a,a shoe,0.2\nlamp,c,a lamp,0.1\n",
    "few judged.csv": "query,id,text,cosine\nhat,h,a hat,0.9\nhat,k,a cap,0.8\nlamp,c,a lamp,0.7\n",
    "Treffer.csv": "Suche;Nr;Text;Abstand\nshoe;b;a boot;0,1\nshoe;a;a shoe;0,2\nLAMP;c;a lamp;0,1\n",
    "hits.tsv": "user_query\tid\ttext\nshoe\tb\ta boot\nshoe\ta\ta shoe\n",
    "hits.jsonl": '{"anfrage": "shoe", "id": "b", "text": "boot"}\n{"anfrage": "shoe", "id": "a", "text": "shoe"}\n',
    "hits.json": '[{"search": "shoe", "id": "a", "body": "a shoe"}, {"search": "lamp", "id": "c", "body": "a lamp"}]',
    "texts are queries.csv": "id,query,distance\nb,shoe,0.1\na,shoe,0.2\nc,lamp,0.1\n",
}
PLAIN = {
    "documents.jsonl": OTHERS["documents.jsonl"],
    "documents.csv": OTHERS["documents.csv"],
    "titles.csv": "id,title,text\na,Shoe,a shoe\nb,Boot,a boot\nc,Lamp,a lamp\n",
    "questions.csv": "id,question,answer\na,how to clean a shoe,water\nb,boot,wax\nc,which lamp is best,red\n",
    "shop.csv": "id,text,topic,score\na,a shoe,wear,3\nb,a boot,wear,4\nc,a lamp,light,5\n",
}
SEARCHING = ("eval", "compare --model bm25 --model tfidf", "report -o page.html", "tune", "ablate")


def test_hits_with_texts_are_not_searched_for_the_texts_of_judgments():
    cells = [*product(SEARCHING, HITS)]
    for line, name in cells:
        Path(name).write_text(HITS[name])
        command, *options = line.split()
        said = refusal(command, name, *options, "--qrels", "judged.csv")
        assert said.startswith(f"toysearch: {name} has the queries in ")
        assert (
            said.endswith(
                "as a run has, such as 'shoe'; to score it, name its columns query_id, doc_id and score (or "
                "rank); to search it: --queries FILE"
            )
            or "such as 'hat'" in said
        )
        assert not Path("page.html").exists()
    assert len(cells) == 40


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_file_of_documents_is_searched_for_the_texts_of_judgments(name):
    Path(name).write_text(PLAIN[name])
    found = done("eval", name, "--qrels", "judged.csv", "-m", "RR", "--tsv")
    assert found.stdout == "system\tRR\nbm25\t1.0\n"
    assert "there is no file of queries: the 2 texts" in found.stderr


@pytest.mark.parametrize("name", ["distances.csv", "hits.jsonl"])
def test_a_folder_of_hits_and_judgments_is_not_searched(tmp_path, name):
    Path("both").mkdir()
    Path("both", name).write_text(HITS[name])
    Path("both", "judged.csv").write_text(Path("judged.csv").read_text())
    assert "both has the queries in " in refusal("eval", "both")
    with pytest.raises(DataError, match="both has the queries in"):
        assert toysearch.load("both").queries
