"""All cases, in the order in which they are run."""

from wallet.conformance.cases import play, repeats, security, strain
from wallet.conformance.kit import CASES

__all__ = ["CASES", "play", "repeats", "security", "strain"]
