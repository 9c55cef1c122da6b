"""`manage.py witness`: run a witness, or compare what two sources say. Needs no database, Redis or settings."""

import logging
import multiprocessing
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from casino.observability.process import end_with_parent
from casino.witness.app import Application
from casino.witness.compare import CannotCompare, compare, read_source
from casino.witness.houses import read_houses
from casino.witness.service import Witness
from casino.witness.store import CannotStart, Store

CONNECTIONS: Final = 1024
IDLE_SECONDS: Final = 65
GRACE_SECONDS: Final = 5


def main(arguments: Sequence[str]) -> None:
    """Run what the arguments say. Exits with a message if it cannot."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        if options.compare:
            _compare(*options.compare, origin=options.origin)
        else:
            _serve(options)
    except CannotStart as error:
        sys.exit(f"The witness does not start. {error}")
    except CannotCompare as error:
        sys.exit(f"Nothing is compared. {error}")


def _compare(first: str, second: str, *, origin: str) -> None:
    """Print the contradictions; exit 1 if there are any."""
    sources = [read_source(name, origin=origin) for name in (first, second)]
    findings = compare(*sources)
    for finding in findings:
        print(f"{finding.kind}: {finding.location}\n  {finding.expected}\n  {finding.actual}")
    for source in sources:
        print(f"{source.name}: {len(source.statements)} statements, {len(source.notes)} checkpoints")
        for line in source.describe_results():
            print(f"  {line}")
    print(f"{len(findings)} findings" if findings else "No contradiction.")
    if findings:
        sys.exit(1)


def _serve(options: Namespace) -> None:
    witness = _open(options, restored=options.restored)
    _print_identity(witness, options)
    witness.store.close()
    multiprocessing.set_start_method("fork", force=True)  # from Python 3.14 on it is not the default

    def start_process(_target: str) -> Any:
        end_with_parent(after=0, grace=GRACE_SECONDS)
        return Application(_open(options, restored=False))

    Server(
        "witness",
        address=options.host,
        port=options.port,
        interface=Interfaces.ASGINL,
        workers=1,
        http=HTTPModes.http1,
        websockets=False,
        backlog=CONNECTIONS,
        backpressure=CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1000),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=GRACE_SECONDS,
    ).serve(target_loader=start_process)


def _open(options: Namespace, *, restored: bool) -> Witness:
    """Open the folder. Raises CannotStart."""
    houses = read_houses(options.houses or options.data / "houses")
    store = Store(options.data, name=options.name, generation_file=options.generation_file)
    try:
        return Witness(store, houses, restored=restored)
    except BaseException:
        store.close()
        raise


def _print_identity(witness: Witness, options: Namespace) -> None:
    identity = witness.store.identity
    print(f"witness      {identity.name} at http://{options.host}:{options.port}", flush=True)
    print(f"release key  {identity.release_key.hex()}")
    print(f"cosigner     {identity.cosign_key.vkey}")
    print(f"generation   {witness.store.epoch().generation}")
    print(f"origins      {', '.join(sorted(witness.houses)) or 'none: add lines to the file of houses'}", flush=True)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="manage.py witness", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("witness-data"), help="folder of keys and database")
    parser.add_argument("--name", default="witness.localhost", help="the name under which it cosigns, for good")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8700)
    parser.add_argument("--houses", type=Path, help="whom it serves (default: the file `houses` in the folder)")
    parser.add_argument(
        "--generation-file", type=Path, help="never in a backup (default: the folder's name with .generation)"
    )
    parser.add_argument("--restored", action="store_true", help="the folder is a restored copy: retire all chains")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="compare witnesses (URLs) or files of what was kept, and exit"
    )
    parser.add_argument("--origin", default="", help="compare this log only")
    return parser
