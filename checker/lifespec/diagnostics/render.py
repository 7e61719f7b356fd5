"""A Diagnostic as text, in the form of the manual. Owns layout; the words are the diagnostic's.

error[unknown-state]: machine `connection` has no state `opn`
  --> socket.lifespec:9:29
   |
 9 |   connecting -> opn         on opened
   |                 ^^^ not one of its states
   = help: did you mean `open`?
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from lifespec.diagnostics.diagnostic import Diagnostic, Label, Severity
from lifespec.diagnostics.excerpt import Excerpt, cut, visible
from lifespec.diagnostics.names import severity_of
from lifespec.diagnostics.palette import Palette
from lifespec.source import Source

WIDTH = 80


def severity_shown(diagnostic: Diagnostic) -> Severity:
    """The severity the diagnostic says, else the usual one of its name."""
    return diagnostic.severity or severity_of(diagnostic.name)


def render_diagnostic(
    diagnostic: Diagnostic, sources: Mapping[str, Source], palette: Palette | None = None, width: int = WIDTH
) -> str:
    """The diagnostic with the lines it points at, as several lines without a final line end."""
    palette = palette or Palette()
    lines = headline(severity_shown(diagnostic), diagnostic.name, diagnostic.message, palette, width)
    labels = [] if diagnostic.label is None else [diagnostic.label, *diagnostic.labels]
    shown = [label for label in labels if label.span.file in sources]
    gutter = gutter_for(sources[label.span.file].place(label.span.start)[0] for label in shown)
    if diagnostic.label is not None:
        part = severity_shown(diagnostic).value
        lines += _snippets(shown, diagnostic.label, part, sources, gutter, palette, width)
    for kind, texts in (("note", diagnostic.notes), ("help", diagnostic.help)):
        for text in texts:
            lines += attached(kind, text, gutter, palette, width)
    return "\n".join(lines)


def render_concise(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> str:
    """The diagnostic as one line: `FILE:LINE:COLUMN: NAME message`; `lifespec:` where there is no text to point at.
    Of the help only what was perhaps meant is said."""
    message = visible(in_one_line(diagnostic))
    if diagnostic.label is None:
        return f"lifespec: {diagnostic.name} {message}"
    span = diagnostic.label.span
    source = sources.get(span.file)
    place = f":{':'.join(map(str, source.place(span.start)))}" if source else ""
    return f"{visible(span.file)}{place}: {diagnostic.name} {message}"


def in_one_line(diagnostic: Diagnostic) -> str:
    """The message, with what was perhaps meant."""
    meant = next((each for each in diagnostic.help if each.startswith("did you mean")), None)
    return diagnostic.message if meant is None else f"{diagnostic.message}; {meant}"


def headline(severity: Severity, name: str, message: str, palette: Palette, width: int) -> list[str]:
    """`error[name]: message`, continued with an indent where it is longer than the width."""
    title = f"{severity.value}[{name}]"
    first, *rest = wrapped(f"{title}: {visible(message)}", width, "    ")
    if not first.startswith(title):  # hardly any room: no colour
        return [first, *rest]
    lines = [palette.severity(severity, title) + palette.paint("strong", first[len(title) :])]
    return [*lines, *(palette.paint("strong", line) for line in rest)]


def wrapped(text: str, width: int, indent: str, narrowest: int = 30) -> list[str]:
    """The text in lines of at most `width`, the later ones indented; words are never parted."""
    return textwrap.wrap(
        text, max(width, narrowest), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [""]


def gutter_for(numbers: Iterable[int]) -> int:
    """The width of the column of line numbers."""
    return max(2, *(len(str(number)) for number in numbers), 2)


def arrow(place: str, palette: Palette) -> str:
    return f"  {palette.paint('frame', '-->')} {visible(place)}"


def bar(gutter: int, palette: Palette) -> str:
    return palette.paint("frame", " " * gutter + " |")


def excerpt_lines(excerpt: Excerpt, number: int, gutter: int, part: str, palette: Palette) -> list[str]:
    """The line with its number, and the marks below it when there are any."""
    lines = [f"{palette.paint('frame', f'{number:>{gutter}} |')} {excerpt.text}".rstrip()]
    if excerpt.marks:
        marks = palette.paint(part, excerpt.before + excerpt.marks + excerpt.after)
        lines.append(f"{bar(gutter, palette)} {excerpt.indent}{marks}")
    if excerpt.below:
        lines.append(f"{bar(gutter, palette)} {palette.paint(part, excerpt.below)}")
    return lines


def attached(kind: str, text: str, gutter: int, palette: Palette, width: int) -> list[str]:
    """`= kind: text` under an excerpt, continued under its own beginning where it is longer than the width."""
    lead = f"{' ' * gutter} = "
    head = f"{lead}{kind}: "
    body = wrapped(visible(text), width - len(head), "")
    first = f"{' ' * gutter} {palette.paint('frame', '=')} {palette.paint('strong', kind)}: {body[0]}".rstrip()
    return [first, *(" " * len(head) + line for line in body[1:])]


def _snippets(
    labels: Sequence[Label],
    primary: Label,
    primary_part: str,
    sources: Mapping[str, Source],
    gutter: int,
    palette: Palette,
    width: int,
) -> list[str]:
    """The lines that the labels point at, those of the primary label's file first, each line once."""
    if not labels or labels[0] is not primary:  # its text is not at hand
        return [arrow(primary.span.file, palette)]
    lines: list[str] = []
    files = list(dict.fromkeys(label.span.file for label in labels))
    for file in files:
        source = sources[file]
        here = sorted((label for label in labels if label.span.file == file), key=lambda item: item.span.start)
        line, column = source.place((primary if file == primary.span.file else here[0]).span.start)
        lines += [arrow(f"{file}:{line}:{column}", palette), bar(gutter, palette)]
        previous = 0
        for label in here:
            number, column = source.place(label.span.start)
            if previous and number > previous + 1:
                lines.append(palette.paint("frame", " " * (gutter - 1) + "..."))
            text = source.line(number)
            length = max(0, label.span.end - label.span.start)
            part, mark = (primary_part, "^") if label is primary else ("frame", "-")
            excerpt = cut(text, column - 1, column - 1 + length, label.text, width - gutter - 3, mark)
            shown = excerpt_lines(excerpt, number, gutter, part, palette)
            lines += shown[1:] if number == previous else shown
            previous = number
    return lines
