"""The configuration file of `check`: found, read, and every value of it looked at. Knows the options, runs nothing.

A key is an option without its dashes, and `spec` and `logs`; so what can be set is what the command has. Paths are
relative to the file.
"""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from lifespec.cli.filter_option import SEVERITIES, NameList, SeverityOf
from lifespec.cli.output import STANDARD, Failure, read_file
from lifespec.cli.value_type import range_words
from lifespec.diagnostics import find_nearest
from lifespec.explain_words import lowered
from lifespec.shipped import is_shipped_name

OWN, SHARED = "lifespec.toml", "pyproject.toml"
PATHS = frozenset({"spec", "logs", "baseline", "binding", "output"})
"""Keys with paths. A `binding` is one when it looks like one, as on the command line."""

PAIRED = frozenset({"report"})
"""Options given as NAME=FILE: a table of names and paths in a file."""

OF_ONE_RUN = frozenset({"config", "isolated", "show-settings", "help", "session", "where", "write-baseline", "today"})
"""Options that no file sets: they are about one run, or about the file itself."""

VARIABLES = "LIFESPEC_"
"""How the names of variables begin that set options."""

_ROOTS = (".git", ".hg")
_LONGEST = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a file sets: `spec` and `logs`, and the values of options by the names of their parameters."""

    file: str | None = None
    spec: str | None = None
    logs: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


def find_file(folder: str) -> str | None:
    """The file that counts in a folder: the nearest upwards, up to the root of the repository. Outside of a repository
    only the folder itself is looked at, for what lies above may be anybody's."""
    for each in _folders(folder):
        own, shared = os.path.join(each, OWN), os.path.join(each, SHARED)
        if os.path.lexists(own):
            return os.path.relpath(own, folder)
        if os.path.isfile(shared) and _table(os.path.relpath(shared, folder)) is not None:
            return os.path.relpath(shared, folder)
    return None


