"""The mark that a written picture carries: which DOT it was drawn from, so that a stale one is found.

Owns writing and reading the mark in each format. The bytes of an SVG differ between versions of Graphviz, the
DOT does not, so the digest is of the DOT.

A mark is one line of ASCII, `lifespec-picture: sha256=... machine=... profile=...`, values percent-encoded. It
stands in a comment at the end of DOT, Mermaid and PDF, in `<metadata>` of an SVG, in a tEXt chunk of a PNG.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from urllib.parse import quote, unquote

_WORD = "lifespec-picture"
_PNG_HEAD = b"\x89PNG\r\n\x1a\n"
_LINE = re.compile(rf"{_WORD}: sha256=([0-9a-f]{{64}})(?: machine=([!-~]+))?(?: profile=([!-~]+))?")


class Format(StrEnum):
    """What a picture can be written as. The value is the ending of a file."""

    DOT = "dot"
    MERMAID = "mmd"
    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class Mark:
    """`digest` is the SHA-256 of the DOT; `machine` the only one shown, if not all; `profile` the one chosen."""

    digest: str
    machine: str | None
    profile: str | None

    def line(self) -> str:
        machine = f" machine={quote(self.machine, safe='', errors='replace')}" if self.machine is not None else ""
        profile = f" profile={quote(self.profile, safe='', errors='replace')}" if self.profile is not None else ""
        return f"{_WORD}: sha256={self.digest}{machine}{profile}"


def digest(dot: str) -> str:
    return sha256(dot.encode("utf-8")).hexdigest()


def add_mark(content: bytes, form: Format, mark: Mark) -> bytes:
    """`content` with the mark. An SVG must be one of `svg.finish`, which leaves room for it."""
    line = mark.line()
    match form:
        case Format.DOT:
            return content + f"// {line}\n".encode()
        case Format.MERMAID:
            return content + f"%% {line}\n".encode()
        case Format.PDF:
            return content + (b"" if content.endswith(b"\n") else b"\n") + f"% {line}\n".encode()
        case Format.SVG:
            return content.replace(b"<metadata/>", f"<metadata>{line}</metadata>".encode(), 1)
        case Format.PNG:
            keyword, value = line.split(": ", 1)
            return _with_chunk(content, b"tEXt", f"{keyword}\0{value}".encode("ascii"))


def find_mark(content: bytes, form: Format) -> Mark | None:
    """The mark of a written picture, None when there is none: it was not drawn by lifespec, or was changed
    by a program that drops comments."""
    match form:
        case Format.DOT | Format.MERMAID | Format.PDF:
            line = content.rstrip().rpartition(b"\n")[2]
        case Format.SVG:
            found = re.search(rb"<metadata>([^<]*)</metadata>", content)
            line = found[1] if found else b""
        case Format.PNG:
            texts = (data for kind, data in _chunks(content) if kind == b"tEXt" and data.startswith(_WORD.encode()))
            line = next(texts, b"").replace(b"\0", b": ", 1)
    match = _LINE.search(line.decode("ascii", "replace"))
    if match is None:
        return None
    machine, profile = (unquote(value) if value is not None else None for value in match.group(2, 3))
    return Mark(match[1], machine, profile)


def _with_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    """The PNG with one more chunk behind its header."""
    behind_header = len(_PNG_HEAD) + 4 + 4 + struct.unpack(">I", png[8:12])[0] + 4
    check = zlib.crc32(kind + data)
    chunk = struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
    return png[:behind_header] + chunk + png[behind_header:]


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG_HEAD)
    while png.startswith(_PNG_HEAD) and at + 8 <= len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12
