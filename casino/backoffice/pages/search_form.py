"""What compliance looks for: the fields of the search page, read and judged."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django import forms

from baccarat.domain.rules.wagers import Spot
from casino.backoffice.base import as_uuid
from casino.kernel import money
from casino.kernel.errors import Refusal

SPOTS: Final = [("", "Any"), *((spot.value, spot.value.capitalize()) for spot in Spot)]
OUTCOMES: Final = [("", "Any"), ("player", "Player"), ("banker", "Banker"), ("tie", "Tie")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for; None and empty text ask for nothing. Amounts are minor units of `currency`."""

    word: str
    player: str
    table: str
    operator: UUID | None
    least: int | None
    most: int | None
    currency: str
    since: datetime | None
    until: datetime | None
    spot: str
    outcome: str

    @property
    def of_money(self) -> bool:
        """Tell whether it is about whose money was moved: then wagers are shown, not rounds."""
        return bool(self.player or self.spot or self.least is not None or self.most is not None)


class SearchForm(forms.Form):
    """The fields as they are typed. Times are UTC; amounts are decimals of the currency beside them."""

    word = forms.CharField(required=False, max_length=200)
    player = forms.CharField(required=False, max_length=80)
    table = forms.CharField(required=False, max_length=120)
    operator = forms.UUIDField(required=False)
    least = forms.CharField(required=False, max_length=20)
    most = forms.CharField(required=False, max_length=20)
    currency = forms.CharField(required=False, max_length=3)
    since = forms.DateTimeField(required=False)
    until = forms.DateTimeField(required=False)
    spot = forms.ChoiceField(required=False, choices=SPOTS)
    outcome = forms.ChoiceField(required=False, choices=OUTCOMES)

    def clean(self) -> dict[str, Any]:
        """Turn amounts into minor units, which need their currency."""
        given: dict[str, Any] = super().clean() or {}
        currency = (given.get("currency") or "").strip().upper()
        for name in ("least", "most"):
            given[name] = self._minor(name, (given.get(name) or "").strip(), currency)
        given["currency"] = currency
        for first, last in (("least", "most"), ("since", "until")):
            if given.get(first) is not None and given.get(last) is not None and given[last] < given[first]:
                self.add_error(last, "This is before where it begins.")
        return given

    def _minor(self, name: str, text: str, currency: str) -> int | None:
        if not text:
            return None
        try:
            return money.parse(text, currency)
        except Refusal as refusal:
            self.add_error(name, refusal.detail if currency else "Say in which currency.")
            return None

    def asked(self) -> Asked:
        """Return what was asked for, once `is_valid` said so."""
        given = self.cleaned_data
        return Asked(
            word=given["word"].strip(),
            player=given["player"].strip(),
            table=given["table"].strip(),
            operator=given["operator"],
            least=given["least"],
            most=given["most"],
            currency=given["currency"] if given["least"] is not None or given["most"] is not None else "",
            since=_utc(given["since"]),
            until=_utc(given["until"]),
            spot=given["spot"],
            outcome=given["outcome"],
        )


def player_id(asked: Asked) -> UUID | None:
    """Return the player's id, where an id was given."""
    return as_uuid(asked.player)


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
