"""PINs are stored as Argon2 hashes; three failed attempts lock one, even if the requests fail."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.operators import pins, services, sessions
from casino.operators.acts import UNLOCK_PIN
from casino.operators.models import Player, PlayerPin
from casino.operators.pins import LOCK_TIME, MAX_FAILURES, WINDOW, after_failure
from casino.operators.refusals import PinLocked, PinNotSet, PinWrong
from tests.support.keys import issue_key
from wallet.ledger.player_accounts import open_player_accounts

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGHT, WRONG, OTHER = "482913", "111111", "730164"


@dataclass(frozen=True, slots=True)
class Scene:
    player: Player
    key: str
    token: str

    def operator(self, pin: object = RIGHT, **changes: Any) -> Any:
        return self._post(self.key, f"players/{self.player.id}/pin", {"pin": pin, **changes})

    def change(self, old: object = RIGHT, new: object = OTHER, *, key: str = "", **changes: Any) -> Any:
        return self._post(self.token, "me/pin", {"old_pin": old, "new_pin": new, **changes}, key)

    def mine(self) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return Client().get("/api/v1/me/pin", headers=headers).json()

    def keep(self, pin: str = RIGHT) -> Any:
        return self._post(self.token, "me/pin/keep", {"pin": pin})

    def limit(self, amount: str | None, pin: str = RIGHT) -> Any:
        return self._post(self.token, "me/table-limit", {"limit": amount, "currency": "EUR", "pin": pin})

    def _post(self, credential: str, path: str, body: dict[str, Any], key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {credential}", "Idempotency-Key": key or uuid.uuid4().hex}
        return Client().post(f"/api/v1/{path}", body, content_type="application/json", headers=headers)


def open_scene(slug: str = "lucky") -> Scene:
    operator = services.create_operator(slug=slug, name="Lucky", currencies=["EUR"], sandbox=True)
    player = services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")
    token = sessions.open_session(operator=operator.id, player=player.id, seconds=3600).token
    return Scene(player, ".".join(issue_key(operator=operator.id)), token)


@pytest.fixture
def scene() -> Scene:
    return open_scene()


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def is_right(scene: Scene, pin: str) -> bool:
    """Return whether a PIN is the player's, without an attempt that counts."""
    with transaction.atomic():
        refusal = pins.try_pin(pins.compare_pin(player=scene.player.id, pin=pin))
        transaction.set_rollback(True)
    return refusal is None


def pass_hours(hours: int) -> None:
    """Let time pass for a request of a new PIN."""
    execute("UPDATE operators_playerpin SET replaced_at = replaced_at - make_interval(hours => %s)", [hours])


def a_week_passes() -> None:
    """Let the limit change again, with its row as it would be then."""
    week = "interval '8 days'"
    execute(f"UPDATE wallet_table_limit SET set_at = set_at - {week}, next_change_at = next_change_at - {week}", [])  # noqa: S608


