"""A Model as graphs, pictures and exports. Everything here reads only the graphs of `build_graph`."""

from lifespec.graph.build import build_graph
from lifespec.graph.export import ExportFormat, export
from lifespec.graph.heat import Heat
from lifespec.graph.layout import CannotDraw
from lifespec.graph.mark import Format
from lifespec.graph.render import Freshness, PictureCheck, check_picture, draw, draw_with_heat, format_of

__all__ = [
    "CannotDraw",
    "ExportFormat",
    "Format",
    "Freshness",
    "Heat",
    "PictureCheck",
    "build_graph",
    "check_picture",
    "draw",
    "draw_with_heat",
    "export",
    "format_of",
]
