"""What an operator sets for complaints and for records of players: readable by players, safe to link to."""

from uuid import UUID

import pytest

from casino.operators import complaint_terms, services
from casino.operators.models import Operator
from casino.operators.refusals import InvalidComplaintText, InvalidDisputeBody, InvalidPlayerRecord
from casino.significant.models import SignificantEvent

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucky() -> UUID:
    return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False).pk


def test_a_players_reference_is_one_part_of_the_address_of_the_record(lucky: UUID) -> None:
    address = "https://crm.example/players/{reference}?tab=1"
    complaint_terms.set_player_record(lucky, address=address, by="staff:1")
    row = Operator.objects.get(pk=lucky)
    assert complaint_terms.record_of(row, "a/b?c#d é") == "https://crm.example/players/a%2Fb%3Fc%23d%20%C3%A9?tab=1"
    complaint_terms.set_player_record(lucky, address="", by="staff:1")
    assert complaint_terms.record_of(Operator.objects.get(pk=lucky), "alice") == ""


@pytest.mark.parametrize(
    "address",
    [
        "http://crm.example/{reference}",
        "javascript:alert('{reference}')",
        "https://crm.example/players",
        "https://{reference}.example/",
        "https://crm.example/{reference}/{reference}",
        "https://crm.example/{reference}/{other}",
        "https://crm.example/{reference}/" + "x" * 500,
    ],
)
def test_an_address_that_does_not_lead_to_one_players_record_is_refused(lucky: UUID, address: str) -> None:
    with pytest.raises(InvalidPlayerRecord):
        complaint_terms.set_player_record(lucky, address=address, by="staff:1")
    assert Operator.objects.get(pk=lucky).player_record == ""


@pytest.mark.parametrize(("name", "url"), [("", "https://adr.example"), ("ADR", "adr.example"), ("x" * 201, "")])
def test_a_body_for_disputes_has_a_name_and_maybe_an_address(lucky: UUID, name: str, url: str) -> None:
    with pytest.raises(InvalidDisputeBody):
        complaint_terms.set_dispute_body(lucky, name=name, url=url, by="staff:1")
    complaint_terms.set_dispute_body(lucky, name="ADR", url="", by="staff:1")
    row = Operator.objects.get(pk=lucky)
    assert (row.dispute_body, row.dispute_body_url) == ("ADR", "")


@pytest.mark.parametrize(("language", "text"), [("english", "Thanks."), ("", "Thanks."), ("en", "x" * 1001)])
def test_a_text_is_short_and_in_a_language(lucky: UUID, language: str, text: str) -> None:
    with pytest.raises(InvalidComplaintText):
        complaint_terms.set_text(lucky, answer="received", language=language, text=text, by="staff:1")
    assert Operator.objects.get(pk=lucky).complaint_texts == {}


def test_who_set_what_is_recorded(lucky: UUID) -> None:
    complaint_terms.set_text(lucky, answer="received", language="en", text="Thanks.", by="staff:7")
    event = SignificantEvent.objects.latest("pk")
    assert (event.kind, event.actor) == ("config_changed", "staff:7")
    assert event.after == {"complaint_texts": {"received": {"en": "Thanks."}}}
