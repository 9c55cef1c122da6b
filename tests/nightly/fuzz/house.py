"""An operator with seated players at tables where rounds are played, made anew when the fuzzing has used them up."""

import json
import time
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg

from casino.devstack.bots.house import CURRENCY
from casino.devstack.person import Person
from casino.devstack.system import Stack
from casino.observability.process import ssl_context
from tests.baccarat.api.people import STAFF_KEY, own_key
from tests.nightly.fuzz.prepare import PERSONS
from tests.support.instant import INSTANT

PREFIX: Final = "/api/v1"
TIMEOUT: Final = 10.0
"""Seconds after which a request hangs."""
SETTLES_WITHIN: Final = 20.0
RULES: Final[dict[str, dict[str, Any]]] = {
    "mini": INSTANT,
    "atlantic_city": {"turn_seconds": 1, **INSTANT},
    "classic": {
        "turn_seconds": 1,
        "seats": 2,
        "show_milliseconds": dict.fromkeys(INSTANT["show_milliseconds"], 60_000),
    },
    "big_table": {"turn_seconds": 1, **INSTANT, "look_seconds": 5, "hand_back_seconds": 5},
}


_DESTROY_SEED: Final = """
DELETE FROM baccarat_shoesecret USING baccarat_table AS home
WHERE home.id = %s AND shoe_id = (home.round_state->'opened'->>'shoe')::uuid
"""


class SetUpRefused(Exception):
    """The operator, as the fuzzing left it, can't have another seated player."""


@dataclass(slots=True)
class Seated:
    """A player at a table; `ids` are what exists there, by the names of path parameters."""

    token: str
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class House:
    """`seated(preset)` returns a player who may bet at a table of this preset."""

    stack: Stack
    operator: str = ""
    credential: str = ""
    live_operator: str = ""
    live: str = ""
    players: dict[str, Seated] = field(default_factory=dict)
    http: httpx.Client = field(default_factory=lambda: httpx.Client(verify=ssl_context(), timeout=TIMEOUT))

    def seated(self, preset: str) -> Seated:
        """Return a player who is seated, has money, and has played; of a new operator if this one refuses."""
        for _ in range(2):
            player = self.players.get(preset)
            if player is not None and self._is_fit(player):
                return player
            try:
                self.players[preset] = self._seat(preset)
            except SetUpRefused:
                self._open()
            else:
                return self.players[preset]
        raise SetUpRefused(preset)

    def settle(self, player: Seated) -> None:
        """Wait until no wager is in play at the player's table."""
        deadline = time.monotonic() + SETTLES_WITHIN
        while (state := self._table(player)).get("round") and time.monotonic() < deadline:
            if all(seat["status"] == "deciding" for seat in state["round"]["seats"]):
                return
            time.sleep(0.1)

    def wait_for_ceremony(self, player: Seated) -> None:
        """Wait until the Caller has given a seat the cards."""
        deadline = time.monotonic() + SETTLES_WITHIN
        while time.monotonic() < deadline:
            round_ = self._table(player).get("round")
            if round_ is None or round_["ceremony"] is not None:
                return
            time.sleep(0.1)

    def send(self, method: str, path: str, credential: str, body: object = None) -> httpx.Response:
        """Send one request."""
        headers = {"Authorization": f"Bearer {credential}", "Idempotency-Key": uuid4().hex}
        return self.http.request(method, f"{self.stack.base_url}{PREFIX}{path}", json=body, headers=headers)

    def _post(self, path: str, credential: str, body: object) -> dict[str, Any]:
        response = self.send("POST", path, credential, body)
        if not response.is_success:
            raise SetUpRefused(f"{path}: {response.text}")
        document: dict[str, Any] = response.json()
        return document

    def suspend(self, player: Seated) -> None:
        """Destroy the seed of the player's table, so that its round is suspended."""
        with psycopg.connect(self.stack.environment["DATABASE_URL"]) as connection:
            connection.execute(_DESTROY_SEED, [player.ids["table"]])
        self.send("POST", f"/tables/{player.ids['table']}/deal", player.token, {})
        deadline = time.monotonic() + SETTLES_WITHIN
        while not self._is_suspended(self._table(player)) and time.monotonic() < deadline:
            time.sleep(0.1)

    def _is_fit(self, player: Seated) -> bool:
        state = self._table(player)
        seats = state.get("seats", [])
        return any(seat["you"] for seat in seats) and state["stop"] is None and not self._is_suspended(state)

    def _is_suspended(self, state: dict[str, Any]) -> bool:
        return bool(state.get("round") and state["round"]["suspended"])

    def _table(self, player: Seated) -> dict[str, Any]:
        response = self.send("GET", f"/tables/{player.ids['table']}", player.token)
        document: dict[str, Any] = response.json()
        return document

    def _open(self) -> None:
        """Create another sandbox operator, and one that is live."""
        script = "from tests.nightly.fuzz.prepare import prepare; prepare()"
        prepared = json.loads(self.stack.manage("shell", "--no-imports", "--command", script).splitlines()[-1])
        self.operator, self.credential = prepared["sandbox"]
        self.live_operator, self.live = prepared["live"]
        self.players = {}

    def _seat(self, preset: str) -> Seated:
        """Open a table, seat the player and, where there is room, a neighbour who chats, and play a round."""
        if not self.credential:
            self._open()
        rules = {"name": preset, "preset": preset, "currency": CURRENCY, "accept_player_edge": True}
        table = self._post(
            "/tables", self.credential, {**rules, "money_types": ["real", "play"], "rules": RULES.get(preset, {})}
        )
        player = self._player(table["id"], seat=1)
        webhook = self._post("/webhooks", self.credential, {"url": "http://127.0.0.1:9/items"})  # nobody answers there
        player.ids.update(webhook=webhook["id"], name="dusk")
        if preset != "mini":
            neighbour = self._player(table["id"], seat=2)
            chat = self._post(f"/tables/{table['id']}/chat", neighbour.token, {"text": "Good luck!"})
            player.ids["message"] = chat["id"]
        bet = {"stakes": [{"spot": "banker", "amount": "100.00"}], "currency": CURRENCY}
        self._post(f"/tables/{table['id']}/deal", player.token, bet)
        self.settle(player)
        return player

    def _player(self, table: str, *, seat: int) -> Seated:
        reference = uuid4().hex
        registered = self._post("/players", self.credential, {"reference": reference, "nickname": "Ann"})["id"]
        credit = {"amount": "20000.00", "currency": CURRENCY, "money_type": "real"}
        self._post(f"/players/{registered}/sandbox-credits", self.credential, credit)
        token = self._post(f"/players/{registered}/sessions", self.credential, {})["token"]
        body = {"seat": seat, "buy_in": "5000.00", "currency": CURRENCY, "money_type": "real"}
        self._post(f"/tables/{table}/seat", token, body)
        ids = {"player": registered, "reference": reference, "table": table, "provider": "sandbox", "number": "1"}
        ids["code"] = "not_found"
        return Seated(token=token, ids=ids)


def assertion(operator: str, method: str, path: str, body: bytes, *, live: bool) -> str:
    """Sign for a person on an operator's staff: one requests, another decides."""
    decides = path.endswith("/confirm")
    person = PERSONS[decides]
    return Person(operator, person, own_key(person) if live else STAFF_KEY).sign(method, path, body)
