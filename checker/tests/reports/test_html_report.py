"""The HTML report: one page that loads nothing, in which nothing from a log is markup."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lifespec.check import Log, Options, check_files
from lifespec.check_page import heat_of, page_of
from lifespec.load import load
from lifespec.reports.html import render
from lifespec.reports.html_finding import MOST_EXAMPLES, groups_of
from lifespec.reports.html_timeline import island
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting

AVATAR = Path(__file__).parents[3] / "spec" / "lifecycles" / "avatar"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028{{7*7}}\u202e\x07"

SPEC = """lifecycle <door>
machine door per room {
  initial shut
  state   open  within 10s
  final   gone
  shut -> open  on opens
  open -> shut  on shuts
  open -> gone  on removed
}
""".replace("<door>", "door")


class _Page(HTMLParser):
    """What is in a page: its elements with their attributes, its text, and the texts of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.text = ""
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = tag

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            self.scripts.append((self.elements[-1][1], data))
        elif self._in == "style":
            self.styles.append(data)
        else:
            self.text += data


def page_for(spec: Path, *logs: Path, **options: object) -> str:
    named, chosen = [Log(str(log)) for log in logs], Options(examples=50, **options)  # type: ignore[arg-type]
    report = check_files(spec, named, options=chosen)
    return page_of(report, spec, named, Setting(status=report.status()), options=chosen)


@pytest.fixture(scope="module")
def sample() -> str:
    return page_for(AVATAR / "avatar.lifespec", AVATAR / "samples" / "orphaned-queue.jsonl")


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page about a log that tries to be markup, wherever a log can."""
    folder = tmp_path_factory.mktemp("evil")
    spec, log = folder / "door.lifespec", folder / "<b>log.jsonl"
    spec.write_text(SPEC, encoding="utf-8")
    records = [
        {"time": 0, "session": EVIL, "event": "opens", "room": EVIL, "owner": EVIL},
        {"time": 1, "session": EVIL, "event": EVIL, "room": EVIL},
        {"time": 2, "session": EVIL, "event": "opens", "room": EVIL, "from": EVIL, "to": EVIL, EVIL: EVIL},
        {"time": 90, "session": EVIL, "event": "shuts", "room": EVIL},
    ]
    log.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return page_for(spec, log)


# --- it needs nothing else -----------------------------------------------------------------------------


def test_a_page_loads_nothing(sample: str) -> None:
    page = _Page(sample)
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "srcset", "action", "xlink:href", "style"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\((?!#)|@import", "".join(page.styles))


def test_only_the_style_and_the_script_of_the_page_are_allowed(sample: str) -> None:
    page = _Page(sample)
    policy = next(a["content"] or "" for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    code = [text for attributes, text in page.scripts if attributes.get("type") != "application/json"]
    for text in (*code, *page.styles):
        assert base64.b64encode(sha256(text.encode()).digest()).decode() in policy
    assert len(code) == len(page.styles) == 1


def test_an_id_stands_once(sample: str) -> None:
    ids = [attributes["id"] for _, attributes in _Page(sample).elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_same_check_gives_the_same_page(sample: str) -> None:
    assert page_for(AVATAR / "avatar.lifespec", AVATAR / "samples" / "orphaned-queue.jsonl") == sample


# --- a log is text -------------------------------------------------------------------------------------


def test_nothing_in_a_log_is_markup(evil: str) -> None:
    page = _Page(evil)
    assert "img" not in {tag for tag, _ in page.elements}
    assert "onerror" not in {name for _, attributes in page.elements for name in attributes}
    islands = [text for attributes, text in page.scripts if attributes.get("type") == "application/json"]
    assert len(page.scripts) == len(islands) + 1
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "{{7*7}}" in page.text


def test_what_moves_or_hides_text_is_replaced(evil: str) -> None:
    assert not {"\u202e", "\u2028", "\x07"} & set(evil)


def test_an_island_is_json_that_ends_nothing(evil: str) -> None:
    page = _Page(evil)
    islands = [text for attributes, text in page.scripts if attributes.get("type") == "application/json"]
    assert not [text for text in islands if set("<>&") & set(text)]
    (timeline,) = [json.loads(text) for text in islands if "marks" in text]
    assert "</script>" in timeline["session"]
    assert timeline["flags"]


def test_half_a_character_is_written_as_text() -> None:
    assert json.loads(island({"a": "\ud800<"})) == {"a": "\ufffd<"}


def test_nothing_forbidden_is_in_a_page() -> None:
    sample = AVATAR / "samples" / "personal-data.jsonl"
    page = page_for(AVATAR / "avatar.lifespec", sample)
    found = re.search(r"[\w.+-]+@[\w-]+\.\w+", sample.read_text())
    assert found is not None
    assert found[0] not in page


# --- what it says --------------------------------------------------------------------------------------


def test_findings_of_one_cause_are_one(tmp_path: Path) -> None:
    spec, log = tmp_path / "door.lifespec", tmp_path / "log.jsonl"
    spec.write_text(SPEC, encoding="utf-8")
    records = [
        {"time": n, "session": f"s{n}", "event": name, "room": f"r{n}"} for n in range(9) for name in ("opens", "opens")
    ]
    log.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    (group,), left_out = groups_of(check_files(spec, log))
    assert (group.name, group.count, left_out) == ("invalid-transition", 9, 0)
    (cause,) = group.causes
    assert (cause.count, group.sessions.number, len(cause.examples)) == (9, 9, MOST_EXAMPLES)


def test_the_picture_has_the_counts_and_the_findings() -> None:
    spec, log = AVATAR / "avatar.lifespec", AVATAR / "samples" / "orphaned-queue.jsonl"
    model = load(spec).model
    assert model is not None
    heat = heat_of(model, check_files(spec, log))
    assert heat.entered["clip", "stale"] == 2
    assert heat.found_in == {("clip", "stale"): 1}
    assert sum(count for (machine, _, _, target), count in heat.taken.items() if (machine, target) == ("clip", "stale"))


def test_a_check_that_could_not_be_made_is_a_page_too(tmp_path: Path) -> None:
    spec, log = tmp_path / "door.lifespec", tmp_path / "log.jsonl"
    spec.write_text("lifecycle", encoding="utf-8")
    log.write_text("", encoding="utf-8")
    report = check_files(spec, log)
    page = _Page(page_of(report, spec, [Log(str(log))], Setting(status=report.status())))
    assert "Could not check" in page.text


def test_a_machine_that_cannot_be_drawn_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lifespec.graph.layout._engines", lambda form: iter(()))
    text = _Page(page_for(AVATAR / "avatar.lifespec", AVATAR / "samples" / "orphaned-queue.jsonl")).text
    assert text.count("No picture: a .svg needs Graphviz") == 7


def test_a_session_without_a_timeline_says_why(tmp_path: Path) -> None:
    spec, log = AVATAR / "avatar.lifespec", tmp_path / "log.jsonl"
    log.write_bytes((AVATAR / "samples" / "orphaned-queue.jsonl").read_bytes())
    report = check_files(spec, log)
    log.unlink()
    page = _Page(page_of(report, spec, [Log(str(log))], Setting(status=1)))
    assert "No timeline: the log could not be read again." in " ".join(page.text.split())


def test_an_interrupted_check_says_so() -> None:
    report = replace(Report("door", None, None, ("door.lifespec",), "default"), partial=True)
    assert "Interrupted: nothing found in the 0 sessions read so far" in render(report, Setting(status=2))
