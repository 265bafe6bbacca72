"""What all commands share: their order, one sentence for a mistake, the exit codes."""

from __future__ import annotations

import contextlib
import errno
import sys
from collections.abc import Iterator
from typing import NoReturn

import click

WIDTH = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Commands(click.Group):
    """Commands in the order in which a reader meets them."""

    def list_commands(self, _context):
        return list(self.commands)

    def add_command(self, cmd, name=None):
        # Every command gets the width itself: click keeps a command's help option from the first
        # time it is asked for, also where that was without its parent.
        cmd.context_settings = {**WIDTH, **cmd.context_settings}
        super().add_command(cmd, name)


def fail(message: str, code: int = 1) -> NoReturn:
    """Print ``Error: message`` and leave."""
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


@contextlib.contextmanager
def one_sentence(*mistakes: type[BaseException]) -> Iterator[None]:
    """Turn the named exceptions into their message and exit code 2, Ctrl-C into 130.

    A file or folder that cannot be read or written is named, and ends in exit code 1; so does a
    full disk.
    """
    try:
        yield
    except KeyboardInterrupt:
        fail("interrupted; what was finished is kept.", 130)
    except BrokenPipeError:
        raise  # the reader of a pipe has gone: click ends quietly
    except mistakes as error:
        fail(str(error.args[0] if isinstance(error, KeyError) else error), 2)
    except OSError as error:
        if error.errno in _FULL:
            fail(_full_disk(error))
        if error.filename is None:
            raise
        fail(f"{error.filename} cannot be read or written: {error.strerror}.")


def _full_disk(error: OSError) -> str:
    where = f"{error.filename} cannot be written: " if error.filename else ""
    return (
        f"{where}{error.strerror}. What was finished is kept: make room, and run the same "
        "command again."
    )
