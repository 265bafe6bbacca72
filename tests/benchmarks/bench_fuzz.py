"""What odd input meets: every public estimator and function, every argument, every kind."""

import os
import sys
from pathlib import Path

QUESTION = (
    "Does odd input to any public estimator or function meet a clear error or the right answer "
    "within 20 s of processor time (HLSVM_BENCH_FUZZ=n makes every n-th probe only)?"
)
EVERY = int(os.environ.get("HLSVM_BENCH_FUZZ", "1"))


def run():
    """Make the probes, write the failures as they come; return the table."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fuzz import probe, prober
    from tqdm import tqdm

    chosen = probe.probes()[::EVERY]
    bar = tqdm(total=len(chosen), unit="probe", file=sys.stderr)

    def seen(verdict):
        bar.update()
        if verdict.outcome not in (probe.CLEAR, probe.ANSWER):
            why = verdict.why.replace("\n", " ")
            tqdm.write(f"{verdict.outcome}: {verdict.probe}: {why}", file=sys.stderr)

    table = prober.table(prober.run(chosen, seen=seen))
    bar.close()
    return table.rename_axis("owner").reset_index()
