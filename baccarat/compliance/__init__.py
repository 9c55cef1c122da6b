"""Significant events of the baccarat log, read asynchronously from a checkpoint and never during a wager."""
