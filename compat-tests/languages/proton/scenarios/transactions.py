"""Transactions on one entity: sends, every outcome, schedules, sessions, and what is refused."""

import time

from proton import Delivery, symbol

from .client import connect, expect, expect_failure, message
from .requests import dispose, in_an_hour, longs, peeked, receive_deferred
from .sessions import BODIES, accept, new_session, state_of
from .settlement import DEAD_LETTERS
from .transaction import Sender, Transaction, request_in

UNKNOWN = "amqp:transaction:unknown-id"


def begin(client, address="plain"):
    """A receiver and a sender of one entity; attached before the first transaction, they may be joined by others."""
    return client.receiver(address), Sender(client, address)


def commit():
    with connect() as client, connect() as other:
        other.drain("plain")
        receiver, sender = begin(client)
        looking = other.receiver("plain")
        _, delivery = receiver.take(client.send("plain", message("complete me")))
        transaction = Transaction(client)
        transaction.accept(delivery)
        ids = [transaction.send(sender, message(body)) for body in ("one", "two")]
        expect("ids before the commit", [], [one.id for one in looking.drain()])
        expect("peeked before the commit", [], [one.id for one in peeked(other, 1) if one.id in ids])
        transaction.commit()
        expect("ids after the commit", ids, [one.id for one in looking.drain()])
        delivery.settle()


def roll_back():
    with connect() as client:
        client.drain("plain")
        receiver, sender = begin(client)
        # On the same connection, as another would be served before what this one has to say is on its way.
        looking = client.receiver("plain")
        id = client.send("plain", message("accept me twice"))
        _, delivery = receiver.take(id)
        transaction = Transaction(client)
        transaction.update(delivery, Delivery.ACCEPTED)
        transaction.send(sender, message("never"))
        transaction.abort()
        expect("ids after the roll back", [], [one.id for one in looking.drain()])
        # The lock is as it was before.
        receiver.settle(delivery)
        assert id not in [one.id for one in peeked(client, 1)], "the message was accepted, and is still there"
        given_back(client, receiver, looking)


def given_back(client, receiver, looking):
    """What the library accepts it releases after a roll back; what it has settled before, the broker gives back."""
    for settle_before_discharge, count in ((False, 0), (True, 1)):
        id = client.send("plain", message("again"))
        _, delivery = receiver.take(id)
        transaction = Transaction(client, settle_before_discharge)
        transaction.accept(delivery)
        transaction.abort()
        received, delivery = looking.take(id)
        expect("delivery count", count, received.delivery_count)
        looking.settle(delivery)


def outcomes():
    with connect() as client, connect() as other:
        other.drain("plain")
        receiver, _ = begin(client)
        looking = other.receiver("plain")
        bodies = ("abandon", "defer", "dead-letter")
        taken = [receiver.take(client.send("plain", message(body))) for body in bodies]
        transaction = settle_in(Transaction(client), taken)
        expect("ids before the commit", [], [one.id for one in looking.drain()])
        transaction.commit()
        for _, delivery in taken:
            delivery.settle()
        expect_settled(other, looking, [received for received, _ in taken])


def settle_in(transaction, taken):
    abandoned, deferred, dead = (delivery for _, delivery in taken)
    transaction.update(abandoned, Delivery.MODIFIED, True)
    transaction.update(deferred, Delivery.MODIFIED, None, True)
    transaction.update(dead, Delivery.REJECTED)
    return transaction


def expect_settled(client, looking, messages):
    abandoned, deferred, dead = messages
    received, delivery = looking.take(abandoned.id)
    expect("delivery count of the abandoned", 1, received.delivery_count)
    looking.settle(delivery)
    status, body = receive_deferred(client, "plain", deferred.annotations["x-opt-sequence-number"])
    expect("status of receiving the deferred", 200, int(status))
    token = body["messages"][0]["lock-token"]
    expect("status of completing the deferred", 200, dispose(client, "plain", token, "completed"))
    dead_letters = client.receiver(DEAD_LETTERS)
    _, delivery = dead_letters.take(dead.id)
    dead_letters.settle(delivery)


def schedule():
    with connect() as client, connect() as other:
        _, sender = begin(client)
        for discharge in (Transaction.abort, Transaction.commit):
            transaction = Transaction(client)
            asked = [scheduled(body) for body in ("as a request", "as a message")]
            number = schedule_in(transaction, client, asked[0])
            transaction.send(sender, asked[1])
            expect("ids before the discharge", [], scheduled_ids(other, asked))
            discharge(transaction)
            is_there = discharge is Transaction.commit
            expect("ids after it", [one.id for one in asked] if is_there else [], scheduled_ids(other, asked))
        expect("number of the first", asked[0].id, peeked(other, number)[0].id)
        numbers = [one.annotations["x-opt-sequence-number"] for one in peeked(other, 1) if one.body.startswith("as a ")]
        transaction = Transaction(client)
        status, _ = request_in(transaction, client, "cancel-scheduled-message", {"sequence-numbers": longs(*numbers)})
        expect("status of the cancellation", 200, int(status))
        expect("ids before the cancellation is committed", 2, len(scheduled_ids(other, asked)))
        transaction.commit()
        expect("ids after it", [], scheduled_ids(other, asked))


