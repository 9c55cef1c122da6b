"""The deployment's files agree with one another and with the code."""

import itertools
import json
import re
import shutil
import subprocess
import tomllib

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from casino.devstack.home import PROJECT
from tests.system.deploy.compose import COMPOSE, OURS, VALUES, VARIABLE, services
from tests.system.deploy.test_settings import settings_of

DEPLOY = PROJECT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_every_command_names_a_program_that_exists(name):
    command = services()[name]["command"]
    assert command[0] in {"python", "celery"}
    if command[:2] == ["python", "manage.py"]:
        assert isinstance(load_command_class(get_commands()[command[2]], command[2]), BaseCommand)


def test_the_image_serves_what_compose_serves():
    command = json.loads(re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    assert command == services()["web"]["command"]


def test_the_image_does_not_run_as_root_and_checks_its_health():
    last_stage = DOCKERFILE.rpartition("FROM ")[2]
    assert re.search(r"^USER casino$", last_stage, re.MULTILINE)
    assert "HEALTHCHECK" in last_stage
    assert last_stage.index("USER casino") < last_stage.index('CMD ["python", "-m", "casino.server"')


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


def test_the_example_environment_names_every_variable():
    example = re.findall(r"^(\w+)=", (DEPLOY / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    wanted = {name for name, _, _ in VARIABLE.findall(COMPOSE.read_text(encoding="utf-8"))} - {"CASINO_IMAGE"}
    assert set(example) == wanted


def test_names_in_the_environment_file_are_checked_before_anything_of_ours_starts():
    checks = services()["settings"]
    assert checks["command"] == ["python", "-m", "casino.variables"]
    assert checks["env_file"] == [{"path": ".env", "required": False}]
    assert checks["network_mode"] == "none"
    assert services()["migrate"]["depends_on"]["settings"] == {"condition": "service_completed_successfully"}


def test_a_secret_that_is_not_set_stops_the_start():
    for name in ("SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS", "CASINO_APP_PASSWORD", "ALLOWED_HOSTS"):
        with pytest.raises(KeyError, match=name):
            services({key: value for key, value in VALUES.items() if key != name})


@pytest.mark.parametrize("name", ["environment.sh", "roles.sh", "audit_dependencies.sh"])
def test_scripts_are_sound_shell(name):
    checked = subprocess.run([shutil.which("sh"), "-n", str(DEPLOY / name)], check=False)  # noqa: S603
    assert checked.returncode == 0


def constraints() -> dict[str, list[str]]:
    """Return the hashes of each pin, by `name==version`."""
    text = (PROJECT / "constraints.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.partition(" --hash=") for line in text.splitlines()]
    return {pin.partition(";")[0].strip(): hashes.split(" --hash=") for pin, _, hashes in lines}


def test_constraints_have_the_hashes_of_every_package_and_name_no_host():
    for pin, hashes in constraints().items():
        assert re.fullmatch(r"[a-z0-9._-]+==[A-Za-z0-9.+!]+", pin)
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each.strip()) for each in hashes)


def test_constraints_cover_what_the_project_and_its_extras_need():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    names = {re.match(r"[A-Za-z0-9._-]+", each)[0].lower().replace("_", "-") for each in needed}
    assert names <= {pin.partition("==")[0] for pin in constraints()}


@pytest.mark.parametrize(
    ("auditor", "status", "said"),
    [
        ("exit 0", 0, "ok, no known vulnerability"),
        ("shift 13; echo PYSEC-1 >$1; exit 1", 1, "PYSEC-1"),
        ("echo requests.exceptions.ConnectionError: nobody >&2; exit 1", 0, "skipped, because no index"),
        ("echo invalid requirement >&2; exit 1", 1, "invalid requirement"),
    ],
)
def test_the_audit_of_dependencies_skips_only_without_an_index(tmp_path, auditor, status, said):
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{auditor}\n", encoding="utf-8")
    program.chmod(0o700)
    command = [shutil.which("sh"), str(DEPLOY / "audit_dependencies.sh"), str(program), "constraints.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout


def test_the_image_installs_with_hashes_and_from_one_pinned_base():
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${PYTHON_IMAGE}", "${PYTHON_IMAGE}"]
    assert re.findall(r"\bpip install\b", DOCKERFILE) == []
    assert "RUN python install.py /opt/casino/bin/python ${EXTRAS}\n" in DOCKERFILE


def test_production_refuses_an_image_without_a_digest(monkeypatch):
    for name in ("POSTGRES_IMAGE", "REDIS_IMAGE", "PYTHON_IMAGE"):
        environment = services({**VALUES, name: "somewhere/image:1"})["migrate"]["environment"]
        with pytest.raises(ImproperlyConfigured, match="somewhere/image:1 has no digest"):
            settings_of(environment, monkeypatch)
