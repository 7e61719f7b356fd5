"""Colours by their part in a finding. Owns the codes; knows nothing of terminals.

Whether there is colour at all is decided at the edge. Every word is readable without it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifespec.diagnostics.diagnostic import Severity

_RESET = "\x1b[0m"
_CODES = {
    "error": "\x1b[1;91m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;36m",
    "good": "\x1b[32m",
    "strong": "\x1b[1m",
    "frame": "\x1b[36m",
    "help": "\x1b[36m",
    "quiet": "\x1b[2m",
}


@dataclass(frozen=True, slots=True)
class Palette:
    """Paints words when `colour` is true, else hands them back as they are."""

    colour: bool = False

    def paint(self, part: str, text: str) -> str:
        """`text` in the colour of `part`: error, warning, info, good, strong, frame, help or quiet; "" has none."""
        if not self.colour or not text or not part:
            return text
        return f"{_CODES[part]}{text}{_RESET}"

    def severity(self, severity: Severity, text: str) -> str:
        return self.paint(severity.value, text)