def pass_minutes(minutes: int) -> None:
    """Let time pass for failed attempts and the lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operators_playerpin SET locked_until = locked_until - make_interval(mins => %s), failed_at = "
            "ARRAY(SELECT moment - make_interval(mins => %s) FROM unnest(failed_at) AS failures (moment))",
            [minutes, minutes],
        )


@pytest.mark.django_db
def test_an_operator_sets_a_pin_and_its_player_changes_it(scene: Scene) -> None:
    assert scene.operator().json()["player"] == str(scene.player.id)

    changed = scene.change()

    assert (changed.status_code, changed.json().keys()) == (200, {"player", "set_at", "replaced_at"})
    assert pins.try_pin(pins.compare_pin(player=scene.player.id, pin=OTHER)) is None
    assert isinstance(pins.try_pin(pins.compare_pin(player=scene.player.id, pin=RIGHT)), PinWrong)


@pytest.mark.django_db
def test_a_pin_is_stored_as_an_argon2_hash_and_nowhere_in_plain_text(scene: Scene) -> None:
    scene.operator()
    scene.change()

    assert PlayerPin.objects.get().pin_hash.startswith("argon2$argon2id$")
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"SELECT r::text FROM {name} r")  # noqa: S608
            assert not [row for (row,) in cursor.fetchall() if f'"{RIGHT}"' in row or f'"{OTHER}"' in row], name


@pytest.mark.django_db
def test_a_pin_that_is_not_set_cannot_be_changed(scene: Scene) -> None:
    assert code(scene.change()) == (409, "pin_not_set")


@pytest.mark.django_db
def test_a_wrong_pin_shows_the_attempts_left_until_it_is_locked(scene: Scene) -> None:
    scene.operator()

    wrong = [scene.change(old=WRONG) for _ in range(3)]

    assert [code(answer) for answer in wrong] == [(403, "pin_wrong")] * 3
    assert [answer.json()["attempts_left"] for answer in wrong] == [2, 1, 0]
    assert wrong[0]["Content-Type"] == "application/problem+json"
    locked = scene.change()
    assert code(locked) == (403, "pin_locked")
    assert locked.json()["until"] == wrong[2].json()["locked_until"]


@pytest.mark.django_db
def test_a_correct_pin_resets_the_failed_attempts(scene: Scene) -> None:
    scene.operator()
    for _ in range(2):
        scene.change(old=WRONG)
    scene.change(new=RIGHT)

    assert scene.change(old=WRONG).json()["attempts_left"] == 2


@pytest.mark.django_db
def test_a_lock_and_failed_attempts_expire(scene: Scene) -> None:
    scene.operator()
    for _ in range(3):
        scene.change(old=WRONG)
    pass_minutes(29)
    assert code(scene.change()) == (403, "pin_locked")
    pass_minutes(1)
    assert scene.change(old=WRONG).json()["attempts_left"] == 2
    pass_minutes(30)
    assert scene.change(old=WRONG).json()["attempts_left"] == 2
    assert scene.change().status_code == 200


@pytest.mark.django_db
def test_the_operator_lifts_a_lock_which_sets_no_pin(scene: Scene) -> None:
    assert code(scene._post(scene.key, f"players/{scene.player.id}/pin/unlock", {})) == (409, "pin_not_set")
    scene.operator()
    for _ in range(3):
        scene.change(old=WRONG)

    scene.operator(OTHER)
    assert code(scene.change()) == (403, "pin_locked")
    golden = open_scene("golden")
    assert code(golden._post(golden.key, f"players/{scene.player.id}/pin/unlock", {})) == (404, "unknown_player")

    assert scene._post(scene.key, f"players/{scene.player.id}/pin/unlock", {}).status_code == 200
    assert scene.change(old=OTHER).json()["attempts_left"] == 2
    assert scene.change().status_code == 200
    acts = "SELECT count(*) FROM events_event WHERE type = 'ActDone' AND data->>'act' = %s"
    assert fetch(acts, [UNLOCK_PIN.name]) == [(1,)]


@pytest.mark.django_db
def test_a_request_of_a_new_pin_waits_a_day_and_the_player_sees_it(scene: Scene) -> None:
    scene.operator()
    first = scene.mine()
    asked = scene.operator(OTHER)

    assert scene.mine() == asked.json()
    assert (asked.json()["set_at"], first["replaced_at"]) == (first["set_at"], None)
    waits = datetime.fromisoformat(asked.json()["replaced_at"]) - datetime.now(UTC)
    assert timedelta(hours=23, minutes=59) < waits <= timedelta(hours=24)
    assert is_right(scene, RIGHT)
    assert not is_right(scene, OTHER)

    pass_hours(23)
    assert is_right(scene, RIGHT)
    pass_hours(1)
    assert is_right(scene, OTHER)
    assert not is_right(scene, RIGHT)
    assert (scene.mine()["set_at"], scene.mine()["replaced_at"]) > (first["set_at"], None)  # type: ignore[operator]


@pytest.mark.django_db
def test_a_further_request_waits_anew(scene: Scene) -> None:
    scene.operator()
    scene.operator(OTHER)
    pass_hours(23)
    scene.operator("5555")
    pass_hours(23)
    assert is_right(scene, RIGHT)
    pass_hours(1)
    assert is_right(scene, "5555")


@pytest.mark.django_db
def test_the_player_keeps_the_old_pin_by_it(scene: Scene) -> None:
    assert code(scene.keep()) == (409, "pin_not_set")
    scene.operator()
    assert code(scene.keep()) == (409, "no_pin_replacement")
    scene.operator(OTHER)
    assert code(scene.keep(OTHER)) == (403, "pin_wrong")
    assert scene.mine()["replaced_at"] is not None

    assert scene.keep().json()["replaced_at"] is None
    pass_hours(48)
    assert is_right(scene, RIGHT)
    scene.operator(OTHER)
    assert scene.change(new="5555").json()["replaced_at"] is None
    pass_hours(48)
    assert is_right(scene, "5555")


@pytest.mark.django_db
def test_a_limit_that_the_pin_guards_is_not_raised_while_a_new_one_waits(scene: Scene) -> None:
    open_player_accounts(
        operator=scene.player.operator_id, player=scene.player.id, currency="EUR",
        metadata=Metadata(operator=str(scene.player.operator_id), actor="test", causation=""),
    )  # fmt: skip
    scene.operator()
    assert scene.limit("50.00").status_code == 200
    a_week_passes()
    scene.operator(OTHER)

    for higher in ("60.00", None):
        assert code(scene.limit(higher)) == (409, "pin_replacement_waits")
    assert scene.limit("40.00").status_code == 200
    a_week_passes()
    scene.keep()
    assert scene.limit("60.00").status_code == 200


@pytest.mark.django_db
def test_a_repeated_failed_attempt_counts_once_and_gets_the_same_response(scene: Scene) -> None:
    scene.operator()

    first, again = (scene.change(old=WRONG, key="one") for _ in range(2))

    assert again.content == first.content
    assert (again["Content-Type"], again["Idempotent-Replayed"]) == ("application/problem+json", "true")
    assert scene.change(old=WRONG).json()["attempts_left"] == 1


@pytest.mark.django_db
def test_a_repeated_change_gets_the_same_response_although_the_old_pin_is_replaced(scene: Scene) -> None:
    scene.operator()

    first, again = (scene.change(key="one") for _ in range(2))

    assert (again.status_code, again.content) == (200, first.content)
    assert PlayerPin.objects.get().failed_at == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pin", "expected"),
    [
        ("123", "pin_malformed"),
        ("1234567890123", "pin_malformed"),
        ("12a4", "pin_malformed"),
        ("1234\n", "pin_malformed"),
        (" 1234", "pin_malformed"),
        ("\N{ARABIC-INDIC DIGIT ONE}234", "pin_malformed"),
        ("", "pin_malformed"),
        (123456, "not_a_string"),
        (None, "field_null"),
        (["1234"], "not_a_string"),
    ],
)
def test_a_malformed_pin_is_refused_and_not_repeated_in_the_response(scene: Scene, pin: object, expected: str) -> None:
    for answer in (scene.operator(pin), scene.change(old=pin), scene.change(new=pin)):
        assert code(answer) == (422, expected)
        problem = {name: value for name, value in answer.json().items() if name not in {"instance", "request_id"}}
        assert pin in ("", None) or repr(pin).strip("'") not in str(problem)  # random ids may contain the digits
    assert not PlayerPin.objects.exists()


@pytest.mark.django_db
def test_bodies_with_missing_or_unknown_fields_are_refused(scene: Scene) -> None:
    assert code(scene.operator(note="x")) == (422, "unknown_field")
    assert code(scene._post(scene.token, "me/pin", {"old_pin": RIGHT})) == (422, "field_required")
    assert code(scene._post(scene.token, f"players/{scene.player.id}/pin", {"pin": RIGHT})) == (403, "forbidden")
    assert code(scene._post(scene.key, "me/pin", {"old_pin": RIGHT, "new_pin": OTHER})) == (403, "forbidden")


@pytest.mark.django_db
def test_an_operator_cannot_set_the_pin_of_another_operators_player(scene: Scene) -> None:
    golden = open_scene("golden")

    answer = scene._post(golden.key, f"players/{scene.player.id}/pin", {"pin": RIGHT})

    assert code(answer) == (404, "unknown_player")
    assert not PlayerPin.objects.exists()


@pytest.mark.usefixtures("database")
def test_three_of_ten_concurrent_attempts_are_checked(in_threads: Callable[..., list[Any]]) -> None:
    scene = open_scene()
    scene.operator()

    answers = in_threads(10, lambda _: scene.change(old=WRONG))

    assert sorted(code(answer)[1] for answer in answers) == ["pin_locked"] * 7 + ["pin_wrong"] * 3


@pytest.mark.usefixtures("database")
def test_a_pin_is_hashed_and_compared_while_no_transaction_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, within = open_scene(), list[tuple[str, bool]]()
    for name in ("make_password", "check_password"):
        hashing = getattr(pins, name)

        def noted(*given: str, name: str = name, hashing: Callable[..., Any] = hashing) -> Any:
            within.append((name, connection.in_atomic_block))
            return hashing(*given)

        monkeypatch.setattr(pins, name, noted)

    assert scene.operator().status_code == 200
    assert scene.change().status_code == 200

    assert within == [("make_password", False), ("check_password", False), ("make_password", False)]


@pytest.mark.django_db
def test_a_pin_that_was_replaced_while_it_was_compared_is_compared_again(scene: Scene) -> None:
    scene.operator()
    old = pins.compare_pin(player=scene.player.id, pin=RIGHT)
    scene.change()

    assert isinstance(pins.try_pin(old), PinWrong)


@pytest.mark.usefixtures("database")
def test_a_failed_attempt_counts_although_the_call_raises() -> None:
    scene = open_scene()
    pins.set_pin(operator=scene.player.operator_id, player=scene.player.id, pin=pins.hash_pin(RIGHT))

    with pytest.raises(PinWrong):
        pins.change_pin(
            operator=scene.player.operator_id,
            old=pins.compare_pin(player=scene.player.id, pin=WRONG),
            new=pins.hash_pin(OTHER),
        )

    assert len(PlayerPin.objects.get().failed_at) == 1


@pytest.mark.django_db
def test_each_failure_has_its_own_refusal(scene: Scene) -> None:
    player = scene.player.id
    with transaction.atomic():
        assert isinstance(pins.try_pin(pins.compare_pin(player=player, pin=RIGHT)), PinNotSet)
        pins.set_pin(operator=scene.player.operator_id, player=player, pin=pins.hash_pin(RIGHT))
        refusals = [type(pins.try_pin(pins.compare_pin(player=player, pin=WRONG))) for _ in range(4)]
    assert refusals == [PinWrong] * 3 + [PinLocked]


@given(st.lists(st.integers(0, 7200), min_size=1, max_size=12))
def test_at_most_three_failed_attempts_are_possible_in_thirty_minutes(seconds: list[int]) -> None:
    failed: tuple[datetime, ...] = ()
    locked_until = NOON
    attempts = []
    for moment in (NOON + timedelta(seconds=after) for after in sorted(seconds)):
        if moment < locked_until:
            continue
        failures = after_failure(failed, now=moment)
        attempts.append(moment)
        failed, locked_until = failures.failed_at, failures.locked_until or NOON
        assert 0 <= failures.left < MAX_FAILURES
        assert (failures.left == 0) == (failures.locked_until == moment + LOCK_TIME)
    assert all(later - first >= WINDOW for first, later in zip(attempts, attempts[MAX_FAILURES:], strict=False))
