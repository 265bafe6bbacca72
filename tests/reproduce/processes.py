"""Commands in processes of their own, and waiting for what they do."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def start(*arguments, cwd=None, **environment):
    """Start ``hlsvm`` with these arguments in a session of its own; its output is one text."""
    return subprocess.Popen(
        [sys.executable, "-m", "hlsvm", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        start_new_session=True,
        # Whoever is started in the background ignores interrupts, and passes that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(condition, seconds=90):
    """Wait until the condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def is_running(pid):
    """Whether there is a process of this number that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def fill(folder):
    """Fill the disk of a folder; return the file that does so."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return ballast
