"""A round as one viewer may see it. Pure."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from baccarat.domain.fairness.closing import encode_payout
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import LogHead
from baccarat.domain.rounds.cut import SeatContribution
from baccarat.domain.rounds.events import HandedBackBy, SeatSettled, SeatVoided, VoidReason
from baccarat.domain.rounds.signed_wager import leaf_of_wager, paid
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.cards import RANKS, SUITS, hand_total
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.tableau import player_draws
from casino.api.shapes import AmountText, CurrencyCode, HexText, Shape, Timestamp
from casino.kernel.money import MoneyType, format_amount

Sign = Callable[[bytes], dict[str, str]]
"""Signs bytes for the house, and returns `public_key` and `signature`."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
PUBLIC_KEY = "Ed25519; in `/.well-known/jwks.json`, for the purpose `receipt`."
PLAYER_ID = "The player's id for the operator; null for players."
BETTING_OPENS_AT = (
    "When betting on the round opened; without a round, when betting on the next one opens, after the show of the last "
    "deal and the least time of a round. Null if there is neither."
)
RoundPhase = Annotated[
    str, Meta(extra_json_schema={"enum": [phase.value for phase in Phase if phase is not Phase.UNOPENED]})
]
CardText = Annotated[str, Meta(pattern=f"^[{RANKS}][{SUITS}]$", description="Rank and suit.", examples=["9h", "Td"])]


def microseconds(moment: datetime) -> int:
    """Return a time as signed bytes have it."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


class StakeResponse(Shape):
    """An amount on a spot."""

    spot: str
    amount: AmountText


class SpotResultResponse(Shape):
    """Result of a stake on one spot."""

    spot: str
    stake: AmountText
    result: StakeResult
    won: Annotated[AmountText, Meta(description="Before commission, without the stake.")]
    commission: AmountText
    returned: Annotated[AmountText, Meta(description="With the stake, net of commission.")]

    @classmethod
    def of(cls, result: SpotResult, currency: str) -> "SpotResultResponse":
        """Present the result of one spot."""
        return cls(
            spot=result.spot,
            stake=format_amount(result.stake, currency),
            result=result.result,
            won=format_amount(result.won, currency),
            commission=format_amount(result.commission, currency),
            returned=format_amount(result.returned, currency),
        )


class WagerResult(Shape):
    """Result of a wager."""

    staked: AmountText
    won: AmountText
    commission: AmountText
    commission_deferred: Annotated[
        bool, Meta(description="True if `commission` is set aside until the shoe ends or the player leaves.")
    ]
    returned: AmountText
    spots: tuple[SpotResultResponse, ...]

    @classmethod
    def of(cls, settled: SeatSettled, currency: str) -> "WagerResult":
        """Present the settlement of a wager."""
        return cls(
            staked=format_amount(settled.staked, currency),
            won=format_amount(settled.won, currency),
            commission=format_amount(settled.commission, currency),
            commission_deferred=settled.deferred,
            returned=format_amount(settled.returned, currency),
            spots=tuple(SpotResultResponse.of(result, currency) for result in settled.results),
        )


class PayoutLine(Shape):
    """What the stake on one spot returned."""

    spot: str
    stake: AmountText
    result: StakeResult
    returned: AmountText
    commission: AmountText


class PayoutResponse(Shape):
    """The house's signed statement of what a wager returned: keep it beside the wager's receipt."""

    kind: Literal["payout"]
    table: UUID
    round: UUID
    terms: HexText
    wager: UUID
    player: UUID
    leaf: Annotated[HexText, Meta(description="Of the wager, in the closing of the round.")]
    results: tuple[PayoutLine, ...]
    currency: CurrencyCode
    settled_at: Timestamp
    public_key: Annotated[HexText, Meta(description=PUBLIC_KEY)]
    signature: HexText

    @classmethod
    def of(cls, seat: RoundSeat, round_: RoundState, rules: TableRules, sign: Sign) -> "PayoutResponse | None":
        """Sign what a seat's wager returned, None if it is not settled."""
        opened, settled, settled_at = round_.require_opened(), seat.settlement, round_.ended_at
        if settled is None or settled_at is None:
            return None
        leaf, currency = leaf_of_wager(opened, seat, rules), rules.currency
        signed = encode_payout(
            terms=opened.terms,
            leaf=leaf,
            player=seat.player,
            results=paid(settled.results),
            currency=currency,
            settled_at_us=microseconds(settled_at),
        )
        return cls(
            kind="payout",
            table=opened.table,
            round=opened.round,
            terms=opened.terms,
            wager=seat.require_wager(),
            player=seat.player,
            leaf=leaf.hex(),
            results=tuple(
                PayoutLine(
                    spot=each.spot,
                    stake=format_amount(each.stake, currency),
                    result=each.result,
                    returned=format_amount(each.returned, currency),
                    commission=format_amount(each.commission, currency),
                )
                for each in settled.results
            ),
            currency=currency,
            settled_at=settled_at,
            **sign(signed),
        )


