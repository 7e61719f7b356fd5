"""The types of texts and numbers on the command line. Owns what is said of one that cannot be."""

from __future__ import annotations

from typing import Any

import click


class SomeText(click.types.StringParamType):
    """A text that is not empty: an empty one is a variable that was not set, never a wish."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = super().convert(value, param, ctx)
        if isinstance(text, str) and not text.strip():
            self.fail("it is empty; was a variable not set?", param, ctx)
        return text


class WholeNumber(click.IntRange):
    """A whole number within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not {range_words(self)}", param, ctx)


class Number(click.FloatRange):
    """A number within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = None
        if number is None or number != number:  # not a number is within no limits
            self.fail(f"{value!r} is not {range_words(self)}", param, ctx)
        return number


def range_words(kind: click.IntRange | click.FloatRange) -> str:
    """What is allowed: `a whole number, at least 1`."""
    limits = [f"at least {kind.min}"] if kind.min is not None else []
    limits += [f"at most {kind.max}"] if kind.max is not None else []
    wanted = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    return f"{wanted}, {' and '.join(limits)}" if limits else wanted


def with_words(kind: click.ParamType) -> click.ParamType:  # type: ignore[type-arg]  # older ones take none
    """The type that says the same of what it refuses, in words for people."""
    if kind is click.STRING:
        return SomeText()
    if type(kind) is click.IntRange:
        return WholeNumber(kind.min, kind.max)
    if type(kind) is click.FloatRange:
        return Number(kind.min, kind.max)
    return kind
