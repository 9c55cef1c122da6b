"""People, rules, rounds and tables that the pure tests share. Amounts are cents of EUR."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from baccarat.domain.fairness.closing import (
    Closing,
    SeatClosing,
    SeatEnd,
    close,
    encode_wager,
    wager_leaf,
)
from baccarat.domain.rounds import betting, dealing
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import DEFAULT_FLOOR, theoretical_returns
from baccarat.domain.tables import decisions
from baccarat.domain.tables import events as te
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind
from tests.support.instant import NO_SHOW
from tests.support.spec import Spec
from wallet.responsible_gaming.allowance import Allowance

OPERATOR, TABLE, ROUND, SHOE = UUID(int=1), UUID(int=2), UUID(int=3), UUID(int=4)
ANN, BEN, CAT = UUID(int=11), UUID(int=12), UUID(int=13)
OPENED = datetime(2026, 3, 1, 12, tzinfo=UTC)
DEADLINE = OPENED + timedelta(seconds=15)
JUST_BEFORE = DEADLINE - timedelta(microseconds=1)
RICH = 1_000_000

TERMS = "7e" * 32
CLOSING_INPUTS = dealing.ClosingInputs(blind=b"\x0b" * 32, sealed_head="5d" * 32, before="be" * 32)

P, B, T = "player", "banker", "tie"

RoundDecision = partial[Sequence[re.RoundEvent]]
TableDecision = partial[Sequence[te.TableEvent]]
RoundSpec = Spec[RoundState, re.RoundEvent]

AC = rules_for("atlantic_city", currency="EUR", show_milliseconds=NO_SHOW)
"""Instant play, as in the other examples: the next turn begins with the settlement."""
OVERVIEW = rules_for("overview", currency="EUR")
MINI = rules_for("mini", currency="EUR")
CLASSIC = rules_for("classic", currency="EUR")
CALLED = rules_for("big_table", currency="EUR", show_milliseconds=NO_SHOW)
BIG = replace(CALLED, caller=False)
"""The big table without the Caller's ceremony: its cards are dealt at once."""

PLAYER_WINS = tuple(map(Card, ("4c", "2d", "5h", "5s", "Kc", "Kd")))
"""Player 9, Banker 7: a natural for the Player."""
BANKER_WINS = tuple(map(Card, ("2c", "4d", "5h", "5s", "Kc", "Kd")))
"""Player 7 stands, Banker 9: a natural for the Banker."""
A_TIE = tuple(map(Card, ("2c", "3d", "5h", "4s", "Kc", "Kd")))
"""Seven to seven: both stand."""


def opened(
    *players: UUID, rules: TableRules = AC, money_type: MoneyType = MoneyType.REAL, **changes: Any
) -> re.RoundOpened:
    """Return an open round of these players, in seats from 1; the turn ends at DEADLINE where there is one."""
    seats = tuple(
        re.SeatInRound(seat=number, player=player, money_type=money_type) for number, player in enumerate(players, 1)
    )
    event = re.RoundOpened(
        round=ROUND,
        table=TABLE,
        operator=OPERATOR,
        number=1,
        rules=record(rules).digest,
        rules_label=rules.label,
        shoe=SHOE,
        commitment="c0" * 32,
        seats=seats,
        opened_at=OPENED,
        deadline_at=None if rules.turn_seconds is None else DEADLINE,
        contributions=(),
        terms=TERMS,
    )
    return replace(event, **changes)


def confirmed(seat: int, player: UUID, stakes: dict[str, int], *, raised: dict[str, int] | None = None,
              at: datetime = OPENED) -> re.WagerConfirmed:  # fmt: skip
    """Return a confirmed wager in real money."""
    return re.WagerConfirmed(
        wager=wager_id(ROUND, seat),
        seat=seat,
        player=player,
        money_type=MoneyType.REAL,
        stakes=stakes,
        raised=raised or {},
        confirmed_at=at,
    )


def placed(spot: str, amount: int, *, seat: int = 1) -> re.ChipsPlaced:
    return re.ChipsPlaced(seat=seat, spot=spot, amount=amount)


def place(spot: str, amount: int, *, by: UUID = ANN, rules: TableRules = AC, available: int = RICH,
          at: datetime = OPENED) -> RoundDecision:  # fmt: skip
    return partial(
        betting.place_chips, player=by, spot=spot, amount=amount, allowance=Allowance(available), rules=rules, at=at
    )


def confirm(stakes: dict[str, int] | None = None, *, by: UUID = ANN, rules: TableRules = AC, available: int = RICH,
            at: datetime = OPENED) -> RoundDecision:  # fmt: skip
    return partial(
        betting.confirm_wager, player=by, allowance=Allowance(available), rules=rules, at=at, stakes=stakes or {}
    )


