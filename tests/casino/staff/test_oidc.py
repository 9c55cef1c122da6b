"""Staff sign in by their operator's identity provider, and by nothing that only looks like it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from casino.compliance import key_rotation
from casino.mail import outbox
from casino.operators import changes
from casino.operators.models import Change, Operator, StaffMembership
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from casino.staff import access_changes, identity_providers, oidc
from casino.staff.models import IdentityProvider, SignIn, StaffIdentity
from casino.staff.refusals import InvalidIdentityProvider
from casino.staff.roles import Role
from tests.casino.staff.test_access_changes import create_operator, member
from tests.casino.staff.test_login import code_of, enrol
from tests.support.office import client_of
from tests.support.oidc_provider import CLIENT, SECRET, Provider, running_provider

pytestmark = pytest.mark.django_db
HOME = "/admin/"
WRONG_KEY = generate_private_key(65537, 2048)


@pytest.fixture
def lucky() -> Operator:
    return create_operator("lucky")


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        running.claims = {"sub": "ann-at-lucky", "email": "Ann@example.com", "email_verified": True}
        yield running
    oidc._load_client.cache_clear()


@pytest.fixture
def ann(lucky: Operator) -> User:
    return member("ann", Role.CASHIER, operator=lucky, email="ann@example.com")


@pytest.fixture
def registered(lucky: Operator, provider: Provider) -> IdentityProvider:
    return register(lucky, provider)


def register(operator: Operator, provider: Provider, *, factors: tuple[str, ...] = ("mfa",)) -> IdentityProvider:
    """Have two administrators agree on the provider."""
    change = identity_providers.request_provider(
        operator=operator.pk,
        issuer=provider.issuer,
        client_id=CLIENT,
        client_secret=SECRET,
        second_factors=factors,
        by="staff:1001",
    )
    changes.confirm(change.pk, by="staff:1002")
    return IdentityProvider.objects.get(operator=operator, removed_at=None)


def begin(client: Client, slug: str = "lucky", **query: str) -> Any:
    return client.get(reverse("admin:oidc_begin", args=[slug]), query)


def sign_in(client: Client, provider: Provider, slug: str = "lucky", **query: str) -> Any:
    """Sign in, as a browser does."""
    return client.get(provider.authorize(begin(client, slug, **query)["Location"]))


def who(client: Client) -> str:
    user = client.session.get("_auth_user_id")
    return "" if user is None else User.objects.get(pk=user).username


def test_staff_sign_in_and_the_login_is_recorded(registered: IdentityProvider, provider: Provider, ann: User) -> None:
    client = Client()
    answer = sign_in(client, provider, next="/admin/operators/player/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/operators/player/")
    assert who(client) == "ann"
    assert client.get(HOME).status_code == 200
    assert list(SignIn.objects.values_list("user_id", flat=True)) == [ann.pk]
    assert StaffIdentity.objects.get().subject == "ann-at-lucky"
    assert provider.asked.count("/token") == 1
    assert registered.client_id == CLIENT


def test_the_request_has_state_nonce_and_a_challenge_of_its_own(
    registered: IdentityProvider, provider: Provider
) -> None:
    assert registered
    seen: list[dict[str, list[str]]] = [parse_qs(urlsplit(begin(Client())["Location"]).query) for _ in range(2)]
    for name in ("state", "nonce", "code_challenge"):
        values = {query[name][0] for query in seen}
        assert len(values) == 2
        assert all(len(value) >= 20 for value in values)
    assert seen[0]["code_challenge_method"] == ["S256"]
    assert provider.asked == ["/.well-known/openid-configuration"]


@pytest.mark.parametrize(
    "lie",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"]},
        {"aud": None},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"iat": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
    ],
)
def test_an_id_token_with_a_wrong_claim_signs_in_nobody(
    registered: IdentityProvider, provider: Provider, ann: User, lie: dict[str, Any]
) -> None:
    assert registered
    assert ann
    provider.claims |= lie
    client = Client()
    assert sign_in(client, provider)["Location"] == reverse("admin:login")
    assert who(client) == ""
    assert not StaffIdentity.objects.exists()


@pytest.mark.parametrize(
    ("key", "algorithm"), [(WRONG_KEY, "RS256"), ("x" * 40, "HS256"), (SECRET * 3, "HS256"), (None, "none")]
)
def test_an_id_token_with_a_wrong_signature_signs_in_nobody(
    registered: IdentityProvider, provider: Provider, ann: User, key: Any, algorithm: str
) -> None:
    assert registered
    assert ann
    provider.signs_with, provider.algorithm = key, algorithm
    if key is None:
        provider.key = None  # type: ignore[assignment]
        provider.jwks = lambda: {"keys": []}  # type: ignore[method-assign]
    client = Client()
    sign_in(client, provider)
    assert who(client) == ""


def test_the_answer_to_another_browser_or_an_earlier_one_signs_in_nobody(
    registered: IdentityProvider, provider: Provider, ann: User
) -> None:
    assert registered
    assert ann
    mine, theirs = Client(), Client()
    answer = provider.authorize(begin(mine)["Location"])
    begin(theirs)
    theirs.get(answer)
    assert who(theirs) == ""

    mine.get(answer)
    assert who(mine) == "ann"
    mine.post("/admin/logout/")
    mine.get(answer)
    assert who(mine) == ""


def test_no_provider_answers_for_another(lucky: Operator, provider: Provider, ann: User) -> None:
    """Mix-up: what the rival's provider sends to the callback of ours, or with its own tokens, is worth nothing."""
    assert ann
    register(lucky, provider)
    with running_provider() as evil:
        evil.claims = dict(provider.claims)
        rival = create_operator("rival")
        register(rival, evil)
        client = Client()
        sign_in(client, evil, "rival")
        assert who(client) == ""  # ann doesn't work for the rival

        begin(client)
        answer = evil.authorize(begin(client, "rival")["Location"])
        client.get(answer.replace("/rival/", "/lucky/"))
        assert who(client) == ""

        ours = provider.authorize(begin(client)["Location"])
        client.get(f"{ours}&iss={evil.issuer}")
        assert who(client) == ""
        evil.claims |= {"iss": provider.issuer}
        sign_in(client, evil, "rival")
        assert who(client) == ""


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "true"},
        {"email_verified": 1},
        {"email": None},
        {"email": ""},
        {"email": "stranger@example.com"},
        {"email": ["ann@example.com"]},
    ],
)
def test_an_address_that_is_not_verified_or_of_nobody_takes_over_no_account(
    registered: IdentityProvider, provider: Provider, ann: User, claims: dict[str, Any]
) -> None:
    assert registered
    assert ann
    provider.claims |= claims
    client, users = Client(), User.objects.count()
    sign_in(client, provider)
    assert who(client) == ""
    assert (User.objects.count(), StaffIdentity.objects.count()) == (users, 0)
    event = SignificantEvent.objects.filter(kind="access_failed").get()
    assert (event.operator_id, event.subject) == (registered.operator_id, "login:unknown")


