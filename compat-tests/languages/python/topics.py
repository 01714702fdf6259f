"""Topics, their rules, and forwarding."""

from azure.servicebus import ServiceBusMessage

from support import connected, drain, expect, expect_empty, new_id, open_receiver, receive, send, text

TOPIC = "events"


def topic_rules():
    session_id = new_id("ordered")
    with connected() as client:
        for subscription in ("all", "red"):
            drain(client, TOPIC, subscription=subscription)
        with client.get_topic_sender(TOPIC) as sender:
            sender.send_messages(
                [ServiceBusMessage(subject, subject=subject, session_id=session_id) for subject in ("red", "blue")]
            )
        for subscription, expected in (("all", ["red", "blue"]), ("red", ["red"])):
            with open_receiver(client, TOPIC, subscription) as receiver:
                take(receiver, subscription, expected)
                expect_empty(receiver)
        with open_receiver(client, TOPIC, "ordered", session_id=session_id) as receiver:
            take(receiver, "ordered", ["red", "blue"])


def take(receiver, what, expected):
    received = receive(receiver, len(expected))
    expect(what, [text(message) for message in received], expected)
    for message in received:
        receiver.complete_message(message)


def forwarding():
    with connected() as client:
        drain(client, "archive")
        send(client, "inbox", "passes on", message_id="forwarded")
        with open_receiver(client, "archive") as receiver:
            (received,) = receive(receiver)
            expect("body", text(received), "passes on")
            expect("message id", received.message_id, "forwarded")
            receiver.complete_message(received)


SCENARIOS = {"topic-rules": topic_rules, "forwarding": forwarding}
