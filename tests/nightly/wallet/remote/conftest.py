"""The fixture of `tests/wallet/remote/test_delivery.py`."""

from tests.wallet.remote.test_delivery import server

__all__ = ["server"]
