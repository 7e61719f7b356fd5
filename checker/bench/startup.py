"""The figure of start-up: a whole `lifespec lint` against an import of the parser's library."""

from __future__ import annotations

import sys

from figure import Figure
from lifecycle_path import AVATAR
from process import alternate, best_outside
from setting import Setting

_ROUNDS = 5


def start_up(setting: Setting) -> list[Figure]:
    commands: dict[str, list[str]] = {
        "import lark": [sys.executable, "-c", "import lark"],
        "lint": [sys.executable, "-m", "lifespec", "lint", str(AVATAR)],
    }
    alternate(commands, 1)  # files are read and compiled once before it counts
    took = alternate(commands, max(setting.rounds, _ROUNDS))
    seconds = {name: best_outside(runs, setting.clock) for name, runs in took.items()}
    return [
        Figure(
            "start-up",
            "`lifespec lint avatar.lifespec` from a cold process against `python -c 'import lark'`",
            seconds["lint"] / seconds["import lark"],
            2.5,
            is_least=False,
            parts={f"ms, {name}": round(each * 1000) for name, each in seconds.items()},
        )
    ]
