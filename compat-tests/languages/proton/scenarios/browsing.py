"""Links that browse, and selectors, which are refused rather than ignored."""

from proton import Delivery
from proton.reactor import Copy, Selector

from .client import connect, expect, expect_failure, message


def browse():
    with connect() as client:
        client.drain("plain")
        ids = [client.send("plain", message(body)) for body in ("one", "two", "three")]
        browser = client.receiver("plain", Copy())
        # Whatever the outcome is: drain accepts.
        expect("browsed ids", ids, [one.id for one in browser.drain()])
        later = client.send("plain", message("four"))
        received, delivery = browser.receive()
        expect("what came later", later, received.id)
        browser.settle(delivery, Delivery.REJECTED)
        browser.close()
        left = client.receiver("plain").drain()
        expect("ids received then", ids + [later], [one.id for one in left])
        expect("delivery counts", [0] * 4, [one.delivery_count for one in left])


def selector():
    with connect() as client:
        for name in ("selector", "jms-selector"):
            expect_failure(
                f"a selector under the key {name}", "amqp:not-implemented",
                lambda name=name: client.receiver("plain", Selector("color = 'red'", name)),
            )
        client.send("plain", message("the connection still works"))


SCENARIOS = {"browse": browse, "selector-refused": selector}
