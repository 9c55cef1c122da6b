"""Rounds of the usual course beside all others: followed here as long as they are usual, then handed to the others."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from baccarat.audit.plain import betting, ceremony, cutting, dealing, forms, money
from baccarat.audit.plain.naming import Names
from baccarat.audit.plain.rounds import PlainPart, PlainRound
from baccarat.audit.plain.rounds import opened as begun
from baccarat.audit.plain.seating import Seating, seat
from baccarat.audit.plain.shoes import opens
from baccarat.audit.plain.tracing import traced
from baccarat.audit.rows import Row
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.audit.wallets import WalletTraces

OPENED: Final = "RoundOpened"
CONFIRMED: Final = "WagerConfirmed"
SETTLED: Final = "RoundSettled"
STEPS: Final[dict[str, Callable[[PlainRound, Any], bool]]] = {
    "ChipsPlaced": betting.placed,
    "PlacementUndone": betting.undone,
    "ChipsCleared": betting.cleared,
    "WagerRepeated": betting.repeated,
    "WagerConfirmed": betting.confirmed,
    "SeatPassed": betting.passed,
    "SeatTimedOut": betting.timed_out,
    "CutGiven": cutting.given,
    "BettingClosed": dealing.closed,
    "CardsHandedOut": ceremony.handed_out,
    "CardsLooked": ceremony.looked,
    "CardsHandedBack": ceremony.handed_back,
    "HandTurned": ceremony.turned,
    "CardsDealt": dealing.dealt,
    SETTLED: dealing.settled,
}


class PlainRounds:
    """The rounds in hand that have gone as usual so far, by stream.

    `ended` are those that ended, and `entries`, by the event, what theirs moved (`whole` says that it is asked for),
    both since they were last emptied.

    `tables` are all tables by stream, `shoes` all shoes and commitments used so far; `disputed` names streams of rounds
    that are left to the others from the start.
    """

    def __init__(
        self,
        tables: Mapping[str, TableTrace],
        shoes: set[str],
        wallets: WalletTraces,
        *,
        disputed: frozenset[str],
        whole: bool,
    ) -> None:
        self._tables = tables
        self._names = Names(shoes)
        self._wallets = wallets
        self._disputed = disputed
        self._rounds: dict[str, PlainRound] = {}
        self._by_table: dict[str, PlainRound] = {}
        self._seatings: dict[str, Seating] = {}
        self.opened = 0
        self.ended: list[PlainRound] = []
        self._untried: list[PlainRound] = []
        self.entries: dict[int, str] = {}
        self._whole = whole

    def follow(self, row: Row, event: Any) -> bool:
        """Follow one event, read by its form; False where it is not usual, and then nothing has changed."""
        kind, stream = row.type, row.stream
        try:
            if kind == OPENED:
                return self._open(row, event)
            round_ = self._rounds.get(stream)
            if round_ is None or not STEPS[kind](round_, event):
                return False
        except (LookupError, ValueError, ArithmeticError):  # a time, card or stake that there is not: others say which
            return False
        round_.events.append(event)
        round_.version = row.version
        if kind == CONFIRMED:
            if event.player in self._wallets.watched:
                self._wagered(row, round_.parts[event.seat])
            if self._whole:
                self.entries[row.id] = money.wager(round_, event)
        elif kind == SETTLED:
            round_.last = row
            del self._rounds[stream], self._by_table[round_.opened.table]
            self.ended.append(round_)
            self._untried.append(round_)
            entry = money.settlement(round_, event) if self._whole else None
            if entry is not None:
                self.entries[row.id] = entry
        return True

    def _wagered(self, row: Row, part: PlainPart) -> None:
        if part.confirmed_at is not None:
            self._wallets.check_may_wager(part.guest.player, at=part.confirmed_at, row=row)

    def _open(self, row: Row, event: forms.RoundOpened) -> bool:
        table = event.table
        if table in self._by_table or row.stream in self._disputed:
            return False
        known = self._seatings.get(table)
        if known is None:
            trace = self._tables[f"table-{table}"]
            known = self._seatings[table] = seat(trace)
            self._names.learn(trace)
        round_ = begun(row, event, known) if self._names.is_usual(event, known) else None
        if round_ is None:
            return False
        self.opened += 1
        self._rounds[row.stream] = self._by_table[table] = round_
        self._names.follow(event)
        return True

    def unseat(self, stream: str) -> RoundTrace | None:
        """Forget how a table sits, before an event of its own; returns the round in hand, handed over."""
        table = stream.removeprefix("table-")
        known = self._seatings.pop(table, None)
        if known is not None:
            self._names.tell(known.table)
        round_ = self._by_table.get(table)
        return None if round_ is None else self.hand_over(f"round-{round_.opened.round}")

    def hand_over(self, stream: str) -> RoundTrace | None:
        """Let a round go, as the others know it; None where it is not here."""
        round_ = self._rounds.pop(stream, None)
        if round_ is None:
            return None
        del self._by_table[round_.opened.table]
        return traced(round_)

    def leave(self) -> list[RoundTrace]:
        """Let all tables go, and return the rounds in hand, handed over."""
        handed = (self.unseat(f"table-{table}") for table in list(self._seatings))
        return [round_ for round_ in handed if round_ is not None]

    def unopened(self) -> list[tuple[Row, RoundTrace]]:
        """Try the seeds of the rounds that ended since; returns those that `check_seed` must judge."""
        found = [(each.last, traced(each)) for each in self._untried if each.last is not None and not opens(each)]
        self._untried.clear()
        return found
