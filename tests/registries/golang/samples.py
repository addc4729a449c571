"""Generated versions, paths and go.mod files, many of them wrong, for the comparison with golang.org/x/mod."""

from __future__ import annotations

from random import Random

__all__ = ["go_mods", "path_pairs", "version_pairs"]

NUMBERS = ["0", "1", "2", "9", "10", "12", "99", "100", "01", "00", "", "a", "9" * 24, "1" + "0" * 30]
IDENTIFIERS = [
    "0", "1", "10", "9", "01", "007", "alpha", "beta", "RC1", "rc1", "rc-1", "-", "--", "a", "A", "0a", "-0", "x",
    "", "é", "20191109021931-daa7c04131f5", "20191399021931-abc", "00010101000000-000000000000",
    "19700101000000-0123456789ab", "20191109021931-", "20191109021931-a-b",
]  # fmt: skip
BUILDS = ["incompatible", "meta", "a.b", "", "a..b", "0", "01", "incompatible.1"]
BASES = [
    "v0.0.0-", "v1.2.3-0.", "v1.2.0-0.", "v1.2.10-0.", "v1.2.100-0.", "v2.0.0-pre.0.", "v1.0.0-0.0.", "v0.0.0-0.",
    "v1.2.3-pre-0.", "v1.2.3-", "v3.0.0-", "v2.0.1-0.", "v1.0.0-rc.1.0.",
]  # fmt: skip
MOMENTS = [
    "20191109021931",
    "20191399021931",
    "00010101000000",
    "20240229235959",
    "20230229000000",
    "2019110902193",
    "99991231235960",
]
REVISIONS = ["daa7c04131f5", "abc", "ABC", "a-b", ""]
HOSTS = [
    "github.com", "gopkg.in", "gopkg.in", "example.com", "Example.com", "a", "a.b", "-a.b", "a-.b", "a_b.c", "con.com",
    "aux", "x.", ".x", "1.2", "a~1.b", "v2.io", "v2", "", "é.com", "nul.x", "co.m", "a.b.", "xn--a.b",
]  # fmt: skip
ELEMENTS = [
    "a", "b", "Foo", "foo.bar", ".x", "x.", "a..b", "..", ".", "", "con", "CON", "con.x", "aux1", "com1", "com0",
    "lpt9.y", "a~1", "a~b", "~1", "~", "a~12.x", "x~1y", "v1", "v2", "v0", "v10", "v02", "v2.1", "v", "v.", "v2.",
    "é", "a b", "a!b", "a@b", "-a", "a-", "_", "yaml.v2", "yaml.v1", "yaml.v0", "yaml.v0-unstable",
    "yaml.v2-unstable", "yaml.v-unstable", "yaml.v02", "x.v1.v2", "9", "nul", "prn", "a+b", "!foo", "!!a", "!A",
    "foo!",
]  # fmt: skip
OF_PATHS = [
    "v0.0.0", "v1.2.3", "v2.0.0", "v2.0.0+incompatible", "v0.0.0-20191109021931-daa7c04131f5", "v10.1.0",
    "v1.2.3+incompatible", "v9.0.0",
]  # fmt: skip
WORDS = [
    "example.com/m", '"example.com/m"', '"ex\\x61mple.com/m"', "`example.com/m`", "'x'", "v1.0.0", "v1.2",
    "v2.0.0", "master", "v1.0.0-pre", "v2.0.0+incompatible", "v1.0.0+meta", "(", ")", "[", "]", ",", "{", "}",
    "=>", "../x", "./y", "/z", "C:\\x", "..\\x", "// indirect", "// indirect; x", "//", "// Deprecated: gone",
    "// why", "/*", "*/", "a/*b", "example.com/m/v2", "gopkg.in/x.v1", "gopkg.in/x", "example.com/a//b", '"a//b"',
    '"', "`", '"\\q"', '"\\u00e9"', '"\\ud800"', '"\\U00110000"', '"\\377"', '"\\477"', '"a\\\nb"', "é", "\u200b",
    "\u00a0", "\ufeff", "\x00", "1.21", "go1.21", "v1.20", "1.20rc1", "1.x", "1.20.x", "default", "k=v", 'k="v"',
    "\\", '"a\rb"', "`a\rb`", "\x85", "\u2028", '"\\400"', '"\\\'"',
]  # fmt: skip
COMMENTS = [
    "", "  ", "\t", "// c", "//", "// Deprecated: use x", "//Deprecated: y", "// deprecated: z", "// Deprecated:",
    "  // indented", "// a\n//\n// Deprecated: para\n// two", "\r",
]  # fmt: skip
ARGUMENTS = {
    "module": ["example.com/m"],
    "go": ["1.21", "1.21.3", "1.20rc1", "v1.2", "1.9x", "1"],
    "toolchain": ["go1.21", "default", "go1", "go2"],
    "require": [
        "a.b/c v1.0.0", "a.b/c/v2 v2.1.0", "a.b/c v1.2", '"a.b/c" v1.0.0-pre', "a.b/c v3.0.0+incompatible",
        "a.b/c master",
    ],
    "exclude": ["a.b/c v1.0.0"],
    "replace": [
        "a.b/c => ../x", "a.b/c v1.0.0 => d.e/f v1", "a.b/c => d.e/f v1.0", "a => b", "a.b/c => x", "a.b/c/v1 => ./x",
        "a.b/c v2.0.0 => ./x", "a.b/c => ./x v1.0.0",
    ],
    "retract": [
        "v1.0.0", "[v1.0.0, v1.2.0]", "[v1,v2]", "(v1, v2]", "foo", "v1 x", "[v1.0.0", '"v1.0.0"',
        '[ v1.0.0 , "v2" ] z',
    ],
    "godebug": ["a=b", "a", "a=b,c"],
    "tool": ["a.b/c"],
    "ignore": ["./x", '"a b"', "a'b", "a b"],
    "foo": ["bar"],
    ")": [""],
    "(": [""],
}  # fmt: skip
INSIDE = [
    "\t// why", "", "\t// Deprecated: in block", "\texample.com/m", "\ta.b/c v1.0.0", "\ta.b/c v1.0.0 // indirect",
    "\tv1.0.0", "\t[v1.0.0, v1.1.0] // rng", "\tv1.0.0 // c2", "\ta.b/c => ../x", "\t)  x", " // x \r", "\t./a",
]  # fmt: skip
ENDINGS = [
    " // indirect",
    " // indirect;",
    " // indirect\x1c",
    " // why not",
    " //Deprecated: sfx",
    "//x",
    "\r",
    " // Deprecated: s",
]


