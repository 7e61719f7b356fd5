"""Running the command as a process of its own, as people do."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

CODE = "from lifespec.cli import main; main()"


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


def run(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """The status and both outputs; fails when a traceback is among them."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], input=stdin, capture_output=True, timeout=60, env=env, check=False
    )
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ran.err, ran.err
    return ran
