"""Checks of production settings: which secrets a process needs, and values that production refuses."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from casino import env
from casino.crypto.rsa_keys import parse_rsa_key

SECRETS: Final = ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS")
NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "": SECRETS,
    "web": ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS"),
    "worker": ("SHOE_KEYS",),
    "worker-background": ("SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS"),
    "worker-outbound": ("PERSONAL_KEYS",),
    "watch": (),
    "sealer": (),
    "migrate": ("PERSONAL_KEYS",),
}
"""Secrets by CASINO_PROCESS, without which a process does not start; a process of no kind needs all."""
USES_PROVIDER_SECRETS: Final = ("", "web", "worker-background")
"""Processes that read PAYMENT_SECRETS, where there is a provider."""
SIGNS_CLOSINGS: Final = ("", "worker", "worker-background")
"""Processes that read CLOSING_KEYS, where there is a witness."""
ASKS_WALLETS: Final = ("", "web", "worker-outbound")
"""Processes that read WALLET_RSA_KEY, where operators' own wallets are asked as `hub88`."""
SENDS_MAIL: Final = ("worker-background", "watch")
"""The processes that send e-mails, the second one those of alerts, and read EMAIL_PASSWORD."""
READS_FIGURES: Final = ("", "web", "watch")
"""Processes that know METRICS_TOKEN: the second one asks the first."""
_MIN_SECRET_KEY_LENGTH: Final = 50
_MIN_PROVIDER_SECRET_LENGTH: Final = 32


def secret(name: str, process: str, *, development: str | None) -> str:
    """Read a secret: empty if the process neither needs nor has it. Raises ImproperlyConfigured."""
    return env.text(name, development if name in NEEDS[process] else "")


def own_variables(process: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without other processes' secrets."""
    others = {name for name in SECRETS if name not in NEEDS[process]}
    if "SECRET_KEY" in others:
        others.add("SECRET_KEY_FALLBACKS")
    if process not in USES_PROVIDER_SECRETS:
        others.add("PAYMENT_SECRETS")
    if process not in SIGNS_CLOSINGS:
        others.add("CLOSING_KEYS")
    if process not in ASKS_WALLETS:
        others.add("WALLET_RSA_KEY")
    if process not in READS_FIGURES:
        others.add("METRICS_TOKEN")
    if process not in ("", *SENDS_MAIL):
        others.add("EMAIL_PASSWORD")
    return {name: value for name, value in environment.items() if name.removesuffix("_FILE") not in others} | {
        "CASINO_PROCESS": process
    }


def check(settings: Mapping[str, Any]) -> None:
    """Raise ImproperlyConfigured for the first value that is unsafe in production."""
    if settings["DEBUG"]:
        raise ImproperlyConfigured("CASINO_DEBUG must be false in production.")
    if settings["DEMO_OPERATOR"]:
        raise ImproperlyConfigured("DEMO_OPERATOR must be empty in production.")
    if settings["FORCED_CARDS"]:
        raise ImproperlyConfigured("FORCED_CARDS must be false in production.")
    if not settings["STAFF_TOTP_REQUIRED"]:
        raise ImproperlyConfigured("STAFF_TOTP_REQUIRED must be true in production.")
    _check_secrets(settings)
    _check_addresses(settings)
    _check_mail(settings)
    _check_images(env.string_list("CONTAINER_IMAGES"))


def _check_secrets(settings: Mapping[str, Any]) -> None:
    needed = NEEDS[settings["PROCESS"]]
    key, earlier = settings["SECRET_KEY"], settings["SECRET_KEY_FALLBACKS"]
    if (key or "SECRET_KEY" in needed) and not all(_is_strong(each) for each in (key, *earlier)):
        raise ImproperlyConfigured(
            "SECRET_KEY must be a secret of your own, of 50 characters or more; its fallbacks, too."
        )
    for name in SECRETS[1:]:
        keys = settings[name]
        if (name in needed and not keys) or "development" in keys or "00" * 32 in keys:
            or_none = " (or be `none`)" if name == "CHECKPOINT_KEYS" else ""
            raise ImproperlyConfigured(f"{name} must hold keys of your own{or_none}: key-id:64 hex digits.")
    closing_keys = settings["CLOSING_KEYS"]
    if settings["WITNESSES"] and settings["PROCESS"] in SIGNS_CLOSINGS and not closing_keys:
        raise ImproperlyConfigured("CLOSING_KEYS must hold a key of your own where WITNESSES are set.")
    if "development" in closing_keys or "00" * 32 in closing_keys:
        raise ImproperlyConfigured("CLOSING_KEYS must hold keys of your own: key-id:64 hex digits.")
    if settings["WALLET_RSA_KEY"]:
        parse_rsa_key("WALLET_RSA_KEY", settings["WALLET_RSA_KEY"])
    secrets = [each for of_provider in settings["PAYMENT_SECRETS"].values() for each in of_provider]
    if any(len(each) < _MIN_PROVIDER_SECRET_LENGTH for each in secrets):
        raise ImproperlyConfigured("PAYMENT_SECRETS must be of 32 characters or more.")


def _check_mail(settings: Mapping[str, Any]) -> None:
    if settings["PROCESS"] not in SENDS_MAIL:
        return
    if not settings["EMAIL_HOST"] or settings["DEFAULT_FROM_EMAIL"].endswith("@localhost"):
        raise ImproperlyConfigured("EMAIL_HOST and EMAIL_FROM must name your mail server and the sender.")
    if settings["EMAIL_SECURITY"] == "none":
        raise ImproperlyConfigured("EMAIL_SECURITY must be starttls or tls in production.")


def _is_strong(key: str) -> bool:
    return "development" not in key and len(key) >= _MIN_SECRET_KEY_LENGTH


def _check_images(images: Sequence[str]) -> None:
    for image in images:
        if not re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image):
            raise ImproperlyConfigured(f"CONTAINER_IMAGES: {image} has no digest (name@sha256:...).")


def _check_addresses(settings: Mapping[str, Any]) -> None:
    if not settings["ALLOWED_HOSTS"]:
        raise ImproperlyConfigured("Set ALLOWED_HOSTS to the names this service answers to.")
    if any("*" in host for host in settings["ALLOWED_HOSTS"]):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name hosts; production accepts no `*`.")
    addresses = {
        "CSRF_TRUSTED_ORIGINS": settings["CSRF_TRUSTED_ORIGINS"],
        "PAYMENT_PROVIDERS": settings["PAYMENT_PROVIDERS"].values(),
        "WITNESSES": [each.strip() for each in settings["WITNESSES"].split(",") if each.strip()],
    }
    for name, urls in addresses.items():
        if not all(url.startswith("https://") and "*" not in url for url in urls):
            raise ImproperlyConfigured(f"{name} must hold https:// addresses without `*` in production.")
    if not settings["CHECKPOINT_STORAGE"]:
        raise ImproperlyConfigured("CHECKPOINT_STORAGE must name a storage outside the database.")
    if not settings["CHECKPOINT_STORAGE"].startswith(("file:///", "https://")):
        raise ImproperlyConfigured("CHECKPOINT_STORAGE must be file:///folder or https://host/path in production.")
