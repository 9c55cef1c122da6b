"""The endpoint of the live stream, and its description in the OpenAPI document.

The view returns an asynchronous iterator, so that an open stream uses no thread and no database connection.
"""

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import OpenApiParameter

from baccarat.domain.tables.refusals import UnknownTable
from baccarat.risk import networks
from baccarat.streaming import snapshot
from baccarat.streaming.notifications import LiveEventResponse, LobbyChange, event_data
from baccarat.streaming.registry import END_CODES
from baccarat.streaming.snapshot import SnapshotMessage
from baccarat.streaming.stream import StreamOpening, stream_messages
from casino.api import document, errors
from casino.api.contract import Contract, problems_of
from casino.api.error_catalogue import BAD_REQUEST, INVALID_CURSOR, METHOD_NOT_ALLOWED, RequestRejected
from casino.api.openapi import REQUEST_ID
from casino.api.shapes import Shape, example_of, open_enum
from casino.api.streaming import sse
from casino.crypto import opaque_number
from casino.feed.asyncapi import ChannelMessage, StreamChannel
from casino.operators import auth
from casino.operators.auth import PlayerTokenAuthentication
from casino.operators.principals import PlayerPrincipal
from wallet.api.accounts import Balances

PATH: Final = "/api/v1/stream"


class StreamEnd(Shape):
    """The last message of a stream."""

    code: Annotated[str, open_enum(END_CODES, example="session_taken_over")]


class StreamReset(Shape):
    """The reason for a new snapshot."""

    code: Literal["gap_too_long"]


CHANNEL: Final = StreamChannel(
    name="stream",
    address=PATH,
    operation="receiveStream",
    summary="A player's tables and balances as they change.",
    messages=(
        ChannelMessage("snapshot", "Everything to draw, with the position it is of.", SnapshotMessage),
        ChannelMessage("event", "An event at a table, redacted for the player.", LiveEventResponse),
        ChannelMessage("lobby", "A table whose line in the lobby has changed.", LobbyChange),
        ChannelMessage("balances", "Balances after money moved.", Balances),
        ChannelMessage("reset", "Too many events were missed: a snapshot follows.", StreamReset),
        ChannelMessage("end", "The reason why the stream ends.", StreamEnd),
    ),
    events=event_data(),
)

_DESCRIPTION: Final = """\
Server-sent events, one stream per player: every table where the player sits (including seats taken and left while the
stream is open), a watched table (`table`, no seat needed), and the player's balances.

| event | id | data |
|---|---|---|
| `snapshot` | position | `position`, `server_time`, `tables` (each as in `GET /api/v1/tables/{id}`), `balances` (as in `GET /api/v1/me/balances`): draw everything again. The first message; again when the player sits down at another table. |
| `event` | position | `position`, `type`, `table`, `round`, `recorded_at`, `data`: an event, redacted for this player. Amounts are decimal strings; only the player's own id is shown. A `ChatMessageSent` contains its `text` and the `nickname` if its writer shows it: show both as text, never as markup. |
| `lobby` | none | With `lobby=true`: the line of this `table` in `GET /api/v1/lobby` has changed. |
| `balances` | none | The player's balances after money moved, and when the next reality check is due (`reality_check`). |
| `reset` | none | Too many events were missed: a `snapshot` follows. |
| `end` | none | `code` is the reason the stream ends: `session_taken_over`, `session_timed_out`, `session_ended`, `session_ended_by_ban`, `token_expired`, `too_many_streams`, `internal_error` (reconnect at once). |

Events come in their order and nothing is sent twice. Positions are opaque texts. To resume, send the last id as `Last-Event-ID` or as `after`; balances come
first, then all missed events. After 15 idle seconds a comment is sent, with an id and no data: it counts as the last
id. Deadlines are sent once, as times: compare them with `server_time`. A reader that is too slow is disconnected, and
may resume. EventSource sends no header and a ticket works once: open the next stream with a new ticket and `after`.
An open stream counts as use of the session.
"""  # noqa: E501  (rows of a table)
_EXAMPLE: Final = (
    sse.RETRY
    + sse.message("snapshot", example_of(SnapshotMessage), id_=example_of(SnapshotMessage)["position"])
    + sse.message("event", example_of(LiveEventResponse), id_=example_of(LiveEventResponse)["position"])
    + sse.message("balances", example_of(Balances))
    + sse.keep_alive("q8Xw2eR5tY7uI0oP3aS6dF9gH1jK4lZx")
    + sse.message("end", {"code": "session_taken_over"})
).decode()
_PARAMETERS: Final = (
    ("query", "ticket", {"type": "string"}, "From `POST /api/v1/stream/tickets`, instead of the Authorization header."),
    ("query", "table", {"type": "string", "format": "uuid"}, "A table to watch."),
    ("query", "lobby", {"type": "boolean", "default": False}, "Whether to follow the lobby."),
    ("query", "after", {"type": "string", "pattern": opaque_number.PATTERN}, "The last position received."),
    (
        "header",
        "Last-Event-ID",
        {"type": "string", "pattern": opaque_number.PATTERN},
        "The same, as browsers send it; it takes precedence.",
    ),
    ("header", REQUEST_ID.name, REQUEST_ID.type, REQUEST_ID.description),
)
CONTRACT: Final = Contract(
    refusals=(*PlayerTokenAuthentication.problems, UnknownTable, INVALID_CURSOR),
    parameters=[OpenApiParameter(name) for location, name, *_ in _PARAMETERS if location == "query"],
)


