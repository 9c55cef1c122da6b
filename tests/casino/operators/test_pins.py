"""PINs: kept as Argon2, tried three times, and counted even where the request itself comes to nothing."""

import hashlib
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

from casino.operators import pins, services, sessions
from casino.operators.models import Player, PlayerPin
from casino.operators.pins import LOCKED_FOR, TRIES, WINDOW, after_failure
from casino.operators.refusals import PinLocked, PinNotSet, PinWrong

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

    def _post(self, credential: str, path: str, body: dict[str, Any], key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {credential}", "Idempotency-Key": key or uuid.uuid4().hex}
        return Client().post(f"/api/v1/{path}", body, content_type="application/json", headers=headers)


def open_scene(slug: str = "lucky") -> Scene:
    operator = services.create_operator(slug=slug, name="Lucky", currency="EUR", sandbox=True)
    player = services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")
    token = sessions.open_session(operator=operator.id, player=player.id, seconds=3600).token
    return Scene(player, ".".join(services.issue_key(operator=operator.id)), token)


@pytest.fixture
def scene() -> Scene:
    return open_scene()


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def later(minutes: int) -> None:
    """Let time pass for the wrong tries and the lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operators_playerpin SET locked_until = locked_until - make_interval(mins => %s), failed_at = "
            "ARRAY(SELECT moment - make_interval(mins => %s) FROM unnest(failed_at) AS tries (moment))",
            [minutes, minutes],
        )


@pytest.mark.django_db
def test_an_operator_sets_a_pin_and_its_player_changes_it(scene: Scene) -> None:
    assert scene.operator().json()["player"] == str(scene.player.id)

    changed = scene.change()

    assert (changed.status_code, changed.json().keys()) == (200, {"player", "set_at"})
    assert pins.try_pin(player=scene.player.id, pin=OTHER) is None
    assert isinstance(pins.try_pin(player=scene.player.id, pin=RIGHT), PinWrong)


@pytest.mark.django_db
def test_a_pin_is_kept_by_argon2_and_stands_nowhere(scene: Scene) -> None:
    scene.operator()
    scene.change()

    assert PlayerPin.objects.get().pin_hash.startswith("argon2$argon2id$")
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"SELECT r::text FROM {name} r")  # noqa: S608
            assert not [row for (row,) in cursor.fetchall() if f'"{RIGHT}"' in row or f'"{OTHER}"' in row], name


@pytest.mark.django_db
def test_the_hash_of_a_stored_request_does_not_give_the_pin_away(scene: Scene) -> None:
    scene.operator()
    with connection.cursor() as cursor:
        cursor.execute("SELECT body_hash FROM api_idempotentrequest")
        ((kept,),) = cursor.fetchall()

    assert bytes(kept) != hashlib.sha256(b"0:" + b'{"pin": "482913"}').digest()


@pytest.mark.django_db
def test_without_a_pin_nothing_can_be_confirmed_by_it(scene: Scene) -> None:
    assert code(scene.change()) == (409, "pin_not_set")


@pytest.mark.django_db
def test_a_wrong_pin_says_how_many_tries_are_left_until_it_is_locked(scene: Scene) -> None:
    scene.operator()

    wrong = [scene.change(old=WRONG) for _ in range(3)]

    assert [code(answer) for answer in wrong] == [(403, "pin_wrong")] * 3
    assert [answer.json()["attempts_left"] for answer in wrong] == [2, 1, 0]
    assert wrong[0]["Content-Type"] == "application/problem+json"
    locked = scene.change()
    assert code(locked) == (403, "pin_locked")
    assert locked.json()["until"] == wrong[2].json()["locked_until"]


@pytest.mark.django_db
def test_a_right_pin_forgets_the_wrong_ones_before_it(scene: Scene) -> None:
    scene.operator()
    for _ in range(2):
        scene.change(old=WRONG)
    scene.change(new=RIGHT)

    assert scene.change(old=WRONG).json()["attempts_left"] == 2


@pytest.mark.django_db
def test_a_lock_ends_by_time_and_wrong_tries_are_forgotten_by_time(scene: Scene) -> None:
    scene.operator()
    for _ in range(3):
        scene.change(old=WRONG)
    later(29)
    assert code(scene.change()) == (403, "pin_locked")
    later(1)
    assert scene.change(old=WRONG).json()["attempts_left"] == 2
    later(30)
    assert scene.change(old=WRONG).json()["attempts_left"] == 2
    assert scene.change().status_code == 200


@pytest.mark.django_db
def test_the_operator_lifts_a_lock_by_setting_a_new_pin(scene: Scene) -> None:
    scene.operator()
    for _ in range(3):
        scene.change(old=WRONG)

    scene.operator(OTHER)

    assert scene.change(old=OTHER, new=RIGHT).status_code == 200


@pytest.mark.django_db
def test_a_repeat_of_a_wrong_try_counts_once_and_gets_the_same_answer(scene: Scene) -> None:
    scene.operator()

    first, again = (scene.change(old=WRONG, key="one") for _ in range(2))

    assert again.content == first.content
    assert (again["Content-Type"], again["Idempotent-Replayed"]) == ("application/problem+json", "true")
    assert scene.change(old=WRONG).json()["attempts_left"] == 1


@pytest.mark.django_db
def test_a_repeated_change_is_answered_again_though_its_old_pin_is_gone(scene: Scene) -> None:
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
def test_what_is_no_pin_is_refused_and_not_repeated(scene: Scene, pin: object, expected: str) -> None:
    for answer in (scene.operator(pin), scene.change(old=pin), scene.change(new=pin)):
        assert code(answer) == (422, expected)
        said = {name: value for name, value in answer.json().items() if name not in {"instance", "request_id"}}
        assert pin in ("", None) or repr(pin).strip("'") not in str(said)  # ids may hold any digits by chance
    assert not PlayerPin.objects.exists()


@pytest.mark.django_db
def test_bodies_are_whole_and_hold_nothing_else(scene: Scene) -> None:
    assert code(scene.operator(note="x")) == (422, "unknown_field")
    assert code(scene._post(scene.token, "me/pin", {"old_pin": RIGHT})) == (422, "field_required")
    assert code(scene._post(scene.token, f"players/{scene.player.id}/pin", {"pin": RIGHT})) == (403, "forbidden")
    assert code(scene._post(scene.key, "me/pin", {"old_pin": RIGHT, "new_pin": OTHER})) == (403, "forbidden")


@pytest.mark.django_db
def test_no_operator_sets_the_pin_of_anothers_player(scene: Scene) -> None:
    golden = open_scene("golden")

    answer = scene._post(golden.key, f"players/{scene.player.id}/pin", {"pin": RIGHT})

    assert code(answer) == (404, "unknown_player")
    assert not PlayerPin.objects.exists()


@pytest.mark.usefixtures("database")
def test_of_ten_guesses_at_once_three_are_taken(in_threads: Callable[..., list[Any]]) -> None:
    scene = open_scene()
    scene.operator()

    answers = in_threads(10, lambda _: scene.change(old=WRONG))

    assert sorted(code(answer)[1] for answer in answers) == ["pin_locked"] * 7 + ["pin_wrong"] * 3


@pytest.mark.usefixtures("database")
def test_a_wrong_try_counts_where_the_caller_is_refused_by_it() -> None:
    scene = open_scene()
    pins.set_pin(operator=scene.player.operator_id, player=scene.player.id, pin=RIGHT)

    with pytest.raises(PinWrong):
        pins.change_pin(operator=scene.player.operator_id, player=scene.player.id, old=WRONG, new=OTHER)

    assert len(PlayerPin.objects.get().failed_at) == 1


@pytest.mark.django_db
def test_each_reason_is_answered_by_its_own_refusal(scene: Scene) -> None:
    player = scene.player.id
    with transaction.atomic():
        assert isinstance(pins.try_pin(player=player, pin=RIGHT), PinNotSet)
        pins.set_pin(operator=scene.player.operator_id, player=player, pin=RIGHT)
        given = [type(pins.try_pin(player=player, pin=WRONG)) for _ in range(4)]
    assert given == [PinWrong] * 3 + [PinLocked]


@given(st.lists(st.integers(0, 7200), min_size=1, max_size=12))
def test_nobody_has_more_than_three_wrong_tries_in_thirty_minutes(seconds: list[int]) -> None:
    failed: tuple[datetime, ...] = ()
    locked_until = NOON
    taken = []
    for moment in (NOON + timedelta(seconds=after) for after in sorted(seconds)):
        if moment < locked_until:
            continue
        tries = after_failure(failed, now=moment)
        taken.append(moment)
        failed, locked_until = tries.failed_at, tries.locked_until or NOON
        assert 0 <= tries.left < TRIES
        assert (tries.left == 0) == (tries.locked_until == moment + LOCKED_FOR)
    assert all(later - first >= WINDOW for first, later in zip(taken, taken[TRIES:], strict=False))
