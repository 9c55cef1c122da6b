"""What the API's document says about each operation on chats."""

from collections.abc import Callable
from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from baccarat.chat import bodies
from casino.api import paging

_TABLE: Final = "0199f3a2-7a10-7b21-8f00-3c1d2e4f5a6b"
_PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"
_OTHER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c12"
_MESSAGE: Final = "0199f3a2-9c01-7d42-8a10-5e6f7a8b9c0d"
_REPORT: Final = "0199f3a2-9d33-7e51-9b22-6f7a8b9c0d1e"
_NOW: Final = "2026-11-21T09:00:00Z"
_LATER: Final = "2026-11-21T10:00:00Z"
_SAID: Final = {"id": _MESSAGE, "seat": 2, "you": True, "text": "Good luck, ****!", "sent_at": _NOW}
_MUTED: Final = {"until": _LATER, "reason": "language"}
_CONDUCT: Final = {"player": _PLAYER, "muted": _MUTED, "removed": None}
_ACT: Final = {
    "id": "0199f3a2-9e44-7f61-8c33-7a8b9c0d1e2f",
    "kind": "PlayerMuted",
    "reason": "language",
    "until": _LATER,
    "note": "Second warning.",
    "by": "operator:op_5f0c9a1b2c3d4e5f6a7b",
    "done_at": _NOW,
}
_WRITTEN: Final = {
    "id": _MESSAGE,
    "table": _TABLE,
    "seat": 2,
    "written": "Good luck, darn!",
    "shown": "Good luck, ****!",
    "sent_at": _NOW,
}
_REPORTED: Final = {
    "id": _REPORT,
    "table": _TABLE,
    "seat": 2,
    "player": _PLAYER,
    "reporter": _OTHER,
    "reason": "Rude again and again.",
    "reported_at": _NOW,
    "message": _MESSAGE,
    "written": "Good luck, darn!",
    "outcome": None,
    "note": None,
    "closed_by": None,
    "closed_at": None,
}
_WORD: Final = {"word": "darn", "folded": "darn", "all_operators": False, "added_at": _NOW}

Document = Callable[[Any], Any]


def _request(name: str, **value: Any) -> OpenApiExample:
    return OpenApiExample(name, value=value, request_only=True)


def _answer(name: str, value: Any, status: int = 200) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])