def add_stream(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """Add the stream to the OpenAPI document; the signature is that of drf-spectacular's hooks."""
    del generator, request, public
    if "/api/v1/stream/tickets" not in result["paths"]:
        return result
    result["paths"][PATH] = {"get": _operation()}
    result["paths"] = dict(sorted(result["paths"].items()))
    return result


def _operation() -> dict[str, Any]:
    parameters = [
        {"in": location, "name": name, "schema": schema, "description": text}
        for location, name, schema, text in _PARAMETERS
    ]
    messages = {"schema": {"type": "string"}, "examples": {"Stream": {"value": _EXAMPLE}}}
    return {
        "operationId": "followStream",
        "summary": "Follow tables and balances as they change",
        "description": _DESCRIPTION,
        "parameters": parameters,
        "tags": ["live"],
        "security": [{"playerToken": []}],
        "responses": {"200": {"description": "The stream.", "content": {sse.MEDIA_TYPE: messages}}},
        document.PROBLEMS: list(problems_of(stream, "GET", in_path=False).values()),
    }


@csrf_exempt
def stream(request: HttpRequest) -> HttpResponseBase:
    """Return the stream, or a problem if it cannot start."""
    if request.method != "GET":
        response = errors.problem_response(request, METHOD_NOT_ALLOWED)
        response["Allow"] = "GET"
        return response
    try:
        opening = _open(request=request)
    except Exception as error:  # noqa: BLE001  (every error has a problem document)
        return errors.handle(error, {"request": request})
    return sse.LiveResponse(stream_messages(opening), content_type=sse.MEDIA_TYPE, headers=sse.HEADERS)


stream.contract = CONTRACT  # type: ignore[attr-defined]


def _open(*, request: HttpRequest) -> StreamOpening:
    """Authenticate the player and take a first snapshot. Raises RequestRejected, UnknownTable."""
    CONTRACT.refuse_unknown(request.GET)
    after, watched, lobby = _after(request), _watched(request), _lobby(request)
    player = _player(request)
    request.user = player  # type: ignore[assignment]  # CORS depends on the caller's operator
    networks.remember(player=player.player, request=request)
    return StreamOpening(player, watched, lobby, after, snapshot.take_snapshot(player=player, watched=watched))


def _player(request: HttpRequest) -> PlayerPrincipal:
    ticket = request.GET.get("ticket")
    if ticket is not None:
        return auth.player_from_ticket(ticket)
    return auth.player_of(request)


def _watched(request: HttpRequest) -> UUID | None:
    text = request.GET.get("table")
    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise UnknownTable from None


def _lobby(request: HttpRequest) -> bool:
    """Return whether the stream follows the lobby. Raises RequestRejected."""
    text = request.GET.get("lobby", "false")
    if text not in {"true", "false"}:
        raise RequestRejected(BAD_REQUEST, "`lobby` is true or false.")
    return text == "true"


def _after(request: HttpRequest) -> int | None:
    """Return the last position that a reconnecting browser received; its header is newer than its address."""
    text = request.headers.get("Last-Event-ID") or request.GET.get("after")
    return snapshot.decode_position(text) if text else None
