"""Launches: a one-time code opens the page for a player, at a table, for sites of the operator alone."""

import html
import json
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from casino.checkpoints.notes import log_keys
from casino.crypto.signed_note import NoteKey, SignatureType
from casino.events.sql import execute, fetch
from casino.operators import credentials, limits_groups, origins
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Player
from casino.operators.principals import Scope
from casino.significant.models import SignificantEvent
from tests.baccarat.api import contract
from tests.baccarat.api.people import JSON, NOWHERE, Caller, Gambler, Tenant
from tests.conftest import Database
from tests.support.keys import issue_key

SITE = "https://play.lucky.example"
OTHERS = "https://play.golden.example"
RELEASE_KEY = "5c" * 32
PLAYER = {"reference": "customer-1", "nickname": "Ace"}


@pytest.fixture(autouse=True)
def _sites(lucky: Tenant, golden: Tenant) -> None:
    origins.set_origins(slug=lucky.slug, origins=[SITE], by="test")
    origins.set_origins(slug=golden.slug, origins=[OTHERS], by="test")


def launch(operator: Tenant, **changes: Any) -> dict[str, Any]:
    launched: dict[str, Any] = operator.do("launches", {"player": PLAYER, **changes})
    return launched


def code_of(launched: dict[str, Any]) -> str:
    return str(launched["url"].partition("?launch=")[2])


def redeem(code: str, **headers: str) -> Any:
    answer = Client().post("/api/v1/sessions/launch", {"code": code}, content_type=JSON, headers=headers)
    contract.check("post", "/api/v1/sessions/launch", answer)
    return answer


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def age(code: str, seconds: int) -> None:
    execute(
        "UPDATE operators_launch SET expires_at = expires_at - make_interval(secs => %s) WHERE code_hash = %s",
        [seconds, credentials.digest(code)],
    )


def page(launch: str) -> Any:
    return Client().get(f"/play/?launch={launch}")


def on_page(launched: str) -> dict[str, Any]:
    """Return what the page of a launch names of it."""
    (named,) = re.findall(r'<meta name="launch" content="([^"]*)">', page(launched).content.decode())
    return dict(json.loads(html.unescape(named)))


def framed_by(answer: Any) -> str:
    policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
    return policy["frame-ancestors"]


def test_a_code_opens_a_session_of_a_player_who_was_not_known(lucky: Tenant) -> None:
    table = lucky.table("mini")
    launched = launch(
        lucky, table=table, money_type="real", language="pt-BR", return_url=f"{SITE}/lobby?a=1#b",
        cashier_url=f"{SITE}/cashier", parent_origin=SITE, ttl_seconds=600,
    )  # fmt: skip

    session = redeem(code_of(launched)).json()

    assert launched["url"].startswith("http://testserver/play/?launch=lc_")
    assert session["launch"] == {
        "table": table, "money_type": "real", "currency": "EUR", "language": "pt-BR",
        "return_url": f"{SITE}/lobby?a=1#b", "cashier_url": f"{SITE}/cashier", "parent_origin": SITE, "skin": None,
        "proof_keys": [],
    }  # fmt: skip
    player = Gambler(session["token"], session["player"])
    assert set(player.balances().values()) == {"0.00"}
    assert lucky.read(f"players/{player.id}")["reference"] == "customer-1"


@pytest.fixture
def witness(settings: Any) -> NoteKey:
    """Have the log cosigned by a witness."""
    key = NoteKey("witness.example/w1", SignatureType.COSIGNATURE, bytes(range(32)))
    settings.WITNESSES = f"https://witness.example/w1 {key.vkey} {RELEASE_KEY}"
    return key


def test_the_page_gets_the_keys_that_the_operator_names_with_the_launch(lucky: Tenant, witness: NoteKey) -> None:
    keys = [log_keys()[0].public.hex(), RELEASE_KEY, witness.vkey]

    code = code_of(launch(lucky, proof_keys=[*keys, RELEASE_KEY]))

    assert on_page(code)["proof_keys"] == keys
    assert on_page(code)["casino"] == "Lucky"
    assert redeem(code).json()["launch"]["proof_keys"] == keys


