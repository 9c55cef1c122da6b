"""Sign-in by OpenID Connect: the authorization code flow with PKCE, `state` and `nonce`, by Authlib.

Each operator's provider has a callback address of its own, and only its own `iss` and `aud` are accepted there, so that
no provider's answer passes for another's. A member of staff is found by the provider's `sub`; the first time, by an
e-mail address that the provider has verified, and from then on by that `sub` alone.
"""

import logging
from typing import Any, Final

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from authlib.integrations.requests_client import OAuth2Session
from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from joserfc.errors import JoseError

from casino.api.client_ip import client_ip
from casino.crypto.encryption import DecryptionFailed
from casino.operators import notices
from casino.operators.memberships import may_sign_in_from, sole_operator, staff_actor
from casino.outbound.adapter import CheckedAdapter
from casino.staff import addresses, authenticators, provider_descriptions
from casino.staff.models import IdentityProvider, StaffIdentity
from casino.staff.refusals import ProviderFailed, UnknownIdentity

logger = logging.getLogger(__name__)

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
TIMEOUT: Final = 5.0
_LONGEST_SUBJECT: Final = 255


def begin(request: HttpRequest, provider: IdentityProvider, callback: str) -> HttpResponseBase:
    """Redirect to a provider, which sends the browser back to `callback`; it is not asked. Raises ProviderFailed."""
    try:
        response: HttpResponseBase = _client(provider).authorize_redirect(request, callback)
    except (OAuthError, DecryptionFailed, ValueError, RuntimeError) as error:
        raise _failed(provider, error) from None
    return response


def finish(request: HttpRequest, provider: IdentityProvider) -> tuple[StaffIdentity, bool]:
    """Take a provider's answer; return whose it is, and whether it tells of a second factor.

    Raises ProviderFailed, and UnknownIdentity for somebody whom the provider can't sign in here.
    """
    if request.GET.get("iss", provider.issuer) != provider.issuer:  # RFC 9207
        raise ProviderFailed("The answer is of another issuer.")
    try:
        options = {
            "iss": {"essential": True, "value": provider.issuer},
            "aud": {"essential": True, "value": provider.client_id},
            "nonce": {"essential": True},
        }
        token = _client(provider).authorize_access_token(request, claims_options=options, leeway=60)
        claims = token["userinfo"]
    except requests.ConnectionError as error:
        provider_descriptions.put_off(provider, error)
        raise _failed(provider, error) from None
    except (
        OAuthError, JoseError, requests.RequestException, DecryptionFailed, ValueError, RuntimeError, KeyError
    ) as error:  # fmt: skip
        raise _failed(provider, error) from None
    return _identify(provider, claims), _has_second_factor(provider, claims)


def begin_session(request: HttpRequest, identity: StaffIdentity, *, second_factor: bool) -> None:
    """Mark a session, after its login, as begun by an identity."""
    request.session[authenticators.IDENTITY_KEY] = {"identity": identity.pk, "second_factor": second_factor}


def is_in_force(request: HttpRequest) -> bool:
    """Return whether the provider that began this session, if one did, may still do so; checked once per request."""
    if not hasattr(request, "casino_identity_in_force"):
        mark = request.session.get(authenticators.IDENTITY_KEY)
        request.casino_identity_in_force = mark is None or _can_sign_in(mark["identity"], request.user.pk)  # type: ignore[attr-defined]
    in_force: bool = request.casino_identity_in_force  # type: ignore[attr-defined]
    return in_force


