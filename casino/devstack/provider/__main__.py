"""`python -m casino.devstack.provider --port 8100 --callbacks URL`: the sandbox payment provider as a process.

The shared secret comes from PROVIDER_SECRET, so that no list of processes shows it.
"""

import asyncio
import os
from argparse import ArgumentParser
from pathlib import Path

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from casino.devstack.provider.app import App, CallbackSender
from casino.devstack.provider.payments import PaymentStore


async def main() -> None:
    """Serve on the loopback interface until it is stopped."""
    parser = ArgumentParser(description="A payment provider that moves no money and misbehaves on request.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--callbacks", required=True, help="the URL of callbacks")
    parser.add_argument("--data", type=Path, help="a file that keeps the payments across restarts")
    options = parser.parse_args()
    secret = os.environ["PROVIDER_SECRET"]
    reporter = CallbackSender(url=options.callbacks, secret=secret)
    app = App(payments=PaymentStore(options.data), reporter=reporter, secret=secret)
    server = Server(
        app,
        port=options.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.warning,
    )
    await server.serve()


asyncio.run(main())
