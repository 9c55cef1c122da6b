"""Tables, rounds and wagers as staff see them. Shoe secrets are not among them, and no card that is yet to be dealt."""

from baccarat.admin import front, rounds, tables, wagers

__all__ = ["front", "rounds", "tables", "wagers"]
