"""Tables and players of one operator, created over HTTP."""

import itertools
from typing import Any
from uuid import uuid4

import httpx

from tests.processes import wait_until
from tests.support.instant import INSTANT

CURRENCY = "EUR"
PIN = "1357"


class House:
    """Creates tables and players with the operator's credential."""

    def __init__(self, base_url: str, credential: str, *, witnesses: tuple[str, ...] = ()) -> None:
        self.base_url = base_url
        self.witnesses = witnesses
        """Addresses of others that pages may read from."""
        self.host = base_url.removeprefix("http://")
        self.http = httpx.Client(base_url=f"{base_url}/api/v1", headers={"Authorization": f"Bearer {credential}"})
        self.numbers = itertools.count(1)

    def close(self) -> None:
        """Close its connections."""
        self.http.close()

    def post(self, path: str, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        """POST a command as the operator, or as the player with this token."""
        headers = {"Idempotency-Key": uuid4().hex}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.http.post(path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def get(self, path: str) -> dict[str, Any]:
        """GET a resource as the operator."""
        answer = self.http.get(path)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def table(self, preset: str, **rules: Any) -> str:
        """Open a table of a preset with optional rules, by default with instant play, and return its id."""
        body = {
            "name": f"{preset} {next(self.numbers)}",
            "preset": preset,
            "currency": CURRENCY,
            "money_types": ["real", "play"],
            "accept_player_edge": True,
            "rules": {**INSTANT, **rules},
        }
        table = str(self.post("/tables", body)["id"])
        if self.witnesses:
            self.wait_for_chain(table)  # a seat waits for it, but not for as long as a busy machine may need
        return table

    def wait_for_chain(self, table: str) -> None:
        """Wait until the first witness has made a chain of links for a table."""
        (witness, *_) = self.witnesses
        (origin,) = httpx.get(witness).json()["origins"]

        def has_chain() -> bool:
            chains = httpx.get(f"{witness}/v1/chains", params={"origin": origin, "table": table}).json()["chains"]
            return any(chain["state"] == "active" for chain in chains)

        assert wait_until(has_chain)

    def newcomer(self) -> str:
        """Register a player with play money and return the token of a new session."""
        name = f"Player {next(self.numbers)}"
        player = self.post("/players", {"reference": uuid4().hex, "nickname": name})["id"]
        self.post(
            f"/players/{player}/sandbox-credits", {"amount": "5000.00", "currency": CURRENCY, "money_type": "play"}
        )
        return str(self.post(f"/players/{player}/sessions", {})["token"])

    def give_pin(self, table: str, seat: int) -> None:
        """Set the PIN of the player at a seat."""
        seats = self.get(f"/tables/{table}")["seats"]
        player = next(each["player"] for each in seats if each["seat"] == seat)
        self.post(f"/players/{player}/pin", {"pin": PIN})

    def seated(self, table: str, seat: int, buy_in: str = "1000.00") -> str:
        """Seat a new player and return the token."""
        token = self.newcomer()
        body = {"seat": seat, "buy_in": buy_in, "currency": CURRENCY, "money_type": "play"}
        self.post(f"/tables/{table}/seat", body, token)
        # The first long shoe of a table waits for its links.
        assert wait_until(lambda: self.get(f"/tables/{table}")["terms"] is not None)
        return token

    def company(self, table: str, *seats: int, buy_in: str = "1000.00") -> list[str]:
        """Seat new players so that all are in the open round, and return their tokens.

        A round opens with the first player alone, who passes it.
        """
        tokens = [self.seated(table, seat, buy_in) for seat in seats]
        if len(seats) > 1:
            self.post(f"/tables/{table}/pass", {}, tokens[0])
            opened = wait_until(
                lambda: len((self.get(f"/tables/{table}")["round"] or {"seats": []})["seats"]) == len(seats)
            )
            assert opened, "no round opened with all of them"
        return tokens

    def number(self, table: str) -> int:
        """Return the number of the current round."""
        return int(self.get(f"/tables/{table}")["round"]["number"])

    def settled(self, table: str, number: int) -> dict[str, Any]:
        """Wait for the table's round of this number, or a later one, to be settled, and return it."""
        rounds: list[dict[str, Any]] = []

        def is_settled() -> bool:
            last = self.get(f"/tables/{table}")["last_round"]
            rounds[:] = [last] if last and last["number"] >= number else []
            return bool(rounds)

        assert wait_until(is_settled), f"round {number} was not settled"
        return rounds[0]

    def seat_of(self, table: str, seat: int) -> dict[str, Any]:
        """Return a seat's part in the current round."""
        round_ = self.get(f"/tables/{table}")["round"]
        return next(dict(part) for part in round_["seats"] if part["seat"] == seat)
