"""Runs the scenarios named as arguments with azure-servicebus, and prints one line of JSON for each."""

import json
import logging
import os
import sys
import traceback

import access
import administration
import created
import faults
import messages
import resending
import restart
import sessions
import settlement
import topics
import tour
from support import CannotTry

SCENARIOS = {
    **messages.SCENARIOS,
    **resending.SCENARIOS,
    **settlement.SCENARIOS,
    **sessions.SCENARIOS,
    **topics.SCENARIOS,
    **administration.SCENARIOS,
    **created.SCENARIOS,
    **access.SCENARIOS,
    **faults.SCENARIOS,
    **restart.SCENARIOS,
    **tour.SCENARIOS,
}


def answer(scenario):
    if scenario not in SCENARIOS:
        return {"ok": False, "detail": "the program does not know this scenario"}
    try:
        return {"ok": True, "detail": SCENARIOS[scenario]()}
    except CannotTry as reason:
        return {"leftOut": str(reason)}
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        return {"ok": False, "detail": f"{type(error).__name__}: {error}"}


def main():
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr)
    for scenario in sys.argv[1:]:
        said = {name: value for name, value in answer(scenario).items() if value is not None}
        print(json.dumps({"scenario": scenario, **said}), flush=True)
    # Threads of a receiver that a failed scenario left behind must not hold up the end.
    os._exit(0)


main()
