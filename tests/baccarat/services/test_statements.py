"""How many statements a use case takes, whatever the number of seats, rounds or tables."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.services import dealing
from tests.support.examples import B
from tests.support.house import House, deal_all


def statements(call: Callable[[], object]) -> list[str]:
    """Return the SQL statements of a call, without BEGIN and COMMIT."""
    with CaptureQueriesContext(connection) as captured:
        call()
    asked = [query["sql"] for query in captured.captured_queries]
    return [text for text in asked if text.split()[0] not in {"BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"}]


@pytest.mark.parametrize("others", [0, 4, 13])
def test_a_confirmed_wager_takes_a_handful_of_statements_whoever_else_is_at_the_table(
    house: House, others: int
) -> None:
    company = house.company(house.table("big_table"), others + 1)
    for player in company[1:]:
        player.deal({B: 2500})

    asked = statements(lambda: company[0].deal({B: 2500}))

    # lock the table with its round, read the balance; append, post, project
    assert len(asked) == 5


@pytest.mark.parametrize("preset", ["mini", "big_table"])
@pytest.mark.parametrize("tables", [1, 7])
def test_a_batch_takes_as_many_statements_as_one_round(house: House, preset: str, tables: int) -> None:
    for _ in range(tables):
        ann = house.seated(house.table(preset))
        if preset == "mini":
            ann.new_game()
        ann.deal({B: 2500})

    with_work = statements(dealing.deal_due)

    # claim the tables with their rounds, read the seeds; append, post, project, and forget the seeds that are revealed
    assert len(with_work) == (6 if preset == "mini" else 5)
    assert deal_all() == 0


def test_looking_for_work_where_there_is_none_takes_two_statements(house: House) -> None:
    house.table("mini")

    assert len(statements(dealing.deal_due)) <= 2