class IdentityBackend(BaseBackend):
    """Authenticates whom a provider has identified, with a code where one is needed. Permits nothing.

    A wrong code counts as a failed login of this user, and locks as wrong passwords do.
    """

    def authenticate(  # type: ignore[override]  # called only with arguments that it has
        self,
        request: HttpRequest | None,
        username: str | None = None,
        identity: int = 0,
        code: str = "",
        second_factor: bool = False,  # noqa: FBT001, FBT002  (Django passes it by name)
    ) -> Any:
        """Return the identity's user, with the authenticator whose code was right."""
        row = StaffIdentity.objects.select_related("user", "provider").filter(pk=identity).first()
        if row is None or row.user.username != username or not _may_sign_in(row.user, row.provider):
            return None
        if request is not None and not may_sign_in_from(row.user_id, client_ip(request)):
            return None
        user: Any = row.user
        if second_factor or not authenticators.is_enrolled(user):
            return user
        user.otp_device = authenticators.verify(user, code)
        return None if user.otp_device is None else user


class _Session(OAuth2Session):  # type: ignore[misc]  # untyped
    """Connects to checked addresses alone, and follows no redirect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_redirects, self.trust_env = 0, False
        for scheme in ("https://", "http://"):
            self.mount(scheme, CheckedAdapter(seconds=TIMEOUT, limit=provider_descriptions.LIMIT))


class _App(DjangoOAuth2App):  # type: ignore[misc]
    client_cls = _Session


def _client(provider: IdentityProvider) -> Any:
    """Return a client of a provider, which has not been asked. Raises ProviderFailed, DecryptionFailed."""
    return OAuth().register(
        name=provider.pk.hex,
        client_cls=_App,
        client_id=provider.client_id,
        client_secret=provider.opened().decode(),
        client_kwargs={"scope": "openid email", "code_challenge_method": "S256"},
        id_token_signing_alg_values_supported=list(ALGORITHMS),  # whatever it claims
        **provider_descriptions.find(provider),
    )


def _identify(provider: IdentityProvider, claims: Any) -> StaffIdentity:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= _LONGEST_SUBJECT or "\0" in subject:
        raise ProviderFailed("The provider's `sub` is no text of up to 255 characters.")
    known = StaffIdentity.objects.select_related("user", "provider").filter(provider=provider, subject=subject).first()
    if known is None:
        known = _link(provider, subject, claims)
    if not _may_sign_in(known.user, provider):
        raise UnknownIdentity
    return known


def _link(provider: IdentityProvider, subject: str, claims: Any) -> StaffIdentity:
    """Link a `sub` to the one member of staff with its verified address, who is told. Raises UnknownIdentity."""
    address = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(address, str) or not address or "\0" in address:
        raise UnknownIdentity
    user = User.objects.filter(email__iexact=address, is_active=True, is_staff=True).first()
    if user is None or not _may_sign_in(user, provider):
        raise UnknownIdentity
    try:
        with transaction.atomic():
            linked = StaffIdentity.objects.create(user=user, provider=provider, subject=subject)
            addresses.record_confirmed(user)
            authenticators.record_own(user)
            text = f"{provider.issuer} signed you in for the first time. From now on it signs in this account alone."
            notices.tell([staff_actor(user)], subject="You signed in by your organisation", text=text)
    except IntegrityError:  # the user is linked to another `sub`
        raise UnknownIdentity from None
    return linked


def _may_sign_in(user: User, provider: IdentityProvider) -> bool:
    return (
        provider.removed_at is None
        and user.is_active
        and user.is_staff
        and not user.is_superuser
        and sole_operator(user.pk) == provider.operator_id
    )


def _can_sign_in(identity: int, user: Any) -> bool:
    row = StaffIdentity.objects.select_related("user", "provider").filter(pk=identity, user_id=user).first()
    return row is not None and _may_sign_in(row.user, row.provider)


def _has_second_factor(provider: IdentityProvider, claims: Any) -> bool:
    methods = claims.get("amr")
    given = (claims.get("acr"), *(methods if isinstance(methods, list) else ()))
    return any(isinstance(each, str) and each in provider.second_factors for each in given)


def _failed(provider: IdentityProvider, error: Exception) -> ProviderFailed:
    logger.warning("Sign-in by the identity provider %s failed: %s: %s", provider.pk, type(error).__name__, error)
    return ProviderFailed(str(error)[:200] if settings.DEBUG else "")
