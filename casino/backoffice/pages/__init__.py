"""Tables, rounds and wagers as staff see them. Shoe secrets are not among them, and no card that is yet to be dealt."""

from baccarat.admin import exclusions, front, players, rounds, switches, tables, versions, wagers

__all__ = ["exclusions", "front", "players", "rounds", "switches", "tables", "versions", "wagers"]
