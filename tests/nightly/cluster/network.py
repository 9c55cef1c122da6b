"""Hosts of one machine, each in a network namespace of its own, joined by a bridge that only the tests see.

The tests' own thread moves into the namespace of the bridge while the network is up, so it can reach every host, and
nothing outside can reach any. Hosts are cut off by taking their link down, or by routes that swallow packets.

Where namespaces may not be made, hosts are loopback addresses of this machine, and none can be cut off.
"""

import contextlib
import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

CLONE_NEWNET: Final = 0x40000000
LIBC: Final = ctypes.CDLL(None, use_errno=True)
BRIDGE: Final = "casino0"
SUBNET: Final = "10.83.0"
LOOPBACK: Final = "127.0.1"
HERE: Final = 254
"""The last part of the tests' own address."""

NEEDED: Final = ("unshare", "nsenter", "ip")
"""The programs that make namespaces and links."""
NOBODY: Final = 65534
READING: Final = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")


class NetworkError(RuntimeError):
    """A namespace could not be made or entered."""


@dataclass(slots=True)
class Host:
    """A host: `address` within the network, `holder` the process that keeps its namespace, None for the tests' own."""

    name: str
    number: int
    holder: subprocess.Popen[bytes] | None = field(repr=False, default=None)
    subnet: str = SUBNET

    @property
    def address(self) -> str:
        return f"{self.subnet}.{self.number}"

    @property
    def link(self) -> str:
        """The host's end of the bridge, as the bridge sees it."""
        return f"c{self.number}"

    def command(self, words: Sequence[str], *, user: int | None = None) -> list[str]:
        """Return the words that run a command on this host, as another user id if given; it dies with its parent.

        Another user keeps the right to read files: the interpreter may lie in a folder of root's.
        """
        entered = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--"] if self.holder else []
        as_user = [f"--reuid={user}", f"--regid={user}", "--clear-groups", *READING] if user is not None else []
        return [*entered, "setpriv", *as_user, "--pdeathsig", "KILL", "--", *words]

    def cut_off(self) -> None:
        """Cut the host off from all others, both ways."""
        _run("ip", "link", "set", self.link, "down")

    def rejoin(self) -> None:
        """Undo `cut_off`."""
        _run("ip", "link", "set", self.link, "up")

    def swallow(self, *others: "Host") -> None:
        """Lose all packets from this host to these others, one way."""
        for other in others:
            _run(*self.command(["ip", "route", "add", "blackhole", f"{other.address}/32"]))

    def deliver(self, *others: "Host") -> None:
        """Undo `swallow`."""
        for other in others:
            _run(*self.command(["ip", "route", "del", "blackhole", f"{other.address}/32"]))


@contextlib.contextmanager
def network(numbers: dict[str, int]) -> Generator[dict[str, Host]]:
    """Make hosts of these names and last parts of addresses, and `here`; enter their network until the block ends.

    Raises NetworkError where namespaces may not be made.
    """
    with contextlib.ExitStack() as exits:
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        exits.callback(os.close, before)
        if LIBC.unshare(CLONE_NEWNET):
            raise NetworkError(f"unshare: {os.strerror(ctypes.get_errno())}")
        exits.callback(_enter, before)
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", BRIDGE, "type", "bridge")
        _run("ip", "address", "add", f"{SUBNET}.{HERE}/24", "dev", BRIDGE)
        _run("ip", "link", "set", BRIDGE, "up")
        hosts = {name: exits.enter_context(_host(name, number)) for name, number in numbers.items()}
        yield {**hosts, "here": Host("here", HERE)}


def loopback(numbers: dict[str, int]) -> dict[str, Host]:
    """Return hosts of these names and last parts of addresses, and `here`, all on the loopback interface."""
    return {name: Host(name, number, subnet=LOOPBACK) for name, number in {**numbers, "here": HERE}.items()}


def may_be_made() -> bool:
    """Return whether this process may make such a network, and run programs in it as another user."""
    if os.environ.get("NAMESPACES") == "0" or os.getuid() != 0 or not all(map(shutil.which, NEEDED)):
        return False
    made = f"ip link add {BRIDGE} type bridge && ip link add c1 type veth peer name c2"
    as_user = " ".join(["setpriv", f"--reuid={NOBODY}", *READING, "true"])
    tried = subprocess.run(["unshare", "--net", "sh", "-c", f"{made} && {as_user}"], capture_output=True, check=False)  # noqa: S603, S607
    return tried.returncode == 0


@contextlib.contextmanager
def _host(name: str, number: int) -> Generator[Host]:
    holder = subprocess.Popen(
        ["unshare", "--net", "setpriv", "--pdeathsig", "KILL", "sleep", "infinity"],  # noqa: S607
        stdin=subprocess.DEVNULL,
    )
    try:
        host = Host(name, number, holder)
        _wait_for_namespace(holder.pid)
        _run("ip", "link", "add", host.link, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _run("ip", "link", "set", host.link, "master", BRIDGE, "up")
        for words in (
            ("link", "set", "lo", "up"),
            ("address", "add", f"{host.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            _run(*host.command(["ip", *words]))
        yield host
    finally:
        holder.kill()
        holder.wait()


def _wait_for_namespace(pid: int) -> None:
    while Path(f"/proc/{pid}/comm").read_text(encoding="ascii") != "sleep\n":
        time.sleep(0.01)


def _enter(namespace: int) -> None:
    if LIBC.setns(namespace, CLONE_NEWNET):
        raise NetworkError(f"setns: {os.strerror(ctypes.get_errno())}")


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise NetworkError(f"{' '.join(words)}: {done.stderr.strip()}")
