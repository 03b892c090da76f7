"""What the commands print, character by character, on the bundled collection.

To accept a change of the output on purpose: TOYSEARCH_GOLDEN=write pytest tests/golden, then read the diff.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
COMMANDS = {
    "demo": "demo",
    "search": 'search cat-dog-parrot "train cat" --explain',
    "search_cosine": 'search cat-dog-parrot "train the cat" --model cosine:idf=smooth --explain -k 1',
    "search_query": "search cat-dog-parrot --query-id 3 --model dice",
    "search_json": 'search cat-dog-parrot "parrot" --model bm25plus-rank --explain --json',
    "search_tsv": "search cat-dog-parrot --query-id 2 --tsv",
    "eval": 'eval cat-dog-parrot --model bm25 --model jaccard -m "AP nDCG@2 R@2" --worst 2',
    "eval_per_query": "eval cat-dog-parrot --per-query --tsv",
    "eval_json": "eval cat-dog-parrot -m AP --json",
    "run": "run cat-dog-parrot --model overlap -o -",
    "models": "models",
    "models_bm25": "models bm25:k1=0.9",
    "models_cosine_json": "models cosine --json",
    "similarity": 'similarity "train cat" "How to train a cat"',
    "similarity_tfidf": 'similarity "train cat" "train dog" --weights tfidf --collection cat-dog-parrot',
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_the_reviewed_one(name):
    command = [str(Path(sys.executable).with_name("toysearch")), *shlex.split(COMMANDS[name])]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60)
    shown = f"$ toysearch {COMMANDS[name]}\n{done.stdout}-- stderr, exit {done.returncode}\n{done.stderr}"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("TOYSEARCH_GOLDEN") == "write":
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
