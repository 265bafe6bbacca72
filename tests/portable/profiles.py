"""Processors, libraries and interpreters that answers must not depend on."""

from __future__ import annotations

import os
from pathlib import Path

from hlsvm.reproduce._pool import PINS

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "portable"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_CHOSEN = (*PINS, "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR", "GLIBC_TUNABLES")


def _numba(cpu: str) -> dict[str, str]:
    # Without the second variable Numba adds what the processor at hand can do besides.
    return {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}


_OLD = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4",
}
# Variables of each: what OpenBLAS, NumPy, Numba and the C library are to take the processor for.
# AVX-512 needs no name: a processor that has it uses it "as it is". Those that compile come first,
# and those that begin with an installation (another Python) not side by side.
PROCESSORS = {
    "Haswell": PINS | _numba("haswell"),
    "without AVX": _OLD | _numba("x86-64-v2"),
    "Zen 3": PINS | {"OPENBLAS_CORETYPE": "Zen"} | _numba("znver3"),
    # Threads wait asleep: beside a second process, those that wait awake take three times as long.
    "2 BLAS threads": dict.fromkeys(_THREADS, "2") | {"OPENBLAS_THREAD_TIMEOUT": "4"},
    "as it is": {},
}
_NEEDS = {"Haswell": "avx2", "Zen 3": "avx2", "without AVX": "sse4_2"}


def missing(name: str) -> str | None:
    """Feature without which this machine cannot play the processor `name`."""
    cpuinfo = Path("/proc/cpuinfo")
    flags = cpuinfo.read_text(encoding="utf-8").split() if cpuinfo.exists() else []
    needed = _NEEDS.get(name)
    return needed if needed and needed not in flags else None


def environment(name: str) -> dict[str, str]:
    """Environment of a process that takes this machine for the processor `name`.

    Compiled kernels of every profile are kept in a folder of its own.
    """
    chosen = PROCESSORS[name]
    kept = {key: value for key, value in os.environ.items() if key not in _CHOSEN}
    threads = dict.fromkeys(_THREADS, "1")
    fixed = {"PYTHONPATH": str(ROOT), "HLSVM_ROOT": str(ROOT), "HLSVM_OFFLINE": "1"}
    fixed["HLSVM_PICTURES"] = "sketch"
    if "NUMBA_CPU_NAME" in chosen:
        fixed["NUMBA_CACHE_DIR"] = str(OUT / "numba" / chosen["NUMBA_CPU_NAME"])
    return kept | threads | fixed | chosen
