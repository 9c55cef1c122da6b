"""A process of ours whose players play all five presets as people do: in shares like those of `make play`.

Several to a table, on one spot or many, in both kinds of money, with passes, changes of mind, rebets and cuts; long
shoes are played to their ends, with the Caller's ceremony and commissions owed. Chance is seeded, so that a run
can be repeated.
"""

import contextlib
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import django

from tests.bench.worker import serve

django.setup()

from baccarat.domain.rounds.refusals import WagerInPlay  # noqa: E402
from baccarat.domain.rules.presets import rules_for  # noqa: E402
from baccarat.domain.rules.table_rules import SpotsPerRound, TableRules, UnderMinimumPolicy  # noqa: E402
from baccarat.domain.rules.wagers import Spot  # noqa: E402
from baccarat.services import betting, ceremony, dealing, opening, seats  # noqa: E402  (all below needs Django)
from baccarat.services.table_actor import TableActor  # noqa: E402
from casino.events import sealer  # noqa: E402
from casino.events.sql import fetch  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.errors import Refusal  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from wallet.ledger import player_accounts as wallet  # noqa: E402

CURRENCY = "EUR"
CREDIT = 10**9
BUY_IN = 10**8
CUTS = 0.3
CHANGES = 0.1
RAISED = 0.15
"""How often a player cuts, takes chips back in either way, or stakes less than the minimum."""
SHARES = {"atlantic_city": (1, 5), "overview": (2, 1), "mini": (2, 1), "classic": (2, 1), "big_table": (1, 6)}
"""By preset: how many tables of each lot of eight, and how many players at each."""

PAUSE = 0.5
"""Seconds between two attempts to leave."""

_CARDS_OUT = "SELECT table_id FROM baccarat_round WHERE phase = 'closed'"


@dataclass(slots=True)
class Game:
    """A table with those who sit at it; `known` are those who have wagered there before."""

    table: uuid.UUID
    rules: TableRules
    guests: list[TableActor]
    known: set[uuid.UUID] = field(default_factory=set)


def play(*, lots: int, rounds: int, naps: int, seed: int) -> int:
    """Open so many lots of eight tables, play so many rounds at each, seal, and return how many events.

    In the end all leave. In the first `naps` rounds the last of several seats says nothing, so that its turn runs out.
    """
    chance = Random(seed)
    operator = operators.create_operator(slug="mixed", name="Mixed", currency=CURRENCY, sandbox=True).id
    games = [_open(operator, preset, players) for _ in range(lots) for preset, players in _tables()]
    for number in range(rounds):
        for game in games:
            _bet(game, chance, nap=number < naps)
        if number < naps:
            time.sleep(max(game.rules.turn_seconds or 0 for game in games))
        _deal({game.table: game.guests for game in games})
    _leave(games)
    return sealer.seal_all()


def _tables() -> list[tuple[str, int]]:
    return [(preset, players) for preset, (tables, players) in SHARES.items() for _ in range(tables)]


def _open(operator: uuid.UUID, preset: str, players: int) -> Game:
    table = opening.open_table(
        operator=operator,
        name=preset.replace("_", " ").title(),
        preset=preset,
        currency=CURRENCY,
        money_types=list(MoneyType),
        edge_accepted=True,
        overrides={},
        metadata=_notes(operator),
    )
    guests = [_sit(operator, table, seat) for seat in range(1, players + 1)]
    return Game(table, rules_for(preset, currency=CURRENCY), guests)


def _sit(operator: uuid.UUID, table: uuid.UUID, seat: int) -> TableActor:
    player, money_type = uuid.uuid4(), MoneyType.PLAY if seat % 3 == 0 else MoneyType.REAL
    notes = _notes(operator)
    wallet.open_player_accounts(operator=operator, player=player, currency=CURRENCY, metadata=notes)
    wallet.credit_sandbox_player(
        operator=operator,
        player=player,
        money_type=money_type,
        currency=CURRENCY,
        amount=CREDIT,
        sandbox=True,
        metadata=notes,
    )
    guest = TableActor(table, operator, player, notes)
    seats.take(actor=guest, seat=seat, money_type=money_type, buy_in=BUY_IN, currency=CURRENCY)
    return guest


