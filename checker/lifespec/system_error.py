"""Sentences about files that cannot be read or written. Owns the words only."""

from __future__ import annotations

import errno
import os

_WORDS = {
    errno.ENOENT: "there is no such file",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "not permitted",
    errno.ENOSPC: "no space is left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system can only be read",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "the path is a circle of links",
    errno.EMFILE: "too many files are open",
    errno.EIO: "the device failed while reading or writing",
}


def os_error_words(error: OSError, path: str | None = None) -> str:
    """`PATH: why`, for the path given or the one that the error names."""
    name = path if path is not None else error.filename
    why = _WORDS.get(error.errno or 0) or (error.strerror or type(error).__name__).lower()
    return f"{os.fsdecode(name)}: {why}" if name is not None else why
