"""Real data in tests: who needs it, where it is, and how many tests had it.

A test that needs real data carries ``@pytest.mark.mirror`` or takes the `mirror` fixture (the
folder or address). Without ``HLSVM_MIRROR`` it is skipped, and the last lines say how many were.
No test ever goes to an official address.

``@pytest.mark.thorough`` marks what takes long and asks, in more cases or for longer, what
a shorter test asks too: ``make portable`` runs it (HLSVM_PROFILES=all).
"""

import os
import subprocess

import pytest

WITHOUT = "needs real data: set HLSVM_MIRROR to a folder or address that holds it"
os.environ.setdefault("HLSVM_OFFLINE", "1")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("thorough") and os.environ.get("HLSVM_PROFILES") != "all":
            item.add_marker(pytest.mark.skip(reason="make portable runs it"))
        if "mirror" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.mirror)
        if item.get_closest_marker("mirror") and not os.environ.get("HLSVM_MIRROR"):
            item.add_marker(pytest.mark.skip(reason=WITHOUT))


@pytest.fixture(scope="session")
def mirror():
    """Folder or address of the real data."""
    address = os.environ.get("HLSVM_MIRROR")
    if not address:
        pytest.skip(WITHOUT)
    return address


@pytest.fixture
def commit():
    """Return a function that commits everything in a folder."""

    def commit_all(root, message="as it is"):
        identity = ["-c", "user.name=n", "-c", "user.email=e@e", "-c", "commit.gpgsign=false"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", message]):
            subprocess.run(["git", *identity, *words], cwd=root, check=True)

    return commit_all


def pytest_terminal_summary(terminalreporter):
    ran = skipped = 0
    for outcome, reports in terminalreporter.stats.items():
        for report in reports:
            if "mirror" not in getattr(report, "keywords", ()):
                continue
            if outcome == "skipped":
                skipped += 1
            elif getattr(report, "when", None) == "call":
                ran += 1
    if ran or skipped:
        where = "HLSVM_MIRROR is set" if os.environ.get("HLSVM_MIRROR") else WITHOUT
        terminalreporter.write_line(f"real-data tests: {ran} ran, {skipped} skipped ({where})")
