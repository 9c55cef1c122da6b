"""The fixture of `tests/wallet/conformance/test_command.py`."""

from tests.wallet.conformance.test_command import server

__all__ = ["server"]
