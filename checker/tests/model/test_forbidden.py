"""What `forbid` finds, what it does not, and that a redaction mark is never forbidden."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.model.forbidden import BUILTIN, find_forbidden
from lifespec.model.model import Forbid
from lifespec.source import Span

JWT = "eyJmYWtlIjoxfQxx.eyJmYWtlIjoxfQxx.c2lnbmF0dXJl"


def forbid(builtin: str | None = None, pattern: str | None = None) -> Forbid:
    return Forbid(builtin or "own", builtin, pattern, None, Span("spec", 0, 0))


def kinds(text: str, path: str = "note") -> list[str]:
    return [kind for kind in BUILTIN if find_forbidden(forbid(kind), path, text)]


FOUND = [
    ("person.one@example.invalid", "email"),
    ("peer two.person+x@mail.example.invalid dropped", "email"),
    ("p%40example.com", "email"),
    ("jürgen@bücher.example", "email"),
    ("wss://rt.example.invalid/socket?access_token=fake-fake", "token"),
    ("/a?b=1&api_key=fake", "token"),
    ("https://a.invalid/#TOKEN=fake", "token"),
    ("Bearer fakefakefakefakefake", "token"),
    ("a " + JWT + " b", "token"),
    ("192.0.2.7", "ip"),
    ("udp 192.0.2.7 46154 typ srflx", "ip"),
    ("from 192.0.2.7.", "ip"),
    ("/192.0.2.7", "ip"),
    ("192.0.2.0/24", "ip"),
    ("host/192.0.2.7:443", "ip"),
    ("http://user:word@192.0.2.7/x", "ip"),
    ("[192.0.2.7]", "ip"),
    ("2001:db8::ff00:42:8329", "ip"),
    ("[fe80::1%eth0]:80", "ip"),
    ("2001:DB8:0:1:2:3:4:5", "ip"),
    ("::ffff:192.0.2.7", "ip"),
]
NOT_FOUND = [
    "build@3f2a",
    "a@b.c",
    "@example.com",
    "eyJust a word. really. yes",
    "Bearer of news",
    "bearer tokens are used",
    "the token=abc",
    "?keys=abc&x=1",
    "?token=&x=1",
    "v192.0.2.7",
    "Mozilla/5.0 Chrome/141.0.0.0 Safari/537.36",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "12:30:45",
    "a::b std::cd",
    "AA:BB:CC:DD:EE:FF:00:11",
    "",
]
MARKS = [
    "[redacted]",
    "<redacted>",
    "(REDACTED)",
    "{removed}",
    "***",
    "*****",
    "•••",
    "[redacted:email]",
    "redacted",
    "%5Bredacted%5D",
]


@pytest.mark.parametrize(("text", "kind"), FOUND)
def test_a_forbidden_value_is_found(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_only_looks_like_one_is_not(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    "path", ["version", "app.version", "versions[1]", "sdkVersion", "meta.release", "a[0].release_name[2]"]
)
def test_four_dotted_numbers_in_a_version_are_no_address(path: str) -> None:
    assert kinds("1.2.3.4", path) == []
    assert kinds("1.2.3.4:80", path) == ["ip"]
    assert kinds("1.2.3.4", "note") == ["ip"]
    assert kinds("1.2.3.4", "version.note") == ["ip"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_redaction_mark_is_never_forbidden(mark: str) -> None:
    assert kinds(f"wss://a.invalid/?token={mark}&b=c") == []
    assert kinds(f"Bearer {mark}") == []
    assert kinds(f"{mark}@example.com") == []
    assert not find_forbidden(forbid(pattern="secret=.+"), "note", f"secret={mark}")
    assert kinds(f"{mark} a@b.co") == ["email"]


def test_pieces_beside_a_mark_are_not_put_together() -> None:
    assert kinds("a@[redacted]example.com") == []


def test_an_own_pattern_is_found_anywhere() -> None:
    own = forbid(pattern="[A-Z]{2}[0-9]{4}")
    assert find_forbidden(own, "note", "card XY1234 used")
    assert not find_forbidden(own, "note", "card XY123 used")


@given(st.text(), st.text(), st.sampled_from(sorted(BUILTIN)))
def test_any_text_is_searched(path: str, text: str, kind: str) -> None:
    assert find_forbidden(forbid(kind), path, text) in (True, False)


@given(st.text())
def test_an_address_is_found_in_any_company(text: str) -> None:
    assert "email" in kinds(f"{text} a@b.co ")


def test_a_long_text_takes_linear_time() -> None:
    begun = time.process_time()
    for text in (
        "a@" * 200_000,
        "1." * 200_000,
        "eyJ" * 100_000,
        "?token=" * 100_000,
        "[redacted]" * 50_000 + "a@b.co",
        "2001:" * 100_000,
    ):
        kinds(text)
    assert time.process_time() - begun < 30
