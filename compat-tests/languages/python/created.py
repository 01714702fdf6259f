"""Entities that `jitney create` made, and those that an emulator with --auto-create makes."""

import os
from datetime import timedelta

from azure.core.exceptions import ResourceNotFoundError
from azure.servicebus import ServiceBusClient, ServiceBusMessage
from azure.servicebus.exceptions import ServiceBusError
from azure.servicebus.management import ServiceBusAdministrationClient

from administration import TRUST, administer
from support import connected, expect, expect_empty, expect_error, new_id, open_receiver, receive, send, text


def created_entities():
    with administer() as admin:
        made = admin.get_queue("made")
        expect("lock duration", made.lock_duration, timedelta(seconds=20))
        expect("max delivery count", made.max_delivery_count, 2)
        expect("time to live", made.default_message_time_to_live, timedelta(hours=1))
        expect("sessions", admin.get_queue("made-sessions").requires_session, True)
        expect("rules", [one.name for one in admin.list_rules("made-events", "red")], ["color"])
    with connected() as client:
        send(client, "made", "poison")
        with open_receiver(client, "made") as receiver:
            for _ in range(2):
                receiver.abandon_message(receive(receiver)[0])
            expect_empty(receiver)
        take(client, "made-graves", ["poison"])
        session = new_id("session")
        send(client, "made-sessions", "ordered", session_id=session)
        take(client, "made-sessions", ["ordered"], session_id=session)
        with client.get_topic_sender("made-events") as sender:
            for color in ("red", "blue"):
                sender.send_messages(ServiceBusMessage(color, application_properties={"color": color}))
        take(client, "made-events", ["red"], subscription="red")
        take(client, "made-events", ["red", "blue"], subscription="all")


def take(client, entity, expected, **options):
    with open_receiver(client, entity, **options) as receiver:
        received = receive(receiver, len(expected))
        expect(f"messages of {entity}", [text(message) for message in received], expected)
        for message in received:
            receiver.complete_message(message)
        expect_empty(receiver)


def creating():
    return ServiceBusClient.from_connection_string(os.environ["AUTO_CREATE_CONNECTION_STRING"], retry_total=0)


def creating_administration():
    return ServiceBusAdministrationClient.from_connection_string(
        os.environ["AUTO_CREATE_TLS_CONNECTION_STRING"], **TRUST
    )


def auto_create():
    queue, topic, asked, peeked = (new_id(name) for name in ("queue", "topic", "asked", "peeked"))
    with creating() as client, creating_administration() as admin:
        for probe in (
            lambda: admin.get_queue(queue),
            lambda: admin.get_queue_runtime_properties(queue),
            lambda: admin.get_topic(topic),
            lambda: admin.get_subscription(topic, "sub"),
        ):
            expect_error(ResourceNotFoundError, probe)
        expect("after probes", missing_of(admin, queue, topic), [queue, topic])
        send(client, queue, "first")
        expect("after a send", missing_of(admin, queue, topic), [topic])
        take(client, queue, ["first"])
        with open_receiver(client, asked) as receiver:
            expect_empty(receiver)
        expect("after a receive", missing_of(admin, asked), [])
        with open_receiver(client, topic, "sub") as receiver:
            expect_empty(receiver)
        # The library opens a link that receives, also to peek.
        client.get_queue_receiver(peeked).peek_messages(1)
        expect("after a peek", missing_of(admin, peeked), [])
        expect("subscriptions", [one.name for one in admin.list_subscriptions(topic)], ["sub"])
        # The queue is there already, and may have been meant as a topic.
        error = expect_error(ServiceBusError, lambda: open_receiver(client, queue, "sub").receive_messages(1, 1))
        expect("names --topic", "--topic" in str(error), True)


def missing_of(admin, *names):
    there = [one.name for one in (*admin.list_queues(), *admin.list_topics())]
    return [name for name in names if name not in there]


SCENARIOS = {"created-entities": created_entities, "auto-create": auto_create}
