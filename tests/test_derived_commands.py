"""Commands that are derived from a function: options, defaults and help come from its signature and docstring.

A derived command has no body of its own: `performed` reads what its words name, calls the function, and shows what it
returns. Python has the same function and gets the same result.
"""

import json
import shlex

import pytest
from shell import done, every_command

from toysearch import Index, Searcher
from toysearch.analysis.worked_analysis import worked_analysis
from toysearch.base import plain
from toysearch.cli.signatures import performed
from toysearch.evaluation.measures.measure_pages import describe_measures
from toysearch.study.explain.document_explanation import explain_documents
from toysearch.study.explain.query_explanation import read_query
from toysearch.study.explain.typed_ranking_scores import score_ranking

DERIVED = {
    *("search", "eval", "fuse", "compare", "diff", "convert", "score", "explain"),
    *("query", "analyze", "measures", "similar"),
    *("ablate", "robustness", "gate", "learn", "verify", "tune", "report"),
    *("clicks interleave", "clicks model"),
    *("judge pool", "judge agree", "judge merge", "judge rejudge", "judge votes"),
}


def test_the_commands_that_are_derived_are_these():
    derived = {name for name, command in every_command() if getattr(command.callback, "func", None) is performed}
    assert derived == DERIVED
    assert len(derived) == 26


def pets():
    return Searcher(Index.build("cat-dog-parrot"), "bm25")


SAME = {
    'score "R U I R" --judged "1 1 0 1"': lambda: score_ranking("R U I R", judged="1 1 0 1"),
    "explain cat-dog-parrot --query cat 1 2": lambda: explain_documents(pets(), "cat", ["1", "2"]),
    "query cat* cat-dog-parrot": lambda: read_query("cat*", index=pets().index),
    "query dogs --analyzer english": lambda: read_query("dogs", analyzer="english"),
    "analyze Dogs --analyzer english": lambda: worked_analysis("Dogs", "english"),
    "measures map_cut_10": lambda: describe_measures("map_cut_10"),
    "measures": describe_measures,
}


@pytest.mark.parametrize("line", SAME)
def test_python_returns_what_the_command_prints(line):
    found = SAME[line]()
    assert json.loads(done(*shlex.split(line), "--json").stdout) == json.loads(json.dumps(plain(found.data())))
    assert done(*shlex.split(line), "--tsv").stdout == f"{found:tsv}\n"
