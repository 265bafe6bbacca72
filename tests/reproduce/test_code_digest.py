"""One digest of code: what changes it, and what does not."""

import shutil
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.svm import SVC

from hlsvm import HLSVMClassifier, datasets
from hlsvm.reproduce import Problem, code_digest, value_digest
from hlsvm.reproduce.code_digest import Code
from hlsvm.reproduce.digests import data_digest

PLAIN = {
    "kernels": """
        import numpy as np
        FOLDS = 3

        def loss(x, scale=1.0):
            total = 0.0
            for value in x:
                total += max(0.0, 1.0 - value)
            return scale * total
        """,
    "protocol": """
        from hlsvm.kernels import FOLDS, loss

        class Base:
            def run(self, x):
                return [loss(x) for _ in range(FOLDS)]

        class Model(Base):
            rate: float = 0.5

        def measure(x):
            \"\"\"Measure.\"\"\"
            if x is None:
                raise ValueError("x must be an array")
            return Model().run(x)
        """,
}
PLAIN = {name: textwrap.dedent(text) for name, text in PLAIN.items()}


@pytest.fixture
def digest(tmp_path):
    """Digest of a definition in a package that is written anew for each question."""
    count = iter(range(100))

    def of(sources, module="protocol", name="measure"):
        package = tmp_path / str(next(count)) / "hlsvm"
        for path, text in {"__init__": "", **sources}.items():
            text = textwrap.dedent(text)
            file = package / f"{path}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Code(package=package).digest(("definition", f"hlsvm.{module}", name))

    return of


def changed(old, new, part="kernels"):
    new = new.replace("\n        ", "\n")
    assert old in PLAIN[part]
    return {**PLAIN, part: PLAIN[part].replace(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("import numpy as np", "# why\nimport math", "kernels"),
        ("total", "result", "kernels"),
        ("for value in x", "for v in x", "kernels"),
        ("def loss(x, scale=1.0)", 'def loss(x: "array", scale: float = 1.0) -> float', "kernels"),
        ('"""Measure."""', '"""Say more."""', "protocol"),
        ("x must be an array", "x is missing", "protocol"),
        ("scale * total", "(scale\n                    * total)", "kernels"),
        ("FOLDS = 3", "FOLDS = 3\n        OTHER = 7", "kernels"),
        ("FOLDS = 3", "FOLDS: int = 3", "kernels"),
    ],
)
def test_words_names_and_layout_do_not_count(digest, old, new, part):
    sources = changed(old, new, part)
    if old == "for value in x":
        sources["kernels"] = sources["kernels"].replace("- value", "- v")
    assert digest(sources) == digest(PLAIN)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("FOLDS = 3", "FOLDS = 5", "kernels"),
        ("1.0 - value", "2.0 - value", "kernels"),
        ("max(", "min(", "kernels"),
        ("scale=1.0", "scale=2.0", "kernels"),
        ("scale * total", "total * scale", "kernels"),
        ("rate: float = 0.5", "rate: float = 0.25", "protocol"),
        ("class Model(Base)", "class Model", "protocol"),
        ("[loss(x)", "[loss(x, 2)", "protocol"),
        ("range(FOLDS)", "range(FOLDS + 1)", "protocol"),
        ("ValueError", "TypeError", "protocol"),
        ("FOLDS = 3", "FOLDS = 3\n        FOLDS += 1", "kernels"),
        ("import FOLDS, loss", "import FOLDS, loss\n        FOLDS = 2 * FOLDS", "protocol"),
        ("import FOLDS, loss", "import FOLDS, loss\n        loss = len", "protocol"),
    ],
)
def test_what_changes_a_number_counts(digest, old, new, part):
    assert digest(changed(old, new, part)) != digest(PLAIN)


def test_a_name_that_is_imported_and_then_changed_is_both(digest):
    first = changed(
        "import FOLDS, loss", "import FOLDS, loss\n        FOLDS = 2 * FOLDS", "protocol"
    )
    second = {**first, "kernels": PLAIN["kernels"].replace("FOLDS = 3", "FOLDS = 5")}
    assert len({digest(PLAIN), digest(first), digest(second)}) == 3


