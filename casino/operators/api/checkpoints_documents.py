"""Examples of checkpoints and proofs, which hold: a log of five events, signed after three and after five."""

from typing import Any, Final

FIRST: Final[dict[str, Any]] = {
    "format": "casino.checkpoint.v1",
    "log": "0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10",
    "number": 1,
    "position": 3,
    "head": "fd0fe62cd20e6923c737ebc8ddf03e8fa25cf201c3b5fbf15659ab22a3a08d7c",
    "root": "745ed9893a6e8e4b7d153a9eca7c7b43d007e6574f7f9888ca8dafb301b8df2d",
    "previous": "",
    "made_at": "2026-11-21T09:05:00.000000Z",
    "key": "2026a",
    "signature": (
        "94d491637eed1d527e710ed20eb15135201d993252445e30c2163cfb3eadda11"
        "5647816fdf431862c94b41f3e15e9e73522183b73c78522f274f5d16c7322a0e"
    ),
}
SECOND: Final[dict[str, Any]] = {
    "format": "casino.checkpoint.v1",
    "log": "0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10",
    "number": 2,
    "position": 5,
    "head": "1fe700bc3cb6885eb37de560ff2965c688bc3b0aee78780187a585fb0c45ec71",
    "root": "a884a473130d2137a3314692a24bf376bea3c617f7045aa7397108c85e7982fa",
    "previous": "f749e8885caff1bea3a837640fa4171c4d72e19d2ecd509c4261a0da4a67559a",
    "made_at": "2026-11-21T09:10:00.000000Z",
    "key": "2026a",
    "signature": (
        "5579c05341f3a524390020f6811e7f489663af1402d0a6677ed11dfc11be20ad"
        "5b53d629bf5caaf02bec7d37e6f2f1673c9c90115b33795e20fba53897a8b201"
    ),
}
PUBLIC: Final = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
KEY: Final = {"id": "2026a", "public": PUBLIC, "from": "2026-11-21T09:05:00Z", "until": None}
DIGEST: Final = "553295e4b848bee781c30a0c86a5b731330806eaaca214de195e48761b8a61ee"
PATH: Final = [
    "1dda126d12eb2e165bea7665cc0dc894848bef6615405e16dccc983ee7a08b98",
    "52a31720613132049a38cf99d4c9262e6367851b689c08fa9a949ba361054e4a",
    "5ac850eb44e80ba52bd9148c9199b004fe33e4f6e6c0b28fdbf720c245c489e9",
]
GROWTH: Final = [
    "91ae8b5cd84b53b8785f06f8e373e4b48b7dba916053db86e652a6da91e5b4d3",
    "36e0e39a20e88cc60c2c1484c22455c8b2198e09501fbdfb53892f922c3990d9",
    "e5552ded50acdd1facd1aee86d618718b57756c3ee8096f7417b0ef761e4237c",
    "5ac850eb44e80ba52bd9148c9199b004fe33e4f6e6c0b28fdbf720c245c489e9",
]
INCLUSION: Final[dict[str, Any]] = {"position": 2, "digest": DIGEST, "path": PATH, "checkpoint": SECOND}
CONSISTENCY: Final[dict[str, Any]] = {"from": FIRST, "to": SECOND, "path": GROWTH}
