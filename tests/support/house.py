"""An operator's house on a real database: tables, funded players, their moves, and a check that all books agree."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import msgspec
from pytest_django import DjangoDbBlocker

from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds.state import INITIAL, RoundState, fold_round
from baccarat.domain.tables.evolve import fold_table
from baccarat.domain.tables.state import TableState
from baccarat.services import betting, dealing, seats
from baccarat.services.seats import TableActor
from baccarat.storage import projections, repository
from baccarat.storage.event_registry import CATALOGUE
from casino.events import store
from casino.events.projections import ProjectionTable, encode
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from tests.conftest import Database, pointed_at
from tests.services import Services
from tests.support.instant import NO_SHOW
from tests.support.tables import open_table
from wallet.ledger import audit
from wallet.ledger import player_accounts as wallet
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountKind

FUNDS = 10_000_000
BUY_IN = 1_000_000


@contextlib.contextmanager
def fresh_database(services: Services, blocker: DjangoDbBlocker) -> Generator[Database]:
    """Provide a separate migrated database for the block."""
    name = services.clone()
    services.flush()
    try:
        with blocker.unblock(), pointed_at(services.url(name)):
            yield Database(
                url=services.url(name), owner_url=services.owner_url(name), environment=services.environment(name)
            )
    finally:
        services.drop(name)


@dataclass(frozen=True, slots=True)
class At:
    """One player at one table: each method is one call of a use case, with amounts in cents."""

    guest: TableActor

    @property
    def player(self) -> UUID:
        return self.guest.player

    def sit(self, seat: int = 1, *, buy_in: int = BUY_IN, money_type: MoneyType = MoneyType.REAL) -> dict[str, Any]:
        return as_document(
            seats.take(actor=self.guest, seat=seat, money_type=money_type, buy_in=buy_in, currency="EUR")
        )

    def move(self, seat: int) -> dict[str, Any]:
        return as_document(seats.change(actor=self.guest, seat=seat))

    def rebuy(self, amount: int) -> dict[str, Any]:
        return as_document(seats.rebuy(actor=self.guest, amount=amount, currency="EUR"))

    def leave(self) -> dict[str, Any]:
        return as_document(seats.leave(actor=self.guest))

    def new_game(self) -> dict[str, Any]:
        return as_document(betting.new_game(actor=self.guest))

    def place(self, spot: str, amount: int) -> dict[str, Any]:
        return as_document(betting.place(actor=self.guest, spot=spot, amount=amount, currency="EUR"))

    def undo(self) -> dict[str, Any]:
        return as_document(betting.undo(actor=self.guest))

    def clear(self) -> dict[str, Any]:
        return as_document(betting.clear(actor=self.guest))

    def pass_turn(self) -> dict[str, Any]:
        return as_document(betting.pass_turn(actor=self.guest))

    def skip_show(self) -> dict[str, Any]:
        return as_document(betting.skip_show(actor=self.guest))

    def rebet(self) -> dict[str, Any]:
        return as_document(betting.rebet(actor=self.guest))

    def rebet_and_deal(self) -> dict[str, Any]:
        return as_document(betting.rebet_and_deal(actor=self.guest))

    def deal(self, stakes: dict[str, int] | None = None) -> dict[str, Any]:
        return as_document(betting.deal(actor=self.guest, stakes=stakes or {}, currency="EUR"))


@dataclass(slots=True)
class House:
    """One operator. Calls use cases and reads state; decides nothing."""

    operator: UUID = field(default_factory=uuid4)

    @property
    def metadata(self) -> Metadata:
        return Metadata(operator=str(self.operator), actor="test", causation="test", correlation="test")

    def table(
        self, preset: str, *, money_types: tuple[MoneyType, ...] = (MoneyType.REAL, MoneyType.PLAY), **overrides: Any
    ) -> UUID:
        """Open a table of a preset, with instant play and without the Caller's ceremony unless `caller=True`."""
        return open_table(
            operator=self.operator,
            name="A table",
            preset=preset,
            currency="EUR",
            money_types=money_types,
            edge_accepted=True,
            overrides={"caller": False, "show_milliseconds": NO_SHOW, **overrides},
            metadata=self.metadata,
        )

    def player(self, *, real: int = FUNDS, play: int = 0) -> UUID:
        player = uuid4()
        wallet.open_player_accounts(operator=self.operator, player=player, currency="EUR", metadata=self.metadata)
        for money_type, amount in ((MoneyType.REAL, real), (MoneyType.PLAY, play)):
            if amount:
                self.credit(player, amount, money_type)
        return player

    def credit(self, player: UUID, amount: int, money_type: MoneyType = MoneyType.REAL) -> None:
        wallet.credit_sandbox_player(
            operator=self.operator,
            player=player,
            money_type=money_type,
            currency="EUR",
            amount=amount,
            sandbox=True,
            metadata=self.metadata,
        )

    def guest(self, table: UUID, player: UUID | None = None) -> At:
        """Return a player who is not seated; a new one with money by default."""
        return At(
            TableActor(table=table, operator=self.operator, player=player or self.player(), metadata=self.metadata)
        )

    def seated(self, table: UUID, seat: int = 1, *, buy_in: int = BUY_IN, money_type: MoneyType = MoneyType.REAL) -> At:
        """Return a new player in a seat."""
        at = self.guest(table, self.player(real=FUNDS, play=FUNDS))
        at.sit(seat, buy_in=buy_in, money_type=money_type)
        return at

    def company(self, table: UUID, count: int, *, buy_in: int = BUY_IN) -> list[At]:
        """Return new players in seats from 1, all of them in the open round."""
        company = [self.seated(table, seat, buy_in=buy_in) for seat in range(1, count + 1)]
        company[0].pass_turn()  # the first one's sitting down opened a round for one
        deal_all()
        return company

    def place_of(self, table: UUID) -> TableAccounts:
        return TableAccounts(operator=self.operator, table=table, currency="EUR")

    def account(self, at: At, money_type: MoneyType = MoneyType.REAL) -> int:
        return _balance(self.place_of(at.guest.table).player(at.player, money_type))

    def game(self, at: At, money_type: MoneyType = MoneyType.REAL) -> int:
        return _balance(self.place_of(at.guest.table).game(at.player, money_type))

    def rack(self, at: At, money_type: MoneyType = MoneyType.REAL) -> int:
        return _balance(self.place_of(at.guest.table).rack(at.player, money_type))

    def holds(self, table: UUID, kind: AccountKind, money_type: MoneyType = MoneyType.REAL) -> int:
        """Return the balance of the table's stakes, bank or commission account."""
        return _balance(self.place_of(table).house(kind, money_type))

    def state(self, table: UUID) -> TableState:
        return projections.decode_table(fetch("SELECT state::text FROM baccarat_table WHERE id = %s", [table])[0][0])

    def round(self, round_id: UUID | None) -> RoundState:
        return INITIAL if round_id is None else repository.read_rounds([round_id]).get(round_id, INITIAL)

    def in_hand(self, table: UUID) -> RoundState:
        return self.round(self.state(table).round)

    def last(self, table: UUID) -> RoundState:
        return self.round(self.state(table).last_round)

    def events(self, table: UUID) -> list[tuple[int, str, Any]]:
        """Every event of a table and its rounds as (id, stream, event), in the order in which they were written."""
        rounds = [f"round-{key}" for (key,) in fetch("SELECT id FROM baccarat_round WHERE table_id = %s", [table])]
        found = store.read_many([f"table-{table}", *rounds])
        recorded = sorted((each for events in found.values() for each in events), key=lambda each: each.id)
        return [(each.id, each.stream, CATALOGUE.decode(each.type, each.schema, each.data)) for each in recorded]

    def names(self, round_: RoundState) -> list[str]:
        """Return the names of a round's events in order."""
        return [each.type for each in store.read(f"round-{round_.require_opened().round}")]

    def agree(self, *tables: UUID) -> None:
        """Assert that events, read models and ledger of these tables tell one story, and money adds up."""
        assert list(audit.check()) == []
        for table in tables:
            self._agree(table)

    def _agree(self, table: UUID) -> None:
        events = self.events(table)
        state = fold_table(event for _, _, event in events)
        assert state == self.state(table)
        streams: defaultdict[str, list[Any]] = defaultdict(list)
        for _, stream, event in events:
            streams[stream].append(event)
        versions = {stream: len(found) for stream, found in streams.items()}
        streams.pop(f"table-{table}")
        rounds = {stream: fold_round(found) for stream, found in streams.items()}
        assert {f"round-{key}" for (key,) in _round_ids(table)} == rounds.keys()
        current = f"round-{state.round}"
        in_hand = rounds.get(current, INITIAL)
        row = projections.table_row(state, versions[f"table-{table}"], in_hand, versions.get(current, 0))
        assert _row(projections.TABLES, table) == tuple(row)
        assert _row(projections.DUE_TABLES, table) == tuple(projections.due_row(state, in_hand))
        for round_ in rounds.values():
            expected = projections.round_row(round_, state)
            assert _row(projections.ROUNDS, round_.require_opened().round) == tuple(expected)
        place = self.place_of(table)
        entries = [entry_for(event, cause, place) for cause, _, event in events]
        causes = [cause for cause, _, _ in events]
        assert audit.compare_batch(causes, [entry for entry in entries if entry is not None]) == []

    def handle(self, table: UUID, money_type: MoneyType = MoneyType.REAL) -> tuple[int, int, int]:
        """Totals of a table's settled wagers: staked, paid to players in the end, commission."""
        wagers = [
            wager
            for (key,) in _round_ids(table)
            for seat in self.round(key).seats
            if (wager := seat.settlement) is not None and wager.money_type is money_type
        ]
        commission = sum(wager.commission for wager in wagers)
        return sum(wager.staked for wager in wagers), sum(wager.returned for wager in wagers), commission


