"""What is shown of an exported round, for the API's document. The whole format is told in `baccarat.proofs.export`."""

from typing import Any

from rest_framework import serializers

from baccarat.api.serializers import one_of
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.deal import Outcome
from baccarat.proofs import signed_urls
from casino.api.fields import StrictSerializer, WholeNumberField


class ProvenRound(serializers.Serializer[Any]):
    """What happened, in short."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    operator = serializers.UUIDField()
    number = serializers.IntegerField()
    rules = serializers.CharField()
    currency = serializers.CharField()
    phase = one_of(*Phase, help_text="Settled or voided.")
    opened_at = serializers.DateTimeField()
    settled_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(allow_null=True, help_text="The first card's place in the shoe.")
    cards = serializers.ListField(child=serializers.CharField())
    player_total = serializers.IntegerField(allow_null=True)
    banker_total = serializers.IntegerField(allow_null=True)
    natural = serializers.BooleanField(allow_null=True)
    outcome = one_of(*Outcome, allow_null=True)


class ProvenContribution(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    contribution = serializers.CharField()


class ProvenCard(serializers.Serializer[Any]):
    """One card of a shoe that still runs, with its path to the shoe's root."""

    position = serializers.IntegerField()
    card = serializers.CharField()
    salt = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField())


class ProvenShoe(serializers.Serializer[Any]):
    """The shoe: its seed once it is revealed, else the cards of this round opened one by one."""

    id = serializers.UUIDField()
    decks = serializers.IntegerField()
    commitment = serializers.CharField()
    contributions = ProvenContribution(many=True)
    cut = serializers.CharField(allow_blank=True)
    seed = serializers.CharField(allow_null=True)
    root = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    position = serializers.IntegerField(allow_null=True)
    openings = ProvenCard(many=True)


class ProvenEvent(serializers.Serializer[Any]):
    """An event of the log with its digest; `data` and `metadata` are null where they are not for this reader."""

    position = serializers.IntegerField()
    id = serializers.IntegerField()
    stream = serializers.CharField()
    version = serializers.IntegerField()
    type = serializers.CharField()
    schema = serializers.IntegerField()
    data = serializers.DictField(allow_null=True)  # type: ignore[assignment]
    metadata = serializers.DictField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    previous = serializers.CharField()
    digest = serializers.CharField()


class ProvenPath(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    path = serializers.ListField(child=serializers.CharField())


class RoundProofShown(serializers.Serializer[Any]):
    """One round in the format `casino.round.v1`: it proves itself, by any of the verifiers."""

    format = serializers.CharField()
    exported_at = serializers.DateTimeField()
    round = ProvenRound()
    rules = serializers.DictField(help_text="As the log tells them, amounts in minor units.")
    shoe = ProvenShoe()
    events = ProvenEvent(many=True)
    inclusion = ProvenPath(many=True)
    checkpoint = serializers.DictField(allow_null=True, help_text="Null while no checkpoint was signed.")
    keys = serializers.ListField(child=serializers.DictField())


class PackAsked(StrictSerializer):
    """For how many hours the link is to work: 1 to 168, a day where nothing is said."""

    hours = WholeNumberField(
        required=False, default=signed_urls.DEFAULT_HOURS, min_value=1, max_value=signed_urls.MAX_HOURS
    )


class PackLink(serializers.Serializer[Any]):
    """Where the dispute pack can be had, by whoever has the link, until it expires."""

    url = serializers.CharField()
    expires_at = serializers.DateTimeField()


class PackKey(serializers.Serializer[Any]):
    public = serializers.CharField(help_text="Ed25519, in hex.")


class PackKeyList(serializers.Serializer[Any]):
    """The keys that manifests of dispute packs are signed with, the one in use first."""

    items = PackKey(many=True)
