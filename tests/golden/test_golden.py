"""What the commands print, character by character, on the bundled collection.

To accept a change of the output on purpose: TOYSEARCH_GOLDEN=write pytest tests/golden, then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from shell import typed

FOLDER = Path(__file__).parent
COMMANDS = {
    "demo": "demo",
    "search": 'search cat-dog-parrot "train cat" --explain',
    "search_cosine": 'search cat-dog-parrot "train the cat" --model cosine:idf=smooth --explain -k 1',
    "search_query": "search cat-dog-parrot --query-id 3 --model dice",
    "search_json": 'search cat-dog-parrot "parrot" --model bm25plus-rank --explain --json',
    "search_misspelt": 'search companions "removing a tcik" -k 2',
    "search_corrected": 'search companions "tickremoval" --correct -k 2',
    "compare_misspelt": "compare companions --model bm25 --alter 'every word misspelt' -m AP",
    "search_tsv": "search cat-dog-parrot --query-id 2 --tsv",
    "eval": 'eval cat-dog-parrot --model bm25 --model jaccard -m "AP nDCG@2 R@2" --worst 2',
    "eval_explain": "eval cat-dog-parrot -m AP --explain nDCG@2 --query-id 3",
    "eval_explain_json": "eval cat-dog-parrot -m AP --explain AP --query-id 1 --json",
    "eval_ranking": 'score "R R I I R" --relevant 4',
    "eval_ranking_graded": 'score "3 2 3 0 1 2" --judged "3 3 3 2 2 2 1 0" --explain nDCG@6',
    "eval_ranking_unknown": 'score "R U I R" -m "P@4 RR RBP AP nDCG"',
    "eval_queries": "eval cat-dog-parrot --model overlap --model bm25 -m RR --best 1 --hardest 2 --histogram",
    "examples": "textbook examples",
    "examples_a_json": "textbook examples A --json",
    "means": "textbook means 60 20",
    "means_relative": "textbook means 1,1000 10,100 20,20",
    "eval_per_query": "eval cat-dog-parrot --per-query --tsv",
    "eval_json": "eval cat-dog-parrot -m AP --json",
    "eval_bounds": 'eval cat-dog-parrot -m "AP nDCG@2" --ties bounds --per-query',
    "eval_conventions": 'eval cat-dog-parrot --model cosine -m "AP nDCG@2 RR" --convention all',
    "run": "run cat-dog-parrot --model overlap -o -",
    "models": "models",
    "models_bm25": "models bm25:k1=0.9",
    "models_cosine_json": "models cosine --json",
    "measures": "measures",
    "measures_ndcg": "measures nDCG",
    "measures_json": "measures map_cut_10 --json",
    "eval_aggregate": 'eval cat-dog-parrot --model jaccard -m "official ERR@20 SetF" --aggregate min --tsv',
    "query": """query '"train the cat" dogs^2 -(parrot* OR the)' --analyzer english""",
    "query_lenient": """query 'C++ "unclosed year:[1990 TO *] who? -9' """ + "--query-mode lenient",
    "query_strict": "query 'cat AND (dog' --query-mode strict",
    "query_json": "query '+training a~1' --analyzer english --json",
    "texts": 'similar --texts "train cat" "How to train a cat"',
    "texts_tfidf": 'similar cat-dog-parrot --texts "train cat" "train dog" --weights tfidf',
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_the_reviewed_one(name):
    line = f"toysearch {COMMANDS[name]}"
    done = typed(line, FOLDER)
    shown = f"$ {line}\n{done.stdout}-- stderr, exit {done.exit_code}\n{done.stderr}"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("TOYSEARCH_GOLDEN") == "write":
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
