"""`toysearch eval COLLECTION`: which of its queries are ranked."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from toysearch.cli.main import command

FILES = {
    "corpus.jsonl": '{"_id": "a", "text": "cat"}\n{"_id": "b", "text": "dog"}\n',
    "queries.jsonl": '{"_id": "1", "text": "cat"}\n{"_id": "2", "text": "horse"}\n{"_id": "3", "text": "dog"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\ta\t1\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\n3\tb\t1\n2\tb\t1\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_only_judged_queries_are_ranked(folder):
    """Query 2, which nothing answers, and query 3 have no judgments in the test split: nothing is said of them."""
    result = CliRunner().invoke(command, ["eval", str(folder), "--tsv", "-m", "RR", "--per-query"])
    assert result.stdout == "system\tquery_id\tRR\nbm25\t1\t1.0\nbm25\tall\t1.0\n"
    assert result.stderr == ""


def test_another_split_has_other_queries(folder):
    result = CliRunner().invoke(command, ["eval", str(folder), "--split", "train", "--tsv", "-m", "RR", "--per-query"])
    assert result.stdout == "system\tquery_id\tRR\nbm25\t3\t1.0\nbm25\t2\t0.0\nbm25\tall\t0.5\n"
    # Said once: that it is missing from the run follows.
    assert result.stderr == ("note: 1 of 2 queries has no term in the index and gets no documents (the first: '2')\n")


def test_a_poor_query_of_a_run_is_looked_up_in_the_documents_of_the_collection(folder):
    (folder / "mine.run").write_text("3 Q0 a 1 1.0 mine\n")
    arguments = ["eval", str(folder / "mine.run"), str(folder), "--split", "train", "-m", "RR", "--worst", "2"]
    assert CliRunner().invoke(command, arguments).stdout.partition("Why\n\n")[2].splitlines() == [
        "  3: the only document retrieved is unjudged; the only relevant document was not retrieved",
        "  2: nothing was retrieved; the only term is in no document: horse; the only relevant document shares no term "
        "with the query: b",
    ]
