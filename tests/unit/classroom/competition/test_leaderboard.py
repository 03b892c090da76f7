"""A competition from its split to its end: what counts, what is refused, and what no submission can read."""

import contextlib
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
from errno import EACCES
from pathlib import Path

import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from on_windows import is_private
from student_notebooks import needs_confinement
from tiers import exhaustive, thinned

import toysearch
from toysearch import Document
from toysearch.base.errors import ArgumentError, DataError, StorageError, ToysearchError
from toysearch.classroom.competition.leaderboard import Leaderboard, held_out_queries
from toysearch.classroom.competition.submission import sent
from toysearch.classroom.sandbox import kernel_confinement
from toysearch.classroom.sandbox.confined_run import Limits

PETS = "cat-dog-parrot"
MIXED = "0.5*bm25 + 0.5*min-max(mine.py:rank)"
FORBIDDEN = "PermissionError: [Errno 1] Operation not permitted (a confined program can access only its working folder"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    folder = tmp_path_factory.mktemp("begun") / "board"
    return Leaderboard.create(folder, toysearch.load(PETS), "AP RR", secret="a secret").folder


@pytest.fixture
def board(folder, begun):
    return Leaderboard(os.path.relpath(shutil.copytree(begun, folder / "board")))


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def refused(board, program, team="Eve", error=ArgumentError):
    """What is said of a program that is refused as a model."""
    write("mine.py", program)
    with pytest.raises(error) as caught:
        board.submit("mine.py", team)
    return str(caught.value)


def run_file(name="mine.run", model="bm25"):
    pets = toysearch.load(PETS)
    run = toysearch.Searcher(toysearch.Index.build(pets), model).run(pets.judged_queries, name="mine")
    toysearch.write_run(run, name)
    return name


def test_a_new_competition(board, folder):
    pets = toysearch.load(PETS)
    assert sum(board.queries.values()) == len(pets.judged_queries)
    assert board.settings.measures == ("AP", "RR")
    assert (board.settings.collection, board.settings.threshold) == (PETS, pets.threshold)
    assert is_private(Path("board"))
    assert board.standings() == []
    assert not board.closed
    assert [path.name for path in folder.iterdir()] == ["board"]
    assert Leaderboard("board").settings == board.settings
    parts = [toysearch.read_qrels(f"board/judgments/{part}.json") for part in ("public", "held-out")]
    assert sorted(row for part in parts for row in part) == sorted(pets.qrels)
    assert not {*parts[0].query_ids} & {*parts[1].query_ids}
    secrets = {Leaderboard.create(f"b{n}", pets).settings.secret for n in range(2)}
    assert [len(secret) for secret in secrets] == [32, 32]


def test_subtopics_and_needs_count_as_evaluate_says(folder):
    texts = {str(number): f"own{number % 4 + 1} {'cat ' * number} own{number // 2 + 1}" for number in range(6)}
    needs = {f"{need}{text}": str(need) for need in range(1, 5) for text in "ab"}
    words = {"a": "own{0}", "b": "cat own{0}"}
    queries = [{"query_id": text, "text": words[text[1]].format(need), "need": need} for text, need in needs.items()]
    judged = {need: {doc: {"x": int(doc > need), "y": int(doc < need)} for doc in texts} for need in "1234"}
    documents = [Document(*pair) for pair in texts.items()]
    pets = toysearch.Collection("pets", documents, queries, toysearch.Qrels.from_subtopics(judged))
    board = Leaderboard.create("board", pets, "alpha_nDCG@2 AP", secret="x")
    entry = board.submit("bm25", "Ada")
    run = toysearch.Searcher(toysearch.Index.build(pets)).run(pets.queries)
    assert pets.qrels.subtopics is not None
    split = [qrels.query_ids for qrels in board._qrels.values()]
    assert not {needs[query] for query in split[0]} & {needs[query] for query in split[1]}
    for query_ids, means, part in zip(split, (entry.public, entry.held_out), ("public", "held-out"), strict=True):
        expected = toysearch.evaluate(run, pets.qrels.of_queries(query_ids), "alpha_nDCG@2 AP")
        assert means == {name: pytest.approx(expected[name]) for name in ("alpha_nDCG@2", "AP")}
        [standing] = board.standings(part)
        assert standing.place.mean == pytest.approx(expected["alpha_nDCG@2"])
        assert board._values(entry, part).shape == (2,)


