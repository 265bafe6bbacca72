"""A Chromium driven by Playwright; tests are skipped, with the reason, where there is none."""

import contextlib
import os
import shutil

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable():
    """Return the path of a Chromium of the system, or None."""
    named = os.environ.get("HLSVM_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture
def page(tmp_path_factory):
    """Give a page of a browser with a profile of its own; what its scripts say is kept."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs Playwright: pip install 'hlsvm[browser]'"
    )
    if executable() is None:
        pytest.skip("needs a Chromium: apt-get install chromium, or set HLSVM_CHROMIUM")
    with contextlib.ExitStack() as stack:
        driver = stack.enter_context(playwright.sync_playwright())
        context = driver.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")), executable_path=executable(), args=FLAGS
        )
        stack.callback(context.close)
        tab = context.new_page()
        tab.complaints = []
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.on(
            "console",
            lambda message: (
                tab.complaints.append(message.text) if message.type == "error" else None
            ),
        )
        yield tab
