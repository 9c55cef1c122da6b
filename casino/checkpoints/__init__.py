"""Signed checkpoints of the sealed log, kept outside of the database too: what was written can't be written anew."""
