"""What stops the stack, said in one plain sentence with what to do about it."""

import contextlib
import errno
from collections.abc import Generator


class DevstackError(Exception):
    """The stack cannot go on; the message is a sentence for the person at the keyboard."""


REMEDIES = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk quota is used up",
    errno.EROFS: "The file system is read-only",
    errno.EACCES: "No permission to write or read",
    errno.EPERM: "The operation is not permitted",
}


def explain_os_error(error: OSError) -> DevstackError:
    """Turn an operating system's error into a sentence that names the file and the way out."""
    what = REMEDIES.get(error.errno or 0, error.strerror or "The system refused")
    where = f": {error.filename}" if error.filename else ""
    return DevstackError(
        f"{what}{where}. Make room or choose another folder with CASINO_HOME=/some/folder, then start again."
    )


@contextlib.contextmanager
def translate_os_errors() -> Generator[None]:
    """Turn an OSError of the block into Trouble. Raises Trouble."""
    try:
        yield
    except OSError as error:
        raise explain_os_error(error) from error
