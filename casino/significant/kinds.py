"""What counts as a significant event (after GLI-19 2.8.8), how grave each kind is, and which part it comes from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Severity(StrEnum):
    """How grave an event is. All but INFO wait for somebody to acknowledge them."""

    INFO = "info"
    NOTICE = "notice"
    WARNING = "warning"
    CRITICAL = "critical"


class SignificantEventKind(StrEnum):
    """Every kind of significant event."""

    ROUND_VOIDED = "round_voided"
    ROUND_SUSPENDED = "round_suspended"
    MONEY_ADJUSTED = "money_adjusted"
    LARGE_WIN = "large_win"
    LARGE_WAGER = "large_wager"
    LARGE_PAYMENT = "large_payment"
    NEGATIVE_BALANCE = "negative_balance"
    LOGIN_FAILED = "access_failed"
    LOGIN_LOCKED = "access_locked"
    ACCESS_CHANGED = "access_changed"
    CONFIG_CHANGED = "config_changed"
    RULES_PUBLISHED = "rules_published"
    CLOCK_CHANGED = "clock_changed"
    SERVICE_UNAVAILABLE = "service_unavailable"
    INTEGRITY_FAILED = "integrity_failed"
    AUDIT_FINDING = "audit_finding"
    TABLE_STOPPED = "table_stopped"
    GAMING_STOPPED = "gaming_stopped"
    GAMING_RESUMED = "gaming_resumed"
    ACCOUNT_CHANGED = "player_data_changed"
    PLAYER_BLOCKED = "player_blocked"
    RETURN_OUT_OF_BAND = "return_out_of_band"
    RNG_OUT_OF_BAND = "rng_out_of_band"
    DATA_ERASED = "data_erased"
    DATA_PURGED = "data_purged"
    KEY_ROTATED = "key_rotated"
    PACK_LINKED = "dispute_pack_shared"
    PACK_FETCHED = "dispute_pack_downloaded"


@dataclass(frozen=True, slots=True)
class KindDescription:
    """What is said of a kind: its title, the part of the system it comes from, how grave it is."""

    title: str
    component: str
    severity: Severity


_INFO, _NOTICE, _WARNING, _CRITICAL = Severity
DESCRIPTIONS: Final = {
    SignificantEventKind.ROUND_VOIDED: KindDescription("Round voided", "tables", _WARNING),
    SignificantEventKind.ROUND_SUSPENDED: KindDescription("Round set aside", "tables", _WARNING),
    SignificantEventKind.MONEY_ADJUSTED: KindDescription("Money adjusted by hand", "wallet", _NOTICE),
    SignificantEventKind.LARGE_WIN: KindDescription("Large win", "tables", _NOTICE),
    SignificantEventKind.LARGE_WAGER: KindDescription("Large wager", "tables", _NOTICE),
    SignificantEventKind.LARGE_PAYMENT: KindDescription("Large payment", "wallet", _NOTICE),
    SignificantEventKind.NEGATIVE_BALANCE: KindDescription("Negative balance", "wallet", _WARNING),
    SignificantEventKind.LOGIN_FAILED: KindDescription("Failed access", "access", _INFO),
    SignificantEventKind.LOGIN_LOCKED: KindDescription("Access locked", "access", _WARNING),
    SignificantEventKind.ACCESS_CHANGED: KindDescription("Rights changed", "access", _NOTICE),
    SignificantEventKind.CONFIG_CHANGED: KindDescription("Configuration changed", "configuration", _NOTICE),
    SignificantEventKind.RULES_PUBLISHED: KindDescription("Rules published", "configuration", _NOTICE),
    SignificantEventKind.CLOCK_CHANGED: KindDescription("Master clock changed", "clock", _CRITICAL),
    SignificantEventKind.SERVICE_UNAVAILABLE: KindDescription("Service was unavailable", "availability", _WARNING),
    SignificantEventKind.INTEGRITY_FAILED: KindDescription("Integrity check failed", "integrity", _CRITICAL),
    SignificantEventKind.AUDIT_FINDING: KindDescription("Audit finding", "integrity", _CRITICAL),
    SignificantEventKind.TABLE_STOPPED: KindDescription("Table stopped", "tables", _WARNING),
    SignificantEventKind.GAMING_STOPPED: KindDescription("Gaming stopped", "tables", _CRITICAL),
    SignificantEventKind.GAMING_RESUMED: KindDescription("Gaming resumed", "tables", _INFO),
    SignificantEventKind.ACCOUNT_CHANGED: KindDescription("Player's data changed", "accounts", _INFO),
    SignificantEventKind.PLAYER_BLOCKED: KindDescription("Player blocked or let in again", "accounts", _NOTICE),
    SignificantEventKind.RETURN_OUT_OF_BAND: KindDescription("Return outside its band", "fairness", _WARNING),
    SignificantEventKind.RNG_OUT_OF_BAND: KindDescription("Randomness outside its band", "fairness", _CRITICAL),
    SignificantEventKind.DATA_ERASED: KindDescription("Personal data erased", "privacy", _NOTICE),
    SignificantEventKind.DATA_PURGED: KindDescription("Old data purged", "privacy", _NOTICE),
    SignificantEventKind.KEY_ROTATED: KindDescription("Key rotated", "keys", _INFO),
    SignificantEventKind.PACK_LINKED: KindDescription("Dispute pack linked", "access", _INFO),
    SignificantEventKind.PACK_FETCHED: KindDescription("Dispute pack fetched", "access", _INFO),
}
"""One for each kind; the table stores the severity as it was when the event was recorded."""

INSTALLATION_WIDE: Final = frozenset(
    {
        SignificantEventKind.CLOCK_CHANGED,
        SignificantEventKind.SERVICE_UNAVAILABLE,
        SignificantEventKind.INTEGRITY_FAILED,
        SignificantEventKind.GAMING_STOPPED,
        SignificantEventKind.GAMING_RESUMED,
        SignificantEventKind.RNG_OUT_OF_BAND,
        SignificantEventKind.KEY_ROTATED,
        SignificantEventKind.DATA_PURGED,
    }
)
"""What every operator is told where it is of the whole installation: it names nobody's players and nobody's money."""
