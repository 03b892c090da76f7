"""Submissions that wait: two at a time, on the disk before they are acknowledged, ranked once after a crash."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from captured_notes import noted
from competitions import PATIENCE, created, limited, ranked, run_of, until
from on_windows import copy_of, files_in
from student_notebooks import line_past_the_limit, needs_confinement

from toysearch.base.errors import ArgumentError, StorageError
from toysearch.classroom.competition import leaderboard, submission_queue
from toysearch.classroom.competition.leaderboard import Leaderboard
from toysearch.classroom.competition.submission import sent_model_file, sent_run, sent_text
from toysearch.classroom.competition.submission_queue import QueueTaken, SubmissionQueue

pytestmark = pytest.mark.waits
RUN = sent_run("my.run", run_of("tfidf").encode())
TEAMS = ["Ada", "Ben", "Carla", "Dora", "Emil", "Fay"]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return created(tmp_path_factory.mktemp("begun") / "board", limit=3).folder


@pytest.fixture
def board(begun, tmp_path):
    return Leaderboard(shutil.copytree(begun, tmp_path / "board"))


@pytest.fixture
def queue(board):
    opened = SubmissionQueue(board)
    yield opened
    opened.close()


@pytest.fixture
def gate(board):
    """What a submission waits for, so that a test sees it in the queue."""
    opened, submit = threading.Event(), board.submit

    def held(*given, **named):
        opened.wait(PATIENCE)
        return submit(*given, **named)

    board.submit = held
    yield opened
    opened.set()


def teams_of(board):
    """The teams of the history, in order, without the baseline."""
    return [entry.team for entry in board.history[1:]]


def test_a_submission_is_ranked_and_gone_from_the_queue(queue, board):
    queue.add("Ada", RUN)
    assert ranked(queue, "Ada") == ""
    [entry] = board.history[1:]
    assert (entry.team, entry.kind, entry.sent, entry.checksum) == ("Ada", "run", "my.run", RUN.checksum)
    assert entry.public == Leaderboard(board.folder).counted["Ada"][0].public
    assert files_in(queue.folder) == []


def test_notes_about_a_file_of_a_team_are_not_those_of_the_organiser(queue, board):
    odd = sent_run("my.run", run_of("tfidf").encode().replace(b"tfidf", b"tf\xffidf"))
    with noted() as told:
        queue.add("Ada", odd)
        assert ranked(queue, "Ada") == ""
    assert told == []


def test_what_a_page_adds_to_the_folder_is_hidden_from_models(board):
    assert {path.name for path in board._task.hidden} >= {"waiting", "keys.json", "judgments", "history.jsonl"}


def test_a_queue_tells_who_is_before_whom(queue, board, gate):
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    until(lambda: None not in (queue.progress("Ada").seconds, queue.progress("Ben").seconds))
    queue.add("Dora", RUN)
    found = {team: queue.progress(team) for team in TEAMS[:4]}
    assert [(each.turn.what, each.before) for each in found.values()] == [("my.run", place) for place in (0, 0, 2, 3)]
    assert [each.seconds is None for each in found.values()] == [False, False, True, True]
    assert queue.progress("Emil") is None
    with pytest.raises(ArgumentError, match="the last submission of Ben is not ranked yet; wait for its result"):
        queue.add("Ben", RUN)
    gate.set()
    assert [ranked(queue, team) for team in TEAMS[:4]] == [""] * 4
    assert sorted(teams_of(board)) == TEAMS[:4]


def test_two_endless_models_of_two_teams_do_not_hold_both_threads(board, monkeypatch):
    monkeypatch.setattr(submission_queue, "_LONG", 0.2)
    submit, times = board.submit, []

    def endless_for_two(sent, team, *, stop, **more):
        if team in ("Ada", "Ben"):
            times.append(team)
            stop.wait(PATIENCE)
            raise KeyboardInterrupt
        return submit(sent, team, stop=stop, **more)

    board.submit = endless_for_two
    queue = SubmissionQueue(board)
    for team in TEAMS:
        queue.add(team, RUN)
    assert [ranked(queue, team) for team in TEAMS[2:]] == [""] * 4
    assert set(times) == {"Ada", "Ben"}
    assert {queue.progress(team) is not None for team in ("Ada", "Ben")} == {True}  # neither is lost
    queue.close()
    assert len(list((board.folder / "waiting").glob("0*.json"))) == 2


@pytest.mark.system
def test_what_is_put_aside_is_ranked_later(board, monkeypatch):
    monkeypatch.setattr(submission_queue, "_LONG", 0.2)
    submit, put_aside, gate = board.submit, [], threading.Event()

    def slow(sent, team, *, stop, **more):
        if threading.current_thread().name == "submissions 0":  # puts nothing aside, whoever's turn it got
            gate.wait(PATIENCE)
        elif not put_aside:
            assert stop.wait(PATIENCE)
            put_aside.append(team)
            gate.set()
            raise KeyboardInterrupt
        return submit(sent, team, stop=stop, **more)

    board.submit = slow
    queue = SubmissionQueue(board)
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    assert [ranked(queue, team) for team in TEAMS[:3]] == [""] * 3
    queue.close()
    assert len(put_aside) == 1
    assert sorted(teams_of(board)) == TEAMS[:3]


@pytest.mark.system
def test_what_was_sent_before_the_deadline_counts_however_long_its_ranking_takes(tmp_path, monkeypatch):
    clock = ["2026-12-01T16:59:59+00:00"]
    monkeypatch.setattr(leaderboard, "now", lambda: clock[0])
    board = created(tmp_path / "board", until="2026-12-01 18:00 Europe/Berlin")
    ranks = leaderboard.run_of

    def until_after_the_deadline(*arguments):
        clock[0] = "2026-12-01T17:00:05+00:00"
        return ranks(*arguments)

    monkeypatch.setattr(leaderboard, "run_of", until_after_the_deadline)
    assert board.submit("bm25", "Ada").accepted
    with pytest.raises(ArgumentError, match="took submissions until 2026-12-01 18:00"):
        board.submit("bm25", "Ben")
    assert teams_of(board) == ["Ada"]


@pytest.mark.system
def test_what_ends_after_the_close_is_refused(tmp_path, monkeypatch):
    board = created(tmp_path / "board")
    ranks = leaderboard.run_of

    def closed_meanwhile(*arguments):
        Leaderboard(board.folder).close()
        return ranks(*arguments)

    monkeypatch.setattr(leaderboard, "run_of", closed_meanwhile)
    with pytest.raises(ArgumentError, match="this competition is closed"):
        board.submit("bm25", "Ada")
    assert board.history[-1].refused


def test_a_team_that_has_taken_long_waits_for_those_that_have_not(board):
    """By a clock that a submission of Ada moves on by a minute."""
    minutes, order, began, held = [0.0], [], threading.Event(), threading.Event()

    def timed(given, team, **named):
        order.append(team)
        began.set()
        if team == "Dora":
            held.wait(PATIENCE)
        minutes[0] += 60.0 if team == "Ada" else 1.0

    board.submit = timed
    queue = SubmissionQueue(board, workers=1, clock=lambda: minutes[0])
    queue.add("Ada", RUN)
    queue.wait()
    began.clear()
    queue.add("Dora", RUN)
    began.wait(PATIENCE)
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    assert [queue.progress(team).before for team in TEAMS[:3]] == [3, 1, 2]
    held.set()
    queue.wait()
    assert order == ["Ada", "Dora", "Ben", "Carla", "Ada"]
    queue.close()


def test_closing_ranks_what_was_sent_before_and_refuses_what_comes_later(queue, board, gate):
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    organiser = Leaderboard(board.folder)
    with ThreadPoolExecutor(1) as pool:
        closing = pool.submit(organiser.close)
        until(lambda: board.over)
        with pytest.raises(ArgumentError, match=r"^this competition is closed and takes no more submissions$"):
            queue.add("Dora", RUN)
        with pytest.raises(ArgumentError, match=r"this competition is closed and takes no more submissions$"):
            organiser.submit("bm25", "Emil")
        assert not board.closed
        gate.set()
        closing.result()
    assert sorted(teams_of(board)[:-1]) == TEAMS[:3]
    assert board.history[-1].kind == "closed"
    assert not any(entry.refused for entry in board.history)


def test_closing_ranks_what_a_closed_page_has_left(queue, board, gate, tmp_path):
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    after = Leaderboard(copy_of(board.folder, tmp_path / "after"))  # as a killed process leaves it
    assert after.waiting == 3
    after.close()
    assert (sorted(teams_of(after)[:-1]), after.waiting, after.closed) == (TEAMS[:3], 0, True)


def test_a_deadline_refuses_what_comes_later_and_ranks_what_came_before(tmp_path, monkeypatch):
    clock = ["2026-12-01T16:59:59+00:00"]
    for module in (leaderboard, submission_queue):
        monkeypatch.setattr(module, "now", lambda: clock[0])
    board = created(tmp_path / "board", until="2026-12-01T18:00+01:00")
    submit, held = board.submit, threading.Event()
    board.submit = lambda *given, **named: held.wait(PATIENCE) and submit(*given, **named)
    queue = SubmissionQueue(board)
    queue.add("Ada", RUN)
    clock[0] = "2026-12-01T17:00:00+00:00"
    said = "this competition took submissions until 2026-12-01 18:00 UTC\\+01:00$"
    with pytest.raises(ArgumentError, match=said):
        queue.add("Ben", RUN)
    with pytest.raises(ArgumentError, match=said):
        submit("bm25", "Ben")
    held.set()
    assert ranked(queue, "Ada") == ""
    assert teams_of(board) == ["Ada"]
    queue.close()
    board.close()
    assert board.closed


def test_submissions_at_once_lose_nothing(queue, board):
    other = Leaderboard(board.folder)  # the command, at the same time
    file = board.folder.parent / "my.run"
    file.write_bytes(RUN.data)
    with ThreadPoolExecutor(8) as pool:
        added = [pool.submit(queue.add, team, RUN) for team in TEAMS]
        typed = [pool.submit(other.submit, str(file), "Gil") for _ in range(3)]
        assert [each.result() for each in added] == [None] * 6
    assert [ranked(queue, team) for team in TEAMS] == [""] * 6
    assert sorted(teams_of(board)) == sorted([*TEAMS, "Gil", "Gil", "Gil"])
    assert len({entry.number for entry in board.history}) == len(board.history) == 10
    assert all(each.result().public for each in typed)


def test_a_refusal_is_told_in_the_sentence_of_the_command(queue, board):
    queue.add("Ada", sent_run("my.run", b"1 Q0 nowhere 1 2.0 x\n"))
    said = ranked(queue, "Ada")
    assert said == board.history[-1].refused
    assert said.startswith("my.run: there is no document for 2 queries of 3, such as '")
    for score in ("--inf", "++1", "nan"):
        queue.add("Zoe", sent_run("my.run", f"1 Q0 1 1 {score} x\n".encode()))
        said = f"my.run: scores: 1 score is not a number, first on line 1: '{score}'; a division by 0, or another"
        assert ranked(queue, "Zoe") == f"{said} column?"  # as `check` says it
    for _ in range(3):
        queue.add("Ada", RUN)
        assert ranked(queue, "Ada") == ""
    queue.add("Ada", RUN)
    assert ranked(queue, "Ada") == "Ada has already sent 3 submissions, which is the limit"
    assert len(board.history) == 8


def test_what_waits_after_a_crash_is_ranked_when_the_queue_is_opened_again(queue, board, gate, tmp_path):
    for team in TEAMS[:3]:
        queue.add(team, RUN)
    after = Leaderboard(copy_of(board.folder, tmp_path / "after"))  # as a killed process leaves it
    assert teams_of(after) == []
    again = SubmissionQueue(after)
    assert [ranked(again, team) for team in TEAMS[:3]] == ["", "", ""]
    assert sorted(teams_of(after)) == TEAMS[:3]
    again.add("Ada", RUN)
    assert ranked(again, "Ada") == ""
    again.close()


def test_what_reached_the_history_before_a_crash_is_not_ranked_again(queue, board, gate, tmp_path):
    queue.add("Ada", RUN)
    [waiting] = files_in(queue.folder)
    kept = waiting.read_bytes()
    gate.set()
    ranked(queue, "Ada")
    after = Leaderboard(copy_of(board.folder, tmp_path / "after"))
    (after.folder / "waiting" / waiting.name).write_bytes(kept)  # the crash came before its file was removed
    again = SubmissionQueue(after)
    assert again.progress("Ada") is None
    assert teams_of(after) == ["Ada"]
    assert files_in(again.folder) == []
    again.close()


def test_the_same_run_again_within_the_same_second_is_not_lost_in_a_crash(queue, board, gate, tmp_path, monkeypatch):
    for module in (leaderboard, submission_queue):
        monkeypatch.setattr(module, "now", lambda: "2026-11-22T12:00:00+00:00")
    gate.set()
    queue.add("Ada", RUN)
    ranked(queue, "Ada")
    gate.clear()
    queue.add("Ada", RUN)
    again = SubmissionQueue(Leaderboard(copy_of(board.folder, tmp_path / "after")))
    assert ranked(again, "Ada") == ""
    assert teams_of(again.board) == ["Ada", "Ada"]
    again.close()


@pytest.mark.system
@needs_confinement
def test_closing_ends_a_model_that_is_ranked_and_keeps_it(tmp_path, monkeypatch):
    board = created(tmp_path / "board", limits=limited(600))
    queue = SubmissionQueue(board)
    queue.add("Ada", sent_model_file("mine.py", "", b"open('late', 'w').close()\nwhile True: pass\n"))
    until(lambda: len([*(board.folder / "submissions").iterdir()]) == 2)
    queue.close()
    assert [path.name for path in (board.folder / "submissions").iterdir()] == ["0001"]
    assert len(board.history) == 1
    assert len(files_in(queue.folder)) == 1
    with pytest.raises(ArgumentError, match="this page is being closed"):
        queue.add("Ben", RUN)
    line_past_the_limit(monkeypatch)
    again = SubmissionQueue(board)
    assert ranked(again, "Ada") == "mine.py:rank: it took more than 600 s and was ended"
    again.close()


def test_a_folder_that_is_closed_is_free_once_nothing_is_ranked(board):
    begun, found = threading.Event(), []

    def slow(*given, stop, **more):
        begun.set()
        assert stop.wait(PATIENCE)
        for _ in range(1000):  # time enough for one that closes without waiting
            with pytest.raises(QueueTaken):
                SubmissionQueue(board)
        found.append("taken")
        raise KeyboardInterrupt

    board.submit = slow
    queue = SubmissionQueue(board)
    queue.add("Ada", RUN)
    begun.wait(PATIENCE)
    queue.close()
    assert found == ["taken"]


@pytest.mark.usefixtures("queue")
def test_one_page_at_a_time_takes_submissions(board):
    with pytest.raises(StorageError, match="; close it first"):
        SubmissionQueue(Leaderboard(board.folder))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"team": "Ada"}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_named(board, content):
    folder = board.folder / "waiting"
    folder.mkdir()
    (folder / "000001.json").write_bytes(content)
    with pytest.raises(StorageError, match=r"000001\.json is not a waiting submission; remove it"):
        SubmissionQueue(board)
    (folder / "000001.json").unlink()
    SubmissionQueue(board).close()


def test_a_text_never_names_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def rank(tf):\n    return tf\n")
    (tmp_path / "judged").write_text("secret")
    for text in ("mine.py:rank", "mine.py", "bm25 + mine.py:rank", "/etc/passwd", "./judged", r"C:\judged"):
        with pytest.raises(ArgumentError, match=r"must be sent alone|there is no such file"):
            sent_text(text)
    assert sent_text("judged").data == b"judged"
