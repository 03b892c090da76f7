"""`toysearch serve`: its address, its errors in sentences, and its end by Ctrl-C."""

import errno
import http.client
import json
import signal
import socket
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
import shell
from page_client import served_here, server
from starlette.testclient import TestClient

from toysearch.base import ArgumentError
from toysearch.page import server as page_server

pytestmark = [pytest.mark.system, pytest.mark.waits]

RAW = (
    *("/static/../access.py", "/static/..%2faccess.py", "/static/%2e%2e/access.py", "/static//etc/passwd"),
    *("/static/%00", "/../../etc/passwd", "//evil.example/", "/%ff%fe/search", "/cat-dog-parrot/search?q=%ff&k=%00"),
    *("/cat-dog-parrot/document?doc=../../etc/passwd", "http://evil.example/"),
)


def refusal(*arguments):
    return shell.refusal("serve", *arguments)


def test_it_prints_its_address_answers_and_ends_with_ctrl_c(tmp_path):
    with server("cat-dog-parrot", folder=tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        assert _raw(address, "GET", "/cat-dog-parrot/search.json?q=cat")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == "Ctrl-C ends it\ntoysearch: interrupted\n"


def test_raw_requests_that_no_browser_sends(tmp_path):
    with served_here("cat-dog-parrot", folder=tmp_path) as [address]:
        answered = {path: _raw(address, "GET", path) for path in RAW}
        assert {path: each for path, each in answered.items() if each[0] not in (307, 400, 403, 404, 421)} == {}
        files = [path for path, each in answered.items() if b"import annotations" in each[1] or b"root:" in each[1]]
        assert files == []
        assert _raw(address, "POST", "/", {"content-length": "10000000"})[0] == 413
        assert _raw(address, "GET", "/", {"host": "evil.example"})[0] == 421


def _raw(address, method, path, headers=()):
    """The status and the body of a request that is sent as it is."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        connection.putrequest(method, path, skip_host="host" in dict(headers))
        for name, value in dict(headers).items():
            connection.putheader(name, value)
        connection.endheaders()
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


OWN = """
import pathlib
pathlib.Path(__file__).with_suffix(".loaded").touch()


def second(grades):
    \"""Grade at rank 2.\"""
    return float(grades[1])
"""


def test_a_measure_of_ones_own_is_on_every_view_and_an_address_loads_no_other(tmp_path):
    for name in ("mine.py", "theirs.py"):
        (tmp_path / name).write_text(OWN)
    own = f"{tmp_path}/mine.py:second@3"
    with served_here("cat-dog-parrot", "-m", f"{own} AP", folder=tmp_path) as [address]:

        def data(path, status=200):
            found = _raw(address, "GET", f"/cat-dog-parrot/{path}")
            assert found[0] == status
            return json.loads(found[-1])

        found = data("search.json?topic=1&case=1")
        assert [(each["measure"], each["value"]) for each in found["measures"]] == [
            (own, 0.5),
            ("AP", 1),
        ]
        assert (found["case"]["measure"], found["case"]["queries"][0]["score"]) == (own, 0.5)
        found = data("compare.json?topic=1")
        assert [each["measure"] for each in found["one_query"]] == [own, "AP"]
        assert found["measure"] == own
        assert f"<option>{own}</option>" in _raw(address, "GET", "/cat-dog-parrot/compare")[-1].decode()
        for path in (
            "theirs.py:second",
            f"{tmp_path}/theirs.py:second@3",
            "AP,theirs.py:second",
            "P(rel=theirs.py:x)@5",
        ):
            assert "is not a measure of this page" in data(f"compare.json?measure={path}", 400)["error"]
    assert [path.name for path in tmp_path.glob("*.loaded")] == ["mine.loaded"]


def test_another_host_demands_a_token(tmp_path):
    with served_here("cat-dog-parrot", "--host", "0.0.0.0", folder=tmp_path) as printed:
        shown, token = printed[0].split("?token=")
        local = shown.replace("0.0.0.0", "127.0.0.1")
        assert _raw(local, "GET", "/")[0] == 401
        assert b'"documents": 4' in _raw(local, "GET", "/index.json", {"authorization": f"Bearer {token}"})[1]


def test_a_taken_port_is_a_sentence():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refusal("cat-dog-parrot", "--port", port)
    assert said == f"toysearch: port {port} is taken; choose another one, or leave --port out"


def test_without_a_port_the_next_free_one_is_taken_whatever_the_system_says_of_a_taken_one(monkeypatch):
    listening = page_server.listening_socket
    with listening("127.0.0.1", None) as one, listening("127.0.0.1", None) as other:
        assert one.getsockname()[1] != other.getsockname()[1]
    bind = socket.socket.bind

    def refusing(listener, address):
        if address[1] in (80, page_server.PORT):  # as Windows
            raise PermissionError(errno.EACCES, "Permission denied")
        bind(listener, address)

    monkeypatch.setattr(socket.socket, "bind", refusing)
    with listening("127.0.0.1", None) as listener:
        assert listener.getsockname()[1] != page_server.PORT
    for port, sentence in ((page_server.PORT, "port 8765 is taken"), (80, "port 80 may not be used by you")):
        with pytest.raises(ArgumentError, match=sentence):
            listening("127.0.0.1", port)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Error: Missing argument 'SOURCE...', as in: toysearch serve companions --open"),
        (["nowhere"], "toysearch: unknown collection, file or folder 'nowhere'."),
        (["cat-dog-parrot", "--model", "bm52"], "toysearch: unknown model 'bm52'; did you mean 'bm25'?"),
        (["cat-dog-parrot", "--token", "short"], "Error: --token: give at least 8 letters, digits, - or _"),
        (["cat-dog-parrot", "x", "--votes", "v.jsonl"], "Error: --votes: the thumbs of a log are of one SOURCE"),
        (["cat-dog-parrot", "--scale", "0=no"], "Error: Invalid value for '--scale': give two grades or more"),
        (["cat-dog-parrot", "--scale", "0=no,10=yes"], "Error: Invalid value for '--scale': give two grades or more"),
        (["cat-dog-parrot", "--judgments", "x.jsonl", "--judges", "ada,adjudicator"], "Error: --judges: give names"),
        (["cat-dog-parrot", "--judgments", "x", "--twice", "20"], "Error: --twice divides documents among several"),
        (["cat-dog-parrot", "--judgments", "x", "--judges", "a", "--twice", "20"], "Error: --twice divides documents"),
        (["cat-dog-parrot", "--host", "203.0.113.1"], "toysearch: '203.0.113.1' is not an address of this computer"),
    ],
)
def test_wrong_use_is_a_sentence(arguments, sentence):
    assert refusal(*arguments).startswith(sentence)


