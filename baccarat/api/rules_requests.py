"""The rules in the body of a request: of a new table, of a draft, and the decisions on a draft."""

from typing import Annotated, Any

from msgspec import Meta

from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.written import TableRulesRequest
from baccarat.services.rules_lifecycle import MAX_REASON_LENGTH
from casino.api.requests import Body, Offer, OptionalNoteText, Text, Written

PresetName = Annotated[str, Meta(min_length=1, max_length=40, extra_json_schema={"enum": list(PRESETS)})]
"""The name of a preset; another name is refused with the list of them (`unknown_preset`)."""


class Rules(dict[str, Any], metaclass=Written):
    """Rules as they are written, in the table's currency; what is wrong with them is `invalid_rules`."""

    made = object
    codes = ()
    struct = TableRulesRequest

    @classmethod
    def read(cls, value: object, offer: Offer) -> object:
        """Return what is written, for `read_rules`."""
        del offer
        return value


class ChangeReason(Text):
    limit = MAX_REASON_LENGTH


class RulesDraftRequest(Body):
    """Changes to the rules in force, the acknowledgement if a return needs one, and why they change, for staff."""

    rules: Rules
    acknowledgement: OptionalNoteText = OptionalNoteText()
    reason: OptionalNoteText = OptionalNoteText()


class RulesRejectionRequest(Body):
    """The reason for rejecting or retiring rules."""

    reason: Annotated[ChangeReason, Meta(description="The reason. Stored permanently: do not name a player.")]
