"""Paths that name an open descriptor of this process, such as `/dev/stderr`. Owns which they are, and opening one.

Where a stream was redirected to a file such a path leads to that file; replaced, it would lose what stands in it. So
what is open is written to as it is.
"""

from __future__ import annotations

import os
import re
import sys
from typing import IO

STANDARD_OUTPUT = 1
_MOST_LINKS = 40


def find_descriptor(path: str) -> int | None:
    """The number of the descriptor that a path names, itself or by a link; None for any other path."""
    try:
        folders = rf"(/proc/{os.getpid()}(/task/\d+)?/fd|{re.escape(os.path.realpath('/dev/fd'))})"
        for _ in range(_MOST_LINKS):
            folder, name = os.path.split(os.path.abspath(path))
            if name.isascii() and name.isdigit() and re.fullmatch(folders, os.path.realpath(folder)):
                return int(name)
            if not os.path.islink(path):
                return None
            path = os.path.join(os.path.dirname(path), os.readlink(path))
    except (OSError, ValueError):
        pass
    return None


def why_not_writable(descriptor: int) -> str | None:
    """Why nothing can be written to a descriptor, as a fragment for people; None when something can."""
    import fcntl  # only where there are such paths

    try:
        mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    except (OSError, OverflowError):
        return f"no descriptor {descriptor} is open"
    return f"descriptor {descriptor} is open for reading only" if mode == os.O_RDONLY else None


def open_descriptor(descriptor: int) -> IO[bytes]:
    """What writes to a descriptor, behind what has been written there; to be closed, which leaves the descriptor open.
    Raises OSError."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return os.fdopen(os.dup(descriptor), "wb")