SPREADSHEETS = {
    "tools.csv": "Part;Name;About\nA1;Vice;a vice holds wood\nB2;Saw;a saw for wood and für Öl\nC3;Plane;a plane\n",
    "asked.csv": "Number;Words\n1;wood\n2;plane\n",
    "rated.csv": "Number;Part;Note;Grade\n1;A1;fine;1\n1;B2;;3\n2;C3;yes;2\n2;A1;?;unsure\n",
}
READING = {
    "columns": "id=Part,title=Name,text=About",
    "query_columns": "id=Number,text=Words",
    "qrels_columns": "query=Number,doc=Part,grade=Grade",
    "on_error": "skip",
    "encoding": "cp1252",
}


@pytest.mark.parametrize("kept", [False, True], ids=["by options", "by collection.toml"])
def test_it_reads_the_spreadsheets_that_eval_reads(tmp_path, kept):
    for name, text in SPREADSHEETS.items():
        (tmp_path / name).write_bytes(text.encode("cp1252"))
    reading = [word for name, value in READING.items() for word in (f"--{name.replace('_', '-')}", value)]
    goods, queries, qrels = (str(tmp_path / name) for name in SPREADSHEETS)
    source = [goods, "--queries", queries, "--qrels", qrels, *reading]
    if kept:
        shell.run("check", goods, queries, qrels, "--write", *reading)
        source = [str(tmp_path)]
    with served_here(*source, folder=tmp_path) as [address]:
        [served] = json.loads(_raw(address, "GET", "/index.json")[1])["sources"]
        place = f"/{served['name']}"
        compared = json.loads(_raw(address, "GET", f"{place}/compare.json?a=bm25&b=cosine&measure=nDCG")[1])
        [hit] = json.loads(_raw(address, "GET", f"{place}/search.json?q=plane")[1])["hits"]
        [by_code_page] = json.loads(_raw(address, "GET", f"{place}/search.json?q=%C3%B6l")[1])["hits"]
    means = compared["overall"]["measures"][0]["means"]
    for letter, model in (("a", "bm25"), ("b", "cosine")):
        shown = shell.done("eval", *source, "--model", model, "-m", "nDCG", "--json").stdout
        assert means[letter] == json.loads(shown)["systems"][0]["measures"]["nDCG"]
    assert (hit["doc_id"], hit["title"], by_code_page["doc_id"]) == ("C3", "Plane", "B2")


def test_word_counts_are_served_and_a_bad_source_takes_no_other_down(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path))  # without the texts
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path))
    served = []
    monkeypatch.setattr(page_server, "serve", lambda application, _: served.append(application))
    result = shell.done("serve", "cat-dog-parrot", "cranfield", "nowhere", "--port", "0")
    assert "note: left out: unknown collection, file or folder 'nowhere'." in result.stderr
    [application] = served
    asked = TestClient(application, base_url=result.stdout.strip())
    views = ("search?topic=1", "explanation?topic=1&doc=184", "compare", "document?doc=184", "search?topic=1&case=1")
    for view in views:
        shown = asked.get(f"/cranfield/{view}")
        assert (view, shown.status_code) == (view, 200)
        assert "are word counts here; " in shown.text
    assert asked.get("/cat-dog-parrot/search").status_code == 200
