"""The engine of the search benchmark game: built and asked through its Makefile, as the game does."""

import json
import shutil
import subprocess
import sys
import threading

import pytest

pytestmark = [pytest.mark.system, pytest.mark.waits]

SECONDS = 300  # nothing here takes long; a process that hangs does not hang the tests
TEXTS = ["the cat sat", "a cat and another cat", "the dog sat", "parrots talk"]


@pytest.fixture(scope="module")
def engine(benchmark_module, tmp_path_factory):
    """A copy of the engine with its index, and the options that its Makefile is called with."""
    if not shutil.which("make"):
        pytest.skip("make is not here")
    folder = tmp_path_factory.mktemp("engines") / "toysearch"
    shutil.copytree(benchmark_module("processes").HERE / "game", folder)
    corpus = folder.parent / "corpus.json"
    lines = [json.dumps({"id": f"http://{number}", "text": text}) for number, text in enumerate(TEXTS)]
    corpus.write_text("\n".join(lines) + "\n")
    options = ["--no-print-directory", f"PYTHON={sys.executable}", f"CORPUS={corpus}"]
    made = subprocess.run(
        ["make", *options, "index"], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert made.returncode == 0, made.stderr
    return folder, options


def test_each_line_is_answered_before_the_next_one_is_sent(engine):
    folder, options = engine
    questions = {
        "TOP_10\tcat sat": "1",
        "TOP_1000\tzebra": "1",
        "TOP_10_COUNT\tcat sat": "3",
        "COUNT\tcat": "2",
        "COUNT\tcat sat": "3",
        "COUNT\t+cat +sat": "1",
        "COUNT\tzebra": "0",
        "COUNT\tCat, parrots": "3",
        'COUNT\t"the cat"': "UNSUPPORTED",
        "COUNT\tcat +sat": "UNSUPPORTED",
        "TOP_10\t+cat +sat": "UNSUPPORTED",
        "NO_SUCH\tcat": "UNSUPPORTED",
        "no tab": "UNSUPPORTED",
    }
    server = subprocess.Popen(
        ["make", *options, "serve"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    timer = threading.Timer(SECONDS, server.kill)
    timer.start()
    answers = {}
    try:
        for question in questions:
            server.stdin.write(f"{question}\n")
            server.stdin.flush()
            answers[question] = server.stdout.readline().strip()
        server.stdin.close()
        assert server.wait(SECONDS) == 0
    finally:
        timer.cancel()
        server.kill()
        server.stdout.close()
        server.wait()
    assert answers == questions


def test_clean_removes_the_index(engine):
    folder, options = engine
    subprocess.run(["make", *options, "clean"], cwd=folder, timeout=SECONDS, check=True)
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "README.md", "build_index.py", "do_query.py"]
