"""The judge of every URL, name and address before a byte leaves: pure, and closed where in doubt."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ada_url import URL

from stook.engine.door.guard.names import name_kind
from stook.engine.door.guard.networks import (
    DENIED,
    Address,
    Network,
    denied_network,
    embeds_metadata,
    is_metadata,
    read_address,
)
from stook.engine.errors import FailureCode, UserError

__all__ = ["Guard", "Verdict", "judge_row", "text_fault"]

MAX_URL = 8192  # characters as written
_UNSAFE_TEXT = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_PORTS = {"http:": 80, "https:": 443}
_CACHE_SIZE = 4096
_LOOPBACKS = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, why, and exactly what was judged.

    `url` is rebuilt from the parsed parts: nothing else may go to HTTP. `addresses` are those judged so far;
    an allowed verdict without any is about a name, and waits for `Guard.judge_answers`.
    `code` says how a refusal is counted. `inside_only`: every answer must lie in a network that the settings allow.
    """

    allowed: bool
    reason: str
    url: str = ""
    host: str = ""
    port: int = 0
    addresses: tuple[str, ...] = ()
    inside_only: bool = False
    code: FailureCode = FailureCode.ADDRESS_REFUSED


class Guard:
    """The policy of one run; see docs/guides/safety for its rules.

    `allow_networks` (the setting unsafe_allow_networks) lets these addresses pass on any port, metadata services
    excepted, and with them names that mean inside hosts. `extra_ports` are allowed besides 80 and 443.
    """

    def __init__(self, allow_networks: Iterable[str] = (), extra_ports: Iterable[int] = ()) -> None:
        self._allowed = tuple(map(_read_network, allow_networks))
        self._allows_loopback = any(
            network.version == loopback.version and network.overlaps(loopback)
            for network in self._allowed
            for loopback in _LOOPBACKS
        )
        self._ports = frozenset({80, 443, *extra_ports})
        self._denied: tuple[tuple[Network, str], ...] = tuple(
            (ipaddress.ip_network(network), label) for network, label in DENIED
        )
        self._hosts: dict[tuple[str, int], Verdict] = {}

    def judge_url(self, url: str) -> Verdict:
        """Judge a URL as written; a name still needs its answers judged."""
        if reason := text_fault(url):
            return Verdict(False, reason)
        try:
            parsed = URL(url)
        except ValueError:
            return Verdict(False, "not a valid URL")
        scheme, host = parsed.protocol, parsed.hostname
        if scheme not in _PORTS:
            return Verdict(False, "scheme is not http or https", code=FailureCode.SCHEME)
        # In the standard's serialisation only user information can stand between the slashes and the host.
        origin, href = f"{scheme}//{parsed.host}", parsed.href
        if not href.startswith(origin):
            return Verdict(False, "user information in the URL")
        port = origin[len(scheme) + 2 + len(host) :]
        verdict = self.judge_host(host, int(port[1:]) if port else _PORTS[scheme])
        if not verdict.allowed:
            return verdict
        rest = href[len(origin) :].partition("#")[0]
        return _with_url(verdict, f"{scheme}//{_bracketed(verdict.host)}{port}{rest}")

    def judge_host(self, host: str, port: int) -> Verdict:
        """Judge a parsed host, IPv6 with or without brackets; what it resolves to is judged elsewhere."""
        verdict = self._hosts.get((host, port))
        if verdict is None:
            if len(self._hosts) >= _CACHE_SIZE:
                self._hosts.clear()
            verdict = self._hosts[host, port] = self._judge_host(host, port)
        return verdict

    def judge_address(self, address: str | bytes) -> Verdict:
        """Judge an address alone: text in strict spelling, or packed bytes."""
        parsed = read_address(address)
        if parsed is None:
            return Verdict(False, "not an address")
        reason = self._refusal(parsed)
        return Verdict(not reason, reason or "allowed", addresses=(str(parsed),))

    def judge_dial(self, address: str, port: int, *, inside_only: bool = False) -> Verdict:
        """Judge an address together with the port about to be dialled."""
        verdict = self.judge_address(address)
        if not verdict.allowed or (port in self._ports and not inside_only):
            return verdict
        parsed = read_address(address)
        if parsed is not None and self._lets_pass(parsed):
            return verdict
        return replace(verdict, allowed=False, reason="outside the allowed networks" if inside_only else "port")

    def judge_answers(self, verdict: Verdict, addresses: Iterable[str]) -> Verdict:
        """Judge all that a name resolved to: one bad answer, or none, refuses it."""
        if not verdict.allowed or verdict.addresses:
            return verdict
        judged: list[str] = []
        for address in addresses:
            answer = self.judge_dial(address, verdict.port, inside_only=verdict.inside_only)
            if not answer.allowed:
                return replace(verdict, allowed=False, reason=f"answer: {answer.reason}", addresses=answer.addresses)
            judged += answer.addresses
        if not judged:
            return replace(verdict, allowed=False, reason="no answers")
        return replace(verdict, addresses=tuple(judged))

    def _judge_host(self, host: str, port: int) -> Verdict:
        literal = read_address(host.removeprefix("[").removesuffix("]"))
        if literal is not None:
            return self._judge_literal(literal, port)
        return self._judge_name(host.removesuffix("."), port)

    def _judge_literal(self, address: Address, port: int) -> Verdict:
        verdict = self.judge_dial(str(address), port)
        return replace(verdict, host=str(address), port=port)

    def _judge_name(self, host: str, port: int) -> Verdict:
        kind = name_kind(host)
        if kind == "malformed":
            return Verdict(False, "not a valid host name", host=host[:253], port=port)
        if kind == "metadata" or (kind == "loopback" and not self._allows_loopback):
            return Verdict(False, f"{kind} name", host=host, port=port)
        if kind == "inside" and not self._allowed:
            return Verdict(False, "inside name", host=host, port=port)
        if port not in self._ports and not self._allowed:
            return Verdict(False, "port", host=host, port=port)
        return Verdict(True, "allowed", host=host, port=port, inside_only=kind != "public" or port not in self._ports)

    def _refusal(self, address: Address) -> str:
        if is_metadata(address):
            return "metadata"
        return "" if self._lets_pass(address) else denied_network(address, self._denied)

    def _lets_pass(self, address: Address) -> bool:
        """Whether the settings open this address; a way around to a metadata service stays shut."""
        if not any(address.version == network.version and address in network for network in self._allowed):
            return False
        return not is_metadata(address) and not embeds_metadata(address)


