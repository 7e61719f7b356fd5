"""What was left out, for people at a terminal. Owns layout only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import wrapped
from lifespec.explain_words import listed, quoted, shortened, times
from lifespec.reports.filtered import BaselineUse, Filtered, Kind, KnownKind, SessionChoice

_SHOWN = 12  # kinds of one sort
_LABELS = 13


def filtered_part(filtered: Filtered, palette: Palette, width: int) -> str:
    """The part of the summary about filters, without a final line end."""
    lines: list[str] = []
    if filtered.sessions is not None:
        lines += _labelled("sessions", [_sessionkind_words(filtered.sessions)], width)
    if filtered.baseline is not None:
        lines += _baseline(filtered.baseline, width)
    lines += _labelled("ignored", _counted(filtered.ignored), width)
    lines += _labelled("not selected", _counted(filtered.not_selected), width)
    changed = [f"{count:,} {_kind((name, prop))} as {to}" for (name, prop, to), count in filtered.severities.items()]
    lines += _labelled("severity", _few(changed), width)
    if filtered.left_out:
        lines += _labelled("outcomes", ["those above count every finding, also what is left out"], width)
    return "\n".join([palette.paint("strong", "Filters"), *lines])


def _sessionkind_words(choice: SessionChoice) -> str:
    asked = [f"with the id {listed(choice.ids, last='or')}"] if choice.ids else []
    asked += [f"for which {quoted(choice.where)}"] if choice.where is not None else []
    of = times(choice.chosen + choice.left_out, "session")
    unset = f" ({choice.without_value:,} without a value)" if choice.without_value else ""
    return f"{choice.chosen:,} of {of} judged, those {' and '.join(asked)}; {choice.left_out:,} left out{unset}"


def _baseline(use: BaselineUse, width: int) -> list[str]:
    file = visible(use.file)
    kinds = f" of {times(use.kinds, 'kind')}" if use.known else ""
    lines = _labelled("known", [f"{use.known:,}{kinds}, by {file}"], width)
    more = [
        f"{each.found - each.known:,} {kind_words(each)}: {each.known:,} known, {each.found:,} found"
        for each in use.more
    ]
    lines += _labelled("more", _few(more), width)
    expired = [f"{each.found:,} {kind_words(each)}: known up to {each.expires}{_owner(each)}" for each in use.expired]
    if expired:
        clock = "as was said with --today" if use.is_today_given else "by the clock, in UTC"
        lines += _labelled("expired", [*_few(expired), f"today is {use.today}, {clock}"], width)
    unused = [
        f"{each.known - each.found:,} {kind_words(each)}: {each.known:,} known, {each.found:,} found"
        for each in use.unused
    ]
    if unused:
        lines += _labelled("unused", [*_few(unused), f"write {file} anew: --write-baseline {file}"], width)
    return lines


def kind_words(entry: KnownKind) -> str:
    """What the findings of an entry say of the lifecycle."""
    what = _kind((entry.name, entry.property))
    parts = [quoted(entry.event)] if entry.event else []
    parts += [f"in {quoted(' or '.join(entry.states))}"] if entry.states else []
    parts += [f"field {quoted(entry.field)}"] if entry.field else []
    return f"{what} ({', '.join(parts)})" if parts else what


def _owner(entry: KnownKind) -> str:
    return f", {shortened(entry.owner)}" if entry.owner else ""


def _kind(kind: Kind) -> str:
    name, prop = kind
    return f"{name} of {prop}" if prop else name


def _counted(counts: Mapping[Kind, int]) -> list[str]:
    return _few([f"{count:,} {_kind(kind)}" for kind, count in counts.items()])


def _few(texts: Sequence[str]) -> list[str]:
    return [*texts[:_SHOWN], f"and {len(texts) - _SHOWN:,} more"] if len(texts) > _SHOWN else list(texts)


def _labelled(label: str, texts: Iterable[str], width: int) -> list[str]:
    """Texts below each other, the first behind its label."""
    pieces = [piece for text in texts for piece in wrapped(visible(text), max(20, width - _LABELS - 2), "  ")]
    return [f"  {'' if number else label:<{_LABELS - 1}} {piece}" for number, piece in enumerate(pieces)]
