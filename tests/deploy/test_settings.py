"""Production refuses what only development may have."""

import os
import re
import runpy
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino.devstack.home import PROJECT
from tests.deploy.compose import services
from tests.processes import clean_environment

PRODUCTION = services()["web"]["environment"]


def check(*arguments, environment):
    command = [sys.executable, "manage.py", "check", *arguments]
    return subprocess.run(  # noqa: S603
        command, cwd=PROJECT, env=clean_environment(**environment), capture_output=True, text=True, check=False
    )


def settings_of(environment, monkeypatch):
    """The settings as a process would read them that has this environment and nothing else."""
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in clean_environment(**environment).items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(PROJECT / "casino" / "settings.py"))


def test_the_check_for_deployment_is_clean(tmp_path):
    done = check("--deploy", "--fail-level", "WARNING", environment={**PRODUCTION, "STATIC_ROOT": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "no issues (1 silenced)" in done.stdout  # that of django-axes, whose middleware is replaced


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
        ({"CHECKPOINT_STORAGE": ""}, "CHECKPOINT_STORAGE must name a storage"),
        ({"ALLOWED_HOSTS": ""}, "Set ALLOWED_HOSTS"),
        ({"BEHIND_TLS_PROXY": "yes"}, "BEHIND_TLS_PROXY must be true or false"),
        ({"DEMO_OPERATOR": "demo"}, "DEMO_OPERATOR must be empty in production"),
        ({"SCRIPT_NAME": "casino/"}, "SCRIPT_NAME must begin with a slash"),
        ({"STAFF_TOTP_REQUIRED": "false"}, "STAFF_TOTP_REQUIRED must be true in production"),
        ({"STAFF_IDLE_SECONDS": "1801"}, "STAFF_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_IDLE_SECONDS": "10"}, "PLAYER_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_IDLE_SECONDS": "1801"}, "PLAYER_IDLE_SECONDS must be 60 to 1800"),
        ({"PLAYER_AWAY_SECONDS": "59"}, "PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS"),
        ({"SEAT_HOLD_SECONDS": "60"}, "PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS"),
        ({"BETTING_WEEK": "friday"}, "BETTING_WEEK: A betting week is written"),
    ],
)
def test_production_does_not_start_with(monkeypatch, changes, reason):
    with pytest.raises(ImproperlyConfigured, match=re.escape(reason)):
        settings_of({**PRODUCTION, **changes}, monkeypatch)


@pytest.mark.parametrize("name", ["SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS"])
def test_production_does_not_start_without(monkeypatch, name):
    with pytest.raises(ImproperlyConfigured, match=f"Set {name}"):
        settings_of({key: value for key, value in PRODUCTION.items() if key != name}, monkeypatch)


def test_a_setting_that_is_refused_ends_the_start():
    done = check(environment={**PRODUCTION, "SECRET_KEY": "short"})
    assert done.returncode != 0
    assert "SECRET_KEY must be a secret of your own" in done.stderr
