import pytest

from tests.wallet.payments.counter import use_provider


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that does not answer, but whose reports we believe."""
    use_provider(monkeypatch)
