"""Production refuses development settings."""

import os
import re
import runpy
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from django.core.exceptions import ImproperlyConfigured

from casino.devstack.home import PROJECT
from casino.variables import TABLE, own_variables
from tests.processes import clean_environment
from tests.system.deploy.compose import OURS, services
from tests.wallet.remote.profiles.counterparts import as_setting

SHORT_RSA_KEY = generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505  (to be refused)
PRODUCTION = services()["web"]["environment"]
SECRETS = [each for each in TABLE if each.secret]
NEEDED = [each for each in SECRETS if each.default_in(production=True) is None]


def check(*arguments, environment):
    command = [sys.executable, "manage.py", "check", *arguments]
    return subprocess.run(  # noqa: S603
        command, cwd=PROJECT, env=clean_environment(**environment), capture_output=True, text=True, check=False
    )


def settings_of(environment, monkeypatch):
    """Load the settings in this environment and nothing else."""
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in clean_environment(**environment).items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(PROJECT / "casino" / "settings.py"))


def test_the_deployment_check_has_no_warnings(tmp_path):
    done = check("--deploy", "--fail-level", "WARNING", environment={**PRODUCTION, "STATIC_ROOT": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "no issues (1 silenced)" in done.stdout  # a check of django-axes, whose middleware is replaced


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"CASINO_DEBUG": "true"}, "CASINO_DEBUG must be false in production"),
        ({"SECRET_KEY": "development-only-secret-never-use-in-production"}, "SECRET_KEY must be a secret of your own"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY must be a secret of your own"),
        ({"SHOE_KEYS": "development:" + "00" * 32}, "SHOE_KEYS must hold keys of your own"),
        ({"SHOE_KEYS": "mine:" + "00" * 32}, "SHOE_KEYS must hold keys of your own"),
        ({"PERSONAL_KEYS": "development:" + "00" * 32}, "PERSONAL_KEYS must hold keys of your own"),
        ({"CHECKPOINT_KEYS": "development:" + "5c" * 32}, "CHECKPOINT_KEYS must hold keys of your own"),
        ({"CHECKPOINT_STORAGE": ""}, "Set CHECKPOINT_STORAGE"),
        ({"CHECKPOINT_STORAGE": "http://plain.example/x"}, "CHECKPOINT_STORAGE must be file:///folder or https://"),
        ({"ALLOWED_HOSTS": ""}, "Set ALLOWED_HOSTS"),
        ({"ALLOWED_HOSTS": " , "}, "Set ALLOWED_HOSTS"),
        ({"ALLOWED_HOST": "casino.example.com", "CASINO_PORT": "1"}, "CASINO_PORT is no setting. Is PORT meant?"),
        ({"ALLOWED_HOSTS": "casino.example,*"}, "ALLOWED_HOSTS must name hosts"),
        ({"CSRF_TRUSTED_ORIGINS": "https://a.example,http://b.example"}, "CSRF_TRUSTED_ORIGINS must hold https://"),
        ({"CSRF_TRUSTED_ORIGINS": "https://*.example"}, "CSRF_TRUSTED_ORIGINS must hold https://"),
        ({"PAYMENT_PROVIDERS": "p=http://1.2.3.4"}, "PAYMENT_PROVIDERS must hold https://"),
        (
            {"WITNESSES": f"http://w.example {'c' * 80} -", "LOG_ORIGIN": "casino.example/log"},
            "WITNESSES must hold https://",
        ),
        ({"PAYMENT_SECRETS": "p=short"}, "PAYMENT_SECRETS must be of 32 characters"),
        ({"WALLET_RSA_KEY": "c2VjcmV0"}, "WALLET_RSA_KEY must be an RSA key of 2048 bits or more"),
        ({"WALLET_RSA_KEY": as_setting(SHORT_RSA_KEY)}, "WALLET_RSA_KEY must be an RSA key of 2048 bits or more"),
        ({"CASINO_PROCESS": "clerk"}, "CASINO_PROCESS must be migrate, web, worker"),
        ({"PROXY_HOPS": "0"}, "PROXY_HOPS must be 1 to 8"),
        ({"BEHIND_TLS_PROXY": "yes"}, "BEHIND_TLS_PROXY must be true or false"),
        ({"DEMO_OPERATOR": "demo"}, "DEMO_OPERATOR must be empty in production"),
        ({"FORCED_CARDS": "true"}, "FORCED_CARDS must be false in production"),
        ({"SCRIPT_NAME": "casino/"}, "SCRIPT_NAME must begin with a slash"),
        ({"STAFF_TOTP_REQUIRED": "false"}, "STAFF_TOTP_REQUIRED must be true in production"),
        ({"STAFF_IDLE_SECONDS": "1801"}, "STAFF_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_IDLE_SECONDS": "10"}, "PLAYER_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_IDLE_SECONDS": "1801"}, "PLAYER_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_AWAY_SECONDS": "59"}, "PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS"),
        ({"SEAT_HOLD_SECONDS": "60"}, "PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS"),
        ({"BETTING_WEEK": "friday"}, "BETTING_WEEK: A betting week is written"),
        ({"CURRENCIES": "EUR:8"}, "CURRENCIES: EUR is a currency of ISO 4217"),
        ({"CURRENCIES": "BTC:9"}, "CURRENCIES: A currency is written BTC:8"),
    ],
)
def test_production_does_not_start_with(monkeypatch, changes, reason):
    with pytest.raises(ImproperlyConfigured, match=re.escape(reason)):
        settings_of({**PRODUCTION, **changes}, monkeypatch)


