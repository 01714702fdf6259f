"""Messages that a broker must still have after it was killed: the first half sends them, the second finds them."""

from datetime import datetime, timedelta, timezone

from azure.servicebus import ServiceBusMessage, ServiceBusMessageState

from support import connected, expect, expect_empty, open_receiver, purge, receive, send, text

QUEUE = "forever"
SESSION = {"session_id": "over the restart"}


def restart_before():
    with connected() as client:
        purge(client, QUEUE)
        send(client, QUEUE, "deferred", "completed")
        with open_receiver(client, QUEUE) as receiver:
            deferred, completed = receive(receiver, 2)
            receiver.defer_message(deferred)
            receiver.complete_message(completed)
        send(client, QUEUE, "active", application_properties={"kept": 1})
        with client.get_queue_sender(QUEUE) as sender:
            due = datetime.now(timezone.utc) + timedelta(hours=1)
            sender.schedule_messages(ServiceBusMessage("scheduled"), due)
        send(client, "sessions", "in a session", **SESSION)
        with open_receiver(client, "sessions", **SESSION) as receiver:
            receiver.session.set_state(b"remembered")


def restart_after():
    with connected() as client:
        with open_receiver(client, QUEUE) as receiver:
            peeked = {text(message): message for message in receiver.peek_messages(max_message_count=10)}
            states = {body: message.state for body, message in peeked.items()}
            expected = {
                "active": ServiceBusMessageState.ACTIVE,
                "deferred": ServiceBusMessageState.DEFERRED,
                "scheduled": ServiceBusMessageState.SCHEDULED,
            }
            expect("messages", states, expected)
            (active,) = receive(receiver)
            expect("body", text(active), "active")
            expect("application properties", active.application_properties, {b"kept": 1})
            receiver.complete_message(active)
            (deferred,) = receiver.receive_deferred_messages(peeked["deferred"].sequence_number)
            receiver.complete_message(deferred)
            with client.get_queue_sender(QUEUE) as sender:
                sender.cancel_scheduled_messages(peeked["scheduled"].sequence_number)
            expect_empty(receiver)
            expect("what is left", receiver.peek_messages(max_message_count=10, sequence_number=1), [])
        with open_receiver(client, "sessions", **SESSION) as receiver:
            expect("session state", receiver.session.get_state(), b"remembered")
            (received,) = receive(receiver)
            expect("body in the session", text(received), "in a session")
            receiver.complete_message(received)


SCENARIOS = {"restart-before": restart_before, "restart-after": restart_after}