def test_keys_by_which_nothing_could_be_proven_are_refused(lucky: Tenant, witness: NoteKey) -> None:
    log, own = log_keys()[0], log_keys()[0].public.hex()
    another = NoteKey("w2", SignatureType.COSIGNATURE, bytes(32)).vkey
    for keys, why in (
        ([own, "ab"], "'ab', neither 64 hex digits nor the NAME+ID+KEY of a cosigner."),
        ([own.upper(), witness.vkey], "neither 64 hex digits"),
        ([own, witness.vkey.replace("w1+", "w2+")], "neither 64 hex digits"),
        ([own, log.vkey], "neither 64 hex digits"),
        ([RELEASE_KEY, witness.vkey], "Has no key of this log."),
        ([own, another], "Has no key of a witness that cosigns this log."),
    ):
        answer = lucky.post("launches", {"player": PLAYER, "proof_keys": keys})
        assert (answer.status_code, answer.json()["code"]) == (422, "field_invalid")
        assert why in answer.json()["detail"]
        assert "proof_keys" in answer.json()["detail"]


def test_the_same_reference_launches_the_same_player(lucky: Tenant) -> None:
    launches = [launch(lucky) for _ in range(2)]
    first, second = (redeem(code_of(launched)).json() for launched in launches)
    assert {first["player"], second["player"]} == {launched["player"] for launched in launches}
    assert first["player"] == second["player"]


def test_a_code_works_once(lucky: Tenant) -> None:
    code = code_of(launch(lucky))
    first = redeem(code).json()

    assert refused(redeem(code)) == (409, "launch_used")
    assert Gambler(first["token"], first["player"]).get("sessions/current").status_code == 200


def test_of_ten_who_trade_a_code_at_once_one_gets_a_session(
    lucky: Tenant, in_threads: Callable[..., list[Any]]
) -> None:
    code = code_of(launch(lucky))
    statuses = in_threads(10, lambda _: redeem(code).status_code)
    assert sorted(statuses) == [201] + [409] * 9


def test_a_browser_without_an_answer_repeats_its_trade_and_nobody_else_does(lucky: Tenant) -> None:
    code, mine = code_of(launch(lucky)), {"Idempotency-Key": "3f2a"}
    lost = redeem(code, **mine).json()
    session = redeem(code, **mine).json()

    assert Gambler(session["token"], session["player"]).get("sessions/current").status_code == 200
    assert refused(Gambler(lost["token"], lost["player"]).get("sessions/current")) == (401, "session_taken_over")
    for others in ({}, {"Idempotency-Key": "3f2b"}):
        assert refused(redeem(code, **others)) == (409, "launch_used")
    age(code, 61)
    assert refused(redeem(code, **mine)) == (409, "launch_expired")


def test_a_trade_without_a_key_is_repeated_by_nobody(lucky: Tenant) -> None:
    code = code_of(launch(lucky))
    redeem(code)
    assert refused(redeem(code, **{"Idempotency-Key": "3f2a"})) == (409, "launch_used")
    assert refused(redeem(code, **{"Idempotency-Key": "two words"})) == (400, "idempotency_key_malformed")


def test_a_code_works_for_a_minute(lucky: Tenant) -> None:
    code, late = code_of(launch(lucky)), code_of(launch(lucky))
    age(code, 55)
    age(late, 61)

    assert redeem(code).status_code == 201
    assert refused(redeem(late)) == (409, "launch_expired")


@pytest.mark.parametrize("code", ["lc_" + "x" * 43, "pt_x", "lc_"])
def test_a_code_that_was_never_issued_is_unknown(lucky: Tenant, code: str) -> None:
    assert refused(redeem(code)) == (404, "unknown_launch")


def test_a_launchs_id_opens_nothing(lucky: Tenant) -> None:
    assert refused(redeem(launch(lucky)["id"])) == (404, "unknown_launch")


def test_the_database_holds_no_code(lucky: Tenant) -> None:
    code = code_of(launch(lucky))
    assert not [row for row in fetch("SELECT launch::text FROM operators_launch AS launch") if code in row[0]]


