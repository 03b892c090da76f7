"""Guard of every request: the Host, the Origin and the token that it must pass; and the headers of every reply."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from toysearch.page.reply import form_of, page_of_refusal

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Handler = Callable[[Message, Receive, Send], Awaitable[None]]

LONGEST_BODY = 1 << 20
"""Maximum size in bytes of the body of a request."""

LONGEST_HEADER = 16_384
"""Maximum length of one header; the address from which a link was followed (Referer) is not looked at."""

MOST_NAMES = 200
"""Maximum number of names in an address."""

TOKEN_HEADER = "x-toysearch-token"
"""Header of a write that carries the token of the page; a form has the field ``token`` instead."""

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
READS_ONLY = "toysearch.reads_only"
"""Key of a scope: whether the request comes from somebody who may read and not write."""

WRITE_TOKEN = "toysearch.write_token"
"""Key of a scope: the token that a write to its address must carry; "" for those who may only read."""

OWN_SITE = ("same-origin", "none")
"""Values of Sec-Fetch-Site for a request that no page of another server caused."""

_DIGITS = 15  # of the length of a body


class Refusal(NamedTuple):
    """Status of a refused request, and the reason in a sentence."""

    status: int
    reason: str


_FROM_ELSEWHERE = Refusal(403, "a write must come from a page of this server")
_WITHOUT_TOKEN = Refusal(403, f"a write needs the token of the page, in the header {TOKEN_HEADER}; reload the page")


class Readers(NamedTuple):
    """Readers who may open a few addresses and no other, by a token of their own, and write nothing."""

    token: str  # in the link that lets them in
    paths: frozenset[str]


class Guard:
    """ASGI application that lets only proper requests through to another one."""

    # write_token: what each write must carry.
    # hosts: the accepted values of Host, so that no foreign name can be bound to this address; None: any, because a
    # token is demanded.
    # token: what every request must carry, in a cookie or as "Authorization: Bearer"; a link with ?token=… sets the
    # cookie. readers: who gets in with less.

    def __init__(
        self,
        handler: Handler,
        write_token: str,
        hosts: frozenset[str] | None,
        token: str | None = None,
        readers: Readers | None = None,
    ) -> None:
        self.handler, self._write_token, self._hosts, self._token = handler, write_token, hosts, token
        self._readers = readers

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Reply to one request; a mistake of the program is a reply too."""
        if scope["type"] != "http":
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            refusal = await self._reply(scope, receive, sending)
        except Exception:
            traceback.print_exc()
            refusal = Refusal(500, "no answer could be made, by a mistake of toysearch; the terminal says more")
        if refusal is not None and not begun:
            await _refuse(send, refusal, as_page="text/html" in _headers(scope).get("accept", ""))

    async def _reply(self, scope: Message, receive: Receive, send: Send) -> Refusal | None:
        """Pass a proper request on, or return why it is refused; little is read of what a stranger sends."""
        headers = _headers(scope)
        for name, value in headers.items():
            if len(value) > LONGEST_HEADER and name != "referer":
                return Refusal(431, f"a header may have at most {LONGEST_HEADER:,} characters; '{name:.40}' has more")
        if self._hosts is not None and headers.get("host", "").lower() not in self._hosts:
            host = min(self._hosts)
            return Refusal(421, f"this server answers as {host}; open http://{host}/ instead")
        if scope["query_string"].count(b"&") >= MOST_NAMES:
            return Refusal(400, f"an address may have at most {MOST_NAMES} names")
        tokens = self._tokens(scope["path"])
        if tokens and not any(_carries(headers, token) for token in tokens):
            invited = self._readers is not None and _carries(headers, self._readers.token)
            return await _answer_stranger(scope, send, tokens, invited)
        scope[READS_ONLY] = bool(tokens) and not _carries(headers, tokens[0])
        scope[WRITE_TOKEN] = "" if scope[READS_ONLY] else self._write_token
        reads = scope["method"] in _READING
        # A link may be followed; a script, image or frame of a foreign page is refused.
        followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if reads and headers.get("sec-fetch-site", "none") not in OWN_SITE and not followed:
            return Refusal(403, "another page may link to this server, and read nothing from it")
        refusal = None if reads else self._refused_headers(headers)
        if refusal is not None:
            return refusal
        body = await _body(headers, receive)
        if not isinstance(body, bytes):
            return body
        if not reads and TOKEN_HEADER not in headers:
            form = await asyncio.to_thread(form_of, headers.get("content-type", ""), body)
            if not equal_secrets(form.get("token", ""), self._write_token):
                return _WITHOUT_TOKEN
        await self.handler(scope, _replayed(body, receive), _with_headers(send))
        return None

    def _tokens(self, path: str) -> list[str]:
        """Return the tokens that open an address (the first opens all); none if it is open, as scripts are."""
        if self._token is None or path.startswith("/static/"):
            return []
        readers = self._readers
        return [self._token, *([readers.token] if readers is not None and path in readers.paths else [])]

    def _refused_headers(self, headers: Mapping[str, str]) -> Refusal | None:
        """Say why a write is refused by its headers, before its body is read; None if it is not."""
        own_origin = f"http://{headers.get('host', '')}"
        if headers.get("origin", own_origin) != own_origin or headers.get("sec-fetch-site", "none") not in OWN_SITE:
            return _FROM_ELSEWHERE
        if TOKEN_HEADER in headers and not equal_secrets(headers[TOKEN_HEADER], self._write_token):
            return _WITHOUT_TOKEN
        return None


