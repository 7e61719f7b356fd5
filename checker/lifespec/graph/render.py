"""Model -> a picture as bytes, and whether a written picture still shows the model. Owns the order of the steps.

    from lifespec.graph import draw, Format
    content = draw(model, Format.SVG, machine="connection")

Files are read and written by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from lifespec.graph import dot, mermaid, svg
from lifespec.graph.build import build_graph
from lifespec.graph.describe import describe
from lifespec.graph.heat import Heat, warmed
from lifespec.graph.layout import TIMEOUT_S, CannotDraw, lay_out
from lifespec.graph.mark import Format, Mark, add_mark, digest, find_mark
from lifespec.graph.picture import Picture, compose
from lifespec.model.model import Model

if TYPE_CHECKING:
    from lifespec.graph.build import Graph


# The time of drawing, which would make every PDF another. Other digits in its place move nothing.
_CREATED = re.compile(rb"(/CreationDate \(D:)\d{14}")


def format_of(path: str | PurePath) -> Format | None:
    """The format that the ending of a file name stands for, None when it stands for none."""
    ending = PurePath(path).suffix.lower().removeprefix(".")
    try:
        return Format(ending)
    except ValueError:
        return None


def draw(model: Model, form: Format, machine: str | None = None, timeout_s: float = TIMEOUT_S) -> bytes:
    """The picture of all machines, or of the one called `machine`; text formats in UTF-8.

    Raises KeyError for a machine that is not declared, CannotDraw when it could not be laid out.
    """
    graphs = select(build_graph(model), machine)
    picture = compose(graphs)
    mark = Mark(digest(dot.render(picture)), machine, model.profile)
    match form:
        case Format.DOT:
            content = dot.render(picture).encode("utf-8")
        case Format.MERMAID:
            content = mermaid.render(mermaid.compose_for_mermaid(graphs)).encode("utf-8")
        case Format.SVG | Format.PNG | Format.PDF:
            content = _laid_out(picture, form, timeout_s)
    return add_mark(content, form, mark)


def draw_with_heat(model: Model, heat: Heat, machine: str, timeout_s: float = TIMEOUT_S) -> str:
    """The SVG of one machine with counts, to stand in a page. It carries no mark: it shows logs, and goes stale with
    them. Raises KeyError for a machine that is not declared, CannotDraw when it could not be laid out."""
    picture = warmed(compose(select(build_graph(model), machine)), heat)
    bare = replace(picture, title="", documentation="", owners={})  # the page has these
    content = lay_out([dot.render(bare), dot.render(bare, packed=False)], Format.SVG, timeout_s)
    return svg.embedded(_finished(content, picture))


def select(graphs: Mapping[str, Graph], machine: str | None) -> Mapping[str, Graph]:
    """All graphs, or the one of `machine`. Raises KeyError when there is none."""
    return graphs if machine is None else {machine: graphs[machine]}


def _laid_out(picture: Picture, form: Format, timeout_s: float) -> bytes:
    content = lay_out([dot.render(picture), dot.render(picture, packed=False)], form, timeout_s)
    if form is Format.PDF:
        return _CREATED.sub(rb"\g<1>19700101000000", content)
    return _finished(content, picture) if form is Format.SVG else content


def _finished(content: bytes, picture: Picture) -> bytes:
    """The SVG of Graphviz with the words of the picture. Raises CannotDraw."""
    words = describe(picture)
    finished = svg.finish(content, words.title, words.description)
    if finished is None:
        raise CannotDraw("Graphviz did not answer with an SVG that can be read")
    return finished


class Freshness(StrEnum):
    FRESH = "fresh"
    STALE = "stale"
    UNMARKED = "unmarked"  # not written by lifespec, or stripped of its mark


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """What became of a written picture. `why` is a fragment of a sentence, empty when it is fresh."""

    freshness: Freshness
    why: str = ""


def check_picture(content: bytes, form: Format, model: Model, machine: str | None = None) -> PictureCheck:
    """Whether `content`, a picture written earlier, still shows `model`.

    Without `machine` the picture says itself which machine it shows. DOT and Mermaid are compared as a whole
    (whatever the ends of their lines), the others by the digest of their DOT, whatever Graphviz drew them.
    """
    mark = find_mark(content, form)
    if mark is None:
        return PictureCheck(Freshness.UNMARKED, "it carries no mark of the lifecycle that it was drawn from")
    if machine is not None and mark.machine != machine:
        shown = f"machine `{mark.machine}`" if mark.machine is not None else "all machines"
        return PictureCheck(Freshness.STALE, f"it shows {shown}, not machine `{machine}`")
    if mark.machine is not None and mark.machine not in model.machines:
        return PictureCheck(Freshness.STALE, f"it shows machine `{mark.machine}`, which is no longer declared")
    if mark.profile != model.profile:
        drawn, chosen = (f"profile `{p}`" if p is not None else "no profile" for p in (mark.profile, model.profile))
        return PictureCheck(Freshness.STALE, f"it was drawn with {drawn}, and the model is read with {chosen}")
    if form in (Format.DOT, Format.MERMAID):
        same = draw(model, form, mark.machine) == content.replace(b"\r\n", b"\n")
    else:
        same = digest(dot.render(compose(select(build_graph(model), mark.machine)))) == mark.digest
    return PictureCheck(Freshness.FRESH) if same else PictureCheck(Freshness.STALE, "the lifecycle has changed since")
