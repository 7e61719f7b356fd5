"""How long the HTML report takes to open in a browser, against an empty page of as many bytes, in one run.

    pip install -e '.[browser]'
    python checker/bench/page_opening.py
    python checker/bench/page_opening.py --sessions 100 --records 50 --rounds 9 --keep FOLDER

The log has avatar sessions of which each breaks something: one record in it has been lost, or says another event. The
page shows all of them as examples. Both pages are opened in turn in a Chromium without a window, each time in a new
tab without a cache; the medians are printed. A page counts as open when it is loaded, painted, and the main thread has
nothing more to do. Needs the extra `browser`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from avatar_session import SECOND, Plan, plan_stay
from generate_avatar import EPOCH
from lifecycle_path import AVATAR

from lifespec.check import Log, Options, check_files
from lifespec.check_input import load_to_check
from lifespec.check_page import view_of
from lifespec.check_timelines import read_timelines
from lifespec.model.model import Model
from lifespec.reports.html import render
from lifespec.reports.setting import Setting

_MOST_FINDINGS = 100_000
_EVENT = re.compile(r'"event":"([^"]*)"')
_IDLE = """() => new Promise((done) => {
  const end = () => requestAnimationFrame(() => requestIdleCallback(() => done({
    idle: performance.now(),
    load: performance.getEntriesByType("navigation")[0].loadEventEnd,
    paint: (performance.getEntriesByName("first-contentful-paint")[0] || { startTime: 0 }).startTime,
    elements: document.getElementsByTagName("*").length,
  })));
  if (document.readyState === "complete") end(); else addEventListener("load", () => setTimeout(end));
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=500, metavar="N")
    parser.add_argument("--records", type=int, default=200, metavar="N", help="of each session")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the log and the pages are left")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "sessions.jsonl"
        write_log(log, arguments.sessions * 5 // 4, arguments.records, arguments.seed)  # not every change is a fault
        report, empty = folder / "report.html", folder / "empty.html"
        written = write_page(report, log, arguments.sessions)
        write_empty(empty, report.stat().st_size)
        print(json.dumps(written))
        opened = measure({"report": report, "empty": empty}, arguments.rounds)
    for name, values in opened.items():
        print(json.dumps({"page": name, **values}))
    print(f"opening: {opened['report']['idle_ms'] / opened['empty']['idle_ms']:.1f} times the empty page of equal size")


def write_log(path: Path, sessions: int, records: int, seed: int) -> None:
    """One session after the other, each with its fault."""
    random = Random(seed)
    with open(path, "w", encoding="ascii", newline="\n") as stream:
        for number in range(sessions):
            plan = plan_stay(random, number * 5 * SECOND, number, records)
            stream.writelines(_faulty(random, plan))


def _faulty(random: Random, plan: Plan) -> list[str]:
    lines = []
    for time, rest in plan.records:
        end = f"{EPOCH + (time + 7200 * SECOND) / SECOND:.3f}"
        lines.append(f'{{"time":{EPOCH + time / SECOND:.6f},"session":"{plan.name}",{rest}'.replace('"\0"', end))
    names = sorted({found[1] for each in lines if (found := _EVENT.search(each))})
    place = random.randrange(1, len(lines) - 1)
    if random.random() < 0.3:
        del lines[place]
    else:
        lines[place] = _EVENT.sub(f'"event":"{random.choice(names)}"', lines[place])
    return lines


def write_page(path: Path, log: Path, most: int) -> dict[str, Any]:
    """The page of a log with the timelines of so many sessions with findings; what it took."""
    options = Options(examples=_MOST_FINDINGS)
    logs = [Log(str(log))]
    report = check_files(AVATAR, logs, options=options)
    loaded = load_to_check(AVATAR, None, None)
    assert isinstance(loaded[0], Model)
    model, binding, _ = loaded
    sessions = list(dict.fromkeys((str(log), finding.violation.session) for finding in report.findings))[:most]
    began = perf_counter()
    timelines = read_timelines(model, report, logs, sessions, binding=binding, options=options)
    gathered = perf_counter()
    text = render(
        report,
        Setting(status=report.status()),
        timelines.timelines,
        missing=timelines.missing,
        lifecycle=view_of(model, report),
    )
    rendered = perf_counter()
    path.write_text(text, encoding="utf-8")
    records = sum(each.records for each in timelines.timelines)
    return {
        "sessions": len(timelines.timelines),
        "records": records,
        "causes": sum(len(group.kinds) for group in report.groups),
        "log_bytes": log.stat().st_size,
        "page_bytes": path.stat().st_size,
        "gather_us_per_record": round((gathered - began) / records * 1e6, 1),
        "render_us_per_record": round((rendered - gathered) / records * 1e6, 1),
    }


def write_empty(path: Path, size: int) -> None:
    """A page that says nothing in as many bytes, which stand where those of the report do: in a block of data."""
    before = '<!doctype html><html lang="en"><meta charset="utf-8"><title>empty</title><p>empty</p>'
    before += '<script type="application/json">'
    after = "</script></html>"
    path.write_text(before + "0" * (size - len(before) - len(after)) + after, encoding="ascii")


def measure(pages: dict[str, Path], rounds: int) -> dict[str, dict[str, float]]:
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in pages}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(rounds + 1):
            for name, path in pages.items():
                seen[name].append(_opened(browser, path))
        browser.close()
    return {
        name: {key: round(median(each[key] for each in all_[1:]), 1) for key in all_[0]} for name, all_ in seen.items()
    }


def _opened(browser: Any, path: Path) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(path.as_uri(), wait_until="commit")
    found = page.evaluate(_IDLE)
    counted = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    context.close()
    return {
        "load_ms": found["load"],
        "first_paint_ms": found["paint"],
        "idle_ms": found["idle"],
        "main_thread_ms": counted["TaskDuration"] * 1000,
        "script_ms": counted["ScriptDuration"] * 1000,
        "style_layout_ms": (counted["RecalcStyleDuration"] + counted["LayoutDuration"]) * 1000,
        "elements": found["elements"],
    }


if __name__ == "__main__":
    main()
