"""What a command says of its options and prints is what its function says and returns.

A derived command has no body of its own: `command_of` reads what its words name, calls the function, and shows what it
returns. Python has the same function and gets the same result.
"""

import json
import shlex

import pytest
from shell import derived_commands, done, json_of

from toysearch import Index, Searcher
from toysearch.analysis.worked_analysis import worked_analysis
from toysearch.base import plain
from toysearch.cli.options import SHARED, descriptions, sections
from toysearch.evaluation.measures.measure_pages import describe_measures
from toysearch.study.explain.document_explanation import explain_documents
from toysearch.study.explain.query_explanation import read_query
from toysearch.study.explain.typed_ranking_measures import score_ranking


def test_no_shared_help_takes_the_place_of_what_a_function_says():
    derived = derived_commands()
    wrong = [
        f"{name}: {option.help!r} is not {own[option.name]!r}"
        for name, (command, function) in derived.items()
        for own in [descriptions(sections(function)["Parameters"])]
        for option in command.params
        if option.name in SHARED and own.get(option.name, "") not in option.help
    ]
    assert derived
    assert wrong == []


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
    assert json_of(done(*shlex.split(line), "--json").stdout) == json.loads(json.dumps(plain(found.data())))
    assert done(*shlex.split(line), "--tsv").stdout == f"{found:tsv}\n"
