"""What a finding looks like once it has words. Owns the shape only; the words come from whoever makes it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from lifespec.source import Span


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Label(Struct, frozen=True):
    """A place in a text and what is to be seen there (may be empty)."""

    span: Span
    text: str = ""


class Fix(Struct, frozen=True):
    """A replacement that would mend the finding."""

    span: Span
    text: str


class Diagnostic(Struct, frozen=True):
    """A finding about a specification, a binding or the use of a command.

    `name` is a key of `lifespec.diagnostics.names.NAMES`. `message` stands alone in a one-line list.
    `label` is the primary place (None when there is no text to point at), `labels` are secondary ones,
    `notes` are facts, `help` are things to do.
    """

    name: str
    message: str
    label: Label | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    fix: Fix | None = None
    severity: Severity | None = None  # None: the severity the table of names gives

    @property
    def sort_key(self) -> tuple[str, int, str]:
        """Findings sort by source, place and name."""
        if self.label is None:
            return ("", 0, self.name)
        return (self.label.span.file, self.label.span.start, self.name)
