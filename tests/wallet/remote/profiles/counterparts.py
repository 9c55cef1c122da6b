"""A wallet of an operator that speaks as Hub88 has it: an HTTP server that verifies signatures.

Each id acts once, and a rollback leaves a mark for ever. Written from the public pages, without the code that asks.
"""

import contextlib
import functools
import json
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.rsa_keys import rsa_key
from tests.threads import serving

HANG_SECONDS = 1.5
Answer = tuple[int, dict[str, Any]]


def as_setting(key: RSAPrivateKey) -> str:
    """Return a key as WALLET_RSA_KEY has it."""
    return b64encode(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())).decode()


@dataclass
class Hub88Wallet:
    """An operator's wallet as Hub88 calls it. Its unit is 1/100,000; here balances are in cents.

    `done` has movements by their ids, and `marks` the bets that were rolled back. Each word of `next` is how one of the
    next calls is met; the first part of it, up to a colon, names the path's end.
    """

    currency: str = "EUR"
    balances: dict[str, int] = field(default_factory=dict)
    done: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    next: list[str] = field(default_factory=list)
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take_plan(self, path: str) -> str:
        with self.lock:
            for index, word in enumerate(self.next):
                call, _, do = word.partition(":")
                if path.endswith(call):
                    del self.next[index]
                    return do
        return ""

    def move(self, id_: str, player: str, change: int, *facts: object) -> str:
        """Do a movement once; return empty if it is done, or else what keeps it from that."""
        movement = (player, change, *facts)
        if id_ in self.marks:
            return "rolled back"
        if id_ in self.done:
            return "" if self.done[id_] == movement else "differs"
        if self.balances[player] + change < 0:
            return "funds"
        self.balances[player] += change
        self.done[id_] = movement
        return ""

    def roll_back(self, id_: str, bet: str) -> bool:
        """Take a bet back once, and mark it; return whether there was one."""
        made = self.done.get(bet)
        if made is not None and bet not in self.marks:
            self.balances[made[0]] -= made[1]
        self.marks.setdefault(bet, id_)
        return made is not None

    @functools.cached_property
    def key(self) -> RSAPublicKey:
        return rsa_key().public_key()

    def serve(self, path: str, headers: Any, body: bytes) -> Answer:
        try:
            self.key.verify(b64decode(headers.get("X-Hub88-Signature", "")), body, PKCS1v15(), SHA256())
        except (InvalidSignature, ValueError):
            return 200, {"status": "RS_ERROR_INVALID_SIGNATURE"}
        document = json.loads(body)
        user = document["user"]
        status = "RS_ERROR_INVALID_TOKEN"
        with self.lock:
            if path == "/transaction/rollback":
                self.roll_back(document["transaction_uuid"], document["reference_transaction_uuid"])
                status = "RS_OK"
            elif user in self.balances:
                status = "RS_OK" if path == "/user/balance" else self._transact(path, document)
            answer = {"user": user, "status": status, "request_uuid": document["request_uuid"]}
            return 200, {**answer, "currency": self.currency, "balance": self.balances.get(user, 0) * 1000}

    def _transact(self, path: str, document: dict[str, Any]) -> str:
        if document["currency"] != self.currency:
            return "RS_ERROR_WRONG_CURRENCY"
        if document["amount"] % 1000 or document["amount"] < 0:
            return "RS_ERROR_WRONG_TYPES"
        amount, bet = document["amount"] // 1000, document.get("reference_transaction_uuid")
        if path == "/transaction/win" and (bet not in self.done or bet in self.marks):
            return "RS_ERROR_TRANSACTION_DOES_NOT_EXIST"
        change = -amount if path == "/transaction/bet" else amount
        refused = self.move(document["transaction_uuid"], document["user"], change, document["round"], bet)
        return {
            "": "RS_OK",
            "differs": "RS_ERROR_DUPLICATE_TRANSACTION",
            "rolled back": "RS_ERROR_TRANSACTION_ROLLED_BACK",
            "funds": "RS_ERROR_NOT_ENOUGH_MONEY",
        }[refused]


@contextlib.contextmanager
def running(wallet: Hub88Wallet) -> Generator[None]:
    """Serve a wallet on the loopback interface until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            wallet.bodies.append((self.path, body))
            do = wallet.take_plan(self.path)
            if do == "hang":
                time.sleep(HANG_SECONDS)
                self.close_connection = True
                return
            unasked = {"fail": (500, {}), "unknown": (200, {"status": "RS_ERROR_UNKNOWN"}), "html": (200, {})}
            status, answer = unasked.get(do) or wallet.serve(self.path, self.headers, body)
            if do == "apply_then_hang":
                time.sleep(HANG_SECONDS)
            if do == "apply_then_fail":
                status = 500
            if do == "other_request":
                answer |= {"request_uuid": "0192a1b2-0000-7000-8000-000000000001"}
            payload = b"<html>Please log in</html>" if do == "html" else json.dumps(answer).encode()
            with contextlib.suppress(OSError):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Listener(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    with serving(Listener(("127.0.0.1", 0), Handler)) as server:
        wallet.url = f"http://127.0.0.1:{server.server_port}"
        yield
