"""Play evenings at a table with nothing but the domain's own functions: no database, no clock, no chance, no fairness.

What goes in (table, actions, cards) and what comes out is written in words of this file's own, so that names elsewhere
may change.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock
from uuid import UUID

from baccarat.domain import dealer
from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds import betting
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.presets import SCALES, rules_for
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.tables import decisions
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from casino.kernel.money import MoneyType
from tests.support.instant import NO_SHOW
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.responsible_gaming.allowance import Allowance

BOOKS = {"real": MoneyType.REAL, "play": MoneyType.PLAY}
SPOTS = {"P": "player", "B": "banker", "T": "tie"}
OUTCOMES: dict[Outcome | None, str] = {Outcome.PLAYER: "P", Outcome.BANKER: "B", Outcome.TIE: "T"}
MONEY = {MoneyType.REAL: "real", MoneyType.PLAY: "play"}
ACCOUNTS = {
    AccountKind.ACCOUNT: "account",
    AccountKind.GAME: "game",
    AccountKind.RACK: "rack",
    AccountKind.STAKES: "stakes",
    AccountKind.BANK: "bank",
    AccountKind.COMMISSION: "commission",
}
OPERATOR, TABLE = UUID(int=1), UUID(int=2)
BUY_IN = 100_000_000
CEREMONY = timedelta(seconds=20)
BURN_POINTS = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}
"""How many cards are burned after a first card that is not named by its number."""

Document = dict[str, Any]


def play(evening: Document, rounds: list[Document]) -> list[Document]:
    """Return what each round of an evening came to, and last what the players' leaving did."""
    table = Evening(**evening, shoes=list(shoes_of(rounds)))
    with table.cards_as_given():
        table.open()
        results = [table.play_round(given["wagers"]) for given in rounds]
        return [*results, table.leave()]


def shoes_of(rounds: list[Document]) -> Iterator[list[str]]:
    """Return the cards of each shoe. One that lasts begins with the card that says how many are burned after it."""
    shoe: list[str] = []
    for given in rounds:
        if first := given.get("first_card"):
            shoe = [first] * (1 + BURN_POINTS.get(first[0], 0) if first[0] in BURN_POINTS else 1 + int(first[0]))
            yield shoe
        if shoe:
            shoe += given["cards"].split()
        else:
            yield given["cards"].split()


