"""The pages of a sign-in by an operator's identity provider: to it, back from it, and the code where one is needed."""

import time
from abc import ABC, abstractmethod
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, authenticate, login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from casino.kernel.errors import Refusal
from casino.staff import authenticators, identity_providers, lockout, oidc
from casino.staff.models import IdentityProvider, StaffIdentity
from casino.staff.refusals import UnknownIdentity

BACKEND: Final = "casino.staff.login.RoleBackend"
"""What permits, whoever has authenticated."""
PENDING: Final = "_identity_pending"
"""Key, in a session's data, of an identity whose user still has to enter a code."""
PENDING_SECONDS: Final = 300
NEXT: Final = "_identity_next"
LOCKED: Final = "Locked after three failures. Try again in half an hour or more, or have an administrator unlock it."


class CodeForm(forms.Form):
    code = forms.CharField(label="Authenticator code or recovery code", max_length=40)


class IdentitySignIn(ABC):
    """Adds these pages to the admin's site."""

    def identity_urls(self) -> list[URLPattern]:
        """Return the addresses; operators give the first to their staff."""
        return [
            path("oidc/code/", self.identity_code, name="oidc_code"),
            path("oidc/<slug:slug>/", self.identity_begin, name="oidc_begin"),
            path("oidc/<slug:slug>/callback/", self.identity_finish, name="oidc_callback"),
        ]

    @abstractmethod
    def show_form(self, request: HttpRequest, title: str, form: forms.Form, **context: Any) -> HttpResponse:
        """Show a form on a page of somebody who is not logged in."""

    @abstractmethod
    def welcome(self, request: HttpRequest, response: HttpResponseBase) -> None:
        """Do what follows every login."""

    @method_decorator([never_cache, require_safe])
    def identity_begin(self, request: HttpRequest, slug: str) -> HttpResponseBase:
        """Redirect to the operator's provider."""
        provider, target = _provider(slug), request.GET.get(REDIRECT_FIELD_NAME, "")
        request.session[NEXT] = target if _is_ours(request, target) else ""
        callback = request.build_absolute_uri(reverse("admin:oidc_callback", args=[slug]))
        try:
            return oidc.begin(request, provider, callback)
        except Refusal as refusal:
            return _back_to_login(request, refusal)

    @method_decorator([never_cache, require_safe])
    def identity_finish(self, request: HttpRequest, slug: str) -> HttpResponseBase:
        """Take the provider's answer; log in, or ask for a code."""
        provider = _provider(slug)
        try:
            identity, second_factor = oidc.finish(request, provider)
        except Refusal as refusal:
            lockout.record_refused_identity(request, operator=provider.operator_id)
            return _back_to_login(request, refusal)
        if second_factor or not authenticators.is_enrolled(identity.user):
            response = self._log_in(request, identity, second_factor=second_factor)
            return response or _back_to_login(request, UnknownIdentity())
        request.session[PENDING] = {"identity": identity.pk, "at": time.time()}
        return HttpResponseRedirect(reverse("admin:oidc_code"))

    @method_decorator([never_cache, csrf_protect, sensitive_post_parameters()])
    def identity_code(self, request: HttpRequest) -> HttpResponseBase:
        """Ask for the code of the authenticator, as the second factor."""
        pending = request.session.get(PENDING, {})
        identity = StaffIdentity.objects.select_related("user").filter(pk=pending.get("identity")).first()
        if identity is None or time.time() - pending["at"] > PENDING_SECONDS:
            return HttpResponseRedirect(reverse("admin:login"))
        form = CodeForm(request.POST if request.method == "POST" else None, auto_id=False, label_suffix="")
        if form.is_valid():
            response = self._log_in(request, identity, code=form.cleaned_data["code"])
            if response is not None:
                return response
            form.add_error(None, LOCKED if getattr(request, "axes_locked_out", False) else "Wrong code.")
        return self.show_form(request, "Enter your code", form, label="Log in")

    def _log_in(
        self, request: HttpRequest, identity: StaffIdentity, *, second_factor: bool = False, code: str = ""
    ) -> HttpResponseBase | None:
        """Log in and return where to go; None after a wrong code, or if the user may not."""
        user: Any = authenticate(
            request,
            username=identity.user.get_username(),
            identity=identity.pk,
            code=code,
            second_factor=second_factor,
        )
        if user is None:
            return None
        target = request.session.pop(NEXT, "")
        request.session.pop(PENDING, None)
        login(request, user, backend=BACKEND)
        oidc.begin_session(request, identity, second_factor=second_factor)
        response = HttpResponseRedirect(target or reverse("admin:index"))
        self.welcome(request, response)
        return response


def _provider(slug: str) -> IdentityProvider:
    provider = identity_providers.in_force(slug)
    if provider is None:
        raise Http404
    return provider


def _is_ours(request: HttpRequest, target: str) -> bool:
    return url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())


def _back_to_login(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    messages.error(request, refusal.message())
    return HttpResponseRedirect(reverse("admin:login"))
