"""The running system as its demo operator uses it, and the generated clients."""

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from casino.observability.process import ssl_context
from tests.support.typescript import NODE, compile_typescript, run
from tests.support.whole_system import System


@dataclass(frozen=True, slots=True)
class Service:
    """Where the system is, the operator's key, and the file with the document that it serves."""

    url: str
    key: str
    document: Path


@pytest.fixture(scope="session")
def service(shared_system: System, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Return the running system's address, document and demo operator's key."""
    stack, document = shared_system.stack, tmp_path_factory.mktemp("clients") / "api.json"
    document.write_bytes(httpx.get(f"{stack.base_url}/api/v1/schema", verify=ssl_context(), timeout=60).content)
    return Service(stack.base_url, (stack.home.folder / "operator-key").read_text(encoding="utf-8"), document)


@pytest.fixture(scope="session")
def generated(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Generate the client without a warning, and import it as `casino_client`."""
    folder = tmp_path_factory.mktemp("generated")
    configuration = folder / "configuration.yml"
    configuration.write_text("literal_enums: true\npost_hooks: []\n")
    generate = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(service.document)]
    options = ["--meta", "none", "--output-path", str(folder / "casino_client"), "--config", str(configuration)]
    subprocess.run([*generate, *options, "--fail-on-warning"], check=True)  # noqa: S603
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield
    for name in [name for name in sys.modules if name.startswith("casino_client")]:
        del sys.modules[name]


def call(tag: str, operation: str, client: Any, *arguments: Any, **options: Any) -> Any:
    """Call an operation of the generated client and return its parsed answer, which must not be a problem."""
    module = importlib.import_module(f"casino_client.api.{tag}.{operation}")
    answer = module.sync(*arguments, client=client, **options)
    assert answer is not None
    assert not type(answer).__name__.endswith("Problem"), answer
    return answer


@pytest.fixture
def connect(service: Service, generated: None) -> Generator[Callable[[str], Any]]:
    """Return `connect(token)`, which makes a client; all are closed at the end."""
    with ExitStack() as stack:
        client = importlib.import_module("casino_client").AuthenticatedClient
        yield lambda token: stack.enter_context(client(base_url=service.url, token=token))


@pytest.fixture(scope="session")
def run_typescript(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Compile the scripts of tests/node strictly with the types of the document.

    Return `run(script, *arguments)`, which runs one and returns its last line's JSON.
    """
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(NODE / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    scripts = [Path(shutil.copy(NODE / name, folder)) for name in ("morning.ts", "session.ts")]
    run("node_modules/.bin/openapi-typescript", str(service.document), "--output", "api.d.ts", cwd=folder)
    compile_typescript(folder, *scripts)
    return lambda script, *arguments: json.loads(
        run("node", f"{script}.js", service.url, service.key, *arguments, cwd=folder).splitlines()[-1]
    )