class WagerVoid(Shape):
    """How a wager of a voided round was undone. Only its player and the operator see the accounts involved."""

    staked: Annotated[AmountText, Meta(description="Given back.")]
    returned: Annotated[AmountText, Meta(description="As the settlement said; taken back.")]
    to_game: AmountText | UnsetType = UNSET
    to_account: AmountText | UnsetType = UNSET
    from_game: AmountText | UnsetType = UNSET
    from_account: AmountText | UnsetType = UNSET
    owed: Annotated[AmountText | UnsetType, Meta(description="Spent before the void, and now owed.")] = UNSET
    forgiven: AmountText | UnsetType = UNSET

    @classmethod
    def of(cls, wager: SeatVoided, viewer: UUID | None, currency: str) -> "WagerVoid":
        """Present how a wager was undone. Only its player and the operator see the accounts."""
        public = {"staked": wager.staked, "returned": wager.returned}
        private = {
            "to_game": wager.to_game,
            "to_account": wager.to_account,
            "from_game": wager.from_game,
            "from_account": wager.from_account,
            "owed": wager.owed,
            "forgiven": wager.forgiven,
        }
        visible = public | private if viewer in {None, wager.player} else public
        return cls(**{name: format_amount(amount, currency) for name, amount in visible.items()})


class RoundVoid(Shape):
    """Malfunction voids all pays and plays: every stake, payout and commission of the round was undone."""

    reason: VoidReason
    voided_at: Timestamp


class RoundSeatResponse(Shape):
    """A seat's part in a round."""

    seat: int
    player: Annotated[UUID | None, Meta(description=PLAYER_ID)]
    you: bool
    money_type: MoneyType
    status: SeatStatus
    placed: tuple[StakeResponse, ...]
    wager: Annotated[UUID | None, Meta(description="The id of the confirmed wager, the same wherever it occurs.")]
    stakes: Annotated[tuple[StakeResponse, ...] | None, Meta(description="The stakes of the confirmed wager.")]
    raised: Annotated[tuple[StakeResponse, ...] | None, Meta(description="Amounts added to reach the minimum.")]
    confirmed_at: Timestamp | None
    result: WagerResult | None
    payout: Annotated[PayoutResponse | None, Meta(description="Once the wager is settled, for its own player.")]
    void: WagerVoid | None

    @classmethod
    def of(
        cls, seat: RoundSeat, round_: RoundState, viewer: UUID | None, rules: TableRules, sign: Sign | None
    ) -> "RoundSeatResponse":
        """Present a seat's chips, wager and result."""
        void = round_.void_of(seat.seat)
        return cls(
            seat=seat.seat,
            player=player_id_for(seat.player, viewer),
            you=seat.player == viewer,
            money_type=seat.money_type,
            status=seat.status,
            placed=present_stakes(seat.placed_stakes(), rules),
            wager=seat.wager,
            stakes=None if seat.stakes is None else present_stakes(seat.stakes, rules),
            raised=present_stakes(seat.raised, rules) if seat.raised else None,
            confirmed_at=seat.confirmed_at,
            result=None if seat.settlement is None else WagerResult.of(seat.settlement, rules.currency),
            payout=PayoutResponse.of(seat, round_, rules, sign) if sign and seat.player == viewer else None,
            void=None if void is None else WagerVoid.of(void, viewer, rules.currency),
        )


class Hand(Shape):
    """One side's cards."""

    cards: tuple[CardText, ...]
    total: int | None


class CeremonyResponse(Shape):
    """The Player's two cards, face down at the seat with the highest Player wager."""

    seat: int
    you: bool
    until: Annotated[Timestamp, Meta(description="When the Caller takes the cards back.")]
    looked: bool
    handed_back: Annotated[
        HandedBackBy | None, Meta(description="Who ended the ceremony; null while the seat has the cards.")
    ]


class PeekedCards(Shape):
    """The Player's two cards, for the one player who holds them."""

    cards: tuple[CardText, ...]
    until: Timestamp


class ClosingResponse(Shape):
    """What betting closed with: the digest over every wager, and what it covers beside the round's own facts."""

    digest: HexText
    blind: Annotated[HexText, Meta(description="32 random bytes, secret until the cards are dealt.")]
    sealed_head: Annotated[HexText, Meta(description="Digest of the log's last sealed event.")]
    before: Annotated[HexText, Meta(description="Digest of the table's closing before; zeros for its first.")]
    cosigned: Annotated[LogHead | None, Meta(description="Null at a table without witnesses.")]


class WaitingFor(StrEnum):
    """Who must answer before cards are dealt."""

    WITNESS = "witness"