def judge_row(guard: Guard, row: Mapping[str, Any]) -> dict[str, str]:
    """Judge one row `{url, answers?}` or `{address}`; no resolver is asked, so a name without answers is refused."""
    if isinstance(row.get("address"), str):
        verdict = guard.judge_address(row["address"])
    elif isinstance(row.get("url"), str):
        answers = row.get("answers")
        texts = [str(answer) for answer in answers] if isinstance(answers, list | tuple) else []
        verdict = guard.judge_answers(guard.judge_url(row["url"]), texts)
    else:
        verdict = Verdict(False, "row has neither url nor address")
    return {"verdict": "allow" if verdict.allowed else "refuse", "reason": verdict.reason}


def text_fault(url: str) -> str:
    if len(url) > MAX_URL:
        return f"longer than {MAX_URL} characters"
    found = _UNSAFE_TEXT.search(url)
    if found is None:
        return ""
    return "backslash" if found[0] == "\\" else "blank or control character"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _with_url(verdict: Verdict, url: str) -> Verdict:
    # dataclasses.replace takes longer than all the rest of judging a known host.
    return Verdict(True, verdict.reason, url, verdict.host, verdict.port, verdict.addresses, verdict.inside_only)


def _read_network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip())
    except ValueError as error:
        raise UserError(f"unsafe_allow_networks: {text[:60]!r} is not a network ({error})") from None
