"""Attestation: measure what this process runs, compare it with the approved release, report differences.

Each process does so when it starts and every 24 hours, in a thread beside its work. Apps above this one register the
check of the rules in force and the way to stop play.
"""

import hashlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Protocol

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone

from casino.compliance import acts, clocks, release_manifest
from casino.compliance.models import Approval, ComponentDigest, Measurement
from casino.compliance.refusals import ApprovalReasonMissing
from casino.compliance.release_manifest import Component
from casino.kernel.errors import Refusal
from casino.observability import loop
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from casino.significant import act_log, recorder

logger = logging.getLogger(__name__)

AS_APPROVED: Final = "approved"
NOT_APPROVED: Final = "unapproved"
DIFFERS: Final = "differs"
APPROVED_COMPONENTS: Final = ("code", "dependencies", "settings")
MAX_FINDINGS: Final = 100
SYSTEM: Final = "system"
UPGRADE: Final = timedelta(hours=1)
"""How long after an approval the release approved before may still run: an upgrade replaces one process at a time."""
CHECK_INTERVAL: Final = 24 * 3600.0
RETRY_DELAY: Final = 60.0
"""Seconds until another attempt after the database did not answer."""
THOROUGH_PROCESS: Final = "sealer"
"""The kind of process that also compares every file of every dependency: daily, but not when it starts.

The sealer, because an installation runs hardly more than one.
"""


class IntegrityStop(Protocol):
    def __call__(self, *, reason: str) -> object: ...


RulesCheck = Callable[[], tuple[dict[str, str], list[str]]]
"""Returns digests of the rules in force by name, and findings."""
_rules_checks: Final[list[RulesCheck]] = []
_stop_functions: Final[list[IntegrityStop]] = []


@dataclass(frozen=True, slots=True)
class Attestation:
    """The measured components, the verdict, and a sentence for each difference."""

    components: dict[str, Component]
    verdict: str
    findings: tuple[str, ...]


def register(*, rules_check: RulesCheck, stop_play: IntegrityStop) -> None:
    """Add a game's rules and its kill switch; call it in AppConfig.ready()."""
    _rules_checks.append(rules_check)
    _stop_functions.append(stop_play)


def measure(*, thorough: bool = False) -> Attestation:
    """Measure code, dependencies, settings and the rules in force, and compare; write nothing.

    `thorough` also compares every file of every dependency with what was installed.
    """
    values = {name: getattr(settings, name, None) for name in settings.INTEGRITY_SETTINGS}
    rules: dict[str, str] = {}
    findings: list[str] = []
    for check in _rules_checks:
        digests, differing = check()
        rules.update(digests)
        findings.extend(differing)
    components = {
        component.name: component
        for component in (
            release_manifest.code(settings.BASE_DIR),
            release_manifest.dependencies(),
            release_manifest.configuration(values),
            release_manifest.make_component("rules", rules),
        )
    }
    approved = _approved(components)
    files = release_manifest.find_altered_files(release_manifest.site_folders()) if thorough else []
    findings = [*_differences(approved, components), *findings, *files]
    if findings:
        return Attestation(components, DIFFERS, tuple(findings))
    return Attestation(components, NOT_APPROVED if approved is None else AS_APPROVED, ())


def record(process: str, *, thorough: bool = False) -> Attestation:
    """Measure and store the result. Differences are INTEGRITY_FAILED and, by policy, stop play."""
    attestation = measure(thorough=thorough)
    with transaction.atomic():
        _store_components(attestation)
        Measurement.objects.create(
            process=process,
            verdict=attestation.verdict,
            findings=list(attestation.findings[:MAX_FINDINGS]),
            **{name: component.digest for name, component in attestation.components.items()},
        )
        if attestation.verdict == DIFFERS:
            _record_failure(process, attestation)
    if attestation.verdict == DIFFERS and settings.INTEGRITY_STOPS_PLAY:
        _stop_play(attestation)
    return attestation


def approve(*, by: str, reason: str) -> Change | None:
    """Approve the code, dependencies and settings that run here; with a live operator, request that.

    Raises ApprovalReasonMissing.
    """
    reason = reason.strip()
    if not reason:
        raise ApprovalReasonMissing
    attestation = measure()
    digests = {name: attestation.components[name].digest for name in APPROVED_COMPONENTS}
    with transaction.atomic():
        _store_components(attestation)
        summary, details = f"Approve the release that was measured: {reason}", {"reason": reason, **digests}
        return changes.make(None, ChangeName.RELEASE, subject="integrity", summary=summary, details=details, by=by)


