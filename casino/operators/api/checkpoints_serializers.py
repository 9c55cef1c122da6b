"""The shapes of checkpoints, keys and proofs over HTTP."""

from typing import Any, Final

from rest_framework import serializers

from casino.api.fields import StrictSerializer
from casino.checkpoints.document import FORMAT, as_json
from casino.checkpoints.queries import ConsistencyProof, InclusionProof

_LARGEST: Final = 2**53


class CheckpointResponse(serializers.Serializer[Any]):
    """What is signed of the log, by Ed25519 (RFC 8032), over a Merkle tree of RFC 9162.

    Signed are the line `casino.checkpoint.v1` and the JSON of all members but `signature`: names sorted, no spaces.
    """

    format = serializers.ChoiceField(choices=[FORMAT])
    log = serializers.UUIDField(help_text="Whose log this is.")
    number = serializers.IntegerField(help_text="From 1, without gaps.")
    position = serializers.IntegerField(help_text="How many events the tree holds.")
    head = serializers.CharField(help_text="The digest of that position, in hex.")
    root = serializers.CharField(  # type: ignore[assignment]  # serializers have a property of that name
        help_text="The tree's root over the digests of positions 1 to `position`, in hex."
    )
    previous = serializers.CharField(
        help_text="SHA-256 of the bytes that were signed before, in hex; empty for the first.", allow_blank=True
    )
    made_at = serializers.DateTimeField()
    key = serializers.CharField(help_text="The id of the key that signed.")
    signature = serializers.CharField(help_text="In hex.")


class CheckpointList(serializers.Serializer[Any]):
    """A page of checkpoints, newest first."""

    items = CheckpointResponse(many=True)
    next = serializers.CharField(allow_null=True)


class CheckpointKeyResponse(serializers.Serializer[Any]):
    """A key that has signed checkpoints."""

    id = serializers.CharField()
    public = serializers.CharField(help_text="Its public half: 32 bytes, in hex.")
    until = serializers.DateTimeField(allow_null=True, help_text="When it ended or ends; null while it is in use.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is a word of the language."""
        return {**super().get_fields(), "from": serializers.DateTimeField(help_text="When it signed first.")}


class CheckpointKeyList(serializers.Serializer[Any]):
    """Every key that has signed here, oldest first."""

    items = CheckpointKeyResponse(many=True)


class InclusionProofResponse(serializers.Serializer[Any]):
    """That an event's digest stands at its position in the checkpoint's tree (RFC 9162, 2.1.3)."""

    position = serializers.IntegerField()
    digest = serializers.CharField(help_text="The event's digest in hex: the data of leaf number position - 1.")
    path = serializers.ListField(child=serializers.CharField(), help_text="The neighbours' hashes, the lowest first.")
    checkpoint = CheckpointResponse()


class ConsistencyProofResponse(serializers.Serializer[Any]):
    """That the newer checkpoint's tree goes on from the older one's (RFC 9162, 2.1.4)."""

    path = serializers.ListField(child=serializers.CharField(), help_text="Hashes, in the order of the standard.")
    to = CheckpointResponse()

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is a word of the language."""
        return {**super().get_fields(), "from": CheckpointResponse()}


class InclusionQuery(StrictSerializer):
    """Which position, in which checkpoint."""

    position = serializers.IntegerField(min_value=1, max_value=_LARGEST)
    checkpoint = serializers.IntegerField(min_value=1, max_value=_LARGEST, required=False, default=None)


class ConsistencyQuery(StrictSerializer):
    """From which checkpoint to which."""

    to = serializers.IntegerField(min_value=1, max_value=_LARGEST)

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is a word of the language."""
        return {**super().get_fields(), "from": serializers.IntegerField(min_value=1, max_value=_LARGEST)}


def present_inclusion_proof(proof: InclusionProof) -> dict[str, Any]:
    return {
        "position": proof.position,
        "digest": proof.digest.hex(),
        "path": [each.hex() for each in proof.path],
        "checkpoint": as_json(proof.checkpoint),
    }


def present_consistency_proof(proof: ConsistencyProof) -> dict[str, Any]:
    return {"from": as_json(proof.old), "to": as_json(proof.new), "path": [each.hex() for each in proof.path]}