class Evening:
    """One table, and the players in its seats from the first round to the last. Amounts are minor units."""

    def __init__(self, *, preset: str, currency: str, seats: dict[str, str], shoes: list[list[str]]) -> None:
        published, scale = rules_for(preset, currency=currency), SCALES.get(currency, 1)
        self.rules = replace(
            published,
            chips=tuple(chip // scale for chip in published.chips),  # as when yen were not scaled
            minimum=published.minimum // scale,
            maximum=published.maximum // scale,
            show_milliseconds=NO_SHOW,
            fixed_order=published.shuffle is Shuffle.SHOE,  # whose cards are given in order, from its first to its last
        )
        self.shoes = shoes
        self.seats = seats
        self.place = TableAccounts(OPERATOR, TABLE, currency)
        self.players = {seat: UUID(int=100 + int(seat)) for seat in seats}
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.journal = UnitOfWork(table=INITIAL, table_version=0)
        self.balances: defaultdict[AccountName, int] = defaultdict(int)
        self.moved: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    @contextmanager
    def cards_as_given(self) -> Iterator[None]:
        """Let every shoe have the cards that are given for it, whatever its seed says."""

        def shuffled(seed: bytes, *, first: int, **_fairness: object) -> Sequence[Card]:
            cards = self.shoes[int.from_bytes(seed)]
            return tuple(Card(card) for card in [*cards, *[cards[-1]] * first][:first])

        with mock.patch.object(dealer, "shuffle", shuffled):
            yield

    def open(self) -> None:
        """Open the table, and let everybody sit down."""
        self._open_table()
        for seat, money_type in self.seats.items():
            self.journal.on_table(
                decisions.take_seat, player=self.players[seat], seat=int(seat), money_type=BOOKS[money_type],
                buy_in=BUY_IN, allowance=Allowance(BUY_IN), at=self.now,
            )  # fmt: skip

    def play_round(self, wagers: dict[str, dict[str, int]]) -> Document:
        """Play one round: `wagers` has what is placed on which spots, by seat."""
        dealer.open_round(self.journal, entropy=self._fresh(), now=self.now)
        for seat in self.players:
            self._bet(seat, wagers.get(seat))
        return self._deal()

    def leave(self) -> Document:
        """Let everybody leave, with what the ledger says they have."""
        for player in self.players.values():
            dealer.leave_round(self.journal, player=player)
            self.journal.on_table(
                decisions.leave_seat, player=player, game_balance=self._game_balance(player), at=self.now
            )
        return {"moved": self._post(), "held": _by_kind(self.balances)}

    def _open_table(self) -> None:
        each_round = self.rules.shuffle is Shuffle.EACH_ROUND
        first = self._fresh()
        self.journal.on_table(
            decisions.open_table,
            table=TABLE,
            operator=OPERATOR,
            name="Frozen",
            rules=self.rules,
            money_types=tuple(BOOKS.values()),
            edge_spots=player_edge_spots(self.rules),
            edge_accepted=True,
            at=self.now,
            next_shoe=dealer.commitment_to(
                ShoeSeed(first.shoe, first.seed), table=TABLE, number=1, shape=self.rules.shape
            )
            if each_round
            else None,
        )
        if each_round:
            self.journal.new_seeds.append(ShoeSeed(first.shoe, first.seed))
        else:
            dealer.commit_shoe(self.journal, entropy=first, now=self.now)

    def _bet(self, seat: str, wager: dict[str, int] | None) -> None:
        player = self.players[seat]
        if wager is None:
            self.journal.on_round(betting.pass_turn, player=player, at=self.now)
            return
        available = self._game_balance(player)
        bettor: Any = {"player": player, "allowance": Allowance(available), "rules": self.rules, "at": self.now}
        for spot, amount in wager.items():
            self.journal.on_round(betting.place_chips, spot=SPOTS[spot], amount=amount, **bettor)
        self.journal.on_round(betting.confirm_wager, **bettor)

    def _deal(self) -> Document:
        """Deal the round, at a table with a Caller when the cards are back."""
        opened = self.journal.round.require_opened()
        seed = self._seed_of(opened.shoe)
        dealer.deal_round(self.journal, seed=seed, entropy=self._fresh(), now=self.now)
        if self.journal.round.is_running() and self.journal.round.require_opened().round == opened.round:
            self.now += CEREMONY
            dealer.deal_round(self.journal, seed=seed, entropy=self._fresh(), now=self.now)
        ended, _ = self.journal.changed_rounds[opened.round]
        return {
            "outcome": [OUTCOMES.get(ended.outcome), ended.player_total, ended.banker_total],
            "seats": _payouts(ended),
            "moved": self._post(),
        }

    def _fresh(self) -> dealer.Entropy:
        """Name the next shoe and the next round; which shoe is committed to already, the journal knows."""
        number, coming = len(self.journal.new_seeds), next(iter(self.journal.table.committed_shoes()), None)
        shoe = UUID(int=1000 + number)
        committed = None if coming is None else self._seed_of(coming.shoe)
        return dealer.Entropy(
            UUID(int=10_000 + self.journal.table.rounds), shoe, self._seed_of(shoe), bytes(32), committed_seed=committed
        )

    @staticmethod
    def _seed_of(shoe: UUID) -> bytes:
        """Name a shoe's cards by its seed."""
        return (shoe.int - 1000).to_bytes(32)

    def _game_balance(self, player: UUID) -> int:
        seat = self.journal.table.seat_of(player)
        if seat is None:
            raise LookupError("who bets and leaves has a seat")
        self._book()
        return self.balances[self.place.game(player, seat.money_type)]

    def _book(self) -> None:
        """Keep the ledger of what has happened since."""
        for event in (event for page in self.journal.changes for event in page.events):
            entry = entry_for(event, 1, self.place)
            for posting in () if entry is None else entry.postings:
                self.balances[posting.account] += posting.amount
                self.moved[_kind(posting.account)][posting.amount < 0] += posting.amount
        self.journal.changes.clear()

    def _post(self) -> dict[str, list[int]]:
        """Return what came to each kind of account and what left it since this was last asked."""
        self._book()
        moved = dict(sorted(self.moved.items()))
        self.moved.clear()
        return moved


def _kind(account: AccountName) -> str:
    return f"{MONEY[account.money_type]} {ACCOUNTS[account.kind]}"


def _by_kind(balances: dict[AccountName, int]) -> dict[str, int]:
    held: defaultdict[str, int] = defaultdict(int)
    for account, balance in balances.items():
        held[_kind(account)] += balance
    return dict(sorted(held.items()))


def _payouts(ended: RoundState) -> dict[str, list[Any]]:
    """Return by seat: staked, won, commission, whether that is owed, and what came back before one that is owed."""
    settled = [seat.settlement for seat in ended.seats if seat.settlement is not None]
    return {
        str(each.seat): [each.staked, each.won, each.commission]
        + (["owed", each.returned + each.commission] if each.deferred else ["taken", each.returned])
        for each in settled
    }
