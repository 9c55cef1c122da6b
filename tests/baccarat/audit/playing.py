"""Helpers of audit tests: play rounds through the services, seal them, and tamper as the database's owner."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.conf import settings

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.services import betting, dealing, kill_switch, seats, table_lifecycle, witness_chains
from baccarat.services.seats import TableActor
from casino.events import sealer, subscriptions
from casino.events.hash_chain import GENESIS, digest
from casino.events.store import Metadata
from casino.kernel.canonical_json import recanonical
from casino.kernel.money import MoneyType
from tests.support.instant import NO_SHOW
from wallet.ledger import player_accounts as wallets

OPERATOR = UUID(int=0xCA51)
METADATA = Metadata(operator=str(OPERATOR), actor="test", causation="", correlation="")
IMMUTABLE = ("events_event", "events_seal", "events_chainhead", "wallet_entry", "wallet_posting", "wallet_account")


@dataclass(frozen=True, slots=True)
class Seated:
    """Players at one table; `table` is its id."""

    table: UUID
    guests: tuple[TableActor, ...]

    def bet(self, **stakes: int) -> None:
        """Confirm these stakes, in minor units by spot, for every player."""
        by_spot = dict(stakes)
        for guest in self.guests:
            betting.deal(actor=guest, stakes=by_spot, currency="EUR")


def sit(
    preset: str,
    *,
    players: int = 1,
    buy_in: int = 1_000_000,
    money_type: MoneyType = MoneyType.PLAY,
    money_types: tuple[MoneyType, ...] = (MoneyType.REAL, MoneyType.PLAY),
    **rules: object,
) -> Seated:
    """Open a table of a preset and seat that many new players with `buy_in` minor units each.

    There is no ceremony without `caller=True`, and play is instant. Where the house has witnesses, they make the
    table's chains first; `pin()` before, so that they also give out the links of a long shoe.
    """
    table = table_lifecycle.open_table(
        operator=OPERATOR,
        name=preset,
        preset=preset,
        currency="EUR",
        money_types=money_types,
        edge_accepted=True,
        overrides={"caller": False, "show_milliseconds": NO_SHOW, **rules},
        metadata=METADATA,
    )
    while settings.TABLE_WITNESSES and witness_chains.open_chains(height=8):
        pass
    guests = tuple(TableActor(table, OPERATOR, uuid4(), METADATA) for _ in range(players))
    for number, guest in enumerate(guests, 1):
        wallets.open_player_accounts(operator=OPERATOR, player=guest.player, currency="EUR", metadata=METADATA)
        wallets.credit_sandbox_player(
            operator=OPERATOR,
            player=guest.player,
            money_type=money_type,
            currency="EUR",
            amount=2 * buy_in,
            sandbox=True,
            metadata=METADATA,
        )
        seats.take(actor=guest, seat=number, money_type=money_type, buy_in=buy_in, currency="EUR")
        if settings.TABLE_WITNESSES:
            deal()
    if players > 1:  # only the first to sit down is in the round that this opened
        betting.pass_turn(actor=guests[0])
        deal()
    return Seated(table, guests)


def deal() -> None:
    """Deal every round that is due, and start the long shoes whose links come."""
    while dealing.deal_due() or dealing.release_due():
        pass


def play(seated: Seated, rounds: int = 1, **stakes: int) -> None:
    """Bet and deal that many rounds, all players on the same spots."""
    for _ in range(rounds):
        seated.bet(**stakes)
        deal()


def seal() -> None:
    """Seal everything that was committed."""
    sealer.seal_all()


def tamper(database, *statements):
    """Run statements as the owner of the tables with their triggers disabled."""
    with database.owner() as owner:
        for table in IMMUTABLE:
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement in statements:
            assert owner.execute(statement).rowcount, statement


def rechain(database):
    """Recompute every digest and head, as an attacker who knows the format would."""
    previous = GENESIS
    with database.owner() as owner:
        for event in subscriptions.read_sealed(0, 1_000_000):
            previous = digest(
                position=event.position,
                event=event.id,
                transaction=event.transaction,
                stream=event.stream,
                version=event.version,
                type=event.type,
                schema=event.schema,
                data=recanonical(event.data),
                metadata=recanonical(event.metadata),
                recorded_at=event.recorded_at,
                previous=previous,
            )
            owner.execute("UPDATE events_seal SET digest = %s WHERE position = %s", [previous, event.position])
        owner.execute(
            "UPDATE events_chainhead m SET digest = s.digest FROM events_seal s WHERE s.position = m.position"
        )


def stop_and_resume() -> None:
    """Stop all gaming and resume it."""
    kill_switch.stop(scope=StopScope.GAMING, reason="a drill", metadata=METADATA)
    kill_switch.resume(scope=StopScope.GAMING, reason="it was a drill", metadata=METADATA)
