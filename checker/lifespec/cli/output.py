"""Where the answer of a command goes: standard output or a file, with or without colour. Owns writing, and the reading
of small files beside a command.

A file is replaced as a whole or not at all; what names an open descriptor is written to as it is. Reads the
environment: NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM. What only a file or a terminal needs is imported there.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click
from click.core import ParameterSource

from lifespec.cli.descriptor import STANDARD_OUTPUT, find_descriptor, open_descriptor, why_not_writable
from lifespec.cli.once import Once
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import WIDTH
from lifespec.shipped import find_shipped
from lifespec.system_error import os_error_words

_NARROWEST, _WIDEST = 50, 120

STANDARD = "-"
# Of any command.
KNOWN_FORMS = frozenset(
    ("csv", "dot", "html", "json", "jsonl", "junit", "markdown", "mmd", "pdf", "png", "sarif", "svg"),
)
_ENDINGS = {"md": "markdown", "txt": "text", "xml": "junit"}  # others are the names of formats
NOBODY_READS = 141  # the exit status, as shells have it for a closed pipe


class NobodyReads(click.exceptions.Exit):
    """Whoever read standard output has gone; so the command ends without a word."""

    def __init__(self) -> None:
        super().__init__(NOBODY_READS)


class Failure(click.ClickException):
    """The command cannot do what it was asked: one line on standard error, status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"lifespec: {self.format_message()}", file=file, err=file is None)


class Remarks(io.FileIO):
    """The bytes of standard error: when nobody reads them any more they go nowhere, for what is said there is no part
    of any answer, and must not keep one from being written."""

    def __init__(self, stream: IO[Any]) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        self._stream = stream  # kept, or it would close the file when it goes

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            with open(os.devnull, "w") as nothing:
                os.dup2(nothing.fileno(), self.fileno())
            return len(data)


def output_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """-o/--output FILE."""
    return click.option(
        "-o",
        "--output",
        cls=Once,
        metavar="FILE",
        default=STANDARD,
        callback=lambda ctx, param, value: given_output(value),
        help="Write to FILE, replaced as a whole; - is standard output.",
    )(function)


def form_for(form: str, output: str, forms: Iterable[str]) -> str:
    """The `form` that was asked for with --format, or is set, else the one of `forms` that the ending of the file says:
    what is called `report.html` is not to hold text. To be called in a command."""
    ctx = click.get_current_context()
    if output == STANDARD or ctx.get_parameter_source("form") is not ParameterSource.DEFAULT:
        return form
    ending = Path(output).suffix[1:].lower()
    said = _ENDINGS.get(ending, ending)
    if said in KNOWN_FORMS and said not in forms:
        raise click.UsageError(
            f"{output} would not hold what its name says: this command writes {', '.join(sorted(forms))}; "
            "choose with --format"
        )
    return said if said in forms else form


def given_output(output: str) -> str:
    """Where to write, as it was given: a path that names standard output is standard output. Raises Failure for a
    descriptor that cannot be written to."""
    descriptor = find_descriptor(output)
    if descriptor is None:
        return output
    why_not = why_not_writable(descriptor)
    if why_not is not None:
        raise Failure(f"cannot write {output}: {why_not}")
    return STANDARD if descriptor == STANDARD_OUTPUT else output


