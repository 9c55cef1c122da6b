"""The log's checkpoints, keys and proofs, for every operator and player: so that nobody has to trust us."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.checkpoints import queries, records
from casino.checkpoints.document import CheckpointDocument, as_json
from casino.operators.api import checkpoints_documents, checkpoints_serializers
from casino.operators.base_views import OperatorOrPlayerView


class CheckpointListView(OperatorOrPlayerView):
    """All checkpoints."""

    tag = "checkpoints"

    @extend_schema(
        operation_id="listCheckpoints",
        summary="List the signed checkpoints of the log, newest first",
        parameters=paging.PARAMETERS,
        responses=checkpoints_serializers.CheckpointList,
        examples=[
            OpenApiExample(
                "Two",
                value={"items": [checkpoints_documents.SECOND, checkpoints_documents.FIRST], "next": None},
                response_only=True,
            )
        ],
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, int)
        below = None if page.after is None else page.after[0]
        rows = records.newest_first(below=below, limit=page.fetch_limit)
        return Response(paging.present_page(page, rows, key=_number, item=as_json))


class CheckpointView(OperatorOrPlayerView):
    """One checkpoint."""

    tag = "checkpoints"

    @extend_schema(
        operation_id="getCheckpoint",
        summary="Show one checkpoint",
        parameters=[OpenApiParameter("number", OpenApiTypes.INT64, OpenApiParameter.PATH)],
        responses=checkpoints_serializers.CheckpointResponse,
        examples=[OpenApiExample("A checkpoint", value=checkpoints_documents.SECOND, response_only=True)],
    )
    def get(self, request: Request, number: int) -> Response:
        """Show it. Raises UnknownCheckpoint."""
        del request
        return Response(as_json(queries.get_checkpoint(number)))


class CheckpointKeyListView(OperatorOrPlayerView):
    """The keys of checkpoints."""

    tag = "checkpoints"

    @extend_schema(
        operation_id="listLogKeys",
        summary="List the public keys that checkpoints are signed with",
        responses=checkpoints_serializers.CheckpointKeyList,
        examples=[OpenApiExample("One key", value={"items": [checkpoints_documents.KEY]}, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        del request
        return Response({"items": records.published_keys()})


class InclusionProofView(OperatorOrPlayerView):
    """Proofs that an event is in the log."""

    tag = "checkpoints"

    @extend_schema(
        operation_id="getInclusionProof",
        summary="Prove that a position is in a checkpoint's tree",
        parameters=[
            OpenApiParameter("position", OpenApiTypes.INT64, required=True, description="Of the event, from 1."),
            OpenApiParameter("checkpoint", OpenApiTypes.INT64, description="By number; the oldest that holds it."),
        ],
        responses=checkpoints_serializers.InclusionProofResponse,
        examples=[OpenApiExample("Position 2 of 5", value=checkpoints_documents.INCLUSION, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        """Prove it. Raises UnknownCheckpoint, NotInCheckpoint, ValidationError."""
        query = checkpoints_serializers.InclusionQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        proof = queries.prove_inclusion(position=asked["position"], number=asked["checkpoint"])
        return Response(checkpoints_serializers.present_inclusion_proof(proof))


class ConsistencyProofView(OperatorOrPlayerView):
    """Proofs that the log was only added to."""

    tag = "checkpoints"

    @extend_schema(
        operation_id="getConsistencyProof",
        summary="Prove that a newer checkpoint's log goes on from an older one's",
        parameters=[
            OpenApiParameter("from", OpenApiTypes.INT64, required=True, description="The older one's number."),
            OpenApiParameter("to", OpenApiTypes.INT64, required=True, description="The newer one's number."),
        ],
        responses=checkpoints_serializers.ConsistencyProofResponse,
        examples=[OpenApiExample("From 3 to 5 events", value=checkpoints_documents.CONSISTENCY, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        """Prove it. Raises UnknownCheckpoint, CheckpointsReversed, ValidationError."""
        query = checkpoints_serializers.ConsistencyQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        return Response(
            checkpoints_serializers.present_consistency_proof(
                queries.prove_consistency(old=asked["from"], new=asked["to"])
            )
        )


def _number(checkpoint: CheckpointDocument) -> tuple[int]:
    return (checkpoint.number,)
