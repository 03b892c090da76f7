"""Submitting on the page: by the own link only, in order, with the sentences of the command, and never from a path."""

import re
import shutil
import threading

import pytest
import shell
from competitions import PATIENCE, created, limited, ranked, run_of, until
from on_windows import files_in, is_private
from page_client import client
from student_notebooks import needs_confinement

from toysearch.base.errors import ArgumentError, DataError
from toysearch.page.access import LONGEST_UPLOAD, TOKEN_HEADER
from toysearch.page.served_competition import ServedCompetition

pytestmark = pytest.mark.waits

TEAMS = ("Ada", "Ben", "<script>alert(1)</script>")


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return created(tmp_path_factory.mktemp("begun") / "board", limits=limited(600)).folder


@pytest.fixture(scope="module")
def run():
    return run_of("tfidf")


@pytest.fixture
def competition(begun, tmp_path):
    opened = ServedCompetition("board", str(shutil.copytree(begun, tmp_path / "board")), TEAMS)
    yield opened
    opened.close()


@pytest.fixture
def asked(competition):
    """A browser with the page of the competition."""
    found = client(competition)
    page = found.get("/board/leaderboard").text
    found.headers[TOKEN_HEADER] = re.search(r'name="toysearch-token" content="([^"]+)"', page)[1]
    return found


@pytest.fixture
def sends(asked, competition):
    """What posts a form of a team, and gives the status and the JSON of the answer."""

    def post(team="Ada", status=200, key=None, files=None, **form):
        form = {"team": team, "key": competition.teams[team] if key is None else key} | form
        reply = asked.post("/board/submit.json", data=form, files=files)
        assert reply.status_code == status, reply.text
        return reply.json()

    return post


def of_team(asked, competition, team="Ada", suffix=".json"):
    reply = asked.get(f"/board/submit{suffix}", params={"team": team, "key": competition.teams[team]})
    assert reply.status_code == 200
    return reply.json() if suffix else reply.text


@pytest.mark.parametrize("way", ["file", "pasted", "pasted by a browser"])
def test_a_run_is_ranked_as_the_command_ranks_it(asked, competition, sends, run, way, tmp_path):
    if way == "file":
        data = sends(files={"file": ("my.run", run)})
    else:
        data = sends(pasted=run.replace("\n", "\r\n") if "browser" in way else run, pasted_as="run")
    assert (data["waiting"] or data["submissions"][0])["sent"] == ("my.run" if way == "file" else "pasted.run")
    assert ranked(competition.queue, "Ada") == ""
    data = of_team(asked, competition)
    (tmp_path / "same.run").write_text(run)
    typed = shell.run("leaderboard", "submit", competition.board.folder, tmp_path / "same.run", "--name", "Ada")
    first, second = (text.strip().replace("submission 2", "submission 1") for text in (typed.stdout, typed.stderr))
    assert data["result"]["accepted"]
    second = second.replace("its best is submission 1", "its best so far").replace("2 submissions", "1 submission")
    assert data["result"]["text"] == f"{first}; {second}"
    [entry] = data["submissions"]
    assert (entry["of_team"], entry["kind"], entry["counts"], entry["refused"]) == (1, "run", True, "")
    assert entry["public"] == competition.board.history[-1].public
    assert set(entry) == {"of_team", "time", "kind", "sent", "public", "counts", "refused"}


@pytest.mark.system
@needs_confinement
def test_code_from_the_page_is_confined(asked, competition, sends):
    secret = competition.board.folder / "keys.json"
    code = f"def rank(tf, df):\n    raise ValueError(open({str(secret)!r}).read())\n"
    sends(files={"file": ("../../mine x.py", code)})
    said = ranked(competition.queue, "Ada")
    assert said.startswith("mine_x.py:rank: model 'rank' (mine_x.py:2) failed: PermissionError: ")
    assert said.endswith("(a confined program can access only its working folder and the given files)")
    page = of_team(asked, competition, suffix="")
    secrets = (competition.organiser, competition.teams["Ben"])
    assert ("Refused: mine_x.py:rank: model" in page, [key for key in secrets if key in page]) == (True, [])