def test_an_address_that_two_users_share_names_neither(
    registered: IdentityProvider, provider: Provider, ann: User, lucky: Operator
) -> None:
    assert registered
    assert ann
    member("anna", operator=lucky, email="ANN@example.com")
    client = Client()
    sign_in(client, provider)
    assert who(client) == ""


def test_after_the_first_time_the_providers_id_counts_and_no_address(
    registered: IdentityProvider, provider: Provider, ann: User, lucky: Operator
) -> None:
    assert registered
    sign_in(Client(), provider)
    provider.claims |= {"email": "other@example.com", "email_verified": False}
    client = Client()
    sign_in(client, provider)
    assert who(client) == "ann"

    provider.claims = {"sub": "mallory", "email": "ann@example.com", "email_verified": True}  # an address used again
    client = Client()
    sign_in(client, provider)
    assert who(client) == ""

    change = access_changes.request_reset(ann, by=member("admin", operator=lucky), reason="Another account")
    changes.confirm(change.pk, by="staff:0")
    sign_in(client, provider)
    assert who(client) == "ann"


def test_a_provider_signs_in_no_superuser_and_nobody_who_also_works_elsewhere(
    registered: IdentityProvider, provider: Provider, ann: User
) -> None:
    assert registered
    User.objects.create_superuser("root", "root@example.com")
    other = member("both", operator=create_operator("rival"), email="both@example.com")
    StaffMembership.objects.create(user=other, operator=registered.operator)
    for address in ("root@example.com", "both@example.com"):
        provider.claims = {"sub": address, "email": address, "email_verified": True}
        client = Client()
        sign_in(client, provider)
        assert who(client) == ""

    provider.claims = {"sub": "ann", "email": "ann@example.com", "email_verified": True}
    client = Client()
    sign_in(client, provider)
    StaffMembership.objects.create(user=ann, operator=Operator.objects.get(slug="rival"))
    assert client.get(HOME).status_code == 302  # not any longer, either


