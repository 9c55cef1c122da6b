"""A mail server on this machine."""

import socketserver
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from typing import Any, cast

from tests.threads import serving


@dataclass
class MailServer:
    """What came; `refuses` is how often it refuses a message."""

    port: int = 0
    mails: list[Message] = field(default_factory=list)
    refuses: int = 0

    def subjects(self) -> list[str]:
        return [" ".join(str(mail["Subject"]).split()) for mail in self.mails]


class _Session(socketserver.StreamRequestHandler):
    """SMTP as far as a client without extensions uses it (RFC 5321)."""

    def handle(self) -> None:
        state = cast("Any", self.server).state
        self._say("220 here")
        for line in iter(self.rfile.readline, b""):
            verb = line[:4].upper().strip()
            if verb == b"DATA":
                self._say("354 go on")
                data = b"".join(iter(self.rfile.readline, b".\r\n"))
                if state.refuses:
                    state.refuses -= 1
                    self._say("451 later")
                else:
                    state.mails.append(message_from_bytes(data))
                    self._say("250 taken")
            elif verb == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Generator[MailServer]:
    """Serve on a free port until the block ends."""
    state = MailServer()
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Session)
    server.daemon_threads = True
    cast("Any", server).state = state
    state.port = server.server_address[1]
    with serving(server):
        yield state