def test_a_preset_leads_to_its_table_with_the_most_free_seats(lucky: Tenant) -> None:
    crowded, free = lucky.table("classic"), lucky.table("classic")
    lucky.table("mini")
    lucky.player("Alice").do(
        f"tables/{crowded}/seat", {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"}
    )
    assert redeem(code_of(launch(lucky, preset="classic"))).json()["launch"]["table"] == free


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"table": NOWHERE}, 404, "unknown_table"),
        ({"preset": "dragon"}, 422, "unknown_preset"),
        ({"preset": "overview"}, 409, "preset_has_no_table"),
        ({"preset": "mini", "table": NOWHERE}, 422, "field_invalid"),
        ({"currency": "USD"}, 422, "currency_not_offered"),
        ({"language": "<script>"}, 422, "field_invalid"),
        ({"parent_origin": OTHERS}, 422, "origin_not_registered"),
        ({"return_url": f"{OTHERS}/lobby"}, 422, "origin_not_registered"),
        ({"return_url": f"{SITE}.evil.example/"}, 422, "origin_not_registered"),
        ({"return_url": "https://play.lucky.example@evil.example/"}, 422, "address_malformed"),
        ({"return_url": "https://play.lucky.example\\@evil.example/"}, 422, "address_malformed"),
        ({"cashier_url": "javascript:alert(1)"}, 422, "address_malformed"),
        ({"ttl_seconds": 59}, 422, "invalid_session_length"),
        ({"limits": "high"}, 422, "unknown_field"),
        ({"limits_group": "high"}, 404, "unknown_limits_group"),
        ({"skin": "gold"}, 404, "unknown_skin"),
    ],
)
def test_a_launch_that_could_not_work_is_refused_and_registers_nobody(
    lucky: Tenant, changes: dict[str, Any], status: int, code: str
) -> None:
    assert refused(lucky.post("launches", {"player": PLAYER, **changes})) == (status, code)
    assert lucky.read("players")["items"] == []


def test_a_table_of_another_operator_is_unknown(lucky: Tenant, golden: Tenant) -> None:
    answer = lucky.post("launches", {"player": PLAYER, "table": golden.table("mini")})
    assert refused(answer) == (404, "unknown_table")


def test_a_closed_table_and_the_wrong_money_are_refused(lucky: Tenant) -> None:
    closed, real = lucky.table("mini"), lucky.table("mini", money_types=["real"])
    lucky.do(f"tables/{closed}/close", {"reason": "Worn out"})
    assert refused(lucky.post("launches", {"player": PLAYER, "table": closed})) == (409, "table_is_closed")
    answer = lucky.post("launches", {"player": PLAYER, "table": real, "money_type": "play"})
    assert refused(answer) == (422, "money_type_not_offered")


def test_a_launch_moves_the_player_to_a_limits_group_until_another_does(lucky: Tenant) -> None:
    for name, maximum in (("vip", 5_000_00), ("careful", 20_00)):
        limits = GroupLimits(maximum=maximum)
        limits_groups.change(operator=UUID(lucky.id), name=name, currency="EUR", limits=limits, by="test")

    def group() -> str:
        return Player.objects.values_list("limits_group", flat=True).get(operator_id=lucky.id)

    for wanted, expected in (("vip", "vip"), (None, "vip"), ("vip", "vip"), ("careful", "careful")):
        launch(lucky, limits_group=wanted)
        assert group() == expected
    moves = SignificantEvent.objects.filter(operator_id=lucky.id, kind="player_data_changed")
    assert moves.count() == 2
    for wider in ("vip", "standard"):
        answer = lucky.post("launches", {"player": PLAYER, "limits_group": wider})
        assert refused(answer) == (403, "change_needs_second_person")
        assert group() == "careful"


def test_a_key_without_the_scope_for_compliance_moves_nobody_to_a_limits_group(lucky: Tenant) -> None:
    key = Caller(".".join(issue_key(operator=UUID(lucky.id), scopes=[Scope.READ, Scope.PLAY])))
    answer = key.post("launches", {"player": PLAYER, "limits_group": "standard"})
    assert (*refused(answer), answer.json()["scope"]) == (403, "scope_missing", "compliance")
    assert lucky.read("players")["items"] == []
    key.do("launches", {"player": PLAYER})


# -- the page -----------------------------------------------------------------------------------------------------


def test_sites_of_the_launching_operator_frame_the_page_and_no_others(lucky: Tenant, golden: Tenant) -> None:
    launched = launch(lucky, parent_origin=SITE)
    for name in (code_of(launched), launched["id"]):
        answer = page(name)
        assert framed_by(answer) == SITE
        assert "X-Frame-Options" not in answer
    assert framed_by(page(code_of(launch(golden)))) == OTHERS


@pytest.mark.parametrize("name", ["", "lc_" + "x" * 43, "x" * 500, NOWHERE, "lc_\x00", "ü"])
def test_without_a_launch_nobody_frames_the_page(lucky: Tenant, name: str) -> None:
    answer = page(name)
    assert answer.status_code == 200
    assert framed_by(answer) == "'none'"
    assert answer["X-Frame-Options"] == "DENY"
    assert "launch" not in re.findall(r'<meta name="(\w+)"', answer.content.decode())


