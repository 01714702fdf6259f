"""Requests of a program to an entity's $management node: peeking, schedules, deferral and locks."""

import time
import uuid

from proton import Array, Data, Delivery, Message, UNDESCRIBED, int32, symbol, timestamp, uint
from proton.reactor import ReceiverOption

from .client import connect, expect, message
from .settlement import modify


class ReplyAddress(ReceiverOption):
    """Names the target of a reply link: the library's own SyncRequestResponse asks for a dynamic node instead."""

    def __init__(self, address):
        self.address = address

    def apply(self, receiver):
        receiver.target.address = self.address


def call(client, node, properties, body, send=None):
    """Sends a request to a node, in the client's own way or another, and returns the answer."""
    reply_to = str(uuid.uuid4())
    replies = client.receiver(node, ReplyAddress(reply_to))
    id = (send or client.send)(node, message(body, reply_to=reply_to, properties=properties))
    answer, delivery = replies.receive()
    assert answer is not None, f"{node} did not answer"
    expect("correlation id", id, answer.correlation_id)
    replies.settle(delivery)
    replies.close()
    return answer


def request(client, address, operation, body, send=None):
    """Returns status and body of the answer."""
    answer = call(client, f"{address}/$management", {"operation": f"com.microsoft:{operation}"}, body, send)
    return answer.properties["statusCode"], copied(answer.body)


def copied(value):
    """The library's binaries are views of the message, which must not outlive it."""
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    return [copied(entry) for entry in value] if isinstance(value, list) else value


def peeked(client, number, address="plain"):
    """The messages from that sequence number on."""
    asked = {"from-sequence-number": number, "message-count": int32(50)}
    status, body = request(client, address, "peek-message", asked)
    return [] if status == 204 else [decoded(entry["message"]) for entry in body["messages"]]


def decoded(content):
    received = Message()
    received.decode(content)
    return received


def longs(*numbers):
    return Array(UNDESCRIBED, Data.LONG, *numbers)


def uuids(*values):
    return Array(UNDESCRIBED, Data.UUID, *values)


def peek():
    with connect() as client:
        ids = [client.send("plain", message(body)) for body in ("one", "two")]
        seen = [one for one in peeked(client, 1) if one.id in ids]
        expect("peeked ids", ids, [one.id for one in seen])
        expect("state", int32(0), seen[0].annotations["x-opt-message-state"])
        receiver = client.receiver("plain")
        for id in ids:
            received, delivery = receiver.take(id)
            expect("delivery count after a peek", 0, received.delivery_count)
            receiver.settle(delivery)


def renew_lock():
    with connect() as client:
        receiver, other = client.receiver("short"), client.receiver("short")
        id = client.send("short", message("hold me"))
        received, delivery = receiver.take(id)
        for _ in range(2):
            time.sleep(1.2)
            status, body = request(client, "short", "renew-lock", {"lock-tokens": uuids(token_of(received))})
            expect("status", 200, int(status))
            assert body["expirations"].elements[0] > (time.time() + 1) * 1000, "the lock was not extended"
        other.expect_gone(id)
        receiver.settle(delivery)


def token_of(received):
    """The delivery tag says the same, but the library reads a tag as text."""
    token = (received.instructions or {}).get("x-opt-lock-token")
    assert token is not None, "the message came without the annotation x-opt-lock-token"
    return token


def cancel():
    with connect() as client:
        later = message("never", annotations={symbol("x-opt-scheduled-enqueue-time"): in_an_hour()})
        entry = {"message-id": later.id, "message": later.encode()}
        status, body = request(client, "plain", "schedule-message", {"messages": [entry]})
        expect("status", 200, int(status))
        number = body["sequence-numbers"].elements[0]
        expect("peeked id", later.id, peeked(client, number)[0].id)
        status, _ = request(client, "plain", "cancel-scheduled-message", {"sequence-numbers": longs(number)})
        expect("status", 200, int(status))
        assert later.id not in [one.id for one in peeked(client, number)], "the cancelled message is still there"


def in_an_hour():
    return timestamp(int((time.time() + 3600) * 1000))


def receive_deferred(client, address, number, session={}):
    asked = {"sequence-numbers": longs(number), "receiver-settle-mode": uint(1), **session}
    return request(client, address, "receive-by-sequence-number", asked)


def dispose(client, address, token, outcome, session={}):
    asked = {"disposition-status": outcome, "lock-tokens": uuids(token), **session}
    return int(request(client, address, "update-disposition", asked)[0])


def defer():
    with connect() as client:
        receiver = client.receiver("plain")
        id = client.send("plain", message("later"))
        received, delivery = receiver.take(id)
        number = received.annotations["x-opt-sequence-number"]
        modify(receiver, delivery, undeliverable=True)
        receiver.expect_gone(id)
        status, body = receive_deferred(client, "plain", number)
        expect("status", 200, int(status))
        entry = body["messages"][0]
        expect("id", id, decoded(entry["message"]).id)
        expect("state", int32(1), decoded(entry["message"]).annotations["x-opt-message-state"])
        expect("status of the disposition", 200, dispose(client, "plain", entry["lock-token"], "completed"))
        expect("status when it is gone", 404, int(receive_deferred(client, "plain", number)[0]))


def settle_through_management():
    with connect() as client:
        id = client.send("plain", message("held by a link that is gone"))
        receiver = client.receiver("plain")
        received, _ = receiver.take(id)
        token = token_of(received)
        receiver.close()
        expect("status", 200, dispose(client, "plain", token, "completed"))
        expect("status when repeated", 410, dispose(client, "plain", token, "completed"))
        client.receiver("plain").expect_gone(id)


def outcome_after_detach():
    with connect() as client:
        client.drain("plain")
        ids = [client.send("plain", message(f"message {number}")) for number in range(2)]
        receiver = client.receiver("plain")
        (first, settled), (second, unsettled) = [receiver.take(id) for id in ids]
        receiver.close()
        settled.settle()
        unsettled.update(Delivery.ACCEPTED)
        for token in (token_of(first), token_of(second)):
            status, _ = request(client, "plain", "renew-lock", {"lock-tokens": uuids(token)})
            expect("status of the renewal", 200, int(status))
            expect("status of the disposition", 200, dispose(client, "plain", token, "completed"))
        expect("ids left", [], [one.id for one in client.drain("plain")])


SCENARIOS = {
    "peek": peek,
    "renew-lock": renew_lock,
    "schedule-cancel": cancel,
    "defer": defer,
    "settle-through-management": settle_through_management,
    "outcome-after-detach": outcome_after_detach,
}
