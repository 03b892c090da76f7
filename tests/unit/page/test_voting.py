"""The voting of an audience: sides in balance, names of voters that nobody can make up, what is refused."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("starlette")

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.formats.judgment_log import VoteLog
from toysearch.page.voting import Voting, counts_by_query

TEXTS = ["cat", "cat and dog", "dog cat cat and more", "a cat and a dog and a parrot and an ox", "parrot"]
QUERIES = {"q1": "cat", "q2": "parrot", "q3": "fish"}
MODELS = [toysearch.MODELS["bm25"], toysearch.MODELS["jaccard"]]


def voting_on(path, key="secret", models=MODELS) -> Voting:
    index = toysearch.Index.build(TEXTS)
    return Voting(index, QUERIES, VoteLog(path), models, key=key, token="token", link="http://192.0.2.7/")


@pytest.fixture
def voting(tmp_path):
    found = voting_on(tmp_path / "votes.jsonl")
    yield found
    found.log.close()


def test_each_two_phones_in_turn_see_the_systems_the_other_way_round(voting):
    voting.open("q1", "", "lists", "3")
    voters = [voting.voter_or_new("")[0] for _ in range(40)]
    pairs = [voting.ballot(voter, voting.round) for voter in voters]
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        assert (one.left, one.left_ids) == (other.right, other.right_ids) != (other.left, other.left_ids)
    assert Counter(pair.left for pair in pairs) == {"bm25": 20, "jaccard": 20}
    assert len({pair.left for pair in pairs[::2]}) == 2  # the coin of each two phones is their own
    for pair in pairs:
        assert {pair.left: pair.left_ids, pair.right: pair.right_ids} == voting.round.lists


def test_mixed_lists_of_two_phones_in_turn_mirror_each_other(voting):
    voting.open("q1", "", "thumbs", "4")
    mixed = [voting.ballot(voting.voter_or_new("")[0], voting.round) for _ in range(40)]
    assert sum(each.teams[0] == "bm25" for each in mixed) == 20
    for one, other in zip(mixed[::2], mixed[1::2], strict=True):
        assert one.teams == tuple({"bm25": "jaccard", "jaccard": "bm25"}[team] for team in other.teams)
    for each in mixed:
        for doc_id, team in zip(each.doc_ids, each.teams, strict=True):
            assert doc_id in voting.round.lists[team]


def test_a_thumb_is_credited_to_the_system_that_brought_the_document(voting):
    voting.open("q1", "", "thumbs", "4")
    for _ in range(6):
        voter = voting.voter_or_new("")[0]
        mixed = voting.ballot(voter, voting.round)
        for doc_id in mixed.doc_ids:
            voting.vote(voter, "q1", doc_id, "up")
        given = {vote.doc_id: (vote.left, vote.right) for vote in voting.log.of_voter(voter, "q1")}
        assert given == {
            doc_id: (team, "jaccard" if team == "bm25" else "bm25")
            for doc_id, team in zip(mixed.doc_ids, mixed.teams, strict=True)
        }


def test_a_ballot_is_the_same_again_after_a_restart_with_the_same_key(tmp_path):
    first = voting_on(tmp_path / "votes.jsonl")
    kept = [first.voter_or_new("")[1][1] for _ in range(16)]
    first.open("q1", "", "lists", "3")
    shown = [first.ballot(first.voter(each), first.round) for each in kept]
    first.log.close()
    again, other = voting_on(tmp_path / "votes.jsonl"), voting_on(tmp_path / "other.jsonl", key="another")
    for voting in (again, other):
        voting.open("q1", "", "lists", "3")
    assert [again.ballot(again.voter(each), again.round) for each in kept] == shown
    assert [other.voter(each) for each in kept] == [None] * 16
    assert [other.ballot(each.rpartition(".")[0], other.round) for each in kept] != shown  # the coins are secret
    again.log.close()
    other.log.close()


@pytest.mark.parametrize(
    "made_up", ["", ".", "0-abc", "0-abc.", "0-abc.0123456789abcdef", "é.é", "\udc80.", "x" * 9999]
)
def test_a_name_that_is_made_up_is_not_a_voter(voting, made_up):
    assert voting.voter(made_up) is None


def test_a_name_that_is_changed_is_not_a_voter(voting):
    kept = voting.voter_or_new("")[1][1]
    assert voting.voter(kept) is not None
    assert voting.voter("1" + kept[1:]) is None
    assert voting.voter(kept[:-1] + ("0" if kept[-1] != "0" else "1")) is None


@pytest.mark.parametrize(
    ("topic", "typed", "kind", "k", "says"),
    [
        ("q9", "", "lists", "3", "unknown query 'q9'"),
        ("q1", "dog", "lists", "3", "choose a judged query or type another one: either of the two"),
        ("", " ", "lists", "3", "choose a judged query or type another one: either of the two"),
        ("", "q1", "lists", "3", "'q1' is the id of a judged query: choose it, or type other words"),
        ("", "x" * 301, "lists", "3", "a query may have at most 300 characters here, not 301"),
        ("q1", "", "stars", "3", "unknown kind of vote 'stars'"),
        ("q1", "", "lists", "0", "a list has 1 to 20 documents, not '0'"),
        ("q1", "", "lists", "21", "a list has 1 to 20 documents, not '21'"),
        ("q1", "", "lists", "²", "a list has 1 to 20 documents, not '²'"),
        ("q2", "", "lists", "1", "both systems give the same 1 documents in the same order, so there is nothing to"),
        ("q3", "", "lists", "3", "both systems find nothing, so there is nothing to vote on; choose another query"),
    ],
)
@pytest.mark.filterwarnings("ignore::toysearch.base.errors.ToysearchNote")
def test_what_cannot_be_voted_on(voting, topic, typed, kind, k, says):
    voting.open("q1", "", "lists", "3")
    with pytest.raises(ArgumentError) as error:
        voting.open(topic, typed, kind, k)
    assert str(error.value).startswith(says)
    assert voting.open_round.query_id == "q1"  # the open vote stays open


@pytest.mark.parametrize("models", [MODELS[:1], MODELS[:1] * 2, [*MODELS, toysearch.MODELS["dph"]]])
def test_a_vote_compares_two_systems(tmp_path, models):
    with pytest.raises(ArgumentError, match=r"a vote compares two systems, not [13]; give two different ones"):
        voting_on(tmp_path / "votes.jsonl", models=models)


def test_a_typed_query_is_its_own_id_and_may_be_of_the_query_language(voting):
    voting.open("", "  cat\n dog ", "lists", "3")
    assert (voting.round.query_id, voting.round.mode) == ("cat dog", "plain")
    voting.open("", "cat -parrot", "lists", "3")
    assert (voting.round.query_id, voting.round.mode) == ("cat -parrot", "lenient")
    assert all("4" not in doc_ids for doc_ids in voting.round.lists.values())


def test_counts_are_of_each_query_alone(voting):
    names = [voting.voter_or_new("")[0] for _ in range(4)]
    for topic in ("q1", "q2"):
        voting.open(topic, "", "lists", "2") if topic == "q1" else voting.open("", "dog cat", "lists", "4")
        for voter in names[: 4 if topic == "q1" else 3]:
            shown = voting.ballot(voter, voting.round)
            voting.vote(voter, voting.round.query_id, "", "left" if shown.left == "jaccard" else "right")
        voting.close()
    found = counts_by_query(voting.preferences())
    assert {query_id: (row.first, row.wins, row.losses) for query_id, [row] in found.items()} == {
        "q1": ("bm25", 0, 4),
        "dog cat": ("bm25", 0, 3),
    }
