"""A later release knows more rules: whatever was recorded before is read, checked and played on as it stands."""

import json
import subprocess
import sys
from typing import Any

from baccarat.services import rules_lifecycle
from casino.checkpoints import signing
from casino.devstack.home import PROJECT
from casino.events import sealer
from tests.conftest import Database
from tests.support import rules as waiting_rules
from tests.support.house import House, deal_all
from tests.system.baccarat.audit.later_release import NEW, tell


def failed_checks(told: dict[str, Any]) -> list[str]:
    checks = (each for _, verdict in told["proofs"].values() for each in verdict["checks"])
    return [each["name"] for each in checks if each["verdict"] == "failed"]


def test_a_rule_with_a_default_that_a_later_release_adds_changes_nothing_recorded(database: Database) -> None:
    house = House()
    mini, long = house.table("mini"), house.table("big_table")
    guest, other = house.seated(mini), house.seated(long)
    for at in (guest, other):
        at.deal({"banker": 10_000})
        deal_all()
    version = rules_lifecycle.draft(
        table=mini, operator=house.operator, differences={"minimum": 1000}, by="staff:1", metadata=house.metadata
    )
    waiting_rules.publish(mini, version)
    guest.deal({"banker": 1000})
    deal_all()
    sealer.seal_all()
    signing.sign_now()
    today = json.loads(json.dumps(tell(house.operator), default=str))
    assert (today["findings"], today["rebuilt"], failed_checks(today)) == ([], [], [])

    words = ("-m", "tests.system.baccarat.audit.later_release", *map(str, (house.operator, mini, guest.player)))
    done = subprocess.run(  # noqa: S603
        [sys.executable, *words],
        cwd=PROJECT, env=database.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, played_by, after = json.loads(done.stdout.splitlines()[-1])

    assert before == today
    assert (after["findings"], after["rebuilt"], failed_checks(after)) == ([], [], [])
    assert played_by == today["rules"][f"{mini}/2"][0]
    assert after["rules"] == after["rules"] | today["rules"]
    assert after["proofs"] == after["proofs"] | today["proofs"]
    assert after["rules"][f"{mini}/3"][1][NEW] == 1
    assert len(after["proofs"]) == len(today["proofs"]) + 2
