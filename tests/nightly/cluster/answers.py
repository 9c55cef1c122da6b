"""What players were answered, and when."""

import itertools
import time
from dataclasses import dataclass
from typing import Final

import httpx

from tests.support.players import Party, Player


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one attempt: when the request `began`, after how many `seconds` it came, and its status."""

    began: float
    seconds: float
    status: int
    confirms: bool
    """Whether it confirms a wager."""
    says_when: bool
    """Whether it says when to come back."""


class Answers:
    """All answers to the players of a party, from now on."""

    def __init__(self, players: Party) -> None:
        self.all: Final[list[Answer]] = []
        for player in players.players:
            self._listen(player)

    def silence(self, since: float) -> float:
        """Return the longest time without a confirmed wager, in seconds, from `since` until now."""
        ends = sorted(each.began + each.seconds for each in self.all if each.confirms)
        moments = [since, *(end for end in ends if end > since), time.monotonic()]
        return max(after - before for before, after in itertools.pairwise(moments))

    def longest(self, since: float) -> float:
        """Return the longest wait for an answer to a request that began after `since`, in seconds."""
        return max((each.seconds for each in self.all if each.began >= since), default=0.0)

    def unfit(self) -> list[Answer]:
        """Return what no player may be told: an error of the service other than a 503 that says when to come back."""
        return [each for each in self.all if each.status >= 500 and (each.status != 503 or not each.says_when)]

    def _listen(self, player: Player) -> None:
        hooks = player.client._http.event_hooks

        async def begin(request: httpx.Request) -> None:
            request.extensions["began"] = time.monotonic()

        async def end(response: httpx.Response) -> None:
            began = response.request.extensions["began"]
            confirms = response.status_code == 200 and response.request.url.path.endswith("deal")
            says_when = "Retry-After" in response.headers
            self.all.append(Answer(began, time.monotonic() - began, response.status_code, confirms, says_when))

        player.client._http.event_hooks = {
            "request": [*hooks["request"], begin],
            "response": [*hooks["response"], end],
        }
