"""The endpoint of the live stream: an asynchronous view, so that an open stream uses no thread or connection."""

import re
from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from baccarat.domain.tables.refusals import UnknownTable
from baccarat.streaming import snapshot
from baccarat.streaming.stream import StreamOpening, stream_messages
from casino.api import errors
from casino.api.error_catalogue import INVALID_CURSOR, METHOD_NOT_ALLOWED, RequestRejected
from casino.api.streaming import sse
from casino.api.streaming.hub import run_in_thread
from casino.operators import auth
from casino.operators.principals import PlayerPrincipal

_POSITION: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


@csrf_exempt
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Return the stream, or a problem if it cannot start."""
    if request.method != "GET":
        answer = errors.problem_response(request, METHOD_NOT_ALLOWED)
        answer["Allow"] = "GET"
        return answer
    try:
        opening = await run_in_thread(_open, request=request)
    except Exception as error:  # noqa: BLE001  (whatever it is, it has its problem document)
        return errors.handle(error, {"request": request})
    return StreamingHttpResponse(
        stream_messages(opening), status=HTTPStatus.OK, content_type=sse.MEDIA_TYPE, headers=sse.HEADERS
    )


def _open(*, request: HttpRequest) -> StreamOpening:
    """Authenticate the player and take a first snapshot. Raises RequestRejected, UnknownTable."""
    after, watched = _after(request), _watched(request)
    player = _player(request)
    return StreamOpening(player, watched, after, snapshot.take_snapshot(player=player, watched=watched))


def _player(request: HttpRequest) -> PlayerPrincipal:
    ticket = request.GET.get("ticket")
    if ticket is not None:
        return auth.player_from_ticket(ticket)
    return auth.player_from_header(request.META.get("HTTP_AUTHORIZATION", ""))


def _watched(request: HttpRequest) -> UUID | None:
    text = request.GET.get("table")
    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise UnknownTable from None


def _after(request: HttpRequest) -> int | None:
    """Return the last position that a reconnecting browser received; its header is newer than its address."""
    text = request.headers.get("Last-Event-ID") or request.GET.get("after")
    if not text:
        return None
    if not _POSITION.fullmatch(text):
        raise RequestRejected(INVALID_CURSOR, "A position is a whole number.")
    return int(text)
