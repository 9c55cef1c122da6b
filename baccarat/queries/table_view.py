"""A table as one viewer may see it. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import WitnessIndex, encode_contributed
from baccarat.domain.rounds.cut import find_contribution
from baccarat.domain.rounds.state import RoundState, SeatStatus
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.domain.tables.state import FixedTerms, NextShoe, Seat, Shoe, TableState
from baccarat.queries.low_balance import LowBalance, present_low_balance
from baccarat.queries.round_view import (
    BETTING_OPENS_AT,
    PLAYER_ID,
    PUBLIC_KEY,
    RoundResponse,
    Sign,
    StakeResponse,
    microseconds,
    player_id_for,
    present_contributions,
    present_round,
    present_stakes,
)
from baccarat.queries.rules_view import TableRulesResponse, present_rules
from casino.api.shapes import AmountText, CurrencyCode, HexText, Money, Shape, Timestamp
from casino.kernel.money import MoneyType, format_amount
from wallet.funding.events import Funding
from wallet.payments.funding_options import DisplayedBalance, FundingOptions, PlayerWallet

CLOSURE_NOTICE: Final = (
    "This table is closing permanently. Confirmed wagers are settled, then chips return to the accounts."
)
FUNDING: Final = "Where real money comes from; `seamless` is without a buy-in."
SET_ASIDE: Final = (
    "Commission on Banker wins that waits apart from the game balance; the house takes it when the shoe ends or the "
    "player leaves."
)
WAGER_SIGNATURES: Final = ("ed25519",)
Place = tuple[UUID, UUID, int]
"""A table, a player and the seat that the player has or had there."""
TableStopScope = Annotated[
    str, Meta(extra_json_schema={"enum": [scope.value for scope in StopScope if scope is not StopScope.PLAYER]})
]


class SeatResponse(Shape):
    """A taken seat."""

    seat: int
    player: Annotated[UUID | None, Meta(description=PLAYER_ID)]
    you: bool
    money_type: MoneyType
    commission_set_aside: Annotated[AmountText, Meta(description=SET_ASIDE)]
    skips_show: Annotated[bool, Meta(description="Whether its player asked to skip the show of the last deal.")]

    @classmethod
    def of(cls, seat: Seat, viewer: UUID | None, table: TableState) -> "SeatResponse":
        """Present a seat of a table for a viewer."""
        return cls(
            seat=seat.seat,
            player=player_id_for(seat.player, viewer),
            you=seat.player == viewer,
            money_type=seat.money_type,
            commission_set_aside=format_amount(seat.owed, table.rules.currency),
            skips_show=seat.player in table.show_skips,
        )


class ShoeInPlay(Shape):
    """The long shoe in play."""

    id: UUID
    number: int
    cards_used: int
    commitment: HexText
    cut: HexText
    root: Annotated[HexText | None, Meta(description="The Merkle root of all its cards, if their order is fixed.")]

    @classmethod
    def of(cls, shoe: Shoe) -> "ShoeInPlay":
        """Present the shoe in play."""
        return cls(
            id=shoe.shoe,
            number=shoe.number,
            cards_used=shoe.cards_used,
            commitment=shoe.commitment,
            cut=shoe.cut,
            root=shoe.root,
        )


class WitnessPlace(Shape):
    """A link that a witness gives out only against the signed closing of the drawing that uses it."""

    chain: HexText
    index: int

    @classmethod
    def list_of(cls, witnesses: Sequence[WitnessIndex]) -> "tuple[WitnessPlace, ...]":
        """Present the links of a drawing."""
        return tuple(cls(chain=each.chain, index=each.index) for each in witnesses)


class NextShoeResponse(Shape):
    """The shoe that accepts contributions now, already committed to: a long shoe, or the own shoe of a later round.

    A long shoe accepts them until it starts, a round's own shoe until the terms of that round are fixed.
    """

    id: UUID
    number: Annotated[int, Meta(description="The long shoe's number at its table, or the number of its round.")]
    commitment: HexText
    contributions: tuple[Contribution, ...]
    witnesses: Annotated[tuple[WitnessPlace, ...], Meta(description="The links that its cards will follow from, too.")]

    @classmethod
    def of(cls, shoe: NextShoe) -> "NextShoeResponse":
        """Present the shoe that is committed to."""
        return cls(
            id=shoe.shoe,
            number=shoe.number,
            commitment=shoe.commitment,
            contributions=present_contributions(shoe.contributions),
            witnesses=WitnessPlace.list_of(shoe.witnesses),
        )


class TermsResponse(Shape):
    """Terms of a round, fixed before its first chip: what its cards will follow from, and by which rules."""

    digest: Annotated[HexText, Meta(description="SHA-256 of a tag and all other fields but the contributions.")]
    number: Annotated[int, Meta(description="The number of the round.")]
    shoe: UUID
    next_place: Annotated[int, Meta(description="Position in the shoe of the round's first card.")]
    cards: Annotated[HexText, Meta(description="SHA-256 of the cards dealt from the shoe so far, two letters each.")]
    rules: Annotated[HexText, Meta(description="SHA-256 of the rules as canonical JSON (RFC 8785).")]
    commitment: Annotated[HexText, Meta(description="To the seed of the round's drawing, or of a shoe of fixed order.")]
    contributions: Annotated[tuple[Contribution, ...], Meta(description="To the cut of the round's own shoe.")]
    cut: HexText
    next_commitment: Annotated[HexText, Meta(description="The commitment of the shoe after this one.")]
    witnesses: Annotated[tuple[WitnessPlace, ...], Meta(description="The links that the cards follow from, by chain.")]

    @classmethod
    def of(cls, fixed: FixedTerms) -> "TermsResponse":
        """Present the terms of a round."""
        terms = fixed.terms
        return cls(
            digest=fixed.digest,
            number=terms.number,
            shoe=terms.shoe,
            next_place=terms.next_place,
            cards=terms.cards,
            rules=terms.rules,
            commitment=terms.commitment,
            contributions=fixed.contributions,
            cut=terms.cut,
            next_commitment=terms.next_commitment,
            witnesses=WitnessPlace.list_of(terms.witnesses),
        )


class ContributionReceipt(Shape):
    """The house's signed receipt of a contribution to the cut of the shoe with this commitment: keep it."""

    kind: Literal["contribution"]
    table: UUID
    commitment: HexText
    witnesses: tuple[WitnessPlace, ...]
    seat: int
    player: UUID
    contribution: HexText
    player_key: Annotated[str, Meta(description="The key that signed the contribution, empty without one.")]
    contributed_at: Timestamp
    public_key: Annotated[HexText, Meta(description=PUBLIC_KEY)]
    signature: HexText

    @classmethod
    def of(cls, own: Seat, table: TableState, sign: Sign) -> "ContributionReceipt | None":
        """Sign that a seat has contributed to the next shoe, None if its player has not."""
        shoe, opened = table.next_shoe, table.require_opened()
        given = None if shoe is None else find_contribution(shoe.contributions, own.seat)
        if shoe is None or given is None or given.player != own.player:
            return None
        signed = encode_contributed(
            table=opened.table,
            commitment=shoe.commitment,
            witnesses=shoe.witnesses,
            player=given.player,
            contribution=Contribution(given.seat, given.contribution, given.public_key),
            contributed_at_us=microseconds(given.contributed_at),
        )
        return cls(
            kind="contribution",
            table=opened.table,
            commitment=shoe.commitment,
            witnesses=WitnessPlace.list_of(shoe.witnesses),
            seat=given.seat,
            player=given.player,
            contribution=given.contribution,
            player_key=given.public_key,
            contributed_at=given.contributed_at,
            **sign(signed),
        )


