"""What is shown of shoes: commitments, cuts, seeds, and single cards proven."""

from typing import Any

from rest_framework import serializers

from baccarat.api.serializers import ContributionShown, one_of
from baccarat.domain.rules.table_rules import Shuffle


class ShoeTold(serializers.Serializer[Any]):
    """A shoe: committed to, then cut, then dealt. What does not concern it, or is not known yet, is null."""

    id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="The long shoe's at its table, or that of the round it is for.")
    round = serializers.UUIDField(allow_null=True, help_text="The round whose own shoe it is.")
    commitment = serializers.CharField(help_text="SHA-256 over a tag and the seed, in hex.")
    contributions = ContributionShown(many=True)
    cut = serializers.CharField(allow_null=True, help_text='In hex, once it is fixed; "" if nobody contributed.')
    root = serializers.CharField(allow_null=True, help_text="Of a long shoe: the Merkle root of its cards, in hex.")  # type: ignore[assignment]
    cards_used = serializers.IntegerField(allow_null=True)
    decks = serializers.IntegerField(allow_null=True, help_text="What it is made of, bound with the commitment.")
    open = serializers.BooleanField(help_text="Whether it takes contributions now.")


class RevealedShoe(ShoeTold):
    """A shoe whose seed is revealed: with seed and cut anyone can recompute its order."""

    seed = serializers.CharField()
    ended_at = serializers.DateTimeField()


class FairnessShown(serializers.Serializer[Any]):
    """The shoes of a table."""

    table = serializers.UUIDField()
    decks = serializers.IntegerField()
    shuffle = one_of(*Shuffle)
    rounds = serializers.IntegerField(help_text="Rounds begun at this table: their numbers have no gap.")
    voids = serializers.IntegerField(help_text="How many of them were voided.")
    closed = serializers.BooleanField(help_text="Whether the table is closed for good.")
    shoe = ShoeTold(allow_null=True, help_text="The one in play: the long one, or that of the round in hand.")
    next = ShoeTold(
        allow_null=True,
        help_text="The one committed to ahead: the long shoe that players cut now, or the next round's.",
    )
    revealed = RevealedShoe(many=True, help_text="The latest, the newest first.")


class OpeningShown(serializers.Serializer[Any]):
    """One card of a shoe, proven to be at its place."""

    position = serializers.IntegerField(help_text="From 0 on.")
    card = serializers.CharField()
    salt = serializers.CharField(help_text="32 bytes in hex.")
    path = serializers.ListField(child=serializers.CharField(), help_text="Hashes up to the root (RFC 9162), in hex.")


class RoundsShoeShown(serializers.Serializer[Any]):
    """The shoe of a round that has ended: its seed where that is revealed, else its cards one by one."""

    round = serializers.UUIDField()
    shoe = serializers.UUIDField()
    number = serializers.IntegerField(allow_null=True, help_text="The long shoe's; null for a round's own.")
    decks = serializers.IntegerField()
    commitment = serializers.CharField()
    contributions = ContributionShown(many=True)
    cut = serializers.CharField()
    root = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    seed = serializers.CharField(allow_null=True, help_text="Null while a long shoe is in play.")
    position = serializers.IntegerField(allow_null=True, help_text="The place of the round's first card.")
    turned = OpeningShown(allow_null=True, help_text="The long shoe's first card, turned before the burning.")
    openings = OpeningShown(many=True, help_text="The round's cards, in deal order; of long shoes only.")