history: Final[Document] = extend_schema(
    operation_id="getTableChat",
    summary="Read a table's chat, newest first",
    description="For who sits at the table or watches it. Writers are known by the seat that they had.",
    parameters=paging.PARAMETERS,
    responses=bodies.ChatShown,
    examples=[
        _answer(
            "A message",
            {"open": True, "can_write": True, "muted": None, "items": [_SAID], "next": None},
        )
    ],
)
say: Final[Document] = extend_schema(
    operation_id="sendChatMessage",
    summary="Say something at the table",
    description=(
        "For who has a seat. At most 5 messages in 10 seconds. Bad language is covered with asterisks. Everyone at the "
        "table is told by the live stream: an event `ChatMessageSent` with `message`, `seat` and `text`."
    ),
    request=bodies.MessageRequest,
    responses={201: bodies.MessageShown},
    examples=[_request("A wish", text="Good luck, darn!"), _answer("Said", _SAID, 201)],
)
set_open: Final[Document] = extend_schema(
    operation_id="setTableChatOpen",
    summary="Close the chat of a table for oneself, or open it again",
    request=bodies.OpenRequest,
    responses=bodies.OpenShown,
    examples=[_request("Close it", open=False), _answer("Closed", {"open": False})],
)
report_message: Final[Document] = extend_schema(
    operation_id="reportChatMessage",
    summary="Report a message to the moderators",
    description="Once for each message. Nobody at the table is told.",
    request=bodies.ReportRequest,
    responses={201: bodies.ReportMade},
    examples=[_request("A reason", reason="Rude again and again."), _answer("Reported", {"report": _REPORT}, 201)],
)
report_player: Final[Document] = extend_schema(
    operation_id="reportPlayer",
    summary="Report who sits in a seat to the moderators",
    description="At most 5 reports in 10 minutes. Nobody at the table is told.",
    request=bodies.PlayerReportRequest,
    responses={201: bodies.ReportMade},
    examples=[_request("A seat", seat=2, reason="Spoils the game."), _answer("Reported", {"report": _REPORT}, 201)],
)
reports: Final[Document] = extend_schema(
    operation_id="listChatReports",
    summary="List reports of messages and players, newest first",
    parameters=[
        OpenApiParameter("status", str, enum=["open", "all"], description="Those that wait (`open`), or all."),
        *paging.PARAMETERS,
    ],
    responses=bodies.ReportPage,
    examples=[_answer("One that waits", {"items": [_REPORTED], "next": None})],
)
close_report: Final[Document] = extend_schema(
    operation_id="closeChatReport",
    summary="Note what came of a report",
    request=bodies.CloseRequest,
    responses={204: None},
    examples=[_request("Acted on", outcome="action_taken", note="Muted for an hour.")],
)
conduct: Final[Document] = extend_schema(
    operation_id="getPlayerModeration",
    summary="Show what holds for a player in chats, and what moderators did, newest first",
    parameters=paging.PARAMETERS,
    responses=bodies.ConductPage,
    examples=[_answer("Muted", {**_CONDUCT, "items": [_ACT], "next": None})],
)
messages: Final[Document] = extend_schema(
    operation_id="listPlayerMessages",
    summary="List what a player wrote in chats, newest first, without asterisks",
    parameters=paging.PARAMETERS,
    responses=bodies.WrittenPage,
    examples=[_answer("A message", {"items": [_WRITTEN], "next": None})],
)
words: Final[Document] = extend_schema(
    operation_id="listChatFilterWords",
    summary="List the words that are masked in the operator's chats",
    responses=bodies.WordsShown,
    examples=[_answer("A word", {"items": [_WORD]})],
)
add_word: Final[Document] = extend_schema(
    operation_id="addChatFilterWord",
    summary="Mask a word from now on",
    description="Whole words, whatever their case, accents and simple look-alikes (`d@rn`). What was said stays.",
    request=bodies.WordRequest,
    responses={201: bodies.WordShown},
    examples=[_request("A word", word="darn"), _answer("Listed", _WORD, 201)],
)
remove_word: Final[Document] = extend_schema(
    operation_id="removeChatFilterWord",
    summary="Mask a word no longer",
    request=bodies.WordRequest,
    responses={204: None},
    examples=[_request("A word", word="darn")],
)


def moderation(name: str, summary: str, description: str, *, lasting: bool) -> Document:
    """Describe an act of a moderator about a player; `lasting` for one that takes a reason and a time."""
    request = bodies.BanRequest if lasting else bodies.NoteRequest
    example = (
        _request("For an hour", reason="language", minutes=60, note="Second warning.")
        if lasting
        else _request("A remark", note="Has apologised.")
    )
    made: Document = extend_schema(
        operation_id=name,
        summary=summary,
        description=description,
        request=request,
        responses=bodies.ConductShown,
        examples=[example, _answer("What holds now", _CONDUCT if lasting else {**_CONDUCT, "muted": None})],
    )
    return made


mute: Final = moderation("mutePlayer", "Mute a player in all chats", "It replaces a mute before.", lasting=True)
unmute: Final = moderation("unmutePlayer", "Let a muted player write again", "", lasting=False)
remove: Final = moderation(
    "removePlayer",
    "Remove a player from the casino",
    "Open sessions end and none is opened. Confirmed wagers are dealt and settled, the seat is freed in its time, and "
    "what is left is paid out by the operator's support.",
    lasting=True,
)
readmit: Final = moderation("unbanPlayer", "Let a removed player in again", "", lasting=False)
