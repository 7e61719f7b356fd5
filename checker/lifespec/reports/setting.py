"""What a renderer may want to know besides the report. Owns no decision: the edge makes one, all renderers read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lifespec.diagnostics import Severity
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import WIDTH
from lifespec.version import __version__

EXAMPLES = 5
_PLAIN = Palette()


@dataclass(frozen=True, slots=True)
class Setting:
    """How a report is to be written.

    `status` is the exit status that goes with it, `fail_on` the least severity that fails the run (None: none does).
    `examples` bounds the findings shown of each group. `palette` and `width` (columns) are for what people read at a
    terminal. `folder` is the one in which the command runs, `root` the one that paths are relative to where a format
    wants them so; both absolute, or "" for paths as they were given. `primary` is where a finding stands for services
    that show files: in the spec, or in the log where logs are in the repository.
    """

    status: int = 0
    tool_version: str = __version__
    fail_on: Severity | None = Severity.ERROR
    examples: int | None = EXAMPLES
    palette: Palette = _PLAIN
    width: int = WIDTH
    folder: str = ""
    root: str = ""
    primary: Literal["spec", "log"] = "spec"


DEFAULT = Setting()
