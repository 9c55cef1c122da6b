"""The admin's site: login with a second factor, the page that sets up an authenticator, and the sidebar's counts."""

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ClassVar, cast

import segno
from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django_otp import login as remember_device

from casino.backoffice import badges, html, menu
from casino.backoffice.oidc import LOCKED, IdentitySignIn
from casino.kernel.errors import Refusal
from casino.operators import memberships, notices
from casino.staff import access_changes, access_log, addresses, authenticators, lockout, oidc, password_codes

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite as BaseSite
    from django.contrib.admin.forms import AdminAuthenticationForm as BaseLoginForm
else:
    from unfold.forms import AuthenticationForm as BaseLoginForm
    from unfold.sites import UnfoldAdminSite as BaseSite


class SignInForm(BaseLoginForm):
    """Name, password and the authenticator's code, checked as one: no error says which of them was wrong."""

    code = forms.CharField(
        label="Authenticator code or recovery code",
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "spellcheck": "false"}),
    )
    error_messages = {
        **BaseLoginForm.error_messages,
        "invalid_login": "Wrong name, password or code, or not a member of staff. All are case-sensitive.",
        "locked": LOCKED,
    }

    def __init__(self, request: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["code"].widget.attrs["class"] = self.fields["username"].widget.attrs.get("class", "")

    def clean(self) -> dict[str, Any]:
        """Authenticate with all three at once. Raises ValidationError."""
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name is None or not password:
            return self.cleaned_data
        code = self.cleaned_data.get("code", "")
        self.user_cache = authenticate(self.request, username=name, password=password, code=code)
        if getattr(self.request, "axes_locked_out", False):
            raise ValidationError(self.error_messages["locked"], code="locked")
        if self.user_cache is None:
            raise self.get_invalid_login_error()
        self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data


class SetPasswordForm(forms.Form):
    """A login, both halves of its code, and a new password; no error says which of the first three was wrong."""

    username = forms.CharField(label="Login", max_length=150)
    first_half = forms.CharField(label="First half of the code", max_length=40)
    second_half = forms.CharField(label="Second half of the code", max_length=40)
    password = forms.CharField(label="New password", widget=forms.PasswordInput({"autocomplete": "new-password"}))
    again = forms.CharField(label="Once more", widget=forms.PasswordInput({"autocomplete": "new-password"}))

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data, auto_id=False, label_suffix="")
        self.request = request
        self.user: Any = None

    def clean(self) -> dict[str, Any]:
        """Check the password by the rules for all, then the code. Raises ValidationError."""
        data = self.cleaned_data
        if self.errors:
            return data
        if data["password"] != data["again"]:
            raise ValidationError("The two passwords differ.")
        validate_password(data["password"], User(username=data["username"]))
        halves = {"first_secret": data["first_half"], "second_secret": data["second_half"]}
        self.user = authenticate(self.request, username=data["username"], **halves)
        if getattr(self.request, "axes_locked_out", False):
            raise ValidationError(LOCKED)
        if self.user is None:
            raise ValidationError("Wrong login or code, or the code is older than a day.")
        return data


class AddressForm(forms.Form):
    code = forms.CharField(label="The code in the e-mail", max_length=100)


