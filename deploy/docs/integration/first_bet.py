#!/usr/bin/env python3
"""Place a first bet over the HTTP API, step by step, with nothing but Python's standard library.

    python3 first_bet.py [PROOF.json]

OPERATOR_KEY_FILE names the file that holds the operator's API key (`make serve` prints its path). CASINO_URL is where
the service answers, http://127.0.0.1:8000 unless set. With a file name, the proof of the round is saved there.
"""

import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

API = os.environ.get("CASINO_URL", "http://127.0.0.1:8000").rstrip("/") + "/api/v1"


def call(credential: str, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send one request and return the answer. A POST acts once, however often its Idempotency-Key is sent."""
    headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{API}/{path}", data, headers, method=method)  # noqa: S310  (our own address)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        if problem["code"] == "round_not_sealed":  # the log is sealed a moment after the round has ended
            time.sleep(1)
            return call(credential, method, path, body)
        sys.exit(f"{method} {path}: {problem['detail']} ({problem['code']}) {problem['remedy']}")
    except urllib.error.URLError as error:
        sys.exit(f"{API} does not answer: {error.reason}. Is `make serve` running?")


def settled(token: str, identity: str) -> dict[str, Any]:
    """Wait for the dealers: they are woken by the wager and deal at once."""
    for _ in range(300):
        found = call(token, "GET", f"rounds/{identity}")
        if found["phase"] == "settled":
            return found
        time.sleep(0.1)
    sys.exit(f"Round {identity} was not settled within 30 seconds.")


def say(label: str, text: str) -> None:
    print(f"{label:<9} {text}", flush=True)


def main() -> None:
    key_file = os.environ.get("OPERATOR_KEY_FILE") or sys.exit("Set OPERATOR_KEY_FILE to the file `make serve` names.")
    key = Path(key_file).read_text(encoding="ascii").strip()
    currency = call(key, "GET", "operator")["currency"]

    # The operator's server registers a player, opens a table and obtains a token for the player's browser.
    player = call(key, "POST", "players", {"reference": "first-bet", "nickname": "Ace"})["id"]
    credit = {"amount": "100.00", "currency": currency, "money_type": "play"}
    account = call(key, "POST", f"players/{player}/sandbox-credits", credit)["balance"]
    say("player", f"Ace has {account['amount']} {currency} of play money")
    opening = {"name": "First bet", "preset": "mini", "currency": currency, "money_types": ["play"], "listed": False}
    table = call(key, "POST", "tables", opening)
    say(
        "table", f"{table['name']}, preset mini; the cards are committed to as {table['next_shoe']['commitment'][:16]}…"
    )
    token = call(key, "POST", f"players/{player}/sessions", {})["token"]

    # From here on the player acts: sit down, bet, and add some bytes to the shuffle of the next shoe.
    at = f"tables/{table['id']}"
    call(token, "POST", f"{at}/seat", {"seat": 1, "buy_in": "50.00", "currency": currency, "money_type": "play"})
    say("seat", f"1, with 50.00 {currency} on the table")
    contribution = secrets.token_hex(8)
    wager = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": currency, "contribution": contribution}
    dealt = call(token, "POST", f"{at}/deal", wager)["round"]["id"]
    say("wager", f"10.00 {currency} on banker; {contribution} goes into the next shuffle")

    over = settled(token, dealt)
    hands = [(side, over[f"{side.lower()}_hand"]) for side in ("Player", "Banker")]
    say("cards", ", ".join(f"{side} {' '.join(hand['cards'])} = {hand['total']}" for side, hand in hands))
    result = over["seats"][0]["result"]
    say("result", f"{over['outcome']}: of 10.00 staked, {result['returned']} {currency} come back")
    call(token, "POST", f"{at}/leave", {})
    say("round", dealt)

    if len(sys.argv) > 1:
        proof = call(token, "GET", f"rounds/{dealt}/proof")
        Path(sys.argv[1]).write_text(json.dumps(proof), encoding="utf-8")
        say("proof", sys.argv[1])
    call(key, "POST", f"{at}/close", {"reason": "The first bet is over."})


if __name__ == "__main__":
    main()
