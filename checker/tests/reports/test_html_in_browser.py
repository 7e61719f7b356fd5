"""The HTML report in a browser: it opens without a request, can be filtered, zoomed and read, and has no barriers.

Needs the extra `browser` and a Chromium; is skipped where one of them is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifespec.check import Log, Options, check_files
from lifespec.check_page import page_of
from lifespec.reports.setting import Setting

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install lifespec[browser]")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install lifespec[browser]")

AVATAR = Path(__file__).parents[3] / "spec" / "lifecycles" / "avatar"
FAULTS = sorted(path.stem for path in (AVATAR / "samples").glob("*.jsonl") if path.stem != "clean")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def write_page(folder: Path, samples: list[str]) -> Path:
    spec = AVATAR / "avatar.lifespec"
    logs = [Log(str(AVATAR / "samples" / f"{name}.jsonl")) for name in samples]
    options = Options(examples=50)
    report = check_files(spec, logs, options=options)
    page = folder / "report.html"
    page.write_text(page_of(report, spec, logs, Setting(status=report.status()), options=options), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with sync_api.sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        except sync_api.Error as error:
            pytest.skip(f"no Chromium can be started: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


class Shown:
    """A page that is open, and what it said and asked for."""

    def __init__(self, browser: object, path: Path, init: str = "", **context: object) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **context)
        self.context.add_init_script(init)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("#chart svg")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page"), ["silent-loss", "orphaned-queue", "wrong-owner"])


@pytest.fixture
def shown(browser: object, path: Path) -> Iterator[Shown]:
    shown = Shown(browser, path)
    yield shown
    assert shown.said == []
    assert shown.asked == [path.as_uri()]
    shown.context.close()


def test_a_timeline_is_open_and_its_finding_selected(shown: Shown) -> None:
    assert shown.page.locator("#chart .flag.selected").count() == 1
    assert shown.page.locator("#detail .chip").text_content() == "1 error"
    assert "current" in shown.page.locator(".example").first.get_attribute("class").split()  # the first of the page


def test_filters_leave_what_fits(shown: Shown) -> None:
    page = shown.page
    visible = page.locator(".example:visible")
    assert page.locator(".example").count() == 3
    page.locator("#filters [name=name]").select_option("silent")
    assert visible.evaluate_all("all => all.map((each) => each.dataset.name)") == ["silent"]
    assert page.locator(".group:visible").count() == 1
    assert page.locator("#shown").text_content() == "1 of 3 examples"
    page.locator("#filters [type=reset]").click()
    page.wait_for_function("document.getElementById('shown').textContent === ''")
    page.locator("#filters [name=text]").fill("STALE")
    assert visible.evaluate_all("all => all.map((each) => each.dataset.name)") == ["overdue"]


def test_a_finding_leads_to_its_record(shown: Shown) -> None:
    page = shown.page
    example = page.locator(".example[data-name=silent]")
    if not example.is_visible():
        example.locator("xpath=ancestor::details").locator("summary").click()
    example.locator(".show").click()
    assert "no sign of life" in page.locator("#detail h3").text_content()
    assert '"event": "heard"' in page.locator("#detail .record").text_content()
    assert page.locator("#rows [aria-current]").get_attribute("class") == "found"
    assert page.locator("#rows .witness").count() == 1


def test_all_samples_are_tried() -> None:
    expected = (AVATAR / "expected.json").read_text(encoding="utf-8")
    assert len(FAULTS) >= 29
    assert all(sample in expected for sample in FAULTS)


@pytest.mark.parametrize("sample", FAULTS)
def test_each_fault_of_the_samples_is_told_when_its_page_opens(sample: str, browser: object, tmp_path: Path) -> None:
    """The finding is selected: in words, with what was broken as the lifecycle says it, its record and its flag."""
    shown = Shown(browser, write_page(tmp_path, [sample]))
    example = shown.page.locator(".example.current")
    assert example.count() == 1
    assert example.locator(".record mark").text_content()
    assert example.locator(".spec").text_content()
    assert "rule" in example.locator(".facts dt").all_text_contents()
    assert shown.page.locator("#chart .flag.selected").count() == 1
    assert shown.page.locator("#rows tr.found[aria-current]").count() == 1
    assert shown.said == []
    shown.context.close()


def test_each_record_is_shown_as_it_stands_in_the_log(shown: Shown) -> None:
    page = shown.page
    for name in ["silent-loss", "orphaned-queue"]:
        finding = "silent" if name == "silent-loss" else "overdue"
        page.locator(f".example[data-name={finding}] .show").evaluate("(button) => button.click()")
        lines = (AVATAR / "samples" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        numbers = page.locator("#rows tr[data-mark] td:first-child").all_text_contents()
        assert [int(each) for each in numbers] == list(range(1, len(lines) + 1))
        for index, line in enumerate(lines):
            page.locator(f'#rows tr[data-mark="{index}"] button').first.click()
            assert page.locator("#detail .record").text_content() == line


def test_a_session_is_read_when_it_is_opened(browser: object, path: Path) -> None:
    shown = Shown(
        browser,
        path,
        init="""
        const parse = JSON.parse, asked = new Set();
        window.parsed = () => [...document.querySelectorAll("script[type='application/json']")]
          .filter((each) => asked.has(each.textContent)).map((each) => each.id);
        JSON.parse = (text) => { asked.add(text); return parse(text); };
    """,
    )
    page = shown.page
    first = page.locator(".show").first.get_attribute("data-timeline")
    other = "2" if first != "2" else "1"
    assert page.evaluate("parsed()") == ["page-data", f"timeline-{first}"]
    page.locator("#session").select_option(other)
    assert set(page.evaluate("parsed()")) == {"page-data", f"timeline-{first}", f"timeline-{other}"}
    assert page.locator("#rows tr.found").count() == 1
    assert page.locator("#chart .flag.selected").count() == 1
    shown.context.close()


def test_more_sessions_are_hardly_more_elements(browser: object, tmp_path: Path) -> None:
    """Of one more there is its finding, what chooses it, and a block of data; nothing of its two hundred records."""
    counts = []
    for sessions in (2, 5):  # as many as a cause has examples
        shown = Shown(browser, write_long_sessions(tmp_path, sessions))
        assert shown.page.locator("#session option").count() == sessions
        counts.append(shown.page.locator("*").count())
        shown.context.close()
    assert counts[1] - counts[0] < 3 * 60


def write_long_sessions(folder: Path, sessions: int) -> Path:
    """The page of sessions of two hundred records, all with the finding of the sample."""
    lines = (AVATAR / "samples" / "orphaned-queue.jsonl").read_text(encoding="utf-8").splitlines()
    log = folder / f"{sessions}.jsonl"
    with open(log, "w", encoding="utf-8") as stream:
        for number in range(sessions):
            for line in [*lines[:1], *[lines[0].replace("session-started", "ui.frame")] * 180, *lines[1:]]:
                stream.write(line.replace("s-91c5d0aa", f"s-{number}") + "\n")
    report = check_files(AVATAR / "avatar.lifespec", [Log(str(log))], options=Options(examples=50))
    page = folder / f"{sessions}.html"
    setting = Setting(status=report.status())
    page.write_text(page_of(report, AVATAR / "avatar.lifespec", [Log(str(log))], setting), encoding="utf-8")
    return page


def test_the_view_is_zoomed_and_moved(shown: Shown) -> None:
    page = shown.page

    def flag() -> float:
        return page.evaluate("document.querySelector('#chart .flag').transform.baseVal[0].matrix.e")

    def widest() -> float:
        return page.evaluate(
            "Math.max(...[...document.querySelectorAll('.span rect')].map((r) => r.width.baseVal.value))"
        )

    before = flag(), widest()
    page.locator("#zoom-in").click()
    assert flag() == pytest.approx(before[0], abs=1)  # what is selected stays where it is
    assert widest() > before[1]
    page.locator("#chart").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert flag() < before[0] - 50
    page.keyboard.press("0")
    assert (flag(), widest()) == before


def test_the_keys_step_through_what_happened(shown: Shown) -> None:
    page = shown.page
    page.locator("#chart").focus()
    page.keyboard.press("Home")
    assert page.locator("#detail h3").text_content() == "session-started"
    page.keyboard.press("ArrowRight")
    assert page.locator("#detail h3").text_content() == "issued"
    page.keyboard.press("End")
    assert page.locator("#detail h3").text_content() == "session-ended"
    assert page.locator("#rows [aria-current] button").first.text_content() == "session-ended"


def test_a_stay_says_since_when_and_why(shown: Shown) -> None:
    page = shown.page
    page.locator("#session").select_option(label=page.locator("#session option").all_text_contents()[-1])
    page.locator("#chart .span", has_text="mounted").first.click()
    assert page.locator("#detail h3").text_content() == "rendering in mounted"
    assert "entered on mount" in page.locator("#detail").text_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_nobody_is_kept_out(browser: object, path: Path, scheme: str, width: int) -> None:
    shown = Shown(browser, path, color_scheme=scheme)
    shown.page.set_viewport_size({"width": width, "height": 900})
    for details in shown.page.locator("details:not([open]) > summary").all():
        if details.is_visible():
            details.click()
    result = axe.Axe().run(shown.page)
    assert result.violations_count == 0, result.generate_report()
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    heads = shown.page.locator(".outcomes thead th")
    assert heads.count()
    assert not heads.evaluate_all(
        "all => all.filter((th) => th.scrollWidth > th.clientWidth).map((th) => th.textContent)"
    )
    shown.context.close()


def test_on_dark_ground_an_arrow_is_lighter_than_its_owner_and_has_a_colour(browser: object, path: Path) -> None:
    """Neither as dark as on white ground nor washed out."""
    colours = []
    for scheme in ("light", "dark"):
        shown = Shown(browser, path, color_scheme=scheme)
        colours.append(
            shown.page.locator(".picture .edge path").evaluate_all(
                "all => Object.fromEntries(all.map((each) => [each.getAttribute('stroke'),"
                " [getComputedStyle(each).filter, ...getComputedStyle(each).stroke.match(/\\d+/g).map(Number)]]))"
            )
        )
        shown.context.close()
    light, dark = colours
    owned = [name for name in light if name != "#4d4d4d"]
    assert owned
    for name in owned:
        (_, *before), (filtered, *after) = light[name], dark[name]
        assert filtered == "none"
        assert after == [round(255 - (255 - part) * 0.62) for part in before]


def test_the_card_of_a_finding_says_the_parameters_of_its_rule(browser: object, tmp_path: Path) -> None:
    spec, log = tmp_path / "a.lifespec", tmp_path / "a.jsonl"
    spec.write_text(
        'lifecycle a\nparam most = 3s "a test"\nmachine m per id { initial i  state s  i -> s on go }\n'
        "rule soon { on go expect done within most }\n",
        "utf-8",
    )
    events = ((0, "go"), (9, "done"))
    log.write_text(
        "".join(f'{{"time": {at}, "session": "s", "event": "{name}", "id": "1"}}\n' for at, name in events),
        "utf-8",
    )
    report = check_files(spec, [Log(str(log))])
    page = tmp_path / "a.html"
    page.write_text(page_of(report, spec, [Log(str(log))], Setting(status=1)), encoding="utf-8")
    shown = Shown(browser, page)
    assert "most" in shown.page.locator("#detail .facts").text_content()
    shown.context.close()


@pytest.mark.parametrize("width", [420, 1000])
def test_a_jump_ends_where_it_leads_to(width: int, browser: object, tmp_path: Path) -> None:
    """Also past parts that are not laid out before they are seen."""
    shown = Shown(browser, write_page(tmp_path, FAULTS[:8]))
    page = shown.page
    page.set_viewport_size({"width": width, "height": 900})
    top = "(target) => Math.abs(document.querySelector(target).getBoundingClientRect().top) < 30"
    for button in page.locator(".example .show").all()[::3]:
        button.evaluate("(each) => each.click()")
        page.wait_for_function(top, arg="#timelines")
    for link in page.locator("nav a[href^='#']").all()[:-1]:  # the last part may be too short to reach the top
        link.evaluate("(each) => each.click()")
        page.wait_for_function(top, arg=link.get_attribute("href"))
    shown.context.close()


def test_of_several_clocks_records_are_counted_and_no_wait_is_drawn(browser: object, tmp_path: Path) -> None:
    case = Path(__file__).parents[3] / "conformance" / "cases" / "clock" / "several-clocks"
    logs = [Log(str(case / "overdue-by-its-own.jsonl"))]
    report = check_files(case / "spec.lifespec", logs)
    page = tmp_path / "report.html"
    page.write_text(page_of(report, case / "spec.lifespec", logs, Setting(status=1)), encoding="utf-8")
    shown = Shown(browser, page)
    assert "several clocks" in shown.page.locator("#timelines").inner_text()
    assert shown.page.locator("#chart .flag").count() == 3
    assert shown.page.locator("#chart .wait").count() == 0
    assert "after waiting for 3s" in shown.page.locator("#detail").inner_text()
    assert shown.said == []


@pytest.mark.parametrize("width", [420, 1600])
def test_what_is_wider_than_the_page_scrolls_and_says_so(browser: object, path: Path, width: int) -> None:
    shown = Shown(browser, path)
    shown.page.set_viewport_size({"width": width, "height": 900})
    pictures = shown.page.locator("details[open] > .picture")
    assert pictures.count()
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        # The page looks again when a picture is laid out, which is some frames after it comes into view.
        shown.page.wait_for_function(
            "(each) => each.previousElementSibling.hidden !== each.scrollWidth > each.clientWidth",
            arg=picture.element_handle(),
        )
        is_wider = picture.evaluate("(each) => each.scrollWidth > each.clientWidth")
        if is_wider:
            picture.evaluate("(each) => { each.scrollLeft = 9999; }")
            assert picture.evaluate("(each) => each.scrollLeft") > 0
    assert width > 420 or any(each.is_visible() for each in shown.page.locator(".sideways").all())
    shown.context.close()


def test_a_picture_begins_where_its_box_begins(shown: Shown) -> None:
    picture = shown.page.locator("details[open] > .picture").first
    picture.scroll_into_view_if_needed()
    above = picture.evaluate(
        "(each) => each.querySelector('.cluster').getBoundingClientRect().top - each.getBoundingClientRect().top"
    )
    assert 0 <= above < 20


@pytest.mark.parametrize("width", [420, 1600])
def test_the_counts_of_a_rule_are_seen_at_any_width(browser: object, path: Path, width: int) -> None:
    shown = Shown(browser, path)
    shown.page.set_viewport_size({"width": width, "height": 900})
    for row in shown.page.locator(".outcomes tbody tr").all():
        counts = [text for text in row.locator("td.number").all_text_contents() if text.isdecimal()]
        seen = row.inner_text()
        assert counts
        assert all(count in seen for count in counts)
        assert row.locator(".narrow").is_visible() is (width == 420)
    shown.context.close()
