"""A transaction with an operator's wallet ends once, and no money appears or is lost, whatever is answered and when."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.remote import state as machine
from wallet.remote.events import (
    DebitRolledBack,
    Party,
    RemoteEvent,
    RollbackReason,
    TransactionAccepted,
    TransactionKind,
    TransactionRequested,
    WagerNotTaken,
    entry_for,
    remote_stream,
)
from wallet.remote.state import AcceptedAnswer, NoAnswer, RefusedAnswer, RemoteState, RemoteStatus

AT = datetime(2026, 11, 21, tzinfo=UTC)
PARTY = Party(UUID(int=2), UUID(int=3), UUID(int=9), "EUR")
DEBIT = TransactionRequested(
    UUID(int=1), TransactionKind.DEBIT, PARTY, UUID(int=4), UUID(int=8), 1000, None, UUID(int=10), AT, AT
)
CREDIT = replace(DEBIT, transaction=UUID(int=5), kind=TransactionKind.CREDIT, concerns=DEBIT.transaction, amount=1950)
CORRECTION = replace(CREDIT, transaction=UUID(int=6), kind=TransactionKind.CORRECTION, amount=-950)
ROLLBACK = UUID(int=7)
YES, NO, NOTHING = AcceptedAnswer("T-1"), RefusedAnswer("insufficient_funds"), NoAnswer()
"""What a wallet answers."""


def asked(requested: TransactionRequested) -> RemoteState:
    return machine.fold([requested])


def after(state: RemoteState, *events: RemoteEvent) -> RemoteState:
    return machine.fold(events, state)


def answered(state: RemoteState, answer: Any, *, in_time: bool = True) -> RemoteState:
    return after(state, *machine.apply_answer(state, answer, in_time=in_time, rollback=ROLLBACK, at=AT))


@pytest.mark.parametrize(
    ("requested", "answer", "in_time", "status"),
    [
        (DEBIT, YES, True, RemoteStatus.ACCEPTED),
        (DEBIT, NO, True, RemoteStatus.REFUSED),
        (DEBIT, NO, False, RemoteStatus.REFUSED),
        (DEBIT, YES, False, RemoteStatus.ROLLING_BACK),
        (DEBIT, NOTHING, True, RemoteStatus.ROLLING_BACK),
        (CREDIT, YES, False, RemoteStatus.ACCEPTED),
        (CREDIT, NO, True, RemoteStatus.REQUESTED),
        (CREDIT, NOTHING, True, RemoteStatus.REQUESTED),
        (CORRECTION, YES, True, RemoteStatus.ACCEPTED),
        (CORRECTION, NO, True, RemoteStatus.REFUSED),
        (CORRECTION, NOTHING, True, RemoteStatus.REQUESTED),
    ],
)
def test_each_answer_has_its_consequence(
    requested: TransactionRequested, answer: Any, in_time: bool, status: RemoteStatus
) -> None:
    assert answered(asked(requested), answer, in_time=in_time).status is status


def test_why_a_debit_is_taken_back_is_kept() -> None:
    assert answered(asked(DEBIT), NOTHING).reason is RollbackReason.NO_ANSWER
    late = answered(asked(DEBIT), YES, in_time=False)
    assert (late.reason, late.reference) == (RollbackReason.TOO_LATE, "T-1")


@pytest.mark.parametrize(
    ("requested", "answer", "in_time", "code"),
    [
        (DEBIT, YES, True, None),
        (DEBIT, NO, True, "insufficient_funds"),
        (DEBIT, NOTHING, True, "no_answer"),
        (DEBIT, YES, False, "too_late"),
        (CREDIT, NO, True, None),
        (CORRECTION, NO, True, None),
    ],
)
def test_a_debit_without_its_wager_says_at_once_why_none_was_taken(
    requested: TransactionRequested, answer: Any, in_time: bool, code: str | None
) -> None:
    events = machine.apply_answer(asked(requested), answer, in_time=in_time, rollback=ROLLBACK, at=AT)
    told = [event for event in events if isinstance(event, WagerNotTaken)]
    assert [(each.wager, each.amount, each.code) for each in told] == (
        [] if code is None else [(DEBIT.wager, 1000, code)]
    )


def test_an_answer_after_the_end_changes_nothing() -> None:
    for ended in (
        answered(asked(DEBIT), YES),
        answered(asked(DEBIT), NO),
        answered(asked(DEBIT), NOTHING),
        answered(asked(CREDIT), YES),
    ):
        for answer in (YES, NO, NOTHING):
            assert machine.apply_answer(ended, answer, in_time=True, rollback=ROLLBACK, at=AT) == ()


def test_a_rollback_goes_on_until_it_is_accepted() -> None:
    state = answered(asked(DEBIT), NOTHING)
    for answer in (NOTHING, NO):
        assert machine.apply_rollback_answer(state, answer, at=AT) == ()
    done = after(state, *machine.apply_rollback_answer(state, AcceptedAnswer("T-2", found=False), at=AT))
    assert (done.status, done.found) == (RemoteStatus.ROLLED_BACK, False)
    assert machine.apply_rollback_answer(done, YES, at=AT) == ()


def test_an_accepted_debit_is_taken_back_once_because_its_round_is_void() -> None:
    void = after(answered(asked(DEBIT), YES), *machine.undo(answered(asked(DEBIT), YES), rollback=ROLLBACK, at=AT))
    assert (void.status, void.reason, void.rollback) == (RemoteStatus.ROLLING_BACK, RollbackReason.ROUND_VOID, ROLLBACK)
    assert machine.undo(void, rollback=UUID(int=8), at=AT) == ()
    for state in (asked(DEBIT), answered(asked(DEBIT), NO), answered(asked(CREDIT), YES)):
        with pytest.raises(ValueError, match="is not taken back"):
            machine.undo(state, rollback=ROLLBACK, at=AT)


def test_a_history_begins_with_its_only_request() -> None:
    with pytest.raises(TypeError, match="begins with its request"):
        machine.fold([])
    early = DebitRolledBack(DEBIT.transaction, DEBIT.wager, PARTY, 1000, RollbackReason.NO_ANSWER, found=True, at=AT)
    with pytest.raises(TypeError, match="not with DebitRolledBack"):
        machine.fold([early])
    with pytest.raises(ValueError, match="requested once"):
        machine.fold([DEBIT, DEBIT])
    assert remote_stream(DEBIT.transaction) == f"remote-{DEBIT.transaction}"


def test_what_is_on_its_way_back_is_on_no_other_account() -> None:
    """Follow the money of each course: a table gets what was taken, `returning` what is owed, and both end at zero."""
    win = [DEBIT, *accepted(DEBIT), CREDIT, *accepted(CREDIT)]
    late = [DEBIT, *machine.apply_answer(asked(DEBIT), YES, in_time=False, rollback=ROLLBACK, at=AT)]
    lost = [DEBIT, *machine.apply_answer(asked(DEBIT), NOTHING, in_time=True, rollback=ROLLBACK, at=AT)]
    back = [CORRECTION, *accepted(CORRECTION)]
    assert [balances(events) for events in (win, win[:3], late, lost, back)] == [
        {"wallet": 950, "game": -950, "returning": 0},
        {"wallet": -1000, "game": -950, "returning": 1950},
        {"wallet": -1000, "returning": 1000},
        {},
        {"wallet": -950, "debt": 950},
    ]
    rolled_back = machine.apply_rollback_answer(machine.fold(late), YES, at=AT)
    assert balances([*late, *rolled_back]) == {"wallet": 0, "returning": 0}


def accepted(requested: TransactionRequested) -> tuple[RemoteEvent, ...]:
    return machine.apply_answer(asked(requested), YES, in_time=True, rollback=ROLLBACK, at=AT)


def balances(events: list[RemoteEvent]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for cause, event in enumerate(events, 1):
        entry = entry_for(event, cause)
        for posting in () if entry is None else entry.postings:
            totals[posting.account.kind.value] = totals.get(posting.account.kind.value, 0) + posting.amount
    return totals


@dataclass
class OperatorWallet:
    """A wallet as operators are told to build one: each id acts once, and a rollback leaves a mark for ever."""

    balance: int = 10_000
    seen: dict[UUID, Any] = field(default_factory=dict)
    rolled_back: dict[UUID, bool] = field(default_factory=dict)

    def debit(self, requested: TransactionRequested) -> Any:
        if requested.transaction in self.rolled_back:
            return RefusedAnswer("transaction_cancelled")
        if requested.transaction not in self.seen:
            if self.balance < requested.amount:
                return RefusedAnswer("insufficient_funds")
            self.balance -= requested.amount
            self.seen[requested.transaction] = AcceptedAnswer("T")
        return self.seen[requested.transaction]

    def credit(self, requested: TransactionRequested) -> Any:
        if requested.transaction not in self.seen:
            self.balance += requested.amount
            self.seen[requested.transaction] = AcceptedAnswer("T")
        return self.seen[requested.transaction]

    def roll_back(self, requested: TransactionRequested) -> Any:
        found = self.rolled_back.get(requested.transaction)
        if found is None:
            found = requested.transaction in self.seen
            self.rolled_back[requested.transaction] = found
            self.balance += requested.amount if found else 0
        return AcceptedAnswer("R", found)


LINES = st.sampled_from(["answered", "lost before", "lost after", "late", "killed before", "killed after"])
"""What befalls a message and its answer."""


@dataclass(frozen=True)
class Course:
    """What befalls the messages of one wager, and whether its round is voided before it is settled."""

    balance: int
    debit: str
    delayed: bool
    rollbacks: list[str]
    payments: list[str]
    void: bool


@dataclass
class Wager:
    """One wager at this side, and the operator's wallet at the other."""

    theirs: OperatorWallet
    state: RemoteState = field(default_factory=lambda: machine.fold([DEBIT]))
    events: list[RemoteEvent] = field(default_factory=list)

    def record(self, new: tuple[RemoteEvent, ...]) -> None:
        self.events.extend(new)
        self.state = after(self.state, *new)

    def count(self, kind: type) -> int:
        return sum(isinstance(event, kind) for event in self.events)

    def debit(self, line: str) -> None:
        """Send the debit over a line."""
        answer = call(line, lambda: self.theirs.debit(DEBIT))
        self.record(machine.apply_answer(self.state, answer, in_time=line != "late", rollback=ROLLBACK, at=AT))

    def take_back(self, lines: list[str]) -> None:
        """Roll the debit back; the last line answers."""
        if self.state.status is RemoteStatus.ACCEPTED:
            self.record(machine.undo(self.state, rollback=ROLLBACK, at=AT))
        for line in [*lines, "answered"]:
            answer = call(line, lambda: self.theirs.roll_back(DEBIT))
            self.record(machine.apply_rollback_answer(self.state, answer, at=AT))

    def pay(self, lines: list[str]) -> None:
        """Credit what was won; the last line answers."""
        credit = asked(CREDIT)
        for line in [*lines, "answered"]:
            if credit.status is RemoteStatus.REQUESTED:
                credit = answered(credit, call(line, lambda: self.theirs.credit(CREDIT)))
        assert credit.status is RemoteStatus.ACCEPTED


