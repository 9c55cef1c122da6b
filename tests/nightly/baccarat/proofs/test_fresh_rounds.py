"""Every verifier proves fresh rounds of every preset, by every funding, with a witness."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from typing import Final

import httpx

from baccarat.proofs import verifier
from casino.devstack.bots import house
from casino.devstack.bots.session import BotSession
from casino.devstack.operator import running
from casino.devstack.system import Stack
from casino.witness.addresses import parse_addresses
from tests.baccarat.proofs.fuzzing import Case, disagreements
from tests.programs import needs

ROUNDS: Final = 2_000
TIMES: Final = 9
"""As many rounds at each table as `make play` plays, but for whole shoes."""
AT_ONCE: Final = 50


@needs("node", "php")
def test_every_verifier_says_the_same_of_two_thousand_fresh_rounds_and_none_fails() -> None:
    games = [game if game.whole_shoe else replace(game, rounds=game.rounds * TIMES) for game in house.GAMES]
    with Stack(name="fresh-rounds", fresh=True, table_witnesses=1) as stack:
        wallet = running.start(stack)
        credentials = house.open_houses(stack, wallet, "fresh")
        session = BotSession(
            base_url=stack.base_url, credentials=credentials, wallet=wallet, games=games, payment_bots=0, seed=1,
            progress=lambda *_: stack.raise_if_dead(),
        )  # fmt: skip
        asyncio.run(session.run())
        stack.manage("checkpoint")
        exported = {funding: _export(stack, credential) for funding, credential in credentials.items()}
    verdicts: Counter[str] = Counter()
    for funding, cases in exported.items():
        presets = {json.loads(case.raw)["rules"]["preset"] for case in cases}
        assert presets == {game.preset for game in games if game.funding is funding}
        for first in range(0, len(cases), AT_ONCE):
            assert disagreements(cases[first : first + AT_ONCE]) == {}
        verdicts.update(verifier.verify(case.raw, case.keys)["verdict"] for case in cases)
    print(dict(verdicts))
    assert verdicts.total() >= ROUNDS
    assert set(verdicts) <= {"verified", "partly"}


def _export(stack: Stack, credential: str) -> list[Case]:
    """Export every settled round of an operator, for a reader who trusts the house and its witness."""
    witnesses = parse_addresses(stack.environment["WITNESSES"])
    named = [each.release_key.hex() for each in witnesses if each.release_key]
    headers = {"Authorization": f"Bearer {credential}"}
    with httpx.Client(base_url=f"{stack.base_url}/api/v1/", headers=headers, timeout=20) as service:
        published = service.get("log/keys").raise_for_status().json()["items"]
        keys = [*named, *(each.cosigner.vkey for each in witnesses), *(each["public_key"] for each in published)]
        cases, query = [], {"limit": "200", "status": "settled"}
        while query:
            page = service.get("rounds", params=query).raise_for_status().json()
            for round_ in page["items"]:
                proof = service.get(f"rounds/{round_['id']}/proof").raise_for_status()
                cases.append(Case(round_["id"], proof.content, keys))
            query = {**query, "cursor": page["next"]} if page["next"] else {}
    return cases
