"""Errors that stop the stack, with a remedy for the user."""

import contextlib
import errno
from collections.abc import Generator


class DevstackError(Exception):
    """The stack cannot continue; the message is shown to the user."""


REASONS = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk quota is used up",
    errno.EROFS: "The file system is read-only",
    errno.EACCES: "No permission to write or read",
    errno.EPERM: "The operation is not permitted",
}


def explain_os_error(error: OSError) -> DevstackError:
    """Convert an operating system's error to a message with the file and a remedy."""
    reason = REASONS.get(error.errno or 0, error.strerror or "The system refused")
    location = f": {error.filename}" if error.filename else ""
    return DevstackError(
        f"{reason}{location}. Make room or choose another folder with CASINO_HOME=/some/folder, then start again."
    )


@contextlib.contextmanager
def translate_os_errors() -> Generator[None]:
    """Convert an OSError of the block to a DevstackError."""
    try:
        yield
    except OSError as error:
        raise explain_os_error(error) from error
