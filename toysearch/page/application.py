"""Page as an ASGI application: its addresses in one table, and how an address becomes an answer."""

from __future__ import annotations

import asyncio
import functools
import math
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from toysearch.base import ArgumentError, ToysearchError, collected_notes, unknown
from toysearch.base.errors import ended_by
from toysearch.collection.catalog import without_texts
from toysearch.page import agreement_view, class_view, compare_view, judge_view, search_view
from toysearch.page.access import READS_ONLY, WRITE_TOKEN, Guard, Readers, Receive, class_token, cookie_in, new_token
from toysearch.page.judging_rules import ADJUDICATOR
from toysearch.page.model_picker import Asked, Models
from toysearch.page.reply import JSON, PART_HEADER, Reply, as_json, as_page, form_of, refusal, static_file
from toysearch.page.search_request import NOT_COMPUTED, divided, read_request
from toysearch.page.served_source import ServedSource, is_moving, rater, visitor
from toysearch.page.thumbs import COOKIE, VOTER
from toysearch.retrieval.remarks import SpellingNote

Made = TypeVar("Made")

AT_ONCE = 8
"""Number of views that compute at the same time; others wait for one of them."""

LONGEST = 20.0
"""Maximum time of computing that an answer may take, in seconds."""

_LOOK = 0.2  # seconds between two looks of a view that waits, whether somebody still waits for it


class Forsaken(ToysearchError):
    """Raised if nobody waits for an answer any more."""


class Computing:
    """Threads in which views compute.

    They end with the process, whatever they do, so that Ctrl-C and SIGTERM always end it.
    """

    def __init__(self, at_once: int = AT_ONCE, longest: float = LONGEST) -> None:
        self._places, self._longest = threading.Semaphore(at_once), longest

    async def __call__(
        self, compute: Callable[[], Made], receive: Receive | None = None, endless: bool = False
    ) -> Made:
        """Return what a function returns; with `receive`, end it if the client that asked goes away.

        endless: whether it may take longer than any other.
        """
        gone, future = threading.Event(), Future[Made]()
        future.set_running_or_notify_cancel()  # it is done when its thread is, whoever waits
        threading.Thread(target=self._work, args=(compute, gone, endless, future), daemon=True).start()
        result = asyncio.wrap_future(future)
        watching = None if receive is None else asyncio.ensure_future(_client_left(receive))
        try:
            if watching is not None:
                await asyncio.wait((result, watching), return_when=asyncio.FIRST_COMPLETED)
                if not result.done():
                    gone.set()
            return await result
        except asyncio.CancelledError:
            gone.set()
            result.cancel()
            raise
        finally:
            if watching is not None:
                watching.cancel()

    def _work(self, compute: Callable[[], Made], gone: threading.Event, endless: bool, future: Future[Made]) -> None:
        try:
            while not self._places.acquire(timeout=_LOOK):
                _refuse_forsaken(gone)
            try:
                with ended_by(self._check(gone, endless)):
                    result = compute()
            finally:
                self._places.release()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def _check(self, gone: threading.Event, endless: bool) -> Callable[[], None]:
        """Return the check between the steps of a view: it raises once the client has left or the time is up."""
        end = math.inf if endless else time.thread_time() + self._longest

        def check() -> None:
            _refuse_forsaken(gone)
            if time.thread_time() > end:
                raise ArgumentError(
                    f"this took more than {self._longest:g} s of computing and was ended; ask for fewer documents, or "
                    "for words that fewer terms match"
                )

        return check


def _refuse_forsaken(gone: threading.Event) -> None:
    if gone.is_set():
        raise Forsaken("nobody waits for this answer any more")


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


View: TypeAlias = "Callable[[Any, Models, Mapping[str, str]], Reply]"
"""Turns a source, the models of the page and the names and values of an address into an answer."""

