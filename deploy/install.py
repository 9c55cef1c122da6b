"""Install what the project and the extras named need, and the project: `python deploy/install.py TARGET [EXTRA...]`.

Run it in the project's folder; TARGET is the Python of the environment to install into. Every file must have a hash
that constraints.txt lists. uv installs, from the indexes that pip is configured with and with its certificates; pip
installs where uv cannot be had or fails. Both come into the environment of the Python that runs this. For the image (no
extra, or `tracing`), which holds the project's files themselves, nothing is built from sources, and all is compiled;
elsewhere each module is when it is imported.
"""

import ast
import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

CONSTRAINTS = Path("constraints.txt")
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
HASHED = ["--require-hashes"]
EDITABLE = ["--no-deps", "--no-build-isolation", "--editable", "."]
ON = {"1", "true", "yes", "on", "y", "t"}


def requirements(extras: Sequence[str]) -> list[str]:
    """Return what pyproject.toml asks for."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sum((project["optional-dependencies"][extra] for extra in extras), project["dependencies"])


def pins(text: str) -> dict[str, str]:
    """Return the lines of constraints.txt by the package's name: pins and the hashes of their files."""
    found: dict[str, str] = {}
    for pin in re.findall(r"^(?:.*\\\n)*.*\n", text, re.MULTILINE):
        name = pin.partition("==")[0]
        found[name] = found.get(name, "") + pin
    return found


def pip_settings(listing: str) -> dict[str, str]:
    """Read `pip config list`: settings of pip's files, and over them of its environment."""
    settings: dict[str, str] = {}
    for section in ("global.", "install.", ":env:."):
        for line in listing.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(section):
                settings[name.removeprefix(section)] = ast.literal_eval(value)
    return settings


def uv_variables(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return uv's environment with pip's settings, which uv does not read; what is set for uv itself goes before."""
    places = [place for place in settings.get("find-links", "").split() if _exists(place)]
    bundle = settings.get("cert") or environment.get("REQUESTS_CA_BUNDLE") or environment.get("CURL_CA_BUNDLE")
    values = {
        "UV_DEFAULT_INDEX": settings.get("index-url"),
        "UV_INDEX": " ".join(settings.get("extra-index-url", "").split()),
        "UV_FIND_LINKS": ",".join(places),
        "UV_INSECURE_HOST": " ".join(settings.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": settings.get("timeout") or settings.get("default-timeout"),
        "UV_NO_CACHE": "1" if settings.get("no-cache-dir", "").lower() in ON else None,
        "SSL_CERT_FILE": bundle,
        "SSL_CLIENT_CERT": settings.get("client-cert"),
        "HTTP_PROXY": settings.get("proxy"),
        "HTTPS_PROXY": settings.get("proxy"),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # a version on any index, as pip does: hashes say which file is meant
        "UV_SYSTEM_CERTS": "1",
    }
    return {**{name: value for name, value in values.items() if value}, **environment}


def _exists(place: str) -> bool:
    """Return whether a place of packages exists, as far as this machine knows: uv fails at a folder that does not."""
    parts = urlsplit(place)
    if parts.scheme not in {"", "file"}:
        return True
    return Path(url2pathname(parts.path) if parts.scheme else place).expanduser().exists()


def install_by_uv(target: str, needed: list[str], folder: Path, *, image: bool) -> None:
    """Install by uv. Raises CalledProcessError or OSError."""
    known = pins(CONSTRAINTS.read_text(encoding="utf-8"))
    _install_tools(["uv"], known, folder)
    settings = pip_settings(_run([*PIP, "config", "list"]))
    environment = uv_variables(settings, os.environ)
    uv, into = [sys.executable, "-m", "uv", "pip"], ["--quiet", "--python", target]
    kind = ["--only-binary", ":all:"] if image else []
    if settings.get("no-index", "").lower() in ON:
        kind.append("--no-index")
    constraints = [part for each in settings.get("constraint", "").split() for part in ("--constraint", each)]
    plain = ["--no-header", "--no-annotate", "--constraint", str(CONSTRAINTS), *constraints]
    chosen = _run([*uv, "compile", *into, *plain, *kind, _written(folder, needed)], environment)
    # A package that constraints.txt does not know stays without a hash here, and uv refuses it.
    pinned = [known.get(line.partition("==")[0], line) for line in chosen.splitlines()]
    kind += ["--compile-bytecode"] if image else []
    _run([*uv, "install", *into, *HASHED, "--no-deps", *kind, "--requirement", _written(folder, pinned)], environment)
    if not image:
        _run([*uv, "install", *into, *EDITABLE], environment)


def install_by_pip(target: str, needed: list[str], folder: Path, *, image: bool) -> None:
    """Install by pip. Raises CalledProcessError."""
    # The one that comes with Python may be too old to read hashes from constraints.
    _install_tools(["pip", "setuptools"], pins(CONSTRAINTS.read_text(encoding="utf-8")), folder)
    pip = [*PIP, "--python", target, "install", "--quiet"]
    kind = ["--only-binary", ":all:"] if image else []
    _run([*pip, *HASHED, "--constraint", str(CONSTRAINTS), *kind, "--requirement", _written(folder, needed)])
    if not image:
        _run([*pip, *EDITABLE])


def _install_tools(names: list[str], known: Mapping[str, str], folder: Path) -> None:
    """Install these into the environment of this Python, as pinned."""
    missing = [known[name] for name in names if f"{name}=={_version(name)}" != known[name].split()[0]]
    if missing:
        kind = ["--quiet", *HASHED, "--no-deps", "--only-binary", ":all:"]
        _run([*PIP, "install", *kind, "--requirement", _written(folder, missing)])


def _written(folder: Path, lines: list[str]) -> str:
    """Write a file of requirements and return its path."""
    file = folder / "requirements.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _run(command: list[str], environment: Mapping[str, str] | None = None) -> str:
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: S603


def _reason(error: Exception) -> str:
    """Return what an installer said, without warnings."""
    said = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
    return "\n".join(line for line in said.splitlines() if line and not line.startswith("WARNING"))


def main(target: str, *extras: str) -> str | None:
    """Install, and return what went wrong."""
    needed, image = requirements(extras), set(extras) <= {"tracing"}
    with tempfile.TemporaryDirectory() as name:
        try:
            install_by_uv(target, needed, Path(name), image=image)
        except (OSError, KeyError, subprocess.CalledProcessError) as error:
            reason = " ".join(_reason(error).split())[:200]
            print(f"uv did not install ({reason}). pip does, which takes longer.", file=sys.stderr, flush=True)
            try:
                install_by_pip(target, needed, Path(name), image=image)
            except subprocess.CalledProcessError as failure:
                return _reason(failure)
    return None


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
