"""The tables of attestation and erasure."""

from casino.compliance.erasure_models import Decision, Erasure
from casino.compliance.integrity_models import Approval, ClockReading, ComponentDigest, Measurement

__all__ = ["Approval", "ClockReading", "Decision", "Erasure", "ComponentDigest", "Measurement"]
