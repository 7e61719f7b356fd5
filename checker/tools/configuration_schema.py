"""Writes the JSON Schema of the configuration file from the options of `check`; with `--check` says whether it is up
to date.

python checker/tools/configuration_schema.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from lifespec.cli.check_command import command
from lifespec.cli.configuration import PAIRED, key_of, options_of
from lifespec.cli.filter_option import SEVERITIES, SeverityOf

KEPT = Path(__file__).resolve().parents[2] / "spec" / "schemas" / "configuration.schema.json"
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}


def schema() -> dict[str, Any]:
    """The schema of lifespec.toml, and of [tool.lifespec] in pyproject.toml."""
    properties: dict[str, Any] = {
        "spec": {"description": "The lifecycle: a file, or lib:NAME.", **_TEXT},
        "logs": {"description": "The logs, each as on the command line.", **_TEXTS},
    }
    for key, option in options_of(command).items():
        properties[key] = {"description": option.help, **_value(option)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:lifespec:schema:configuration:1",
        "title": "The configuration of `lifespec check`: lifespec.toml, or [tool.lifespec] in pyproject.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _value(option: click.Option) -> dict[str, Any]:
    kind = option.type
    if key_of(option) in PAIRED:
        return {"type": "object", "additionalProperties": _TEXT}
    if isinstance(kind, SeverityOf):
        return {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}}
    if option.is_flag:
        return {"type": "boolean"}
    if isinstance(kind, click.IntRange | click.FloatRange):
        limits = {"minimum": kind.min, "maximum": kind.max}
        number = "integer" if isinstance(kind, click.IntRange) else "number"
        return {"type": number, **{name: limit for name, limit in limits.items() if limit is not None}}
    one = {"enum": list(kind.choices)} if isinstance(kind, click.Choice) else _TEXT
    return {"type": "array", "items": one} if option.multiple else one


def main(arguments: list[str]) -> int:
    """0 when the file is up to date or has been written, 1 when `--check` finds it stale."""
    text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    if arguments == ["--check"]:
        fresh = KEPT.is_file() and KEPT.read_text(encoding="utf-8") == text
        print(f"{KEPT}: {'up to date' if fresh else 'stale: run checker/tools/configuration_schema.py'}")
        return 0 if fresh else 1
    KEPT.write_text(text, encoding="utf-8")
    print(f"{KEPT}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
