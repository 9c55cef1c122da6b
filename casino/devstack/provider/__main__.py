"""`python -m casino.devstack.provider --port 8100 --callbacks URL`: the sandbox payment provider, a process of its own.

The shared secret comes from PROVIDER_SECRET, so that it stands in no list of processes.
"""

from argparse import ArgumentParser
from pathlib import Path

import uvicorn

from casino import env
from casino.devstack.provider.app import App
from casino.devstack.provider.book import PaymentStore
from casino.devstack.provider.reporting import CallbackSender


def main() -> None:
    """Serve on the loopback interface until it is stopped."""
    parser = ArgumentParser(description="A payment provider that moves no money and misbehaves on request.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--callbacks", required=True, help="the address that reports are POSTed to")
    parser.add_argument("--data", type=Path, help="a file that keeps the payments over a restart")
    options = parser.parse_args()
    secret = env.text("PROVIDER_SECRET")
    reporter = CallbackSender(url=options.callbacks, secret=secret)
    app = App(payments=PaymentStore(options.data), reporter=reporter, secret=secret)
    uvicorn.run(
        app, host="127.0.0.1", port=options.port, log_level="warning", access_log=False, timeout_graceful_shutdown=2
    )


main()
