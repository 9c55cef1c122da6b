"""Cooling-off and self-exclusion, by players themselves and by operators' servers."""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.services import exclusion
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, OptionalNoteText, integer, parse_body
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.api.players import Pin
from casino.operators.base_views import OperatorView, PlayerView, idempotent_with_pin, metadata
from casino.operators.pins import compare_pin
from casino.operators.refusals import PinLocked, PinNotSet, PinWrong, UnknownPlayer
from casino.operators.services import require_player
from wallet import acts
from wallet.api.limits import UNTIL, ExclusionResponse
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import changes, exclusions, services
from wallet.responsible_gaming.decider import (
    MAX_COOLING_OFF_HOURS,
    MAX_EXCLUSION_MONTHS,
    MIN_COOLING_OFF_HOURS,
    MIN_EXCLUSION_MONTHS,
)
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.exclusions import AnnotatedExclusion
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionNoteInvalid,
    ExclusionPermanent,
    ExclusionStillRunning,
    LongerExclusionActive,
    NotSelfExcluded,
)
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind, ExclusionRecord, PlayerRestrictionsState

EFFECT: Final = (
    "Takes effect at once in every session: no deposit, seat, rebuy or wager is accepted, and unconfirmed chips are "
    "returned. A confirmed wager is dealt and settled. Leaving, withdrawing and pending payments continue to work. "
    "Send `hours` (24 to 1008) for a cooling-off; for a self-exclusion `months` (6 to 120), or `permanent` for one "
    "that nobody can end."
)
HALF_A_YEAR: Final = {"kind": "self_exclusion", "months": 6}


class ExclusionRequest(Body):
    """`hours` (24 to 1008) for a cooling-off; `months` (6 to 120) or `permanent` for a self-exclusion."""

    kind: ExclusionKind
    hours: Annotated[int, integer(MIN_COOLING_OFF_HOURS, MAX_COOLING_OFF_HOURS)] | None = None
    months: Annotated[int, integer(MIN_EXCLUSION_MONTHS, MAX_EXCLUSION_MONTHS)] | None = None
    permanent: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what is not one length of this kind. Raises ExclusionLengthInvalid."""
        lengths = {"hours": self.hours, "months": self.months, "permanent": self.permanent or None}
        given = {name for name, length in lengths.items() if length is not None}
        allowed = {"hours"} if self.kind is ExclusionKind.COOLING_OFF else {"months", "permanent"}
        if len(given) != 1 or not given <= allowed:
            raise ExclusionLengthInvalid

    @property
    def length(self) -> int | None:
        """Hours or months; None is permanent."""
        return self.months if self.hours is None else self.hours


class SelfExclusionRequest(ExclusionRequest):
    """The player's own exclusion, confirmed with the PIN if the player has one."""

    pin: Pin | None = None


class PlayerExclusionRequest(ExclusionRequest, kw_only=True):
    """An exclusion that the operator sets, or records at the player's wish (`set_by`).

    The note is for the operator's staff: in no event, and not shown to the player.
    """

    set_by: Initiator
    note: OptionalNoteText = OptionalNoteText()


class PastExclusion(Shape, kw_only=True):
    """An exclusion that is active or has ended."""

    kind: ExclusionKind
    set_by: Initiator
    since: Timestamp
    until: Annotated[Timestamp | None, Meta(description=UNTIL)]
    ended_at: Annotated[Timestamp | None, Meta(description="Null while it is active.")]

    @classmethod
    def of(cls, record: ExclusionRecord) -> "PastExclusion":
        """Present an exclusion with its end."""
        return cls(**_fields(record))


class ExclusionRecordResponse(PastExclusion, kw_only=True):
    """An exclusion with the operator's note."""

    note: str

    @classmethod
    def with_note(cls, exclusion: AnnotatedExclusion) -> "ExclusionRecordResponse":
        """Present an exclusion with its note."""
        return cls(**_fields(exclusion.record), note=exclusion.note)


class ExclusionList(ItemList[PastExclusion]):
    """The latest exclusions, newest first, a hundred at most."""


class ExclusionRecordList(ItemList[ExclusionRecordResponse]):
    """The latest exclusions with their notes, newest first, a hundred at most."""


class CurrentExclusion(Shape):
    """The active exclusion, or null."""

    exclusion: ExclusionResponse | None

    @classmethod
    def of(cls, state: PlayerRestrictionsState) -> "CurrentExclusion":
        """Present the exclusion in a player's restrictions."""
        return cls(exclusion=ExclusionResponse.of(state.exclusion))