def call(line: str, act: Callable[[], Any]) -> Any:
    """Return what comes back over a line, which may fail before or after the other side has acted."""
    if line in {"lost before", "killed before"}:
        return NOTHING
    answer = act()
    return answer if line in {"answered", "late"} else NOTHING


@given(
    st.builds(
        Course,
        balance=st.integers(0, 3000),
        debit=LINES,
        delayed=st.booleans(),
        rollbacks=st.lists(LINES, max_size=4),
        payments=st.lists(LINES, max_size=4),
        void=st.booleans(),
    )
)
def test_whatever_is_lost_or_late_each_wager_ends_once_and_no_money_appears(course: Course) -> None:
    wager = Wager(OperatorWallet(course.balance))
    wager.debit(course.debit)
    refused, used = (wager.state.status is status for status in (RemoteStatus.REFUSED, RemoteStatus.ACCEPTED))
    settled = used and not course.void
    if settled:
        wager.pay(course.payments)
    elif not refused:
        wager.take_back(course.rollbacks)
        if course.delayed:
            wager.theirs.debit(DEBIT)  # the network delivers it only now

    assert wager.state.status in machine.ENDED
    ends = wager.count(TransactionAccepted), wager.count(DebitRolledBack)
    assert ends == ((0, 0) if refused else (int(used), int(not settled)))
    assert wager.theirs.balance == course.balance + (CREDIT.amount - DEBIT.amount if settled else 0)
