"""The vote log: thumbs in force, withdrawn, as judgments, and what is refused."""

import pytest

from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.workbench.judging.judgment_log import VoteLog, write_thumbs


@pytest.fixture
def path(tmp_path):
    return tmp_path / "votes.jsonl"


def test_thumbs_are_judgments_with_their_number(path, tmp_path):
    with VoteLog(path) as log:
        for voter, doc_id, up in (("ada", "=d,7", True), ("ben", "=d,7", True), ("carla", "=d,7", False)):
            log.thumb(voter, "1", doc_id, up=up)
        log.thumb("ada", "2", "x", up=False)
    qrels = log.qrels()
    assert (qrels["1"], qrels["2"], qrels.votes.tolist()) == ({"=d,7": 2 / 3}, {"x": 0}, [3, 1])
    assert write_thumbs(log, tmp_path / "thumbs.csv") == 4
    with pytest.warns(match="4 votes on 2 documents"):
        read = read_qrels(tmp_path / "thumbs.csv")
    assert (list(read), read.votes.tolist()) == (list(qrels), [3, 1])


def test_thumbs_are_written_as_counts_and_as_whole_grades(path, tmp_path):
    with VoteLog(path) as log:
        for doc_id, ups in {
            "a": [True, True, False],
            "b,c": [False],
            "d": [True, False],
            "e": [False, True, False],
        }.items():
            for n, up in enumerate(ups):
                log.thumb(f"voter {n}", "1", doc_id, up=up)
    assert write_thumbs(log, tmp_path / "counts.csv", "counts") == 4
    assert (tmp_path / "counts.csv").read_text().splitlines() == [
        "query_id,doc_id,relevance,up,down",
        f"1,a,{2 / 3!r},2,1",
        '1,"b,c",0,0,1',
        "1,d,0.5,1,1",
        f"1,e,{1 / 3!r},1,2",
    ]
    assert list(read_qrels(tmp_path / "counts.csv")) == list(log.qrels())
    with pytest.warns(match="1 document left out, with as many thumbs up as down"):
        assert write_thumbs(log, tmp_path / "judged.txt", "qrels") == 3
    assert (tmp_path / "judged.txt").read_text() == "1 0 a 1\n1 0 b,c 0\n1 0 e 0\n"
    with pytest.raises(ArgumentError, match=r"unknown form 'trec'\. Forms: votes, counts, qrels"):
        write_thumbs(log, tmp_path / "x", "trec")


def test_the_votes_of_one_person_on_a_query(path):
    with VoteLog(path) as log:
        log.thumb("ada", "1", "d7", up=True)
        log.thumb("ada", "1", "d7", up=False)
        log.thumb("ada", "1", "d8", up=True)
        log.thumb("ada", "2", "d7", up=True)
        log.thumb("ben", "1", "d7", up=True)
        log.withdraw("ben", "1", "d7")
    for read in (log, VoteLog(path, append=False)):
        assert [(vote.doc_id, vote.vote) for vote in read.of_voter("ada", "1")] == [("d7", "down"), ("d8", "up")]
        assert read.of_voter("ben", "1") == read.of_voter("ada", "9") == read.of_voter("eve", "1") == []


def test_no_thumbs_are_no_judgments(path, tmp_path):
    with VoteLog(path) as log:
        assert len(log.qrels()) == 0
        with pytest.raises(DataError, match="holds no thumb, so there are no judgments to write"):
            write_thumbs(log, tmp_path / "thumbs.csv")


def test_a_thumb_is_withdrawn_with_those_before_it(path):
    with VoteLog(path) as log:
        for up, rank in ((True, 1), (False, 3)):
            log.thumb("ada", "1", "d", up=up, model="bm25:b=0", rank=rank)
        log.thumb("ben", "1", "d", up=True, model="lsa")
        assert [vote[3:] for vote in log.of_voter("ada", "1")] == [("down", "d", "bm25:b=0", 3)]
        log.withdraw("ada", "1", "d")
        log.withdraw("ada", "1", "other")
        assert [(vote.voter, vote.model) for vote in log] == [("ben", "lsa")]
        assert list(VoteLog(path, append=False)) == list(log)
    assert len(path.read_text().splitlines()) == 5


