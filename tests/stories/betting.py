"""A bet over HTTP, as a process that dies sends it: BET_TABLE, BET_TOKEN and BET_KEY say which."""

import os

from tests.baccarat.api.people import Caller


def send() -> None:
    """Bet ten on Banker."""
    wager = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}
    Caller(os.environ["BET_TOKEN"]).post(f"tables/{os.environ['BET_TABLE']}/deal", wager, key=os.environ["BET_KEY"])
