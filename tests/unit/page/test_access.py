"""What every request must pass: Host, Origin, tokens, the length of its body; and the headers of every reply."""

import pytest

pytest.importorskip("starlette")
from page_client import HOST, client, of_name, run_in_loop
from starlette.testclient import TestClient

from toysearch.page import access as access_module
from toysearch.page.access import HEADERS, LONGEST_BODY, LONGEST_HEADER, MOST_NAMES, TOKEN_HEADER, Guard, cookie_in

OWN = {TOKEN_HEADER: "its-token"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
EVIL = "http://evil.example"


async def echo(scope, receive, send):
    """An application that answers with the body of the request."""
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def guarded(**settings) -> TestClient:
    guard = Guard(echo, "its-token", **({"hosts": frozenset({HOST})} | settings))
    return TestClient(guard, base_url=f"http://{HOST}", follow_redirects=False)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1:80", "127.0.0.1:8765.evil", ""])
def test_a_foreign_host_is_refused(host):
    reply = guarded().get("/", headers={"host": host})
    assert (reply.status_code, reply.text) == (421, f"this server answers as {HOST}; open http://{HOST}/ instead\n")


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        *(
            (OWN | more, b"a grade", 200)
            for more in ({}, {"origin": f"http://{HOST}"}, {"sec-fetch-site": "same-origin"})
        ),
        (FORM, b"grade=1&token=its-token", 200),
        *(({TOKEN_HEADER: token}, b"a grade", 403) for token in ("", "another", b"its-token\xe9")),
        (FORM, b"grade=1&token=another", 403),
        (FORM, b"grade=1", 403),
        ({"content-type": "text/plain"}, b"grade=1&token=its-token", 403),
        *(
            (OWN | {"origin": origin}, b"a grade", 403)
            for origin in (EVIL, "null", f"https://{HOST}", "http://127.0.0.1:9")
        ),
        (OWN | {"sec-fetch-site": "cross-site"}, b"a grade", 403),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_write_needs_the_token_of_the_page_and_its_origin(headers, body, status, method):
    reply = guarded().request(method, "/", headers=headers, content=body)
    assert reply.status_code == status
    assert reply.content == body if status == 200 else b"write" in reply.content


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, 200),
        ({"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}, 403),
        ({"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, 403),
        ({"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}, 403),
    ],
)
def test_another_page_may_link_and_not_read(site, more, status):
    assert guarded().get("/", headers={"sec-fetch-site": site} | more).status_code == status
    assert guarded().get("/", headers={"sec-fetch-site": "same-origin"} | more).status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_long_body_is_refused_and_a_wrong_length(method):
    asked = guarded()
    for body in (b"x" * (LONGEST_BODY + 1), (b"x" * (1 << 20) for _ in range(10))):  # these have no length
        reply = asked.request(method, "/", headers=OWN, content=body)
        assert (reply.status_code, reply.text) == (413, "a request may have a body of at most 1,048,576 bytes\n")
    assert asked.request(method, "/", headers=OWN, content=b"x" * LONGEST_BODY).status_code == 200
    for length in ("-1", "many", "10000000"):
        assert asked.request(method, "/", headers=OWN | {"content-length": length}, content=b"").status_code == 413


def test_every_reply_has_the_headers():
    asked = guarded()
    for reply in (asked.get("/"), asked.get("/", headers={"host": "evil.example"}), asked.post("/")):
        assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["content-security-policy"]


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer another"}, {"authorization": "Basic let-me-in"}, {"cookie": "toysearch=let-me-in"}],
)
def test_with_a_token_nothing_is_open_without_it(headers):
    asked = client(*of_name("cat-dog-parrot"), token="let-me-in", hosts=None)
    for address in ("/", "/cat-dog-parrot/search?q=cat", "/static/../index.json", "/?token=another", "/?token="):
        reply = asked.get(address, headers=headers)
        assert reply.status_code == 401
        assert "parrot" not in reply.text
    assert asked.get("/static/page.css", headers=headers).status_code == 200  # the same for everybody


def test_a_browser_gets_a_page_of_a_refusal_and_can_give_the_token():
    asked = client(*of_name("cat-dog-parrot"), token="let-me-in", hosts=None)
    browser = {"accept": "text/html,application/xhtml+xml"}
    reply = asked.get("/cat-dog-parrot/search?q=cat", headers=browser)
    assert (reply.status_code, reply.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert ("<h1>" in reply.text, 'name="token"' in reply.text, "parrot" in reply.text) == (True, True, False)
    assert "<h1>A token is needed</h1>" in reply.text
    assert "Bearer" not in reply.text  # which is for programs
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert asked.get("/cat-dog-parrot/search?token=let-me-in", headers=browser).status_code == 303
    reply = guarded().get("/", headers=browser | {"host": "<b>.example"})
    assert (reply.status_code, "<b>" in reply.text, 'name="token"' in reply.text) == (421, False, False)


def test_a_link_with_the_token_leads_on_with_a_cookie():
    asked = guarded(hosts=None, token="let-me-in")
    assert asked.get("/", headers={"authorization": "Bearer let-me-in"}).status_code == 200
    reply = asked.get("/pets/search?q=a%20cat&token=let-me-in")
    assert (reply.status_code, reply.headers["location"]) == (303, "/pets/search?q=a+cat")
    assert reply.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax")
    assert asked.get("/").status_code == 200  # the cookie is sent now


@pytest.mark.parametrize("path", ["//evil.example/", "/%5Cevil.example/", "/\\evil.example/", "/\\/\\evil.example/"])
def test_a_link_with_the_token_stays_here_however_a_browser_reads_its_path(path):
    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "headers": []}
    sent = asked_plainly(scope | {"query_string": b"token=let-me-in"}, token="let-me-in", hosts=None)
    location = dict(sent[0]["headers"])[b"location"].decode()
    assert location[0] == "/"
    assert location[1] not in "/\\"


def asked_plainly(scope, messages=(), **settings):
    """What is sent in reply to a request that no program for requests would send."""
    sent, arriving = [], iter([*messages, {"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        return next(arriving)

    async def send(message):
        sent.append(message)

    guard = Guard(echo, "its-token", **({"hosts": frozenset({HOST})} | settings))
    run_in_loop(guard(scope, receive, send))
    return sent


@pytest.mark.parametrize("name", ["cookie", "authorization", "content-type", "origin", "accept", TOKEN_HEADER, "x-any"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_long_header_is_refused_before_it_is_looked_at(name, method):
    for value in ('"' + "\\" * LONGEST_HEADER + '"', ";=" * LONGEST_HEADER, "a" * (LONGEST_HEADER + 1)):
        reply = guarded(hosts=None, token="let-me-in").request(method, "/", headers={name: value})
        assert reply.status_code == 431
        assert reply.text == f"a header may have at most 16,384 characters; '{name}' has more\n"
    reply = guarded(hosts=None, token="let-me-in").request(method, "/", headers={name: "a" * LONGEST_HEADER})
    assert reply.status_code == 401


def test_a_long_address_from_which_a_link_leads_is_not_refused():
    assert guarded().get("/", headers={"referer": "http://" + "x" * 60_000}).status_code == 200


def test_an_address_with_too_many_names_is_refused():
    assert guarded().get(f"/?{'a&' * MOST_NAMES}").status_code == 400
    assert guarded().get(f"/?{'a&' * (MOST_NAMES - 1)}").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{TOKEN_HEADER: "another"}, OWN | {"origin": "http://evil.example"}, OWN | {"sec-fetch-site": "cross-site"}],
)
def test_what_headers_refuse_is_refused_before_the_body_is_read(headers, monkeypatch):
    monkeypatch.setattr(access_module, "_body", None)
    monkeypatch.setattr(access_module, "form_of", None)
    assert guarded().post("/", headers=headers, content=b"a grade").status_code == 403


def test_a_form_is_not_read_if_a_header_has_the_token(monkeypatch):
    monkeypatch.setattr(access_module, "form_of", None)
    assert guarded().post("/", headers=OWN | FORM, content=b"token=another").status_code == 200


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; a*0=b; a*=c", "multipart/form-data; boundary=x", "multipart/form-data; ;;=;*=\x00"]
)
@pytest.mark.parametrize("part", [b"name*0=b; name*=c", b'name="a"; name*="', b"\xff", b"x" * 5000])
def test_no_form_of_any_kind_is_a_mistake_of_the_program(kind, part):
    body = b"--x\r\nContent-Disposition: form-data; " + part + b"\r\n\r\n1\r\n--x--\r\n"
    reply = guarded().post("/", headers={"content-type": kind.encode("latin-1")}, content=body)
    assert reply.status_code == 403
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS


def test_a_mistake_in_the_guard_has_the_headers_too(monkeypatch, capsys):
    monkeypatch.setattr(access_module, "form_of", lambda *_: 1 / 0)
    reply = guarded().post("/", headers=FORM, content=b"token=its-token")
    assert reply.status_code == 500
    assert reply.text == "no answer could be made, by a mistake of toysearch; the terminal says more\n"
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_body_that_breaks_off_is_not_read_as_a_whole_one():
    headers = [(b"host", HOST.encode()), (b"content-type", FORM["content-type"].encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
    part = {"type": "http.request", "body": b"a=1&token=its-token", "more_body": True}
    assert asked_plainly(scope, [part, {"type": "http.disconnect"}])[0]["status"] == 400


@pytest.mark.parametrize(
    ("header", "value"),
    [
        *((header, "1") for header in ("a=1", "b=2;a=1", "b=2; a=1; a=3")),
        *((header, "") for header in ("a=", "a", "", "ba=1")),
        ('b="; a=1"', '1"'),  # quotation marks are nothing special: no cookie of this page has them
        ("a=1=2", "1=2"),
    ],
)
def test_one_cookie_is_taken_out_of_a_header(header, value):
    assert cookie_in(header, "a") == value
