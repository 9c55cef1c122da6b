"""Asks witnesses for links against closings, outside any transaction. Whoever asks again gets the same ones."""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings

from baccarat.domain.fairness.links import SignedRelease
from baccarat.domain.rounds.refusals import WitnessesNotReady, WitnessUnavailable
from baccarat.domain.tables.state import OpenClosing, TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.storage import witness_chains
from casino.witness.client import ChainRefused, Released, ReleaseItem, Unreleased, configured_client
from casino.witness.statements import ClosingRequest
from casino.witness.transport import WitnessAway

logger = logging.getLogger(__name__)

CLOCKS_APART: Final = timedelta(seconds=1)
"""By how much a witness may date a link before the bets were closed: every verifier refuses more."""
MAX_SILENCE_SECONDS: Final = 5.0
"""For how long a witness may be silent before its tables take no more wagers."""

Links = Mapping[UUID, tuple[SignedRelease, ...]]
"""What the witnesses of each drawing have given out."""


class _Wanted(NamedTuple):
    """A closing of a table for one of its witnesses."""

    table: UUID
    waiting: OpenClosing
    item: ReleaseItem


@dataclass(frozen=True, slots=True)
class UsedLink:
    """A witness's signed proof that it has given out a drawing's link for another closing: this database is behind."""

    item: ReleaseItem
    existing: Released

    def __str__(self) -> str:
        given = self.existing.release
        return (
            f"A witness gave out link {given.index} of chain {given.chain.hex()} for another closing at "
            f"{datetime.fromtimestamp(given.time_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC: this database is an older "
            "copy, or the witness is wrong. Replace the witness at this table before you resume play."
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """What witnesses have answered: the links of drawings that have all of theirs now, and the tables of these.

    `used_links` is what was given out for other closings, by table.
    """

    links: Links
    tables: Sequence[UUID]
    used_links: Mapping[UUID, Sequence[UsedLink]]


class PendingClosings:
    """Closings that witnesses are asked for. Each answer is taken as it comes: a witness delays its own tables only."""

    def __init__(self) -> None:
        self._pending: dict[Future[Sequence[Released | Unreleased]], Sequence[_Wanted]] = {}
        self._given: defaultdict[UUID, dict[str, SignedRelease]] = defaultdict(dict)

    def ask(self, closings: Mapping[UUID, tuple[OpenClosing, ...]]) -> None:
        """Ask the witnesses that are not away for the closings of tables, in the order of each table's closings."""
        wanted = _wanted(closings) if closings else []
        for sent in configured_client().send([each.item for each in wanted]) if wanted else []:
            self._pending[sent.results] = [wanted[place] for place in sent.places]

    def is_waiting(self) -> bool:
        """Return whether there are answers that were not taken."""
        return bool(self._pending)

    def take(self, seconds: float) -> Answers:
        """Return what has been answered, as soon as a witness has, and after so many seconds in any case."""
        links: dict[UUID, tuple[SignedRelease, ...]] = {}
        tables: dict[UUID, None] = {}
        used_links: defaultdict[UUID, list[UsedLink]] = defaultdict(list)
        for answered in wait(self._pending, seconds, FIRST_COMPLETED).done:
            for each, result in zip(self._pending.pop(answered), answered.result(), strict=True):
                waiting = each.waiting
                if isinstance(result, Released):
                    _alert_if_early(waiting, result)
                    given = self._given[waiting.drawing]
                    given[result.release.chain.hex()] = _signed(result)
                    if len(given) == len(waiting.witnesses):
                        links[waiting.drawing] = tuple(given[place.chain] for place in waiting.witnesses)
                        tables[each.table] = None
                    continue
                _log(waiting, each.item, result)
                if result.existing is not None and not waiting.is_late:
                    used_links[each.table].append(UsedLink(each.item, result.existing))
        return Answers(links, list(tables), used_links)


def _alert_if_early(waiting: OpenClosing, result: Released) -> None:
    """Say that a witness's clock is so far behind that no verifier takes its statement to be after the bets."""
    behind = waiting.closed_at.timestamp() - result.release.time_ms / 1000
    if behind > CLOCKS_APART.total_seconds():
        values = result.release.chain.hex(), waiting.drawing, behind
        logger.critical("ALERT chain %s dates the link of drawing %s %.1f s before the bets closed", *values)


def retire(link: UsedLink) -> None:
    """Have the chain give out no more links. A witness that is away now is asked again when it is replaced."""
    try:
        configured_client().retire_chain(link.item.chain.header)
    except (WitnessAway, ChainRefused) as error:
        logger.warning("Chain %s is not retired yet: %s", link.item.request.chain.hex(), error)


def require_chains(table: TableState) -> None:
    """Check that the table has a chain of each witness that it is to have, so that nobody can choose its cards.

    One that has been played at goes on with one, until the others have made theirs. Raises WitnessesNotReady.
    """
    if not settings.WITNESSES or not settings.TABLE_WITNESSES:
        return
    able = sum(bool(each.release_key) for each in configured_client().addresses)
    wanted, ready = min(able, settings.TABLE_WITNESSES), len({each.release_key for each in table.chains})
    if ready < (min(wanted, 1) if table.rounds else wanted):
        raise WitnessesNotReady(wanted=wanted, ready=ready)


def require_witnesses(uow: UnitOfWork, now: datetime) -> None:
    """Check that the table has its witnesses, and those of the round in play answer, so that a wager will be dealt.

    Raises WitnessesNotReady, WitnessUnavailable. At a table whose chain is used up, no round opens before its successor
    is there.

    From the first call on, this process asks the witnesses by itself, and waits for none of them.
    """
    require_chains(uow.table)
    opened = uow.round.opened
    if uow.table.round is None and uow.table.lacks_links():
        raise WitnessUnavailable(since=None)
    if opened is None or not opened.witnesses:
        return
    client, of_round = configured_client(), {each.chain for each in opened.witnesses}
    keys = [chain.release_key for chain in uow.table.chains if chain.chain in of_round]
    moments = [each.closed_at.timestamp() for each in uow.table.open_closings if not each.is_late]
    moments.extend(since for key in keys if (since := client.away_since(bytes.fromhex(key))) is not None)
    silent_since = min(moments, default=None)
    if silent_since is not None and now.timestamp() - silent_since > MAX_SILENCE_SECONDS:
        raise WitnessUnavailable(since=datetime.fromtimestamp(silent_since, UTC) if silent_since else None)


def _wanted(closings: Mapping[UUID, tuple[OpenClosing, ...]]) -> list[_Wanted]:
    """Return what to ask for, in the order of each table's closings."""
    client, headers = configured_client(), witness_chains.headers_for(closings)
    wanted = []
    for table, waiting in ((table, each) for table, of_table in closings.items() for each in of_table):
        for place in waiting.witnesses:
            chain = headers[place.chain]
            if client.away_since(chain.header.release_key) is not None:
                continue
            request = ClosingRequest(chain.header.chain, place.index, waiting.kind, bytes.fromhex(waiting.digest))
            wanted.append(_Wanted(table, waiting, ReleaseItem(chain, request)))
    return wanted


def _signed(released: Released) -> SignedRelease:
    release = released.release
    return SignedRelease(
        chain=release.chain.hex(),
        link=release.link.hex(),
        time_ms=release.time_ms,
        number=release.number,
        previous=release.previous.hex(),
        signature=released.signature.hex(),
        path=b"".join(released.path).hex(),
    )


def _log(waiting: OpenClosing, item: ReleaseItem, result: Unreleased) -> None:
    """Log why there is no link. A witness that is away, or whose turn it is not yet, is asked again."""
    values = waiting.drawing, item.request.chain.hex(), result.code, result.detail
    if waiting.is_late or result.code in {"away", "unpinned", "not_next_index"}:
        logger.warning("Drawing %s has no link of chain %s yet: %s, %s", *values)
    else:
        logger.critical("ALERT drawing %s gets no link of chain %s: %s, %s", *values)
