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
SIGNS = {"debit": -1, "credit": 1, "correction": 1}
COVERED = ("@method", "@target-uri", "content-digest")
PAGE = 100
SCHEMA = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS player (id TEXT, currency TEXT, balance INTEGER, PRIMARY KEY (id, currency));
    CREATE TABLE IF NOT EXISTS movement (number INTEGER PRIMARY KEY, id TEXT UNIQUE, kind TEXT, player TEXT,
        currency TEXT, amount TEXT, at TEXT);
    CREATE TABLE IF NOT EXISTS cancelled (debit TEXT PRIMARY KEY, reference TEXT, found INTEGER);
"""
INSERT = "INSERT INTO movement (id, kind, player, currency, amount, at) VALUES (?, ?, ?, ?, ?, ?)"
LIST = """
    SELECT number, id AS "transaction", kind, amount, currency, 'T-' || number AS reference, at,
           CASE WHEN debit IS NULL THEN 'accepted' ELSE 'rolled_back' END AS status
      FROM movement LEFT JOIN cancelled ON debit = id
     WHERE id = :transaction OR at >= :from AND at < :to AND number > :cursor ORDER BY number LIMIT :limit
"""


class Refused(Exception):
    """A definite no; its argument is the code."""


class Wallet:
    """A message is a transaction: BEGIN IMMEDIATE makes all others wait, in this process and in others."""

    def __init__(self, database):
        self.database = database
        database.row_factory = sqlite3.Row

    def reply(self, call, message):
        """Return the answer to a verified message, once everything about it is committed."""
        if call == "transactions":
            return self.list(message)
        calls = {"balance": self.balance, "rollback": self.rollback, **dict.fromkeys(SIGNS, self.move)}
        self.run("BEGIN IMMEDIATE")  # closing takes back what is not committed
        if call == "credits":
            answer = {"items": [self.answer(self.move, "credit", item) for item in message["items"]]}
        else:
            answer = self.answer(calls[call], call, message)
        self.run("COMMIT")
        return {"request": message["request"], **answer}

    def answer(self, act, kind, item):
        try:
            return {"transaction": item.get("transaction"), "status": "accepted", **act(item, kind)}
        except Refused as refusal:
            return {"transaction": item.get("transaction"), "status": "refused", "code": str(refusal)}

    def move(self, item, kind):
        """Move money once for each id; the same again gets the first answer, whatever became of the player since."""
        asked = (item["transaction"], kind, item["player"], item["currency"], item["amount"])
        change = SIGNS[kind] * to_minor(item["amount"], item["currency"])
        if kind == "debit" and self.one("SELECT * FROM cancelled WHERE debit = ?", item["transaction"]):
            raise Refused("transaction_cancelled")
        if kind == "credit" and not self.debit(item["debit"]):
            raise Refused("other")
        known = self.one("SELECT id, kind, player, currency, amount FROM movement WHERE id = ?", item["transaction"])
        if known and tuple(known) != asked:
            raise Refused("reference_differs")
        if not known:
            if kind == "debit" and change > 0:
                raise ValueError("a debit below zero")
            if change < 0 and self.held(item) + change < 0:
                raise Refused("insufficient_funds")
            self.run(INSERT, *asked, datetime.now(UTC).isoformat())
            self.add(item, change)
        (number,) = self.one("SELECT number FROM movement WHERE id = ?", item["transaction"])
        return {"reference": f"T-{number}", **self.balance(item)}

    def rollback(self, item, _="rollback"):
        """Take a debit back once, and leave a mark for ever: it must not be made any more."""
        made, known = self.debit(item["debit"]), "SELECT * FROM cancelled WHERE debit = ?"
        if not self.one(known, item["debit"]):
            mark = (item["debit"], f"R-{item['transaction']}", made is not None)
            self.run("INSERT INTO cancelled VALUES (?, ?, ?)", *mark)
            if made:
                self.add(made, to_minor(made["amount"], made["currency"]))
        first = self.one(known, item["debit"])
        return {"reference": first["reference"], "found": bool(first["found"])}

    def balance(self, item, _="balance"):
        amount = str(Decimal(self.held(item)).scaleb(-DECIMALS[item["currency"]]))
        return {"balance": {"amount": amount, "currency": item["currency"]}}

    def list(self, query):
        """List movements, one of them or a page of a period; a rollback shows as the status of its debit."""
        bounds = {"transaction": "", "from": "", "to": "", "cursor": 0, "limit": PAGE + 1}
        rows = [dict(row) for row in self.database.execute(LIST, {**bounds, **query})]
        numbers = [row.pop("number") for row in rows]
        return {"items": rows[:PAGE], "next": str(numbers[PAGE - 1]) if len(rows) > PAGE else None}

    def debit(self, id_):
        return self.one("SELECT player, currency, amount FROM movement WHERE id = ? AND kind = 'debit'", id_)

    def held(self, item):
        row = self.one("SELECT balance FROM player WHERE id = ? AND currency = ?", item["player"], item["currency"])
        if not row:
            raise Refused("player_unknown")
        return row[0]

    def add(self, of, change):
        self.held(of)
        values = (change, of["player"], of["currency"])
        self.run("UPDATE player SET balance = balance + ? WHERE id = ? AND currency = ?", *values)

    def one(self, query, *values):
        return self.run(query, *values).fetchone()

    def run(self, query, *values):
        return self.database.execute(query, values)


def to_minor(text, currency):
    """Return an amount in minor units. Raises ValueError unless it has exactly the currency's decimals."""
    if currency not in DECIMALS:
        raise Refused("currency_differs")
    decimals = DECIMALS[currency]
    if not re.fullmatch(r"-?\d{1,15}" + (rf"\.\d{{{decimals}}}" if decimals else ""), text):
        raise ValueError("a malformed amount")
    return int(text.replace(".", ""))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    file, key, casino = "", None, {}

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_signed(body):
            return self.send(401, b"{}", {})
        parts = urlsplit(self.path)
        try:
            message = json.loads(body) if self.command == "POST" else dict(parse_qsl(parts.query))
            with closing(sqlite3.connect(self.file, isolation_level=None, timeout=30)) as database:
                result = Wallet(database).reply(parts.path.rpartition("/")[2], message)
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.send(400, b"{}", {})
        payload = json.dumps(result).encode()
        signed, name = SimpleNamespace(status_code=200, headers={}), keyid(self.key.public_key())
        keys = MappingKeyResolver(public_keys={}, private_keys={name: self.key})
        HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=keys).sign(
            signed, key_id=name, covered_component_ids=("@status", "content-digest"), label="wallet", body=payload
        )
        return self.send(200, payload, signed.headers)

    do_GET = do_POST = serve  # noqa: N815  (the library's names)

    def is_signed(self, body):
        """Verify by the address under which the service knows us; behind a proxy that is not the Host header."""
        address = f"http://{self.headers['Host']}{self.path}"
        message = SimpleNamespace(method=self.command, url=address, headers=dict(self.headers))
        keys = MappingKeyResolver(public_keys=self.casino, private_keys={})
        verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=keys)
        try:
            verifier.verify(message, require_components=COVERED, body=body)
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


def jwk(key):
    x = base64.urlsafe_b64encode(key.public_bytes_raw()).rstrip(b"=").decode()
    return json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"))


def keyid(key):
    """Return a key's name: its thumbprint by RFC 7638."""
    return base64.urlsafe_b64encode(hashlib.sha256(jwk(key).encode()).digest()).rstrip(b"=").decode()


def main(port, file, *players):
    """Serve; each of `players` is `id:currency:balance`."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.executescript(SCHEMA)
        for player, currency, balance in (each.split(":") for each in players):
            row = (player, currency, to_minor(balance, currency))
            database.execute("INSERT OR IGNORE INTO player VALUES (?, ?, ?)", row)
    public = [Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)) for key in os.environ["CASINO_KEYS"].split(",")]
    Handler.file, Handler.casino = file, {keyid(key): key for key in public}
    Handler.key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(os.environ["WALLET_KEY"]))
    print(jwk(Handler.key.public_key()), flush=True)
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
