"""Identity providers: registered by two administrators, and used only as they describe themselves."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client, override_settings
from django.urls import reverse

from casino.compliance import key_rotation
from casino.mail import outbox
from casino.operators import changes
from casino.operators.models import Change, Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.staff import identity_providers, provider_descriptions
from casino.staff.duties import Role
from casino.staff.models import IdentityProvider, ProviderDescription
from casino.staff.refusals import InvalidIdentityProvider
from tests.casino.staff.test_access_changes import member
from tests.support.office import client_of
from tests.support.oidc_provider import CLIENT, SECRET, Provider, read_again, register, running_provider

pytestmark = pytest.mark.django_db


def begin(client: Client, slug: str = "lucky", **query: str) -> Any:
    return client.get(reverse("admin:oidc_begin", args=[slug]), query)


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
    ],
)
def test_a_provider_that_describes_itself_wrongly_is_not_used(
    registered: IdentityProvider, provider: Provider, metadata: dict[str, Any]
) -> None:
    assert registered
    provider.metadata = metadata
    read_again()
    assert begin(Client())["Location"] == reverse("admin:login")

    provider.metadata = {}
    read_again()
    assert begin(Client())["Location"].startswith(provider.issuer)


@pytest.mark.parametrize("document", [[], None, "x" * provider_descriptions.LIMIT, {"issuer": "\0"}])
def test_what_is_no_description_is_not_kept(registered: IdentityProvider, provider: Provider, document: Any) -> None:
    provider.discovery = lambda: document  # type: ignore[method-assign]
    read_again()
    row = ProviderDescription.objects.get(provider=registered)
    assert (row.error != "", "authorization_endpoint" in row.document) == (True, True)


def test_a_provider_that_cant_be_reached_is_not_asked_again_before_the_job_has_read_it(
    registered: IdentityProvider, provider: Provider, ann: User
) -> None:
    assert ann
    client = Client()
    provider.metadata = {"token_endpoint": "http://127.0.0.1:9/token"}  # nobody listens there
    read_again()
    answer = provider.authorize(begin(client)["Location"])
    waiting = begin(client)
    assert client.get(answer)["Location"] == reverse("admin:login")

    assert begin(Client())["Location"] == reverse("admin:login")
    provider.metadata = {}
    assert client.get(provider.authorize(waiting["Location"]))["Location"] == reverse("admin:login")
    assert "/token" not in provider.asked
    assert provider_descriptions.read_due() == 0
    read_again()
    assert begin(Client())["Location"].startswith(provider.issuer)
    page = client_of(member("admin", Role.ADMINISTRATOR, operator=registered.operator))
    assert b"was read" in page.get(reverse("admin:staff_identityprovider_change", args=[registered.pk])).content


def test_no_provider_is_asked_at_an_address_that_is_not_public(
    registered: IdentityProvider, provider: Provider, ann: User
) -> None:
    assert ann
    client = Client()
    answer = provider.authorize(begin(client)["Location"])
    provider.asked.clear()
    with override_settings(WEBHOOK_NETWORKS=[]):
        client.get(answer)
        read_again()
    assert provider.asked == []
    assert "not public" in ProviderDescription.objects.get(provider=registered).error


def test_a_provider_that_is_away_is_an_error_that_says_what_to_do(lucky: Operator) -> None:
    with running_provider() as gone:
        register(lucky, gone)
    read_again()
    page = Client().get(reverse("admin:oidc_begin", args=["lucky"]), follow=True)
    assert b"sign in with your password" in page.content


def test_a_client_secret_that_no_key_decrypts_signs_in_nobody(registered: IdentityProvider) -> None:
    IdentityProvider.objects.filter(pk=registered.pk).update(key_id="gone")
    assert begin(Client())["Location"] == reverse("admin:login")


def test_two_administrators_agree_on_a_provider_and_no_page_shows_the_secret(
    lucky: Operator, provider: Provider, ann: User
) -> None:
    assert ann
    admin, other = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "other"))
    fields = {
        "issuer": provider.issuer,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "second_factors": "mfa hwk",
    }
    page = client_of(admin).post(reverse("admin:operators_operator_identity_provider", args=[lucky.pk]), fields)
    assert page.status_code == 302
    change = Change.objects.get()
    assert SECRET not in str(change.details)
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=f"staff:{admin.pk}")
    assert b"mfa" in client_of(other).get(reverse("admin:operators_change_change", args=[change.pk])).content
    client_of(other).post(reverse("admin:operators_change_confirm", args=[change.pk]))

    row = IdentityProvider.objects.get()
    assert (row.opened().decode(), row.second_factors) == (SECRET, ["hwk", "mfa"])
    shown = client_of(other).get(reverse("admin:staff_identityprovider_change", args=[row.pk])).content.decode()
    assert "/admin/oidc/lucky/callback/" in shown
    assert row.wrapped.hex() not in shown
    assert Change.objects.get().details == {}
    outbox.send_due()
    assert {message.to[0] for message in mail.outbox} == {"ann@example.com"}
    assert not any(SECRET in message.body for message in mail.outbox)


def test_a_new_provider_replaces_the_one_before(
    registered: IdentityProvider, provider: Provider, lucky: Operator
) -> None:
    again = register(lucky, provider)
    registered.refresh_from_db()
    assert registered.removed_at is not None
    assert again.pk != registered.pk


@pytest.mark.parametrize(
    "issuer",
    [
        "",
        "login.example.com",
        "http://login.example.com",
        "https://a@b.example",
        "https://b.example#x",
        "https://[",
        "ftp://b",
    ],
)
def test_an_issuer_without_tls_is_refused(lucky: Operator, issuer: str) -> None:
    with pytest.raises(InvalidIdentityProvider):
        identity_providers.request_provider(
            operator=lucky.pk, issuer=issuer, client_id="x", client_secret="y", second_factors=(), by="staff:1"
        )


def test_a_rotation_of_keys_keeps_the_client_secret(registered: IdentityProvider, settings: Any) -> None:
    settings.PERSONAL_KEYS = f"new:{'5c' * 32},{settings.PERSONAL_KEYS}"
    key_rotation.rotate(actor="command")
    registered.refresh_from_db()
    assert (registered.key_id, registered.opened().decode()) == ("new", SECRET)