def test_moving_and_renaming_change_nothing(digest):
    moved = {
        "rooms/__init__": "",
        "rooms/hinge": PLAIN["kernels"].replace("loss", "hinge").replace("FOLDS", "PARTS"),
        "protocol": PLAIN["protocol"]
        .replace("from hlsvm.kernels import FOLDS, loss", "from hlsvm.rooms import hinge as h")
        .replace("loss(x)", "h.hinge(x)")
        .replace("FOLDS", "h.PARTS"),
    }
    assert digest(moved) == digest(PLAIN)
    inside = {**PLAIN, "work": PLAIN["protocol"].replace("from hlsvm", "import numpy\nfrom hlsvm")}
    inside["work"] = inside["work"].replace("measure", "judge").replace("Model", "Machine")
    assert digest(inside, "work", "judge") == digest(PLAIN)


def test_imports_inside_functions_and_lazy_tables_are_followed(digest):
    lazy = {
        **PLAIN,
        "__init__": """
            from importlib import import_module
            _ROOMS = {"measure": "protocol"}
            def __getattr__(name):
                return getattr(import_module(f"hlsvm.{_ROOMS[name]}"), name)
            """,
        "use": """
            def f(x):
                import hlsvm
                from hlsvm.kernels import loss as cost
                return hlsvm.measure(x), cost(x)
            """,
    }
    before = digest(lazy, "use", "f")
    for old, new in (("FOLDS = 3", "FOLDS = 4"), ("1.0 - value", "1.5 - value")):
        assert digest({**lazy, "kernels": lazy["kernels"].replace(old, new)}, "use", "f") != before


def test_definitions_that_use_one_another(digest):
    text = """
        def even(n):
            return n == 0 or odd(n - 1)

        def odd(n):
            return n != 0 and even(n - 1)
        """
    first = digest({"a": text}, "a", "even")
    assert first != digest({"a": text}, "a", "odd")
    assert first == digest({"a": text.replace("odd", "uneven")}, "a", "even")
    assert first != digest({"a": text.replace("n != 0 and", "n > 0 and")}, "a", "even")


def test_drawings_and_the_machinery_do_not_count(digest):
    def sources(colour, shown):
        return {
            "reproduce/__init__": "",
            "reproduce/drawings": "def draws(id):\n    return lambda f: f\n",
            "reproduce/show": f"def show(x):\n    return {shown}\n",
            "reproduce/timing": "def timed(f):\n    return f()\n",
            "use": f"""
                from hlsvm.reproduce.drawings import draws
                from hlsvm.reproduce.show import show
                from hlsvm.reproduce.timing import timed

                @draws("Thesis.Fig5.6")
                def picture(x):
                    return "{colour}"

                def f(x):
                    return picture(x), show(x), timed(x)
                """,
        }

    before = digest(sources("red", 1), "use", "f")
    assert digest(sources("blue", 2), "use", "f") == before
    wall = {**sources("red", 1), "reproduce/timing": "def timed(f):\n    return f(), 1\n"}
    assert digest(wall, "use", "f") != before


def test_what_a_decorator_is_given_counts(digest):
    text = """
        from numba.extending import overload

        def add(X, w):
            raise NotImplementedError

        @overload(add, jit_options={"nogil": True})
        def compiled(X, w):
            return lambda X, w: X + w

        def fit(X, w):
            return add(X, w)
        """
    before = digest({"rows": text}, "rows", "fit")
    assert digest({"rows": text.replace("X + w", "X + 2 * w")}, "rows", "fit") != before
    assert digest({"rows": text.replace("compiled", "typed")}, "rows", "fit") == before


