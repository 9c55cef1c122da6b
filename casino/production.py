"""Checks of values that production refuses, beside what the table of settings says of each by itself."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from casino import variables
from casino.crypto.rsa_keys import parse_rsa_key

_MIN_SECRET_KEY_LENGTH: Final = 50
_MIN_PROVIDER_SECRET_LENGTH: Final = 32


def check(values: Mapping[str, Any]) -> None:
    """Raise ImproperlyConfigured for the first value that is unsafe in production."""
    for variable in variables.TABLE:
        only = variable.default_in(production=True) or ""
        if variable.fixed and str(values[variable.name]).lower() != only:
            raise ImproperlyConfigured(f"{variable.name} must be {only or 'empty'} in production.")
        if variable.kind is variables.keys and re.search("development|" + "00" * 32, values[variable.name]):
            raise ImproperlyConfigured(f"{variable.name} must hold keys of your own: key-id:64 hex digits.")
    _check_secrets(values)
    _check_addresses(values)
    _check_mail(values)
    for image in values["CONTAINER_IMAGES"]:
        if not re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image):
            raise ImproperlyConfigured(f"CONTAINER_IMAGES: {image} has no digest (name@sha256:...).")


def _check_secrets(values: Mapping[str, Any]) -> None:
    if not all(_is_strong(each) for each in (values["SECRET_KEY"], *values["SECRET_KEY_FALLBACKS"]) if each):
        raise ImproperlyConfigured(
            "SECRET_KEY must be a secret of your own, of 50 characters or more; its fallbacks, too."
        )
    signs = variables.find_variable("CLOSING_KEYS").is_read_by(values["CASINO_PROCESS"])
    if values["WITNESSES"] and signs and not values["CLOSING_KEYS"]:
        raise ImproperlyConfigured("CLOSING_KEYS must hold a key of your own where WITNESSES are set.")
    if values["WALLET_RSA_KEY"]:
        parse_rsa_key("WALLET_RSA_KEY", values["WALLET_RSA_KEY"])
    if any(len(secret) < _MIN_PROVIDER_SECRET_LENGTH for _, secret in values["PAYMENT_SECRETS"]):
        raise ImproperlyConfigured("PAYMENT_SECRETS must be of 32 characters or more.")


def _is_strong(key: str) -> bool:
    return "development" not in key and len(key) >= _MIN_SECRET_KEY_LENGTH


def _check_mail(values: Mapping[str, Any]) -> None:
    if not variables.find_variable("EMAIL_HOST").is_read_by(values["CASINO_PROCESS"]):
        return
    if values["EMAIL_FROM"].endswith("@localhost"):
        raise ImproperlyConfigured("EMAIL_FROM must name the sender of e-mails.")
    if values["EMAIL_SECURITY"] == "none":
        raise ImproperlyConfigured("EMAIL_SECURITY must be starttls or tls in production.")


def _check_addresses(values: Mapping[str, Any]) -> None:
    if any("*" in host for host in values["ALLOWED_HOSTS"]):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name hosts; production accepts no `*`.")
    addresses = {
        "CSRF_TRUSTED_ORIGINS": values["CSRF_TRUSTED_ORIGINS"],
        "PAYMENT_PROVIDERS": [url for _, url in values["PAYMENT_PROVIDERS"]],
        "WITNESSES": variables.texts(values["WITNESSES"]),
    }
    for name, urls in addresses.items():
        if not all(url.startswith("https://") and "*" not in url for url in urls):
            raise ImproperlyConfigured(f"{name} must hold https:// addresses without `*` in production.")
    if not values["CHECKPOINT_STORAGE"].startswith(("file:///", "https://")):
        raise ImproperlyConfigured("CHECKPOINT_STORAGE must be file:///folder or https://host/path in production.")
