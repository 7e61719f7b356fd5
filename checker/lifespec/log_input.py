"""What is given as logs -> their files, in order: files, patterns, folders, lists. Owns the names; opens lists only."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

STANDARD = "-"
_PACKED = (".gz", ".zst")
_DATED = re.compile(r"(.+)[.-]([0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T_-]?[0-9]{2,6})?)")
_NUMBERED = re.compile(r"(.+\.[A-Za-z]+)[.-]([0-9]{1,5})")
_DIGITS = re.compile(r"([0-9]+)")
_LONGEST_LIST = 16 * 1024 * 1024  # characters of a list of logs

_Order = tuple[str, tuple[tuple[int, int, str], ...], int, int, str]


class NoSuchLogs(Exception):
    """Something that is given stands for no log. The text says what."""


def find_logs(given: Iterable[str], *, joined: bool = False) -> list[str]:
    """The paths that `given` stands for. A folder is all files in and below it but hidden ones, a pattern all files
    that fit, `@FILE` what stands in FILE, a line each; what exists under its name is a file, whatever is in the name.

    Those of a folder or a pattern are in order: rotated files the oldest first. With `joined` all are, for then one
    goes on from the other. Raises NoSuchLogs.
    """
    found = [path for each in given for path in _expand(each, may_be_list=True)]
    return _rotated_in_place(found) if joined else found


def would_be_log(path: str, given: str) -> bool:
    """Whether a file of this name would be one of the logs that `given`, a folder or a pattern, stands for."""
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if os.path.isdir(given):
        inside = os.path.relpath(real, os.path.realpath(given)).split(os.sep)
        return inside[0] != os.pardir and not any(name.startswith(".") for name in inside)
    if not glob.has_magic(given) or os.path.exists(given):
        return False
    return re.compile(_pattern_of(os.path.abspath(given))).fullmatch(os.path.abspath(path)) is not None


def _pattern_of(given: str) -> str:
    """A pattern of `glob` as a regular expression: `**` is any number of folders, and no wildcard is for a dot that a
    name begins with."""
    written = ""
    for part in given.split(os.sep)[1:]:
        if part == "**":
            written += "(?:/[^/.][^/]*)*"
        else:
            inside = fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z").replace(".*", "[^/]*")
            written += "/" + ("" if part.startswith(".") else r"(?!\.)") + inside
    return written


def _expand(given: str, *, may_be_list: bool) -> Iterator[str]:
    if given == STANDARD:
        yield given
    elif given.startswith("@") and may_be_list and not os.path.exists(given):
        for line in _lines(given[1:]):
            yield from _expand(line, may_be_list=False)
    elif os.path.isdir(given):
        files = sorted(_below(given), key=order_of)
        if not files:
            raise NoSuchLogs(f"{given} is a folder without a file")
        yield from files
    elif glob.has_magic(given) and not os.path.exists(given):
        files = sorted((path for path in glob.iglob(given, recursive=True) if os.path.isfile(path)), key=order_of)
        if not files:
            raise NoSuchLogs(f"no file fits {given}")
        yield from files
    else:
        yield given


def _lines(path: str) -> list[str]:
    """The entries of a list: blank lines and those that begin with `#` are none."""
    try:
        with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LONGEST_LIST + 1)
    except OSError as error:
        raise NoSuchLogs(f"cannot read the list {path}: {error.strerror}") from None
    if len(text) > _LONGEST_LIST:
        raise NoSuchLogs(f"{path} is too long to be a list of logs")
    entries = [line.strip() for line in text.splitlines()]
    entries = [line for line in entries if line and not line.startswith("#")]
    if not entries:
        raise NoSuchLogs(f"the list {path} names no log")
    if STANDARD in entries:
        raise NoSuchLogs(f"the list {path} names standard input")
    return entries


def _below(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = os.path.join(parent, name)
            if not name.startswith(".") and os.path.isfile(path):
                yield path


def order_of(path: str) -> _Order:
    """By what files are put in order: folder and name, numbers by their value; of one log that is rotated the file of
    the earliest date or the highest number first (`app.log.2.gz`, `app.log.1`, `app.log`)."""
    folder, family, age = _family(path)
    return folder, _natural(family), *age, path


def _family(path: str) -> tuple[str, str, tuple[int, int]]:
    """The folder of a file, the log that it is a part of, and its place there."""
    folder, name = os.path.split(path)
    for ending in _PACKED:
        name = name.removesuffix(ending)
    dated = _DATED.fullmatch(name)
    if dated is not None:
        return folder, dated[1], (0, int(re.sub(r"[^0-9]", "", dated[2])))
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None:
        return folder, numbered[1], (1, -int(numbered[2]))
    return folder, name, (2, 0)


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """`part2` before `part10`."""
    parts = _DIGITS.split(text)
    return tuple((1, int(part[:18]), part) if part.isdigit() else (0, 0, part) for part in parts if part)


def _rotated_in_place(paths: Sequence[str]) -> list[str]:
    """The files of one rotated log change places among themselves, so that the oldest comes first."""
    families: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        families.setdefault(_family(path)[:2], []).append(path)
    sorted_files = {family: iter(sorted(files, key=order_of)) for family, files in families.items()}
    return [next(sorted_files[_family(path)[:2]]) for path in paths]
