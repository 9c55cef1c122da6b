"""How the proof of a round is documented."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema

from baccarat.api import examples, proof_serializers
from baccarat.api.examples import answer, body

_HASH: Final = "b8f6ab23aec413eb8092d2da204afa78130fc80f078d0aae96941e0b364fd888"
_ROUND: Final = {
    "id": examples.ROUND_ID,
    "table": examples.TABLE_ID,
    "operator": "01a1fcbc-0001-7efc-99c1-b2b93212fa2b",
    "number": 7,
    "rules": "mini@1",
    "currency": "EUR",
    "phase": "settled",
    "opened_at": "2026-11-21T09:00:00.250000Z",
    "settled_at": "2026-11-21T09:00:03.520000Z",
    "position": 0,
    "cards": ["2s", "8d", "9c", "Ad"],
    "player_total": 1,
    "banker_total": 9,
    "natural": True,
    "outcome": "banker",
}
_EVENT: Final = {
    "position": 118,
    "id": 118,
    "stream": f"round-{examples.ROUND_ID}",
    "version": 3,
    "type": "BettingClosed",
    "schema": 1,
    "data": {"closed_at": "2026-11-21T09:00:03.520000Z", "contributions": [], "cut": ""},
    "metadata": {"operator": _ROUND["operator"], "actor": "dealer", "causation": "", "correlation": "", "request": ""},
    "recorded_at": "2026-11-21T09:00:03.521000Z",
    "previous": "5c" * 32,
    "digest": _HASH,
}
_PROOF: Final[dict[str, Any]] = {
    "format": "casino.round.v1",
    "exported_at": "2026-11-21T09:05:00.000000Z",
    "round": _ROUND,
    "rules": {"preset": "mini", "version": 1, "decks": 8, "chips": [100, 500], "third_cards": "punto_banco"},
    "shoe": {
        "id": "01a1fcbc-078d-7ef2-bf19-295c3a7cab3f",
        "decks": 8,
        "commitment": _HASH,
        "contributions": [{"seat": 1, "contribution": "6c75636b"}],
        "cut": _HASH,
        "seed": "5c" * 32,
        "root": None,
        "position": 0,
        "openings": [],
    },
    "events": [_EVENT],
    "inclusion": [{"position": 118, "path": [_HASH]}],
    "checkpoint": None,
    "keys": [{"id": "2026", "public": _HASH, "from": "2026-01-01T00:00:00Z", "until": None}],
}

round_proof = extend_schema(
    operation_id="getRoundProof",
    summary="Export a round so that anyone can check it",
    description=(
        "Only of a round that was settled or voided: to the operator, and to a player who was in it (without staff's "
        "notes and other players' purses). Check it on /play/verify/, with the stand-alone verifier that is served "
        "there, or with `manage.py verify`. What can't be checked yet, as no checkpoint was signed since or the shoe "
        "still runs, is named by them: export it again later."
    ),
    responses=proof_serializers.RoundProofShown,
    examples=[answer(_PROOF)],
)
link_pack = extend_schema(
    operation_id="createDisputePackUrl",
    summary="Make a link to everything about one round",
    description=(
        "A ZIP with the proof, the verifier, events, wagers, ledger entries, the timeline in words, and a signed "
        "manifest. Whoever has the link may fetch it until it expires; each time is kept, with the address."
    ),
    request=proof_serializers.PackAsked,
    responses={201: proof_serializers.PackLink},
    examples=[
        body({"hours": 24}),
        answer(
            {
                "url": "https://casino.example/api/v1/dispute-packs/eyJyb3VuZCI6IjAx…:1vMHxA:Zk3…",
                "expires_at": "2026-11-22T09:05:00Z",
            },
            status="201",
        ),
    ],
)
pack_keys = extend_schema(
    operation_id="listDisputePackKeys",
    summary="List the public keys that dispute packs are signed with",
    responses=proof_serializers.PackKeyList,
    examples=[answer({"items": [{"public": _HASH}]})],
)
