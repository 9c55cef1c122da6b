"""Origins of operators' sites (RFC 6454), which may frame the table page and call the API from a browser."""

import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final
from uuid import UUID

from django.conf import settings

from casino.operators import acts, services
from casino.operators.models import Operator
from casino.operators.refusals import InvalidOrigin
from casino.significant import act_log

CACHE_SECONDS: Final = 5
MAX_ORIGINS: Final = 20
MAX_LENGTH: Final = 200
_HOST: Final = r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[1-9][0-9]{1,4})?"
_HTTPS: Final = re.compile(f"https://{_HOST}", re.ASCII)
_ANY: Final = re.compile(f"https?://{_HOST}", re.ASCII)


def set_origins(*, slug: str, origins: Sequence[str], by: str) -> list[str]:
    """Replace an operator's origins. Raises InvalidOrigin, UnknownOperator.

    Other processes follow within CACHE_SECONDS.
    """
    wanted = distinct(origins)
    operator = services.find_operator(slug=slug)
    act_log.changed(
        operator,
        acts.SET_ORIGINS.name,
        by=by,
        reason="The origins of the operator's sites were changed",
        tightens=set(wanted) <= set(operator.origins),
        origins=wanted,
    )
    _operators_by_origin.cache_clear()
    return wanted


def distinct(origins: Sequence[str]) -> list[str]:
    """Return origins without repetitions, in order. Raises InvalidOrigin."""
    if len(origins) > MAX_ORIGINS:
        raise InvalidOrigin(f"There are more than {MAX_ORIGINS} origins.")
    for origin in origins:
        require_origin(origin)
    return sorted(set(origins))


def require_origin(origin: str) -> None:
    """Check that a text is an origin as browsers send it, of https in production. Raises InvalidOrigin."""
    default_port = origin.endswith(":443") if origin.startswith("https:") else origin.endswith(":80")
    form = _HTTPS if settings.PRODUCTION else _ANY
    if len(origin) > MAX_LENGTH or not form.fullmatch(origin) or default_port:
        raise InvalidOrigin(f"{origin[:80]!r} is not an origin.")


def may_call(origin: str, caller: object) -> bool:
    """Return whether pages of an origin may read responses to a caller: the origin is of the caller's operator.

    A preflight has no caller, nor has a refused credential: then the origin may be of any operator.
    """
    operators = _operators_by_origin(int(time.monotonic() // CACHE_SECONDS)).get(origin)
    if operators is None:
        return False
    operator = getattr(caller, "operator", None)
    return operator is None or operator in operators


@lru_cache(maxsize=1)
def _operators_by_origin(_period: int) -> Mapping[str, frozenset[UUID]]:
    """Read the origins of all operators, at most once in CACHE_SECONDS: preflights come with most requests."""
    rows = Operator.objects.exclude(origins=[]).values_list("id", "origins")
    owners: dict[str, frozenset[UUID]] = {}
    for operator, origins in rows:
        for origin in origins:
            owners[origin] = owners.get(origin, frozenset()) | {operator}
    return owners
