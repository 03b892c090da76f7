"""`toysearch leaderboard`: what is printed, what is not, and what is refused."""

import json
import re
import shutil
from functools import partial

import pytest
import shell
from tiers import exhaustive

from toysearch.classroom.competition.leaderboard import Leaderboard

pytestmark = [pytest.mark.system, pytest.mark.waits]

MINE = "def rank(tf, df, N):\n    return tf * N / df\n"
HELD_OUT = ("held-out", "held_out", "secret")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


run = partial(shell.run, "leaderboard")


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A competition with its baseline."""
    folder = tmp_path_factory.mktemp("begun") / "board"
    secret = "a secret that is long enough"
    result = run("init", str(folder), "cat-dog-parrot", "--seed", secret, "--baseline", "bm25")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{folder}: cat-dog-parrot, AP, queries: 1 public and 2 held-out, 1 baseline\n"
    assert result.stderr == ""
    return folder


@pytest.fixture(scope="module")
def joined(begun, tmp_path_factory):
    """The same after the first submission of a team."""
    folder = tmp_path_factory.mktemp("joined")
    (folder / "mine.py").write_text(MINE)
    board = shutil.copytree(begun, folder / "board")
    result = run("submit", str(board), str(folder / "mine.py:rank"), "--name", "Ada")
    assert result.exit_code == 0
    assert result.stdout == "submission 1 of Ada: AP 1.0000 on the public queries\n"
    assert result.stderr == "its best so far; rank 1, shared; 1 submission\n"
    return board


@pytest.fixture
def board(folder, begun):
    return shutil.copytree(begun, folder / "board")


@pytest.fixture
def ada(folder, joined):
    """The board that Ada has joined."""
    return shutil.copytree(joined, folder / "board")


@pytest.mark.usefixtures("ada")
def test_from_the_beginning_to_the_end():
    assert (
        "its best is submission 1; rank 1, shared; 2 submissions\n"
        in run("submit", "board", "formula:0-tf", "--name", "ada").stderr
    )
    opened = run("show", "board")
    assert opened.stdout.startswith(
        "cat-dog-parrot · AP · 1 public query · open\n"
        "rank  team             public     95% CI  behind  p  sent  refused\n"
        "1=    bm25 (baseline)  1.0000  unbounded                1        0\n"
        "1=    Ada              1.0000  unbounded                2        0\n"
    )
    assert not any(word in opened.output for word in HELD_OUT)
    assert run("close", "board").stdout == "board: closed; 2 lines in the table\n"
    closed = run("show", "board").stdout
    assert closed.startswith("cat-dog-parrot · AP · 2 held-out queries · closed\n")
    assert "From the first submission to the one that counts, 1 team gained +0.0000 on the public queries" in closed
    result = run("submit", "board", "bm25", "--name", "Ada")
    assert (result.exit_code, result.stderr) == (
        2,
        "toysearch: board: this competition is closed and takes no more submissions\n",
    )


def test_nothing_of_the_held_out_queries_is_shown_before_the_end(ada, folder):
    run("submit", "board", "bm25", "--name", "Ben", "--json")
    secret = json.loads((ada / "board.json").read_text())["secret"]
    hidden = [entry.held_out["AP"] for entry in Leaderboard(ada).history]
    assert run("show", "board", "-o", "board.html").exit_code == 0
    texts = [run("show", "board", "--format", form).output for form in ("table", "json", "csv", "tsv", "markdown")]
    page = (folder / "board.html").read_text()
    texts.append(page[page.index("<body>") : page.index("Vega")])  # what is not the library that draws
    texts.append(run("submit", "board", "tfidf", "--name", "Cleo", "--json").output)
    for text in texts:
        assert secret not in text
        assert not re.search(r"held.?out", text.lower())
        for value in hidden:
            assert f"{value:.4f}" not in text or value in (0, 1)


def test_a_page_escapes_what_teams_are_called(board, folder):
    run("submit", "board", "mine.py:rank", "--name", "<script>alert(1)</script>")
    run("show", "board", "-o", "board.html")
    page = (folder / "board.html").read_text()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.usefixtures("ada")
def test_values_of_single_queries_and_judgments_are_never_in_the_data():
    run("close", "board")
    data = json.loads(run("show", "board", "--organiser", "--json").stdout)
    assert set(data) == {
        "collection", "measures", "part", "queries", "k", "alpha", "limit", "closed", "teams", "submissions",
        "distinguishable", "without_a_valid_submission", "same",
    }  # fmt: skip
    assert set(data["teams"][0]) == {
        "rank", "shared", "team", "baseline", "mean", "low", "high", "behind", "p", "public", "held_out", "submissions",
        "counts",
    }  # fmt: skip
    assert set(data["submissions"][0]) == {
        "number", "of_team", "time", "team", "baseline", "kind", "refused", "public", "held_out"
    }  # fmt: skip


def test_a_refused_submission(board):
    result = run("submit", "board", "mine.py:other", "--name", "Ada")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "toysearch: mine.py:other: mine.py has no function 'other'. Functions of mine.py: rank\n"
    data = json.loads(run("show", "board", "--json").stdout)
    assert data["submissions"][1]["refused"]
    assert data["without_a_valid_submission"] == ["Ada"]
    visible_part = run("show", "board").stdout
    assert visible_part.splitlines()[1:4] == [
        "rank  team             public     95% CI  behind  p  sent  refused",
        "1     bm25 (baseline)  1.0000  unbounded                1        0",
        "–     Ada                                               0        1",
    ]
    assert "unknown model" not in visible_part
    assert "Refused, Ada: mine.py:other: mine.py has no function 'other'" in run("show", "board", "--organiser").stdout


@pytest.mark.usefixtures("ada")
def test_the_same_submission_of_two_teams_is_told_to_the_organiser():
    assert "note" not in run("submit", "board", "mine.py:rank", "--name", "ada").stderr  # her own again
    said = run("submit", "board", "mine.py:rank", "--name", "Ben")
    assert said.stderr.endswith("note: byte for byte identical to a submission of Ada\n")
    visible_part = run("show", "board", "--organiser").stdout
    assert "The same submission, byte for byte: Ada (1) and Ben (1)." in visible_part
    assert json.loads(run("show", "board", "--organiser", "--json").stdout)["same"] == [[2, 3, 4]]
    assert "byte for byte" not in run("show", "board").stdout
    assert "same" not in json.loads(run("show", "board", "--json").stdout)


def test_a_limit_and_a_short_seed_are_told(folder):
    made = run("init", "small", "cat-dog-parrot", "--limit", "3", "--seed", "short", "--baseline", "bm25")
    assert "note: a seed of fewer than 16 characters can be guessed" in made.stderr
    assert run("submit", "small", "bm25:b=0", "--name", "Ada").stderr.endswith("1 submission, 2 left\n")


def test_a_deadline_is_shown_until_it_has_passed(folder):
    deadline = "2999-12-01T18:00+01:00"
    run("init", "board", "cat-dog-parrot", "--baseline", "bm25", "--due", deadline)
    first = "cat-dog-parrot · AP · 2 public queries · open until 2999-12-01 18:00 UTC+01:00\n"
    assert re.sub(r"\d public query\b|\d public queries", "2 public queries", run("show", "board").stdout).startswith(
        first
    )
    settings = folder / "board" / "board.json"
    settings.write_text(settings.read_text().replace("2999-12-01", "2001-12-01"))
    late = run("submit", "board", "bm25", "--name", "Ada")
    sentence = "toysearch: board: this competition took submissions until 2001-12-01 18:00 UTC+01:00\n"
    assert (late.exit_code, late.stderr) == (2, sentence)
    assert run("close", "board").stdout == "board: closed; 1 line in the table\n"


@exhaustive
def test_programs_get_the_numbers_in_full(folder):
    assert run("init", "b", "companions", "--seed", "a secret that is long enough").exit_code == 0
    assert run("submit", "b", "formula:0-tf", "--name", "Ada").exit_code == 0
    names = ["rank", "team", "public", "low", "high", "behind", "p", "submissions", "refused"]
    teams = json.loads(run("show", "b", "--json").stdout)["teams"]
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        head, *rows = run("show", "b", "--format", form).stdout.splitlines()
        assert head.split(separator) == names
        assert len(rows) == len(teams) == 3
        for row, team in zip(rows, teams, strict=True):
            given = dict(zip(names, row.split(separator), strict=True))
            expected = {name: team["mean" if name == "public" else name] for name in names[2:7]}
            assert {name: float(given[name]) for name in expected} == expected