def test_both_parts_have_one_scale(folder):
    """The top of the scale is the highest grade of all judgments, which one part lacks."""
    words = ["cat", "dog", "cow", "hen"]
    documents = [Document(word, f"a {word}") for word in words]
    grades = {word: {word: 3 if word == "hen" else 1} for word in words}
    queries = [{"query_id": word, "text": word} for word in words]
    pets = toysearch.Collection("pets", documents, queries, toysearch.Qrels(grades))
    board = Leaderboard.create("board", pets, "ERR", secret="x")
    entry = board.submit("bm25", "Ada")
    expected = {word: 7 / 8 if word == "hen" else 1 / 8 for word in words}
    for part, qrels in board._qrels.items():
        mean = sum(expected[word] for word in qrels.query_ids) / len(qrels.query_ids)
        assert entry.means(part) == {"ERR": pytest.approx(mean)}


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_a_model_a_file_and_a_run_are_worth_what_evaluate_says(board):
    write("mine.py", "def rank(tf, *, k=1.0):\n    print('hello')\n    return tf / (tf + k)\n")
    pets = toysearch.load(PETS)
    index = toysearch.Index.build(pets)
    for what, model in (
        ("mine.py:rank:k=2", "formula:tf/(tf+k):k=2"),
        ("formula:0-tf", "formula:0-tf"),
        (run_file(), "bm25"),
    ):
        entry = board.submit(what, "Ada")
        run = toysearch.Searcher(index, model).run(pets.judged_queries)
        for part, means in (("public", entry.public), ("held-out", entry.held_out)):
            qrels = toysearch.read_qrels(f"board/judgments/{part}.json")
            expected = toysearch.evaluate(run, qrels, "AP RR", threshold=pets.threshold)
            assert means == {"AP": expected["AP"], "RR": expected["RR"]}
            if model == "formula:0-tf":  # here the threshold matters, and the parts differ
                assert expected["AP"] != toysearch.evaluate(run, qrels, "AP", threshold=1)["AP"]
                assert entry.public != entry.held_out
    assert [entry.kind for entry in board.history] == ["file", "text", "run"]
    assert [entry.number for entry in board.history] == [1, 2, 3]


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_what_was_sent_is_kept_as_it_was(board, folder):
    text = "# mine\ndef rank(tf):\n    return tf\n"
    entry = board.submit(write("m.py", text), "A")
    assert (folder / "board/submissions/0001/m.py").read_text() == text
    assert entry.checksum == sent("m.py").checksum
    assert sorted(path.name for path in (folder / "board/submissions/0001").iterdir()) == ["m.py", "values.json"]
    path = run_file()
    board.submit(path, "A")
    assert (folder / "board/submissions/0002/mine.run").read_bytes() == (folder / path).read_bytes()


def test_the_best_public_submission_counts(board):
    board.submit(run_file(), "Ada")
    board.submit(run_file("worse.run", "formula:0-tf"), "Ada")
    board.submit(run_file(), "ADA ")
    (standing,) = board.standings()
    assert (standing.entry.team, standing.entry.number, standing.submissions) == ("Ada", 1, 3)


def test_a_baseline_keeps_its_name(board):
    board.submit(run_file(), "bm25", baseline=True)
    with raising(ArgumentError, "'bm25' is the name of a baseline; choose another name"):
        board.submit("tfidf", "BM25")


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\x1bb"])
def test_names_that_are_none(board, name):
    with pytest.raises(ArgumentError, match=r"^expected a team name of 1 to 40 letters, found '"):
        board.submit("bm25", name)
    assert board.history == []


def test_closed(board):
    board.submit(run_file(model="formula:0-tf"), "Ada")
    assert board.history[0].public["AP"] != board.history[0].held_out["AP"]
    assert board.standings()[0].place.mean == pytest.approx(board.history[0].public["AP"])
    board.close()
    assert board.closed
    assert board.standings()[0].place.mean == pytest.approx(board.history[0].held_out["AP"])
    with pytest.raises(ArgumentError, match="already closed"):
        board.close()
    with raising(ArgumentError, "board: this competition is closed and takes no more submissions"):
        board.submit("bm25", "Ada")


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("def rank(tf):\n    return tf\n  oops", "mine.py:3: unindent does not match any outer indentation level"),
        ("def other(tf):\n    return tf", "mine.py has no function 'rank'. Functions of mine.py: other"),
        ("1 / 0", "mine.py:1: ZeroDivisionError: division by zero"),
        ("def rank(tf):\n    raise KeyError(1)", "model 'rank' (mine.py:2) failed: KeyError: 1"),
        ("def rank(tf):\n    return tf.sum()", None),
        ("import sys\nsys.exit(0)", "it ended before it ranked anything"),
        pytest.param("while True: pass", "it took more than 3 s and was ended", marks=exhaustive),
        ("import subprocess\nsubprocess.run(['ls'])", f"mine.py:2: {FORBIDDEN} and the given files)"),
    ],
)
def test_a_model_that_is_none_is_refused_and_noted(folder, program, sentence):
    board = Leaderboard.create("strict", toysearch.load(PETS), limits=Limits(seconds=3 if "while" in program else 60))
    message = refused(board, program, "Ada")
    assert message.startswith("mine.py:rank: ")
    assert "\n" not in message
    if sentence is not None:
        assert message == f"mine.py:rank: {sentence}"
    (entry,) = board.history
    assert entry.refused == message
    assert board.standings() == []
    assert (folder / "strict/submissions/0001/mine.py").read_text() == program


