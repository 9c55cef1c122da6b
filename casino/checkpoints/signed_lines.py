"""Signed documents as lines of JSON: the "signature" is over a line with the "format" and the other members' JSON."""

import json
from collections.abc import Mapping
from typing import Any


def signed_bytes(members: Mapping[str, Any]) -> bytes:
    """Return the bytes that the signature of a document is over."""
    others = {name: value for name, value in members.items() if name != "signature"}
    return f"{members['format']}\n".encode("ascii") + _canonical(others)


def serialize(members: Mapping[str, Any]) -> bytes:
    """Return the stored form of a document: a line of JSON."""
    return _canonical(members) + b"\n"


def _canonical(members: Mapping[str, Any]) -> bytes:
    return json.dumps(members, sort_keys=True, separators=(",", ":")).encode("ascii")