class OwnSeat(Shape):
    """The caller's own seat at the table."""

    seat: int
    player: Annotated[UUID, Meta(description="The caller's id, over which wagers are signed.")]
    money_type: MoneyType
    game_balance: Money
    balance_told_at: Annotated[
        Timestamp | None, Meta(description="When your casino's own wallet told the balance; null if the money is here.")
    ]
    under_minimum: Annotated[bool, Meta(description="True if a rebuy or deposit is needed before the next wager.")]
    low_balance: Annotated[
        LowBalance | None, Meta(description="Funding options if the game balance is under the minimum.")
    ]
    commission_set_aside: Annotated[Money, Meta(description=SET_ASIDE)]
    in_round: bool
    status: Annotated[
        SeatStatus | None, Meta(description="In the current round; null if the player waits for the next.")
    ]
    last_wager: tuple[StakeResponse, ...] | None
    contribution: Annotated[ContributionReceipt | None, Meta(description="To the shoe that is cut now.")]
    wager_signatures: Annotated[
        tuple[str, ...],
        Meta(description="Algorithms of the `signature` that a wager may carry. A client with another one sends none."),
    ]


class TableStop(Shape):
    """A stop of the table: nothing new starts, and the current round continues with its confirmed wagers."""

    scope: Annotated[TableStopScope, Meta(description="The scope of the stop.")]
    player_message: Annotated[str, Meta(description="The message shown to players.")]
    since: Timestamp


class TableStateResponse(Shape, kw_only=True):
    """The state of a table."""

    id: UUID
    name: str
    currency: CurrencyCode
    seats: tuple[SeatResponse, ...]
    shoe: ShoeInPlay | None
    next_shoe: NextShoeResponse | None
    terms: Annotated[TermsResponse | None, Meta(description="Of the current round, or of the next one if none runs.")]
    round: RoundResponse | None
    betting_opens_at: Annotated[Timestamp | None, Meta(description=BETTING_OPENS_AT)]
    you: OwnSeat | None
    stop: Annotated[TableStop | None, Meta(description="Null unless the table is stopped.")]
    server_time: Timestamp


