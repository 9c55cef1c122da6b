"""The log's newest checkpoint, keys and proofs, for every operator and player: anybody can check the log."""

from typing import Annotated, Final

from django.conf import settings
from msgspec import Meta, field
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.openapi import operation
from casino.api.requests import Query, parse_query
from casino.api.shapes import HexText, ItemList, Shape, Timestamp
from casino.checkpoints import queries, records
from casino.checkpoints.queries import ConsistencyProof, InclusionProof
from casino.checkpoints.records import CheckpointKey
from casino.checkpoints.refusals import CheckpointsReversed, NotInCheckpoint, UnknownCheckpoint
from casino.operators.base_views import OperatorOrPlayerView
from casino.witness.addresses import WitnessAddress, parse_addresses

_MAX_INTEGER: Final = 2**53
# The examples hold: a log of five events, signed after three and after five.
_OLDER: Final = (
    "casino.example/log\n3\ndF7ZiTpujkt9FTqeynx7Q9AH5ldPf5iIyo2vswG43y0=\n\n\u2014 casino.example/log "
    "ocQaY1sRlIE6Zf/HfX6c8UpgyIJZx7Wt5PmGO5KY5zs7RJpk1QFw4IexBIaPCF0oJPy1fUVqUSm918gTm7UEdIn5OAg=\n"
)
_NEWER: Final = (
    "casino.example/log\n5\nqISkcxMNITejMUaSokvzdr6jxhf3BFqnOXEIyF55gvo=\n\n\u2014 casino.example/log "
    "ocQaY6o5rOKOs+FI73GuaQuz2Av3FtsU7rRBYMP9Tlg5i+TOBvZV2WIrkgG7d6Z8GzlojZAGjXvQgMnIi6iejZp77gE=\n"
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


Note = Annotated[
    str,
    Meta(
        description="A checkpoint as a signed note (C2SP tlog-checkpoint): the log's origin, its size, and the root in "
        "base64 of the tree (RFC 9162) over the digests of its events; then the log's signature, and cosignatures.",
        examples=[_NEWER],
    ),
]


class LogCheckpoint(Shape):
    """A signed statement about the log."""

    checkpoint: Note


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
    checkpoint: Note

    @classmethod
    def of(cls, proof: InclusionProof) -> "InclusionProofResponse":
        """Present a proof of inclusion."""
        path = tuple(each.hex() for each in proof.path)
        return cls(proof.position, proof.digest.hex(), path, proof.checkpoint.cosigned)


class ConsistencyProofResponse(Shape, rename={"older": "from", "newer": "to"}):
    """A proof that the newer checkpoint's tree continues the older one's (RFC 9162, 2.1.4)."""

    older: Annotated[str, Meta(description="The older checkpoint.", examples=[_OLDER])]
    newer: Note
    path: Annotated[
        tuple[HexText, ...], Meta(description="Hashes, in the order of the standard.", examples=[_CONSISTENCY_PATH])
    ]

    @classmethod
    def of(cls, proof: ConsistencyProof) -> "ConsistencyProofResponse":
        """Present a proof of consistency."""
        path = tuple(each.hex() for each in proof.path)
        return cls(older=proof.old.cosigned, newer=proof.new.cosigned, path=path)


class InclusionQuery(Query):
    """The position to prove, and the checkpoint to prove it in."""

    position: Annotated[int, Meta(ge=1, le=_MAX_INTEGER, description="Of the event, from 1.")]
    size: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=_MAX_INTEGER,
                description="The checkpoint's; by default the oldest that holds the position.",
            ),
        ]
        | None
    ) = None


class ConsistencyQuery(Query):
    """The sizes of two checkpoints."""

    old: Annotated[int, Meta(ge=1, le=_MAX_INTEGER, description="The older one's size.")] = field(name="from")
    new: Annotated[int, Meta(ge=1, le=_MAX_INTEGER, description="The newer one's size.")] = field(name="to")


class CheckpointView(OperatorOrPlayerView):
    """The newest checkpoint."""

    tag = "checkpoints"

    @operation(
        "getCheckpoint",
        "Show the newest signed checkpoint of the log",
        returns=LogCheckpoint,
        description=(
            "A checkpoint commits to every event up to its size. Where there are witnesses, enough of them have "
            "cosigned it. Keep it: an older one proves that the log was not rewritten."
        ),
        refusals=(UnknownCheckpoint,),
    )
    def get(self, _request: Request) -> Response:
        """Show it. Raises UnknownCheckpoint."""
        return Response(LogCheckpoint(queries.published().cosigned))


class LogKeyListView(OperatorOrPlayerView):
    """The keys of checkpoints."""

    tag = "checkpoints"

    @operation(
        "listLogKeys",
        "List the public keys that checkpoints are signed with",
        returns=LogKeyList,
        description=("Ed25519 keys, those in use and retired ones that signed earlier checkpoints."),
    )
    def get(self, _request: Request) -> Response:
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
    def get(self, _request: Request) -> Response:
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
        """Prove it. Raises UnknownCheckpoint, NotInCheckpoint, Malformed."""
        query = parse_query(InclusionQuery, request)
        proof = queries.prove_inclusion(position=query.position, size=query.size)
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
        """Prove it. Raises UnknownCheckpoint, CheckpointsReversed, Malformed."""
        query = parse_query(ConsistencyQuery, request)
        return Response(ConsistencyProofResponse.of(queries.prove_consistency(old=query.old, new=query.new)))
