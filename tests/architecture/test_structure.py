"""The layout of the product: layers, and no string that names our own code."""

import ast
import re
import tomllib

from casino import settings
from tests.architecture.source import APPS, PROJECT, modules, tracked

FRAMEWORK_KEYS = re.compile(
    r"INSTALLED_APPS|DATABASES|MIDDLEWARE|ROOT_URLCONF|ASGI_APPLICATION|WSGI_APPLICATION|TEMPLATES|REST_FRAMEWORK|LOGGING|"
    r"SPECTACULAR_SETTINGS|SESSION_ENGINE|AUTHENTICATION_BACKENDS|AXES_.*|CELERY_.*|UNFOLD|FORMAT_MODULE_PATH|"
    r"DEFAULT_EXCEPTION_REPORTER_FILTER|STORAGES|STATICFILES_.*|PASSWORD_HASHERS|AUTH_PASSWORD_VALIDATORS"
)
OUR_PATH = re.compile(rf"^({'|'.join(APPS)})(\.[a-zA-Z_]\w*)+$")


def test_every_app_is_in_the_layers():
    config = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in config["tool"]["importlinter"]["contracts"] if each["id"] == "downward")
    layers = {name.strip() for line in contract["layers"] for name in re.split("[|:]", line)}
    packages = {"/".join(path.split("/")[:2]).replace("/", ".") for path in tracked() if path.startswith("casino/")}
    loose = {"casino.__init__.py", "casino.apps.py", "casino.celery.py", "casino.production.py", "casino.settings.py"}
    loose.add("casino.variables.py")
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
