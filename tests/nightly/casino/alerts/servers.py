"""A watch, Prometheus and Alertmanager as they are shipped, on this machine."""

import shutil
import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.services import process_environment
from casino.devstack.system import HOST, free_port
from tests.programs import needs

SHIPPED = PROJECT / "deploy" / "prometheus"
both_installed = needs("prometheus", "prometheus-alertmanager")


@contextmanager
def alerting(
    folder: Path, service: str, *, mail_port: int, dead_man: str, token: str, environment: Mapping[str, str]
) -> Generator[dict[str, Child]]:
    """Run them until the block ends; Alertmanager's mail goes to `mail_port`, its signals to `dead_man`."""
    port, alertmanager_port = free_port(0), free_port(0)
    (folder / "metrics_token").write_text(token, encoding="utf-8")
    shutil.copy(SHIPPED / "rules.yaml", folder)
    _write(folder / "alertmanager.yaml", _alertmanager(mail_port, dead_man))
    _write(folder / "prometheus.yaml", _prometheus(folder, service, alertmanager_port))
    lines = {
        "watch": [sys.executable, "manage.py", "watch", f"{service}/healthz"],
        "alertmanager": [
            "prometheus-alertmanager", f"--config.file={folder / 'alertmanager.yaml'}",
            f"--storage.path={folder / 'alertmanager'}", f"--web.listen-address={HOST}:{alertmanager_port}",
            "--cluster.listen-address=",
        ],
        "prometheus": [
            "prometheus", f"--config.file={folder / 'prometheus.yaml'}", f"--storage.tsdb.path={folder / 'tsdb'}",
            f"--web.listen-address={HOST}:{port}",
        ],
    }  # fmt: skip
    with ExitStack() as exits:
        children = {}
        for name, line in lines.items():
            if not shutil.which(line[0]):
                continue
            own = process_environment("watch", environment)
            child = Child(name=name, command=line, environment=own, log=folder / f"{name}.log", folder=PROJECT)
            exits.callback(child.stop)
            child.start()
            children[name] = child
        yield children


def _write(file: Path, content: Mapping[str, Any]) -> None:
    file.write_text(yaml.safe_dump(content), encoding="utf-8")


def _alertmanager(mail_port: int, dead_man: str) -> Mapping[str, Any]:
    config = yaml.safe_load((SHIPPED / "alertmanager.yaml").read_text(encoding="utf-8"))
    config["global"] |= {"smtp_smarthost": f"{HOST}:{mail_port}", "smtp_require_tls": False}
    (hook,) = (each["webhook_configs"][0] for each in config["receivers"] if "webhook_configs" in each)
    hook["url"] = dead_man
    return config


def _prometheus(folder: Path, service: str, alertmanager_port: int) -> Mapping[str, Any]:
    config = yaml.safe_load((SHIPPED / "prometheus.yaml").read_text(encoding="utf-8"))
    config["global"]["external_labels"]["casino"] = service
    config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [f"{HOST}:{alertmanager_port}"]
    (job,) = config["scrape_configs"]
    job["authorization"]["credentials_file"] = str(folder / "metrics_token")
    job["static_configs"][0]["targets"] = [service.partition("://")[2]]
    return config