def register_change() -> None:
    """Let two persons approve a release."""
    changes.register(ChangeKind(ChangeName.RELEASE, acts.APPROVE_RELEASE, _apply))


def _apply(change: Change) -> None:
    digests, reason = {name: change.details[name] for name in APPROVED_COMPONENTS}, change.details["reason"]
    before = Approval.objects.order_by("-id").first()
    Approval.objects.create(by=change.decided_by or change.requested_by, reason=reason, **digests)
    act_log.done(
        acts.APPROVE_RELEASE.name,
        operator=None,
        subject="integrity",
        actor=change.requested_by,
        authorised_by=change.decided_by,
        reason=reason,
        before=None if before is None else {name: getattr(before, name) for name in APPROVED_COMPONENTS},
        after=digests,
    )


def _approved(components: dict[str, Component]) -> Approval | None:
    """Return the approval to compare with: the newest, or for the time of an upgrade the one before it that matches."""
    newest = list(Approval.objects.order_by("-id")[:2])
    if len(newest) == 2 and newest[0].at > timezone.now() - UPGRADE:
        before = newest[1]
        if all(getattr(before, name) == components[name].digest for name in APPROVED_COMPONENTS):
            return before
    return newest[0] if newest else None


def _differences(approved: Approval | None, components: dict[str, Component]) -> list[str]:
    findings: list[str] = []
    for name in () if approved is None else APPROVED_COMPONENTS:
        digest = getattr(approved, name)
        if digest == components[name].digest:
            continue
        stored = ComponentDigest.objects.filter(pk=digest).first()
        items: Any = {} if stored is None else stored.items
        findings.extend(release_manifest.differences(items, components[name].items, component=name))
    return findings


def _store_components(attestation: Attestation) -> None:
    rows = [
        ComponentDigest(digest=component.digest, component=component.name, items=dict(component.items))
        for component in attestation.components.values()
    ]
    ComponentDigest.objects.bulk_create(rows, ignore_conflicts=True)


def _record_failure(process: str, attestation: Attestation) -> None:
    """Record one event per differing state, however many processes start in it, and another after an approval."""
    logger.critical("ALERT the running release differs from the approved one: %s", "; ".join(attestation.findings[:10]))
    approved = Approval.objects.order_by("-id").first()
    digest = hashlib.sha256("\n".join(attestation.findings).encode()).hexdigest()
    state = "-".join([*(component.digest[:16] for component in attestation.components.values()), digest[:16]])
    recorder.record(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject="integrity",
        actor=SYSTEM,
        reason="; ".join(attestation.findings[:10]),
        after={"process": process, "findings": list(attestation.findings[:MAX_FINDINGS])},
        dedup_key=f"integrity:{0 if approved is None else approved.pk}:{state}",
    )


def _stop_play(attestation: Attestation) -> None:
    for stop in _stop_functions:
        try:
            stop(reason=f"Integrity: {'; '.join(attestation.findings)}"[:500])
        except Refusal as refusal:  # another process was quicker
            logger.warning("Play was not stopped: %s", refusal)


def start_monitoring(process: str) -> None:
    """Start the thread that measures this process, unless settings.INTEGRITY_AT_START is off."""
    if settings.INTEGRITY_AT_START:
        loop.start(_measuring(process), threading.Event(), work="the integrity check")


def _measuring(process: str) -> Callable[[], float]:
    thorough = False

    def step() -> float:
        nonlocal thorough
        done = check_once(process, thorough=thorough)
        thorough = process == THOROUGH_PROCESS
        return CHECK_INTERVAL if done else RETRY_DELAY

    return step


def check_once(process: str, *, thorough: bool = False) -> bool:
    """Measure once; return whether the result could be stored."""
    try:
        record(process, thorough=thorough)
        clocks.record_reading(process)
    except (DatabaseError, InterfaceError, OSError) as error:
        logger.warning("Integrity could not be measured; trying again: %s", error)
        return False
    finally:
        connection.close()
    return True