def test_kernels_of_sparse_rows_count(tmp_path):
    copy = tmp_path / "hlsvm"
    shutil.copytree(code_digest._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    key = ("definition", "hlsvm.linear._dual", "dual_epoch")
    before = Code(package=copy).digest(key)
    path = copy / "linear" / "_rows.py"
    path.write_text(path.read_text().replace("w[j] += step", "w[j] += 2 * step"))
    assert Code(package=copy).digest(key) != before


def test_a_data_set_is_known_by_its_registry_entry():
    assert value_digest("ijcnn1") != value_digest("no such set")
    assert code_digest.data_facts("banana_like")[1] == "synthetic:banana"
    assert code_digest.data_facts("nothing of this name") == ("", "")


def test_every_definition_of_the_package_has_a_digest():
    code = Code()
    for path in sorted(code_digest._PACKAGE.rglob("*.py")):
        parts = path.relative_to(code_digest._PACKAGE.parent).with_suffix("").parts
        module = code.module(".".join(parts).removesuffix(".__init__"))
        for name in module.statements:
            assert len(code.digest(("definition", module.name, name))) == 32


FOLDS = 3


def protocol(X, lam=0.1):
    return HLSVMClassifier(lam), FOLDS, np.mean(X)


def test_functions_outside_the_package_see_what_they_use(monkeypatch):
    before = value_digest(protocol)
    assert value_digest(protocol) == before
    monkeypatch.setattr(sys.modules[__name__], "FOLDS", 4)
    assert value_digest(protocol) != before
    assert value_digest(lambda x: x + FOLDS) == value_digest(lambda x: x + FOLDS)
    assert value_digest(lambda x: x + FOLDS) != value_digest(lambda x: x - FOLDS)

    def make(factor):
        return lambda x: factor * x

    assert value_digest(make(2)) == value_digest(make(2)) != value_digest(make(3))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, 1.0),
        (1, True),
        ("1", 1),
        ([1, 2], [2, 1]),
        ([1, 2], (1, 2)),
        ({"a": 1}, {"a": 2}),
        (SVC(C=1), SVC(C=2)),
        (SVC(C=1), HLSVMClassifier(lam=1)),
        (HLSVMClassifier, SVC),
        (np.eye(2), np.eye(3)),
        (np.mean, np.median),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
        (Problem("a", "heart"), Problem("a", "diabetes")),
        (Problem("a", settings={"C": 1}), Problem("a", settings={"C": 2})),
    ],
)
def test_values_that_differ(one, two):
    assert value_digest(one) == value_digest(one)
    assert value_digest(one) != value_digest(two)


def test_a_named_set_and_a_path_count_by_their_files(tmp_path, monkeypatch):
    monkeypatch.delenv("HLSVM_MIRROR", raising=False)
    monkeypatch.setenv("HLSVM_DATA", str(tmp_path))
    own = tmp_path / "own.npz"
    values = {}
    for label in (1.0, 2.0):
        for path in (own, tmp_path / "heart.npz"):
            np.savez(path, X=np.eye(2), y=[label, 0.0])
        problems = (Problem("a", "heart"), Problem("a", str(own)))
        values[label] = [value_digest(one) for one in ("heart", own.as_posix(), *problems)]
    assert not set(values[1.0]) & set(values[2.0])
    own.unlink()
    assert value_digest(str(own)) not in values[2.0]


def test_data_sets_count_by_their_rows():
    one = datasets.load("xor", n=20, seed=1)
    again = datasets.load("xor", n=20, seed=1)
    other = datasets.load("xor", n=20, seed=2)
    assert value_digest(one) == value_digest(again) != value_digest(other)


def test_a_value_that_cannot_be_compared_is_refused():
    with pytest.raises(TypeError, match=r"the value\[0\]\['a'\] is generator: make it inside"):
        value_digest([{"a": (x for x in [1])}])
    assert value_digest({"n_jobs": 1, "a": 2}) == value_digest({"a": 2, "n_jobs": 4})


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        pd.DataFrame,
        sparse.csr_matrix,
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(object),
    ],
)
def test_data_digest_depends_on_values_and_nothing_else(make):
    X = np.arange(12.0).reshape(4, 3)
    other = X.copy()
    other[3, 2] += 1e-9
    assert data_digest(make(X)) == data_digest(make(X.copy()))
    assert data_digest(make(X)) != data_digest(make(other))
    assert data_digest(make(X), make(X)) != data_digest(make(X))
    assert data_digest(X) == data_digest(np.asfortranarray(X)) != data_digest(X.T)
    assert data_digest(X) != data_digest(X.astype(np.float32))
