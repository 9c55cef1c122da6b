"""The log's checkpoints, keys and proofs, for every operator and player: anybody can check the log."""

from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from msgspec import Meta
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import StrictSerializer, parse_query
from casino.api.openapi import operation
from casino.api.shapes import HexText, ItemList, Page, Shape, Timestamp
from casino.checkpoints import queries, records
from casino.checkpoints.document import CheckpointDocument, as_json
from casino.checkpoints.queries import ConsistencyProof, InclusionProof
from casino.checkpoints.records import CheckpointKey
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.operators.base_views import OperatorOrPlayerView
from casino.witness.addresses import WitnessAddress, parse_addresses

_MAX_INTEGER: Final = 2**53
# The examples hold: a log of five events, signed after three and after five.
_LOG: Final = "0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10"
_OLDER: Final[dict[str, Any]] = {
    "format": "casino.checkpoint.v1",
    "log": _LOG,
    "number": 1,
    "position": 3,
    "head": "fd0fe62cd20e6923c737ebc8ddf03e8fa25cf201c3b5fbf15659ab22a3a08d7c",
    "root": "745ed9893a6e8e4b7d153a9eca7c7b43d007e6574f7f9888ca8dafb301b8df2d",
    "previous": "",
    "made_at": "2026-11-21T09:05:00.000000Z",
    "key": "2026a",
    "signature": "94d491637eed1d527e710ed20eb15135201d993252445e30c2163cfb3eadda11"
    "5647816fdf431862c94b41f3e15e9e73522183b73c78522f274f5d16c7322a0e",
}
_SIGNATURE: Final = (
    "5579c05341f3a524390020f6811e7f489663af1402d0a6677ed11dfc11be20ad"
    "5b53d629bf5caaf02bec7d37e6f2f1673c9c90115b33795e20fba53897a8b201"
)
_PUBLIC_KEY: Final = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
_DIGEST: Final = "553295e4b848bee781c30a0c86a5b731330806eaaca214de195e48761b8a61ee"
_INCLUSION_PATH: Final = [
    "1dda126d12eb2e165bea7665cc0dc894848bef6615405e16dccc983ee7a08b98",
    "52a31720613132049a38cf99d4c9262e6367851b689c08fa9a949ba361054e4a",
    "5ac850eb44e80ba52bd9148c9199b004fe33e4f6e6c0b28fdbf720c245c489e9",
]
_CONSISTENCY_PATH: Final = [
    "91ae8b5cd84b53b8785f06f8e373e4b48b7dba916053db86e652a6da91e5b4d3",
    "36e0e39a20e88cc60c2c1484c22455c8b2198e09501fbdfb53892f922c3990d9",
    "e5552ded50acdd1facd1aee86d618718b57756c3ee8096f7417b0ef761e4237c",
    "5ac850eb44e80ba52bd9148c9199b004fe33e4f6e6c0b28fdbf720c245c489e9",
]