class SeatNickname(Shape):
    """The nickname of a player who shows it to the others."""

    seat: int
    nickname: Annotated[str, Meta(examples=["Ace"])]


class TableResponse(TableStateResponse, kw_only=True):
    """A table with its rules, shown nicknames, and its last settled or voided round."""

    money_types: tuple[MoneyType, ...]
    funding: Annotated[Funding, Meta(description=FUNDING)]
    balance_told_at: Annotated[
        Timestamp | None,
        Meta(description="When that wallet last told the caller's balance, seated or not; null if it never did."),
    ]
    rules: TableRulesResponse
    rules_digest: Annotated[HexText, Meta(description="Names these rules in rounds, proofs and terms.")]
    nicknames: Annotated[
        tuple[SeatNickname, ...],
        Meta(
            description=(
                "Of players who chose to show theirs; the others are seats only. One that looks like that of somebody "
                "who sat down earlier ends with the seat: `Ace · 4`."
            )
        ),
    ]
    last_round: RoundResponse | None


def present_table_state(
    table: TableState,
    round_: RoundState,
    *,
    viewer: UUID | None,
    now: datetime,
    game_balance: DisplayedBalance | None = None,
    funding_options: FundingOptions | None = None,
    sign: Sign | None = None,
) -> TableStateResponse:
    """Present a table with its seats, shoe and current round for `viewer`; None is the operator.

    `game_balance` is the viewer's, None without a seat. `funding_options` are for the notice shown if it
    is too low. Seats name no other player; `you` marks the viewer's own.
    """
    opened, currency = table.require_opened(), table.rules.currency
    own = None if viewer is None else table.seat_of(viewer)
    return TableStateResponse(
        id=opened.table,
        name=opened.name,
        currency=currency,
        seats=tuple(SeatResponse.of(seat, viewer, table) for seat in table.seats),
        shoe=None if table.shoe is None else ShoeInPlay.of(table.shoe),
        next_shoe=None if table.next_shoe is None else NextShoeResponse.of(table.next_shoe),
        terms=None if table.terms is None else TermsResponse.of(table.terms),
        round=None if round_.opened is None else present_round(round_, viewer=viewer, rules=table.rules, sign=sign),
        betting_opens_at=table.betting_opens_at if round_.opened is None else round_.opened.opened_at,
        you=None
        if own is None
        else _own_seat(
            own, table, round_, game_balance or DisplayedBalance(0), funding_options or FundingOptions(0), sign=sign
        ),
        stop=_stop(table),
        server_time=now,
    )


def present_table(
    state: TableStateResponse,
    table: TableState,
    last_round: RoundResponse | None,
    nicknames: Mapping[Place, str],
    wallet: PlayerWallet,
) -> TableResponse:
    """Present a table with its rules, its last round and the nicknames of players who show theirs."""
    fields = {name: getattr(state, name) for name in TableStateResponse.__struct_fields__}
    return TableResponse(
        **fields,
        money_types=tuple(table.require_opened().money_types),
        funding=wallet.funding,
        balance_told_at=wallet.told_at.get(table.rules.currency),
        rules=present_rules(table.rules),
        rules_digest=table.recorded_rules.digest,
        nicknames=tuple(
            SeatNickname(seat.seat, nicknames[place])
            for seat in table.seats
            if (place := (state.id, seat.player, seat.seat)) in nicknames
        ),
        last_round=last_round,
    )


def _stop(table: TableState) -> TableStop | None:
    """Return the widest stop or the pending closure, None while the table plays."""
    stop, closure = table.widest_stop(), table.pending_closure
    if stop is not None:
        return TableStop(scope=stop.scope, player_message=stop.message, since=stop.since)
    if closure is not None:
        return TableStop(scope=StopScope.TABLE, player_message=CLOSURE_NOTICE, since=closure.since)
    return None


def _own_seat(
    seat: Seat,
    table: TableState,
    round_: RoundState,
    shown: DisplayedBalance,
    funding: FundingOptions,
    *,
    sign: Sign | None,
) -> OwnSeat:
    currency, round_seat, balance = table.rules.currency, round_.seat_of(seat.player), shown.amount
    return OwnSeat(
        seat=seat.seat,
        player=seat.player,
        money_type=seat.money_type,
        game_balance=Money.of(balance, currency),
        balance_told_at=shown.told_at,
        under_minimum=balance < table.rules.minimum,
        low_balance=None
        if shown.told_at is not None
        else present_low_balance(seat=seat, rules=table.rules, round_=round_, balance=balance, funding_options=funding),
        commission_set_aside=Money.of(seat.owed, currency),
        in_round=round_seat is not None and round_.is_running(),
        status=None if round_seat is None else round_seat.status,
        last_wager=None if seat.last_wager is None else present_stakes(seat.last_wager, table.rules),
        contribution=ContributionReceipt.of(seat, table, sign) if sign else None,
        wager_signatures=WAGER_SIGNATURES,
    )
