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


class Kind(StrEnum):
    """Every kind of significant event."""

    ROUND_VOIDED = "round_voided"
    ROUND_SET_ASIDE = "round_set_aside"
    MONEY_ADJUSTED = "money_adjusted"
    LARGE_WIN = "large_win"
    LARGE_WAGER = "large_wager"
    LARGE_PAYMENT = "large_payment"
    NEGATIVE_BALANCE = "negative_balance"
    LOGIN_FAILED = "login_failed"
    LOGIN_LOCKED = "login_locked"
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
    ACCOUNT_CHANGED = "account_changed"
    PLAYER_BLOCKED = "player_blocked"
    RETURN_OUT_OF_BAND = "return_out_of_band"
    RNG_OUT_OF_BAND = "rng_out_of_band"
    DATA_ERASED = "data_erased"
    DATA_PURGED = "data_purged"
    KEY_ROTATED = "key_rotated"
    PACK_LINKED = "pack_linked"
    PACK_FETCHED = "pack_fetched"


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of a kind: its title, the part of the system it comes from, how grave it is."""

    title: str
    component: str
    severity: Severity


_INFO, _NOTICE, _WARNING, _CRITICAL = Severity
WORDS: Final = {
    Kind.ROUND_VOIDED: Words("Round voided", "tables", _WARNING),
    Kind.ROUND_SET_ASIDE: Words("Round set aside", "tables", _WARNING),
    Kind.MONEY_ADJUSTED: Words("Money adjusted by hand", "wallet", _NOTICE),
    Kind.LARGE_WIN: Words("Large win", "tables", _NOTICE),
    Kind.LARGE_WAGER: Words("Large wager", "tables", _NOTICE),
    Kind.LARGE_PAYMENT: Words("Large payment", "wallet", _NOTICE),
    Kind.NEGATIVE_BALANCE: Words("Negative balance", "wallet", _WARNING),
    Kind.LOGIN_FAILED: Words("Failed access", "access", _INFO),
    Kind.LOGIN_LOCKED: Words("Access locked", "access", _WARNING),
    Kind.ACCESS_CHANGED: Words("Rights changed", "access", _NOTICE),
    Kind.CONFIG_CHANGED: Words("Configuration changed", "configuration", _NOTICE),
    Kind.RULES_PUBLISHED: Words("Rules published", "configuration", _NOTICE),
    Kind.CLOCK_CHANGED: Words("Master clock changed", "clock", _CRITICAL),
    Kind.SERVICE_UNAVAILABLE: Words("Service was unavailable", "availability", _WARNING),
    Kind.INTEGRITY_FAILED: Words("Integrity check failed", "integrity", _CRITICAL),
    Kind.AUDIT_FINDING: Words("Audit finding", "integrity", _CRITICAL),
    Kind.TABLE_STOPPED: Words("Table stopped", "tables", _WARNING),
    Kind.GAMING_STOPPED: Words("Gaming stopped", "tables", _CRITICAL),
    Kind.GAMING_RESUMED: Words("Gaming resumed", "tables", _INFO),
    Kind.ACCOUNT_CHANGED: Words("Player's data changed", "accounts", _INFO),
    Kind.PLAYER_BLOCKED: Words("Player blocked or let in again", "accounts", _NOTICE),
    Kind.RETURN_OUT_OF_BAND: Words("Return outside its band", "fairness", _WARNING),
    Kind.RNG_OUT_OF_BAND: Words("Randomness outside its band", "fairness", _CRITICAL),
    Kind.DATA_ERASED: Words("Personal data erased", "privacy", _NOTICE),
    Kind.DATA_PURGED: Words("Old data purged", "privacy", _NOTICE),
    Kind.KEY_ROTATED: Words("Key rotated", "keys", _INFO),
    Kind.PACK_LINKED: Words("Dispute pack linked", "access", _INFO),
    Kind.PACK_FETCHED: Words("Dispute pack fetched", "access", _INFO),
}
"""One for each kind; the table stores the severity as it was when the event was recorded."""

OF_ALL: Final = frozenset(
    {
        Kind.CLOCK_CHANGED,
        Kind.SERVICE_UNAVAILABLE,
        Kind.INTEGRITY_FAILED,
        Kind.GAMING_STOPPED,
        Kind.GAMING_RESUMED,
        Kind.RNG_OUT_OF_BAND,
        Kind.KEY_ROTATED,
        Kind.DATA_PURGED,
    }
)
"""What every operator is told where it is of the whole installation: it names nobody's players and nobody's money."""
