"""Findings with words: their shape, the table of their names, and the nearest name."""

from lifespec.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity
from lifespec.diagnostics.names import NAMES, FindingName, Stage, severity_of
from lifespec.diagnostics.nearest import find_nearest

__all__ = ["NAMES", "Diagnostic", "FindingName", "Fix", "Label", "Severity", "Stage", "find_nearest", "severity_of"]
