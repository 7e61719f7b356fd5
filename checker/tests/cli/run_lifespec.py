"""Running the command as a process of its own, as people do, without paying for its start each time.

One process a test worker has the command imported and forks for each call, so that a call has its own file
descriptors, environment, current folder and exit status, and costs some milliseconds instead of half a second.
Where there is no fork, or the start itself is what a test is about, `CODE` is run by a fresh Python.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import NoReturn

CODE = "from lifespec.cli import main; main()"
_SECONDS = 60


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


def run(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """The status and both outputs; fails when a traceback is among them."""
    environment = dict(os.environ if env is None else env)
    ran = (_forked if _as_here(environment) and hasattr(os, "fork") else _fresh)(arguments, stdin, environment)
    assert "Traceback" not in ran.err, ran.err
    return ran


def _as_here(environment: Mapping[str, str]) -> bool:
    """Whether Python itself would start as it did for the process that forks."""
    settings = {name for name in (*environment, *os.environ) if name.startswith(("PYTHON", "LC_", "LANG"))}
    return all(environment.get(name) == os.environ.get(name) for name in settings)


def _fresh(arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> Ran:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        input=stdin,
        capture_output=True,
        timeout=_SECONDS,
        env=environment,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def _forked(arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> Ran:
    with tempfile.TemporaryDirectory() as folder:
        given, out, err = (Path(folder, name) for name in ("in", "out", "err"))
        given.write_bytes(stdin)
        call = [arguments, os.getcwd(), environment, str(given), str(out), str(err)]
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(call) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return Ran(status, out.read_bytes().decode(), err.read_bytes().decode())


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(server.kill)
    return server


# --- the process that forks ---------------------------------------------------------------------------------


def serve() -> None:
    """Answers each call, a line of JSON, with the status that its process ends with."""
    import lifespec.check
    import lifespec.cli.check_command
    import lifespec.cli.timeline_command  # noqa: F401  imported once, before the forks

    for line in sys.stdin:
        child = os.fork()
        if not child:
            _answer(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _answer(
    arguments: Sequence[str], current: str, environment: Mapping[str, str], given: str, out: str, err: str
) -> NoReturn:
    """Runs the command in this process, its standard input a pipe, and ends with it."""
    signal.alarm(_SECONDS)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(current)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    for descriptor, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, descriptor)
        os.close(opened)
    Thread(target=_feed, args=(writing, Path(given).read_bytes()), daemon=True).start()
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115  streams of this process
    status = 1
    try:
        from lifespec.cli import main

        main(arguments)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)


def _feed(descriptor: int, content: bytes) -> None:
    with suppress(OSError), os.fdopen(descriptor, "wb") as pipe:
        pipe.write(content)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


if __name__ == "__main__":
    serve()
