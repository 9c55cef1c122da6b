"""Queries of players: each filter reads an index, not all of an operator's players."""

from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from casino.events.sql import execute
from casino.operators import services
from tests.baccarat.api.people import tenant
from tests.conftest import Database

MANY = 3000


@pytest.mark.parametrize(
    ("reference", "index"), [("customer-8812", "operators_player_reference"), (None, "operators_player_page")]
)
def test_players_are_selected_by_an_index(database: Database, reference: str | None, index: str) -> None:
    house = tenant("lucky")
    wanted = house.do("players", {"reference": "customer-8812", "nickname": "Ace"})["id"]
    columns = [field.column for field in services.Player._meta.concrete_fields]
    copied = {"id": "gen_random_uuid()", "reference_index": "sha256(number::text::bytea)"}
    values = ", ".join(copied.get(column, column) for column in columns)
    execute(
        f"INSERT INTO operators_player ({', '.join(columns)}) "  # noqa: S608  (names of the model)
        f"SELECT {values} FROM operators_player, generate_series(1, {MANY}) number WHERE id = %s",
        [wanted],
    )
    with database.owner() as owner:
        owner.execute("ANALYZE operators_player")

    with CaptureQueriesContext(connection) as captured:
        page = services.list_players(operator=UUID(house.id), after=None, limit=51, reference=reference)
    query = next(each["sql"] for each in captured if "operators_player" in each["sql"])

    assert len(page) == (51 if reference is None else 1)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert index in plan, plan
