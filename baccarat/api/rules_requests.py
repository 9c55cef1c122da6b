"""The rules in the body of a request: of a new table, of a draft, and the decisions on a draft."""

from typing import Any

from drf_spectacular.utils import extend_schema_field

from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.written import TableRulesRequest
from baccarat.services.rules_lifecycle import MAX_REASON_LENGTH
from casino.api.fields import ReferenceField, StrictSerializer, StructField, TextField


@extend_schema_field({"type": "string", "enum": list(PRESETS)})
class PresetField(ReferenceField):
    """The name of a preset; another name is refused with the list of them (`unknown_preset`)."""


@extend_schema_field({"type": "string", "enum": [*PRESETS, None]})
class OptionalPresetField(PresetField):
    """The name of a preset, or null."""


class RulesField(StructField):
    """Rules as they are written, in the table's currency; what is wrong with them is `invalid_rules`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(TableRulesRequest, **options)


class RulesDraftRequest(StrictSerializer):
    """Changes to the rules in force, the acknowledgement if a return needs one, and why they change, for staff."""

    rules = RulesField()
    acknowledgement = TextField(max_length=500, required=False, default="")
    reason = TextField(max_length=MAX_REASON_LENGTH, required=False, default="")


class RulesRejectionRequest(StrictSerializer):
    """The reason for rejecting or retiring rules."""

    reason = TextField(max_length=MAX_REASON_LENGTH, help_text="The reason. Stored permanently: do not name a player.")
