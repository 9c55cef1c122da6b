"""A leader freezes between any two statements, another takes over in time, and the first one wakes up harmless."""

import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

import pytest
from django.db import InterfaceError, OperationalError, connections
from psycopg.pq import TransactionStatus

from baccarat.services import dealing
from casino.checkpoints import records, signing
from casino.events import sealer, subscriptions
from casino.events.sql import fetch
from casino.events.verification import current_head, verify
from casino.feed import writer
from tests.casino.checkpoints.signing_here import log_of
from tests.casino.events.writing import write
from tests.conftest import Database, pointed_at
from tests.support.house import House, deal_all

TAKES_OVER: Final = 5.0
"""Seconds, by which PostgreSQL ends what a frozen leader had begun."""
LIMIT: Final = "SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float8"
SOON: Final = "SET LOCAL idle_in_transaction_session_timeout = '20ms'"
WAITS: Final = 60.0


class Frozen:
    """A leader in a thread of its own that freezes before its statement, or commit, of this number, until it wakes up.

    In a transaction it freezes for longer than PostgreSQL waits, which is made sooner once it is known: `limit`.
    """

    def __init__(self, step: Callable[[], object], number: int) -> None:
        self.limit: float | None = None
        self._step, self._left = step, number
        self._stopped, self._wakes = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        while not self._stopped.wait(0.005) and self._thread.is_alive():
            pass
        return self

    def __exit__(self, *_: object) -> None:
        self._wakes.set()
        self._thread.join()

    @property
    def has_frozen(self) -> bool:
        return self._stopped.is_set()

    def _run(self) -> None:
        connection: Any = connections["default"]
        commit = connection._commit

        def before_statement(execute: Any, *arguments: Any) -> Any:
            self._count(connection)
            return execute(*arguments)

        def before_commit() -> None:
            self._count(connection)
            commit()

        connection._commit = before_commit
        try:
            with connection.execute_wrapper(before_statement):
                self._step()
        except (OperationalError, InterfaceError):
            assert self.limit is not None  # its transaction is lost
        finally:
            connection.close()

    def _count(self, connection: Any) -> None:
        self._left -= 1
        if self._left:
            return
        raw = connection.connection
        if raw is not None and raw.info.transaction_status == TransactionStatus.INTRANS:
            self.limit = raw.execute(LIMIT).fetchone()[0]
            raw.execute(SOON)
        self._stopped.set()
        assert self._wakes.wait(WAITS)


class Sealer:
    """Gives positions."""

    timeouts = "long"

    def add_work(self, number: int) -> None:
        write(f"round-{number}", count=2)

    def work(self) -> None:
        sealer.seal_once()

    def is_done(self) -> bool:
        return not fetch("SELECT FROM events_unsealed")

    def check(self) -> None:
        sealed = subscriptions.read_sealed(0, 1000)
        assert [event.position for event in sealed] == list(range(1, len(sealed) + 1))
        assert list(verify()) == []


class Signer(Sealer):
    """Signs checkpoints, and copies them."""

    def add_work(self, number: int) -> None:
        log_of(2, stream=f"round-{number}")

    def work(self) -> None:
        signing.sign_if_due()

    def is_done(self) -> bool:
        copied = records.latest_copy()
        return copied is not None and copied.size == current_head().position

    def check(self) -> None:
        made, copies = records.list_after(0), records.list_copies(after=0)
        assert [each.size for each in made] == [each.size for each in copies]
        assert [each.number for each in copies] == list(range(1, len(copies) + 1))


class SignerForWitnesses(Signer):
    """Signs the checkpoints that witnesses cosign."""

    def work(self) -> None:
        signing.sign_new()

    def is_done(self) -> bool:
        last = records.latest()
        return last is not None and last.size == current_head().position

    def check(self) -> None:
        assert records.latest().size == current_head().position


class Numberer(Sealer):
    """Numbers the items of an operator's feed."""

    def __init__(self) -> None:
        self.house = House()

    def add_work(self, number: int) -> None:
        self.house.player()
        sealer.seal_all()

    def work(self) -> None:
        writer.write_new_items()

    def is_done(self) -> bool:
        return subscriptions.subscriber_position(writer.SUBSCRIBER) == subscriptions.head()

    def check(self) -> None:
        statement = "SELECT number, position, type, subject FROM feed_feeditem WHERE operator_id = %s ORDER BY number"
        items = fetch(statement, [self.house.operator])
        assert [item[0] for item in items] == list(range(1, len(items) + 1))
        assert len({item[1:] for item in items}) == len(items)
        assert [item[1] for item in items] == sorted(item[1] for item in items)


class Clock(Sealer):
    """Deals what is due, in a worker."""

    timeouts = "short"

    def __init__(self) -> None:
        self.house = House()
        self.table = self.house.table("mini")
        self.player = self.house.seated(self.table)

    def add_work(self, number: int) -> None:
        self.player.deal({"banker": 2500})

    def work(self) -> None:
        dealing.deal_due()

    def is_done(self) -> bool:
        return not fetch("SELECT FROM baccarat_duetable WHERE due_at <= clock_timestamp()")

    def check(self) -> None:
        deal_all()
        self.house.agree(self.table)


@pytest.mark.parametrize("kind", [Sealer, Signer, SignerForWitnesses, Numberer, Clock])
def test_a_leader_that_freezes_between_any_two_statements_is_replaced_and_does_no_harm(
    kind: type[Sealer], database: Database, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHECKPOINT_STORAGE = (tmp_path / "copies").as_uri()
    settings.CHECKPOINT_SECONDS = 0
    monkeypatch.setenv("DATABASE_TIMEOUTS", kind.timeouts)
    with pointed_at(database.url):
        leader = kind()
        limits = list(_freeze_at_each(leader))
        assert len(limits) >= 4
        assert [limit for limit in limits if limit is not None and not 0 < limit < TAKES_OVER] == []
        assert any(limits)
        leader.check()


def _freeze_at_each(leader: Sealer) -> Iterator[float | None]:
    """Freeze the leader before each of its statements in turn; yield the limit of the transaction it was in, if any."""
    for number in count(1):
        leader.add_work(number)
        with Frozen(leader.work, number) as frozen:
            until = time.monotonic() + WAITS
            while not leader.is_done():
                assert time.monotonic() < until
                leader.work()
        if not frozen.has_frozen:
            return
        leader.work()
        yield frozen.limit
