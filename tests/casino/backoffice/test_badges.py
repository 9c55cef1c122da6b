"""What waits for a person is counted once for a page, by one statement, and for those alone who may see it."""

from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest
from django.test.utils import CaptureQueriesContext

from casino.backoffice import badges
from casino.significant import recorder
from tests.support.office import Office, open_office, staff

SEES = ("significant.view_significantevent", "wallet.view_withdrawal")


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def asked_by(name: str) -> HttpRequest:
    request = HttpRequest()
    request.user = User.objects.get(username=name)
    return request


def note(operator: UUID, times: int) -> None:
    told = recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.NEGATIVE_BALANCE, operator=operator, subject="x:1", actor="system"
    )
    recorder.record_many([told] * times)


def test_all_numbers_of_a_page_take_one_question(office: Office) -> None:
    note(office.operator.id, 3)
    staff(*SEES, name="looker", works_for=office.operator.slug)
    request = asked_by("looker")
    with CaptureQueriesContext(connection) as captured:
        counts = badges.counts(request)
    counting = [query["sql"] for query in captured if "count(*)" in query["sql"]]
    assert (list(counts), len(counting)) == (["significant_significantevent"], 1)
    assert int(counts["significant_significantevent"]) >= 3


def test_a_hundred_is_as_far_as_it_counts(office: Office) -> None:
    note(office.operator.id, badges.MAX_COUNT)
    staff(*SEES, name="looker", works_for=office.operator.slug)
    assert badges.counts(asked_by("looker")) == {"significant_significantevent": "100+"}


def test_who_works_for_no_operator_or_may_not_see_is_told_no_number(office: Office) -> None:
    note(office.operator.id, 3)
    staff(*SEES, name="alone", works_for="nobody")
    staff(name="blind", works_for=office.operator.slug)
    assert [badges.counts(asked_by(name)) for name in ("alone", "blind")] == [{}, {}]
