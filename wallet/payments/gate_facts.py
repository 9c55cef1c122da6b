"""Read what the gate judges by, in a few statements, under the lock of the player's account.

Cases are the platform's own. What upper apps know of a player, and how much was staked in which time, they register.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.compliance import cases
from casino.events.sql import fetch
from wallet.payments import gate
from wallet.payments.gate import CauseKind, HoldTerms, MoneyFlow, PayoutFacts
from wallet.responsible_gaming.projection import decode_restrictions

_FACTS: Final = """
    SELECT (SELECT state::text FROM wallet_playerrestrictions
             WHERE player_id = %(player)s AND operator_id = %(operator)s),
           clock_timestamp(),
           EXISTS (SELECT FROM operators_playerban
                    WHERE player_id = %(player)s AND (until IS NULL OR until > clock_timestamp())),
           (SELECT string_agg(causes, ',') FROM wallet_hold
             WHERE withdrawal_id = %(withdrawal)s AND status = 'released'),
           operators_wins_capped(%(operator)s, %(currency)s, 'hold_payouts')
"""
# A payment that was sent without a hold for lack of play found everything before it played.
_MOVED: Final = """
    WITH latest AS (
        SELECT max(requested_at) AS at FROM wallet_withdrawal AS sent
         WHERE player_id = %(player)s AND currency = %(currency)s AND status IN ('sent', 'paid')
           AND NOT EXISTS (SELECT FROM wallet_hold WHERE withdrawal_id = sent.id
                            AND %(unplayed)s = ANY (string_to_array(causes, ',')))
    )
    SELECT moved.at, moved.credited
      FROM latest, LATERAL (
           SELECT ended_at AS at, amount - fee AS credited FROM wallet_deposit
            WHERE player_id = %(player)s AND currency = %(currency)s AND status = 'completed'
              AND ended_at > coalesce(latest.at, '-infinity')
           UNION ALL
           SELECT ended_at, -amount FROM wallet_withdrawal
            WHERE player_id = %(player)s AND currency = %(currency)s AND status = 'paid'
              AND ended_at > coalesce(latest.at, '-infinity')
      ) AS moved ORDER BY moved.at
"""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known of a player: how far the identity is verified, statuses of a screening, tags.

    `cases` are open ones about another player that are about this one, too.
    """

    kyc: str
    statuses: tuple[str, ...]
    tags: tuple[str, ...]
    cases: tuple[str, ...]


Assess = Callable[[UUID, UUID], Assessment]
"""Assesses an operator's player."""
Staked = Callable[[UUID, str, Sequence[datetime]], Sequence[int]]
"""Returns what a player staked in a currency from each of these times, ascending, until the next, without pushes."""
_sources: Final[dict[str, tuple[Assess, Staked]]] = {}


def register(assess: Assess, staked: Staked) -> None:
    """Let the gate ask what only upper apps know; call it in AppConfig.ready()."""
    _sources["game"] = (assess, staked)


def causes(
    *, operator: UUID, player: UUID, currency: str, amount: int, terms: HoldTerms, withdrawal: UUID, over_cap: bool
) -> tuple[str, ...]:
    """Return the causes that hold a withdrawal now, one that is `over_cap` if it is about to leave beyond the day's.

    It waits for a case about the player that is being opened, so that money leaves before a case or not at all.
    """
    cases.lock_subject(operator=operator, subject=f"player:{player}")
    facts = read(operator=operator, player=player, currency=currency, amount=amount, terms=terms, withdrawal=withdrawal)
    return gate.causes(replace(facts, over_cap=over_cap))


def read(
    *, operator: UUID, player: UUID, currency: str, amount: int, terms: HoldTerms, withdrawal: UUID
) -> PayoutFacts:
    """Read the facts about a withdrawal."""
    assess, staked = _sources["game"]
    values = {"operator": operator, "player": player, "withdrawal": withdrawal, "currency": currency}
    ((restrictions, now, banned, released, wins_over_cap),) = fetch(_FACTS, values)
    state, known = decode_restrictions(restrictions), assess(operator, player)
    return PayoutFacts(
        amount=amount,
        terms=terms,
        cases=(*cases.open_about(operator=operator, player=player), *known.cases),
        kyc=known.kyc,
        statuses=known.statuses,
        tags=known.tags,
        excluded_by_house=bool(banned) or state.is_excluded_by_house(now),
        frozen=state.frozen_at is not None,
        moved=_moved(player, currency, staked) if terms.played_ppm else (),
        released=tuple(released.split(",")) if released else (),
        wins_over_cap=wins_over_cap,
    )


def _moved(player: UUID, currency: str, staked: Staked) -> tuple[MoneyFlow, ...]:
    rows = fetch(_MOVED, {"player": player, "currency": currency, "unplayed": CauseKind.UNPLAYED.value})
    since = [at for at, _ in rows]
    played = staked(player, currency, since) if rows else ()
    return tuple(MoneyFlow(credited, stakes) for (_, credited), stakes in zip(rows, played, strict=True))
