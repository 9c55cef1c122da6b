"""The admin's site: who gets in with what, and where an authenticator is set up."""

from functools import wraps
from typing import TYPE_CHECKING, Any

import segno
from django.contrib import messages
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django_otp import login as remember_device

from casino.backoffice import html
from casino.kernel.errors import Refusal
from casino.staff import authenticators, login_history

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite as Site
else:
    from unfold.sites import UnfoldAdminSite as Site


class StaffSite(Site):
    """The admin, which in production lets nobody in without a second factor."""

    login_template = "staff/login.html"

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether somebody is staff, and has given the second factor where it is asked for."""
        return super().has_permission(request) and login_history.satisfies_second_factor(request)

    def admin_view(self, view: Any, *how: Any, **more: Any) -> Any:
        """Refuse, at every page, text that PostgreSQL can't keep. Raises SuspiciousOperation (400)."""
        inner = super().admin_view(view, *how, **more)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if any("\0" in text for _, texts in request.POST.lists() for text in texts):
                raise SuspiciousOperation("A form came with a NUL character in it.")
            return inner(request, *args, **kwargs)

        return guarded

    def get_urls(self) -> list[Any]:
        """Add the page where an authenticator is set up."""
        own: list[URLPattern] = [path("authenticator/", self.authenticator, name="authenticator")]
        return [*own, *super().get_urls()]

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Let somebody in, tell of the time before, and lead who has no authenticator to set one up."""
        if request.method == "GET" and _is_staff(request) and _has_to_enrol(request):
            return HttpResponseRedirect(reverse("admin:authenticator"))
        response = super().login(request, extra_context)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            _welcome(request)
        return response

    @method_decorator([never_cache, csrf_protect])
    def authenticator(self, request: HttpRequest) -> HttpResponse:
        """Show what to scan and, once its code is right, the recovery codes."""
        if not _is_staff(request):
            return HttpResponseRedirect(reverse("admin:login"))
        if authenticators.is_enrolled(request.user):
            return self._enrolled(request)
        if request.method == "POST":
            try:
                device, codes = authenticators.confirm(request.user, request.POST.get("code", ""))
            except Refusal as refusal:
                messages.error(request, f"{refusal.title}. {refusal.remedy}")
            else:
                remember_device(request, device)
                return self._page(request, "Your recovery codes", codes=codes)
        begun = authenticators.begin(request.user)
        # Its own drawing of a text of ours: nothing in it is anybody's input but the name, which is percent-encoded.
        picture = mark_safe(segno.make(begun.provisioning_uri, error="m").svg_inline(scale=5, border=2, light="white"))  # noqa: S308
        return self._page(request, "Set up your authenticator", begun=begun, picture=picture)

    def _enrolled(self, request: HttpRequest) -> HttpResponse:
        if not self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:login"))
        return self._page(request, "Your authenticator", left=authenticators.codes_left(request.user))

    def _page(self, request: HttpRequest, title: str, **context: Any) -> HttpResponse:
        values = {**self.each_context(request), "title": title, **context}
        return TemplateResponse(request, "staff/authenticator.html", values)


def _is_staff(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff


def _has_to_enrol(request: HttpRequest) -> bool:
    return not login_history.satisfies_second_factor(request) and not authenticators.is_enrolled(request.user)


def _welcome(request: HttpRequest) -> None:
    before = login_history.record_sign_in(request)
    if before is None:
        messages.info(request, "This is your first login.")
        return
    where = f" from {before.address}" if before.address else ""
    messages.info(request, f"Your login before this one: {html.plain_moment(before.at)}{where}.")