def _notes(operator: uuid.UUID) -> Metadata:
    return Metadata(operator=str(operator), actor="bench", causation="", correlation=str(uuid.uuid4()))


def _bet(game: Game, chance: Random, *, nap: bool) -> None:
    """Everybody's turn at a table, in an order that changes; one who is too late waits for the next round."""
    awake = game.guests[:-1] if nap and len(game.guests) > 1 else game.guests
    for guest in chance.sample(awake, len(awake)):
        with contextlib.suppress(Refusal):
            _turn(game, replace(guest, metadata=_notes(guest.operator)), chance)


def _turn(game: Game, guest: TableActor, chance: Random) -> None:
    dice, knows = chance.random(), guest.player in game.known
    if dice < 0.08 and len(game.guests) > 1:
        betting.pass_turn(actor=guest)
    elif dice < 0.25 and knows:
        betting.rebet_and_deal(actor=guest)
    elif dice < 0.35 and knows:
        betting.rebet(actor=guest)
        _confirm(game, guest, {}, chance)
    elif dice < 0.45:
        _confirm(game, guest, _stakes(game.rules, chance), chance)
    else:
        _place(game, guest, chance)
        _confirm(game, guest, {}, chance)


def _place(game: Game, guest: TableActor, chance: Random) -> None:
    """Chips one after the other, with a change of mind now and then."""
    for changed in (betting.undo, betting.clear):
        if chance.random() < CHANGES:
            _chips(guest, dict([next(iter(_stakes(game.rules, chance).items()))]))
            changed(actor=guest)
    _chips(guest, _stakes(game.rules, chance))


def _chips(guest: TableActor, stakes: Mapping[Spot, int]) -> None:
    for spot, amount in stakes.items():
        betting.place(actor=guest, spot=spot, amount=amount, currency=CURRENCY)


def _confirm(game: Game, guest: TableActor, stakes: Mapping[Spot, int], chance: Random) -> None:
    """A cut of the player's own comes with the wager now and then; a round must be open for it."""
    cuts = not stakes and chance.random() < CUTS
    contribution = chance.randbytes(16).hex() if cuts else None
    betting.deal(actor=guest, stakes=stakes, currency=CURRENCY, contribution=contribution)
    game.known.add(guest.player)


def _stakes(rules: TableRules, chance: Random) -> dict[Spot, int]:
    """One spot or several; now and then less than the minimum where that is raised."""
    if rules.under_minimum is UnderMinimumPolicy.RAISE and chance.random() < RAISED:
        return {chance.choice(list(Spot)): rules.chips[0] * 3}
    count = 1 if rules.spots_per_round is SpotsPerRound.ONE else chance.choice((1, 1, 1, 2, 3))
    return {spot: rules.minimum * chance.choice((1, 1, 2, 3, 4)) for spot in chance.sample(list(Spot), count)}


def _deal(guests: Mapping[uuid.UUID, Sequence[TableActor]]) -> None:
    """Deal what is due; whoever has cards in hand looks at them and hands them back, and is dealt on."""
    while dealing.deal_due():
        for (table,) in fetch(_CARDS_OUT):
            for guest in guests[table]:
                with contextlib.suppress(Refusal):
                    ceremony.look(actor=guest)
                    ceremony.hand_back(actor=guest)


def _leave(games: Sequence[Game]) -> None:
    """Everybody leaves with the money; whose wager is still in play waits for the end of the turn."""
    staying = [guest for game in games for guest in game.guests]
    while staying:
        _deal({game.table: game.guests for game in games})
        staying = [guest for guest in staying if not _has_left(guest)]
        time.sleep(PAUSE if staying else 0)


def _has_left(guest: TableActor) -> bool:
    try:
        seats.leave(actor=guest)
    except WagerInPlay:
        return False
    return True


if __name__ == "__main__":
    serve({"play": play})
