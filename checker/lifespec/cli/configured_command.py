"""A command whose options may be set by the environment and by a file: flag > environment > file > what is usual."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import click
from click.core import ParameterSource

from lifespec.cli.configuration import (
    OF_ONE_RUN,
    VARIABLES,
    Configuration,
    find_file,
    key_of,
    read_configuration,
    variable_of,
)
from lifespec.cli.once import Once
from lifespec.diagnostics.excerpt import visible

_KEY = "lifespec.configuration"
_ALSO_FROM_ENVIRONMENT = ("config", "isolated")
_OF_OTHERS = frozenset({"LIFESPEC_COMPILE", "LIFESPEC_MERMAID"})
"""Variables with such a name that the tests of the repository read, and no command."""


class ConfiguredCommand(click.Command):
    """Reads the file before the options, so that each of them is looked for in it."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for option in self.params:
            if isinstance(option, click.Option) and option.envvar is None:
                key = key_of(option)
                if key not in OF_ONE_RUN or key in _ALSO_FROM_ENVIRONMENT:
                    option.envvar = variable_of(key)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        help_option = self.get_help_option(ctx)
        if not (help_option is not None and given.get(help_option.name or "")) and not ctx.resilient_parsing:
            for remark in self._unknown_variables():
                click.echo(f"lifespec: {remark}", err=True)
            configuration = self._configuration(ctx, given)
            ctx.meta[_KEY] = configuration
            ctx.default_map = dict(configuration.values)
        return super().parse_args(ctx, args)

    def _unknown_variables(self) -> Iterator[str]:
        """What is to be said of variables that look like settings, and set none."""
        known = {str(each.envvar): each for each in self.params if isinstance(each, click.Option) and each.envvar}
        options = {variable_of(key_of(each)) for each in self.params if isinstance(each, click.Option)} - {*known}
        for name, value in sorted(os.environ.items()):
            if not name.startswith(VARIABLES) or name in known or name in _OF_OTHERS or not value:
                continue
            if name in options:
                why = f"`--{name.removeprefix(VARIABLES).replace('_', '-').lower()}` is said on the command line only"
            else:
                from lifespec.diagnostics.nearest import find_nearest

                ends = {each.removeprefix(VARIABLES) for each in known}
                near = find_nearest(name.removeprefix(VARIABLES), ends)
                why = "`check` has no such setting" + (f"; did you mean `{VARIABLES}{near}`?" if near else "")
            yield f"{visible(name)} in the environment sets nothing: {why}"

    def _configuration(self, ctx: click.Context, given: dict[str, Any]) -> Configuration:
        """What the file sets that is named or found; nothing with --isolated."""
        file = self._given_file(ctx, given)
        is_isolated = given.get("isolated")
        if file is not None and not file.strip():
            raise click.BadParameter("it is empty; was a variable not set?", ctx, param_hint="'--config'")
        if file is not None and is_isolated:
            raise click.UsageError("--isolated reads no configuration file, and --config names one", ctx)
        if file is None and is_isolated is None:
            file = os.environ.get(variable_of("config")) or None
            is_isolated = self._is_set(ctx, "isolated")
        if file is None and not is_isolated:
            with contextlib.suppress(FileNotFoundError):  # the current folder is gone
                file = find_file(os.getcwd())
        return Configuration() if file is None else read_configuration(file, self)

    def _given_file(self, ctx: click.Context, given: dict[str, Any]) -> str | None:
        """The file that --config names."""
        files = given.get("config")
        option = next(each for each in self.params if each.name == "config")
        return option.only(files, ctx) if isinstance(option, Once) and isinstance(files, list) else files

    def _is_set(self, ctx: click.Context, name: str) -> bool:
        """Whether the environment sets a flag."""
        option = next(each for each in self.params if each.name == name)
        value = option.value_from_envvar(ctx)
        return value is not None and bool(option.type_cast_value(ctx, value))


def configuration_of(ctx: click.Context) -> Configuration:
    """What the file sets for the command that runs."""
    found = ctx.meta.get(_KEY)
    return found if isinstance(found, Configuration) else Configuration()


def source_of(ctx: click.Context, option: click.Option) -> str:
    """Where the value of an option is from, for people: the command line, a variable, a file; "" for the usual one."""
    source = ctx.get_parameter_source(option.name or "")
    if source is ParameterSource.COMMANDLINE:
        return "command line"
    if source is ParameterSource.ENVIRONMENT:
        return str(option.envvar)
    if source is ParameterSource.DEFAULT_MAP:
        return configuration_of(ctx).file or ""
    return ""
