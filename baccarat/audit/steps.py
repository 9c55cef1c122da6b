"""Maps event types to replay steps."""

from collections.abc import Callable
from typing import Any, Final, get_args

from baccarat.audit import betting, ceremony, cutting, dealing, seating, voiding
from baccarat.audit.traces import RoundTrace
from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.tables.kill_switch_events import SwitchEvent
from wallet.audit.registry import EVENTS as WALLET_EVENTS

ROUND_STEPS: Final[dict[str, Callable[[RoundTrace, Any], None]]] = {
    kind.__name__: step
    for kind, step in (
        (re.ChipsPlaced, betting.replay_chips_placed),
        (re.PlacementUndone, betting.replay_placement_undone),
        (re.ChipsCleared, betting.replay_chips_cleared),
        (re.StakesRebet, betting.replay_wager_repeated),
        (re.WagerConfirmed, betting.replay_wager_confirmed),
        (re.SeatPassed, betting.replay_seat_passed),
        (re.SeatTimedOut, betting.replay_seat_timed_out),
        (re.SeatLeftRound, betting.replay_round_left),
        (CutContributed, cutting.replay_cut_contribution),
        (re.BettingClosed, dealing.replay_betting_closed),
        (ce.CardsHandedOut, ceremony.replay_cards_handed_out),
        (ce.CardsLookedAt, ceremony.replay_cards_looked_at),
        (ce.CardsHandedBack, ceremony.replay_cards_handed_back),
        (ce.HandTurned, ceremony.replay_hand_turned),
        (re.CardsDealt, dealing.replay_cards_dealt),
        (re.RoundSettled, dealing.replay_round_settled),
        (re.RoundLapsed, dealing.replay_round_lapsed),
        (re.RoundSuspended, dealing.replay_round_suspended),
        (re.RoundResumed, dealing.replay_round_resumed),
        (ve.RoundVoidRequested, voiding.replay_void_requested),
        (ve.RoundVoidDeclined, voiding.replay_void_declined),
        (ve.RoundVoided, voiding.replay_round_voided),
    )
}
TABLE_STEPS: Final = {kind.__name__: step for kind, step in seating.STEPS.items()}
SWITCH_KINDS: Final = frozenset(kind.__name__ for kind in get_args(SwitchEvent))
WALLET_KINDS: Final = frozenset(kind.__name__ for kind in WALLET_EVENTS)
CONFIRMED: Final = re.WagerConfirmed.__name__
ROUND_END_TYPES: Final = frozenset({re.RoundSettled.__name__, re.RoundLapsed.__name__, ve.RoundVoided.__name__})
