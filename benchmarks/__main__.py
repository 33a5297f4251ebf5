"""make bench: run every benchmark that can be run here and print its table."""

from __future__ import annotations

import sys

from . import (
    ask_json,
    claude_first_token,
    claude_streams,
    cut_large,
    import_time,
    index_til,
    log,
    long_rows,
    many_tables,
)

BENCHMARKS = (
    ask_json,
    log,
    many_tables,
    import_time,
    index_til,
    cut_large,
    long_rows,
    claude_first_token,
    claude_streams,
)


def main() -> None:
    """Run all benchmarks, or those whose names are given."""
    wanted = sys.argv[1:]
    for benchmark in BENCHMARKS:
        name = benchmark.__name__.rpartition(".")[2]
        if wanted and name not in wanted:
            continue
        summary = (benchmark.__doc__ or "").splitlines()[0]
        print(f"\n{name}: {summary}\n")
        for line in benchmark.run():
            print(f"  {line}")


if __name__ == "__main__":
    main()
