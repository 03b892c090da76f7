"""What every request must pass: the Host, the Origin and the token; and the headers that every reply gets."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from toysearch.page.request_form import form_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Handler = Callable[[Message, Receive, Send], Awaitable[None]]

LONGEST_BODY = 1 << 20
"""Bytes of the body of a request."""

LONGEST_UPLOAD = 8 << 20
"""Bytes of the body of a request with files, where files are taken."""

TOKEN_HEADER = "x-toysearch-token"
"""The header of a write that carries the token of the page; a form has the field ``token`` instead."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_READING = ("GET", "HEAD")
_OWN_SITE = ("same-origin", "none")


class Refusal(NamedTuple):
    """The status of a refused request, and the reason in a sentence."""

    status: int
    reason: str


class Audience(NamedTuple):
    """People who may open a few addresses and no other, by a token of their own."""

    token: str  # in the link that lets them in, and in what they write
    paths: frozenset[str]

    def admits(self, path: str) -> bool:
        """Whether an address is for them: one of theirs, or a script or a style of the page."""
        return path in self.paths or path.startswith("/static/")


class Guard:
    """An ASGI application that lets only proper requests through to another one."""

    # write_token: what each write must carry.
    # hosts: the accepted values of Host, so that no foreign name can be bound to this address; None: any, because a
    # token is demanded.
    # token: what every request must carry, in a cookie or as "Authorization: Bearer"; a link with ?token=… sets the
    # cookie. audience: who gets in with less. takes_files: whether the body of a form with files may be longer.

    def __init__(
        self,
        handler: Handler,
        write_token: str,
        hosts: frozenset[str] | None,
        token: str | None = None,
        audience: Audience | None = None,
        *,
        takes_files: bool = False,
    ) -> None:
        self.handler, self._write_token, self._hosts, self._token = handler, write_token, hosts, token
        self._audience, self._takes_files = audience, takes_files

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Reply one request."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self._hosts is not None and headers.get("host", "").lower() not in self._hosts:
            own = min(self._hosts)
            await _refuse(send, Refusal(421, f"this server answers as {own}; open http://{own}/ instead"))
            return
        tokens = self._tokens(scope["path"])
        if tokens and not any(_carries(headers, token) for token in tokens):
            await _answer_stranger(scope, send, tokens)
            return
        if scope["method"] in _READING and _is_asked_by_another_page(headers):
            await _refuse(send, Refusal(403, "another page may link to this server, and read nothing from it"))
            return
        with_files = self._takes_files and headers.get("content-type", "").startswith("multipart/form-data")
        body, refusal = await _body(headers, receive, LONGEST_UPLOAD if with_files else LONGEST_BODY)
        if refusal is None and scope["method"] not in _READING:
            refusal = self._refused_write(scope["path"], headers, body)
        if refusal is not None:
            await _refuse(send, refusal)
            return
        await self.handler(scope, _replayed(body, receive), _with_headers(send))

    def _tokens(self, path: str) -> list[str]:
        """The tokens that open an address, the first one all addresses; none if it is open."""
        if self._token is None:
            return []
        return [self._token, *([self._audience.token] if self._audience and self._audience.admits(path) else [])]

    def _refused_write(self, path: str, headers: Mapping[str, str], body: bytes) -> Refusal | None:
        """Why a write is refused; None if it is not."""
        expected = self._audience.token if self._audience and path in self._audience.paths else self._write_token
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{headers.get('host', '')}":
            return Refusal(403, "a write must come from a page of this server")
        if headers.get("sec-fetch-site", "none") not in _OWN_SITE:
            return Refusal(403, "a write must come from a page of this server")
        given = headers.get(TOKEN_HEADER)
        if given is None:
            given = form_of(headers.get("content-type", ""), body).get("token")
        if not _equal(given or "", expected):
            return Refusal(403, f"a write needs the token of the page, in the header {TOKEN_HEADER}; reload the page")
        return None


def _cookie_of(token: str) -> str:
    """The name of the cookie that keeps a token."""
    return "toysearch-" + hashlib.sha256(token.encode()).hexdigest()[:8]


def _carries(headers: Mapping[str, str], token: str) -> bool:
    """Whether a request carries a token."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and _equal(given.strip(), token):
        return True
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return False
    name = _cookie_of(token)
    return name in cookies and _equal(cookies[name].value, token)


async def _answer_stranger(scope: Message, send: Send, tokens: list[str]) -> None:
    """Take a token from the address, keep it in a cookie, and lead to the address without it; or refuse."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    given = [value for name, value in pairs if name == "token"]
    token = next((each for each in tokens if any(_equal(value, each) for value in given)), None)
    if scope["method"] not in _READING or token is None:
        reason = "a token is needed: open the address that `toysearch serve` printed, or send Authorization: Bearer"
        reason += "; to vote, scan the QR code again" if len(tokens) > 1 else ""
        await _refuse(send, Refusal(401, reason))
        return
    rest = urlencode([(name, value) for name, value in pairs if name != "token"])
    path = "/" + scope["raw_path"].decode("latin-1").lstrip("/")  # never //host
    # Lax, because the link may stand on another page, such as a mail: a Strict cookie is not sent when it leads on.
    cookie = f"{_cookie_of(token)}={token}; Path=/; HttpOnly; SameSite=Lax"
    more = {"location": path + (f"?{rest}" if rest else ""), "set-cookie": cookie}
    await _refuse(send, Refusal(303, "the token is accepted"), more)


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def _is_asked_by_another_page(headers: Mapping[str, str]) -> bool:
    """Whether a script, an image or a frame of a foreign page asks; a link that somebody follows is not that."""
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in _OWN_SITE and not followed


def _equal(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(), token.encode())


async def _body(headers: Mapping[str, str], receive: Receive, longest: int) -> tuple[bytes, Refusal | None]:
    """The whole body of a request, or a refusal of a long one."""
    too_long = Refusal(413, f"a request may have a body of at most {longest:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > longest:
        return b"", too_long
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > longest:
            return b"", too_long
    return bytes(body), None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What gives the body that has been read, then what comes after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _with_headers(send: Send) -> Send:
    """What adds the headers of every reply."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message["headers"], *(pair for pair in own if pair[0] not in present)]
        await send(message)

    return sending


async def _refuse(send: Send, refusal: Refusal, more: Mapping[str, str] | None = None) -> None:
    """Reply with a sentence."""
    body = f"{refusal.reason}\n".encode()
    headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"} | dict(more or {})
    headers["content-length"] = str(len(body))
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await _with_headers(send)({"type": "http.response.start", "status": refusal.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
