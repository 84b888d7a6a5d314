"""Run the benchmarks: `python -m benchmarks [NAME ...]`, all of them without a name."""

import argparse
import importlib
import time
from pathlib import Path

from benchmarks.table import machine, markdown

HERE = Path(__file__).resolve().parent


def names() -> list[str]:
    """Return the benchmarks there are: bench_reading.py is `reading`."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main() -> None:
    """Run what was asked for, print each table and write it to results/NAME.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of: {', '.join(names())}")
    wanted = parser.parse_args().names or names()
    if unknown := sorted(set(wanted) - set(names())):
        parser.error(f"name ({', '.join(unknown)}) must be one of: {', '.join(names())}")
    for name in wanted:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        start = time.perf_counter()
        table = markdown(module.run())
        seconds = time.perf_counter() - start
        print(f"## {name} ({seconds:.1f} s)\n\n{table}", flush=True)
        text = f"# {name}\n\n{module.__doc__.strip()}\n\n{table}\n{machine()}\n"
        (HERE / "results").mkdir(exist_ok=True)
        (HERE / "results" / f"{name}.md").write_text(text)


if __name__ == "__main__":
    main()
