"""How operations about versions of a table's rules are documented, examples included."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema

from baccarat.api import examples
from baccarat.api import rules_shown as shapes

_RETURN: Final = {"fraction": "10732465128097/10847218479825", "decimal": "0.989420942"}
_EXAMPLE: Final = {
    "version": 1,
    "label": "mini@1",
    "status": "in_force",
    "rules": examples.SHOWN["rules"],
    "returns": [{"spot": "banker", "exact": _RETURN, "at_minimum": _RETURN}],
    "acknowledgement": "",
    "drafted_by": "",
    "drafted_at": "2026-11-21T09:00:00Z",
    "decided_by": "",
    "decided_at": None,
    "effective_from": "",
    "reason": "",
    "first_round": 1,
    "since": "2026-11-21T09:00:00Z",
    "until": None,
    "played": [
        {
            "money_type": "real",
            "rounds": 1,
            "wagers": 1,
            "staked": "10.00",
            "paid": "19.50",
            "commission": "0.50",
            "voided": 0,
            "voided_stakes": "0.00",
            "actual_return": {"fraction": "39/20", "decimal": "1.950000000"},
        }
    ],
}
_DRAFT: Final = {
    **_EXAMPLE,
    "version": 2,
    "label": "mini@2",
    "status": "draft",
    "drafted_by": "desk:agent-17",
    "first_round": None,
    "since": None,
    "played": [],
}
_DECIDED: Final = {**_DRAFT, "decided_by": "desk:agent-3", "decided_at": "2026-11-21T09:10:00Z"}
_PUBLISHED: Final = {**_DECIDED, "status": "published", "effective_from": "next_round"}
_REJECTED: Final = {**_DECIDED, "status": "rejected", "reason": "Too high."}
_LIFE: Final = (
    "A change of rules is a new version: one person drafts it, another publishes it, and it holds from the next round "
    "on. Commission waits for the long shoe in play to end; decks, burn and cut card hold only for a shoe that is "
    "committed to after the publishing: where each round is shuffled, from the second round on."
)


def _document(
    operation: str, summary: str, said: str, *, request: type, asked: Any, answer: Any, status: int = 200
) -> Any:
    return extend_schema(
        operation_id=operation,
        summary=summary,
        description=said,
        request=request,
        responses={status: shapes.VersionShown},
        examples=[examples.body(asked), examples.answer(answer, status=str(status))],
    )


list_versions: Final = extend_schema(
    operation_id="listTableVersions",
    summary="List the versions of a table's rules, with their returns and what was played by each",
    description=_LIFE,
    responses=shapes.VersionList,
    examples=[examples.answer({"items": [_EXAMPLE]})],
)
show_version: Final = extend_schema(
    operation_id="getTableVersion",
    summary="Show one version of a table's rules, with its theoretical return by enumeration",
    responses=shapes.VersionShown,
    examples=[examples.answer(_DRAFT)],
)
draft: Final = _document(
    "draftTableRules",
    "Draft other rules for a table; another person has to publish them",
    f"{_LIFE} `rules` are the fields that change. For real money a spot with a player's edge, or one that returns less "
    "than your floor, is refused (`player_edge_not_accepted`, `return_under_floor`) unless `acknowledgement` is the "
    "`sentence` of that refusal, word by word. `actor` is your own id of the person who acts.",
    request=shapes.Drafting,
    asked={"actor": "agent-17", "rules": {"minimum": "10.00"}},
    answer=_DRAFT,
    status=201,
)
publish: Final = _document(
    "publishTableVersion",
    "Publish a draft, as another person than who drafted it",
    "It never holds within a round, nor for a shoe that it would change. Where your floor was raised since the draft, "
    "and a spot returns less, it is refused (`return_under_floor`): reject it, and draft it with the acknowledgement.",
    request=shapes.Deciding,
    asked={"actor": "agent-3"},
    answer=_PUBLISHED,
)
reject: Final = _document(
    "rejectTableVersion",
    "Refuse a draft; nothing changes",
    "Its number is not used again.",
    request=shapes.Rejecting,
    asked={"actor": "agent-3", "reason": "Too high."},
    answer=_REJECTED,
)
discard: Final = _document(
    "discardTableVersion",
    "Take the own draft back; nothing changes",
    "For the person who drafted it.",
    request=shapes.Deciding,
    asked={"actor": "agent-17"},
    answer={**_REJECTED, "decided_by": "desk:agent-17", "reason": "taken back"},
)
withdraw: Final = _document(
    "retireTableVersion",
    "Withdraw the rules in force: no round opens at the table until others are published",
    "The round in hand concludes, and players may leave with their money. One person is enough to stop what is wrong; "
    "other rules need two, as ever. A version that is not in force is refused (`version_not_in_force`), so a late "
    "repeat never withdraws the one after it.",
    request=shapes.Rejecting,
    asked={"actor": "agent-3", "reason": "Printed wrong."},
    answer={
        **_EXAMPLE,
        "status": "decommissioned",
        "reason": "Printed wrong.",
        "until": "2026-11-21T10:00:00Z",
    },
)
