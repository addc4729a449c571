"""Names to addresses, judged before any is dialled; and the gate that every socket passes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType

from stook.engine.door.guard.guard import Guard
from stook.engine.errors import FailureCode, Refused, Unavailable

__all__ = ["GateRefused", "JudgingResolver", "Lookup", "gate", "lookup_system"]

Lookup = Callable[[str], Sequence[str]]
"""All addresses of a name; blocking; raises OSError when it cannot say."""

THREADS = 8
SECONDS = 10.0  # getaddrinfo has no limit of its own and cannot be cancelled


class GateRefused(OSError):
    """A connect that the guard stopped: aiohttp passes on nothing but an OSError from here."""


def lookup_system(host: str) -> list[str]:
    """Ask the machine's resolver."""
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def gate(guard: Guard) -> Callable[[AddrInfoType], socket.socket]:
    """A socket factory that judges the address itself: aiohttp asks no resolver about a literal one."""

    def make(info: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, target = info
        verdict = guard.judge_dial(str(target[0]), int(target[1]))
        if not verdict.allowed:
            raise GateRefused(verdict.reason)
        return socket.socket(family=family, type=kind, proto=protocol)

    return make


class JudgingResolver(AbstractResolver):
    """Asks once a connection, in a few threads of its own with a limit in seconds; one bad answer refuses the name."""

    def __init__(self, guard: Guard, lookup: Lookup = lookup_system, seconds: float = SECONDS) -> None:
        self._guard = guard
        self._lookup = lookup
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="stook-resolver")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Judged addresses of the name; Refused by the guard, Unavailable when there is no answer in time."""
        name = self._guard.judge_host(host, port)
        if not name.allowed:
            raise Refused(name.reason)
        verdict = self._guard.judge_answers(name, await self._ask(host))
        if not verdict.allowed:
            # What the name resolved to stays here: an error must not work as a map of inside networks.
            raise Refused("the name resolves to no address that may be dialled")
        return [_result(host, port, address) for address in verdict.addresses]

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._seconds):
                return await loop.run_in_executor(self._threads, self._lookup, host)
        except TimeoutError:
            raise Unavailable("name resolution timed out", FailureCode.DNS) from None
        except OSError:
            raise Unavailable("the name does not resolve", FailureCode.DNS) from None


def _result(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0, flags=int(socket.AI_NUMERICHOST)
    )
