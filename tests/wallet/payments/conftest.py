import pytest

from tests.wallet.payments.counter import use_provider


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure a provider that does not answer but whose reports are accepted."""
    use_provider(monkeypatch)
