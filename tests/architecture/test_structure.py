"""The layout of the product: layers, sizes, and no string that names our own code."""

import ast
import re
import tomllib
from collections import defaultdict

from casino import settings
from tests.architecture.source import APPS, PROJECT, modules, tracked

LONGEST, SHORTEST = 400, 60
STAND_ALONE = {"baccarat/proofs/verifier.py"}
"""May be as long as it is: it is one file on purpose, so that a stranger can read and run it alone."""
EXCEPTED = {
    "__init__.py",
    "__main__.py",
    "apps.py",
    "urls.py",
    "admin.py",
    "models.py",
    "tasks.py",
    "refusals.py",
    "celery.py",
}
FRAMEWORK_KEYS = re.compile(
    r"INSTALLED_APPS|DATABASES|MIDDLEWARE|ROOT_URLCONF|ASGI_APPLICATION|WSGI_APPLICATION|TEMPLATES|REST_FRAMEWORK|LOGGING|"
    r"SPECTACULAR_SETTINGS|SESSION_ENGINE|AUTHENTICATION_BACKENDS|AXES_.*|CELERY_.*|UNFOLD|FORMAT_MODULE_PATH|"
    r"DEFAULT_EXCEPTION_REPORTER_FILTER|STORAGES|STATICFILES_.*|PASSWORD_HASHERS|AUTH_PASSWORD_VALIDATORS"
)
OUR_PATH = re.compile(rf"^({'|'.join(APPS)})(\.[a-zA-Z_]\w*)+$")


def test_every_app_is_in_the_layers():
    config = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in config["tool"]["importlinter"]["contracts"] if each["id"] == "downward")
    layers = {name.strip() for line in contract["layers"] for name in line.split("|")}
    packages = {"/".join(path.split("/")[:2]).replace("/", ".") for path in tracked() if path.startswith("casino/")}
    loose = {"casino.__init__.py", "casino.apps.py", "casino.celery.py", "casino.env.py", "casino.production.py"}
    loose.add("casino.settings.py")
    apps = {name.removesuffix(".py") for name in packages - loose}
    assert apps <= layers
    assert {"baccarat", "wallet"} <= layers


def test_nothing_imports_our_own_code_by_a_string():
    offenders = [
        f"{module.path}:{node.lineno}"
        for module in modules(*APPS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.module_loading"
    ]
    assert offenders == []


def test_settings_name_our_own_code_only_where_a_framework_asks_for_it():
    def paths(value):
        if isinstance(value, str):
            return [value] if OUR_PATH.match(value) else []
        if isinstance(value, dict):
            return [path for each in value.items() for part in each for path in paths(part)]
        if isinstance(value, list | tuple):
            return [path for part in value for path in paths(part)]
        return []

    offenders = {
        key: names
        for key in dir(settings)
        if key.isupper() and not FRAMEWORK_KEYS.fullmatch(key) and (names := paths(getattr(settings, key)))
    }
    assert offenders == {}


def test_no_file_is_too_long():
    long = {
        path: lines
        for path in tracked()
        if path.endswith((".py", ".js", ".css", ".html", ".sql")) and path not in STAND_ALONE
        if not path.startswith("tests/") and "/migrations/" not in path
        if (lines := (PROJECT / path).read_text(encoding="utf-8").count("\n")) > LONGEST
    }
    assert long == {}


def test_no_small_file_is_there_for_one_neighbour_alone():
    importers = defaultdict(set)
    for module in modules(*APPS, "tests"):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                importers[node.module].add(module.name)
                for alias in node.names:
                    importers[f"{node.module}.{alias.name}"].add(module.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    importers[alias.name].add(module.name)
    offenders = []
    for module in modules(*APPS):
        if module.lines >= SHORTEST or module.path.rsplit("/", 1)[1] in EXCEPTED or "/management/" in module.path:
            continue
        users = {name for name in importers[module.name] if not name.startswith("tests.")}
        package = module.name.rsplit(".", 1)[0]
        if len(users) == 1 and next(iter(users)).rsplit(".", 1)[0] == package:
            offenders.append(f"{module.path} ({module.lines} lines), only for {next(iter(users))}")
    assert offenders == []
