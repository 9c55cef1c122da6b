"""What stands behind the page while it is tried: tables and players of one operator, made over HTTP."""

import itertools
from typing import Any
from uuid import uuid4

import httpx

from tests.processes import wait_until

CURRENCY = "EUR"
PIN = "1357"


class House:
    """`table(preset)` opens a table, `newcomer()` registers a player, `seated(…)` sits one down."""

    def __init__(self, base_url: str, credential: str) -> None:
        self.base_url = base_url
        self.host = base_url.removeprefix("http://")
        self.http = httpx.Client(base_url=f"{base_url}/api/v1", headers={"Authorization": f"Bearer {credential}"})
        self.numbers = itertools.count(1)

    def close(self) -> None:
        """Close its connections."""
        self.http.close()

    def post(self, path: str, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        """Act once, as the operator or as the player whose token it is."""
        headers = {"Idempotency-Key": uuid4().hex}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.http.post(path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def get(self, path: str) -> dict[str, Any]:
        """Read as the operator."""
        answer = self.http.get(path)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def table(self, preset: str, **rules: Any) -> str:
        """Open a table of a preset, with other rules where given, and return its id."""
        body = {
            "name": f"{preset} {next(self.numbers)}",
            "preset": preset,
            "currency": CURRENCY,
            "money_types": ["real", "play"],
            "accept_player_edge": True,
            "rules": rules,
        }
        return str(self.post("/tables", body)["id"])

    def newcomer(self) -> str:
        """Register a player with play money, and return the token of a session.

        It is opened as the operator's server opens one before it shows the page.
        """
        name = f"Player {next(self.numbers)}"
        player = self.post("/players", {"reference": name, "nickname": name})["id"]
        self.post(
            f"/players/{player}/sandbox-credits", {"amount": "5000.00", "currency": CURRENCY, "money_type": "play"}
        )
        return str(self.post(f"/players/{player}/sessions", {})["token"])

    def give_pin(self, table: str, seat: int) -> None:
        """Set the PIN of the player who sits there."""
        seats = self.get(f"/tables/{table}")["seats"]
        player = next(each["player"] for each in seats if each["seat"] == seat)
        self.post(f"/players/{player}/pin", {"pin": PIN})

    def seated(self, table: str, seat: int, buy_in: str = "1000.00") -> str:
        """Sit a newcomer down and return the token."""
        token = self.newcomer()
        body = {"seat": seat, "buy_in": buy_in, "currency": CURRENCY, "money_type": "play"}
        self.post(f"/tables/{table}/seat", body, token)
        return token

    def company(self, table: str, *seats: int, buy_in: str = "1000.00") -> list[str]:
        """Sit newcomers down so that all of them are in the round that is open, and return their tokens.

        The first one's round opens without the others: it is passed.
        """
        tokens = [self.seated(table, seat, buy_in) for seat in seats]
        if len(seats) > 1:
            self.post(f"/tables/{table}/pass", {}, tokens[0])
            both = wait_until(
                lambda: len((self.get(f"/tables/{table}")["round"] or {"seats": []})["seats"]) == len(seats)
            )
            assert both, "no round opened with all of them"
        return tokens

    def number(self, table: str) -> int:
        """Return the number of the round in hand."""
        return int(self.get(f"/tables/{table}")["round"]["number"])

    def settled(self, table: str, number: int) -> dict[str, Any]:
        """Wait for the table's round of this number, or a later one, to be settled, and return it."""
        found: list[dict[str, Any]] = []

        def there() -> bool:
            last = self.get(f"/tables/{table}")["last_round"]
            found[:] = [last] if last and last["number"] >= number else []
            return bool(found)

        assert wait_until(there), f"round {number} was not settled"
        return found[0]

    def seat_of(self, table: str, seat: int) -> dict[str, Any]:
        """Return a seat's part in the round in hand."""
        round_ = self.get(f"/tables/{table}")["round"]
        return next(dict(part) for part in round_["seats"] if part["seat"] == seat)