VIEWS: dict[str, View] = {
    "search": search_view.search,
    "explanation": search_view.explanation,
    "document": search_view.document,
    "completion": search_view.completion,
    "compare": compare_view.compare,
    "judge": judge_view.judge,
    "agreement": agreement_view.agreement,
    "judgments": agreement_view.judgments,
    "class": class_view.classroom,
}
"""Views by the last part of an address, ``/SOURCE/VIEW``. ``/SOURCE/VIEW.json`` is the same as JSON."""

WRITES: dict[str, View] = {
    "judge": judge_view.give,
    "search": search_view.rate,
    "compare": compare_view.count_anew,
    "agreement": agreement_view.settle,
}
"""Views that a POST calls, by the last part of the address; the form of the request replaces the address."""

IN_THE_HEADING = {
    "search": "Search",
    "compare": "Compare",
    "judge": "Judge",
    "agreement": "Agreement",
    "class": "Class",
}
"""Views that the heading of each page links to."""

_NEEDS = {
    "judge": "judging",
    "agreement": "has_adjudicator",
    "class": "class_link",
}  # view → what a source must have for it
_ONE_BY_ONE = ("judge", "agreement")  # views of what people change together
_SEEN_BY_JUDGES = ("judge",)  # views that show no grade of others; with judges, the rest is closed
_WITH_FORMS = ("search", "compare", "judge", "agreement")  # that people correct
_READ_BY = {"search": read_request, "compare": compare_view.read_comparison}
_KEPT_IN_FORMS = ("q", "topic", "judge", "key")  # what stays in them if something else is refused
_COUNTED = ("search", "compare")  # views whose visitors get a name, by which their settings are counted
_VISITOR = "toysearch-visitor"  # the cookie with that name
_TIP = "toysearch-tip"  # the cookie of whoever has closed the line that says what to drag
_OF_CLASS = ("search", "explanation", "document", "completion", "compare")  # those that a class may read
_KEPT = 7 * 24 * 3600  # seconds

_CLOSED = (
    "this shows grades that judges must not see, so only the adjudicator may open it: use the link of the adjudicator "
    "that `toysearch serve` printed, or as a judge your own"
)
_FAILED = "this page could not be made, by a mistake of toysearch; the terminal says more"


class Served(NamedTuple):
    """Sources by their names in addresses, and models by their names, of which the first is the usual one."""

    sources: dict[str, ServedSource]
    models: Models
    computing: Computing


