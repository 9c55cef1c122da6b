"""Signed checkpoints of the sealed log, copied outside the database, so that history cannot be rewritten."""
