"""Messages accepted before the broker is killed, and found when it runs again."""

from proton import Message, symbol

from .client import connect, expect
from .requests import decoded, in_an_hour, peeked, receive_deferred
from .sessions import accept, set_state, state_of
from .settlement import modify

SESSION = "proton-restart"


def named(id, **fields):
    return Message(id=id, body=f"body of {id}", durable=True, **fields)


def before():
    with connect() as client:
        receiver = client.receiver("forever")
        _, delivery = receiver.take(client.send("forever", named("deferred")))
        modify(receiver, delivery, undeliverable=True)
        receiver.close()
        client.send("forever", named("scheduled", annotations={symbol("x-opt-scheduled-enqueue-time"): in_an_hour()}))
        client.send("forever", named("first"))
        client.send("forever", named("second"))
        client.send("sessions", named("in-session", group_id=SESSION))
        accept(client, SESSION)
        set_state(client, SESSION, b"\x04\x02")


def after():
    with connect() as client:
        seen = {one.id: one for one in peeked(client, 1, "forever")}
        expect("ids", {"deferred", "scheduled", "first", "second"}, set(seen))
        expect("state of the scheduled", 2, int(seen["scheduled"].annotations["x-opt-message-state"]))
        number = seen["deferred"].annotations["x-opt-sequence-number"]
        _, body = receive_deferred(client, "forever", number)
        expect("deferred body", "body of deferred", decoded(body["messages"][0]["message"]).body)
        expect("active messages", ["first", "second"], [one.id for one in client.drain("forever")])
        receiver = accept(client, SESSION)
        expect("session state", b"\x04\x02", state_of(client, SESSION))
        expect("messages of the session", ["in-session"], [one.id for one in receiver.drain()])


SCENARIOS = {"restart-before": before, "restart-after": after}