class RoundResponse(Shape):
    """A round: cards as rank and suit ("9h", "Td"), in deal order and by hand."""

    id: UUID
    table: UUID
    number: int
    rules: Annotated[HexText, Meta(description="Digest of the table's rules by which it is played.")]
    rules_label: Annotated[str, Meta(description="What people call these rules.", examples=["mini@1"])]
    currency: Annotated[CurrencyCode, Meta(description="Currency of all amounts.")]
    phase: RoundPhase
    opened_at: Timestamp
    deadline_at: Timestamp | None
    ended_at: Timestamp | None
    commitment: Annotated[HexText | None, Meta(description="To the seed of the round's own shoe.")]
    shoe: UUID
    contributions: Annotated[tuple[Contribution, ...], Meta(description="To the cut of the round's own shoe.")]
    cut: Annotated[
        HexText | None,
        Meta(description='Closed before betting opens; "" if nobody contributed to a shoe of its own.'),
    ]
    terms: Annotated[
        HexText | None,
        Meta(
            description="Digest of the terms that were fixed before betting opened. Null for rounds from before terms."
        ),
    ]
    closing: Annotated[ClosingResponse | None, Meta(description="Once cards are dealt. Null for rounds from before.")]
    seed: Annotated[HexText | None, Meta(description="Of the round's drawing; null in a long shoe of fixed order.")]
    cards: tuple[CardText, ...]
    forced: Annotated[
        bool,
        Meta(description="A test round: a sandbox operator chose its cards, so that no verifier calls it verified."),
    ]
    player_hand: Hand
    banker_hand: Hand
    natural: bool | None
    outcome: Outcome | None
    suspended: bool
    waiting_for: Annotated[
        WaitingFor | None, Meta(description="Whose answer the cards of a closed round wait for; usually not for long.")
    ]
    void: RoundVoid | None
    ceremony: Annotated[
        CeremonyResponse | None, Meta(description="At a table with a Caller, if somebody bet on Player.")
    ]
    seats: tuple[RoundSeatResponse, ...]


def present_round(
    round_: RoundState, *, viewer: UUID | None, rules: TableRules, sign: Sign | None = None
) -> RoundResponse:
    """Present a round: phase, cards in deal order, hands, outcome, and each seat's chips, wager and result.

    With `sign`, which signs for the house, the viewer's own wager has its payout.
    """
    opened = round_.require_opened()
    player, banker = split_hands(round_.cards)
    voided = round_.voided
    return RoundResponse(
        id=opened.round,
        table=opened.table,
        number=opened.number,
        rules=opened.rules,
        rules_label=opened.rules_label,
        currency=rules.currency,
        phase=round_.phase,
        opened_at=opened.opened_at,
        deadline_at=opened.deadline_at,
        ended_at=round_.ended_at,
        commitment=opened.commitment,
        shoe=opened.shoe,
        contributions=opened.contributions,
        cut=round_.cut,
        terms=opened.terms,
        closing=_closing(round_),
        seed=round_.seed,
        cards=round_.cards,
        forced=bool(round_.forced),
        player_hand=Hand(cards=player, total=round_.player_total),
        banker_hand=Hand(cards=banker, total=round_.banker_total),
        natural=round_.natural,
        outcome=round_.outcome,
        suspended=round_.suspension_reason is not None,
        waiting_for=WaitingFor.WITNESS if round_.awaits_links() else None,
        void=None if voided is None else RoundVoid(reason=voided.reason, voided_at=voided.voided_at),
        ceremony=_ceremony(round_, viewer),
        seats=tuple(RoundSeatResponse.of(seat, round_, viewer, rules, sign) for seat in round_.seats),
    )


def _closing(round_: RoundState) -> ClosingResponse | None:
    closing = round_.closing
    if closing is None or (round_.is_running() and not round_.cards):
        return None
    return ClosingResponse(
        digest=closing.digest,
        blind=closing.blind,
        sealed_head=closing.sealed_head,
        before=closing.before,
        cosigned=closing.cosigned,
    )


def present_contributions(contributions: Iterable[SeatContribution | Contribution]) -> tuple[Contribution, ...]:
    """Present contributions to a cut without their players; everyone at the table may see them."""
    return tuple(Contribution(each.seat, each.contribution, each.public_key) for each in contributions)


def split_hands(cards: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split cards in deal order (P B P B, thirds) into the Player's and the Banker's hand."""
    player, banker, thirds = cards[0:4:2], cards[1:4:2], cards[4:]
    if thirds and player_draws(hand_total(player)):  # type: ignore[arg-type]
        return (*player, thirds[0]), banker + thirds[1:]
    return player, banker + thirds


def player_id_for(player: UUID, viewer: UUID | None) -> UUID | None:
    """Return the id for the operator only; players know each other by seat."""
    return player if viewer is None else None


def present_stakes(stakes: Mapping[str, int], rules: TableRules) -> tuple[StakeResponse, ...]:
    """Present stakes in the layout's order; a stored state has the order of the database."""
    return tuple(
        StakeResponse(spot=spot, amount=format_amount(stakes[spot], rules.currency))
        for spot in (*rules.spot_names, *sorted(stakes.keys() - set(rules.spot_names)))
        if spot in stakes
    )


def _ceremony(round_: RoundState, viewer: UUID | None) -> CeremonyResponse | None:
    """Present the seat that has the Player's cards and its deadline, without the cards."""
    ceremony = round_.ceremony
    if ceremony is None:
        return None
    return CeremonyResponse(
        seat=ceremony.seat,
        you=any(seat.seat == ceremony.seat and seat.player == viewer for seat in round_.seats),
        until=ceremony.until,
        looked=ceremony.looked_at is not None,
        handed_back=ceremony.handed_back,
    )
