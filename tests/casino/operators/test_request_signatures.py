"""Signed requests: what a signature must cover, that it is good once and for minutes, and what an attacker can't do."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.test import Client, RequestFactory

from casino.api.error_catalogue import RequestRejected
from casino.devstack.home import PROJECT
from casino.events.sql import execute, fetch
from casino.operators import request_signatures, signing_keys
from casino.operators.key_models import SigningKey, UsedSignature
from casino.operators.models import ApiKey, Operator
from casino.operators.refusals import SignaturesRequireKey
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Tenant, sandbox_tenant

pytestmark = pytest.mark.django_db
VECTORS = json.loads((PROJECT / "deploy/docs/integration/signature-vectors.json").read_text(encoding="utf-8"))
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HOST = "http://testserver"


def jwk_of(key: Ed25519PrivateKey) -> dict[str, str]:
    x = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()
    return {"kty": "OKP", "crv": "Ed25519", "x": x}


@dataclass
class Signer:
    """Signs requests of a house as the guide says; each part can be changed, to see what is refused."""

    house: Tenant
    keyid: str
    sign: Callable[[bytes], bytes]

    def headers(
        self, method: str, path: str, body: bytes = b"", *, without: tuple[str, ...] = (), **changes: Any
    ) -> dict[str, str]:
        given = {"authorization": f"Bearer {self.house.credential}", **changes.pop("more", {})}
        digest = base64.b64encode(hashlib.sha256(changes.pop("digested", body)).digest()).decode()
        headers = {**given, "content-digest": f"sha-256=:{digest}:"}
        values = {"@method": method, "@target-uri": f"{HOST}{path}", **headers} | changes.pop("signed", {})
        covered = {name: value for name, value in values.items() if name not in without}
        parameters = {"created": int(time.time()), "keyid": self.keyid, "nonce": secrets.token_hex(8), **changes}
        text = "".join(f";{name}={json.dumps(value)}" for name, value in parameters.items() if value is not None)
        inner = "(" + " ".join(f'"{name}"' for name in covered) + ")" + text
        base = "\n".join([*(f'"{name}": {value}' for name, value in covered.items()), f'"@signature-params": {inner}'])
        signature = base64.b64encode(self.sign(base.encode())).decode()
        return {**headers, "signature-input": f"sig={inner}", "signature": f"sig=:{signature}:"}

    def get(self, path: str = "/api/v1/operator", **changes: Any) -> str:
        return code(Client().get(path, headers=self.headers("GET", path, **changes)))

    def post(self, path: str, body: bytes, **changes: Any) -> str:
        more = {"idempotency-key": uuid4().hex}
        headers = self.headers("POST", path, body, **{"more": more, **changes})
        return code(Client().post(path, body, content_type="application/json", headers=headers))


def code(answer: Any) -> str:
    return str(answer.json().get("code", answer.status_code)) if answer.content else str(answer.status_code)


@pytest.fixture
def lucky() -> Tenant:
    return sandbox_tenant("lucky")


@pytest.fixture
def signer(lucky: Tenant) -> Signer:
    return with_key(lucky, KEY)


def with_key(house: Tenant, key: Ed25519PrivateKey) -> Signer:
    registered = house.do("operator/key/signing-keys", {"jwk": jwk_of(key)})
    return Signer(house, registered["keyid"], key.sign)


def with_another(house: Tenant) -> Signer:
    return with_key(house, Ed25519PrivateKey.generate())


def require(house: Tenant) -> None:
    signing_keys.require(key_id=house.credential.partition(".")[0], required=True, by="command")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_published_vectors_are_accepted_at_their_time(vector: dict[str, Any], lucky: Tenant) -> None:
    key_id = lucky.credential.partition(".")[0]
    public = {name: vector["jwk"][name] for name in ("kty", "crv", "x")}
    row = signing_keys.add_public(key_id=key_id, jwk=json.dumps(public), by="test")
    assert row.keyid == vector["keyid"]
    url, headers = vector["url"].removeprefix("https://casino.example"), dict(vector["signed_headers"])
    made = RequestFactory(headers={**headers, "Host": "casino.example"}).generic(
        vector["method"], url, vector["body"].encode(), content_type="application/json", secure=True
    )
    now = datetime.fromtimestamp(vector["created"], UTC)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.ALLOWED_HOSTS", ["casino.example"])
        request_signatures.check(made, key_id=key_id, required=True, now=now)
        with pytest.raises(RequestRejected) as used:
            request_signatures.check(made, key_id=key_id, required=True, now=now)
        assert used.value.problem.code == "request_signature_used"
        for skew in (-61, 301):
            with pytest.raises(RequestRejected) as late:
                request_signatures.check(made, key_id=key_id, required=True, now=now + timedelta(seconds=skew))
            assert late.value.problem.code == "request_signature_expired"


def test_signing_is_optional_until_it_is_required(signer: Signer) -> None:
    assert signer.get() == code(signer.house.get("operator")) == "200"

    require(signer.house)

    assert signer.get() == "200"
    assert code(signer.house.get("operator")) == "request_signature_required"


def test_requests_with_and_without_a_body_are_signed_by_ed25519_alone(signer: Signer) -> None:
    require(signer.house)
    assert signer.get("/api/v1/players?limit=1") == "200"
    assert signer.post("/api/v1/players", json.dumps({"reference": uuid4().hex}).encode()) == "201"
    for other in ("rsa-pss-sha512", "hmac-sha256"):
        assert signer.get("/api/v1/operator", alg=other) == "request_signature_invalid"


def test_parts_of_the_address_may_be_covered_as_well(signer: Signer) -> None:
    parts = {"@scheme": "http", "@authority": "testserver", "@path": "/api/v1/players", "@query": "?limit=1"}
    assert signer.get("/api/v1/players?limit=1", signed=parts) == "200"
    assert signer.get("/api/v1/players?limit=1", signed=parts | {"@path": "/"}) == "request_signature_invalid"


def test_a_signature_that_is_present_must_be_valid_even_if_none_is_required(signer: Signer) -> None:
    good = signer.headers("GET", "/api/v1/operator")
    for name in ("signature", "signature-input"):
        assert code(Client().get("/api/v1/operator", headers={**good, name: ""})) == "request_signature_invalid"
        only = {key: value for key, value in good.items() if key != name}
        assert code(Client().get("/api/v1/operator", headers=only)) == "request_signature_invalid"


@pytest.mark.parametrize("name", ["@method", "@target-uri", "authorization", "content-digest", "idempotency-key"])
def test_a_signature_covers_everything_that_the_request_says(signer: Signer, name: str) -> None:
    body = json.dumps({"reference": "mule"}).encode()

    assert signer.post("/api/v1/players", body, without=(name,)) == "request_signature_invalid"
    assert signer.post("/api/v1/players", body, signed={name: "another"}) == "request_signature_invalid"


def test_a_signature_of_a_key_that_is_not_the_api_keys_own_is_refused(signer: Signer) -> None:
    rival = sandbox_tenant("rival")
    other = with_another(rival)

    assert Signer(signer.house, other.keyid, other.sign).get() == "request_signature_invalid"
    assert Signer(rival, signer.keyid, signer.sign).get() == "request_signature_invalid"
    assert Signer(signer.house, signer.keyid, Ed25519PrivateKey.generate().sign).get() == "request_signature_invalid"


def test_the_body_must_be_the_one_that_was_signed(signer: Signer) -> None:
    one, other = (json.dumps({"reference": each}).encode() for each in ("one", "other"))

    assert signer.post("/api/v1/players", one, digested=other) == "request_signature_invalid"
    headers = signer.headers("POST", "/api/v1/players", one, more={"idempotency-key": "x" * 8})
    answer = Client().post("/api/v1/players", other, content_type="application/json", headers=headers)
    assert code(answer) == "request_signature_invalid"


def test_a_request_is_not_good_at_another_address(signer: Signer) -> None:
    headers = signer.headers("GET", "/api/v1/players?limit=1")
    for path in ("/api/v1/players?limit=2", "/api/v1/players", "/api/v1/rounds?limit=1"):
        refused = Client().get(path, headers=headers)
        assert code(refused) == "request_signature_invalid"
        assert f'"@target-uri" begins with http://testserver{path.partition("?")[0]}' in refused.json()["detail"]
    assert code(Client().get("/api/v1/players?limit=1", headers=headers)) == "200"


def test_a_signature_is_good_once_even_for_a_request_that_failed(signer: Signer) -> None:
    headers = signer.headers("GET", "/api/v1/players/0199f3a2-0000-7000-8000-000000000404")
    for refusal in ("unknown_player", "request_signature_used"):
        path = "/api/v1/players/0199f3a2-0000-7000-8000-000000000404"
        assert code(Client().get(path, headers=headers)) == refusal


def test_times_and_nonces_have_bounds(signer: Signer) -> None:
    now = int(time.time())
    assert {signer.get(created=now + each) for each in (-301, 120)} == {"request_signature_expired"}
    assert signer.get(expires=now - 5) == "request_signature_expired"
    assert signer.get(expires=now + 60, tag="casino", alg="ed25519") == "200"
    invalid = [{"created": None}, {"created": "now"}, {"nonce": None}, {"nonce": "short"}, {"nonce": "x" * 129}]
    assert {signer.get(**each) for each in [*invalid, {"keyid": None}, {"keyid": 7}]} == {"request_signature_invalid"}


@pytest.mark.parametrize("field", ["x", 'sig=("@method")', "a=();keyid=1, b=()", "sig=;;", "é", "sig=(" * 500])
def test_a_malformed_signature_is_refused(signer: Signer, field: str) -> None:
    headers = signer.headers("GET", "/api/v1/operator") | {"signature-input": field}
    assert code(Client().get("/api/v1/operator", headers=headers)) == "request_signature_invalid"


def test_the_nonces_of_old_signatures_are_forgotten(signer: Signer) -> None:
    signer.get()
    assert request_signatures.forget_used() == 0
    execute("UPDATE operators_usedsignature SET used_at = used_at - interval '13 minutes'")
    assert (request_signatures.forget_used(), UsedSignature.objects.count()) == (1, 0)


def test_two_signing_keys_are_live_and_the_last_one_stays_where_it_is_required(signer: Signer) -> None:
    house = signer.house
    second = with_another(house)
    body = {"jwk": jwk_of(Ed25519PrivateKey.generate())}
    assert code(house.post("operator/key/signing-keys", body)) == "too_many_signing_keys"
    require(house)

    def remove(keyid: str) -> str:
        path = f"/api/v1/operator/key/signing-keys/{keyid}"
        return code(Client().delete(path, headers=second.headers("DELETE", path)))

    assert [remove("nobody"), remove(signer.keyid)] == ["unknown_signing_key", "204"]
    assert remove(second.keyid) == "signatures_require_key"
    assert signer.get() == "request_signature_invalid"
    assert second.get() == "200"


@pytest.mark.parametrize(
    "change",
    [
        {"jwk": None},
        {"algorithm": "hmac-sha256"},
        {"jwk": {"kty": "OKP", "crv": "Ed25519", "x": "short"}},
        {"jwk": {"kty": "EC", "crv": "P-256", "x": "a"}},
        {"jwk": {**jwk_of(KEY), "d": "private"}},
    ],
)
def test_only_ed25519_public_keys_are_registered(lucky: Tenant, change: dict[str, Any]) -> None:
    body = {"jwk": jwk_of(KEY), **change}
    answer = lucky.post("operator/key/signing-keys", body)
    assert (answer.status_code, SigningKey.objects.count()) == (422, 0)


def test_a_key_is_registered_once(signer: Signer) -> None:
    body = {"jwk": jwk_of(KEY)}
    assert code(signer.house.post("operator/key/signing-keys", body)) == "invalid_signing_key"


def test_all_keys_of_an_operator_can_be_made_to_sign(signer: Signer) -> None:
    house = signer.house
    operator = Operator.objects.get(pk=house.id)
    call_command("operator", "key", operator.slug, "--label", "second")
    second = ApiKey.objects.get(label="second").key_id
    with pytest.raises(SignaturesRequireKey):
        signing_keys.require_of_all(operator, required=True, by="command")

    jwk = json.dumps(jwk_of(Ed25519PrivateKey.generate()))
    call_command("operator", "signing-key", second, jwk)
    signing_keys.require_of_all(operator, required=True, by="command")

    assert code(house.get("operator")) == "request_signature_required"
    assert signer.get("/api/v1/operator/key") == "200"
    signing_keys.require_of_all(operator, required=False, by="command")
    assert house.read("operator/key")["signatures_required"] is False


def test_a_wrong_signature_is_a_failed_access_and_each_change_of_keys_is_recorded(signer: Signer) -> None:
    signer.get(created=1)
    reasons = set(SignificantEvent.objects.values_list("reason", flat=True))
    assert "A signing key was registered" in reasons
    assert any("It is of 1" in reason for reason in reasons)
    assert fetch("SELECT last_used_at FROM operators_signingkey") == [(None,)]
    signer.get()
    assert fetch("SELECT last_used_at IS NOT NULL FROM operators_signingkey") == [(True,)]
