"""Sending and what arrives: contents, duplicates, time to live, schedules, topics, forwarding and refusals."""

import time
import uuid

from proton import Delivery, byte, char, float32, int32, short, symbol, timestamp, ubyte, uint, ulong, ushort
from proton.reactor import AtMostOnce
from proton.utils import SendException

from .client import connect, expect, expect_failure, message

PROPERTIES = {
    "boolean": True,
    "ubyte": ubyte(200),
    "ushort": ushort(60_000),
    "uint": uint(4_000_000_000),
    "ulong": ulong(1 << 63),
    "byte": byte(-7),
    "short": short(-700),
    "int": int32(-70_000),
    "long": -(1 << 60),
    "float": float32(1.5),
    "double": 2.25,
    "char": char("ä"),
    "timestamp": timestamp(1_767_323_045_600),
    "uuid": uuid.UUID("6f5f9a63-3c1a-4b49-a9a8-3f4c9d5e0b11"),
    "string": "grüße",
    "symbol": symbol("a-symbol"),
    "null": None,
}
BODIES = ["text", b"\x00\x01\xff", ["a", 1], {"key": "value"}, 5, None]


def send_receive():
    with connect() as client:
        receiver = client.receiver("plain")
        sent = message(
            "body", subject="subject", correlation_id="correlation", reply_to="answers", content_type="text/plain",
            user_id=b"user", properties=PROPERTIES, annotations={symbol("x-own"): "kept"}, ttl=300,
        )
        client.send("plain", sent)
        received, delivery = receiver.take(sent.id)
        for field in ("body", "subject", "correlation_id", "reply_to", "content_type", "user_id", "ttl"):
            expect(field, getattr(sent, field), getattr(received, field))
        for name, value in PROPERTIES.items():
            expect(f"property {name}", value, received.properties[name])
        expect("annotation", "kept", received.annotations["x-own"])
        expect("delivery count", 0, received.delivery_count)
        assert received.annotations["x-opt-sequence-number"] > 0, "there is no sequence number"
        receiver.settle(delivery)
        for body in BODIES:
            received, delivery = receiver.take(client.send("plain", message(body)))
            expect("body", body, received.body)
            receiver.settle(delivery)


def receive_and_delete():
    with connect() as client:
        client.drain("plain")
        id = client.send("plain", message("taken at once"))
        taker = client.receiver("plain", AtMostOnce())
        received, delivery = taker.receive()
        expect("id", id, received.id)
        expect("settled by the broker", True, delivery.settled)
        taker.close()
        expect("messages left", 0, len(client.drain("plain")))


def duplicate():
    with connect() as client:
        sent = message("once")
        client.send("duplicates", sent)
        client.send("duplicates", sent)
        expect("ids", [sent.id], [one.id for one in client.drain("duplicates")])


def time_to_live():
    with connect() as client:
        id = client.send("plain", message("short-lived", ttl=1))
        time.sleep(1.5)
        client.receiver("plain").expect_gone(id)


def arrives_later(annotations):
    with connect() as client:
        receiver = client.receiver("plain")
        due = time.time() + 1.5
        id = client.send("plain", message("later", annotations=annotations(due)))
        receiver.expect_gone(id)
        _, delivery = receiver.take(id)
        assert time.time() >= due, "it came before it was due"
        receiver.settle(delivery)


def scheduled_arrives():
    arrives_later(lambda due: {symbol("x-opt-scheduled-enqueue-time"): timestamp(int(due * 1000))})


def delivery_delay():
    # As a JMS client says it: a long.
    arrives_later(lambda due: {symbol("x-opt-delivery-time"): int(due * 1000)})


def topic_rules():
    with connect() as client:
        everything = client.receiver("events/Subscriptions/all")
        only_red = client.receiver("events/Subscriptions/red")
        everything.drain()
        only_red.drain()
        ids = [client.send("events", message(color, subject=color)) for color in ("red", "blue")]
        expect("ids of all", ids, [one.id for one in everything.drain()])
        expect("ids of red", ids[:1], [one.id for one in only_red.drain()])


def forwarding():
    with connect() as client:
        receiver = client.receiver("archive")
        _, delivery = receiver.take(client.send("inbox", message("onwards")))
        receiver.settle(delivery)


def send_back():
    with connect() as client:
        receiver = client.receiver("plain")
        sent = message("there and back", properties={"round": 1}, instructions={symbol("sender-note"): "kept"})
        client.send("plain", sent)
        first, delivery = receiver.take(sent.id)
        receiver.settle(delivery)
        expect("delivery annotation", "kept", first.instructions["sender-note"])
        # With all of the broker's own annotations on it.
        client.send("plain", first)
        second, delivery = receiver.take(sent.id)
        expect("body", "there and back", second.body)
        expect("property", 1, second.properties["round"])
        expect("delivery annotation", "kept", second.instructions["sender-note"])
        number = "x-opt-sequence-number"
        assert second.annotations[number] > first.annotations[number], "it has the old sequence number"
        tokens = [one.instructions.get("x-opt-lock-token") for one in (first, second)]
        assert None not in tokens and tokens[0] != tokens[1], f"the lock tokens are {tokens}"
        receiver.settle(delivery)


def errors():
    with connect() as client:
        expect_failure("sending to a missing queue", "amqp:not-found", lambda: client.send("missing", message()))
        expect_failure("receiving from a missing queue", "amqp:not-found", lambda: client.receiver("missing"))
        expect_failure("receiving without a session", "amqp:not-allowed", lambda: client.receiver("sessions"))
        expect_failure("receiving from a topic", "amqp:not-found", lambda: client.receiver("events"))
        try:
            client.send("plain", message("x" * 300_000))
        except SendException as error:
            expect("outcome of a message of 300 kB", Delivery.REJECTED, error.state)
        except Exception as error:
            assert "amqp:link:message-size-exceeded" in str(error), f"the size is not the reason: {error}"
        else:
            raise AssertionError("a message of 300 kB was taken")
        client.send("plain", message("the connection still works"))


SCENARIOS = {
    "send-receive": send_receive,
    "receive-and-delete": receive_and_delete,
    "duplicate": duplicate,
    "time-to-live": time_to_live,
    "scheduled-arrives": scheduled_arrives,
    "delivery-delay": delivery_delay,
    "topic-rules": topic_rules,
    "forwarding": forwarding,
    "send-back": send_back,
    "errors": errors,
}
