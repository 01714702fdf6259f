"""Sending and receiving: content, batches, schedules, peeking, duplicates and time to live."""

import time
import uuid
from datetime import datetime, timedelta, timezone

from azure.servicebus import ServiceBusMessage, ServiceBusMessageState, ServiceBusReceiveMode, ServiceBusSubQueue
from azure.servicebus.amqp import AmqpAnnotatedMessage, AmqpMessageBodyType, AmqpMessageProperties

from support import (
    connected, decoded, drain, expect, expect_empty, new_id, open_receiver, purge, receive, send,
    text,
)

QUEUE = "plain"


def send_receive():
    now = datetime.now(timezone.utc).replace(microsecond=0)
    identity = uuid.uuid4()
    properties = {
        "text": "grün",
        # The library writes every whole number as an int of 32 bits.
        "int": 7,
        "double": 1.5,
        "yes": True,
        "no": False,
        "uuid": identity,
        "time": now,
    }
    sent = ServiceBusMessage(
        b"\x00hello\xff",
        application_properties=properties,
        message_id=new_id("content"),
        content_type="application/octet-stream",
        correlation_id="correlated",
        subject="greeting",
        to="someone",
        reply_to="answers",
        reply_to_session_id="back",
        session_id="s1",
        partition_key="s1",
        time_to_live=timedelta(hours=2),
    )
    with connected() as client:
        drain(client, QUEUE)
        with client.get_queue_sender(QUEUE) as sender:
            sender.send_messages(sent)
            with open_receiver(client, QUEUE) as receiver:
                (received,) = receive(receiver)
                token = received.lock_token
                receiver.complete_message(received)
                expect("body", b"".join(received.body), b"\x00hello\xff")
                for name in (
                    "message_id content_type correlation_id subject to reply_to reply_to_session_id "
                    "session_id partition_key time_to_live"
                ).split():
                    expect(name, getattr(received, name), getattr(sent, name))
                # A timestamp comes as milliseconds.
                expected = {**properties, "time": int(now.timestamp() * 1000)}
                expect("application properties", decoded(received.application_properties), expected)
                expect("delivery count", received.delivery_count, 0)
                expect("state", received.state, ServiceBusMessageState.ACTIVE)
                expect("no lock token", token is None, False)
                expect("expires", received.expires_at_utc, received.enqueued_time_utc + timedelta(hours=2))
                _annotated_bodies(sender, receiver)


def _annotated_bodies(sender, receiver):
    """Other kinds of body, with annotations of every section that a sender may set."""
    for kind, name, body in (
        (AmqpMessageBodyType.VALUE, "value_body", {b"key": [1, b"two", None]}),
        (AmqpMessageBodyType.SEQUENCE, "sequence_body", [[1, 2], [b"three"]]),
    ):
        sender.send_messages(
            AmqpAnnotatedMessage(
                **{name: body},
                annotations={"x-own": "annotated"},
                delivery_annotations={"x-way": "delivered"},
                footer={"x-foot": "last"},
                properties=AmqpMessageProperties(message_id=new_id(name)),
            )
        )
        (received,) = receive(receiver)
        receiver.complete_message(received)
        raw = received.raw_amqp_message
        expect("body type", raw.body_type, kind)
        expect(name, list(raw.body) if kind == AmqpMessageBodyType.SEQUENCE else raw.body, body)
        expect("annotation", decoded(raw.annotations).get("x-own"), "annotated")
        expect("delivery annotation", decoded(raw.delivery_annotations).get("x-way"), "delivered")
        expect("footer", decoded(raw.footer).get("x-foot"), "last")


def batch():
    with connected() as client:
        drain(client, QUEUE)
        with client.get_queue_sender(QUEUE) as sender:
            built = sender.create_message_batch()
            for index in range(20):
                built.add_message(ServiceBusMessage(f"message {index}", message_id=new_id("batch")))
            sender.send_messages(built)
            sender.send_messages([ServiceBusMessage(f"message {index}") for index in range(20, 25)])
        with open_receiver(client, QUEUE, receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE) as receiver:
            bodies = [text(message) for message in receive(receiver, 25)]
            expect("bodies in order", bodies, [f"message {index}" for index in range(25)])