def colour_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--color auto|always|never."""
    return click.option(
        "--color",
        "colour",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour the text; auto is on a terminal only (NO_COLOR and FORCE_COLOR count).",
    )(function)


def palette_for(output: str, colour: str) -> Palette:
    """Colour as it was asked for, else as the environment says, else on a terminal."""
    if colour != "auto":
        return Palette(colour == "always")
    if os.environ.get("NO_COLOR"):
        return Palette(False)
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return Palette(True)
    return Palette(_is_terminal(output) and os.environ.get("TERM") != "dumb")


def width_for(output: str, narrowest: int = _NARROWEST) -> int:
    """The columns there are: of a terminal its own within limits, elsewhere always the same."""
    if not _is_terminal(output):
        return WIDTH
    import shutil

    return max(narrowest, min(shutil.get_terminal_size((WIDTH, 24)).columns, _WIDEST))


def write(text: str, output: str, palette: Palette | None = None) -> None:
    """Write the answer. Raises Failure when that fails; ends the command when nobody reads."""
    if output == STANDARD:
        with _reader():
            click.echo(text, nl=False, color=bool(palette and palette.colour) or None)
            sys.stdout.flush()
        return
    write_file(Path(output), text.encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def written(output: str) -> Iterator[Callable[[str], None]]:
    """What writes an answer piece by piece: standard output has each at once, a file is replaced when all is written,
    and is as it was when that comes to nothing. Raises Failure; ends the command when nobody reads."""
    if output == STANDARD:
        yield lambda text: write(text, output)
        return
    with _replaced(Path(output)) as file:

        def put(text: str) -> None:
            with _failing(output):
                file.write(text.encode("utf-8", "backslashreplace"))

        yield put


def check_writable(output: str) -> None:
    """Raises Failure when there is no writing to `output`, as far as that is known before."""
    path = Path(output)
    if output == STANDARD or find_descriptor(output) is not None:  # seen when it was given
        return
    with _failing(output):
        if path.is_dir():
            raise Failure(f"cannot write {path}: it is a folder, not a file")
        if not path.exists() and not path.parent.is_dir():
            raise Failure(f"cannot write {path}: there is no folder {path.parent}")


def spare_inputs(output: str, inputs: Iterable[str]) -> None:
    """Raises click.UsageError when the answer would be written over a file that the command reads."""
    if output == STANDARD:
        return
    inputs = list(inputs)
    _spare_folders(output, inputs)
    if not os.path.isfile(output):  # what is not there, or no file, is not replaced
        return
    for name in inputs:
        shipped = find_shipped(name)
        with contextlib.suppress(OSError, ValueError):
            read = shipped.path if shipped else "/dev/stdin" if name == STANDARD else name
            if name.startswith("@") and not os.path.exists(name):
                read = name[1:]  # a list of logs
            if os.path.samefile(read, output):
                raise click.UsageError(f"{output} would overwrite what is read; nothing was written")


def _spare_folders(output: str, inputs: Sequence[str]) -> None:
    """Raises click.UsageError when the answer would stand among the logs of a folder or a pattern: the next time it
    would be read as one of them."""
    from lifespec.log_input import would_be_log  # which most commands do without

    for name in inputs:
        if name == STANDARD or os.path.isfile(name):
            continue
        with contextlib.suppress(OSError, ValueError):
            if would_be_log(output, name):
                raise click.UsageError(
                    f"{output} would be read as a log of {name} the next time; write it elsewhere, nothing was written"
                )


def write_bytes(content: bytes, output: str) -> None:
    """Write what is no text. Raises Failure when that fails; ends the command when nobody reads."""
    if output != STANDARD:
        write_file(Path(output), content)
        return
    with _reader():
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def _reader() -> Iterator[None]:
    """When nobody reads standard output any more, the command ends without a word. Raises Failure for all else."""
    try:
        yield
    except OSError as error:
        with open(os.devnull, "w") as nothing:  # so that nothing is left to be flushed at exit
            os.dup2(nothing.fileno(), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise NobodyReads from None
        raise Failure(f"cannot write {os_error_words(error, 'standard output')}") from None


def read_file(name: str, most: int) -> bytes:
    """The first `most` bytes of a file that goes with a check. Raises Failure when it is none, or cannot be read."""
    try:
        if os.path.exists(name) and not os.path.isfile(name):  # a pipe might be waited for
            raise Failure(f"cannot read {name}: it is not a regular file")
        with open(name, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise Failure(f"cannot read {os_error_words(error, name)}") from None
    except ValueError:
        raise Failure(f"cannot read {name!r}: no file can have this name") from None


def write_file(path: Path, content: bytes) -> None:
    """Replace a file as a whole. Raises Failure with the reason when that fails."""
    with _replaced(path) as file, _failing(str(path)):
        file.write(content)


@contextlib.contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of another one at the end of the block, unless that is left by an exception. A
    device, a pipe or an open descriptor is written to, never replaced. Raises Failure."""
    import tempfile

    check_writable(str(path))
    descriptor = find_descriptor(str(path))
    if descriptor is not None or (path.exists() and not path.is_file()):
        with _failing(str(path)):
            device = path.open("wb") if descriptor is None else open_descriptor(descriptor)
        try:
            yield device
            with _failing(str(path)):
                device.flush()
        finally:
            with contextlib.suppress(OSError):  # what could not be written was said
                device.close()
        return
    with _failing(str(path)):
        path = path.resolve()
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            with _failing(str(path)):
                file.flush()
        with _failing(str(path)):
            os.chmod(name, mode)
            os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def _failing(output: str) -> Iterator[None]:
    """What the system says becomes a Failure."""
    try:
        yield
    except OSError as error:
        raise Failure(f"cannot write {os_error_words(error, output)}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_terminal(output: str) -> bool:
    return output == STANDARD and sys.stdout.isatty()
