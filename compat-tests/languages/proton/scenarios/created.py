"""Entities that `jitney create` made, and those that an emulator with --auto-create makes."""

import uuid

from proton import int32

from .client import connect, expect, expect_failure, message
from .requests import request
from .sessions import accept
from .settlement import modify


def created_entities():
    with connect() as client:
        poison = client.send("made", message("poison"))
        receiver = client.receiver("made")
        for _ in range(2):
            _, delivery = receiver.take(poison)
            modify(receiver, delivery)
        take(client, "made-graves", ["poison"])
        session = str(uuid.uuid4())
        client.send("made-sessions", message("ordered", group_id=session))
        ordered = accept(client, session, "made-sessions")
        expect("session", ["ordered"], [one.body for one in ordered.drain()])
        for color in ("red", "blue"):
            client.send("made-events", message(color, properties={"color": color}))
        take(client, "made-events/Subscriptions/red", ["red"])
        take(client, "made-events/Subscriptions/all", ["red", "blue"])


def take(client, address, expected):
    expect(f"messages of {address}", expected, [one.body for one in client.drain(address)])


def auto_create():
    queue, asked, topic = (str(uuid.uuid4()) for _ in range(3))
    with connect(port="AUTO_CREATE_PORT") as client:
        client.send(queue, message("first"))
        take(client, queue, ["first"])
        take(client, asked, [])
        take(client, f"{topic}/Subscriptions/sub", [])
        client.send(topic, message("to all"))
        take(client, f"{topic}/Subscriptions/sub", ["to all"])
        # The queue is there already, and may have been meant as a topic.
        expect_failure("receiving from a queue as a topic", "--topic", lambda: client.drain(f"{queue}/Subscriptions/sub"))


def auto_create_peek():
    queue = str(uuid.uuid4())
    asked = {"from-sequence-number": 1, "message-count": int32(1)}
    with connect(port="AUTO_CREATE_PORT") as client:
        for _ in range(2):
            status, _ = request(client, queue, "peek-message", asked)
            expect("status of a peek at a missing queue", 404, int(status))


SCENARIOS = {
    "created-entities": created_entities,
    "auto-create": auto_create,
    "auto-create-peek": auto_create_peek,
}
