"""Each thing once, on entities that are empty: what `npm run measure -- record` records. It shows no behaviour of its own."""

from datetime import datetime, timedelta, timezone

from azure.servicebus import NEXT_AVAILABLE_SESSION, ServiceBusMessage, ServiceBusSubQueue

from support import connected, expect, expect_empty, open_receiver, receive, send

QUEUE = "plain"
SESSIONS = "sessions"


def tour():
    with connected() as client:
        visit(client)


def visit(client):
    with client.get_queue_sender(QUEUE) as sender, open_receiver(client, QUEUE) as receiver:
        _messages(sender, receiver)
        _settlement(client, sender, receiver)
        _management(sender, receiver)
    _sessions(client)
    with client.get_topic_sender("events") as sender:
        sender.send_messages(ServiceBusMessage("event", subject="red", session_id="s"))
    with open_receiver(client, "events", "red") as receiver:
        receiver.complete_message(receive(receiver)[0])


def _messages(sender, receiver):
    properties = {"text": "grün", "whole": 7, "half": 1.5, "yes": True, "when": datetime.fromtimestamp(0, timezone.utc)}
    sender.send_messages(
        ServiceBusMessage(
            b"hello",
            message_id="first",
            subject="greeting",
            content_type="text/plain",
            time_to_live=timedelta(hours=1),
            application_properties=properties,
        )
    )
    batch = sender.create_message_batch()
    for message_id in ("second", "third"):
        batch.add_message(ServiceBusMessage("batched", message_id=message_id))
    sender.send_messages(batch)
    expect("peeked", len(receiver.peek_messages(max_message_count=5)), 3)
    for message in receive(receiver, 3):
        receiver.complete_message(message)
    expect_empty(receiver)


def _settlement(client, sender, receiver):
    sender.send_messages(ServiceBusMessage("work"))
    receiver.abandon_message(receive(receiver)[0])
    receiver.dead_letter_message(receive(receiver)[0], reason="broken", error_description="it does not work")
    with open_receiver(client, QUEUE, sub_queue=ServiceBusSubQueue.DEAD_LETTER) as dead:
        dead.complete_message(receive(dead)[0])


def _management(sender, receiver):
    sender.send_messages(ServiceBusMessage("later"))
    (message,) = receive(receiver)
    receiver.renew_message_lock(message)
    receiver.defer_message(message)
    (deferred,) = receiver.receive_deferred_messages(message.sequence_number)
    receiver.complete_message(deferred)
    tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
    numbers = sender.schedule_messages(ServiceBusMessage("tomorrow"), tomorrow)
    sender.cancel_scheduled_messages(numbers)


def _sessions(client):
    send(client, SESSIONS, "in order", session_id="customer")
    with open_receiver(client, SESSIONS, session_id="customer") as receiver:
        receiver.session.set_state(b"half done")
        receiver.session.get_state()
        receiver.session.renew_lock()
        receiver.complete_message(receive(receiver)[0])
    send(client, SESSIONS, "next", session_id="another")
    with open_receiver(client, SESSIONS, session_id=NEXT_AVAILABLE_SESSION) as receiver:
        receiver.complete_message(receive(receiver)[0])


SCENARIOS = {"tour": tour}
