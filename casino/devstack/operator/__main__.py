"""`python -m casino.devstack.operator --port 8200 --data wallet.sqlite3`: the sandbox operator's wallet as a process.

OPERATOR_KEY is the seed of its Ed25519 key, CASINO_KEYS are the public keys of the casino's requests, all in hex.
"""

import asyncio
import os
from argparse import ArgumentParser
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from casino.devstack.operator.app import WalletServer
from casino.devstack.operator.ledger import Ledger


async def main() -> None:
    """Serve on the loopback interface until it is stopped."""
    parser = ArgumentParser(description="An operator's wallet of play coins that misbehaves on request.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True, help="the SQLite file that keeps the balances")
    options = parser.parse_args()
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(os.environ["OPERATOR_KEY"]))
    casino = [Ed25519PublicKey.from_public_bytes(bytes.fromhex(text)) for text in os.environ["CASINO_KEYS"].split(",")]
    server = Server(
        WalletServer(ledger=Ledger(options.data), key=key, casino=casino),
        port=options.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.warning,
    )
    await server.serve()


asyncio.run(main())