def version_pairs(random: Random, count: int) -> list[tuple[str, str]]:
    """Pairs to compare; half of them differ by one character."""
    pairs = []
    for _ in range(count):
        version = random.choice([_version, _pseudo])(random)
        is_near = version and random.random() < 0.5
        pairs.append((version, _changed(random, version) if is_near else _version(random)))
    return pairs


def path_pairs(random: Random, count: int) -> list[tuple[str, str]]:
    """A path, and a version that may belong to it."""
    pairs = []
    for _ in range(count):
        path = "/".join([random.choice(HOSTS), *random.choices(ELEMENTS, k=random.randint(0, 3))])
        end = random.choice(["/", "//", "\n", ".", "\x00"]) if random.random() < 0.1 else ""
        pairs.append((path + end, random.choice(OF_PATHS)))
    return pairs


def go_mods(random: Random, count: int) -> list[bytes]:
    """Files from good to hopeless."""
    return [_go_mod(random) for _ in range(count)]


def _version(random: Random) -> str:
    numbers = ".".join(random.choices(NUMBERS, k=random.choice([1, 2, 3, 3, 3, 3, 3])))
    before = "-" + ".".join(random.choices(IDENTIFIERS, k=random.randint(1, 3))) if random.random() < 0.6 else ""
    behind = "+" + random.choice(BUILDS) if random.random() < 0.25 else ""
    junk = random.choice(["\n", " ", "!", "/", "\x00"]) if random.random() < 0.02 else ""
    return random.choice(["v", "v", "v", "v", "v", "", "V"]) + numbers + before + behind + junk


def _pseudo(random: Random) -> str:
    behind = random.choice(["", "", "", "+incompatible", "+meta.1", "+a+b"])
    return random.choice(BASES) + random.choice(MOMENTS) + "-" + random.choice(REVISIONS) + behind


def _changed(random: Random, text: str) -> str:
    place = random.randrange(len(text))
    return text[:place] + random.choice("0123456789abz.-+A") + text[place + 1 :]


def _go_mod(random: Random) -> bytes:
    lines = [_line(random) for _ in range(random.randint(0, 6))]
    if random.random() < 0.5:
        lines.insert(random.randint(0, len(lines)), "module example.com/m")
    text = "\n".join(lines) + random.choice(["\n", "\n", ""])
    body = (text.replace("\n", "\r\n") if random.random() < 0.1 else text).encode()
    if random.random() < 0.05:
        place = random.randint(0, len(body))
        body = body[:place] + bytes([random.randrange(256)]) + body[place:]
    return (b"\xef\xbb\xbf" if random.random() < 0.03 else b"") + body


def _line(random: Random) -> str:
    kind = random.random()
    if kind < 0.12:
        return random.choice(COMMENTS)
    verb = random.choice([*ARGUMENTS, "module", "require", "retract"])
    end = random.choice(ENDINGS) if random.random() < 0.2 else ""
    if kind < 0.75:
        return (
            random.choice(["", " ", "\t"])
            + verb
            + random.choice([" ", "  ", "\t"])
            + random.choice(ARGUMENTS[verb])
            + end
        )
    if kind < 0.85:
        return f"{verb} {' '.join(random.choices(WORDS, k=random.randint(0, 5)))}{end}"
    return _block(random, verb) + end


def _block(random: Random, verb: str) -> str:
    inside = random.choices([*INSIDE, "\t" + random.choice(WORDS)], k=random.randint(0, 4))
    head = verb + random.choice([" ", "", " x "]) + "(" + random.choice(["", "", " // open", "  ", " )"])
    return "\n".join([head, *inside, ")" + random.choice(["", "", "", " // close", " x"])])