OLD = '"voter":"ada","query_id":"1","left":"lsa","right":"bm25"'


def test_a_thumb_that_was_credited_to_a_system_is_a_thumb(path):
    """Of one person on one document the last one counts, whatever it was credited to, and an undo takes it back."""
    credited = f'{{{OLD},"doc_id":"d","vote":"up"}}\n'
    path.write_text(credited + '{"voter":"ada","query_id":"1","doc_id":"d","vote":"down","model":"lsa","rank":2}\n')
    [vote] = VoteLog(path, append=False)
    assert vote == ("", "ada", "1", "down", "d", "lsa", 2)
    path.write_text(path.read_text() + f'{{{OLD},"doc_id":"d","undo":true}}\n')
    [vote] = VoteLog(path, append=False)
    assert vote == ("", "ada", "1", "up", "d", "", 0)


@pytest.mark.parametrize("more", ['"vote":"left"', '"vote":"right"', '"vote":"tie","doc_id":""', '"undo":true'])
def test_a_vote_on_two_systems_is_refused(path, more):
    path.write_text(f'{{"voter":"ben","query_id":"1","doc_id":"d","vote":"up"}}\n{{{OLD},{more}}}\n')
    with pytest.raises(DataError) as error:
        VoteLog(path)
    assert str(error.value) == f"{path}:2: a vote on two systems, which toysearch no longer counts; remove the line"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda log: log.thumb("", "1", "d", up=True), "a vote needs the name of a voter, a query_id and a doc_id"),
        (lambda log: log.thumb("a", "", "d", up=True), "a vote needs the name of a voter, a query_id and a doc_id"),
        (lambda log: log.thumb("a", "1", "", up=True), "a vote needs the name of a voter, a query_id and a doc_id"),
        (lambda log: log.thumb("a", "1", "d", up=True, rank=-1), "expected a rank from 1, found -1"),
        (lambda log: log.thumb("a", "1", "d", up=1), "up must be True or False, not an int"),
    ],
)
def test_what_is_no_vote(path, call, message):
    with VoteLog(path) as log:
        with pytest.raises(ArgumentError) as error:
            call(log)
        assert str(error.value).startswith(message)
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"voter":"a","query_id":"1","doc_id":"d"}', "expected a text as vote, found nothing"),
        ('{"voter":"a","query_id":"1","vote":"left","doc_id":"d"}', "expected up or down as vote, found 'left'"),
        ('{"voter":"a","query_id":"1","vote":"up","doc_id":"d","model":1}', "expected a text as model, found 1"),
        ('{"voter":"a","query_id":"1","vote":"up","doc_id":"d","rank":"2"}', "expected a whole number as rank"),
        ('{"voter":"a","query_id":"1","vote":"up","doc_id":"d","rank":true}', "expected a whole number as rank"),
        ('{"voter":"a","query_id":"1","vote":"up"}', "expected a text as doc_id, found nothing"),
        ('{"voter":"a","query_id":"1","doc_id":"d","vote":"up","rank":-1}', "expected a rank from 1, found -1"),
        (
            '{"voter":"a","query_id":"1","doc_id":"d","undo":true}',
            "a takes back a vote on query '1' and has given none",
        ),
        ("1 0 d 1", "expected an entry of a vote log"),
    ],
)
def test_a_line_that_is_no_vote(path, line, message):
    path.write_text("\ufeff\r\n" + line + "\r\n")
    with pytest.raises(DataError) as error:
        VoteLog(path, append=False)
    assert str(error.value).startswith(f"{path}:2: {message}")
