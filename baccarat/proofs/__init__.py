"""Proof of one round to a third party: its export, three ways to check it, and the dispute pack."""
