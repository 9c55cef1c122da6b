"""`manage.py operator`: nobody, who at a live operator asks for what gives keys power, but for the first one."""

import json
import re
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from casino.operators import changes, key_limits, services
from casino.operators.memberships import shell_actor
from casino.operators.models import ApiKey, Change, LimitsGroup, Operator
from casino.operators.principals import Scope
from casino.operators.refusals import InvalidReturnFloor
from casino.significant.models import SignificantEvent
from casino.staff import act_audit
from tests.casino.operators.test_request_signatures import KEY, jwk_of
from tests.support.keys import issue_key

pytestmark = pytest.mark.django_db
ANN, BEN = "staff:1", "staff:2"
LIVE = ("create", "lucky", "--currency", "EUR")


def run(*words: str) -> str:
    out = StringIO()
    call_command("operator", *words, stdout=out)
    return out.getvalue()


def status(credential: str) -> int:
    return Client().get("/api/v1/operator", headers={"Authorization": credential}).status_code


def test_the_command_creates_an_operator_adds_a_key_and_revokes_it() -> None:
    created = run("create", "lucky", "--currency", "EUR", "--sandbox")
    added = run("key", "lucky", "--label", "second")
    first, second = (_credential(text) for text in (created, added))
    before = status(first), status(second)

    run("revoke", second.removeprefix("Bearer ").split(".")[0])

    assert before == (200, 200)
    assert (status(first), status(second)) == (200, 401)