def read_configuration(file: str, command: click.Command) -> Configuration:
    """What a file sets. Raises Failure with all that is wrong in it."""
    table = _table(file)
    if table is None:
        raise Failure(f"{file} has no table [tool.lifespec]")
    options = options_of(command)
    wrong: list[str] = []
    values: dict[str, Any] = {}
    for key, value in table.items():
        try:
            name = _parameter(key, value, options)
            values[name] = _value(key, value, options.get(key), os.path.dirname(file))
        except _Wrong as error:
            wrong.append(f"{file}: {error}")
    if wrong:
        raise Failure("\nlifespec: ".join(wrong))
    spec, logs = values.pop("spec", None), values.pop("logs", ())
    return Configuration(file, spec, logs, values)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options that a file can set, by their keys."""
    named = {key_of(option): option for option in command.params if isinstance(option, click.Option)}
    return {key: option for key, option in named.items() if key not in OF_ONE_RUN}


def key_of(option: click.Option) -> str:
    """The name of an option without its dashes; the long one."""
    return max(option.opts, key=len).lstrip("-")


def variable_of(key: str) -> str:
    """The variable of the environment that sets an option."""
    return f"{VARIABLES}{key.replace('-', '_').upper()}"


# --- the file ----------------------------------------------------------------------------------------


def _folders(folder: str) -> Iterator[str]:
    """The folder and those above it, up to the root of a repository; only itself, where there is none."""
    above = [Path(folder), *Path(folder).parents]
    root = next((number for number, each in enumerate(above) if any((each / name).exists() for name in _ROOTS)), 0)
    yield from map(str, above[: root + 1])


def _table(file: str) -> Mapping[str, Any] | None:
    """What a file says of lifespec; None for a pyproject.toml that says nothing. Raises Failure."""
    content = read_file(file, _LONGEST + 1)
    if len(content) > _LONGEST:
        raise Failure(f"{file} is larger than {_LONGEST >> 10} KiB")
    try:
        value = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise Failure(f"{file} is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        why = "its values are nested too deeply" if isinstance(error, RecursionError) else lowered(str(error))
        raise Failure(f"{file} is not TOML: {why}") from None
    if os.path.basename(file) != SHARED:
        return value
    tools = value.get("tool")
    table = tools.get("lifespec") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise Failure(f"{file}: `tool.lifespec` is a table, not {_shown(table)}")
    return table


# --- values ------------------------------------------------------------------------------------------


class _Wrong(Exception):
    """What is wrong with a key, as a fragment for people."""


def _parameter(key: str, value: object, options: Mapping[str, click.Option]) -> str:
    if key in ("spec", "logs"):
        return key
    option = options.get(key)
    if option is None:
        if key in OF_ONE_RUN:
            raise _Wrong(f"`{key}` is said to one run, on the command line")
        near = find_nearest(key.replace("_", "-"), ("spec", "logs", *options))
        if isinstance(value, dict) and near is None:
            inside = value.get("lifespec") if key == "tool" else value
            said = next(iter(inside), "") if isinstance(inside, dict) else ""
            form = f" such as `{said} = ...`" if said in ("spec", "logs", *options) else ""
            raise _Wrong(
                f"unknown key `{key}`: settings{form} stand at the top of lifespec.toml, or in `[tool.lifespec]` of "
                f"{SHARED}, and only `severity` and `report` are tables"
            )
        raise _Wrong(f"unknown key `{key}`" + (f"; did you mean `{near}`?" if near else ""))
    assert option.name is not None
    return option.name


def _value(key: str, value: object, option: click.Option | None, folder: str) -> Any:
    """The value as the option takes it."""
    if option is None:
        checked: Any = _texts(key, value) if key == "logs" else _text(key, value)
    else:
        checked = _checked(key, value, option, folder)
    if key not in PATHS:
        return checked
    return (
        tuple(_located(each, key, folder) for each in checked)
        if isinstance(checked, tuple)
        else _located(checked, key, folder)
    )


def _checked(key: str, value: object, option: click.Option, folder: str) -> Any:
    kind = option.type
    if key in PAIRED:
        return _pairs(key, value, folder)
    if isinstance(kind, SeverityOf):
        return _severities(key, value)
    if option.is_flag:
        if not isinstance(value, bool):
            raise _Wrong(f"`{key}` is true or false, not {_shown(value)}")
        return value
    if option.multiple:
        texts = _texts(key, value)
        chosen = tuple(_chosen(key, text, kind) for text in texts)
        return (chosen,) if isinstance(kind, NameList) else chosen
    if isinstance(kind, click.IntRange | click.FloatRange):
        return _number(key, value, kind)
    return _chosen(key, _text(key, value), kind)


def _number(key: str, value: object, kind: click.IntRange | click.FloatRange) -> float:
    is_whole = isinstance(kind, click.IntRange)
    wanted = range_words(kind)
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        raise _Wrong(f"`{key}` is {wanted}, not {_shown(value)}")
    too_small = kind.min is not None and not value >= kind.min  # `not`: what is no number is neither
    if too_small or (kind.max is not None and not value <= kind.max):
        raise _Wrong(f"`{key}` is {wanted}, not {_shown(value)}")
    return value


def _chosen(key: str, text: str, kind: object) -> str:
    if isinstance(kind, click.Choice) and text not in kind.choices:
        near = find_nearest(text, kind.choices)
        help_ = f"; did you mean `{near}`?" if near else ""
        raise _Wrong(f"`{key}` is one of {', '.join(kind.choices)}, not {_shown(text)}{help_}")
    return text


def _severities(key: str, value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise _Wrong(f"`{key}` is a table of names and severities, not {_shown(value)}")
    for name, severity in value.items():
        if severity not in SEVERITIES:
            near = find_nearest(severity, SEVERITIES) if isinstance(severity, str) else None
            help_ = f"; did you mean `{near}`?" if near else ""
            raise _Wrong(f"`{key}` of `{name}` is one of {', '.join(SEVERITIES)}, not {_shown(severity)}{help_}")
    return tuple(value.items())


def _pairs(key: str, value: object, folder: str) -> tuple[str, ...]:
    if not isinstance(value, dict) or not all(isinstance(each, str) and each for each in value.values()):
        raise _Wrong(f"`{key}` is a table of names and paths, not {_shown(value)}")
    return tuple(f"{name}={_located(path, key, folder)}" for name, path in value.items())


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _Wrong(f"`{key}` is a text, not {_shown(value)}")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _Wrong(f"`{key}` is a list of texts, not {_shown(value)}")
    return tuple(value)


def _located(path: str, key: str, folder: str) -> str:
    """A path of a file, as seen from the current folder."""
    if path == STANDARD or is_shipped_name(path) or os.path.isabs(path) or not folder:
        return path
    if key == "binding" and not (path.endswith(".lifespec") or "/" in path or os.sep in path):
        return path  # the name of a binding
    mark = "@" if key == "logs" and path.startswith("@") else ""
    has_pattern = key == "logs" and not mark and glob.has_magic(path)
    return mark + os.path.normpath(
        os.path.join(glob.escape(folder) if has_pattern else folder, path.removeprefix(mark))
    )


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str | list | dict) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}..."


def given_or_configured(arguments: Sequence[str], configuration: Configuration) -> tuple[str | None, tuple[str, ...]]:
    """SPEC and LOG... out of what was given and what the file has. Where the file names a spec, a first argument that
    looks like none is a log: only `NAME.lifespec` and `lib:NAME` look like one."""
    first, rest = (arguments[0], tuple(arguments[1:])) if arguments else (None, ())
    if first is not None and configuration.spec is not None and not _looks_like_spec(first):
        first, rest = None, tuple(arguments)
    return first or configuration.spec, rest or configuration.logs


def _looks_like_spec(argument: str) -> bool:
    return argument.endswith(".lifespec") or is_shipped_name(argument)