def leave_the_past() -> None:
    """Keep rounds that earlier tests left open from coming due: their deadlines pass while others run."""
    execute("UPDATE baccarat_duetable SET due_at = NULL WHERE due_at IS NOT NULL")


def deal_all() -> int:
    """Deal until nothing is due, and return how many rounds that took."""
    total = 0
    while moved := dealing.deal_due():
        total += moved
    return total


def until(happened: Callable[[], bool]) -> None:
    """Deal until it has happened, waiting for deadlines by the database's clock."""
    for _ in range(200):
        if happened():
            return
        deal_all()
        fetch("SELECT pg_sleep(0.05)")
    raise AssertionError("It never happened.")


def _balance(account: Any) -> int:
    return ledger.balances([account])[account]


def _round_ids(table: UUID) -> list[tuple[Any, ...]]:
    return fetch("SELECT id FROM baccarat_round WHERE table_id = %s ORDER BY number", [table])


def _row(relation: ProjectionTable, key: UUID) -> tuple[Any, ...]:
    columns = ", ".join(f"{name}::text" if kind == "jsonb" else name for name, kind in relation.columns)
    (row,) = fetch(f"SELECT {columns} FROM {relation.table} WHERE {relation.names[0]} = %s", [key])  # noqa: S608
    kinds = [kind for _, kind in relation.columns]
    return tuple(canonical(each) if kind == "jsonb" and each else each for kind, each in zip(kinds, row, strict=True))


def canonical(state: str) -> str:
    """Return a state as the application writes it; PostgreSQL prints jsonb in another order."""
    decode = projections.decode_round if '"phase"' in state else projections.decode_table
    return encode(decode(state)).decode()


def as_document(response: Any) -> Any:
    """Return a response as callers of the API read it."""
    return msgspec.json.decode(msgspec.json.encode(response))
