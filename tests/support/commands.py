"""Commands as they are run, with the bytes that they print."""

import contextlib
import io

from django.core.management import call_command


def printed_by(*words: str) -> bytes:
    """Return what a command writes to standard output."""
    out = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(out)) as text:
        call_command(*words)
        text.flush()
        return out.getvalue()
