"""A comparison for people at a terminal: what is worse first. Owns layout only; good at 80 columns, without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifespec.diagnostics.excerpt import visible, width_of
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import WIDTH, render_diagnostic, wrapped
from lifespec.explain_words import joined, times
from lifespec.stats.compare import ALIKE, BETTER, CHANGED, FINDING, POWER, SAME, TOO_FEW, WORSE, Row
from lifespec.stats.interval import detectable
from lifespec.stats.ranking import finding_words, segment_words
from lifespec.stats.release import BASE, HEAD, Compared
from lifespec.stats.text import cut_left
from lifespec.stats.words import NOT_TOLD, percent, quantile_name, value_words

_TITLE = 34
_MOST_NAMED = 8
_SHARES = (0.01, 0.1)  # of which is said what would be seen
_PAINTS = {WORSE: "error", BETTER: "good", CHANGED: "warning"}


def render(compared: Compared, *, palette: Palette | None = None, width: int = WIDTH) -> str:
    """The whole answer, ended by a line end."""
    palette = palette or Palette()
    parts = [_subject(compared, palette, width)]
    problems = [(side, each) for side in (compared.base, compared.head) for each in side.problems]
    if not problems:
        rows = compared.comparison.rows
        rest = [row for row in rows if not row.segment or row.is_stratified or row.kind != FINDING]
        parts += [_remarks(compared, palette, width)]
        parts += [_table(compared, change, rows, palette) for change in (WORSE, BETTER, CHANGED)]
        parts += [_unproven(rest, palette, width), _rest(compared, rest, palette, width)]
    parts += [render_diagnostic(each, side.sources, palette, width) for side, each in problems]
    parts.append(_conclusion(compared, palette, width, is_read=not problems))
    return "\n\n".join(part for part in parts if part) + "\n"


def _subject(compared: Compared, palette: Palette, width: int) -> str:
    """Both sides, beside each other."""
    base, head = compared.base, compared.head
    room = (width - 13) // 2
    lines = [palette.paint("strong", visible(base.lifecycle or head.lifecycle))]
    lines.append(palette.paint("quiet", f"  {'':<10}{BASE:<{room}}{HEAD}"))
    for title, values in (
        ("spec", [", ".join(side.specs) for side in (base, head)]),
        ("digest", [f"sha256:{side.digest[:16]}" if side.digest else NOT_TOLD for side in (base, head)]),
        ("profile", [side.profile or NOT_TOLD for side in (base, head)]),
        ("binding", [side.binding for side in (base, head)]),
        ("logs", [_logs(side.log_names) for side in (base, head)]),
        ("sessions", [f"{side.tally.overall.sessions:,}" for side in (base, head)]),
    ):
        if values != [NOT_TOLD, NOT_TOLD]:
            lines.append(f"  {title:<10}{cut_left(values[0], room - 2):<{room}}{cut_left(values[1], room - 2)}")
    if base.digest and head.digest and base.digest != head.digest:
        lines.append(f"  {'':<10}the two texts are not the same: what they find is counted by its name")
    return "\n".join(lines)


def _logs(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else times(len(names), "log")


def _remarks(compared: Compared, palette: Palette, width: int) -> str:
    """What could not be compared, and what to look at first."""
    words = [f"not compared: {what}, for {why}" for what, why in compared.unlike]
    words += [
        f"no session of the {each.side} has `{each.event}`, which begins or ends what `{each.machine}` does: see first "
        "whether it is still logged"
        for each in compared.not_logged
    ]
    for side, statistics in ((BASE, compared.base), (HEAD, compared.head)):
        if statistics.tally.strays:
            shown = [f"{count:,} {name}" for (name, _), count in sorted(statistics.tally.strays.items())]
            words.append(f"in the {side} outside of any session, so not compared: {joined(shown)}")
    lines = [line for each in words for line in wrapped(each, width - 2, "  ")]
    return "\n".join([palette.paint("warning", "To be noted"), *(f"  {line}" for line in lines)]) if lines else ""


# --- what is named -----------------------------------------------------------------------------------------


def row_words(row: Row) -> str:
    """What was compared."""
    if row.kind == FINDING:
        return finding_words((row.name, row.part))
    assert row.quantile is not None
    return f"{row.kind} {row.name}, {quantile_name(row.quantile)}"


def _table(compared: Compared, change: str, rows: Sequence[Row], palette: Palette) -> str:
    named = sorted((row for row in rows if row.change == change), key=_place)
    if not named:
        return ""
    title = change[0].upper() + change[1:]
    head = f"{title:<{_TITLE}}{BASE:>8}{HEAD:>8}{'difference':>12}  {'95 % limits'}"
    lines = [palette.paint(_PAINTS[change], head)]
    segment: tuple[str, ...] = ()
    for row in named:
        if row.segment != segment:
            segment = row.segment
            lines.append(f"  {_all(compared) if row.is_stratified else segment_words(compared.base, segment)}")
        lines += _lines(row)
    return "\n".join(lines)


def _place(row: Row) -> tuple[bool, tuple[str, ...], float]:
    """All segments together first, and of a segment the least probable."""
    return not row.is_stratified, row.segment, row.p or 0.0


def _all(compared: Compared) -> str:
    """All segments together, in words."""
    return visible(f"(all, by {', '.join((*compared.base.by, *compared.base.by_current))})")


def _lines(row: Row) -> list[str]:
    unit = row.unit
    base, head = (value_words(side.value, unit) for side in (row.base, row.head))
    gap = value_words(row.difference, unit, sign=True)
    limits = NOT_TOLD
    if row.low is not None and row.high is not None:
        limits = f"{value_words(row.low, unit, sign=True)} to {value_words(row.high, unit, sign=True)}"
        limits = limits.replace(" % to", " to")
    cells = f"{base:>8}{head:>8}{gap:>12}  {limits}"
    title = visible(row_words(row))
    lines = (
        [f"  {title:<{_TITLE - 2}}{cells}"] if width_of(title) <= _TITLE - 3 else [f"  {title}", " " * _TITLE + cells]
    )
    p = "below 0.0001" if row.p is not None and row.p < 0.0001 else f"{row.p:.2g}"
    how = f"{row.base.found} of {row.base.sessions:,}, {row.head.found} of {row.head.sessions:,}; corrected p {p}"
    if row.kind != FINDING:
        how = f"{row.base.sessions:,} and {row.head.sessions:,} sessions; corrected p {p}"
    new = "; it was not there before" if row.is_new else "; it is gone" if row.is_gone else ""
    return [*lines, f"    {how}{new}"]


# --- the rest ----------------------------------------------------------------------------------------------


def _unproven(rows: Sequence[Row], palette: Palette, width: int) -> str:
    """Findings that only one side has, and that chance alone explains well enough."""
    lines: list[str] = []
    for title, chosen in (
        ("in the head only", [row for row in rows if row.is_new and row.change in (SAME, ALIKE, TOO_FEW)]),
        ("in the base only", [row for row in rows if row.is_gone and row.change in (SAME, ALIKE, TOO_FEW)]),
    ):
        words = []
        for row in chosen:
            side = row.head if row.is_new else row.base
            words.append(f"{visible(row_words(row))} {side.found} of {side.sessions:,}")
        if words:
            text = f"{title}: {joined(words, most=_MOST_NAMED)}"
            lines += [f"  {line}" for line in wrapped(text, width - 2, "  ")]
    return "\n".join([palette.paint("strong", "Seen on one side, and too rare to say more"), *lines]) if lines else ""


def _rest(compared: Compared, rows: Sequence[Row], palette: Palette, width: int) -> str:
    found = compared.comparison
    lines: list[str] = []
    same = _names(row for row in rows if row.change == SAME and not row.is_new and not row.is_gone)
    if same:
        lines += wrapped(f"no difference seen: {joined(same, most=_MOST_NAMED)}", width - 2, "  ")
    alike = _names(row for row in rows if row.change == ALIKE and not row.is_new and not row.is_gone)
    alike = [name for name in alike if name not in same]  # of another quantile
    if alike:
        text = (
            f"not tested, for nearly all sessions of both sides are the same in it: {joined(alike, most=_MOST_NAMED)}"
        )
        lines += wrapped(text, width - 2, "  ")
    few = _names(row for row in rows if row.change == TOO_FEW and not row.is_new and not row.is_gone)
    if few:
        lines += wrapped(f"not tested, for too few sessions have it: {joined(few, most=_MOST_NAMED)}", width - 2, "  ")
    if found.too_small:
        small = [
            f"{segment_words(compared.base, name) or 'all sessions'} ({base:,} and {head:,})"
            for name, base, head in found.too_small
        ]
        text = f"fewer than {found.min_sessions} sessions on a side, so not compared: {joined(small, most=_MOST_NAMED)}"
        lines += wrapped(text, width - 2, "  ")
    return "\n".join([palette.paint("strong", "The rest"), *(f"  {line}" for line in lines)]) if lines else ""


def _names(rows: Iterable[Row]) -> list[str]:
    """What the rows compared, each quantile of a measure with the others."""
    found: dict[str, None] = {}
    for row in rows:
        found[visible(finding_words((row.name, row.part)) if row.kind == FINDING else f"{row.kind} {row.name}")] = None
    return list(found)


def _conclusion(compared: Compared, palette: Palette, width: int, *, is_read: bool) -> str:
    found = compared.comparison
    if not is_read:
        return palette.paint("error", "could not compare")
    why_not = why_nothing(compared)
    if why_not is not None:
        first, *more = wrapped(f"could not compare: {why_not}", width, "  ")
        return "\n".join([palette.paint("error", first[:17]) + first[17:], *more])
    counts = {change: sum(row.change == change for row in found.rows) for change in (WORSE, BETTER, CHANGED)}
    said = [palette.paint(_PAINTS[change], f"{count:,} {change}") for change, count in counts.items() if count]
    lines = [f"{', '.join(said) or 'nothing named'}; {times(found.tested, 'comparison')} tested for being worse"]
    if not found.tested and found.clean:
        clean = f"{times(found.clean, 'property', 'properties')} judged on both sides, and without a finding on either"
        lines += wrapped(clean, width, "")
    base, head = found.precision
    if found.is_done:
        seen = [
            f"from {percent(share)} to {percent(least)}"
            for share in (_SHARES if found.tested else (0, *_SHARES))
            if (least := detectable(share, base, head, compared.level / max(found.tested, 1), POWER)) is not None
        ]
        if seen:
            where = f", {_all(compared)}" if any(row.segment for row in found.rows) else ""
            said_of = (
                f"what would be named in 80 of 100 such comparisons{where}: a finding that goes {joined(seen, 'or')}"
            )
            together = f"{said_of} of sessions".replace(" %", "\u00a0%")
            lines += [line.replace("\u00a0", " ") for line in wrapped(together, width, "")]
    return "\n".join(lines)


def why_nothing(compared: Compared) -> str | None:
    """Why that nothing is named says nothing, and what to do; None when it does say something."""
    found = compared.comparison
    if found.is_done:
        return None
    if not found.has_sessions:
        base, head = (side.tally.overall.sessions for side in (compared.base, compared.head))
        return (
            f"nowhere have both sides {found.min_sessions:,} sessions (of all there are {base:,} and {head:,}); give "
            "more logs, or set --min-sessions lower"
        )
    base, head = found.precision
    if not found.could_tell:
        return (
            f"nothing was tested, for {base:,} and {head:,} sessions are too few to name anything worse at --level "
            f"{compared.level:g}, whatever is in them; give more logs"
        )
    return (
        "nothing was tested: no property was judged on both sides, and no measure has values on both; `lifespec stats` "
        "of each side says what was never judged"
    )