def receive_and_delete():
    with connected() as client:
        drain(client, QUEUE)
        send(client, QUEUE, "one", "two")
        with open_receiver(client, QUEUE, receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE) as receiver:
            received = receive(receiver, 2)
            expect("bodies", [text(message) for message in received], ["one", "two"])
            expect("lock tokens", [message.lock_token for message in received], [None, None])
        with open_receiver(client, QUEUE) as receiver:
            expect_empty(receiver)


def peek():
    with connected() as client:
        purge(client, QUEUE)
        send(client, QUEUE, "one", "two", "three")
        with open_receiver(client, QUEUE) as receiver:
            first = receiver.peek_messages(max_message_count=2)
            expect("peeked", [text(message) for message in first], ["one", "two"])
            expect("states", {message.state for message in first}, {ServiceBusMessageState.ACTIVE})
            after = receiver.peek_messages(max_message_count=5, sequence_number=first[1].sequence_number + 1)
            expect("peeked from a number on", [text(message) for message in after], ["three"])
            received = receive(receiver, 3)
            expect("delivery counts", [message.delivery_count for message in received], [0, 0, 0])
            for message in received:
                receiver.complete_message(message)


def schedule_cancel():
    with connected() as client:
        purge(client, QUEUE)
        with client.get_queue_sender(QUEUE) as sender, open_receiver(client, QUEUE) as receiver:
            due = datetime.now(timezone.utc) + timedelta(seconds=4)
            numbers = sender.schedule_messages([ServiceBusMessage("stays"), ServiceBusMessage("goes")], due)
            peeked = receiver.peek_messages(max_message_count=2, sequence_number=numbers[0])
            expect("numbers", [message.sequence_number for message in peeked], numbers)
            expect("states", {message.state for message in peeked}, {ServiceBusMessageState.SCHEDULED})
            sender.cancel_scheduled_messages(numbers[1])
            (received,) = receive(receiver)
            expect("body", text(received), "stays")
            receiver.complete_message(received)
            expect_empty(receiver)


def scheduled_arrives():
    with connected() as client:
        purge(client, QUEUE)
        due = datetime.now(timezone.utc) + timedelta(seconds=4)
        send(client, QUEUE, "later", scheduled_enqueue_time_utc=due)
        with open_receiver(client, QUEUE) as receiver:
            expect_empty(receiver)
            (received,) = receive(receiver)
            receiver.complete_message(received)
            expect("arrived early", received.enqueued_time_utc < due - timedelta(milliseconds=10), False)
            expect("state", received.state, ServiceBusMessageState.SCHEDULED)


def duplicate():
    queue = "duplicates"
    with connected() as client:
        drain(client, queue)
        message_id = new_id("twice")
        send(client, queue, "first", "second", message_id=message_id)
        with open_receiver(client, queue) as receiver:
            (received,) = receive(receiver)
            expect("body", text(received), "first")
            receiver.complete_message(received)
            send(client, queue, "third", message_id=message_id)
            expect_empty(receiver)


def time_to_live():
    with connected() as client:
        drain(client, QUEUE)
        send(client, QUEUE, "gone", time_to_live=timedelta(seconds=1))
        send(client, QUEUE, "stays", time_to_live=timedelta(hours=1))
        time.sleep(1.5)
        with open_receiver(client, QUEUE) as receiver:
            (received,) = receive(receiver)
            expect("body", text(received), "stays")
            receiver.complete_message(received)
            expect_empty(receiver)
        with open_receiver(client, QUEUE, sub_queue=ServiceBusSubQueue.DEAD_LETTER) as receiver:
            expect("dead letters", [text(m) for m in receiver.peek_messages(10) if text(m) == "gone"], [])


SCENARIOS = {
    "send-receive": send_receive,
    "batch": batch,
    "receive-and-delete": receive_and_delete,
    "peek": peek,
    "schedule-cancel": schedule_cancel,
    "scheduled-arrives": scheduled_arrives,
    "duplicate": duplicate,
    "time-to-live": time_to_live,
}
