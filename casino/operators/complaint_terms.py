"""What an operator sets for its desk: its own words for complaints, the body for disputes, its record of a player."""

import re
from typing import Final
from urllib.parse import quote
from uuid import UUID

from django.db import transaction

from casino.kernel.text import require
from casino.operators import acts, services
from casino.operators.models import Operator
from casino.operators.refusals import InvalidComplaintText, InvalidDisputeBody, InvalidPlayerRecord
from casino.significant import act_log

REFERENCE: Final = "{reference}"
MAX_TEXT_LENGTH: Final = 1000
MAX_NAME_LENGTH: Final = 200
MAX_ADDRESS_LENGTH: Final = 500
_ADDRESS: Final = re.compile(r"https://[^\s/{}?#]+(?:[/?#][^\s{}]*)?", re.ASCII)
_BEFORE: Final = re.compile(r"https://[^/?#]+[/?#].*", re.ASCII)
_LANGUAGE: Final = re.compile("[a-z]{2}")
_ACT: Final = acts.SET_COMPLAINT_TERMS.name


def set_text(operator: UUID, *, answer: str, language: str, text: str, by: str) -> None:
    """Set the operator's own words for what players are told of complaints; none are replaced by the house's again.

    Raises InvalidComplaintText.
    """
    words = require(text, limit=MAX_TEXT_LENGTH, refusal=InvalidComplaintText, empty=True)
    if not _LANGUAGE.fullmatch(language):
        raise InvalidComplaintText
    with transaction.atomic():
        row = Operator.objects.select_for_update().get(pk=operator)
        texts = {**row.complaint_texts.get(answer, {}), language: words}
        shown = {name: each for name, each in texts.items() if each}
        by_answer = {**row.complaint_texts, answer: shown}
        kept = {name: each for name, each in by_answer.items() if each}
        reason = "What players are told of complaints was changed"
        act_log.changed(row, _ACT, by=by, reason=reason, complaint_texts=kept)


def set_dispute_body(operator: UUID, *, name: str, url: str, by: str) -> None:
    """Set the body for alternative dispute resolution, with its address; empty for none. Raises InvalidDisputeBody."""
    body = require(name, limit=MAX_NAME_LENGTH, refusal=InvalidDisputeBody, empty=True, multiline=False)
    address = url.strip()
    if address and not (body and _is_address(address)):
        raise InvalidDisputeBody
    row, reason = services.get_operator(operator), "The body for disputes was changed"
    act_log.changed(row, _ACT, by=by, reason=reason, dispute_body=body, dispute_body_url=address)


def set_player_record(operator: UUID, *, address: str, by: str) -> None:
    """Set where the operator's own record of a player is, with `{reference}` in the address; empty for nowhere.

    Raises InvalidPlayerRecord.
    """
    template = address.strip()
    before, _, after = template.partition(REFERENCE)
    # The slash is before the reference: a player's reference never chooses the host.
    if template and not (_is_address(f"{before}{after}") and _BEFORE.fullmatch(before) and REFERENCE in template):
        raise InvalidPlayerRecord
    row, reason = services.get_operator(operator), "The address of players' records was changed"
    act_log.changed(row, _ACT, by=by, reason=reason, player_record=template)


def record_of(operator: Operator, reference: str) -> str:
    """Return the address of the operator's own record of a player; empty if none is set."""
    return operator.player_record.replace(REFERENCE, quote(reference, safe=""))


def _is_address(text: str) -> bool:
    return len(text) <= MAX_ADDRESS_LENGTH and _ADDRESS.fullmatch(text) is not None