def _credential(output: str) -> str:
    line = next(line for line in output.splitlines() if line.startswith("Authorization: "))
    return line.removeprefix("Authorization: ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("create", "Not A Slug", "--currency", "EUR"), "is not a slug"),
        (("create", "lucky", "--currency", "EURO"), "not a currency"),
        (("key", "nobody"), "no operator"),
        (("revoke", "op_nothing"), "no key"),
    ],
)
def test_the_command_explains_errors(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        run(*words)


def test_the_time_zone_of_an_operator_can_be_set_and_must_exist() -> None:
    out = StringIO()
    words = ("--currency", "EUR", "--sandbox", "--time-zone", "Europe/Malta")
    call_command("operator", "create", "malta", *words, stdout=out)
    assert services.find_operator(slug="malta").time_zone == "Europe/Malta"
    call_command("operator", "zone", "malta", "Europe/Rome", stdout=out)
    assert services.find_operator(slug="malta").time_zone == "Europe/Rome"
    with pytest.raises(CommandError):
        call_command("operator", "zone", "malta", "Mars/Olympus", stdout=out)
    with pytest.raises(CommandError):
        call_command("operator", "zone", "nobody", "UTC", stdout=out)


def first_key(*words: str) -> str:
    """Create an operator, and return the credential that the command prints."""
    return _credential(run(*(words or LIVE)))


def confirm(*persons: str) -> None:
    """Let persons confirm the only request that waits."""
    waiting = Change.objects.get(status="requested")
    for person in persons:
        changes.confirm(waiting.pk, by=person)


WISHES = [
    (("brand", "lucky", "gold"), lambda house: list(house.brands.values_list("slug", flat=True)), [], ["gold"]),
    (("currencies", "lucky", "USD,EUR"), lambda house: house.currencies, ["EUR"], ["USD", "EUR"]),
    (("zone", "lucky", "Europe/Malta"), lambda house: house.time_zone, "UTC", "Europe/Malta"),
]


@pytest.mark.parametrize(("words", "read", "before", "after"), WISHES, ids=lambda each: str(each)[:20])
def test_what_one_person_may_do_at_a_live_operator_a_command_asks_one_person_for(
    words: tuple[str, ...], read: Callable[[Operator], object], before: object, after: object
) -> None:
    first_key()
    said = run(*words)
    assert "One person confirms" in said
    assert read(services.find_operator(slug="lucky")) == before

    confirm(ANN)

    assert read(services.find_operator(slug="lucky")) == after
    assert act_audit.check() == []


@pytest.mark.parametrize(("words", "read", "before", "after"), WISHES, ids=lambda each: str(each)[:20])
def test_at_a_sandbox_operator_a_command_does_it_at_once(
    words: tuple[str, ...], read: Callable[[Operator], object], before: object, after: object
) -> None:
    first_key(*LIVE, "--sandbox")
    run(*words)
    assert read(services.find_operator(slug="lucky")) == after != before
    assert not Change.objects.exists()


def test_what_could_not_be_done_is_refused_when_it_is_asked_for() -> None:
    first_key()
    for words in (("currencies", "lucky", "USD"), ("zone", "lucky", "Mars/Olympus"), ("brand", "lucky", "Not a slug")):
        with pytest.raises(CommandError):
            run(*words)
    assert not Change.objects.exists()


def test_a_further_live_operator_is_made_once_a_person_confirms_it_and_then_gets_its_first_key() -> None:
    first_key()
    said = run("create", "golden", "--currency", "EUR")
    assert "operator key golden" in said
    assert "Authorization" not in said
    assert not Operator.objects.filter(slug="golden").exists()

    confirm(ANN)

    assert status(_credential(run("key", "golden"))) == 200
    assert act_audit.check() == []


def critical() -> list[tuple[str, str]]:
    rows = SignificantEvent.objects.filter(kind="access_by_command", severity="critical").order_by("number")
    return list(rows.values_list("subject", "actor"))


def key_of(credential: str) -> ApiKey:
    return services.find_key(credential.removeprefix("Bearer ").partition(".")[0])


def caps(credential: str) -> dict[str, int | None]:
    return {row.movement: row.per_day for row in key_limits.list_limits(key_of(credential).pk)}


def test_the_first_key_of_a_live_operator_is_issued_at_once_as_a_critical_event() -> None:
    credential = first_key()
    assert status(credential) == 200
    assert set(key_of(credential).scopes) == {*Scope} - {Scope.MONEY}, "a key for money needs limits"
    lucky = services.find_operator(slug="lucky")
    assert critical() == [
        (f"operator:{lucky.pk}", shell_actor()),
        (f"key:{key_of(credential).pk}", shell_actor()),
    ]
    assert act_audit.check() == []


def test_the_first_key_of_a_live_operator_may_be_one_for_money_with_bounds() -> None:
    services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    terms = ("key", "lucky", "--scope", "money", "--network", "203.0.113.0/24", "--days", "30")
    with pytest.raises(CommandError, match="needs limits by day"):
        run(*terms)
    credential = _credential(run(*terms, "--per-day", "EUR=50.00"))
    assert set(caps(credential).values()) == {50_00}
    assert act_audit.check() == []


def test_a_key_of_a_sandbox_operator_is_none() -> None:
    first_key(*LIVE, "--sandbox")
    run("key", "lucky")
    assert (critical(), ApiKey.objects.count()) == ([], 2)


def test_another_key_of_a_live_operator_opens_nothing_until_two_persons_confirm_it() -> None:
    first_key()
    printed = run("key", "lucky", "--label", "reports", "--scope", "read")
    credential, waiting = _credential(printed), Change.objects.get()
    assert str(waiting.pk) in printed
    assert "2 persons confirm" in printed
    confirm(ANN)
    assert status(credential) == 401

    confirm(BEN)

    assert status(credential) == 200
    assert len(critical()) == 2
    assert act_audit.check() == []


@pytest.mark.parametrize("has", ["a revoked key", "a player"])
def test_who_had_a_key_or_a_player_gets_no_first_key_by_command(has: str) -> None:
    if has == "a player":
        lucky = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
        services.register_player(operator=lucky.pk, reference="a", nickname="Alice")
    else:
        run("revoke", key_of(first_key()).pk)

    credential = _credential(run("key", "lucky", "--scope", "read"))

    assert status(credential) == 401
    assert Change.objects.get().kind == "api_key"


def test_another_key_for_money_needs_limits_networks_and_an_end() -> None:
    first_key()
    terms = ("key", "lucky", "--network", "203.0.113.0/24", "--days", "30")
    for lacking in (("key", "lucky", "--per-day", "EUR=50.00"), terms, (*terms, "--per-request", "EUR=5.00")):
        with pytest.raises(CommandError, match="needs limits by day"):
            run(*lacking)
    credential = _credential(run(*terms, "--per-day", "EUR=50.00"))
    confirm(ANN, BEN)
    assert set(caps(credential).values()) == {50_00}


def test_a_limit_of_a_live_key_is_lowered_at_once_and_raised_by_two_persons() -> None:
    credential = first_key()
    words = ("key-limit", key_of(credential).pk, "credit", "EUR", "--per-day")
    assert "set" in run(*words, "10.00")
    assert "nothing has changed" in run(*words, "11.00")
    assert caps(credential) == {"credit": 10_00}

    confirm(ANN, BEN)

    assert caps(credential) == {"credit": 11_00}
    assert act_audit.check() == []


def test_a_signing_key_of_a_live_key_takes_two_persons_and_the_duty_to_sign_none() -> None:
    key = key_of(first_key())
    printed = run("signing-key", key.pk, json.dumps(jwk_of(KEY)), "--required")
    assert re.search(rf"Once it is confirmed.* operator signing-key {key.pk} --required", printed)
    with pytest.raises(CommandError, match="signing key"):
        run("signing-key", key.pk, "--required")
    with pytest.raises(CommandError, match="Give a public key"):
        run("signing-key", key.pk)
    assert not key.signing_keys.exists()

    confirm(ANN, BEN)
    run("signing-key", key.pk, "--required")

    assert key_of(key.pk).signatures_required
    assert act_audit.check() == []


def test_a_live_key_is_revoked_at_once() -> None:
    credential = first_key()
    run("revoke", key_of(credential).pk)
    assert status(credential) == 401
    assert not Change.objects.exists()


def limits() -> dict[tuple[str, str], tuple[int | None, ...]]:
    fields = ("minimum", "maximum", "stake_day", "loss_day")
    return {(row.name, row.currency): tuple(getattr(row, each) for each in fields) for row in LimitsGroup.objects.all()}


@pytest.mark.parametrize(
    "wider",
    [
        ("--minimum", "1.00", "--maximum", "20.00"),  # stakes and losses of a day without a limit
        ("--minimum", "1.00", "--maximum", "20.01", "--stake-day", "50.00", "--loss-day", "9.00"),
        ("--minimum", "0.99", "--maximum", "20.00", "--stake-day", "50.00", "--loss-day", "9.00"),
    ],
)
def test_limits_of_a_live_group_are_narrowed_at_once_and_widened_by_two_persons(wider: tuple[str, ...]) -> None:
    first_key()
    words = ("limits", "lucky", "standard", "EUR")
    run(*words, "--minimum", "0.50", "--maximum", "30.00")
    run(*words, "--minimum", "1.00", "--maximum", "20.00", "--stake-day", "50.00", "--loss-day", "9.00")
    narrow = {("standard", "EUR"): (1_00, 20_00, 50_00, 9_00)}
    assert limits() == narrow
    assert "nothing has changed" in run(*words, *wider)
    assert limits() == narrow

    confirm(ANN, BEN)

    assert limits() != narrow
    assert act_audit.check() == []


def test_a_new_group_takes_two_persons_as_players_can_be_moved_to_it() -> None:
    first_key()
    run("limits", "lucky", "standard", "EUR", "--maximum", "5.00")
    run("limits", "lucky", "vip", "EUR", "--maximum", "900.00")
    assert set(limits()) == {("standard", "EUR")}
    confirm(ANN, BEN)
    run("limits", "lucky", "vip", "JPY", "--maximum", "900")
    assert limits()["vip", "JPY"] == (None, 900, None, None)


def test_the_floor_of_a_live_operator_is_raised_at_once_and_lowered_by_two_persons() -> None:
    def floor() -> int:
        return services.find_operator(slug="lucky").return_floor

    first_key()
    run("floor", "lucky", "90")
    assert "nothing has changed" in run("floor", "lucky", "89.99")
    assert floor() == 90_00

    confirm(ANN, BEN)

    assert floor() == 89_99
    assert act_audit.check() == []


@pytest.mark.parametrize("percent", ["0", "0.00", "100.01", "90,5", "90.001", ""])
def test_a_floor_is_above_nothing_and_at_most_all(percent: str) -> None:
    with pytest.raises(InvalidReturnFloor):
        services.parse_percent(percent)


def test_only_a_commands_first_key_needs_no_second_person_in_the_audit() -> None:
    lucky = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    issue_key(operator=lucky.pk, by=ANN)
    assert [each.kind for each in act_audit.check()] == [act_audit.ALONE]
    golden = services.create_operator(slug="golden", name="Golden", currencies=["EUR"], sandbox=False)
    issue_key(operator=golden.pk)
    issue_key(operator=golden.pk)
    assert [each.kind for each in act_audit.check()] == [act_audit.ALONE] * 2
