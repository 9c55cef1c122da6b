"""Measure what runs here, hold it against what was approved, and say so where it differs; approve it by name."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from casino.compliance import release_manifest
from casino.compliance.integrity_models import Approval, ComponentDigest, Measurement
from casino.compliance.integrity_refusals import ApprovalReasonMissing
from casino.compliance.release_manifest import Component
from casino.kernel.errors import Refusal
from casino.significant import recorder

logger = logging.getLogger(__name__)

AS_APPROVED: Final = "approved"
NOT_APPROVED: Final = "unapproved"
DIFFERS: Final = "differs"
APPROVED_COMPONENTS: Final = ("code", "dependencies", "settings")
MAX_FINDINGS: Final = 100
SYSTEM: Final = "system"


@dataclass(frozen=True, slots=True)
class Attestation:
    """What was measured: the parts, the verdict, and what differs, in words."""

    components: dict[str, Component]
    verdict: str
    findings: tuple[str, ...]


def measure(*, thorough: bool = False) -> Attestation:
    """Measure code, dependencies, settings and the rules in force, and compare; it writes nothing.

    When `thorough`, every file of every dependency is read, too, and held against what was installed.
    """
    values = {name: getattr(settings, name, None) for name in settings.INTEGRITY_SETTINGS}
    rules, wrong = import_string(settings.INTEGRITY_RULES)()
    parts = {
        part.name: part
        for part in (
            release_manifest.code(settings.BASE_DIR),
            release_manifest.dependencies(),
            release_manifest.configuration(values),
            release_manifest.make_component("rules", rules),
        )
    }
    approved = Approval.objects.order_by("-id").first()
    files = release_manifest.find_altered_files(release_manifest.site()) if thorough else []
    told = [*_differences(approved, parts), *wrong, *files]
    if told:
        return Attestation(parts, DIFFERS, tuple(told))
    return Attestation(parts, NOT_APPROVED if approved is None else AS_APPROVED, ())


def record(process: str, *, thorough: bool = False) -> Attestation:
    """Measure and keep what was found; what differs is INTEGRITY_FAILED and, by policy, stops play."""
    found = measure(thorough=thorough)
    with transaction.atomic():
        _keep(found)
        Measurement.objects.create(
            process=process,
            verdict=found.verdict,
            findings=list(found.findings[:MAX_FINDINGS]),
            **{name: part.digest for name, part in found.components.items()},
        )
        if found.verdict == DIFFERS:
            _fail(process, found)
    if found.verdict == DIFFERS and settings.INTEGRITY_STOPS:
        _stop(found)
    return found


def approve(*, by: str, reason: str) -> Attestation:
    """Approve what runs here, code, dependencies and settings, from now on. Raises ApprovalReasonMissing."""
    if not reason.strip():
        raise ApprovalReasonMissing
    found = measure()
    digests = {name: found.components[name].digest for name in APPROVED_COMPONENTS}
    with transaction.atomic():
        before = Approval.objects.order_by("-id").first()
        _keep(found)
        Approval.objects.create(by=by, reason=reason.strip(), **digests)
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=None,
            subject="integrity",
            actor=by,
            authorised_by=by,
            reason=reason.strip(),
            before=None if before is None else {name: getattr(before, name) for name in APPROVED_COMPONENTS},
            after=digests,
        )
    return measure()


def _differences(approved: Approval | None, parts: dict[str, Component]) -> list[str]:
    told: list[str] = []
    for name in () if approved is None else APPROVED_COMPONENTS:
        digest = getattr(approved, name)
        if digest == parts[name].digest:
            continue
        known = ComponentDigest.objects.filter(pk=digest).first()
        items: Any = {} if known is None else known.items
        told.extend(release_manifest.differences(items, parts[name].items, component=name))
    return told


def _keep(found: Attestation) -> None:
    rows = [
        ComponentDigest(digest=part.digest, component=part.name, items=dict(part.items))
        for part in found.components.values()
    ]
    ComponentDigest.objects.bulk_create(rows, ignore_conflicts=True)


def _fail(process: str, found: Attestation) -> None:
    """One event for each state that differs, however many processes start in it; another after the next approval."""
    logger.critical("ALERT what runs here is not what was approved: %s", "; ".join(found.findings[:10]))
    approved = Approval.objects.order_by("-id").first()
    told = hashlib.sha256("\n".join(found.findings).encode()).hexdigest()
    state = "-".join([*(part.digest[:16] for part in found.components.values()), told[:16]])
    recorder.record(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject="integrity",
        actor=SYSTEM,
        reason="; ".join(found.findings[:10]),
        after={"process": process, "findings": list(found.findings[:MAX_FINDINGS])},
        dedup_key=f"integrity:{0 if approved is None else approved.pk}:{state}",
    )


def _stop(found: Attestation) -> None:
    stop: Callable[..., object] = import_string(settings.INTEGRITY_STOP)
    try:
        stop(reason=f"Integrity: {'; '.join(found.findings)}"[:500])
    except Refusal as refusal:  # another process was quicker
        logger.warning("Play was not stopped: %s", refusal)
