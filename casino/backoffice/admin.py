"""Registers every page; Django's admin imports this module."""

from casino.backoffice.pages import (  # noqa: F401
    adjustments,
    chat,
    compliance,
    events,
    front_page,
    kill_switch,
    ledger,
    operators,
    payments,
    players,
    reconciliation,
    reports,
    responsible_gaming,
    rounds,
    rules,
    significant_events,
    staff,
    tables,
    users,
    wagers,
)