@pytest.mark.parametrize(("process", "name"), [(process, each.name) for each in NEEDED for process in each.of])
def test_a_process_does_not_start_without_its_secrets(monkeypatch, process, name):
    environment = services()[process]["environment"]
    with pytest.raises(ImproperlyConfigured, match=f"Set {name}"):
        settings_of({key: value for key, value in environment.items() if key != name}, monkeypatch)


@pytest.mark.parametrize("name", [each.name for each in NEEDED])
def test_a_command_of_no_process_needs_every_secret(monkeypatch, name):
    environment = {**PRODUCTION, "CASINO_PROCESS": "", "CHECKPOINT_KEYS": "none"}
    settings_of(environment, monkeypatch)
    del environment[name]
    with pytest.raises(ImproperlyConfigured, match=f"Set {name}"):
        settings_of(environment, monkeypatch)


@pytest.mark.parametrize("process", OURS)
def test_compose_gives_each_process_its_own_secrets_only(process):
    environment = services()[process]["environment"]
    assert environment["CASINO_PROCESS"] == process
    assert {each.name for each in SECRETS if each.name in environment} == {e.name for e in SECRETS if process in e.of}
    assert own_variables(process, environment) == environment


def test_the_image_is_built_without_a_secret(monkeypatch):
    dockerfile = (PROJECT / "deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"^RUN (CASINO_ENV=production .*) python manage.py collectstatic", dockerfile, re.MULTILINE)
    settings = settings_of(dict(word.split("=", 1) for word in line.split()), monkeypatch)
    assert not any(settings[name] for name in ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS"))


def test_cookies_of_production_belong_to_the_host_alone(monkeypatch):
    settings = settings_of(PRODUCTION, monkeypatch)
    assert (settings["SESSION_COOKIE_NAME"], settings["CSRF_COOKIE_NAME"]) == ("__Host-sessionid", "__Host-csrftoken")
    assert settings["KNOWN_BROWSER_COOKIE_NAME"] == "__Host-known_browser"
    assert settings["SESSION_COOKIE_SECURE"]
    assert settings["CSRF_COOKIE_SECURE"]


def test_a_refused_setting_ends_the_process():
    done = check(environment={**PRODUCTION, "SECRET_KEY": "short"})
    assert done.returncode != 0
    assert "SECRET_KEY must be a secret of your own" in done.stderr


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"EMAIL_HOST": ""}, "Set EMAIL_HOST"),
        ({"EMAIL_FROM": "casino@localhost"}, "EMAIL_FROM must name the sender"),
        ({"EMAIL_SECURITY": "none"}, "EMAIL_SECURITY must be starttls or tls"),
        ({"EMAIL_SECURITY": "ssl"}, "EMAIL_SECURITY must be"),
    ],
)
def test_the_process_that_sends_emails_does_not_start_with(monkeypatch, changes, reason):
    sender = services()["worker-background"]["environment"]
    with pytest.raises(ImproperlyConfigured, match=re.escape(reason)):
        settings_of({**sender, **changes}, monkeypatch)