HIDDEN = [
    *("{board}/judgments/public.json", "{board}/judgments/held-out.json", "{board}/board.json"),
    *("{board}/history.jsonl", "{board}/index/../judgments/public.json", "{shipped}/cat-dog-parrot/qrels/test.tsv"),
]


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_a_model_cannot_read_what_is_hidden(board, folder):
    from toysearch.collection.catalog import bundled

    board.submit(run_file(), "Ada")  # so that there is a history
    places = [path.format(board=folder / "board", shipped=bundled(PETS).parent) for path in HIDDEN]
    assert all(Path(place).is_file() for place in places)
    tried = "def tried(place):\n    try: return open(place).read()\n    except OSError as error: return error.errno\n"
    message = refused(board, f"{tried}raise ValueError([tried(place) for place in {places!r}])\n")
    assert message.endswith(f"ValueError: {[EACCES] * len(HIDDEN)}")


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_a_folder_of_ones_own_is_hidden_too(folder):
    toysearch.convert(toysearch.load(PETS), to="beir", folder=folder / "own")
    board = Leaderboard.create("board", toysearch.load("own"), source="own")
    name = next(path for path in (folder / "own").rglob("*") if "qrels" in str(path) and path.is_file())
    assert "Permission denied" in refused(board, f"open({str(name)!r})\ndef rank(tf):\n    return tf\n")
    assert board.submit(run_file(), "Ada").number == 2


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_nothing_of_a_submission_runs_here(board):
    """A file that would leave a trace in this process, sent in each way there is."""
    write("mine.py", "import sys\nsys.trace_of_mine = 1\ndef rank(tf):\n    return tf\n")
    import sys

    for what in ("mine.py:rank", "mine.py", MIXED, "bm25:b=mine.py:rank"):
        with contextlib.suppress(ToysearchError):
            board.submit(what, "Eve")
    assert not hasattr(sys, "trace_of_mine")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(" 1 1 ", " nope 1 ", 1), "not in the collection; document ids must be equal"),
        (lambda text: re.sub("(?m)^1 .*\n", "", text), "a run answers every"),
        (lambda text: text + text.splitlines(True)[0], "duplicates"),
        (lambda text: "", ""),
        (lambda text: "1 Q0 1\n" + text, "columns"),
    ],
)
def test_a_run_that_does_not_fit_is_refused(board, folder, change, message):
    path = folder / run_file()
    path.write_text(change(path.read_text()))
    with pytest.raises(DataError) as error:
        board.submit("mine.run", "Ada")
    assert message in str(error.value)
    assert str(error.value).startswith(("mine.run: ", "mine.run:1: "))
    assert board.history[0].refused == str(error.value)


def test_the_last_refused_files_of_a_team_are_kept_and_the_checksums_of_all(board, folder):
    path = folder / run_file()
    accepted = board.submit("mine.run", "Ada").number
    for n in range(6):
        path.write_text(f"1 Q0 {n}\n")
        for team in ("Ben", "ADA") if n < 2 else ("Ben",):
            with pytest.raises(DataError):
                board.submit("mine.run", team)
    refused = [entry for entry in board.history if entry.refused]
    assert len({entry.checksum for entry in refused}) == 6
    kept = {int(each.name) for each in (board.folder / "submissions").iterdir()}
    of_ben = [entry.number for entry in refused if entry.team == "Ben"]
    assert kept == {accepted, *of_ben[-3:], *(entry.number for entry in refused if entry.team != "Ben")}
    assert len({entry.number for entry in board.history}) == len(board.history)