def rebet(stakes: dict[str, int], *, by: UUID = ANN, rules: TableRules = AC, available: int = RICH,
          at: datetime = OPENED) -> RoundDecision:  # fmt: skip
    return partial(betting.repeat_wager, player=by, stakes=stakes, allowance=Allowance(available), rules=rules, at=at)


def deal(cards: tuple[Card, ...] = PLAYER_WINS, *, rules: TableRules = AC, at: datetime = OPENED,
         shoe_position: int = 0, seed: str | None = "5e" * 32) -> RoundDecision:  # fmt: skip
    return partial(
        dealing.deal_round,
        cards=cards,
        shoe_position=shoe_position,
        seed=seed,
        rules=rules,
        at=at,
        closing=CLOSING_INPUTS,
    )


def closed(
    *wagers: re.WagerConfirmed, passed: tuple[int, ...] = (), timed_out: tuple[int, ...] = (), at: datetime = OPENED
) -> re.BettingClosed:
    """Return the close of betting of a round of `opened`, on these wagers in order of confirmation."""
    return re.BettingClosed(
        closed_at=at,
        closing=closing(ClosingKind.PLAYED, *wagers, passed=passed, timed_out=timed_out, at=at),
    )


def closing(
    kind: ClosingKind,
    *wagers: re.WagerConfirmed,
    passed: tuple[int, ...] = (),
    timed_out: tuple[int, ...] = (),
    at: datetime = OPENED,
    cause: int = 0,
    terms: str = TERMS,
) -> Closing:
    """Return the closing of a round of `opened`, on these wagers in order of confirmation, or of other `terms`."""
    ends = {wager.seat: SeatClosing.DEALT for wager in wagers}
    ends |= dict.fromkeys(passed, SeatClosing.PASSED) | dict.fromkeys(timed_out, SeatClosing.TIMED_OUT)
    return close(
        blind=CLOSING_INPUTS.blind,
        terms=terms,
        witnesses=(),
        kind=kind,
        cause=cause,
        leaves=[_leaf(wager) for wager in wagers],
        seats=[SeatEnd(seat, ends[seat]) for seat in sorted(ends)],
        closed_at_us=round(at.timestamp() * 10**6),
        sealed_head=CLOSING_INPUTS.sealed_head,
        before=CLOSING_INPUTS.before,
    )


def _leaf(wager: re.WagerConfirmed) -> bytes:
    asked = {spot: units - wager.raised.get(spot, 0) for spot, units in wager.stakes.items()}
    return wager_leaf(
        encode_wager(
            terms=TERMS,
            wager=UUID(int=ROUND.int + wager.seat),
            player=wager.player,
            seat=wager.seat,
            play_money=wager.money_type is MoneyType.PLAY,
            currency="EUR",
            stakes=[(spot, asked[spot]) for spot in (P, B, T) if asked.get(spot)],
            nonce=bytes(32),
        )
    )


def open_table(
    rules: TableRules = AC, *, money_types: tuple[MoneyType, ...] = (MoneyType.REAL,), edge_accepted: bool = True
               ) -> TableDecision:  # fmt: skip
    """Return the decision that opens a table, with the spots that really have a player's edge."""
    return partial(
        decisions.open_table,
        table=TABLE,
        operator=OPERATOR,
        name="The first",
        rules=rules,
        money_types=money_types,
        edge_spots=player_edge_spots(rules),
        edge_accepted=edge_accepted,
        at=OPENED,
    )


def table_opened(
    rules: TableRules = AC, *, money_types: tuple[MoneyType, ...] = (MoneyType.REAL, MoneyType.PLAY)
) -> te.TableOpened:
    return te.TableOpened(
        table=TABLE,
        operator=OPERATOR,
        name="The first",
        rules=record(rules),
        money_types=money_types,
        edge_accepted=(),
        opened_at=OPENED,
        returns=theoretical_returns(rules),
        return_floor=DEFAULT_FLOOR,
        acknowledgement="",
        next_shoe=None,
        listed=True,
        brands=(),
    )


def sit(seat: int, player: UUID = ANN, *, money_type: MoneyType = MoneyType.REAL, buy_in: int = 0, available: int = 0
        ) -> TableDecision:  # fmt: skip
    allowance = Allowance(available)
    return partial(
        decisions.take_seat, player=player, seat=seat, money_type=money_type, buy_in=buy_in, allowance=allowance,
        at=OPENED,
    )  # fmt: skip


def seat_taken(seat: int, player: UUID, *, money_type: MoneyType = MoneyType.REAL, buy_in: int = 0) -> te.SeatTaken:
    return te.SeatTaken(seat=seat, player=player, money_type=money_type, buy_in=buy_in, taken_at=OPENED)
