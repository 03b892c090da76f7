"""The table on the page: the numbers of the static page, and the held-out ones only for the organiser or at the end."""

import json
import re
import shutil

import pytest

pytest.importorskip("starlette")

import shell
from competitions import created, run_of
from markupsafe import escape
from page_client import client

import toysearch
from toysearch.base import typed_line
from toysearch.base.rendering import html_cells
from toysearch.classroom.competition.leaderboard import Leaderboard
from toysearch.classroom.competition.leaderboard_page import visible_part
from toysearch.page.served_competition import ServedCompetition, is_competition

COLLECTION = "companions"
MODELS = {"Ada": ("tfidf", "bm25:b=0"), "Ben": ("lm-dirichlet",), "Cleo & <b>": ("jaccard",)}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A competition in which three teams have sent runs, one of them a bad one too."""
    folder = tmp_path_factory.mktemp("begun")
    board = created(folder / "board", COLLECTION)
    for team, models in MODELS.items():
        for model in models:
            (folder / "my.run").write_text(run_of(model, COLLECTION))
            board.submit(str(folder / "my.run"), team)
    (folder / "my.run").write_text("1 Q0\n")
    shell.run("leaderboard", "submit", board.folder, folder / "my.run", "--name", "Dora")
    return board.folder


@pytest.fixture
def competition(begun, tmp_path):
    opened = ServedCompetition("board", str(shutil.copytree(begun, tmp_path / "board")), ["Ada"])
    yield opened
    opened.close()


@pytest.fixture
def asked(competition):
    return client(competition)


def cells(page):
    """The cells of the table of a page, as HTML, without the drawing."""
    rows = re.findall(r"<tr[ >].*?</tr>", page.split("<tbody>")[1], re.DOTALL)
    return [re.findall(r"<t[dh](?: class=\"right\"| scope=\"row\")?>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]


@pytest.mark.system
@pytest.mark.parametrize(("view", "more"), [("leaderboard", []), ("held-out", ["--organiser"])])
def test_the_table_is_that_of_the_command_and_of_the_static_page(asked, competition, view, more):
    asking = {"key": competition.organiser} if more else {}
    data, page = asked.get(f"/board/{view}.json", params=asking).json(), asked.get(f"/board/{view}", params=asking).text
    known = json.loads(shell.run("leaderboard", "show", competition.board.folder, "--json", *more).stdout)
    assert {name: data[name] for name in known} == known
    what = visible_part(competition.board, organiser=bool(more))
    assert cells(page) == html_cells(*what.tables()[0][:2])
    said = [what.lead, what.verdict, what.legend, *what.sentences()]
    assert all(str(escape(each)) in page for each in said)
    assert "Cleo &amp; &lt;b&gt;" in page
    shown = typed_line("toysearch", "leaderboard", "show", str(competition.board.folder), *more)
    assert data["command"] == (shown if more else None)
    assert any(re.match("Refused, Dora: .*is not a run", note) for note in data["notes"]) == bool(more)


@pytest.mark.system
def test_held_out_scores_are_for_the_organiser_only(asked, competition):
    entries = [entry for entry in competition.board.history if entry.held_out]
    secrets = {f"{entry.held_out['AP']:.4f}" for entry in entries} - {f"{entry.public['AP']:.4f}" for entry in entries}
    assert len(secrets) > 1
    ada = {"team": "Ada", "key": competition.teams["Ada"]}
    for path, values in (("leaderboard", {}), ("leaderboard", ada), ("submit", ada), ("submit", {}), ("index", {})):
        for suffix in ("", ".json"):
            for more in ({}, {"save": "1"}, {"organiser": "1"}):
                reply = asked.get(f"/board/{path}{suffix}" if path != "index" else "/index.json", params=values | more)
                assert reply.status_code == 200
                assert not any(secret[:5] in reply.text for secret in secrets)
                assert not re.search("held.out.*[0-9]|is not a run", reply.text)
                assert competition.organiser not in reply.text
    for key in ("", "x", competition.teams["Ada"], competition.organiser[:-1], "é"):
        for suffix in ("", ".json"):
            reply = asked.get(f"/board/held-out{suffix}", params={"key": key})
            assert (reply.status_code, "does not show held-out scores" in reply.text) == (400, True)
            assert not any(secret[:5] in reply.text for secret in secrets)


def test_at_the_end_everybody_sees_both(asked, competition):
    before = asked.get("/board/leaderboard").text
    assert 'data-wait="5000"' in before
    shell.run("leaderboard", "close", competition.board.folder)
    data = asked.get("/board/leaderboard.json").json()
    assert (data["part"], data["closed"]) == ("held-out", True)
    assert data["teams"] == visible_part(competition.board).data()["teams"]
    assert all(team["held_out"] for team in data["teams"])
    page = asked.get("/board/leaderboard").text
    assert "data-wait" not in page
    ada = {"team": "Ada", "key": competition.teams["Ada"]}
    rows = asked.get("/board/submit.json", params=ada).json()["submissions"]
    assert [row["held_out"] for row in reversed(rows)] == [entry.held_out for entry in competition.board.counted["Ada"]]
    assert "AP, held-out" in asked.get("/board/submit", params=ada).text


def test_the_drawing_has_the_interval_of_each_team(asked, competition):
    page = asked.get("/board/leaderboard").text
    places = [standing.place for standing in competition.board.standings()]
    least, most = min(place.low for place in places), max(place.high for place in places)
    drawn = re.findall(r'<rect x="([\d.]+)" y="4.5" width="([\d.]+)"', page)
    assert len(drawn) == len(places) == len(competition.board.counted)
    for (x, width), place in zip(drawn, places, strict=True):
        assert float(x) == pytest.approx(100 * (place.low - least) / (most - least), abs=0.01)
        assert float(width) == pytest.approx(max(100 * (place.high - place.low) / (most - least), 0.3), abs=0.02)


def test_a_competition_has_its_own_views_only(asked, competition):
    page = asked.get("/", headers={"accept": "text/html"})
    assert (page.status_code, page.headers["location"]) == (307, "/board/leaderboard")
    assert asked.get("/board").headers["location"] == "/board/leaderboard"
    for view in ("search", "document", "explanation", "compare", "judge", "agreement", "judgments", "queries.json"):
        assert asked.get(f"/board/{view}", params={"q": "cat", "doc": "1"}).status_code == 404
    headed = asked.get("/board/leaderboard").text.split("<main")[0]
    assert re.findall(r'<a href="(/board/[^"]*)"', headed) == ["/board/leaderboard", "/board/submit"]
    listed = {"name": "board", "source": "board", "address": "/board/leaderboard"}
    assert asked.get("/index.json").json()["sources"] == [listed]
    token = re.search(r'name="toysearch-token" content="([^"]+)"', asked.get("/board/leaderboard").text)[1]
    assert asked.post("/board/leaderboard", data={"token": token}).status_code == 405
    assert is_competition(str(competition.board.folder))
    assert not is_competition("cat-dog-parrot")


def test_a_competition_without_submissions(tmp_path):
    Leaderboard.create(tmp_path / "new", toysearch.load("cat-dog-parrot"))
    competition = ServedCompetition("new", str(tmp_path / "new"))
    page = client(competition).get("/new/leaderboard")
    assert (page.status_code, "Nobody has submitted yet." in page.text) == (200, True)
    competition.close()
