"""Runs the scenarios named on the command line, one after the other, and prints one line of JSON for each."""

import json
import signal
import sys
import traceback

from scenarios import (
    browsing, connections, created, cross_entity, requests, restart, sessions, settlement, transactions, transfers,
)

SCENARIOS = {
    **transfers.SCENARIOS,
    **settlement.SCENARIOS,
    **browsing.SCENARIOS,
    **requests.SCENARIOS,
    **sessions.SCENARIOS,
    **transactions.SCENARIOS,
    **cross_entity.SCENARIOS,
    **created.SCENARIOS,
    **connections.SCENARIOS,
    **restart.SCENARIOS,
}
# Less than what the runner waits, so that the reason is told by the program itself.
LIMIT_SECONDS = 55


def stop_waiting(_signal, _frame):
    raise TimeoutError(f"not done after {LIMIT_SECONDS} s")


def run(name):
    try:
        signal.alarm(LIMIT_SECONDS)
        SCENARIOS[name]()
        return {"scenario": name, "ok": True}
    except Exception as error:
        traceback.print_exc()
        return {"scenario": name, "ok": False, "detail": f"{type(error).__name__}: {error}"}
    finally:
        signal.alarm(0)


signal.signal(signal.SIGALRM, stop_waiting)
for scenario in sys.argv[1:]:
    print(json.dumps(run(scenario)), flush=True)