class CheckpointResponse(Shape):
    """A signed statement about the log, by Ed25519 (RFC 8032), over a Merkle tree of RFC 9162.

    Signed are the line `casino.checkpoint.v1` and the JSON of all members but `signature`: names sorted, no spaces.
    """

    format: Literal["casino.checkpoint.v1"]
    log: Annotated[UUID, Meta(description="The id of the log.", examples=[_LOG])]
    number: Annotated[int, Meta(description="From 1, without gaps.", examples=[2])]
    position: Annotated[int, Meta(description="How many events the tree holds.", examples=[5])]
    head: Annotated[
        HexText,
        Meta(
            description="The digest of that position.",
            examples=["1fe700bc3cb6885eb37de560ff2965c688bc3b0aee78780187a585fb0c45ec71"],
        ),
    ]
    root: Annotated[
        HexText,
        Meta(
            description="The tree's root over the digests of positions 1 to `position`.",
            examples=["a884a473130d2137a3314692a24bf376bea3c617f7045aa7397108c85e7982fa"],
        ),
    ]
    previous: Annotated[
        HexText,
        Meta(
            description="SHA-256 of the bytes that were signed before; empty for the first.",
            examples=["f749e8885caff1bea3a837640fa4171c4d72e19d2ecd509c4261a0da4a67559a"],
        ),
    ]
    # A text, as it is signed: always with microseconds.
    made_at: Annotated[str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-11-21T09:10:00.000000Z"])]
    key: Annotated[str, Meta(description="The id of the signing key.", examples=["2026a"])]
    signature: Annotated[HexText, Meta(examples=[_SIGNATURE])]

    @classmethod
    def of(cls, document: CheckpointDocument) -> "CheckpointResponse":
        """Present a checkpoint as it was signed."""
        return msgspec.convert(as_json(document), cls)


class CheckpointPage(Page[CheckpointResponse]):
    """Checkpoints, newest first."""


class LogKey(Shape):
    """A key that has signed checkpoints."""

    id: Annotated[str, Meta(examples=["2026a"])]
    public_key: Annotated[HexText, Meta(description="32 bytes.", examples=[_PUBLIC_KEY])]
    valid_from: Annotated[Timestamp, Meta(description="The time of its first signature.")]
    valid_until: Annotated[Timestamp | None, Meta(description="Null while it is in use.", examples=[None])]

    @classmethod
    def of(cls, key: CheckpointKey) -> "LogKey":
        """Present the public half of a key."""
        return cls(key.id, key.public.hex(), key.since, key.until)


class LogKeyList(ItemList[LogKey]):
    """All keys that have signed here, oldest first."""


class LogWitness(Shape):
    """A witness of this log, as it is configured here. Take its keys from its own address, and read there what it says.

    Its documentation is that of `manage.py witness`: `/` has its keys, `/v1/chains/{chain}/{index}` what it gave out.
    """

    name: Annotated[str, Meta(examples=["witness.example/w1"])]
    url: Annotated[str, Meta(description="Where everybody can read.", examples=["https://witness.example/w1"])]
    cosigner: Annotated[
        str,
        Meta(
            description="The key by which it cosigns checkpoints: a verifier key of C2SP signed notes.",
            examples=["witness.example/w1+bf2f4fe5+BNdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"],
        ),
    ]
    release_key: Annotated[
        HexText | None,
        Meta(
            description="The key by which it gives out links; null for one that only cosigns.", examples=[_PUBLIC_KEY]
        ),
    ]

    @classmethod
    def of(cls, address: WitnessAddress) -> "LogWitness":
        """Present a configured witness."""
        return cls(address.name, address.url, address.cosigner.vkey, address.release_key.hex() or None)


class LogWitnessList(ItemList[LogWitness]):
    """The witnesses of this log."""


class InclusionProofResponse(Shape):
    """A proof that an event's digest is at its position in the checkpoint's tree (RFC 9162, 2.1.3)."""

    position: Annotated[int, Meta(examples=[2])]
    digest: Annotated[
        HexText, Meta(description="The event's digest: the data of leaf number position - 1.", examples=[_DIGEST])
    ]
    path: Annotated[
        tuple[HexText, ...], Meta(description="The neighbours' hashes, the lowest first.", examples=[_INCLUSION_PATH])
    ]
    checkpoint: CheckpointResponse

    @classmethod
    def of(cls, proof: InclusionProof) -> "InclusionProofResponse":
        """Present a proof of inclusion."""
        path = tuple(each.hex() for each in proof.path)
        return cls(proof.position, proof.digest.hex(), path, CheckpointResponse.of(proof.checkpoint))


class ConsistencyProofResponse(Shape, rename={"older": "from", "newer": "to"}):
    """A proof that the newer checkpoint's tree continues the older one's (RFC 9162, 2.1.4)."""

    older: Annotated[CheckpointResponse, Meta(examples=[_OLDER])]
    newer: CheckpointResponse
    path: Annotated[
        tuple[HexText, ...], Meta(description="Hashes, in the order of the standard.", examples=[_CONSISTENCY_PATH])
    ]

    @classmethod
    def of(cls, proof: ConsistencyProof) -> "ConsistencyProofResponse":
        """Present a proof of consistency."""
        older, newer = CheckpointResponse.of(proof.old), CheckpointResponse.of(proof.new)
        return cls(older=older, newer=newer, path=tuple(each.hex() for each in proof.path))


class InclusionQuery(StrictSerializer):
    """The position to prove, and the checkpoint to prove it in."""

    position = serializers.IntegerField(min_value=1, max_value=_MAX_INTEGER, help_text="Of the event, from 1.")
    checkpoint = serializers.IntegerField(
        min_value=1,
        max_value=_MAX_INTEGER,
        required=False,
        default=None,
        help_text="Its number; by default the oldest that holds the position.",
    )


class ConsistencyQuery(StrictSerializer):
    """The numbers of two checkpoints."""

    to = serializers.IntegerField(min_value=1, max_value=_MAX_INTEGER, help_text="The newer one's number.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is reserved by Python."""
        older = serializers.IntegerField(min_value=1, max_value=_MAX_INTEGER, help_text="The older one's number.")
        return {"from": older, **super().get_fields()}


class CheckpointListView(OperatorOrPlayerView):
    """All checkpoints."""

    tag = "checkpoints"

    @operation(
        "listCheckpoints",
        "List the signed checkpoints of the log, newest first",
        parameters=paging.PARAMETERS,
        returns=CheckpointPage,
        description=(
            "A checkpoint commits to every event up to its position. Keep the notes: an older one "
            "proves that the log was not rewritten."
        ),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, int)
        below = None if page.after is None else page.after[0]
        documents = records.newest_first(below=below, limit=page.fetch_limit)
        return Response(
            paging.page(
                CheckpointPage,
                page,
                documents,
                key=lambda document: (document.number,),
                item=CheckpointResponse.of,
            )
        )


class CheckpointView(OperatorOrPlayerView):
    """One checkpoint."""

    tag = "checkpoints"

    @operation(
        "getCheckpoint",
        "Show one checkpoint",
        parameters=[OpenApiParameter("number", OpenApiTypes.INT64, OpenApiParameter.PATH)],
        returns=CheckpointResponse,
        description=("The signed note, as it was published."),
        refusals=(UnknownCheckpoint,),
    )
    def get(self, request: Request, number: int) -> Response:
        """Show it. Raises UnknownCheckpoint."""
        del request
        return Response(CheckpointResponse.of(queries.get_checkpoint(number)))


class LogKeyListView(OperatorOrPlayerView):
    """The keys of checkpoints."""

    tag = "checkpoints"

    @operation(
        "listLogKeys",
        "List the public keys that checkpoints are signed with",
        returns=LogKeyList,
        description=("Ed25519 keys, those in use and retired ones that signed earlier checkpoints."),
    )
    def get(self, request: Request) -> Response:
        del request
        return Response(LogKeyList.of(LogKey.of(key) for key in records.registered_keys()))


class LogWitnessListView(OperatorOrPlayerView):
    """The witnesses of this log."""

    tag = "checkpoints"

    @operation(
        "listLogWitnesses",
        "List the witnesses that cosign checkpoints and give out links",
        returns=LogWitnessList,
        description=("Compare what a round's proof says with what each witness shows at its own address."),
    )
    def get(self, request: Request) -> Response:
        del request
        return Response(LogWitnessList.of(map(LogWitness.of, parse_addresses(settings.WITNESSES))))


class InclusionProofView(OperatorOrPlayerView):
    """Proofs that an event is in the log."""

    tag = "checkpoints"

    @operation(
        "getInclusionProof",
        "Prove that a position is in a checkpoint's tree",
        parameters=[InclusionQuery],
        returns=InclusionProofResponse,
        description=(
            "The proof of RFC 9162: with it and the note you can check that the event at the position is in the log."
        ),
        refusals=(
            NotInCheckpoint,
            UnknownCheckpoint,
        ),
    )
    def get(self, request: Request) -> Response:
        """Prove it. Raises UnknownCheckpoint, NotInCheckpoint, ValidationError."""
        query = parse_query(InclusionQuery, request)
        proof = queries.prove_inclusion(position=query["position"], number=query["checkpoint"])
        return Response(InclusionProofResponse.of(proof))


class ConsistencyProofView(OperatorOrPlayerView):
    """Proofs that the log was only appended to."""

    tag = "checkpoints"

    @operation(
        "getConsistencyProof",
        "Prove that a newer checkpoint's log continues an older one's",
        parameters=[ConsistencyQuery],
        returns=ConsistencyProofResponse,
        description=(
            "The proof of RFC 9162: with it and two notes you can check that the newer log begins with the older one."
        ),
        refusals=(
            CheckpointsReversed,
            UnknownCheckpoint,
        ),
    )
    def get(self, request: Request) -> Response:
        """Prove it. Raises UnknownCheckpoint, CheckpointsReversed, ValidationError."""
        query = parse_query(ConsistencyQuery, request)
        return Response(ConsistencyProofResponse.of(queries.prove_consistency(old=query["from"], new=query["to"])))
