"""A wallet server for the funding `seamless`, to read and to begin with: its money is in a SQLite file.

    pip install cryptography http-message-signatures
    CASINO_KEYS=... WALLET_KEY=... python wallet.py 8300 wallet.sqlite3

CASINO_KEYS are the service's public keys, WALLET_KEY is the seed of your own, all Ed25519 in hex; 64 digits each.
It prints your public key, as the service takes it.
"""

import base64
import hashlib
import json
import os
import re
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageSigner,
    HTTPMessageVerifier,
    MappingKeyResolver,
    algorithms,
)

DECIMALS = {"EUR": 2, "JPY": 0, "KWD": 3}
COVERED = ("@method", "@target-uri", "content-digest")
PAGE = 100
SCHEMA = """
    CREATE TABLE IF NOT EXISTS player (id TEXT, currency TEXT, balance INTEGER, PRIMARY KEY (id, currency));
    CREATE TABLE IF NOT EXISTS movement (number INTEGER PRIMARY KEY, id TEXT UNIQUE, kind TEXT, player TEXT,
        currency TEXT, amount INTEGER, at TEXT);
    CREATE TABLE IF NOT EXISTS cancelled (debit TEXT PRIMARY KEY, reference TEXT, found INTEGER);
"""


class Refused(Exception):
    """A definite no; its argument is the code."""


def to_minor(text, currency):
    """Return an amount in minor units. Raises ValueError unless it has exactly the currency's decimals."""
    if currency not in DECIMALS:
        raise Refused("currency_differs")
    decimals = DECIMALS[currency]
    if not re.fullmatch(r"-?\d{1,15}" + (rf"\.\d{{{decimals}}}" if decimals else ""), text):
        raise ValueError("a malformed amount")
    return int(text.replace(".", ""))


def to_text(minor, currency):
    return str(Decimal(minor).scaleb(-DECIMALS[currency]))


class Wallet:
    """One message at a time is one transaction: BEGIN IMMEDIATE makes all others wait, in this and other processes."""

    def __init__(self, database):
        self.database = database

    def debit(self, item):
        """Take stakes, unless a rollback was first."""
        if self.one("SELECT 1 FROM cancelled WHERE debit = ?", item["transaction"]):
            raise Refused("transaction_cancelled")
        if item["amount"].startswith("-"):
            raise ValueError("a debit below zero")
        return self.move("debit", item, -1)

    def credit(self, item):
        """Pay what a wager returned, whatever has become of session and player since its debit."""
        if not self.one("SELECT 1 FROM movement WHERE id = ? AND kind = 'debit'", item["debit"]):
            raise Refused("other")
        return self.move("credit", item, 1)

    def correction(self, item):
        return self.move("correction", item, 1)

    def rollback(self, item):
        """Take a debit back once, and leave a mark for ever: it must not be made any more."""
        made = self.one("SELECT player, currency, amount FROM movement WHERE id = ? AND kind = 'debit'", item["debit"])
        mark = (item["debit"], f"R-{item['transaction']}", made is not None)
        if self.database.execute("INSERT OR IGNORE INTO cancelled VALUES (?, ?, ?)", mark).rowcount and made:
            player, currency, amount = made
            self.add(player, currency, -amount)
        reference, found = self.one("SELECT reference, found FROM cancelled WHERE debit = ?", item["debit"])
        return {"reference": reference, "found": bool(found)}

    def balance(self, item):
        held = self.held(item["player"], item["currency"])
        return {"balance": {"amount": to_text(held, item["currency"]), "currency": item["currency"]}}

    def transactions(self, query):
        """List movements; a rollback shows as the status of its debit."""
        if "transaction" in query:
            condition, values = "id = ?", [query["transaction"]]
        else:
            values = [query["from"], query["to"], query.get("cursor", 0)]
            condition = "at >= ? AND at < ? AND number > ?"
        rows = self.database.execute(
            "SELECT number, id, kind, amount, currency, at, cancelled.debit FROM movement"  # noqa: S608
            f" LEFT JOIN cancelled ON cancelled.debit = id WHERE {condition} ORDER BY number LIMIT {PAGE + 1}",
            values,
        ).fetchall()
        items = [
            {
                "transaction": id_,
                "kind": kind,
                "amount": to_text(-amount if kind == "debit" else amount, currency),
                "currency": currency,
                "reference": f"T-{number}",
                "status": "rolled_back" if gone else "accepted",
                "at": at,
            }
            for number, id_, kind, amount, currency, at, gone in rows[:PAGE]
        ]
        return {"items": items, "next": str(rows[PAGE - 1][0]) if len(rows) > PAGE else None}

    def move(self, kind, item, sign):
        """Move money once for each id; the same again gets the first answer."""
        id_, player, currency = item["transaction"], item["player"], item["currency"]
        amount = sign * to_minor(item["amount"], currency)
        known = self.one("SELECT kind, player, currency, amount FROM movement WHERE id = ?", id_)
        if not known:
            held = self.held(player, currency)
            if amount < 0 and held + amount < 0:
                raise Refused("insufficient_funds")
            self.database.execute(
                "INSERT INTO movement (id, kind, player, currency, amount, at) VALUES (?, ?, ?, ?, ?, ?)",
                (id_, kind, player, currency, amount, datetime.now(UTC).isoformat()),
            )
            self.add(player, currency, amount)
        elif known != (kind, player, currency, amount):
            raise Refused("reference_differs")
        (number,) = self.one("SELECT number FROM movement WHERE id = ?", id_)
        return {"reference": f"T-{number}", **self.balance(item)}

    def held(self, player, currency):
        row = self.one("SELECT balance FROM player WHERE id = ? AND currency = ?", player, currency)
        if not row:
            raise Refused("player_unknown")
        return row[0]

    def add(self, player, currency, amount):
        self.database.execute(
            "UPDATE player SET balance = balance + ? WHERE id = ? AND currency = ?", (amount, player, currency)
        )

    def one(self, query, *values):
        return self.database.execute(query, values).fetchone()


