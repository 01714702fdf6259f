"""The outcomes of a delivery, its lock, and the dead-letter queue."""

import time

from proton import Condition, Delivery, symbol

from .client import connect, expect, message

DEAD_LETTERS = "plain/$DeadLetterQueue"


def complete():
    with connect() as client:
        first, second = client.receiver("plain"), client.receiver("plain")
        id = client.send("plain", message("complete me"))
        _, delivery = first.take(id)
        second.expect_gone(id)
        first.settle(delivery)
        second.expect_gone(id)


def modify(receiver, delivery, failed=True, undeliverable=False, annotations=None):
    delivery.local.failed = failed
    delivery.local.undeliverable = undeliverable
    if annotations is not None:
        delivery.local.annotations = annotations
    receiver.settle(delivery, Delivery.MODIFIED)


def outcomes():
    with connect() as client:
        receiver = client.receiver("plain")
        id = client.send("plain", message("again"))
        received, delivery = receiver.take(id)
        expect("delivery count at first", 0, received.delivery_count)
        modify(receiver, delivery)
        received, delivery = receiver.take(id)
        expect("delivery count after modified", 1, received.delivery_count)
        receiver.settle(delivery, Delivery.RELEASED)
        _, delivery = receiver.take(id)
        receiver.settle(delivery)
        receiver.expect_gone(id)


def lock_expiry():
    with connect() as client:
        receiver, other = client.receiver("short"), client.receiver("short")
        id = client.send("short", message("let it lapse"))
        receiver.take(id)
        other.expect_gone(id)
        time.sleep(2.3)
        received, delivery = other.take(id)
        expect("delivery count", 1, received.delivery_count)
        other.settle(delivery)


def dead_letter():
    with connect() as client:
        receiver, dead_letters = client.receiver("plain"), client.receiver(DEAD_LETTERS)
        id = client.send("plain", message("bad"))
        _, delivery = receiver.take(id)
        info = {symbol("DeadLetterReason"): "unreadable", symbol("DeadLetterErrorDescription"): "line 1"}
        delivery.local.condition = Condition("com.microsoft:dead-letter", info=info)
        receiver.settle(delivery, Delivery.REJECTED)
        received, delivery = dead_letters.take(id)
        expect("reason", "unreadable", received.properties["DeadLetterReason"])
        expect("description", "line 1", received.properties["DeadLetterErrorDescription"])
        dead_letters.settle(delivery)


def max_delivery():
    with connect() as client:
        receiver, dead_letters = client.receiver("plain"), client.receiver(DEAD_LETTERS)
        id = client.send("plain", message("poison"))
        for count in range(3):
            received, delivery = receiver.take(id)
            expect("delivery count", count, received.delivery_count)
            modify(receiver, delivery)
        receiver.expect_gone(id)
        received, delivery = dead_letters.take(id)
        expect("reason", "MaxDeliveryCountExceeded", received.properties["DeadLetterReason"])
        dead_letters.settle(delivery)


def acknowledge_after_close():
    with connect() as client:
        client.drain("plain")
        ids = [client.send("plain", message(f"message {number}")) for number in range(4)]
        receiver = client.receiver("plain")
        receiver.link.flow(10)
        client.connection.wait(lambda: len(receiver.inbox.messages) == len(ids))
        deliveries = [delivery for _, delivery in receiver.inbox.messages]
        receiver.close()
        receiver.settle(deliveries[0])
        receiver.settle(deliveries[1])
        receiver.settle(deliveries[2], Delivery.RELEASED)
        modify(receiver, deliveries[3])
        left = client.receiver("plain").drain()
        expect("ids given back", ids[2:], [one.id for one in left])
        expect("delivery count of the one modified", 1, left[1].delivery_count)


SCENARIOS = {
    "peek-lock-complete": complete,
    "abandon-count": outcomes,
    "lock-expiry": lock_expiry,
    "dead-letter": dead_letter,
    "max-delivery": max_delivery,
    "prefetched-ack-after-close": acknowledge_after_close,
}
