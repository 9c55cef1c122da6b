"""A worker process whose players play all five presets, in shares like those of `make play`.

Several players to a table, one spot or many, real and play money, passes, undone chips, rebets and cuts; long shoes are
played to their end, with the Caller and deferred commission. The random generator is seeded, so that a run can
be repeated.
"""

import contextlib
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import django

from tests.nightly.bench.worker import serve
from tests.support.instant import NO_SHOW

django.setup()

from baccarat.domain.rounds.refusals import WagerInPlay  # noqa: E402
from baccarat.domain.rules.presets import rules_for  # noqa: E402
from baccarat.domain.rules.table_rules import SpotsPerRound, TableRules, UnderMinimumPolicy  # noqa: E402
from baccarat.services import betting, ceremony, dealing, seats, table_lifecycle  # noqa: E402  (all below needs Django's settings)
from baccarat.services.seats import TableActor  # noqa: E402
from casino.events import sealer  # noqa: E402
from casino.events.sql import fetch  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.errors import Refusal  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from tests.support.spots import SPOTS  # noqa: E402
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
    actors: list[TableActor]
    known: set[uuid.UUID] = field(default_factory=set)


def play(*, lots: int, rounds: int, naps: int, seed: int) -> int:
    """Open so many lots of eight tables, play so many rounds at each, seal, and return how many events.

    In the end all leave. In the first `naps` rounds the last of several seats says nothing, so that its turn runs out.
    """
    chance = Random(seed)
    operator = operators.create_operator(slug="mixed", name="Mixed", currencies=[CURRENCY], sandbox=True).id
    games = [_open(operator, preset, players) for _ in range(lots) for preset, players in _tables()]
    for number in range(rounds):
        for game in games:
            _bet(game, chance, nap=number < naps)
        if number < naps:
            time.sleep(max(game.rules.turn_seconds or 0 for game in games))
        _deal({game.table: game.actors for game in games})
    _leave(games)
    return sealer.seal_all()


def _tables() -> list[tuple[str, int]]:
    return [(preset, players) for preset, (tables, players) in SHARES.items() for _ in range(tables)]


def _open(operator: uuid.UUID, preset: str, players: int) -> Game:
    table = table_lifecycle.open_table(
        operator=operator,
        name=preset.replace("_", " ").title(),
        preset=preset,
        currency=CURRENCY,
        money_types=list(MoneyType),
        edge_accepted=True,
        overrides={"show_milliseconds": NO_SHOW},
        metadata=_metadata(operator),
    )
    actors = [_sit(operator, table, seat) for seat in range(1, players + 1)]
    return Game(table, rules_for(preset, currency=CURRENCY), actors)


def _sit(operator: uuid.UUID, table: uuid.UUID, seat: int) -> TableActor:
    player, money_type = uuid.uuid4(), MoneyType.PLAY if seat % 3 == 0 else MoneyType.REAL
    notes = _metadata(operator)
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
    actor = TableActor(table, operator, player, notes)
    seats.take(actor=actor, seat=seat, money_type=money_type, buy_in=BUY_IN, currency=CURRENCY)
    return actor


def _metadata(operator: uuid.UUID) -> Metadata:
    return Metadata(operator=str(operator), actor="bench", causation="", correlation=str(uuid.uuid4()))


def _bet(game: Game, chance: Random, *, nap: bool) -> None:
    """Let everybody at a table act in random order; a refusal leaves the player for the next round."""
    awake = game.actors[:-1] if nap and len(game.actors) > 1 else game.actors
    for actor in chance.sample(awake, len(awake)):
        with contextlib.suppress(Refusal):
            _turn(game, replace(actor, metadata=_metadata(actor.operator)), chance)


def _turn(game: Game, actor: TableActor, chance: Random) -> None:
    dice, knows = chance.random(), actor.player in game.known
    if dice < 0.08 and len(game.actors) > 1:
        betting.pass_turn(actor=actor)
    elif dice < 0.25 and knows:
        betting.rebet_and_deal(actor=actor)
    elif dice < 0.35 and knows:
        betting.rebet(actor=actor)
        _confirm(game, actor, {}, chance)
    elif dice < 0.45:
        _confirm(game, actor, _stakes(game.rules, chance), chance)
    else:
        _place(game, actor, chance)
        _confirm(game, actor, {}, chance)


def _place(game: Game, actor: TableActor, chance: Random) -> None:
    """Place chips one after the other, sometimes taking some back."""
    for changed in (betting.undo, betting.clear):
        if chance.random() < CHANGES:
            _chips(actor, dict([next(iter(_stakes(game.rules, chance).items()))]))
            changed(actor=actor)
    _chips(actor, _stakes(game.rules, chance))


def _chips(actor: TableActor, stakes: Mapping[str, int]) -> None:
    for spot, amount in stakes.items():
        betting.place(actor=actor, spot=spot, amount=amount, currency=CURRENCY)


def _confirm(game: Game, actor: TableActor, stakes: Mapping[str, int], chance: Random) -> None:
    """Confirm a wager, sometimes with a contribution to the cut, which needs an open round."""
    cuts = not stakes and chance.random() < CUTS
    contribution = chance.randbytes(16).hex() if cuts else None
    betting.deal(actor=actor, stakes=stakes, currency=CURRENCY, contribution=contribution)
    game.known.add(actor.player)


def _stakes(rules: TableRules, chance: Random) -> dict[str, int]:
    """Return stakes on one or several spots, sometimes under the minimum where it is raised."""
    if rules.under_minimum is UnderMinimumPolicy.RAISE and chance.random() < RAISED:
        return {chance.choice(SPOTS): rules.chips[0] * 3}
    count = 1 if rules.spots_per_round is SpotsPerRound.ONE else chance.choice((1, 1, 1, 2, 3))
    return {spot: rules.minimum * chance.choice((1, 1, 2, 3, 4)) for spot in chance.sample(SPOTS, count)}


def _deal(actors: Mapping[uuid.UUID, Sequence[TableActor]]) -> None:
    """Deal what is due; a Caller looks at the cards and hands them back."""
    while dealing.deal_due():
        for (table,) in fetch(_CARDS_OUT):
            for actor in actors[table]:
                with contextlib.suppress(Refusal):
                    ceremony.look(actor=actor)
                    ceremony.hand_back(actor=actor)


def _leave(games: Sequence[Game]) -> None:
    """Let everybody leave, once their wagers are settled."""
    staying = [actor for game in games for actor in game.actors]
    while staying:
        _deal({game.table: game.actors for game in games})
        staying = [actor for actor in staying if not _has_left(actor)]
        time.sleep(PAUSE if staying else 0)


def _has_left(actor: TableActor) -> bool:
    try:
        seats.leave(actor=actor)
    except WagerInPlay:
        return False
    return True


if __name__ == "__main__":
    serve({"play": play})
