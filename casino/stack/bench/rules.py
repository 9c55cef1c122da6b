"""Rounds of the pure engine on one core: six cards of a shuffled shoe dealt, one Banker wager settled.

The peer, pybaccarat, deals the same way from its own shuffled shoe by `Game.play_hand` but knows no wagers, so it has
less to do. Shuffling is outside of the measured time on both sides.
"""

from functools import partial

from casino.stack.bench import peers
from casino.stack.bench.measure import Measured, in_turns
from casino.stack.bench.plan import Plan
from casino.stack.bench.worker import workers

TARGET = 3.0


def measure(plan: Plan) -> list[Measured]:
    """This will measure both engines in one process. Raises Trouble."""
    missing = peers.have(peers.PYBACCARAT)
    outer = peers.environment(plan.server.environment)
    with workers("rules_hands", 1, environment=outer, log=plan.log) as (hands,):
        ours = partial(hands.ask, "ours", hands=plan.size.hands)
        peer = None if missing else partial(hands.ask, "peer", hands=plan.size.hands)
        rates = in_turns(ours, peer, repeats=plan.size.repeats)
    return [
        Measured(
            name="rules",
            unit="rounds/s",
            ours=rates[0],
            peer=rates[1],
            peer_name="no peer" if missing else "pybaccarat, which does not settle",
            target=TARGET,
            notes=(missing,) if missing else ("one core; a Banker wager of 10.00 at mini's rules",),
        )
    ]