def test_a_run_is_cut_at_k(folder):
    pets = toysearch.load(PETS)
    shallow = Leaderboard.create("shallow", pets, "AP", k=1, secret="x")
    entry = shallow.submit(run_file(), "Ada")
    run = toysearch.Searcher(toysearch.Index.build(pets), "bm25").run(pets.judged_queries, 1)
    qrels = toysearch.read_qrels("shallow/judgments/public.json")
    assert entry.public["AP"] == toysearch.evaluate(run, qrels, "AP", threshold=pets.threshold)["AP"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("none.py:rank", "none.py: there is no such file; a model of your own is given as FILE.py:NAME"),
        ("none.run", "none.run: there is no such file, and it is not the text of a model"),
        (MIXED, f"'{MIXED}': a function in a file must be sent alone, as FILE.py:NAME; only named models can be mixed"),
    ],
)
def test_what_cannot_be_sent(what, message):
    with raising(ArgumentError, message):
        sent(what)


def test_an_interrupted_submission_leaves_nothing(board, folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("toysearch.classroom.competition.leaderboard.run_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        board.submit("bm25", "Ada")
    assert list((folder / "board/submissions").iterdir()) == []
    assert board.history == []


def test_a_folder_that_is_there_or_is_none(board, folder):
    with raising(StorageError, "'board' already exists; choose another name"):
        Leaderboard.create("board", toysearch.load(PETS))
    with raising(
        StorageError, f"'{Path('no/board')}': there is no folder '{folder / 'no'}'; create it, or choose another"
    ):
        Leaderboard.create("no/board", toysearch.load(PETS))
    with raising(StorageError, "nothing holds no readable leaderboard; `toysearch leaderboard init` makes one"):
        Leaderboard("nothing")
    settings = json.loads((folder / "board/board.json").read_text())
    (folder / "board/board.json").write_text(json.dumps(settings | {"format": 2}))
    with raising(StorageError, "board was made by another version of toysearch; use that version"):
        Leaderboard("board")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "NumRet"}, "has no better or worse values"),
        *(
            ({"measures": measures}, "ESL may have no finite value for a query, such as '2', so no test can compare")
            for measures in ("ESL", "AP ESL")
        ),
        ({"measures": "GMAP"}, "GMAP is not a mean over queries; compare AP, from whose values it is computed"),
        ({"alpha": 2.0}, "alpha must be a number between 0 and 1, not 2"),
        ({"k": 0}, "k and the limit of submissions must be at least 1"),
        ({"limit": 0}, "k and the limit of submissions must be at least 1"),
        ({"held_out": 1.0}, "the share of held-out queries must be between 0 and 1, not 1"),
    ],
)
def test_settings_that_are_none(folder, options, message):
    with pytest.raises(ArgumentError) as error:
        Leaderboard.create("board", toysearch.load(PETS), **options)
    assert message in str(error.value)
    assert list(folder.iterdir()) == []


def test_a_damaged_submission_is_told(board, folder):
    board.submit(run_file(), "Ada")
    (folder / "board/submissions/0001/values.json").unlink()
    with raising(DataError, f"{Path('board/submissions/0001/values.json')} is missing or damaged; restore it"):
        board.standings()


def test_a_board_by_a_measure_that_was_not_finite_is_told(board, folder):
    board.submit(run_file(), "Ada")
    values = folder / "board/submissions/0001/values.json"
    values.write_text(re.sub(r"(\"AP\": )[0-9.]+", r"\1Infinity", values.read_text()))
    with raising(
        DataError,
        f"{Path('board')}: AP has no finite value for query '{board._qrels['public'].query_ids[0]}' of Ada, so no test "
        "can compare the teams by it; begin a competition by another measure",
    ):
        board.standings()


LEFT = {
    "gzip": "import gzip; data = gzip.compress(bytes(1000))",
    "too many lines for a query": "data = b''.join(b'1 Q0 d%d 1 1 x\\n' % n for n in range(1001))",
    "too many queries": "data = b''.join(b'%d Q0 d 1 1 x\\n' % n for n in range(100))",
    "columns of something else": "data = b'1,2,3\\n'",
    "an endless line": "data = b'1 Q0 ' + b'd' * 20_000 + b' 1 1 x\\n'",
    "JSON nested deep": "data = b'[' * 5000",
    "nothing": "data = b''",
    "a score that is no number": "data = b'1 Q0 1 1 nan x\\n'",
    "a document that is not there": "data = b'1 Q0 nowhere 1 1 x\\n'",
}


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
@pytest.mark.parametrize("name", thinned(LEFT, 3))
def test_a_run_that_a_program_left_itself_is_read_like_a_strangers(board, name):
    program = f"import os\n{LEFT[name]}\nopen('run.txt', 'wb').write(data)\nos._exit(0)\n"
    message = refused(board, program, error=ToysearchError)
    assert "run.txt" in message
    assert [entry.refused for entry in board.history] == [message]


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_a_program_can_only_rank_what_it_is_given_not_forge_the_history(board, folder):
    board.submit(run_file(), "Ada")
    before = (folder / "board/history.jsonl").read_bytes()
    write(
        "mine.py",
        "import json, os\nb = os.path.dirname(json.load(open('asked.json'))['index'])\nf = None\n"
        "for make in (lambda: os.open(b, os.O_RDONLY), lambda: os.mkdir(b + '/submissions/0099'),\n"
        "             lambda: os.open('history.jsonl', os.O_WRONLY | os.O_APPEND, dir_fd=os.open(b, os.O_PATH)),\n"
        "             lambda: os.open('judgments/held-out.json', os.O_RDONLY, dir_fd=os.open(b, os.O_PATH))):\n"
        "    try: f = make()\n    except OSError: continue\n"
        "def rank(tf):\n    return tf if f is None else 0 / 0\n",
    )
    entry = board.submit("mine.py", "Eve")  # an honest rank in the end: nothing that was tried is there
    assert entry.number == 2
    assert (folder / "board/history.jsonl").read_bytes().startswith(before)
    assert sorted(path.name for path in (folder / "board/submissions").iterdir()) == ["0001", "0002"]