def scheduled(body):
    return message(body, annotations={symbol("x-opt-scheduled-enqueue-time"): in_an_hour()})


def scheduled_ids(client, messages):
    ids = [one.id for one in messages]
    return [one.id for one in peeked(client, 1) if one.id in ids]


def schedule_in(transaction, client, later):
    """Returns the number that it will have."""
    entry = {"message-id": later.id, "message": later.encode()}
    status, body = request_in(transaction, client, "schedule-message", {"messages": [entry]})
    expect("status of the schedule", 200, int(status))
    return body["sequence-numbers"].elements[0]


def sessions():
    with connect() as client, connect() as other:
        session = new_session(other)
        receiver, sender = accept(client, session), Sender(client, "sessions")
        for discharge in (Transaction.abort, Transaction.commit):
            received, delivery = receiver.receive()
            expect("body", "one", received.body)
            transaction = Transaction(client)
            transaction.update(delivery, Delivery.ACCEPTED)
            transaction.send(sender, message("four", group_id=session))
            asked = {"session-id": session, "session-state": b"handled"}
            status, _ = request_in(transaction, client, "set-session-state", asked, "sessions")
            expect("status of setting the state", 200, int(status))
            expect("state before the discharge", None, state_of(client, session))
            discharge(transaction)
            receiver.settle(delivery, Delivery.RELEASED)
            is_there = discharge is Transaction.commit
            expect("state after the discharge", b"handled" if is_there else None, state_of(client, session))
        expect("messages left", [*BODIES[1:], "four"], [one.body for one in receiver.drain()])


def subscription():
    with connect() as client, connect() as other:
        other.drain("events/Subscriptions/all")
        receiver, sender = client.receiver("events/Subscriptions/all"), Sender(client, "events")
        id = other.send("events", message("first"))
        for discharge in (Transaction.abort, Transaction.commit):
            _, delivery = receiver.take(id)
            transaction = Transaction(client)
            transaction.accept(delivery)
            transaction.send(sender, message(discharge.__name__))
            discharge(transaction)
        expect("bodies left", ["commit"], [one.body for one in receiver.drain()])


def refused():
    lost_lock()
    another_entity()
    too_many()
    spent()


def expect_doomed(transaction):
    """A client that sends without waiting for outcomes has the commit alone to learn by."""
    expect_failure("committing after a refusal", "amqp:transaction:rollback", transaction.commit)


def lost_lock():
    with connect() as client:
        receiver, sender = begin(client, "short")
        received, delivery = receiver.take(client.send("short", message("let it lapse")))
        time.sleep(2.3)
        transaction = Transaction(client)
        transaction.send(sender, message("never"))
        expect_failure(
            "accepting after the lock", "com.microsoft:message-lock-lost",
            lambda: transaction.update(delivery, Delivery.ACCEPTED),
        )
        expect_doomed(transaction)
        expect("bodies left", ["let it lapse"], [one.body for one in receiver.drain()])


def another_entity():
    with connect() as client:
        _, sender = begin(client)
        elsewhere = Sender(client, "archive")
        transaction = Transaction(client)
        transaction.send(sender, message("never"))
        expect_failure(
            "sending to another entity", "amqp:not-allowed", lambda: transaction.send(elsewhere, message("never")),
        )
        expect_doomed(transaction)
        expect("messages left", [], client.drain("plain") + client.drain("archive"))


def too_many():
    with connect() as client:
        client.drain("plain")
        _, sender = begin(client)
        transaction = Transaction(client)
        sent = [transaction.begin_send(sender, message(f"{number}")) for number in range(100)]
        for delivery in sent:
            transaction.expect_accepted(delivery, Delivery.ACCEPTED)
        expect_failure(
            "sending one more than 100", "amqp:resource-limit-exceeded",
            lambda: transaction.send(sender, message("never")),
        )
        expect_doomed(transaction)
        expect("messages left", [], client.drain("plain"))


def spent():
    with connect() as client, connect() as other:
        receiver, sender = begin(client)
        _, delivery = receiver.take(client.send("plain", message("complete me later")))
        transaction = Transaction(client)
        stranger = Sender(other, "plain")
        open_elsewhere = Transaction(client)
        expect_failure(
            "sending in a transaction of another connection", UNKNOWN,
            lambda: open_elsewhere.send(stranger, message("never")),
        )
        open_elsewhere.commit()
        transaction.commit()
        expect_failure("committing twice", UNKNOWN, transaction.commit)
        expect_failure(
            "accepting in a transaction that is over", UNKNOWN, lambda: transaction.update(delivery, Delivery.ACCEPTED),
        )
        expect_failure(
            "sending in a transaction that is over", UNKNOWN, lambda: transaction.send(sender, message("never")),
        )
    with connect() as client:
        expect("messages left", [], client.drain("plain"))


SCENARIOS = {
    "transaction-commit": commit,
    "transaction-rollback": roll_back,
    "transaction-outcomes": outcomes,
    "transaction-schedule": schedule,
    "transaction-session": sessions,
    "transaction-subscription": subscription,
    "transaction-refused": refused,
}