def _headers(scope: Message) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def cookie_of(token: str) -> str:
    """Return the name of the cookie that keeps a token."""
    return "toysearch-" + hashlib.sha256(token.encode()).hexdigest()[:8]


def cookie_in(header: str, name: str) -> str:
    """Return the value of a cookie in a header; "" if there is none.

    >>> cookie_in("a=1; toysearch-voter=0-x.y", "toysearch-voter")
    '0-x.y'
    """
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for key, _, value in pairs if key == name), "")


def _carries(headers: Mapping[str, str], token: str) -> bool:
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and equal_secrets(value.strip(), token):
        return True
    return equal_secrets(cookie_in(headers.get("cookie", ""), cookie_of(token)), token)


async def _answer_stranger(scope: Message, send: Send, tokens: list[str], invited: bool) -> Refusal | None:
    """Move a valid token from the address into a cookie, by a redirect; otherwise return the refusal."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    values = [value for name, value in pairs if name == "token"]
    token = next((candidate for candidate in tokens if any(equal_secrets(value, candidate) for value in values)), None)
    if scope["method"] not in _READING or token is None:
        reason = "your link opens other views and not this one" if invited else "a token is needed"
        way = "open the address that `toysearch serve` printed, or send Authorization: Bearer"
        return Refusal(401, f"{reason}: {way}")
    rest = urlencode([(name, value) for name, value in pairs if name != "token"])
    # Never //host, which leads elsewhere; browsers read \\ as /.
    path = "/" + scope["raw_path"].decode("latin-1").replace("\\", "%5C").lstrip("/")
    # Lax, because the link may stand on another page, such as a mail: a Strict cookie is not sent when it leads on.
    cookie = f"{cookie_of(token)}={token}; Path=/; HttpOnly; SameSite=Lax"
    more = {"location": path + (f"?{rest}" if rest else ""), "set-cookie": cookie}
    await _refuse(send, Refusal(303, "the token is accepted"), more)
    return None


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def class_token(token: str) -> str:
    """Derive the token of a class, which may read, from that of the page; the reverse is not possible."""
    return hmac.new(token.encode(), b"class", hashlib.sha256).hexdigest()[:32]


def equal_secrets(value: str, token: str) -> bool:
    """True if two secrets are equal, found in a time that tells nothing of them."""
    return secrets.compare_digest(value.encode(), token.encode())


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes | Refusal:
    too_long = Refusal(413, f"a request may have a body of at most {LONGEST_BODY:,} bytes")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()) or len(length) > _DIGITS or int(length) > LONGEST_BODY:
        return too_long
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return Refusal(400, "the request ended before its body")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LONGEST_BODY:
            return too_long
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receive that first returns the body already read, then what follows."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return first.pop() if first else await receive()

    return replay


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            common = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message["headers"], *(pair for pair in common if pair[0] not in present)]
        await send(message)

    return sending


async def _refuse(
    send: Send, refusal: Refusal, more: Mapping[str, str] | None = None, *, as_page: bool = False
) -> None:
    kind, text = ("html", page_of_refusal(*refusal)) if as_page else ("plain", f"{refusal.reason}\n")
    body = text.encode()
    headers = {"content-type": f"text/{kind}; charset=utf-8", "cache-control": "no-store"} | dict(more or {})
    headers["content-length"] = str(len(body))
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await _with_headers(send)({"type": "http.response.start", "status": refusal.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
