"""Staff sign in by their operator's identity provider, and by nothing that only looks like it."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from casino.operators import changes
from casino.operators.models import Operator, StaffMembership
from casino.significant.models import SignificantEvent
from casino.staff import access_changes
from casino.staff.duties import Role
from casino.staff.models import IdentityProvider, SignIn, StaffIdentity
from tests.casino.staff.test_access_changes import create_operator, member
from tests.casino.staff.test_login import code_of, enrol
from tests.support.office import client_of
from tests.support.oidc_provider import CLIENT, SECRET, Provider, register, running_provider
from tests.support.rsa_keys import rsa_key

pytestmark = pytest.mark.django_db
HOME = "/admin/"


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
    provider.asked.clear()
    seen: list[dict[str, list[str]]] = [parse_qs(urlsplit(begin(Client())["Location"]).query) for _ in range(2)]
    for name in ("state", "nonce", "code_challenge"):
        values = {query[name][0] for query in seen}
        assert len(values) == 2
        assert all(len(value) >= 20 for value in values)
    assert seen[0]["code_challenge_method"] == ["S256"]
    assert provider.asked == []  # strangers can begin as often as they like


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
    ("key", "algorithm"), [("another", "RS256"), ("x" * 40, "HS256"), (SECRET * 3, "HS256"), (None, "none")]
)
def test_an_id_token_with_a_wrong_signature_signs_in_nobody(
    registered: IdentityProvider, provider: Provider, ann: User, key: Any, algorithm: str
) -> None:
    assert registered
    assert ann
    provider.signs_with, provider.algorithm = rsa_key(2) if key == "another" else key, algorithm
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


@pytest.mark.parametrize("subject", ["x", "x" * 255])
def test_a_providers_id_may_be_of_any_length_that_openid_connect_allows(
    registered: IdentityProvider, provider: Provider, ann: User, subject: str
) -> None:
    assert registered
    assert ann
    provider.claims |= {"sub": subject}
    client = Client()
    sign_in(client, provider)
    assert who(client) == "ann"


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
