"""The table of settings: what a variable may be, who may know it, and names that are none."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino import variables
from casino.devstack.home import PROJECT
from casino.variables import CONTAINERS, PROCESSES, TABLE, find_variable, own_variables, read, refuse_unknown, value

PRODUCTION = {"CASINO_ENV": "production", "CASINO_PROCESS": "worker"}


def test_each_name_is_declared_once_with_a_default_that_it_accepts() -> None:
    names = [each.name for each in (*TABLE, *CONTAINERS)]
    assert len(names) == len(set(names))
    for each in TABLE:
        assert set(each.of) <= set(PROCESSES)
        for production in (False, True):
            if default := each.default_in(production=production):
                each.kind(default)


def test_development_needs_nothing() -> None:
    given = read({})
    assert (given["FEED_DAYS"], given["WITNESSES"], given["LEGAL_HOLD"], given["CASINO_PROCESS"]) == (30, "", None, "")
    assert given["SECRET_KEY"] == variables.DEVELOPMENT_SECRET


@pytest.mark.parametrize("empty", ["", " , "])
def test_an_empty_value_is_as_none(empty: str) -> None:
    assert value("QUOTA_PER_ADDRESS", PRODUCTION | {"QUOTA_PER_ADDRESS": empty}) == 3000
    with pytest.raises(ImproperlyConfigured, match=r"Set ALLOWED_HOSTS \(or ALLOWED_HOSTS_FILE\) in the environment"):
        value("ALLOWED_HOSTS", PRODUCTION | {"ALLOWED_HOSTS": empty})


def test_a_value_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("2026a:5c\n", encoding="utf-8")
    assert value("SHOE_KEYS", PRODUCTION | {"SHOE_KEYS_FILE": str(tmp_path / "keys")}) == "2026a:5c"


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("PROXY_HOPS", "9", "PROXY_HOPS must be 1 to 8."),
        ("FEED_DAYS", "0", "FEED_DAYS must be 1 or more."),
        ("FEED_DAYS", "a month", "FEED_DAYS must be a whole number, not 'a month'."),
        ("CASINO_DEBUG", "yes", "CASINO_DEBUG must be true or false, not 'yes'."),
        ("LOG_FORMAT", "xml", "LOG_FORMAT must be lines, json, not 'xml'."),
        ("PAYMENT_PROVIDERS", "acme", "PAYMENT_PROVIDERS must be `name=value`, comma separated."),
    ],
)
def test_a_wrong_value_is_refused_with_the_name(name: str, given: str, reason: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        value(name, {name: given})
    assert str(refused.value) == reason


def test_a_process_has_no_secret_of_others() -> None:
    everything = {f"{each.name}{end}": "x" for each in TABLE if each.secret for end in ("", "_FILE")}
    for process in PROCESSES:
        assert all(
            process in find_variable(name.removesuffix("_FILE")).of for name in _without_process(process, everything)
        )
    assert own_variables("", everything) == everything | {"CASINO_PROCESS": ""}
    assert value("SECRET_KEY", PRODUCTION) == ""


def _without_process(process: str, environment: Mapping[str, str]) -> set[str]:
    return own_variables(process, environment).keys() - {"CASINO_PROCESS"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CASINO_DEBUGG", " Is CASINO_DEBUG meant?"),
        ("CASINO_FEED_DAYS", " Is FEED_DAYS meant?"),
        ("CASINO_DBG_FILE", " Is CASINO_DEBUG meant?"),
        ("CASINO_QWXYZ", ""),
        ("FEED_DAY", " Is FEED_DAYS meant?"),
        ("PLAYER_IDLE_SECONDES", " Is PLAYER_IDLE_SECONDS meant?"),
        ("CASINO_OWNER_PASWORD", " Is CASINO_OWNER_PASSWORD meant?"),
    ],
)
def test_a_name_that_is_no_setting_is_refused_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        refuse_unknown([name])
    assert str(refused.value) == f"{name} is no setting.{meant} deploy/docs/operations.md lists them all."


def test_names_of_ours_and_of_strangers_are_accepted() -> None:
    refuse_unknown([*(each.name for each in (*TABLE, *CONTAINERS)), "SECRET_KEY_FILE", "CASINO_HOME", "CASINO_URL"])
    refuse_unknown(["PATH", "HOME", "HOSTNAME", "LANG", "GPG_KEY", "PYTHON_VERSION", "PYTHON_SHA256", "DOCKER_HOST"])
    refuse_unknown(["COMPOSE_PROJECT_NAME", "COMPOSE_FILE", "HTTP_PROXY", "DJANGO_SETTINGS_MODULE", "PYTHONUNBUFFERED"])


def test_only_our_prefix_is_refused_where_strangers_share_the_environment() -> None:
    assert read({"FEED_DAY": "7"})["FEED_DAYS"] == 30
    with pytest.raises(ImproperlyConfigured, match="CASINO_FEED_DAYS is no setting"):
        read({"CASINO_FEED_DAYS": "7"})


def test_compose_checks_the_names_in_its_file_by_a_program() -> None:
    command = [sys.executable, "-m", "casino.variables"]
    done = subprocess.run(  # noqa: S603
        command, cwd=PROJECT, env={"PATH": "/bin", "FEED_DAY": "7"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "FEED_DAY is no setting. Is FEED_DAYS meant? deploy/docs/operations.md lists them all.\n"
