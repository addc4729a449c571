"""The judge of URLs: spellings, tricks, ports, answers, and what the settings may open."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door import Guard, Verdict, judge_row
from stook.engine.errors import UserError

PUBLIC = ["93.184.215.14"]

REFUSED = [
    ("", "not a valid URL"),
    ("example.com/x", "not a valid URL"),
    ("ftp://example.com/", "scheme is not http or https"),
    ("file:///etc/hosts", "scheme is not http or https"),
    ("wss://example.com/", "scheme is not http or https"),
    ("http://u@example.com/", "user information in the URL"),
    ("https://:p@example.com/", "user information in the URL"),
    ("http://a@b@10.0.0.1/", "user information in the URL"),
    ("http://example.com/a b", "blank or control character"),
    ("http://example.com/\r\nX: y", "blank or control character"),
    ("\x00http://example.com/", "blank or control character"),
    ("http://example.com/\x9f", "blank or control character"),
    ("http://example.com/\x7f", "blank or control character"),
    ("http://example.com\\@10.0.0.1/", "backslash"),
    ("http://example.com/#\\", "backslash"),
    ("http://example.com/" + "a" * 8192, "longer than 8192 characters"),
    ("http://example.com:65536/", "not a valid URL"),
    ("http://[::1]x/", "not a valid URL"),
    ("http://[fe80::1%25eth0]/", "not a valid URL"),
    ("http://[::1%eth0]/", "not a valid URL"),
    ("http://1.2.3.4.5/", "not a valid URL"),
    ("http://09.0.0.1/", "not a valid URL"),
    ("http://a%00.example.com/", "not a valid URL"),
    ("http://example.com:0/", "port"),
    ("http://example.com:22/", "port"),
    ("http://example.com:8080/", "port"),
    ("http://example.com:00022/", "port"),
    ("http://8.8.8.8:53/", "port"),
    ("http://127.0.0.1/", "loopback"),
    ("http://2130706433/", "loopback"),
    ("http://0x7f.1/", "loopback"),
    ("http://0177.1/", "loopback"),
    ("http://127.1/", "loopback"),
    ("http://127.0.0.1./", "loopback"),
    ("http://%31%32%37.0.0.1/", "loopback"),
    ("http://127%2E0%2e0%2E1/", "loopback"),
    ("http://１２７。0．0｡1/", "loopback"),
    ("http://①②⑦.0.0.1/", "loopback"),
    ("http:10.0.0.1/", "private"),
    ("http:///10.0.0.1/", "private"),
    ("http://0/", "this network"),
    ("http://0xA9FEA9FE/", "metadata"),
    ("http://[::1]:80/", "not global unicast"),
    ("http://[0:0::0:0:1]/", "not global unicast"),
    ("http://[::FFFF:8.8.8.8]/", "not global unicast"),
    ("http://[64:FF9B::808:808]/", "not global unicast"),
    ("http://[2002:0808:0808::]/", "6to4"),
    ("http://[2A00:1450::5EFE:808:808]/", "ISATAP"),
    ("http://localhost/", "loopback name"),
    ("http://LOCALHOST./", "loopback name"),
    ("http://ⓛocalhost/", "loopback name"),
    ("http://%6cocalhost/", "loopback name"),
    ("http://intranet/", "inside name"),
    ("http://nas.local./", "inside name"),
    ("http://metadata.google.internal./", "metadata name"),
    ("http://example.com../", "not a valid host name"),
    ("http://0x7f.1../", "not a valid host name"),
    ("http://a_b.com/", "not a valid host name"),
    ("http://xn--a.com/", "not a valid host name"),
    ("http://" + "a" * 64 + ".com/", "not a valid host name"),
    ("http://☃.example/", "not a valid host name"),
]

ALLOWED = [
    ("HTTP://Example.COM", "http://example.com/"),
    ("https://example.com:443/a/../b?c=d#e", "https://example.com/b?c=d"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://example.com:0080/", "http://example.com/"),
    ("https://example.com./x", "https://example.com/x"),
    ("https://example.com%2e/x", "https://example.com/x"),
    ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
    ("https://faß.example/", "https://xn--fa-hia.example/"),
    ("http://exa%6Dple.com/%2e%2E/%6D", "http://example.com/%6D"),
    ("http://example.com/@10.0.0.1?@127.0.0.1", "http://example.com/@10.0.0.1?@127.0.0.1"),
    ("http://example.com#@127.0.0.1/", "http://example.com/"),
    ("https://proxy.golang.org/github.com/!azure/x/@v/v1.0.0+incompatible.mod",) * 2,
    ("http://8.8.8.8/", "http://8.8.8.8/"),
    ("http://[2A00:1450:0:0::1]/", "http://[2a00:1450::1]/"),
    ("http://example.com/" + "a" * 2029, "http://example.com/" + "a" * 2029),
]


@pytest.mark.parametrize(("url", "reason"), REFUSED)
def test_refused(url: str, reason: str) -> None:
    """A URL that breaks a rule is refused for that rule, whatever its name would resolve to."""
    guard = Guard()
    verdict = guard.judge_answers(guard.judge_url(url), PUBLIC)
    assert (verdict.allowed, verdict.reason, verdict.url) == (False, reason, "")


@pytest.mark.parametrize(("url", "rebuilt"), ALLOWED)
def test_allowed(url: str, rebuilt: str) -> None:
    """An allowed URL goes on as rebuilt from its parts, without fragment or trailing dot."""
    guard = Guard()
    verdict = guard.judge_answers(guard.judge_url(url), PUBLIC)
    assert (verdict.allowed, verdict.url) == (True, rebuilt)
    assert guard.judge_url(rebuilt).url == rebuilt


def test_lone_surrogate() -> None:
    """Text that is no Unicode is refused, not raised."""
    assert not Guard().judge_url("http://example.com/\ud800").allowed


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["93.184.215.14", "2a00:1450::1"], "allowed"),
        ([], "no answers"),
        (["10.0.0.1"], "answer: private"),
        (["93.184.215.14", "10.0.0.1"], "answer: private"),
        (["93.184.215.14", "::ffff:93.184.215.14"], "answer: not global unicast"),
        (["93.184.215.14", "fe80::1%2"], "answer: not an address"),
    ],
)
def test_answers(answers: list[str], reason: str) -> None:
    """Every answer is judged: one bad one, or none, refuses the name."""
    guard = Guard()
    verdict = guard.judge_answers(guard.judge_url("https://example.com/"), answers)
    assert (verdict.allowed, verdict.reason) == (reason == "allowed", reason)


def test_answers_do_not_heal() -> None:
    """A refused URL stays refused whatever it resolves to."""
    guard = Guard()
    assert not guard.judge_answers(guard.judge_url("http://localhost/"), PUBLIC).allowed


def test_extra_ports() -> None:
    """Configured ports open, and no others."""
    guard = Guard(extra_ports=(8080, 8443))
    assert guard.judge_url("http://example.com:8080/").allowed
    assert guard.judge_url("https://8.8.8.8:8443/").allowed
    assert not guard.judge_url("http://example.com:8081/").allowed


LOOPBACK = ["127.0.0.0/8"]


@pytest.mark.parametrize(
    ("networks", "url", "answers", "is_allowed"),
    [
        (LOOPBACK, "http://127.0.0.1:34567/", None, True),
        (LOOPBACK, "http://8.8.8.8:34567/", None, False),
        (LOOPBACK, "http://[::ffff:127.0.0.1]:34567/", None, False),
        (LOOPBACK, "http://localhost:34567/", ["127.0.0.1"], True),
        (LOOPBACK, "http://localhost/", ["8.8.8.8"], False),
        (LOOPBACK, "http://localhost:34567/", ["127.0.0.1", "::1"], False),
        ([*LOOPBACK, "::1/128"], "http://localhost:34567/", ["127.0.0.1", "::1"], True),
        (["10.0.0.0/8"], "http://localhost/", ["10.0.0.1"], False),
        (["10.0.0.0/8"], "http://nexus.corp.internal:8081/", ["10.1.2.3"], True),
        (["10.0.0.0/8"], "http://nexus.corp.internal/", ["8.8.8.8"], False),
        (["10.0.0.0/8"], "http://mirror/", ["10.1.2.3"], True),
        (["10.0.0.0/8"], "http://example.com:8081/", ["10.1.2.3"], True),
        (["10.0.0.0/8"], "http://example.com:8081/", ["8.8.8.8"], False),
        (["10.0.0.0/8"], "http://example.com:8081/", ["10.1.2.3", "8.8.8.8"], False),
        (["10.0.0.0/8"], "http://example.com/", ["10.1.2.3", "8.8.8.8"], True),
        (["10.0.0.0/8"], "http://example.com/", ["192.168.0.1"], False),
        (["10.0.0.0/8"], "http://metadata.google.internal/", ["10.1.2.3"], False),
        (["0.0.0.0/0"], "http://169.254.169.254/", None, False),
        (["0.0.0.0/0"], "http://example.com/", ["169.254.169.254"], False),
        (["0.0.0.0/0"], "http://example.com:81/", ["100.100.100.200"], False),
        (LOOPBACK, "ftp://127.0.0.1/", None, False),
        (LOOPBACK, "http://u@127.0.0.1/", None, False),
    ],
)
def test_allow_networks(networks: list[str], url: str, answers: list[str] | None, is_allowed: bool) -> None:
    """Opened networks open their own addresses on any port, and nothing beside them."""
    guard = Guard(networks)
    assert guard.judge_answers(guard.judge_url(url), answers or []).allowed is is_allowed


def test_bad_network() -> None:
    """A setting that is no network is the user's mistake, told as one."""
    with pytest.raises(UserError, match=r"unsafe_allow_networks: '10.0.0.1/8'"):
        Guard(["10.0.0.1/8"])


