"""Proof of one round to a third party: its export, the verifier, and the dispute pack."""
