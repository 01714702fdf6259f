"""Transactions over several entities: the first that the connection uses is the one that all else goes through."""

from proton import symbol
from proton.reactor import LinkOption

from .client import connect, expect, expect_failure, message
from .transaction import Sender, Transaction

TARGETS = ("archive", "short", "events")
PLACES = ("archive", "short", "events/Subscriptions/all")


class Handlers:
    """Receives from one queue and sends to two queues and a topic; its first transaction makes it cross-entity."""

    def __init__(self, client):
        self.client = client
        self.first = Transaction(client)
        self.receiver = client.receiver("plain")
        self.senders = [Sender(client, target) for target in TARGETS]

    def handle(self, transaction, delivery, body):
        for sender in self.senders:
            transaction.send(sender, message(body))
        transaction.accept(delivery)


def bodies_in(client):
    """What is in the places that are sent to, which is taken out."""
    return [[one.body for one in client.drain(place)] for place in PLACES]


def cross_entity():
    with connect() as client, connect() as other:
        other.drain("plain")
        bodies_in(other)
        handlers = Handlers(client)
        id = other.send("plain", message("work"))
        handlers.handle(handlers.first, handlers.receiver.take(id)[1], "never")
        handlers.first.abort()
        expect("bodies when rolled back", [[], [], []], bodies_in(other))
        transaction = Transaction(client)
        handlers.handle(transaction, handlers.receiver.take(id)[1], "done")
        expect("bodies before the commit", [[], [], []], bodies_in(other))
        transaction.commit()
        expect("bodies after the commit", [["done"]] * 3, bodies_in(other))
        other.receiver("plain").expect_gone(id)
        expect_failure(
            "receiving from a second entity", "amqp:not-allowed", lambda: client.receiver("archive"),
        )


def handlers_at_once():
    with connect() as client, connect() as other:
        other.drain("plain")
        bodies_in(other)
        handlers = Handlers(client)
        handlers.first.abort()
        names = [f"work {number}" for number in range(6)]
        taken = [handlers.receiver.take(other.send("plain", message(name))) for name in names]
        transactions = [Transaction(client) for _ in taken]
        for transaction, (received, delivery) in zip(transactions, taken):
            handlers.handle(transaction, delivery, received.body)
        # Every second fails, and gives its message back.
        for number, transaction in enumerate(transactions):
            if number % 2 == 0:
                transaction.commit()
            else:
                transaction.abort()
        expect("bodies sent", [names[::2]] * 3, bodies_in(other))
        expect("bodies given back", names[1::2], [one.body for one in handlers.receiver.drain()])


class SentOn(LinkOption):
    """Of a sender: what it sends goes through the entity that it is attached to, and shows at this one alone."""

    def __init__(self, destination):
        self.destination = destination

    def apply(self, link):
        link.properties = {symbol("com.microsoft:transfer-destination-address"): self.destination}


def send_via():
    with connect() as client, connect() as other:
        other.drain("plain")
        bodies_in(other)
        receiver = client.receiver("plain")
        senders = [Sender(client, "plain", SentOn(target)) for target in TARGETS]
        id = other.send("plain", message("work"))
        for discharge in (Transaction.abort, Transaction.commit):
            _, delivery = receiver.take(id)
            transaction = Transaction(client)
            for sender in senders:
                transaction.send(sender, message(discharge.__name__))
            transaction.accept(delivery)
            discharge(transaction)
        expect("bodies sent", [["commit"]] * 3, bodies_in(other))
        expect("messages left", [], other.drain("plain"))


def lost():
    with connect() as other:
        other.drain("short")
        id = other.send("short", message("work"))
        looking = other.receiver("short")
        client = connect()
        receiver, sender = client.receiver("short"), Sender(client, "short")
        _, delivery = receiver.take(id)
        transaction = Transaction(client, settle_before_discharge=True)
        transaction.accept(delivery)
        transaction.send(sender, message("never"))
        client.connection.close()
        received, delivery = looking.take(id)
        expect("delivery count when the connection ended", 1, received.delivery_count)
        looking.settle(delivery)
        expect("messages left", [], looking.drain())


SCENARIOS = {
    "transaction-cross-entity": cross_entity,
    "transaction-handlers": handlers_at_once,
    "transaction-send-via": send_via,
    "transaction-lost": lost,
}
