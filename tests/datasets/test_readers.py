"""What reads files is outside the digest of code: here a change of it is noticed."""

import ast

import pytest

from hlsvm.reproduce.code_digest import Code, digest_of

ROOMS = ("_fetchers", "_find", "_npz", "_prepare", "_raw", "_read", "_user_files")
# Of the meaning of the readers. If it changes: compare the arrays of the sets in the mirror
# before and after (`data_digest`); where one differs, its records are made again.
READERS = "d8abbce331c34271f0d07284e6c9789f"


def readers(change=None):
    """Return the digest of all definitions of the readers; `change` is made to the syntax first."""
    code = Code()
    modules = [code.module(f"hlsvm.datasets.{room}") for room in ROOMS]
    for room, module in zip(ROOMS, modules, strict=True) if change else ():
        change(room, module)
    names = [(one.name, name) for one in modules for name in sorted(one.statements)]
    return digest_of([code.digest(("definition", *name)) for name in names])


def test_a_changed_reader_is_noticed():
    assert readers() == READERS


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_changed_in_a_reader_is_seen(room):
    def change(name, module):
        nodes = [n for lines in module.statements.values() for s in lines for n in ast.walk(s)]
        for node in nodes if name == room else ():
            if isinstance(node, ast.Constant):
                node.value = 977

    assert readers(change) != READERS
