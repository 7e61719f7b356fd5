"""`check --show-settings`: every setting that is in force and where it is from, as TOML that a file could have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from lifespec.cli.configuration import PAIRED, key_of, options_of
from lifespec.cli.configured_command import configuration_of, source_of
from lifespec.cli.filter_option import NameList, SeverityOf
from lifespec.diagnostics.excerpt import visible, width_of

_COLUMN = 36  # of the comments; a longer setting pushes its own
_GIVEN = "command line"


def settings_text(ctx: click.Context, spec: str | None, logs: Sequence[str], given: Sequence[str]) -> str:
    """The settings, a line each. `given` are the arguments of the command line alone."""
    file = configuration_of(ctx).file
    settings = [
        ("spec", spec, _GIVEN if spec in given else file or ""),
        ("logs", tuple(logs), _GIVEN if logs and logs[0] in given else file or ""),
    ]
    for key, option in options_of(ctx.command).items():
        settings.append((key, _value(ctx.params[option.name or ""], option), source_of(ctx, option)))
    lines = [f"# configuration file: {visible(file) if file is not None else 'none'}"]
    for key, value, source in settings:
        if value is None or value in ((), {}):
            lines.append(f"# {key} is not set")
        else:
            setting = visible(f"{key} = {_toml(value)}")
            lines.append(f"{setting}{' ' * max(1, _COLUMN - width_of(setting))}# {visible(source) or 'default'}")
    return "".join(f"{line}\n" for line in lines)


def _value(value: Any, option: click.Option) -> Any:
    """The value of an option as a file would have it."""
    if isinstance(option.type, SeverityOf):
        return dict(value)
    if key_of(option) in PAIRED:
        return dict(each.split("=", 1) for each in value if "=" in each)
    return tuple(name for names in value for name in names) if isinstance(option.type, NameList) else value


def _toml(value: Any) -> str:
    """A value as TOML; its texts are as those of JSON, but for a character that TOML has escaped too."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
