"""`tuidbg web` in headless Chromium: the page as it is, keys as they are pressed."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.emulator import Emulator
from tests.support.waiting import PATIENCE, wait_until
from tests.web.opened import opened

selenium = pytest.importorskip("selenium", reason="selenium is not installed")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="chromium and chromedriver are not installed"
    ),
    pytest.mark.full,
]

DEADLINE = PATIENCE

# What comes to the page over its websocket, and how large its terminal is.
LISTEN = """
window.painted = [];
window.cells = null;
const Real = window.WebSocket;
window.WebSocket = class extends Real {
  constructor(address) {
    super(address);
    const asked = new URL(address).searchParams;
    if (asked.get("width")) window.cells = [+asked.get("width"), +asked.get("height")];
    this.addEventListener("message", async (event) => {
      if (typeof event.data === "string") return;
      const place = window.painted.push(null) - 1;
      const bytes = new Uint8Array(await new Response(event.data).arrayBuffer());
      window.painted[place] = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
    });
  }
  send(message) {
    const [kind, size] = JSON.parse(message);
    if (kind === "resize") {
      window.cells = [size.width, size.height];
      window.painted = [];
    }
    super.send(message);
  }
};
"""


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(word)
    options.add_argument("--window-size=1200,800")
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")  # offline
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
        yield browser
    finally:
        browser.quit()


def screen(browser: webdriver.Chrome) -> str:
    """Returns what xterm.js was given to show."""
    cells, painted = browser.execute_script("return [window.cells, window.painted]")
    if not cells:
        return ""
    emulator = Emulator(*cells)
    for each in painted:
        if each is not None:
            emulator.feed(base64.b64decode(each))
    return emulator.text


def await_text(browser: webdriver.Chrome, text: str) -> None:
    wait_until(lambda: text in screen(browser), DEADLINE, f"{text!r} in the browser")


def press(browser: webdriver.Chrome, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def is_painted(browser: webdriver.Chrome) -> bool:
    """Returns whether there is something to be seen: a picture of one colour has few kilobytes."""
    return len(browser.get_screenshot_as_png()) > 20_000


def test_a_browser_debugs_in_two_tabs_and_after_a_reload(
    tmp_path: Path, browser: webdriver.Chrome
) -> None:
    with opened(tmp_path) as running:
        browser.get(running.url)
        assert running.token not in browser.current_url
        assert browser.title == "program.py - tuidbg"
        await_text(browser, "program.py:1 <module>")
        await_text(browser, "fourth = 4")
        wait_until(lambda: is_painted(browser), DEADLINE, "a painted terminal")

        press(browser, "n")  # without a click: the page has the keys from the beginning
        await_text(browser, "program.py:2 <module>")
        press(browser, Keys.F10)
        await_text(browser, "program.py:3 <module>")

        first = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
        browser.get(running.origin)  # the cookie has the token
        await_text(browser, "program.py:3 <module>")
        press(browser, "n")
        await_text(browser, "program.py:4 <module>")
        browser.close()
        browser.switch_to.window(first)
        await_text(browser, "program.py:4 <module>")

        browser.refresh()
        await_text(browser, "program.py:4 <module>")
        browser.set_window_size(700, 500)
        wait_until(lambda: browser.execute_script("return window.cells")[0] < 100, DEADLINE)
        await_text(browser, "program.py:4 <module>")
        stack = "<module>  program.py:4"
        assert stack not in screen(browser)
        click_on(browser, "3 Stack")
        await_text(browser, stack)
        assert "Open" not in screen(browser)
        ActionChains(browser).key_down(Keys.CONTROL).send_keys("o").key_up(Keys.CONTROL).perform()
        await_text(browser, "Open")

        browser.save_screenshot(str(tmp_path / "web.png"))
        assert running.interrupt() == 0
        wait_until(
            lambda: "Not connected any more" in browser.find_element("tag name", "body").text,
            DEADLINE,
        )
        said = browser.get_log("browser")  # type: ignore[no-untyped-call]
        problems = [each for each in said if each["level"] == "SEVERE"]
        assert not problems


def click_on(browser: webdriver.Chrome, text: str) -> None:
    """Click where a text stands on the screen."""
    await_text(browser, text)
    lines = screen(browser).splitlines()
    row = next(index for index, line in enumerate(lines) if text in line)
    column = lines[row].index(text) + 2
    columns, rows = browser.execute_script("return window.cells")
    canvas = browser.find_element("css selector", ".xterm-screen")
    width, height = canvas.size["width"], canvas.size["height"]
    x = int((column + 0.5) * width / columns - width / 2)
    y = int((row + 0.5) * height / rows - height / 2)
    ActionChains(browser).move_to_element_with_offset(canvas, x, y).click().perform()


def test_a_browser_without_the_token_sees_nothing(
    tmp_path: Path, browser: webdriver.Chrome
) -> None:
    with opened(tmp_path) as running:
        browser.get(running.origin)
        assert "Open the address with its token" in browser.page_source
        assert "textual" not in browser.page_source
