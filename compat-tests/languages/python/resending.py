"""Sending a received message again, as programs do that repair dead letters: by the library's own AMQP and by uamqp."""

from datetime import datetime, timedelta, timezone

from azure.servicebus import ServiceBusMessage, ServiceBusSubQueue

import tour
from support import UAMQP, connected, decoded, drain, expect, new_id, open_receiver, purge, receive, send, text

QUEUE = "plain"
DEAD_LETTER = {"sub_queue": ServiceBusSubQueue.DEAD_LETTER}


def send_back():
    with connected() as client:
        purge(client, QUEUE)
        drain(client, QUEUE, **DEAD_LETTER)
        # This one cannot write the time of a schedule that it received.
        _repair(client)
    with connected(**UAMQP) as client:
        _repair(client, scheduled_enqueue_time_utc=datetime.now(timezone.utc))


def uamqp_tour():
    """The tour that is recorded, by uamqp and with repairs, because it writes the sections of a message in its own order."""
    with connected(**UAMQP) as client:
        tour.visit(client)
        _repair(client, scheduled_enqueue_time_utc=datetime.now(timezone.utc))


def _repair(client, **options):
    """A dead letter goes back alone, in a batch and by a schedule."""
    properties = {"round": 1, "text": "grün"}
    send(
        client, QUEUE, "again", message_id=new_id("repaired"), session_id="s", partition_key="s", subject="broken",
        time_to_live=timedelta(hours=1), application_properties=properties, **options,
    )
    with client.get_queue_sender(QUEUE) as sender, open_receiver(client, QUEUE) as receiver:
        receiver.dead_letter_message(receive(receiver)[0], reason="broken")
        with open_receiver(client, QUEUE, **DEAD_LETTER) as dead_letters:
            (dead,) = receive(dead_letters)
            # Behind a send, the library cannot settle a message that uamqp received.
            dead_letters.complete_message(dead)
            sender.send_messages(dead)
        _expect_again(receiver, dead, properties)
        batch = sender.create_message_batch()
        batch.add_message(dead)
        batch.add_message(ServiceBusMessage("beside it"))
        sender.send_messages(batch)
        _expect_again(receiver, dead, properties)
        (beside,) = receive(receiver)
        receiver.complete_message(beside)
        expect("body beside it", text(beside), "beside it")
        sender.schedule_messages(dead, datetime.now(timezone.utc))
        _expect_again(receiver, dead, properties)


def _expect_again(receiver, sent, properties):
    (again,) = receive(receiver)
    receiver.complete_message(again)
    expect("body", text(again), "again")
    expect("application properties", decoded(again.application_properties), {**properties, "DeadLetterReason": "broken"})
    for name in ("message_id", "session_id", "partition_key", "subject", "time_to_live"):
        expect(name, decoded(getattr(again, name)), decoded(getattr(sent, name)))
    expect("same number", again.sequence_number == sent.sequence_number, False)


SCENARIOS = {"send-back": send_back, "tour-uamqp": uamqp_tour}
