"""Options that name one thing: given twice with two values they are refused, where click would take the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


class Once(click.Option):
    """An option with one value. For settings such as --format or --color the last one counts, as people expect of a
    command with usual settings; of two sessions or files the first would be passed over without a word."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        given = opts.get(self.name or "")
        if isinstance(given, list):
            opts = {**opts, self.name or "": self.only(given, ctx)}
        return super().consume_value(ctx, opts)

    def only(self, given: list[Any], ctx: click.Context) -> Any:
        """The one value that was given. Raises UsageError when there are others."""
        values = list(dict.fromkeys(map(str, given)))
        if len(values) > 1:
            name = max(self.opts, key=len)
            has_commas = str(self.metavar or "").endswith(",...")
            help_ = f"; with commas between it takes several: {name} {','.join(values)}" if has_commas else ""
            raise click.UsageError(f"`{name}` takes one value, and is given {' and '.join(values)}{help_}", ctx)
        return given[0]
