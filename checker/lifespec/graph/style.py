"""The looks of a picture, in one place: colours, fonts, words of the legend. Knows no graph library.

Colours have six digits (older Graphviz takes no shorter ones) and stay apart for colour-blind readers
(Okabe and Ito, then Tol's muted set). Nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable

# Dark enough to be seen as a thin line on white, in the order in which owners are declared.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#AA4499",
    "#B8860B",
    "#332288",
    "#56B4E9",
    "#882255",
    "#117733",
    "#999933",
)
NOBODY = "#4D4D4D"  # a transition that no owner was given to
INK = "#1A1A1A"
QUIET = "#555555"
PAPER = "#FFFFFF"
STATE_FILL, STATE_LINE = "#FFFFFF", "#3C4650"
FAILURE_FILL, FAILURE_LINE = "#FBE5E1", "#A3150C"
MACHINE_FILL, MACHINE_LINE = "#F5F7F9", "#9AA5B1"
GROUP_FILL, GROUP_LINE = "#E6ECF2", "#6B7A89"

FONT = "Arial"  # its widths are known to every Graphviz, whatever is installed
NAME_SIZE, DETAIL_SIZE, TITLE_SIZE, MACHINE_SIZE = 12, 10, 18, 14  # points
WRAP = 34  # characters of a line inside a state
TRIGGER_WRAP, ARROW_WRAP = 24, 28  # the same at an arrow
DOC_WRAP = 64  # characters of a line of documentation under a machine's name


def owner_colours(owners: Iterable[str]) -> dict[str, str]:
    """A colour for each owner. With more owners than colours they repeat: the labels tell them apart."""
    return {owner: PALETTE[position % len(PALETTE)] for position, owner in enumerate(owners)}