def application(
    sources: Iterable[ServedSource],
    models: Models,
    *,
    hosts: frozenset[str] | None = None,
    token: str | None = None,
) -> Guard:
    """Return the application that serves some sources, behind its guard; the first of the models is the usual one."""
    by_name: dict[str, ServedSource] = {source.name: source for source in sources}
    readers = None  # a class, which may open what can be read
    if token is not None:
        views = [f"/{name}/{view}{end}" for name in by_name for view in _OF_CLASS for end in ("", JSON)]
        paths = ("/", "/index" + JSON, *(f"/{name}" for name in by_name), *views)
        readers = Readers(class_token(token), frozenset(paths))
    served = Served(by_name, models, Computing())

    def not_found(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        reason = f"there is no page at {request.url.path}" if status == 404 else "this address can only be read (GET)"
        return _response(served, request, refusal(reason, status))

    starlette = Starlette(routes=_routes(served), exception_handlers={404: not_found, 405: not_found})
    compressed = GZipMiddleware(starlette, compresslevel=4)  # more takes longer than it saves
    return Guard(compressed, new_token(), hosts, token, readers)


def _routes(served: Served) -> list[Route]:
    async def home(request: Request) -> Response:
        if len(served.sources) == 1 and not _as_data(request):
            return await _led_to_first(next(iter(served.sources.values())), request)
        return _response(served, request, _home(served, request))

    async def source_home(request: Request) -> Response:
        source = served.sources.get(request.path_params["source"])
        if source is None:
            return _response(served, request, _no_such_source(served, request))
        return await _led_to_first(source, request)

    async def _led_to_first(source: ServedSource, request: Request) -> Response:
        return await served.computing(lambda: RedirectResponse(_first_address(served, source, request), 307))

    async def _waited_for(compute: Callable[[], Response], receive: Receive | None, endless: bool) -> Response:
        try:
            return await served.computing(compute, receive, endless)
        except Forsaken:
            return Response(status_code=499)  # nobody reads it

    async def view(request: Request) -> Response:
        pairs = dict(request.query_params)
        endless = _view(request) == "compare" or "case" in pairs  # it is over all queries
        return await _waited_for(lambda: _reply(served, request, VIEWS, pairs), request.receive, endless)

    async def write(request: Request) -> Response:
        kind, body = request.headers.get("content-type", ""), await request.body()
        answer = functools.partial(_reply, served, request, WRITES, form_of(kind, body))
        compares = _view(request) == "compare"  # all else is written even if the client leaves
        reply = await _waited_for(answer, request.receive if compares else None, compares)
        by_script = PART_HEADER in request.headers or _as_data(request)
        if reply.status_code != 200 or by_script:
            return reply
        cookie = {"set-cookie": reply.headers["set-cookie"]} if "set-cookie" in reply.headers else None
        address = reply.headers["x-toysearch-address"]
        return RedirectResponse(address, 303, cookie)  # so that reloading does not write again

    async def static(request: Request) -> Response:
        file = static_file(request.path_params["name"])
        if file is None:
            return Response("there is no such file\n", 404, media_type="text/plain")
        return Response(file[0], headers={"content-type": file[1], "cache-control": "no-cache"})

    return [
        Route("/", home),
        Route("/index.json", home),  # before /SOURCE
        Route("/static/{name}", static),
        Route("/{source}", source_home),
        Route("/{source}/{view}", view),
        *(Route(f"/{{source}}/{name}{end}", write, methods=["POST"]) for name in WRITES for end in ("", JSON)),
    ]


def _reply(served: Served, request: Request, views: Mapping[str, View], asked: Asked) -> Response:
    """Respond with a view; an unexpected exception becomes an error page."""
    try:
        return _response(served, request, _answer(served, request, views, asked))
    except Forsaken:
        raise
    except Exception:
        traceback.print_exc()
        return _response(served, request, refusal(_FAILED, 500))


def _answer(served: Served, request: Request, views: Mapping[str, View], pairs: Mapping[str, str]) -> Reply:
    """Answer with a view; an error becomes a sentence."""
    name, typed = _view(request), request.path_params["source"]
    source = served.sources.get(typed)
    if source is not None and (renewed := source.renewed()) is not source:  # another program changed it
        served.sources[typed] = source = renewed
    if source is None:
        return _no_such_source(served, request)
    if name not in views:
        return refusal(str(unknown("view", name, views)), 404)
    try:
        if not _is_open(source, name, request, pairs):
            return refusal(_CLOSED, 403)
        own_names = {VOTER: _cookie(request, COOKIE), search_view.EVERY_HIT: "1" if _as_data(request) else ""}
        if source.judging is not None and not pairs.get("key") and _settles(source, request, pairs):
            pairs = {**pairs, "key": source.judging.settling_key}
        own_name = _cookie(request, _VISITOR)
        visitor.set(own_name)
        rater.set(_rater(source, request, pairs))
        is_moving.set(request.headers.get(PART_HEADER) == "moving")
        one_by_one = name in _ONE_BY_ONE or request.method == "POST"
        if is_new := not own_name and name in _COUNTED:
            visitor.set(new_token())
        with collected_notes() as notes, source.room if one_by_one else nullcontext():
            answer = views[name](source, served.models, {**pairs, **own_names})
        if is_new and answer.cookie is None:
            answer = answer._replace(cookie=(_VISITOR, visitor.get()))
        from_source = [*([source.problem] if source.problem else []), *_lacks_texts(source)]
        from_view = [*answer.data.get("notes", []), *from_source]
        collected = [str(note) for note in notes if not isinstance(note, SpellingNote)]  # views have a place for these
        return answer._replace(data={**answer.data, "notes": [*dict.fromkeys([*from_view, *collected])]})
    except ArgumentError as error:
        return _above_its_form(served, request, source, pairs, error) or refusal(str(error), 400)
    except Forsaken:
        raise
    except ToysearchError as error:
        return refusal(str(error), 500)


def _lacks_texts(source: ServedSource) -> list[str]:
    collection = source.collection
    if collection is None or not collection.word_counts:
        return []
    needed = "titles, snippets, and queries with their words in order need the texts"
    return [str(without_texts(needed, collection.catalog_name))]


def _above_its_form(
    served: Served, request: Request, source: ServedSource, asked: Asked, error: ArgumentError
) -> Reply | None:
    name, by_script = _view(request), PART_HEADER in request.headers
    if name not in _WITH_FORMS or by_script or _as_data(request):
        return None
    if name in _READ_BY:
        fields, refused = divided(functools.partial(_READ_BY[name], source, served.models), served.models, asked)
        reply = VIEWS[name](source, served.models, {**fields, NOT_COMPUTED: "1"})
        return reply._replace(status=400, problem=str(error), refused=refused)
    room = source.room if name in _ONE_BY_ONE else nullcontext()
    for names in (_KEPT_IN_FORMS, [field for field in _KEPT_IN_FORMS if field != "topic"], ()):
        with suppress(ToysearchError), collected_notes(), room:
            fields = {field: asked[field] for field in names if field in asked}
            reply = VIEWS[name](source, served.models, fields)
            return reply._replace(status=400, problem=str(error), cookie=None)
    return None


def _cookie(request: Request, name: str) -> str:
    return cookie_in(request.headers.get("cookie", ""), name)


def _rater(source: ServedSource, request: Request, pairs: Mapping[str, str]) -> str:
    """Return the name of whoever grades in the ranking; "" for one who may not, or not any more."""
    name = unquote(_cookie(request, search_view.RATER))
    if source.judging is None or _reads_only(request):
        return ""
    if source.judging.own_judge:
        return source.judging.own_judge
    may = _settles(source, request, pairs) if name == ADJUDICATOR else not source.judging.keys
    return name if may else ""


def _settles(source: ServedSource | None, request: Request, asked: Asked) -> bool:
    """True if a request carries the key of the adjudicator, in its address, form or cookie."""
    judging = getattr(source, "judging", None)
    return judging is not None and any(
        judging.settles(key) for key in (asked.get("key", ""), _cookie(request, judging.cookie))
    )


def _is_open(source: ServedSource | None, view: str, request: Request, asked: Asked) -> bool:
    """True if a request may open a view; with judges, only the adjudicator sees the grades of others."""
    judging = getattr(source, "judging", None)
    closed = judging is not None and judging.keys and view not in _SEEN_BY_JUDGES
    return not closed or _settles(source, request, asked)


def _as_data(request: Request) -> bool:
    """True if the answer is JSON: by the end of the address, or as the first of the types that a request accepts."""
    accepted = request.headers.get("accept", "").partition(",")[0].partition(";")[0].strip()
    return request.url.path.endswith(JSON) or accepted == "application/json"


def _view(request: Request) -> str:
    return str(request.scope["path"]).rpartition("/")[2].removesuffix(JSON)


def _first_address(served: Served, source: ServedSource, request: Request) -> str:
    """Return the address of the first view that a visitor may open; a search opens on the query that moves most."""
    first = next(view for view in VIEWS if _is_open(source, view, request, {}))
    if first != "search":
        return f"/{source.name}/{first}"
    moving = source.moving_query(next(iter(served.models.values())))
    if moving is None:
        return f"/{source.name}/search"
    tip = {} if _cookie(request, _TIP) else {search_view.TIP: moving.parameter}
    return read_request(source, served.models, {"topic": moving.query_id}).address(source, **tip)


def _offered(source: ServedSource, request: Request, key: str = "") -> dict[str, str]:
    """Return the views in the heading for which a source has what they need and that a visitor may open."""
    offered = {}
    for name, label in IN_THE_HEADING.items():
        has_needs = name not in _NEEDS or getattr(source, _NEEDS[name], None)
        is_readable = not _reads_only(request) or name in _OF_CLASS
        if has_needs and is_readable and _is_open(source, name, request, {"key": key}):
            offered[name] = label
    return offered


def _home(served: Served, request: Request) -> Reply:
    rows: list[dict[str, Any]] = []
    for source in served.sources.values():
        examples = []
        if _is_open(source, "search", request, {}):
            examples = search_view.examples(source, read_request(source, served.models, {}))
        rows.append(
            {
                "name": source.name,
                "source": source.typed,
                "title": source.collection.title if source.collection is not None else source.typed,
                "documents": len(source.index),
                "queries": len(source.queries),
                "judgments": len(source.qrels),
                "analyzer": str(source.index.analyzer),
                "address": f"/{source.name}",
                "views": {label: f"/{source.name}/{name}" for name, label in _offered(source, request).items()},
                "examples": examples,
            }
        )
    return Reply("home.html", "Collections", {"sources": rows, "notes": []}, address="/")


def _no_such_source(served: Served, request: Request) -> Reply:
    return refusal(str(unknown("source", request.path_params["source"], served.sources)), 404)


def _response(served: Served, request: Request, answer: Reply) -> Response:
    headers = {"cache-control": "no-store", "vary": f"accept, {PART_HEADER}"}
    if answer.cookie is not None:  # Lax: who follows a link of another page, such as that of a course, stays the same
        name, value = answer.cookie
        headers["set-cookie"] = f"{name}={value}; Path=/; Max-Age={_KEPT}; HttpOnly; SameSite=Lax"
    if _as_data(request):
        return Response(_encoded(as_json(answer)), answer.status, headers, "application/json")
    if answer.file is not None:
        headers["content-disposition"] = f'attachment; filename="{answer.file[0]}"'
        return Response(_encoded(answer.file[1]), answer.status, headers, "text/plain; charset=utf-8")
    headers["x-toysearch-address"] = answer.address
    layout = "part" if PART_HEADER in request.headers else "page"
    of_form = any(name == "of" or name.startswith("of.") for name in request.query_params)  # all its fields, also empty
    if of_form and layout == "page" and answer.status == 200 and answer.address and "save" not in request.query_params:
        return RedirectResponse(answer.address, 303, headers)
    if "save" in request.query_params and answer.status == 200:
        layout = "saved"
        headers["content-disposition"] = f'attachment; filename="toysearch-{answer.template}"'
    source = served.sources.get(request.path_params.get("source", ""))
    here = _view(request)
    grades_in_rankings = isinstance(source, ServedSource) and _rater(source, request, {})
    is_own = isinstance(source, ServedSource) and source.judges_own_searches
    blind = bool(grades_in_rankings) and grades_in_rankings != ADJUDICATOR and not is_own
    key = answer.form.get("key", "")
    views = _offered(source, request, key) if source else {}
    if (here == "judge" or blind) and not _settles(source, request, {"key": key}):
        seen = {*_SEEN_BY_JUDGES, "search"} if blind else _SEEN_BY_JUDGES
        views = {name: label for name, label in views.items() if name in seen}
    site = {
        "write_token": request.scope[WRITE_TOKEN],
        "reads_only": _reads_only(request),
        "token_is_asked": False,
        "source": source,
        "views": views,
        "here": here,
        "blind": blind,
        "several": len(served.sources) > 1,
    }
    return Response(_encoded(as_page(answer, layout, site)), answer.status, headers, "text/html; charset=utf-8")


def _reads_only(request: Request) -> bool:
    return bool(request.scope.get(READS_ONLY))


def _encoded(text: str) -> bytes:
    """Encode a text in UTF-8; a lone surrogate, which a file may hold, becomes a question mark."""
    return text.encode("utf-8", "replace")
