"""The stand-in in a process of its own: `python -m tests.claude_api --port 8765`."""

from __future__ import annotations

import argparse
import signal
import threading
from dataclasses import replace

from .recorded import Request
from .replies import Reply, default_reply, reply
from .server import KEY, ClaudeAPI


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.claude_api", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--key", default=KEY, help=f"the one key that is valid (default: {KEY})")
    parser.add_argument("--deltas-per-second", type=float, default=0.0, help="0: all at once")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before the headers")
    parser.add_argument(
        "--words", type=int, default=0, help="answer with so many words instead of from the sources"
    )
    options = parser.parse_args()

    def answer(request: Request) -> Reply:
        said = default_reply(request)
        if options.words and not request.wants_json:
            said = reply(" ".join(f"word{number}" for number in range(options.words)))
        return replace(
            said, deltas_per_second=options.deltas_per_second, delay_headers=options.delay
        )

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    # Nobody reads what a process of its own records, and a long benchmark would pile it up.
    with ClaudeAPI(port=options.port, keys=[options.key], default=answer, keep=1000) as api:
        print(api.base_url, flush=True)
        stop.wait()


if __name__ == "__main__":
    main()