class MyExclusionsView(PlayerView):
    """The caller's own exclusions."""

    body: dict[str, Any]

    def _compare_pin(self, request: Request) -> None:
        body = parse_body(SelfExclusionRequest, request)
        compared = compare_pin(player=self.caller.player, pin=body.pin or "")
        self.body = {"kind": body.kind, "length": body.length, "pin": compared}

    @operation(
        "listMyExclusions",
        "List your exclusions, active and ended",
        returns=ExclusionList,
        description="The last hundred, newest first. One without `ended_at` is active until you ask to end it.",
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request) -> Response:
        listed = exclusions.list_exclusions(operator=self.caller.operator, player=self.caller.player)
        return Response(ExclusionList.of(PastExclusion.of(each.record) for each in listed))

    @operation(
        "createMyExclusion",
        "Exclude yourself from deposits and play, for a cooling-off or for months",
        returns=CurrentExclusion,
        request=SelfExclusionRequest,
        example={**HALF_A_YEAR, "pin": "482913"},
        description=EFFECT,
        refusals=(
            ExclusionLengthInvalid,
            LongerExclusionActive,
            PinLocked,
            PinNotSet,
            PinWrong,
            UnknownAccount,
        ),
    )
    @idempotent_with_pin(_compare_pin)
    def post(self, request: Request) -> Response:
        me = self.caller
        context = PlayerContext(
            operator=me.operator, player=me.player, currency=me.currency, metadata=metadata(request)
        )
        return Response(CurrentExclusion.of(exclusion.exclude(subject=context, by=Initiator.PLAYER, **self.body)))


class PlayerExclusionsView(OperatorView):
    """The exclusions of one of the caller's players."""

    act = acts.EXCLUDE

    @operation(
        "listPlayerExclusions",
        "List the exclusions of one of your players, with your notes",
        returns=ExclusionRecordList,
        description=("Cooling-offs and self-exclusions, active and ended, whether you or the player asked for them."),
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        listed = exclusions.list_exclusions(operator=self.caller.operator, player=player)
        return Response(ExclusionRecordList.of(ExclusionRecordResponse.with_note(each) for each in listed))

    @operation(
        "createPlayerExclusion",
        "Exclude one of your players from deposits and play",
        returns=CurrentExclusion,
        request=PlayerExclusionRequest,
        example={**HALF_A_YEAR, "set_by": "player", "note": "requested by telephone"},
        description=(
            f"{EFFECT} `set_by` is `player` where you record the player's wish, which never holds money, and "
            "`operator` for an exclusion by the house: the player is told so, and withdrawals are held."
        ),
        refusals=(
            ExclusionLengthInvalid,
            ExclusionNoteInvalid,
            LongerExclusionActive,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body, context = parse_body(PlayerExclusionRequest, request), _context(self, player)
        restrictions = exclusion.exclude(
            subject=context, by=body.set_by, kind=body.kind, length=body.length, note=body.note
        )
        return Response(CurrentExclusion.of(restrictions))


class EndExclusionView(OperatorView):
    act = acts.END_EXCLUSION

    @operation(
        "endPlayerExclusion",
        "End a player's self-exclusion after its minimum length",
        returns=CurrentExclusion,
        **{
            **LIVE,
            "description": (
                "For a self-exclusion whose minimum is over, when the player asks for it. A cooling-off ends by "
                f"itself, a permanent self-exclusion never. {LIVE['description']}"
            ),
        },
        refusals=(
            ExclusionPermanent,
            ExclusionStillRunning,
            NotSelfExcluded,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, _request: Request, player: UUID) -> Response:
        context = _context(self, player)
        if not self.caller.sandbox:
            change = changes.request_end_of_exclusion(operator=context.operator, player=player, by=self.use_person())
            return Response(ChangeResponse.of(change), status=202)
        return Response(CurrentExclusion.of(services.end_exclusion(context=context)))


def _context(view: OperatorView, player: UUID) -> PlayerContext:
    me = view.caller
    require_player(operator=me.operator, player=player)
    return PlayerContext(operator=me.operator, player=player, currency=me.currency, metadata=metadata(view.request))


def _fields(record: ExclusionRecord) -> dict[str, Any]:
    exclusion = record.exclusion
    return {
        "kind": exclusion.kind,
        "set_by": exclusion.by,
        "since": exclusion.since,
        "until": exclusion.until,
        "ended_at": record.ended_at,
    }