@pytest.mark.exhaustive
@needs_confinement
def test_models_of_all_kinds(asked, competition, sends):
    code = "def other(tf, N, df, *, k=1):\n    return k * tf * N / df\n"
    forms = [
        {"model": " formula:log(1+tf)*N/df "},
        {"model": "bm25:b=0.3"},
        {"pasted": code, "pasted_as": "python", "function": "other:k=2"},
    ]
    for form in forms:
        sends(**form)
        assert ranked(competition.queue, "Ada") == ""
    sends(model="bm52")
    assert ranked(competition.queue, "Ada").startswith("bm52: unknown model 'bm52'; did you mean 'bm25'?")
    shown = [(each["sent"], each["of_team"]) for each in reversed(of_team(asked, competition)["submissions"])]
    assert shown == [("formula:log(1+tf)*N/df", 1), ("bm25:b=0.3", 2), ("pasted.py:other:k=2", 3), ("bm52", None)]


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, "send one of these: the text of a model, a file, or a pasted text; found nothing"),
        ({"model": "  ", "pasted": "\n"}, "found nothing"),
        ({"model": "bm25", "pasted": "x"}, "found model and pasted"),
        ({"model": "x" * 2001}, "the text of a model has at most 2,000 characters, not 2,001"),
        ({"model": "/etc/passwd"}, "/etc/passwd: there is no such file, and it is not the text of a model"),
        ({"model": "mine.py:rank"}, "a function in a file must be sent alone"),
        ({"model": "board/judgments/held-out.json"}, "there is no such file"),
        ({"pasted": "x", "pasted_as": "exe"}, "unknown kind of text 'exe'"),
        ({"file": "x"}, "the field `file` must hold a file"),
        ({"key": ""}, "this address does not let 'Ada' submit; open the link that `toysearch serve` printed"),
        ({"key": "é"}, "this address does not let 'Ada' submit"),
    ],
)
def test_what_cannot_be_a_submission_is_refused_at_once(competition, sends, form, says):
    before = files_in(competition.queue.folder)
    assert says in sends(status=400, **form)["error"]
    assert files_in(competition.queue.folder) == before == []
    assert len(competition.board.history) == 1
    said = "x.gz: expected an unpacked run, found gzip; gunzip it"
    assert sends(status=400, files={"file": ("x.gz", b"\x1f\x8b\x08")})["error"] == said


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Q0 1 ", "Q0 d<b>9 ", "which is not in the collection"),
        (r" \d\.\d+ ", " nan ", "1 score is not a number, first on line 1: 'nan'"),
        (r"(?s)^.*$", "\x00\ud83d", "my.run:1: "),
        (r"(?s)\n.*", "\n1 Q0\n", "1 line does not have six columns, first line 2: '1 Q0'"),
    ],
)
def test_bad_runs_are_refused_in_one_sentence(asked, competition, sends, run, old, new, says):
    text = re.sub(old, lambda _: new, run, count=1)
    sends(files={"file": ("my.run", text.encode("utf-8", "surrogatepass"))})
    refusal = ranked(competition.queue, "Ada")
    assert says in refusal
    assert refusal.startswith("my.run")
    assert len(refusal.splitlines()) == 1
    assert of_team(asked, competition)["result"] == {"accepted": False, "text": refusal}
    assert "<b>9" not in of_team(asked, competition, suffix="")


@pytest.mark.system
@needs_confinement
def test_no_sentence_names_the_folder_of_the_competition(asked, competition, sends):
    for model in ("lsa:5000", "dense:nothing.npy", "learned:nothing", "vectors"):
        reply = asked.post("/board/submit.json", data={"team": "Ada", "key": competition.teams["Ada"], "model": model})
        refusal = ranked(competition.queue, "Ada") if reply.status_code == 200 else reply.json()["error"]
        assert refusal
        assert str(competition.board.folder.parent) not in refusal


def test_nobody_submits_as_another(asked, competition, sends, run):
    for team, key in (("Ada", competition.teams["Ben"]), ("Ada", competition.organiser), ("bm25", ""), ("Zoe", "x")):
        form = {"team": team, "key": key, "pasted": run}
        reply = asked.post("/board/submit.json", data=form)
        assert (reply.status_code, "does not let" in reply.json()["error"]) == (400, True)
        assert asked.get("/board/submit.json", params={"team": team, "key": key}).status_code == 400
        assert asked.get("/board/leaderboard.json", params={"team": team, "key": key}).status_code == 400
    assert len(competition.board.history) == 1


def test_a_write_needs_the_token_of_the_page_and_a_short_body(asked, competition, run):
    form = {"team": "Ada", "key": competition.teams["Ada"]}
    files = {"file": ("my.run", run)}
    assert asked.post("/board/submit", data=form, files=files, headers={TOKEN_HEADER: "no"}).status_code == 403
    large = {"file": ("my.run", b"x" * 10_000_000)}
    reply = asked.post("/board/submit", data=form, files=large)
    assert (reply.status_code, reply.text) == (413, f"a request may have a body of at most {LONGEST_UPLOAD:,} bytes\n")
    reply = asked.post("/board/submit", data=form | {"pasted": "x" * 2_000_000})  # without files, 1 MB is enough
    assert (reply.status_code, "1,048,576" in reply.text) == (413, True)
    assert len(competition.board.history) == 1


def test_a_form_without_scripts_leads_to_the_state(asked, competition, run):
    token = asked.headers.pop(TOKEN_HEADER)
    form = {"token": token, "team": "Ada", "key": competition.teams["Ada"], "model": "", "pasted": "", "function": ""}
    reply = asked.post("/board/submit", data=form, files={"file": ("my.run", run)})
    assert reply.status_code == 303
    assert ranked(competition.queue, "Ada") == ""
    page = asked.get(reply.headers["location"]).text
    assert "submission 1 of Ada: AP" in page
    assert f"/board/leaderboard?team=Ada&amp;key={competition.teams['Ada']}" in page


