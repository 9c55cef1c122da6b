"""Which step follows which event, by the name of its type."""

from collections.abc import Callable
from typing import Any, Final, get_args

from baccarat.audit import betting, ceremony, cutting, dealing, seating, voiding
from baccarat.audit.traces import RoundTrace
from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.cut_events import CutGiven
from baccarat.domain.tables.kill_switch_events import SwitchEvent
from wallet.ledger.postings import EVENTS as WALLET_EVENTS

ROUND_STEPS: Final[dict[str, Callable[[RoundTrace, Any], None]]] = {
    kind.__name__: step
    for kind, step in (
        (re.ChipsPlaced, betting.placed),
        (re.PlacementUndone, betting.undone),
        (re.ChipsCleared, betting.cleared),
        (re.WagerRepeated, betting.repeated),
        (re.WagerConfirmed, betting.confirmed),
        (re.SeatPassed, betting.passed),
        (re.SeatTimedOut, betting.timed_out),
        (re.SeatWithdrawn, betting.withdrawn),
        (CutGiven, cutting.given),
        (re.BettingClosed, dealing.closed),
        (ce.CardsHandedOut, ceremony.handed_out),
        (ce.CardsLooked, ceremony.looked),
        (ce.CardsHandedBack, ceremony.handed_back),
        (ce.HandTurned, ceremony.turned),
        (re.CardsDealt, dealing.dealt),
        (re.RoundSettled, dealing.settled),
        (re.RoundLapsed, dealing.lapsed),
        (re.RoundSetAside, dealing.set_aside),
        (re.RoundResumed, dealing.resumed),
        (ve.RoundVoidRequested, voiding.requested),
        (ve.RoundVoidDeclined, voiding.declined),
        (ve.RoundVoided, voiding.voided),
    )
}
TABLE_STEPS: Final = {kind.__name__: step for kind, step in seating.STEPS.items()}
SWITCH_KINDS: Final = frozenset(kind.__name__ for kind in get_args(SwitchEvent))
WALLET_KINDS: Final = frozenset(kind.__name__ for kind in WALLET_EVENTS)
CONFIRMED: Final = re.WagerConfirmed.__name__
ENDS: Final = frozenset({re.RoundSettled.__name__, re.RoundLapsed.__name__, ve.RoundVoided.__name__})
