"""The faults of the table: what the library reports of each, and how often it tries."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

from azure.servicebus import ServiceBusMessage, ServiceBusReceiver
from azure.servicebus.management import ServiceBusAdministrationClient

from administration import TRUST, administer
from support import call, connected, new_id

FOLDER = Path(os.environ["FAULTS"])
RETRIES = dict(retry_total=2, retry_backoff_factor=0.01, retry_backoff_max=0.05)


def send(client, queue):
    with client.get_queue_sender(queue) as sender:
        sender.send_messages(ServiceBusMessage("x"), timeout=2)


def receive_one(client, queue, then):
    with client.get_queue_sender(queue) as sender:
        sender.send_messages(ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        messages = receiver.receive_messages(max_message_count=1, max_wait_time=1)
        if not messages:
            raise TimeoutError("nothing received")
        then(receiver, messages[0])


def schedule(client, queue):
    with client.get_queue_sender(queue) as sender:
        sender.schedule_messages(ServiceBusMessage("x"), datetime.now(timezone.utc) + timedelta(hours=1))


def peek(client, queue):
    with client.get_queue_receiver(queue) as receiver:
        receiver.peek_messages(max_message_count=1)


def session_state(client, queue):
    with client.get_queue_receiver(queue, session_id="a") as receiver:
        receiver.session.get_state()


def administration(_, queue):
    connection_string = os.environ["TLS_CONNECTION_STRING"]
    with ServiceBusAdministrationClient.from_connection_string(connection_string, **TRUST, **RETRIES) as admin:
        admin.get_queue(queue)


OPERATIONS = {
    "send": send,
    "receive": lambda client, queue: receive_one(client, queue, lambda receiver, message: None),
    "complete": lambda client, queue: receive_one(client, queue, ServiceBusReceiver.complete_message),
    "renew-lock": lambda client, queue: receive_one(
        client, queue, lambda receiver, message: receiver.renew_message_lock(message, timeout=2)
    ),
    "peek": peek,
    "schedule": schedule,
    "session-state": session_state,
    "administration": administration,
}


def row_of(case):
    """Each has a queue of its own, so that some can be tried at a time."""
    queue = new_id("faults")
    with administer() as admin:
        admin.create_queue(queue, requires_session=case["operation"] == "session-state")
    added = call("faults", {**case["fault"], "entity": queue})
    try:
        with connected(**RETRIES) as client:
            OPERATIONS[case["operation"]](client, queue)
        outcome = "succeeds"
    except Exception as error:  # pylint: disable=broad-except
        outcome = type(error).__name__
    (fault,) = [one for one in call("faults")["faults"] if one["id"] == added["id"]]
    call("faults:remove", {"id": added["id"]})
    return {"outcome": outcome, "attempts": fault["matchedCount"]}


def faults():
    cases = json.loads((FOLDER / "cases.json").read_text())
    with ThreadPoolExecutor(max_workers=4) as pool:
        seen = dict(zip([case["id"] for case in cases], pool.map(row_of, cases)))
    if "FAULTS_SEEN" in os.environ:
        Path(os.environ["FAULTS_SEEN"]).write_text(json.dumps(seen))
        return
    expected = json.loads((FOLDER / "expected.json").read_text())["python"]
    wrong = [f"{name}: expected {expected.get(name)}, saw {row}" for name, row in seen.items() if expected.get(name) != row]
    if wrong:
        raise AssertionError("; ".join(wrong))


SCENARIOS = {"faults": faults}
