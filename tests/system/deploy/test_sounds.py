"""The table's sounds are what deploy/sounds.py makes, and small."""

import runpy
import struct
import wave

import pytest

from casino.devstack.home import PROJECT

SCRIPT = runpy.run_path(str(PROJECT / "deploy" / "sounds.py"))
LARGEST = 120_000


def samples(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 2}h", raw)


@pytest.mark.parametrize("name", SCRIPT["SOUNDS"])
def test_each_file_is_what_the_script_makes(name: str):
    with wave.open(str(SCRIPT["FOLDER"] / f"{name}.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 22_050)
        stored = samples(file.readframes(file.getnframes()))

    made = samples(SCRIPT["encode"](SCRIPT["SOUNDS"][name]()))

    assert len(stored) == len(made)
    assert max(abs(one - other) for one, other in zip(stored, made, strict=True)) <= 1, (
        "mathematics of another platform"
    )


def test_there_is_no_other_file_and_all_of_them_are_small():
    files = list(SCRIPT["FOLDER"].iterdir())

    assert {file.name for file in files} == {f"{name}.wav" for name in SCRIPT["SOUNDS"]}
    assert sum(file.stat().st_size for file in files) < LARGEST
