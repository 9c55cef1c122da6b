import pytest

from casino.api import compression

RESPONSE = b'{"id":"7b5c","name":"Table of Ace","phase":"betting"}'


@pytest.fixture(autouse=True)
def dictionaries(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    alone = [b""]
    monkeypatch.setattr(compression, "_dictionaries", alone)
    return alone


def test_what_was_compressed_by_an_earlier_dictionary_stays_readable() -> None:
    stored = [compression.compress(RESPONSE)]
    for text in (b'{"id":"","name":"Table","phase":"', b'"name":"Table of Ace","phase":"betting"}'):
        compression.register_dictionary(text)
        stored.append(compression.compress(RESPONSE))

    assert [compression.decompress(each) for each in stored] == [RESPONSE] * 3
    assert len(stored[0]) > len(stored[1]) > len(stored[2]), "each shares more with the response"


@pytest.mark.parametrize("response", [b"", b"x", RESPONSE * 2000], ids=["empty", "short", "longer than the window"])
def test_any_response_is_restored(response: bytes) -> None:
    compression.register_dictionary(RESPONSE)
    assert compression.decompress(compression.compress(response)) == response
