"""The live stream in the OpenAPI document, by hand: no serializer describes a stream."""

from typing import Any, Final

from baccarat.streaming.notifications import LiveEventResponse
from baccarat.streaming.snapshot import SnapshotMessage
from casino.api.openapi import REQUEST_ID
from casino.api.shapes import example_of
from casino.api.streaming import sse
from wallet.api.balances import Balances

PATH: Final = "/api/v1/stream"

_DESCRIPTION: Final = """\
Server-sent events, one stream for all that concerns a player: every table where the player sits (seats taken and left
while the stream is open are followed), a table that is watched (`table`, no seat needed), and the player's balances.

| event | id | data |
|---|---|---|
| `snapshot` | position | `position`, `server_time`, `tables` (each as `GET /api/v1/tables/{id}` answers), `balances` (as `GET /api/v1/me/balances`): draw everything again. The first message; again when the player sits down at another table. |
| `event` | position | `position`, `type`, `table`, `round`, `recorded_at`, `data`: what happened, as this player may see it. Amounts are decimal strings; only the player's own id is shown. A `ChatMessageSent` brings its `text`: show it as text, never as markup. |
| `balances` | none | The player's balances, after money moved, and when the next reality check is due (`reality_check`). |
| `reset` | none | Too much was missed to be sent one by one: a `snapshot` follows. |
| `end` | none | `code` says why the stream ends: `session_taken_over`, `session_timed_out`, `session_ended`, `session_ended_by_ban`, `token_expired`, `too_many_streams`, `internal_error` (the last one: come back at once). |

Positions ascend and nothing is sent twice. To resume, send the last id as `Last-Event-ID` or as `after`; balances come
first, then all that was missed. In 15 seconds of silence a comment comes, with an id and no data: it counts as the last
id. Deadlines are sent once, as times: compare them with `server_time`. A reader that is too slow is cut off, and resumes.
EventSource sends no header and a ticket is good once: open the next stream with another ticket and `after`.
An open stream counts as use of the session.
"""  # noqa: E501  (rows of a table)
_EXAMPLE: Final = (
    sse.RETRY
    + sse.message("snapshot", example_of(SnapshotMessage), position=48210)
    + sse.message("event", example_of(LiveEventResponse), position=48211)
    + sse.message("balances", example_of(Balances))
    + sse.keep_alive(48391)
    + sse.message("end", {"code": "session_taken_over"})
).decode()
_PARAMETERS: Final = (
    ("query", "ticket", {"type": "string"}, "From `POST /api/v1/stream/tickets`, instead of the Authorization header."),
    ("query", "table", {"type": "string", "format": "uuid"}, "A table to watch."),
    ("query", "after", {"type": "integer", "minimum": 0}, "The last position that was seen."),
    ("header", "Last-Event-ID", {"type": "integer", "minimum": 0}, "The same, as browsers send it; it wins."),
    ("header", REQUEST_ID.name, REQUEST_ID.type, REQUEST_ID.description),
)
_REFUSED: Final = ("400", "401", "403", "404")
_LIKE: Final = "/api/v1/tables/{table}/pass"
"""The problems of these operations have the same format."""


def add_stream(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """Add the stream to the OpenAPI document; the signature is that of drf-spectacular's hooks."""
    del generator, request, public
    if _LIKE not in result["paths"]:
        return result
    result["paths"][PATH] = {"get": _operation(result)}
    result["paths"] = dict(sorted(result["paths"].items()))
    return result


def _operation(result: dict[str, Any]) -> dict[str, Any]:
    parameters = [
        {"in": place, "name": name, "schema": schema, "description": words}
        for place, name, schema, words in _PARAMETERS
    ]
    stream = {"schema": {"type": "string"}, "examples": {"Stream": {"value": _EXAMPLE}}}
    answers: dict[str, Any] = {"200": {"description": "The stream.", "content": {sse.MEDIA_TYPE: stream}}}
    problems = result["paths"][_LIKE]["post"]["responses"]
    answers.update({status: problems[status] for status in _REFUSED})
    return {
        "operationId": "followStream",
        "summary": "Follow tables and balances as they change",
        "description": _DESCRIPTION,
        "parameters": parameters,
        "tags": ["live"],
        "security": [{"playerToken": []}],
        "responses": answers,
    }