def test_tries_are_counted_under_a_lock(folder, monkeypatch):
    board = Leaderboard.create("limited", toysearch.load(PETS), limit=1)
    other = Leaderboard("limited")
    original = Leaderboard._evaluated
    both = []

    def meanwhile(self, run, part):  # while the first is being evaluated, the second arrives and is counted
        if not both:
            both.append(None)
            other.submit(run_file(), "Ada")
        return original(self, run, part)

    monkeypatch.setattr(Leaderboard, "_evaluated", meanwhile)
    with pytest.raises(ArgumentError) as error:
        board.submit(run_file(), "Ada")
    assert str(error.value) == "Ada has already sent 1 submission, which is the limit"
    assert [entry.refused for entry in board.history] == ["", str(error.value)]
    assert [len(entries) for entries in board.counted.values()] == [1]


@exhaustive
@pytest.mark.waits
def test_many_at_once_are_counted_one_by_one(folder):
    Leaderboard.create("limited", toysearch.load(PETS), limit=1)
    command = [sys.executable, "-m", "toysearch", "leaderboard", "submit", "limited", "bm25", "--name", "Ada"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    codes = [started.wait() for started in [subprocess.Popen(command, **quiet) for _ in range(2)]]
    assert sorted(codes) == [0, 2]
    assert [len(entries) for entries in Leaderboard("limited").counted.values()] == [1]


def test_runs_are_sent_unpacked_and_of_bounded_size(board, folder, monkeypatch):
    import gzip

    path = folder / run_file()
    (folder / "mine.run.gz").write_bytes(gzip.compress(path.read_bytes()))
    with raising(DataError, "mine.run.gz: expected an unpacked run, found gzip; gunzip it"):
        board.submit("mine.run.gz", "Ada")
    monkeypatch.setattr("toysearch.classroom.competition.submission._MOST_BYTES", 10)
    with pytest.raises(DataError, match=r"^mine\.run: a run has at most 10 bytes, and this has "):
        board.submit("mine.run", "Ada")


@pytest.mark.system
@pytest.mark.waits
def test_where_nothing_confines_code_is_refused_unless_it_is_trusted_and_texts_are_taken(board, monkeypatch):
    monkeypatch.setattr(kernel_confinement, "missing", lambda: "macOS has none")
    message = refused(board, "def rank(tf):\n    return tf\n", "Ada")
    assert re.search("this system cannot confine untrusted code .*trust_code=True", message)
    assert board.history == []
    assert board.submit("bm25:b=0.4", "Ada").number == 1
    assert board.submit("mine.py", "Ada", trust_code=True).number == 2


@given(st.sets(st.text(), min_size=2, max_size=40), st.floats(0.001, 0.999), st.text())
def test_a_share_is_held_out(query_ids, share, secret):
    away = held_out_queries(query_ids, share, secret)
    assert away < query_ids
    assert len(away) == min(max(round(share * len(query_ids)), 1), len(query_ids) - 1)
    assert held_out_queries(sorted(query_ids, reverse=True), share, secret) == away


def test_it_is_drawn_by_the_standards_own_function():
    def digest(query_id: str) -> str:
        return hmac.new(b"secret", query_id.encode(), hashlib.sha256).hexdigest()

    assert held_out_queries("abcdef", 0.5, "secret") == set(sorted("abcdef", key=digest)[:3])
    sentence = (
        "holding out queries needs at least two judged queries, found 1; put files of queries and of judgments into "
    )
    with raising(ArgumentError, f"{sentence}the folder of the collection (`toysearch docs my-own-collection`)"):
        held_out_queries("aa", 0.5, "")
