"""The login: name, password, and the authenticator's code, judged as one."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError

if TYPE_CHECKING:
    from django.contrib.admin.forms import AdminAuthenticationForm as LoginForm
else:
    from unfold.forms import AuthenticationForm as LoginForm


class SignInForm(LoginForm):
    """Says nothing of which of the three was wrong."""

    code = forms.CharField(
        label="Code of your authenticator, or a recovery code",
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "spellcheck": "false"}),
    )
    error_messages = {
        **LoginForm.error_messages,
        "invalid_login": "Name, password or code is wrong, or this is no member of staff. All are case-sensitive.",
        "locked": "Locked after three failures: try again in half an hour, or have an administrator unlock it.",
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