def test_who_has_ended_here_is_signed_in_by_nobody(registered: IdentityProvider, provider: Provider, ann: User) -> None:
    assert registered
    client = Client()
    sign_in(client, provider)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert client.get(HOME).status_code == 302
    again = Client()
    sign_in(again, provider)
    assert who(again) == ""


def test_a_removed_provider_ends_its_sessions_and_begins_none(
    registered: IdentityProvider, provider: Provider, ann: User, lucky: Operator
) -> None:
    assert ann
    client, waiting = Client(), Client()
    sign_in(client, provider)
    answer = provider.authorize(begin(waiting)["Location"])
    admin = member("admin", Role.ADMINISTRATOR, operator=lucky)
    client_of(admin).post(reverse("admin:staff_identityprovider_remove", args=[registered.pk]))

    assert client.get(HOME).status_code == 302
    assert client.get(reverse("admin:authenticator"))["Location"] == reverse("admin:login")
    assert waiting.get(answer).status_code == 404
    assert begin(Client()).status_code == 404


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", ""]
)
def test_nobody_is_redirected_elsewhere(
    registered: IdentityProvider, provider: Provider, ann: User, target: str
) -> None:
    assert registered
    assert ann
    assert sign_in(Client(), provider, next=target)["Location"] == HOME


# -- the second factor ------------------------------------------------------------------------------------------------


@pytest.fixture
def strict(settings: Any) -> None:
    settings.STAFF_TOTP_REQUIRED = True


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("factor", [{"amr": ["pwd", "mfa"]}, {"acr": "mfa"}])
def test_a_second_factor_of_the_provider_is_enough_where_it_is_agreed(
    registered: IdentityProvider, provider: Provider, ann: User, factor: dict[str, Any]
) -> None:
    assert registered
    enrol(ann)
    provider.claims |= factor
    client = Client()
    sign_in(client, provider)
    assert client.get(HOME).status_code == 200
    assert SignIn.objects.get().second_factor


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("factor", [{}, {"amr": ["pwd"]}, {"amr": "mfa"}, {"acr": "0"}, {"amr": [["mfa"]]}])
def test_otherwise_the_code_is_asked_for(
    registered: IdentityProvider, provider: Provider, ann: User, factor: dict[str, Any]
) -> None:
    assert registered
    enrol(ann)
    provider.claims |= factor
    client = Client()
    answer = sign_in(client, provider)
    if factor.get("amr") == "mfa":
        assert answer["Location"] == reverse("admin:login")  # no list of words, as the protocol wants
        return
    assert answer["Location"] == reverse("admin:oidc_code")
    assert who(client) == ""
    assert client.get(HOME).status_code == 302
    assert b"Wrong code" in client.post(answer["Location"], {"code": "000000"}).content
    assert client.post(answer["Location"], {"code": code_of(ann)}).status_code == 302
    assert client.get(HOME).status_code == 200


@pytest.mark.usefixtures("strict")
def test_guesses_of_the_code_lock_the_login(registered: IdentityProvider, provider: Provider, ann: User) -> None:
    assert registered
    enrol(ann)
    client = Client()
    sign_in(client, provider)
    for _ in range(3):
        client.post(reverse("admin:oidc_code"), {"code": "000000"})
    assert b"Locked after three" in client.post(reverse("admin:oidc_code"), {"code": code_of(ann)}).content
    assert who(client) == ""


@pytest.mark.usefixtures("strict")
def test_who_has_no_authenticator_sets_one_up(registered: IdentityProvider, provider: Provider, ann: User) -> None:
    assert registered
    assert ann
    client = Client()
    sign_in(client, provider)
    assert client.get(HOME, follow=True).redirect_chain[-1][0] == reverse("admin:authenticator")


def test_nobody_enters_a_code_without_the_provider_before(ann: User) -> None:
    enrol(ann)
    client = Client()
    assert client.post(reverse("admin:oidc_code"), {"code": code_of(ann)})["Location"] == reverse("admin:login")


# -- the provider -----------------------------------------------------------------------------------------------------


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
    assert begin(Client())["Location"] == reverse("admin:login")


def test_a_provider_that_is_away_is_an_error_that_says_what_to_do(lucky: Operator) -> None:
    with running_provider() as gone:
        register(lucky, gone)
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
    assert (identity_providers.client_secret(row), row.second_factors) == (SECRET, ["hwk", "mfa"])
    shown = client_of(other).get(reverse("admin:staff_identityprovider_change", args=[row.pk])).content.decode()
    assert "/admin/oidc/lucky/callback/" in shown
    assert row.encrypted_secret.hex() not in shown
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
    assert (registered.key_id, identity_providers.client_secret(registered)) == ("new", SECRET)