def test_rows() -> None:
    """A row is judged without a resolver, and a row that is none is refused."""
    guard = Guard()
    rows = [{"address": "8.8.8.8"}, {"url": "http://8.8.8.8/"}, {"url": "http://example.com/", "answers": PUBLIC}]
    assert [judge_row(guard, row)["verdict"] for row in rows] == ["allow"] * 3
    assert judge_row(guard, {"url": "http://example.com/"}) == {"verdict": "refuse", "reason": "no answers"}
    assert judge_row(guard, {"url": "http://example.com/", "answers": "8.8.8.8"})["verdict"] == "refuse"
    assert judge_row(guard, {"url": None})["verdict"] == "refuse"
    assert judge_row(guard, {})["verdict"] == "refuse"


PRIVATE = ("0.0.0.0/8", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")


@st.composite
def private_addresses(draw: st.DrawFn) -> int:
    network = ipaddress.ip_network(draw(st.sampled_from(PRIVATE)))
    return int(network[draw(st.integers(0, network.num_addresses - 1))])


@st.composite
def spellings(draw: st.DrawFn, value: int) -> str:
    """One of the ways in which resolvers and URL parsers read an IPv4 address."""
    count = draw(st.integers(1, 4))
    head = [(value >> (24 - 8 * index)) & 0xFF for index in range(count - 1)]
    numbers = [*head, value & (0xFFFF_FFFF >> (8 * (count - 1)))]
    written = [draw(st.sampled_from((f"{n}", f"0x{n:x}", f"0X{n:08X}", f"0{n:o}"))) for n in numbers]
    text = draw(st.sampled_from((".", "。", "．", "%2e", "%2E"))).join(written)
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    shape = draw(st.sampled_from(("plain", "dot", "wide", "percent")))
    if shape == "percent" and "%" not in text and text.isascii():
        return "".join(f"%{ord(letter):02x}" for letter in text)
    return {"dot": text + ".", "wide": text.translate(wide) if "%" not in text else text}.get(shape, text)


@st.composite
def carriers(draw: st.DrawFn, value: int) -> str:
    """An IPv6 address that carries an IPv4 one."""
    prefix = draw(st.sampled_from((0, 0xFFFF << 32, 0xFFFF << 48, 0x64FF9B << 96, 0x2A001450 << 96 | 0x5EFE << 32)))
    shaped = draw(
        st.sampled_from((prefix | value, 0x2002 << 112 | value << 80, 0x20010000 << 96 | value ^ 0xFFFF_FFFF))
    )
    address = ipaddress.IPv6Address(shaped)
    return draw(st.sampled_from((str(address), address.exploded, str(address).upper())))


@given(st.data())
def test_no_spelling_of_a_private_address_passes(data: st.DataObject) -> None:
    """No spelling, no embedding and no answer brings a private address through."""
    value = data.draw(private_addresses())
    guard = Guard()
    scheme = data.draw(st.sampled_from(("http", "HTTPS")))
    assert not guard.judge_url(f"{scheme}://{data.draw(spellings(value))}/").allowed
    carrier = data.draw(carriers(value))
    assert not guard.judge_url(f"{scheme}://[{carrier}]/").allowed
    assert not guard.judge_address(carrier).allowed
    name = guard.judge_url("http://example.com/")
    assert not guard.judge_answers(name, [*PUBLIC, str(ipaddress.IPv4Address(value))]).allowed


@given(st.text(max_size=80), st.sampled_from(("", "http://", "https://", "http://example.com", "http:/", "//")))
def test_any_text_gets_a_verdict(text: str, prefix: str) -> None:
    """The guard never raises, and an allowed URL is judged the same when judged again."""
    guard = Guard()
    verdict = guard.judge_url(prefix + text)
    assert isinstance(verdict, Verdict)
    assert not verdict.allowed or guard.judge_url(verdict.url).url == verdict.url
