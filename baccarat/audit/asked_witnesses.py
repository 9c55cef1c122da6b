"""Ask the witnesses what they have signed for this house, and compare: neither side can say two things.

What was signed since a checkpoint some days old is compared, so that each statement is in two nights at least. Where
nothing was signed since, everything is. A witness that does not answer is no finding: it is watched elsewhere, and the
next night asks for as much.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from baccarat.audit.report import AuditReport
from baccarat.audit.statements import list_statements
from casino.events.sql import fetch
from casino.events.verification import current_head
from casino.kernel.findings import Finding
from casino.witness import compare
from casino.witness.addresses import WitnessAddress, parse_addresses
from casino.witness.compare import CannotCompare, Source
from casino.witness.statements import Release, Retirement

logger = logging.getLogger(__name__)

DAYS: Final = timedelta(days=3)
MARGIN: Final = timedelta(hours=1)
"""How much later than the checkpoint the comparison begins: links are not recorded in the order of their numbers."""
_START: Final = """
SELECT seal.event_id, checkpoint.made_at FROM checkpoints_checkpoint AS checkpoint
  JOIN events_seal AS seal ON seal.position = checkpoint.size
 WHERE checkpoint.made_at <= %s ORDER BY checkpoint.made_at DESC LIMIT 1
"""
HOUSE: Final = "this house"


def audit(*, now: datetime) -> AuditReport:
    """Compare the last days' links with what each witness that gives out links shows itself."""
    began = time.monotonic()
    (after, since), *_ = [*fetch(_START, [now - DAYS]), (0, None)]
    house, findings, away = _read_house(after), dict[Finding, None](), list[str]()
    if after and not all(_numbers(house, each) for each in parse_addresses(settings.WITNESSES) if each.release_key):
        house, since = _read_house(0), None
    for address in parse_addresses(settings.WITNESSES):
        if not address.release_key:
            continue
        last = {} if since is None else _last_before(_numbers(house, address), since + MARGIN)
        try:
            witness = compare.read_source(address.url, origin=settings.LOG_ORIGIN, after=last)
        except CannotCompare as error:
            logger.warning("Witness %s is not compared tonight: %s", address.name, error)
            away.append(f"what {address.name} has signed: it did not answer")
            continue
        findings.update(dict.fromkeys(compare.compare(witness, _of_witness(house, address, last), now=now.timestamp())))
    head, seconds = current_head(), time.monotonic() - began
    return AuditReport(
        rounds=len(house.results),
        events=len(house.statements),
        entries=0,
        log_seconds=0.0,
        findings=tuple(findings),
        seconds=seconds,
        head=(head.position, head.digest.hex()),
        not_read=tuple(away),
    )


def _read_house(after: int) -> Source:
    house = Source(HOUSE, is_witness=False)
    for line in list_statements(after=after):
        house.add(line)
    return house


def _of_witness(house: Source, address: WitnessAddress, after: Mapping[int, int]) -> Source:
    """Return what the house has of one witness after these numbers of its generations."""

    def is_compared(statement: Release | Retirement) -> bool:
        header = house.headers[statement.chain]
        return header.release_key == address.release_key and statement.number > after.get(header.generation, 0)

    return replace(
        house,
        statements=[each for each in house.statements if is_compared(each[0])],
        results=[each for each in house.results if is_compared(each[0])],
    )


def _numbers(house: Source, address: WitnessAddress) -> Mapping[int, list[tuple[int, int]]]:
    """Return number and time of what the house has of a witness, by generation."""
    numbers = defaultdict[int, list[tuple[int, int]]](list)
    for release, header in house.releases():
        if header.release_key == address.release_key:
            numbers[header.generation].append((release.number, release.time_ms))
    return numbers


def _last_before(numbers: Mapping[int, list[tuple[int, int]]], begin: datetime) -> dict[int, int]:
    """Return the last number before a time, by generation; else the one before the first that the house has."""
    last = {}
    for generation, listed in numbers.items():
        earlier = [number for number, time_ms in listed if time_ms < begin.timestamp() * 1000]
        last[generation] = max(earlier, default=min(listed)[0] - 1)
    return last
