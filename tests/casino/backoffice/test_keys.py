"""API keys in the admin: staff of the operator rotate, limit and revoke them, and see no secret but a new one, once."""

from html import unescape

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.test import Client
from django.urls import reverse

from casino.operators import credentials, services
from casino.operators.models import ApiKey, Operator
from tests.casino.operators.test_request_signatures import KEY, jwk_of
from tests.support.keys import issue_key
from tests.support.office import page_of, staff

pytestmark = pytest.mark.django_db
VIEW, CHANGE = "operators.view_apikey", "operators.change_apikey"


@pytest.fixture
def key() -> ApiKey:
    services.create_operator(slug="rival", name="Rival", currencies=["EUR"], sandbox=True)
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR", "JPY"], sandbox=True)
    return ApiKey.objects.get(pk=issue_key(operator=operator.id)[0])


def act(client: Client, key: ApiKey, action: str, **fields: str) -> str:
    url = reverse(f"admin:operators_apikey_{action}", args=[quote(key.pk)])
    return unescape(client.post(url, fields, follow=True).content.decode())


def test_staff_rotate_a_secret_that_is_shown_once_and_kept_nowhere(key: ApiKey) -> None:
    client = staff(VIEW, CHANGE, works_for="lucky")

    page = act(client, key, "rotate")

    secret = page.partition(f"Authorization: Bearer {key.pk}.")[2].partition("<")[0].split()[0]
    key.refresh_from_db()
    assert credentials.verify_secret(secret, bytes(key.secret_hash))
    assert secret not in client.get(page_of("operators_apikey", key.pk)).content.decode()
    assert not LogEntry.objects.filter(change_message__contains=secret).exists()
    assert "The previous secret has ended." in act(client, key, "end_rotation")


def test_staff_limit_a_key_in_each_currency_and_remove_a_limit(key: ApiKey) -> None:
    client = staff(VIEW, CHANGE, works_for="lucky")

    assert "are set." in act(client, key, "limit", movement="withdrawal", per_request_EUR="9.50", per_day_JPY="3000")
    assert "No amount was given." in act(client, key, "limit", movement="deposit")
    assert "unknown" not in act(client, key, "remove_limit", limit="withdrawal JPY")

    (row,) = key.limits.all()
    assert (row.movement, row.currency, row.per_request, row.per_day) == ("withdrawal", "EUR", 950, None)


def test_staff_register_a_signing_key_and_require_signatures(key: ApiKey) -> None:
    more = ("operators.view_operator", "operators.require_signatures", "operators.add_signingkey")
    client = staff(VIEW, CHANGE, *more, works_for="lucky")
    assert "without a signing key" in act(client, key, "require_signatures")

    assert "can't be verified" in act(client, key, "signing_key", jwk="{")
    jwk = str(jwk_of(KEY)).replace("'", '"')
    assert "Registered" in act(client, key, "signing_key", jwk=jwk)
    assert "must be signed" in act(client, key, "require_signatures")
    assert "Replace the last one" in act(client, key, "remove_signing_key", keyid=key.signing_keys.get().keyid).replace(
        "replace", "Replace"
    )
    assert "need no signature" in act(client, key, "accept_unsigned")
    assert "Removed" in act(client, key, "remove_signing_key", keyid=key.signing_keys.get().keyid)

    url = reverse("admin:operators_operator_require_signatures", args=[key.operator_id])
    assert "without a signing key" in unescape(client.post(url, follow=True).content.decode())
    act(client, key, "signing_key", jwk=jwk)
    client.post(url)
    assert Operator.objects.get(pk=key.operator_id).signatures_required


def test_staff_of_another_operator_change_nothing(key: ApiKey) -> None:
    client, before = staff(VIEW, CHANGE, works_for="rival"), bytes(key.secret_hash)

    for action in ("rotate", "end_rotation", "limit", "signing_key", "require_signatures", "revoke"):
        act(client, key, action, movement="credit", per_day_EUR="1.00", jwk="{}")

    key.refresh_from_db()
    assert (bytes(key.secret_hash), key.revoked_at, key.limits.count()) == (before, None, 0)


def test_what_is_not_offered_for_a_row_changes_nothing_though_its_service_would(key: ApiKey) -> None:
    """Limits are offered for keys that are live; `key_limits.change` sets them for any."""
    client = staff(VIEW, CHANGE, works_for="lucky")
    act(client, key, "revoke")
    assert "not offered here, or not any more" in act(client, key, "limit", movement="withdrawal", per_day_EUR="9.50")
    assert not key.limits.exists()
    assert not LogEntry.objects.filter(change_message__contains="are set").exists()


def test_staff_who_may_only_look_see_terms_and_no_actions(key: ApiKey) -> None:
    client = staff(VIEW, works_for="lucky")
    page = client.get(page_of("operators_apikey", key.pk)).content.decode()
    assert "Signing keys" in page
    assert "Rotate the secret" not in page
    assert act(client, key, "rotate").count("Authorization: Bearer") == 0
