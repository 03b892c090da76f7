"""Views compute side by side: one that takes long stops nobody else, and ends with the client that asked for it."""

import asyncio
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qsl

import pytest
from chosen_way import way
from page_client import USUAL, client, of_name, run_in_loop, server
from waiting import PATIENCE, until

import toysearch
from toysearch.base.errors import ended_by, go_on, note, without_notes
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.application import VIEWS, Computing, Forsaken
from toysearch.page.reply import Reply, as_json

pytestmark = [pytest.mark.system, pytest.mark.waits]


def answered(*notes):
    return Reply("error.html", "answered", {"error": "none", "status": 200, "notes": [*notes]})


@pytest.fixture
def pets():
    return client(*of_name("cat-dog-parrot"))


def endless():
    """Work in steps that does not end by itself."""
    while True:
        go_on()


def test_others_are_answered_while_a_view_computes(pets, monkeypatch):
    begun, end = threading.Event(), threading.Event()

    def slow(source, models, asked):
        begun.set()
        assert end.wait(PATIENCE)
        return answered()

    monkeypatch.setitem(VIEWS, "compare", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(pets.get, "/cat-dog-parrot/compare")
        try:
            assert begun.wait(PATIENCE)
            for address in ("/static/page.css", "/cat-dog-parrot/search?q=cat", "/cat-dog-parrot/document?doc=1"):
                assert pets.get(address).status_code == 200
            assert not first.done()
        finally:
            end.set()
        assert first.result(PATIENCE).status_code == 200


def test_each_view_has_the_notes_of_its_own_thread(pets, monkeypatch):
    together = threading.Barrier(4)

    def noting(source, models, asked):
        together.wait(PATIENCE)
        note(f"before {asked['q']}")
        with without_notes():
            note("nothing new")
            together.wait(PATIENCE)
        note(f"after {asked['q']}")
        return answered()

    monkeypatch.setitem(VIEWS, "search", noting)
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda n: pets.get(f"/cat-dog-parrot/search.json?q={n}").json()["notes"], range(4))]
    assert found == [[f"before {n}", f"after {n}"] for n in range(4)]


def test_work_ends_when_its_client_goes_away():
    ended = threading.Event()

    def work():
        try:
            endless()
        finally:
            ended.set()

    async def gone():
        return {"type": "http.disconnect"}

    with pytest.raises(Forsaken):
        run_in_loop(Computing()(work, gone))
    assert ended.is_set()


def test_work_that_waits_for_its_turn_ends_when_its_client_goes_away():
    begun, end = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert end.wait(PATIENCE)

    async def gone():
        await asyncio.to_thread(begun.wait, PATIENCE)
        return {"type": "http.disconnect"}

    async def both():
        computing = Computing(at_once=1)
        first = asyncio.ensure_future(computing(slow))
        await asyncio.to_thread(begun.wait, PATIENCE)
        with pytest.raises(Forsaken):
            await computing(lambda: pytest.fail("its turn never comes"), gone)
        end.set()
        await first

    run_in_loop(both())


def test_a_view_that_takes_too_long_is_a_page_with_the_sentence(pets, monkeypatch):
    monkeypatch.setattr("toysearch.page.application.Computing", lambda: Computing(longest=0))
    monkeypatch.setitem(VIEWS, "search", lambda *_: endless())
    asked = client(*of_name("cat-dog-parrot"))
    asked_again = asked.get("/cat-dog-parrot/search?q=cat", headers={"accept": "application/json"})
    assert asked_again.status_code == 400
    ended = "this took more than 0 s of computing and was ended"
    assert asked_again.json()["error"] == f"{ended}; ask for fewer documents, or for words that fewer terms match"


def test_only_so_many_views_compute_at_once():
    inside, most, together = [], [], threading.Barrier(3)

    def work():
        inside.append(1)
        together.wait(PATIENCE)  # so three do
        most.append(len(inside))
        together.wait(PATIENCE)
        inside.pop()

    async def many():
        computing = Computing(at_once=3)
        await asyncio.gather(*(computing(work) for _ in range(30)))

    run_in_loop(many())
    assert len(most) == 30
    assert max(most) <= 3


SLOW = """
def slow(tf, dl, avgdl):
    import time
    open("begun", "w").close()
    while True:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_whatever_it_computes(tmp_path, number):
    (tmp_path / "slow.py").write_text(SLOW)
    with server("cat-dog-parrot", "--model", "bm25", "--model", "slow.py:slow", folder=tmp_path) as (process, address):
        host = address.removeprefix("http://").rstrip("/")
        place = host.split(":")
        with socket.create_connection(place, timeout=PATIENCE) as asking:
            asking.sendall(f"GET /cat-dog-parrot/search?q=cat&model=slow HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            until(lambda: process.poll() is not None or (tmp_path / "begun").exists())
            assert process.poll() is None
            process.send_signal(number)
            assert process.wait(PATIENCE) is not None


STEPS = {
    "a comparison": "compare?a=bm25&b=dph",
    "a comparison of mixtures": "compare?a=bm25&b=mixed",
    "a case": "search?case=1",
}
"""What is computed over all queries of a source, by its address."""
MODELS = USUAL | {"mixed": toysearch.models.registry.model("bm25 + mmr(dph)")}


@pytest.mark.parametrize("how", ["plain", "compiled"])
@pytest.mark.parametrize("address", STEPS.values(), ids=STEPS)
def test_what_is_computed_over_all_queries_ends_before_its_next_step(address, how):
    (source,) = of_name("companions")
    view, _, pairs = address.partition("?")
    asked, steps = dict(parse_qsl(pairs)), []

    def leave_after(most):
        def check():
            steps.append(1)
            if len(steps) > most:
                raise Forsaken("nobody waits")

        return ended_by(check)

    with way(how):
        for most in (0, 40):  # before the first step, and among those that read the 58 queries
            with pytest.raises(Forsaken), leave_after(most):
                VIEWS[view](source, MODELS, asked)
            assert len(steps) == most + 1
            steps.clear()
        with leave_after(10_000):  # what was ended left nothing half-made behind
            begun_again = VIEWS[view](source, MODELS, asked)
        assert len(steps) > (58 if how == "compiled" else 2 * 58 - 1)  # to read all queries is not all
        (fresh,) = of_name("companions")
        assert as_json(begun_again) == as_json(VIEWS[view](fresh, MODELS, asked))


def test_what_is_over_all_queries_may_take_longer_than_a_search(monkeypatch):
    monkeypatch.setattr("toysearch.page.application.Computing", lambda: Computing(longest=0))
    asked = client(*of_name("cat-dog-parrot"), models=MODELS)
    statuses = [asked.get(f"/cat-dog-parrot/{view}").status_code for view in ("search?q=cat", *STEPS.values())]
    assert statuses == [400, 200, 200, 200]


def test_only_what_compares_is_given_up_when_its_client_leaves_after_a_form(monkeypatch):
    watched = []

    class Watched(Computing):
        async def __call__(self, compute, receive=None, endless=False):
            watched.append((receive is not None, endless))
            return await super().__call__(compute, None, endless)

    monkeypatch.setattr("toysearch.page.application.Computing", Watched)
    asked = client(*of_name("cat-dog-parrot"))
    page = asked.get("/cat-dog-parrot/compare").text
    token = page.partition('name="toysearch-token" content="')[2].partition('"')[0]
    watched.clear()
    for view in ("compare", "judge"):
        asked.post(f"/cat-dog-parrot/{view}", data={}, headers={TOKEN_HEADER: token})
    assert watched == [(True, True), (False, False)]
