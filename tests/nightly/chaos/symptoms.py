"""How each symptom of the runbook is brought about."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Generator
from typing import Final

import psycopg
import pytest

from tests.clocks import LIBRARY, skewed_by_file
from tests.nightly.chaos.runbook import TOKEN, Reader
from tests.nightly.chaos.test_poison import give_back, take_secret
from tests.processes import wait_until
from tests.programs import without

Symptom = Callable[[Reader], Generator[None]]
WAGER: Final = {"stakes": [{"spot": "player", "amount": "10.00"}], "currency": "EUR"}


def ended(name: str) -> Symptom:
    """End a kind of process in order, on the last of its hosts."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.system.stack.child(name).stop()
        yield

    return symptom


def server_set(name: str, value: str) -> Symptom:
    """Change a setting of PostgreSQL."""

    def symptom(reader: Reader) -> Generator[None]:
        with reader.administrator() as connection:
            connection.execute(f"ALTER SYSTEM SET {name} = {value}")
            connection.execute("SELECT pg_reload_conf()")
        yield

    return symptom


def mistyped(process: str, variable: str, value: str) -> Symptom:
    """Start a process with a wrong variable; with the right one it has to run again."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.take_seat()  # a seed and a name are encrypted
        reader.mistype(process, variable, value)
        assert wait_until(lambda: not reader.system.stack.child(process).alive())
        yield
        assert wait_until(lambda: f"No {process} runs" not in reader.manage("status"))
        assert reader.system.stack.child(process).alive()

    return symptom


def never_set(process: str, variable: str, value: str, **values: str) -> Symptom:
    """Leave a variable as it is without being set."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.settings[variable] = [process], value
        reader.values.update(values)
        yield

    return symptom


