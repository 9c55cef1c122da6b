"""All that an operator's tables did is handed out as CSV, whole, and nothing of another's."""

import csv
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from baccarat.domain.rules.wagers import Spot
from casino.events import sealer
from casino.events.sql import fetch
from casino.operators import services
from tests.support.house import House, deal_all


def test_everything_of_one_operator_is_written_and_nothing_of_another(db: None, tmp_path: Path) -> None:
    one, other = house_of("one"), house_of("two")
    for house in (one, other):
        house.seated(house.table("mini")).deal({Spot.BANKER: 500})
    deal_all()
    sealer.seal_all()
    today = timezone.now().date()
    file = tmp_path / "all.zip"
    call_command("export_operator", "one", str(today), str(today.replace(year=today.year + 1)), str(file))
    with zipfile.ZipFile(file) as archive:
        told = {name: list(csv.DictReader(StringIO(archive.read(name).decode()))) for name in archive.namelist()}
        assert str(other.operator) not in "".join(archive.read(name).decode() for name in archive.namelist())
    rounds = fetch("SELECT id::text, cards FROM baccarat_round WHERE operator_id = %s", [one.operator])
    assert [(row["id"], row["cards"]) for row in told["rounds.csv"]] == rounds
    assert [row["staked"] for row in told["wagers.csv"]] == ["500"]
    log = "SELECT count(*) FROM events_event WHERE metadata->>'operator' = %s"
    assert [(len(told["events.csv"]),)] == fetch(log, [str(one.operator)])
    moved = (
        "SELECT count(*) FROM wallet_posting p JOIN wallet_account a ON a.id = p.account_id WHERE a.operator_id = %s"
    )
    assert [(len(told["postings.csv"]),)] == fetch(moved, [one.operator])
    assert all(
        int(row["balance_before"]) + int(row["amount"]) == int(row["balance_after"]) for row in told["postings.csv"]
    )
    with pytest.raises(CommandError):
        call_command("export_operator", "nobody", str(today), str(today), str(file))


def house_of(slug: str) -> House:
    return House(operator=services.create_operator(slug=slug, name=slug, currency="EUR", sandbox=True).id)
