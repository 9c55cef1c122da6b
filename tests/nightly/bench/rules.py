"""Rounds of the pure engine on one core, from shuffled shoes to who won.

Ours plays whole shoes out, as a simulation does. The peer, pybaccarat, deals from its own shuffled shoe by
`Game.play_hand` and finds the winner; it knows no wagers. Shuffling is outside of the measured time on both sides. The
second line is ours as a table plays: each round with its cards and hands, and a Banker wager settled with commission,
against the same peer, which has less to do.
"""

from functools import partial

from tests.nightly.bench import peers
from tests.nightly.bench.measure import Measured, in_turns
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import workers

TARGET = 3.0


def measure(plan: Plan) -> list[Measured]:
    """Measure both engines in one process. Raises DevstackError."""
    missing = peers.have(peers.PYBACCARAT)
    outer = peers.environment(plan.server.environment)
    with workers("rules_hands", 1, environment=outer, log=plan.log) as (hands,):
        peer = None if missing else partial(hands.run, "peer", hands=plan.size.hands)
        bulk = in_turns(partial(hands.run, "ours", hands=plan.size.hands), peer, repeats=plan.size.repeats)
        single = in_turns(partial(hands.run, "settled", hands=plan.size.hands), peer, repeats=plan.size.repeats)
    return [
        Measured(
            name="rules",
            unit="rounds/s",
            ours=bulk[0],
            peer=bulk[1],
            peer_name="no peer" if missing else "pybaccarat",
            target=TARGET,
            notes=(missing,) if missing else ("one core; whole shoes to their outcomes",),
        ),
        Measured(
            name="rules, settled",
            unit="rounds/s",
            ours=single[0],
            peer=single[1],
            peer_name="no peer" if missing else "pybaccarat, which does not settle",
            target=None,
            notes=("a Banker wager of 10.00 at mini's rules, cards and hands kept",),
        ),
    ]
