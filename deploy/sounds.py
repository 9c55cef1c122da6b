"""Make the table's sounds, with the standard library only: `python3 deploy/sounds.py` writes them all again.

Each sound is a sum of decaying tones (wood, clay, a chord) and filtered noise (paper on felt). The noise has fixed
seeds, so the files come out the same each time.
"""

import math
import random
import struct
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "baccarat" / "web" / "static" / "play" / "sounds"
RATE = 22_050
LOUDEST = 28_000

Samples = list[float]


def tone(seconds: float, frequency: float, *, decay: float, attack: float = 0.001) -> Samples:
    """Return a sine that falls to 1/e of its strength in `decay` seconds."""
    return [
        math.sin(math.tau * frequency * i / RATE) * math.exp(-i / RATE / decay) * min(1.0, i / RATE / attack)
        for i in range(round(seconds * RATE))
    ]


def noise(seconds: float, *, seed: int, low: float, high: float, envelope: Callable[[float], float]) -> Samples:
    """Return noise between two frequencies; `envelope` maps the part of the time that has passed to a strength."""
    source = random.Random(seed)  # noqa: S311 - a sound, not a secret
    count = round(seconds * RATE)
    fast, slow = (1 - math.exp(-math.tau * frequency / RATE) for frequency in (high, low))
    bright = dark = 0.0
    samples = []
    for i in range(count):
        white = source.uniform(-1.0, 1.0)
        bright += fast * (white - bright)
        dark += slow * (bright - dark)
        samples.append((bright - dark) * envelope(i / count))
    return samples


def mix(*parts: tuple[float, float, Iterable[float]]) -> Samples:
    """Add parts, each given as (start in seconds, strength, samples)."""
    placed = [(round(start * RATE), strength, list(samples)) for start, strength, samples in parts]
    whole = [0.0] * max(start + len(samples) for start, _, samples in placed)
    for start, strength, samples in placed:
        for i, sample in enumerate(samples):
            whole[start + i] += strength * sample
    return whole


def card_slide(seed: int, brightness: float) -> Samples:
    return noise(0.22, seed=seed, low=900, high=brightness, envelope=lambda t: math.sin(math.pi * t**0.6) ** 2)


def card_turn() -> Samples:
    flick = noise(0.05, seed=3, low=1500, high=7000, envelope=lambda t: (1 - t) ** 3)
    lands = noise(0.08, seed=4, low=200, high=1800, envelope=lambda t: (1 - t) ** 2)
    return mix((0, 0.8, flick), (0.045, 1.6, lands))


def chip(seed: int, pitch: float) -> Samples:
    """Return a clay chip put down: a click, and three partials that no instrument would have."""
    click = noise(0.012, seed=seed, low=2500, high=9000, envelope=lambda t: (1 - t) ** 2)
    partials = ((2890, 0.020, 1.0), (4730, 0.014, 0.7), (6910, 0.009, 0.45))
    rings = [(0.0, strength, tone(0.09, pitch * f, decay=decay)) for f, decay, strength in partials]
    return mix((0, 0.9, click), *rings)


def chips() -> Samples:
    starts = (0.0, 0.055, 0.1, 0.16, 0.2)
    return mix(*((start, 1 - i * 0.12, chip(20 + i, 0.94 + 0.04 * i)) for i, start in enumerate(starts)))


def win() -> Samples:
    chord = (523.25, 659.25, 783.99, 1046.5)
    notes = ((i * 0.06, 1 / (1 + i * 0.4), tone(0.7, pitch, decay=0.22, attack=0.012)) for i, pitch in enumerate(chord))
    return mix(*notes)


def tick() -> Samples:
    return mix((0, 1, tone(0.05, 1760, decay=0.009)), (0, 0.5, tone(0.05, 3520, decay=0.005)))


def no_more_bets() -> Samples:
    """Return two taps on wood."""
    tap = mix((0, 1, tone(0.1, 420, decay=0.022)), (0, 0.6, tone(0.1, 1130, decay=0.010)))
    return mix((0, 1, tap), (0.13, 0.8, tap))


SOUNDS: dict[str, Callable[[], Samples]] = {
    "card-1": lambda: card_slide(1, 5200),
    "card-2": lambda: card_slide(2, 4300),
    "turn": card_turn,
    "chip-1": lambda: chip(10, 1.0),
    "chip-2": lambda: chip(11, 1.07),
    "chip-3": lambda: chip(12, 0.93),
    "chips": chips,
    "win": win,
    "tick": tick,
    "closed": no_more_bets,
}


def encode(samples: Samples) -> bytes:
    """Return 16-bit samples, as loud as the loudest allows, with an end that does not click."""
    fade = round(0.004 * RATE)
    ending = [min(1.0, (len(samples) - i) / fade) for i in range(len(samples))]
    strength = LOUDEST / max(abs(sample) for sample in samples)
    return struct.pack(f"<{len(samples)}h", *(round(s * strength * e) for s, e in zip(samples, ending, strict=True)))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, make in SOUNDS.items():
        with wave.open(str(FOLDER / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(encode(make()))


if __name__ == "__main__":
    main()