class StaffSite(IdentitySignIn, BaseSite):
    """The admin. Production requires a second factor."""

    login_template = "staff/login.html"
    pages: ClassVar[list[URLPattern]] = []
    """Pages that belong to no model, which their modules add."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is staff, gave a second factor if one is required, and has the account's address."""
        permitted = super().has_permission(request) and authenticators.satisfies_second_factor(request)
        return permitted and oidc.is_in_force(request) and addresses.is_confirmed(request.user)

    def admin_view(self, view: Any, *args: Any, **kwargs: Any) -> Any:
        """Reject text that PostgreSQL cannot store, on every page. Raises SuspiciousOperation (400)."""
        inner = super().admin_view(view, *args, **kwargs)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if any("\0" in text for _, texts in request.POST.lists() for text in texts):
                raise SuspiciousOperation("The form has a NUL character in it.")
            return inner(request, *args, **kwargs)

        return guarded

    def get_urls(self) -> list[Any]:
        """Add the pages where an authenticator is set up, an address confirmed, a password set; other sign-ins."""
        own: list[URLPattern] = [
            path("authenticator/", self.authenticator, name="authenticator"),
            path("address/", self.address, name="address"),
            path("set-password/", self.set_password, name="set_password"),
        ]
        return [*own, *self.pages, *self.identity_urls(), *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the emergency bar, for staff who are logged in."""
        context: dict[str, Any] = super().each_context(request)
        waiting = getattr(request, "waiting", None)
        emergency = None if waiting is None else badges.emergency_bar(request, waiting)
        return {**context, "emergency": emergency, "tabs": getattr(request, "tabs", ())}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """List what the user may see as soon as a page shows it: most show the menu instead."""
        apps: Any = SimpleLazyObject(partial(super().get_app_list, request, app_label))
        return cast("list[Any]", apps)

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        """Lead each line of the menu to a page that the user may see, with the count of what waits; find the tabs."""
        groups: list[dict[str, Any]] = super().get_sidebar_list(request)  # type: ignore[misc]
        counts = request.waiting = badges.counts(request)  # type: ignore[attr-defined]
        nearest = ""
        for entry in (entry for group in groups for entry in group["items"]):
            pages = menu.open_pages(entry["pages"], request)
            if not pages:
                continue
            entry |= {key: pages[0][key] for key in ("title", "link")}
            waiting = sum(counts.get(page["queue"], 0) for page in pages)
            entry["badge"] = badges.text_of(waiting) if waiting else None
            for page in pages:
                link = str(page["link"])
                page["active"] = False
                if request.path.startswith(link) and len(link) > len(nearest):
                    nearest, request.tabs = link, pages  # type: ignore[attr-defined]
        for entry in (entry for group in groups for entry in group["items"]):
            entry["active"] = any(str(page["link"]) == nearest for page in entry["pages"])
            for page in entry["pages"]:
                page["active"] = str(page["link"]) == nearest
        return groups

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Log in, show the previous login, and redirect users without an authenticator to set one up."""
        if request.method == "GET" and _is_staff(request) and _has_to_enrol(request):
            return HttpResponseRedirect(reverse("admin:authenticator"))
        if request.method == "GET" and _has_to_confirm(request):
            return HttpResponseRedirect(reverse("admin:address"))
        response = super().login(request, extra_context)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            self.welcome(request, response)
        return response

    @method_decorator([never_cache, csrf_protect])
    def authenticator(self, request: HttpRequest) -> HttpResponse:
        """Show the secret to scan and, once its code is right, the recovery codes."""
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
        enrolment = authenticators.begin(request.user)
        # Drawn from our own text; the only input in it is the name, which is percent-encoded.
        drawing = segno.make(enrolment.provisioning_uri, error="m").svg_inline(scale=5, border=2, light="white")
        qr_code = mark_safe(drawing)  # noqa: S308
        return self._page(request, "Set up your authenticator", enrolment=enrolment, qr_code=qr_code)

    @method_decorator([never_cache, csrf_protect])
    def address(self, request: HttpRequest) -> HttpResponse:
        """Send a code to the user's e-mail address, and ask for it."""
        if not _has_to_confirm(request):
            return HttpResponseRedirect(reverse("admin:index"))
        form = AddressForm(request.POST if request.method == "POST" else None, auto_id=False, label_suffix="")
        if form.is_valid():
            try:
                addresses.confirm(request, form.cleaned_data["code"])
            except Refusal as refusal:
                form.add_error(None, refusal.message())
            else:
                return HttpResponseRedirect(reverse("admin:index"))
        addresses.send_code(request)
        text = "A code was sent to your e-mail address. If it does not arrive, load this page again in five minutes."
        return self.show_form(request, "Confirm your e-mail address", form, label="Confirm", text=text)

    @method_decorator([never_cache, csrf_protect, sensitive_post_parameters()])
    def set_password(self, request: HttpRequest) -> HttpResponse:
        """Let a user with both halves of a code set a password, and go to the login."""
        form = SetPasswordForm(request, request.POST if request.method == "POST" else None)
        if form.is_valid():
            try:
                password_codes.set_password(form.user, form.cleaned_data["password"])
            except Refusal as refusal:
                messages.error(request, refusal.message())
            else:
                messages.success(request, "Your password is set. Log in with it.")
            return HttpResponseRedirect(reverse("admin:login"))
        text = "Two administrators gave you one half of a code each."
        return self.show_form(request, "Set your password", form, label="Set the password", text=text)

    def show_form(self, request: HttpRequest, title: str, form: forms.Form, **context: Any) -> HttpResponse:
        """Show a form on a page of somebody who is not logged in."""
        return self._page(request, title, form=form, **context)

    def welcome(self, request: HttpRequest, response: HttpResponseBase) -> None:
        """Record a login, show the previous one, and remember the browser."""
        _welcome(request)
        lockout.remember_browser(request, response)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Let users change their own password, and tell them."""
        response = super().password_change(request, extra_context)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            notices.tell(
                [memberships.staff_actor(request.user)],
                subject="Your password was changed",
                text="It was changed by somebody who knew the earlier one.",
            )
        return response

    def _enrolled(self, request: HttpRequest) -> HttpResponse:
        if not self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:login"))
        return self._page(request, "Your authenticator", left=authenticators.codes_left(request.user))

    def _page(self, request: HttpRequest, title: str, **context: Any) -> HttpResponse:
        values = {**self.each_context(request), "title": title, **context}
        return TemplateResponse(request, "staff/authenticator.html", values)


def _is_staff(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff and oidc.is_in_force(request)


def _has_to_enrol(request: HttpRequest) -> bool:
    return not authenticators.satisfies_second_factor(request) and not authenticators.is_enrolled(request.user)


def _has_to_confirm(request: HttpRequest) -> bool:
    """Return whether the user has logged in, with a second factor, and only the address is left to confirm."""
    logged_in = _is_staff(request) and authenticators.satisfies_second_factor(request)
    return logged_in and not addresses.is_confirmed(request.user)


def _welcome(request: HttpRequest) -> None:
    """Show the previous login, and what others changed about the user's access lately."""
    if isinstance(request.user, User):
        for change in access_changes.recent_changes(request.user):
            when = html.plain_moment(change.effective_at or change.requested_at)
            messages.warning(request, f"Your access was changed at {when} by two administrators: {change.summary}")
    previous = access_log.record_sign_in(request)
    if previous is None:
        messages.info(request, "This is your first login.")
        return
    place = f" from {previous.address}" if previous.address else ""
    messages.info(request, f"Your previous login: {html.plain_moment(previous.at)}{place}.")