def answer(act, item):
    """Do what one item says, and return what is answered about it."""
    try:
        return {"transaction": item.get("transaction"), "status": "accepted", **act(item)}
    except Refused as refusal:
        return {"transaction": item.get("transaction"), "status": "refused", "code": str(refusal)}


def reply(file, call, document):
    """Return the answer to a verified message, once everything about it is committed."""
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as database:
        wallet = Wallet(database)
        if call == "transactions":
            return wallet.transactions(document)
        request = document["request"]
        database.execute("BEGIN IMMEDIATE")  # closing takes back what is not committed
        if call == "credits":
            result = {"items": [answer(wallet.credit, item) for item in document["items"]]}
        else:
            calls = (wallet.balance, wallet.debit, wallet.correction, wallet.rollback)
            result = answer({each.__name__: each for each in calls}[call], document)
        database.execute("COMMIT")
        return {"request": request, **result}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    file, key, casino = "", None, {}

    def do_POST(self):
        self.serve(lambda _, body: json.loads(body))

    def do_GET(self):
        self.serve(lambda query, _: dict(parse_qsl(query)))

    def serve(self, read):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        if not self.is_signed(body):
            return self.send(401, b"{}", {})
        try:
            result = reply(self.file, parts.path.rpartition("/")[2], read(parts.query, body))
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.send(400, b"{}", {})
        payload = json.dumps(result).encode()
        signed, name = SimpleNamespace(status_code=200, headers={}), keyid(self.key.public_key())
        keys = MappingKeyResolver(public_keys={}, private_keys={name: self.key})
        HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=keys).sign(
            signed, key_id=name, covered_component_ids=("@status", "content-digest"), label="wallet", body=payload
        )
        return self.send(200, payload, signed.headers)

    def is_signed(self, body):
        """Verify by the address under which the service knows us; behind a proxy that is not the Host header."""
        address = f"http://{self.headers['Host']}{self.path}"
        message = SimpleNamespace(method=self.command, url=address, headers=dict(self.headers))
        keys = MappingKeyResolver(public_keys=self.casino, private_keys={})
        try:
            HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=keys).verify(
                message, require_components=COVERED, body=body
            )
        except HTTPMessageSignaturesException:
            return False
        return True

    def send(self, status, payload, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": len(payload)}.items():
            self.send_header(name, str(value))
        try:
            self.end_headers()
            self.wfile.write(payload)
        except ConnectionError:  # the service waits no more, and asks again or rolls back
            self.close_connection = True

    def log_message(self, *_):
        """Log nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128


def jwk(key):
    x = base64.urlsafe_b64encode(key.public_bytes_raw()).rstrip(b"=").decode()
    return json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"))


def keyid(key):
    """Return a key's name: its thumbprint by RFC 7638."""
    return base64.urlsafe_b64encode(hashlib.sha256(jwk(key).encode()).digest()).rstrip(b"=").decode()


def main(port, file, *players):
    """Serve; each of `players` is `id:currency:balance`."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.executescript(f"PRAGMA journal_mode = WAL; {SCHEMA}")
        for player, currency, balance in (each.split(":") for each in players):
            row = (player, currency, to_minor(balance, currency))
            database.execute("INSERT OR IGNORE INTO player VALUES (?, ?, ?)", row)
    public = [Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)) for key in os.environ["CASINO_KEYS"].split(",")]
    Handler.file, Handler.casino = file, {keyid(key): key for key in public}
    Handler.key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(os.environ["WALLET_KEY"]))
    print(jwk(Handler.key.public_key()), flush=True)
    Server(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