@pytest.mark.system
def test_the_page_answers_while_a_submission_is_ranked(asked, competition, sends, run):
    gate, submit = threading.Event(), competition.board.submit
    competition.board.submit = lambda *given, **named: gate.wait(PATIENCE) and submit(*given, **named)
    first = sends(pasted=run)
    until(lambda: competition.queue.progress("Ada").seconds is not None)
    assert (first["waiting"]["before"], first["result"]) == (0, None)
    sends("Ben", pasted=run)
    until(lambda: competition.queue.progress("Ben").seconds is not None)
    third = sends(TEAMS[2], pasted=run)
    assert (third["waiting"]["before"], third["waiting"]["seconds"]) == (2, None)
    assert "It waits; 2 submissions are ranked before it." in of_team(asked, competition, TEAMS[2], suffix="")
    page = of_team(asked, competition, suffix="")
    assert re.search(r'data-wait="1000".*<progress id="seconds" max="600"', page, re.DOTALL)
    assert "is not ranked yet; wait for its result" in sends(status=400, pasted=run)["error"]
    assert asked.get("/board/leaderboard.json").json()["teams"][0]["team"] == "bm25"
    gate.set()
    assert [ranked(competition.queue, team) for team in TEAMS] == ["", "", ""]
    assert "data-wait" not in of_team(asked, competition, suffix="")


def test_names_cannot_become_markup(asked, competition, sends, run):
    team = TEAMS[2]
    sends(team, files={"file": ('<img src="x">.run', run)})
    assert ranked(competition.queue, team) == ""
    for page in (asked.get("/board/leaderboard").text, of_team(asked, competition, team, suffix="")):
        assert ("<script>alert" in page, "&lt;script&gt;alert(1)" in page) == (False, True)
    assert "_img_src_" in page
    assert "<b>x" not in asked.get("/board/submit", params={"team": "<b>x", "key": ""}).text


def test_the_end_of_a_competition(asked, competition, sends, run):
    competition.board.close()
    assert sends(status=400, pasted=run)["error"] == "this competition is closed and takes no more submissions"
    page = of_team(asked, competition, suffix="")
    assert ("The competition is closed." in page, "<form" in page) == (True, False)


def test_a_limit_is_told(begun, tmp_path, run):
    folder = created(tmp_path / "limited", limit=1).folder
    competition = ServedCompetition("board", str(folder), ["Ada"])
    asked = client(competition)
    live = of_team(asked, competition, suffix="").partition('id="live"')[2].partition("</section>")[0]
    assert "1 submission is left; one that is refused does not count." in live
    (tmp_path / "my.run").write_text(run)
    competition.board.submit(str(tmp_path / "my.run"), "Ada")
    page = of_team(asked, competition, suffix="")
    assert "You have sent 1 submission, which is the limit." in page
    assert "<form" not in page
    assert of_team(asked, competition)["left"] == 0
    competition.close()


def test_without_a_link_the_page_says_how_to_submit(asked, begun, tmp_path):
    assert "Each team has a link of its own: open yours." in asked.get("/board/submit").text
    other = ServedCompetition("board", str(shutil.copytree(begun, tmp_path / "other")))
    page = client(other).get("/board/submit").text
    assert "toysearch serve other --teams ada,ben" in page
    assert client(other).get("/board/submit.json").json()["taken"] is False
    assert not (other.board.folder / "keys.json").exists()
    other.close()


@pytest.mark.parametrize(
    ("teams", "says"),
    [
        (["ada", "Ada "], "two teams are called 'Ada'; choose another name for one"),
        (["ada", "BM25"], "'BM25' is the name of a baseline; choose another name for the team"),
        *(([name], "expected a team name of 1 to 40 letters") for name in ("", "x" * 41, "a\x1bb")),
    ],
)
def test_names_of_teams(begun, teams, says):
    with pytest.raises(ArgumentError, match=re.escape(says)):
        ServedCompetition("board", str(begun), teams)


def test_links_stay_good_but_the_one_of_the_organiser(competition):
    competition.close()
    again = ServedCompetition("board", str(competition.board.folder), ["Ben", "Ada"])
    again.close()
    assert again.teams == {team: competition.teams[team] for team in ("Ben", "Ada")}
    assert again.organiser != competition.organiser
    keys = competition.board.folder / "keys.json"
    assert is_private(keys)
    assert competition.organiser not in keys.read_text()
    keys.write_text("[]")
    with pytest.raises(DataError, match="does not have the keys of links; remove it"):
        ServedCompetition("board", str(competition.board.folder), ["Ada"])


def test_the_form_says_what_is_measured_on_what_and_within_which_limits(asked, competition):
    page, data = of_team(asked, competition, suffix=""), of_team(asked, competition)
    board = competition.board
    assert data["documents"] == len(board.doc_ids)
    assert (data["queries"], data["public"]) == (sum(board.queries.values()), board.queries["public"])
    for text in ("Measure: AP", f"{data['documents']} documents", f"{board.settings.seconds:g} s and"):
        assert text in page, text
    lines = board.sample.splitlines()
    assert all(line in page for line in lines)
    assert [len(line.split()) for line in lines] == [6] * 4
