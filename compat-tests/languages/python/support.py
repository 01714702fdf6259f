"""The parts that all scenarios share: clients, emptying a queue, and telling what was expected from what was seen."""

import json
import os
import time
import urllib.request
import uuid
from contextlib import contextmanager

from azure.servicebus import (
    ServiceBusClient, ServiceBusMessage, ServiceBusMessageState, ServiceBusReceiveMode, TransportType,
)
from azure.servicebus.exceptions import ServiceBusAuthenticationError

CONNECTION_STRING = os.environ["CONNECTION_STRING"]
# The AMQP of the library up to 7.9. It speaks TLS alone, and dials 5671 if it is given no endpoint.
UAMQP = {
    "uamqp_transport": True,
    "transport_type": TransportType.Amqp,
    "custom_endpoint_address": f"sb://localhost:{os.environ['PORT']}",
    "connection_verify": os.environ["CA_FILE"],
}
WAIT_S = 5
NOTHING_S = 0.7


class CannotTry(Exception):
    """The machine lacks something that the scenario needs."""


def expect(what, seen, expected):
    if seen != expected:
        raise AssertionError(f"{what}: expected {expected!r}, saw {seen!r}")


def expect_error(kind, act):
    """Gives back the error; no other one, and no success, will do."""
    try:
        act()
    except kind as error:
        return error
    except Exception as error:
        raise AssertionError(f"expected {kind.__name__}, saw {type(error).__name__}: {error}") from error
    raise AssertionError(f"expected {kind.__name__}, saw success")


def expect_missing(act):
    """Tokens are put first, so that a missing entity is a failed authentication here: the status below tells them apart."""
    error = expect_error(ServiceBusAuthenticationError, act)
    expect("status of the token", getattr(error.inner_exception, "status_code", None), 404)


def call(name, body=None):
    """Asks the control interface."""
    address = f"http://{os.environ['HOST']}:{os.environ['PORT']}/$jitney/v1/{name}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def new_id(name):
    return f"{name}-{uuid.uuid4()}"


@contextmanager
def connected(**options):
    with ServiceBusClient.from_connection_string(CONNECTION_STRING, **options) as client:
        yield client


def send(client, entity, *bodies, **properties):
    sender = client.get_queue_sender(entity)
    with sender:
        for body in bodies:
            sender.send_messages(ServiceBusMessage(body, **properties))


def receive(receiver, count=1):
    """Exactly so many messages, however many calls it takes."""
    found = []
    deadline = time.monotonic() + WAIT_S
    while len(found) < count and time.monotonic() < deadline:
        found += receiver.receive_messages(max_message_count=count - len(found), max_wait_time=1)
    if len(found) != count:
        raise AssertionError(f"expected {count} messages, saw {len(found)}")
    return found


def expect_empty(receiver):
    expect("messages left", [text(m) for m in receiver.receive_messages(1, max_wait_time=NOTHING_S)], [])


def drain(client, entity, **options):
    """Empties a queue, or a subscription given by its options."""
    taking = dict(receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE, **options)
    with open_receiver(client, entity, **taking) as receiver:
        while receiver.receive_messages(max_message_count=100, max_wait_time=0.4):
            pass


def purge(client, queue):
    """Takes what is deferred or scheduled, too."""
    drain(client, queue)
    with client.get_queue_sender(queue) as sender, open_receiver(client, queue) as receiver:
        for message in receiver.peek_messages(max_message_count=100, sequence_number=1):
            if message.state == ServiceBusMessageState.SCHEDULED:
                sender.cancel_scheduled_messages(message.sequence_number)
            elif message.state == ServiceBusMessageState.DEFERRED:
                (deferred,) = receiver.receive_deferred_messages(message.sequence_number)
                receiver.complete_message(deferred)


def open_receiver(client, entity, subscription=None, **options):
    if subscription is None:
        return client.get_queue_receiver(entity, **options)
    return client.get_subscription_receiver(entity, subscription, **options)


def text(message):
    return b"".join(message.body).decode()


def decoded(value):
    """The library gives text as bytes in what it received."""
    if isinstance(value, dict):
        return {decoded(key): decoded(item) for key, item in value.items()}
    return value.decode() if isinstance(value, bytes) else value