def no_worker(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    reader.system.stack.child("worker").stop()
    reader.post(f"/tables/{table}/deal", WAGER, key=token).raise_for_status()
    yield
    assert wait_until(lambda: settled(reader, table))


def settled(reader: Reader, table: str) -> bool:
    """Whether the table's first round has been settled."""
    rows = reader.query("SELECT 1 FROM baccarat_round WHERE table_id = %s AND phase = 'settled'", table)
    return bool(rows)


def suspended_round(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    chips = {"spot": "tie", "amount": "10.00", "currency": "EUR"}
    reader.post(f"/tables/{table}/place", chips, key=token).raise_for_status()
    secret = take_secret(reader.system, table)
    reader.post(f"/tables/{table}/deal", WAGER, key=token).raise_for_status()
    assert wait_until(lambda: "was suspended" in reader.compose("compose logs worker"))
    give_back(reader.system, secret)
    (reader.values["ROUND"],) = reader.query("SELECT round_id::text FROM baccarat_table WHERE id = %s", table)[0]
    yield
    assert wait_until(lambda: settled(reader, table))


def locked_table(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    with contextlib.closing(reader.administrator()) as session:
        session.autocommit = False
        session.execute("SELECT FROM baccarat_table WHERE id = %s FOR UPDATE", [table])
        reader.values["PID"] = str(session.info.backend_pid)
        assert reader.post(f"/tables/{table}/deal", WAGER, key=token).status_code == 503
        yield
    assert wait_until(lambda: reader.post(f"/tables/{table}/deal", WAGER, key=token).status_code == 200)


def stopped_gaming(reader: Reader) -> Generator[None]:
    reader.manage('stop gaming --reason "A drill"')
    yield


def stopped_operator(reader: Reader) -> Generator[None]:
    ((reader.values["OPERATOR"],),) = reader.query("SELECT id::text FROM operators_operator WHERE slug = 'chaos'")
    reader.manage('stop operator chaos --reason "A drill"')
    yield


def no_redis(reader: Reader) -> Generator[None]:
    reader.system.stack.child("redis").stop()
    yield
    assert wait_until(reader.system.redis_answers)


def frozen_sealer(reader: Reader) -> Generator[None]:
    sealer = reader.system.stack.child("sealer")
    sealer.grace, grace = 0.5, sealer.grace  # it does not end in order
    os.killpg(sealer.pid, signal.SIGSTOP)
    yield
    sealer.grace = grace


def wrong_clock(reader: Reader) -> Generator[None]:
    if LIBRARY is None:
        pytest.skip(without("libfaketime"))
    file = reader.folder / "clock"
    file.write_text("+3600\n", encoding="ascii")
    reader.wrong = skewed_by_file({}, file)
    yield


def dead_database(reader: Reader) -> Generator[None]:
    reader.system.crash_postgres()
    yield


def missing_migration(reader: Reader) -> Generator[None]:
    reader.compose("compose run --rm migrate python manage.py migrate sessions zero")
    yield
    assert reader.system.query("SELECT count(*) FROM django_session") == [(0,)]


def unused_slot(reader: Reader) -> Generator[None]:
    reader.values["SLOT"] = "old_backup"
    reader.query("SELECT pg_create_physical_replication_slot('old_backup', true)")
    yield


def kept_connections(reader: Reader) -> Generator[None]:
    reader.values["TOOL"] = "dashboard"
    with contextlib.ExitStack() as exits:
        for _ in range(21):
            exits.enter_context(contextlib.closing(reader.administrator(name="dashboard")))
        yield


def long_statement(reader: Reader) -> Generator[None]:
    with contextlib.closing(reader.administrator()) as session:
        reader.values["PID"] = str(session.info.backend_pid)
        cancelled = threading.Event()

        def ask() -> None:
            with contextlib.suppress(psycopg.errors.QueryCanceled):
                session.execute("SELECT pg_sleep(600)")
            cancelled.set()

        threading.Thread(target=ask).start()
        yield
        assert cancelled.wait(60)


def revoked_key(reader: Reader) -> Generator[None]:
    reader.values["SLUG"] = "chaos"
    reader.manage("operator key chaos")
    assert reader.request("GET", "/api/v1/tables").startswith("OK")
    reader.manage(f"operator revoke {reader.values['KEY'].partition('.')[0]}")
    yield
    assert reader.request("GET", "/api/v1/tables").startswith("OK")


def paused_webhook(reader: Reader) -> Generator[None]:
    webhook = reader.post("/webhooks", {"url": "http://127.0.0.1:9/hook"})
    assert webhook.status_code == 201, webhook.text
    reader.values["{webhook}"] = webhook.json()["id"]
    reader.post(f"/webhooks/{reader.values['{webhook}']}/pause", {}).raise_for_status()
    yield


def waiting_email(reader: Reader) -> Generator[None]:
    background = reader.system.stack.child("worker-background")
    background.environment.update(EMAIL_PORT="9", EMAIL_SECURITY="none")
    reader.mistype("worker-background", "EMAIL_HOST", "127.0.0.1")
    reader.query(
        "INSERT INTO mail_email (address, subject, body, created_at, due_at, attempts, error) "
        "VALUES ('ann@example.com', 'Report', 'It is ready.', now() - interval '1 hour', now(), 0, '')"
    )
    failed = "SELECT count(*) FROM mail_email WHERE error <> ''"
    assert wait_until(lambda: reader.query(failed) == [(1,)])
    background.stop()
    reader.query("UPDATE mail_email SET due_at = now() - interval '30 minutes' WHERE sent_at IS NULL")
    yield
    assert reader.query("SELECT count(*) FROM mail_email WHERE sent_at IS NULL") == [(0,)]


def witness_away(reader: Reader) -> Generator[None]:
    reader.system.stack.child("witness").stop()
    reader.take_seat()
    yield
    sealed = "SELECT max(position) FROM events_seal"
    cosigned = "SELECT max(size) FROM checkpoints_cosignature"
    ((last,),) = reader.query(sealed)
    assert wait_until(lambda: (reader.query(cosigned)[0][0] or 0) >= last)


def no_storage(reader: Reader) -> Generator[None]:
    wrong = "file:///dev/null/checkpoints"
    reader.mistype("worker-background", "CHECKPOINT_STORAGE", wrong)
    reader.wrong["CHECKPOINT_STORAGE"] = wrong
    yield


def changed_read_model(reader: Reader) -> Generator[None]:
    table, _ = reader.take_seat()
    assert wait_until(lambda: reader.query("SELECT count(*) FROM events_unsealed") == [(0,)])
    reader.query("UPDATE baccarat_table SET name = 'Another' WHERE id = %s", table)
    yield
    assert reader.query("SELECT name FROM baccarat_table WHERE id = %s", table) == [("Runbook",)]


def nothing(_reader: Reader) -> Generator[None]:
    """Do nothing: a new system has it from the start."""
    yield


SYMPTOMS: Final[dict[str, Symptom]] = {
    "Wagers are taken, and no cards come": no_worker,
    "One round does not end, others do": suspended_round,
    "Requests to one table get 503, others do not": locked_table,
    "Nobody can bet anywhere": stopped_gaming,
    "No player of one operator can bet": stopped_operator,
    "Cards and balances come a little late": no_redis,
    "Nobody reaches the service": ended("web"),
    "Every request gets 400": never_set("web", "ALLOWED_HOSTS", "127.0.0.1,casino.example", HOST="casino.example"),
    "Live streams and feeds show nothing new": ended("sealer"),
    "A process is there and does nothing": frozen_sealer,
    "Payments stay pending, and no e-mail is sent": ended("worker-background"),
    "Feeds and webhooks stop": ended("worker-outbound"),
    "A `worker` ends as soon as it starts": mistyped("worker", "SHOE_KEYS", f"other:{'11' * 32}"),
    "Any other process ends as soon as it starts": mistyped("worker-outbound", "PERSONAL_KEYS", f"other:{'11' * 32}"),
    "No process of one host starts": wrong_clock,
    "Prometheus shows nothing": never_set("web", "METRICS_TOKEN", TOKEN),
    "Every answer is 503 `unavailable`": dead_database,
    "What reads works, what writes gets 503": server_set("default_transaction_read_only", "on"),
    "A write gets 503 after five seconds": server_set("synchronous_standby_names", "'gone'"),
    "The service is unready after an upgrade": missing_migration,
    "An alert says that the disk is full": server_set("temp_file_limit", "'1MB'"),
    "PostgreSQL's disk fills though play is as usual": unused_slot,
    "A `web` does not start: too few connections": kept_connections,
    "Everything is slow since a report or a query": long_statement,
    "A crash would lose confirmed wagers": server_set("synchronous_commit", "off"),
    "An operator is refused with 401": revoked_key,
    "An operator gets no webhooks": paused_webhook,
    "An e-mail has not arrived": waiting_email,
    "Checkpoints are not cosigned": witness_away,
    "No checkpoint is signed": no_storage,
    "The release that runs is not approved": nothing,
    "A page shows other than the log says": changed_read_model,
}