def test_an_operator_without_sites_is_framed_by_nobody(lucky: Tenant) -> None:
    launched = launch(lucky)
    origins.set_origins(slug=lucky.slug, origins=[], by="test")
    assert framed_by(page(launched["id"])) == "'none'"


def test_a_launch_is_known_to_the_page_for_a_day(lucky: Tenant) -> None:
    launched = launch(lucky)
    age(code_of(launched), 86_000)
    assert framed_by(page(launched["id"])) == SITE
    age(code_of(launched), 500)
    assert framed_by(page(launched["id"])) == "'none'"


def test_the_page_knows_the_way_back_before_the_code_is_traded_and_holds_no_code(lucky: Tenant) -> None:
    launched = launch(lucky, return_url=f'{SITE}/?a="><script>', language="fr")
    text = page(code_of(launched)).content.decode()
    assert on_page(code_of(launched)) == {
        "id": launched["id"], "language": "fr", "currency": "EUR", "return_url": f'{SITE}/?a="><script>',
        "cashier_url": None, "parent_origin": None, "casino": "Lucky", "logo": None, "proof_keys": [],
        "player": {"player": launched["player"], "nickname": "Ace"},
    }  # fmt: skip
    assert code_of(launched) not in text


def test_who_has_only_the_id_of_a_launch_learns_not_whom_it_signs_in(lucky: Tenant) -> None:
    assert on_page(launch(lucky)["id"])["player"] is None


# -- renewal ------------------------------------------------------------------------------------------------------


def seconds_left(player: Gambler) -> float:
    ((seconds,),) = fetch(
        "SELECT extract(epoch FROM expires_at - clock_timestamp())::float FROM operators_playersession "
        "WHERE player_id = %s AND ended_at IS NULL",
        [player.id],
    )
    return float(seconds)


@pytest.fixture
def ace(lucky: Tenant) -> Gambler:
    """Return a launched player, whose session lasts ten minutes."""
    session = redeem(code_of(launch(lucky, ttl_seconds=600))).json()
    return Gambler(session["token"], session["player"])


def test_an_operator_renews_a_players_session_which_stays_the_same(lucky: Tenant, ace: Gambler) -> None:
    renewed = lucky.do(f"players/{ace.id}/sessions/renew", {"ttl_seconds": 3600})

    assert 3590 < seconds_left(ace) <= 3600
    assert ace.read("sessions/current") == renewed
    assert lucky.do(f"players/{ace.id}/sessions/renew", {"ttl_seconds": 60}) == renewed


def test_the_code_of_a_new_launch_renews_the_players_own_session(lucky: Tenant, ace: Gambler) -> None:
    code = code_of(launch(lucky, ttl_seconds=1200))

    renewed = ace.do("sessions/renew", {"code": code})

    assert 1190 < seconds_left(ace) <= 1200
    assert ace.read("sessions/current") == renewed
    assert ace.do("sessions/renew", {"code": code})["expires_at"] >= renewed["expires_at"]
    assert refused(redeem(code)) == (409, "launch_used")
    assert refused(redeem(code)) == (409, "launch_used")


def test_the_code_of_another_player_renews_nothing(lucky: Tenant, golden: Tenant, ace: Gambler) -> None:
    bob = code_of(launch(lucky, player={"reference": "customer-2"}))
    theirs = code_of(launch(golden, player=PLAYER))
    for code in (bob, theirs):
        assert refused(ace.post("sessions/renew", {"code": code})) == (404, "unknown_launch")
        assert redeem(code).status_code == 201
    assert seconds_left(ace) <= 600


def test_a_session_that_has_ended_is_not_renewed(lucky: Tenant, golden: Tenant, ace: Gambler) -> None:
    ace.send("delete", "sessions/current")
    address, body = f"players/{ace.id}/sessions/renew", {"ttl_seconds": 3600}
    assert refused(lucky.post(address, body)) == (409, "session_not_open")
    assert refused(golden.post(address, body)) == (404, "unknown_player")


def test_a_session_that_was_taken_over_is_not_renewed_by_a_code(
    lucky: Tenant, ace: Gambler, module_database: Database
) -> None:
    del module_database
    code = code_of(launch(lucky))
    lucky.do(f"players/{ace.id}/sessions")
    assert refused(ace.post("sessions/renew", {"code": code})) == (401, "session_taken_over")
