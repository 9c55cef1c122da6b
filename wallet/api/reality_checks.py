"""Reality checks: time played and results, and how often the player is reminded of them."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, CurrencyQuery, integer, parse_body, parse_query
from casino.api.shapes import Money, Shape, Timestamp
from casino.operators.base_views import OperatorView
from casino.operators.refusals import UnknownPlayer
from wallet.api.limits import ResponsibleGamingView
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import queries, services
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.queries import RealityCheck, Reminder
from wallet.responsible_gaming.refusals import RealityCheckInvalid


class RealityCheckRequest(Body):
    """The interval of reality checks."""

    minutes: Annotated[int, integer(15, 60)]


class SessionActivity(Shape):
    """The session so far."""

    started_at: Timestamp
    minutes: Annotated[int, Meta(description="Since the login.", examples=[42])]
    played_minutes: Annotated[int, Meta(description="In steps of five: those with at least one wager.", examples=[35])]
    staked: Money
    net: Annotated[Money, Meta(description="Real money won (above zero) or lost; wagers in play count as lost.")]

    @classmethod
    def of(cls, reminder: Reminder, usage: Usage, currency: str) -> "SessionActivity":
        """Present the usage since the login."""
        used = usage.used
        return cls(
            started_at=reminder.started_at,
            minutes=int((reminder.now - reminder.started_at).total_seconds()) // 60,
            played_minutes=used[LimitType.TIME, LimitPeriod.DAY],
            staked=Money.of(used[LimitType.STAKE, LimitPeriod.DAY], currency),
            net=Money.of(-used[LimitType.LOSS, LimitPeriod.DAY], currency),
        )


class WindowActivity(Shape):
    """A period that ends now."""

    period: LimitPeriod
    played_minutes: Annotated[int, Meta(examples=[35])]
    staked: Money
    net: Money
    deposited: Money

    @classmethod
    def of(cls, period: LimitPeriod, usage: Usage, currency: str) -> "WindowActivity":
        """Present the usage in one period."""
        used = usage.used
        return cls(
            period=period,
            played_minutes=used[LimitType.TIME, period],
            staked=Money.of(used[LimitType.STAKE, period], currency),
            net=Money.of(-used[LimitType.LOSS, period], currency),
            deposited=Money.of(used[LimitType.DEPOSIT, period], currency),
        )


class RealityCheckReminder(Shape):
    """Interval and time of reality checks."""

    minutes: Annotated[int, Meta(description="Minutes between reality checks.", examples=[60])]
    due_at: Annotated[Timestamp, Meta(description="Time of the next one.")]

    @classmethod
    def of(cls, reminder: Reminder | None) -> "RealityCheckReminder | None":
        """Present a reminder, None for a player who never logged in."""
        return None if reminder is None else cls(reminder.minutes, reminder.due_at)


class RealityCheckResponse(Shape):
    """Time played and results."""

    session: Annotated[SessionActivity | None, Meta(description="Null for a player who never logged in.")]
    reminder: RealityCheckReminder | None
    windows: tuple[WindowActivity, ...]

    @classmethod
    def of(cls, check: RealityCheck, currency: str) -> "RealityCheckResponse":
        """Present a reality check with amounts in the player's currency."""
        reminder = check.reminder
        return cls(
            session=None if reminder is None else SessionActivity.of(reminder, check.session, currency),
            reminder=RealityCheckReminder.of(reminder),
            windows=tuple(WindowActivity.of(period, check.windows, currency) for period in LimitPeriod),
        )


class MyRealityCheckView(ResponsibleGamingView):
    """The caller's time and results."""

    @operation(
        "getMyRealityCheck",
        "Show your time played and results: of this session, of 24 hours, of 7 days and of a month",
        parameters=[CurrencyQuery],
        returns=RealityCheckResponse,
        description=(
            "Time and results since this session began and in the last 24 hours, 7 days and month, "
            "and when the next reminder is due."
        ),
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request) -> Response:
        return self._reality_check(parse_query(CurrencyQuery, request).currency)

    @operation(
        "setMyRealityCheck",
        "Set how often you are reminded: every 15 to 60 minutes",
        request=RealityCheckRequest,
        example={"minutes": 30},
        returns=RealityCheckResponse,
        description=("The reminder comes in the stream and in `GET /api/v1/recovery`."),
        refusals=(
            RealityCheckInvalid,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        services.set_reality_check(
            context=self.player_context(request), minutes=parse_body(RealityCheckRequest, request).minutes
        )
        return self._reality_check(self.caller.currency)

    def _reality_check(self, currency: str) -> Response:
        caller = self.caller
        check = queries.reality_check(operator=caller.operator, player=caller.player, currency=currency)
        return Response(RealityCheckResponse.of(check, currency))


class PlayerRealityCheckView(OperatorView):
    """Time and results of one of the caller's players."""

    @operation(
        "getPlayerRealityCheck",
        "Show time played and results of one of your players",
        parameters=[CurrencyQuery],
        returns=RealityCheckResponse,
        description=("Time and results since the session began and in the last 24 hours, 7 days and month."),
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request, player: UUID) -> Response:
        currency = parse_query(CurrencyQuery, request).currency
        check = queries.reality_check(operator=self.caller.operator, player=player, currency=currency)
        return Response(RealityCheckResponse.of(check, currency))
