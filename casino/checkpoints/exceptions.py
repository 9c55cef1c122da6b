"""Why no checkpoint could be made, for people: each of these wants somebody to look."""


class CannotSign(Exception):
    """No checkpoint was made; the message says why."""


class HistoryDiffers(CannotSign):
    """The log below the last checkpoint is not what was signed."""


class NumberTaken(CannotSign):
    """Outside stands a checkpoint of that number, and this database has another or none."""


class KeyRefused(CannotSign):
    """The active key may not sign."""
